"""Progress bars: shown of long reads on a terminal, and of nothing else."""

from __future__ import annotations

import io
import sys
import threading

import pytest

from carob import _native
from carob.output.progress import LONG, watched


class Terminal(io.StringIO):
    """Standard error that is a terminal."""

    def isatty(self) -> bool:
        return True


def following() -> list[str]:
    """The threads that move a bar."""
    return [each.name for each in threading.enumerate() if "follow" in each.name]


@pytest.mark.parametrize(("total", "kind"), [(LONG - 1, Terminal), (LONG, io.StringIO)])
def test_short_reads_and_reads_without_a_terminal_have_no_bar(
    total: int, kind: type[io.StringIO], monkeypatch: pytest.MonkeyPatch
) -> None:
    error = kind()
    monkeypatch.setattr(sys, "stderr", error)
    with watched(total) as read:
        assert read is None
    assert error.getvalue() == ""


@pytest.mark.parametrize("fails", [False, True])
def test_a_long_read_has_a_bar_that_ends_with_it(fails: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rich", reason="draws the bar")
    error = Terminal()
    monkeypatch.setattr(sys, "stderr", error)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    ended = False
    try:
        with watched(LONG) as read:
            assert isinstance(read, _native.Progress)
            assert len(following()) == 1
            if fails:
                raise InterruptedError
    except InterruptedError:
        ended = True
    assert ended == fails
    assert "0.0/209.7 MB" in error.getvalue()
    assert not following()
