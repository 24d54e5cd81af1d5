"""``karat compare``: runs in, which is better and whether by chance."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from karat.cli.options import (
    Inputs,
    exclude_option,
    input_options,
    paths_of,
    policy_of,
    policy_options,
    refuse_two_readers,
    request_options,
    split,
)
from karat.cli.terminal import in_colour, painted, say, text_columns
from karat.conventions.policy import CHOICES

__all__ = ["compare_command"]

FORMATS = ("text", "json", "csv", "tsv", "markdown", "latex")
TESTS = ("t", "randomisation", "tukey", "max-t", "wilcoxon", "sign")
CORRECTIONS = ("holm", "bonferroni", "bh", "none")
BESIDE = ("weights", "cluster", "by")
"""Options that name files."""

NARROWEST = 60


@click.command("compare")
@click.argument("files", nargs=-1, metavar="QRELS [NAME=]RUN [NAME=]RUN...")
@click.option("-m", "--measure", "measures", multiple=True, help="the first is the primary one")
@click.option("-b", "--baseline", metavar="RUN", help="compare every run with this one, by name or path")
@click.option("--test", type=click.Choice(TESTS), help="t; of all pairs of three runs or more tukey")
@click.option("--correction", type=click.Choice(CORRECTIONS), help="for many comparisons; holm")
@click.option("--alpha", type=float, default=0.05, show_default=True, help="significant is a p below it")
@click.option("--family", type=click.Choice(("measure", "all")), default="measure", help="corrected together")
@click.option("--resamples", type=click.IntRange(1), help="of a test that draws; 10,000, or what Holm needs")
@click.option("--seed", type=click.IntRange(0), help="of the resamples")
@click.option("--confidence", type=float, default=0.95, show_default=True, help="of the intervals")
@click.option("--bootstrap", is_flag=True, help="intervals from resampled queries, not Student's t")
@click.option("--rope", type=float, metavar="D", help="how probable worse, the same within D, better are")
@click.option("--margin", type=float, metavar="D", help="test whether runs differ by less than D")
@click.option("--cluster", metavar="FILE", help="'query cluster' lines: queries that depend on each other")
@click.option("--by", metavar="FILE", help="'query group' lines: groups of queries shown apart")
@click.option("--weights", metavar="FILE", help="'query weight' lines: what queries weigh in the means")
@click.option("--orders", is_flag=True, help="how alike measures order runs, and runs documents")
@click.option("--judged-at", type=click.IntRange(1), metavar="K", help="how deep unjudged documents count")
@click.option("--names", type=click.Choice(("file", "tag")), default="file", help="what runs are called")
@click.option("--pairs", type=click.Choice(("top", "all")), default="top", help="of many, which are shown")
@click.option("--top", type=click.IntRange(1), metavar="N", help="show the N best runs; all are tested")
@click.option(
    "--worst",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="show each pair's N queries on which its first run is furthest behind",
)
@request_options
@click.option("--format", "layout", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option("--label", help="with latex, what \\ref calls the table")
@click.option("--caption", help="with latex, in place of what was done")
@click.option("--record", metavar="FILE", help="write hashes, versions and all values to this file too")
@input_options
@exclude_option
@policy_options
def compare_command(
    files: tuple[str, ...],
    measures: tuple[str, ...],
    names: str,
    pairs: str,
    top: int | None,
    worst: int,
    profile: str | None,
    layout: str,
    label: str | None,
    caption: str | None,
    record: str | None,
    lenient: bool,
    **options: Any,
) -> None:
    """Say which run is better, by how much, and whether by chance.

    QRELS and RUN are TREC files, plain or compressed, or tables (Parquet, CSV, JSON lines …): files, folders,
    patterns in quotes; '-' is standard input. A run is called what its file is, or what stands before the equals
    sign:

    \b
        karat compare qrels.txt bm25.run dense.run --baseline bm25
        karat compare qrels.txt old=a/x.run new=b/x.run -m nDCG@10 -m RR
    """
    from karat.output.files import refuse_overwriting

    if len(files) < 3:
        raise click.UsageError("Give a QRELS file and at least two RUNs.")
    if worst and layout in ("csv", "tsv"):
        raise click.UsageError(
            f"--worst lists queries, and {layout} has a row a pair: choose another format; json has all values."
        )
    if record is not None:
        beside = [options[each] for each in BESIDE]
        refuse_overwriting(record, paths_of(*files, options["exclude"], *beside))
    found = compared(files[0], files[1:], list(measures) or None, names, profile, options, lenient=lenient)
    if record is not None:
        from karat.testing.record import record as write_record

        write_record(found, record)
    if layout == "text":
        from karat.comparison.tables import View

        say(as_text(found, View(pairs, top, worst), text_columns(NARROWEST)))
    elif layout == "latex":
        say(found.to_latex(label, caption, pairs=pairs, top=top, worst=worst))
    elif layout == "markdown":
        say(found.to_markdown(pairs=pairs, top=top, worst=worst))
    elif layout == "json":
        say(found.to_json())
    else:
        from karat.comparison.formats import separated

        say(separated(found, layout), data=True)


def as_text(found: Any, view: Any, columns: int) -> str:
    """The text for standard output, in colour where that shows."""
    from karat.comparison.formats import text

    layout = "terminal" if in_colour() else "text"
    return text(found, view, columns=columns, layout=layout, style=painted)


def compared(
    qrels: str,
    paths: tuple[str, ...],
    measures: list[str] | None,
    names: str,
    profile: str | None,
    options: dict[str, Any],
    *,
    lenient: bool,
) -> Any:
    """Call ``karat.compare`` with what was given on the command line."""
    from karat.comparison import compare
    from karat.comparison.runs import tag_of
    from karat.conventions.request import conventions
    from karat.inputs.query_files import read_weights
    from karat.output.progress import watched

    axes = {key: options.pop(key) for key in list(options) if key in CHOICES or key == "depth"}
    inputs = Inputs.taken(options)
    refuse_two_readers(qrels, inputs.exclude, *paths, *(options[each] for each in BESIDE))
    policy = conventions(profile, policy_of(axes, lenient=lenient))[1]
    runs = [inputs.run(each) for each in paths]
    if names == "tag":
        runs = [
            run if split(each)[0] else replace(run, name=tag_of(run))
            for run, each in zip(runs, paths, strict=True)
        ]
    interval = "bootstrap" if options.pop("bootstrap") else "t"
    seed, weights = options.pop("seed"), options.pop("weights")
    if seed is not None:
        options["seed"] = seed
    with watched(sum(run.source.size or 0 for run in runs if run.source)) as progress:
        return compare(
            inputs.qrels(qrels, policy, profile, measures),
            runs,
            measures,
            policy=policy,
            profile=profile,
            interval=interval,
            weights=None if weights is None else read_weights(weights),
            progress=progress,
            **options,
        )
