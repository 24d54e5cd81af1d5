"""Finds problems in the text of qrels or runs: encoding, line ends, columns, truncation."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any

from carob.diagnosis.check.finding import ERROR, WARNING, found
from carob.diagnosis.check.inputs import COLUMNS, fields_in
from carob.inputs.errors import columns_remedy, number_error, uneven_remedy
from carob.inputs.ids import text_of
from carob.inputs.spellings import alike
from carob.output.language import filled, plural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from carob import _native
    from carob.diagnosis.check.finding import Finding
    from carob.diagnosis.check.inputs import SurveyedText


EXAMPLES = 3
"""The maximum number of places that a finding lists."""

LAYOUTS = {"qrels": "query 0 document grade", "run": "query Q0 document rank score tag"}
"""The columns of a line, by the kind of text."""
COUNTS = {
    "nul-bytes": "nul",
    "not-utf-8": "undecodable",
    "invisible-characters": "invisible",
    "nan-scores": "nan",
    "infinite-scores": "infinite",
}
"""The survey's counts of lines that determine a finding without further tests, by the kind of finding."""
OTHER_SEPARATORS = "fields are separated by {name}, which carob does not read: '{excerpt}'"
OTHER_COLUMNS = "{width:column} instead of {wanted} ('{layout}') in {lines:line}: '{excerpt}'"
SEPARATORS = {",": "commas", ";": "semicolons", "|": "bars"}
"""Field separators that carob does not support."""


def empty(text: SurveyedText) -> Iterator[Finding]:
    """Finds text that contains no line of data."""
    survey = text.read()
    if text.source is not None and not survey.rows and not text.cut:
        nothing = f"the file contains no data in {plural(survey.lines, 'line')}"
        yield found("empty", text.name, nothing if survey.lines else "the file is empty")


def counted(text: SurveyedText) -> Iterator[Finding]:
    """Finds bytes that do not belong in ids, and scores that are not finite."""
    for code, name in COUNTS.items():
        seen = getattr(text.read(), name)
        if seen.count:
            yield of_lines(code, text, seen)


def line_ends(text: SurveyedText) -> Iterator[Finding]:
    """Finds a byte-order mark, and lines that end with CR LF or only CR."""
    survey = text.read()
    if survey.marked:
        yield found("byte-order-mark", text.name, where=(text.at(1),))
    if survey.returns.count and survey.bare_returns <= survey.lines:
        yield of_lines("crlf", text, survey.returns)
    if survey.bare_returns:
        severity = ERROR if survey.bare_returns > survey.lines else WARNING
        count, lines = survey.bare_returns, survey.lines
        yield found("carriage-returns", text.name, count=count, lines=lines, severity=severity)


NO_NUMBER = re.compile(r"'(.*)' is not a number")
"""The reason why a line with a word instead of a grade, such as NTCIR's L2, cannot be read."""
UNEVEN = re.compile(r"has (\d+) columns, and the first line has (\d+)")


