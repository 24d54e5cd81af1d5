"""The command ``carob best``."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import click

from carob.cli.options import Given, options, present
from carob.cli.plan import scores_given


@click.command("best")
@click.argument("files", nargs=-1, metavar="QRELS [NAME=]RUN [NAME=]RUN... | SCORES...")
@options("best")
def best_command(
    files: tuple[str, ...],
    collections: str | None,
    absent: str | None,
    given: Given,
    **choices: Any,
) -> None:
    """Select the best of many runs, and estimate how good it will be on other queries.

    The best of many runs looks better than it is, because it was selected on the same queries. Instead of QRELS and
    RUN, you can pass SCORES: files with existing per-query scores.

    \b
        carob best qrels.txt variants/*.run -m nDCG@10
        carob best qrels.txt bm25.run dense-*.run --baseline bm25
        carob best qrels.txt *.run --hold-out 0.3 --open --ledger openings.jsonl
        carob best --collections beir -m nDCG@10

    With --collections instead of QRELS, each collection plays the role of a query: the run is selected on most
    collections and scored on the others.
    """
    from carob.comparison.design import HoldOut, Resampling
    from carob.selection.best import best

    if choices["open_held_out"] and None in (choices["hold_out"], choices["ledger"]):
        raise click.UsageError("--open needs --hold-out and --ledger, the file that records the openings.")
    if collections is not None:
        from carob.cli.collections import evaluated_several

        scores = evaluated_several(files, collections, absent or "refuse", given)
    elif absent is not None:
        raise click.UsageError("--absent needs --collections.")
    else:
        scores = scores_given(files, given)
    share, salt, opened, ledger = (
        choices.pop(name) for name in ("hold_out", "salt", "open_held_out", "ledger")
    )
    hold_out = None if share is None else HoldOut(share, salt or "", opened=opened, ledger=ledger)
    resampling = Resampling(**present({each.name: choices.pop(each.name) for each in fields(Resampling)}))
    given.answer(best(scores, resampling=resampling, hold_out=hold_out, **present(choices)))
