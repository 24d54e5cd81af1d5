"""Matches runs that are tables of Spark, ibis, SQLFrame and other engines.

The judged rows are found by the engine itself or, for Spark, by carob's kernel in the executors.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, ClassVar

from carob._dataclasses import dataclass
from carob.inputs.columns import ROLES, choose
from carob.inputs.errors import BELOW_ZERO, as_scores, fault_of, refusals, refused
from carob.inputs.frames import Columns, columns_of, fit, library_of, systems_in
from carob.inputs.ids import text_of, unicode
from carob.inputs.runs import Extracted
from carob.inputs.runs.engine_plan import extracted, faults, plan, scored_rows, tables_of
from carob.inputs.sources import Provenance
from carob.inputs.systems import take_one_out
from carob.output.errors import DataError, PolicyError, by_policy

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from carob import _native
    from carob.inputs.runs import MatchOptions, Ranked, Row
    from carob.inputs.runs.engine_plan import Lazy

FAULTS = {
    "null": ("column '{column}' is null in {where}.", "Fill in a value, or leave such rows out."),
    "nan": ("column '{column}' is NaN in {where}, which cannot be ranked.", "Leave such rows out."),
    "wide": (
        "column '{column}' in {where}, {wide}.",
        "Subtract a constant from the column, or cast it to double.",
    ),
    "fraction": ("column '{column}' contains a rank that is not a whole number in {where}.",),
    "below-zero": BELOW_ZERO,
}
"""The fault in a column of an engine's table, and its remedy."""

AWAY = ("pyspark", "sqlframe", "ibis")
"""Libraries whose tables are outside this process. They rank runs themselves; other libraries do so on request."""
FEW = 100
"""The maximum number of queries that are selected with a filter. Engines push filters down to the files.

More queries are selected by a join with a table.
"""


