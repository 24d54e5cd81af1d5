"""Tables with the rows of several systems, and logs with several rankings."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

import carob
from carob import DataError, DataWarning
from toys import command

if TYPE_CHECKING:
    from pathlib import Path

QRELS = {"q1": {"a": 1}, "q2": {"b": 1}}
ROWS = [
    ("bm25", "q1", "a", 3),
    ("bm25", "q1", "c", 2),
    ("bm25", "q2", "b", 2),
    ("dense", "q1", "d", 9),
    ("dense", "q2", "e", 8),
]
SAME = [*ROWS, ("dense", "q1", "a", 1)]


def columns(rows: list[Any], name: str = "system") -> dict[str, list[Any]]:
    return dict(zip((name, "query_id", "doc_id", "score"), map(list, zip(*rows))))


@pytest.mark.parametrize("name", ["system", "Run_ID", "model", "run name"])
@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_frame_of_several_systems_is_said_and_the_advice_works(library: str, name: str) -> None:
    module = pytest.importorskip(library)
    make = module.table if library == "pyarrow" else module.DataFrame
    run = make(columns(ROWS, name))
    with pytest.warns(DataWarning, match=f"column '{name}' names 2 systems, 'bm25', 'dense'") as caught:
        assert carob.evaluate(QRELS, run, "RR")["RR"] == 0.5
    said = str(caught[0].message)
    advice = said.partition(" as separate runs: ")[2] or said.partition("one of them: ")[2]
    own: Any = eval(advice.removesuffix("."), {"run": run, library: module})
    own = own["bm25"] if isinstance(own, dict) else own
    assert carob.evaluate(QRELS, own, "RR")["RR"] == 1
    with pytest.raises(DataError, match=r"'a' is listed twice .* Column .* names 2 systems, 'bm25', 'dense'"):
        carob.evaluate(QRELS, make(columns(SAME, name)), "RR")
    one = make(columns([row for row in ROWS if row[0] == "bm25"], name))
    assert not carob.evaluate(QRELS, one, "RR").warnings


def lazy_tables(rows: list[Any], tmp_path: Path) -> dict[str, Any]:
    """The rows in tables that are not read at once, and as a run that the engine ranks."""
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    dataset, parquet = pytest.importorskip("pyarrow.dataset"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "run.parquet"
    parquet.write_table(pyarrow.table(columns(rows)), path)
    lazy = polars.DataFrame(columns(rows)).lazy()
    found = {"polars": lazy, "dataset": dataset.dataset(path), "engine": carob.Run.of(lazy, extract="engine")}
    try:
        import duckdb
        import ibis
    except ImportError:
        return found
    return found | {
        "duckdb": duckdb.connect().sql(f"SELECT * FROM '{path}'"),
        "ibis": ibis.memtable(pyarrow.table(columns(rows))),
    }


@pytest.mark.filterwarnings("ignore:.*infer_string")
def test_a_lazy_table_of_several_systems_is_said(tmp_path: Path) -> None:
    for name, run in lazy_tables(ROWS, tmp_path).items():
        with pytest.warns(DataWarning, match="column 'system' names 2 systems, 'bm25', 'dense'"):
            assert carob.evaluate(QRELS, run, "RR")["RR"] == 0.5, name
    for run in lazy_tables(SAME, tmp_path).values():
        with pytest.raises(
            DataError, match=r"listed twice .* Column .* names 2 systems, 'bm25', 'dense'. Pass"
        ):
            carob.evaluate(QRELS, run, "RR")
    for name, run in lazy_tables([row for row in ROWS if row[0] == "bm25"], tmp_path).items():
        assert not carob.evaluate(QRELS, run, "RR").warnings, name


def test_the_advice_names_one_of_many_systems() -> None:
    polars = pytest.importorskip("polars")
    rows = [(f"s{number}", "q1", f"d{number}", 1) for number in range(20)]
    with pytest.warns(DataWarning, match=r"Pass one of them: run.filter\(polars.col\('system'\) == 's0'\)."):
        assert carob.evaluate(QRELS, polars.DataFrame(columns(rows)), "RR")["RR"] == 0


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "jsonl"])
@pytest.mark.parametrize("rows", [ROWS, SAME], ids=["apart", "same documents"])
def test_a_file_of_several_systems_is_said_and_the_command_works(
    ending: str,
    rows: list[Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    polars = pytest.importorskip("polars", reason="reads the tables")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\nq2 0 b 1\n")
    frame = polars.DataFrame(columns(rows))
    if ending == "parquet":
        frame.write_parquet("all.parquet")
    elif ending == "jsonl":
        frame.write_ndjson("all.jsonl")
    else:
        frame.write_csv(f"all.{ending}", separator={"csv": ",", "tsv": "\t"}[ending])
    for words in ("eval", "gate --min RR=0"):
        name, *more = words.split()
        status = command(name, "qrels.txt", f"all.{ending}", *more, *["-m", "RR"] * (name == "eval"))
        out, err = capfd.readouterr()
        said = " ".join(err.split())
        assert status == (0 if rows is ROWS else 2)
        assert "olumn 'system' names 2 systems, 'bm25', 'dense'." in said
        assert ("listed twice" in said) is (rows is SAME)
    advice = said.partition("to a file: ")[2]
    if ending in ("parquet", "jsonl"):
        advice = advice.replace("python", sys.executable, 1)
    elif shutil.which("awk") is None:
        pytest.skip("there is no awk")
    subprocess.run(advice, shell=True, check=True)
    assert command("eval", "qrels.txt", f"bm25.{ending}", "-m", "RR") == 0
    out, err = capfd.readouterr()
    assert out.split()[:4] == ["run", "RR", "bm25", "1.0000"]
    assert not err


def test_rows_of_several_systems_are_said_and_the_advice_works() -> None:
    names = ("system", "query_id", "doc_id", "score")
    run = [dict(zip(names, each, strict=True)) for each in ROWS]
    scores = carob.evaluate(QRELS, carob.Run.of(run, "x"), "RR")
    (said,) = scores.warnings
    assert "column 'system' names 2 systems, 'bm25', 'dense'" in said
    own: Any = eval(said.partition("one of them: ")[2].removesuffix("."), {"run": run})
    assert carob.evaluate(QRELS, own, "RR")["RR"] == 1
    assert not carob.evaluate(QRELS, own, "RR").warnings


LOG = [
    {
        "question": "q1",
        "retrieved_ids": ["a", "b", "c"],
        "reranked_ids": ["c", "a", "b"],
        "reference_ids": ["c"],
    },
    {"question": "q2", "retrieved_ids": ["d", "e"], "reranked_ids": ["e", "d"], "reference_ids": ["e"]},
]


@pytest.mark.parametrize("name", ["reranked_ids", "final_ids", "fusedDocIds", "reordered_documents_ids"])
def test_two_rankings_in_one_log_are_asked_about(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log: Any = [{name if key == "reranked_ids" else key: its for key, its in row.items()} for row in LOG]
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in log))
    assert command("eval", str(path), "-m", "RR") == 2
    said = capsys.readouterr().err
    assert f"Each of the columns 'retrieved_ids' and '{name}' could contain the documents. Name one" in said
    assert "--run-columns document=retrieved_ids" in said
    for column, value in (("retrieved_ids", (1 / 3 + 1 / 2) / 2), (name, 1.0)):
        assert command("eval", str(path), "-m", "RR", "--run-columns", f"document={column}") == 0
        assert f"{value:.4f}" in capsys.readouterr().out
        run = carob.Run.of(log, document=column)
        assert carob.evaluate(carob.Qrels.of(log), run, "RR")["RR"] == pytest.approx(value)
    with pytest.raises(DataError, match="Each of the columns"):
        carob.evaluate(log, measures="RR")
    pandas = pytest.importorskip("pandas")
    with pytest.raises(DataError, match="Each of the columns"):
        carob.evaluate(pandas.DataFrame(log), measures="RR")


def test_other_lists_beside_what_was_retrieved_are_no_rankings() -> None:
    log: Any = [{**row, "rerank_scores": [3, 2, 1], "user_ids": ["u"], "finality": [1]} for row in LOG]
    log = [
        {key: its for key, its in row.items() if key not in ("reranked_ids", "rerank_scores")} for row in log
    ]
    assert carob.evaluate(log, measures="RR")["RR"] == pytest.approx((1 / 3 + 1 / 2) / 2)
