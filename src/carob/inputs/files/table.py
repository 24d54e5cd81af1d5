"""Opens tables in files, finds their columns and turns them into runs."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from carob._dataclasses import dataclass
from carob.inputs import READERS
from carob.inputs.columns import constant_in, named_in
from carob.inputs.errors import (
    WHOLE,
    first_line,
    most_of,
    number_error,
    refused,
    sentences,
)
from carob.inputs.files.header import delimited, head_of, rows_of_text, shapes_of_text
from carob.inputs.files.json import (
    content_in,
    first_objects,
    is_by_line,
    lists_by_query,
    mapping_by,
    objects_in,
    queries_by_line,
    refuse_lines,
    whole_line,
)
from carob.inputs.files.libraries import COLUMNAR, columnar_kind, library_for, opened, reading
from carob.inputs.files.paths import Place, place_of
from carob.inputs.frames import is_frame, rows_of_frame
from carob.inputs.nested import plan_of, shapes_of
from carob.inputs.runs import Wrapper
from carob.inputs.sources import BYTE_ORDER_MARK, Provenance, content_of, is_trec
from carob.output.errors import ColumnsOfTextError, ContentError, DataError, by_policy, worded
from carob.output.taken import take

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from carob import _native
    from carob.conventions.policy import Policy
    from carob.inputs.columns import Asked
    from carob.inputs.files.header import Delimited
    from carob.inputs.files.libraries import Library
    from carob.inputs.nested import ColumnRoles, Shape
    from carob.inputs.runs import Found, MatchOptions, Ranked, Row


JSON = re.compile(rb"\s*(?:\{|\[\s*\{)")
"""The start of an object or of a list of objects."""
LISTED = re.compile(rb"\s*\[")
UNREAD = (".bz2", ".xz")
LENIENT = worded(by_policy("malformed", "skip"), " skips lines of TREC text only, not rows of a table.")


@dataclass(frozen=True, eq=False)
class FileTable:
    """The table of judgments or of a run in files.

    Args:
        name: the path as the caller gave it.
        content: a lazy frame, or a dictionary.
        columns: the content's columns by role, or the ``grade`` of every row.
        origin: the files.
        library: the library that reads them.
        guessed: the score or grade column, if the caller did not name it.
        fault: returns the error for text that is not a number, if there is any.
        home: the object that must live as long as the content.
        most: the bytes that the texts of the rows may take.
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

    @contextmanager
    def named(self, policy: Policy | None = None) -> Iterator[None]:
        """Adds the name of the file to errors about rows, and the line if each row is one line.

        Args:
            policy: the policy, if the rows are read under one.

        Raises:
            DataError: with the name of the file.
        """
        with reading(self.name, self.library):
            try:
                yield
            except DataError as error:
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
        DataError: no such file, files of several kinds, an unreadable file, ambiguous columns.
    """
    place = place_of(path, kind, folders)
    wanted = TableRequest(place, kind, asked)
    if not place.labels or place.kind in READERS:
        return found_in(wanted)
    tables = [(label, found_in(replace(wanted, place=each))) for label, each in place.apart()]
    if all(isinstance(each, FileTable) for _, each in tables):
        return together(place, [(label, each) for label, each in tables if isinstance(each, FileTable)])
    return replace(place, kind="text")


def found_in(wanted: TableRequest) -> FileTable | Place | None:
    """Returns the table in the files of a place, None for one text file, or the place for several."""
    place, grade = wanted.place, constant_in(wanted.asked)
    if place.kind in READERS:
        return by_reader(wanted)
    head = b"" if place.kind in COLUMNAR else head_of(place.files[0])
    if place.kind == "text":
        place = replace(place, kind=by_magic(head))
        wanted = replace(wanted, place=place)
    what = None if place.kind in COLUMNAR else content_of(head)
    if what is not None and (place.kind in ("json", "lines") or not what.startswith("UTF-")):
        raise ContentError(place.files[0], what)
    if place.kind in COLUMNAR:
        return columnar(wanted)
    if place.kind in ("json", "lines"):
        return by_json(wanted, head)
    names = list(filter(None, named_in(wanted.asked).values()))
    if not is_trec(head, wanted.kind):
        how = delimited(place.files[0], head, wanted.kind, names, sure=place.kind == "csv")
        if how is not None:
            return by_text(wanted, how, head)
    if grade is not None:
        raise refused("grade-of-text", error=ColumnsOfTextError, file=place.name, grade=grade)
    if names:
        raise refused("no-header", error=ColumnsOfTextError, file=place.name)
    return None if place.files == (place.name,) else place


def fields_in(path: str, asked: Asked, folders: str | None = None) -> Mapping[str, Shape] | None:
    """Returns the shape of each column of the table at a path, or None for text and for other packages' formats.

    Args:
        path: a file, a folder or a pattern.
        asked: the columns of a run that the caller named.
        folders: see ``place_of``.

    Raises:
        DataError: as ``table_in``.
    """
    place = place_of(path, "run", folders)
    place = place.apart()[0][1] if place.labels else place
    if place.kind in READERS:
        return None
    head = b"" if place.kind in COLUMNAR else head_of(place.files[0])
    kind = by_magic(head) if place.kind == "text" else place.kind
    if kind in COLUMNAR:
        library, table = opened(replace(place, kind=kind))
        with reading(place.name, library.name):
            return library.fields_of(table)
    if kind in ("json", "lines"):
        if kind == "lines" or is_by_line(place.files[0], head, asked):
            return shapes_of(first_objects(place.files[0], whole_line(place.files[0], head)))
        rows = content_in(place.files[0]) if LISTED.match(head) else {}
        return (
            shapes_of(rows)
            if isinstance(rows, list) and all(isinstance(each, dict) for each in rows)
            else None
        )
    names = [name for name in named_in(asked).values() if name is not None]
    how = None if is_trec(head, "run") else delimited(place.files[0], head, "run", names, sure=kind == "csv")
    return None if how is None or not how.header else shapes_of_text(how, head)


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
        raise refused("other-columns", file=other.name, names=", ".join(other.columns))
    frames: list[Any] = []
    for label, its in tables:
        # A PyArrow data set is not a frame, but a table of its rows is.
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
    )


def by_magic(head: bytes) -> str:
    """Returns the kind of a file by its first bytes, for a file whose name does not show the kind."""
    return columnar_kind(head) or ("json" if JSON.match(head) else "text")


# ---------------------------------------------------------------- each kind


@dataclass(frozen=True)
class TableRequest:
    """A request to read a table: the files, the kind of data and the columns.

    Args:
        place: the files.
        kind: ``qrels`` or ``run``.
        asked: columns' names by role; None looks for a usual name, and a number is the grade of every row.
    """

    place: Place
    kind: str
    asked: Asked

    @property
    def given(self) -> dict[str, Any]:
        """The columns and the grade that the caller gave."""
        return {role: name for role, name in self.asked.items() if name is not None}

    @property
    def constants(self) -> dict[str, Any]:
        """The grade of every row, if the caller gave one."""
        return {role: name for role, name in self.given.items() if not isinstance(name, str)}

    def plan(self, fields: Mapping[str, Shape]) -> ColumnRoles:
        """Finds the role of each column.

        Raises:
            DataError: a missing or ambiguous column.
        """
        try:
            return plan_of(fields, self.kind, self.asked)
        except DataError as error:
            raise error.at(file=self.place.name) from None

    def made(
        self, library: Library, table: Any, plan: ColumnRoles, *, text: bool = False, header: bool = False
    ) -> FileTable:
        """Selects the needed columns of an opened table."""

        def places() -> list[dict[str, Any]]:
            return [place for place, _ in objects_in(self.place.files)]

        with reading(self.place.name, library.name):
            library.refuse_repeated(table, plan, None if self.place.kind in COLUMNAR else places)
            frame = library.flat(table, plan, self.kind, text=text)

        def fault() -> DataError | None:
            lists = library.odd_lists(table, plan, self.kind)
            if lists is not None:
                return lists
            found = library.odd_number(table, plan) if text else None
            if found is None:
                return None
            row, column, value = found
            wide = re.fullmatch(WHOLE, value) is not None
            return number_error(value, self.kind, wide=wide, row=row, column=column)

        lines = len(self.place.files) == 1 and not plan.nested and self.place.kind not in COLUMNAR
        first = 1 + (text and header) if lines else None
        relevant = {"grade": 1.0} if plan.relevant else {}
        role = "grade" if self.kind == "qrels" else "score"
        return FileTable(
            self.place.name,
            frame,
            {**plan.flat, **relevant, **self.constants},
            replace(self.place.origin, rows=True, columns=tuple(self.given.items()), first=first),
            library.name,
            None if self.asked.get(role) else plan.columns.get(role, "").casefold(),
            fault,
            library,
            most_of(self.place.files) if self.place.kind in COLUMNAR else math.inf,
        )

    def by_row(self, plan: ColumnRoles, rows: Iterable[tuple[dict[str, Any], Any]]) -> FileTable:
        """Reads the rows one by one, each with its place in the files.

        Raises:
            DataError: a value that cannot be used, with its place.
        """
        places: list[dict[str, Any]] = []

        def each() -> Iterator[Any]:
            for place, row in rows:
                places.append(place)
                yield row

        try:
            content = mapping_by(plan, each(), self.kind, self.asked, places)
        except DataError as error:
            raise error.at(
                **{"file": self.place.name, "row": None} | (places[-1] if places else {})
            ) from None
        origin = replace(self.place.origin, columns=tuple(self.given.items()))
        return FileTable(self.place.name, content, {}, origin)


def columnar(wanted: TableRequest) -> FileTable:
    """Opens Parquet or Arrow files."""
    library, table = opened(wanted.place)
    with reading(wanted.place.name, library.name):
        fields = library.fields_of(table)
    plan = wanted.plan(fields)
    if not plan.by_row:
        return wanted.made(library, table, plan)
    with reading(wanted.place.name, library.name):
        rows = rows_of_frame(table.to_table() if library.name == "pyarrow" else table, plan)
        return wanted.by_row(plan, (({"row": number}, row) for number, row in enumerate(rows)))


def by_text(wanted: TableRequest, how: Delimited, head: bytes) -> FileTable:
    """Opens CSV or TSV files, which must all have the same first line."""
    place = wanted.place
    plan = wanted.plan(shapes_of_text(how, head))
    if "probability" in plan.columns and not plan.nested:
        return sampled(wanted, plan)
    refuse_packed(place)
    for each in place.files[1:]:
        other = delimited(each, head_of(each), wanted.kind, list(how.names), sure=how.header)
        if other != how:
            raise refused("other-first-line", file=each, first=place.files[0])
    if plan.nested:
        return wanted.by_row(plan, rows_of_text(place.files, how, plan))
    library = library_for(place, "delimited")
    with reading(place.name, library.name):
        table = library.delimited(place, how)
    return wanted.made(library, table, plan, text=True, header=how.header)


def by_json(wanted: TableRequest, head: bytes) -> FileTable:
    """Opens a JSON file, which contains one dictionary or an object on each line."""
    place = wanted.place
    if place.kind == "json" and not is_by_line(place.files[0], head, wanted.asked):
        if len(place.files) > 1:
            raise refused("several-dictionaries", file=place.name, count=len(place.files))
        content = content_in(place.files[0])
        if isinstance(content, dict):
            return FileTable(place.name, content, wanted.constants, place.origin)
        origin = replace(place.origin, columns=tuple(wanted.given.items()))
        return FileTable(place.name, content, wanted.given, origin)
    first = first_objects(place.files[0], whole_line(place.files[0], head))
    if first and all(lists_by_query(each, wanted.asked) for each in first):
        return FileTable(place.name, queries_by_line(place.files), wanted.constants, place.origin)
    plan = wanted.plan(shapes_of(first))
    if "probability" in plan.columns and not plan.nested:
        return sampled(wanted, plan)
    refuse_packed(place)
    for each in place.files:
        with sentences(each), open(each, "rb") as file:
            if file.read(3) == BYTE_ORDER_MARK:
                raise refused("byte-order-mark", file=each)
    for each in place.files:
        refuse_lines(each, plan, wanted.kind)
    if plan.by_row:
        return wanted.by_row(plan, objects_in(place.files))
    library = library_for(place, "lines")
    with reading(place.name, library.name):
        table = library.lines(place, plan)
    return wanted.made(library, table, plan)


def sampled(wanted: TableRequest, plan: ColumnRoles) -> FileTable:
    """Reads the table of a sample row by row, which needs no library and names each line."""
    from carob.inputs.samples import read_sample

    if "subtopic" in plan.columns:
        raise refused("sample-by-subtopic", file=wanted.place.name)
    origin = replace(wanted.place.origin, columns=tuple(wanted.given.items()))
    return FileTable(
        wanted.place.name, read_sample(*wanted.place.files, roles=plan.columns), wanted.constants, origin
    )


def by_reader(wanted: TableRequest) -> FileTable:
    """Opens a file by the reader that another package registered.

    Raises:
        DataError: the reader fails, or returns what carob does not know; several files.
    """
    place = wanted.place
    if len(place.files) > 1:
        raise refused("several-files", file=place.name, count=len(place.files), kind=place.kind)
    (path,), read = place.files, READERS[place.kind]
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
                "reader-failed", file=path, reader=name, type=type(error).__name__, why=first_line(error)
            ) from error
    if not (isinstance(content, (Mapping, list)) or is_frame(content)):
        raise refused("reader-result", file=path, reader=name, type=type(content).__name__)
    origin = replace(place.origin, columns=tuple(wanted.given.items()))
    return FileTable(place.name, content, wanted.given, origin, name)


# ---------------------------------------------------------------- what is refused


def refuse_packed(place: Place) -> None:
    """Refuses compressed text that no library decompresses.

    Raises:
        DataError: a bzip2 or xz file.
    """
    packed = next((each for each in place.files if each.endswith(UNREAD)), None)
    if packed is not None:
        raise refused("packed-table", file=packed)


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

    def match(self, judgments: _native.Judgments, options: MatchOptions) -> Found:
        """Returns the rows of judged documents."""
        with self.table.named(options.policy):
            return self.held.match(judgments, options)

    def rankings(self, queries: list[bytes], options: MatchOptions, depth: int | None = None) -> list[Ranked]:
        """Returns the documents of each query in rank order, with the scores by which the documents are ordered."""
        with self.table.named():
            return self.held.rankings(queries, options, depth)

    def rows(self, queries: Collection[bytes] | None = None) -> Iterable[Row]:
        """Yields the query, document and score of each row, with negated ranks in place of missing scores."""
        with self.table.named():
            yield from self.held.rows(queries)
