"""What a terminal shows: colour where it is wanted, lines no wider than it, no word cut, no Markdown's marks."""

from __future__ import annotations

import contextlib
import io
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import carob
from carob.cli import main
from carob.evaluation.score_tables import with_best
from carob.output.layout import Marked

if TYPE_CHECKING:
    from collections.abc import Callable

CHECKOUT = Path(__file__).resolve().parents[2]
EXAMPLES = Path("examples", "tea")  # a path is never cut, and that of a checkout may be wider than a terminal
QRELS = str(EXAMPLES / "qrels.txt")
RUNS = [str(EXAMPLES / "runs" / each.name) for each in sorted(CHECKOUT.joinpath(EXAMPLES).glob("runs/*.run"))]
COMMANDS = {
    "eval": ["eval", QRELS, *RUNS, "-m", "AP", "-m", "nDCG@10"],
    "eval of many measures": ["eval", QRELS, *RUNS, *(f"-mP@{each}" for each in range(1, 15))],
    "compare": ["compare", QRELS, *RUNS, "-m", "AP"],
    "compare with a baseline": ["compare", QRELS, *RUNS, "--baseline", "bm25", "--worst", "2"],
    "gate": ["gate", QRELS, RUNS[1], "--baseline", RUNS[0], "--max-drop", "AP=0.1"],
    "gate of long names": [
        *("gate", QRELS, f"a-rather-long-name-of-a-run={RUNS[1]}", "--max-drop", "AP=0.1"),
        *("--baseline", f"another-rather-long-name-of-a-run={RUNS[0]}"),
    ],
    "check": ["check", QRELS, RUNS[3]],
    "agreement": ["agreement", QRELS, QRELS, *RUNS, "--resamples", "20"],
    "correlate": ["correlate", QRELS, *RUNS, "-m", "AP", "-m", "P@5", "--resamples", "20"],
    "best": ["best", QRELS, *RUNS, "-m", "AP", "--resamples", "100"],
    "plan": ["plan", QRELS, *RUNS[:3], "-m", "AP", "--difference", "0.05"],
    "curve": ["curve", QRELS, RUNS[0]],
    "explain": ["explain", "AP", QRELS, RUNS[0], "--query", "t01"],
    "difference": ["difference", "trec_eval-10", "sklearn", "nDCG@10", QRELS, RUNS[0]],
    "measures": ["measures"],
    "one measure": ["measures", "AP", "RBP"],
    "profiles": ["profiles"],
    "one profile": ["profiles", "ranx"],
}


@pytest.fixture(autouse=True)
def _in_the_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(CHECKOUT)


class Terminal(io.TextIOWrapper):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """It is."""
        return True


def shown(
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    kind: type[io.TextIOWrapper],
    columns: int = 80,
    **env: str,
) -> str:
    """What a command writes to a stream of this kind, and so wide."""
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in ({"TERM": "xterm", "COLUMNS": str(columns)} | env).items():
        monkeypatch.setenv(name, value)
    out, err = kind(io.BytesIO(), encoding="utf-8"), kind(io.BytesIO(), encoding="utf-8")
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    with contextlib.suppress(SystemExit):
        main(arguments)
    for stream in (out, err):
        stream.flush()
    return "".join(stream.buffer.getvalue().decode() for stream in (out, err))  # type: ignore[attr-defined]