@dataclass(frozen=True, eq=False, repr=False)
class EngineRun:
    """A run in an engine's table. The table is queried when the run is matched.

    Args:
        table: the engine's own table, or a lazy frame.
        chosen: the columns by role.
        origin: the provenance of the table.
        extract: where Spark's rows are ranked: ``engine``, ``executors``, or None for the fastest place.
    """

    table: Any
    chosen: dict[str, str]
    origin: Provenance
    extract: str | None = "engine"
    alone: ClassVar[bool] = True

    @property
    def by_rank(self) -> bool:
        """Whether the run has ranks but no scores."""
        return "score" not in self.chosen

    @classmethod
    def of(cls, given: Any, *, extract: str | None = "engine", **asked: str | None) -> EngineRun:
        """Returns the run in a lazy table of an engine.

        Args:
            given: the table.
            extract: where Spark's rows are ranked: ``engine``, ``executors``, or None for the fastest place.
            asked: the columns' names by role. If a role is None or missing, a column with a usual name is used.

        Raises:
            DataError: the engine is unknown, or a column is missing or of the wrong type.
        """
        import narwhals as nw

        library = library_of(given)
        with refusals("run", library):
            known = nw.from_native(given).lazy()
            native = known.to_native()
            library = library_of(native)
            if library not in ENGINES:
                raise refused(
                    "{library} cannot rank its tables itself. Libraries that can: {able}.",
                    "Omit extract='engine', so that carob reads the rows itself.",
                    library=library,
                    able=", ".join(ENGINES),
                )
            if extract == "executors" and library != "pyspark":
                raise refused(
                    "extract='executors' needs a Spark DataFrame, but this table is from {library}.",
                    "Leave extract out.",
                    library=library,
                )
            schema = known.collect_schema()
            chosen = choose(schema.names(), "run", {role: asked.get(role) for role in ROLES["run"]})
            systems = systems_in(native, schema.names(), chosen.values())
        for role, name in chosen.items():
            fit((name, holding(schema[name]), str(schema[name])), role, "run")
        whole = schema[chosen["query"]].is_integer()
        home = home_of(native, library)
        origin = Provenance("a frame", library=library, whole=whole, rows=True, home=home, systems=systems)
        return cls(native, chosen, origin, extract if library == "pyspark" else "engine")

    @property
    def library(self) -> str:
        """The engine's library."""
        return str(self.origin.library)

    @property
    def place(self) -> str:
        """The name of the table in errors."""
        return f"run frame of {self.library}"

    def match(self, judgments: _native.Judgments, options: MatchOptions) -> Extracted:
        """Returns the rows of judged documents. A table is read only once if Spark's executors rank it."""
        refuse(options)
        if self.extract != "engine" and options.rule != "rank-column":
            found = self.by_kernel(judgments, options)
            if found is not None and not by_order(found, options):
                return found
            if options.scores:
                self.found(judgments, options)  # raises the error for an unusable row
        refuse_scores(options)
        return self.found(judgments, options)

    def found(self, judgments: _native.Judgments, options: MatchOptions) -> Extracted:
        """Returns the judged rows, found in a single job of the engine."""
        with refusals("run", self.library):
            found = self.planned(judgments, options).collect("pyarrow").to_native()
        facts = found.filter(found["number"].is_null()).to_pylist()[0]
        self.refuse_faults(facts)
        rows = found.filter(found["number"].is_valid())
        self.refuse_open(judgments, rows, options)
        return extracted(len(judgments.queries), rows, facts)

    def by_kernel(self, judgments: _native.Judgments, options: MatchOptions) -> Extracted | None:
        """Returns the rows that carob's kernel finds in Spark's executors or, for a small table, in this process.

        Returns None if carob is not installed in the executors, or if the engine's plan must report faulty or repeated
        rows.

        Raises:
            DataError: the caller chose the executors, but carob is not installed there.
        """
        from carob.inputs.runs import executors  # few runs need it

        table, session = self.kernel_columns(), self.origin.home
        if self.extract is None:
            with refusals("run", self.library):
                small = executors.is_small(table.to_native())
            if small:
                return self.moved(table, judgments, options)
            if not executors.are_there(session, self.place):
                return None
        else:
            executors.refuse_absent(session, self.place)
        return executors.match_there(table.to_native(), judgments, options, self.place)

    def moved(self, table: Any, judgments: _native.Judgments, options: MatchOptions) -> Extracted | None:
        """Collects a small table and returns its judged rows, or None if a row cannot be used."""
        with refusals("run", self.library):
            rows = table.collect("pyarrow").to_native()
        try:
            found = columns_of(rows, "run", {role: role for role in table.columns}).match(judgments, options)
        except DataError:
            return None
        unordered = {"duplicates": found.duplicates, "unordered": 0, "malformed": 0}
        return Extracted.of(found, extra=range(len(found.extra)), **unordered)

    def kernel_columns(self) -> Any:
        """Returns the table with its columns named after their roles, in types that the kernel reads."""
        import narwhals as nw

        table = nw.from_native(self.table)
        schema = table.collect_schema()
        return table.select(
            *(
                nw.col(name).alias(role)
                # A whole number may not be representable as a double.
                if role in ("query", "document") or schema[name].is_integer()
                else nw.col(name).cast(nw.Float64).alias(role)
                for role, name in self.chosen.items()
                if role != "rank" or self.by_rank
            )
        )

    def planned(self, judgments: _native.Judgments, options: MatchOptions) -> Lazy:
        """Returns the engine's job as a lazy frame of narwhals."""
        import narwhals as nw

        chosen = self.needed(options)
        queries, judged = (
            nw.from_native(ENGINES[self.library](table, self.origin.home)) for table in tables_of(judgments)
        )
        rows = scored_rows(nw.from_native(self.table), chosen)
        return plan(rows, faults(chosen, rows), queries, judged, options)

    def needed(self, options: MatchOptions) -> dict[str, str]:
        """Returns the columns to read, by role."""
        options.refuse_without_ranks(ranks="rank" in self.chosen)
        ranks = options.rule == "rank-column" or "score" not in self.chosen
        return {role: name for role, name in self.chosen.items() if ranks or role != "rank"}

    def refuse_faults(self, facts: dict[str, Any]) -> None:
        """Refuses a run with unusable rows, and an engine that does not order text by bytes.

        Raises:
            DataError: the run has an unusable row, or the engine orders text by the rules of a language.
        """
        for kind, count in facts.items():
            name, _, role = kind.partition(" ")
            if role and count:
                where, query = f"{count} row{'s' * (count > 1)}", self.faulty_query(kind)
                if query is not None:
                    where += f", {'one of them ' * (count > 1)}in query '{query}'"
                column = self.chosen[role]
                words = {"column": column, "scores": as_scores(column), "where": where}
                raise fault_of(FAULTS, name, file=self.place, query=query, **words)
        if facts["bytewise"] == 0:
            raise refused(
                "the engine compares text by the rules of a language, but carob breaks ties by comparing ids as bytes.",
                "Set its collation to binary (C), or read the rows into this process.",
                file=self.place,
            )

    def faulty_query(self, kind: str) -> str | None:
        """Returns a query with a faulty row, or None if the query itself is missing."""
        import narwhals as nw

        rows = scored_rows(nw.from_native(self.table), self.chosen)
        unfit = faults(self.chosen, rows)
        found = rows.filter(unfit[kind]).select(nw.col("query").min()).collect("pyarrow").to_native()
        query: str | None = found["query"][0].as_py()
        return query

    def refuse_open(self, judgments: _native.Judgments, found: Any, options: MatchOptions) -> None:
        """Refuses repeated documents, and ties whose order would depend on the order of rows.

        Raises:
            DataError: a judged query contains a repeated document, or a tie that the row order would decide.
        """
        import pyarrow.compute as pc

        for row in found.filter(pc.greater(found["twice"], 0)).slice(0, 1).to_pylist():
            self.refuse_twice(judgments.queries[row["number"]], options)
        if options.rule not in ("input", "rank-column"):
            return
        last = float("inf") if options.policy.depth is None else options.policy.depth
        judged = found.filter(pc.and_(found["judgment"].is_valid(), pc.less_equal(found["tie_first"], last)))
        tied = pc.greater(judged["tie_last"], judged["tie_first"])
        touched = pc.greater(judged["equal"], 1) if options.rule == "rank-column" else tied
        for row in judged.filter(touched).slice(0, 1).to_pylist():
            query = text_of(judgments.queries[row["number"]])
            same = "score and rank" if options.rule == "rank-column" else "score"
            rule = by_policy("ties", "rank-column")
            raise refused(
                "in query '{query}' a judged document has the same {same} as another document, and the rows of an "
                "engine's table have no order that could break the tie.",
                "Name a rank column that breaks the tie, with {rule}, or choose another rule for ties, such as "
                "ties=trec.",
                file=self.place,
                query=query,
                same=same,
                rule=rule,
            )

    def refuse_twice(self, query: bytes, options: MatchOptions) -> None:
        """Refuses a document that occurs twice in a query.

        Raises:
            DataError: always.
        """
        documents = Counter(document for _, document, _ in self.rows([query]))
        again = min((each for each, count in documents.items() if count > 1), default=b"?")
        order = ""
        if options.duplicates in ("first", "last"):
            order = f", and rows of an engine have no order that determines the {options.duplicates}"
        ids = {"query": text_of(query), "document": text_of(again)}
        error = refused(
            "document '{document}' is listed twice for query '{query}'{order}.",
            "Remove one, or keep the highest score: {rule}.",
            file=self.place,
            **ids,
            order=order,
            rule=by_policy("duplicates", "max"),
        )
        if self.origin.systems:
            raise error.at(remedy=take_one_out(self.origin))
        raise error

    def rankings(self, queries: list[bytes], options: MatchOptions, depth: int | None = None) -> list[Ranked]:
        """Returns the documents of each query in rank order, with the scores by which the documents are ordered."""
        refuse(options)
        return self.here(queries).rankings(queries, options, depth)

    def rows(self, queries: Collection[bytes] | None = None) -> Iterable[Row]:
        """Yields the query, document and score of each row, in the engine's order."""
        return self.here(queries).rows(queries)

    def here(self, queries: Collection[bytes] | None) -> Columns:
        """Returns the rows of some queries, or of all queries, collected into memory."""
        import narwhals as nw

        with refusals("run", self.library):
            rows = scored_rows(nw.from_native(self.table), self.chosen)
            if queries is not None:
                rows = self.only(rows, [text for query in queries if (text := unicode(query)) is not None])
            found = rows.collect("pyarrow").to_native()
        return columns_of(found, "run", {role: role for role in self.chosen})

    def only(self, rows: Any, queries: list[str]) -> Any:
        """Returns the rows of some queries."""
        import narwhals as nw
        import pyarrow as pa

        if len(queries) <= FEW:
            return rows.filter(nw.col("query").is_in(queries))
        table = pa.table({"query": queries})
        wanted = nw.from_native(ENGINES[self.library](table, self.origin.home))
        return rows.join(wanted, on="query", how="semi")


