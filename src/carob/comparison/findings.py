"""The data of a comparison: its settings, its results by measure and by pair of runs, and its warnings."""

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
"""Tests of all pairs at once, which need no correction."""

NOT_OF_MEANS = ("wilcoxon", "sign")
"""Tests of signs or ranks: no interval of the mean agrees with their p."""

TESTS = {
    "t": "paired t-test",
    "randomisation": "randomisation test (sign flips)",
    "romano-wolf": "Romano-Wolf step-down test (sign flips)",
    "tukey": "randomised Tukey HSD test",
    "max-t": "max-T randomisation test (sign flips)",
    "wilcoxon": (
        "Wilcoxon signed-rank test (zeros left out; exact for up to 50 other differences, else normal approximation)"
    ),
    "sign": "sign test",
}
"""The names of the tests in sentences."""

CORRECTIONS = {
    "holm": "Holm",
    "bonferroni": "Bonferroni",
    "bh": "Benjamini-Hochberg (false discovery rate: exploratory)",
    "none": "none",
}
"""The names of the corrections in sentences."""

SHORT_NAMES = {
    "holm": "Holm",
    "bonferroni": "Bonf.",
    "bh": "BH",
    "romano-wolf": "R-W",
    "tukey": "Tukey",
    "max-t": "max-T",
}
"""The names of corrections and tests in titles of columns."""

NOUNS: dict[TestName, str] = {
    "t": "t-test",
    "randomisation": "randomisation",
    "romano-wolf": "Romano-Wolf",
    "tukey": "Tukey",
    "max-t": "max-T",
    "wilcoxon": "Wilcoxon",
    "sign": "sign test",
}
"""The names of the tests in lists."""

ALPHABET = "abcdefghijklmnopqrstuvwxyz"


