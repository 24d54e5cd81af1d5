"""``karat report``: runs in, one HTML page out that works without a network."""

from __future__ import annotations

import shlex
import sys
from typing import Any

import click

from karat.cli.compare import CORRECTIONS, TESTS
from karat.cli.options import (
    Inputs,
    exclude_option,
    input_options,
    paths_of,
    policy_of,
    policy_options,
    refuse_two_readers,
    request_options,
)
from karat.cli.terminal import say, steps

__all__ = ["report_command"]


@click.command("report")
@click.argument("files", nargs=-1, metavar="QRELS [NAME=]RUN [NAME=]RUN...")
@click.option("-o", "--output", required=True, metavar="FILE", help="the page; '-' is standard output")
@click.option("-m", "--measure", "measures", multiple=True, help="the first is the primary one")
@click.option("-b", "--baseline", metavar="RUN", help="compare every run with this one, by name or path")
@click.option(
    "--queries", metavar="FILE", help="the queries' words: id<TAB>text, or JSON lines with id and text"
)
@click.option(
    "--documents", metavar="FILE", help="the documents' words in the same way, perhaps with a title"
)
@click.option("--title", help="of the page")
@click.option("--test", type=click.Choice(TESTS), help="t; of all pairs of three runs or more tukey")
@click.option("--correction", type=click.Choice(CORRECTIONS), help="for many comparisons; holm")
@click.option("--alpha", type=float, default=0.05, show_default=True, help="significant is a p below it")
@click.option("--resamples", type=click.IntRange(1), help="of a test that draws; 10,000, or what Holm needs")
@click.option("--seed", type=click.IntRange(0), help="of the resamples")
@click.option("--judged-at", type=click.IntRange(1), metavar="K", help="how deep unjudged documents count")
@request_options
@input_options
@exclude_option
@policy_options
def report_command(
    files: tuple[str, ...],
    output: str,
    measures: tuple[str, ...],
    baseline: str | None,
    queries: str | None,
    documents: str | None,
    title: str | None,
    test: str | None,
    correction: str | None,
    alpha: float,
    resamples: int | None,
    seed: int | None,
    judged_at: int | None,
    profile: str | None,
    lenient: bool,
    **axes: Any,
) -> None:
    """Show how runs compare, as one HTML page.

    The page needs no network: which run is better and how sure that is, query by query, with the ranked lists and how
    each value comes about. QRELS and RUN are TREC files or tables (Parquet, CSV, JSON lines …); a run is called what
    its file is, or what stands before the equals sign:

    \b
        karat report qrels.txt bm25.run dense.run -o report.html
        karat report qrels.txt old=a/x.run new=b/x.run --queries queries.tsv --documents docs.jsonl -o report.html
    """
    from karat.output.files import refuse_overwriting
    from karat.reports import report
    from karat.reports.page import portable

    if len(files) < 3:
        raise click.UsageError("Give a QRELS file and at least two RUNs.")
    inputs, policy = Inputs.taken(axes), policy_of(axes, lenient=lenient)
    refuse_two_readers(*files, queries, documents, inputs.exclude)
    if output != "-":
        refuse_overwriting(output, paths_of(*files, queries, documents, inputs.exclude))
    settings: dict[str, Any] = {} if seed is None else {"seed": seed}
    with steps() as tell:
        made = report(
            inputs.qrels(files[0], policy, profile, list(measures) or None),
            [inputs.run(each) for each in files[1:]],
            list(measures) or None,
            baseline=baseline,
            queries=queries,
            documents=documents,
            title=title,
            command=shlex.join(["karat", *portable(sys.argv[1:])]) if sys.argv[1:2] == ["report"] else None,
            policy=policy,
            profile=profile,
            test=test,
            correction=correction,
            alpha=alpha,
            resamples=resamples,
            judged_at=judged_at,
            progress=tell,
            **settings,
        )
    if output == "-":
        say(made.html)
    else:
        made.save(output)
        size = len(made.html.encode()) / 1e6
        click.echo(f"{output}: {made.summary}, {size:.1f} MB.", err=True)
