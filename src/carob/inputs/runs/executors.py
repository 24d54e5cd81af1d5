"""Ranks Spark tables with carob's kernel, in the Python processes of Spark's executors.

In one pass over the table, Spark sends all rows of a query to the same task. The task ranks them and returns the judged
rows together with its counts, so a task that Spark runs again is counted only once. A task keeps about ``MEMORY`` bytes
of rows in memory, and writes the remaining rows to a file in Spark's folder for temporary data.
"""

from __future__ import annotations

import os
import re
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from carob import _native
from carob._dataclasses import dataclass
from carob._numpy import np
from carob._version import __version__
from carob.inputs.errors import refusals, refused
from carob.inputs.runs import CONSTANT, Extracted, SpillFile
from carob.inputs.runs.batches import BATCH, frames_of, places_of
from carob.lists.rows import offsets_of, stretches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from carob.inputs.runs import MatchOptions


MEMORY = 1 << 27
"""The number of bytes of rows that a task keeps in memory. Most of its other memory is used by the judgments."""
CHUNK = 1 << 16
"""The approximate number of judged rows in one row of the result. It may be exceeded, as queries are not split."""
SCHEMA = "facts array<bigint>, queries binary, rows binary, scores binary"
"""The columns of the result, as a Spark schema."""
KNOWN = "carob.executors"
"""The setting of a Spark session that stores the version of carob found on its executors."""


class Facts(NamedTuple):
    """The counts of one task.

    Args:
        lines: the number of rows that the task read.
        extra: the number of queries without judgments.
        dropped: the number of rows dropped in favour of another row of the same document.
        repeats: the number of rows that were kept even though their document occurs twice.
        unfit: 1 if a row cannot be used, otherwise 0.
        infinite: the number of infinite scores of judged queries.
    """

    lines: int = 0
    extra: int = 0
    dropped: int = 0
    repeats: int = 0
    unfit: int = 0
    infinite: int = 0


