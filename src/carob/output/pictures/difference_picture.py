"""Draws differences from one run as SVG: a dot for each collection, and the mean with its interval."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from carob._dataclasses import dataclass
from carob.output import escaping
from carob.output.document import PicturePart
from carob.output.layout import apart, decimals
from carob.output.pictures.critical_difference import LONGEST_NAME, line, svg

if TYPE_CHECKING:
    from collections.abc import Sequence

ROW, LEFT, AXIS, TOP, RIGHT = 30, 200, 460, 40, 20
"""The dimensions of the picture in pixels: a row, the names, the axis, the head and the right margin."""


@dataclass(frozen=True)
class Differences:
    """The differences of a run from the reference.

    Args:
        name: the run.
        mean: the mean difference.
        low: the lower end of the mean's interval.
        high: the upper end.
        dots: the name and the difference of each collection that contains both runs.
    """

    name: str
    mean: float
    low: float
    high: float
    dots: tuple[tuple[str, float], ...]


@dataclass(frozen=True, eq=False, repr=False)
class DifferencePicture(PicturePart):
    """A picture of differences from one run, which is shown only in HTML.

    Args:
        title: the sentence above the picture.
        rows: the other runs.
    """

    title: str
    rows: Sequence[Differences]

    def span(self) -> tuple[float, float]:
        """Returns the ends of the axis, which contain 0 and all finite numbers."""
        known = [0.0]
        for each in self.rows:
            known += [each.low, each.high, each.mean, *(value for _, value in each.dots)]
        finite = [each for each in known if math.isfinite(each)]
        low, high = min(finite), max(finite)
        room = 0.04 * (high - low) or 0.01
        return low - room, high + room

    def svg(self) -> str:
        """Returns the picture as SVG, in the colour of the surrounding text."""
        low, high = self.span()

        def along(value: float) -> float:
            return LEFT + (value - low) / (high - low) * AXIS

        wide, tall = LEFT + AXIS + RIGHT, TOP + ROW * len(self.rows) + 10
        parts = [mark for tick in ticks(low, high) for mark in self.tick(tick, along(tick), tall)]
        names = apart([each.name for each in self.rows], LONGEST_NAME)
        for row, (name, each) in enumerate(zip(names, self.rows, strict=True)):
            up = TOP + ROW * row + ROW / 2
            parts.append(f'<text x="{LEFT - 12}" y="{up + 4}" text-anchor="end">{escaping.html(name)}</text>')
            if math.isfinite(each.low):
                parts.append(line(along(each.low), up, along(each.high), up, 3))
            if math.isfinite(each.mean):
                parts.append(
                    f'<rect x="{along(each.mean) - 5:.1f}" y="{up - 5:.1f}" width="10" height="10"/>'
                )
            for collection, value in each.dots:
                said = escaping.html(f"{collection}: {decimals(value, 4, sign=True)}")
                parts.append(
                    f'<circle cx="{along(value):.1f}" cy="{up:.1f}" r="4" fill="none" stroke="currentColor">'
                    f"<title>{said}</title></circle>"
                )
        return svg(parts, wide, tall, self.title)

    def tick(self, value: float, along: float, tall: float) -> list[str]:
        """Returns the grid line and the label of a value. The line for 0 is stronger."""
        label = decimals(value, 2, sign=bool(value))
        return [
            line(along, TOP - 8, along, tall - 6, 1.2 if value == 0 else 0.25),
            f'<text x="{along:.1f}" y="{TOP - 14}" text-anchor="middle">{label}</text>',
        ]


def ticks(low: float, high: float) -> list[float]:
    """Returns about five round numbers between two ends, including 0.

    Example:
        >>> ticks(-0.12, 0.31)
        [-0.1, 0.0, 0.1, 0.2, 0.3]
    """
    rough = (high - low) / 5
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(each * power for each in (1, 2, 5, 10) if each * power >= rough)
    step = max(step, 0.01)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(each * step, 10) + 0.0 for each in range(first, last + 1)]
