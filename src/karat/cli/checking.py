"""``karat check``: what is wrong with judgments and runs, before anything is measured."""

from __future__ import annotations

import sys

import click

from karat.cli.colour import coloured
from karat.cli.speech import say, terminal_width
from karat.errors import DataError

__all__ = ["check_command"]

NARROWEST, WIDEST = 40, 100


@click.command("check")
@click.argument("files", nargs=-1, required=True, metavar="QRELS [RUN]...")
@click.option(
    "-m", "--measure", "measures", multiple=True, help="tell effects in these  [default: AP, nDCG@10]"
)
@click.option(
    "--format", "layout", type=click.Choice(("text", "json", "markdown")), default="text", show_default=True
)
@click.option("--strict", is_flag=True, help="exit with 2 for warnings too")
def check_command(files: tuple[str, ...], measures: tuple[str, ...], layout: str, strict: bool) -> None:
    """Say what is wrong with judgments and runs, what it does to the numbers, and what to do.

    QRELS and RUN are TREC files, plain or compressed, or tables (Parquet, CSV, JSON lines …): files, folders,
    patterns in quotes; '-' is standard input. Exits with 0 where nothing is
    wrong, 1 with warnings, 2 with errors.
    """
    from karat.checking import check

    if files.count("-") > 1:
        raise DataError("Standard input ('-') can be read once: give files for the others.")
    found = check(*files, measures=measures) if measures else check(*files)
    if layout == "text":
        columns = min(max(terminal_width(), NARROWEST), WIDEST) if sys.stdout.isatty() else 80
        say(coloured("check", found.to_text(columns)))
    else:
        say(getattr(found, f"to_{layout}")())
    code = found.exit_code
    sys.exit(2 if strict and code else code)
