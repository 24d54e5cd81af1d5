"""The data of a comparison: its settings, its results for each measure and each pair of runs, and its warnings."""

from __future__ import annotations

import math
from dataclasses import field
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from carob._cached import cached_property
from carob._dataclasses import dataclass, replace
from carob.comparison.design import Test
from carob.conventions.arguments import specified
from carob.statistics import SEED
from carob.statistics.resampling import RESAMPLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from carob.conventions.arguments import CorrectionName, TestName
    from carob.conventions.request import Measured
    from carob.estimation.unjudged_bounds import UnjudgedBounds
    from carob.evaluation.scores import Scores
    from carob.inputs.names import Names
    from carob.inputs.query_files import Groups
    from carob.lists.rows import Floats
    from carob.measures import Measure
    from carob.statistics.multiple_comparisons import Anova


FAMILY_WISE = ("romano-wolf", "tukey", "max-t")
"""Tests of all pairs at once, whose p needs no further correction."""

NOT_OF_MEANS = ("wilcoxon", "sign")
"""Tests of signs or ranks, whose p agrees with no interval of the mean."""

TESTS = {
    "t": "paired t-test",
    "randomisation": "randomisation test (sign flips)",
    "romano-wolf": "Romano-Wolf step-down test (sign flips)",
    "tukey": "randomised Tukey HSD test",
    "max-t": "max-T randomisation test (sign flips)",
    "wilcoxon": (
        "Wilcoxon signed-rank test (zeros left out; exact for up to 50 other differences, otherwise normal "
        "approximation)"
    ),
    "sign": "sign test",
}
"""The names of the tests, as used in sentences."""

CORRECTIONS = {
    "holm": "Holm",
    "bonferroni": "Bonferroni",
    "bh": "Benjamini-Hochberg (false discovery rate: exploratory)",
    "none": "none",
}
"""The names of the corrections, as used in sentences."""

SHORT_NAMES = {
    "holm": "Holm",
    "bonferroni": "Bonf.",
    "bh": "BH",
    "romano-wolf": "R-W",
    "tukey": "Tukey",
    "max-t": "max-T",
}
"""The names of corrections and tests, as used in column titles."""

NOUNS: dict[TestName, str] = {
    "t": "t-test",
    "randomisation": "randomisation",
    "romano-wolf": "Romano-Wolf",
    "tukey": "Tukey",
    "max-t": "max-T",
    "wilcoxon": "Wilcoxon",
    "sign": "sign test",
}
"""The names of the tests, as used in lists."""

ALPHABET = "abcdefghijklmnopqrstuvwxyz"


@specified
@dataclass(frozen=True)
class Settings(Test):
    """The resolved settings of the test, in addition to those of ``Test``.

    Args:
        test: ``t``, ``randomisation``, ``romano-wolf``, ``tukey``, ``max-t``, ``wilcoxon`` or ``sign``.
        correction: ``holm``, ``bonferroni``, ``bh`` or ``none``; ``none`` for a test that corrects p itself.
        comparisons: the number of comparisons in a family.
        resamples: the number of resamples in a Monte Carlo test; 0 for other tests.
        bootstrap_resamples: the number of resamples of the queries, if intervals are percentiles of a bootstrap.
        seed: the seed of the random number generator.
        baseline: the index of the run with which the others are compared; None if all pairs are compared.
        clusters: the number of clusters of queries, or None if queries are independent.
        by: the name of the grouping of queries, if groups are shown separately, otherwise None.
        in_several_groups: the number of queries that belong to several groups.
        departures: sentences about deviations from what was requested.
        sides: the number of sides of the test.
    """

    name: ClassVar[None] = None  # type: ignore[misc]  # the field ``test`` has it, and defaults resolved
    test: str = ""
    correction: CorrectionName = "none"
    comparisons: int = 0
    resamples: int = 0
    bootstrap_resamples: int = RESAMPLES
    seed: int = SEED
    baseline: int | None = None
    clusters: int | None = None
    by: str | None = None
    in_several_groups: int = 0
    departures: tuple[str, ...] = ()
    sides: int = 2


