"""The scores of runs under a judge or on a leaderboard, and the runs and queries that two of these share."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from carob._dataclasses import dataclass, replace
from carob._numpy import np
from carob.evaluation.evidence import RunTable, refuse_unlike, tables_of
from carob.evaluation.leaderboards import Leaderboard, read_leaderboard
from carob.evaluation.score_files import OtherMeasure, measure_named, queries_of, with_queries
from carob.evaluation.scores import Scores, with_measures
from carob.evaluation.suspects import beyond_range
from carob.inputs.errors import refused
from carob.output.errors import DataError, MeasureError, Worded

if TYPE_CHECKING:
    from carob.lists.rows import Floats

MOST_NAMED = 5
FEWEST_RUNS = 3
ROUNDED = 14
"""Decimals kept in a mean. Means that are equal in decimal arithmetic can differ in later digits in binary."""


@dataclass(frozen=True, eq=False)
class Sheet:
    """The scores of runs by one measure.

    Args:
        label: the measure.
        runs: the names of the runs, sorted.
        queries: the ids of the queries; empty if only means are known.
        table: the scores by query and run; None if only means are known.
        stated: the means over queries that are stated in a file [runs]; None if the file does not state means.
    """

    label: str
    runs: tuple[str, ...]
    queries: tuple[str, ...]
    table: RunTable | None
    stated: Floats | None = None

    def beyond_range(self) -> list[str]:
        """Returns a sentence for each run with values outside the measure's range."""
        means = np.full(len(self.runs), np.nan) if self.stated is None else self.stated
        columns = means[None] if self.table is None else self.table.values
        measure = measure_named(self.label)
        found = [
            beyond_range(run, self.label, measure, column, self.queries)
            for run, column in zip(self.runs, columns.T, strict=True)
        ]
        return [each for each in found if each is not None]

    @property
    def sign(self) -> float:
        """1 if larger values are better, else -1."""
        if self.table is not None:
            return self.table.sign
        return -1.0 if measure_named(self.label).definition.smaller_is_better else 1.0

    def part(self, runs: Sequence[str], queries: Sequence[str]) -> Sheet:
        """Returns the values for some runs and queries, with 0 for a run or a query that is not in the sheet.

        Args:
            runs: the runs.
            queries: the queries.
        """
        places = {name: place for place, name in enumerate(self.runs)}
        chosen = [places.get(name, -1) for name in runs]
        absent = np.array(chosen) < 0
        stated = None if self.stated is None else np.where(absent, 0.0, self.stated[chosen])
        if self.table is None:
            return replace(self, runs=tuple(runs), stated=stated)
        rows = {query: place for place, query in enumerate(self.queries)}
        picked = [rows.get(query, -1) for query in queries]
        outside = absent | (np.array(picked, int) < 0)[:, None]
        values = np.where(outside, 0.0, self.table.values[np.ix_(picked, chosen)])
        weights = self.table.weights
        if weights is not None:
            # A query that is not in the sheet gets the average weight of the queries in the sheet.
            row = np.array(picked, int)[:, None]
            weights = np.where(row < 0, weights.mean(0)[chosen], weights[np.ix_(picked, chosen)])
        table = replace(self.table, values=values, weights=weights, clusters=None)
        return Sheet(self.label, tuple(runs), tuple(queries), table, stated)

    def means(self) -> Floats:
        """Returns the mean of each run, negated if smaller values are better.

        The means are rounded in the last digits, so that runs are tied if their means are equal in decimal arithmetic.
        """
        if self.table is None:
            return self.sign * np.asarray(self.stated if self.stated is not None else [], np.float64)
        plain = self.table.measure.definition.aggregate == "mean" and self.table.weights is None
        if not plain:
            return self.sign * np.array(self.table.means)
        return self.sign * np.array([mean_of(column) for column in self.table.values.T.tolist()])


def mean_of(values: Sequence[float]) -> float:
    """Returns the mean of the values that are not NaN, rounded so that runs with equal means are tied.

    Example:
        >>> mean_of([0.1, 0.2, 0.3])
        0.2
    """
    there = [each for each in values if not math.isnan(each)]
    return round(math.fsum(there) / len(there), ROUNDED) if there else math.nan


