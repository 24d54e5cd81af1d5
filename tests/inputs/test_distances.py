"""Columns of distances, whose negated numbers are the scores of a run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import carob
from carob import DataError, Run
from toys import command

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Rows = list[dict[str, Any]]

QRELS = {"q1": {"a": 1}, "q2": {"d": 1}}
ROWS: Rows = [
    {"query_id": "q1", "doc_id": "a", "dist": 2},
    {"query_id": "q1", "doc_id": "b", "dist": 1},
    {"query_id": "q1", "doc_id": "c", "dist": 3},
    {"query_id": "q2", "doc_id": "d", "dist": 0},
    {"query_id": "q2", "doc_id": "e", "dist": 4},
]
"""The relevant documents are second and first."""
LISTED: Rows = [
    {"query_id": "q1", "retrieved_ids": ["c", "a", "b"], "dist": [3.0, 2.0, 1.0]},
    {"query_id": "q2", "retrieved_ids": ["e", "d"], "dist": [4.0, 0.0]},
]
RECORDS: Rows = [
    {
        "query_id": "q1",
        "hits": [{"doc_id": each, "dist": far} for each, far in (("c", 3.0), ("a", 2.0), ("b", 1.0))],
    },
    {"query_id": "q2", "hits": [{"doc_id": "e", "dist": 4.0}, {"doc_id": "d", "dist": 0.0}]},
]
FOUND = {"q1": 0.5, "q2": 1.0}


FORMS: dict[str, Callable[[Rows], Any]] = {
    "rows": lambda rows: rows,
    "pandas": lambda rows: pytest.importorskip("pandas").DataFrame(rows),
    "Polars": lambda rows: pytest.importorskip("polars").DataFrame(rows),
    "lazy Polars": lambda rows: pytest.importorskip("polars").LazyFrame(rows),
    "PyArrow": lambda rows: pytest.importorskip("pyarrow").Table.from_pylist(rows),
    "a reader of PyArrow": lambda rows: pytest.importorskip("pyarrow").Table.from_pylist(rows).to_reader(),
    "DuckDB": lambda rows: (
        pytest.importorskip("duckdb")
        .connect()
        .from_arrow(pytest.importorskip("pyarrow").Table.from_pylist(rows))
    ),
}


def in_file(path: Path, rows: Rows) -> Path:
    if path.suffix == ".csv":
        cells = [[json.dumps(its) if isinstance(its, list) else its for its in row.values()] for row in rows]
        lines = [
            ",".join('"' + str(cell).replace('"', '""') + '"' for cell in row) for row in [[*rows[0]], *cells]
        ]
        path.write_text("\n".join(lines) + "\n")
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif path.suffix == ".json":
        path.write_text(json.dumps(rows))
    else:
        frame = pytest.importorskip("polars").DataFrame(rows)
        frame.write_parquet(path) if path.suffix == ".parquet" else frame.write_ipc(path)
    return path


@pytest.mark.parametrize("rows", [ROWS, LISTED, RECORDS], ids=["flat", "lists", "records"])
@pytest.mark.parametrize("form", [*FORMS, ".csv", ".jsonl", ".json", ".parquet", ".arrow"])
def test_the_smallest_distance_is_the_best_in_every_form(tmp_path: Path, form: str, rows: Rows) -> None:
    def given() -> Any:
        return FORMS[form](rows) if form in FORMS else in_file(tmp_path / f"run{form}", rows)

    run = Run.of(given(), distance="dist")
    scores = carob.evaluate(QRELS, run, "RR")
    assert scores.by_query("RR") == FOUND
    assert "scores are negated distances" in str(scores)
    ranked = Run.of(given(), distance="dist").held.rows()
    assert sorted(map(tuple, ranked))[:2] == [(b"q1", b"a", -2.0), (b"q1", b"b", -1.0)]
    if form not in FORMS:
        assert not carob.check(QRELS, given(), run_columns={"distance": "dist"}).of("refused")


@pytest.mark.parametrize("form", ["pandas", "Polars", "PyArrow"])
def test_whole_numbers_without_a_sign_and_an_index_are_negated(form: str) -> None:
    np = pytest.importorskip("numpy")
    frame = FORMS[form](ROWS)
    if form == "pandas":
        frame = frame.astype({"dist": np.uint8}).set_index("dist")
    elif form == "Polars":
        frame = frame.cast({"dist": pytest.importorskip("polars").UInt8})
    else:
        column = frame["dist"].cast(pytest.importorskip("pyarrow").uint8())
        frame = frame.set_column(2, "dist", column)
    assert carob.evaluate(QRELS, Run.of(frame, distance="dist"), "RR").by_query("RR") == FOUND


@pytest.mark.parametrize("form", ["rows", "Polars", ".csv", ".parquet"])
def test_distances_are_refused_as_scores_are(tmp_path: Path, form: str) -> None:
    def run(far: Any) -> Any:
        rows = [{**row, "dist": far if row["doc_id"] == "a" else float(row["dist"])} for row in ROWS]
        return FORMS[form](rows) if form in FORMS else in_file(tmp_path / f"run{form}", rows)

    with pytest.raises(DataError, match=r"NaN|nan"):
        carob.evaluate(QRELS, Run.of(run(float("nan")), distance="dist"), "RR")
    far = carob.evaluate(QRELS, Run.of(run(float("inf")), distance="dist"), "RR")
    assert far.by_query("RR") == {"q1": 1 / 3, "q2": 1.0}


def test_a_name_of_a_distance_must_fit(tmp_path: Path) -> None:
    with pytest.raises(
        DataError, match=r"'s' is named as the score and 'dist' as the distance.*Name only one"
    ):
        Run.of(ROWS, score="s", distance="dist")
    with pytest.raises(DataError, match=r"no column 'far' for the distance"):
        Run.of(ROWS, distance="far")
    with pytest.raises(DataError, match=r"no column 'far' for the distance"):
        Run.of(RECORDS, distance="far")
    for form in ("pandas", "Polars"):
        frame = FORMS[form]([{**row, "dist": "near"} for row in ROWS])
        with pytest.raises(DataError, match="Column 'dist' of the run frame contains text"):
            Run.of(frame, distance="dist")
    plain = {"q1": {"a": 1.0}}
    (tmp_path / "run.json").write_text(json.dumps(plain))
    for run in (plain, str(tmp_path / "run.json")):
        with pytest.raises(
            DataError, match=r"'dist' is named as the distance, but .* no columns.*negated distance"
        ):
            Run.of(run, distance="dist")
    one = Run.of(ROWS[:3], query=":=q1", distance="dist")
    assert carob.evaluate({"q1": {"a": 1}}, one, "RR")["RR"] == 0.5


def test_the_option_names_distances_and_the_record_repeats_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\nq2 0 d 1\n")
    in_file(tmp_path / "run.csv", ROWS)
    columns = ["--run-columns", "distance=dist"]
    assert command("eval", "qrels.txt", "run.csv", "-m", "RR", *columns) == 0
    said = capsys.readouterr().out
    assert "0.7500" in said
    assert "scores are negated distances" in said
    assert command("eval", "qrels.txt", "run.csv", "-m", "RR", *columns, "--record", "record.json") == 0
    record = json.loads((tmp_path / "record.json").read_text())
    assert [each["columns"] for each in record["inputs"] if each["role"] == "run"] == [{"distance": "dist"}]
    assert carob.verify("record.json")


@pytest.mark.parametrize("nested", [False, True], ids=["flat", "records"])
@pytest.mark.parametrize("form", [*FORMS, ".csv", ".jsonl", ".json", ".parquet", ".arrow"])
def test_ranks_below_zero_are_no_ranks(tmp_path: Path, form: str, nested: bool) -> None:
    """They may be scores that somebody called ranks, which would be read upside down."""
    ranks: Rows = [{"doc_id": each, "rank": rank} for each, rank in (("a", -1), ("b", -2))]
    rows = [{"query_id": "q1", "hits": ranks}] if nested else [{"query_id": "q1", **each} for each in ranks]
    given = FORMS[form](rows) if form in FORMS else in_file(tmp_path / f"run{form}", rows)
    with pytest.raises(
        DataError, match=r"contains a negative rank. If the values are scores, name the column as the score: "
    ):
        carob.evaluate(QRELS, given, "RR")


def test_ranks_below_zero_beside_scores_decide_nothing() -> None:
    rows = [{"query_id": "q1", "doc_id": "a", "rank": -1, "score": 2.0}]
    assert carob.evaluate(QRELS, rows, "RR")["RR"] == 0.5
    with pytest.raises(DataError, match="contains a negative rank"):
        Run.of([{"doc_id": "a", "rank": -1}], query=":=q1", rank="rank")
