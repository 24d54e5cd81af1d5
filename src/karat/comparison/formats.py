"""A comparison as text, Markdown, LaTeX, HTML, JSON, CSV, data frames and figures."""

from __future__ import annotations

import re
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.comparison.findings import letter
from karat.comparison.tables import EVERYTHING, chosen, ranking, sheets_of
from karat.comparison.verdict import heading, method, verdict_of
from karat.evaluation.score_tables import document_of
from karat.evaluation.scores import first_installed
from karat.output import escaping
from karat.output.errors import DataError, did_you_mean
from karat.output.tables import apart, columns_of, folded, html_table, in_bands, lay_out, width

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from karat.comparison.findings import Contest, Findings
    from karat.comparison.tables import Sheet, View

__all__ = ["figure", "frame", "html", "json_text", "latex", "markdown", "separated", "text"]


MOST_INDENTED = 5000
"""Pairs up to which JSON is indented, for people; indenting more takes seconds."""

LEAST_SHARED = 4
"""A shared start or end of fewer characters is kept."""


def text(
    comparison: Findings,
    view: View = EVERYTHING,
    *,
    columns: int,
    layout: str = "text",
    style: Callable[[str, str], str] = lambda part, _: part,
) -> str:
    """Returns the verdict, the tables in the width of a terminal, the method and the warnings.

    Args:
        comparison: what was compared.
        view: which part is shown.
        columns: the width of a line.
        layout: of the tables, ``text`` or ``terminal``.
        style: colours a part, given its kind: ``verdict``, ``footer`` or ``warning``.
    """
    before, after = shared_ends(comparison.names)
    names = tuple(name[len(before) : len(name) - len(after)] for name in comparison.names)
    parts = [folded(heading(comparison), columns)]
    parts.append(style(folded(verdict_of(comparison).headline, columns), "verdict"))
    tables = [as_text(sheet, columns, layout) for sheet in sheets_of(replace(comparison, names=names), view)]
    ends = [f"'{before}' before them"] * bool(before) + [f"'{after}' after them"] * bool(after)
    if ends:
        tables[0] += folded(f"All names have {' and '.join(ends)}.", columns)
    parts += tables
    parts.append(style("".join(folded(sentence, columns) for sentence in method(comparison)), "footer"))
    parts.append(
        "".join(
            style("! ", "warning") + folded(f"! {each.sentence}", columns, "  ")[2:]
            for each in comparison.warnings
        )
    )
    return "\n".join(part for part in parts if part)


def markdown(comparison: Findings, view: View = EVERYTHING) -> str:
    """GitHub tables with the same sentences above and below them."""
    parts = [f"{escaping.markdown(heading(comparison).replace(' | ', ' · '))}\n"]
    parts.append(f"**{escaping.markdown(escaping.sentence(verdict_of(comparison).headline))}**\n")
    for sheet in sheets_of(comparison, view):
        parts.append(lay_out("markdown", sheet.header, sheet.rows, sheet.names))
        if sheet.note:
            parts.append(f"{escaping.markdown(sheet.note)}\n")
    parts.append(escaping.markdown(" ".join(method(comparison))) + "\n")
    if comparison.warnings:
        sentences = (escaping.sentence(each.sentence) for each in comparison.warnings)
        parts.append("".join(f"- ! {escaping.markdown(each)}\n" for each in sentences))
    return "\n".join(parts)


def html(comparison: Findings) -> str:
    """Tables for a notebook, the method below them, warnings last."""
    first, *others = sheets_of(comparison)
    parts = [html_table(first.header, first.rows, sorted(first.names), first.note, head=heading(comparison))]
    parts += [html_table(each.header, each.rows, sorted(each.names), each.note) for each in others]
    said = [" ".join(method(comparison)), *(f"! {each.sentence}" for each in comparison.warnings)]
    return "".join([*parts, *(f"<p>{escaping.html(each)}</p>\n" for each in said)])


def latex(
    comparison: Findings, view: View = EVERYTHING, *, label: str | None = None, caption: str | None = None
) -> str:
    """A floating booktabs table: scores with superscript letters, then pairs; the caption describes the method."""
    tables = [
        lay_out("latex", sheet.header, sheet.rows, sheet.names) for sheet in sheets_of(comparison, view)
    ]
    said = " ".join([f"{heading(comparison).replace(' | ', ', ')}.", *method(comparison)])
    remarks = "".join(f"% ! {escaping.sentence(each.sentence)}\n" for each in comparison.warnings)
    return (
        f"% needs \\usepackage{{booktabs}}\n{remarks}\\begin{{table}}\n\\centering\n"
        f"\\caption{{{escaping.latex(said if caption is None else caption)}}}\n"
        + (f"\\label{{{label}}}\n" if label else "")
        + "\n\\medskip\n\n".join(tables)
        + "\\end{table}\n"
    )


