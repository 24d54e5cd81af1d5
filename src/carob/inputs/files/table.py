"""Opens tables in files, finds their columns and turns them into runs."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from carob._cached import cached_property
from carob._dataclasses import dataclass, replace
from carob.inputs import READERS
from carob.inputs.columns import HITS, columns_named, constant_in, refuse_distance, usual
from carob.inputs.errors import (
    ANSWERS_NAMED,
    SAMPLE_BY_SUBTOPIC,
    WHOLE,
    first_line,
    most_of,
    number_error,
    refused,
    sentences,
)
from carob.inputs.files.header import delimited, head_of, rows_of_text, shapes_of_text, with_numbers
from carob.inputs.files.json import (
    content_in,
    first_objects,
    first_objects_of_list,
    is_by_line,
    lists_by_query,
    not_a_number,
    objects_in,
    queries_by_line,
    refuse_lines,
    whole_line,
)
from carob.inputs.files.libraries import (
    COLUMNAR,
    Polars,
    columnar_kind,
    has_library,
    in_polars,
    library_for,
    opened,
    reading,
)
from carob.inputs.files.neighbours import array_kind, neighbours_in
from carob.inputs.files.paths import Place, place_of
from carob.inputs.files.plain_json import PlainJson
from carob.inputs.frames import is_frame, systems_in
from carob.inputs.ids import bytes_of
from carob.inputs.layouts import LaidOut, is_laid_out, unwrapped, with_columns
from carob.inputs.nested import plan_of, rows_of_frame, shapes_of
from carob.inputs.nested_rows import mapping_by
from carob.inputs.runs import Wrapper
from carob.inputs.sources import BYTE_ORDER_MARK, Provenance, Source, content_of, is_trec
from carob.output.errors import ContentError, DataError, NoSuchColumnsError, by_policy, worded
from carob.output.parsing import json_or_none
from carob.output.taken import take

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from contextlib import AbstractContextManager

    from carob.conventions.policy import Policy
    from carob.inputs.columns import Asked
    from carob.inputs.files.header import Delimited
    from carob.inputs.files.libraries import Library
    from carob.inputs.nested import ColumnRoles, Shape


JSON = re.compile(rb"\s*(?:\{|\[\s*\{)")
"""The start of an object or of a list of objects."""
PLAIN = re.compile(rb'\s*\{\s*"[^"\\]*"\s*:\s*\{\s*"[^"\\]*"\s*:\s*[-0-9]')
"""The start of ``{query: {document: score}}``."""
UNREAD = (".bz2", ".xz")
LENIENT = worded(by_policy("malformed", "skip"), " skips lines of TREC text only, not rows of a table.")


@dataclass(frozen=True, eq=False)
class FileTable:
    """The table of judgments or of a run in files.

    Args:
        name: the path as the caller gave it.
        content: a lazy frame, a dictionary, or a run as a source of TREC text.
        columns: the content's columns by role; a number as ``grade`` is the grade of every row.
        origin: the files.
        library: the library that reads them.
        guessed: the score or grade column, if the caller did not name it.
        fault: returns the error for a faulty list or for text that is not a number, or None.
        home: an object that must stay alive as long as the content.
        most: the maximum number of bytes that the texts of the rows may take in memory.
        blocks: yields the rows of a run in blocks, as frames of the same form as ``content``; None to read ``content``
            itself.
        written: whether the content is the dictionary in the file, so its scores are not ranks that carob negated.
        answered: the queries of the rows that list documents. A query without a row in the content has an empty list.
    """

    name: str
    content: Any
    columns: Mapping[str, str | float]
    origin: Provenance
    library: str = "json"
    guessed: str | None = None
    fault: Callable[[], DataError | None] = lambda: None
    home: Any = None
    most: float = math.inf
    blocks: Callable[[], Iterator[Any]] | None = None
    written: bool = False
    answered: frozenset[bytes] = frozenset()

    @contextmanager
    def named(self, policy: Policy | None = None) -> Iterator[None]:
        """Adds the name of the file to errors about rows, and the line number if each row is one line.

        Args:
            policy: the policy under which the rows are read, if any.

        Raises:
            DataError: a row is faulty. The error contains the name of the file.
        """
        try:
            with reading(self.name, self.library):
                yield
        except DataError as error:
            with reading(self.name, self.library):  # the search reads the file too
                error = self.fault() or error
            place = {} if error.row is None else {"row": None} | self.origin.place(error.row + 1)
            if place and policy is not None and policy.malformed == "skip":
                place["remedy"] = worded(error.remedy or "Correct the row.", " ", LENIENT)
            raise error.at(file=self.name, **place) from None


def table_in(path: str, kind: str, asked: Asked, folders: str | None = None) -> FileTable | Place | None:
    """Returns the table at a path, None for TREC text, or a ``Place`` for several text files.

    Args:
        path: a file, a folder or a pattern.
        kind: ``qrels`` or ``run``.
        asked: columns' names by role; None looks for a usual name, and a number is the grade of every row.
        folders: see ``place_of``.

    Raises:
        DataError: there is no such file, files are of several kinds, a file is unreadable, or columns are ambiguous.
    """
    place = place_of(path, kind, folders)
    wanted = TableRequest(place, kind, asked)
    if not place.labels or place.kind in READERS:
        return found_in(wanted)
    tables = [(label, found_in(replace(wanted, place=each, joined=True))) for label, each in place.apart()]
    if all(isinstance(each, FileTable) for _, each in tables):
        return together(place, [(label, each) for label, each in tables if isinstance(each, FileTable)])
    return replace(place, kind="text")


def found_in(wanted: TableRequest) -> FileTable | Place | None:
    """Returns the table in the files of a place, None for one text file, or the place itself for several text files."""
    place, grade = wanted.place, constant_in(wanted.asked)
    if place.kind in READERS:
        return by_reader(wanted)
    if wanted.form in COLUMNAR:
        return columnar(wanted)
    if wanted.form == "array":
        content = neighbours_in(only_file(place), wanted.head, wanted.kind, wanted.asked)
        return FileTable(place.name, content, wanted.constants, wanted.origin)
    what = content_of(wanted.head)
    if what is not None and (wanted.form in ("json", "lines") or not what.startswith("UTF-")):
        raise ContentError(place.files[0], what)
    if wanted.form == "json" and not wanted.by_line:
        return by_json(wanted)
    if (
        wanted.by_line
        and wanted.objects
        and all(lists_by_query(each, wanted.asked) for each in wanted.objects)
    ):
        refuse_distance(wanted.asked)
        return FileTable(place.name, queries_by_line(place.files), wanted.constants, place.origin)
    if wanted.by_line or wanted.how is not None:
        if "probability" in wanted.plan.columns and not wanted.plan.nested:
            return sampled(wanted)
        refuse_packed(place)
        return by_lines(wanted) if wanted.how is None else by_text(wanted, wanted.how)
    if grade is not None:
        raise refused(
            "carob reads the file as TREC text, in which each line has a grade.",
            "Leave grade={grade:g} out.",
            error=NoSuchColumnsError,
            file=place.name,
            grade=grade,
        )
    if wanted.names:
        raise refused(
            "no line names the columns, so carob reads the file as TREC text.",
            "Leave the column names out.",
            error=NoSuchColumnsError,
            file=place.name,
        )
    return None if place.files == (place.name,) else place


def fields_in(path: str, asked: Asked, folders: str | None = None) -> Mapping[str, Shape] | None:
    """Returns the shape of each column of the table at a path, or None for text and for other packages' formats.

    Args:
        path: a file, a folder or a pattern.
        asked: the columns of a run that the caller named.
        folders: see ``place_of``.

    Raises:
        DataError: for the same reasons as in ``table_in``.
    """
    place = place_of(path, "run", folders)
    place = place.apart()[0][1] if place.labels else place
    wanted = TableRequest(place, "run", asked)
    if place.kind in READERS or (wanted.how is not None and not wanted.how.header):
        return None
    return wanted.fields


def together(place: Place, tables: list[tuple[str, FileTable]]) -> FileTable:
    """Combines several data sets into one table. Each query id gets its folder as a prefix."""
    first = tables[0][1]
    if isinstance(first.content, dict):
        return replace(
            first,
            name=place.name,
            origin=place.origin,
            content={
                f"{label}/{query}": documents
                for label, its in tables
                for query, documents in its.content.items()
            },
        )
    import narwhals as nw

    other = next((its for _, its in tables if its.columns.keys() != first.columns.keys()), None)
    if other is not None:
        raise refused(
            "the files in this folder have different columns ({names}) from those in the first folder.",
            "Read each folder separately.",
            file=other.name,
            names=", ".join(other.columns),
        )
    frames: list[Any] = []
    for label, its in tables:
        # A PyArrow dataset is not a frame, so its rows are read into a table.
        frame: Any = nw.from_native(
            its.content.to_table() if hasattr(its.content, "scanner") else its.content
        )
        own = {role: name for role, name in its.columns.items() if isinstance(name, str)}
        query, *others = (nw.col(name).alias(role) for role, name in own.items())
        frames.append(
            frame.select(nw.concat_str([nw.lit(f"{label}/"), query.cast(nw.String)]).alias("query"), *others)
        )
    return replace(
        first,
        name=place.name,
        content=nw.concat(frames).to_native(),
        columns={role: role if isinstance(name, str) else name for role, name in first.columns.items()},
        origin=replace(place.origin, rows=True, columns=(*first.origin.columns, *place.origin.columns)),
        fault=lambda: next((said for _, its in tables if (said := its.fault())), None),
        home=[its.home for _, its in tables],
        most=sum(its.most for _, its in tables),
        blocks=None,
    )


# ---------------------------------------------------------------- each kind


@dataclass(frozen=True, eq=False, repr=False)
class TableRequest:
    """A request to read a table. Facts about its files are determined only when they are needed, and at most once.

    Args:
        place: the files.
        kind: ``qrels`` or ``run``.
        asked: columns' names by role; None looks for a usual name, and a number is the grade of every row.
        joined: whether the table is combined with other tables.
    """

    place: Place
    kind: str
    asked: Asked
    joined: bool = False

    @property
    def given(self) -> dict[str, Any]:
        """The columns and the grade that the caller gave."""
        return {role: name for role, name in self.asked.items() if name is not None}

    @property
    def names(self) -> list[str]:
        """The columns that the caller named."""
        return [name for name in self.given.values() if isinstance(name, str)]

    @property
    def constants(self) -> dict[str, Any]:
        """The grade of every row, if the caller gave one."""
        return {role: name for role, name in self.given.items() if not isinstance(name, str)}

    @property
    def origin(self) -> Provenance:
        """The files, with the columns that the caller named."""
        return replace(self.place.origin, columns=columns_named(self.given))

    @cached_property
    def head(self) -> bytes:
        """The first bytes of the first file, or no bytes if it is Parquet or Arrow."""
        return b"" if self.place.kind in COLUMNAR else head_of(self.place.files[0])

    @cached_property
    def form(self) -> str:
        """The format: ``parquet``, ``csv``, ``lines`` and so on. If the name does not show it, the first bytes do."""
        if self.place.kind != "text":
            return self.place.kind
        if array_kind(self.place.files[0], self.head):
            return "array"
        return columnar_kind(self.head) or ("json" if JSON.match(self.head) else "text")

    @cached_property
    def by_line(self) -> bool:
        """Whether each line is a JSON object."""
        if self.form != "json":
            return self.form == "lines"
        first, _, rest = self.head.strip().partition(b"\n")
        one = not rest and is_laid_out(json_or_none(first, file=self.place.files[0]))
        return not one and is_by_line(self.place.files[0], self.head, self.asked)

    @cached_property
    def objects(self) -> list[dict[str, Any]]:
        """The JSON objects on the first lines."""
        first = self.place.files[0]
        return first_objects(first, whole_line(first, self.head))

    @cached_property
    def how(self) -> Delimited | None:
        """The layout of a table in text, or None for any other file."""
        if self.form not in ("text", "csv") or is_trec(self.head, self.kind):
            return None
        first, sure = self.place.files[0], self.form == "csv"
        return delimited(first, self.head, self.kind, self.names, sure=sure)

    @cached_property
    def opened(self) -> tuple[Library, Any]:
        """The library that reads the Parquet or Arrow files, and the table that it opened."""
        return opened(replace(self.place, kind=self.form))

    @cached_property
    def document(self) -> LaidOut:
        """The content of a file that is one JSON document.

        Raises:
            DataError: the file cannot be read, or a tool wrote it and it contains something other than ``kind``.
        """
        first = self.place.files[0]
        try:
            return unwrapped(content_in(first), self.kind)
        except DataError as error:
            raise error.at(file=first) from None

    @property
    def roles(self) -> Asked:
        """The columns' names by role: the caller's, and for other roles those of the tool that wrote the document."""
        if self.form != "json" or self.by_line:
            return self.asked
        return with_columns(self.asked, self.document.columns)

    @cached_property
    def fields(self) -> Mapping[str, Shape] | None:
        """The shape of each column; None for TREC text, and for JSON that is not a list of objects."""
        if self.form in COLUMNAR:
            library, table = self.opened
            with reading(self.place.name, library.name):
                return library.fields_of(table)
        if self.by_line:
            return shapes_of(self.objects)
        if self.form == "json":
            rows = self.document.content
            of_objects = isinstance(rows, list) and all(isinstance(each, dict) for each in rows)
            return shapes_of(rows) if of_objects else None
        return None if self.how is None else shapes_of_text(self.how, self.head)

    @cached_property
    def plan(self) -> ColumnRoles:
        """The role of each column.

        Raises:
            DataError: a column is missing or ambiguous.
        """
        try:
            return plan_of(self.fields or {}, self.kind, self.roles)
        except DataError as error:
            raise error.at(file=self.place.name) from None

    def plain_columns(self, fields: Mapping[str, Shape]) -> dict[str, str] | None:
        """Returns a run's columns by role; None unless the kernel can read the rows (flat, with scores, of one system).

        Raises:
            DataError: a column is missing or ambiguous.
        """
        plan, wanted = plan_of(fields, self.kind, self.asked), ("query", "document", "score", "rank")
        columns = {role: plan.columns[role] for role in wanted if role in plan.columns}
        apart = plan.nested or plan.by_row or plan.minus or "score" not in columns
        if apart or len(columns) < len(plan.columns):
            return None
        return None if usual([name for name in fields if name not in columns.values()], "system") else columns

    def plain(self, form: str, fields: Mapping[str, Shape], origin: Provenance) -> FileTable | None:
        """Returns a run in one file of plain JSON, which the kernel reads without a library. None for any other table.

        Args:
            form: as in ``PlainJson``.
            fields: the shapes of the columns of its first rows.
            origin: the provenance of the rows.
        """
        place = self.place
        if self.kind != "run" or self.joined or len(place.files) > 1 or place.keys:
            return None
        columns = {} if form == "object" else self.plain_columns(fields)
        if columns is None:
            return None
        others = [name for name in fields if name not in columns.values()]
        handle = PlainJson.of(place.files[0], form, columns.values(), others)
        source = Source(place.files[0], handle, None, origin)
        return FileTable(place.name, source, columns, origin) if handle.is_plain() else None

    def made(self, library: Library, table: Any) -> FileTable:
        """Returns the ``FileTable`` with the needed columns of an opened table."""
        plan, text, columns_in_files = self.plan, self.how is not None, self.form in COLUMNAR

        def places() -> list[dict[str, Any]]:
            return [place for place, _ in objects_in(self.place.files)]

        with reading(self.place.name, library.name):
            if plan.nested and library.name == "pyarrow":
                library, table = Polars(), in_polars(table, plan)
            if self.kind == "qrels" and library.lists_nothing(table, plan):
                return self.by_row(
                    numbered_rows(table, plan) if columns_in_files else objects_in(self.place.files)
                )
            queries = library.queries_with_lists(table, plan, None if columns_in_files else places)
            frame = library.rows(table, plan, self.kind, text=text)
            systems = () if self.kind == "qrels" or plan.nested else self.systems(library, table)

        def fault() -> DataError | None:
            # Searched first, because a library that meets such a line cannot look for anything else.
            odd = self.odd_line() or library.odd_lists(table, plan, self.kind)
            if odd is not None:
                return odd
            found = library.odd_number(table, plan) if text else None
            if found is None:
                return None
            row, column, value = found
            wide = re.fullmatch(WHOLE, value) is not None
            return number_error(value, self.kind, wide=wide, row=row, column=column)

        lines = len(self.place.files) == 1 and not plan.nested and not columns_in_files
        first = 1 + (self.how is not None and self.how.header) if lines else None
        relevant = {"grade": 1.0} if plan.relevant else {}
        role = "grade" if self.kind == "qrels" else "score"
        return FileTable(
            self.place.name,
            frame,
            {**plan.flat, **relevant, **self.constants},
            replace(self.origin, rows=True, first=first, systems=systems),
            library.name,
            None if self.asked.get(role) else plan.columns.get(role, "").casefold(),
            fault,
            library,
            most_of(self.place.files) if columns_in_files else math.inf,
            None if columns_in_files else library.in_blocks(self.place, plan, self.how),
            answered=frozenset(bytes_of(str(each)) for each in queries),
        )

    def systems(self, library: Library, table: Any) -> tuple[str, ...]:
        """Returns the column that names several systems, and the systems, as ``systems_in`` does."""
        taken = self.plan.columns
        if self.by_line:  # only the columns of the plan were read from the objects
            column = next(
                iter(usual([name for name in self.fields or {} if name not in taken.values()], "system")),
                None,
            )
            if column is None:
                return ()
            wanted = replace(self.plan, columns={"query": taken["query"], "subtopic": column})
            table = library.lines(list(self.place.files), wanted)
        return systems_in(table, list(library.fields_of(table)), taken.values())

    def by_row(self, rows: Iterable[tuple[dict[str, Any], Any]]) -> FileTable:
        """Reads the rows one by one, each with its place in the files.

        Raises:
            DataError: a value cannot be used. The error contains its place.
        """
        places: list[dict[str, Any]] = []

        def each() -> Iterator[Any]:
            for place, row in rows:
                places.append(place)
                yield row

        try:
            content = mapping_by(self.plan, each(), self.kind, self.asked, places)
        except DataError as error:
            if error.line is not None:
                raise  # the error concerns a row that was read after the last place
            raise error.at(
                **{"file": self.place.name, "row": None} | (places[-1] if places else {})
            ) from None
        return FileTable(self.place.name, content, {}, self.origin, fault=self.odd_line)

    def odd_line(self) -> DataError | None:
        """Returns the error for the first score or grade in JSON lines that is not a number; None for other forms."""
        return not_a_number(self.place.files, self.plan, self.kind) if self.by_line else None


def columnar(wanted: TableRequest) -> FileTable:
    """Opens Parquet or Arrow files."""
    library, table = wanted.opened
    if not wanted.plan.by_row:
        return wanted.made(library, table)
    with reading(wanted.place.name, library.name):
        return wanted.by_row(numbered_rows(table, wanted.plan))


def numbered_rows(table: Any, plan: ColumnRoles) -> Iterator[tuple[dict[str, Any], Any]]:
    """Yields the rows of Parquet or Arrow files, each preceded by its place."""
    yield from (({"row": number}, row) for number, row in enumerate(rows_of_frame(table, plan)))


def by_text(wanted: TableRequest, how: Delimited) -> FileTable:
    """Opens CSV or TSV files, which must all have the same first line."""
    place = wanted.place
    for each in place.files[1:]:
        other = delimited(each, head_of(each), wanted.kind, list(how.names), sure=how.header)
        if other != how:
            raise refused(
                "the columns differ from those of {first}, but all parts of a table need the same columns.",
                file=each,
                first=place.files[0],
            )
    if wanted.plan.nested:
        return wanted.by_row(rows_of_text(place.files, how, wanted.plan))
    if not has_library("delimited"):
        rows = rows_of_text(place.files, how, wanted.plan)
        return wanted.by_row(with_numbers(rows, wanted.plan, wanted.kind))
    library = library_for(place, "delimited")
    with reading(place.name, library.name):
        table = library.delimited(list(place.files), how)
    return wanted.made(library, table)


def only_file(place: Place, remedy: str = "Pass one file.") -> str:
    """Returns the only file of a place whose table cannot be split into several files.

    Args:
        place: the files.
        remedy: the advice if there are several files.

    Raises:
        DataError: there are several files.
    """
    if len(place.files) > 1:
        raise refused(
            "the path matches {count} files, but only one file of this kind can be read at a time.",
            remedy,
            file=place.name,
            count=len(place.files),
        )
    return place.files[0]


def remedy_of_several(wanted: TableRequest) -> str:
    """Returns the advice for several files that each contain one JSON document, such as one answer per query."""
    with suppress(DataError):
        if wanted.kind == "run" and any(f"{name}.".startswith(HITS) for name in wanted.fields or ()):
            return ANSWERS_NAMED
    return "Pass one file, or use JSON lines (.jsonl), which can be split over several files."


def by_json(wanted: TableRequest) -> FileTable:
    """Opens a JSON file that contains one dictionary or one list."""
    place = wanted.place
    if len(place.files) > 1:
        only_file(place, remedy_of_several(wanted))
    if PLAIN.match(wanted.head):
        refuse_distance(wanted.asked)
        found = wanted.plain("object", {}, place.origin)
        if found is not None:
            return found
    elif wanted.kind == "run" and (rows := first_objects_of_list(wanted.head)):
        with suppress(DataError):  # reading the whole list gives a better error
            found = wanted.plain("list", shapes_of(rows), replace(wanted.origin, rows=True))
            if found is not None:
                return found
    content = wanted.document.content
    if isinstance(content, dict):
        refuse_distance(wanted.asked)
        return FileTable(place.name, content, wanted.constants, place.origin, written=True)
    roles = {role: name for role, name in wanted.roles.items() if name is not None}
    return FileTable(place.name, content, roles, replace(wanted.origin, rows=True))


def by_lines(wanted: TableRequest) -> FileTable:
    """Opens JSON files that contain an object on each line."""
    place = wanted.place
    for each in place.files:
        with sentences(each), open(each, "rb") as file:
            if file.read(3) == BYTE_ORDER_MARK:
                raise refused(
                    "the file begins with a byte order mark, which is not allowed in JSON lines.",
                    "Save the file without the mark.",
                    file=each,
                )
    found = wanted.plain("lines", wanted.fields or {}, replace(wanted.origin, rows=True, first=1))
    if found is not None:
        return found
    for each in place.files:
        refuse_lines(each, wanted.plan, wanted.kind)
    if wanted.plan.by_row or not has_library("lines"):
        return wanted.by_row(objects_in(place.files))
    library = library_for(place, "lines")
    with reading(place.name, library.name):
        table = library.lines(list(place.files), wanted.plan)
    try:
        return wanted.made(library, table)
    except DataError as error:
        raise (wanted.odd_line() or error) from None


def sampled(wanted: TableRequest) -> FileTable:
    """Reads the table of a sample row by row, which needs no library and allows errors to name the line."""
    from carob.inputs.samples import read_sample

    if "subtopic" in wanted.plan.columns:
        raise refused(*SAMPLE_BY_SUBTOPIC, file=wanted.place.name)
    sample = read_sample(*wanted.place.files, roles=wanted.plan.columns)
    return FileTable(wanted.place.name, sample, wanted.constants, wanted.origin)


def by_reader(wanted: TableRequest) -> FileTable:
    """Opens a file with the reader that another package registered.

    Raises:
        DataError: the reader fails, it returns an object that carob cannot read, or there are several files.
    """
    place = wanted.place
    path, read = only_file(place), READERS[place.kind]
    name = f"{read.__module__}.{getattr(read, '__qualname__', type(read).__qualname__)}"
    take(path)
    with sentences(path):
        try:
            content = read(path, wanted.kind)
        except DataError as error:
            raise error.at(file=error.file or path) from None
        except OSError:
            raise
        except (Exception, SystemExit) as error:
            raise refused(
                "the file cannot be read by {reader}: {type}: {why}.",
                file=path,
                reader=name,
                type=type(error).__name__,
                why=first_line(error),
            ) from error
    if not (isinstance(content, (Mapping, list)) or is_frame(content)):
        raise refused(
            "{reader} returned a value of type {type}.",
            "A reader returns a data frame, {{query: {{document: number}}}}, or a list of rows.",
            file=path,
            reader=name,
            type=type(content).__name__,
        )
    return FileTable(place.name, content, wanted.given, wanted.origin, name)


# ---------------------------------------------------------------- what is refused


def refuse_packed(place: Place) -> None:
    """Refuses compressed text that no library decompresses.

    Raises:
        DataError: the file is a bzip2 or xz file.
    """
    packed = next((each for each in place.files if each.endswith(UNREAD)), None)
    if packed is not None:
        raise refused("a compressed table must be a .gz or .zst file.", "Unpack it first.", file=packed)


@dataclass(frozen=True, eq=False, repr=False)
class FileRun(Wrapper):
    """A run in Parquet, CSV, JSON and similar files. Errors about the run name the files.

    Args:
        held: the source of the rows.
        table: the files.
    """

    table: FileTable

    @property
    def origin(self) -> Provenance:
        """The files."""
        return replace(self.table.origin, whole=self.held.origin.whole)

    def named(self, policy: Policy | None = None) -> AbstractContextManager[None]:
        """Returns a context manager that adds the file's name to errors about rows."""
        return self.table.named(policy)
