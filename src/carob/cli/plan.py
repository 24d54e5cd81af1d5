"""The command ``carob plan``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from carob.cli.options import Given, options, refuse_few, refuse_misuse
from carob.cli.people_and_model import scores_in
from carob.cli.terminal import answer

if TYPE_CHECKING:
    from carob.cli.figures import Picture


@click.command("plan")
@click.argument("files", nargs=-1, metavar="QRELS [NAME=]RUN [NAME=]RUN... | SCORES...")
@options("plan")
def plan_command(
    files: tuple[str, ...],
    measures: tuple[str, ...],
    layout: str,
    figure: Picture | None,
    given: Given,
    preregister: str | None,
    planned_queries: str | None,
    **aims: Any,
) -> None:
    """Say how many queries a comparison needs, from a pilot with few queries.

    The pilot is a set of queries with judgments and at least two runs, whose differences should vary as they will in
    the comparison. Instead of QRELS and RUN, you can pass SCORES: files with existing per-query scores.

    \b
        carob plan qrels.txt bm25.run dense.run --difference 0.02
        carob plan qrels.txt bm25.run dense.run --non-inferiority 0.01 --power 0.9
    """
    from carob.planning.plan import plan

    if planned_queries is not None and preregister is None:
        raise click.UsageError("--planned-queries needs --preregister.")
    refuse_misuse(*files, planned_queries, given.exclude, output=preregister)
    found = plan(scores_given(files, measures, given), **aims)
    if preregister is not None:
        found.preregister(preregister, queries=planned_queries, baseline=aims["baseline"])
    answer(found, layout, figure=figure)


def scores_given(files: tuple[str, ...], measures: tuple[str, ...], given: Given) -> Any:
    """Returns the scores of at least two runs, from judgments and runs or from files with per-query scores.

    Raises:
        click.UsageError: there are too few files.
    """
    existing = bool(files) and given.scores(files[0])
    if not existing:
        files = given.with_judgments(files)
        refuse_few(files, 3, "Pass a QRELS file and at least two RUNs.")
    refuse_misuse(*files, given.exclude)
    if existing:
        return scores_in(files, given, measures)
    from carob.evaluation.evaluate import evaluate

    runs = given.runs(files[1:])
    return evaluate(
        given.qrels(files[0], measures or None), runs, list(measures) or None, **given.conventions
    )
