"""``karat gate`` and ``karat verify``: has it got worse, and are the numbers still the same?"""

from __future__ import annotations

import sys

import click

from karat.cli.speech import say
from karat.errors import DataError

__all__ = ["verify_command"]


@click.command("verify")
@click.argument("path", metavar="RECORD")
@click.option("--qrels", metavar="FILE", help="the judgments, where they are no longer at the path recorded")
@click.option("--run", "runs", multiple=True, metavar="NAME=FILE", help="the same for a run; may be repeated")
@click.option(
    "--tolerance", type=click.FloatRange(0), default=1e-12, show_default=True, help="between values"
)
@click.option("--format", "layout", type=click.Choice(("text", "json")), default="text", show_default=True)
def verify_command(
    path: str, qrels: str | None, runs: tuple[str, ...], tolerance: float, layout: str
) -> None:
    """Make a record's scores again and say what differs.

    RECORD is what 'karat eval --record' or 'karat compare --record' wrote. Exit code 0: all is as recorded; 1: an
    input, the policy or a value differs; 2: something cannot be read.
    """
    from karat.records import read, verify

    names = read(path).names if runs else []
    found = verify(path, qrels, dict(named(each, names) for each in runs), tolerance=tolerance)
    say(found.to_json() if layout == "json" else found.to_text())
    if not found.equal:
        sys.exit(1)


def named(option: str, names: list[str]) -> tuple[str, str]:
    """NAME=FILE as name and file; a name may have a '=' in it.

    Raises:
        DataError: no run of that name.
    """
    for name in sorted(names, key=len, reverse=True):
        if option.startswith(f"{name}="):
            return name, option[len(name) + 1 :]
    raise DataError(f"--run {option}: expected NAME=FILE, with NAME one of: {', '.join(names)}.")
