"""The command ``carob eval``, which scores runs."""

from __future__ import annotations

import sys
from typing import Any

import click

from carob.cli.options import Given, options, refuse_few, weights_in
from carob.cli.people_and_model import ESTIMATES, judging_in, refuse_unusable, show_estimates, without_qrels
from carob.cli.terminal import in_colour, painted, say, say_beside, terminal_width
from carob.inputs.sources import kind_of

DATA = ("csv", "tsv")
BOTH = ("lines", "parquet", "arrow")
"""Kinds of files that may contain both retrieved and relevant documents, with one row per query."""


@click.command("eval")
@click.argument("files", nargs=-1, metavar="QRELS [NAME=]RUN...")
@options("eval")
@without_qrels
def eval_command(
    files: tuple[str, ...],
    judged_ranking: str | None,
    weights: str | None,
    by: str | None,
    record_path: str | None,
    given: Given,
    **options: Any,
) -> None:
    """Score runs against relevance judgments.

    QRELS and RUN are files in TREC format, plain or compressed, tables (Parquet, CSV, JSON lines …), or a golden set
    and its results in JSON. Folders and quoted patterns also work, and '-' stands for standard input. The table has a
    row for each run. The name of a run is its file name, or the name before an equals sign, as in old=a/x.run.

    With --collections instead of QRELS, each measure has a table of runs and collections. A run has the same file name
    in each collection, or a path in which {collection} stands for the collection's name.
    """
    collections, absent = options.pop("collections"), options.pop("absent")
    if collections is not None:
        from carob.cli.collections import evaluated_several, show_scores

        found = evaluated_several(files, collections, absent or "skip", given)
        show_scores(found, given, per_query=options["per_query"], digits=options["digits"])
        return
    if absent is not None:
        raise click.UsageError("--absent needs --collections.")
    judging = judging_in(options)
    if judging["people"] is not None:
        others = {"weights": weights, "by": by, "record": record_path, "judged-ranking": judged_ranking}
        refuse_unusable({**options, "lang": None, **others}, ESTIMATES)
        show_estimates(judging, files, given)
        return
    if options["tie_bounds"] and (options["per_query"] or by is not None):
        beside = "per-query" if options["per_query"] else "by"
        raise click.UsageError(f"--tie-bounds shows bounds of means over all queries: leave out --{beside}.")
    bounded = options.pop("unjudged_bounds")
    highest, unseen = options.pop("max_grade"), options.pop("unseen")
    unfit = weights is not None or judged_ranking is not None
    refuse_unbounded(bounded, {"max-grade": highest, "unseen": unseen}, given.layout, unfit)
    judgments: Any = None
    ranked, bounds = [], None
    named: dict[str, Any] = {**given.conventions, "weights": weights_in(weights), "by": by}
    if judged_ranking is not None:
        if files:
            raise click.UsageError(
                "--judged-ranking replaces QRELS and RUN: pass either --judged-ranking, or QRELS and RUN."
            )
        from carob.evaluation.evaluate import evaluate_judged_ranking

        ranking = given.qrels(judged_ranking, given.measures)
        scores = [evaluate_judged_ranking(ranking, given.measures, **named)]
    else:
        files = given.with_judgments(files)
        files = (files * 2) if len(files) == 1 and kind_of(files[0]) in BOTH else files
        refuse_few(
            files,
            2,
            "Pass a QRELS file and at least one RUN. A single table of retrieved_ids and reference_ids can "
            "replace both.",
        )
        judgments, ranked = given.qrels(files[0], given.measures), given.runs(files[1:])
        if bounded:
            from carob.inputs.run import held_together

            ranked = held_together(ranked)  # for the values, and for the bounds
        scores = evaluate_all(judgments, ranked, given, named, judged=record_path is not None)
    if record_path is not None:
        from carob.testing.record import record

        record(scores, record_path)
    if bounded:
        from carob.estimation.unjudged_bounds import unjudged_bounds

        grades: dict[str, Any] = {"max_grade": highest, "unseen": unseen or 0}
        bounds = unjudged_bounds(
            judgments, ranked, given.measures, pairs=False, **grades, **given.conventions
        )
    show(scores, given.layout, bounds, **options)
    if any(each.failed for each in scores):
        sys.exit(2)  # a warning has already explained this


