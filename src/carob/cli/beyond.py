"""The command ``carob beyond``."""

from __future__ import annotations

from typing import Any

import click

from carob._dataclasses import replace
from carob.cli.options import Given, options


@click.command("beyond")
@click.argument("files", nargs=-1, required=True, metavar="[NAME=]RUN...")
@options("beyond")
def beyond_command(
    files: tuple[str, ...],
    relevant: str | None,
    baseline: str | None,
    per_query: bool,
    given: Given,
    **inputs: Any,
) -> None:
    """Measure recommendations: coverage, evenness, novelty, diversity, popularity, surprise, and accuracy.

    A RUN lists the recommended items of each user, best first or with scores. Without -m, all measures that can be
    computed from the files are shown.

    \b
        carob beyond als.run --train train.csv --catalogue items.txt --depth 10
        carob beyond *.run -m nDCG@10 -m NumItems@10 --relevant test.csv
    """
    from carob.conventions.policy import Policy
    from carob.evaluation.beyond_accuracy import beyond_accuracy

    policy = given.policy or Policy()
    seen, given = given.exclude, replace(given, exclude=None)  # also removed from the lists of the baseline
    runs = given.runs(files)
    found = beyond_accuracy(
        runs if len(runs) > 1 else runs[0],
        given.measures,
        relevant=None if relevant is None else given.qrels(relevant),
        baseline=None if baseline is None else given.run(baseline, *files),
        depth=policy.depth,
        exclude=seen,
        policy=policy.changed(depth=None),
        **inputs,
    )
    found = found.with_users() if per_query else found
    given.answer(found, what="users" if per_query else None)
