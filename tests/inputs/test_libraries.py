"""Files as tables: each format gives the numbers of the text that holds the same, or says why it cannot be read."""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import json
import math
import random
import struct
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest

import carob
from carob import DataError
from carob.cli import main
from carob.inputs.files import libraries
from carob.inputs.qrels import Qrels
from carob.inputs.run import Run
from carob.inputs.sources import called

if TYPE_CHECKING:
    from pathlib import Path

MEASURES = ["AP", "RR", "nDCG@10", "P@3", "R@5", "NumRet"]
LIBRARIES = ("polars", "duckdb", "pyarrow")

Row = tuple[str, str, float]


def rows_of(seed: int = 7) -> tuple[list[Row], list[Row]]:
    """Judgments and a run: ids that look like numbers, ties, a query that is missing, one that is not judged."""
    draw = random.Random(seed)
    documents = ["007", "7", "d,1", 'd"2', "é", *map(str, range(90, 112))]
    qrels: list[Row] = []
    run: list[Row] = []
    for query in ("01", "1", "10", "9", "q é"):
        qrels += [(query, each, draw.randrange(4)) for each in draw.sample(documents, 9)]
    for query in ("01", "1", "9", "q é", "strange"):
        run += [
            (query, each, draw.choice([0.1, 1 / 3, 2e-7, draw.random(), -draw.random() * 1e5]))
            for each in draw.sample(documents, 17)
        ]
    draw.shuffle(run)
    return qrels, run


QRELS, RUN = rows_of()
# A line of TREC's has no id with a blank in it; a mapping has any id.
ORACLE = carob.evaluate(
    {query: {each: grade for its, each, grade in QRELS if its == query} for query, _, _ in QRELS},
    {query: {each: score for its, each, score in RUN if its == query} for query, _, _ in RUN},
    MEASURES,
)
PLAIN = "é"


def without(rows: list[Row], letter: str = " ") -> list[Row]:
    return [row for row in rows if letter not in row[0]]


def same(scores: carob.Scores, oracle: carob.Scores = ORACLE) -> bool:
    return all(scores.by_query(each) == oracle.by_query(each) for each in MEASURES)


@pytest.fixture(params=LIBRARIES)
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """One library at a time, as if no other was installed."""
    if not find_spec(request.param):
        pytest.skip(f"{request.param} is not installed")
    monkeypatch.setattr(
        libraries, "find_spec", lambda name: find_spec(name) if name == request.param else None
    )
    return str(request.param)


@pytest.fixture
def reader(library: str) -> str:
    """A library that reads text too."""
    if library == "pyarrow":
        pytest.skip("PyArrow is asked for Parquet and Arrow alone")
    return library


# ---------------------------------------------------------------- files


def parquet(path: Path, rows: list[Row], names: tuple[str, ...], **kinds: Any) -> Path:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet as pq

    path.parent.mkdir(parents=True, exist_ok=True)
    table = pa.table({name: [row[place] for row in rows] for place, name in enumerate(names)})
    pq.write_table(table, path, **kinds)
    return path


def text(
    path: Path, rows: list[Any], header: tuple[str, ...] | None, separator: str = ",", end: str = "\n"
) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = io.StringIO()
    writer = csv.writer(whole, delimiter=separator, lineterminator=end)
    writer.writerows([header, *rows] if header else rows)
    path.write_bytes(whole.getvalue().encode())
    return path


