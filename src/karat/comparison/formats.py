"""A comparison as text, Markdown, LaTeX, HTML, JSON, CSV and data frames."""

from __future__ import annotations

import math
import re
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.comparison.findings import letter
from karat.comparison.tables import EVERYTHING, sheets_of
from karat.comparison.verdict import heading, method, verdict_of
from karat.evaluation.score_tables import document_of
from karat.evaluation.scores import first_installed
from karat.output import escaping
from karat.output.display import html_table
from karat.output.tables import apart, columns_of, folded, in_bands, lay_out, width

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from karat.comparison.findings import Findings
    from karat.comparison.tables import Sheet, View

__all__ = ["as_text", "frame", "html", "json_text", "latex", "markdown", "separated", "shared_ends", "text"]

MOST_INDENTED = 5000
"""So many pairs are still read by people; to write more with indentation takes seconds."""

LEAST_SHARED = 4
"""Fewer characters at the start or end of all names are no burden."""


def text(
    comparison: Findings,
    view: View = EVERYTHING,
    *,
    columns: int,
    layout: str = "text",
    style: Callable[[str, str], str] = lambda part, _: part,
) -> str:
    """The answer, the tables for a terminal, what was done under them, warnings last.

    Args:
        comparison: what was compared.
        view: which of it is shown.
        columns: how wide lines may be.
        layout: of the tables: ``text`` or ``terminal``.
        style: makes a part of a kind (``verdict``, ``footer``, ``warning``) stand out or back.
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
    """GitHub tables with the same lines over and under them."""
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
    """Tables for a notebook, what was done under them, warnings last."""
    first, *others = sheets_of(comparison)
    parts = [html_table(first.header, first.rows, sorted(first.names), first.note, head=heading(comparison))]
    parts += [html_table(each.header, each.rows, sorted(each.names), each.note) for each in others]
    said = [" ".join(method(comparison)), *(f"! {each.sentence}" for each in comparison.warnings)]
    return "".join([*parts, *(f"<p>{escaping.html(each)}</p>\n" for each in said)])


def latex(
    comparison: Findings, view: View = EVERYTHING, *, label: str | None = None, caption: str | None = None
) -> str:
    """A floating table of booktabs: scores with raised letters, then pairs; what was done is the caption."""
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
    """What JSON holds: the scores by query as ``karat eval -q`` writes them, and all that was found on top."""
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
    found: dict[str, Any] = cleaned(scores | whole)
    return found


def cleaned(value: Any) -> Any:
    """The value as JSON can say it: undefined numbers are null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): cleaned(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [cleaned(each) for each in value]
    if isinstance(value, np.ndarray):
        return cleaned(value.tolist())
    if isinstance(value, np.generic):
        return cleaned(value.item())
    return value


def frame(comparison: Findings, what: str, backend: str | None) -> Any:
    """A data frame with a row per pair and measure, run and measure, or query.

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
    """A row per measure and pair."""
    rows = [
        {"measure": label, "run": comparison.names[pair.a], "other": comparison.names[pair.b]}
        | {key: value for key, value in asdict(pair).items() if key not in ("a", "b") and value is not None}
        for label, contest in comparison.contests.items()
        for pair in contest.pairs
    ]
    return {key: [row[key] for row in rows] for key in rows[0]}


def run_columns(comparison: Findings) -> dict[str, list[Any]]:
    """A row per measure and run."""
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
    """A row per measure, run and query."""
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
"""A name longer than the first is cut in its middle; names wider than the second leave out what all of them share."""


def shared_ends(names: Sequence[str]) -> tuple[str, str]:
    """What stands before and after every name, in whole words; empty where names are short, or would be nothing.

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
    """The letters with which every word starts."""
    first, last = min(words), max(words)
    same = next((place for place, pair in enumerate(zip(first, last)) if pair[0] != pair[1]), len(first))
    return first[:same]


def as_text(sheet: Sheet, columns: int, layout: str = "text") -> str:
    """A table and its note in so many columns: names make room first, then columns that say least; bands are last."""
    header, rows, keep, named = sheet.header, cut(sheet), sheet.keep, sheet.names
    left: list[str] = []
    if sheet.told and rows and columns_of(header, rows, 0) > columns:
        header, rows, left = with_names(sheet, rows, columns)
        if not header:
            # The letters say which runs they are.
            header, rows = [sheet.header[1], *sheet.header[2:]], [[row[0], *row[2:]] for row in cut(sheet)]
            keep, named = 1, frozenset({0})
            header, rows, left = without(header, rows, sheet.least, columns)
    tables = []
    for band in in_bands(header, rows, keep, columns):
        names = frozenset(place for place, column in enumerate(band) if column in named)
        cells = [[row[column] for column in band] for row in rows]
        tables.append(lay_out(layout, [header[column] for column in band], cells, names))
    notes = [sheet.note] if sheet.note else []
    notes += [f"Left out for want of width: {', '.join(left)}. The CSV has them."] if left else []
    return "\n".join(tables) + "".join(folded(note, columns) for note in notes)


def cut(sheet: Sheet) -> list[list[str]]:
    """The rows with names that are not too long."""
    found = [
        apart(cells, LONGEST) if place in sheet.names else list(cells)
        for place, cells in enumerate(zip(*sheet.rows, strict=True))
    ]
    return [list(row) for row in zip(*found, strict=True)]


def with_names(
    sheet: Sheet, rows: list[list[str]], columns: int
) -> tuple[list[str], list[list[str]], list[str]]:
    """The table with its second column, the names, in full or cut, and what was left out; no header if it cannot be."""
    # A title that is wider than the names under it goes on two lines.
    header = [sheet.header[0], sheet.header[1].replace(", ", ",\n", 1), *sheet.header[2:]]
    if columns_of(header, rows, 0) <= columns:
        return header, rows, []
    longest = max(width(row[1]) for row in rows)
    if sheet.told < longest and sheet.fewer:
        fewer, cells, left = without(header, rows, sheet.least, columns)
        if columns_of(fewer, cells, 0) <= columns:
            return fewer, cells, left
        header, rows = fewer, cells
    else:
        left = []
    room = columns - columns_of(header, rows, 0) + max(longest, *map(width, header[1].split("\n")))
    if room < sheet.told:
        return [], rows, []
    lines = apart(header[1].split("\n"), room)
    names = apart([row[1] for row in rows], room)
    header = [header[0], "\n".join(lines), *header[2:]]
    return header, [[row[0], name, *row[2:]] for row, name in zip(rows, names, strict=True)], left


def without(
    header: list[str], rows: list[list[str]], least: Sequence[str], columns: int
) -> tuple[list[str], list[list[str]], list[str]]:
    """The table without as many of its least columns as it takes to fit, and which these are."""
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
