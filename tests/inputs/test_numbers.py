"""Numbers in texts: what Python alone takes for a number, such as 1_0 and the digits of other scripts, is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.inputs.digits import ODD

import carob
from carob import DataError
from carob.cli import main

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("odd", ODD)
def test_numbers_of_runs_and_judgments_are_decimal(odd: str, tmp_path: Path) -> None:
    for qrels, run in (("q 0 a 1", f"q Q0 a 1 {odd} t"), (f"q 0 a {odd}", "q Q0 a 1 2 t")):
        with pytest.raises(DataError, match="is not a number"):
            carob.evaluate(qrels.encode(), run.encode(), "AP")
    pytest.importorskip("polars", reason="reads CSV")
    (tmp_path / "run.csv").write_text(f"query_id,doc_id,score\nq,a,{odd}\nq,b,1\n", encoding="utf-8")
    with pytest.raises(DataError, match="is not a number"):
        carob.evaluate({"q": {"a": 1}}, tmp_path / "run.csv", "AP")


@pytest.mark.parametrize("odd", ODD)
def test_values_of_other_tools_are_decimal(odd: str, tmp_path: Path) -> None:
    for name, text in (
        ("table.csv", f"query,AP\nq1,0.5\nq2,{odd}\n"),
        ("trec.txt", f"map\tq1\t0.5\nmap\tq2\t{odd}\n"),
        ("scores.json", f'{{"q1": {{"AP": 0.5}}, "q2": {{"AP": "{odd}"}}}}'),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
        with pytest.raises(DataError):
            carob.read_scores(tmp_path / name)
    (tmp_path / "values.csv").write_text(f"collection,run,AP\none,x,0.5\none,y,{odd}\n", encoding="utf-8")
    with pytest.raises(DataError, match="number"):
        carob.compare_collections(tmp_path / "values.csv")


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("column", ["grade", "probability"])
def test_numbers_of_a_sample_are_decimal(
    odd: str, column: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cells = {"grade": "1", "probability": "0.5"} | {column: odd}
    people = tmp_path / "people.csv"
    people.write_text(
        f"query,document,grade,probability,sample_size\nq,a,1,0.5,2\nq,b,{cells['grade']},{cells['probability']},2\n",
        encoding="utf-8",
    )
    (tmp_path / "judge").write_text("q 0 a 1\nq 0 b 0\nq 0 c 1\n")
    (tmp_path / "run").write_text("q Q0 a 1 2 t\nq Q0 b 2 1 t\n")
    files = [str(tmp_path / each) for each in ("judge", "run")]
    with pytest.raises(SystemExit):
        main(["compare", "--people", str(people), "--judge", *files, "-m", "DCG@10"])
    assert f"the {column} '{odd}' is not a number" in capsys.readouterr().err


@pytest.mark.parametrize("odd", ODD)
def test_grades_of_judges_are_decimal(odd: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "pairs.csv").write_text("query,document\nq,a\nq,b\n")
    (tmp_path / "mine.csv").write_text(f"query,document,grade\nq,a,1\nq,b,{odd}\n", encoding="utf-8")
    files = [str(tmp_path / each) for each in ("pairs.csv", "mine.csv")]
    with pytest.raises(SystemExit):
        main(["judge", "--collect", *files, "-o", str(tmp_path / "out.csv")])
    assert f"the grade '{odd}' is not a number" in capsys.readouterr().err


@pytest.mark.parametrize("odd", ["\u0661", "1\u00b2"])
def test_ranks_without_names_are_decimal(odd: str, tmp_path: Path) -> None:
    pytest.importorskip("polars", reason="reads TSV")
    (tmp_path / "run.tsv").write_text(f"q\ta\t{odd}\nq\tb\t2\n", encoding="utf-8")
    with pytest.raises(DataError):
        carob.evaluate({"q": {"a": 1}}, tmp_path / "run.tsv", "AP")
