"""Formats a comparison as text, Markdown, LaTeX, HTML, JSON, CSV, data frames and figures."""

from __future__ import annotations

import os
import re
from functools import partial
from typing import TYPE_CHECKING, Any

from carob._dataclasses import replace
from carob._numpy import np
from carob.comparison.cautions import sentences_of
from carob.comparison.findings import (
    GroupResult,
    Pair,
    best_named,
    facing_pairs,
    pair_names,
    pairs_named,
    ranked,
    turned,
)
from carob.comparison.tables import (
    EVERYTHING,
    Footer,
    View,
    in_overview,
    interval_title,
    joint_title,
    pairs_to_show,
    ranking,
    sheets_of,
    tied_best,
    with_legend,
)
from carob.comparison.verdict import (
    digits_of,
    heading,
    joint_said,
    joint_shown,
    judge_said,
    letters_said,
    margin_said,
    method,
    verdict_of,
)
from carob.evaluation.score_tables import document_to_keep as scores_document
from carob.output import escaping
from carob.output.document import Document, Items, Line, Section
from carob.output.errors import DataError, did_you_mean
from carob.output.formats import lay_out
from carob.output.formats.latex import FORMAT as LATEX
from carob.output.layout import column, decimals, listed, marked, width
from carob.output.pictures.figures import ROW, literal, whiskers
from carob.output.results import Records

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from carob.comparison.findings import Contest, Findings
    from carob.output.document import Part
    from carob.output.pictures.figures import Drawing


LEAST_SHARED = 4
"""The minimum length of a shared start or end; a shorter one is not dropped."""


def document_of(comparison: Findings, view: View = EVERYTHING, layout: str = "text") -> Document:
    """Returns the heading, the verdict, the tables, the method and the warnings.

    In text, a start or an end that all names of runs share is dropped, and a line states it.
    """
    above, verdict = heading(comparison), verdict_of(comparison).headline
    if in_overview(comparison, view):
        verdict = f"{verdict} {margin_said(comparison)}"
    said, warnings = [*judge_said(comparison), *method(comparison)], sentences_of(comparison)
    if layout != "text":
        sheets = sheets_of(comparison, view)
        said = with_legend(sheets, said, joint_said(comparison))
        parts: list[Part] = [
            Line(above.replace(" | ", " · ")),
            Line(verdict, "answer"),
            *sheets,
            *bounds_shown(comparison),
        ]
        return Document([Section([*parts, Line(" ".join(said)), Items([f"! {each}" for each in warnings])])])
    before, after = shared_ends(comparison.names)
    names = tuple(name[len(before) : len(name) - len(after)] for name in comparison.names)
    ends = [f"'{before}' before them"] * bool(before) + [f"'{after}' after them"] * bool(after)
    sheets = sheets_of(replace(comparison, names=names), view)
    first, *others = sheets
    left_out = [Line(f"All names contain {' and '.join(ends)}.")] if ends else []
    blocks: list[list[Part]] = [[Line(above)], [Line(verdict, "verdict")], [first, *left_out]]
    blocks += [[each] for each in others]
    blocks += [[each] for each in bounds_shown(replace(comparison, names=names))]
    footer = Footer(said, "footer", hang=0, sheets=tuple(sheets), legend=joint_said(comparison))
    return Document([*map(Section, blocks), Section([footer]), Section.warned(warnings)])


def bounds_shown(comparison: Findings) -> list[Part]:
    """Returns tables of the bounds over the grades of unjudged documents, followed by an explanation."""
    if comparison.unjudged is None:
        return []
    found = replace(comparison.unjudged, names=comparison.names)
    return [*found.tables(facing_pairs(comparison)), Items(found.meaning_said(), "footer", hang=0)]


def latex(
    comparison: Findings, view: View = EVERYTHING, *, label: str | None = None, caption: str | None = None
) -> str:
    """Returns a floating booktabs table of scores with superscript letters, and of differences between pairs.

    The caption states the method.
    """
    if view.pairs == "none":
        return compact_latex(comparison, view, label=label, caption=caption)
    sheets = sheets_of(comparison, view)
    tables = [lay_out("latex", sheet.header, sheet.rows, sheet.names) for sheet in sheets]
    methods = with_legend(sheets, method(comparison), joint_said(comparison))
    said = " ".join([f"{heading(comparison).replace(' | ', ', ')}.", *judge_said(comparison), *methods])
    warnings = sentences_of(comparison)
    return floating(tables, said if caption is None else caption, label, warnings)


