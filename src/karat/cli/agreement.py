"""``karat agreement``: how far two judges agree, and what the choice of one does to systems."""

from __future__ import annotations

from typing import Any

import click

from karat.cli.options import (
    Inputs,
    exclude_option,
    input_options,
    policy_of,
    policy_options,
    refuse_two_readers,
    request_options,
)
from karat.cli.terminal import coloured, say, text_columns

__all__ = ["agreement_command"]


@click.command("agreement")
@click.argument("a", metavar="A.QRELS")
@click.argument("b", metavar="B.QRELS")
@click.argument("runs", nargs=-1, metavar="[[NAME=]RUN]...")
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
@click.option("--seed", type=click.IntRange(0), help="of the resamples")
@request_options
@click.option("--format", "layout", type=click.Choice(("text", "json", "markdown")), default="text")
@input_options
@exclude_option
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
    from karat.comparison.agreement import agreement

    inputs, policy = Inputs.taken(axes), policy_of(axes, lenient=lenient)
    refuse_two_readers(a, b, *runs, inputs.exclude)
    chosen = {} if seed is None else {"seed": seed}
    found = agreement(
        inputs.qrels(a, policy, profile, list(measures) or None),
        inputs.qrels(b, policy, profile, list(measures) or None),
        [inputs.run(each) for each in runs] or None,
        list(measures) or None,
        pool=pool,
        policy=policy,
        profile=profile,
        alpha=alpha,
        resamples=resamples,
        **chosen,
    )
    if layout == "text":
        say(coloured("agreement", found.to_text(text_columns())))
    else:
        say(found.to_json() if layout == "json" else found.to_markdown())
