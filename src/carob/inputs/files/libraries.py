"""Reads tables in files with Polars, DuckDB or PyArrow. Parquet files are checked for damage first."""

from __future__ import annotations

import mmap
import re
import sys
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeAlias

from carob import _native
from carob.inputs.columns import IDS
from carob.inputs.decompression import unpacked
from carob.inputs.errors import (
    NOT_UTF_8,
    first_line,
    is_panic,
    most_of,
    refuse_written_out,
    refused,
    sentences,
)
from carob.inputs.files.header import head_of
from carob.inputs.files.paths import Place
from carob.inputs.ids import inner_padding, lists_nothing_but_padding, odd_list
from carob.inputs.nested import as_table, negated, query_in_two_rows, shapes_of_types, twice_among
from carob.output.errors import DataError
from carob.output.taken import take

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    import duckdb
    import polars as pl
    import pyarrow.dataset

    from carob.inputs.files.header import Delimited
    from carob.inputs.nested import ColumnRoles, Shape


FilesOrText: TypeAlias = "list[str] | bytes"
"""The paths of text files, or the content of one file that begins with a header."""
COLUMNAR = ("parquet", "arrow")
MAGIC = {b"PAR1": "parquet", b"ARROW1": "arrow"}


def columnar_kind(head: bytes) -> str | None:
    """Returns ``parquet`` or ``arrow`` if the first bytes of a file show that format, otherwise None."""
    return next((kind for magic, kind in MAGIC.items() if head.startswith(magic)), None)


class Library:
    """A library that opens files as lazy tables. The tables are read again each time a run is matched with qrels."""

    name: str

    def columnar(self, place: Place) -> Any:
        """Opens Parquet or Arrow files as one table. Keys in the folder names of a Hive layout stay text."""
        raise NotImplementedError

    def delimited(self, source: FilesOrText, how: Delimited) -> Any:
        """Opens CSV or TSV files as one table. All columns are read as text, so the id 007 keeps its zeros."""
        raise NotImplementedError

    def lines(self, source: FilesOrText, plan: ColumnRoles) -> Any:
        """Opens JSON lines as a table of the wanted fields, with ids as text and numbers as doubles."""
        raise NotImplementedError

    def fields_of(self, table: Any) -> dict[str, Shape]:
        """Returns the shape of each column of a table."""
        import narwhals as nw

        return shapes_of_types(nw.from_native(table).collect_schema())

    def unpadded(self, table: Any, plan: ColumnRoles) -> Any:
        """Returns the table with each row's lists shortened by the number of its documents that are -1."""
        raise NotImplementedError

    def odd_lists(self, table: Any, plan: ColumnRoles, kind: str) -> DataError | None:
        """Returns the error for the first row with a missing list, lists of unequal length or misplaced padding."""
        if not plan.nested:
            return None
        import narwhals as nw

        names = plan.lists_of
        rows = nw.from_native(table).lazy()
        query = nw.col(plan.columns["query"]).cast(nw.String).alias("query")
        sizes = [nw.col(name).list.len().cast(nw.Int64).alias(f"size {name}") for name in names]
        first, *others = (nw.col(f"size {name}") for name in names)
        odd = [each.is_null() for each in (first, *others)]
        odd += [first != each for each in others]
        found = (
            rows.select(query, *sizes)
            .filter(nw.any_horizontal(*odd, ignore_nulls=True))
            .head(1)
            .collect()
            .rows()
        )
        if found:
            return odd_list(found[0][0], dict(zip(names, found[0][1:], strict=True)))
        padded = self.odd_padding(table, plan, kind)
        if padded is None:
            return None
        name, kept = padded
        if kept:
            return inner_padding(name, plan.documents)
        return lists_nothing_but_padding(name, plan.documents)

    def odd_padding(self, table: Any, plan: ColumnRoles, kind: str) -> tuple[str, int] | None:
        """Returns the query and unpadded length of the first list with -1 before other ids or, in qrels, only -1.

        At the end of a list, the id -1 is padding, which ``flat`` omits. Elsewhere, ``flat`` reads it as a null, which
        is refused.
        """
        raise NotImplementedError

    def lists_nothing(self, table: Any, plan: ColumnRoles) -> bool:
        """Returns whether any row has an empty list. A flat table contains no row for such a list."""
        if not plan.nested:
            return False
        import narwhals as nw

        size = nw.col(plan.documents).list.len().alias("size")
        sizes = nw.from_native(self.unpadded(table, plan)).lazy().select(size)
        return bool(sizes.filter(nw.col("size") == 0).head(1).collect().rows())

    def queries_with_lists(
        self, table: Any, plan: ColumnRoles, places: Callable[[], Any] | None = None
    ) -> list[Any]:
        """Returns the query of each row if the rows list documents, or an empty list if each row has one document.

        Args:
            table: the table.
            plan: the roles of its columns.
            places: returns the place of each row; by default, the place is the row number.

        Raises:
            DataError: a query has two rows.
        """
        if not plan.nested:
            return []
        import narwhals as nw

        query = plan.columns["query"]
        queries = nw.from_native(table).lazy().select(query).collect()[query].to_list()
        found = twice_among(queries)
        if found is not None:
            first, *both = found
            known = {number: {"row": number} for number in both} if places is None else places()
            raise query_in_two_rows(first, *(known[number] for number in both))
        return list(queries)

    def rows(self, table: Any, plan: ColumnRoles, kind: str, *, text: bool) -> Any:
        """Returns the rows of ``flat``, with distances converted to scores."""
        return negated(self.flat(table, plan, kind, text=text), plan)

    def flat(self, table: Any, plan: ColumnRoles, kind: str, *, text: bool) -> Any:
        """Selects the needed columns, with one document per row. If ``text`` is true, numbers are parsed from text.

        An empty list in a run yields no row. An empty list in qrels yields a row with a null document, which is
        refused.
        """
        raise NotImplementedError

    def odd_number(self, table: Any, plan: ColumnRoles) -> tuple[int, str, str] | None:
        """Finds the first field that should be a number but is not, and returns its row, column and text."""
        raise NotImplementedError

    def in_blocks(
        self, place: Place, plan: ColumnRoles, how: Delimited | None
    ) -> Callable[[], Iterator[Any]] | None:
        """Returns a function that yields the rows of a run block by block, each block in the form of ``rows``.

        Returns None if the library itself needs little memory for a whole file.

        Args:
            place: the text files.
            plan: the roles of the columns.
            how: the layout of CSV or TSV files; None for JSON lines.
        """
        del place, plan, how
        return None


