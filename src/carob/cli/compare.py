"""The commands ``carob compare``, ``carob report`` and ``carob agreement``."""

from __future__ import annotations

import shlex
import sys
from typing import Any

import click

from carob._dataclasses import replace
from carob.cli.collections import compared_several, report_several, several_in
from carob.cli.options import Given, fields_taken, grouped, options, present, split, weights_in
from carob.cli.people_and_model import (
    inputs_of,
    judging_given,
    judging_in,
    refuse_unusable,
    scores_in,
    without_qrels,
)
from carob.cli.terminal import say, show_tables, size_said, steps

TWO_RUNS = (
    "Pass a QRELS file and at least two RUNs, or files of per-query scores in the format of trec_eval -q, ir_measures "
    "-q or carob eval -q --format csv."
)


@click.command("compare")
@click.argument("files", nargs=-1, metavar="QRELS [NAME=]RUN [NAME=]RUN... | SCORES...")
@options("compare")
@without_qrels
def compare_command(
    files: tuple[str, ...],
    pair: tuple[str, str] | None,
    label: str | None,
    caption: str | None,
    record_path: str | None,
    given: Given,
    **options: Any,
) -> None:
    """Show which run is better, by how much, and whether the difference may be due to chance.

    QRELS and RUN are files in TREC format, plain or compressed, tables (Parquet, CSV, JSON lines …), or a golden set
    and its results in JSON. Folders and quoted patterns also work, and '-' stands for standard input. The name of a run
    is its file name, or the name before an equals sign:

    \b
        carob compare qrels.txt bm25.run dense.run --baseline bm25
        carob compare qrels.txt old=a/x.run new=b/x.run -m nDCG@10 -m RR
        carob compare --people some.txt --judge model.txt bm25.run dense.run
        carob compare --collections beir
        carob compare --collections beir 'a/{collection}.run' 'b/{collection}.run'

    With --people and --judge instead of QRELS, means and differences are estimated from people's judgments of some
    queries and a model's judgments of all queries.

    With --collections instead of QRELS, runs are compared on several collections together. A run has the same file name
    in each collection, or a path in which {collection} stands for the collection's name.

    Instead of QRELS and RUN, you can pass SCORES, files with existing per-query scores: tables (CSV, TSV, JSON lines or
    Parquet), or the output of 'trec_eval -q', 'ir_measures -q' or 'carob eval -q --format csv'.
    """
    from carob.comparison.tables import CommonView, View

    several, layout = several_in(options), given.layout
    view = fields_taken(options, View if several["collections"] is None else CommonView)
    if view["pairs"] == "none" and (layout != "latex" or several["collections"] is not None):
        raise click.UsageError("--pairs none needs --format latex, and cannot be used with --collections.")
    if several["collections"] is not None:
        refuse_pair(pair, given, several=True)
        whole = compared_several(files, several, given, options)
        if given.figure is not None:
            given.figure.draw(whole)
        show_tables(whole, layout, label, caption, **view)
        return
    refuse_pair(pair, given)
    judging = judging_in(options)
    files, existing = inputs_of(files, judging["people"], given, 3, TWO_RUNS)
    queries = next((name for name in ("worst", "gains") if view[name]), None)
    if queries is not None and layout in ("csv", "tsv"):
        raise click.UsageError(
            f"--{queries} lists queries, but the {layout} output has one row per pair: choose another format, "
            "such as json."
        )
    options |= judging_given(judging, given, existing=existing)
    if record_path is not None and judging["judge"] is not None:
        raise click.UsageError("--record stores scores, not estimates: leave out --record or --judge.")
    if existing:
        refuse_unusable(
            {
                "judged-at": options["judged_at"],
                "orders": options["orders"],
                "weights": options["weights"],
                "record": record_path,
                "second-assessor": options["second_assessor"],
                "names tag": options["names"] == "tag",
            }
        )
        found = compared_scores(files, given, **options)
    else:
        found = compared(files[0], files[1:], given, **options)
    if record_path is not None:
        from carob.testing.record import record

        record(found, record_path)
    if given.figure is not None:
        given.figure.draw(found, pair=pair)
    show_tables(found, layout, label, caption, **view)


def refuse_pair(pair: tuple[str, str] | None, given: Given, *, several: bool = False) -> None:
    """Rejects ``--pair`` unless a requested figure shows a single pair.

    Raises:
        click.UsageError: a pair was given that no figure shows.
    """
    kinds = set() if given.figure is None else {*given.figure.kinds.values()}
    if pair is not None and (several or kinds.isdisjoint((None, "differences"))):
        needed = "cannot be used with --collections" if several else "needs --figure differences=FILE"
        raise click.UsageError(
            f"--pair chooses the pair of runs for a figure of per-query differences, and {needed}."
        )