def by_order(found: Extracted, options: MatchOptions) -> bool:
    """Returns whether the result depends on the order of rows, which is undefined in an engine's table."""
    if found.duplicates or (found.dropped and options.duplicates != "max"):
        return True
    # If documents judged not relevant have no rows, their ties show only in ``first_tie``.
    tied = found.first_tie > 0 if found.relevant_only else found.tie_last > found.tie_first
    return options.rule == "input" and bool(tied.any())


def is_away(given: object) -> bool:
    """Returns whether a frame's rows are outside this process."""
    library = library_of(given)
    if library == "narwhals":
        library = str(getattr(getattr(given, "implementation", None), "value", ""))
    return library.startswith(AWAY)


def refuse(options: MatchOptions) -> None:
    """Refuses a request that an engine cannot compute.

    Raises:
        PolicyError: the policy needs the rows to have an order.
    """
    if options.policy.listing == "known":
        raise refused(
            "listing=known needs an order of rows, which an engine's table does not have. Read the run from "
            "a file or an in-memory frame.",
            error=PolicyError,
        )
    if options.rule == "rank-column" and options.duplicates == "max":
        raise refused(
            "duplicates=max keeps the highest score of an engine's table, but it is then unclear which duplicate's "
            "rank ties=rank-column should use. Choose another rule for ties, or remove the duplicates.",
            error=PolicyError,
        )