BLOCK = 1 << 22
"""The bytes of text parsed at once. Much larger blocks are slower, because the system must clear their memory."""


def blocks_of(files: Iterable[str], how: Delimited | None = None) -> Iterator[bytes]:
    """Yields the text of files in blocks of whole rows.

    Args:
        files: the files, compressed or not.
        how: the layout of CSV or TSV files, in which case each block begins with a header; None for JSON lines.

    Raises:
        DataError: a file cannot be read.
    """
    for path in files:
        with sentences(path), unpacked(path) as file:
            # Without a header, Polars would take the number of columns from the first row of each block.
            names = "" if how is None else f"{how.separator.join(how.names)}\n"
            head = file.readline() if how is not None and how.header else names.encode()
            while parts := [each for each in (file.read(BLOCK), file.readline()) if each]:
                # Within a quoted cell, a quote is doubled, so a row ends only where the number of quotes so far is
                # even.
                quoted = how is not None and how.header
                inside = quoted and sum(each.count(b'"') for each in parts) % 2 == 1
                while inside and (line := file.readline()):
                    parts.append(line)
                    inside = line.count(b'"') % 2 == 0
                yield b"".join([head, *parts])


class Polars(Library):
    """Opens files as Polars lazy frames."""

    name = "polars"

    def columnar(self, place: Place) -> pl.LazyFrame:
        """Opens Parquet or Arrow files."""
        import polars as pl

        keys = dict.fromkeys(place.keys, pl.String)
        hive = {"hive_partitioning": bool(keys), "hive_schema": keys or None}
        if place.kind == "arrow":
            for each in place.files:
                try_reading(each)
            return self.with_lists(pl.scan_ipc(list(place.files), **hive))
        return self.with_lists(pl.scan_parquet(list(place.files), glob=False, **hive))

    @staticmethod
    def with_lists(table: pl.LazyFrame) -> pl.LazyFrame:
        """Returns the table with its fixed-length arrays converted to lists."""
        import polars as pl

        arrays = [name for name, held in table.collect_schema().items() if isinstance(held, pl.Array)]
        return table.with_columns(pl.col(arrays).arr.to_list()) if arrays else table

    def delimited(self, source: FilesOrText, how: Delimited) -> pl.LazyFrame:
        """Opens CSV or TSV files."""
        import polars as pl

        return pl.scan_csv(
            source,
            separator=how.separator,
            has_header=how.header or isinstance(source, bytes),
            schema=dict.fromkeys(how.names, pl.String),
            quote_char='"' if how.header else None,
            glob=False,
        )

    def lines(self, source: FilesOrText, plan: ColumnRoles) -> pl.LazyFrame:
        """Opens JSON lines files."""
        import polars as pl

        kinds: dict[str, pl.DataType] = {
            name: pl.String() if role in IDS else pl.Float64() for role, name in plan.inside.items()
        }
        if plan.records is not None:
            kinds = {plan.records: pl.List(pl.Struct(kinds))}
        elif plan.lists:
            kinds = {name: pl.List(held) for name, held in kinds.items()}
        return pl.scan_ndjson(source, schema={plan.columns["query"]: pl.String(), **kinds})

    def in_blocks(
        self, place: Place, plan: ColumnRoles, how: Delimited | None
    ) -> Callable[[], Iterator[pl.LazyFrame]]:
        """Returns a function that yields the rows block by block. Polars itself would keep most of a text file."""

        def every() -> Iterator[pl.LazyFrame]:
            for block in blocks_of(place.files, how):
                table = self.lines(block, plan) if how is None else self.delimited(block, how)
                yield self.rows(table, plan, "run", text=how is not None)

        return every

    def flat(self, table: pl.LazyFrame, plan: ColumnRoles, kind: str, *, text: bool) -> pl.LazyFrame:
        """Selects the requested columns, one document per row."""
        import polars as pl

        if not plan.nested:
            wanted = {role: pl.col(name) for role, name in plan.columns.items()}
            return table.select(
                double_in_polars(each) if text and role not in IDS else each for role, each in wanted.items()
            )
        length = pl.col(plan.documents).list.len()
        table = self.unpadded(table, plan)
        if kind == "run":
            table = table.filter(length.fill_null(1) > 0)
        else:
            table = table.with_columns(pl.when(length > 0).then(pl.col(plan.lists_of)).name.keep())
        query = pl.col(plan.columns["query"]).alias("query")
        if plan.records is not None:
            opened = table.select(query, pl.col(plan.records).alias("record")).explode("record")
            record = pl.col("record").struct
            rows = opened.select(
                "query", *(record.field(name).alias(role) for role, name in plan.inside.items())
            )
        else:
            columns = [pl.col(name).alias(role) for role, name in plan.inside.items()]
            if plan.by_place:
                columns.append(pl.int_ranges(1, length + 1).alias("rank"))
            rows = table.select(query, *columns).explode(*(role for role in plan.flat if role != "query"))
        document = pl.col("document")
        pads = is_pad_in_polars(document, rows.collect_schema()["document"])
        return rows.with_columns(pl.when(~pads).then(document).alias("document"))

    def unpadded(self, table: pl.LazyFrame, plan: ColumnRoles) -> pl.LazyFrame:
        """Returns the table with each row's lists shortened by the number of its documents that are -1."""
        import polars as pl

        kept = pl.col(plan.documents).list.len() - self.padding_in(table, plan).list.sum()
        return table.with_columns(pl.col(plan.lists_of).list.head(kept))

    @staticmethod
    def padding_in(table: pl.LazyFrame, plan: ColumnRoles) -> pl.Expr:
        """Returns an expression that maps each list of documents to a list of whether each document is -1."""
        import polars as pl

        inner: Any = table.collect_schema()[plan.documents]
        each, held = pl.element(), inner.inner
        if plan.records is not None:
            name = plan.columns["document"]
            each, held = each.struct.field(name), held.to_schema()[name]
        return pl.col(plan.documents).list.eval(is_pad_in_polars(each, held))

    def odd_padding(self, table: Any, plan: ColumnRoles, kind: str) -> tuple[str, int] | None:
        """Finds the first list with the id -1 before other ids or, in qrels, with no other id."""
        import polars as pl

        query = pl.col(plan.columns["query"]).cast(pl.String).alias("query")
        rows = table.select(query, self.padding_in(table, plan).alias("pads"))
        pads = pl.col("pads").list
        rows = rows.with_columns((pads.len() - pads.sum()).alias("kept"))
        odd = pads.head(pl.col("kept")).list.any()
        if kind == "qrels":
            odd |= pl.col("kept") == 0
        found = rows.filter(odd).select("query", "kept").head(1).collect().rows()
        return (str(found[0][0]), int(found[0][1])) if found else None

    def odd_number(self, table: pl.LazyFrame, plan: ColumnRoles) -> tuple[int, str, str] | None:
        """Finds the first field that should be a number but is not."""
        import polars as pl

        for name in (name for role, name in plan.columns.items() if role not in IDS):
            odd = pl.col(name).is_not_null() & double_in_polars(pl.col(name)).is_null()
            found = table.select(name).with_row_index("row").filter(odd).head(1).collect()
            if found.height:
                return int(found["row"][0]), name, str(found[name][0])
        return None


