"""Progress bars for long reads, on a terminal only."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from carob import _native

if TYPE_CHECKING:
    from collections.abc import Iterator


LONG = 200 * 2**20
"""The minimum number of bytes for a progress bar."""


@contextmanager
def watched(total: int) -> Iterator[_native.Progress | None]:
    """Shows a progress bar for long reads if standard error is a terminal."""
    if total < LONG or not sys.stderr.isatty():
        yield None
        return
    import threading

    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn, TransferSpeedColumn

    read = _native.Progress()
    columns = (BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task, done = bar.add_task("reading", total=total), threading.Event()

        def follow() -> None:
            while not done.wait(0.1):
                bar.update(task, completed=read.bytes)

        thread = threading.Thread(target=follow, daemon=True)
        thread.start()
        try:
            yield read
        finally:
            done.set()
            thread.join()
