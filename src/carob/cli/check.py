"""The command ``carob check``, which finds mistakes in judgments and runs."""

from __future__ import annotations

import sys

import click

from carob.cli.options import Given, options, refuse_misuse, split
from carob.cli.terminal import answer


@click.command("check")
@click.argument("files", nargs=-1, required=True, metavar="QRELS [[NAME=]RUN]...")
@options("check")
def check_command(
    files: tuple[str, ...], measures: tuple[str, ...], layout: str, strict: bool, given: Given
) -> None:
    """Find mistakes in judgments and runs, show their effect on the scores, and suggest remedies.

    QRELS and RUN are files in TREC format, plain or compressed, or tables (Parquet, CSV, JSON lines …). Folders and
    quoted patterns work too, and '-' stands for standard input. The exit code is 0 without warnings or errors, 1 with
    warnings, and 2 with errors.
    """
    from carob.diagnosis.check import check
    from carob.inputs.run import refuse_alike

    refuse_misuse(*files)
    pairs = [split(each) for each in files[1:]]
    names = [name for name, _ in pairs if name is not None]
    refuse_alike(names)
    # A repeated file without a name is a finding, and a dict would hide the repetition.
    runs = [{name or path: path for name, path in pairs}] if names else files[1:]
    found = check(
        files[0],
        *runs,
        **({"measures": measures} if measures else {}),
        qrels_columns=given.columns["qrels"],
        run_columns=given.columns["run"],
        folders=given.folders,
    ).on_command_line()
    answer(found, layout)
    sys.exit(2 if strict and found.exit_code else found.exit_code)