def sheets_of(given: Any, name: str | None, missing: str) -> tuple[str, dict[str, Sheet], str]:
    """Returns the name of a leaderboard, its values by measure, and a note about what was left out.

    Args:
        given: a path, a ``Leaderboard``, or scores by run.
        name: the name that the caller gave to the leaderboard, or None.
        missing: how to treat a query for which a run has no value.

    Raises:
        DataError: the object is not a leaderboard, or a value is missing and the caller did not allow this.
    """
    if isinstance(given, (str, os.PathLike)):
        given = read_leaderboard(given, name=name)
    if isinstance(given, Leaderboard):
        computed = bool(given.scores) and {*given.scores} == {*given.runs}
        sheets = in_scores(given.scores, missing) if computed else on_board(given, missing)
        return name or given.name, sheets, words_left_out(given)
    scores = list(given.values()) if isinstance(given, Mapping) else list(given)
    if not scores or not all(isinstance(each, Scores) for each in scores):
        raise DataError(
            "A leaderboard must be a path, the result of carob.read_leaderboard, or scores by run, not an object of "
            f"the type {type(given).__name__}. Pass runs if truth and judges are judgments."
        )
    names = list(given) if isinstance(given, Mapping) else [each.name for each in scores]
    return name or "scores", in_scores(dict(zip(map(str, names), scores, strict=True)), missing), ""


def words_left_out(board: Leaderboard) -> str:
    """Returns a note about measures whose values are words, or an empty string if there are none."""
    if not board.in_words:
        return ""
    return f"{board.name}: values that are words, left out: {', '.join(board.in_words[:MOST_NAMED])}."


def in_scores(scores: Mapping[str, Scores], missing: str = "skip") -> dict[str, Sheet]:
    """Returns the values of evaluated runs by measure.

    Args:
        scores: the scores.
        missing: how to treat a query that does not occur in a run's scores.

    Raises:
        DataError: the runs were evaluated under different conventions, or a query is missing with ``missing="error"``.
    """
    names = sorted(scores)
    labels, queries = scores[names[0]].labels, queries_of(scores.values())
    named = [replace(scores[name], name=name) for name in names]
    alike = [with_measures(with_queries(each, queries, missing), labels) for each in named]
    refuse_unlike(alike)
    ids, tables = tables_of(alike)
    return {each.label: Sheet(each.label, tuple(names), tuple(ids.texts), each) for each in tables}


def on_board(board: Leaderboard, missing: str) -> dict[str, Sheet]:
    """Returns the values of a leaderboard by measure.

    Raises:
        DataError: a run has no value for a query that another run has, and ``missing`` is ``error``.
    """
    sheets = {}
    for label in board.measures:
        columns = {run: board.values.get(run, {}).get(label, {}) for run in board.runs}
        stated = {run: board.stated.get(run, {}).get(label, math.nan) for run in board.runs}
        runs = tuple(run for run in board.runs if columns[run] or not math.isnan(stated[run]))
        queries = tuple(sorted({query for run in runs for query in columns[run]}))
        means = np.array([stated[run] for run in runs])
        table = None
        if queries:
            values = np.array([[columns[run].get(query, math.nan) for run in runs] for query in queries])
            values = completed(board.name, label, values, (runs, queries), missing)
            table = RunTable(label, measure_named(label), values)
        sheets[label] = Sheet(label, runs, queries, table, None if np.isnan(means).any() else means)
    return sheets


def completed(
    name: str, label: str, values: Floats, axes: tuple[Sequence[str], Sequence[str]], missing: str
) -> Floats:
    """Returns the values, with missing values replaced by 0 if ``missing`` is ``zero``.

    Raises:
        DataError: a value is missing, and ``missing`` is ``error``.
    """
    absent = np.isnan(values)
    if missing == "error" and absent.any():
        query, run = (int(each) for each in np.argwhere(absent)[0])
        raise refused(
            "{name}: {count:run lacks/runs lack} a value of {label} for some query, such as {run} for query '{first}'.",
            name=name,
            label=label,
            count=int(absent.any(axis=0).sum()),
            run=axes[0][run],
            first=axes[1][query],
            remedy=Worded(
                "Choose missing='zero' or missing='skip'.", "Choose --missing zero or --missing skip."
            ),
        )
    return np.where(absent, 0.0, values) if missing == "zero" else values


@dataclass(frozen=True, eq=False)
class Aligned:
    """The values of the same runs under the truth and under a judge.

    Args:
        truth: the truth's values.
        judge: the judge's values.
        lacking: the truth's runs that are missing from the judge.
        extra: the number of the judge's runs that are missing from the truth, which are left out.
        left_out: the number of queries that only the truth or only the judge has, which are left out.
        zeros: the truth's queries that are missing from the judge, which have the value 0.
        stated: whether the means are the means stated in the files.
    """

    truth: Sheet
    judge: Sheet
    lacking: tuple[str, ...]
    extra: int
    left_out: int
    zeros: tuple[str, ...]
    stated: bool


