"""``carob.read_scores``, which reads per-query scores that carob or another tool computed."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from itertools import product
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from carob._dataclasses import dataclass, replace
from carob._numpy import np
from carob.conventions.policy import Policy
from carob.evaluation.read_record import BY_RECORD, record_in, refuse_one_name
from carob.evaluation.score_tables import GIVEN
from carob.evaluation.score_tables import MISSING as MISSING_COLUMN
from carob.evaluation.scores import Scores, ScoresByRun, with_measures, with_zeros
from carob.evaluation.suspects import beyond_range, perfect, warned_of
from carob.inputs.columns import plain_name, usual, words_in
from carob.inputs.errors import ONE_NAME, for_people, is_measure, number_error, refused
from carob.inputs.files.header import is_text
from carob.inputs.files.json import is_record
from carob.inputs.files.paths import origin_of
from carob.inputs.files.small_tables import SmallTable
from carob.inputs.frames import is_frame
from carob.inputs.ids import bytes_of
from carob.inputs.names import Names
from carob.inputs.nested import lists_documents
from carob.inputs.sources import called
from carob.matching.match import Counts
from carob.measures import Measure, parse_measure
from carob.measures.define import UNBOUNDED, Definition
from carob.measures.grammar import is_known, split_names
from carob.measures.names import MeasureObject, given_names
from carob.output.errors import DataError, MeasureError, NotEvaluatedError, Worded, refuse_other
from carob.output.language import filled
from carob.output.parsing import is_number, json_or_none, number_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from carob.conventions.request import MeasuresLike

SUMMARY = ("all", "amean")
"""The names that tools write instead of a query's name for the mean over queries."""
MEANS = ("mean", "average", "avg", "overall", "total", "macro", "macroaverage", "macroavg", "macromean")
"""Further names of means, in lower case and without separators, which may also be names of queries."""
CLOSE = 0.01
"""The largest relative difference between the mean and a row that is named like a mean, which may be rounded."""
ROUNDED = 0.001
"""The largest difference between a stated mean and the mean of values that were rounded to three decimals or more."""
OTHER_MEAN = (
    "{file} states {stated} as the {label} of {run}, but the mean of its values is {mean}: the mean was computed with "
    "weights or another policy, which the file does not contain. Use {json} or {writer}."
)
LESS_IS_BETTER = {
    *("latency", "loss", "rank", "time", "duration", "seconds", "ms", "cost", "perplexity", "ppl", "nll"),
    *("error", "errors", "wer", "cer", "mae", "mse", "rmse", "distance"),
}
"""Words in the names of measures whose smaller values are better."""
MORE_IS_BETTER = {"reciprocal", "inverse", "inverted", "negative", "negated", "neg", "correlation"}
"""Words in the names of measures whose larger values are better, even if the name contains a word of the first set."""

COLUMNS = {
    "run": ("run", "runid", "runname", "system", "systemid", "model", "name"),
    "measure": ("measure", "metric", "measurename", "metricname"),
    "value": ("value", "score", "result"),
}
"""The usual names of each column, in lower case and without separators."""

NOTHING = ("", "nan", "na", "null", "none", "-")
"""Cells without a value, in lower case."""

YES, NO = ("1", "1.0", "true", "yes"), ("0", "0.0", "false", "no")
"""Cells of the column ``missing``, in lower case."""

MISSING = ("error", "zero", "skip")
EMPTY_FILE = "the file is empty. Pass a file with per-query scores."
NO_QUERY = "the query is missing from the row. Fill in the query."
NO_NUMBER = "the value is not a finite number: '{found}'."
NESTING = (
    "the dictionaries are not nested as expected. Write {run: {measure: {query: value}}}, with measures that carob "
    "supports."
)
MOST_NAMED = 5

PlaceOfValue: TypeAlias = "Mapping[str, Any]"
"""The fields of an error that locate a value: its file and its line or row."""


def two_files(run: str) -> DataError:
    """Returns the error for two files whose runs have the same name."""
    example = Worded("{'old': path, 'new': path}", "old=a/x.json new=b/x.json")
    return refused(ONE_NAME, count=2, name=run, example=example)


class OtherMeasure(Measure):
    """A measure that carob cannot compute, so only its values are known. Larger values count as better.

    Example:
        >>> from carob.evaluation.score_files import OtherMeasure
        >>> str(OtherMeasure("satisfaction")), OtherMeasure("satisfaction").definition.aggregate
        ('satisfaction', 'mean')
    """

    def __post_init__(self) -> None:
        """Accepts any name without parsing it."""
        self.settle({})

    @property
    def definition(self) -> Definition:
        """The definition, which has no formula."""
        return Definition(self.name, at="no", values=UNBOUNDED)


