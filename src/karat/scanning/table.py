"""A table in files: a path to what can be matched, or to text as TREC has it."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from karat.columns import usual
from karat.errors import DataError
from karat.read import Origin, sentences
from karat.scanning.dictionaries import first_objects, is_by_line, mapping_in, shapes_of
from karat.scanning.engines import engine_for
from karat.scanning.heads import delimited, head_of
from karat.scanning.places import Place, place_of
from karat.scanning.shapes import plan_of
from karat.scanning.telling import BYTE_ORDER_MARK, is_trec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from karat.scanning.engines import Engine
    from karat.scanning.heads import Delimited
    from karat.scanning.shapes import Plan, Shape

__all__ = ["Table", "table_in"]

MAGIC = {b"PAR1": "parquet", b"ARROW1": "arrow"}
UNREAD = (".bz2", ".xz")


@dataclass(frozen=True, eq=False)
class Table:
    """Judgments or a run in files.

    Args:
        name: the path as it was given.
        content: a lazy frame, or a dictionary.
        columns: which column of the frame is what.
        origin: the files.
        library: what reads them.
        guessed: the column of scores or grades, if nobody named it.
        fault: says what is wrong with a number in text, if anything is.
    """

    name: str
    content: Any
    columns: Mapping[str, str]
    origin: Origin
    library: str = "json"
    guessed: str | None = None
    fault: Callable[[], str | None] = lambda: None

    @contextmanager
    def named(self) -> Iterator[None]:
        """Name the files in what is found wrong with the rows.

        Raises:
            DataError: in place of one that does not know them.
        """
        with reading(self.name, self.library):
            try:
                yield
            except DataError as error:
                fault = self.fault()
                raise DataError(fault or str(error)) from None


def table_in(
    path: str, kind: str, asked: Mapping[str, str | None], head: bytes | None = None
) -> Table | Place | None:
    """The table that a path means; None for text that is read as TREC's, a place for several files of such text.

    Args:
        path: a file, a folder or a pattern.
        kind: ``qrels`` or ``run``.
        asked: the columns' names by what they are, None where a usual one is looked for.
        head: the first bytes of the file, if they are known.

    Raises:
        DataError: nothing there, files of several kinds, a file that cannot be read, columns that cannot be told.
    """
    place = place_of(path, kind)
    if place.kind in ("parquet", "arrow"):
        return columnar(place, kind, asked)
    first = head_of(place.files[0]) if head is None else head.removeprefix(BYTE_ORDER_MARK)
    if place.kind == "text":
        place = replace(place, kind=by_magic(first))
        if place.kind in ("parquet", "arrow"):
            return columnar(place, kind, asked)
    if place.kind in ("json", "lines"):
        return by_json(place, kind, asked, first)
    names = [each for each in asked.values() if each]
    if is_trec(first, kind):
        how = None
    else:
        first = head_of(place.files[0]) if head is not None and len(head) >= SHORT else first
        how = delimited(place.files[0], first, kind, names, sure=place.kind == "csv")
    if how is not None:
        return by_text(place, kind, asked, how)
    if names:
        raise DataError(
            f"{path} has no line of columns' names, and is read as TREC text: leave the names of columns out."
        )
    return None if place.files == (path,) else place


SHORT = 1024
"""Bytes of a head that may end before the first lines do."""


def by_magic(head: bytes) -> str:
    """What a file without a telling name is by its first bytes."""
    for magic, kind in MAGIC.items():
        if head.startswith(magic):
            return kind
    return "json" if head.lstrip().startswith((b"{", b"[{")) else "text"


# ---------------------------------------------------------------- each kind


def columnar(place: Place, kind: str, asked: Mapping[str, str | None]) -> Table:
    """Parquet or Arrow files."""
    engine = engine_for(place, place.kind)
    with reading(place.name, engine.LIBRARY):
        table = engine.columnar(place)
        fields = engine.fields_of(table)
    plan = planned(place, fields, kind, asked)
    return made(place, engine, table, plan, kind, asked)


def by_text(place: Place, kind: str, asked: Mapping[str, str | None], how: Delimited) -> Table:
    """CSV or TSV files, all with the same first line."""
    refuse_packed(place)
    for each in place.files[1:]:
        other = delimited(each, head_of(each), kind, list(how.names), sure=how.header)
        if other != how:
            raise DataError(
                f"{each} has other columns than {place.files[0]}: files that are one table have the same first line."
            )
    engine = engine_for(place, "delimited")
    plan = planned(place, dict.fromkeys(how.names, "one"), kind, asked)
    with reading(place.name, engine.LIBRARY):
        table = engine.delimited(place, how)
    return made(place, engine, table, plan, kind, asked, text=True)


def by_json(place: Place, kind: str, asked: Mapping[str, str | None], head: bytes) -> Table:
    """JSON: one dictionary, or an object on each line."""
    if place.kind == "json" and not is_by_line(head):
        if len(place.files) > 1:
            raise DataError(
                f"{place.name} means {len(place.files)} dictionaries in JSON: they are read one by one."
            )
        return Table(place.name, mapping_in(place.files[0]), {}, place.origin)
    refuse_packed(place)
    for each in place.files:
        with sentences(each), open(each, "rb") as file:
            if file.read(3) == BYTE_ORDER_MARK:
                raise DataError(
                    f"{each} begins with a byte order mark, which JSON lines do not: save it without."
                )
    engine = engine_for(place, "lines")
    shapes = shapes_of(first_objects(place.files[0], head))
    plan = planned(place, shapes, kind, asked)
    with reading(place.name, engine.LIBRARY):
        table = engine.lines(place, plan)
    return made(place, engine, table, plan, kind, asked)


def made(
    place: Place,
    engine: Engine,
    table: Any,
    plan: Plan,
    kind: str,
    asked: Mapping[str, str | None],
    *,
    text: bool = False,
) -> Table:
    """The table with the columns wanted."""
    with reading(place.name, engine.LIBRARY):
        frame = engine.flat(table, plan, kind, text=text)

    def fault() -> str | None:
        found = engine.odd_number(table, plan)
        if found is None:
            return None
        row, column, value = found
        return f"row {row} (from 0): '{value}' in column '{column}' is not a number. Correct it."

    given = tuple((role, column) for role, column in asked.items() if column)
    origin = replace(place.origin, rows=True, columns=given)
    role = "grade" if kind == "qrels" else "score"
    guessed = None if asked.get(role) else plan.columns.get(role, "").casefold()
    return Table(
        place.name, frame, plan.flat, origin, engine.LIBRARY, guessed, fault if text else lambda: None
    )


# ---------------------------------------------------------------- what is refused


def refuse_packed(place: Place) -> None:
    """Refuse compressed text that no library unpacks.

    Raises:
        DataError: a file by bzip2 or xz.
    """
    packed = next((each for each in place.files if each.endswith(UNREAD)), None)
    if packed is not None:
        raise DataError(f"{packed}: tables are unpacked from .gz and .zst: unpack it first.")


def planned(place: Place, fields: Mapping[str, Shape], kind: str, asked: Mapping[str, str | None]) -> Plan:
    """Which column is what.

    Raises:
        DataError: a column that is not there, or cannot be told from others.
    """
    try:
        return plan_of(fields, kind, asked)
    except DataError as error:
        names, other = list(fields), "qrels" if kind == "run" else "a run"
        strange = usual(names, "grade" if kind == "run" else "rank")
        remark = (
            f" This looks like {other}: are qrels and run swapped?"
            if strange and not any(asked.values())
            else ""
        )
        raise DataError(f"{place.name}: {error}{remark}") from None


@contextmanager
def reading(name: str, library: str) -> Iterator[None]:
    """Turn what a library says of a file that it cannot read into a sentence that names the file.

    Raises:
        DataError: in place of the library's own error, or of one that does not know the file.
    """
    try:
        yield
    except DataError as error:
        said = str(error).removeprefix("<frame>: ").removeprefix("<mapping>: ")
        raise DataError(f"{name}: {said}") from None
    except Exception as error:
        home = type(error).__module__.partition(".")[0].lstrip("_")
        if home != library and not isinstance(error, OSError):
            raise
        said = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise DataError(
            f"{name} cannot be read: {said}. Is it whole, and is it what its name says?"
        ) from None
