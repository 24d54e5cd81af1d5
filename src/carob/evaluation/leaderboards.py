"""Leaderboards: the per-query scores or the means of many runs, in the formats that TREC AutoJudge uses."""

from __future__ import annotations

import os
from dataclasses import field
from itertools import islice
from typing import TYPE_CHECKING, Any

from carob._dataclasses import dataclass
from carob._version import __version__
from carob.evaluation.score_files import (
    EMPTY_FILE,
    NO_NUMBER,
    OF_ONE_RUN,
    SUMMARY,
    Cells,
    Layout,
    add_lines,
    add_named,
    fields_of,
)
from carob.inputs.errors import is_measure
from carob.inputs.files.header import head_of
from carob.inputs.files.small_tables import SmallTable
from carob.inputs.sources import called
from carob.output.document import Document, Documented, Section, Table
from carob.output.errors import DataError, PolicyError, Worded, did_you_mean
from carob.output.language import filled
from carob.output.layout import decimals
from carob.output.parsing import is_number
from carob.output.results import Records

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from carob.evaluation.scores import Scores

COLUMNS = {
    "trec_eval": OF_ONE_RUN,
    "tot": ("run", "measure", "query", "value"),
    "ir_measures": ("run", "query", "measure", "value"),
    "ranking": ("query", "", "run", "", "value", "measure"),
}
"""The columns of the formats without a header, by the name of the format. ``trec_eval`` has one file per run."""

LAYOUTS = ("auto", *COLUMNS, "jsonl")
SAMPLE = 200
"""The number of lines from which the format of a file is recognised."""


@dataclass(frozen=True, eq=False, repr=False)
class Leaderboard(Documented):
    """The scores of runs by measure. ``str(board)`` returns a table of what was read.

    Args:
        name: the name of the leaderboard.
        values: the values by run, measure and query; NaN for a value that is missing.
        stated: the means over queries as stated in the files, by run and measure.
        in_words: the measures that were left out because their values are words.
        path: the file or folder after which the leaderboard is named; None if the caller gave a name.
        scores: the scores that carob computed, by run, with weights and policy.
    """

    name: str
    values: dict[str, dict[str, dict[str, float]]]
    stated: dict[str, dict[str, float]]
    in_words: tuple[str, ...] = ()
    path: str | None = None
    scores: Mapping[str, Scores] = field(default_factory=dict)

    @property
    def measures(self) -> list[str]:
        """The measures of any run, in the order of the files."""
        tables = ([*its] for by_run in (self.values, self.stated) for its in by_run.values())
        return list(dict.fromkeys(measure for its in tables for measure in its))

    @property
    def runs(self) -> list[str]:
        """The names of the runs, sorted."""
        return sorted({*self.values, *self.stated})

    def document(self, _layout: str = "text", /) -> Document:
        """Returns a row for each run and measure, with the number of values and the mean that the files state."""
        rows = [
            [run, measure, str(len(self.values.get(run, {}).get(measure, ()))), decimals(mean, 4)]
            for run in self.runs
            for measure in self.measures
            for mean in [self.stated.get(run, {}).get(measure)]
        ]
        return Document([Section([Table(["run", "measure", "values", "stated mean"], rows, 2)], self.name)])

    def contents(self) -> dict[str, Any]:
        """Returns the values, the stated means, and the measures that were left out."""
        return {
            "name": self.name,
            "values": self.values,
            "stated": self.stated,
            "in_words": self.in_words,
            "carob": __version__,
        }

    def records(self) -> dict[str, Callable[[], Records]]:
        """Returns the table of ``values``, and the table ``stated`` with the means that the files state."""
        return {"values": self.value_records, "stated": self.stated_records}

    def value_records(self) -> Records:
        """Returns a row for each run, measure and query."""
        rows = [
            (run, measure, query, value)
            for run, by_measure in self.values.items()
            for measure, by_query in by_measure.items()
            for query, value in by_query.items()
        ]
        return Records(["run", "measure", "query", "value"], rows)

    def stated_records(self) -> Records:
        """Returns a row for each run and measure whose mean the files state."""
        rows = [(run, *each) for run, its in self.stated.items() for each in its.items()]
        return Records(["run", "measure", "mean"], rows)