@dataclass
class Cells:
    """The values read so far.

    Args:
        values: the values by run, measure and query; NaN for a cell without a value.
        file: the file that is being read.
        origins: the files that were read.
        mark: the prefix of collections' names that replace queries, if there are no queries.
        computed: the scores that carob computed, by run; these runs have no entry in ``values``.
        sources: the file of each run.
        missing: for each run, the queries that a column marks as missing.
        stated: the means stated in rows such as ``all``, by run and measure.
        smaller: the measures whose smaller values are better, according to a file.
        repeated: the largest number of repetitions that were averaged to one value.
    """

    values: dict[str, dict[str, dict[str, float]]] = field(default_factory=dict)
    file: str = "scores"
    origins: list[str] = field(default_factory=list)
    mark: str = ""
    computed: dict[str, Scores] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    missing: dict[str, set[str]] = field(default_factory=dict)
    stated: dict[str, dict[str, float]] = field(default_factory=dict)
    smaller: set[str] = field(default_factory=set)
    repeated: int = 1

    def add(self, run: str, measure: str, query: str, value: object, place: PlaceOfValue) -> None:
        """Adds the value of a query. A mean over all queries is stored separately.

        Raises:
            DataError: the value is not a number, or the query already has a value.
        """
        if query in SUMMARY:
            with contextlib.suppress(DataError):
                self.stated.setdefault(run, {})[measure] = self.number(value, place)
            return
        if not query:
            raise DataError(NO_QUERY, **place)
        tables = self.values.get(run)
        if tables is None:
            tables = self.values[run] = {}
            self.sources[run] = self.file
        own = tables.setdefault(measure, {})
        if query in own:
            if self.sources[run] != self.file:
                raise two_files(run)
            unit = "collection" if self.mark else "query"
            raise DataError(
                f"{run} has a second value of {measure} for {unit} '{query.removeprefix(self.mark)}'. "
                "Remove one of the two.",
                **place,
            )
        own[query] = self.number(value, place)

    def add_scores(self, scores: Sequence[Scores], file: str) -> None:
        """Adds scores that carob computed, with their policy and counts.

        Raises:
            DataError: there is already a run of this name.
        """
        for each in scores:
            if each.name in self.values:
                raise two_files(each.name)
            self.values[each.name] = {}
            self.computed[each.name] = each
            self.sources[each.name] = file

    def join(self, part: Cells, name: str) -> None:
        """Adds the values of one file, and names its run as the caller requested.

        Raises:
            DataError: the file contains several runs, or a run in another file has the same name.
        """
        runs = list(part.values)
        refuse_one_name(name, runs, part.file)
        if runs and name in self.values:
            raise two_files(name)
        self.origins += part.origins
        self.file = part.file
        self.smaller |= part.smaller
        self.repeated = max(self.repeated, part.repeated)
        if part.computed:
            self.add_scores([replace(part.computed[runs[0]], name=name)], part.file)
        elif runs:
            self.values[name] = part.values[runs[0]]
            self.sources[name] = part.file
            self.missing[name] = part.missing.get(runs[0], set())
            self.stated[name] = part.stated.get(runs[0], {})

    def mark_missing(self, run: str, query: str, value: object, place: PlaceOfValue) -> None:
        """Records that a query is missing from a run, if the row's cell says so.

        Raises:
            DataError: the cell is neither true nor false.
        """
        if query in SUMMARY:
            return
        word = str(value).strip().lower()
        if word not in (*YES, *NO, *NOTHING):
            raise DataError(
                "the column 'missing' must contain 1 if the run lacks the query and 0 otherwise, but a cell contains "
                f"'{word[:40]}'. Correct the cell, or rename the column.",
                **place,
            )
        if word in YES:
            self.missing.setdefault(run, set()).add(query)

    def number(self, value: object, place: PlaceOfValue) -> float:
        """Returns a value as a number, or NaN for an empty cell.

        Raises:
            DataError: the value is neither a finite number nor empty.
        """
        if value is None or (isinstance(value, str) and value.strip().lower() in NOTHING):
            return math.nan
        try:
            given = number_of(value) if isinstance(value, str) else float(cast("float", value))
        except (TypeError, ValueError, OverflowError):
            given = None
        found = math.inf if given is None or isinstance(value, bool) else given
        if math.isinf(found):
            found_text = str(value)[:40]
            its = number_error(found_text, "run").remedy if for_people(found_text)[0] else None
            remedy = its or "Correct it, or leave the cell empty."
            raise DataError(filled(NO_NUMBER, found=found_text), remedy=remedy, **place)
        return found


