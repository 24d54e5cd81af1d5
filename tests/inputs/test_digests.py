"""Entries of inputs in a record: their sizes and hashes, whether they have changed, and what was excluded."""

from __future__ import annotations

import hashlib
import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from carob import DataError
from carob.inputs.digests import (
    Exclusion,
    described,
    digests,
    entry_of_judgments,
    entry_of_run,
    exclusion_of,
    identity,
)
from carob.inputs.files.paths import origin_of
from carob.inputs.sources import Provenance

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(folder: Path) -> Path:
    (folder / "qrels.txt").write_text("q1 0 a 1\nq1 0 b 0\nq2 0 c 2\nq3 0 d 1\n")
    return folder


@pytest.mark.parametrize("threaded", [False, True])
def test_small_files_are_hashed_without_threads(
    threaded: bool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[int] = []

    class Pool(ThreadPoolExecutor):
        def __init__(self, threads: int) -> None:
            started.append(threads)
            super().__init__(threads)

    monkeypatch.setattr("concurrent.futures.ThreadPoolExecutor", Pool)
    monkeypatch.setattr("carob.inputs.digests.THREADED", 1 if threaded else 2**25)
    paths = ["qrels.txt", "one.run", "two.run", "one.run"]
    hashes = digests(paths)
    assert started == ([2] if threaded else [])
    assert hashes == {
        path: (len(content), hashlib.sha256(content).hexdigest())
        for path in paths
        for content in [(folder / path).read_bytes()]
    }


def test_a_file_that_is_not_there_has_no_hash(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"gone\.txt: No such file or directory\. Check the path\."):
        digests([str(tmp_path / "gone.txt")])


def test_the_entry_of_judgments_ends_with_their_file_as_it_was_read(folder: Path) -> None:
    path = str(folder / "qrels.txt")
    origin = origin_of(path)
    content = (folder / "qrels.txt").read_bytes()
    entry = {"role": "qrels", "path": path, "bytes": len(content)}
    assert entry_of_judgments(origin) == {**entry, "sha256": hashlib.sha256(content).hexdigest()}
    os.utime(path, ns=(0, origin.changed + 1))
    assert entry_of_judgments(origin) is None
    assert entry_of_judgments(Provenance("a mapping")) is None
    assert entry_of_judgments(None) is None


def test_the_entry_of_a_run_says_why_it_has_no_hash(folder: Path) -> None:
    path = str(folder / "one.run")
    none: dict[str, Any] = {"role": "run", "name": "one", "path": None, "bytes": None, "sha256": None}
    assert entry_of_run("one", origin_of(path)) == {
        **none,
        "path": path,
        "bytes": (folder / "one.run").stat().st_size,
        "why": "not hashed: a record has the hash",
    }
    stream = Provenance("a stream")
    assert entry_of_run("one", stream) == {**none, "why": "a stream, which can be read only once"}
    assert entry_of_run("one", Provenance("a mapping")) is None
    assert described("run", "one", stream, {}) == {**none, "why": "a stream in memory"}


def test_several_files_have_their_own_hashes_and_columns_are_a_part_of_what_they_are() -> None:
    parts = (Provenance("file", "a", 1), Provenance("file", "b", 2))
    origin = Provenance("file", "*", 3, parts=parts, columns=(("score", "s"), ("query", "q")))
    entry = described("qrels", None, origin, {"a": (1, "A"), "b": (2, "B")})
    assert entry == {
        "role": "qrels",
        "path": "*",
        "columns": {"score": "s", "query": "q"},
        "bytes": 3,
        "sha256": None,
        "files": [{"path": "a", "bytes": 1, "sha256": "A"}, {"path": "b", "bytes": 2, "sha256": "B"}],
    }
    assert identity(entry) == 'A B {"query": "q", "score": "s"}'
    assert identity({"sha256": "A"}) == "A"
    assert identity(None) == identity({"sha256": None}) == ""


def test_what_was_excluded_is_known_by_the_entry_of_its_file() -> None:
    entries = [
        {"role": "run", "name": "one", "path": "one.run", "sha256": "R"},
        {"role": "exclude", "name": "one", "path": "seen.txt", "sha256": "S"},
    ]
    assert exclusion_of("one", entries, 0) == Exclusion("seen.txt", "S")
    assert exclusion_of("two", entries, 3) == Exclusion("", "")
    assert exclusion_of("two", entries, 0) is None
