"""Prepares data frames in memory for the kernel by selecting the columns of judgments or of a run."""

from __future__ import annotations

import io
import math
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias, cast

from carob import _native
from carob._dataclasses import dataclass, replace
from carob.inputs import engine_of, installed
from carob.inputs.columns import (
    ASKED,
    IDS,
    INSISTED,
    ROLES,
    Distance,
    choose,
    constant_in,
    refuse_namesakes,
    usual,
)
from carob.inputs.errors import BY_WORDS, refusals, refuse_written_out, refused, sentences
from carob.inputs.sources import Provenance
from carob.output.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from carob.inputs.columns import Asked
    from carob.inputs.nested import Shape
    from carob.inputs.runs import MatchOptions, Ranked, Row


LIBRARIES = {"pandas", "polars", "pyarrow", "modin", "cudf"}
"""Libraries whose frames narwhals rebuilds in memory."""
LAZY = {"duckdb", "dask", "ibis", "pyspark", "sqlframe"}
BY_CHOICE = {"pandas", "modin", "cudf"} | LAZY
"""Libraries with columns that are costly or have no Arrow form. carob reads only the columns that it needs."""


class ArrowFrame(Protocol):
    """A frame with Arrow's stream interface, such as a pandas, Polars, PyArrow or DuckDB frame."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Returns a capsule with the stream."""


class LazyFrame(Protocol):
    """A lazy frame, which narwhals reads."""

    @property
    def columns(self) -> Any:
        """The columns' names."""


Frame: TypeAlias = "ArrowFrame | LazyFrame"
"""A data frame from any library."""


@dataclass(frozen=True, eq=False, repr=False)
class Columns:
    """The columns of judgments or of a run in a frame. For a run, the columns serve as a ``RunSource``.

    Args:
        frame: the kernel's view of the frame.
        places: the position of each role's column: ``query``, ``document``, ``grade``, ``score`` and so on.
        origin: the library of the frame.
        constant: the grade of every row of judgments without a grade column.
    """

    frame: _native.Frame
    places: dict[str, int]
    origin: Provenance
    constant: float = 1.0
    alone: ClassVar[bool] = False

    def __getstate__(self) -> Any:
        """Refuses to be pickled, because the rows belong to the frame's library.

        Raises:
            DataError: always.
        """
        raise refused(
            "The rows of a data frame, or of a table in a file, cannot be pickled.",
            "Pickle the frame itself or the path, and pass it to carob again after unpickling.",
        )

    @property
    def by_rank(self) -> bool:
        """Whether the run has ranks but no scores."""
        return "score" not in self.places

    @property
    def of_run(self) -> dict[str, Any]:
        """The kernel's arguments for a run or, with grades instead of scores, for judgments."""
        given = {"score": self.places.get("grade")} | self.places
        return {role: given.get(role) for role in ROLES["run"]}

    def name_of(self, role: str) -> str:
        """Returns the name of the column with a role."""
        return self.frame.fields[self.places[role]][0]

    def judgments(self, duplicates: str, grade: str = "grade") -> _native.Judgments:
        """Returns the judgments in the frame.

        Args:
            duplicates: the kernel's rule for documents that occur twice.
            grade: the role of the column that contains the grades.
        """
        columns = {role: self.places.get(role) for role in ROLES["qrels"]} | {"grade": self.places.get(grade)}
        return _native.judgments_from_frame(
            self.frame, **cast("Any", columns), constant=self.constant, duplicates=duplicates
        )

    def match(self, judgments: _native.Judgments, options: MatchOptions) -> _native.Matched:
        """Returns the rows of judged documents."""
        options.refuse_without_ranks(ranks="rank" in self.places)
        how = options.order | options.returned | {"threads": options.threads}
        with sentences("run frame", "run"):
            return _native.match_frame(judgments, self.frame, **self.of_run, **how)

    def rankings(self, queries: list[bytes], options: MatchOptions, depth: int | None = None) -> list[Ranked]:
        """Returns the documents of each query in rank order, with the scores by which the documents are ordered."""
        with sentences("run frame", "run"):
            found = [
                _native.ranked_in_frame(self.frame, query, **self.of_run, **options.order)
                for query in queries
            ]
        return [(documents[:depth], scores[:depth].tolist()) for documents, scores in found]

    def rows(self, queries: Collection[bytes] | None = None) -> Iterable[Row]:
        """Returns the query, the document and the number of each row: a score, a grade or a negated rank."""
        wanted = None if queries is None else list(queries)
        kind = "run" if {"score", "rank"} & self.places.keys() else "qrels"
        with sentences(f"{kind} frame", kind):
            found = _native.rows_of_frame(self.frame, wanted, **self.of_run, constant=self.constant)
        return list(zip(*found, strict=True))

    def by_subtopic(self) -> tuple[list[list[bytes]], list[float]]:
        """Returns the query, subtopic and document of each judgment, and the grades."""
        its = self.of_run | {"constant": self.constant}
        queries, documents, grades = _native.rows_of_frame(self.frame, **its)
        _, subtopics, _ = _native.rows_of_frame(self.frame, **its | {"document": self.places["subtopic"]})
        return [queries, subtopics, documents], grades