def compared_scores(files: tuple[str, ...], given: Given, **options: Any) -> Any:
    """Calls ``carob.compare`` with the per-query scores in files."""
    from carob.comparison.compare import compare

    scores = scores_in(files, given)
    usable = {
        key: each for key, each in options.items() if key not in ("names", "weights", "orders", "judged_at")
    }
    return compare(None, scores, **grouped(usable))


def compared(
    qrels: str,
    paths: tuple[str, ...],
    given: Given,
    *,
    names: str,
    weights: str | None,
    second_assessor: str | None,
    **options: Any,
) -> Any:
    """Calls ``carob.compare`` with the options."""
    from carob.comparison.compare import compare
    from carob.conventions.request import conventions
    from carob.evaluation.evidence import tag_of
    from carob.output.progress import watched

    policy = conventions(given.profile, given.policy)[1]
    runs = given.runs(paths)
    if names == "tag":
        runs = [
            run if split(each)[0] else replace(run, name=tag_of(run))
            for run, each in zip(runs, paths, strict=True)
        ]
    second = None if second_assessor is None else given.qrels(second_assessor, given.measures)
    with watched(sum(run.source.size or 0 for run in runs if run.source)) as progress:
        return compare(
            given.qrels(qrels, given.measures),
            runs,
            given.measures,
            policy=policy,
            profile=given.profile,
            progress=progress,
            **grouped({**options, "weights": weights_in(weights), "second_assessor": second}),
        )


@click.command("report")
@click.argument("files", nargs=-1, metavar="QRELS [NAME=]RUN... | SCORES...")
@options("report")
@without_qrels
def report_command(files: tuple[str, ...], output: str, given: Given, **options: Any) -> None:
    """Write a report on a run, or a comparison of several runs, as one HTML page.

    The page shows which run is better, how certain this result is, the ranked lists of each query, and how each value
    is computed. For a single run, it shows the scores and the hardest queries. The page works without a network. QRELS
    and RUN are files in TREC format, tables (Parquet, CSV, JSON lines …), or a golden set and its results in JSON. The
    name of a run is its file name, or the name before an equals sign:

    \b
        carob report qrels.txt bm25.run dense.run -o report.html
        carob report qrels.txt old=a/x.run new=b/x.run -o page.html --title New
        carob report --collections beir -o report.html

    With --people and --judge instead of QRELS, the page shows estimates from people's judgments of some queries and a
    model's judgments of all queries. Instead of QRELS and RUN, you can pass SCORES, files with existing per-query
    scores.

    With --collections instead of QRELS, the page compares runs on several collections.
    """
    several = several_in(options)
    if several["collections"] is not None:
        report_several(files, output, several, given, options)
        return
    for name in ("rope", "top", "pairs"):
        if options.pop(name) not in (None, "top"):
            raise click.UsageError(f"--{name} needs --collections.")
    from carob.reports import report
    from carob.reports.page import portable

    judging = judging_in(options)
    remedy = "Pass a QRELS file and at least one RUN."
    files, existing = inputs_of(files, judging["people"], given, 2, remedy)
    options |= judging_given(judging, given, existing=existing)
    with steps() as tell:
        made = report(
            None if existing else given.qrels(files[0], given.measures),
            scores_in(files, given) if existing else given.runs(files[1:]),
            given.measures,
            command=shlex.join(["carob", *portable(sys.argv[1:])]) if sys.argv[1:2] == ["report"] else None,
            progress=tell,
            **({} if existing else given.conventions),
            **grouped(options),
        )
    if output == "-":
        say(made.html)
    else:
        made.save(output)
        click.echo(f"{output}: {made.summary}, {size_said(made.html)}.", err=True)


@click.command("agreement")
@click.argument("a", metavar="A.QRELS")
@click.argument("b", metavar="B.QRELS")
@click.argument("runs", nargs=-1, metavar="[[NAME=]RUN]...")
@options("agreement")
def agreement_command(
    a: str,
    b: str,
    runs: tuple[str, ...],
    top: int,
    given: Given,
    **options: Any,
) -> None:
    """Measure how well two judges agree, and whether their judgments rank the runs in the same order.

    A.QRELS contains the judgments of the reference judge. B.QRELS contains the judgments of the judge to test, such as
    a language model.
    """
    from carob.judges.agreement import agreement

    found = agreement(
        given.qrels(a, given.measures),
        given.qrels(b, given.measures),
        given.runs(runs) or None,
        given.measures,
        **given.conventions,
        **present(options),
    )
    given.answer(replace(found, top=top))
