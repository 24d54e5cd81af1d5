"""Finds the files for a path, pattern or folder, and joins several text files into one text."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from carob._dataclasses import dataclass, replace
from carob.inputs import PACKED
from carob.inputs.decompression import Cursor, unpacked
from carob.inputs.errors import refused, sentences
from carob.inputs.sources import BYTE_ORDER_MARK, Provenance, Source, is_pattern, kind_of
from carob.output.errors import by_reading
from carob.output.taken import take

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


FOLDERS = ("parts", "prefix")
MANY = 3
"""The maximum number of files that an error names. For further files, it states only their number."""


@dataclass(frozen=True, eq=False, repr=False)
class Place:
    """The files that a path, pattern or folder stands for.

    Args:
        name: the path as the caller gave it.
        files: the files, sorted.
        kind: ``parquet``, ``arrow``, ``csv``, ``lines``, ``json`` or ``text``.
        keys: the columns in the folder names of a Hive layout, ``key=value``.
        labels: the query prefix of each file, if each folder is a separate data set.
    """

    name: str
    files: tuple[str, ...]
    kind: str
    keys: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()

    def apart(self) -> list[tuple[str, Place]]:
        """Returns each data set together with the prefix of its query ids."""
        found: dict[str, list[str]] = {}
        for label, file in zip(self.labels, self.files, strict=True):
            found.setdefault(label, []).append(file)
        return [(each, replace(self, files=tuple(files), labels=())) for each, files in found.items()]

    @property
    def origin(self) -> Provenance:
        """Returns the provenance of the rows, so a record can name and hash every file."""
        parts = tuple(map(origin_of, self.files))
        if self.files == (self.name,):
            return parts[0]
        size, changed = sum(each.size for each in parts), max(each.changed for each in parts)
        how = (("folders", "prefix"),) if self.labels else ()
        return Provenance("file", self.name, size, changed, parts=parts, columns=how)


def origin_of(path: str) -> Provenance:
    """Returns the name and the path of a file for records."""
    with sentences(path):
        found = os.stat(path)
    take(path)
    return Provenance("file", path, found.st_size, found.st_mtime_ns)


def place_of(path: str, kind: str, folders: str | None = None) -> Place:
    """Finds the files for a path to ``qrels`` or a ``run``.

    Args:
        path: a file, a folder or a pattern.
        kind: ``qrels`` or ``run``.
        folders: how to read files in several folders: ``parts`` reads them as parts of one table; ``prefix`` reads each
            folder as a data set and adds its name to the query ids; None refuses several folders.

    Raises:
        DataError: a pattern matches no file, a folder contains no table, the files are of several kinds, or they are in
            several folders and ``folders`` is None.
    """
    if folders not in (None, *FOLDERS):
        raise refused(
            "folders={folders!r} is unknown: choose one of {known}.",
            folders=folders,
            known=", ".join(FOLDERS),
        )
    if is_pattern(path):
        from glob import glob

        found = [each for each in sorted(glob(path, recursive=True)) if os.path.isfile(each)]
        if not found:
            raise refused(
                "no file matches.", "Check the pattern, and the folder that it starts from.", file=path
            )
        return of_one_kind(path, found, kind, folders)
    if os.path.isdir(path):
        return in_folder(path, kind, folders)
    with sentences(path):
        os.stat(path)
    return Place(path, (path,), kind_of(path))


def in_folder(folder: str, kind: str, folders: str | None) -> Place:
    """Finds the files in a folder that has BEIR's layout or contains the parts of a table.

    Raises:
        DataError: for the same reasons as in ``place_of``.
    """
    its = sorted(os.listdir(folder))
    if "_delta_log" in its:
        raise refused(
            "this is a Delta table, whose files still contain deleted rows.",
            "Open it with a library that reads Delta (polars.scan_delta), and pass the frame.",
            file=folder,
        )
    if os.path.basename(os.path.normpath(folder)) == "qrels" or "corpus.jsonl" in its or "qrels" in its:
        return in_beir(folder, its, kind)
    found = [each for each in walked(folder) if kind_of(each) != "text"]
    if found:
        return of_one_kind(folder, found, kind, folders)
    raise refused(
        "the folder contains no Parquet, Arrow, CSV or JSON files.",
        "Pass a file, or a pattern in quotes ('{example}') for the parts of a table.",
        file=folder,
        example=os.path.join(folder, "*.run"),
    )


def in_beir(folder: str, its: Iterable[str], kind: str) -> Place:
    """Finds the judgments in a folder with BEIR's layout (``corpus.jsonl``, ``queries.jsonl``, ``qrels/test.tsv``).

    Raises:
        DataError: a run is needed, or the folder has judgments for several splits or for no split.
    """
    if kind == "run":
        raise refused(
            "this is a folder of judgments and texts (BEIR's layout), which contains no run: are qrels and "
            "run swapped?",
            file=folder,
        )
    inside = os.path.join(folder, "qrels") if "qrels" in its else folder
    splits = [os.path.join(inside, each) for each in sorted(os.listdir(inside)) if each.endswith(".tsv")]
    splits = list(filter(os.path.isfile, splits))
    if not splits:
        raise refused(
            "there are no judgments: expected {expected}.",
            file=inside,
            expected=os.path.join(inside, "test.tsv"),
        )
    if len(splits) > 1:
        raise refused(
            "there are judgments for {count} splits.",
            "Choose {splits}.",
            file=folder,
            count=len(splits),
            splits=" or ".join(splits),
        )
    return Place(splits[0], (splits[0],), "text")


def lies_in(path: str, folders: Iterable[str]) -> bool:
    """Returns whether a path, after links are resolved, is one of the folders or lies within one of them."""
    found = os.path.realpath(path)
    homes = [os.path.realpath(each) for each in folders]
    return any(found == home or found.startswith(os.path.join(home, "")) for home in homes)


def walked(folder: str) -> list[str]:
    """Lists the files in a folder and its subfolders, except hidden files and markers such as ``_SUCCESS``."""
    found = []
    for where, folders, files in os.walk(folder):
        folders[:] = sorted(each for each in folders if each[0] not in "_.")
        found += [os.path.join(where, each) for each in files if each[0] not in "_."]
    return sorted(filter(os.path.isfile, found))  # the folder may contain a pipe that never ends


def of_one_kind(name: str, files: list[str], kind: str, folders: str | None) -> Place:
    """Combines several files of one kind into one ``Place``.

    Raises:
        DataError: the files are of several kinds, in several folders, or in ``key=value`` folders with different keys.
    """
    kinds = {kind_of(each): each for each in files}
    if len(kinds) > 1:
        raise refused(
            "the path matches files of several kinds ({examples}).",
            "Pass a pattern for one kind, such as '*{ending}'.",
            file=name,
            examples=file_names(kinds.values()),
            ending=os.path.splitext(files[0])[1],
        )
    root = os.path.dirname(re.split(r"[*?[]", name)[0]) if is_pattern(name) else name
    layouts = {keys_of(each[len(root) :]): each for each in files}
    if len(layouts) > 1:
        raise refused(
            "the matching files are in key=value folders with different keys ({examples}).",
            "Pass a pattern for folders with the same keys.",
            file=name,
            examples=file_names(layouts.values()),
        )
    place = Place(name, tuple(files), next(iter(kinds)), next(iter(layouts)))
    homes = [home_of(each) for each in files]
    if len(set(homes)) == 1 or folders == "parts":
        return place
    labels = labels_of(homes)
    if folders == "prefix":
        return replace(place, labels=tuple(labels))
    one, other, *_ = dict.fromkeys(labels)
    ways = {way: by_reading(kind, folders=way) for way in FOLDERS}
    words: dict[str, Any] = {"count": len(set(homes)), "files": file_names(files), "one": one, "other": other}
    raise refused(
        "the matching files are in {count} folders ({files}).",
        "If the folders are data sets, whose query ids may coincide, {prefix} renames the queries to "
        "{one}/…, {other}/… and so on. If they are parts of one table, use {parts}. Otherwise, pass only one of the "
        "folders.",
        file=name,
        **words,
        **ways,
    )


def home_of(path: str) -> str:
    """Returns a file's folder, without the ``key=value`` folders of a Hive layout."""
    return os.sep.join(each for each in os.path.dirname(path).split(os.sep) if "=" not in each)


