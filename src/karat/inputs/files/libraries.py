"""The library that reads a table: Polars, DuckDB or PyArrow; Parquet is checked for damage before."""

from __future__ import annotations

import mmap
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol

from karat import _native
from karat.inputs.errors import sentences
from karat.output.errors import DataError

if TYPE_CHECKING:
    from karat.inputs.columns import Plan, Shape
    from karat.inputs.files.paths import Place
    from karat.inputs.files.sniff import Delimited

__all__ = ["Engine", "engine_for", "refuse_damaged"]

READS = {
    "parquet": ("polars", "duckdb", "pyarrow"),
    "arrow": ("pyarrow", "polars"),
    "delimited": ("polars", "duckdb"),
    "lines": ("polars", "duckdb"),
}
"""Which libraries read files of a kind, the preferred one first: Polars for its speed, PyArrow for Arrow's files, of
which it refuses damaged ones that end Polars' process."""
NAMES = {"parquet": "Parquet", "arrow": "Arrow", "delimited": "CSV and TSV", "lines": "JSON"}


class Engine(Protocol):
    """A module ``with_…`` of this package; its tables are lazy: they are read anew for each match."""

    LIBRARY: str

    def home(self) -> Any:
        """The object that must live as long as the tables."""

    def columnar(self, place: Place, home: Any) -> Any:
        """Parquet or Arrow files as one table."""

    def delimited(self, place: Place, home: Any, how: Delimited) -> Any:
        """CSV or TSV as one table, every column as text."""

    def lines(self, place: Place, home: Any, plan: Plan) -> Any:
        """JSON lines: the wanted fields of each object, ids as text and numbers as doubles."""

    def fields_of(self, table: Any) -> dict[str, Shape]:
        """The shape of each column of a table."""

    def flat(self, table: Any, plan: Plan, kind: str, *, text: bool) -> Any:
        """The wanted columns, one document per row; with ``text``, numbers are parsed, null where that fails."""

    def odd_number(self, table: Any, plan: Plan) -> tuple[int, str, str] | None:
        """The first row whose text should be a number and is not: the row, its column and the text."""


def engine_for(place: Place, kind: str) -> Engine:
    """The first installed library that reads files of a kind.

    Raises:
        DataError: none is installed.
    """
    able = READS[kind]
    for library in able:
        if find_spec(library):
            module: Any = import_module(f"karat.inputs.files.with_{library}")
            return module  # type: ignore[no-any-return]
    raise DataError(
        f"{place.name}: {NAMES[kind]} files are read by {' or '.join(able)}, and none of them is installed: pip "
        f"install {able[0]}."
    )


def refuse_damaged(path: str) -> None:
    """Refuses a Parquet file whose footer or page headers contradict themselves or the file's length.

    Raises:
        DataError: such a file, or an unreadable one.
    """
    with sentences(path), open(path, "rb") as file:
        if not file.seek(0, 2):
            raise DataError(f"{path} is empty: fetch or write it again.")
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            damage = _native.parquet_damage(content)
    if damage is not None:
        raise DataError(
            f"{path} cannot be read: {damage}. It is damaged or cut short: fetch or write it again."
        )
