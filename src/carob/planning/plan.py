"""Computes the number of queries that a comparison needs, from a pilot with few queries."""

from __future__ import annotations

import math
from dataclasses import field
from itertools import combinations
from typing import TYPE_CHECKING, Any, cast

from carob._dataclasses import dataclass, replace
from carob._numpy import np
from carob.conventions import arguments
from carob.conventions.arguments import specified
from carob.evaluation.evidence import Evidence, tables_of
from carob.evaluation.notes import known_of
from carob.output.document import Document, Documented, Items, Line, Section, Table
from carob.output.errors import DataError, Worded, worded
from carob.output.language import plural
from carob.output.layout import apart, decimals, listed
from carob.output.pictures.figures import whiskers
from carob.output.results import Records
from carob.statistics.sample_size import (
    Aim,
    errors_if_significant,
    judged_by_people,
    power_of,
    queries_for,
    upper_limit,
)
from carob.statistics.variance_components import components_of
from carob.statistics.worst_point import crowded_values, fewest_equal

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Collection, Mapping, Sequence

    from carob.conventions.policy import Policy
    from carob.conventions.profiles import ProfileLike
    from carob.conventions.request import MeasuresLike
    from carob.evaluation.evidence import Read, RunsLike, RunTable
    from carob.evaluation.scores import Scores, ScoresByRun
    from carob.inputs.qrels import QrelsLike
    from carob.output.pictures.figures import Drawing