@dataclass(frozen=True)
class SparkTask:
    """The work of one Spark task, which reads the rows of some queries and returns the judged rows.

    Args:
        judgments: returns the judgments when called in the task's process.
        roles: the role of each column.
        how: the kernel's arguments.
        memory: the number of bytes of rows to keep in memory.
    """

    judgments: Callable[[], _native.Judgments]
    roles: tuple[str, ...]
    how: dict[str, Any]
    memory: int = MEMORY

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Yields the result of a task as Arrow batches, for ``mapInArrow``."""
        import pyarrow as pa

        names = SCHEMA.replace(",", "").split()[::2]
        kinds = [pa.list_(pa.int64()), *[pa.binary()] * 3]
        for part in self.parts(batches):
            yield pa.RecordBatch.from_arrays(
                [pa.array([each], kind) for each, kind in zip(part, kinds, strict=True)], names
            )

    def parts(self, batches: Iterable[Any]) -> Iterator[tuple[Any, ...]]:
        """Yields the rows of the result: first the counts, then the judged rows."""
        batches = iter(batches)
        judgments = self.judgments()
        with closing(SpillFile(os.environ.get("SPARK_LOCAL_DIRS", "").partition(",")[0] or None)) as spill:
            matcher = _native.FrameMatcher(
                judgments, **places_of(self.roles), **self.how, gathered=True, spill=spill, memory=self.memory
            )
            try:
                for frame in frames_of(batches, BATCH):
                    matcher.take(frame)
            except _native.RowError:
                for _ in batches:
                    pass  # Spark reuses a Python process for later tasks only if it has read all rows
                yield Facts(unfit=1), None, None, None
                return
            found = matcher.finish()
        yield (
            Facts(
                found.line_count,
                len(found.extra),
                found.dropped,
                len(found.duplicates),
                infinite=found.infinite,
            ),
            None,
            None,
            None,
        )
        yield from chunks(found, judgments, scores=self.how["scores"])


def chunks(
    found: _native.Matched, judgments: _native.Judgments, *, scores: bool
) -> Iterator[tuple[Any, ...]]:
    """Yields the judged rows of a few queries at a time, as bytes. Spark passes bytes on unchanged."""
    there = np.flatnonzero(found.length >= 0)
    counts = np.diff(found.offsets)
    constant = np.asarray(found.signs) & CONSTANT
    columns = (found.length, counts, found.judged, found.first_tie, constant)
    queries = np.stack([there, *(each[there] for each in columns)])
    starts = np.append(0, np.cumsum(np.maximum(found.length, 0)))
    within = found.judgment - np.repeat(judgments.offsets[:-1], counts)
    rows = np.stack([each.astype(np.int32) for each in (found.rank, found.tie_first, found.tie_last, within)])
    chunk = (np.cumsum(counts[there]) - counts[there]) // CHUNK
    for its in np.split(np.arange(len(there)), np.flatnonzero(np.diff(chunk)) + 1 if len(there) else []):
        if len(its):
            first, last = there[its[0]], there[its[-1]]
            some = found.scores[starts[first] : starts[last + 1]].tobytes() if scores else None
            judged = rows[:, found.offsets[first] : found.offsets[last + 1]]
            yield None, queries[:, its].tobytes(), judged.tobytes(), some


def joined(parts: Any, judgments: _native.Judgments, *, relevant_only: bool) -> tuple[Extracted, Facts]:
    """Returns the judged rows of all tasks, query by query, and the sums of their counts.

    Args:
        parts: the rows of the result, as a PyArrow table.
        judgments: the judgments.
        relevant_only: whether the rows of documents with a grade of 0 or less may have been omitted.
    """
    facts = Facts(
        *np.sum([each for each in parts["facts"].to_pylist() if each], axis=0, initial=0).tolist() or ()
    )
    number, length, counts, judged, first_tie, constant = side_by_side(parts["queries"], np.int64, 6)
    rank, tie_first, tie_last, judgment = side_by_side(parts["rows"], np.int32, 4)
    scores = side_by_side(parts["scores"], np.float64, 1)[0]
    order = np.argsort(number)
    rows, every = stretches(counts, order), stretches(length, order)
    total = len(judgments.queries)

    def by_query(values: Any, missing: int) -> Any:
        found = np.full(total, missing, np.int64)
        found[number] = values
        return found

    offsets = offsets_of(np.repeat(number[order], counts[order]), total)
    starts = np.repeat(judgments.offsets[:-1], np.diff(offsets))
    return Extracted(
        length=by_query(length, -1),
        offsets=offsets,
        rank=rank[rows].astype(np.int64),
        tie_first=tie_first[rows].astype(np.int64),
        tie_last=tie_last[rows].astype(np.int64),
        judgment=judgment[rows] + starts,
        extra=range(facts.extra),
        dropped=facts.dropped,
        line_count=facts.lines,
        scores=scores[every] if len(scores) else None,
        judged=by_query(judged, 0),
        first_tie=by_query(first_tie, 0),
        relevant_only=relevant_only,
        infinite=facts.infinite,
        constant=by_query(constant, 0) > 0,
    ), facts


def side_by_side(column: Any, kind: Any, width: int) -> Any:
    """Returns the numbers in a column of bytes as an array with ``width`` rows."""
    parts = [np.frombuffer(each.as_buffer(), kind).reshape(width, -1) for each in column if each.is_valid]
    return np.concatenate(parts, axis=1) if parts else np.empty((width, 0), kind)


def match_there(
    table: Any, judgments: _native.Judgments, options: MatchOptions, place: str
) -> Extracted | None:
    """Returns the judged rows of a Spark DataFrame, or None if it contains unusable rows or repeated documents.

    Args:
        table: the columns of the run, named after their roles.
        judgments: the judgments.
        options: the options of the match.
        place: the name of the table in errors.

    Raises:
        DataError: carob cannot run in the executors.
    """
    import narwhals as nw

    how = options.order | options.returned | {"threads": 1}  # Spark gives a task one core
    with everywhere(judgments, table.sparkSession) as its:
        task = SparkTask(its, tuple(table.columns), how)
        found = table.repartition("query").mapInArrow(lambda batches: task(batches), SCHEMA)
        with refusals("run", "pyspark"), absences(place):
            parts = nw.from_native(found).collect("pyarrow").to_native()
    rows, facts = joined(parts, judgments, relevant_only=options.relevant_only)
    return None if facts.unfit or facts.repeats else rows


@contextmanager
def everywhere(judgments: _native.Judgments, session: Any) -> Iterator[Callable[[], _native.Judgments]]:
    """Yields a function that returns the judgments in any process of the cluster.

    Spark sends a broadcast variable only once to each process. Spark Connect has no broadcast variables, so there the
    function itself contains the judgments.
    """
    if not hasattr(session, "sparkContext"):
        yield lambda: judgments
        return
    broadcast = session.sparkContext.broadcast(judgments)
    try:
        yield lambda: broadcast.value
    finally:
        broadcast.destroy()


# ---------------------------------------------------------------- what the executors have


ABSENT = re.compile(r"No module named '(?:carob|pyarrow|numpy)\b[^']*'|Cannot run program [^\n]*")
"""The part of Spark's error that states what is missing in the Python of the executors."""