@dataclass
class Board(Cells):
    """The values and means read so far.

    Args:
        in_words: for each measure with values that are words, the first such value and its place in the file.
        numbers: the measures that have at least one number.
    """

    in_words: dict[str, tuple[str, Mapping[str, Any]]] = field(default_factory=dict)
    numbers: set[str] = field(default_factory=set)

    def add(self, run: str, measure: str, query: str, value: object, place: Mapping[str, Any]) -> None:
        """Adds the value of a query, or a mean over all queries.

        Raises:
            DataError: a run or measure has no name, or the query already has a value.
        """
        if not run or not measure:
            raise DataError("the run or the measure is missing from the row. Fill in both.", **place)
        if is_word(value):
            self.in_words.setdefault(measure, (str(value), place))
            return
        if query not in SUMMARY:
            self.numbers.add(measure)
            super().add(run, measure, query, value, place)
            return
        own = self.stated.setdefault(run, {})
        if measure in own:
            raise DataError(
                f"{run} has a second value of {measure} for query '{query}'. Remove one of the two.",
                **place,
            )
        self.numbers.add(measure)
        own[measure] = self.number(value, place)

    def add_scores(self, scores: Sequence[Scores], file: str) -> None:
        """Adds scores that carob computed, both as scores and as values.

        Raises:
            DataError: there is already a run of this name.
        """
        super().add_scores(scores, file)
        for each in scores:
            self.values[each.name] = {label: each.by_query(label) for label in each.labels}
            self.numbers.update(each.labels)


def is_word(value: object) -> bool:
    """Returns whether a value is text that is not a number, such as a category."""
    return isinstance(value, str) and bool(value.strip()) and not is_number(value.strip())


def read_leaderboard(
    path: str | os.PathLike[str], layout: str = "auto", name: str | None = None
) -> Leaderboard:
    """Read the values of many runs from a file or from a folder of files.

    Args:
        path: a file, or a folder whose files are read together.
        layout: ``trec_eval`` (measure, query, value; the run is named after its file), ``tot`` (run, measure, query,
            value), ``ir_measures`` (run, query, measure, value), ``ranking`` (query, Q0, run, rank, value, measure),
            ``jsonl`` (objects with ``run_id``, ``topic_id``, ``measure`` and ``value``), or ``auto``, which recognises
            all of these formats except ``ranking``, and also tables that ``carob.read_scores`` can read.
        name: the name of the leaderboard; the name of the file if None.

    Raises:
        DataError: a file cannot be read, its format is not recognised, or the path is ``-``, standard input.
        PolicyError: there is no such layout.

    Example:
        >>> import tempfile, carob
        >>> from pathlib import Path
        >>> path = Path(tempfile.mkdtemp()) / "judge.txt"
        >>> _ = path.write_text("bm25 COVERAGE q1 0.5\\nbm25 COVERAGE all 0.5\\n")
        >>> board = carob.read_leaderboard(path)
        >>> board.values, board.stated
        ({'bm25': {'COVERAGE': {'q1': 0.5}}}, {'bm25': {'COVERAGE': 0.5}})
    """
    if layout not in LAYOUTS:
        hint = did_you_mean(layout, LAYOUTS, f"The choices are {', '.join(LAYOUTS)}.")
        raise PolicyError(f"There is no leaderboard format '{layout}'. {hint}")
    whole = os.fspath(path)
    if whole == "-":
        raise DataError("Leaderboards cannot be read from standard input ('-'): pass files.")
    board = Board()
    for file in files_in(whole):
        board.file = file
        board.origins.append(file)
        read_file(board, file, layout)
    mixed = next((each for each in board.in_words if each in board.numbers), None)
    if mixed is not None:
        found, place = board.in_words[mixed]
        raise DataError(filled(NO_NUMBER, found=found[:40]), **place)
    if not board.values and not board.stated:
        raise DataError(EMPTY_FILE, file=whole)
    words, named = tuple(board.in_words), None if name else whole
    return Leaderboard(name or called(whole), board.values, board.stated, words, named, board.computed)


