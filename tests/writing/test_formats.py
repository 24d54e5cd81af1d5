"""Each format of runs holds the run that was written, compressed or not, and refuses what it cannot hold."""

from __future__ import annotations

import bz2
import gc
import gzip
import io
import lzma
from typing import TYPE_CHECKING, Any

import pytest

import carob
from carob.conventions.arguments import RUN_FORMAT
from carob.writing.formats import format_of_name

if TYPE_CHECKING:
    from pathlib import Path

RUN = {"q 1": {"d,1": 2.5, 'd"2': 2.5, "ü": -1e-7}, "q2": {"d1": 1e22, "d2": 0.1, "d3": 12.0}}
ENDINGS = (
    ".run",
    ".csv",
    ".tsv",
    ".jsonl",
    ".json",
    ".parquet",
    ".arrow",
    ".run.gz",
    ".run.bz2",
    ".csv.gz",
    ".jsonl.gz",
)


def mapping_in(path: Path) -> dict[str, dict[str, float]]:
    """The run in a file."""
    found: dict[str, dict[str, float]] = {}
    for query, document, score in carob.Run.of(path).held.rows():
        found.setdefault(query.decode(), {})[document.decode()] = score
    return found


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_run_comes_back_from_each_format(ending: str, tmp_path: Path) -> None:
    if ending in (".parquet", ".arrow"):
        pytest.importorskip("pyarrow")
    if ending not in (".run", ".run.gz", ".run.bz2", ".json"):
        pytest.importorskip("polars")
    path = tmp_path / f"made{ending}"
    written = carob.write_run(RUN, path)
    assert mapping_in(path) == RUN
    assert (written.files[0].queries, written.files[0].documents, written.files[0].size) == (
        2,
        6,
        path.stat().st_size,
    )


def test_ranks_of_ms_marco_come_back_as_an_order(tmp_path: Path) -> None:
    path = tmp_path / "made.tsv"
    carob.write_run({"q": {"a": 1.0, "b": 3.0}}, path, to="msmarco")
    assert path.read_text() == "q\tb\t1\nq\ta\t2\n"


def test_scores_are_the_shortest_decimals_of_python() -> None:
    made = io.BytesIO()
    scores = [
        0.1,
        1e16,
        1e15,
        123456789012345680.0,
        1e-4,
        1e-5,
        5e-324,
        1.7976931348623157e308,
        -0.0,
        2.0,
        -1.5e-9,
        float("inf"),
    ]
    carob.write_run({"q": {f"d{place}": score for place, score in enumerate(scores)}}, made)
    found = [line.split()[4] for line in made.getvalue().decode().splitlines()]
    assert found == [repr(each) for each in sorted(scores, reverse=True)]


def test_an_equal_run_gives_an_equal_compressed_file(tmp_path: Path) -> None:
    for name in ("one.run.gz", "two.run.gz"):
        carob.write_run(RUN, tmp_path / name)
    assert (tmp_path / "one.run.gz").read_bytes() == (tmp_path / "two.run.gz").read_bytes()


@pytest.mark.parametrize("packing", ["gz", "bz2", "xz"])
def test_a_compressor_is_closed_before_its_file_after_an_error(packing: str, tmp_path: Path) -> None:
    with pytest.raises(carob.DataError) as told:
        carob.write_run({"q": {"a": 1.0}, "r": {"b\tc": 1.0}}, tmp_path / f"a.run.{packing}")
    assert told.traceback  # which keeps what the writing held
    compressors = (gzip.GzipFile, bz2.BZ2File, lzma.LZMAFile)
    # By their types: a dead weak proxy of another library has no class.
    held = [each for each in gc.get_objects() if issubclass(type(each), compressors)]
    assert not [each for each in held if not each.closed and each.writable()]


def test_a_blank_in_an_id_separates_all_columns_by_tabs() -> None:
    made = io.BytesIO()
    many = {f"q{number}": {str(place): float(place) for place in range(1000)} for number in range(200)}
    carob.write_run({**many, "last": {"a document": 1.0}}, made)
    assert made.getvalue().startswith(b"q0\tQ0\t999\t1\t999.0\t")


@pytest.mark.parametrize(
    ("run", "to", "said"),
    [
        ({"q": {"a\tb": 1.0}}, "trec", "cannot be written to a text file"),
        ({"#q": {"a": 1.0}}, "trec", "looks like a comment"),
        ({"q": {"": 1.0}}, "msmarco", "it is empty"),
        ({"q": {"a": float("inf")}}, "json", "infinite"),
        ({"q": {"a\udcff": 1.0}}, "jsonl", "not UTF-8"),
        ({"q": {"a\udcff": 1.0}}, "csv", "not UTF-8"),
        ({"q": {"a\udcff": 1.0}}, "tsv", "not UTF-8"),
        ({"q": {"a": float("nan")}}, "trec", "NaN"),
        ({}, "trec", "nothing to write"),
    ],
)
def test_what_a_format_cannot_hold_is_refused_in_a_sentence(run: Any, to: Any, said: str) -> None:
    with pytest.raises(carob.DataError, match=said):
        carob.write_run(run, io.BytesIO(), to=to)


def test_the_ending_of_a_name_shows_the_format() -> None:
    assert format_of_name("a/b.tsv.gz") == ("tsv", ".gz")
    assert format_of_name("b.ndjson") == ("jsonl", "")
    assert format_of_name("b.run.xz") == ("trec", ".xz")
    assert format_of_name("bm25") == ("trec", "")
    with pytest.raises(carob.DataError, match=r"cannot write runs as \.npy files"):
        format_of_name("a.npy")
    assert "parquet" in RUN_FORMAT.words