def compact_latex(comparison: Findings, view: View, *, label: str | None, caption: str | None) -> str:
    """Returns one floating table (runs by measures) with daggers, and with the method in notes below it.

    A dagger marks each run that differs significantly from the baseline or, without a baseline, from the measure's best
    run.
    """
    shown, baseline, columns = ranking(comparison, view), comparison.settings.baseline, []
    for contest in comparison.contests.values():
        digits, against = digits_of(len(comparison.ids), contest), baseline
        against = ranked(contest)[0] if against is None else against
        texts = column(decimals, contest.means, digits=digits)
        best = tied_best(contest, texts)
        raised = ["†" * contest.differ(run, against) for run in shown]
        columns.append(marked([texts[run] for run in shown], raised, [best[run] for run in shown]))
    other = "the best run of the column" if baseline is None else comparison.names[baseline]
    daggers = f"† differs significantly from {other}."
    table = lay_out(
        "latex",
        ["run", *comparison.labels],
        [[comparison.names[run], *cells] for run, cells in zip(shown, zip(*columns), strict=True)],
        frozenset({0}),
    )
    unshown = {letters_said(comparison), joint_said(comparison)}
    notes = " ".join(
        [daggers, *judge_said(comparison), *(each for each in method(comparison) if each not in unshown)]
    )
    below = f"{table}\n\\smallskip\n\\parbox{{\\linewidth}}{{\\footnotesize {LATEX.escape(notes)}}}\n"
    above = f"{heading(comparison).replace(' | ', ', ')}." if caption is None else caption
    return floating([below], above, label, sentences_of(comparison))


def floating(tables: Sequence[str], caption: str, label: str | None, warnings: Sequence[str]) -> str:
    """Returns tables in one LaTeX ``table`` environment, preceded by comments that contain the warnings."""
    remarks = "".join(f"% ! {escaping.sentence(each)}\n" for each in warnings)
    return (
        f"% needs \\usepackage{{booktabs}}\n{remarks}\\begin{{table}}\n\\centering\n"
        f"\\caption{{{LATEX.escape(caption)}}}\n"
        + (f"\\label{{{label}}}\n" if label else "")
        + "\n\\medskip\n\n".join(tables)
        + "\\end{table}\n"
    )


def contents(comparison: Findings) -> dict[str, Any]:
    """Returns the content of the JSON: per-query scores as written by ``carob eval -q``, and the comparison."""
    scores = scores_document(comparison.scores, per_query=True)
    for run, (written, name) in enumerate(zip(scores["runs"], comparison.names, strict=True)):
        written |= {"name": name, "letter": comparison.primary.marks[run], "judged": comparison.judged[run]}
    shown = ("means", "low", "high", "letters", "smaller_is_better", "anova")
    contests = {
        label: {name: getattr(contest, name) for name in shown}
        | {
            "groups": [*map(group_contents, contest.groups)],
            "pairs": pairs_named(comparison.names, contest),
        }
        for label, contest in comparison.contests.items()
    }
    whole = {
        **best_named(comparison.names, comparison.primary),
        "qrels": comparison.qrels_name,
        "queries": len(comparison.ids),
        "settings": comparison.settings,
        "judged_depth": comparison.judged_depth,
        "contests": contests,
        "orders": comparison.orders,
        **({"other_tests": comparison.other_tests} if comparison.other_tests else {}),
        **({"preregistration": comparison.preregistration} if comparison.preregistration else {}),
        **(
            {}
            if comparison.judge is None
            else {"judge": comparison.judge, "exact": comparison.exact, "judge_said": judge_said(comparison)}
        ),
        **({} if comparison.assessors is None else {"assessors": comparison.assessors}),
        **({} if comparison.unjudged is None else {"unjudged_bounds": comparison.unjudged.contents()}),
        "verdict": verdict_of(comparison).headline,
        "method": method(comparison),
        "warnings": comparison.warnings,
    }
    return scores | whole