def is_pad_in_polars(document: pl.Expr, held: pl.DataType) -> pl.Expr:
    """Returns an expression for whether a document is -1, as a whole number or as text. It is false for nulls."""
    import polars as pl

    if held.is_signed_integer():
        return document.eq_missing(-1)
    return (document if held == pl.String else document.cast(pl.String)).eq_missing(pl.lit("-1"))


# Isolated mode (-I): without it, "-c" would import from the working folder first, and anyone may have written there.
TRIAL = """
import sys
_, path, *sys.path = sys.argv
import polars
for _ in polars.scan_ipc(path).collect_batches(): pass
"""


def try_reading(path: str) -> None:
    """Reads an Arrow file in a separate process first, because Polars may crash if the file is damaged.

    Raises:
        DataError: the process crashed.
    """
    if not sys.executable:
        return  # Python is embedded in another program
    import subprocess  # slow to import

    program = [sys.executable, "-I", "-c", TRIAL, path, *filter(None, sys.path)]
    tried = subprocess.run(program, capture_output=True)  # noqa: S603 - our own code
    if tried.returncode < 0:
        raise refused(
            "the file is damaged, and Polars crashes when it reads the file.",
            "Fetch or write it again.",
            file=path,
        )


def double_in_polars(text: pl.Expr) -> pl.Expr:
    """Returns an expression that parses text as doubles. It is null for text that no double represents."""
    import polars as pl

    number, kind = text.cast(pl.Float64, strict=False), getattr(pl, "Int128", pl.Int64)
    long = (number.abs() >= 2.0**53) & (text.str.len_bytes() > 15)
    whole = pl.when(long).then(text).cast(kind, strict=False)
    wide = whole.is_not_null() & pl.when(long).then(number).cast(kind, strict=False).ne_missing(whole)
    return pl.when(~wide).then(number)