BINARY = (bytes, bytearray, memoryview, io.IOBase)
NO_TABLES = (str, os.PathLike, int, float, Mapping, list, tuple, type(None), *BINARY)
"""Types that are never a library's table. For objects of these types, no data frame package is imported."""


def is_frame(given: object) -> bool:
    """Returns whether an object is a data frame or an engine's table, without importing a data frame library."""
    if hasattr(given, "__arrow_c_stream__") or hasattr(given, "__narwhals_dataframe__"):
        return True
    known = library_of(given) in LIBRARIES | LAZY | {"narwhals"} or hasattr(given, "__narwhals_lazyframe__")
    if known or isinstance(given, NO_TABLES):
        return known
    installed()
    return engine_of(given) is not None


def library_of(given: object) -> str:
    """Returns the name of the library that defines an object's class."""
    return type(given).__module__.partition(".")[0].strip("_")


LISTS = ("+l", "+L", "+vl", "+vL")
"""Arrow's format strings for columns of lists."""


def columns_of(given: Any, kind: str, named: Asked, most: float = math.inf) -> Columns:
    """Returns a frame's columns for ``qrels`` (query, document, grade) or a ``run`` (score, rank or both).

    Args:
        given: the frame.
        kind: ``qrels`` or ``run``.
        named: the columns' names by role. If a role is None or missing, a column with a usual name is used. A number is
            the grade of every row. Each further role, such as ``subtopic``, also needs a column.
        most: the maximum number of bytes that the texts of the rows may take in memory.

    Raises:
        DataError: a column is missing, ambiguous or of the wrong type.
    """
    library = library_of(given)
    asked: Asked = {**dict.fromkeys(ASKED[kind]), **named}
    refuse_one_column(given, kind)
    with refusals(kind, library):
        if library == "pyarrow" and not hasattr(given, "__arrow_c_stream__"):
            given = given.to_table()  # a dataset or scanner
        engine = engine_of(given)
        if engine is not None:
            names = list(engine.columns(given))
            chosen = choose(names, kind, asked)
            frame = whole_frame(engine.batches(given, list(chosen.values())), list(chosen.values()))
        elif library in BY_CHOICE or not hasattr(given, "__arrow_c_stream__"):
            import narwhals as nw

            frame, chosen = through_narwhals(given, kind, asked)
            names = nw.from_native(given).collect_schema().names()
        else:
            if library == "pyarrow":
                given = given.read_all() if hasattr(given, "read_all") else given  # a reader
                given.validate()  # checks that text lies within its buffers; Arrow's interface does not guarantee it
            frame = _native.Frame(given.__arrow_c_stream__())
            names = [name for name, _, _ in frame.fields]
            chosen = choose(names, kind, asked)
        systems = systems_in(given, names, chosen.values()) if kind == "run" else ()
    refuse_written_out(frame, most)
    names = [name for name, _, _ in frame.fields]
    places = {role: names.index(name) for role, name in chosen.items()}
    for role, place in places.items():
        fit(frame.fields[place], role, kind)
    whole = frame.fields[places["query"]][1] == "whole"
    return Columns(
        frame, places, replace(frame_origin(given), whole=whole, systems=systems), constant_in(asked) or 0.0
    )


MOST_SYSTEMS = 100
"""The maximum number of systems that are counted in one table."""