def read_scores(
    given: Any, measures: MeasuresLike = None, *, missing: str = "error", name: str | None = None
) -> ScoresByRun:
    """Read existing per-query scores, so that ``carob.compare`` needs neither qrels nor runs.

    Args:
        given: a path or a list of paths, ``{run: path}``, ``{run: {measure: {query: value}}}``, ``{run: results}`` with
            the results of ``ir_measures.iter_calc``, or a data frame. A file can be a table (CSV, TSV, JSON lines,
            Parquet) with a row for each run, query and measure, or with a column for each measure or each run; the
            output of ``trec_eval -q`` or ``ir_measures -q``; or JSON.
        measures: the measures to read; the first is the primary measure. None reads all measures, but counts such as
            ``num_ret`` only if there are no other measures. For a table with a column for each run, pass the measure of
            its values.
        missing: how to treat a query that has a value in another run but not in this one: ``error``, count it as
            ``zero``, or ``skip`` it for this run. Queries marked with 1 in a column ``missing`` cause no error.
        name: the name of the run, if a single file or frame contains no name.

    Raises:
        DataError: a file cannot be read, a value is not a number, or a value is missing, unless ``missing`` allows it.
        MeasureError: a requested measure is not in the file.
        PolicyError: ``missing`` is an unknown word.

    Example:
        >>> import carob
        >>> values = {"old": {"AP": {"q1": 0.1, "q2": 0.5}}, "new": {"AP": {"q1": 0.3, "q2": 0.6}}}
        >>> scores = carob.read_scores(values)
        >>> round(scores["new"]["AP"], 4), round(carob.compare(None, scores)["AP"].pairs[0].difference, 4)
        (0.45, -0.15)
    """
    refuse_other("missing", missing, MISSING)
    cells = Cells()
    only = [] if measures is None else given_names(measures, (MeasureObject,))
    alone = str(only[0]) if len(only) == 1 else None
    several = isinstance(given, (list, tuple)) and not any(map(is_row, given))
    for each in given if several else [given]:
        add(cells, each, name, alone)
    return scores_of(cells, only, missing)


def is_row(given: object) -> bool:
    """Returns whether an object is one row of results, that is, a named tuple or a dictionary with a query."""
    return hasattr(given, "_asdict") or (isinstance(given, Mapping) and Layout.fits(list(given)))


def add(cells: Cells, given: Any, run: str | None, alone: str | None) -> None:
    """Adds the values of one file, frame, dictionary or list of results.

    Args:
        cells: the values read so far.
        given: the file, frame, dictionary or results.
        run: the name of the run, if the caller passed a name.
        alone: the only requested measure, if there is only one.

    Raises:
        DataError: the object has another type.
    """
    if isinstance(given, (str, os.PathLike)):
        path = os.fspath(given)
        cells.file = path
        cells.origins.append(path)
        read_file(cells, path, run, alone)
    elif isinstance(given, Mapping) and (
        is_record(given) or all(isinstance(each, Mapping) for each in given.values())
    ):
        nested(cells, given, run)
    elif isinstance(given, Mapping):
        for name, its in given.items():
            part = Cells(file=cells.file)
            add(part, its, str(name), alone)
            cells.join(part, str(name))
    elif is_frame(given):
        add_rows(cells, SmallTable.of(given, cells.file), run or "run", alone)
    elif isinstance(given, Iterable):
        for number, each in enumerate(given):
            row = each._asdict() if hasattr(each, "_asdict") else each
            place = {"file": cells.file, "row": number}
            by_role(cells, dict(row), run or "run", place, Layout.of(dict(row), alone))
    else:
        raise DataError(
            "Per-query scores come from a path, a dictionary, a data frame or a list of results, not from "
            f"an object of the type {type(given).__name__}."
        )


# ---------------------------------------------------------------- files


def holds_scores(path: str) -> bool:
    """Returns whether a file contains per-query scores, and not qrels or a run."""
    if path == "-" or not os.path.isfile(path):
        return False
    try:
        table = SmallTable.begun(path)
    except DataError:
        return False
    if table.has_objects:
        return json_holds_scores(path, table.first)
    if table.columns is None and not (table.first and is_text(table.first)):
        return False
    return Layout.fits(table.names) or three_columns(table.first) is not None