class DuckDB(Library):
    """Opens files as relations of a DuckDB connection. The connection is closed with its last relation."""

    name = "duckdb"

    def __init__(self) -> None:
        """Opens a connection."""
        import duckdb

        self.connection = duckdb.connect()

    def columnar(self, place: Place) -> duckdb.DuckDBPyRelation:
        """Opens Parquet files."""
        keys = "true" if place.keys else "false"
        return self.connection.sql(
            f"FROM read_parquet({listed(place.files)}, hive_partitioning = {keys}, hive_types_autocast = false)"
        )

    def delimited(self, source: FilesOrText, how: Delimited) -> duckdb.DuckDBPyRelation:
        """Opens CSV or TSV files."""
        columns = ", ".join(f"{literal(each)}: 'VARCHAR'" for each in how.names)
        quote = literal('"' if how.header else "")
        return self.connection.sql(
            f"FROM read_csv({listed(source)}, auto_detect = false, columns = {{{columns}}}, nullstr = '', "
            f"comment = '', header = {'true' if how.header else 'false'}, delim = {literal(how.separator)}, "
            f"quote = {quote}, escape = {quote})"
        )

    def lines(self, source: FilesOrText, plan: ColumnRoles) -> duckdb.DuckDBPyRelation:
        """Opens JSON lines files."""
        kinds = {name: "VARCHAR" if role in IDS else "DOUBLE" for role, name in plan.inside.items()}
        if plan.records is not None:
            fields = ", ".join(f"{column(name)} {held}" for name, held in kinds.items())
            kinds = {plan.records: f"STRUCT({fields})[]"}
        elif plan.lists:
            kinds = {name: f"{held}[]" for name, held in kinds.items()}
        kinds = {plan.columns["query"]: "VARCHAR", **kinds}
        columns = ", ".join(f"{literal(name)}: {literal(held)}" for name, held in kinds.items())
        return self.connection.sql(
            f"FROM read_json({listed(source)}, format = 'newline_delimited', auto_detect = false, "
            f"columns = {{{columns}}})"
        )

    def flat(
        self, table: duckdb.DuckDBPyRelation, plan: ColumnRoles, kind: str, *, text: bool
    ) -> duckdb.DuckDBPyRelation:
        """Selects the requested columns, one document per row."""
        if not plan.nested:
            return table.project(
                ", ".join(
                    f"{double_in_sql(column(name))} AS {column(name)}"
                    if text and role not in IDS
                    else column(name)
                    for role, name in plan.columns.items()
                )
            )
        table = self.unpadded(table, plan)
        whole = column(plan.documents)
        # The row gets a null, as in Polars, so it is refused.
        unheld = f"{whole} IS NULL" + (f" OR len({whole}) = 0" if kind == "qrels" else "")
        table = table.project(f"* REPLACE (CASE WHEN {unheld} THEN [NULL] ELSE {whole} END AS {whole})")
        query = f"{column(plan.columns['query'])} AS query"
        if plan.records is not None:
            fields = ", ".join(f"record.{column(name)} AS {role}" for role, name in plan.inside.items())
            rows = table.project(f"{query}, unnest({whole}) AS record").project(f"query, {fields}")
        else:
            lists = [f"unnest({column(name)}) AS {role}" for role, name in plan.inside.items()]
            if plan.by_place:
                lists.append(f"unnest(range(1, len({whole}) + 1)) AS rank")
            rows = table.project(", ".join([query, *lists]))
        pads = "CAST(document AS VARCHAR) = '-1'"
        return rows.project(f"* REPLACE (CASE WHEN {pads} THEN NULL ELSE document END AS document)")

    @staticmethod
    def padding_in(plan: ColumnRoles, whole: str) -> str:
        """Returns SQL for the number of documents in a list that are -1."""
        field = "" if plan.records is None else f".{column(plan.columns['document'])}"
        return f"len([pad FOR pad IN {whole} IF CAST(pad{field} AS VARCHAR) = '-1'])"

    def unpadded(self, table: duckdb.DuckDBPyRelation, plan: ColumnRoles) -> duckdb.DuckDBPyRelation:
        """Returns the table with each row's lists shortened by the number of its documents that are -1."""
        whole = column(plan.documents)
        kept = f"len({whole}) - {self.padding_in(plan, whole)}"
        lists = ", ".join(f"{column(name)}[1:{kept}] AS {column(name)}" for name in plan.lists_of)
        return table.project(f"* REPLACE ({lists})")

    def odd_padding(self, table: Any, plan: ColumnRoles, kind: str) -> tuple[str, int] | None:
        """Finds the first list with the id -1 before other ids or, in qrels, with no other id."""
        whole = column(plan.documents)
        query = f"CAST({column(plan.columns['query'])} AS VARCHAR)"
        odd = f"{self.padding_in(plan, whole)} > 0" + (f" OR len({whole}) = 0" if kind == "qrels" else "")
        rows = self.unpadded(table, plan).filter(odd).project(f"{query}, len({whole})").limit(1)
        found = rows.fetchall()
        return (str(found[0][0]), int(found[0][1])) if found else None

    def odd_number(self, table: duckdb.DuckDBPyRelation, plan: ColumnRoles) -> tuple[int, str, str] | None:
        """Finds the first field that should be a number but is not."""
        for name in (name for role, name in plan.columns.items() if role not in IDS):
            numbered = table.project(f"row_number() OVER () - 1 AS place, {column(name)} AS held")
            found = (
                numbered.filter(f"held IS NOT NULL AND {double_in_sql('held')} IS NULL").limit(1).fetchall()
            )
            if found:
                return int(found[0][0]), name, str(found[0][1])
        return None