@contextmanager
def absences(place: str) -> Iterator[None]:
    """Turns Spark's error about a module that is missing in the executors into an error with a remedy.

    Raises:
        DataError: the executors cannot import carob.
    """
    try:
        yield
    except Exception as error:
        missing = ABSENT.search(str(error))
        if missing is None:
            raise
        raise absent(missing[0], place) from None


def absent(why: str, place: str) -> Exception:
    """Returns the error for executors that cannot run this version of carob."""
    return refused(
        "the Python of Spark's executors cannot run carob {version}: {why}.",
        "Install carob in that Python on every node, or ship a packed environment with the job "
        "(spark.archives or --archives; addArtifacts in Spark Connect). extract='engine' needs no Python in "
        "the executors.",
        file=place,
        why=why.rstrip(". "),
        version=__version__,
    )


def refuse_absent(session: Any, place: str) -> None:
    """Refuses executors whose Python cannot import this version of carob. Each session is checked until it passes once.

    Raises:
        DataError: carob is not installed in the executors, or they have another version.
    """
    if session.conf.get(KNOWN, None) == __version__:
        return

    def version_there(batches: Iterable[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for _ in batches:  # Spark reuses a process that has read its rows
            continue
        try:
            from carob import _version

            found = _version.__version__
        except ImportError as error:
            found = str(error)
        yield pa.RecordBatch.from_pydict({"found": [found]})

    with refusals("run", "pyspark"), absences(place):
        rows = session.range(0, 1, 1, 1).mapInArrow(version_there, "found string").collect()
    found = {row["found"] for row in rows}
    if found != {__version__}:
        its = found.pop()
        raise absent(f"they have carob {its}" if its[:1].isdigit() else its, place)
    session.conf.set(KNOWN, __version__)


def are_there(session: Any, place: str) -> bool:
    """Returns whether the executors can import this version of carob."""
    from carob.output.errors import DataError

    try:
        refuse_absent(session, place)
    except DataError:
        return False
    return True


# ---------------------------------------------------------------- small tables


SMALL = 1 << 24
"""The largest size, in bytes as estimated by Spark, of a table that is collected: some two million Parquet rows."""
NARROW = {
    "LocalRelation",
    "Relation",
    "RelationV2",
    "Project",
    "Filter",
    "Range",
    "Union",
    "GlobalLimit",
    "LocalLimit",
}
"""Spark's logical operators that are cheap and do not return more rows than they read."""
SIZE = re.compile(r"Statistics\(sizeInBytes=([\d.E+]+) (B|KiB|MiB)\b")
UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20}


def is_small(table: Any) -> bool:
    """Returns whether Spark's plan shows, without starting a job, that a table is small and cheap to compute."""
    try:
        if hasattr(table, "_jdf"):
            explain = table.sparkSession._jvm.PythonSQLUtils.explainString  # noqa: SLF001 -- as ``explain`` prints
            text = explain(table._jdf.queryExecution(), "cost")  # noqa: SLF001
        else:
            text = table._explain_string(mode="cost")  # noqa: SLF001
    except AttributeError:
        return False  # another version of Spark
    plan = text.partition("== Optimized Logical Plan ==\n")[2].partition("\n\n")[0].splitlines()
    names = {found[1] for line in plan if (found := re.match(r"[\s:+-]*(\w+)", line))}
    size = SIZE.search(plan[0]) if plan else None
    return bool(size and names <= NARROW and float(size[1]) * UNITS[size[2]] <= SMALL)