ANSWERS = {
    "difference": "Queries needed to detect a difference of {size:g} with power {power:g}",
    "equivalence": "Queries needed to show that equal runs differ by less than {size:g}, with power {power:g}",
    "non-inferiority": "Queries needed to show that an equally good run is not worse by {size:g}, with power {power:g}",
}
"""The heading of the plan, by its aim."""
TESTS = {
    "difference": "Two-sided test at level {alpha:.3g}.",
    "equivalence": "Two one-sided tests, each at level {alpha:.3g}.",
    "non-inferiority": (
        "One one-sided test at level {alpha:.3g}. A gate at the same alpha uses a two-sided interval: plan for a gate "
        "with half the level."
    ),
}
"""The description of the plan's test, by its aim."""


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
        sd_high: the upper confidence limit of ``sd``, at a nominal level of 90%.
        queries: the number of queries needed if the standard deviation is ``sd``; infinite beyond 10⁹.
        assured: the number of queries needed if the standard deviation is ``sd_high``. With it, about 80% of plans
            reach the power.
        people: the number of queries that people must judge if a model judges more; NaN without a model.
        people_assured: ``people`` if the standard deviation is ``sd_high``.
        pilot_power: the power with only the pilot's queries, if the true difference is the planned one and the standard
            deviation is ``sd``; NaN if the aim is not a ``difference``, or if ``crowded``.
        wrong_sign: the probability that a significant difference on the pilot's queries has the wrong sign (type S
            error).
        exaggeration: the mean size of a significant difference on the pilot's queries, divided by the true difference
            (type M error).
        crowded: whether so many of the pilot's differences are equal that ``compare`` would not use the t-test. If so,
            each number is at least the number of queries for which a worst-point interval suffices if all differences
            are equal.
    """

    measure: str
    first: str
    second: str
    pilot: int
    mean: float
    sd: float
    sd_high: float
    queries: float
    assured: float
    people: float = math.nan
    people_assured: float = math.nan
    pilot_power: float = math.nan
    wrong_sign: float = math.nan
    exaggeration: float = math.nan
    crowded: bool = field(default=False, kw_only=True)


KINDS = ("query", "run", "interaction", "replicate")
"""The kinds of effects that a score consists of."""


@dataclass(frozen=True)
class Variances:
    """The sources of variation of the scores by one measure: score = mean + query + run + interaction + replicate.

    Args:
        measure: the measure's label.
        queries: the number of queries that have a value in every run.
        runs: the number of runs.
        replicates: the number of scores for each query and run.
        query: the variance between queries.
        run: the variance between runs.
        interaction: the variance of the interaction; without replicates, it includes the variance between replicates.
        replicate: the variance between replicates; NaN without replicates.
    """

    measure: str
    queries: int
    runs: int
    replicates: int
    query: float
    run: float
    interaction: float
    replicate: float = math.nan

    @property
    def shares(self) -> str:
        """The percentage of each variance in the total variance, as text."""
        parts = {"queries": self.query, "runs": self.run, "their interaction": self.interaction}
        if not math.isnan(self.replicate):
            parts["replicates"] = self.replicate
        whole = sum(parts.values())
        if not whole:
            return "0"
        return ", ".join(f"{variance / whole:.0%} {name}" for name, variance in parts.items())


@dataclass(frozen=True, eq=False, repr=False)
class VarianceComponents(Documented):
    """The variances of the scores by each measure.

    Args:
        rows: the variances of each measure.
    """

    rows: tuple[Variances, ...]

    def records(self) -> dict[str, Callable[[], Records]]:
        """Returns the table ``rows``, with a row for each measure."""
        return {"rows": lambda: Records.of(Variances, self.rows)}

    def figures(self) -> dict[str, Drawing]:
        """Returns the function that draws the standard deviation of each kind of effect."""
        rows = [
            (f"{kind}, {each.measure}", math.sqrt(getattr(each, kind)), math.nan, math.nan)
            for each in self.rows
            for kind in KINDS
            if not math.isnan(getattr(each, kind))
        ]
        return {"rows": lambda drawn: whiskers(drawn, rows, "standard deviation")}

    def document(self, _layout: str = "text", /) -> Document:
        """Returns the standard deviations as a table, and the percentages of the variances."""
        rows = [
            [
                each.measure,
                str(each.queries),
                str(each.runs),
                *(decimals(math.sqrt(getattr(each, kind)), 4) for kind in KINDS),
            ]
            for each in self.rows
        ]
        header = ["standard deviation", "queries", "runs", *KINDS]
        shares = [f"{each.measure}: the variance is {each.shares}." for each in self.rows]
        how = "Variance components by restricted maximum likelihood, all effects random."
        return Document([Section([Table(header, rows)]), Section([Items([*shares, how])])])


@dataclass(frozen=True, eq=False, repr=False)
class Plan(Documented):
    """The number of queries that each comparison needs. ``str(plan)`` returns a table.

    Args:
        aim: what to show: a ``difference``, ``equivalence`` or ``non-inferiority``.
        size: the smallest difference to detect, or the margin.
        power: the probability of detecting the difference if it exists.
        alpha: the significance level after the correction.
        comparisons: the number of comparisons by which the significance level was divided (Bonferroni).
        correlation: the correlation between the differences by people's judgments and by a model's; None without a
            model.
        judged: the number of queries that the model judges; None without a model.
        rows: the numbers of each measure and pair of runs.
        together: with three or more runs, the numbers for an average pair by each measure, derived from the interaction
            of queries and runs. The names of its runs are empty.
        variances: the variance components from which ``together`` is derived.
        warnings: doubts about the pilot's data.
        footers: further notes on the pilot's data.
    """

    aim: Aim
    size: float
    power: float
    alpha: float
    comparisons: int
    correlation: float | None
    judged: int | None
    rows: tuple[Needed, ...]
    together: tuple[Needed, ...] = ()
    variances: tuple[Variances, ...] = ()
    warnings: tuple[str, ...] = ()
    footers: tuple[str, ...] = ()

    def preregister(
        self,
        path: str | os.PathLike[str],
        *,
        queries: str | os.PathLike[str] | Collection[str] | None = None,
        runs: Collection[str] | None = None,
        baseline: str | None = None,
    ) -> None:
        """Write a preregistration of the planned comparison, for ``carob.Design(preregistered=path)``.

        The file states the first measure, the t-test and its significance level, Holm's correction if several
        comparisons are planned, and the queries. It is in TOML format and may be edited until anybody sees a result.

        Args:
            path: the file to write.
            queries: the ids of the planned queries, or a file with one id per line. The preregistration states the
                number of ids and their hash; without ids, it states the largest assured number.
            runs: the names of the planned runs.
            baseline: the run with which the others will be compared, by name.

        Raises:
            DataError: the plan is not for a difference, or a file cannot be read or written.

        Example:
            >>> import carob, os, pathlib, tempfile
            >>> values = {"old": {"AP": {"q1": 0.1, "q2": 0.2}}, "new": {"AP": {"q1": 0.3, "q2": 0.1}}}
            >>> path = os.path.join(tempfile.mkdtemp(), "plan.toml")
            >>> carob.plan(carob.read_scores(values), difference=0.1).preregister(path, queries=["q1", "q2", "q3"])
            >>> print(pathlib.Path(path).read_text().splitlines()[1])
            measure = "AP"
        """
        from carob.comparison.preregistration import Preregistration, hash_of
        from carob.inputs.query_files import queries_in

        if self.aim != "difference":
            raise DataError(
                f"A preregistration must be for a test of a difference, but this plan is for {self.aim}. Plan for "
                "a difference."
            )
        primary = [each for each in self.rows if each.measure == self.rows[0].measure]
        ids = None if queries is None else sorted({*queries_in(queries)})
        most = max(each.assured for each in primary)
        number = math.ceil(most - 1e-6) if math.isfinite(most) else None
        Preregistration(
            primary[0].measure,
            test="t",
            correction="holm" if self.comparisons > 1 else None,
            alpha=round(self.alpha * self.comparisons, 12),
            baseline=baseline,
            runs=None if runs is None else tuple(runs),
            queries=number if ids is None else len(ids),
            queries_sha256=None if ids is None else hash_of(ids),
        ).save(path)

    def records(self) -> dict[str, Callable[[], Records]]:
        """Returns the tables ``rows``, with a row for each measure and pair of runs, and ``variances``."""
        return {
            "rows": lambda: Records.of(Needed, self.rows),
            "variances": lambda: Records.of(Variances, self.variances),
        }

    def figures(self) -> dict[str, Drawing]:
        """Returns the function that draws the number of queries for each pair, with a line to the assured number."""
        rows = [
            (f"{each.first} - {each.second}, {each.measure}", each.queries, each.queries, each.assured)
            for each in self.rows
        ]
        return {"rows": lambda drawn: whiskers(drawn, rows, "queries")}

    def document(self, _layout: str = "text", /) -> Document:
        """Returns a table for each measure, and notes about the method."""
        answer = Line(ANSWERS[self.aim].format(size=self.size, power=self.power), "answer")
        measures = dict.fromkeys(each.measure for each in self.rows)
        tables = [Section([self.table(measure)]) for measure in measures]
        notes = [
            "queries: the number needed if the standard deviation (sd) of the differences in the pilot is the true sd.",
            (
                "assured: the number needed to be about 80% sure of the power, from the upper limit of the sd. The "
                "limit's nominal level is 90%, but it assumes normal differences, and per-query scores vary less "
                "evenly."
            ),
            TESTS[self.aim].format(alpha=self.alpha),
            *self.errors_said(),
            *self.spread_said(),
        ]
        if self.comparisons > 1:
            planned = plural(self.comparisons, "planned comparison")
            notes.append(f"The level is divided by {planned} (Bonferroni).")
        if self.correlation is not None:
            notes.append(
                f"By people: the number of queries that people must judge if a model judges {self.judged:,} queries, "
                f"its differences have the correlation {self.correlation:.15g} with people's differences, and it was "
                "fixed without people's judgments of these queries. The comparison then concerns similar queries, not "
                "only these."
            )
            if any(math.isinf(each.people or 0.0) for each in self.rows):
                notes.append(
                    "∞: the model judges too few queries, so no number of queries judged by people is enough."
                )
        fewest = min(each.pilot for each in self.rows)
        if fewest < FEW:
            notes.append(
                f"The pilot has only {plural(fewest, 'query', 'queries')}, so its standard deviation is very "
                "uncertain: plan for the assured number."
            )
        crowded = [f"{each.first} - {each.second} ({each.measure})" for each in self.rows if each.crowded]
        if crowded:
            notes.append(
                f"Many differences are equal in {listed(crowded, 3)}. For such differences, carob compare uses "
                "worst-point intervals, which need more queries than the t-test of this plan: the numbers here are at "
                "least the numbers that these intervals need if all differences are equal. Choose the randomisation "
                "test in carob compare, or plan for several times as many queries."
            )
        below = [Section([Items(self.footers, "footer")]), Section.warned(self.warnings)]
        return Document([Section([answer]), *tables, Section([Items(notes)]), *below])

    def errors_said(self) -> list[str]:
        """Returns a sentence about the power on the pilot's queries and the errors of significant results."""
        rows = [each for each in self.rows if not each.crowded]
        if self.aim != "difference" or not rows:
            return []
        said = {}
        for name, digits in (("pilot_power", 2), ("wrong_sign", 3), ("exaggeration", 2)):
            numbers = [getattr(each, name) for each in rows]
            ends = dict.fromkeys(decimals(end(numbers), digits) for end in (min, max))
            said[name] = " to ".join("<0.001" if end == "0.000" else end for end in ends)
        sentence = (
            f"With only the pilot's queries, the power is {said['pilot_power']}. If the true difference is "
            f"{self.size:g}, a significant difference has the wrong sign with probability {said['wrong_sign']}, and "
            f"its mean size is {said['exaggeration']} times the true one (type S and M errors, Gelman and Carlin "
            "2014)."
        )
        return [sentence]

    def spread_said(self) -> list[str]:
        """Returns a sentence for each measure about the number of queries that an average pair needs."""
        return [
            f"{its.measure}, all {its.runs} runs on {its.queries} queries: the variance is {its.shares}. If all pairs "
            f"have the same variance, twice that of the interaction, a pair has the sd {decimals(pair.sd, 4)} and "
            f"needs {rounded_up(pair.queries)} queries, or {rounded_up(pair.assured)} to be assured (topic set size "
            "design, Sakai 2016)."
            for its, pair in zip(self.variances, self.together, strict=True)
        ]

    def table(self, measure: str) -> Table:
        """Returns the table for one measure."""
        rows = [each for each in self.rows if each.measure == measure]
        names = apart([name for each in rows for name in (each.first, each.second)])
        header = [measure, "pilot", "mean", "sd", "queries", "assured"]
        judged = self.correlation is not None
        header += ["by\npeople", "people\nassured"] * judged
        cells = []
        for place, each in enumerate(rows):
            counts = [each.queries, each.assured, *[each.people, each.people_assured] * judged]
            name = f"{names[2 * place]} - {names[2 * place + 1]}"
            numbers = [str(each.pilot), decimals(each.mean, 4, sign=True), decimals(each.sd, 4)]
            cells.append([name, *numbers, *map(rounded_up, counts)])
        return Table(header, cells)


