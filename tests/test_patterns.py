"""A pattern is one run in several files. Where it may mean several runs, errors and findings say how to give them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import carob
from carob.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable

PYTHON = "A pattern stands for one run in several files. If each file is a run, pass sorted(glob.glob('runs/*.run'))."
COMMAND = "A pattern in quotes stands for one run in several files. If each file is a run, remove the quotes."
PATTERN = "runs/*.run"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels.txt").write_text("q 0 a 1\n")
    Path("runs").mkdir()
    Path("runs/x.run").write_text("q Q0 a 1 2 x\nq Q0 b 2 1 x\n")
    Path("runs/y.run").write_text("q Q0 b 1 2 y\nq Q0 a 2 1 y\n")


@pytest.mark.parametrize("given", [PATTERN, Path(PATTERN), [PATTERN], {"one": PATTERN}])
@pytest.mark.parametrize("call", [carob.evaluate, carob.compare])
def test_a_pattern_for_several_runs_is_refused_with_advice(call: Callable[..., Any], given: Any) -> None:
    with pytest.raises(carob.DataError) as refusal:
        call("qrels.txt", given)
    assert PYTHON in str(refusal.value)


@pytest.mark.parametrize("words", [["eval"], ["compare"], ["compare", "runs/x.run"]])
def test_so_is_a_quoted_pattern_on_the_command_line(words: list[str], capsys: Any) -> None:
    with pytest.raises(SystemExit) as end:
        main([words[0], "qrels.txt", PATTERN, *words[1:]])
    assert end.value.code == 2
    assert COMMAND in capsys.readouterr().err


def test_check_advises_the_same() -> None:
    advised = {each.code for each in carob.check("qrels.txt", PATTERN).findings if PYTHON in each.remedy}
    assert advised == {"duplicate-documents", "several-tags"}


def test_there_is_no_such_advice_for_one_file() -> None:
    """The pattern is right where one of its files repeats a document, and a plain file is not a pattern."""
    Path("runs/y.run").write_text("p Q0 b 1 2 x\n")
    carob.evaluate("qrels.txt", PATTERN)
    Path("runs/x.run").write_text("q Q0 a 1 2 x\nq Q0 a 2 1 x\n")
    for given in (PATTERN, "runs/x.run"):
        with pytest.raises(carob.DataError, match="is listed twice") as refusal:
            carob.evaluate("qrels.txt", given)
        assert "pattern" not in str(refusal.value)


@pytest.mark.parametrize("path", ["runs/z.run", "z.run", "runs/z"])
def test_a_named_path_without_a_file_is_said_to_be_one(path: str) -> None:
    with pytest.raises(carob.DataError, match=f"^{path}: No such file or directory"):
        carob.evaluate("qrels.txt", {"one": path, "other": "runs/x.run"})