def unreadable(text: SurveyedText, found: _native.Judgments | _native.Matched | None) -> Iterator[Finding]:
    """Yields findings about lines that the kernel cannot read.

    Args:
        text: the text.
        found: the judgments that were read or the rows that were matched; None if the text contains no valid line.
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
    """Returns the reason why a line cannot be read as a line of qrels or of a run."""
    fields = fields_in(line.encode())
    if kind == "qrels" and width == len(fields) == COLUMNS["qrels"]:
        return f"'{fields[-1].decode()}' is not a number"
    return f"it has {plural(width, 'column')}"


def malformed(text: SurveyedText, count: int, lines: list[tuple[int, str]]) -> Iterator[Finding]:
    """Yields findings about lines that the kernel cannot read.

    Args:
        text: the text with these lines.
        count: the number of lines that cannot be read.
        lines: the line numbers of the first of these lines, each with the reason.
    """
    survey = text.read()
    count -= survey.nan.count
    if count <= 0:
        return
    wanted = COLUMNS[text.kind]
    if count == 1 and lines and lines[0][0] == 1 and is_heading(survey.first):
        yield found("header", text.name, where=(text.at(1),), line=f"'{shown_line(survey.first)}'")
        return
    if (count == 1 and truncated_line(text)) or survey.bare_returns > survey.lines:
        return  # another finding reports this line
    widths = {
        width: seen
        for width, seen in survey.widths.items()
        if (width != wanted if text.kind == "qrels" else width < wanted)
    }
    where = tuple(f"{text.at(line)}: {why}".lstrip(": ") for line, why in lines[:EXAMPLES])
    layout = LAYOUTS[text.kind]
    wide = max(widths, key=lambda each: widths[each].count, default=0)
    what, remedy = None, None
    if wide and widths[wide].count * 2 > survey.rows:
        seen = widths[wide]
        names = [name for mark, name in SEPARATORS.items() if seen.excerpt.count(mark) > 1 and wide < wanted]
        words = {"width": wide, "wanted": wanted, "lines": seen.count, "layout": layout}
        sentence = OTHER_SEPARATORS if names else OTHER_COLUMNS
        what = filled(sentence, name="".join(names[:1]), excerpt=seen.excerpt, **words)
        remedy = columns_remedy(text.kind, str(wide), seen.excerpt)
        remedy = f"Separate fields by spaces or tabs, in the order '{layout}'." if names else remedy
    else:
        remedy = next((its for _, why in lines if (its := remedy_of(text, why))), None)
    yield found(
        "malformed",
        text.name,
        what,
        count=count,
        where=where,
        # If all lines are malformed, skipping them does not help.
        effect="carob eval refuses the file." if count >= survey.rows else None,
        remedy=remedy or (f"Write lines of the form '{layout}'." if count >= survey.rows else None),
        layout=layout,
        rows=survey.rows,
    )


def remedy_of(text: SurveyedText, why: str) -> str | None:
    """Returns the remedy in the error that an evaluation raises for this reason, or None."""
    uneven = UNEVEN.search(why)
    if uneven or "joined" in why:
        return uneven_remedy(joined=uneven is None or int(uneven[1]) == 2 * int(uneven[2]) - 1)
    number = NO_NUMBER.search(why)
    return number_error(number[1], text.kind, "\t" if text.read().tabs else " ").remedy if number else None


def is_heading(fields: list[bytes]) -> bool:
    """Returns whether fields are column names."""
    words = b" ".join(fields).lower()
    names = (b"query", b"qid", b"topic", b"doc", b"corpus", b"score", b"rank", b"rel", b"grade", b"iter")
    return sum(name in words for name in names) >= 2


def columns(text: SurveyedText) -> Iterator[Finding]:
    """Finds unusual separators between fields, lines with too many columns, comments and blank lines."""
    survey = text.read()
    broken_off = survey.padded.count == 1 and survey.padded.line == survey.last_line and not survey.closed
    if survey.padded.count and not broken_off:
        what = f"several spaces separate or follow fields in {of_all(survey.padded, survey.rows)}"
        yield of_lines("separators", text, survey.padded, what)
    elif survey.tabs and survey.spaces and text.is_file:
        what = f"fields are separated by tabs and by spaces ({survey.tabs:,} and {survey.spaces:,})"
        yield found("separators", text.name, what)
    width = len(survey.example)
    if text.kind == "run" and width > COLUMNS["run"]:
        seen = survey.widths[width]  # lines of other widths are reported as malformed
        where = (text.at(seen.line, seen.excerpt),)
        yield found("wide-lines", text.name, count=seen.count, where=where, rows=survey.rows)
    if survey.comments:
        yield found("comments", text.name, count=survey.comments)
    if survey.blank:
        yield found("blank-lines", text.name, count=survey.blank, lines=survey.lines)


def truncated_line(text: SurveyedText) -> str | None:
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


def truncated(text: SurveyedText) -> Iterator[Finding]:
    """Finds text that is truncated."""
    survey = text.read()
    if text.cut:
        read = plural(survey.rows, "line")
        what = f"the compressed data are damaged or truncated ({text.cut}): {read} were read"
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
            f"the file has no newline at the end, and the last query has {survey.last_group:,} lines where "
            f"all others have {high:,}"
        )
        yield found("truncated", text.name, what, severity=WARNING, where=(text.at(survey.last_line),))


def queries(text: SurveyedText) -> Iterator[Finding]:
    """Finds query ids that are nearly equal, and queries whose lines are not contiguous."""
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


def of_lines(code: str, text: SurveyedText, seen: _native.Seen, what: str | None = None) -> Finding:
    """Returns a finding about some lines, with the number of lines and the first line."""
    where = (text.at(seen.line, seen.excerpt),)
    rows, usable = text.read().rows, text.read().usable
    lines = of_all(seen, rows)
    return found(code, text.name, what, count=seen.count, where=where, lines=lines, rows=rows, usable=usable)


def of_all(seen: _native.Seen, rows: int) -> str:
    """Returns the number of lines in relation to all lines, such as ``3 lines of 1,000`` or ``all 1,000 lines``."""
    every = seen.count == rows > 1
    return f"all {plural(rows, 'line')}" if every else f"{plural(seen.count, 'line')} of {rows:,}"


def shown_line(fields: list[bytes]) -> str:
    """Returns the fields as a line of at most 60 characters."""
    text = b" ".join(fields).decode("utf-8", "replace")
    return text if len(text) <= 60 else text[:59] + "…"


def queries_at(ids: Iterable[bytes]) -> tuple[str, ...]:
    """Returns the first queries, for the field ``where`` of a finding."""
    return tuple(f"query '{text_of(each)}'" for each in islice(ids, EXAMPLES))


def repeats_at(
    text: SurveyedText, repeats: Iterable[Sequence[Any]], queries: Sequence[bytes]
) -> tuple[str, ...]:
    """Returns the first documents that occur twice for a query, for the field ``where`` of a finding.

    Args:
        text: the text.
        repeats: for each repetition, the number of the query, the document, its first line and its second line.
        queries: the ids of the queries.
    """
    return tuple(
        f"{text.at(second)}: document '{text_of(document)}' of query '{text_of(queries[query])}', first on line "
        f"{first:,}".lstrip(": ")
        for query, document, first, second, *_ in islice(repeats, EXAMPLES)
    )


IN_TEXT: tuple[Callable[[SurveyedText], Iterator[Finding]], ...] = (
    empty,
    truncated,
    line_ends,
    counted,
    columns,
    queries,
)
"""All checks of a text."""
