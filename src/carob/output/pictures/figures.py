"""Draws matplotlib figures: rows of intervals, points and lines. Only figures need matplotlib."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeAlias

from carob.output.errors import DataError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    Drawing: TypeAlias = Callable[[Any], tuple[float, float]]
    """Draws on an empty figure, and returns the figure's width and height in inches."""

ROW = 0.32
"""The height in inches of the row for a run or a pair."""


def figure_of(draws: Mapping[str, Drawing], kind: str | None = None) -> Any:
    """Returns a matplotlib figure.

    Args:
        draws: the functions that draw the figures of a result, by the name of the figure.
        kind: the name of the figure; the first figure if None.

    Raises:
        DataError: matplotlib is not installed, or there is no such figure.
    """
    if not draws:
        raise DataError("This result has no figure: use to_frame() or to_html().")
    name = next(iter(draws)) if kind is None else kind
    if name not in draws:
        hint = did_you_mean(name, draws, f"The choices are {', '.join(draws)}.")
        raise DataError(f"There is no figure '{name}'. {hint}")
    drawn = canvas()
    drawn.set_size_inches(*draws[name](drawn))
    return drawn


def canvas() -> Any:
    """Returns an empty figure.

    Raises:
        DataError: matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise DataError("Figures need matplotlib: pip install 'carob[plots]'.") from None
    return Figure(layout="constrained")


UNDATED = {".svg": "Date", ".pdf": "CreationDate"}
"""The metadata entry with the time of writing, which is omitted so that equal figures give equal files."""


def image(drawn: Any, ending: str) -> bytes:
    """Returns the content of a figure's file. Equal figures give equal bytes.

    Args:
        drawn: the figure.
        ending: the file extension, which is ``.svg``, ``.pdf`` or ``.png``.
    """
    import io

    from matplotlib import rc_context

    written = io.BytesIO()
    with rc_context({"svg.hashsalt": "carob"}):
        metadata = {UNDATED[ending]: None} if ending in UNDATED else None
        drawn.savefig(written, format=ending.removeprefix("."), metadata=metadata, dpi=200)
    return written.getvalue()


def literal(name: str) -> str:
    """Escapes a name so that matplotlib does not read it as a formula."""
    return name.replace("$", r"\$")


def whiskers(
    drawn: Any,
    rows: Iterable[tuple[str, float, float, float]],
    title: str,
    zero: bool = False,
    whole: bool = False,
) -> tuple[float, float]:
    """Draws a dot and an interval in each row, with the first row on top. Undefined numbers are omitted.

    With ``zero``, the dot is hollow unless there is an interval that excludes zero.

    Args:
        drawn: the figure.
        rows: the name, the value, and the ends of the interval of each row.
        title: the meaning of the values.
        zero: whether the values are differences, in which case a line marks zero.
        whole: whether the values are whole numbers, such as ranks.
    """
    axes, names = drawn.subplots(), list[str]()
    for place, (name, *values) in enumerate(rows):
        middle, low, high = (each if math.isfinite(each) else math.nan for each in values)
        axes.plot([low, high], [place, place], color="0.4", linewidth=1.5)
        inside = "white" if zero and not (low > 0 or high < 0) else "black"
        axes.plot([middle], [place], "o", color="black", markerfacecolor=inside, markersize=4.5)
        names.append(literal(name))
    axes.set_yticks(range(len(names)), names)
    axes.margins(y=0.08)
    axes.invert_yaxis()
    axes.set_xlabel(literal(title))
    if whole:
        axes.locator_params(axis="x", integer=True)
    if zero:
        axes.axvline(0, color="black", linewidth=0.8)
    return 6.0, 0.9 + ROW * len(names)


MARKS = "os^Dv*"
"""The markers of lines, which distinguish the lines even without colours."""

MOST_NAMED = 30
"""The maximum number of points whose names a panel lists; more names would overlap."""


def curves(
    drawn: Any, series: Mapping[str, tuple[Sequence[float], Sequence[float]]], title: str
) -> tuple[float, float]:
    """Draws a line through the points of each series.

    Args:
        drawn: the figure.
        series: the places and the values of each line, keyed by the line's name.
        title: the meaning of the places.
    """
    axes = drawn.subplots()
    for name, (places, values) in series.items():
        mark = MARKS[len(axes.lines) % len(MARKS)]
        axes.plot(places, values, marker=mark, markersize=3, linewidth=1.2, label=literal(name))
    axes.set_xlabel(literal(title))
    axes.legend()
    return 6.0, 3.4


def panels(
    drawn: Any,
    points: Sequence[tuple[str, Sequence[float], str, Sequence[float], Sequence[str]]],
) -> tuple[float, float]:
    """Draws points with their names in square panels side by side.

    Args:
        drawn: the figure.
        points: for each panel, the title and the values of both axes, and the names of the points.
    """
    for axes, (across, x, up, y, names) in zip(
        drawn.subplots(1, len(points), squeeze=False)[0], points, strict=True
    ):
        axes.plot(x, y, "o", color="black", markersize=4)
        axes.set_xlabel(literal(across))
        axes.set_ylabel(literal(up))
        axes.margins(0.08)
        if len(names) <= MOST_NAMED:
            name_points(axes, x, y, names)
    return 5.4 * len(points), 4.4


def name_points(axes: Any, x: Sequence[float], y: Sequence[float], names: Sequence[str]) -> None:
    """Lists the names to the right of the panel, ordered by height, each with a line to its point."""
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    order = sorted(range(len(names)), key=lambda each: -y[each])
    heights = spread_apart([(y[place] - low) / (high - low) for place in order], 1 / MOST_NAMED)
    for place, height in zip(order, heights, strict=True):
        axes.text(1.06, height, literal(names[place]), transform=axes.transAxes, va="center", fontsize=7)
        level = low + height * (high - low)
        leader = axes.plot(
            [x[place], right + 0.05 * (right - left)], [y[place], level], color="0.7", linewidth=0.5
        )
        leader[0].set(clip_on=False, zorder=1)
    axes.set(xlim=(left, right), ylim=(low, high))


def spread_apart(heights: Sequence[float], gap: float) -> list[float]:
    """Adjusts descending heights between 0 and 1 as little as possible so that neighbours are at least a gap apart.

    Example:
        >>> from carob.output.pictures.figures import spread_apart
        >>> spread_apart([1.0, 1.0, 0.0, 0.0], 0.25)
        [1.0, 0.75, 0.25, 0.0]
    """
    moved = list(heights)
    for place in range(1, len(moved)):
        moved[place] = min(moved[place], moved[place - 1] - gap)
    bottom = 0.0
    for place in reversed(range(len(moved))):
        moved[place] = max(moved[place], bottom)
        bottom = moved[place] + gap
    return moved