@specified
@dataclass(frozen=True)
class Settings(Test):
    """The resolved settings of the test, in addition to those of ``Test``.

    Args:
        test: ``t``, ``randomisation``, ``romano-wolf``, ``tukey``, ``max-t``, ``wilcoxon`` or ``sign``.
        correction: ``holm``, ``bonferroni``, ``bh`` or ``none``; ``none`` for a test that corrects p itself.
        comparisons: the number of comparisons in a family.
        resamples: the number of resamples of a Monte Carlo test; 0 for other tests.
        bootstrap_resamples: the number of resamples of the queries where intervals are percentiles of a bootstrap.
        seed: the seed of the random numbers.
        baseline: the index of the run that the others are compared with; None for all pairs.
        clusters: the number of clusters of queries, or None where queries are independent.
        by: the name of the grouping of queries, where groups are shown separately; else None.
        in_several_groups: the number of queries that count in several groups.
        departures: deviations from what was requested, in sentences.
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
    """The comparison of two runs by one measure. The difference is the first run minus the second.

    Args:
        a: the index of the first run.
        b: the index of the second.
        n: the number of queries that both runs have.
        difference: the difference of the aggregates on these queries.
        low: the lower end of its interval.
        high: the upper end.
        d_z: the mean of the queries' differences divided by their standard deviation.
        wins: the number of queries on which the first run is better.
        ties: the number of queries on which both runs are equal.
        losses: the number of queries on which the second run is better.
        p_uncorrected: the uncorrected p; under ``romano-wolf``, ``tukey`` and ``max-t``, the p of the paired t-test.
        p_corrected: the p corrected for the number of comparisons.
        exact: whether all sign assignments were counted, not a random sample.
        error: the Monte Carlo standard error of p; 0 where p is not estimated by resampling.
        detectable: the smallest difference that the corrected test detects on these queries with 80% power; NaN if no
            difference can be significant, and for ``tukey``, ``max-t``, ``wilcoxon`` and ``sign``.
        identical: whether the runs are equal on every query.
        p_equivalent: the p-value of the equivalence test with the margin; None if not requested.
        p_worse: the posterior probability that the first is worse by more than the rope; None if not requested.
        p_same: the probability that the difference lies within the rope.
        p_better: the probability that the first run is better by more than the rope.
        joint_low: the lower end of the interval that is corrected for all comparisons of the family, at the level 1 -
            alpha. This interval excludes 0 exactly if ``p_corrected`` is below alpha. It is NaN if the test does not
            compare means.
        joint_high: the upper end of this interval.
        worst_point: whether the interval is a worst-point interval, which allows for values that were not seen. Then
            ``p_uncorrected`` of the tests ``t``, ``romano-wolf``, ``tukey`` and ``max-t``, ``p_equivalent`` and the
            posterior are those of this interval, and no corrected p of these tests is smaller.
        p_t_test: the p of the paired t-test where ``p_uncorrected`` is that of the worst-point interval; else None.
        ratio: the ratio of two geometric means, first by second, which the test is about; None for other measures.
            Their difference then has no interval, unless intervals are percentiles of a bootstrap.
        ratio_low: the lower end of its interval.
        ratio_high: the upper end.
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
        ungrouped: whether it stands for the queries without a group.
        queries: the number of queries in the group.
        means: each run's aggregate on these queries.
        pairs: the pairs of the contest, on these queries only; p is not corrected, so ``p_corrected`` is NaN.
    """

    name: str
    ungrouped: bool
    queries: int
    means: tuple[float, ...]
    pairs: tuple[Pair, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Contest:
    """The comparison of all runs by one measure.

    Args:
        label: the name of the measure in tables.
        measure: the measure.
        values: each run's values, NaN where it has none [queries, runs].
        means: each run's aggregate.
        low: the lower end of its interval.
        high: the upper end.
        beaten: for each run, the indices of the runs that it significantly outperforms.
        pairs: with a baseline, (run, baseline) for every other run; else all pairs, the earlier run first.
        groups: the comparison within each group of queries, if requested.
        anova: the two-way analysis of variance, queries by runs, of three or more runs; None if a run lacks a query.
        smaller_is_better: whether a lower value is better.
        counts: the number of collections that have the run, where collections are compared.
        worst_point: whether the interval of each run is a worst-point interval, which allows for values that were not
            seen.
        places: the place of each run by the first measure, counted from 0, which its letter states in all tables.
        numbered: whether numbers stand in place of letters, since the name of a run is itself a letter.
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
        """The letter of each run: ``a``, or the number 1, for the best by the first measure."""
        return tuple(letter(place, numbered=self.numbered) for place in self.places)

    @cached_property
    def letters(self) -> tuple[str, ...]:
        """For each run, the letters of the runs that it significantly outperforms."""
        return tuple(map(self.letters_of, self.beaten))

    def letters_of(self, runs: Iterable[int]) -> str:
        """Returns the letters of runs, best first, separated by commas if one may have several characters."""
        marks = [self.marks[run] for run in sorted(runs, key=self.places.__getitem__)]
        return ("," if self.numbered or len(self.means) > len(ALPHABET) else "").join(marks)

    @cached_property
    def ranks(self) -> tuple[tuple[int, int], ...]:
        """For each run, its first and last possible rank: below all runs shown to be better, above all shown worse.

        With a test that is corrected for all pairs, all true ranks lie in these intervals at once with its confidence
        (Mogstad, Romano, Shaikh and Wilhelm, Review of Economic Studies, 2024).
        """
        better = [sum(run in each for each in self.beaten) for run in range(len(self.means))]
        return tuple(
            (1 + ahead, len(self.means) - len(each)) for ahead, each in zip(better, self.beaten, strict=True)
        )

    def between(self, run: int, other: int) -> Pair:
        """Returns the comparison of two runs, with ``run`` first. The two runs must have been compared."""
        return next(turned(pair, run) for pair in self.pairs if {pair.a, pair.b} == {run, other})

    def differ(self, run: int, other: int) -> bool:
        """Returns whether one of two runs is shown to be better than the other."""
        return other in self.beaten[run] or run in self.beaten[other]

    def __repr__(self) -> str:
        """Returns a one-line summary of the runs, queries and pairs."""
        runs, pairs = len(self.means), len(self.pairs)
        return f"<carob contest under {self.label}: {runs} runs, {len(self.values)} queries, pairs: {pairs}>"


