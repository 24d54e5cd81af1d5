"""Runs in other processes, and text that is passed in place of a path."""

from __future__ import annotations

import gzip
import io
import pickle
from pathlib import Path
from typing import Any

import pytest

from carob import DataError, Qrels, Run
from carob.inputs.run import are_several, in_memory, runs_in


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
        with pytest.raises(DataError, match=r"^Text is treated as a path, .*as bytes") as error:
            of(text * 1000)
        assert len(str(error.value)) < 300


LISTS = {"q": {"a": 1.0}}


@pytest.mark.parametrize(
    ("given", "several"),
    [
        (LISTS, False),
        ({"q": ["a", "b"]}, False),
        ({"one": LISTS}, True),
        ({"one": "one.run"}, True),
        ({"one": b""}, True),
        ([LISTS, LISTS], True),
        (["one.run"], True),
        ("one.run", False),
        ([{"query_id": "q", "doc_id": "a", "score": 1}], False),
    ],
)
def test_several_runs_are_told_from_one(given: Any, several: bool) -> None:
    assert are_several(given) is several


def test_runs_of_a_list_get_names_that_tell_them_apart(tmp_path: Path) -> None:
    paths = [str(tmp_path / folder / "bm25.run") for folder in ("a", "b")]
    for path in paths:
        Path(path).parent.mkdir()
        Path(path).write_text("q Q0 a 1 2.0 t\n")
    assert [run.name for run in runs_in([*paths, LISTS, LISTS])] == [*paths, "run 3", "run 4"]
    assert [run.name for run in runs_in([paths[0], LISTS])] == ["bm25", "run 2"]
    assert [run.name for run in runs_in({"x": paths[0], 7: LISTS})] == ["x", "7"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("one.run", "Pass several runs: {'name': run, …}, or a list of paths or scores."),
        ([], "list"),
        ({}, "dictionary"),
        ({"1": LISTS, 1: LISTS}, "'1'"),
    ],
)
def test_what_is_not_several_runs_is_refused(given: Any, said: str) -> None:
    with pytest.raises(DataError) as error:
        runs_in(given)
    assert said in str(error.value)


def test_a_stream_is_read_into_memory_once() -> None:
    run = in_memory(Run.of(io.BytesIO(b"q Q0 a 1 2.0 t\nq Q0 b 2 1.0 t\n"), "mine"))
    assert run.name == "mine"
    for _ in range(2):
        assert [row[:2] for row in run.held.rows()] == [(b"q", b"a"), (b"q", b"b")]
