"""Data frames as the kernel reads them: which column is what, and the columns themselves as Arrow hands them over."""

from __future__ import annotations

import re
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from karat import _native
from karat.inputs.faults import WIDE
from karat.inputs.sources import Origin
from karat.output.errors import DataError, by_reading, worded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = [
    "GRADE",
    "IDS",
    "INSISTED",
    "ROLES",
    "USUAL",
    "Columns",
    "Frame",
    "choose",
    "columns_of",
    "is_frame",
    "is_panic",
    "no_rank",
    "plain_name",
    "refuse_one_column",
    "row_sentences",
    "usual",
    "with_grade",
]

# Of the names in one bracket a frame may have one; a bracket goes before those behind it. PyTerrier's frames hold the
# text of a query as "query" beside "qid", and a number of its own as "docid" beside "docno". Names are compared as
# ``plain_name`` has them, so "queryid" stands for query_id, Query-ID and queryId, and "id" for _id.
USUAL: dict[str, tuple[tuple[str, ...], ...]] = {
    "query": (
        ("queryid", "qid", "userid", "topicid", "questionid"),
        ("query", "user", "topic", "question"),
        ("uid",),
    ),
    "document": (
        ("docno",),
        ("docid", "documentid", "corpusid", "itemid", "pid", "passageid", "movieid", "productid"),
        ("doc", "document", "item"),
        ("id", "iid"),
    ),
    "score": (("score", "sim", "similarity", "prediction"),),
    "rank": (("rank",), ("position", "pos")),
    "subtopic": (("subtopic", "subtopicid", "intent", "aspect", "facet"), ("iteration", "iter")),
    "grade": (("relevance", "rel", "label", "grade", "rating", "qrel"), ("score",)),
    # What orders a user's items in recommendations, where it may be called a rating.
    "preference": (("score", "sim", "similarity", "prediction"), ("rating", "weight")),
}
"""The usual names of columns, by what the columns are: the one table of them."""

LIBRARIES = {"pandas", "polars", "pyarrow", "modin", "cudf"}
"""What narwhals can make a frame of again."""

LAZY = {"duckdb", "dask", "ibis", "pyspark", "sqlframe"}

BY_CHOICE = {"pandas", "modin", "cudf"} | LAZY
"""Whose frames may hold columns that Arrow cannot hold, or that are work to make: only those wanted are asked for."""


class ArrowFrame(Protocol):
    """What has Arrow's stream interface: a frame of pandas, Polars, PyArrow, DuckDB and others."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """A capsule with the stream."""


class LazyFrame(Protocol):
    """What narwhals reads beside: a frame that is computed when it is asked for."""

    @property
    def columns(self) -> Any:
        """The columns' names."""


Frame: TypeAlias = "ArrowFrame | LazyFrame"
"""A data frame of any library."""


@dataclass(frozen=True, eq=False, repr=False)
class Columns:
    """The columns of a frame that make a run, or judgments.

    Args:
        frame: the kernel's view of the frame.
        query: the number of the column of queries.
        document: of documents.
        value: of scores or grades; None for a run that has ranks alone.
        rank: of ranks, or None.
        subtopic: of subtopics, or None where nobody asked for them.
        origin: which library the frame came from.
    """

    frame: _native.Frame
    query: int
    document: int
    value: int | None
    rank: int | None
    subtopic: int | None
    origin: Origin

    @property
    def of_run(self) -> dict[str, Any]:
        """The kernel's arguments for a run."""
        return {"query": self.query, "document": self.document, "score": self.value, "rank": self.rank}

    def rows(self, queries: Iterable[bytes] | None = None) -> list[tuple[bytes, bytes, float]]:
        """Query, document and score, minus the rank or grade of each row, of some queries or of all."""
        wanted = None if queries is None else list(queries)
        return list(zip(*_native.rows_of_frame(self.frame, wanted, **self.of_run), strict=True))

    def by_subtopic(self) -> tuple[list[list[bytes]], list[float]]:
        """Query, subtopic and document of each judgment, and the grades."""
        assert self.subtopic is not None
        its: dict[str, Any] = {"query": self.query, "score": self.value}
        queries, documents, grades = _native.rows_of_frame(self.frame, None, document=self.document, **its)
        _, subtopics, _ = _native.rows_of_frame(self.frame, None, document=self.subtopic, **its)
        return [queries, subtopics, documents], grades


