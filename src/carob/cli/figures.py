"""The option ``--figure``: a figure of a result, in a file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from carob._dataclasses import dataclass

if TYPE_CHECKING:
    from carob.output.results import Result

ENDINGS = (".svg", ".pdf", ".png")


@dataclass(frozen=True)
class Picture:
    """The figure that ``--figure`` asks for.

    Args:
        path: the file to write.
        kind: the name of the figure; None for the result's first one.
    """

    path: str
    kind: str | None = None

    def draw(self, found: Result, **chosen: Any) -> None:
        """Draws a result, writes the file, and reports it on standard error.

        Args:
            found: the result.
            chosen: what the figure shows of it, as arguments of the result's ``to_figure``.

        Raises:
            DataError: the result has no figure of that name.
        """
        from carob.output.files import write_whole
        from carob.output.pictures.figures import image

        content = image(found.to_figure(self.kind, **chosen), os.path.splitext(self.path)[1].lower())
        write_whole(self.path, content)
        click.echo(f"{self.path}: figure, {len(content) / 1000:,.0f} kB.", err=True)


def picture(path: str, kind: str | None) -> Picture:
    """Returns the figure to draw, after checking that it can be drawn: before anything is computed.

    Args:
        path: the file to write.
        kind: the name of the figure, or None.

    Raises:
        click.UsageError: the file extension is not that of a format.
        DataError: matplotlib is not installed.
    """
    from carob.output.pictures.figures import canvas

    if os.path.splitext(path)[1].lower() not in ENDINGS:
        raise click.UsageError(
            f"--figure: '{path}' ends in none of {', '.join(ENDINGS)}. The file extension determines the format."
        )
    canvas()
    return Picture(path, kind)