def plain(text: str) -> str:
    """The text without colours."""
    return re.sub(r"\x1b\[\d+m", "", text)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_pipe_gets_no_colour_and_a_terminal_the_same_words(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    piped = shown(monkeypatch, COMMANDS[name], io.TextIOWrapper)
    assert "\x1b" not in piped
    on_terminal = shown(monkeypatch, COMMANDS[name], Terminal)
    assert "\x1b[" in on_terminal
    assert piped.split()[:1] == plain(on_terminal).split()[:1]


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("columns", [60, 80, 120])
def test_no_line_is_wider_than_the_terminal(name: str, columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if columns < 80 and name in ("gate", "gate of long names", "difference", "one profile"):
        columns = 80  # made for 80 columns, as logs have them
    text = plain(shown(monkeypatch, COMMANDS[name], Terminal, columns))
    wide = [line for line in text.splitlines() if len(line) > columns]
    # A path or a name is not cut, and a formula is shown as it stands in its file.
    broken = [line for line in wide if max(map(len, line.split())) < columns / 2]
    assert not [line for line in broken if not re.match(r"    \w+ = |    return ", line)]


def test_colours_are_forced_and_forbidden_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    words = COMMANDS["eval"]
    assert "\x1b[1m" in shown(monkeypatch, words, io.TextIOWrapper, FORCE_COLOR="1")
    assert "\x1b" not in shown(monkeypatch, words, io.TextIOWrapper, FORCE_COLOR="0")
    assert "\x1b" not in shown(monkeypatch, words, Terminal, NO_COLOR="1")
    assert "\x1b" not in shown(monkeypatch, words, Terminal, NO_COLOR="1", FORCE_COLOR="1")
    assert "\x1b" not in shown(monkeypatch, words, Terminal, TERM="dumb")


def test_the_best_value_of_each_column_stands_out(monkeypatch: pytest.MonkeyPatch) -> None:
    text = shown(monkeypatch, COMMANDS["eval"], Terminal)
    (best,) = [line for line in text.splitlines() if line.startswith("feedback")]
    # feedback has the best AP (.564) and nDCG@10 (.664) of the example.
    assert len(re.findall(r"\x1b\[1m0\.\d+", best)) == 2
    assert text.count("\x1b[1m") == 2


def test_errors_and_warnings_have_one_prefix_in_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    for words in (
        ["eval", "/nowhere", "/none"],
        ["eval", "--nothing"],
        ["nothing"],
        ["gate", QRELS, RUNS[0], "-m", "AP"],
    ):
        on_terminal = shown(monkeypatch, words, Terminal)
        assert on_terminal.startswith("\x1b[31m\x1b[1mcarob:\x1b[0m ")
        assert shown(monkeypatch, words, io.TextIOWrapper).startswith("carob: ")


def test_green_and_red_are_for_gates_and_beside_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    passed = shown(monkeypatch, COMMANDS["gate"], Terminal)
    assert passed.startswith("\x1b[32m\x1b[1mgate passed:\x1b[0m")
    failing = ["gate", QRELS, RUNS[3], "--baseline", RUNS[0], "--max-drop", "AP=0.01"]
    assert shown(monkeypatch, failing, Terminal).startswith("\x1b[31m\x1b[1mgate FAILED:\x1b[0m")
    for name in ("eval", "compare", "explain", "measures"):
        assert not re.search(r"\x1b\[3[12]m", shown(monkeypatch, COMMANDS[name], Terminal))


def test_a_terminal_shows_no_marks_of_markdown(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("measures", "one measure"):
        text = shown(monkeypatch, COMMANDS[name], Terminal)
        assert "`" not in text
        assert "**" not in text.replace("x ** y", "")


def test_the_footer_names_every_run(monkeypatch: pytest.MonkeyPatch, shared: Callable[..., Path]) -> None:
    folder = shared("data", "dl21-people-and-model")
    runs = sorted(map(str, (folder / "runs").iterdir()))
    text = shown(monkeypatch, ["eval", str(folder / "qrels.people.txt"), *runs, "-m", "AP"], io.TextIOWrapper)
    footer = text.split("\n", len(runs) + 1)[-1]
    assert footer.startswith(f"all {len(runs)} runs: 53 queries · policy trec\n")
    named = [name for line in footer.splitlines()[1:-1] for name in line.partition(":")[0].split(", ")]
    (more,) = re.findall(r"and (\d+) more runs", footer)
    assert len(named) + int(more) == len(runs)


def test_the_command_alone_shows_its_help_as_lines() -> None:
    ran = subprocess.run([sys.executable, "-m", "carob"], capture_output=True, text=True, check=False)
    help_ = ran.stderr + ran.stdout  # click 8.1 takes it for a question, later ones for a mistake
    assert help_.splitlines()[0] == "Usage: carob [OPTIONS] COMMAND [ARGS]..."
    assert "\\n" not in help_


def test_a_measure_without_a_value_is_no_best_one() -> None:
    qrels = {"q": {"a": 1, "b": 1}}
    runs = [carob.evaluate(qrels, {"q": {"a": 1.0}}, ["ERR", "AP"], name=name) for name in "xy"]
    marked = with_best(runs, [["x", "–", "1.0000"], ["y", "–", "0.5000"]])
    assert [[isinstance(cell, Marked) for cell in row] for row in marked] == [
        [False, False, True],
        [False] * 3,
    ]


@pytest.mark.parametrize("command", ["compare", "gate", "check", "difference", "agreement", "one profile"])
def test_text_is_as_wide_as_its_terminal_up_to_100(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    words = COMMANDS | {"agreement": ["agreement", QRELS, QRELS, *RUNS]}
    wide, narrow = (
        max(map(len, shown(monkeypatch, words[command], Terminal, columns, NO_COLOR="1").splitlines()))
        for columns in (140, 80)
    )
    assert narrow <= 80 < wide <= 100