@dataclass(frozen=True)
class Pair:
    """The comparison of two runs under one measure. The difference is the first run minus the second.

    Args:
        a: the index of the first run.
        b: the index of the second run, which is subtracted from the first.
        n: the number of queries for which both runs have a value.
        difference: the difference between the two runs' aggregates on these queries.
        low: the lower end of the interval.
        high: the upper end of the interval.
        d_z: the mean of the per-query differences divided by their standard deviation.
        wins: the number of queries on which the first run is better.
        ties: the number of queries on which both runs are equal.
        losses: the number of queries on which the second run is better.
        p_uncorrected: the uncorrected p; under ``romano-wolf``, ``tukey`` and ``max-t``, the p of the paired t-test.
        p_corrected: the p corrected for the number of comparisons.
        exact: whether all sign assignments were enumerated instead of sampled.
        error: the Monte Carlo standard error of p; 0 if p is not estimated by resampling.
        detectable: the smallest true difference that the corrected test detects on these queries with 80% power; NaN if
            no difference can be significant, and always NaN for ``tukey``, ``max-t``, ``wilcoxon`` and ``sign``.
        identical: whether the runs have equal values on every query.
        p_equivalent: the p-value of the equivalence test with the margin; None if not requested.
        p_worse: the posterior probability that the first run is worse by more than the rope; None if not requested.
        p_same: the posterior probability that the difference is within the rope.
        p_better: the posterior probability that the first run is better by more than the rope.
        joint_low: the lower end of the interval that is corrected for all comparisons of the family, at the confidence
            level 1 - alpha. This interval excludes 0 if and only if ``p_corrected`` is below alpha. It is NaN if the
            test does not compare means.
        joint_high: the upper end of the corrected interval.
        worst_point: whether the interval is a worst-point interval, which allows for unobserved values. If so,
            ``p_equivalent``, the posterior probabilities, and ``p_uncorrected`` of the tests ``t``, ``romano-wolf``,
            ``tukey`` and ``max-t`` are derived from this interval, and the corrected p of these tests is not smaller
            than ``p_uncorrected``.
        p_t_test: the p of the paired t-test if ``p_uncorrected`` is derived from the worst-point interval, otherwise
            None.
        ratio: for measures that are geometric means, the ratio of the first mean to the second, which the test
            concerns; None for other measures. The difference of geometric means has no interval, unless intervals are
            percentiles of a bootstrap.
        ratio_low: the lower end of the interval of the ratio.
        ratio_high: the upper end of the interval.
    """

    a: int
    b: int
    n: int
    difference: float
    low: float
    high: float
    d_z: float
    wins: int
    ties: int
    losses: int
    p_uncorrected: float
    p_corrected: float
    exact: bool
    error: float
    detectable: float
    identical: bool
    p_equivalent: float | None = None
    p_worse: float | None = None
    p_same: float | None = None
    p_better: float | None = None
    joint_low: float = math.nan
    joint_high: float = math.nan
    worst_point: bool = False
    p_t_test: float | None = None
    d_z_low: float | None = None
    d_z_high: float | None = None
    superiority: float | None = None
    superiority_low: float | None = None
    superiority_high: float | None = None
    ratio: float | None = None
    ratio_low: float | None = None
    ratio_high: float | None = None