def is_frame(given: object) -> bool:
    """Whether something is a data frame; known without importing any library."""
    if hasattr(given, "__arrow_c_stream__") or hasattr(given, "__narwhals_dataframe__"):
        return True
    return library_of(given) in LIBRARIES | LAZY | {"narwhals"} or hasattr(given, "__narwhals_lazyframe__")


def library_of(given: object) -> str:
    """The library that an object's class comes from."""
    return type(given).__module__.partition(".")[0].removeprefix("_")


ROLES = {"qrels": ("query", "document", "grade"), "run": ("query", "document", "score", "rank")}
IDS = ("query", "document", "subtopic")
LISTS = ("+l", "+L", "+vl", "+vL")
"""What Arrow calls columns of lists."""


def columns_of(given: Any, kind: str, *, subtopics: bool = False, **asked: str | None) -> Columns:
    """The columns of a frame that make ``qrels`` (query, document, grade) or a ``run`` (score, or rank, or both).

    Args:
        given: the frame.
        kind: ``qrels`` or ``run``.
        subtopics: whether a column of subtopics is wanted too.
        asked: a column's name for what it is; where it is None or missing a usual name is looked for.

    Raises:
        DataError: a column that is not there, cannot be told from others, or holds what it must not.
    """
    roles = (*ROLES[kind], "subtopic") if subtopics else ROLES[kind]
    return columns_taken(given, kind, {role: asked.get(role) for role in roles})


def columns_taken(given: Any, kind: str, asked: dict[str, str | None]) -> Columns:
    """The columns wanted of a frame."""
    library = library_of(given)
    refuse_one_column(given, kind)
    with refusals(kind, library):
        if library == "pyarrow" and not hasattr(given, "__arrow_c_stream__"):
            given = given.to_table()  # a dataset, or a scanner
        if library in BY_CHOICE or not hasattr(given, "__arrow_c_stream__"):
            frame, chosen = through_narwhals(given, kind, asked)
        else:
            if library == "pyarrow":
                given.validate()  # that text ends within its memory, which Arrow's interface does not say
            frame = _native.Frame(given.__arrow_c_stream__())
            chosen = choose([name for name, _, _ in frame.fields], kind, asked)
    places = {role: place_of(frame, name) for role, name in chosen.items()}
    for role, place in places.items():
        fit(frame.fields[place], role, kind)
    whole = frame.fields[places["query"]][1] == "whole"
    return Columns(
        frame,
        places["query"],
        places["document"],
        places.get("grade", places.get("score")),
        places.get("rank"),
        places.get("subtopic"),
        Origin("a frame", library=library, whole=whole, rows=True),
    )


def refuse_one_column(given: Any, kind: str) -> None:
    """Refuse a single column, such as a Series.

    Raises:
        DataError: it is one.
    """
    # Of the type: a lazy frame's own property would ask for its schema.
    library, its = library_of(given), type(given)
    frame = any(hasattr(its, each) for each in ("columns", "schema", "to_table"))
    if library in LIBRARIES and not frame and not holds_structs(given):
        wanted = "grades" if kind == "qrels" else "scores"
        raise DataError(
            f"The {kind} is a {its.__name__} of {library}, one column: give a data frame with columns of queries, "
            f"documents and {wanted}."
        )


def holds_structs(given: Any) -> bool:
    """Whether a single column holds rows of several fields, as PyArrow's and Polars' structs do."""
    kind = getattr(given, "type", getattr(given, "dtype", None))
    return str(kind).lower().startswith("struct")


def place_of(frame: _native.Frame, name: str) -> int:
    """The number of the column of this name."""
    return [each for each, _, _ in frame.fields].index(name)


GRADE = "grade that every row has"
"""The column that a number in the place of a column's name becomes."""


def with_grade(given: Any, grade: float) -> Any:
    """The frame with a column that holds one grade in every row."""
    import narwhals as nw

    refuse_one_column(given, "qrels")
    with refusals("qrels", library_of(given)):
        if library_of(given) == "pyarrow" and not hasattr(given, "__arrow_c_stream__"):
            given = given.to_table()  # a dataset, or a scanner
        try:
            frame: Any = nw.from_native(given)
        except TypeError:
            import pyarrow as pa

            frame = nw.from_native(pa.table(given))
        return frame.with_columns(nw.lit(grade).alias(GRADE)).to_native()