def labels_of(homes: list[str]) -> list[str]:
    """Returns the part of each folder's path in which the paths differ.

    Raises:
        DataError: two folders differ only in spaces, which ids cannot contain.
    """
    parts = {home: home.split(os.sep) for home in homes}
    before = shared(list(parts.values()))
    rest = {home: each[before:] for home, each in parts.items()}
    after = shared([each[::-1] for each in rest.values()])
    names = {home: "/".join(each[: len(each) - after]) or "." for home, each in rest.items()}
    written = {home: re.sub(r"\s+", "_", name) for home, name in names.items()}
    if len(set(written.values())) < len(written):
        raise refused(
            "The folders {folders} differ only in spaces.", "Rename one.", folders=file_names(written)
        )
    return [written[home] for home in homes]


def keys_of(path: str) -> tuple[str, ...]:
    """Returns the names of the columns that a path's folder names define (``key=value``)."""
    return tuple(each.partition("=")[0] for each in path.split(os.sep)[:-1] if "=" in each)


def shared(lists: list[list[str]]) -> int:
    """Returns the length of the longest common prefix of several lists."""
    return next((place for place, each in enumerate(zip(*lists)) if len(set(each)) > 1), min(map(len, lists)))


def file_names(files: Iterable[str]) -> str:
    """Returns the file names for an error message."""
    names = list(files)
    more = f", … {len(names)} in all" if len(names) > MANY else ""
    return ", ".join(names[:MANY]) + more


BLOCK = 2**20
DATA = rb"(?m)^([ \t]*)(?=[^\s#])"
"""The start of a line of data, with the spaces before it."""


def joined_texts(place: Place) -> Source:
    """Returns a source that reads several text files as one text when it is needed."""
    origin = place.origin
    plain = not place.labels and not any(each.endswith(PACKED) for each in place.files)
    size = origin.size if plain else None
    return Source(place.name, lambda: Cursor(lambda: end_to_end(place), is_slow=not plain), size, origin)


def end_to_end(place: Place) -> Iterator[bytes]:
    """Yields the text of all files. Each file ends with a line break, so line numbers continue across the files.

    If each folder is a separate data set, its prefix and a slash are added before the first field of each line of data.
    """
    for path, label in zip(place.files, place.labels or [""] * len(place.files), strict=True):
        prefix, last = f"{label}/".encode("utf-8", "surrogateescape").replace(b"\\", rb"\\"), b"\n"
        file: Any = unpacked(path)
        with file:
            if file.peek(3)[:3] == BYTE_ORDER_MARK:
                file.read(3)
            while block := file.read(BLOCK) + file.readline():
                yield re.sub(DATA, rb"\g<1>" + prefix, block) if label else block
                last = block[-1:]
        if last != b"\n":
            yield b"\n"