def systems_in(given: Any, names: Sequence[str], taken: Collection[str]) -> tuple[str, ...]:
    """Returns the column that names each row's system, and the systems, or an empty tuple if there are not several.

    Args:
        given: the table.
        names: its columns.
        taken: the columns that already have a role.
    """
    column = system_column(names, taken)
    if column is None:
        return ()
    engine = engine_of(given)
    if engine is not None:
        return named_in(column, engine.batches(given, [column]))
    if hasattr(given, "scanner"):
        return named_in(column, given.scanner(columns=[column]).to_reader())
    import narwhals as nw

    try:
        table = nw.from_native(given)
    except TypeError:  # a reader, whose rows can be read only once
        return ()
    found: Any = table.select(column).unique().head(MOST_SYSTEMS)
    found = found.collect() if isinstance(found, nw.LazyFrame) else found
    systems = sorted(str(each) for each in found[column].to_list() if each is not None)
    return (column, *systems) if len(systems) > 1 else ()


def system_column(names: Sequence[str], taken: Collection[str]) -> str | None:
    """Returns the column that names each row's system, or None. Columns in ``taken`` already have another role."""
    return next(iter(usual([name for name in names if name not in taken], "system")), None)


def named_in(column: str, batches: Iterable[Any]) -> tuple[str, ...]:
    """Returns the column and the systems that it names in Arrow batches, or an empty tuple if there are not several."""
    import pyarrow as pa

    seen: set[str] = set()
    for batch in batches:
        seen.update(map(str, pa.table(batch)[column].unique().drop_null().to_pylist()))
        if len(seen) >= MOST_SYSTEMS:
            break
    return (column, *sorted(seen)) if len(seen) > 1 else ()


def systems_of_rows(rows: Any, asked: Asked) -> tuple[str, ...]:
    """Returns the field that names each row's system, and the systems, as ``systems_in`` does for tables."""
    if not (isinstance(rows, list) and rows and isinstance(rows[0], Mapping)):
        return ()
    names = [name for name in rows[0] if isinstance(name, str) and name not in asked.values()]
    column = next(iter(usual(names, "system")), None)
    if column is None:
        return ()
    systems = {str(row[column]) for row in rows if isinstance(row, Mapping) and row.get(column) is not None}
    return (column, *sorted(systems)) if len(systems) > 1 else ()


def frame_origin(given: Any) -> Provenance:
    """Returns the provenance of a frame."""
    return Provenance("a frame", library=library_of(given), rows=True)


def whole_frame(batches: Iterable[Any], names: Sequence[str]) -> _native.Frame:
    """Combines the batches of another package's engine into one frame."""
    import pyarrow as pa

    empty = pa.table({name: pa.nulls(0) for name in names})
    parts = [pa.table(each) for each in batches]
    return _native.Frame((pa.concat_tables(parts) if parts else empty).__arrow_c_stream__())


def refuse_one_column(given: Any, kind: str) -> None:
    """Refuses a single column, such as a Series.

    Raises:
        DataError: the object is a single column.
    """
    # Looked up on the type, because reading a lazy frame's property would compute its schema.
    library, its = library_of(given), type(given)
    frame = any(hasattr(its, each) for each in ("columns", "schema", "to_table"))
    if library in LIBRARIES and not frame and not holds_structs(given):
        wanted = "grades" if kind == "qrels" else "scores"
        what = "one column" if its.__name__.endswith(("Series", "Array")) else "not a data frame"
        raise refused(
            "The {kind} is {library}'s {type}, {what}.",
            "Pass a data frame with columns of queries, documents and {wanted}.",
            kind=kind,
            library=library,
            type=its.__name__,
            what=what,
            wanted=wanted,
        )


def holds_structs(given: Any) -> bool:
    """Returns whether the values of a column (from PyArrow or Polars, for example) are structs."""
    kind = getattr(given, "type", getattr(given, "dtype", None))
    return str(kind).lower().startswith("struct")


def through_narwhals(given: Any, kind: str, asked: Asked) -> tuple[_native.Frame, dict[str, str]]:
    """Selects the needed columns of a frame through narwhals. A lazy frame is computed."""
    import narwhals as nw

    if library_of(given) == "pandas":
        refuse_namesakes(list(map(str, given.columns)), kind)
    known = nw.from_native(with_index(given, asked))
    chosen = choose(known.collect_schema().names(), kind, asked)
    wanted = known.select(*chosen.values())
    native: Any = wanted.to_native()
    # PySpark's own stream needs pandas in the cluster's Python workers; ``collect`` does not.
    if library_of(native) == "pyspark" or not hasattr(native, "__arrow_c_stream__"):
        native = wanted.collect() if isinstance(wanted, nw.LazyFrame) else wanted
    return _native.Frame(native.__arrow_c_stream__()), chosen


