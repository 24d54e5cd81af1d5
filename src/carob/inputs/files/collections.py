"""Finds the qrels and the runs of several collections: in a folder, in a table, or by patterns of their paths."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import field
from typing import TYPE_CHECKING, Any, TypeAlias

from carob._dataclasses import dataclass, replace
from carob.inputs.errors import refused, sentences
from carob.inputs.files.paths import file_names, lies_in
from carob.inputs.files.small_tables import SmallTable
from carob.inputs.sources import called
from carob.output.errors import DataError
from carob.output.parsing import read_toml

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

NO_COLLECTION_IN_TOML = (
    "[{collection}] is not a collection.",
    'Write exactly qrels = "path" and runs = ["path", …].',
)
NO_COLLECTIONS = (
    "there are no collections.",
    "Pass a folder with a subfolder for each collection, or a table with the columns collection, qrels and run.",
)

PLACE = "{collection}"
"""The placeholder in the path of a run for the name of the collection."""

BEIR = ("corpus.jsonl", "queries.jsonl")
RUNS = "runs"
QUIET = ("readme", "license", "licence")
"""The prefixes of file names in a folder that are neither qrels nor runs."""

COLUMNS = ("collection", "qrels", "run")

Faults: TypeAlias = "list[tuple[str | None, DataError]]"
"""The collections whose files are missing or ambiguous, each with its error. None stands for no single collection."""


@dataclass(frozen=True)
class CollectionFiles:
    """The files of one collection.

    Args:
        name: the collection.
        qrels: the path of its judgments; None for a collection that has only per-query scores.
        runs: the path of each run, by name.
        scores: files with per-query scores, instead of judgments and runs.
    """

    name: str
    qrels: str | None = None
    runs: dict[str, str] = field(default_factory=dict)
    scores: tuple[str, ...] = ()


@contextmanager
def noted(faults: Faults | None, collection: str | None = None) -> Iterator[None]:
    """Adds an error raised in the block to ``faults``, unless ``faults`` is None.

    Raises:
        DataError: the block raised it, and ``faults`` is None.
    """
    try:
        yield
    except DataError as error:
        if faults is None:
            raise
        faults.append((collection, error))


def collections_in(
    path: str, runs: Sequence[tuple[str | None, str]] = (), faults: Faults | None = None
) -> list[CollectionFiles]:
    """Finds the files of several collections.

    Args:
        path: a folder with a subfolder for each collection, or a table (TOML, CSV or TSV).
        runs: the name, or None, and the path of each run, with ``{collection}`` for the name of the collection. These
            runs replace the runs in the folder. If a path does not exist, the run is missing for that collection, but
            each run must exist for at least one collection.
        faults: the list to which errors about one collection are added, not including errors about paths that do not
            exist; None to raise the first error.

    Raises:
        DataError: there are no collections, the qrels or the runs of a collection are missing or ambiguous, or a run
            does not exist for any collection.
    """
    with sentences(path):
        os.stat(path)
    if os.path.isdir(path):
        found = in_folder(path, bool(runs), faults)
    elif path.endswith(".toml"):
        found = in_toml(path, faults)
    else:
        found = in_table(path, faults)
    if not os.path.isdir(path) and faults is None:
        refuse_absent_paths(path, found, with_runs=not runs)
    if runs:
        names = [each.name for each in found] + [name for name, _ in faults or () if name]
        refuse_without_place(path, runs, names)
        refuse_nowhere(runs, names, faults)
        found = [replace(each, runs=at_patterns(each.name, runs, faults)) for each in found]
    own = path if os.path.isdir(path) else os.path.dirname(path) or "."
    homes = [own, ".", *(os.path.dirname(pattern.partition(PLACE)[0]) or "." for _, pattern in runs)]
    kept = []
    for each in found:
        with noted(faults, each.name):
            refuse_foreign(path, each, homes)
            kept.append(each)
    return kept


def refuse_foreign(path: str, collection: CollectionFiles, homes: Sequence[str]) -> None:
    """Refuses files outside the folders from which a folder or table of collections may name files.

    An error or a finding about a file quotes part of its content, so a table may name only files below its own folder,
    below the working directory or below the folders of the run paths that the caller gave. Pipes and devices are
    refused because they may never end.

    Args:
        path: the folder or table.
        collection: the files of one collection in the folder or table.
        homes: the folders below which the files may lie.

    Raises:
        DataError: a file is outside these folders after links are resolved, or is neither a regular file nor a folder.
    """
    for file in filter(None, (collection.qrels, *collection.runs.values(), *collection.scores)):
        words = {"file": path, "collection": collection.name, "path": file}
        if not lies_in(file, homes):
            raise refused(
                "collection '{collection}' names {path}, which is neither in the folder of this table nor "
                "in the working directory.",
                "Run carob in a folder that contains all the files, or copy the missing file.",
                **words,
            )
        if os.path.exists(file) and not os.path.isfile(file) and not os.path.isdir(file):
            raise refused(
                "collection '{collection}' names {path}, which is neither a file nor a folder.",
                "Use the name of a file.",
                **words,
            )


def refuse_absent_paths(table: str, found: Sequence[CollectionFiles], *, with_runs: bool) -> None:
    """Refuses paths in a table that do not exist.

    Raises:
        DataError: there is no such file.
    """
    for each in found:
        for path in (each.qrels, *(each.runs.values() if with_runs else ())):
            if path is not None and not os.path.exists(path):
                raise refused(
                    "collection '{collection}' names a file that does not exist: {path}.",
                    "Correct the path, which is relative to this table.",
                    file=table,
                    collection=each.name,
                    path=path,
                )


def refuse_without_place(path: str, runs: Sequence[tuple[str | None, str]], names: Sequence[str]) -> None:
    """Refuses a run path that is the same for all collections, and suggests the right path if it is found.

    Args:
        path: the folder or table.
        runs: as in ``collections_in``.
        names: the collections.

    Raises:
        DataError: a path does not contain ``{collection}``.
    """
    for _, pattern in runs:
        if PLACE in pattern:
            continue
        parts = pattern.split(os.sep)
        meant = [os.sep.join(PLACE if part == name else part for part in parts) for name in names]
        meant.append(os.path.join(path, PLACE, parts[-1]))
        for each in meant:
            if PLACE in each and any(os.path.exists(each.replace(PLACE, name)) for name in names):
                raise refused(
                    "this is the run of one collection.",
                    "Write {{collection}} where the paths of the runs differ, as in '{example}'.",
                    file=pattern,
                    example=each,
                )
        raise refused(
            "this is the run of one collection.",
            "Pass the run of every collection, with {{collection}} in its path in place of the collection's name.",
            file=pattern,
        )


def refuse_nowhere(
    runs: Sequence[tuple[str | None, str]], names: Sequence[str], faults: Faults | None = None
) -> None:
    """Refuses a run whose path does not exist for any collection. Otherwise, a misspelt run would silently be missing.

    Args:
        runs: as in ``collections_in``.
        names: the collections.
        faults: as in ``collections_in``.

    Raises:
        DataError: the path of a run does not exist for any collection.
    """
    for _, pattern in runs:
        paths = [pattern.replace(PLACE, each) for each in names]
        if paths and not any(map(os.path.exists, paths)):
            with noted(faults):
                words = {"file": pattern, "paths": file_names(paths), "folder": os.getcwd()}
                raise refused(
                    "no collection has this run: there is no {paths} (working directory: {folder}).",
                    "Correct the path, or leave the run out.",
                    **words,
                )


def at_patterns(
    collection: str, runs: Sequence[tuple[str | None, str]], faults: Faults | None = None
) -> dict[str, str]:
    """Returns the path of each run that exists for a collection.

    Raises:
        DataError: two runs have the same name.
    """
    found: dict[str, str] = {}
    for name, pattern in runs:
        path = pattern.replace(PLACE, collection)
        own = name or name_in(pattern)
        if os.path.exists(path):
            with noted(faults, collection):
                add(found, own, path, collection)
    return found


def name_in(pattern: str) -> str:
    """Returns the name of a run: the last part of its path that contains more than the placeholder for the collection.

    Example:
        >>> [name_in(each) for each in ("runs/{collection}/bm25.run", "bm25/{collection}.run", "bm25.{collection}.txt")]
        ['bm25', 'bm25', 'bm25']
    """
    for part in reversed(pattern.split(os.sep)):
        own = called(part).replace(PLACE, "").strip("-_. ") if part.strip(".") else ""
        if own:
            return own
    return pattern


def add(
    runs: dict[str, str], name: str, path: str, collection: str, place: Mapping[str, Any] | None = None
) -> None:
    """Adds a run.

    Args:
        runs: the path of each run so far, by name.
        name: the run.
        path: its path.
        collection: the collection.
        place: where a table of collections names the run; None for a run that was found in a folder or by a pattern.

    Raises:
        DataError: another run of this collection has the same name.
    """
    if name in runs:
        words: dict[str, Any] = {"run": name, "collection": collection, "path": path, "other": runs[name]}
        words |= place or {"file": path}
        if runs[name] == path:
            raise refused(
                "collection '{collection}' lists the run '{run}' twice, both times as {path}.",
                "Pass it once.",
                **words,
            )
        raise (
            refused(
                "collection '{collection}' has two runs called '{run}', this run and {other}.",
                "Rename one of the runs, or specify different names in a table of collections.",
                **words,
            )
            if place is None
            else refused(
                "collection '{collection}' has two runs called '{run}', {path} and {other}.",
                "Give each run its own name: in the column 'name' of a CSV or TSV table, or as runs = {{name "
                '= "path"}} in TOML.',
                **words,
            )
        )
    runs[name] = path


# ---------------------------------------------------------------- folders


def in_folder(path: str, without_runs: bool = False, faults: Faults | None = None) -> list[CollectionFiles]:
    """Finds the collections in a folder.

    Args:
        path: the folder.
        without_runs: whether the runs are not in the folder.
        faults: as in ``collections_in``.

    Raises:
        DataError: the folder contains neither subfolders nor files, or a subfolder is not a collection.
    """
    its = [each for each in sorted(os.listdir(path)) if each[0] not in "_."]
    folders = [each for each in its if os.path.isdir(os.path.join(path, each))]
    if {*folders} <= {"qrels", RUNS}:
        own = in_subfolder(called(path), path, without_runs) if qrels_in(path, its) else None
        if own is not None:
            run = next(iter(own.runs.values()), "RUN")
            raise refused(
                "the folder is one collection, not a folder of collections: it contains judgments ({qrels}).",
                "Pass {qrels} and {run} instead of a folder of collections, or put the files of each "
                "collection into a separate folder in {file}.",
                file=path,
                qrels=own.qrels,
                run=run,
            )
    if folders:
        found = []
        for each in folders:
            with noted(faults, each):
                found.append(in_subfolder(each, os.path.join(path, each), without_runs))
        return found
    files = [os.path.join(path, each) for each in its if not each.lower().startswith(QUIET)]
    if not files:
        raise refused(*NO_COLLECTIONS, file=path)
    return [CollectionFiles(called(each), scores=(each,)) for each in files]


def in_subfolder(name: str, folder: str, without_runs: bool) -> CollectionFiles:
    """Finds the qrels and the runs of one collection in its folder."""
    its = [each for each in sorted(os.listdir(folder)) if each[0] not in "_."]
    qrels = qrels_in(folder, its)
    if qrels is None and not without_runs:
        files = [os.path.join(folder, each) for each in its if is_own(folder, each)]
        if not files:
            raise refused(
                "the folder contains neither qrels nor runs.",
                "Add them, or move the folder elsewhere, because each subfolder counts as a collection.",
                file=folder,
            )
        return CollectionFiles(name, scores=tuple(files))
    if qrels is None:
        raise refused(
            "the folder contains no judgments.",
            "Add a file whose name contains 'qrels', or qrels/test.tsv as in BEIR.",
            file=folder,
        )
    if without_runs:
        return CollectionFiles(name, qrels)
    home = os.path.join(folder, RUNS) if RUNS in its else folder
    files = [each for each in sorted(os.listdir(home)) if each[0] not in "_." and is_own(home, each)]
    files = [each for each in files if os.path.join(home, each) != qrels]
    named = [each for each in files if ".run" in each or each.startswith("run.")]
    runs: dict[str, str] = {}
    for each in named or files:
        add(runs, called(each), os.path.join(home, each), name)
    return CollectionFiles(name, qrels, runs)


def is_own(folder: str, name: str) -> bool:
    """Returns whether a file may be a run or contain per-query scores."""
    if not os.path.isfile(os.path.join(folder, name)):
        return False
    return not name.startswith(BEIR) and not name.lower().startswith(QUIET)


def qrels_in(folder: str, its: Sequence[str]) -> str | None:
    """Returns the judgments in a folder: ``qrels/test.tsv`` as in BEIR, or the file whose name contains ``qrel``.

    Raises:
        DataError: several files could be the judgments.
    """
    inside = os.path.join(folder, "qrels")
    if os.path.isdir(inside):
        found = [os.path.join(inside, each) for each in sorted(os.listdir(inside)) if each[0] not in "_."]
        test = [each for each in found if called(each) == "test"]
        found = test or found
    else:
        found = [os.path.join(folder, each) for each in its if "qrel" in each.lower()]
    if len(found) > 1:
        raise refused(
            "several files could be the judgments ({files}).",
            "Keep only one of them in the folder, or choose one in a table with the columns collection, qrels and run.",
            file=folder,
            files=file_names(found),
        )
    return found[0] if found else None


# ---------------------------------------------------------------- tables


def in_toml(path: str, faults: Faults | None = None) -> list[CollectionFiles]:
    """Finds the collections in a TOML file, which has a table for each collection with the keys ``qrels`` and ``runs``.

    Raises:
        DataError: the file is not TOML, or an entry is not as described.
    """
    try:
        with sentences(path):
            table = read_toml(path)
    except ValueError as error:
        if hasattr(error, "remedy"):
            raise
        raise refused("this is not TOML: {why}.", "Correct the file.", file=path, why=error) from None
    home = os.path.dirname(path)
    found = []
    for name, entry in table.items():
        with noted(faults, name):
            if (
                not isinstance(entry, Mapping)
                or not isinstance(entry.get("qrels"), str)
                or set(entry) - {"qrels", "runs"}
            ):
                raise refused(*NO_COLLECTION_IN_TOML, file=path, collection=name)
            runs: dict[str, str] = {}
            for run, where in runs_named(entry.get("runs", []), path, name):
                add(runs, run, os.path.join(home, where), name, {"file": path})
            found.append(CollectionFiles(name, os.path.join(home, entry["qrels"]), runs))
    if not found and not faults:
        raise refused(*NO_COLLECTIONS, file=path)
    return found


def runs_named(given: Any, path: str, collection: str) -> list[tuple[str, str]]:
    """Returns the name and the path of each run in an entry: a list of paths, or a table from names to paths.

    Raises:
        DataError: the entry is neither a list nor a table.
    """
    if isinstance(given, Mapping) and all(isinstance(each, str) for each in given.values()):
        return list(given.items())
    if isinstance(given, list) and all(isinstance(each, str) for each in given):
        return [(called(each), each) for each in given]
    raise refused(*NO_COLLECTION_IN_TOML, file=path, collection=collection)


def rows_in(path: str) -> list[tuple[dict[str, Any], dict[str, str]]]:
    """Returns the rows of a table in a file, each preceded by its place.

    Raises:
        DataError: the file is not a table of collections, or a row has a different number of columns.
    """
    table = SmallTable.at(path)
    if "collection" not in table.names:
        raise refused(
            "this is not a table of collections.",
            "Pass a CSV or TSV file whose first line names the columns, among them collection.",
            file=path,
        )
    return [
        (place, {name: "" if cell is None else str(cell).strip() for name, cell in row.items()})
        for place, row in table
    ]


def is_table_of_files(rows: Iterable[tuple[Any, Mapping[str, str]]]) -> bool:
    """Returns whether the rows contain names of files rather than values."""
    return all("qrels" in row for _, row in rows)


def in_table(path: str, faults: Faults | None = None) -> list[CollectionFiles]:
    """Finds the collections in a table. It has a row for each run: collection, qrels, run and, optionally, name.

    Raises:
        DataError: a cell is empty, or a collection has two qrels files or two runs with the same name.
    """
    home = os.path.dirname(path)
    found: dict[str, CollectionFiles] = {}
    for place, row in rows_in(path):
        name, qrels, run = (row.get(each, "") for each in COLUMNS)
        with noted(faults, name or None):
            if not name or not qrels or ("run" in row and not run):
                raise refused("a cell is empty.", "Fill in the collection, the qrels and the run.", **place)
            own = found.setdefault(name, CollectionFiles(name, os.path.join(home, qrels)))
            if own.qrels != os.path.join(home, qrels):
                raise refused(
                    "collection '{collection}' has two different qrels.",
                    "Name the same qrels in each of its rows.",
                    **place,
                    collection=name,
                )
            if run:
                add(own.runs, row.get("name") or called(run), os.path.join(home, run), name, place)
    if not found and not faults:
        raise refused(*NO_COLLECTIONS, file=path)
    return list(found.values())
