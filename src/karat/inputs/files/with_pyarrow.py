"""Parquet and Arrow files as data sets of PyArrow."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from karat.output.errors import DataError

if TYPE_CHECKING:
    from karat.inputs.columns import Plan, Shape
    from karat.inputs.files.paths import Place
    from karat.inputs.files.sniff import Delimited

__all__ = ["LIBRARY", "columnar", "delimited", "fields_of", "flat", "home", "lines", "odd_number"]

LIBRARY = "pyarrow"


def home() -> None:
    """None: a table needs nothing else to stay alive."""


def columnar(place: Place, _home: None) -> Any:
    """Parquet or Arrow files; keys in the folder names of a Hive layout stay text."""
    import pyarrow as pa
    from pyarrow import dataset

    keys = pa.schema([(each, pa.string()) for each in place.keys])
    layout = dataset.partitioning(keys, flavor="hive") if place.keys else None
    form = "ipc" if place.kind == "arrow" else "parquet"
    return dataset.dataset(list(place.files), format=form, partitioning=layout)


def delimited(place: Place, _home: None, how: Delimited) -> Any:
    """Not supported: another library reads these."""
    raise NotImplementedError


def lines(place: Place, _home: None, plan: Plan) -> Any:
    """Not supported: another library reads these."""
    raise NotImplementedError


def fields_of(table: Any) -> dict[str, Shape]:
    """The shape of each column."""
    import pyarrow as pa

    found: dict[str, Shape] = {}
    for field in table.schema:
        listed = pa.types.is_list(field.type) or pa.types.is_large_list(field.type)
        inner = field.type.value_type if listed else None
        if inner is not None and pa.types.is_struct(inner):
            found[field.name] = tuple(each.name for each in inner)
        else:
            found[field.name] = "one" if inner is None else "list"
    return found


def flat(table: Any, plan: Plan, kind: str, *, text: bool) -> Any:
    """The wanted columns; lists are exploded by Polars, from rows that PyArrow validated.

    Raises:
        DataError: there are lists and Polars is not installed.
    """
    if not plan.nested:
        return table if kind == "run" else table.to_table(columns=list(plan.columns.values()))
    if not find_spec("polars"):
        raise DataError("one row a question with lists is opened by polars: pip install polars.")
    import polars as pl

    from karat.inputs.files import with_polars

    names = dict.fromkeys(
        [plan.columns["query"], *([plan.records] if plan.records else plan.inside.values())]
    )
    rows = table.to_table(columns=list(names))
    rows.validate(full=True)
    lazy = pl.DataFrame(pl.from_arrow(rows)).lazy()
    return with_polars.flat(lazy, plan, kind, text=text)


def odd_number(table: Any, plan: Plan) -> tuple[int, str, str] | None:  # noqa: ARG001 - as the other modules have it
    """None: nothing here is read from text."""
    return None
