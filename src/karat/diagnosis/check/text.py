"""Findings in any text, qrels or run: encoding, line ends, columns, truncation."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any

from karat.diagnosis.check.finding import ERROR, LENIENT, WARNING, found
from karat.diagnosis.check.inputs import COLUMNS
from karat.inputs.ids import alike, text_of
from karat.output.errors import worded
from karat.output.language import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from karat import _native
    from karat.diagnosis.check.finding import Finding
    from karat.diagnosis.check.inputs import Text


EXAMPLES = 3
"""The number of places that a finding lists."""
LAYOUTS = {
    "qrels": "query 0 document grade",
    "run": "query Q0 document rank score tag",
}
MENDED = {
    "qrels": {
        3: "Write the second column: awk '{print $1, 0, $2, $3}'.",
        5: "Judgment groups and preferences have five columns: karat trec-eval -R qrels_jg or -R prefs.",
    },
    "run": {
        3: 'Of query document rank, write the rest: awk \'{print $1, "Q0", $2, $3, -$3, "run"}\'.',
        5: "Write the run's name at the end of each line: awk '{print $0, \"run\"}'.",
    },
}
"""Remedies for lines with the wrong number of columns."""


def empty(text: Text) -> Iterator[Finding]:
    """Finds text without any line of data."""
    survey = text.read()
    if text.source is not None and not survey.rows and not text.cut:
        lines = plural(survey.lines, "line")
        yield found("empty", text.name, f"holds no data in {lines}" if survey.lines else "is empty")


COUNTED = {
    "nul-bytes": "nul",
    "not-utf-8": "undecodable",
    "invisible-characters": "invisible",
    "nan-scores": "nan",
    "infinite-scores": "infinite",
}
"""Kinds of findings that only need a count of lines, with the count's name in a survey."""


def counted(text: Text) -> Iterator[Finding]:
    """Finds bytes that do not belong in ids, and scores that are not finite."""
    for code, name in COUNTED.items():
        seen = getattr(text.read(), name)
        if seen.count:
            yield of_lines(code, text, seen)


def line_ends(text: Text) -> Iterator[Finding]:
    """Finds a byte-order mark, and line ends that are CR LF or CR alone."""
    survey = text.read()
    if survey.marked:
        yield found("byte-order-mark", text.name, where=(text.at(1),))
    if survey.returns.count and survey.bare_returns <= survey.lines:
        yield of_lines("crlf", text, survey.returns)
    if survey.bare_returns:
        severity = ERROR if survey.bare_returns > survey.lines else WARNING
        count, lines = survey.bare_returns, survey.lines
        yield found("carriage-returns", text.name, count=count, lines=lines, severity=severity)


NTCIR = re.compile(r"'L\d+' is not a number")
"""Why a grade of NTCIR's is none."""


def unreadable(text: Text, found: _native.Judgments | _native.Matched | None) -> Iterator[Finding]:
    """Finds lines that the kernel cannot read.

    Args:
        text: the text.
        found: the judgments that were read or the rows that were matched; None if the text has no valid line.
    """
    survey = text.read()
    if found is not None:
        yield from malformed(text, found.malformed, found.malformed_lines)
    elif text.source is not None and survey.rows:
        is_run = text.kind == "run"
        widths = [each for each in survey.widths.items() if not is_run or each[0] < COLUMNS["run"]]
        whys = [(seen.line, why_unread(text.kind, width, seen.excerpt)) for width, seen in widths]
        yield from malformed(text, survey.rows - survey.usable if is_run else survey.rows, whys)


def why_unread(kind: str, width: int, line: str) -> str:
    """Returns why a line is no line of qrels or of a run."""
    fields = line.split()
    if kind == "qrels" and width == len(fields) == COLUMNS["qrels"]:
        return f"'{fields[-1]}' is not a number"
    return f"it has {plural(width, 'column')}"