def json_holds_scores(path: str, line: str) -> bool:
    """Returns whether a JSON file contains per-query scores."""
    try:
        row = json_or_none(line)
        if isinstance(row, dict) and not any(isinstance(each, (dict, list)) for each in row.values()):
            return Layout.fits(list(row))
        found = SmallTable.at(path)
        if found.holds_tool:
            return True
        whole = found.document
        if isinstance(whole, dict) and not is_record(whole):
            nested(Cells(), whole)
    except (ValueError, OSError):
        return False
    return isinstance(whole, dict)


def read_file(cells: Cells, path: str, run: str | None, alone: str | None) -> None:
    """Adds the values in a file.

    Raises:
        DataError: a file cannot be read, or its content is not understood.
    """
    table, name = SmallTable.at(path), run or called(path)
    if add_named(cells, table, name, alone):
        return
    order = three_columns(table.first)
    if order is None:
        number, first = table.lines.first or (1, "")
        raise DataError(
            f"'{first.strip()[:60]}' is neither the header of a table with a column for the query nor a line of "
            "trec_eval -q or ir_measures -q (measure, query, value). Add a header line with the column names.",
            file=path,
            line=number,
        )
    add_lines(cells, table, name, order)


def add_named(cells: Cells, table: SmallTable, name: str, alone: str | None = None) -> bool:
    """Adds a table with column names or nested objects, and returns whether the file is in one of these forms.

    Raises:
        DataError: the file is empty, or its content is not understood.
    """
    tool = table.of_tool
    if tool is not None:
        cells.smaller |= tool.smaller
        cells.repeated = max(cells.repeated, tool.repeated)
    document = None if tool else table.document
    if isinstance(document, dict) and any(isinstance(each, (dict, list)) for each in document.values()):
        nested(cells, document, name)
        return True
    if table.columns is None and not table.first:
        raise DataError(EMPTY_FILE, file=table.name)
    # In a text file, the first line is a header only if its names are usual column names.
    named = table.columns is not None or table.has_objects or Layout.fits(table.names)
    if named:
        add_rows(cells, table, name, alone)
    return named


def add_lines(
    cells: Cells, table: SmallTable, name: str, columns: Sequence[str], lines: Iterable[Any] | None = None
) -> None:
    """Adds lines whose columns have no names.

    Args:
        cells: the values read so far.
        table: the lines.
        name: the run, if no column contains it.
        columns: the role of each column: ``run``, ``query``, ``measure``, ``value``, or empty for any other column.
        lines: the lines to add, with their numbers; all lines if None.

    Raises:
        DataError: a line has a different number of columns.
    """
    for number, line in table.lines if lines is None else lines:
        fields = fields_of(line)
        place: dict[str, Any] = {"file": table.name, "line": number}
        if len(fields) != len(columns):
            expected = f"{len(columns)} ({', '.join(filter(None, columns))})"
            raise DataError(
                filled(
                    "found {count:column}, expected {expected}: '{found}'. Correct the line.",
                    expected=expected,
                    count=len(fields),
                    found=" ".join(fields)[:60],
                ),
                **place,
            )
        row = dict(zip(columns, fields, strict=True))
        if row["measure"] == "runid" and not is_number(row["value"]):  # trec_eval's line "runid all TAG"
            continue
        cells.add(row.get("run", name), row["measure"], row["query"], row["value"], place)


def fields_of(line: str) -> list[str]:
    """Returns the fields of a line, separated by tabs or, if the line has fewer than two tabs, by spaces."""
    return [field.strip() for field in line.split("\t")] if line.count("\t") > 1 else line.split()


OF_ONE_RUN = ("measure", "query", "value")
"""The columns of ``trec_eval -q``."""


def three_columns(line: str) -> tuple[str, ...] | None:
    """Returns the columns of a line written by ``trec_eval -q`` or ``ir_measures -q``, or None for other lines."""
    fields = fields_of(line)
    if len(fields) != 3:
        return None
    if fields[1] in SUMMARY and not is_number(fields[2]):  # trec_eval's line "runid all TAG"
        return OF_ONE_RUN
    if not is_number(fields[2]) or not (is_measure(fields[0]) or is_measure(fields[1])):
        return None
    return OF_ONE_RUN if is_measure(fields[0]) else ("query", "measure", "value")


def add_rows(cells: Cells, table: SmallTable, name: str, alone: str | None) -> None:
    """Adds the rows of a table."""
    layout = Layout.of(table.names, alone, cells.file)
    for place, row in table:
        by_role(cells, row, name, place, layout)


# ---------------------------------------------------------------- tables