SMALLEST = 1e-12
"""A standard deviation up to this limit counts as 0, because it may be a rounding error."""

FEW = 10
"""A standard deviation estimated from fewer queries is very uncertain."""


def rounded_up(queries: float) -> str:
    """Returns a number of queries as text, rounded up."""
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
    """Returns the number of queries that a paired t-test needs, estimated from the scores of a pilot.

    The pilot shows how much the differences vary between queries. Because its standard deviation is itself uncertain, a
    second number is computed from the upper limit of the standard deviation. Pass exactly one of ``difference``,
    ``equivalence`` and ``non_inferiority``.

    Args:
        scores: the scores of at least two runs, for example from ``carob.evaluate`` or ``carob.read_scores``. If
            ``runs`` is passed, the judgments, as in ``carob.compare``.
        runs: the runs, as in ``carob.compare``.
        measures: the measures, as in ``carob.compare``; None for all measures in the scores.
        policy: as in ``carob.compare``; for scores, it must be the policy of the scores.
        profile: as in ``carob.compare``; for scores, it must be the profile of the scores.
        difference: the smallest difference between means that the test should detect.
        equivalence: the margin within which the difference between two equal runs should be shown to lie.
        non_inferiority: the margin by which an equally good run should be shown not to be worse.
        baseline: the run with which to compare every other run; None to compare all pairs.
        power: the probability of detecting the difference if it exists.
        alpha: the significance level.
        comparisons: the number of planned comparisons, by which ``alpha`` is divided.
        correlation: the correlation between the differences by people's judgments and by a model's, if a model judges.
        judged: the number of queries that the model judges.

    Returns:
        The plan, with a row for each measure and pair of runs.

    Raises:
        DataError: there are fewer than two runs, or fewer than two queries that both runs share; the baseline is
            unknown; or a size, power, level, correlation or number is outside its range.

    Source: Cohen 1988, section 2.4, with noncentral t-distributions; Sakai 2016 on topic set size design.

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
    wanted = Wanted(aim, size, power, level, correlation, judged)
    tables = tables_of(read.scores)[1]
    for table in tables:
        wanted.refuse_too_large(table)
    rows = tuple(
        needed(table, first, second, wanted) for table in tables for first, second in pairs_of(read, baseline)
    )
    variances = variances_of([read.scores]) if len(read.scores) > 2 else ()
    together = tuple(wanted.by_variances(each) for each in variances)
    known = known_of(read.systems)
    return Plan(aim, size, power, level, comparisons, correlation, judged, rows, together, variances, *known)


@specified
def variance_components(*replicates: ScoresByRun | Mapping[str, Scores]) -> VarianceComponents:
    """Return the variance components of the scores of several runs: queries, runs, and their interaction.

    If the interaction is large, a comparison needs many queries, no matter how much queries differ in difficulty. If
    the same runs and queries are scored under several conditions, such as document shards or training seeds, the
    interaction is separated from the variance between these replicates.

    Args:
        replicates: the scores of at least two runs, as returned by ``carob.evaluate`` or ``carob.read_scores``, passed
            once or once per condition. A query is left out if it lacks a value anywhere.

    Raises:
        DataError: there are fewer than two runs or two shared queries, or the replicates differ in their runs or
            measures.

    Source: Searle, Casella and McCulloch 1992, chapter 4; Ferro and Silvello 2016 on components of retrieval systems.

    Example:
        >>> import carob
        >>> qrels = {str(query): {"a": 1} for query in range(12)}
        >>> old = {str(query): {"b": 2.0, "a": float(query % 3)} for query in range(12)}
        >>> new = {str(query): {"b": 2.0, "a": float(1 + query % 4)} for query in range(12)}
        >>> found = carob.variance_components(carob.evaluate(qrels, {"old": old, "new": new}, "RR"))
        >>> round(found.rows[0].interaction, 4)
        0.0341
    """
    found = [Evidence.of(each, None).read() for each in replicates]
    if not found:
        raise DataError("Pass scores of several runs, as carob.evaluate and carob.read_scores return them.")
    first = found[0]
    for other in found[1:]:
        if list(other.systems) != list(first.systems) or other.scores[0].labels != first.scores[0].labels:
            raise DataError(
                "Replicates must be scores of the same runs by the same measures, but one has "
                f"{', '.join(first.systems)}, another has {', '.join(other.systems)}."
            )
    return VarianceComponents(variances_of([each.scores for each in found]))


def variances_of(replicates: Sequence[Sequence[Scores]]) -> tuple[Variances, ...]:
    """Returns the variance components of each measure.

    Args:
        replicates: for each replicate, the scores of all runs.

    Raises:
        DataError: fewer than two queries have a value in all runs and replicates.
    """
    everything = [scores for each in replicates for scores in each]
    runs = len(replicates[0])
    found = []
    for table in tables_of(everything)[1]:
        values = table.complete().values.reshape(-1, len(replicates), runs).swapaxes(1, 2)
        if len(values) < 2:
            raise DataError(f"{table.label}: fewer than two queries have a value in all runs.")
        found.append(Variances(table.label, *values.shape, *components_of(values)))
    return tuple(found)


@dataclass(frozen=True)
class Wanted:
    """What a plan should achieve. The fields are described in ``Plan``."""

    aim: Aim
    size: float
    power: float
    alpha: float
    correlation: float | None
    judged: int | None

    def refuse_too_large(self, table: RunTable) -> None:
        """Refuses a difference that is too large for any two runs.

        Raises:
            DataError: the difference or margin is at least as large as the range of the measure.
        """
        least, greatest = table.limits
        if self.size >= greatest - least:
            raise DataError(
                f"{table.label} ranges from {least:g} to {greatest:g}, so no two runs can differ by more than "
                f"{greatest - least:g}: the {self.aim} of {self.size:g} is too large."
            )

    def numbers(self, sd: float, freedom: float) -> tuple[float, ...]:
        """Returns the values for the fields of ``Needed`` from ``sd`` onwards."""
        limits = (sd, upper_limit(sd, freedom))
        how = (self.power, self.alpha)
        found = [queries_for(self.aim, self.size / each, *how) for each in limits]
        if self.correlation is not None and self.judged is not None:
            model = (self.correlation, self.judged)
            found += [judged_by_people(self.aim, self.size / each, *how, *model) for each in limits]
        return (*limits, *found)

    def fewest_equal(self, table: RunTable) -> float:
        """Returns the number of equal differences for which a worst-point interval achieves the aim of the plan."""
        least, greatest = table.limits
        if not math.isfinite(greatest - least):
            return 0.0
        planned = self.size if self.aim == "difference" else 0.0
        level = self.alpha if self.aim == "difference" else 2 * self.alpha
        return fewest_equal(self.size, greatest - least + planned, level)

    def errors(self, sd: float, queries: int) -> dict[str, Any]:
        """Returns the power on the pilot's queries and the errors of significant results, if planning a difference."""
        if self.aim != "difference":
            return {}
        size = self.size / sd
        errors = errors_if_significant(size * math.sqrt(queries), queries - 1.0, self.alpha)
        power = power_of(self.aim, size, queries, self.alpha)
        return {"pilot_power": power, "wrong_sign": errors[0], "exaggeration": errors[1]}

    def by_variances(self, its: Variances) -> Needed:
        """Returns the numbers for an average pair, derived from the interaction of queries and runs."""
        freedom = (its.queries - 1) * (its.runs - 1)
        sd = max(math.sqrt(2 * its.interaction), SMALLEST)
        return Needed(its.measure, "", "", its.queries, math.nan, *self.numbers(sd, freedom))