def double_in_sql(text: str) -> str:
    """Returns SQL that parses text as a double. It is null for text that no double represents."""
    number, whole = f"TRY_CAST({text} AS DOUBLE)", f"TRY_CAST({text} AS HUGEINT)"
    wide = (
        f"length({text}) > 15 AND regexp_full_match({text}, '[+-]?[0-9]+') "
        f"AND {whole} IS NOT NULL AND TRY_CAST({number} AS HUGEINT) IS DISTINCT FROM {whole}"
    )
    return f"CASE WHEN {wide} THEN NULL ELSE {number} END"


def listed(files: Iterable[Any]) -> str:
    """Returns the files as an SQL list, with pattern characters escaped."""
    names = (re.sub(r"([*?[])", r"[\1]", each) for each in files)
    return f"[{', '.join(map(literal, names))}]"


def literal(text: str) -> str:
    """Quotes text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def column(name: str) -> str:
    """Quotes a column's name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


class PyArrow(Library):
    """Opens Parquet and Arrow files as PyArrow data sets."""

    name = "pyarrow"

    def columnar(self, place: Place) -> Any:
        """Opens Parquet or Arrow files."""
        import pyarrow as pa
        from pyarrow import dataset

        keys = pa.schema([(each, pa.string()) for each in place.keys])
        layout = dataset.partitioning(keys, flavor="hive") if place.keys else None
        form = "ipc" if place.kind == "arrow" else "parquet"
        return dataset.dataset(list(place.files), format=form, partitioning=layout)

    def fields_of(self, table: Any) -> dict[str, Shape]:
        """Returns the shape of each column. narwhals cannot read it from a data set."""
        return super().fields_of(table.schema.empty_table())

    def flat(self, table: Any, plan: ColumnRoles, kind: str, *, text: bool) -> Any:
        """Selects the wanted columns of a table without lists."""
        del text
        refuse_long_dictionaries(table, [name for role, name in plan.columns.items() if role in IDS])
        return table if kind == "run" else table.to_table(columns=list(plan.columns.values()))