@dataclass(frozen=True)
class Caution:
    """A warning for the reader of the numbers.

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
    """The judge's values of one measure, compared with people's. Lists are by run or by pair of the contest.

    Args:
        weight: λ, the weight of the judge's values.
        bias: by how much the judge's values are larger than people's, on average over the runs.
        low: the lower end of the interval of the bias.
        high: the upper end.
        people: each run's mean of people's values over the queries that people judged.
        judge: each run's mean of the judge's values over all queries.
        biases: the bias of each run.
        lows: the lower end of its interval.
        highs: the upper end.
        worth: for each run, the number of queries that people would have to judge, without the judge, for an equally
            narrow interval.
        worth_pairs: the same for the difference of each pair.
        needed: for each run, the number of queries that people must judge for the target width; NaN if none suffices.
        needed_pairs: the same for the difference of each pair.
        apart: how many standard errors the judge's mean over the queries that people judged lies above the judge's mean
            over all queries.
        unequal: whether the bias differs significantly between two of the runs.
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
    """The role of a model judge in a comparison whose means are estimated from people's and the judge's values.

    Args:
        name: the name of the judge's grades.
        target: ``these`` queries, or queries ``similar`` to these.
        sample: the number of queries that people and the judge judged.
        queries: the number of queries that the judge judged.
        fixed: λ, if it was given and not fitted.
        strata: the number of strata of queries, or None.
        tuned: the number of judged queries on which the judge was tuned; None if none was declared.
        width: the target width of the intervals of values, by default half the present median width.
        width_pairs: the target width of the intervals of differences, by default half the present median width.
        alone: the queries that only people judged, which are left out.
        undefined: the number of queries that are left out because a run has no value, by label.
        measures: the judge's values of each measure, by label.
        documents: the number of documents that people judged, if people judged sampled documents and not whole queries.
        judged: the share of each run's top documents that the judge judged, to the depth of the comparison.
        kappa: the quadratic κ between people's and the judge's grades of the same documents, without the queries on
            which the judge was tuned; NaN if these are few or unknown, as from scores.
        assessed: whether the errors contain the noise of people's assessors, so that even people's judgments of all
            queries leave an error.
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
        """Whether nothing is estimated: people judged every query, and no second assessor shows their noise."""
        return self.complete and not self.assessed


@dataclass(frozen=True, eq=False)
class AssessedSeries:
    """The noise of two assessors in several runs, or in several differences of runs. Each array is [series].

    Args:
        deviation: the standard deviation of a query's value from one assessor to another.
        share: its square as a share of the variance between queries, which contains it; NaN without such a variance.
        shift: the mean of the queries' values by the second assessor's grades minus those by the first's.
        shift_low: the lower end of its interval.
        shift_high: the upper end.
        half: half the width of the interval of the mean of all assessors over these queries; NaN with a judge, where
            the interval of the estimate has this meaning.
    """

    deviation: Floats
    share: Floats
    shift: Floats
    shift_low: Floats
    shift_high: Floats
    half: Floats

    def part(self, places: slice) -> AssessedSeries:
        """Returns some of the series."""
        return AssessedSeries(*(each[places] for each in vars(self).values()))


@dataclass(frozen=True, eq=False)
class AssessedMeasure:
    """The noise of two assessors in one measure.

    Args:
        queries: the number of queries that both judged.
        runs: the noise of each run.
        pairs: the noise of each pair of the contest.
        shifted: the places of the pairs whose difference is shifted significantly, corrected for all pairs.
    """

    queries: int
    runs: AssessedSeries
    pairs: AssessedSeries
    shifted: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Assessors:
    """The part of a comparison's variance that is due to assessors, by a second assessor of some of the documents.

    Args:
        name: the name of the second assessor's judgments.
        documents: the number of documents that the first assessor judged, of the queries that both judged.
        in_several_groups: the number of these that the second assessor also judged.
        equal: the number of these that have the same grade.
        unused: the measures that are not plain means over queries, whose noise is not estimated.
        measures: the noise by the other measures, by label.
        ranges: the ranges of the two assessors' grades if these seem to be two scales, else None.
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
    """The preregistration that a comparison was held to.

    Args:
        file: its file.
        sha256: the SHA-256 of the file.
        deviations: sentences on what was not done as planned.
        stated: what the file states, in words: only this can show a deviation.
        unstated: what it does not state.
    """

    file: str
    sha256: str
    deviations: tuple[str, ...]
    stated: tuple[str, ...]
    unstated: tuple[str, ...]