def aim_of(
    difference: float | None, equivalence: float | None, non_inferiority: float | None
) -> tuple[Aim, float]:
    """Returns the aim of the plan, and the size of the difference or margin.

    Raises:
        DataError: none or more than one of the arguments is passed.
    """
    sizes = {"difference": difference, "equivalence": equivalence, "non-inferiority": non_inferiority}
    given = {aim: size for aim, size in sizes.items() if size is not None}
    if len(given) != 1:
        one = Worded(
            "difference, equivalence and non_inferiority. For example, pass difference=0.02.",
            "--difference, --equivalence and --non-inferiority. For example, pass --difference 0.02.",
        )
        raise DataError(worded("Specify what the comparison should show, with exactly one of ", one))
    aim, size = next(iter(given.items()))
    return cast("Aim", aim), float(size)


def refuse_half_a_judge(correlation: float | None, judged: int | None) -> None:
    """Refuses a correlation without a number of judged queries, and vice versa.

    Raises:
        DataError: only one of the arguments is passed.
    """
    if (correlation is None) != (judged is None):
        raise DataError(
            worded(
                Worded("correlation and judged", "--correlation and --judged-queries"),
                " must be passed together: how well a model's differences correlate with people's differences, and "
                "how many queries the model judges.",
            )
        )