def with_index(given: Any, asked: Asked) -> Any:
    """Turns index levels of a pandas frame into columns for roles that no column fills."""
    if library_of(given) != "pandas":
        return given
    columns = list(map(str, given.columns))
    levels = [name for name in given.index.names if name is not None and name not in columns]
    wanted = {
        level
        for role, name in asked.items()
        for level in levels
        if level == name or (name is None and not usual(columns, role) and usual([level], role))
    }
    return given.reset_index(level=[level for level in levels if level in wanted]) if wanted else given


NESTED = ("list", "large_list", "fixed_size_list", "array", "struct")
"""Lower-case prefixes of the names of types with several values in PyArrow, Polars, pandas and narwhals."""


def listed_in(given: Any, kind: str, named: Asked) -> tuple[Any, Asked] | None:
    """Converts a frame with lists or records in its rows to one row per document. Returns None for other frames.

    If Polars is installed, the result is a frame. Without Polars, or if a column is nested in objects or a list is
    empty, the result is a dictionary ``{query: {document: number}}``.

    Args:
        given: the frame.
        kind: ``qrels`` or ``run``.
        named: the columns' names by role, as in ``columns_of``.

    Returns:
        The rows, and the names of their columns.

    Raises:
        DataError: a column is missing or ambiguous, or a value cannot be used.
    """
    asked: Asked = {**dict.fromkeys(ASKED[kind]), **named}
    library = library_of(given)
    with refusals(kind, library):
        fields = shapes_in(given, asked, kind)
    if fields is None:
        return None
    from importlib.util import find_spec

    from carob.inputs.nested import as_table, plan_of, rows_of_frame

    def by_row() -> tuple[Any, Asked]:
        from carob.inputs.nested_rows import mapping_by

        try:
            return mapping_by(plan, rows_of_frame(with_index(given, asked), plan), kind, asked), {}
        except DataError as error:
            raise error.at(file=f"{kind} frame") from None

    with refusals(kind, library):
        plan = plan_of(fields, kind, asked)
        if not (plan.nested or plan.by_row):
            return None
        if not plan.by_row and library in ("polars", "pyarrow") and find_spec("polars"):
            import polars as pl

            from carob.inputs.files.libraries import Polars

            table = given.lazy() if library == "polars" else pl.from_arrow(as_table(given)).lazy()
            table = Polars.with_lists(table)
            if not Polars().lists_nothing(table, plan):
                odd = Polars().odd_lists(table, plan, kind)
                if odd is not None:
                    raise odd.at(file=f"{kind} frame")
                try:
                    Polars().queries_with_lists(table, plan)
                except DataError as error:
                    raise error.at(file=f"{kind} frame") from None
                constants = {role: its for role, its in asked.items() if isinstance(its, (int, float))}
                relevant = {"grade": 1.0} if plan.relevant else {}
                rows = Polars().rows(table, plan, kind, text=False)
                return rows.collect(), {**plan.flat, **relevant, **constants}
        return by_row()


def with_scores(given: Any, named: Asked) -> tuple[Any, Asked]:
    """Returns a frame in which scores replace distances, and the names of its columns by role."""
    column = named.get("score")
    if not isinstance(column, Distance):
        return given, named
    from carob.inputs.nested import with_negated

    given = with_index(given, {**dict.fromkeys(ASKED["run"]), **named})
    return with_negated(given, str(column)), {**named, "score": f"{column}{INSISTED}"}


def shapes_in(given: Any, asked: Asked, kind: str) -> dict[str, Shape] | None:
    """Returns the shapes of a frame's columns, or None if every cell contains a single value."""
    library = library_of(given)
    if engine_of(given) is not None or not has_nested(given, library, kind):
        return None
    import narwhals as nw

    from carob.inputs.nested import field_path, shapes_of, shapes_of_types

    if library == "pyarrow":
        given = given.schema.empty_table()
    if library == "pandas":
        given = with_index(given, asked)
    schema = nw.from_native(given).collect_schema()
    objects = [name for name, held in schema.items() if held == nw.Object]
    sample = nw.from_native(given).select(*objects).head(SAMPLED).rows(named=True) if objects else []
    found = shapes_of(sample)
    # Columns keep their order.
    return {
        each: shape
        for name, held in schema.items()
        for each, shape in (
            {column: its for column, its in found.items() if field_path(column)[0] == name}
            or shapes_of_types({name: held})
        ).items()
    }


