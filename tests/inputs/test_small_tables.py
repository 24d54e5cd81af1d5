"""Each function that reads a small table reads it from every kind of file, and names the row that it refuses."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import carob
from carob.inputs.files.collections import in_table
from carob.inputs.files.small_tables import SmallTable
from carob.inputs.query_files import groups_of, read_weights
from carob.inputs.samples import read_sample
from carob.judging.collect import collected
from carob.judging.task import QueryDocument, Task, read_task
from carob.output.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Rows = "list[dict[str, Any]]"
FORMS = ("csv", "semicolons", "tsv", "jsonl", "parquet", "arrow")
PAIRS = Task("pairs.csv", (QueryDocument("q1", "a"), QueryDocument("q1", "b")))
JUDGED = [{"query": "q1", "document": "a", "grade": 1}, {"query": "q1", "document": "b", "grade": 0}]


def written(folder: Path, form: str, rows: list[dict[str, Any]]) -> str:
    path = folder / f"table.{'csv' if form == 'semicolons' else form}"
    if form == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif form in ("parquet", "arrow"):
        pl = pytest.importorskip("polars")
        frame = pl.DataFrame(rows, infer_schema_length=None)
        frame.write_parquet(path) if form == "parquet" else frame.write_ipc(path)
    else:
        separator = {"csv": ",", "semicolons": ";", "tsv": "\t"}[form]
        lines = [
            [*rows[0]],
            *([("" if each is None else str(each)) for each in row.values()] for row in rows),
        ]
        path.write_text("".join(separator.join(line) + "\n" for line in lines))
    return str(path)


def judgments_collected(path: str) -> Any:
    (its,) = collected(PAIRS, [path], {0: "no", 1: "yes"}).by_judge.values()
    return {place: each.grade for place, each in its.items()}


def values(path: str) -> Any:
    return {run: its.by_query("AP") for run, its in carob.read_scores(path).items()}


READERS: dict[str, tuple[Callable[[str], Any], list[dict[str, Any]], dict[str, Any]]] = {
    "pairs to judge": (lambda path: read_task(path).pairs, [{**each, "grade": None} for each in JUDGED], {}),
    "collected judgments": (judgments_collected, JUDGED, {"grade": "x"}),
    "a sample": (read_sample, [{**each, "probability": 0.5} for each in JUDGED], {"probability": "x"}),
    "scores": (values, [{"run": "r", "query": "q", "measure": "AP", "value": 0.5}], {"value": "x"}),
    "a leaderboard": (
        lambda path: carob.read_leaderboard(path).values,
        [{"run": "r", "query": "q", "measure": "AP", "value": 0.5}],
        {"measure": ""},
    ),
    "weights": (
        read_weights,
        [{"query": "q1", "weight": 0.5}, {"query": "q2", "weight": 2}],
        {"weight": "x"},
    ),
    "strata": (
        lambda path: list(groups_of(path, ["q1", "q2"]).codes),
        [{"qid": "q1", "stratum": "long ones"}, {"qid": "q2", "stratum": "7"}],
        {"stratum": ""},
    ),
    "collections": (
        lambda path: {each.name: len(each.runs) for each in in_table(path)},
        [{"collection": "one", "qrels": "q.txt", "run": "r.run"}],
        {"run": ""},
    ),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("what", READERS)
def test_every_kind_of_file_gives_the_same(what: str, form: str, tmp_path: Path) -> None:
    read, rows, _ = READERS[what]
    assert read(written(tmp_path, form, rows)) == read(written(tmp_path, "csv", rows))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("what", [name for name, (*_, wrong) in READERS.items() if wrong])
def test_a_cell_that_cannot_be_used_is_refused_with_its_place(what: str, form: str, tmp_path: Path) -> None:
    read, rows, wrong = READERS[what]
    text = [{name: str(cell) for name, cell in row.items()} for row in [*rows, {**rows[0], **wrong}]]
    path = written(tmp_path, form, text)
    with pytest.raises(DataError) as refused:
        read(path)
    number = len(text) - 1
    row, line = (number, None) if form in ("parquet", "arrow") else (None, number + 1 + (form != "jsonl"))
    assert (refused.value.file, refused.value.row, refused.value.line) == (path, row, line)


def test_a_table_tells_its_names_and_its_rows(tmp_path: Path) -> None:
    for form in FORMS:
        table = SmallTable.at(written(tmp_path, form, JUDGED))
        assert table.names == ["query", "document", "grade"]
        assert [str(row["grade"]) for _, row in table] == ["1", "0"]


def test_lines_without_names_are_weights_and_groups_as_ever(tmp_path: Path) -> None:
    path = tmp_path / "lines.txt"
    path.write_bytes("query 2\nq1\t0.5\ncaf\u00e9 1\n".encode("latin-1"))
    weights = read_weights(path)
    assert list(weights.values()) == [2, 0.5, 1]
    assert [*weights][:2] == ["query", "q1"]
    path.write_text("# a comment\nquery\tgroup one\nq1 b\n")
    assert groups_of(path, ["query", "q1"]).names == ("b", "group one")