@dataclass(frozen=True)
class Layout:
    """The roles of the columns of a table.

    Args:
        query: the column of the query.
        run: the column of the run, or None.
        measure: the column of the measure, or None.
        value: the column of the value, if there is a column of the measure.
        runs: whether each other column contains the values of a run, rather than the values of a measure.
        alone: the measure of a table with a column for each run.
        missing: the column that says whether the query is missing from a run, or None.
    """

    query: str
    run: str | None
    measure: str | None
    value: str | None
    runs: bool = False
    alone: str = "value"
    missing: str | None = None

    @staticmethod
    def fits(names: Sequence[str]) -> bool:
        """Returns whether columns with these names may contain per-query scores, rather than judgments or documents."""
        lists = lists_documents(names, "qrels", "run")
        few = len(names) < 2 or all(is_number(each) for each in names)
        return not (few or lists or usual(names, "document")) and bool(usual(names, "query"))

    @classmethod
    def of(cls, names: Iterable[str], alone: str | None, file: str = "scores") -> Layout:
        """Finds the roles of columns.

        Args:
            names: the columns.
            alone: the only requested measure, if there is only one.
            file: the file, for errors.

        Raises:
            DataError: there is no column for the query, or only some of the other columns are measures.
        """
        names = list(names)
        query = next(iter(usual(names, "query")), None)
        there = ", ".join(f"'{each}'" for each in names[:20])
        if query is None:
            raise DataError(
                f"no column has a common name for the query, such as 'query' or 'qid'. The columns are {there}. "
                "Rename one of them.",
                file=file,
            )
        free = [each for each in names if each != query]
        measure = next((each for each in free if plain_name(each) in COLUMNS["measure"]), None)
        run = next((each for each in free if plain_name(each) in COLUMNS["run"]), None)
        missing = next((each for each in free if plain_name(each) == MISSING_COLUMN), None)
        rest = [each for each in free if each not in (measure, run, missing)]
        value = next((each for each in rest if plain_name(each) in COLUMNS["value"]), None)
        if measure is not None:
            if value is None:
                raise DataError(
                    "there is a column of measures, but no column with a common name for the value, such as 'value' "
                    f"or 'score'. The columns are {there}. Rename one of them.",
                    file=file,
                )
            return cls(query, run, measure, value, missing=missing)
        if run is not None and rest == [value]:
            return cls(query, run, None, value, alone=alone or "value", missing=missing)
        known = [is_measure(each) for each in rest]
        if len(rest) == 1 and alone is None and less_is_better(rest[0]):
            known = [True]  # not a run: a run of this name would be lost next to the run's own name
        if run is None and any(known) and not all(known) and alone is None:
            raise DataError(
                f"carob knows '{rest[known.index(True)]}' as a measure but not "
                f"'{rest[known.index(False)]}', so it is unclear whether the columns are runs or measures. "
                "Name the measure of the values if the columns are runs, or add a column 'run'.",
                file=file,
            )
        runs = run is None and not (known and all(known))
        return cls(query, run, None, None, runs, alone or "value", None if runs else missing)


def by_role(cells: Cells, row: Mapping[str, Any], name: str, place: PlaceOfValue, layout: Layout) -> None:
    """Adds the values in a row of a table.

    Args:
        cells: the values read so far.
        row: the row.
        name: the run, if the row contains no name.
        place: the line or the row, for errors.
        layout: the roles of the columns.

    Raises:
        DataError: a column is missing from a row of JSON lines.
    """
    if layout.query not in row:
        raise DataError(NO_QUERY, **place)
    query = text(row[layout.query])
    run = text(row.get(layout.run)) if layout.run else name
    if layout.missing is not None:
        cells.mark_missing(run, query, row.get(layout.missing), place)
    if layout.value is not None:
        measure = text(row.get(layout.measure)) if layout.measure else layout.alone
        cells.add(run, measure, query, row.get(layout.value), place)
        return
    for column, value in row.items():
        if column not in (layout.query, layout.run, layout.missing):
            names = (column, layout.alone) if layout.runs else (run, column)
            cells.add(*names, query, value, place)


def text(value: object) -> str:
    """Returns an id as text."""
    return "" if value is None else str(value).strip()