def files_in(path: str) -> list[str]:
    """Returns the visible files of a folder, sorted by name, or the file itself.

    Raises:
        DataError: the folder contains no file.
    """
    if not os.path.isdir(path):
        return [path]
    found = sorted(entry.path for entry in os.scandir(path) if entry.is_file() and entry.name[0] != ".")
    if not found:
        raise DataError("the folder is empty. Pass a file, or a folder with a file for each run.", file=path)
    return found


def refuse_empty(path: str) -> None:
    """Refuses a file without any line.

    Raises:
        DataError: the file, or the first file of a folder, is empty.
    """
    first = files_in(path)[0]
    if os.path.isfile(first) and not head_of(first).strip():
        raise DataError(EMPTY_FILE, file=first)


def is_leaderboard(path: str) -> bool:
    """Returns whether the format of a file, or of the first file of a folder, is that of a leaderboard."""
    try:
        table = SmallTable.begun(files_in(path)[0])
    except (DataError, OSError):
        return False
    if table.is_prototext:
        return True
    if table.has_objects:
        return '"measure"' in table.first and '"value"' in table.first
    rows = [fields_of(line) for _, line in islice(table.lines, SAMPLE)]
    return bool(rows) and leaderboard_columns(rows[: max(len(rows) - 1, 1)])[0] is not None


def read_file(board: Board, path: str, layout: str) -> None:
    """Adds the content of one file.

    Raises:
        DataError: a file cannot be read, or its format is not recognised.
    """
    run, table = called(path), SmallTable.at(path)
    if layout in ("auto", "jsonl") and add_named(board, table, run):
        return
    sample = [fields_of(line) for _, line in islice(table.lines, SAMPLE)]
    columns, headed = COLUMNS.get(layout), layout != "auto" and is_header(sample)
    if columns is None:
        columns, headed = leaderboard_columns(sample)
    if columns is None:
        found = " ".join(sample[0])[:60]
        remedy = Worded(
            "Name it: layout='tot' (run, measure, query, value), 'ir_measures' (run, query, measure, value), "
            "'trec_eval' or 'ranking'.",
            "Name it: --leaderboards tot (run, measure, query, value), ir_measures (run, query, measure, value), "
            "trec_eval or ranking.",
        )
        raise DataError(f"the columns are not recognised: '{found}'.", file=board.file, remedy=remedy)
    add_lines(board, table, run, columns, islice(table.lines, int(headed), None))


def is_header(rows: Sequence[list[str]]) -> bool:
    """Returns whether the first row of a file contains column names."""
    place = 4 if all(len(fields) == 6 for fields in rows[:2]) else -1
    return len(rows) > 1 and not is_number(rows[0][place]) and is_number(rows[1][place])


def leaderboard_columns(rows: Sequence[list[str]]) -> tuple[tuple[str, ...] | None, bool]:
    """Returns the columns of lines with three or four fields, or None, and whether the first line is a header."""
    first, rest = rows[0], rows[1:]
    if len(first) not in (3, 4):
        return None, False
    named = header_columns(first)
    if named is not None:
        return named, True
    if len(first) == 3:
        if is_number(first[2]) or first[:2] == ["runid", "all"]:
            swapped = is_measure(first[1]) and not is_measure(first[0])
            return ("query", "measure", "value") if swapped else COLUMNS["trec_eval"], False
        return None, False
    if not is_number(first[3]):
        return None, False
    whole = [first, *(each for each in rest if len(each) == 4)]
    second, third = ({row[place] for row in whole} for place in (1, 2))
    if second <= {"0", "Q0", "q0", "1"}:  # judgments
        return None, False
    for layout, queries, measures in (("ir_measures", second, third), ("tot", third, second)):
        if queries & set(SUMMARY) or (any(map(is_measure, measures)) and not any(map(is_measure, queries))):
            return COLUMNS[layout], False
    return None, False


def header_columns(fields: Sequence[str]) -> tuple[str, ...] | None:
    """Returns the columns in a header of usual names, or None for other lines."""
    if is_number(fields[-1]):
        return None
    found = Layout.of(fields, None) if Layout.fits(fields) else None
    if found is None or found.measure is None or found.value is None:
        return None
    roles: Mapping[str | None, str] = {
        found.query: "query",
        found.measure: "measure",
        found.value: "value",
        found.run: "run",
    }
    return tuple(roles.get(each, "") for each in fields)
