"""Tables of one query, as ASReview exports a review: ``query:=review1`` is the query of every row."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import carob
from carob import DataError
from toys import command

if TYPE_CHECKING:
    from pathlib import Path

ROWS = [
    {"record_id": 0, "title": "A", "abstract": "two\n\nlines, a comma", "included": 0, "asreview_ranking": 3},
    {"record_id": 1, "title": "B", "abstract": 'a "quote"', "included": 1, "asreview_ranking": 1},
    {"record_id": 2, "title": "C", "abstract": "", "included": 0, "asreview_ranking": 2},
    {"record_id": 3, "title": "D", "abstract": "x", "included": 1, "asreview_ranking": 4},
]
"""An export of ASReview: the relevant records are at ranks 1 and 4."""
NAMES = ["WSS@95%", "R@50%", "LastRel", "RR"]
VALUES = [[0.95 - 1, 1 / 2, 4, 1]]
OPTIONS = ("--qrels-columns", "query:=review1", "--run-columns", "query:=review1")


@pytest.fixture
def export(tmp_path: Path) -> Path:
    import csv

    path = tmp_path / "asreview_dataset.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(ROWS[0]))
        writer.writeheader()
        writer.writerows(ROWS)
    return path


def forms(export: Path) -> dict[str, Any]:
    """The export in every form that a table may have."""
    pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    frame = pl.DataFrame(ROWS)
    parquet, lines, array = (export.with_suffix(ending) for ending in (".parquet", ".jsonl", ".json"))
    frame.write_parquet(parquet)
    lines.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    array.write_text(json.dumps(ROWS))
    files = {"CSV": str(export), "path": export, "Parquet": parquet, "JSON lines": lines, "JSON": array}
    frames = {"Polars": frame, "lazy": frame.lazy(), "PyArrow": pa.table(frame.to_arrow())}
    return {**files, **frames, "rows": ROWS, "bytes": export.read_bytes()}


def test_every_form_of_an_export_is_read(export: Path) -> None:
    for form, given in forms(export).items():
        qrels, run = (each.of(given, query=":=review1") for each in (carob.Qrels, carob.Run))
        scores = carob.evaluate(qrels, run, NAMES)
        assert ([*scores.queries], scores.matrix.tolist()) == (["review1"], VALUES), form


def test_the_command_reads_it(export: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("eval", "explain"):
        measure = ["LastRel"] if name == "explain" else ["-m", "LastRel"]
        query = ["--query", "review1"] if name == "explain" else []
        arguments = [name, *measure, str(export), str(export), *OPTIONS, *query]
        assert command(*arguments) == 0, arguments
        assert "review1" in capsys.readouterr().out or name != "explain"


def test_check_reads_it(export: Path) -> None:
    named = {"query": ":=review1"}
    found = carob.check(export, [export], qrels_columns=named, run_columns=named)
    assert [each.kind for each in found.findings if each.severity == "error"] == []


def test_a_record_of_it_can_be_verified(export: Path, tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    qrels, run = carob.Qrels.of(export, query=":=r"), carob.Run.of(export, query=":=r")
    carob.record(carob.evaluate(qrels, run, NAMES), path)
    assert not carob.verify(path).findings


def test_other_columns_and_words_may_be_named_too() -> None:
    rows = [{"id": 7, "label": "yes", "prio": 2.5}, {"id": 8, "label": "no", "prio": 3.5}]
    qrels = carob.Qrels.of(rows, query=":=q", words={"yes": 1, "no": 0})
    run = carob.Run.of(rows, query=":=q", score="prio")
    assert carob.evaluate(qrels, run, "RR").matrix.tolist() == [[1 / 2]]
    assert carob.Qrels.of(rows, query=":=q", grade=1).table == {"q": {"7": 1.0, "8": 1.0}}


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"included": ""}, "line 3: the grade is empty. Fill in the cell, or remove the row"),
        ({"included": "maybe"}, "line 3: the grade 'maybe'"),
        ({"record_id": 0}, "line 3: document '0' occurs twice. Remove one row."),
        ({"record_id": ""}, "line 3: the document is empty"),
    ],
)
def test_a_row_that_cannot_be_used_is_named(tmp_path: Path, row: dict[str, Any], says: str) -> None:
    path = tmp_path / "export.csv"
    rows = [{"record_id": 0, "included": 1}, {"record_id": 1, "included": 0, **row}]
    path.write_text("record_id,included\n" + "".join(f"{r['record_id']},{r['included']}\n" for r in rows))
    with pytest.raises(DataError) as error:
        carob.Qrels.of(path, query=":=review1")
    assert says in str(error.value)


def test_an_export_without_its_query_says_how_to_name_it(
    export: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(DataError) as error:
        carob.evaluate(export, export, "AP")
    assert "if every row belongs to one query, carob.Qrels.of(qrels, query=':=q1')" in str(error.value)
    assert command("eval", "-m", "AP", str(export), str(export)) == 2
    said = capsys.readouterr().err
    assert "if every row belongs to one query, --run-columns query:=q1" in said
    assert "swapped" not in said
    for given in ({"q": {"a": 1}}, ROWS):
        with pytest.raises(DataError, match="Write the query's id after ':='"):
            carob.Qrels.of(given, query=":=" if given is ROWS else ":=q")