def refuse_unbounded(bounded: bool, needing: dict[str, Any], layout: str, unfit: bool) -> None:
    """Rejects options that cannot be combined with ``--unjudged-bounds``, and options that require it.

    Raises:
        click.UsageError: one of these options was given.
    """
    for name, value in needing.items():
        if value is not None and not bounded:
            raise click.UsageError(f"--{name} needs --unjudged-bounds.")
    if bounded and unfit:
        raise click.UsageError(
            "--unjudged-bounds needs QRELS and RUNs: leave out --weights and --judged-ranking."
        )
    if bounded and layout in DATA:
        raise click.UsageError(
            f"--unjudged-bounds cannot be shown in the format {layout}: choose another format, such as json."
        )


def evaluate_all(
    judgments: Any, ranked: list[Any], given: Given, named: dict[str, Any], *, judged: bool
) -> Any:
    """Returns the scores of every run against the same judgments, which are read once.

    Args:
        judgments: the judgments.
        ranked: the runs.
        given: the measures and conventions.
        named: further arguments of ``carob.evaluate``.
        judged: whether the scores should record how completely the runs are judged.
    """
    from carob.evaluation.evaluate import evaluate
    from carob.output.progress import watched

    wanted = beside_judged(given) if judged else given.measures
    with watched(sum(run.source.size or 0 for run in ranked if run.source)) as progress:
        scores = list(evaluate(judgments, ranked, wanted, progress=progress, **named).values())
    if wanted == given.measures:
        return scores
    from carob.evaluation.scores import with_judged

    return [with_judged(each) for each in scores]


def beside_judged(given: Given) -> list[str] | None:
    """Returns the measures and, unless it is among them, the measure of how completely a run is judged."""
    from carob.conventions.request import conventions, labelled
    from carob.evaluation.scores import JUDGED
    from carob.measures import parse_measure

    asked = given.measures
    measures = labelled(asked, conventions(given.profile, given.policy)[0])
    if JUDGED in measures or parse_measure(JUDGED) in measures.values():
        return asked
    return [*(asked or measures), JUDGED]


def show(
    scores: Any,
    layout: str,
    bounds: Any = None,
    *,
    per_query: bool,
    digits: int | None,
    tie_bounds: bool,
    top: int | None = None,
    lang: str = "en",
) -> None:
    """Writes the scores of runs, and the bounds for unjudged documents, to standard output in the requested format."""
    from carob.evaluation.score_tables import SAME, best_first, board, document_to_keep, footers
    from carob.output.escaping import json_text, sentence
    from carob.output.formats import format_named
    from carob.output.language import language_named
    from carob.output.layout import COLUMNS, folded

    if layout == "json":
        from carob.evaluation.scores import Tabled

        found = document_to_keep(scores, per_query=per_query)
        more = {} if bounds is None else {"unjudged_bounds": bounds.contents()}
        say(json_text(Tabled.versioned({**found, **more})) + "\n")
        return
    language = language_named(lang)
    form = None if layout in ("text", *DATA) else format_named(layout)
    beside = layout in DATA if form is None else form.notes == "beside"
    notes = [*map(sentence, footers(scores, language, without=SAME if beside else ()))]
    if top is not None and layout not in DATA and top < len(scores):
        said = "{count:more run was/more runs were} scored but not shown (--top {top})"
        notes.insert(0, language(said, count=len(scores) - top, top=top))
        scores = best_first(scores)[:top]
    columns = terminal_width() if layout == "text" and sys.stdout.isatty() else None
    drawn = "terminal" if layout == "text" and in_colour() else layout
    table = board(scores, drawn, per_query=per_query, digits=digits, columns=columns, tie_bounds=tie_bounds)
    if form is not None:
        table += "" if bounds is None else bounds.document().written(form)
        table += "" if beside else form.lines(notes)
        table = form.page(table, ", ".join(each.name for each in scores), language.name)
    say(table, data=layout in DATA)
    if beside:
        say_beside(notes)
    elif form is None:
        if bounds is not None:
            say(f"\n{bounds.to_text(columns or COLUMNS)}\n")
        under = "".join(f"{line}\n" if columns is None else folded(line, columns, "  ") for line in notes)
        say(painted(under, "footer"))
