"""The option ``--figure``, which writes figures of a result to files."""

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
    """The figures that ``--figure`` requests.

    Args:
        kinds: for each file to write, the name of the figure; None for the result's first figure.
    """

    kinds: dict[str, str | None]

    def draw(self, found: Result, **chosen: Any) -> None:
        """Draws the figures of a result, writes their files, and reports these on standard error.

        Args:
            found: the result.
            chosen: what the figures show, as arguments of the result's ``to_figure``.

        Raises:
            DataError: the result has no figure with that name.
        """
        from carob.output.files import write_whole
        from carob.output.pictures.figures import image

        images = {
            path: image(found.to_figure(kind, **chosen), os.path.splitext(path)[1].lower())
            for path, kind in self.kinds.items()
        }
        for path, content in images.items():
            write_whole(path, content)
            click.echo(f"{path}: figure, {len(content) / 1000:,.0f} kB.", err=True)


def picture(given: list[tuple[str | None, str]]) -> Picture:
    """Returns the figures to draw. Checks that they can be drawn before anything is computed.

    Args:
        given: the name of each figure, or None, and the file to write.

    Raises:
        click.UsageError: the file extension does not belong to a format, or two figures have the same file.
        DataError: matplotlib is not installed.
    """
    from carob.output.pictures.figures import canvas

    kinds: dict[str, str | None] = {}
    for kind, path in given:
        if os.path.splitext(path)[1].lower() not in ENDINGS:
            raise click.UsageError(
                f"--figure: the extension of '{path}' determines the format, but is not one of "
                f"{', '.join(ENDINGS)}. Use one of these extensions."
            )
        if path in kinds:
            raise click.UsageError(
                f"--figure: '{path}' is given twice. Use a different file for each figure."
            )
        kinds[path] = kind
    canvas()
    return Picture(kinds)