def json_text(comparison: Findings) -> str:
    """Everything, in full precision."""
    pairs = sum(len(contest.pairs) for contest in comparison.contests.values())
    indent = 2 if pairs <= MOST_INDENTED else None
    return escaping.json_text(document(comparison), indent) + "\n"


def document(comparison: Findings) -> dict[str, Any]:
    """Returns the content of the JSON: the scores by query as ``karat eval -q`` writes them, and the comparison."""
    scores = document_of(comparison.scores, per_query=True)
    for run, (written, name) in enumerate(zip(scores["runs"], comparison.names, strict=True)):
        written |= {"name": name, "letter": letter(run), "judged": comparison.judged[run]}
    contests = {}
    for label, contest in comparison.contests.items():
        contests[label] = {
            "means": list(contest.means),
            "low": list(contest.low),
            "high": list(contest.high),
            "letters": list(contest.letters),
            "smaller_is_better": contest.smaller_is_better,
            "anova": None if contest.anova is None else asdict(contest.anova),
            "pairs": [vars(pair) for pair in contest.pairs],
            "strata": [
                {
                    "name": each.name,
                    "queries": each.queries,
                    "means": list(each.means),
                    "pairs": [vars(pair) for pair in each.pairs],
                }
                for each in contest.strata
            ],
        }
    whole = {
        "qrels": comparison.qrels_name,
        "queries": len(comparison.queries),
        "settings": asdict(comparison.settings),
        "judged_depth": comparison.judged_depth,
        "contests": contests,
        "orders": None if comparison.orders is None else asdict(comparison.orders),
        "verdict": verdict_of(comparison).headline,
        "method": method(comparison),
        "warnings": [asdict(each) for each in comparison.warnings],
    }
    found: dict[str, Any] = escaping.defined(scores | whole)
    return found


def frame(comparison: Findings, what: str, backend: str | None) -> Any:
    """Returns a data frame with a row per pair and measure, run and measure, or query.

    Raises:
        DataError: no data frame library is installed.
    """
    import narwhals as nw

    columns = {"pairs": pair_columns, "runs": run_columns, "queries": query_columns}[what](comparison)
    library: Any = backend or first_installed()
    return nw.from_dict(columns, backend=library).to_native()


def separated(comparison: Findings, layout: str) -> str:
    """CSV or TSV with a row per measure and pair, numbers in full."""
    columns = pair_columns(comparison)
    rows = [
        ["" if cell is None else str(cell) for cell in row] for row in zip(*columns.values(), strict=True)
    ]
    return lay_out(layout, list(columns), rows, 3)


def pair_columns(comparison: Findings) -> dict[str, list[Any]]:
    """Returns a row per measure and pair."""
    rows = [
        {"measure": label, "run": comparison.names[pair.a], "other": comparison.names[pair.b]}
        | {key: value for key, value in asdict(pair).items() if key not in ("a", "b") and value is not None}
        for label, contest in comparison.contests.items()
        for pair in contest.pairs
    ]
    return {key: [row[key] for row in rows] for key in rows[0]}


def run_columns(comparison: Findings) -> dict[str, list[Any]]:
    """Returns a row per measure and run."""
    found: dict[str, list[Any]] = {
        key: [] for key in ("measure", "run", "letter", "mean", "low", "high", "better_than")
    }
    for label, contest in comparison.contests.items():
        for run, name in enumerate(comparison.names):
            cells = (label, name, letter(run), contest.means[run], contest.low[run], contest.high[run])
            for key, cell in zip(found, (*cells, contest.letters[run]), strict=True):
                found[key].append(cell)
    return found


def query_columns(comparison: Findings) -> dict[str, list[Any]]:
    """Returns a row per measure, run and query."""
    found: dict[str, list[Any]] = {"measure": [], "run": [], "query": [], "value": []}
    for label, contest in comparison.contests.items():
        for run, name in enumerate(comparison.names):
            count = len(comparison.queries)
            found["measure"] += [label] * count
            found["run"] += [name] * count
            found["query"] += comparison.queries
            found["value"] += contest.values[:, run].tolist()
    return found


LONGEST, WIDE = 40, 24
"""Names longer than ``LONGEST`` are cut in the middle; names wider than ``WIDE`` lose what all of them share."""


