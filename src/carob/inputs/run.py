"""Defines ``Run``, which stands for a run that is read only when it is matched with judgments."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

from carob import _native
from carob._cached import cached_property
from carob._dataclasses import dataclass, replace
from carob.inputs.columns import CONSTANT, INSISTED, Distance, OfProject, usual, with_distance
from carob.inputs.dicts import MAPPING, ByPosition, MappingRun, WithScores, numbered, plain
from carob.inputs.errors import NO_RUNS, ONE_NAME, refused, sentences
from carob.inputs.files import read_as
from carob.inputs.frames import (
    Columns,
    Frame,
    columns_of,
    frame_origin,
    is_frame,
    listed_in,
    refuse_one_column,
    systems_of_rows,
    with_scores,
)
from carob.inputs.layouts import by_query, is_of_tool
from carob.inputs.qrels import refuse_results
from carob.inputs.runs import TextRun, Wrapper
from carob.inputs.runs.answered import RunWithEmptyLists
from carob.inputs.runs.excluded import ExcludingRun, excluding, pairs_of
from carob.inputs.sources import Provenance, Readable, Source, called, is_pattern, memory, several_runs
from carob.inputs.systems import take_one_out
from carob.output.errors import DataError, Worded

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from carob.inputs.files.table import FileTable
    from carob.inputs.qrels import Rows
    from carob.inputs.runs import Found, MatchOptions, RunSource


Made = TypeVar("Made")
RunLike: TypeAlias = "Run | Readable | Mapping[Any, Any] | Rows | Frame"
Listed: TypeAlias = "Run | os.PathLike[str] | Frame | Mapping[Any, Mapping[Any, Any]]"
"""An item of a list of runs. A path as text and rows of JSON lines are not included, because they are ambiguous."""
Several: TypeAlias = "Sequence[Listed] | list[str] | list[Listed | Readable] | tuple[RunLike, ...]"
RunsLike: TypeAlias = "Mapping[Any, Listed | Readable] | Several"
"""Several runs, by name or in a list."""


@dataclass(frozen=True, eq=False)
class Run:
    """A system's ranked lists. They are read only when they are matched with judgments.

    Args:
        name: its name in tables.
        held: the source of the lists.
        named: the column that the caller named for scores, including a ``!`` that insists on scores.
    """

    name: str
    held: RunSource
    named: str | None = None

    def __post_init__(self) -> None:
        """Refuses a name that is not text."""
        text_name(self.name)

    @cached_property
    def meant(self) -> bool:
        """Whether the caller insists that the column contains scores."""
        return self.named is not None and self.named.endswith(INSISTED)

    @property
    def doubted(self) -> str | None:
        """The score column that the caller named, if it may contain something other than scores; otherwise None."""
        named = self.named
        sure = named is None or self.meant or isinstance(named, Distance) or usual([named], "score")
        return None if sure else named

    @cached_property
    def origin(self) -> Provenance:
        """The provenance of the run."""
        return self.held.origin

    @cached_property
    def source(self) -> Source | None:
        """The run's text source, or None for other sources."""
        held = self.held
        while isinstance(held, ExcludingRun):
            held = held.held
        return held.source if isinstance(held, TextRun) else None

    @property
    def alone(self) -> bool:
        """Whether no other run may be read at the same time, because the source uses all cores or serves one thread."""
        return self.held.alone

    @classmethod
    def of(
        cls,
        run: RunLike,
        name: str | None = None,
        *,
        query: str | None = None,
        document: str | None = None,
        score: str | None = None,
        rank: str | None = None,
        distance: str | None = None,
        extract: str | None = None,
        folders: str | None = None,
        exclude: Any = None,
    ) -> Run:
        """Opens a run: a path, bytes, an open binary file, ``{query: {document: score}}``, or a data frame.

        Instead of ``{document: score}``, a query may have a list of documents, best first. The run may also be a list
        of dicts, one for each row, as in JSON lines.

        A path may refer to TREC text, a table (Parquet, Arrow, CSV, TSV, JSON, JSON lines) or a folder with the parts
        of a table; it may also be a pattern. The rows of a table may be in any order. Without a score column, or if
        only ``rank`` is named, the lowest rank comes first and the score is the negated rank. Ids that are whole
        numbers are compared as decimal text, so a table yields the same values as TREC text with the same content.

        Args:
            run: the run.
            name: its name in tables.
            query: a table's query column, which contains text or whole numbers; by default, the column with a usual
                name. With ``":=review1"``, every row of the table belongs to the query ``review1``.
            document: the document column.
            score: the score column. A column whose name or values look like ranks is refused, unless the name ends
                with ``!``.
            rank: the rank column.
            distance: the column of distances. The smallest distance is the best; the score is the negated distance.
            extract: with ``engine``, the library of a lazy table (DuckDB, Polars, Spark) finds the judged rows itself.
                Tables of SQLFrame and ibis are always read this way. With ``executors``, carob's kernel ranks a Spark
                table in Spark's executors. By default, a Spark table is ranked in the executors if carob is installed
                there, and a small table is collected.
            folders: how to read files in several folders: ``parts`` reads them as parts of one table; ``prefix`` reads
                each folder as a data set and adds its name to the query ids, as in ``nq/1``.
            exclude: pairs of query and document to remove from the run before it is ranked, such as the items of a
                training set. They may be ``{query: [document, …]}``, a frame, a path and so on, and need no grades.

        Raises:
            DataError: a path or frame cannot be read.

        Example:
            >>> import carob
            >>> carob.Run.of({"q": {"a": 1.0}}, "bm25").name
            'bm25'
        """
        its: dict[str, Any] = {"query": query, "document": document, "score": score, "rank": rank}
        if distance is not None:
            its = with_distance(its | {"distance": distance})
            whole = cls.of(run, name, **its, extract=extract, folders=folders, exclude=exclude)
            # For a file, the origin already contains the columns that carob.toml names.
            told = isinstance(run, Run) or isinstance(distance, OfProject)
            return whole if told else replace(whole, held=told_distance(whole.held, distance))
        if exclude is not None:
            whole = cls.of(run, name, **its, extract=extract, folders=folders)
            return replace(whole, held=excluding(whole.held, pairs_of(exclude)))
        if isinstance(run, Run):
            return run
        refuse_results(run)
        if (
            query is not None
            and query.startswith(CONSTANT)
            and (isinstance(run, (list, Mapping)) or is_frame(run))
        ):
            from carob.inputs.one_query import read_one_query

            return cls(name or "run", MappingRun(read_one_query(run, "run", its)[0]), score)
        given, of_rows = run, MAPPING
        if isinstance(run, list) or (isinstance(run, Mapping) and not are_several(run)):
            of_rows = replace(MAPPING, systems=systems_of_rows(run, its))
            with of_one_system(of_rows):
                run = by_query(run, "run", its)
        if isinstance(run, Mapping):
            if are_several(run):
                raise refused(
                    "This is a dictionary of {count:run} by name, not one run.",
                    "Pass one of the runs. carob.evaluate and carob.compare accept several runs.",
                    count=len(run),
                )
            scored = isinstance(run, WithScores) or (
                run is given and all(isinstance(its, Mapping) for its in run.values())
            )
            by_position = isinstance(run, ByPosition)
            return cls(name or "run", MappingRun(plain(numbered(run, "run")), of_rows, scored, by_position))
        if not isinstance(run, (str, bytes, os.PathLike)) and is_frame(run):
            held: Any
            listed = listed_in(run, "run", its) if extract is None else None
            if listed is None:
                return cls(name or "run", held_frame(run, extract, its), score)
            content, columns = listed
            if isinstance(content, dict):
                held = MappingRun(dict(content), frame_origin(run), isinstance(content, WithScores))
                return cls(name or "run", held, score)
            held = held_frame(content, None, insisted(columns))
            return cls(name or "run", replace(held, origin=frame_origin(run)), score)
        found = read_as(cast("Readable", run), "run", its, folders)
        if isinstance(found, Source):
            return cls(name or called(found.name), TextRun(found))
        return replace(cls.in_files(found, name, extract), named=score)

    @classmethod
    def in_files(cls, table: FileTable, name: str | None = None, extract: str | None = None) -> Run:
        """Opens a run in Parquet, CSV, JSON and similar files.

        Raises:
            DataError: the columns do not fit their roles.
        """
        from carob.inputs.files.table import FileRun

        with table.named():
            # The columns' roles were settled when the file was opened.
            columns = insisted(table.columns)
            if is_frame(table.content):
                held = held_frame(table.content, extract, columns, table.most, table.blocks)
                held = RunWithEmptyLists(held, table.answered) if table.answered else held
            elif isinstance(table.content, Source):
                held = TextRun(table.content, ranks="rank" in table.columns, made=True)
            else:
                held = cls.of(table.content, extract=extract, **cast("Any", columns)).held
                made = isinstance(table.content, Mapping) and not table.written
                if made and isinstance(held, MappingRun):
                    held = replace(held, scored=isinstance(table.content, WithScores))
        return cls(name or called(table.name), FileRun(held, table))

    def match(self, judgments: _native.Judgments, options: MatchOptions) -> Found:
        """Returns the rows of judged documents.

        Raises:
            DataError: a line, row, score or id cannot be used.
        """
        return self.held.match(judgments, options)


