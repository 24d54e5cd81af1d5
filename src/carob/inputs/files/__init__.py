"""Opens the files of a path, folder or pattern as text or as tables: Parquet, Arrow, CSV, TSV and JSON.

TREC text is recognised by the file's name and first bytes. The check costs nothing, because these bytes are read
anyway.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

from carob.inputs import installed
from carob.inputs.columns import ASKED, CONSTANT, OfProject
from carob.inputs.errors import refused
from carob.inputs.sources import (
    Readable,
    Source,
    is_several,
    is_table,
    is_trec,
    kind_of,
    refuse_other_format,
    source_of,
)
from carob.output.errors import NoSuchColumnsError

if TYPE_CHECKING:
    from carob.inputs.columns import Asked
    from carob.inputs.files.table import FileTable
    from carob.inputs.sources import Provenance


TEXT = (".run", ".txt", ".trec", ".res", ".qrels")
"""File name endings of TREC text. No reader of another package is sought for them."""


def read_as(
    given: Readable,
    kind: str,
    asked: Asked,
    folders: str | None = None,
) -> Source | FileTable:
    """Opens the files of ``qrels`` or of a ``run``, as text or as a table.

    Args:
        given: a path, ``-``, a folder, a pattern, bytes or an open binary file.
        kind: ``qrels`` or ``run``.
        asked: columns' names by role; None looks for a usual name, and a number is the grade of every row.
        folders: how to read files in several folders: ``parts`` reads them as parts of one table; ``prefix`` reads each
            folder as a data set and adds its name to the query ids.

    Raises:
        DataError: the input cannot be read, or columns are named for text, which has no named columns.
    """
    own = {role: name for role, name in asked.items() if not isinstance(name, OfProject)}
    path = os.fspath(given) if isinstance(given, (str, os.PathLike)) and given != "-" else None
    if len(own) < len(asked):
        constant = str(asked.get("query")).startswith(CONSTANT)
        once = path is None or not (is_table(path) or os.path.isfile(path))
        if is_several(path) if constant else once:
            return read_named(given, path, kind, own, folders)
        if once:
            given, path = cast("Any", source_of(given)), None  # the source can be read twice
        with suppress(NoSuchColumnsError):
            return read_named(given, path, kind, asked, folders)
    return read_named(given, path, kind, own, folders)


def read_named(
    given: Readable, path: str | None, kind: str, asked: Asked, folders: str | None
) -> Source | FileTable:
    """Opens the files of a path, or other input, like ``read_as``, but uses only the names of columns."""
    if str(asked.get("query")).startswith(CONSTANT):
        from carob.inputs.files.table import FileTable
        from carob.inputs.one_query import read_one_query

        content, name, origin = read_one_query(given, kind, {**dict.fromkeys(ASKED[kind]), **asked})
        return FileTable(name, content, {}, cast("Provenance", origin))
    if path is not None and is_table(path):
        return opened(path, kind, asked, folders)
    source = source_of(given)
    named = any(name is not None for name in asked.values())
    if path is not None and source.origin.path is not None:
        plain = isinstance(source.handle, str)
        late = not plain and not path.removesuffix(os.path.splitext(path)[1]).endswith(TEXT)
        if late:
            installed()
        if named or (plain and not is_trec(source.head, kind)) or (late and is_table(path)):
            return opened(path, kind, asked, folders)
    elif named:
        raise refused(
            "carob reads this as TREC text, whose columns have no names.",
            "Leave the column names out.",
            error=NoSuchColumnsError,
            file=source.name,
        )
    refuse_other_format(source)
    return source


def opened(path: str, kind: str, asked: Asked, folders: str | None) -> Source | FileTable:
    """Opens a path as a table if it is one, otherwise as text."""
    from carob.inputs.files.paths import joined_texts
    from carob.inputs.files.table import FileTable, table_in

    if kind_of(path) == "text":
        installed()  # other packages' readers may recognise files that carob does not
    found = table_in(path, kind, {**dict.fromkeys(ASKED[kind]), **asked}, folders)
    if found is not None:
        return found if isinstance(found, FileTable) else joined_texts(found)
    source = source_of(path)
    refuse_other_format(source)
    return source