def malformed(text: Text, count: int, lines: list[tuple[int, str]]) -> Iterator[Finding]:
    """Findings about lines that the kernel cannot read.

    Args:
        text: the text that has them.
        count: the number of these lines.
        lines: the first of them, each with the reason.
    """
    survey = text.read()
    count -= survey.nan.count
    if count <= 0:
        return
    wanted = COLUMNS[text.kind]
    if count == 1 and lines and lines[0][0] == 1 and is_heading(survey.first):
        yield found("header", text.name, where=(text.at(1),), line=f"'{shown_line(survey.first)}'")
        return
    cut = truncated_line(text)
    if cut and count == 1:
        return
    widths = {
        width: seen
        for width, seen in survey.widths.items()
        if (width != wanted if text.kind == "qrels" else width < wanted)
    }
    where = tuple(f"{text.at(line)}: {why}".lstrip(": ") for line, why in lines[:EXAMPLES])
    wide = max(widths, key=lambda each: widths[each].count, default=0)
    if wide and widths[wide].count * 2 > survey.rows:
        what, remedy = misshapen(text, wide, widths[wide])
        yield found("malformed", text.name, what, count=count, where=where, remedy=remedy)
        return
    remedy = None
    if any("," in why and "number" in why for _, why in lines):
        remedy = worded(
            "Write decimal points instead of commas in numbers, or skip the lines with ", LENIENT, "."
        )
    if text.kind == "qrels" and any(NTCIR.search(why) for _, why in lines):
        remedy = "Remove the L of NTCIR's levels: awk '{sub(/^L/, \"\", $4); print}'."
    layout = LAYOUTS[text.kind]
    yield found(
        "malformed", text.name, count=count, where=where, remedy=remedy, layout=layout, rows=survey.rows
    )


def misshapen(text: Text, width: int, seen: _native.Seen) -> tuple[str, str | None]:
    """Returns a description of lines with the wrong columns, and the remedy."""
    wanted = COLUMNS[text.kind]
    columns = f"{plural(width, 'column')} instead of {wanted}"
    for letter, name in ((",", "commas"), (";", "semicolons"), ("|", "bars")):
        if seen.excerpt.count(letter) >= 2 and width < wanted:
            return (
                f"fields are separated by {name}, which karat does not read: '{seen.excerpt}'",
                f"Separate them by blanks or tabs, in the order '{LAYOUTS[text.kind]}'.",
            )
    what = f"{columns} ('{LAYOUTS[text.kind]}') in {plural(seen.count, 'line')}: '{seen.excerpt}'"
    return what, MENDED[text.kind].get(width)


def is_heading(fields: list[bytes]) -> bool:
    """Returns whether these fields are names of columns."""
    words = b" ".join(fields).lower()
    names = (b"query", b"qid", b"topic", b"doc", b"corpus", b"score", b"rank", b"rel", b"grade", b"iter")
    return sum(name in words for name in names) >= 2


def columns(text: Text) -> Iterator[Finding]:
    """Finds unusual separators between fields, and columns that lines should not have."""
    survey = text.read()
    broken_off = survey.padded.count == 1 and survey.padded.line == survey.last_line and not survey.closed
    if survey.padded.count and not broken_off:
        what = f"several blanks separate or follow fields in {of_all(survey.padded, survey.rows)}"
        yield of_lines("separators", text, survey.padded, what)
    elif survey.tabs and survey.spaces:
        what = f"fields are separated by tabs and by blanks ({survey.tabs:,} and {survey.spaces:,})"
        yield found("separators", text.name, what)
    wide = [seen for width, seen in survey.widths.items() if text.kind == "run" and width > COLUMNS["run"]]
    if wide:
        first = min(wide, key=lambda each: each.line)
        where = (text.at(first.line, first.excerpt),)
        yield found(
            "wide-lines", text.name, count=sum(seen.count for seen in wide), where=where, rows=survey.rows
        )
    if survey.comments:
        yield found("comments", text.name, count=survey.comments)
    if survey.blank:
        yield found("blank-lines", text.name, count=survey.blank, lines=survey.lines)