def nested(cells: Cells, given: Mapping[str, Any], name: str | None = None) -> None:
    """Adds the values in nested dictionaries.

    Args:
        cells: the values read so far.
        given: ``{run: {measure: {query: value}}}``, ``{run: {query: {measure: value}}}``, or the same without the level
            of the runs; or the JSON of ``carob eval -q``.
        name: the run's name, if the dictionaries have no level for runs.

    Raises:
        DataError: the dictionaries are nested in another way.
    """
    if is_record(given):
        cells.add_scores(record_in(given, cells.file).scores, cells.file)
        return
    levels, inner = 0, cast("Any", given)
    while isinstance(inner, Mapping) and inner:
        levels, inner = levels + 1, next(iter(inner.values()))
    if levels == 2 and isinstance(inner, (int, float, type(None))):
        given, levels = {name or "run": given}, 3
    if levels != 3:
        raise DataError(NESTING, file=cells.file)
    for run, tables in given.items():
        if not isinstance(tables, Mapping):
            raise DataError(NESTING, file=cells.file)
        if all(isinstance(each, Measure) or is_measure(str(each)) for each in tables):
            outer_is_measure = True
        elif all(
            is_measure(str(each)) for its in tables.values() if isinstance(its, Mapping) for each in its
        ):
            outer_is_measure = False
        else:
            raise DataError(NESTING, file=cells.file)
        for one, its in tables.items():
            for other, value in dict(its).items():
                measure, query = (one, other) if outer_is_measure else (other, one)
                cells.add(str(run), str(measure), str(query), value, {"file": cells.file})


# ---------------------------------------------------------------- scores


def scores_of(cells: Cells, only: Sequence[Any], missing: str) -> ScoresByRun:
    """Returns the scores of all runs.

    Args:
        cells: the values.
        only: the requested measures; empty for all measures.
        missing: how to treat missing values.

    Raises:
        DataError: there are no values, or a value is missing.
        MeasureError: a requested measure is missing from the files.
    """
    both = next((run for run in cells.computed if cells.values[run]), None)
    if both is not None:
        raise two_files(both)
    if not cells.mark:
        drop_means(cells)
    values = {run: its for run, its in cells.values.items() if run not in cells.computed}
    computed = {run: of_measures(each, only, cells.sources[run]) for run, each in cells.computed.items()}
    found = list(dict.fromkeys(measure for its in values.values() for measure in its))
    if not found and not computed:
        raise DataError(
            "the file contains no per-query scores, but only means over queries, or nothing at all. Export per-query "
            "scores from the other tool, as with trec_eval -q.",
            file=cells.file,
        )
    known = {label: measure_named(label) for label in found}
    labels = chosen(known, only) if found else {}
    everything = {
        query for its in values.values() for label in labels.values() for query in its.get(label, {})
    }
    queries = queries_of(computed.values(), everything)
    scores = []
    for run in cells.values:
        if run in computed:
            scores.append(with_queries(computed[run], queries, missing))
            continue
        columns = [values[run].get(label, {}) for label in labels.values()]
        matrix = np.array([[own.get(query, math.nan) for own in columns] for query in queries])
        scores.append(completed(run, matrix, queries, labels, known, missing, cells))
    if not only:
        refuse_lacking(scores, cells)
    doubts = warned_of(doubts_of(cells, list(labels.values())))
    doubts += other_means(scores, values, labels, cells)
    scores[0] = replace(scores[0], warnings=(*scores[0].warnings, *doubts))
    first = scores[0].labels
    return ScoresByRun(with_measures(each, first) if {*each.labels} == {*first} else each for each in scores)


def drop_means(cells: Cells) -> None:
    """Drops rows such as ``average`` whose values are the means of all other rows.

    Raises:
        DataError: the values of such a row are not the means, so the row may be a query.
    """
    tables_of_runs = cells.values.values()
    queries = dict.fromkeys(query for tables in tables_of_runs for own in tables.values() for query in own)
    named = [query for query in queries if plain_name(query).strip("*") in MEANS]
    for run, tables in cells.values.items():
        for measure, own in tables.items():
            for query in filter(own.__contains__, named):
                others = [each for name, each in own.items() if name != query and not math.isnan(each)]
                if not others:
                    continue
                value, mean = own[query], math.fsum(others) / len(others)
                if not math.isnan(value) and not math.isclose(value, mean, rel_tol=CLOSE, abs_tol=0.001):
                    raise DataError(
                        f"{run} has a row '{query}', but its {measure} of {value:g} is not the mean of the "
                        f"{len(others):,} other values, {mean:g}. If the row is a mean, remove it; if it is a query, "
                        "rename it.",
                        file=cells.sources.get(run, cells.file),
                    )
                del own[query]


