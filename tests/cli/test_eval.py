"""``carob eval``: its table in each format, and the weights of queries."""

from __future__ import annotations

import csv
import gzip
import io
import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from cli.printed import refused, run
from toys import RUN

if TYPE_CHECKING:
    from pathlib import Path


def test_one_row_a_run(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(capfd, "eval", "qrels.txt", "one.run", "two.run", "-m", "RR", "-m", "P@1") == (
        "run      RR     P@1\none  0.7500  0.5000\ntwo  1.0000  1.0000\n2 queries · policy trec\n"
    )


def test_the_best_runs_alone_are_shown_and_the_others_counted(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    asked = ("eval", "qrels.txt", "one.run", "two.run", "-m", "RR", "--top", "1")
    told = "1 more run was scored but not shown (--top 1)"
    assert run(capfd, *asked) == f"run      RR\ntwo  1.0000\n{told}\n2 queries · policy trec\n"
    assert [line.split(",")[0] for line in run(capfd, *asked, "--format", "csv").split()] == [
        "run",
        "one",
        "two",
    ]
    assert len(json.loads(run(capfd, *asked, "--format", "json"))["runs"]) == 2
    assert "另有 1 个 run" in run(capfd, *asked, "--lang", "zh")
    assert "not shown" not in run(capfd, *asked[:-1], "2")
    assert "one" not in run(capfd, *asked, "--format", "html").partition("</table>")[0].partition("<table")[2]


def test_the_default_measures(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    header = run(capfd, "eval", "qrels.txt", "one.run").splitlines()[0]
    assert header.split() == ["run", "AP", "RR", "nDCG@10", "nDCG", "P@10", "R@1000"]


def test_a_row_per_query(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    out = run(capfd, "eval", "-q", "qrels.txt", "one.run", "-m", "RR")
    assert out.splitlines()[1:4] == ["q1     0.5000", "q2     1.0000", "all    0.7500"]


def test_json(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    document = json.loads(run(capfd, "eval", "qrels.txt", "one.run", "-m", "map", "--format", "json"))
    assert document["runs"][0]["name"] == "one"
    assert document["runs"][0]["means"] == {"map": 0.75}
    assert "queries" not in document["runs"][0]


@pytest.mark.parametrize(("layout", "delimiter"), [("csv", ","), ("tsv", "\t")])
def test_csv_keeps_every_digit(
    folder: Path, capfd: pytest.CaptureFixture[str], layout: str, delimiter: str
) -> None:
    out = run(capfd, "eval", "-q", "qrels.txt", "one.run", "two.run", "-m", "nDCG", "--format", layout)
    rows = list(csv.reader(io.StringIO(out), delimiter=delimiter))
    assert rows[0] == ["run", "query", "nDCG", "missing"]
    assert len(rows) == 1 + 2 * 3
    assert rows[1] == ["one", "q1", repr(0.6309297535714575), "0"]


def test_markdown_and_latex(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert "| one | 0.7500 |" in run(
        capfd, "eval", "qrels.txt", "one.run", "-m", "RR", "--format", "markdown"
    )
    assert "one & 0.7500 \\\\" in run(capfd, "eval", "qrels.txt", "one.run", "-m", "RR", "--format", "latex")


def test_digits(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert "0.630930" in run(capfd, "eval", "qrels.txt", "one.run", "-q", "-m", "nDCG", "--digits", "6")


def test_policy_axes_are_options(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (folder / "part.run").write_text("q1 Q0 a 1 1.0 t\nbad line\n")
    out = run(capfd, "eval", "qrels.txt", "part.run", "-m", "RR", "--missing", "skip", "--lenient")
    assert out.splitlines()[1:] == [
        "part  1.0000",
        "1 query · 1 missing query skipped · 1 malformed line skipped · policy missing skip, malformed skip",
    ]


def test_judged_ranking(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (folder / "judged").write_text("q Q0 a 0\nq Q0 b 1\n")
    out = run(capfd, "eval", "--judged-ranking", "judged", "--profile", "note-004")
    assert out.splitlines()[:2] == ["run         MAP      MRR     NDCG", "judged  0.50000  0.50000  1.00000"]


def test_standard_input(folder: Path) -> None:
    command = [sys.executable, "-m", "carob", "eval", "qrels.txt", "-", "-m", "RR"]
    out = subprocess.run(command, input=RUN.encode(), capture_output=True, check=True).stdout
    assert out.splitlines()[1] == b"standard input  0.7500"


def test_runs_of_one_name_are_told_apart_by_their_paths(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / "old").mkdir()
    (folder / "old" / "one.run").write_text(RUN)
    out = run(capfd, "eval", "qrels.txt", "one.run", "old/one.run", "-m", "RR")
    assert [line.split()[0] for line in out.splitlines()[1:3]] == ["one.run", "old/one.run"]


def test_queries_weigh_as_a_file_says(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (folder / "weights.gz").write_bytes(gzip.compress(b"# query weight\nq1 3\nq2 1.0\nq9 5\n"))
    out = run(capfd, "eval", "qrels.txt", "one.run", "-m", "RR", "--weights", "weights.gz")
    assert out == "run      RR\none  0.6250\n2 queries · weighted mean (RR) · policy trec\n"
    (folder / "ranking").write_text("q1 0 b 0\nq1 0 a 1\nq2 0 c 1\n")
    out = run(capfd, "eval", "--judged-ranking", "ranking", "-m", "RR", "--weights", "weights.gz")
    assert out.splitlines()[1:] == ["ranking  0.6250", "2 queries · weighted mean (RR) · policy trec"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("q1 1\n", "Query 'q2' has no weight"),
        ("q1 1\nq2 heavy\n", "weights, line 2: 'heavy' is not a number: 'q2 heavy'. Correct the line.\n"),
        ("q1 1\nq2\n", "weights, line 2: found 1 column, expected 2 (query, weight)"),
        ("q1 1\n\nq2 1\nq1 1\n", "weights, line 4: query 'q1' already has a weight"),
        (
            "q1 1\nq2 -1\n",
            "weights, line 2: the weight of query 'q2' is -1.0: a weight must be 0 or a number between",
        ),
        ("q1 1\nq2 inf\n", "weights, line 2: the weight of query 'q2' is inf"),
        ("q1 0\nq2 0\n", "Every query has the weight 0"),
    ],
)
def test_weights_that_are_none(
    text: str, sentence: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / "weights").write_text(text)
    err = refused(capfd, "eval", "qrels.txt", "one.run", "--weights", "weights")
    assert sentence in err