def in_polars(table: pyarrow.dataset.Dataset, plan: ColumnRoles) -> pl.LazyFrame:
    """Returns the needed columns of a data set as a Polars frame, because PyArrow cannot split lists into rows.

    PyArrow validates the columns first, because Polars crashes on damaged data.

    Raises:
        DataError: Polars is not installed.
    """
    try:
        import polars as pl
    except ImportError:
        raise refused(
            "carob reads columns of lists with Polars, which is not installed.", remedy=PIP.format("polars")
        ) from None
    rows = table.to_table(columns=list(dict.fromkeys(plan.needed)))
    rows.validate(full=True)
    return Polars.with_lists(pl.DataFrame(pl.from_arrow(rows)).lazy())


def refuse_long_dictionaries(table: pyarrow.dataset.FileSystemDataset, ids: Collection[str]) -> None:
    """Refuses Parquet files whose ids would be far larger in memory, because PyArrow copies each id for every row.

    Raises:
        DataError: the ids would be too large.
    """
    from pyarrow import dataset

    if table.format.default_extname != "parquet":
        return
    form = dataset.ParquetFileFormat(dictionary_columns=list(ids))
    held = dataset.dataset(table.files, format=form)
    scan = dataset.ParquetFragmentScanOptions(pre_buffer=False)
    names = [name for name in ids if name in held.schema.names]  # the other columns come from folder names
    size, most = 0, most_of(table.files)
    for batch in held.scanner(columns=names, fragment_scan_options=scan).to_reader():
        size = refuse_written_out(_native.Frame(batch.__arrow_c_stream__()), most, size)