def through_narwhals(
    given: Any, kind: str, asked: dict[str, str | None]
) -> tuple[_native.Frame, dict[str, str]]:
    """Only the columns wanted of a frame that narwhals knows, computed if it is lazy."""
    import narwhals as nw

    known = nw.from_native(with_index(given, asked))
    chosen = choose(known.collect_schema().names(), kind, asked)
    wanted = known.select(*chosen.values())
    native: Any = wanted.to_native()
    # PySpark's own stream is made by Python workers on the cluster, which need pandas; what it collects is not.
    if library_of(native) == "pyspark" or not hasattr(native, "__arrow_c_stream__"):
        native = wanted.collect() if isinstance(wanted, nw.LazyFrame) else wanted
    return _native.Frame(native.__arrow_c_stream__()), chosen


def with_index(given: Any, asked: dict[str, str | None]) -> Any:
    """A frame of pandas with those levels of its index as columns that are wanted, and that no column stands for."""
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


INSISTED = "!"
"""Behind the name of a column of scores: it is one, whatever it looks like."""


def choose(names: Sequence[str], kind: str, asked: dict[str, str | None]) -> dict[str, str]:
    """Which column is what: the name given, else the usual one that the frame has.

    Raises:
        DataError: a column that is not there, or cannot be told from others; one of ranks that is named as scores.
    """
    if kind == "run" and (score := asked.get("score")) is not None:
        asked = asked | {"score": no_rank(score, names)}
    there = ", ".join(f"'{name}'" for name in names) or "none"
    chosen: dict[str, str] = {}
    for role, name in asked.items():
        if name is not None and name not in names:
            raise DataError(f"The {kind} frame has no column '{name}' for the {role}; there are: {there}.")
        if name is None and role == "score" and asked["rank"] is not None:
            continue  # who names the rank alone wants its order
        free = [each for each in names if each not in asked.values()]
        found = [name] if name else usual(free, role)
        if len(found) > 1:
            both = " and ".join(f"'{each}'" for each in found)
            raise DataError(
                worded(
                    f"The {kind} frame has {both}, each of which may be the {role}: say which, ",
                    by_reading(kind, **{role: found[0]}),
                    f". There are: {there}.",
                )
            )
        if found:
            chosen[role] = found[0]
    missing: list[str] = [role for role in (*IDS, "grade") if role in asked and role not in chosen]
    if "score" in asked and not {"score", "rank"} & chosen.keys():
        missing.append("score")
    if missing:
        role = missing[0]
        by_rank = worded(", or ", by_reading(kind, rank=...), " where 1 is the best")
        alike = worded("; if each row is relevant (implicit feedback), ", by_reading(kind, grade=1))
        what, more = {"score": ("score, or the rank,", by_rank), "grade": ("grade", alike)}.get(
            role, (role, "")
        )
        raise DataError(
            worded(
                f"The {kind} frame has no column that is the {what} by its name; there are: {there}. Say which is: ",
                by_reading(kind, **{role: ...}),
                more,
                ".",
                seems_swapped(names, kind, asked),
            )
        )
    return chosen


def seems_swapped(names: Sequence[str], kind: str, asked: dict[str, str | None]) -> str:
    """A question to who hands over judgments as a run, or a run as judgments, as the columns' names say; else empty."""
    run = kind == "run"
    if any(asked.values()) or not usual(names, "grade" if run else "rank"):
        return ""
    return f" This looks like {'qrels' if run else 'a run'}: are qrels and run swapped?"


def no_rank(name: str, names: Sequence[str]) -> str:
    """The column of scores that was named.

    Raises:
        DataError: its name says that it holds ranks.
    """
    if name not in names and name.endswith(INSISTED):
        return name.removesuffix(INSISTED)
    if says_rank(name):
        raise DataError(
            worded(
                f"Column '{name}' of the run frame is a rank by its name, and as scores ranks are upside down. Name "
                "it as what it is: ",
                by_reading("run", rank=name),
                ". If it is a score all the same: ",
                by_reading("run", score=f"{name}{INSISTED}"),
                ".",
            )
        )
    return name


