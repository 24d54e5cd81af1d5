"""The command ``carob run``."""

from __future__ import annotations

import sys
from typing import Any

import click

from carob.cli.options import Given, options, refuse_few

ONE_LINE = 10**6
"""A width larger than any sentence, so each file takes one line."""


@click.command("run")
@click.argument("files", nargs=-1, metavar="RUN...")
@options("run")
def run_command(
    files: tuple[str, ...],
    output: str,
    kept: int | None,
    queries: str | None,
    judged: str | None,
    given: Given,
    **choices: Any,
) -> None:
    """Convert, cut, merge, split or filter a run.

    \b
        carob run bm25.run -o bm25.tsv --to msmarco
        carob run bm25.run -o top.run.gz --depth 100 --queries dev.txt
        carob run shard1.run shard2.run -o whole.parquet
        carob run bm25.run -o 'fold-{}.run' --split-by folds.txt

    Several files are treated as parts of one run. Each list is ranked by score, ties are ordered by --ties, and ranks
    are numbered from 1. The last line on standard error reports how much was written and how much was left out.
    """
    from carob.writing.write_run import write_run

    refuse_few(files, 1, "Pass at least one RUN.")
    runs: list[Any] = given.runs(files)
    found = write_run(
        runs if len(runs) > 1 else runs[0],
        sys.stdout.buffer if output == "-" else output,
        depth=kept,
        queries=queries,
        judged=None if judged is None else given.qrels(judged),
        policy=given.policy,
        **choices,
    )
    click.echo(found.to_text(ONE_LINE).rstrip("\n"), err=True)
