"""``karat compare``, ``karat report`` and ``karat agreement``: which run is better, and how far judges agree."""

from __future__ import annotations

import shlex
import sys
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
from karat.cli.terminal import coloured, in_colour, painted, say, steps, text_columns
from karat.conventions.policy import CHOICES

__all__ = ["agreement_command", "compare_command", "report_command"]


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
