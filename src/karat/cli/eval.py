"""``karat eval``: runs in, a table of scores out."""

from __future__ import annotations

import sys
from typing import Any

import click

from karat.cli.options import (
    Inputs,
    exclude_option,
    input_options,
    language_in,
    language_option,
    paths_of,
    policy_of,
    policy_options,
    refuse_two_readers,
    request_options,
)
from karat.cli.terminal import in_colour, painted, say, terminal_width
from karat.inputs.files.sniff import kind_of

__all__ = ["evaluate_all", "evaluate_command"]

DATA = ("csv", "tsv")
BOTH = ("lines", "parquet", "arrow")
"""Kinds of files of which one may hold, a question a row, what was retrieved and what was wanted."""
FORMATS = ("text", "json", "csv", "tsv", "markdown", "latex")


@click.command("eval")
@click.argument("files", nargs=-1, metavar="QRELS [NAME=]RUN...")
@click.option("--judged-ranking", metavar="FILE", help="score 'query Q0 document grade' lines in rank order")
@click.option(
    "-m", "--measure", "measures", multiple=True, help="AP, P@10, 'nDCG(gain=exp2)@10', map, all_trec …"
)
@click.option("-q", "--per-query", is_flag=True, help="also a row per query")
@click.option("--tie-bounds", is_flag=True, help="each mean also under the worst and the best order of ties")
@click.option("--weights", metavar="FILE", help="'query weight' lines: what queries weigh in the means")
@request_options
@click.option("--format", "layout", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option("--digits", type=click.IntRange(0, 17), help="decimals in tables")
@click.option(
    "--record", "record_path", metavar="OUT.JSON", help="write hashes, versions and all values: see verify"
)
@input_options
@exclude_option
@language_option
@policy_options
def evaluate_command(
    files: tuple[str, ...],
    judged_ranking: str | None,
    measures: tuple[str, ...],
    per_query: bool,
    weights: str | None,
    profile: str | None,
    layout: str,
    tie_bounds: bool,
    digits: int | None,
    record_path: str | None,
    lenient: bool,
    lang: str | None,
    **axes: Any,
) -> None:
    """Score runs against relevance judgments.

    QRELS and RUN are TREC files, plain or compressed, or tables (Parquet, CSV, JSON lines …): files, folders,
    patterns in quotes; '-' is standard input. One row a run, called what its file is or what stands before the equals
    sign: old=a/x.run.
    """
    if tie_bounds and per_query:
        raise click.UsageError("--tie-bounds speaks of means: leave out --per-query.")
    inputs = Inputs.taken(axes)
    policy = policy_of(axes, lenient=lenient)
    asked = list(measures) or None
    refuse_two_readers(weights, judged_ranking, inputs.exclude, *files)
    if record_path is not None:
        from karat.output.files import refuse_overwriting

        refuse_overwriting(record_path, paths_of(weights, judged_ranking, inputs.exclude, *files))
    weighed = weights_in(weights)
    if judged_ranking is not None:
        if files:
            raise click.UsageError(
                "--judged-ranking takes the place of QRELS and RUN: give one or the other."
            )
        from karat.evaluation.evaluate import evaluate_judged_ranking

        scores = [
            evaluate_judged_ranking(judged_ranking, asked, policy=policy, profile=profile, weights=weighed)
        ]
    else:
        files = (files * 2) if len(files) == 1 and kind_of(files[0]) in BOTH else files
        if len(files) < 2:
            raise click.UsageError(
                "Give a QRELS file and at least one RUN. A table of retrieved_ids and reference_ids is both."
            )
        scores = evaluate_all(files[0], files[1:], asked, policy, profile, weighed, inputs)
    if record_path is not None:
        from karat.testing.record import record

        record(scores, record_path)
    spoken = language_in(lang)
    show(scores, layout, per_query=per_query, digits=digits, tie_bounds=tie_bounds, lang=spoken)
    if any(each.failed for each in scores):
        sys.exit(2)  # why was said on standard error


def weights_in(path: str | None) -> dict[str, float] | None:
    """The weights in a file; None without one."""
    from karat.inputs.query_files import read_weights

    return None if path is None else read_weights(path)


def evaluate_all(
    qrels: str,
    runs: tuple[str, ...],
    asked: list[str] | None,
    policy: Any,
    profile: str | None,
    weights: dict[str, float] | None,
    inputs: Inputs,
) -> Any:
    """Score every run against the same judgments, read once."""
    from karat.evaluation.evaluate import evaluate
    from karat.output.progress import watched

    judged = inputs.qrels(qrels, policy, profile, asked)
    ranked = [inputs.run(run) for run in runs]
    with watched(sum(run.source.size or 0 for run in ranked if run.source)) as progress:
        found = evaluate(
            judged, ranked, asked, policy=policy, profile=profile, weights=weights, progress=progress
        )
        return list(found.values())


def show(
    scores: Any, layout: str, *, per_query: bool, digits: int | None, tie_bounds: bool, lang: str = "en"
) -> None:
    """Print the scores of all runs in the format asked for."""
    from karat.evaluation.score_tables import board, footers, to_json
    from karat.output.escaping import markdown, sentence
    from karat.output.language import language_named
    from karat.output.tables import folded

    if layout == "json":
        say(to_json(scores, per_query=per_query))
        return
    columns = terminal_width() if layout == "text" and sys.stdout.isatty() else None
    drawn = "terminal" if layout == "text" and in_colour() else layout
    say(
        board(scores, drawn, per_query=per_query, digits=digits, columns=columns, tie_bounds=tie_bounds),
        data=layout in DATA,
    )
    if layout in ("csv", "tsv", "latex"):
        return
    lines = list(map(sentence, footers(scores, language_named(lang))))
    if layout == "markdown":
        # Two blanks at its end keep a line apart from the next.
        say("\n" + "  \n".join(map(markdown, lines)) + "\n")
    else:
        under = "".join(f"{line}\n" if columns is None else folded(line, columns, "  ") for line in lines)
        say(painted(under, "footer"))
