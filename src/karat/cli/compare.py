"""The commands ``karat compare``, ``karat report`` and ``karat agreement``."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from karat.cli.options import (
    Given,
    alpha_option,
    format_option,
    paths_of,
    present,
    refuse_two_readers,
    seed_option,
    shared,
    split,
)
from karat.cli.terminal import answer, in_colour, painted, say, steps, text_columns
from karat.comparison.findings import CORRECTIONS, TESTS

if TYPE_CHECKING:
    from collections.abc import Callable


BESIDE = ("weights", "cluster", "by")
"""Options that name files."""

NARROWEST = 60


def comparing(command: Callable[..., None]) -> Any:
    """Gives a command the options that ``compare`` and ``report`` share."""
    for option in (
        click.option(
            "--judged-at",
            type=click.IntRange(1),
            metavar="K",
            help="depth at which to count unjudged documents",
        ),
        seed_option,
        click.option(
            "--resamples",
            type=click.IntRange(1),
            help="resamples of a random test  [default: 10,000, or more if Holm's correction needs them]",
        ),
        alpha_option,
        click.option(
            "--correction",
            type=click.Choice(list(CORRECTIONS)),
            help="correction for multiple comparisons  [default: holm]",
        ),
        click.option(
            "--test",
            type=click.Choice(list(TESTS)),
            help="significance test  [default: t; for all pairs of three or more runs: tukey]",
        ),
        click.option(
            "-b", "--baseline", metavar="RUN", help="compare every run with this one, by name or path"
        ),
        click.option(
            "-m",
            "--measure",
            "measures",
            multiple=True,
            help="measure to compare; may be repeated, the first is the primary measure",
        ),
        click.argument("files", nargs=-1, metavar="QRELS [NAME=]RUN [NAME=]RUN..."),
    ):
        command = option(command)
    return command


@click.command("compare")
@comparing
@click.option(
    "--family",
    type=click.Choice(("measure", "all")),
    default="measure",
    help="which tests to correct together: those of each measure, or all",
)
@click.option(
    "--confidence", type=float, default=0.95, show_default=True, help="confidence level of the intervals"
)
@click.option(
    "--bootstrap", is_flag=True, help="compute intervals from resampled queries instead of Student's t"
)
@click.option(
    "--rope",
    type=float,
    metavar="D",
    help="show the probabilities that a run is worse, equal within D, or better",
)
@click.option("--margin", type=float, metavar="D", help="test whether runs differ by less than D")
@click.option(
    "--cluster",
    metavar="FILE",
    help="file of 'query cluster' lines: clusters of queries that depend on each other",
)
@click.option(
    "--by", metavar="FILE", help="file of 'query group' lines: groups of queries to show separately"
)
@click.option(
    "--weights", metavar="FILE", help="file of 'query weight' lines: weights of queries in the means"
)
@click.option(
    "--orders", is_flag=True, help="show how similarly measures rank the runs, and runs rank the documents"
)
@click.option(
    "--names",
    type=click.Choice(("file", "tag")),
    default="file",
    help="name runs after their files, or by the tags in them",
)
@click.option(
    "--pairs",
    type=click.Choice(("top", "all")),
    default="top",
    help="show only the top pairs of runs, or all",
)
@click.option("--top", type=click.IntRange(1), metavar="N", help="show only the N best runs (all are tested)")
@click.option(
    "--worst",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="show, for each pair of runs, the N queries on which the first run loses by the most",
)
@format_option("json", "csv", "tsv", "markdown", "latex")
@click.option("--label", help="label of the LaTeX table, for \\ref")
@click.option("--caption", help="caption of the LaTeX table  [default: a description of the method]")
@click.option(
    "--record", metavar="FILE", help="also write a record: hashes of the inputs, versions and all values"
)
@shared()
def compare_command(
    files: tuple[str, ...],
    layout: str,
    label: str | None,
    caption: str | None,
    record: str | None,
    pairs: str,
    top: int | None,
    worst: int,
    given: Given,
    **options: Any,
) -> None:
    """Compare runs: which is better, by how much, and whether it may be due to chance.

    QRELS and RUN are files in TREC format, plain or compressed, or tables (Parquet, CSV, JSON lines …). Folders and
    quoted patterns work too, and '-' stands for standard input. A run is named after its file, or by the name before
    an equals sign:

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
    beside = [options[each] for each in BESIDE]
    if record is not None:
        refuse_overwriting(record, paths_of(*files, given.exclude, *beside))
    refuse_two_readers(*files, given.exclude, *beside)
    found = compared(files[0], files[1:], given, **options)
    if record is not None:
        from karat.testing.record import record as write_record

        write_record(found, record)
    shown: dict[str, Any] = {"pairs": pairs, "top": top, "worst": worst}
    if layout == "text":
        from karat.comparison.formats import document_of
        from karat.comparison.tables import View

        drawn = document_of(found, View(**shown))
        say(drawn.text(text_columns(NARROWEST), painted if in_colour() else None))
    elif layout == "latex":
        say(found.to_latex(label, caption, **shown))
    elif layout == "markdown":
        say(found.to_markdown(**shown))
    elif layout == "json":
        say(found.to_json())
    else:
        from karat.comparison.formats import separated

        say(separated(found, layout), data=True)


