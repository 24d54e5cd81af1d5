"""What holds a frame: memory, batches of a lazy one, or the engine that it lives in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from karat.columns import columns_of
from karat.errors import DataError
from karat.runs.engine import EngineRun, is_away
from karat.runs.feeds import feed_of
from karat.runs.frame import FrameRun
from karat.runs.streamed import StreamedRun

if TYPE_CHECKING:
    from karat.runs import Held

__all__ = ["held_frame"]


def held_frame(frame: Any, extract: str | None, named: dict[str, Any]) -> Held:
    """Take a frame as what it is.

    Args:
        frame: the frame.
        extract: ``engine`` for a lazy one that its engine ranks.
        named: the columns' names by what they are, None where a usual one is looked for.

    Raises:
        DataError: a frame that cannot be read, or no such way.
    """
    if extract not in (None, "engine"):
        raise DataError(f"There is no extract={extract!r}; there is 'engine'.")
    if extract == "engine" or is_away(frame):
        return EngineRun.of(frame, **named)
    feed = feed_of(frame, **named)
    return FrameRun(columns_of(frame, "run", **named)) if feed is None else StreamedRun(feed)
