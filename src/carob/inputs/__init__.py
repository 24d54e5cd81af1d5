"""Reads qrels and runs from paths, dictionaries, data frames and engine tables.

Other packages register their file formats with ``reader``, and their libraries of tables with ``engine``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence


class Reader(Protocol):
    """A function that reads files in a format that carob itself does not read."""

    def __call__(self, path: str, kind: str) -> Any:
        """Returns the file's content: a data frame, ``{query: {document: number}}``, rows, or an ``Engine``'s table.

        Args:
            path: the file.
            kind: ``qrels`` or ``run``.

        Raises:
            Exception: the file cannot be read; the error names the file. A ``carob.DataError`` may also contain the
                line number and other details.
        """


class Engine(Protocol):
    """A library whose tables carob reads lazily, in batches, and again for each match of a run with qrels."""

    def is_table(self, given: object) -> bool:
        """Returns whether an object is a table of this library."""

    def columns(self, table: Any) -> Sequence[str]:
        """Returns the names of a table's columns."""

    def batches(
        self, table: Any, columns: Sequence[str], queries: Collection[str] | None = None
    ) -> Iterable[Any]:
        """Returns the rows in batches, each an object with Arrow's stream interface, such as a PyArrow table.

        Args:
            table: the table.
            columns: the columns to read, in this order; the first contains the queries.
            queries: the queries whose rows are needed; None for all queries. The batches may also contain rows of other
                queries.
        """


ENDINGS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".feather": "arrow",
    ".arrow": "arrow",
    ".ipc": "arrow",
    ".csv": "csv",
    ".jsonl": "lines",
    ".ndjson": "lines",
    ".json": "json",
    ".npy": "array",
    ".ivecs": "array",
    ".fvecs": "array",
    ".bvecs": "array",
    ".hdf5": "array",
    ".h5": "array",
}
"""The kind of file for each file name ending. Files with other endings are text; the first line shows their format."""
PACKED = (".gz", ".zst", ".bz2", ".xz")
"""Endings of compressed files. They follow the ending of the format, as in ``run.csv.gz``."""
READERS: dict[str, Reader] = {}
"""Other packages' readers, by the ending of a file's name."""
ENGINES: dict[str, Engine] = {}
"""Other packages' engines, by class name."""
Enrolled = TypeVar("Enrolled", bound=Reader)
Made = TypeVar("Made", bound="type[Engine]")


def reader(*endings: str) -> Callable[[Enrolled], Enrolled]:
    """Registers a function that reads files of another format wherever carob accepts a path.

    A second registration replaces the first, for example when a notebook cell is run again.

    Args:
        endings: the file name endings.

    Raises:
        ValueError: carob itself reads files with one of the endings, or an ending has no dot.

    Example:
        >>> import json, carob
        >>> @carob.reader(".ranked.json")
        ... def ranked(path, kind):
        ...     return {each["topic"]: each["documents"] for each in json.load(open(path))}
    """
    for each in endings:
        if not each.startswith(".") or each.casefold() in (*ENDINGS, *PACKED, ".tsv"):
            raise ValueError(
                f"reader({each!r}): use a file extension that carob does not read itself, such as '.letor'."
            )

    def enrol(function: Enrolled) -> Enrolled:
        READERS.update(dict.fromkeys(map(str.casefold, endings), function))
        return function

    return enrol


def engine(made: Made) -> Made:
    """Registers the decorated class as an ``Engine``, so carob accepts the tables of its library as frames.

    A second registration replaces the first, for example when a notebook cell is run again.

    Args:
        made: the class, which is instantiated once.

    Raises:
        TypeError: the class does not define all the methods, or cannot be instantiated without arguments.

    Example:
        >>> import carob
        >>> @carob.engine
        ... class Files:
        ...     def is_table(self, given): return type(given).__name__ == "FileTable"
        ...     def columns(self, table): return table.schema
        ...     def batches(self, table, columns, queries=None): return table.read(columns)
    """
    for each in ("is_table", "columns", "batches"):
        if not callable(getattr(made, each, None)):
            raise TypeError(
                f"{made.__name__} has no method {each}: an engine has is_table, columns and batches."
            )
    ENGINES[made.__name__] = made()
    return made


def engine_of(given: object) -> Engine | None:
    """Returns the registered engine of a table, or None if no engine recognises the object."""
    return next((each for each in ENGINES.values() if each.is_table(given)), None)


def installed() -> None:
    """Imports the modules that installed packages list under the entry point ``carob.readers``."""
    from carob.measures.define import plugged

    plugged("carob.readers")