def refuse_scores(options: MatchOptions) -> None:
    """Refuses measures and policies that need every document's score, because an engine's plan does not return them.

    Raises:
        PolicyError: the score of every document is needed.
    """
    if options.scores:
        raise refused(
            "An engine returns judged documents only, but retrieved=finite, ranks=given and measures that "
            "compare scores across queries need every document's score. Use an in-memory frame instead.",
            error=PolicyError,
        )


def holding(kind: Any) -> str:
    """Returns the kernel's name for a column's type."""
    import narwhals as nw

    if kind.is_integer():
        return "whole"
    if kind in (nw.String, nw.Categorical, nw.Enum):
        return "text"
    return "number" if kind.is_numeric() or kind == nw.Boolean else "other"


BROADCAST = 64 * 2**20
"""The size, in bytes, up to which tables are broadcast. Spark itself cannot tell the size of a table made here."""


def home_of(table: Any, library: str) -> Any:
    """Returns the session that creates tables for the engine, or None if no session is needed.

    For DuckDB, it returns the relation itself, because each relation belongs to a connection.
    """
    if library == "pyspark":
        return table.sparkSession
    if library == "sqlframe":
        return table.session
    return table if library == "duckdb" else None


def in_spark(table: Any, session: Any) -> Any:
    """Converts a PyArrow table to a Spark DataFrame, for classic Spark or Spark Connect."""
    from pyspark import __version__
    from pyspark.sql import SparkSession
    from pyspark.sql.functions import broadcast

    session = session or SparkSession.getActiveSession()
    if session is None:
        raise refused("There is no Spark session.", "Start one, or choose another kind of frame.")
    arrow = int(__version__.partition(".")[0]) >= 4  # older versions accept only pandas frames
    frame = session.createDataFrame(table if arrow else table.to_pandas())
    return broadcast(frame) if table.nbytes <= BROADCAST else frame


def in_duckdb(table: Any, relation: Any) -> Any:
    """Converts a PyArrow table to a DuckDB relation on the connection of ``relation``, as joins need one connection."""
    import duckdb

    if relation is None:
        return duckdb.from_arrow(table)
    carob_table = table  # noqa: F841 - DuckDB finds it by the name of this variable
    return relation.query("carob_unused", "from carob_table")


def in_polars(table: Any, _: None) -> Any:
    """Converts a PyArrow table to a Polars lazy frame."""
    import polars as pl

    return pl.DataFrame(table).lazy()


def in_ibis(table: Any, _: None) -> Any:
    """Converts a PyArrow table to an ibis table. ibis moves it to the backend of the table with which it is joined."""
    import ibis

    return ibis.memtable(table)


def in_sqlframe(table: Any, session: Any) -> Any:
    """Converts a PyArrow table to a SQLFrame DataFrame."""
    if session is None:
        raise refused("There is no SQLFrame session to make frames in.", "Choose another kind of frame.")
    rows = list(zip(*(column.to_pylist() for column in table.columns), strict=True))
    return session.createDataFrame(rows, {field.name: SQL[str(field.type)] for field in table.schema})


SQL = {"string": "string", "int64": "bigint", "double": "double"}
"""The SQL names of Arrow types."""

MAKERS: tuple[Callable[[Any, Any], Any], ...] = (in_spark, in_duckdb, in_polars, in_ibis, in_sqlframe)
ENGINES = dict(zip(("pyspark", "duckdb", "polars", "ibis", "sqlframe"), MAKERS, strict=True))
"""The function, by library, that converts a PyArrow table to a table of the engine. Its second argument is the result
of ``home_of``, or None for the engine's default."""
TABLES = ("duckdb", "pyspark", "ibis", "sqlframe")
"""Engines that have only tables and no frames in memory."""