def shared_ends(names: Sequence[str]) -> tuple[str, str]:
    """Returns the start and end that all names share, in whole words; empty where names are short or would vanish.

    Example:
        >>> from karat.comparison.formats import shared_ends
        >>> shared_ends(["submission-2026_bm25_base.final", "submission-2026_dense_base.final"])
        ('submission-2026_', '_base.final')
    """
    if len(names) < 2 or max(map(width, names)) <= WIDE:
        return "", ""
    before = re.sub(r"[^-_./: ]*\Z", "", start_of(names))
    rests = [name[len(before) :] for name in names]
    after = start_of([rest[::-1] for rest in rests])[::-1]
    after = re.sub(r"\A[^-_./: ]*", "", after)
    if not all(len(rest) > len(after) for rest in rests):
        after = ""
    before = before if len(before) >= LEAST_SHARED and all(rests) else ""
    return before, after if len(after) >= LEAST_SHARED else ""


def start_of(words: Sequence[str]) -> str:
    """Returns the common prefix of the words."""
    first, last = min(words), max(words)
    same = next((place for place, pair in enumerate(zip(first, last)) if pair[0] != pair[1]), len(first))
    return first[:same]


def as_text(sheet: Sheet, columns: int, layout: str = "text") -> str:
    """Fits a table into a given width. First names are cut, then columns are dropped, then the table is split."""
    header, rows, keep, named = sheet.header, cut(sheet), sheet.keep, sheet.names
    left: list[str] = []
    if sheet.shortest and rows and columns_of(header, rows, 0) > columns:
        header, rows, left = with_names(sheet, rows, columns)
        if not header:
            # The letters identify the runs.
            header, rows = [sheet.header[1], *sheet.header[2:]], [[row[0], *row[2:]] for row in cut(sheet)]
            keep, named = 1, frozenset({0})
            header, rows, left = without(header, rows, sheet.least, columns)
    tables = []
    for band in in_bands(header, rows, keep, columns):
        names = frozenset(place for place, column in enumerate(band) if column in named)
        cells = [[row[column] for column in band] for row in rows]
        tables.append(lay_out(layout, [header[column] for column in band], cells, names))
    notes = [sheet.note] if sheet.note else []
    notes += [f"Columns left out for lack of width: {', '.join(left)}. The CSV has them."] if left else []
    return "\n".join(tables) + "".join(folded(note, columns) for note in notes)


def cut(sheet: Sheet) -> list[list[str]]:
    """Returns the rows with long names cut."""
    found = [
        apart(cells, LONGEST) if place in sheet.names else list(cells)
        for place, cells in enumerate(zip(*sheet.rows, strict=True))
    ]
    return [list(row) for row in zip(*found, strict=True)]


def with_names(
    sheet: Sheet, rows: list[list[str]], columns: int
) -> tuple[list[str], list[list[str]], list[str]]:
    """Returns the table with full or shortened names, and the dropped columns; an empty header if it does not fit."""
    # A title wider than the names below it takes two lines.
    header = [sheet.header[0], sheet.header[1].replace(", ", ",\n", 1), *sheet.header[2:]]
    if columns_of(header, rows, 0) <= columns:
        return header, rows, []
    longest = max(width(row[1]) for row in rows)
    if sheet.shortest < longest and sheet.fewer:
        fewer, cells, left = without(header, rows, sheet.least, columns)
        if columns_of(fewer, cells, 0) <= columns:
            return fewer, cells, left
        header, rows = fewer, cells
    else:
        left = []
    room = columns - columns_of(header, rows, 0) + max(longest, *map(width, header[1].split("\n")))
    if room < sheet.shortest:
        return [], rows, []
    lines = apart(header[1].split("\n"), room)
    names = apart([row[1] for row in rows], room)
    header = [header[0], "\n".join(lines), *header[2:]]
    return header, [[row[0], name, *row[2:]] for row, name in zip(rows, names, strict=True)], left


def without(
    header: list[str], rows: list[list[str]], least: Sequence[str], columns: int
) -> tuple[list[str], list[list[str]], list[str]]:
    """Drops the least important columns until the table fits. Returns the table and the titles of these columns."""
    left: list[str] = []
    for title in least:
        if columns_of(header, rows, 0) <= columns:
            break
        if title in header:
            place = header.index(title)
            header = header[:place] + header[place + 1 :]
            rows = [row[:place] + row[place + 1 :] for row in rows]
            left.append(title)
    return header, rows, left


# ---------------------------------------------------------------- figures

