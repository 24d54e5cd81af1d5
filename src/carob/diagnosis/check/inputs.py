"""Converts the input of a check to text. Dicts, frames and tables are converted to lines of text."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import field
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, cast

from carob import _native
from carob._dataclasses import dataclass, replace
from carob.diagnosis.check.finding import Finding, found, refusal
from carob.inputs.columns import ASKED, CONSTANT, columns_of_run, with_distance
from carob.inputs.decompression import Cursor
from carob.inputs.dicts import ByPosition, MappingRun, is_sample, numbered
from carob.inputs.errors import sentences
from carob.inputs.files import read_as
from carob.inputs.frames import Columns, columns_of, is_frame, listed_in, with_scores
from carob.inputs.ids import text_of
from carob.inputs.layouts import by_query
from carob.inputs.qrels import Qrels
from carob.inputs.run import Run
from carob.inputs.runs import Wrapper
from carob.inputs.runs.answered import RunWithEmptyLists
from carob.inputs.sources import Source, called, content_of, memory, source_of
from carob.output.errors import ContentError, DataError, LineEndError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from carob.inputs.files.table import FileTable


NO_BREAK = "\u00a0"
HEAD = 4096
PLAIN = 2**20
"""The maximum number of bytes of a plain file that are loaded into memory."""
COLUMNS = {"qrels": 4, "run": 6}


@dataclass(eq=False)
class SurveyedText:
    """The text of judgments or of a run, and its survey.

    Args:
        kind: ``qrels`` or ``run``.
        name: the name of the input, as used in findings.
        source: the text; None if it cannot be read.
        given: the input as the caller gave it.
        is_file: whether the lines come from a file; False if carob wrote them from a dict or a frame.
        faults: findings that say why the text cannot be read.
        survey: the counts of one pass over the text; None before that pass.
        unbroken: a reader of a compressed file that records why it ends early; None for other inputs.
        drawn: the number of documents if the judgments are a sample, else 0.
        answered: queries that the run answers, including at least all queries with empty lists, for which there are no
            lines.
        by_position: whether the queries are only positions, because the run's answers do not name their queries.
    """

    kind: str
    name: str
    source: Source | None
    given: Any = None
    is_file: bool = True
    faults: list[Finding] = field(default_factory=list)
    survey: _native.Survey | None = None
    unbroken: Unbroken | None = None
    drawn: int = 0
    answered: frozenset[bytes] = frozenset()
    by_position: bool = False

    def read(self, judgments: _native.Judgments | None = None) -> _native.Survey:
        """Returns the survey of the text. With judgments, the survey also finds other spellings of judged documents."""
        if self.survey is None and self.source is not None:
            try:
                with sentences(self.name, self.kind):
                    self.survey = _native.survey(self.source.from_start(), self.kind, judgments)
            except DataError as error:
                self.refuse(refusal("refused", self.name, error))
        self.survey = self.survey or _native.survey(b"", self.kind)
        return self.survey

    def refuse(self, finding: Finding) -> None:
        """Records why the text cannot be read, and stops reading it."""
        self.faults.append(finding)
        self.source = None

    def at(self, line: int, excerpt: str = "") -> str:
        """Formats the number and an excerpt of a line for findings."""
        if not self.is_file:  # carob wrote the tabs, not the user
            return "'{}'".format(excerpt.replace("\t", " ")) if excerpt else ""
        return f"line {line:,}: '{excerpt}'" if excerpt else f"line {line:,}"

    @property
    def cut(self) -> str | None:
        """Returns the reason why compressed text ends early, if a decompressor reports one."""
        return None if self.unbroken is None else self.unbroken.fault


@dataclass(frozen=True)
class Files:
    """The options for reading tables from files.

    Args:
        columns: the column names for ``qrels`` and for ``run``; names for a single run are in a mapping under its name.
        folders: how to read files in several folders: ``parts`` or ``prefix``.
    """

    columns: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    folders: str | None = None

    def of_run(self, given: Any, name: str | None) -> Files:
        """Returns the options for one run.

        Raises:
            DataError: the columns name both a score and a distance.
        """
        its = columns_of_run(self.columns.get("run", {}), *known_as(given, name))
        return replace(self, columns={**self.columns, "run": with_distance(its)})


def known_as(given: Any, name: str | None) -> tuple[str, ...]:
    """Returns the names by which a run may be known: first the base name, then the full name or path."""
    is_path = isinstance(given, (str, os.PathLike))
    path = str(name or (os.fspath(given) if is_path else getattr(given, "name", "run")))
    return called(path), path


class Unbroken:
    """A source of bytes that ends without an error if its data are damaged or cut short.

    Args:
        start: a function that returns a new cursor over the data.
    """

    def __init__(self, start: Callable[[], Cursor]) -> None:
        """Stores the function, without reading any bytes."""
        self.start = start
        self.fault: str | None = None

    def __call__(self) -> Cursor:
        """Returns a cursor at the first byte."""
        return Cursor(self.blocks)

    def blocks(self) -> Iterator[bytes]:
        """Yields the data up to the first fault and records the fault."""
        try:
            yield from self.start().blocks()
        except OSError as error:
            self.fault = getattr(error, "fault", str(error))


def taken(given: Any, kind: str, name: str | None = None, files: Files | None = None) -> SurveyedText:
    """Returns the input as text. Unreadable input becomes a finding."""
    files = files or Files()
    files = files.of_run(given, name) if kind == "run" else files
    label = name or ("qrels" if kind == "qrels" else "run")
    columns = dict(files.columns.get(kind, {}))
    words = columns.pop("words", None)
    if isinstance(given, (Qrels, Run)):
        columns = {}
    elif words is not None:
        from carob.inputs.grade_words import in_numbers

        path = str(given) if isinstance(given, (str, os.PathLike)) else label
        try:
            with sentences(path):
                given, name, _ = in_numbers(given, columns, words)
        except DataError as error:
            return SurveyedText(kind, path, None, given, faults=[refusal("refused", path, error)])
        label = name = name or label
        files = replace(files, columns={**files.columns, kind: columns})
    if isinstance(given, Run):
        label = name or given.name
        if given.source is not None:
            return in_text(kind, label, given.source, given)
    if not (isinstance(given, (Qrels, Run, Mapping, list)) or is_frame(given)):
        return in_file(given, kind, name, name or (str(given) if isinstance(given, str) else label), files)
    if isinstance(given, Qrels):
        label = name or given.name
    elif isinstance(given, Run) and isinstance(given.held, MappingRun):
        given = ByPosition(given.held.mapping) if given.held.by_position else given.held.mapping
    try:
        with sentences(f"{kind} frame", kind) if is_frame(given) else nullcontext():
            held = held_in(given, kind, **columns)
            content, extras = lined(rows_in(held, kind), kind), beside_lines(held, kind)
    except DataError as error:
        return SurveyedText(kind, label, None, given, False, [refusal("refused", label, error)])
    return SurveyedText(kind, label, memory(content), given, is_file=False, **extras)


def in_file(given: Any, kind: str, name: str | None, shown: str, files: Files) -> SurveyedText:
    """Reads the text of a path or bytes for a check."""
    try:
        source = read_as(given, kind, files.columns.get(kind, {}), files.folders)
        if isinstance(source, Source):
            return in_text(kind, name or source.name, source, given)
        content, extras = tabled(source, kind)
        return SurveyedText(kind, name or source.name, memory(content), given, is_file=False, **extras)
    except LineEndError:
        return in_text(kind, shown, source_of(given), given)
    except ContentError as error:
        return SurveyedText(kind, shown, None, given, faults=[found("content", shown, f"is {error.what}")])
    except DataError as error:
        return SurveyedText(kind, shown, None, given, faults=[refusal("unreadable", shown, error)])


def in_text(kind: str, name: str, source: Source, given: Any) -> SurveyedText:
    """Returns a file's text. Refuses a file whose first bytes show another format.

    The text is read in several passes, so it is loaded into memory if it is small. An uncompressed file is quick to
    read again, so only a very small file is loaded.
    """
    text = SurveyedText(kind, name, source, given)
    if not isinstance(source.handle, (str, bytes)):
        text.unbroken = Unbroken(source.handle)
        text.source = source = replace(source, handle=text.unbroken)
    try:
        text.source = source.held(PLAIN) if isinstance(source.handle, str) else source.held()
        start = head(text.source)
    except OSError as error:
        text.refuse(found("unreadable", name, f"cannot be read: {error.strerror or error}"))
        return text
    what = content_of(start)
    if what is not None:
        text.refuse(found("content", name, f"is {what}"))
    elif start[:4].count(0) >= 2:
        text.refuse(found("content", name, "is UTF-16 or UTF-32 text, or no text at all"))
    elif start[:64].lstrip()[:1] in (b"{", b"["):
        text.refuse(found("content", name, "is JSON"))
    return text


def head(source: Source | None) -> bytes:
    """Returns the first bytes of a text."""
    if source is None:
        return b""
    with source.opened() as file:
        return file.read(HEAD)


def fields_in(line: bytes) -> list[bytes]:
    """Returns the fields of a line, separated by tabs if the line contains any, otherwise by whitespace."""
    if b"\t" not in line.strip():
        return line.split()
    return [each.strip() for each in line.split(b"\t") if each.strip()]


def usual_width(text: SurveyedText) -> int:
    """Returns the most frequent number of columns in the first lines of a file, or 0 if the input is not a file."""
    lines = head(text.source).split(b"\n")[:-1] if text.is_file else []
    widths = [width for width in map(len, map(fields_in, lines)) if width]
    return max(set(widths), key=widths.count, default=0)


def held_in(given: Any, kind: str, **columns: Any) -> Any:
    """Returns qrels, a run, a dict, a list of rows or a data frame in a form that has rows.

    Args:
        given: the data.
        kind: ``qrels`` or ``run``.
        columns: the named columns of a frame.

    Raises:
        DataError: a frame or a list of rows cannot be read, or a sample is not allowed.
    """
    asked = dict.fromkeys(ASKED[kind]) | columns
    if (columns.get("query") or "").startswith(CONSTANT):
        from carob.inputs.one_query import read_one_query

        given = read_one_query(given, kind, asked)[0]
    elif isinstance(given, (list, Mapping)):
        given = by_query(given, kind, asked)
    if isinstance(given, (Qrels, Run)):
        return given if isinstance(given, Qrels) else given.held
    if kind == "qrels" and isinstance(given, Mapping) and is_sample(given):
        return Qrels.of(given)
    if isinstance(given, Mapping):
        return given
    listed = listed_in(given, kind, columns)
    if listed is not None:
        given, columns = listed[0], dict(listed[1])
    if isinstance(given, dict):
        return given
    given, named = with_scores(given, columns)
    return columns_of(given, kind, named)


def rows_in(held: Any, kind: str) -> Iterable[tuple[Any, Any, Any]]:
    """Returns the rows as tuples of query, document and number.

    Raises:
        DataError: a row cannot be read.
    """
    return rows_of_dict(held, kind) if isinstance(held, Mapping) else held.rows()


def beside_lines(held: Any, kind: str) -> dict[str, Any]:
    """Returns the facts that lines cannot express: ``drawn``, ``answered`` and ``by_position`` of ``SurveyedText``."""
    empty: frozenset[bytes] = frozenset()
    while isinstance(held, Wrapper):
        empty |= held.answered if isinstance(held, RunWithEmptyLists) else empty
        held = held.held
    mapping = held.mapping if isinstance(held, MappingRun) else held
    by_position = isinstance(held, ByPosition) or (isinstance(held, MappingRun) and held.by_position)
    if kind == "run" and isinstance(mapping, Mapping):
        empty = frozenset(token(query) for query, its in numbered(mapping, kind).items() if not its)
    return {"drawn": 0 if kind == "run" else drawn_in(held), "answered": empty, "by_position": by_position}


def drawn_in(held: Any) -> int:
    """Returns the number of documents in a sample, or 0 for other data."""
    if isinstance(held, Qrels):
        return 0 if held.sample is None or held.sample.everything else held.judgments.count
    return held.frame.rows if isinstance(held, Columns) and "probability" in held.places else 0


def rows_of_dict(mapping: Mapping[Any, Any], kind: str) -> Iterator[tuple[Any, Any, Any]]:
    """Yields the rows of ``{query: {document: number}}``.

    Raises:
        DataError: the value of a query is not a dict.
    """
    for query, inner in numbered(mapping, kind).items():
        if not isinstance(inner, Mapping):
            raise DataError(
                f"query {query!r} has {inner!r}, not {{document: number}}: nest the dict as "
                "{query: {document: number}}"
            )
        for each, value in inner.items():
            yield query, each, value


def tabled(table: FileTable, kind: str) -> tuple[bytes, dict[str, Any]]:
    """Returns the rows of a table in files as lines, and the result of ``beside_lines``.

    Raises:
        DataError: a row cannot be read.
    """
    with table.named(), sentences(f"{kind} frame", kind):
        if kind == "run" and not isinstance(table.content, Mapping):
            held: Any = Run.in_files(table).held
        else:
            held = held_in(table.content, kind, **cast("Any", table.columns))
        return lined(rows_in(held, kind), kind), beside_lines(held, kind)


def lined(rows: Iterable[tuple[Any, Any, Any]], kind: str) -> bytes:
    """Returns the rows as lines of text."""
    lines, ranks = [], Counter[Any]()
    last, first = None, b""
    for query, document, value in rows:
        if query != last or not ranks:
            last, first = query, token(query)
        ranks[query] += 1
        if kind == "qrels":
            lines.append(b"%b\t0\t%b\t%b\n" % (first, token(document), number(value)))
        else:
            lines.append(b"%b\t0\t%b\t%d\t%b\t-\n" % (first, token(document), ranks[query], number(value)))
    return b"".join(lines)


def token(identifier: Any) -> bytes:
    """Returns an id as one field of a line.

    A single space between words, as in a query's text, is kept because tabs separate the fields. All other whitespace
    becomes no-break spaces, which the check then reports.
    """
    text = text_of(identifier) if isinstance(identifier, bytes) else str(identifier)
    text = "".join(NO_BREAK if letter in "\t\n\v\f\r" else letter for letter in text)
    text = re.sub(r"(?<!\S) | (?!\S)", NO_BREAK, text) or NO_BREAK
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half of a surrogate pair, which JSON can contain
        return text.encode("utf-8", "backslashreplace")


def number(value: Any) -> bytes:
    """Returns a number as one field of a line, or the text of any other value."""
    if isinstance(value, Integral):
        return b"%d" % int(value)
    if isinstance(value, Real) or hasattr(value, "__float__"):
        try:
            return repr(float(value)).encode()
        except (TypeError, ValueError, OverflowError):
            pass
    return token(repr(value))
