"""Which files a path means: itself, those that a pattern matches, or those in a folder, and of what kind they are."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from karat.inputs.files.sniff import is_pattern, kind_of
from karat.inputs.sources import Origin, sentences
from karat.output.errors import DataError, by_reading, worded

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["FOLDERS", "Place", "place_of"]

FOLDERS = ("parts", "prefix")
MANY = 3
"""Files that a sentence names; of more it gives the number."""


@dataclass(frozen=True)
class Place:
    """The files that a path means.

    Args:
        name: the path as it was given.
        files: them, sorted.
        kind: ``parquet``, ``arrow``, ``csv``, ``lines``, ``json`` or ``text``.
        keys: the columns that a Hive layout writes into the names of the folders below, ``key=value``.
        labels: where each folder is a data set of its own, what stands before the queries of each file.
    """

    name: str
    files: tuple[str, ...]
    kind: str
    keys: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()

    def apart(self) -> list[tuple[str, Place]]:
        """Each data set with what stands before its queries."""
        found: dict[str, list[str]] = {}
        for label, file in zip(self.labels, self.files, strict=True):
            found.setdefault(label, []).append(file)
        return [(each, replace(self, files=tuple(files), labels=())) for each, files in found.items()]

    @property
    def origin(self) -> Origin:
        """Where the rows come from, so that a record can name and hash every file."""
        parts = tuple(map(origin_of, self.files))
        if self.files == (self.name,):
            return parts[0]
        size, changed = sum(each.size for each in parts), max(each.changed for each in parts)
        how = (("folders", "prefix"),) if self.labels else ()
        return Origin("file", self.name, size, changed, parts=parts, columns=how)


def origin_of(path: str) -> Origin:
    """A file's origin."""
    with sentences(path):
        found = os.stat(path)
    return Origin("file", path, found.st_size, found.st_mtime_ns)


def place_of(path: str, kind: str, folders: str | None = None) -> Place:
    """The files that a path means, for ``qrels`` or a ``run``.

    Args:
        path: a file, a folder or a pattern.
        kind: ``qrels`` or ``run``.
        folders: what files in several folders are: ``parts`` of one table, or data sets, of which ``prefix`` calls the
            queries by their folders; None refuses them.

    Raises:
        DataError: a pattern that matches nothing, a folder without a table, files of several kinds, or in several
            folders where nothing says what they are.
    """
    if folders not in (None, *FOLDERS):
        raise DataError(f"There is no folders={folders!r}; there are: {', '.join(FOLDERS)}.")
    if is_pattern(path):
        from glob import glob

        found = [each for each in sorted(glob(path, recursive=True)) if os.path.isfile(each)]
        if not found:
            raise DataError(f"No file matches {path}: check the pattern, and the folder that it starts from.")
        return of_one_kind(path, found, kind, folders)
    if os.path.isdir(path):
        return in_folder(path, kind, folders)
    with sentences(path):
        os.stat(path)
    return Place(path, (path,), kind_of(path))


def in_folder(folder: str, kind: str, folders: str | None) -> Place:
    """The table that a folder is: a data set as BEIR lays it out, or files that hold parts of one table.

    Raises:
        DataError: as ``place_of``.
    """
    its = sorted(os.listdir(folder))
    if "_delta_log" in its:
        raise DataError(
            f"{folder} is a Delta table, whose files hold rows that were deleted, too: open it with a library that "
            "knows Delta (polars.scan_delta), and hand over the frame."
        )
    if os.path.basename(os.path.normpath(folder)) == "qrels" or "corpus.jsonl" in its or "qrels" in its:
        return in_beir(folder, its, kind)
    found = [each for each in walked(folder) if kind_of(each) != "text"]
    if found:
        return of_one_kind(folder, found, kind, folders)
    raise DataError(
        f"{folder} is a folder without Parquet, Arrow, CSV or JSON files: give a file, or a pattern in quotes "
        f"('{os.path.join(folder, '*.run')}') that names the parts of one table."
    )