def aligned(
    truth: Sheet,
    judge: Sheet,
    names: tuple[str, str],
    missing_runs: str,
    missing: str = "skip",
    *,
    stated: bool,
) -> Aligned:
    """Returns the scores of the runs and queries that the truth and a judge share.

    Args:
        truth: the truth's values.
        judge: the judge's values.
        names: the names of the truth and of the judge.
        missing_runs: how to treat a run that is missing from the judge.
        missing: with ``zero``, a query that is missing from the judge counts as 0; otherwise it is left out.
        stated: whether to use the means stated in the files even if per-query scores are known.

    Raises:
        DataError: the judge lacks a run and ``missing_runs`` is ``error``, fewer than three runs are left, or no query
            or mean is shared.
    """
    lacking = tuple(run for run in truth.runs if run not in judge.runs)
    extra = sum(run not in truth.runs for run in judge.runs)
    words: dict[str, Any] = {"judge": names[1], "truth": names[0]}
    if lacking and missing_runs == "error":
        shown = ", ".join(lacking[:MOST_NAMED]) + (" …" if len(lacking) > MOST_NAMED else "")
        raise refused(
            "{judge} lacks {count} of {total:run/runs} of {truth}: {names}.",
            **words,
            count=len(lacking),
            total=len(truth.runs),
            names=shown,
            remedy=Worded(
                "Choose missing_runs='skip' or missing_runs='zero'.",
                "Choose --missing-runs skip or --missing-runs zero.",
            ),
        )
    runs = [run for run in truth.runs if missing_runs == "zero" or run not in lacking]
    if len(runs) < FEWEST_RUNS:
        raise refused(
            "{judge} and {truth} share {count:run/runs}, but a correlation needs at least three.",
            **words,
            count=len(runs),
        )
    own = set(judge.queries)
    queries = [query for query in truth.queries if query in own]
    only_means = truth.table is None or judge.table is None
    if (stated or only_means) and truth.stated is not None and judge.stated is not None:
        one, other = (replace(each, table=None, queries=()).part(runs, ()) for each in (truth, judge))
        return Aligned(one, other, lacking, extra, 0, (), stated=True)
    if stated or only_means:
        raise DataError(
            f"{names[0]} and {names[1]} have no comparable means of {truth.label}: one of them has no per-query "
            "scores, and the other has no stated means for all runs."
        )
    if not queries:
        raise DataError(
            f"{names[0]} and {names[1]} have no query in common ('{truth.queries[0]}' …, '{judge.queries[0]}' …): "
            "check that both use the same ids."
        )
    zeros = tuple(query for query in truth.queries if query not in own) if missing == "zero" else ()
    left_out = len(truth.queries) + len(judge.queries) - 2 * len(queries) - len(zeros)
    one, other = (each.part(runs, truth.queries if zeros else queries) for each in (truth, judge))
    return Aligned(one, other, lacking, extra, left_out, zeros, stated=False)


def measures_to_pair(
    truth: Mapping[str, Sheet],
    judge: Mapping[str, Sheet],
    asked: Sequence[str] | None,
    true: Sequence[str] | None,
    names: tuple[str, str],
) -> list[tuple[str, str]]:
    """Returns the pairs of measures to correlate, each with the truth's measure first.

    If no measures are given for the truth, each measure is paired with itself or, if the truth and the judge share no
    measure, with every measure.

    Args:
        truth: the truth's values.
        judge: the judge's values.
        asked: the judge's measures; None for all measures.
        true: the truth's measures; None for the same measures as ``asked``.
        names: the names of the truth and of the judge.

    Raises:
        MeasureError: a requested measure is missing.
    """
    own = list(judge) if asked is None else [label_in(judge, each, names[1]) for each in asked]
    if true is not None:
        return [(label_in(truth, one, names[0]), other) for one in true for other in own]
    same = [(each, each) for each in own if each in truth]
    if asked is not None and same and len(same) < len(own):
        label_in(truth, next(each for each in own if each not in truth), names[0])
    return same or [(one, other) for one in truth for other in own]


def label_in(sheets: Mapping[str, Sheet], wanted: str, name: str) -> str:
    """Returns the label of a measure.

    Raises:
        MeasureError: the measure does not exist.
    """
    if wanted in sheets:
        return wanted
    measure = measure_named(wanted)
    if not isinstance(measure, OtherMeasure):
        for label in sheets:
            if measure_named(label) == measure:
                return label
    there = ", ".join(list(sheets)[:20])
    raise MeasureError(f"{name} has no measure {wanted}. Its measures are {there}.")