def group_contents(group: GroupResult) -> dict[str, Any]:
    """Returns the JSON content for one group of queries, including the method of each pair's interval and p.

    It contains no corrected p, because p is not corrected within groups.
    """
    pairs = [{**vars(pair), "method": "worst-point" if pair.worst_point else "t"} for pair in group.pairs]
    for each in pairs:
        del each["p_corrected"]
    return {**vars(group), "pairs": pairs}


def refuse_without_pairs(comparison: Findings, remedy: str) -> None:
    """Refuses to show pairs if there are only estimates of single runs.

    Raises:
        DataError: there are no pairs of runs.
    """
    if not comparison.primary.pairs:
        raise DataError(
            f"There are no pairs of runs to show, only values: use {remedy}, or carob.compare with two or more runs."
        )


def pair_records(comparison: Findings) -> Records:
    """Returns a row for each measure and pair.

    Raises:
        DataError: there are only estimates, which have no pairs.
    """
    refuse_without_pairs(comparison, "the table 'runs'")
    found = {label: contest.pairs for label, contest in comparison.contests.items()}
    return records_of_pairs(Pair, comparison.names, found).without_empty(Pair)


def records_of_pairs(kind: type, names: Sequence[str], found: Mapping[str, Sequence[Any]]) -> Records:
    """Returns a row for each measure and pair.

    Args:
        kind: the class of the pairs, whose fields are the columns.
        names: the runs.
        found: the pairs of each measure.
    """
    rows = [(label, names[pair.a], names[pair.b], pair) for label, pairs in found.items() for pair in pairs]
    return Records.of(kind, rows, ["measure", "run", "other"], without=("a", "b"))


def run_records(comparison: Findings) -> Records:
    """Returns a row for each measure and run."""
    rows = [
        (label, *row)
        for label, each in comparison.contests.items()
        for row in zip(
            comparison.names, each.marks, each.means, each.low, each.high, each.letters, strict=True
        )
    ]
    return Records(["measure", "run", "letter", "mean", "low", "high", "better_than"], rows)


def query_records(comparison: Findings) -> Records:
    """Returns a row for each measure, run and query."""
    rows = [
        (label, name, query, value)
        for label, contest in comparison.contests.items()
        for name, values in zip(comparison.names, contest.values.T.tolist(), strict=True)
        for query, value in zip(comparison.queries, values, strict=True)
    ]
    return Records(["measure", "run", "query", "value"], rows)


WIDE = 24
"""If the widest name exceeds this width, the start and the end that all names share are dropped."""


def shared_ends(names: Sequence[str]) -> tuple[str, str]:
    """Returns the start and the end that all names share, in whole words, or empty strings if none should be dropped.

    Example:
        >>> from carob.comparison.formats import shared_ends
        >>> shared_ends(["submission-2026_bm25_base.final", "submission-2026_dense_base.final"])
        ('submission-2026_', '_base.final')
    """
    if len(names) < 2 or max(map(width, names)) <= WIDE:
        return "", ""
    before = re.sub(r"[^-_./: ]*\Z", "", os.path.commonprefix(names))  # noqa: RUF071 - of any text
    rests = [name[len(before) :] for name in names]
    after = os.path.commonprefix([rest[::-1] for rest in rests])[::-1]  # noqa: RUF071 - of any text
    after = re.sub(r"\A[^-_./: ]*", "", after)
    if not all(len(rest) > len(after) for rest in rests):
        after = ""
    before = before if len(before) >= LEAST_SHARED and all(rests) else ""
    return before, after if len(after) >= LEAST_SHARED else ""


# ---------------------------------------------------------------- figures


def figures_of(
    comparison: Findings, measure: str | None, pair: tuple[str, str] | None = None
) -> dict[str, Drawing]:
    """Returns the functions that draw the figures of a comparison. If there are no pairs, ``intervals`` is first."""
    contest = comparison.primary if measure is None else comparison[measure]
    kinds: dict[str, Callable[..., tuple[float, float]]] = {
        "pairs": pairs,
        "intervals": intervals,
        "differences": partial(differences, named=pair),
        "orders": orders,
    }
    order = kinds if contest.pairs else ("intervals", "orders", "pairs", "differences")
    return {name: partial(kinds[name], comparison=comparison, contest=contest) for name in order}