def other_means(
    scores: Sequence[Scores],
    values: Mapping[str, Mapping[str, Mapping[str, float]]],
    labels: Mapping[str, str],
    cells: Cells,
) -> tuple[str, ...]:
    """Returns a sentence if a stated mean, in a row such as ``all``, is not the mean of a run's values.

    Args:
        scores: the scores of all runs.
        values: the values of the runs that carob did not compute, by run, measure and query.
        labels: the names of the measures in the files, by label.
        cells: the values read from the files, with the stated means.
    """
    for each, (label, name) in product(scores, labels.items()):
        measure = each.measures[each.column(label)]
        found = values.get(each.name, {}).get(name, {})
        own = [value for value in found.values() if not math.isnan(value)]
        stated = cells.stated.get(each.name, {}).get(name, math.nan)
        if isinstance(measure, OtherMeasure) or measure.definition.aggregate != "mean" or not own:
            continue
        # Tools divide by the number of queries with values, of queries in the run, or of all queries.
        divisors = (len(own), len({*found} - cells.missing.get(each.name, set())) or 1, len(found))
        if not all(abs(math.fsum(own) / count - stated) > ROUNDED for count in divisors):
            continue  # or no mean is stated
        words = {"file": cells.sources.get(each.name, cells.file), "label": label, "run": each.name}
        words |= {"stated": f"{stated:.4f}", "mean": f"{math.fsum(own) / len(own):.4f}"}
        how = {"json": Worded("to_json()", "--format json"), "writer": BY_RECORD}
        return warned_of([filled(OTHER_MEAN, **words, **how)])
    return ()


def doubts_of(cells: Cells, labels: Iterable[str]) -> Iterator[str]:
    """Yields warnings about values computed by other tools."""
    yield from filter(None, (less_is_better(each, said=each in cells.smaller) for each in labels))
    if cells.repeated > 1:
        yield f"Each score is the mean over an example's repetitions, of which there are up to {cells.repeated:,}."


def less_is_better(label: str, *, said: bool = False) -> str | None:
    """Returns a sentence if smaller values of another tool's measure, such as a latency, seem to be better, else None.

    Args:
        label: the measure.
        said: whether the measure's file says that smaller values are better.
    """
    words = set(words_in(label))
    seems = words & LESS_IS_BETTER and not words & MORE_IS_BETTER
    if is_measure(label) or not (said or seems):
        return None
    return (
        f"{label} seems to be a measure for which smaller values are better, but comparisons treat larger values as "
        "better. Negate its values, or leave it out."
    )


def of_measures(scores: Scores, only: Sequence[Any], file: str) -> Scores:
    """Returns the scores of the chosen measures or, by default, of all measures except counts.

    Args:
        scores: the scores.
        only: the chosen measures; empty for all except counts.
        file: the file of the scores, for errors.

    Raises:
        MeasureError: a requested measure was not evaluated.
    """
    pairs = zip(scores.labels, scores.measures, strict=True)
    means = [label for label, each in pairs if each.definition.aggregate != "sum"]
    try:
        return with_measures(scores, list(map(str, only)) or means or scores.labels)
    except NotEvaluatedError as error:
        raise error.at(file=file) from None


def refuse_lacking(scores: Sequence[Scores], cells: Cells) -> None:
    """Refuses runs that do not have every measure of the first run, if the caller chose no measures.

    Raises:
        NotEvaluatedError: a measure is missing from a run that carob scored.
    """
    first = scores[0]
    for each in scores:
        lacking = [label for label in first.labels if label not in each]
        if each.name in cells.computed and lacking:
            said = (
                f"{each.name} has no scores of {lacking[0]}, which {first.name} in "
                f"{cells.sources[first.name]} has. Its measures are {', '.join(each.labels)}."
            )
            shared = [label for label in first.labels if all(label in its for its in scores)]
            remedy = Worded(f"Choose measures={shared[:1]}.", f"Choose -m {shared[0]}.") if shared else None
            both = "" if shared else " Evaluate both with the same measures."
            error = NotEvaluatedError(said + both, remedy=remedy)
            raise error.at(file=cells.sources[each.name])


def queries_of(scores: Iterable[Scores], more: Iterable[str] = ()) -> list[str]:
    """Returns the queries of all scores, and any further queries, in byte order."""
    every = {*more}.union(*(each.queries for each in scores))
    return sorted(every, key=bytes_of)


def with_queries(scores: Scores, queries: Sequence[str], missing: str) -> Scores:
    """Extends scores that carob computed to the queries of all runs, as ``missing`` says.

    Args:
        scores: the scores.
        queries: the queries of all runs.
        missing: how to treat queries that are missing from the scores.

    Raises:
        DataError: queries are missing and the caller did not choose how to treat them.
    """
    known = {*scores.queries, *scores.counts.missing}
    lacking = [each for each in queries if each not in known]
    if lacking and missing == "error":
        raise without_value(scores.name, scores.labels[0], lacking, len(queries), known)
    return with_zeros(scores, lacking) if missing == "zero" else scores


