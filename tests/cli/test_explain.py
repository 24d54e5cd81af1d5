"""``carob explain``: grades as people type them, and what the command says it needs."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import carob
from carob import DataError, Policy
from carob.cli import commands
from carob.cli.explain import grades_in

TEA = Path(__file__).resolve().parents[2] / "examples" / "tea"
QRELS, RUN = TEA / "qrels.txt", TEA / "runs" / "bm25.run"


def run_carob(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(commands, ["explain", *arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.output


def test_the_command_prints_what_the_function_returns() -> None:
    found = carob.explain("nDCG@5", grades=[3, 2, None, 1], judged=[3, 3, 2, 1, 0])
    asked = ["nDCG@5", "--grades", "3,2,-,1", "--judged", "3 3 2 1 0"]
    assert run_carob(*asked) == (0, str(found))
    for form in ("markdown", "latex", "html"):
        assert run_carob(*asked, "--format", form) == (0, getattr(found, f"to_{form}")())
    files = ["AP", str(QRELS), str(RUN), "--query", "t01"]
    assert run_carob(*files) == (0, str(carob.explain("AP", QRELS, RUN, "t01")))
    policy = Policy(ties="ascending", depth=5)
    code, output = run_carob(*files, "--ties", "ascending", "--depth", "5", "--digits", "3", "--rows", "0")
    assert (code, output) == (
        0,
        str(carob.explain("AP", QRELS, RUN, "t01", policy=policy, digits=3, rows=None)),
    )


def test_the_command_on_a_judged_ranking(tmp_path: Path) -> None:
    path = tmp_path / "ranking.txt"
    path.write_bytes(b"q Q0 x 0\nq Q0 y 1\n")
    code, output = run_carob("MRR", "--judged-ranking", str(path), "--query", "q", "--profile", "note-004")
    assert (code, output.splitlines()[0]) == (0, "MRR of query q = 0.500000")


def test_grades_as_people_type_them() -> None:
    assert grades_in("3,2,0,1") == [3, 2, 0, 1]
    assert grades_in("3 2\t-  ?") == [3, 2, None, None]
    assert grades_in("1，1，0，1，·") == [1, 1, 0, 1, None]
    assert grades_in("-1, 0.5,") == [-1, 0.5]
    assert grades_in(" ") == []
    with pytest.raises(DataError, match="'x' is not a grade: write numbers"):
        grades_in("3,x,1")


@pytest.mark.parametrize("grade", ["1_0", "nan", "inf", "\uff12", "0x1"])
def test_grades_on_the_command_line_are_plain_numbers(grade: str) -> None:
    with pytest.raises(DataError, match=f"'{grade}' is not a grade: write numbers"):
        grades_in(f"1,{grade}")


def test_the_command_says_what_it_needs() -> None:
    code, output = run_carob("AP", str(QRELS))
    assert code == 2
    assert "Pass QRELS, RUN and --query" in output
    with pytest.raises(DataError, match="can be read only once"):
        run_carob("AP", "-", "-", "--query", "1")
    with pytest.raises(DataError, match="Pass 'qrels', 'run' and 'query', or 'grades'"):
        run_carob("AP")


@pytest.mark.parametrize(
    "words",
    [
        ["--grades", "2", "1", "0", "3", "0", "1"],
        ["--grades", "2,1,0,3,0,1"],
        ["--grades", "2,1", "0,3,", "0", "1"],
        ["--grades=2", "1", "0", "3", "0", "1"],
    ],
)
def test_blanks_between_grades_are_commas(words: list[str]) -> None:
    code, output = run_carob("ndcg@6", *words)
    assert (code, output.splitlines()[0]) == (0, "ndcg@6 = 0.824100")


def test_blanks_between_judged_grades_are_commas_too() -> None:
    with_commas = run_carob("AP", "--grades", "1,-,0,-1", "--judged", "1,1,0,-1")
    assert run_carob("AP", "--grades", "1", "-", "0", "-1", "--judged", "1", "1", "0", "-1") == with_commas
    assert run_carob("--judged", "1", "1", "0", "-1", "--grades", "1", "-", "0", "-1", "AP") == with_commas


def test_files_beside_grades_are_refused_by_name() -> None:
    code, output = run_carob("AP", "--grades", "2", "1", "qrels.txt")
    assert code == 2
    assert "'qrels.txt' was passed too" in output
