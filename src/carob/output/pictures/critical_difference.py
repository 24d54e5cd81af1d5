"""Draws mean ranks with Nemenyi's critical difference, as text and as SVG."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from carob._dataclasses import dataclass
from carob.output import escaping
from carob.output.document import PicturePart
from carob.output.layout import apart, decimals, width

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LEAST_AXIS, MOST_AXIS = 20, 48
"""The smallest and the largest number of columns of the axis in text."""

MOST_BARS = 8
"""The maximum number of groups that are drawn as bars. If there are more, only a sentence states the critical
difference."""

LONGEST_NAME = 24

ROW, LEFT, AXIS, TOP, BAR = 22, 230, 420, 62, 14
"""The dimensions of the SVG in pixels: a row, the names, the axis, the head, and the distance between bars."""


@dataclass(frozen=True, eq=False, repr=False)
class RankPicture(PicturePart):
    """Mean ranks on an axis, with a bar for each group of runs whose mean ranks differ by less than a distance.

    Args:
        names: the runs, from the best to the worst mean rank.
        ranks: the mean ranks of the runs.
        most: the rank at the end of the axis, which is the largest possible rank if all runs are shown.
        cut: the critical difference.
        groups: the first and the last row of each group.
    """

    names: Sequence[str]
    ranks: Sequence[float]
    most: int
    cut: float
    groups: Sequence[tuple[int, int]]

    @property
    def bars(self) -> Sequence[tuple[int, int]]:
        """The groups that are drawn."""
        return self.groups if len(self.groups) <= MOST_BARS else ()

    def place(self, rank: float, room: int) -> int:
        """Returns the place, from 0 to ``room`` - 1, of a rank on an axis from 1 to the largest rank."""
        return round((rank - 1) / max(self.most - 1, 1) * (room - 1))

    def text(self, columns: int, style: Callable[[str, str], str] | None = None) -> str:
        """Returns a line for each run, with its name, its mean rank, a mark on the axis, and the bars of its groups."""
        del style
        names = apart(self.names, LONGEST_NAME)
        space = max(map(width, [*names, "CD " + decimals(self.cut, 3)]))
        numbers = [decimals(each, 3) for each in self.ranks]
        wide = max(map(len, numbers))
        bars = 2 * len(self.bars)
        room = min(max(columns - space - wide - bars - 6, LEAST_AXIS), MOST_AXIS)
        reach = min(self.place(1 + self.cut, room), room - 1)
        ruler = "|" + "-" * (reach - 1) + "|" if reach > 0 else "|"
        before = " " * (space + wide + 4)
        ends = "1" + str(self.most).rjust(room - 1)
        lines = [
            f"{'CD ' + decimals(self.cut, 3):<{space}}{' ' * (wide + 4)}{ruler}",
            f"{before}{ends}",
        ]
        for row, (name, number, rank) in enumerate(zip(names, numbers, self.ranks, strict=True)):
            axis = [" "] * room
            axis[self.place(rank, room)] = "o"
            marks = "".join(" |" if first <= row <= last else "  " for first, last in self.bars)
            blanks = " " * (space - width(name))
            lines.append(f"{name}{blanks}  {number:>{wide}}  {''.join(axis)} {marks}".rstrip())
        return "".join(f"{line.rstrip()}\n" for line in lines)

    def latex(self) -> str:
        """Returns the picture as a LaTeX ``picture`` environment, which requires no package."""
        from carob.output.formats.latex import FORMAT

        wide, high = 60.0, 4.0
        scale = wide / max(self.most - 1, 1)
        top = high * (len(self.names) + 2)
        body = [
            f"\\put(0,{top - high:g}){{\\line(1,0){{{wide:g}}}}}",
            f"\\put(0,{top:g}){{\\makebox(0,0)[b]{{1}}}}\\put({wide:g},{top:g}){{\\makebox(0,0)[b]{{{self.most}}}}}",
        ]
        for row, (name, rank) in enumerate(zip(self.names, self.ranks, strict=True)):
            up, along = top - high * (row + 2), (rank - 1) * scale
            own = FORMAT.escape(escaping.printable(name))
            body.append(
                f"\\put({along:.2f},{up:g}){{\\circle*{{1.2}}}}"
                f"\\put(-2,{up:g}){{\\makebox(0,0)[r]{{{own} ({decimals(rank, 2)})}}}}"
            )
        for place, (first, last) in enumerate(self.bars):
            length, along = high * (last - first) + 1, wide + 3 + 2 * place
            body.append(f"\\put({along:g},{top - high * (first + 2) + 0.5:g}){{\\line(0,-1){{{length:g}}}}}")
        lines = "\n".join(body)
        return (
            f"\\setlength{{\\unitlength}}{{1mm}}\n\\begin{{picture}}({wide + 20:g},{top + high:g})(-20,0)\n{lines}\n"
            "\\end{picture}\n"
        )

    def svg(self) -> str:
        """Returns the picture as SVG, in the colour of the surrounding text."""
        right, high = LEFT + AXIS, TOP + ROW * len(self.names) + 8
        wide = right + 24 + BAR * len(self.bars)
        scale = AXIS / max(self.most - 1, 1)
        step = max(1, math.ceil((self.most - 1) / 10))
        ticks = [*range(1, self.most, step), self.most]
        ruler = min(self.cut * scale, AXIS)
        said = f"Mean ranks of {len(self.names)} runs, critical difference {decimals(self.cut, 3)}"
        parts = [
            line(LEFT, 14, LEFT + ruler, 14, 2),
            f'<text x="{LEFT + ruler + 8:.1f}" y="18">CD {decimals(self.cut, 3)}</text>',
            line(LEFT, TOP - 12, right, TOP - 12, 1),
        ]
        for tick in ticks:
            along = LEFT + (tick - 1) * scale
            parts.append(line(along, TOP - 16, along, TOP - 12, 1))
            parts.append(f'<text x="{along:.1f}" y="{TOP - 20}" text-anchor="middle">{tick}</text>')
        for row, (name, rank) in enumerate(zip(apart(self.names, LONGEST_NAME), self.ranks, strict=True)):
            up, along = TOP + ROW * row + 8, LEFT + (rank - 1) * scale
            parts.append(f'<text x="{LEFT - 60}" y="{up + 4}" text-anchor="end">{escaping.html(name)}</text>')
            parts.append(f'<text x="{LEFT - 12}" y="{up + 4}" text-anchor="end">{decimals(rank, 3)}</text>')
            parts.append(line(LEFT, up, right, up, 0.25))
            parts.append(f'<circle cx="{along:.1f}" cy="{up}" r="4.5"/>')
        for place, (first, last) in enumerate(self.bars):
            along = right + 16 + BAR * place
            parts.append(line(along, TOP + ROW * first + 2, along, TOP + ROW * last + 14, 3))
        return svg(parts, wide, high, said)


def svg(parts: Sequence[str], wide: float, high: float, said: str) -> str:
    """Returns a picture as SVG.

    Args:
        parts: the SVG elements.
        wide: the width in pixels.
        high: the height in pixels.
        said: the description for readers who cannot see the picture.
    """
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" height="{high}" '
        f'role="img" aria-label="{escaping.html(said)}" font-family="system-ui, sans-serif" font-size="13" '
        'fill="currentColor" stroke="none">'
    )
    return "\n".join([head, *parts, "</svg>"]) + "\n"


def line(x1: float, y1: float, x2: float, y2: float, wide: float) -> str:
    """Returns a line of SVG."""
    ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line {ends} stroke="currentColor" stroke-width="{wide:g}"/>'