def truncated_line(text: Text) -> str | None:
    """Returns the problem with a last line without a newline, or None."""
    survey = text.read()
    if survey.closed or survey.rows < 2 or not text.is_file:
        return None
    widths, last, tags = survey.widths, survey.last, survey.tags
    usual = max(widths, key=lambda width: widths[width].count)
    if len(last) < usual:
        return f"the last line has {plural(len(last), 'column')} instead of {usual}, and no newline"
    if text.kind == "run" and len(last) == COLUMNS["run"] and len(tags) == 2:
        usual_tag, tag = next(iter(tags)), last[-1]
        if tag != usual_tag and usual_tag.startswith(tag):
            return f"the last line ends inside the tag '{text_of(usual_tag)}', and has no newline"
    return None


def truncated(text: Text) -> Iterator[Finding]:
    """Finds text that is truncated."""
    survey = text.read()
    if text.cut:
        what = f"the compressed data are damaged or cut short ({text.cut}): {plural(survey.rows, 'line')} were read"
        yield found("truncated", text.name, what)
        return
    wrong = truncated_line(text)
    if wrong:
        yield found(
            "truncated", text.name, wrong, where=(text.at(survey.last_line, shown_line(survey.last)),)
        )
    low, high = survey.shortest_group, survey.longest_group
    if not wrong and not survey.closed and low == high > survey.last_group and survey.query_count > 2:
        what = (
            f"the file has no newline at the end, and the last query has {survey.last_group:,} lines where all "
            f"others have {high:,}"
        )
        yield found("truncated", text.name, what, severity=WARNING, where=(text.at(survey.last_line),))


def queries(text: Text) -> Iterator[Finding]:
    """Finds nearly equal query ids, and queries whose lines are not contiguous."""
    survey = text.read()
    pairs = alike(survey.queries) if survey.similar_queries else []
    if pairs:
        lines = survey.queries
        where = tuple(
            f"'{text_of(one)}' and '{text_of(other)}' ({text.at(lines[other])})".replace(" ()", "")
            for one, other in pairs[:EXAMPLES]
        )
        yield found("similar-queries", text.name, count=len(pairs), where=where)
    apart = survey.groups - survey.query_count
    if apart and text.is_file:
        yield found("interleaved", text.name, count=apart)


def of_lines(code: str, text: Text, seen: _native.Seen, what: str | None = None) -> Finding:
    """Returns a finding about some lines, with their number and the first of them."""
    where = (text.at(seen.line, seen.excerpt),)
    rows, usable = text.read().rows, text.read().usable
    lines = of_all(seen, rows)
    return found(code, text.name, what, count=seen.count, where=where, lines=lines, rows=rows, usable=usable)


def of_all(seen: _native.Seen, rows: int) -> str:
    """Returns the share of lines as text, such as ``3 lines of 1,000`` or ``all 1,000 lines``."""
    return (
        f"all {plural(rows, 'line')}"
        if seen.count == rows > 1
        else f"{plural(seen.count, 'line')} of {rows:,}"
    )


def shown_line(fields: list[bytes]) -> str:
    """Returns the fields as a line of at most 60 characters."""
    text = b" ".join(fields).decode("utf-8", "replace")
    return text if len(text) <= 60 else text[:59] + "…"


def queries_at(ids: Iterable[bytes]) -> tuple[str, ...]:
    """Returns the first queries, as places of a finding."""
    return tuple(f"query '{text_of(each)}'" for each in islice(ids, EXAMPLES))


def repeats_at(text: Text, repeats: Iterable[Sequence[Any]], queries: Sequence[bytes]) -> tuple[str, ...]:
    """Returns the first documents that occur twice for a query, as places of a finding.

    Args:
        text: the text.
        repeats: the number of the query, the document, its first line and its second line, for each repetition.
        queries: the ids of the queries.
    """
    return tuple(
        f"{text.at(second)}: document '{text_of(document)}' of query '{text_of(queries[query])}', first on line "
        f"{first:,}".lstrip(": ")
        for query, document, first, second, *_ in islice(repeats, EXAMPLES)
    )


IN_TEXT: tuple[Callable[[Text], Iterator[Finding]], ...] = (
    empty,
    truncated,
    line_ends,
    counted,
    columns,
    queries,
)
"""Every check of a text."""
