"""The command ``carob history``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from carob.cli.options import options, refuse_misuse, split
from carob.cli.terminal import answer

if TYPE_CHECKING:
    from carob.cli.figures import Picture


@click.command("history")
@click.argument("files", nargs=-1, required=True, metavar="[NAME=]RECORD...")
@options("history")
def history_command(
    files: tuple[str, ...],
    measures: tuple[str, ...],
    run: str | None,
    alpha: float,
    layout: str,
    figure: Picture | None,
) -> None:
    """Show how the values of records changed, and the step where they fell.

    Pass files of 'carob eval --record', the oldest first. Each step is tested with the queries that both records have.

    \b
        carob history v1.json v2.json v3.json -m nDCG@10
    """
    from carob.inputs.run import refuse_alike
    from carob.testing.history import history

    refuse_misuse(*files)
    pairs = [split(each) for each in files]
    names = [path.removesuffix(".json") if name is None else name for name, path in pairs]
    refuse_alike(names)
    paths = [path for _, path in pairs]
    answer(history(dict(zip(names, paths, strict=True)), measures, run, alpha), layout, figure=figure)