def insisted(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the columns with the scores marked as settled, so they are not checked again."""
    return {
        role: f"{name}{INSISTED}" if role == "score" and not isinstance(name, Distance) else name
        for role, name in columns.items()
    }


def told_distance(held: Any, column: str) -> Any:
    """Returns a run's source with the column of distances in its origin. The origin of a file already contains it."""
    if isinstance(held, Wrapper):
        told = "distance" in dict(held.origin.columns)
        return held if told else replace(held, held=told_distance(held.held, column))
    return replace(held, origin=replace(held.origin, columns=(("distance", column),)))


def in_memory(run: Run) -> Run:
    """Loads the text of a run into memory if it is small, so several passes read the file only once.

    Raises:
        DataError: the file cannot be read.
    """
    if not isinstance(run.held, TextRun):
        return run
    with sentences(run.held.source.name, "run", run.origin.files):
        return replace(run, held=TextRun(run.held.source.held()))


HELD_TOGETHER = 2**28
"""The maximum total size, in bytes, of runs that are kept in memory so each file is read only once."""


def held_together(runs: Collection[Run]) -> list[Run]:
    """Returns the runs with their texts in memory, unless their total size is large.

    Raises:
        DataError: a file cannot be read.
    """
    small = sum(each.origin.size for each in runs) <= HELD_TOGETHER
    return [in_memory(each) if small else each for each in runs]


def are_several(given: object) -> bool:
    """Returns whether a dictionary or a list contains several runs, judging by the first non-empty value.

    In a dictionary of runs, each value is a run. In a single run, each value contains documents. In a list of runs,
    each item is a run. In a single run, each item is a row. An empty list contains no run.
    """
    if not isinstance(given, (Mapping, list, tuple)):
        return False
    values = given.values() if isinstance(given, Mapping) else given
    first = next((each for each in values if not isinstance(each, Mapping) or each), None)
    inside = next(iter(first.values()), None) if isinstance(first, Mapping) else None
    if isinstance(given, Mapping) and is_of_tool(given):
        return False
    if isinstance(first, Mapping) and is_of_tool(first, several=True):
        return True
    if isinstance(given, Mapping):
        path = isinstance(first, str) and (os.path.exists(first) or is_like_path(first))
        row = first[0] if isinstance(first, list) and first else None
        rows = isinstance(row, Mapping) and (
            any(isinstance(each, (list, Mapping)) for each in row.values())
            or bool(usual(list(map(str, row)), "query"))
        )
        return path or rows or is_whole(first) or isinstance(inside, (Mapping, list, tuple))
    return first is None or isinstance(first, str) or is_whole(first) or isinstance(inside, Mapping)


def is_like_path(text: str) -> bool:
    """Returns whether a text is clearly meant as a path, even though there is no such file."""
    return os.path.basename(text) != text or bool(os.path.splitext(text)[1]) or is_pattern(text)


def is_whole(given: object) -> bool:
    """Returns whether the value is clearly a single run: a path, bytes, a frame, an open file or a ``Run``."""
    return isinstance(given, WHOLE) or is_frame(given) or is_open(given)


WHOLE = (Run, os.PathLike, bytes, bytearray, memoryview)


def is_open(given: object) -> bool:
    """Returns whether the value is an open file."""
    return callable(getattr(given, "read", None))


def runs_in(given: Any, exclude: Any = None) -> list[Run]:
    """Opens several runs under distinct names: the keys of a dictionary, or the names of the files in a list.

    Raises:
        DataError: there is no run, a run cannot be read, or two runs have the same name.
    """
    given = several_of(given)
    if not given:
        raise refused(*NO_RUNS, what="dictionary" if isinstance(given, Mapping) else "list")
    refuse_shared(given)
    seen = None if exclude is None else pairs_of(exclude)
    return [
        replace(run, name=name) for name, run in named_runs(given, lambda each: Run.of(each, exclude=seen))
    ]


def named_runs(given: Any, opened: Callable[[Any], Made]) -> list[tuple[str, Made]]:
    """Returns several runs with distinct names: the keys of a dictionary, or the names of the files in a list.

    Args:
        given: the result of ``several_of``.
        opened: opens a run, or returns scores, which have a name but no origin.

    Raises:
        DataError: two runs have the same name.
    """
    if not isinstance(given, Mapping):
        found = list(map(opened, given))
        return list(zip(names_apart(found), found, strict=True))
    names = list(map(str, given))
    refuse_alike(names)
    return list(zip(names, map(opened, given.values()), strict=True))


def several_of(given: Any) -> Any:
    """Returns several runs: a mapping by name, or a list.

    Raises:
        DataError: the object is a single run, such as a path, or something else.
    """
    if isinstance(given, str) or is_whole(given) or not hasattr(given, "__iter__"):
        raise refused("Pass several runs: {{'name': run, …}}, or a list of paths or scores.").at(
            remedy=if_pattern(given)
        )
    return given if isinstance(given, Mapping) else list(given)


def if_pattern(path: object) -> str | None:
    """Returns the advice if a pattern was given instead of several runs, otherwise None."""
    path = os.fspath(path) if isinstance(path, os.PathLike) else path
    return several_runs(path) if isinstance(path, str) and is_pattern(path) else None


def by_rank_column(held: Any) -> RunSource | None:
    """Returns a run with scores and ranks in the order of its ranks, or None if it cannot be ordered by rank."""
    while isinstance(held, Wrapper) and not isinstance(held, ExcludingRun):
        held = held.held
    if isinstance(held, TextRun) and held.ranks:
        return TextRun(memory(_native.changed_run(held.source.from_start(), "by-rank")))
    if not isinstance(held, Columns) or "rank" not in held.places:
        return None
    return replace(held, places={role: place for role, place in held.places.items() if role != "score"})


def held_frame(
    frame: Any,
    extract: str | None,
    named: dict[str, Any],
    most: float = math.inf,
    blocks: Callable[[], Iterator[Any]] | None = None,
) -> RunSource:
    """Returns a source for the rows of a frame. They are in memory, in batches or in an engine.

    Args:
        frame: the frame.
        extract: ``engine`` to rank a lazy frame in its engine, ``executors`` to rank it in Spark's executors.
        named: columns' names by role; None looks for a usual name.
        most: the maximum number of bytes that the texts of the rows may take in memory.
        blocks: yields the same rows block by block, as in ``FileTable``.

    Raises:
        DataError: the frame cannot be read, or ``extract`` has another value.
    """
    from carob.inputs.runs.batches import streamed
    from carob.inputs.runs.engine import EngineRun, is_away

    if extract not in (None, "engine", "executors"):
        raise refused(
            "extract={extract!r} is unknown: the choices are 'engine' and 'executors'.", extract=extract
        )
    refuse_one_column(frame, "run")
    frame, columns = with_scores(frame, named)
    named = dict(columns)
    if extract is not None or is_away(frame):
        return EngineRun.of(frame, extract=extract, **named)
    found = streamed(frame, named, blocks)
    return columns_of(frame, "run", named, most) if found is None else replace(found, most=most)


def names_apart(runs: Sequence[Any]) -> list[str]:
    """Returns distinct names of runs. Equal file names become paths, and runs without a name are numbered.

    Args:
        runs: runs, or scores, which have a name but no origin.

    Raises:
        DataError: two runs have the same name, or the same file is given twice.
    """
    names = [each.name for each in runs]
    found = []
    for number, each in enumerate(runs, 1):
        name = each.name
        if hasattr(each, "origin"):
            path = each.origin.path
            if path is None:
                name = f"run {number}" if name in ("run", "<bytes>", "<stream>") else name
            elif names.count(name) > 1 and name == called(path):
                name = os.path.normpath(path)
        found.append(name)
    refuse_alike(found)
    return found


def refuse_shared(given: Mapping[Any, Any] | Sequence[Any]) -> None:
    """Refuses an open file that is given as two runs, because each run would get only some of its lines.

    Raises:
        DataError: a file is given twice.
    """
    files = [each for each in (given.values() if isinstance(given, Mapping) else given) if is_open(each)]
    if len(set(map(id, files))) < len(files):
        raise refused(
            "The same open file was given as two runs.", "Open it once for each run, or pass its path."
        )


def refuse_alike(names: Sequence[str]) -> None:
    """Refuses two runs with the same name.

    Raises:
        DataError: two runs have the same name.
    """
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        example = Worded("{'old': run, 'new': run}", "old=a/x.run new=b/x.run")
        raise refused(ONE_NAME, count=names.count(twice), name=twice, example=example)


def text_name(name: object) -> str:
    """Checks and returns the name of a run.

    Raises:
        DataError: the name is not text.
    """
    if not isinstance(name, str):
        raise refused("The name of a run must be text, but name={name!r} was given.", name=name)
    return name


@contextmanager
def of_one_system(origin: Provenance) -> Iterator[None]:
    """Adds to an error the advice to extract one system, if the rows belong to several systems."""
    try:
        yield
    except DataError as error:
        if not origin.systems:
            raise
        raise error.at(remedy=take_one_out(origin)) from None