def without_value(
    run: str, label: str, queries: Sequence[str], total: int, own: Iterable[str] = ()
) -> DataError:
    """Returns the error for queries without a value in one run, if the caller did not choose how to treat them.

    Args:
        run: the run.
        label: the measure.
        queries: the queries.
        total: the number of all queries.
        own: the queries for which the run has values.
    """
    more = f" and {len(queries) - MOST_NAMED} more" if len(queries) > MOST_NAMED else ""
    from carob.inputs.spellings import written_otherwise

    pair = written_otherwise(list(queries), list(own))
    if pair is not None:
        return DataError(
            f"{run} has no value of {label} for {len(queries)} of {total} queries, such as '{pair.judged}', but one "
            f"for '{pair.ranked}': {pair.why}."
        )
    return DataError(
        f"{run} has no value of {label} for {len(queries)} of {total} queries: "
        f"{', '.join(queries[:MOST_NAMED]) + more}.",
        remedy=Worded("Choose missing='zero' or missing='skip'.", "Choose --missing zero or --missing skip."),
    )


def measure_named(label: str) -> Measure:
    """Returns carob's measure of this name or, for an unknown name, a measure for which only the values are known."""
    with contextlib.suppress(MeasureError):
        if all(map(is_known, split_names(label))):  # errors about unknown names search for similar names
            return parse_measure(label)
    return OtherMeasure(label)


def chosen(known: Mapping[str, Measure], only: Sequence[Any]) -> dict[str, str]:
    """Returns the name that each chosen measure has in the files, by label.

    Raises:
        MeasureError: a requested measure is missing from the files.
    """
    if not only:
        means = [label for label, each in known.items() if each.definition.aggregate != "sum"]
        return {label: label for label in means or known}
    labels = {}
    for each in only:
        wanted = measure_named(str(each))
        match = next(
            (label for label, measure in known.items() if str(each) == label or measure == wanted), None
        )
        if match is None:
            raise MeasureError(
                f"The scores have no measure {each}. Their measures are {', '.join(list(known)[:20])}."
            )
        labels[str(each)] = match
    return labels


def completed(
    run: str,
    matrix: Any,
    queries: Sequence[str],
    labels: Mapping[str, str],
    known: Mapping[str, Measure],
    missing: str,
    cells: Cells,
) -> Scores:
    """Returns the scores of a run, with missing values treated as the caller chose.

    Raises:
        DataError: a value is missing and the caller did not choose how to treat it.
    """
    there = ~np.isnan(matrix)
    said = cells.missing.get(run, set())
    told = np.array([query in said for query in queries], bool)
    lacking = {query for query, row in zip(queries, there.all(axis=1).tolist(), strict=True) if not row}
    if not lacking <= said and missing == "error":
        column = int(np.flatnonzero((~there & ~told[:, None]).any(axis=0))[0])
        label = list(labels)[column]
        own = (there[:, column] | told).tolist()
        without = [query for query, known in zip(queries, own, strict=True) if not known]
        raise without_value(run, label, without, len(queries), set(queries).difference(without))
    if lacking & said and missing == "error":
        missing = "skip"  # because the tool that wrote rows without values skipped these queries
    kept = there.any(axis=1) | (~told & (missing == "zero"))
    matrix = np.where(there, matrix, 0.0 if missing == "zero" else math.nan)[kept]
    counted = None if missing == "zero" or there[kept].all() else there[kept]
    absent = tuple(query for query in queries if query in lacking | said)
    scores = Scores(
        name=run,
        labels=tuple(labels),
        measures=tuple(known[label] for label in labels.values()),
        ids=Names.of(queries).chosen(kept),
        matrix=matrix,
        policy=Policy() if missing == "error" else Policy(missing=missing),  # type: ignore[arg-type]
        counts=Counts(queries=int(kept.sum()), judged=len(queries), missing=absent),
        bounds={},
        counted=counted,
        inputs={"scores": origin_of(cells.origins[0])} if cells.origins else {},
        profile=GIVEN,
    )
    columns = zip(scores.labels, scores.measures, matrix.T, strict=True)
    doubts = [beyond_range(run, *each, scores.queries) for each in columns]
    best = len(scores.queries) if perfect(scores, None) else 0
    counts = replace(scores.counts, perfect=best)
    return replace(scores, counts=counts, warnings=warned_of(filter(None, doubts)))