READS: dict[str, tuple[type[Library], ...]] = {
    "parquet": (Polars, DuckDB, PyArrow),
    "arrow": (PyArrow, Polars),
    "delimited": (Polars, DuckDB),
    "lines": (Polars, DuckDB),
}
"""The libraries that read each kind of file, in order of preference. Polars is fast, but damaged Arrow files that
PyArrow refuses can crash it."""
PIP = "Install it: pip install {}."
NAMES = {"parquet": "Parquet", "arrow": "Arrow", "delimited": "CSV and TSV", "lines": "JSON"}


def has_library(kind: str) -> bool:
    """Returns whether any installed library reads files of a kind."""
    return any(find_spec(library.name) for library in READS[kind])


def library_for(place: Place, kind: str) -> Library:
    """Returns the first installed library that reads files of a kind.

    Raises:
        DataError: no such library is installed.
    """
    for each in place.files:
        take(each)
    for library in READS[kind]:
        if find_spec(library.name):
            return library()
    able = [library.name for library in READS[kind]]
    raise refused(
        "{format} files require {able}, but none of these libraries is installed.",
        file=place.name,
        format=NAMES[kind],
        able=" or ".join(able),
        remedy=PIP.format(able[0]),
    )


def refuse_damaged(path: str) -> None:
    """Refuses a Parquet file whose footer or page headers are inconsistent with each other or with the file's length.

    Raises:
        DataError: the file is damaged or unreadable.
    """
    with sentences(path), open(path, "rb") as file:
        if not file.seek(0, 2):
            raise refused("the file is empty.", "Fetch or write it again.", file=path)
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            damage = _native.parquet_damage(content)
    if damage is not None:
        raise refused(
            "the file is damaged or truncated: {damage}.",
            "Fetch or write it again.",
            file=path,
            damage=damage,
        )


def opened(place: Place) -> tuple[Library, Any]:
    """Opens Parquet or Arrow files as one lazy table with the first installed library that can read them.

    Raises:
        DataError: no library is installed, or a file is damaged or unreadable.
    """
    library = library_for(place, place.kind)
    if place.kind == "parquet":
        for each in place.files:
            refuse_damaged(each)
    with reading(place.name, library.name):
        return library, library.columnar(place)


def column_names(path: str) -> list[str]:
    """Returns the names of the columns of a Parquet or Arrow file.

    Raises:
        DataError: the file cannot be read.
    """
    library, table = opened(columnar_file(path))
    with reading(path, library.name):
        return list(library.fields_of(table))


def frame_in(path: str) -> Any:
    """Returns the rows of a Parquet or Arrow file as a narwhals frame in memory.

    Raises:
        DataError: the file cannot be read.
    """
    import narwhals as nw

    library, table = opened(columnar_file(path))
    with reading(path, library.name):
        frame = nw.from_native(as_table(table))
        frame = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
        refuse_written_out(_native.Frame(frame.__arrow_c_stream__()), most_of([path]))
        return frame


def columnar_file(path: str) -> Place:
    """Returns the ``Place`` of one Parquet or Arrow file. Its first bytes show its kind."""
    return Place(path, (path,), columnar_kind(head_of(path, 8)) or "text")


@contextmanager
def reading(name: str, library: str) -> Iterator[None]:
    """Turns a library's error about a file into a ``DataError`` that names the file.

    Raises:
        DataError: the library raised an error.
    """
    try:
        yield
    except DataError as error:
        raise error.at(file=error.file or name) from None
    except BaseException as error:
        home = type(error).__module__.partition(".")[0].lstrip("_")
        known = (home in (library, "narwhals") and isinstance(error, Exception)) or isinstance(
            error, (OSError, UnicodeError)
        )
        if not known and not is_panic(error):
            raise
        if "utf-8" in str(error).casefold() or "unicode" in str(error).casefold():
            raise refused(NOT_UTF_8, file=name) from None
        raise refused(
            "{library} cannot read the file: {why}.",
            "Check that the file is complete and has the format that its extension indicates.",
            file=name,
            library=library,
            why=first_line(error),
        ) from None
