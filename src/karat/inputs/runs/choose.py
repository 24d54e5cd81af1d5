"""What holds a frame: memory, batches of a lazy one, or the engine that it lives in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from karat.inputs.frames import ROLES, columns_of, library_of, refusals, refuse_one_column
from karat.inputs.runs.arrow import arrow_feed
from karat.inputs.runs.engine import EngineRun, is_away
from karat.inputs.runs.frame import FrameRun
from karat.inputs.runs.lazy import lazy_feed
from karat.inputs.runs.streamed import StreamedRun
from karat.output.errors import DataError

if TYPE_CHECKING:
    from karat.inputs.runs import Held
    from karat.inputs.runs.batches import Feed

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
    refuse_one_column(frame, "run")
    if extract == "engine" or is_away(frame):
        return EngineRun.of(frame, small=extract is None, **named)
    feed = feed_of(frame, **named)
    return FrameRun(columns_of(frame, "run", **named)) if feed is None else StreamedRun(feed)


def feed_of(given: Any, **asked: str | None) -> Feed | None:
    """How the rows of a frame come in batches; None for one that is in memory, or of a library that has no batches.

    Args:
        given: the frame.
        asked: a column's name for what it is; where it is None or missing a usual name is looked for.

    Raises:
        DataError: a column that is not there, or cannot be told from others.
    """
    roles = {role: asked.get(role) for role in ROLES["run"]}
    library = library_of(given)
    with refusals("run", library):
        if library == "pyarrow":
            return arrow_feed(given, roles)
        if library in ("duckdb", "narwhals") or (library == "polars" and hasattr(given, "collect")):
            return lazy_feed(given, roles)
        return None