@dataclass(frozen=True, eq=False)
class GroupResult:
    """The results for one group of queries.

    Args:
        name: the group.
        ungrouped: whether the result is for the queries that belong to no group.
        queries: the number of queries in the group.
        means: each run's aggregate on these queries.
        pairs: the compared pairs, on these queries only; p is not corrected, so ``p_corrected`` is NaN.
    """

    name: str
    ungrouped: bool
    queries: int
    means: tuple[float, ...]
    pairs: tuple[Pair, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Contest:
    """The comparison of all runs under one measure.

    Args:
        label: the name of the measure in tables.
        measure: the measure.
        values: each run's per-query values; NaN where a run has no value [queries, runs].
        means: each run's aggregate.
        low: the lower end of the interval.
        high: the upper end of the interval.
        beaten: for each run, the indices of the runs that it significantly outperforms.
        pairs: with a baseline, (run, baseline) for every other run; otherwise all pairs, with the earlier run first.
        groups: the comparison within each group of queries, if requested.
        anova: the two-way (queries by runs) analysis of variance of three or more runs; None if a run has no value for
            a query.
        smaller_is_better: whether a lower value is better.
        counts: for each run, the number of collections that contain it, if the comparison is over several collections.
        worst_point: whether the interval of each run is a worst-point interval, which allows for unobserved values.
        places: the place of each run under the first measure, counted from 0, from which its letter in all tables is
            derived.
        numbered: whether runs are marked with numbers instead of letters, because the name of a run is a single letter.
    """

    label: str
    measure: Measure
    values: Floats
    means: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    beaten: tuple[tuple[int, ...], ...]
    pairs: tuple[Pair, ...]
    groups: tuple[GroupResult, ...] = field(default=(), kw_only=True)
    anova: Anova | None = field(default=None, kw_only=True)
    smaller_is_better: bool = field(default=False, kw_only=True)
    counts: tuple[int, ...] = field(default=(), kw_only=True)
    worst_point: tuple[bool, ...] = field(default=(), kw_only=True)
    places: tuple[int, ...] = field(kw_only=True)
    numbered: bool = field(default=False, kw_only=True)

    @cached_property
    def marks(self) -> tuple[str, ...]:
        """The letter or number that marks each run: ``a`` or 1 for the best run under the first measure."""
        return tuple(letter(place, numbered=self.numbered) for place in self.places)

    @cached_property
    def letters(self) -> tuple[str, ...]:
        """For each run, the letters of the runs that it significantly outperforms."""
        return tuple(map(self.letters_of, self.beaten))

    def letters_of(self, runs: Iterable[int]) -> str:
        """Returns the letters of runs, best first, separated by commas if a letter can have more than one character."""
        marks = [self.marks[run] for run in sorted(runs, key=self.places.__getitem__)]
        return ("," if self.numbered or len(self.means) > len(ALPHABET) else "").join(marks)

    @cached_property
    def ranks(self) -> tuple[tuple[int, int], ...]:
        """For each run, its best and worst possible rank: below all runs shown to be better, above all shown worse.

        If the test is corrected for all pairs, these intervals simultaneously contain all true ranks with probability
        at least 1 - alpha (Mogstad, Romano, Shaikh and Wilhelm, Review of Economic Studies, 2024).
        """
        better = [sum(run in each for each in self.beaten) for run in range(len(self.means))]
        return tuple(
            (1 + ahead, len(self.means) - len(each)) for ahead, each in zip(better, self.beaten, strict=True)
        )

    def between(self, run: int, other: int) -> Pair:
        """Returns the pair of the two runs, with ``run`` first. The runs must have been compared."""
        return next(turned(pair, run) for pair in self.pairs if {pair.a, pair.b} == {run, other})

    def differ(self, run: int, other: int) -> bool:
        """Returns whether one of the two runs is significantly better than the other."""
        return other in self.beaten[run] or run in self.beaten[other]

    def __repr__(self) -> str:
        """Returns a one-line summary of the runs, queries and pairs."""
        runs, pairs = len(self.means), len(self.pairs)
        return f"<carob contest under {self.label}: {runs} runs, {len(self.values)} queries, pairs: {pairs}>"


@dataclass(frozen=True)
class Caution:
    """A warning about the conclusions or the numbers of a comparison.

    Args:
        kind: ``unjudged``, ``missing``, ``ties``, ``few``, ``undefined``, ``identical``, ``resamples``, ``many``,
            ``weights``, ``test`` …
        runs: the indices of the runs concerned.
        sentence: the sentence printed below a table.
        numbers: the figures in the sentence.
    """

    kind: str
    runs: tuple[int, ...]
    sentence: str
    numbers: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class JudgeComparison:
    """The judge's values of one measure, compared with people's. Tuples have one element per run or per pair of runs.

    Args:
        weight: λ, the weight of the judge's values.
        bias: the judge's values minus people's values, averaged over the runs.
        low: the lower end of the interval of the bias.
        high: the upper end of the interval.
        people: each run's mean value under people's judgments, over the queries that people judged.
        judge: each run's mean value under the judge's judgments, over all queries.
        biases: the bias of each run.
        lows: the lower end of the interval of each run's bias.
        highs: the upper end of the interval.
        worth: for each run, the number of queries that people would have to judge to reach an equally narrow interval
            without the judge.
        worth_pairs: as ``worth``, for the difference of each pair.
        needed: for each run, the number of queries that people must judge to reach the target width; NaN if no number
            suffices.
        needed_pairs: as ``needed``, for the difference of each pair.
        apart: the judge's mean over the queries that people judged minus the judge's mean over all queries, in standard
            errors.
        unequal: whether the bias differs significantly between any two runs.
        favoured: the runs whose bias is significantly larger than that of most others.
    """

    weight: float
    bias: float
    low: float
    high: float
    people: tuple[float, ...]
    judge: tuple[float, ...]
    biases: tuple[float, ...]
    lows: tuple[float, ...]
    highs: tuple[float, ...]
    worth: tuple[float, ...]
    worth_pairs: tuple[float, ...]
    needed: tuple[float, ...]
    needed_pairs: tuple[float, ...]
    apart: float
    unequal: bool = False
    favoured: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Judging:
    """Facts about a model judge, in a comparison whose means are estimated from people's and the judge's values.

    Args:
        name: the name of the judge's judgments.
        target: the queries that estimates concern: ``these`` queries, or queries ``similar`` to them.
        sample: the number of queries that both people and the judge judged.
        queries: the number of queries that the judge judged.
        fixed: λ, if it was given rather than fitted; otherwise None.
        strata: the number of strata of queries, or None.
        tuned: the number of judged queries on which the judge was tuned; None if none were declared.
        width: the target width of the intervals of means, by default half the current median width.
        width_pairs: the target width of the intervals of differences, by default half the current median width.
        alone: the queries that only people judged and that are therefore left out.
        undefined: for each measure, the number of queries that are left out because a run has no value.
        measures: the judge's values of each measure, by label.
        documents: the number of documents that people judged, if they judged sampled documents instead of whole
            queries.
        judged: the share of each run's documents that the judge judged, down to the depth of the comparison.
        kappa: the quadratically weighted κ between people's and the judge's grades of the same documents, excluding the
            queries on which the judge was tuned; NaN if there are too few such documents, or if only scores were given.
        assessed: whether the standard errors include the noise of human assessors, in which case an error remains even
            if people judged all queries.
    """

    name: str
    target: str
    sample: int
    queries: int
    fixed: float | None
    strata: int | None
    width: float
    width_pairs: float
    alone: tuple[str, ...]
    undefined: dict[str, int]
    measures: dict[str, JudgeComparison]
    documents: int | None = None
    judged: tuple[float, ...] = ()
    tuned: int | None = None
    kappa: float = math.nan
    assessed: bool = False

    @property
    def complete(self) -> bool:
        """Whether people judged every query that the estimates concern."""
        return self.documents is None and self.sample == self.queries and self.target == "these"

    @property
    def exact(self) -> bool:
        """Whether values are exact: people judged every query, and the noise of assessors was not estimated."""
        return self.complete and not self.assessed


@dataclass(frozen=True, eq=False)
class AssessedSeries:
    """The noise due to assessors in each of several series, which are runs or differences of runs. Arrays are [series].

    Args:
        deviation: the standard deviation of a query's value between assessors.
        share: the square of ``deviation`` as a share of the variance between queries, which includes it; NaN if that
            variance is 0 or unknown.
        shift: the mean over queries of the value under the second assessor's grades minus the value under the first's.
        shift_low: the lower end of the interval of the shift.
        shift_high: the upper end of the interval.
        half: half the width of the interval for the mean that all possible assessors would obtain on these queries; NaN
            with a judge, because the interval of the estimate is then already an interval for this mean.
    """

    deviation: Floats
    share: Floats
    shift: Floats
    shift_low: Floats
    shift_high: Floats
    half: Floats

    def part(self, places: slice) -> AssessedSeries:
        """Returns the selected series."""
        return AssessedSeries(*(each[places] for each in vars(self).values()))


@dataclass(frozen=True, eq=False)
class AssessedMeasure:
    """The noise due to assessors in one measure.

    Args:
        queries: the number of queries that both assessors judged.
        runs: the noise in each run.
        pairs: the noise in the difference of each compared pair.
        shifted: the indices of the pairs whose difference is shifted significantly, after correction for all pairs.
    """

    queries: int
    runs: AssessedSeries
    pairs: AssessedSeries
    shifted: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Assessors:
    """How much of a comparison's variance is due to assessors, estimated from a second assessor of some documents.

    Args:
        name: the name of the second assessor's judgments.
        documents: the number of documents that the first assessor judged for the queries that both judged.
        shared: the number of these documents that the second assessor also judged.
        equal: the number of shared documents to which both assessors gave the same grade.
        unused: the measures whose noise is not estimated, because they are not plain means over queries.
        measures: the noise in the other measures, by label.
        ranges: the ranges of the two assessors' grades if the assessors seem to use different scales, otherwise None.
    """

    name: str
    documents: int
    shared: int
    equal: int
    unused: tuple[str, ...]
    measures: dict[str, AssessedMeasure]
    ranges: tuple[str, str] | None = None


@dataclass(frozen=True)
class Registered:
    """The preregistered plan of a comparison, and the deviations from it.

    Args:
        file: the path of the preregistration.
        sha256: the SHA-256 of the file.
        deviations: sentences about what was not done as planned.
        stated: the names of the settings that the file states; only these can show a deviation.
        unstated: the names of the settings that the file does not state.
    """

    file: str
    sha256: str
    deviations: tuple[str, ...]
    stated: tuple[str, ...]
    unstated: tuple[str, ...]


@dataclass(frozen=True)
class OtherTest:
    """The decision of a test that is not the comparison's own, for the primary measure.

    Args:
        test: the test.
        correction: the correction of its p, as in ``Settings``.
        a: the index of the first run of the pair that the verdict mentions first.
        b: the index of the second run of that pair.
        p_corrected: the corrected p of this pair.
        significant: whether this pair differs significantly.
        turned: the number of pairs that are significant under only one of the two tests.
    """

    test: TestName
    correction: str
    a: int
    b: int
    p_corrected: float
    significant: bool
    turned: int


@dataclass(frozen=True, eq=False, repr=False)
class Findings:
    """The data of a comparison: scores, results by measure, and warnings. ``carob.Comparison`` has the same fields."""

    names: tuple[str, ...]
    scores: tuple[Scores, ...]
    labels: tuple[str, ...]
    ids: Names
    contests: dict[str, Contest]
    settings: Settings
    judged: tuple[float, ...]
    judged_depth: int
    warnings: tuple[Caution, ...] = ()
    qrels_name: str = ""
    orders: Any = None
    judge: Judging | None = None
    unjudged: UnjudgedBounds | None = None
    other_tests: tuple[OtherTest, ...] = ()
    preregistration: Registered | None = None
    assessors: Assessors | None = None
    groups: Groups | None = None

    @property
    def exact(self) -> bool:
        """Whether a comparison with a judge is exact because people judged every query that it concerns."""
        return self.judge is not None and self.judge.exact

    @property
    def queries(self) -> tuple[str, ...]:
        """The queries that occur in at least one run, in byte order."""
        return self.ids.texts

    @cached_property
    def primary(self) -> Contest:
        """The comparison under the primary measure, which is the first."""
        return self.contests[self.labels[0]]

    def __getitem__(self, measure: str | Measured) -> Contest:
        """Returns the comparison under one measure, which may have its carob or its trec_eval name.

        Raises:
            MeasureError: the measure was not compared.
        """
        return self.contests[self.labels[self.scores[0].column(measure)]]


def ranked(contest: Contest) -> list[int]:
    """Returns the runs from the best to the worst."""
    return best_first(contest.means, -1.0 if contest.smaller_is_better else 1.0, contest.counts)


def pairs_named(names: Sequence[str], contest: Contest) -> list[dict[str, Any]]:
    """Returns each pair as a dict, with the names of both runs and whether they differ significantly."""
    return [
        {
            "run": names[pair.a],
            "other": names[pair.b],
            "significant": contest.differ(pair.a, pair.b),
            **vars(pair),
        }
        for pair in contest.pairs
    ]


def best_named(names: Sequence[str], contest: Contest) -> dict[str, Any]:
    """Returns the run with the best mean, and whether it significantly outperforms all runs with which it is compared.

    ``best`` is None if no run has a mean, and ``significant`` is None if the best run is not compared with any run.
    """
    best = ranked(contest)[0]
    if math.isnan(contest.means[best]):
        return {"best": None, "significant": None}
    others = {pair.b if pair.a == best else pair.a for pair in contest.pairs if best in (pair.a, pair.b)}
    return {"best": names[best], "significant": others <= {*contest.beaten[best]} if others else None}


def best_first(means: Sequence[float], sign: float, counts: Sequence[int] = ()) -> list[int]:
    """Returns the runs from the best to the worst mean. Runs whose mean is NaN are last.

    Args:
        means: the mean of each run.
        sign: 1 if larger means are better, otherwise -1.
        counts: for each run, the number of collections that contain it. Means over different collections are not
            comparable, so runs with fewer collections are placed after the others.
    """
    fewer = [each < max(counts) for each in counts] or [False] * len(means)
    return sorted(range(len(means)), key=lambda run: (math.isnan(means[run]), fewer[run], -sign * means[run]))


AnyPair = TypeVar("AnyPair", bound=Any)
"""The type of a pair of runs, which is compared on queries or on collections."""

SWAPPED = (("a", "b"), ("wins", "losses"), ("p_worse", "p_better"))
NEGATED = (
    ("difference", "difference"),
    ("d_z", "d_z"),
    ("low", "high"),
    ("joint_low", "joint_high"),
    ("d_z_low", "d_z_high"),
)
COMPLEMENTED = (("superiority", "superiority"), ("superiority_low", "superiority_high"))
INVERTED = (("ratio", "ratio"), ("ratio_low", "ratio_high"))
EFFECTS = ("d_z_low", "d_z_high", "superiority", "superiority_low", "superiority_high")
"""How the fields of a pair change if its two runs are swapped: two fields exchange their values, their negated values,
1 minus their values, or the reciprocals of their values.

``EFFECTS`` contains the fields of effect sizes, which a pair has if they were requested."""


def turned(pair: AnyPair, first: int) -> AnyPair:
    """Returns the pair with the given run first; if the runs are swapped, differences, wins and losses are reversed."""
    if pair.a == first:
        return pair
    changed: dict[str, Any] = {}
    for one, other in SWAPPED:
        changed |= {one: getattr(pair, other), other: getattr(pair, one)}
    for names, whole in ((NEGATED, 0.0), (COMPLEMENTED, 1.0)):
        for one, other in names:
            if getattr(pair, one, None) is not None:
                changed |= {one: whole - getattr(pair, other), other: whole - getattr(pair, one)}
    for one, other in INVERTED:
        if getattr(pair, one, None) is not None:
            changed |= {one: 1 / getattr(pair, other), other: 1 / getattr(pair, one)}
    return replace(pair, **changed)


def better_first(contest: Contest, pairs: Iterable[AnyPair], baseline: int | None = None) -> list[AnyPair]:
    """Returns pairs as tables show them: with the better run first, and sorted by the ranks of the runs.

    With a baseline, the baseline remains the second run of each pair, and the pairs keep their order. In
    machine-readable output, the run that was passed first is always the first run of a pair.
    """
    if baseline is not None:
        return [*pairs]
    place = {run: number for number, run in enumerate(ranked(contest))}
    facing = [turned(pair, min(pair.a, pair.b, key=place.__getitem__)) for pair in pairs]
    return sorted(facing, key=lambda pair: (place[pair.a], place[pair.b]))


def facing_pairs(comparison: Findings) -> list[tuple[int, int]]:
    """Returns the two runs of each pair, in the order of the table of differences."""
    contest = comparison.primary
    facing = better_first(contest, contest.pairs, comparison.settings.baseline)
    return [(pair.a, pair.b) for pair in facing]


def pair_names(names: Sequence[str], pairs: Iterable[AnyPair]) -> list[str]:
    """Returns the names of the two runs of each pair, as "first - second"."""
    return [f"{names[pair.a]} - {names[pair.b]}" for pair in pairs]


def named_by_letter(names: Iterable[str]) -> bool:
    """Returns whether a run's name is a single letter, which could be mistaken for a letter that marks a run."""
    return any(name.casefold() in set(ALPHABET) for name in names)


def letter(place: int, *, numbered: bool = False) -> str:
    """Returns the letter that marks a run in the tables.

    Args:
        place: the place of the run under the first measure, counted from 0.
        numbered: whether to return a number, counted from 1, instead of a letter.

    Example:
        >>> from carob.comparison.findings import letter
        >>> letter(0), letter(25), letter(26), letter(702)
        ('a', 'z', 'aa', 'aaa')
    """
    place += 1
    if numbered:
        return str(place)
    written = ""
    while place:
        place, last = divmod(place - 1, len(ALPHABET))
        written = ALPHABET[last] + written
    return written
