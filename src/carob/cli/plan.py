"""The command ``carob plan``."""

from __future__ import annotations

from typing import Any

import click

from carob.cli.options import Given, options
from carob.cli.people_and_model import inputs_of, scores_in


@click.command("plan")
@click.argument("files", nargs=-1, metavar="QRELS [NAME=]RUN [NAME=]RUN... | SCORES...")
@options("plan")
def plan_command(
    files: tuple[str, ...],
    given: Given,
    preregister: str | None,
    planned_queries: str | None,
    **aims: Any,
) -> None:
    """Compute how many queries a comparison needs, from a pilot with few queries.

    The pilot is a set of queries with judgments and at least two runs, whose differences should vary as much as in the
    planned comparison. Instead of QRELS and RUN, you can pass SCORES: files with existing per-query scores.

    \b
        carob plan qrels.txt bm25.run dense.run --difference 0.02
        carob plan qrels.txt bm25.run dense.run --non-inferiority 0.01 --power 0.9
    """
    from carob.planning.plan import plan

    if planned_queries is not None and preregister is None:
        raise click.UsageError("--planned-queries needs --preregister.")
    found = plan(scores_given(files, given), **aims)
    if preregister is not None:
        found.preregister(preregister, queries=planned_queries, baseline=aims["baseline"])
    given.answer(found)


def scores_given(files: tuple[str, ...], given: Given) -> Any:
    """Returns the scores of at least two runs, from judgments and runs or from files with per-query scores.

    Raises:
        click.UsageError: there are too few files.
    """
    files, existing = inputs_of(files, None, given, 3, "Pass a QRELS file and at least two RUNs.")
    if existing:
        return scores_in(files, given)
    from carob.evaluation.evaluate import evaluate

    judgments, runs = given.qrels(files[0], given.measures), given.runs(files[1:])
    return evaluate(judgments, runs, given.measures, **given.conventions)