ROW = 0.32
"""The height of a run or pair in inches."""


def figure(comparison: Findings, kind: str, measure: str | None) -> Any:
    """Returns a matplotlib figure.

    Raises:
        DataError: matplotlib is not installed, or there is no such figure.
    """
    kinds = {"differences": differences, "intervals": intervals, "pairs": pairs, "orders": orders}
    if kind not in kinds:
        raise DataError(
            f"There is no figure '{kind}'. {did_you_mean(kind, kinds, 'It is one of ' + ', '.join(kinds) + '.')}"
        )
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise DataError("Figures need matplotlib: pip install 'karat[plots]'.") from None
    contest = comparison.primary if measure is None else comparison[measure]
    return kinds[kind](Figure, comparison, contest)


def differences(make: Any, comparison: Findings, contest: Contest) -> Any:
    """Draws the sorted differences of the first pair: how many queries gain or lose, and by how much."""
    pair = chosen(comparison, contest)[0][0]
    values = contest.values[:, pair.a] - contest.values[:, pair.b]
    values = np.sort(values[~np.isnan(values)])[::-1]
    drawn = make(figsize=(6.0, 2.8), layout="constrained")
    axes = drawn.subplots()
    axes.bar(np.arange(1, len(values) + 1), values, width=0.9, color=np.where(values < 0, "0.65", "0.25"))
    axes.axhline(0, color="black", linewidth=0.8)
    axes.axhline(pair.difference, color="black", linewidth=0.8, linestyle="--")
    axes.set_xlabel(f"queries, by difference ({pair.wins} wins, {pair.ties} ties, {pair.losses} losses)")
    axes.set_ylabel(literal(f"{contest.label}: {comparison.names[pair.a]} - {comparison.names[pair.b]}"))
    return drawn


def intervals(make: Any, comparison: Findings, contest: Contest) -> Any:
    """Returns each run's mean with its interval."""
    runs = ranking(comparison)
    rows = [(comparison.names[run], contest.means[run], contest.low[run], contest.high[run]) for run in runs]
    return whiskers(make, rows, contest.label)


def pairs(make: Any, comparison: Findings, contest: Contest) -> Any:
    """Returns each pair's mean difference with its interval."""
    rows = [
        (f"{comparison.names[pair.a]} - {comparison.names[pair.b]}", pair.difference, pair.low, pair.high)
        for pair in chosen(comparison, contest)[0]
    ]
    drawn = whiskers(make, rows, f"difference in {contest.label}")
    drawn.axes[0].axvline(0, color="black", linewidth=0.8)
    return drawn


def literal(name: str) -> str:
    """Escapes a name so that matplotlib does not read it as a formula."""
    return name.replace("$", r"\$")


def whiskers(make: Any, rows: list[tuple[str, float, float, float]], title: str) -> Any:
    """Returns a dot and an interval in each row, the first on top."""
    drawn = make(figsize=(6.0, 0.9 + ROW * len(rows)), layout="constrained")
    axes = drawn.subplots()
    for place, (_, middle, low, high) in enumerate(rows):
        axes.plot([low, high], [place, place], color="0.4", linewidth=1.5)
        axes.plot([middle], [place], "o", color="black", markersize=4)
    axes.set_yticks(range(len(rows)), [literal(name) for name, *_ in rows])
    axes.margins(y=0.08)
    axes.invert_yaxis()
    axes.set_xlabel(literal(title))
    return drawn


def orders(make: Any, comparison: Findings, contest: Contest) -> Any:
    """Draws the rank of each run under each measure. Lines cross where two measures disagree on a pair."""
    del contest
    labels = comparison.labels
    drawn = make(figsize=(1.6 + 1.1 * len(labels), 0.9 + ROW * len(comparison.names)), layout="constrained")
    axes = drawn.subplots()
    places = []
    for label in labels:
        its = comparison.contests[label]
        sign = 1 if its.smaller_is_better else -1
        places.append(np.argsort(np.argsort(sign * np.array(its.means), kind="stable"), kind="stable") + 1)
    table = np.array(places)
    for run, name in enumerate(comparison.names):
        axes.plot(range(len(labels)), table[:, run], marker="o", markersize=4, linewidth=1.2)
        axes.annotate(
            literal(name), (len(labels) - 1, table[-1, run]), xytext=(8, -3), textcoords="offset points"
        )
    axes.set_xticks(range(len(labels)), labels)
    axes.set_ylabel("place among the runs")
    axes.invert_yaxis()
    axes.margins(x=0.2)
    return drawn
