"""Gives advice on how to extract one system from a table with the rows of several systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from carob.output.errors import Worded, worded

if TYPE_CHECKING:
    from carob.inputs.sources import Provenance

MANY = 10
"""The maximum number of names (the column and the systems) for which the advice lists all systems."""
READS = {
    "json": "ndjson",
    "jsonl": "ndjson",
    "ndjson": "ndjson",
    "parquet": "parquet",
    "arrow": "ipc",
    "feather": "ipc",
}
"""Polars' name for the format of a file, by file name ending."""


def named_systems(origin: Provenance, *, start: bool = True) -> str:
    """Returns the sentence that names the systems in a table, capitalised if ``start`` is true."""
    column, first, second, *more = origin.systems
    others = f" and {len(more):,} more" if more else ""
    said = f"column '{column}' names {2 + len(more):,} systems, '{first}', '{second}'{others}."
    return f"C{said[1:]}" if start else said


def take_one_out(origin: Provenance) -> Worded:
    """Returns the remedy for a table of several systems, which cannot be read as one run."""
    return worded(named_systems(origin), " ", one_system(origin))


def one_system(origin: Provenance) -> str:
    """Returns the advice for a table of several systems: how to pass one of them, or each as a separate run.

    Args:
        origin: the origin of the table. Its ``systems`` are the column and the systems in the column.
    """
    column, first, *_ = origin.systems
    if origin.path is None and origin.kind == "a mapping":
        return f"Pass one of them: [row for row in run if row[{column!r}] == {first!r}]."
    if origin.path is None:
        parts = {
            "pandas": f"{{name: part for name, part in run.groupby({column!r})}}",
            "polars": f"{{name: run.filter(polars.col({column!r}) == name) for name in {origin.systems[1:]}}}",
        }
        many = parts.get(origin.library or "")
        if many is not None and (origin.library == "pandas" or len(origin.systems) <= MANY):
            return f"Pass them as separate runs: {many}."
        rows = {
            "polars": f"run.filter(polars.col({column!r}) == {first!r})",
            "pyarrow": f"run.filter(pyarrow.compute.equal(run[{column!r}], {first!r}))",
        }
        one = rows.get(origin.library or "", f"the rows in which {column} is {first!r}")
        return f"Pass one of them: {one}."
    ending = origin.path.rpartition(".")[2]
    if ending in ("csv", "tsv"):
        with open(origin.path, encoding="utf-8-sig", errors="replace") as file:
            header = file.readline().rstrip("\r\n")
        mark = next((each for each in "\t;," if each in header), ",")
        place = [each.strip("\"' ") for each in header.split(mark)].index(column) + 1
        shown = "\\t" if mark == "\t" else mark
        command = f"awk -F'{shown}' 'NR == 1 || ${place} == \"{first}\"' {origin.path} > {first}.{ending}"
        python = f"polars.read_csv({origin.path!r}, separator={mark!r}).filter(polars.col({column!r}) == {first!r})"
    else:
        kind = READS.get(ending, "parquet")
        python = f"polars.read_{kind}({origin.path!r}).filter(polars.col({column!r}) == {first!r})"
        command = f'python -c "import polars; {python}.write_{kind}({f"{first}.{ending}"!r})"'
    return Worded(f"Pass one of them: {python}.", f"Write one of them to a file: {command}")
