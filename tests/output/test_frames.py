"""Data frames: of the library that is named, or of the first that is installed."""

from __future__ import annotations

import importlib.util

import pytest

from carob.output.errors import DataError
from carob.output.frames import FRAMES, frame_of

COLUMNS = {"run": ["old", "new"], "RR": [0.5, 1.0]}


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_frame_is_of_the_library_that_is_named(library: str) -> None:
    pytest.importorskip(library, reason="makes the frame")
    found = frame_of(COLUMNS, library)
    assert type(found).__module__.split(".")[0] == library
    assert {
        name: found[name].to_pylist() if library == "pyarrow" else list(found[name]) for name in COLUMNS
    } == COLUMNS


def test_a_library_that_makes_no_frames_is_refused() -> None:
    with pytest.raises(DataError) as refused:
        frame_of(COLUMNS, "duckdb")
    assert str(refused.value) == (
        f"'duckdb' is not a library of data frames that carob can write. The choices are {', '.join(FRAMES)}."
    )
    with pytest.raises(DataError, match=r"can write\. Did you mean pandas\?$"):
        frame_of(COLUMNS, "panda")


def test_the_first_library_that_is_installed_makes_the_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("polars", reason="makes the frame")
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "pandas" else find(name))
    assert type(frame_of(COLUMNS, None)).__module__.startswith("polars")
    with pytest.raises(
        DataError, match=r"^pandas is not installed: install it, or specify another library\.$"
    ):
        frame_of(COLUMNS, "pandas")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(
        DataError, match=r"^No data frame library is installed: install pandas, polars or pyarrow\.$"
    ):
        frame_of(COLUMNS, None)
