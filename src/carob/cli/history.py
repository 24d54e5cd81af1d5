"""The command ``carob history``."""

from __future__ import annotations

import click

from carob.cli.options import Given, options, split


@click.command("history")
@click.argument("files", nargs=-1, required=True, metavar="[NAME=]RECORD...")
@options("history")
def history_command(files: tuple[str, ...], run: str | None, alpha: float, given: Given) -> None:
    """Show how values changed from record to record, and at which step they fell.

    Pass files written by 'carob eval --record', oldest first. Each step is tested on the queries that both records
    contain.

    \b
        carob history v1.json v2.json v3.json -m nDCG@10
    """
    from carob.inputs.run import refuse_alike
    from carob.testing.history import history

    pairs = [split(each) for each in files]
    names = [path.removesuffix(".json") if name is None else name for name, path in pairs]
    refuse_alike(names)
    paths = [path for _, path in pairs]
    given.answer(history(dict(zip(names, paths, strict=True)), given.measures or (), run, alpha))
