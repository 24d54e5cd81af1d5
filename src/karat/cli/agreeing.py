"""``karat agreement``: how far two judges agree, and what the choice of one does to systems."""

from __future__ import annotations

from typing import Any

import click

from karat.cli.colour import coloured
from karat.cli.options import policy_of, policy_options
from karat.cli.speech import say
from karat.errors import DataError

__all__ = ["agreement_command"]


@click.command("agreement")
@click.argument("a", metavar="A.QRELS")
@click.argument("b", metavar="B.QRELS")
@click.argument("runs", nargs=-1, metavar="[RUN]...")
@click.option("-m", "--measure", "measures", multiple=True, help="of the runs  [default: nDCG@10 and AP]")
@click.option(
    "--pool",
    type=click.Choice(("own", "both")),
    default="own",
    show_default=True,
    help="score runs on the documents each judge judged, or on those that both did",
)
@click.option("--alpha", type=click.FloatRange(0, 1, True, True), default=0.05, show_default=True)
@click.option("--resamples", type=click.IntRange(1), default=1000, show_default=True, help="for intervals")
@click.option("--seed", type=int, help="of the resamples")
@click.option("--profile", help="read names and decide as that tool does, e.g. trec_eval-9")
@click.option("--format", "layout", type=click.Choice(("text", "json", "markdown")), default="text")
@policy_options
def agreement_command(
    a: str,
    b: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    pool: str,
    alpha: float,
    resamples: int,
    seed: int | None,
    profile: str | None,
    layout: str,
    lenient: bool,
    **axes: Any,
) -> None:
    """Say how far two judges agree, and with runs, whether they order systems alike.

    A.QRELS is the reference, B.QRELS the judge in question, such as a language model.
    """
    from karat.agreements import agreement

    if (a, b, *runs).count("-") > 1:
        raise DataError("Standard input ('-') can be read once: give files for the others.")
    chosen = {} if seed is None else {"seed": seed}
    found = agreement(
        a,
        b,
        list(runs) or None,
        list(measures) or None,
        pool=pool,
        policy=policy_of(axes, lenient=lenient),
        profile=profile,
        alpha=alpha,
        resamples=resamples,
        **chosen,
    )
    text = {"text": found.to_text, "json": found.to_json, "markdown": found.to_markdown}[layout]()
    say(coloured("agreement", text) if layout == "text" else text)
