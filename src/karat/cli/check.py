"""``karat check``: what is wrong with judgments and runs, before anything is measured."""

from __future__ import annotations

import sys
from typing import Any

import click

from karat.cli.options import Inputs, import_option, input_options, refuse_two_readers, split
from karat.cli.terminal import coloured, say, text_columns

__all__ = ["check_command"]


@click.command("check")
@import_option
@click.argument("files", nargs=-1, required=True, metavar="QRELS [[NAME=]RUN]...")
@click.option(
    "-m", "--measure", "measures", multiple=True, help="tell effects in these  [default: AP, nDCG@10]"
)
@click.option(
    "--format", "layout", type=click.Choice(("text", "json", "markdown")), default="text", show_default=True
)
@click.option("--strict", is_flag=True, help="exit with 2 for warnings too")
@input_options
def check_command(
    files: tuple[str, ...], measures: tuple[str, ...], layout: str, strict: bool, **options: Any
) -> None:
    """Say what is wrong with judgments and runs, what it does to the numbers, and what to do.

    QRELS and RUN are TREC files, plain or compressed, or tables (Parquet, CSV, JSON lines …): files, folders,
    patterns in quotes; '-' is standard input. Exits with 0 where nothing is
    wrong, 1 with warnings, 2 with errors.
    """
    from karat.diagnosis.check import check
    from karat.inputs.run import refuse_alike

    refuse_two_readers(*files)
    inputs = Inputs.taken(options)
    named = [split(each) for each in files[1:]]
    given = [name for name, _ in named if name is not None]
    refuse_alike(given)
    # One file twice under no name is a finding.
    runs = {name or path: path for name, path in named} if given else {}
    if measures:
        options["measures"] = measures
    found = check(
        files[0],
        *([runs] if runs else files[1:]),
        qrels_columns=inputs.columns["qrels"],
        run_columns=inputs.columns["run"],
        folders=inputs.folders,
        **options,
    ).on_command_line()
    if layout == "text":
        say(coloured("check", found.to_text(text_columns())))
    else:
        say(getattr(found, f"to_{layout}")())
    code = found.exit_code
    sys.exit(2 if strict and code else code)
