"""Figures of matplotlib: rows of intervals, points and lines. Only figures need matplotlib."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeAlias

from carob.output.errors import DataError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    Drawing: TypeAlias = Callable[[Any], tuple[float, float]]
    """Draws on an empty figure, and returns the figure's width and height in inches."""

ROW = 0.32
"""The height of a run or pair in inches."""


def figure_of(draws: Mapping[str, Drawing], kind: str | None = None) -> Any:
    """Returns a matplotlib figure.

    Args:
        draws: the functions that draw the figures of a result, by the name of the figure.
        kind: the name; the first one if None.

    Raises:
        DataError: matplotlib is not installed, or there is no such figure.
    """
    if not draws:
        raise DataError("This result has no figure: use to_frame() or to_html().")
    name = next(iter(draws)) if kind is None else kind
    if name not in draws:
        hint = did_you_mean(name, draws, f"It is one of {', '.join(draws)}.")
        raise DataError(f"There is no figure '{name}'. {hint}")
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise DataError("Figures need matplotlib: pip install 'carob[plots]'.") from None
    drawn = Figure(layout="constrained")
    drawn.set_size_inches(*draws[name](drawn))
    return drawn


def literal(name: str) -> str:
    """Escapes a name so that matplotlib does not read it as a formula."""
    return name.replace("$", r"\$")


def whiskers(
    drawn: Any, rows: Iterable[tuple[str, float, float, float]], title: str, zero: bool = False
) -> tuple[float, float]:
    """Draws a dot and an interval in each row, with the first row on top. An undefined number is left out.

    Args:
        drawn: the figure.
        rows: the name, the value, and the ends of the interval of each row.
        title: what the values are.
        zero: whether a line marks zero.
    """
    axes, names = drawn.subplots(), list[str]()
    for place, (name, *values) in enumerate(rows):
        middle, low, high = (each if math.isfinite(each) else math.nan for each in values)
        axes.plot([low, high], [place, place], color="0.4", linewidth=1.5)
        axes.plot([middle], [place], "o", color="black", markersize=4)
        names.append(literal(name))
    axes.set_yticks(range(len(names)), names)
    axes.margins(y=0.08)
    axes.invert_yaxis()
    axes.set_xlabel(literal(title))
    if zero:
        axes.axvline(0, color="black", linewidth=0.8)
    return 6.0, 0.9 + ROW * len(names)


def curves(
    drawn: Any, series: Mapping[str, tuple[Sequence[float], Sequence[float]]], title: str
) -> tuple[float, float]:
    """Draws a line through the points of each series.

    Args:
        drawn: the figure.
        series: the places and the values of each line, by its name.
        title: what the places are.
    """
    axes = drawn.subplots()
    for name, (places, values) in series.items():
        axes.plot(places, values, marker="o", markersize=3, linewidth=1.2, label=literal(name))
    axes.set_xlabel(literal(title))
    axes.legend()
    return 6.0, 3.4


def panels(
    drawn: Any, points: Sequence[tuple[str, Sequence[float], str, Sequence[float]]]
) -> tuple[float, float]:
    """Draws points in panels side by side.

    Args:
        drawn: the figure.
        points: the title and the values of both axes of each panel.
    """
    for axes, (across, x, up, y) in zip(
        drawn.subplots(1, len(points), squeeze=False)[0], points, strict=True
    ):
        axes.plot(x, y, "o", color="black", markersize=4)
        axes.set_xlabel(literal(across))
        axes.set_ylabel(literal(up))
    return 3.2 * len(points), 3.0
