"""How many queries a comparison needs, from a pilot with few queries."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, cast

from carob._dataclasses import dataclass
from carob._numpy import np
from carob.conventions import arguments
from carob.conventions.arguments import specified
from carob.evaluation.evidence import Evidence
from carob.evaluation.notes import known_of
from carob.output.document import Document, Documented, Items, Line, Section, Table
from carob.output.errors import DataError, Worded
from carob.output.language import filled
from carob.output.layout import apart, decimals
from carob.output.pictures.figures import whiskers
from carob.output.results import Records
from carob.statistics.sample_size import (
    Aim,
    interval_of_sd,
    judged_by_people,
    queries_for,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from carob.conventions.policy import Policy
    from carob.conventions.profiles import ProfileLike
    from carob.conventions.request import MeasuresLike
    from carob.evaluation.evidence import Read, RunsLike
    from carob.evaluation.scores import Scores, ScoresByRun
    from carob.inputs.qrels import QrelsLike
    from carob.output.pictures.figures import Drawing

ANSWERS = {
    "difference": "Queries needed to detect a difference of {size:g} with power {power:g}",
    "equivalence": "Queries needed to show that equal runs differ by less than {size:g}, with power {power:g}",
    "non-inferiority": "Queries needed to show that a run is not worse by {size:g}, with power {power:g}",
}
"""What the plan is for, by its aim."""
TESTS = {
    "difference": "Two-sided test at level {alpha:.3g}.",
    "equivalence": "Two one-sided tests, each at level {alpha:.3g}.",
    "non-inferiority": "One one-sided test at level {alpha:.3g}.",
}
"""The test of the plan, by its aim."""


@dataclass(frozen=True)
class Needed:
    """The number of queries that the comparison of two runs by one measure needs.

    Args:
        measure: the measure's label.
        first: the first run.
        second: the second run.
        pilot: the number of queries of the pilot.
        mean: the mean difference in the pilot.
        sd: the standard deviation of the differences in the pilot.
        sd_low: the lower end of its 95% interval.
        sd_high: the upper end of this interval.
        queries: the number of queries needed; infinite beyond 10⁹.
        low: the number for ``sd_low``.
        high: the number for ``sd_high``.
        people: the number of queries that people must judge if a model judges more; NaN without a model.
    """

    measure: str
    first: str
    second: str
    pilot: int
    mean: float
    sd: float
    sd_low: float
    sd_high: float
    queries: float
    low: float
    high: float
    people: float = math.nan


@dataclass(frozen=True, eq=False, repr=False)
class Plan(Documented):
    """The numbers of queries that comparisons need. ``str(plan)`` returns a table.

    Args:
        aim: what to show: a ``difference``, ``equivalence`` or ``non-inferiority``.
        size: the smallest difference to detect, or the margin.
        power: the probability of success.
        alpha: the significance level after the correction.
        comparisons: the number of comparisons for which ``alpha`` was divided (Bonferroni).
        correlation: the correlation between the differences by people's and by a model's judgments; None without one.
        judged: the number of queries that the model judges; None without one.
        rows: the numbers of each measure and pair of runs.
        warnings: doubts about the data of the pilot.
        footers: what else is known about them.
    """

    aim: Aim
    size: float
    power: float
    alpha: float
    comparisons: int
    correlation: float | None
    judged: int | None
    rows: tuple[Needed, ...]
    warnings: tuple[str, ...] = ()
    footers: tuple[str, ...] = ()

    def records(self) -> dict[str, Callable[[], Records]]:
        """Returns the table ``rows``: a row for each measure and pair of runs."""
        return {"rows": lambda: Records.of(Needed, [(each,) for each in self.rows])}

    def figures(self) -> dict[str, Drawing]:
        """Returns the function that draws the number of queries of each pair, with its interval."""
        rows = [
            (f"{each.first} - {each.second}, {each.measure}", each.queries, each.low, each.high)
            for each in self.rows
        ]
        return {"rows": lambda drawn: whiskers(drawn, rows, "queries")}

    def document(self, layout: str = "text") -> Document:
        """Returns the plan as a table for each measure, with sentences about the method."""
        del layout
        several = {
            "comparisons": self.comparisons,
            "alpha": self.alpha,
            "size": self.size,
            "power": self.power,
        }
        answer = Line(filled(ANSWERS[self.aim], **several), "answer")
        measures = dict.fromkeys(each.measure for each in self.rows)
        tables = [Section([self.table(measure)]) for measure in measures]
        notes = [
            (
                "The standard deviation (sd) of the differences comes from the pilot. The last numbers are "
                "those for the two ends of its 95% interval."
            ),
            filled(TESTS[self.aim], **several),
        ]
        if self.comparisons > 1:
            notes.append(
                filled(
                    "The level is divided by {comparisons:planned comparison/planned comparisons} (Bonferroni).",
                    **several,
                )
            )
        if self.correlation is not None:
            notes.append(
                "Judged by people: as exact as all queries judged by people, if a model judges "
                f"{self.judged:,} queries, and its differences correlate with those of people by "
                f"{self.correlation:.15g}."
            )
        if any(each.pilot < FEW for each in self.rows):
            notes.append(
                filled(
                    "The pilot has only {fewest:query/queries}, so its standard deviation is hardly known: "
                    "plan for the upper end of the interval.",
                    fewest=min(each.pilot for each in self.rows),
                )
            )
        warned = [Line(each, mark="! ", tone="warning") for each in self.warnings]
        below = [Section([Items(self.footers, "footer")]), Section(warned)]
        return Document([Section([answer]), *tables, Section([Items(notes)]), *below])

    def table(self, measure: str) -> Table:
        """Returns the table of one measure."""
        rows = [each for each in self.rows if each.measure == measure]
        names = apart([name for each in rows for name in (each.first, each.second)])
        header = [measure, "pilot", "mean", "sd", "queries", "95% interval"]
        header += ["by\npeople"] if self.correlation is not None else []
        cells = [
            [
                f"{names[2 * place]} - {names[2 * place + 1]}",
                str(each.pilot),
                decimals(each.mean, 4, sign=True),
                decimals(each.sd, 4),
                rounded_up(each.queries),
                f"{rounded_up(each.low)} to {rounded_up(each.high)}",
                *([rounded_up(each.people)] if self.correlation is not None else []),
            ]
            for place, each in enumerate(rows)
        ]
        return Table(header, cells)


FEW = 10
"""A standard deviation from fewer queries is hardly known."""


def rounded_up(queries: float) -> str:
    """Returns a number of queries, rounded up."""
    return f"{math.ceil(queries - 1e-6):,}" if math.isfinite(queries) else "-" if math.isnan(queries) else "∞"


@specified
def plan(
    scores: ScoresByRun | Mapping[str, Scores] | Sequence[Scores] | QrelsLike | None,
    runs: RunsLike | None = None,
    measures: MeasuresLike = None,
    *,
    policy: Policy | None = None,
    profile: ProfileLike = None,
    difference: float | None = arguments.DIFFERENCE,
    equivalence: float | None = arguments.DIFFERENCE,
    non_inferiority: float | None = arguments.DIFFERENCE,
    baseline: str | int | None = None,
    power: float = arguments.POWER,
    alpha: float = arguments.ALPHA,
    comparisons: int = arguments.COMPARISONS,
    correlation: float | None = arguments.CORRELATION,
    judged: int | None = arguments.JUDGED,
) -> Plan:
    """Returns the number of queries that a paired t-test needs, from the scores of a pilot.

    The pilot tells how much the differences vary between queries. Its interval of the standard deviation gives an
    interval of the number. Pass exactly one of ``difference``, ``equivalence`` and ``non_inferiority``.

    Args:
        scores: the scores of at least two runs, such as the result of ``carob.evaluate`` or ``carob.read_scores``; or
            with ``runs``, the judgments, as for ``carob.compare``.
        runs: the runs, as for ``carob.compare``.
        measures: the measures, as for ``carob.compare``; None for all of the scores.
        policy: as in ``carob.compare``; of scores, it must be theirs.
        profile: as in ``carob.compare``; of scores, it must be theirs.
        difference: the smallest difference of means that the test should detect.
        equivalence: the margin within which two equal runs should be shown to lie.
        non_inferiority: the margin by which a run that is equally good should be shown not to be worse.
        baseline: the run with which to compare every other run; all pairs without one.
        power: the probability of success.
        alpha: the significance level.
        comparisons: the number of comparisons planned, by which ``alpha`` is divided.
        correlation: the correlation between the differences by people's judgments and by a model's, if a model judges.
        judged: the number of queries that the model judges.

    Returns:
        A row for each measure and pair of runs.

    Raises:
        DataError: fewer than two runs, an unknown baseline, fewer than two queries that both runs share, a size, power,
            level, correlation or number outside its range.

    Source: Cohen 1988, section 2.4, with noncentral t distributions; Sakai 2016 on topic set size design.

    Example:
        >>> import carob
        >>> qrels = {str(query): {"a": 1} for query in range(12)}
        >>> old = {str(query): {"b": 2.0, "a": float(query % 3)} for query in range(12)}
        >>> new = {str(query): {"b": 2.0, "a": float(1 + query % 4)} for query in range(12)}
        >>> found = carob.plan(carob.evaluate(qrels, {"old": old, "new": new}, "RR"), difference=0.1)
        >>> found.rows[0].pilot, found.rows[0].queries > 12
        (12, True)
    """
    aim, size = aim_of(difference, equivalence, non_inferiority)
    refuse_half_a_judge(correlation, judged)
    read = Evidence.of(scores, runs, policy=policy, profile=profile).read(measures)
    level = alpha / comparisons
    rows = tuple(
        row
        for measure in read.scores[0].labels
        for first, second in pairs_of(read, baseline)
        for row in [needed(measure, first, second, aim, size, power, level, correlation, judged)]
    )
    return Plan(aim, size, power, level, comparisons, correlation, judged, rows, *known_of(read.systems))


def aim_of(
    difference: float | None, equivalence: float | None, non_inferiority: float | None
) -> tuple[Aim, float]:
    """Returns what to show, and its size.

    Raises:
        DataError: none or several of them are given.
    """
    sizes = {"difference": difference, "equivalence": equivalence, "non-inferiority": non_inferiority}
    given = {aim: size for aim, size in sizes.items() if size is not None}
    if len(given) != 1:
        remedy = Worded("For example, pass difference=0.02.", "For example, pass --difference 0.02.")
        raise DataError(
            "Say what the comparison should show: exactly one of difference, equivalence and non-inferiority.",
            remedy=remedy,
        )
    aim, size = next(iter(given.items()))
    return cast("Aim", aim), float(size)


def refuse_half_a_judge(correlation: float | None, judged: int | None) -> None:
    """Refuses a correlation without a number of queries, and the reverse.

    Raises:
        DataError: one of these.
    """
    if (correlation is None) != (judged is None):
        raise DataError(
            "correlation and judged belong together: how well a model's differences correlate with those of "
            "people, and how many queries it judges."
        )


def pairs_of(read: Read, baseline: str | int | None) -> list[tuple[Scores, Scores]]:
    """Returns the pairs of runs to compare.

    Raises:
        DataError: there is no such baseline.
    """
    runs, base = read.scores, read.place_of(baseline)
    if base is None:
        return list(combinations(runs, 2))
    return [(each, runs[base]) for place, each in enumerate(runs) if place != base]


def needed(
    measure: str,
    first: Scores,
    second: Scores,
    aim: Aim,
    size: float,
    power: float,
    alpha: float,
    correlation: float | None,
    judged: int | None,
) -> Needed:
    """Returns the numbers of one measure and pair of runs.

    Raises:
        DataError: fewer than two queries have a value in both runs, or all differences are equal.
    """
    theirs = second.by_query(measure)
    differences = [
        value - theirs[query] for query, value in first.by_query(measure).items() if query in theirs
    ]
    found = np.array([each for each in differences if math.isfinite(each)])
    pair = {"measure": measure, "first": first.name, "second": second.name}
    if len(found) < 2:
        raise DataError(
            filled(
                "{measure}, {first} and {second}: {queries:query has/queries have} a value in both runs. A "
                "pilot needs at least two, better twenty.",
                **pair,
                queries=len(found),
            )
        )
    sd = float(found.std(ddof=1))
    if sd <= 1e-12:
        raise DataError(
            filled(
                "{measure}, {first} and {second}: all {queries} differences of the pilot are equal, so it "
                "does not show how much they vary. Use a pilot with more queries.",
                **pair,
                queries=len(found),
            )
        )
    low, high = interval_of_sd(sd, len(found) - 1)
    queries, least, most = (queries_for(aim, size / each, power, alpha) for each in (sd, low, high))
    people = math.nan if correlation is None else judged_by_people(queries, correlation, float(judged or 0))
    sample = (len(found), float(found.mean()), sd, low, high)
    return Needed(measure, first.name, second.name, *sample, queries, least, most, people)
