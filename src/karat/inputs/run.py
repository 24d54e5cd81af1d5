"""Rankings, read when they are matched: ``Run``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from karat.inputs.columns import INSISTED, usual
from karat.inputs.dicts import MappingRun, plain, ranked
from karat.inputs.files import called, read_as
from karat.inputs.frames import Frame, FrameRun, columns_of, is_frame, refuse_one_column
from karat.inputs.qrels import Qrels, Rows
from karat.inputs.runs.exclusion import ExcludingRun, excluding, pairs_of
from karat.inputs.runs.text import TextRun
from karat.inputs.sources import Origin, Readable, Source
from karat.output.errors import DataError, Worded, worded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from karat import _native
    from karat.inputs.files.table import Table
    from karat.inputs.runs import Asked, Found, Held

__all__ = [
    "Run",
    "RunLike",
    "RunsLike",
    "are_several",
    "names_apart",
    "refuse_alike",
    "runs_in",
    "short",
    "text_name",
]

RunLike: TypeAlias = "Run | Readable | Mapping[Any, Any] | Rows | Frame"
RunsLike: TypeAlias = (
    "Mapping[Any, Run | str | os.PathLike[str] | bytes | Frame | Mapping[Any, Mapping[Any, Any]]] | "
    "list[Run] | list[str] | list[os.PathLike[str]] | tuple[RunLike, ...]"
)
"""Several runs: by name, or in a list."""


@dataclass(frozen=True, eq=False)
class Run:
    """A system's ranked lists, read when they are matched.

    Args:
        name: its name in tables.
        held: the source of the lists.
        doubted: the column that the caller named for scores, if it may hold something else.
    """

    name: str
    held: Held
    doubted: str | None = None

    def __post_init__(self) -> None:
        """Refuse a name that is not text."""
        text_name(self.name)

    @property
    def origin(self) -> Origin:
        """Its provenance."""
        return self.held.origin

    @property
    def source(self) -> Source | None:
        """The text that it is read from; None for other sources."""
        held = self.held
        while isinstance(held, ExcludingRun):
            held = held.held
        return held.source if isinstance(held, TextRun) else None

    @property
    def alone(self) -> bool:
        """Whether it is read alone: its source uses all cores, or answers one query at a time."""
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
        extract: str | None = None,
        folders: str | None = None,
        exclude: Any = None,
    ) -> Run:
        """Take a run from a path, bytes, an open binary file, ``{query: {document: score}}``, or a data frame.

        A query may also have a list of documents, best first; and a run may be a list of rows, each a dict, as JSON
        lines hold them.

        A path is that of TREC text, of a table (Parquet, Arrow, CSV, TSV, JSON, JSON lines), of a folder of parts of
        a table, or a pattern of paths. A table's rows may stand in any order. Where it has no score, or the rank
        alone is named, the lowest rank comes first and the score is minus the rank. Whole numbers as ids are compared
        as their decimal text, so that a table gives the numbers of the text that holds the same.

        Args:
            run: the run.
            name: its name in tables.
            query: a table's column of queries, text or whole numbers; the one with a usual name if None.
            document: the same of documents.
            score: the same of scores; one whose name or values say that it holds ranks is refused, unless ``!`` stands
                behind the name.
            rank: the same of ranks.
            extract: ``engine`` has the judged rows of a lazy table (DuckDB, Polars) found by the engine that holds it,
                as is always done for SQLFrame and ibis, and for runs of Spark that are too large to be moved.
            folders: what files in several folders are, where a path means such: ``parts`` of one table, or data sets,
                of which ``prefix`` calls the queries by their folders, as in ``nq/1``.
            exclude: pairs of query and document that are taken out of the run before anything is ranked, such as the
                items of a training set: ``{query: [document, …]}``, a frame, a path … Grades are not asked for.

        Raises:
            DataError: a path or frame that cannot be read.

        Example:
            >>> import karat
            >>> karat.Run.of({"q": {"a": 1.0}}, "bm25").name
            'bm25'
        """
        if exclude is not None:
            seen = exclude if isinstance(exclude, Qrels) else pairs_of(Qrels.of, exclude)
            how: dict[str, Any] = {"query": query, "document": document, "score": score, "rank": rank}
            whole = cls.of(run, name, **how, extract=extract, folders=folders)
            return replace(whole, held=excluding(whole.held, seen))
        if isinstance(run, Run):
            return run
        its: dict[str, Any] = {"query": query, "document": document, "score": score, "rank": rank}
        if isinstance(run, list):
            from karat.inputs.files.json import mapping_of_rows

            run = mapping_of_rows(run, "run", its)
        if isinstance(run, Mapping):
            if are_several(run):
                count = "1 run" if len(run) == 1 else f"{len(run)} runs"
                raise DataError(
                    f"This is a dictionary of {count} by name, in the place of one run: give one of them. "
                    "karat.evaluate and karat.compare take several."
                )
            run = run if all(isinstance(each, dict) for each in run.values()) else ranked(run)
            return cls(name or "run", MappingRun(plain(run)))
        if is_frame(run):
            return cls(name or "run", held_frame(run, extract, its), doubtful(score))
        found = read_as(cast("Readable", run), "run", its, folders)
        if isinstance(found, Source):
            return cls(name or short(found.name), TextRun(found))
        return replace(cls.in_files(found, name, extract), doubted=doubtful(score))

    @classmethod
    def in_files(cls, table: Table, name: str | None = None, extract: str | None = None) -> Run:
        """A run in Parquet, CSV, JSON and the like.

        Raises:
            DataError: columns that cannot be what they are taken for.
        """
        from karat.inputs.files.table import FileRun

        with table.named():
            # What the columns are was decided where the file was opened.
            columns = {role: name + INSISTED * (role == "score") for role, name in table.columns.items()}
            held = cls.of(table.content, extract=extract, **cast("Any", columns)).held
        return cls(name or called(table.name), FileRun(held, table))

    def match(self, judgments: _native.Judgments, asked: Asked) -> Found:
        """The rows of judged documents.

        Raises:
            DataError: a line, row, score or id that cannot be used.
        """
        return self.held.match(judgments, asked)


def are_several(given: object) -> bool:
    """Whether runs by name or a list of runs were given, and not one run: the first value that is not empty decides.

    A dictionary of runs has runs as its values, and one run lists of documents; a list of runs holds no rows.
    """
    if isinstance(given, Mapping):
        first = next((each for each in given.values() if not isinstance(each, Mapping) or each), None)
        inside = next(iter(first.values()), None) if isinstance(first, Mapping) else None
        path = isinstance(first, str) and os.path.exists(first)
        return path or is_whole(first) or isinstance(inside, (Mapping, list, tuple))
    if not isinstance(given, (list, tuple)):
        return False
    first = next(iter(given), None)
    inside = next(iter(first.values()), None) if isinstance(first, Mapping) else None
    return isinstance(first, str) or is_whole(first) or isinstance(inside, Mapping)


def is_whole(given: object) -> bool:
    """Whether this is a run whatever it holds: a path, bytes, a frame, a ``Run``."""
    return isinstance(given, (Run, os.PathLike, bytes)) or is_frame(given)


def runs_in(given: RunsLike, exclude: Any = None) -> list[Run]:
    """Several runs, each under a name of its own: the keys of a dictionary; of a list their files' names.

    Raises:
        DataError: one that cannot be read, or two of one name.
    """
    seen = exclude if exclude is None or isinstance(exclude, Qrels) else pairs_of(Qrels.of, exclude)
    if isinstance(given, Mapping):
        names = list(map(str, given))
        refuse_alike(names)
        found = [Run.of(each, name, exclude=seen) for name, each in zip(names, given.values(), strict=True)]
    else:
        found = [Run.of(each, exclude=seen) for each in given]
        names = names_apart(found)
    return [replace(run, name=name) for name, run in zip(names, found, strict=True)]


def doubtful(score: str | None) -> str | None:
    """The column named for scores, if it may hold something else; None for a usual name, or if the caller insists."""
    return None if score is None or score.endswith(INSISTED) or usual([score], "score") else score


def held_frame(frame: Any, extract: str | None, named: dict[str, Any]) -> Held:
    """The source of a frame's rows: memory, batches, or its engine.

    Args:
        frame: the frame.
        extract: ``engine`` to rank a lazy frame in its engine.
        named: columns' names by role; None looks for a usual name.

    Raises:
        DataError: an unreadable frame, or another value of ``extract``.
    """
    from karat.inputs.runs.batches import StreamedRun, batches_in
    from karat.inputs.runs.engine import EngineRun, is_away

    if extract not in (None, "engine"):
        raise DataError(f"There is no extract={extract!r}; there is 'engine'.")
    refuse_one_column(frame, "run")
    if extract == "engine" or is_away(frame):
        return EngineRun.of(frame, small=extract is None, **named)
    batches = batches_in(frame, **named)
    return FrameRun(columns_of(frame, "run", **named)) if batches is None else StreamedRun(batches)


SUFFIXES = (".gz", ".zst", ".bz2", ".xz", ".run", ".txt", ".trec", ".res", ".tsv")


def names_apart(runs: Sequence[Any]) -> list[str]:
    """Distinct names of runs: equal file names become paths, runs without a name are numbered.

    Args:
        runs: runs, or scores, which have a name only.

    Raises:
        DataError: two runs with one name, or one file given twice.
    """
    names = [each.name for each in runs]
    found = []
    for number, each in enumerate(runs, 1):
        name = each.name
        if hasattr(each, "origin"):
            path = each.origin.path
            if path is None:
                name = f"run {number}" if name in ("run", "<bytes>") else name
            elif names.count(name) > 1 and name in (short(path), called(path)):
                name = os.path.normpath(path)
        found.append(name)
    refuse_alike(found)
    return found


def refuse_alike(names: Sequence[str]) -> None:
    """Refuse two runs with one name.

    Raises:
        DataError: two have one name.
    """
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise DataError(
            worded(
                f"{names.count(twice)} runs are called '{twice}': give each a name of its own, as in ",
                Worded("{'old': run, 'new': run}", "old=a/x.run new=b/x.run"),
                ".",
            )
        )


def text_name(name: object) -> str:
    """The name of a run, checked.

    Raises:
        DataError: it is not text.
    """
    if not isinstance(name, str):
        raise DataError(f"name={name!r}: what tables call a run is text.")
    return name


def short(path: str) -> str:
    """A file's name without the usual endings of runs."""
    name = os.path.basename(path)
    while True:
        stem, suffix = os.path.splitext(name)
        if suffix not in SUFFIXES:
            return name
        name = stem
