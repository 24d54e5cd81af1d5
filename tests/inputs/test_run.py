"""Runs in other processes, and text that is passed in place of a path."""

from __future__ import annotations

import gzip
import io
import pickle
from typing import TYPE_CHECKING

import pytest

from carob import DataError, Qrels, Run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("how", ["stream", "file", "path"])
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("protocol", [0, pickle.HIGHEST_PROTOCOL])
def test_a_run_is_the_same_in_another_process(how: str, packed: bool, protocol: int, tmp_path: Path) -> None:
    content = b"q 0 a 1 2.0 t\nq 0 b 2 1.0 t\n"
    stored = gzip.compress(content) if packed else content
    path = tmp_path / "a.run"
    path.write_bytes(stored)
    with path.open("rb") as file:
        here = Run.of({"stream": io.BytesIO(stored), "file": file, "path": path}[how])
        there = pickle.loads(pickle.dumps(here, protocol))
        assert there.name == here.name
        for each in (here, there, there):  # the stream is read again on both sides
            assert [row[:2] for row in each.held.rows()] == [(b"q", b"a"), (b"q", b"b")]


def test_a_compressed_run_in_memory_can_be_pickled() -> None:
    run = pickle.loads(pickle.dumps(Run.of(gzip.compress(b"q 0 a 1 2.0 t\n"))))
    assert [row[1] for row in run.held.rows()] == [b"a"]


def test_a_run_in_a_frame_says_that_the_frame_is_to_be_pickled() -> None:
    pandas = pytest.importorskip("pandas")
    run = Run.of(pandas.DataFrame({"query_id": ["q"], "doc_id": ["a"], "score": [1.0]}))
    with pytest.raises(DataError, match=r"cannot be pickled\. Pickle the frame itself"):
        pickle.dumps(run)


@pytest.mark.parametrize("text", ["q Q0 a 1 2.0 t\n", "q 0 a* 1\n"])
def test_text_in_place_of_a_path_is_refused_without_its_content(text: str) -> None:
    for of in (Run.of, Qrels.of):
        with pytest.raises(DataError, match=r"^Text is taken as a path, .*as bytes") as error:
            of(text * 1000)
        assert len(str(error.value)) < 300
