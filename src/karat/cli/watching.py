"""Says on a terminal what a long command is doing."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["steps"]


@contextmanager
def steps() -> Iterator[Callable[[str], None] | None]:
    """What to call with a few words when a part of the work begins; nothing where standard error is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.markup import escape

    with Console(stderr=True).status("starting …") as status:
        yield lambda words: status.update(f"{escape(words)} …")