def lines(path: Path, rows: list[Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


JUDGED = ("query_id", "doc_id", "relevance")
RANKED = ("query_id", "doc_id", "score")


def records(rows: list[Row], names: tuple[str, ...]) -> list[dict[str, Any]]:
    return [dict(zip(names, row, strict=True)) for row in rows]


# ---------------------------------------------------------------- every format, bit for bit


def test_parquet_gives_the_numbers_of_the_text(tmp_path: Path, library: str) -> None:
    qrels = parquet(tmp_path / "qrels.parquet", QRELS, JUDGED)
    run = parquet(tmp_path / "mine.parquet", RUN, RANKED, row_group_size=7)
    scores = carob.evaluate(str(qrels), run, MEASURES)
    assert same(scores)
    assert scores.name == "mine"


def test_arrow_files_give_the_numbers_of_the_text(tmp_path: Path, library: str) -> None:
    if library == "duckdb":
        pytest.skip("DuckDB reads no Arrow files")
    pa = pytest.importorskip("pyarrow")
    from pyarrow import feather

    for name, rows, names in (("qrels", QRELS, JUDGED), ("run", RUN, RANKED)):
        columns = {each: [row[place] for row in rows] for place, each in enumerate(names)}
        feather.write_feather(pa.table(columns), str(tmp_path / f"{name}.feather"), compression="zstd")
    assert same(carob.evaluate(tmp_path / "qrels.feather", tmp_path / "run.feather", MEASURES))


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize("separator", [",", ";", "\t"], ids=["comma", "semicolon", "tab"])
def test_csv_gives_the_numbers_of_the_text(tmp_path: Path, reader: str, separator: str, end: str) -> None:
    qrels = text(tmp_path / "qrels.csv", QRELS, JUDGED, separator, end)
    run = text(tmp_path / "run.csv", RUN, RANKED, separator, end)
    assert same(carob.evaluate(qrels, run, MEASURES))


def test_a_byte_order_mark_and_compression_change_nothing(tmp_path: Path, reader: str) -> None:
    qrels = text(tmp_path / "qrels.csv", QRELS, JUDGED)
    qrels.write_bytes(b"\xef\xbb\xbf" + qrels.read_bytes())
    run = text(tmp_path / "run.csv", RUN, RANKED)
    (tmp_path / "run.csv.gz").write_bytes(gzip.compress(run.read_bytes()))
    assert same(carob.evaluate(qrels, tmp_path / "run.csv.gz", MEASURES))
    zstandard = pytest.importorskip("backports.zstd")
    (tmp_path / "run.csv.zst").write_bytes(zstandard.compress(run.read_bytes()))
    assert same(carob.evaluate(qrels, tmp_path / "run.csv.zst", MEASURES))


def test_json_lines_give_the_numbers_of_the_text(tmp_path: Path, reader: str) -> None:
    qrels = lines(tmp_path / "qrels.jsonl", records(QRELS, JUDGED))
    run = lines(tmp_path / "run.ndjson", [{**each, "more": [{"a": 1}]} for each in records(RUN, RANKED)])
    assert same(carob.evaluate(qrels, run, MEASURES))


def test_numbers_in_text_are_read_to_the_last_bit(tmp_path: Path, reader: str) -> None:
    draw = random.Random(3)
    numbers = [struct.unpack("d", draw.randbytes(8))[0] for _ in range(3000)]
    numbers = [each for each in numbers if math.isfinite(each)] + [0.1 + 0.2, 1e23, 5e-324, 2.0**53 + 2, -0.0]
    rows = [("q", str(number), value) for number, value in enumerate(numbers)]
    for path in (
        text(tmp_path / "run.csv", rows, RANKED),
        lines(tmp_path / "run.jsonl", records(rows, RANKED)),
    ):
        read = [score for _, _, score in Run.of(path).held.rows()]
        assert [struct.pack("d", each) for each in read] == [struct.pack("d", each) for each in numbers]


def test_numbers_as_ids_in_json_lines_are_their_digits(tmp_path: Path, reader: str) -> None:
    qrels = lines(
        tmp_path / "qrels.jsonl", [{"qid": 7, "docid": "007", "rel": 1}, {"qid": 8, "docid": 9, "rel": 1}]
    )
    run = lines(
        tmp_path / "run.jsonl", [{"qid": "7", "docid": "007", "score": 1}, {"qid": 8, "docid": 9, "score": 2}]
    )
    assert carob.evaluate(qrels, run, "RR").by_query("RR") == {"7": 1.0, "8": 1.0}


def test_one_json_object_a_question_with_records_gives_the_numbers_of_the_text(
    tmp_path: Path, reader: str
) -> None:
    asked = dict.fromkeys(query for query, _, _ in RUN)
    held = [
        {"query_id": each, "results": [{"doc_id": d, "score": s} for q, d, s in RUN if q == each]}
        for each in asked
    ]
    run = lines(tmp_path / "run.jsonl", [{"query_id": "10", "results": []}, *held])
    assert same(carob.evaluate(lines(tmp_path / "qrels.jsonl", records(QRELS, JUDGED)), run, MEASURES))


def test_one_json_object_a_question_with_lists_gives_the_numbers_of_the_text(
    tmp_path: Path, reader: str
) -> None:
    asked = dict.fromkeys(query for query, _, _ in RUN)
    held = [
        {
            "query_id": each,
            "retrieved_ids": [d for q, d, _ in RUN if q == each],
            "scores": [s for q, _, s in RUN if q == each],
        }
        for each in asked
    ]
    wanted = [
        {
            "query_id": each,
            "doc_ids": [d for q, d, _ in QRELS if q == each],
            "grades": [g for q, _, g in QRELS if q == each],
        }
        for each in dict.fromkeys(query for query, _, _ in QRELS)
    ]
    run = lines(tmp_path / "run.jsonl", held)
    assert same(carob.evaluate(lines(tmp_path / "qrels.jsonl", wanted), run, MEASURES))


def test_lists_without_scores_are_ranked_as_they_stand(tmp_path: Path, reader: str) -> None:
    run = lines(
        tmp_path / "run.jsonl",
        [{"qid": "a", "retrieved_ids": ["z", "y", "x"]}, {"qid": "b", "retrieved_ids": []}],
    )
    scores = carob.evaluate({"a": {"x": 1, "z": 0}, "b": {"x": 1}}, run, ["RR", "NumRet"])
    assert scores.by_query("RR") == {"a": 1 / 3, "b": 0.0}
    assert scores.by_query("NumRet") == {"a": 3.0, "b": 0.0}


def test_lists_in_parquet_are_read_as_in_json(tmp_path: Path, library: str) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet as pq

    held = pa.table(
        {"query": ["a", "b"], "hits": [[{"docno": "x", "score": 1.0}, {"docno": "y", "score": 2.0}], []]}
    )
    pq.write_table(held, tmp_path / "run.parquet")
    if library == "pyarrow" and not find_spec("polars"):
        with pytest.raises(DataError, match="lists is opened by polars"):
            Run.of(tmp_path / "run.parquet")
        return
    scores = carob.evaluate({"a": {"x": 1}, "b": {"x": 1}}, tmp_path / "run.parquet", "RR")
    assert scores.by_query("RR") == {"a": 0.5, "b": 0.0}


def test_a_dictionary_in_json_is_read_as_the_dictionary(tmp_path: Path) -> None:
    for name, rows in (("qrels", QRELS), ("run", RUN)):
        nested: dict[str, dict[str, float]] = {}
        for query, document, value in rows:
            nested.setdefault(query, {})[document] = value
        (tmp_path / f"{name}.json").write_text(json.dumps(nested, indent=1), encoding="utf-8")
        (tmp_path / f"{name}.json.gz").write_bytes(gzip.compress(json.dumps(nested).encode()))
    assert same(carob.evaluate(tmp_path / "qrels.json", tmp_path / "run.json", MEASURES))
    assert same(carob.evaluate(tmp_path / "qrels.json.gz", tmp_path / "run.json.gz", MEASURES))


def test_ms_marcos_ranks_give_the_numbers_of_the_text(tmp_path: Path, reader: str) -> None:
    qrels, text_run, tsv, scored = (
        tmp_path / each for each in ("qrels.tsv", "run.txt", "run.tsv", "scored.tsv")
    )
    qrels.write_text("300\t0\t7187158\t1\n301\t0\t9\t1\n", encoding="utf-8")
    ranked = [("300", "10", 1), ("300", "007", 2), ("300", "7187158", 3), ("301", "9", 1), ("301", "10", 2)]
    tsv.write_text("".join(f"{q}\t{d}\t{r}\n" for q, d, r in ranked), encoding="utf-8")
    scored.write_text("".join(f"{q}\t{d}\t{r}\t{9 - r / 3}\n" for q, d, r in ranked), encoding="utf-8")
    text_run.write_text("".join(f"{q} Q0 {d} {r} {-r} x\n" for q, d, r in ranked), encoding="utf-8")
    oracle = carob.evaluate(qrels, text_run, MEASURES)
    assert oracle.by_query("RR") == {"300": 1 / 3, "301": 1.0}
    assert same(carob.evaluate(qrels, tsv, MEASURES), oracle)
    assert same(carob.evaluate(qrels, scored, MEASURES), oracle)
    (tmp_path / "run.tsv.gz").write_bytes(gzip.compress(tsv.read_bytes()))
    assert same(carob.evaluate(qrels, tmp_path / "run.tsv.gz", MEASURES), oracle)


def test_beirs_judgments_are_found_in_its_folder(tmp_path: Path, reader: str) -> None:
    data = tmp_path / "scifact"
    qrels = text(data / "qrels" / "test.tsv", QRELS, ("query-id", "corpus-id", "score"), "\t")
    (data / "corpus.jsonl").write_text("{}", encoding="utf-8")
    run = text(tmp_path / "run.csv", RUN, RANKED)
    for given in (data, data / "qrels", qrels):
        assert same(carob.evaluate(given, run, MEASURES))
    assert Qrels.of(data).name == str(qrels)


def test_parts_in_a_folder_or_a_pattern_are_one_table(tmp_path: Path, library: str) -> None:
    folder = tmp_path / "bm25.parquet"
    for number in range(3):
        parquet(folder / f"part-{number:05}.snappy.parquet", RUN[number::3], RANKED)
    (folder / "_SUCCESS").write_bytes(b"")
    qrels = parquet(tmp_path / "qrels.parquet", QRELS, JUDGED)
    whole = carob.evaluate(qrels, folder, MEASURES)
    parts = carob.evaluate(qrels, str(folder / "part-*.parquet"), MEASURES)
    assert same(whole)
    assert same(parts)
    assert whole.name == parts.name == "bm25"


def test_what_stands_in_folders_names_stays_text(tmp_path: Path, library: str) -> None:
    for query in dict.fromkeys(query for query, _, _ in without(RUN)):
        its = [(document, score) for each, document, score in RUN if each == query]
        parquet(tmp_path / "run" / f"query_id={query}" / "part-0.parquet", its, ("doc_id", "score"))
    oracle = carob.evaluate(
        as_text(tmp_path, without(QRELS), "qrels"), as_text(tmp_path, without(RUN), "run"), MEASURES
    )
    assert same(
        carob.evaluate(as_text(tmp_path, without(QRELS), "qrels"), tmp_path / "run", MEASURES), oracle
    )


def as_text(folder: Path, rows: list[Row], kind: str) -> Path:
    path = folder / f"{kind}.txt"
    line = "{} 0 {} {:d}\n" if kind == "qrels" else "{} Q0 {} 0 {!r} x\n"
    path.write_text("".join(line.format(*row) for row in rows), encoding="utf-8")
    return path


def test_text_asks_for_no_library_and_no_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "carob.inputs.files.table", None)
    run = as_text(tmp_path, without(RUN), "run")
    (tmp_path / "run.txt.gz").write_bytes(gzip.compress(run.read_bytes()))
    (tmp_path / "noted.txt").write_bytes(b"\xef\xbb\xbf# a note\n\n" + run.read_bytes())
    for each in ("run.txt", "run.txt.gz", "noted.txt"):
        assert Run.of(tmp_path / each).source is not None
    assert Qrels.of(as_text(tmp_path, without(QRELS), "qrels")).queries


def test_text_in_parts_is_one_run_with_lines_that_end(tmp_path: Path) -> None:
    whole = as_text(tmp_path, without(RUN), "run").read_bytes().splitlines(keepends=True)
    (tmp_path / "a.run").write_bytes(b"\xef\xbb\xbf" + b"".join(whole[:20]).rstrip(b"\n"))
    (tmp_path / "b.run.gz").write_bytes(gzip.compress(b"".join(whole[20:50])))
    (tmp_path / "c.run").write_bytes(b"\xef\xbb\xbf" + b"".join(whole[50:]))
    qrels = as_text(tmp_path, without(QRELS), "qrels")
    oracle = carob.evaluate(qrels, tmp_path / "run.txt", MEASURES)
    assert same(carob.evaluate(qrels, str(tmp_path / "?.run*"), MEASURES), oracle)


def test_a_line_in_parts_is_told_by_its_own_file(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_bytes(b"q 0 a 1 3 x\nq 0 b 2 2 x")
    (tmp_path / "b.run.gz").write_bytes(gzip.compress(b"q 0 c 3 1 x\n"))
    (tmp_path / "c.run").write_bytes(b"q 0 d 4 0 x\n\nq 0 e 5 zero x\n")
    parts = str(tmp_path / "*.run*")
    check_refused(
        lambda: carob.evaluate({"q": {"a": 1}}, parts, "AP"), f"{tmp_path / 'c.run'}, line 3:", "'zero'"
    )
    (tmp_path / "c.run").write_bytes(b"q 0 d 4 0 x\nq 0 a 5 0 x\n")
    places = f"{tmp_path / 'c.run'}, line 2: ", f"(first in line 1 of {tmp_path / 'a.run'})"
    check_refused(lambda: carob.evaluate({"q": {"a": 1}}, parts, "AP"), *places)


def test_columns_are_named_where_their_names_are_unusual(tmp_path: Path, reader: str) -> None:
    qrels = text(tmp_path / "qrels.tsv", QRELS, ("topic", "page", "worth"), "\t")
    run = text(
        tmp_path / "run.csv", [(score, query, page) for query, page, score in RUN], ("s", "session", "page")
    )
    judged = Qrels.of(qrels, query="topic", document="page", grade="worth")
    ranked = Run.of(run, "mine", query="session", document="page", score="s")
    assert same(carob.evaluate(judged, ranked, MEASURES))


def test_commands_are_told_the_columns_too(
    tmp_path: Path, reader: str, capfd: pytest.CaptureFixture[str]
) -> None:
    qrels = text(tmp_path / "qrels.csv", QRELS, ("topic", "page", "worth"))
    run = text(tmp_path / "mine.csv", RUN, ("session", "page", "s"))
    other = text(tmp_path / "other.csv", RUN[::2], ("session", "page", "s"))
    named = ["--qrels-columns", "query=topic,document=page,grade=worth"]
    named += ["--run-columns", "query=session,document=page,score=s"]
    main(["eval", str(qrels), str(run), "-m", "AP", "--format", "json", *named])
    assert json.loads(capfd.readouterr().out)["runs"][0]["means"]["AP"] == ORACLE["AP"]
    main(["compare", str(qrels), str(run), str(other), "-m", "AP", *named])
    assert "mine" in capfd.readouterr().out
    with pytest.raises(SystemExit):
        main(["eval", str(qrels), str(run), "--run-columns", "page=document"])
    assert "'page=document' does not specify a column" in capfd.readouterr().err


def test_a_file_without_an_ending_is_known_by_its_first_bytes(tmp_path: Path, library: str) -> None:
    qrels = parquet(tmp_path / "qrels", QRELS, JUDGED)
    run = parquet(tmp_path / "run", RUN, RANKED)
    assert same(carob.evaluate(qrels, run, MEASURES))


def test_a_table_s_name_may_have_a_pattern_s_letters(tmp_path: Path, library: str) -> None:
    folder = tmp_path / "it's a=b [x]"
    qrels = parquet(folder / "qrels[1].parquet", QRELS, JUDGED)
    run = parquet(folder / "[run]?.parquet", RUN, RANKED)
    assert same(carob.evaluate(str(qrels), str(run), MEASURES))


def test_a_name_with_a_pattern_s_letters_is_a_file_where_it_is_one(tmp_path: Path) -> None:
    run = as_text(tmp_path, without(RUN), "run").rename(tmp_path / "run[1].txt")
    assert Run.of(str(run)).source is not None


def test_other_commands_take_tables_too(tmp_path: Path, library: str) -> None:
    qrels = parquet(tmp_path / "qrels.parquet", QRELS, JUDGED)
    run = parquet(tmp_path / "mine.parquet", RUN, RANKED)
    other = parquet(tmp_path / "other.parquet", RUN[: len(RUN) // 2], RANKED)
    assert carob.explain("AP", qrels, run, "01").value == ORACLE.by_query("AP")["01"]
    compared = carob.compare(qrels, [run, other], ["AP"])
    assert compared.names == ("mine", "other")
    assert compared.contests["AP"].means[0] == ORACLE["AP"]


def test_check_reads_tables(tmp_path: Path, library: str) -> None:
    qrels = parquet(tmp_path / "qrels.parquet", QRELS, JUDGED)
    run = parquet(tmp_path / "run.parquet", RUN, RANKED)
    found, oracle = carob.check(qrels, run), carob.check(in_memory(QRELS), in_memory(RUN))
    assert [(each.code, each.count) for each in found.findings] == [
        (each.code, each.count) for each in oracle.findings
    ]
    run.write_bytes(b"PAR1")
    assert "unreadable" in [each.code for each in carob.check(qrels, run).findings]


def in_memory(rows: list[Row]) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for query, document, value in rows:
        found.setdefault(query, {})[document] = value
    return found


def test_a_record_knows_every_file_and_the_columns_that_were_named(tmp_path: Path, library: str) -> None:
    folder = tmp_path / "run"
    for number in range(2):
        parquet(folder / f"part-{number}.parquet", RUN[number::2], ("session", "doc_id", "score"))
    qrels = parquet(tmp_path / "qrels.parquet", QRELS, JUDGED)
    run = Run.of(folder, "mine", query="session")
    carob.record(carob.evaluate(qrels, run, MEASURES), tmp_path / "record.json")
    inputs = json.loads((tmp_path / "record.json").read_text(encoding="utf-8"))["inputs"]
    assert inputs[1]["columns"] == {"query": "session"}
    assert [each["path"] for each in inputs[1]["files"]] == [
        str(folder / f"part-{each}.parquet") for each in (0, 1)
    ]
    assert carob.verify(tmp_path / "record.json").equal
    parquet(folder / "part-1.parquet", RUN[1::2], ("session", "doc_id", "score"), compression="none")
    changed = carob.verify(tmp_path / "record.json").findings
    assert [each.kind for each in changed] == ["input"]
    assert "part-1.parquet" in changed[0].sentence
    (folder / "part-1.parquet").unlink()
    assert "matches 1 file; recorded: 2" in carob.verify(tmp_path / "record.json").findings[0].sentence


def test_what_a_run_in_files_is_called(tmp_path: Path) -> None:
    assert called("runs/bm25.parquet") == "bm25"
    assert called("runs/bm25-*.csv.gz") == "bm25"
    assert called("runs/bm25/part-*.parquet") == called("runs/bm25") == called("runs/bm25/") == "bm25"
    assert called("*.parquet") == "*.parquet"


# ---------------------------------------------------------------- what is refused


def check_refused(call: Any, *words: str) -> None:
    with pytest.raises(DataError) as caught:
        call()
    for each in words:
        assert each in str(caught.value)


def test_a_pattern_that_matches_nothing_is_refused(tmp_path: Path) -> None:
    check_refused(lambda: Run.of(str(tmp_path / "*.parquet")), "no file matches", "*.parquet")


def test_files_of_several_kinds_are_refused(tmp_path: Path) -> None:
    text(tmp_path / "run" / "a.csv", RUN, RANKED)
    lines(tmp_path / "run" / "b.jsonl", records(RUN, RANKED))
    check_refused(lambda: Run.of(tmp_path / "run"), "several kinds", "a.csv", "b.jsonl")
    check_refused(lambda: Run.of(str(tmp_path / "run" / "*")), "several kinds")


def test_a_folder_without_a_table_is_refused(tmp_path: Path) -> None:
    check_refused(lambda: Run.of(tmp_path), str(tmp_path), "the folder contains no")


def test_a_delta_table_is_refused(tmp_path: Path) -> None:
    (tmp_path / "_delta_log").mkdir()
    check_refused(lambda: Run.of(tmp_path), "Delta table", "scan_delta")


def test_several_splits_are_asked_about(tmp_path: Path) -> None:
    for split in ("test", "dev"):
        text(tmp_path / "qrels" / f"{split}.tsv", QRELS, ("query-id", "corpus-id", "score"), "\t")
    check_refused(lambda: Qrels.of(tmp_path), "2 splits", str(tmp_path / "qrels" / "dev.tsv"))
    check_refused(lambda: Run.of(tmp_path), "contains no run", "swapped")


def test_damaged_parquet_is_refused(tmp_path: Path, library: str) -> None:
    run = parquet(tmp_path / "run.parquet", RUN, RANKED)
    run.write_bytes(run.read_bytes()[:-40])
    check_refused(lambda: Run.of(run), f"{run}: ")
    run.write_bytes(b"")
    check_refused(lambda: Run.of(run), str(run))


def test_a_file_that_is_not_there_is_refused(tmp_path: Path, library: str) -> None:
    check_refused(lambda: Run.of(tmp_path / "none.parquet"), "none.parquet", "No such file")
    check_refused(lambda: Run.of(tmp_path / "none.csv"), "none.csv", "No such file")


def test_csv_cut_short_in_its_compression_is_refused(tmp_path: Path, reader: str) -> None:
    run = text(tmp_path / "run.csv", RUN * 50, RANKED)
    packed = tmp_path / "run.csv.gz"
    packed.write_bytes(gzip.compress(run.read_bytes())[:-30])
    check_refused(lambda: carob.evaluate({"1": {"7": 1}}, packed, "AP"), str(packed))


def test_csv_without_names_is_refused(tmp_path: Path, reader: str) -> None:
    run = text(tmp_path / "run.csv", RUN, None)
    check_refused(lambda: Run.of(run), f"{run}, line 1", "header line", "query_id,doc_id,score")


def test_a_missing_column_is_refused_with_those_that_are_there(tmp_path: Path, library: str) -> None:
    run = parquet(tmp_path / "run.parquet", RUN, ("query_id", "page", "score"))
    check_refused(lambda: Run.of(run), str(run), "document", "'query_id', 'page', 'score'")
    check_refused(lambda: Run.of(run, document="site"), str(run), "no column 'site'")


def test_two_columns_of_one_name_are_refused(tmp_path: Path, reader: str) -> None:
    run = text(tmp_path / "run.csv", [(*row, 1) for row in RUN], (*RANKED, "score"))
    check_refused(lambda: Run.of(run), "two columns are named 'score'")


@pytest.mark.parametrize("odd", ["abc", "1,5", "--"])
def test_text_among_the_scores_is_refused_by_row(tmp_path: Path, reader: str, odd: str) -> None:
    run = text(tmp_path / "run.csv", [*RUN[:3], ("1", "7", odd), *RUN[3:]], RANKED)
    check_refused(
        lambda: carob.evaluate({"1": {"7": 1}}, run, "AP"), str(run), "line 5:", f"'{odd}'", "'score'"
    )


@pytest.mark.parametrize("row", [("", "7", 1.0), ("1", "", 1.0), ("1", "7", "")])
def test_an_empty_field_is_refused_by_row(tmp_path: Path, reader: str, row: tuple[Any, ...]) -> None:
    run = text(tmp_path / "run.csv", [*RUN[:3], row, *RUN[3:]], RANKED)
    check_refused(lambda: carob.evaluate({"1": {"7": 1}}, run, "AP"), str(run), "line 5:", "null")


def test_a_row_with_more_fields_than_names_is_refused(tmp_path: Path, reader: str) -> None:
    run = text(tmp_path / "run.csv", [*RUN[:3], ("1", "7", 1, 2), *RUN[3:]], RANKED)
    check_refused(lambda: carob.evaluate({"1": {"7": 1}}, run, "AP"), str(run))


def test_a_document_twice_is_refused_by_row(tmp_path: Path, reader: str) -> None:
    run = text(tmp_path / "run.csv", [*RUN, RUN[0]], RANKED)
    qrels = {RUN[0][0]: {RUN[0][1]: 1}}
    check_refused(
        lambda: carob.evaluate(qrels, run, "AP"),
        str(run),
        "twice",
        f"line {len(RUN) + 2}:",
        "first in line 2",
    )
    judged = text(tmp_path / "qrels.csv", [*QRELS, QRELS[0]], JUDGED)
    check_refused(
        lambda: Qrels.of(judged), str(judged), "judged twice", f"line {len(QRELS) + 2}", "first in line 2"
    )


def test_a_run_in_place_of_judgments_is_refused(tmp_path: Path, library: str) -> None:
    run = parquet(tmp_path / "run.parquet", RUN, RANKED)
    check_refused(lambda: Qrels.of(run), str(run), "qrels and run swapped")
    assert Qrels.of(run, grade="score").queries


def test_judgments_in_place_of_a_run_are_refused(tmp_path: Path, library: str) -> None:
    qrels = parquet(tmp_path / "qrels.parquet", QRELS, JUDGED)
    check_refused(lambda: Run.of(qrels), str(qrels), "qrels and run swapped")


def test_three_columns_that_may_be_scores_are_refused(tmp_path: Path) -> None:
    run = tmp_path / "run.tsv"
    for rows in ([("q", "a", 9), ("q", "b", 8)], [("q", "a", 1), ("q", "b", 1)], [("q", "a", 0.5)]):
        run.write_text("".join(f"{q}\t{d}\t{r}\n" for q, d, r in rows), encoding="utf-8")
        check_refused(lambda: Run.of(run), str(run), "MS MARCO", "header line")


def test_names_of_columns_are_refused_for_text_that_has_none(tmp_path: Path) -> None:
    check_refused(lambda: Run.of(as_text(tmp_path, without(RUN), "run"), query="session"), "run.txt", "names")


def test_a_key_that_stands_twice_in_json_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text('{"q": {"a": 1, "b": 2, "a": 3}}', encoding="utf-8")
    check_refused(lambda: Run.of(path), str(path), "'a' occurs twice")


@pytest.mark.parametrize(
    "content", ["[1, 2]", '{"q": {"a": 1}', '{"q": 3}', '{"q": {"a": "x"}}', '{"q": {"a": NaN}}']
)
def test_json_that_is_no_run_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "run.json"
    path.write_text(content, encoding="utf-8")
    check_refused(lambda: carob.evaluate({"q": {"a": 1}}, path, "AP"), str(path))


@pytest.mark.parametrize(
    "odd", ['{"query_id": "1", "doc_id": "7", "score": "abc"}', "{", "7", '{"query_id": "1", "doc_id": "7"}']
)
@pytest.mark.parametrize("place", [0, 3])
def test_a_line_of_json_that_is_no_row_is_refused(tmp_path: Path, reader: str, odd: str, place: int) -> None:
    run = lines(tmp_path / "run.jsonl", records(RUN, RANKED))
    its = run.read_text(encoding="utf-8").splitlines()
    run.write_text("\n".join([*its[:place], odd, *its[place:]]), encoding="utf-8")
    check_refused(lambda: carob.evaluate({"1": {"7": 1}}, run, "AP"), str(run))


@pytest.mark.parametrize("odd", [{"qid": "a"}, {"qid": "a", "retrieved_ids": None}])
def test_a_question_without_its_list_is_refused(tmp_path: Path, reader: str, odd: dict[str, Any]) -> None:
    run = lines(tmp_path / "run.jsonl", [{"qid": "b", "retrieved_ids": ["x"]}, odd])
    check_refused(
        lambda: carob.evaluate({"b": {"x": 1}}, run, "RR"),
        str(run),
        "query 'a' has no list in 'retrieved_ids'",
    )


def test_a_question_with_an_empty_list_has_no_relevant_documents(tmp_path: Path, reader: str) -> None:
    held = [{"qid": "b", "doc_ids": ["x"], "grades": [1]}, {"qid": "a", "doc_ids": [], "grades": []}]
    qrels = lines(tmp_path / "qrels.jsonl", held)
    scores = carob.evaluate(qrels, {"b": {"x": 1.0}, "a": {"x": 1.0}}, "RR")
    assert (scores["RR"], scores.counts.queries, scores.counts.empty) == (0.5, 2, 1)


def test_lists_of_unequal_length_are_refused(tmp_path: Path, reader: str) -> None:
    run = lines(tmp_path / "run.jsonl", [{"qid": "b", "retrieved_ids": ["x", "y"], "scores": [1]}])
    said = "query 'b' has 2 in 'retrieved_ids' and 1 in 'scores'"
    check_refused(lambda: carob.evaluate({"b": {"x": 1}}, run, "RR"), str(run), said)


@pytest.mark.parametrize(("first", "second"), [('x"y', 'z"w'), ('x"', "w"), ('x"y"', "w")])
def test_an_odd_quote_never_joins_rows(tmp_path: Path, reader: str, first: str, second: str) -> None:
    """It is an id's own, or refused."""
    run = tmp_path / "run.csv"
    run.write_text(f"qid,docid,score\nq,{first},1\nq,{second},2\nq,u,3\nq,v,4\n", encoding="utf-8")
    with contextlib.suppress(DataError):
        assert len(list(Run.of(run).held.rows())) == 4


def test_files_with_other_columns_are_refused(tmp_path: Path, reader: str) -> None:
    text(tmp_path / "a.csv", RUN[:3], RANKED)
    text(tmp_path / "b.csv", [row[::-1] for row in RUN[3:]], RANKED[::-1])
    check_refused(lambda: Run.of(str(tmp_path / "*.csv")), "b.csv", "the columns differ")


def test_without_a_library_it_is_said_which_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(libraries, "find_spec", lambda name: None)
    run = text(tmp_path / "run.csv", RUN, RANKED)
    assert len(list(Run.of(run).held.rows())) == len(RUN)  # which carob reads itself
    (tmp_path / "run.parquet").write_bytes(b"PAR1")
    check_refused(
        lambda: Run.of(tmp_path / "run.parquet"), "polars or duckdb or pyarrow", "pip install polars"
    )


def test_runs_in_tables_that_share_a_name_are_told_apart_by_their_paths(reader: str, tmp_path: Path) -> None:
    for name in ("bm25.csv", "bm25.tsv"):
        (tmp_path / name).write_text(
            "qid,docno,score\nq,a,2.0\nq,b,1.0\nr,a,1.0\n".replace(",", "," if name.endswith("csv") else "\t")
        )
    paths = [str(tmp_path / name) for name in ("bm25.csv", "bm25.tsv")]
    found = carob.compare({"q": {"a": 1}, "r": {"b": 1}}, paths, ["RR"], baseline=paths[1])
    assert found.names == tuple(paths)


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_lists_of_one_length_are_lists(form: str, tmp_path: Path) -> None:
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pytest.importorskip("polars")
    lists = pa.array([["a", "b"]], pa.list_(pa.string(), 2))
    table, path = pa.table({"query_id": ["q"], "retrieved_ids": lists}), str(tmp_path / f"run.{form}")
    if form == "parquet":
        parquet.write_table(table, path)
    else:
        with pa.ipc.new_file(path, table.schema) as file:
            file.write_table(table)
    assert carob.evaluate({"q": {"b": 1}}, path, ["RR"]).means()["RR"] == 0.5