def differences(
    drawn: Any, comparison: Findings, contest: Contest, named: tuple[str, str] | None = None
) -> tuple[float, float]:
    """Draws the sorted per-query differences of one pair, which show how many queries gain or lose, and by how much."""
    refuse_without_pairs(comparison, "to_figure('intervals')")
    axes = drawn.subplots()
    pair = (
        pairs_to_show(comparison, contest)[0][0] if named is None else pair_named(comparison, contest, named)
    )
    values = contest.values[:, pair.a] - contest.values[:, pair.b]
    values = np.sort(values[~np.isnan(values)])[::-1]
    axes.bar(np.arange(1, len(values) + 1), values, width=0.9, color=np.where(values < 0, "0.65", "0.25"))
    axes.axhline(0, color="black", linewidth=0.8)
    axes.axhline(pair.difference, color="black", linewidth=0.8, linestyle="--")
    axes.set_xlabel(f"queries, by difference ({pair.wins} wins, {pair.ties} ties, {pair.losses} losses)")
    axes.set_ylabel(literal(f"{contest.label}: {pair_names(comparison.names, [pair])[0]}"))
    return 6.0, 2.8


def pair_named(comparison: Findings, contest: Contest, named: tuple[str, str]) -> Pair:
    """Returns the pair of the two named runs, in the order of their names in ``named``.

    Raises:
        DataError: a run does not exist, or the two runs are not compared with each other.
    """
    for name in named:
        if name not in comparison.names:
            hint = did_you_mean(name, comparison.names, f"The runs are: {listed(comparison.names)}.")
            raise DataError(f"No run is called '{name}'. {hint}")
    a, b = map(comparison.names.index, named)
    found = next((each for each in contest.pairs if {each.a, each.b} == {a, b}), None)
    if found is None:
        raise DataError(
            f"{named[0]} and {named[1]} are not compared with each other: choose two different runs that form a pair."
        )
    return turned(found, a)


def intervals(drawn: Any, comparison: Findings, contest: Contest) -> tuple[float, float]:
    """Draws the mean of each run with its interval, with the best run first."""
    rows = [
        (comparison.names[run], contest.means[run], contest.low[run], contest.high[run])
        for run in ranked(contest)
    ]
    return whiskers(drawn, rows, f"{contest.label}, {interval_title(comparison.settings)}")


def pairs(drawn: Any, comparison: Findings, contest: Contest) -> tuple[float, float]:
    """Draws the difference of each pair with its corrected interval if there is one, otherwise with the uncorrected."""
    refuse_without_pairs(comparison, "to_figure('intervals')")
    shown = pairs_to_show(comparison, contest)[0]
    joint = joint_shown(comparison, contest)
    rows = [
        (
            name,
            pair.difference,
            pair.joint_low if joint else pair.low,
            pair.joint_high if joint else pair.high,
        )
        for name, pair in zip(pair_names(comparison.names, shown), shown, strict=True)
    ]
    title = joint_title(comparison.settings) if joint else interval_title(comparison.settings)
    return whiskers(drawn, rows, f"difference in {contest.label}, {title}", zero=True)


def orders(drawn: Any, comparison: Findings, contest: Contest) -> tuple[float, float]:
    """Draws the rank of each run under each measure.

    The lines of two runs cross where two adjacent measures rank the runs differently.
    """
    del contest
    axes, labels = drawn.subplots(), comparison.labels
    signs = [1 if each.smaller_is_better else -1 for each in comparison.contests.values()]
    means = np.array([each.means for each in comparison.contests.values()])
    keys = np.array(signs)[:, None] * means
    table = np.argsort(np.argsort(keys, kind="stable"), kind="stable") + 1
    for run, name in enumerate(comparison.names):
        axes.plot(range(len(labels)), table[:, run], marker="o", markersize=4, linewidth=1.2)
        axes.annotate(
            literal(name), (len(labels) - 1, table[-1, run]), xytext=(8, -3), textcoords="offset points"
        )
    axes.set_xticks(range(len(labels)), labels)
    axes.set_ylabel("place among the runs")
    axes.invert_yaxis()
    axes.margins(x=0.2)
    return 1.6 + 1.1 * len(labels), 0.9 + ROW * len(comparison.names)