@dataclass(frozen=True)
class OtherTest:
    """The decision of a test other than the comparison's, for the primary measure.

    Args:
        test: the test.
        correction: its correction, as in ``Settings``.
        a: the index of the first run of the pair that the verdict opens with.
        b: the index of the second run.
        p_corrected: the corrected p of this pair.
        significant: whether this pair differs significantly.
        turned: the number of pairs that are significant by one of the two tests only.
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
        """Whether people judged every query that a comparison with a judge concerns, so that nothing is estimated."""
        return self.judge is not None and self.judge.exact

    @property
    def queries(self) -> tuple[str, ...]:
        """The queries that any run has, in byte order."""
        return self.ids.texts

    @cached_property
    def primary(self) -> Contest:
        """The comparison by the first measure."""
        return self.contests[self.labels[0]]

    def __getitem__(self, measure: str | Measured) -> Contest:
        """Returns the comparison by one measure, which is named as in carob or as in trec_eval.

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
    """Returns the run with the best mean, and whether it is significantly better than all runs it is compared with.

    ``best`` is None if no run has a mean, and ``significant`` is None if the best run is compared with no run.
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
        sign: 1 if larger means are better, else -1.
        counts: the number of collections that have the run. Means over different collections are not comparable, so
            runs with fewer collections than others come after them.
    """
    fewer = [each < max(counts) for each in counts] or [False] * len(means)
    return sorted(range(len(means)), key=lambda run: (math.isnan(means[run]), fewer[run], -sign * means[run]))


AnyPair = TypeVar("AnyPair", bound=Any)
"""A pair of runs, compared on queries or on collections."""

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
"""The fields of a pair that exchange their values if its runs are swapped, or their negated values, or 1 minus these
values, or their reciprocals.

The last are the fields of effect sizes, which a pair has if they were requested."""


def turned(pair: AnyPair, first: int) -> AnyPair:
    """Returns the pair with a given run first, and reverses differences and wins if necessary."""
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
    """Returns pairs as people read them: the better run is first, and the pairs are in the order of the runs' ranks.

    With a baseline, it stays the second run of each pair, and the pairs keep their order. In data, the run that was
    passed first is the first run of each pair.
    """
    if baseline is not None:
        return [*pairs]
    place = {run: number for number, run in enumerate(ranked(contest))}
    facing = [turned(pair, min(pair.a, pair.b, key=place.__getitem__)) for pair in pairs]
    return sorted(facing, key=lambda pair: (place[pair.a], place[pair.b]))


def facing_pairs(comparison: Findings) -> list[tuple[int, int]]:
    """Returns both runs of each pair in the order of the table of differences."""
    contest = comparison.primary
    facing = better_first(contest, contest.pairs, comparison.settings.baseline)
    return [(pair.a, pair.b) for pair in facing]


def pair_names(names: Sequence[str], pairs: Iterable[AnyPair]) -> list[str]:
    """Returns the names of both runs of each pair."""
    return [f"{names[pair.a]} - {names[pair.b]}" for pair in pairs]


def named_by_letter(names: Iterable[str]) -> bool:
    """Returns whether the name of a run is a single letter, which could be taken for the letter of a place."""
    return any(name.casefold() in set(ALPHABET) for name in names)


def letter(place: int, *, numbered: bool = False) -> str:
    """Returns the letter that stands for a run in the tables.

    Args:
        place: the place of the run by the first measure, counted from 0.
        numbered: whether the runs are numbered from 1 instead.

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
