"""Reads arrays of neighbours that nearest-neighbour libraries write: .npy, .ivecs and ann-benchmarks' HDF5.

Row i contains the ids of the neighbours of query i, nearest first. Negative ids pad rows with fewer neighbours.
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from carob._numpy import np
from carob.inputs.columns import columns_named
from carob.inputs.errors import first_line, refused, sentences
from carob.inputs.ids import twice
from carob.output.errors import DataError, NoSuchColumnsError, by_reading
from carob.output.taken import take

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from carob.inputs.sources import Source
    from carob.lists.rows import Integers

MAGIC = {b"\x93NUMPY": "npy", b"\x89HDF\r\n": "hdf5"}
"""The kind of a file with an array, by its first bytes."""
ENDINGS = {".ivecs": "ivecs", ".fvecs": "fvecs", ".bvecs": "bvecs"}
NAMES = ("neighbors", "neighbours")
"""The names of the data set with the ids in files of ann-benchmarks."""
WITHOUT_COLUMNS = {
    "qrels": "each row is a query, and every id in the row is relevant",
    "run": "each row is a query, and the order of its ids is the ranking, even if the file contains distances",
}
"""The meaning of the rows of an array, which has no named columns."""


def array_kind(path: str, head: bytes) -> str | None:
    """Returns the kind of a file that contains an array, from its first bytes or its ending; None for other files."""
    by_content = next((kind for magic, kind in MAGIC.items() if head.startswith(magic)), None)
    return by_content or ENDINGS.get(os.path.splitext(path)[1].casefold())


def refuse_named(path: str, form: str | None, kind: str, named: Mapping[str, Any]) -> None:
    """Refuses column names for an array, which has no columns. In an HDF5 file, the data set of ids may be named.

    Args:
        path: the file.
        form: its kind.
        kind: ``qrels`` or ``run``.
        named: what the caller named, by role.

    Raises:
        DataError: a column is named.
    """
    odd = [
        (role, name)
        for role, name in columns_named(named)
        if not isinstance(name, (int, float)) and not (role == "document" and form == "hdf5")
    ]
    for role, name in odd[:1]:
        raise refused(
            "the file is an array of ids without columns, so it has no {role} '{column}': {what}.",
            "Leave it out.",
            error=NoSuchColumnsError,
            file=path,
            role=role,
            column=str(name),
            what=WITHOUT_COLUMNS[kind],
        )


def refuse_array(source: Source, kind: str, named: Mapping[str, Any]) -> None:
    """Refuses options that name columns or words for grades if the source is an array.

    Raises:
        DataError: a column is named.
    """
    path = source.origin.path
    if path is not None and (form := array_kind(path, source.head)):
        refuse_named(path, form, kind, named)


def neighbours_in(path: str, head: bytes, kind: str, asked: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """Reads neighbours as ``{query: {document: number}}``, with the row, from 1, as the query.

    Args:
        path: the file.
        head: its first bytes.
        kind: ``qrels``, in which each neighbour has the grade 1, or ``run``, in which the order is the ranking.
        asked: the columns' names by role. Only ``document`` may be given, and only for an HDF5 file: it names the data
            set of ids. None looks for ``neighbors``.

    Raises:
        DataError: the file cannot be read or holds no ids, a row has an id twice, or a column was named.
    """
    take(path)
    form, document = array_kind(path, head), asked.get("document")
    refuse_named(path, form, kind, asked)
    with sentences(path):
        rows: Iterable[Integers]
        if form == "npy":
            rows = array_of_ids(in_npy(path), path)
        elif form == "hdf5":
            rows = array_of_ids(in_hdf5(path, kind, document), path)
        elif form == "ivecs":
            rows = in_ivecs(path)
        else:
            raise refused(
                "the file contains vectors, not ids of neighbours.",
                "Pass the ids, such as the .ivecs file of the ground truth, or a .npy file of whole numbers.",
                file=path,
            )
        return {str(number): neighbours_of(row, kind, path, number) for number, row in enumerate(rows, 1)}


def neighbours_of(row: Integers, kind: str, path: str, number: int) -> dict[str, float]:
    """Returns the ids of a row without padding, each with the grade 1 or the negated rank."""
    ids = [str(each) for each in row[row >= 0].tolist()]
    found = (
        dict.fromkeys(ids, 1.0)
        if kind == "qrels"
        else {each: -float(rank) for rank, each in enumerate(ids, 1)}
    )
    if len(found) < len(ids):
        words = {"file": path, "row": number - 1, "document": twice(ids)}
        raise refused("document '{document}' is listed twice.", "Remove one.", **words)
    return found


def array_of_ids(array: Any, path: str) -> Integers:
    """Returns an array of ids unchanged.

    Raises:
        DataError: the array does not contain whole numbers, or does not have a row for each query.
    """
    if array.ndim == 2 and np.issubdtype(array.dtype, np.integer):
        return array  # type: ignore[no-any-return]  # the array of a library without types
    raise refused(
        "the array has the shape {shape} and the type {type}, but neighbours must be whole numbers, with one row for "
        "each query.",
        "Pass the ids, because carob does not read distances or vectors.",
        file=path,
        shape=f"({', '.join(map(str, array.shape))})",
        type=str(array.dtype),
    )


def in_npy(path: str) -> Any:
    """Returns the array of a .npy file. Python objects are refused, because reading them may run code."""
    try:
        return np.load(path, mmap_mode="r", allow_pickle=False)
    except ValueError as error:
        raise refused(
            "the file cannot be read: {why}.", "Write it again.", file=path, why=first_line(error)
        ) from None


def in_ivecs(path: str) -> Iterator[Integers]:
    """Yields the vectors of an .ivecs file: for each, the length and then that many little-endian 32-bit integers.

    The format is described at http://corpus-texmex.irisa.fr/.

    Raises:
        DataError: a length is impossible or exceeds the rest of the file.
    """
    numbers = np.fromfile(path, "<i4")
    size, place, row = os.stat(path).st_size, 0, 0
    while place < len(numbers):
        length = int(numbers[place])
        if length < 0 or place + 1 + length > len(numbers) or size % 4:
            raise refused(
                "the row declares {count} numbers, but the file contains fewer.",
                "Check that the file is complete.",
                file=path,
                row=row,
                count=length,
            )
        yield numbers[place + 1 : place + 1 + length]
        place, row = place + 1 + length, row + 1


def in_hdf5(path: str, kind: str, document: str | None) -> Any:
    """Returns the ids in an HDF5 file.

    Raises:
        DataError: h5py is not installed, or the file has no such data set.
    """
    if not find_spec("h5py"):
        raise refused(
            "HDF5 files require h5py, which is not installed.", "Install it: pip install h5py.", file=path
        )
    import h5py

    try:
        with h5py.File(path, "r") as file:
            known = [name for name, its in file.items() if isinstance(its, h5py.Dataset)]
            name = document or next((each for each in NAMES if each in known), None)
            if name is None or name not in known:
                raise refused(
                    "the file has no data set '{name}'. Its data sets are: {known}.",
                    "Name the data set that contains the ids: {reading}.",
                    error=NoSuchColumnsError,
                    file=path,
                    name=name or NAMES[0],
                    known=", ".join(f"'{each}'" for each in known) or "none",
                    reading=by_reading(kind, document=...),
                )
            return file[name][()]
    except DataError:
        raise
    except (OSError, ValueError) as error:
        raise refused(
            "the file cannot be read: {why}.", "Write it again.", file=path, why=first_line(error)
        ) from None