def in_beir(folder: str, its: Iterable[str], kind: str) -> Place:
    """The judgments of a data set as BEIR lays it out: ``corpus.jsonl``, ``queries.jsonl``, ``qrels/test.tsv``.

    Raises:
        DataError: a run was wanted, or there are judgments for several splits, or for none.
    """
    if kind == "run":
        raise DataError(
            f"{folder} is a folder of judgments and texts (BEIR's layout), which holds no run: are qrels and run "
            "swapped?"
        )
    inside = os.path.join(folder, "qrels") if "qrels" in its else folder
    splits = [os.path.join(inside, each) for each in sorted(os.listdir(inside)) if each.endswith(".tsv")]
    if not splits:
        raise DataError(f"{inside} holds no judgments: expected {os.path.join(inside, 'test.tsv')}.")
    if len(splits) > 1:
        raise DataError(f"{folder} has judgments for {len(splits)} splits: say which, {' or '.join(splits)}.")
    return Place(splits[0], (splits[0],), "text")


def walked(folder: str) -> list[str]:
    """The files in a folder and in those below it; names that begin with ``_`` or ``.`` are notes of the writer."""
    found = []
    for where, folders, files in os.walk(folder):
        folders[:] = sorted(each for each in folders if each[0] not in "_.")
        found += [os.path.join(where, each) for each in files if each[0] not in "_."]
    return sorted(found)


def of_one_kind(name: str, files: list[str], kind: str, folders: str | None) -> Place:
    """Several files as one table.

    Raises:
        DataError: they are of several kinds, or in several folders, or not all of them lie in folders ``key=value`` of
            the same keys.
    """
    kinds = {kind_of(each): each for each in files}
    if len(kinds) > 1:
        raise DataError(
            f"{name} means files of several kinds ({shown(kinds.values())}): give a pattern that means one kind, such "
            f"as '*{os.path.splitext(files[0])[1]}'."
        )
    root = os.path.dirname(re.split(r"[*?[]", name)[0]) if is_pattern(name) else name
    layouts = {keys_of(each[len(root) :]): each for each in files}
    if len(layouts) > 1:
        raise DataError(
            f"{name} means files that lie in folders 'key=value' of different keys ({shown(layouts.values())}): give "
            "a pattern that means one layout."
        )
    place = Place(name, tuple(files), next(iter(kinds)), next(iter(layouts)))
    homes = [home_of(each) for each in files]
    if len(set(homes)) == 1 or folders == "parts":
        return place
    labels = labels_of(homes)
    if folders == "prefix":
        return replace(place, labels=tuple(labels))
    examples = list(dict.fromkeys(labels))
    raise DataError(
        worded(
            f"{name} means files in {len(set(homes))} folders ({shown(files)}). If these are data sets, their queries "
            "may have the same ids: ",
            by_reading(kind, folders="prefix"),
            f" calls them {examples[0]}/…, {examples[1]}/… and so on. If they are parts of one table, say so: ",
            by_reading(kind, folders="parts"),
            ". Else give one of them.",
        )
    )


def home_of(path: str) -> str:
    """The folder of a file, without the folders below it that a Hive layout names ``key=value``."""
    return os.sep.join(each for each in os.path.dirname(path).split(os.sep) if "=" not in each)


def labels_of(homes: list[str]) -> list[str]:
    """What tells each of several folders from the others: its path without what all of them begin and end with.

    Raises:
        DataError: two differ in blanks alone, which ids cannot hold.
    """
    parts = {home: home.split(os.sep) for home in homes}
    before = shared(list(parts.values()))
    rest = {home: each[before:] for home, each in parts.items()}
    after = shared([each[::-1] for each in rest.values()])
    names = {home: "/".join(each[: len(each) - after]) or "." for home, each in rest.items()}
    written = {home: re.sub(r"\s+", "_", name) for home, name in names.items()}
    if len(set(written.values())) < len(written):
        raise DataError(f"The folders {shown(written)} cannot be told apart without blanks: rename one.")
    return [written[home] for home in homes]


def keys_of(path: str) -> tuple[str, ...]:
    """The columns that stand in the names of the folders of a path."""
    return tuple(each.partition("=")[0] for each in path.split(os.sep)[:-1] if "=" in each)


def shared(lists: list[list[str]]) -> int:
    """With how many equal items several lists begin."""
    return next((place for place, each in enumerate(zip(*lists)) if len(set(each)) > 1), min(map(len, lists)))


def shown(files: Iterable[str]) -> str:
    """Some files for a sentence."""
    names = list(files)
    more = f", … {len(names)} in all" if len(names) > MANY else ""
    return ", ".join(names[:MANY]) + more