def compared(
    qrels: str,
    paths: tuple[str, ...],
    given: Given,
    *,
    measures: tuple[str, ...],
    names: str,
    bootstrap: bool,
    weights: str | None,
    **options: Any,
) -> Any:
    """Calls ``karat.compare`` with the options."""
    from karat.comparison.compare import compare
    from karat.comparison.runs import tag_of
    from karat.conventions.request import conventions
    from karat.inputs.query_files import read_weights
    from karat.output.progress import watched

    policy = conventions(given.profile, given.policy)[1]
    runs = [given.run(each) for each in paths]
    if names == "tag":
        runs = [
            run if split(each)[0] else replace(run, name=tag_of(run))
            for run, each in zip(runs, paths, strict=True)
        ]
    with watched(sum(run.source.size or 0 for run in runs if run.source)) as progress:
        return compare(
            given.qrels(qrels, measures or None),
            runs,
            list(measures) or None,
            policy=policy,
            profile=given.profile,
            interval="bootstrap" if bootstrap else "t",
            weights=None if weights is None else read_weights(weights),
            progress=progress,
            **present(options),
        )


@click.command("report")
@comparing
@click.option(
    "-o", "--output", required=True, metavar="FILE", help="file for the page; '-' is standard output"
)
@click.option(
    "--queries", metavar="FILE", help="file of query texts: lines id<TAB>text, or JSON lines with id and text"
)
@click.option(
    "--documents",
    metavar="FILE",
    help="file of document texts, in the formats of --queries, with an optional title",
)
@click.option("--title", help="title of the page")
@shared()
def report_command(
    files: tuple[str, ...], output: str, measures: tuple[str, ...], given: Given, **options: Any
) -> None:
    """Write a report that compares runs, as one HTML page.

    The page shows which run is better, how certain that is, the ranked lists of each query, and how each value is
    computed. It needs no network. QRELS and RUN are files in TREC format or tables (Parquet, CSV, JSON lines …). A run
    is named after its file, or by the name before an equals sign:

    \b
        karat report qrels.txt bm25.run dense.run -o report.html
        karat report qrels.txt old=a/x.run new=b/x.run -o page.html --title New
    """
    from karat.output.files import refuse_overwriting
    from karat.reports import report
    from karat.reports.page import portable

    if len(files) < 3:
        raise click.UsageError("Give a QRELS file and at least two RUNs.")
    read = (*files, options["queries"], options["documents"], given.exclude)
    refuse_two_readers(*read)
    if output != "-":
        refuse_overwriting(output, paths_of(*read))
    with steps() as tell:
        made = report(
            given.qrels(files[0], measures or None),
            [given.run(each) for each in files[1:]],
            list(measures) or None,
            command=shlex.join(["karat", *portable(sys.argv[1:])]) if sys.argv[1:2] == ["report"] else None,
            progress=tell,
            **given.conventions,
            **present(options),
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
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    help="measure for ranking the runs; may be repeated  [default: nDCG@10 and AP]",
)
@click.option(
    "--pool",
    type=click.Choice(("own", "both")),
    default="own",
    show_default=True,
    help="score runs under each judge's own judgments, or only on documents that both judged",
)
@alpha_option
@click.option(
    "--resamples", type=click.IntRange(1), default=1000, show_default=True, help="resamples for the intervals"
)
@seed_option
@format_option("json", "markdown")
@shared()
def agreement_command(
    a: str,
    b: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    layout: str,
    given: Given,
    **options: Any,
) -> None:
    """Measure how far two judges agree, and whether their judgments rank the runs in the same order.

    A.QRELS contains the judgments of the reference judge, and B.QRELS those of the judge to test, such as a language
    model.
    """
    from karat.comparison.agreement import agreement

    refuse_two_readers(a, b, *runs, given.exclude)
    found = agreement(
        given.qrels(a, measures or None),
        given.qrels(b, measures or None),
        [given.run(each) for each in runs] or None,
        list(measures) or None,
        **given.conventions,
        **present(options),
    )
    answer("agreement", found, layout)