def pairs_of(read: Read, baseline: str | int | None) -> list[tuple[Scores, Scores]]:
    """Returns the pairs of runs to compare.

    Raises:
        DataError: the baseline is unknown.
    """
    runs, base = read.scores, read.place_of(baseline)
    if base is None:
        return list(combinations(runs, 2))
    return [(each, runs[base]) for place, each in enumerate(runs) if place != base]


def needed(table: RunTable, first: Scores, second: Scores, wanted: Wanted) -> Needed:
    """Returns the numbers for one measure and pair of runs.

    Raises:
        DataError: fewer than two queries have a value in both runs, or all differences are equal.
    """
    measure, theirs = table.label, second.by_query(table.label)
    differences = [
        value - theirs[query] for query, value in first.by_query(measure).items() if query in theirs
    ]
    found = np.array([each for each in differences if math.isfinite(each)])
    pair = f"{measure}, {first.name} and {second.name}"
    if len(found) < 2:
        have = plural(len(found), "query has", "queries have")
        raise DataError(
            f"{pair}: {have} a value in both runs. A pilot needs at least two, and preferably twenty."
        )
    sd = float(found.std(ddof=1))
    if sd <= SMALLEST:
        raise DataError(
            f"{pair}: all {len(found)} differences of the pilot are equal, so it does not show how much they vary. "
            "Use a pilot with more queries."
        )
    sample = (len(found), float(found.mean()))
    made = Needed(measure, first.name, second.name, *sample, *wanted.numbers(sd, len(found) - 1))
    if not crowded_values(found[:, None], differences=True)[0]:
        return replace(made, **wanted.errors(sd, len(found)))
    fewest = wanted.fewest_equal(table)
    names = ("queries", "assured", "people", "people_assured")
    # np.maximum keeps NaN.
    numbers: dict[str, Any] = {name: float(np.maximum(getattr(made, name), fewest)) for name in names}
    return replace(made, **numbers, crowded=True)