SAMPLED = 1000
"""The number of rows in a frame of Python objects that are searched for fields."""


def has_nested(given: Any, library: str, kind: str) -> bool:
    """Returns whether a frame has columns of lists, arrays, records or objects."""
    if library == "pandas":
        from carob.inputs.nested import is_array

        if not hasattr(given, "columns"):
            return False
        refuse_namesakes(list(map(str, given.columns)), kind)
        return any(
            any(
                isinstance(each, (list, tuple, dict)) or is_array(each) for each in given[name].iloc[:SAMPLED]
            )
            if str(held) == "object"
            else str(held).startswith(NESTED)
            for name, held in given.dtypes.items()
        )
    if library in ("pyarrow", "polars"):
        # Looked up on the type, because reading a lazy frame's property would compute its schema.
        if not (hasattr(type(given), "collect_schema") or hasattr(type(given), "schema")):
            return False  # a single column is refused elsewhere
        types = given.collect_schema().dtypes() if library == "polars" else given.schema.types
    elif library in LAZY | LIBRARIES | {"narwhals"} or hasattr(given, "__narwhals_lazyframe__"):
        import narwhals as nw

        types = nw.from_native(given).collect_schema().dtypes()
    else:
        return False
    return any(str(each).lower().startswith(NESTED) for each in types)


HALF = "e"
"""Arrow's format string for half-precision numbers."""


COLUMN_FAULTS = {
    "lists": (
        "Column '{column}' of the {kind} frame contains lists.",
        "Convert the lists to one row per document (explode). carob.evaluate_ids accepts one row per question.",
    ),
    "ids": (
        "Column '{column}' of the {kind} frame contains {content}, but ids must be text or whole numbers.",
        "Cast it.{why}",
    ),
    "numbers": (
        "Column '{column}' of the {kind} frame contains {content}, but a {role} must be a number.",
        "Cast it.",
    ),
    "words": (
        "Column '{column}' of the {kind} frame contains {content}, but a {role} must be a number.",
        "If the values are numbers, cast the column. If they are words, specify a number for each word: {words}.",
    ),
    "half-precision": (
        (
            "Column '{column}' of the {kind} frame contains half-precision numbers, which cannot distinguish all ranks "
            "above 2,048."
        ),
        "Cast the ranks to whole numbers before they lose precision.",
    ),
}
"""The fault in a column whose type does not fit its role, and its remedy."""
CONTENTS = {
    "text": "text",
    "whole": "whole numbers",
    "number": "numbers with fractions",
    "n": "nulls alone",
    "+s": "structs",
    "+m": "maps",
    "+u": "values of several types",
    "+r": "runs of equal values (run-end encoded)",
    "+w": "lists of a fixed length",
    "w": "bytes of a fixed length",
    "t": "dates, times or durations",
}
"""The description of a column's content, by the kernel's word or by the start of Arrow's format string."""


def fit(field: tuple[str, str, str], role: str, kind: str) -> None:
    """Refuses a column whose type does not fit its role."""
    name, holds, form = field
    why, fault = "", None
    if form in LISTS:
        fault = "lists"
    elif role in IDS and holds not in ("text", "whole", "none"):
        fault = "ids"
        why = " Whole numbers become floating-point numbers if some values are missing." * (
            holds == "number" and form != "b"
        )
    elif role not in IDS and holds not in ("whole", "number", "none"):
        fault = "words" if role == "grade" and holds == "text" else "numbers"
    elif role == "rank" and form == HALF:
        fault = "half-precision"
    if fault is not None:
        raise refused(
            *COLUMN_FAULTS[fault],
            column=name,
            kind=kind,
            role=role,
            content=content(holds, form),
            why=why,
            words=BY_WORDS,
        )


def content(holds: str, form: str) -> str:
    """Returns a description of a column's content.

    Args:
        holds: the kernel's word for the content.
        form: Arrow's format string.
    """
    if form == "b":
        return "truth values"
    start = next((each for each in CONTENTS if len(each) < len("text") and form.startswith(each)), "")
    return CONTENTS.get(holds) or CONTENTS.get(start) or f"values of another type (in Arrow, '{form}')"