def says_rank(name: str) -> bool:
    """Whether a column's name says that it holds ranks."""
    words = set(re.split(r"[\W_]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).casefold()))
    scores = words & {each for bracket in USUAL["score"] for each in bracket}
    return not scores and any(
        plain_name(name) in bracket or words & set(bracket) for bracket in USUAL["rank"]
    )


def usual(names: Sequence[str], role: str) -> list[str]:
    """The columns that bear one of the usual names, of the first bracket that any is in."""
    plain = {name: plain_name(name) for name in names}
    for bracket in USUAL[role]:
        found = [name for name in names if plain[name] in bracket]
        if found:
            return found
    return []


def plain_name(name: object) -> str:
    """A column's name as it is compared: small letters, without what joins words."""
    return re.sub(r"[\s_-]+", "", str(name)).casefold()


def fit(field: tuple[str, str, str], role: str, kind: str) -> None:
    """Refuse a column of ids that are no ids, or of numbers that are none."""
    name, holds, form = field
    held = {"text": "text", "whole": "whole numbers", "number": "numbers with fractions"}.get(
        holds, f"something else (Arrow calls it '{form}')"
    )
    if form in LISTS:
        raise DataError(
            f"Column '{name}' of the {kind} frame holds lists: karat.evaluate_ids takes a row a question, or explode "
            "it to a row a document."
        )
    if role in IDS:
        if holds not in ("text", "whole"):
            raise DataError(
                f"Column '{name}' of the {kind} frame holds {held}: ids are text or whole numbers. Cast it; whole "
                "numbers turn into fractions where some are missing."
            )
    elif holds not in ("whole", "number"):
        raise DataError(f"Column '{name}' of the {kind} frame holds {held}: a {role} is a number. Cast it.")


@contextmanager
def refusals(kind: str, library: str) -> Iterator[None]:
    """Turn what a library says of a frame that it cannot hand over into a sentence."""
    try:
        yield
    except DataError:
        raise
    except ImportError as error:
        raise DataError(
            f"{library} hands the {kind} frame over by way of a library that is not installed ({error}): install "
            "pyarrow."
        ) from None
    except (TypeError, ValueError, NotImplementedError, RuntimeError) as error:
        raise DataError(f"The {kind} frame of {library} cannot be read: {first_line(error)}.") from None
    except Exception as error:
        # Each library has an error class of its own for a column that cannot be cast or a query that fails.
        if library not in sys.modules or type(error).__module__.partition(".")[0] == "builtins":
            raise
        raise DataError(f"The {kind} frame of {library} cannot be read: {first_line(error)}.") from None
    except BaseException as error:
        if not is_panic(error):
            raise
        raise DataError(f"The {kind} frame of {library} cannot be read: {first_line(error)}.") from None


def is_panic(error: BaseException) -> bool:
    """Whether a library of Rust's gave up, which it says by what is no Exception."""
    return type(error).__name__ == "PanicException"


def first_line(error: BaseException) -> str:
    """The beginning of what an error says, without its full stop."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")


@contextmanager
def row_sentences(kind: str) -> Iterator[None]:
    """Turn the kernel's refusal of a row into a sentence."""
    try:
        yield
    except _native.RowError as error:
        raise DataError(row_sentence(error, kind)) from None
    except _native.FrameError as error:
        raise DataError(f"The {kind} frame cannot be read: {error}.") from None


def row_sentence(error: _native.RowError, kind: str) -> str:
    """What is wrong with a row, where, and what to do; rows are counted from 0, as frames count them."""
    value = "grade" if kind == "qrels" else "score"
    query, document = (each.decode(errors="replace") for each in (error.query, error.document))
    place = f"{kind} frame, row {error.row} (from 0)"
    ids = f"{place}: query '{query}', document '{document}': the {value}"
    reasons = {
        "row": f"{place}: the row is null. Leave such rows out.",
        "null": f"{place}: column '{error.column}' is null. Fill it, or leave such rows out.",
        "nan": f"{ids} is NaN, which has no place in an order.",
        "infinite": f"{ids} is infinite: give a finite number.",
        "wide": f"{ids} {WIDE}: subtract a constant, or cast the column to double.",
        "offsets": f"{place}: the text of column '{error.column}' lies outside its memory: the frame, or the file that "
        "it was read from, is damaged. Make it again.",
        "rank": f"{place}: column '{error.column}' holds no whole number, which a rank is.",
        "index": f"{place}: column '{error.column}' points outside its categories: make the column again.",
    }
    return reasons[error.kind]
