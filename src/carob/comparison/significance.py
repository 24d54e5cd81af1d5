"""Tests all pairs of runs under every measure for significance: p, corrected p, intervals and letters."""

from __future__ import annotations

import math
from dataclasses import field, fields
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from carob._dataclasses import dataclass, replace
from carob._numpy import np
from carob.comparison.findings import (
    EFFECTS,
    FAMILY_WISE,
    NOT_OF_MEANS,
    NOUNS,
    Contest,
    GroupResult,
    OtherTest,
    Pair,
    Settings,
    best_first,
    named_by_letter,
)
from carob.comparison.intervals import INTERVALS
from carob.evaluation.evidence import means_of, tables_of
from carob.evaluation.scores import uncounted
from carob.inputs.query_files import groups_of
from carob.inputs.runs import all_in_threads, available_cores
from carob.output.errors import PolicyError, Worded, worded
from carob.statistics import SEED
from carob.statistics.effect_sizes import standardised_ends, superiority
from carob.statistics.estimates import NOISE, detectable, paired, summed, t_quantile, wins
from carob.statistics.multiple_comparisons import anova, randomised_tukey
from carob.statistics.resampling import (
    RESAMPLES,
    Draw,
    all_pairs,
    max_flip,
    romano_wolf,
    sign_flip,
)
from carob.statistics.signed_ranks import signed_rank_p
from carob.statistics.skewness import wider_for_skewness
from carob.statistics.worst_point import BoundedValues, crowded_values, worst_point

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray

    from carob.comparison.assessors import JudgedTwice
    from carob.comparison.design import Design, Test
    from carob.comparison.findings import Judging
    from carob.evaluation.evidence import Read, RunTable
    from carob.inputs.names import Names
    from carob.inputs.query_files import Groups, GroupsLike
    from carob.lists.rows import Floats, Integers
    from carob.statistics.estimates import Estimates
    from carob.statistics.multiple_comparisons import Anova


AT_ONCE = 4_000_000
"""The maximum number of differences that are held in memory at a time."""

MOST_RESAMPLES = 1_000_000

FROM_LIMIT = (
    "There are too many scores to permute, so p is computed from the limiting distribution, which is that of the range "
    "of normal variables."
)

NOT_BY_T = ("randomisation", "wilcoxon", "sign")
"""The tests of one pair at a time whose p replaces the p of the t-test."""


def settings_of(test: Test, runs: int, measures: int, baseline: int | None = None) -> Settings:
    """Returns the settings of a test, with defaults for the name, correction, resamples and seed if they are unset.

    Args:
        test: the test.
        runs: the number of runs.
        measures: the number of measures.
        baseline: the index of the run with which all others are compared; None for all pairs.

    Raises:
        PolicyError: the test and the correction cannot be combined.
    """
    name = test.name or ("t" if baseline is not None or runs <= 2 else "romano-wolf")
    pairs = runs - 1 if baseline is not None else runs * (runs - 1) // 2
    comparisons = pairs * (measures if test.family == "all" else 1)
    if name in FAMILY_WISE and test.correction not in (None, "none"):
        excess = Worded(f"correction='{test.correction}'", f"--correction {test.correction}")
        others = Worded("test='t' or test='randomisation'", "--test t or --test randomisation")
        raise PolicyError(
            worded(
                f"The test '{name}' already corrects for all pairs at once: leave out ",
                excess,
                ", or choose ",
                others,
                ".",
            )
        )
    correction = test.correction or ("none" if name in FAMILY_WISE or comparisons == 1 else "holm")
    resamples = 0
    if name in ("randomisation", *FAMILY_WISE):
        resamples = test.resamples or RESAMPLES
        if not test.resamples and name == "randomisation" and correction in ("holm", "bonferroni"):
            # enough for a corrected p to be well below alpha
            resamples = min(MOST_RESAMPLES, max(RESAMPLES, math.ceil(20 * comparisons / test.alpha)))
    usual = {
        "test": name,
        "correction": correction,
        "resamples": resamples,
        "bootstrap_resamples": resamples or test.resamples or RESAMPLES,
        "seed": SEED if test.seed is None else test.seed,
    }
    given = {name: value for name, value in vars(test).items() if name != "name"}
    return Settings(comparisons=comparisons, baseline=baseline, **(given | usual))


@dataclass(frozen=True, eq=False)
class Asked:
    """What a method is requested to compute, in addition to the data.

    Args:
        settings: the settings of the test.
        design: how queries were drawn, and for which queries values are estimated.
        by: the group of each query, if groups are shown.
        runs: the number of runs.
        first: the first run of each pair [pairs].
        second: the second run of each pair [pairs].
        twice: the runs' values for the queries that two assessors judged; None without a second assessor.
    """

    settings: Settings
    design: Design
    by: GroupsLike | None
    runs: int
    first: Integers
    second: Integers
    twice: JudgedTwice | None = None

    @property
    def pairs(self) -> slice:
        """Where the pairs' differences are located in the series, which start with the runs."""
        return slice(self.runs, self.runs + len(self.first))

    @property
    def contrasts(self) -> Floats:
        """The weights of the runs in each series: one series per run, one per pair, and the mean of the runs."""
        each = np.eye(self.runs)
        mean = np.full((1, self.runs), 1 / self.runs)
        return np.concatenate([each, each[self.first] - each[self.second], mean])


@dataclass(frozen=True, eq=False)
class Estimated:
    """The estimates of the runs and the outcomes of the pairs under one measure, before any decision.

    Args:
        table: the runs' per-query values, which the contest stores.
        means: the estimate of each run.
        low: the lower end of each run's interval [runs].
        high: the upper end of the interval [runs].
        outcome: the pairs, with uncorrected p.
        groups: the comparison within each group of queries, if requested.
        anova: the analysis of variance, if it can be computed.
        contest: the class of the comparison under one measure.
        pair: the class of its pairs.
        more: the values of the comparison's other fields.
    """

    table: RunTable
    means: tuple[float, ...]
    low: Floats
    high: Floats
    outcome: Outcome
    groups: tuple[GroupResult, ...] = ()
    anova: Anova | None = None
    contest: type[Contest] = Contest
    pair: type[Any] = Pair
    more: dict[str, Any] = field(default_factory=dict)


class MethodResult(NamedTuple):
    """The result of a method.

    Args:
        ids: the queries or, if runs are compared on collections, the collections.
        measures: the estimates and outcomes of each measure.
        settings: the settings, with a note about each deviation from the request.
        judge: facts about the judge; None if there is no judge.
        groups: the group of each query, if requested.
    """

    ids: Names
    measures: list[Estimated]
    settings: Settings
    judge: Judging | None = None
    groups: Groups | None = None


def plain(read: Read, asked: Asked) -> MethodResult:
    """Estimates runs and pairs of runs from the runs' values for the judged queries.

    Args:
        read: the judgments and runs that were read.
        asked: what is requested.

    Raises:
        DataError: a query has no cluster or group.
        PolicyError: the test does not allow for clusters.
    """
    ids, tables = tables_of(read.scores)
    others = uncounted(read.scores, len(ids))
    cluster, by, origin = asked.design.cluster, asked.by, read.scores[0].inputs.get("qrels")
    clusters = None if cluster is None else groups_of(cluster, ids.texts, others=others)
    groups = None if by is None else groups_of(by, ids.texts, others=others, overlap=True, judgments=origin)
    if clusters is not None and asked.settings.test in NOT_OF_MEANS:
        raise PolicyError(
            worded(
                f"The test '{asked.settings.test}' assumes independent queries, but these are clustered: choose ",
                Worded(
                    "test='t', test='randomisation' or test='romano-wolf'.",
                    "--test t, randomisation or romano-wolf.",
                ),
            )
        )
    if clusters is not None:
        tables = [replace(table, clusters=clusters.codes) for table in tables]
    settings = replace(
        asked.settings,
        clusters=None if clusters is None else len(clusters.names),
        by=None if groups is None else groups.name or "group",
        in_several_groups=0 if groups is None else groups.in_several_groups,
    )
    estimated = estimated_tables(tables, settings, groups, (asked.first, asked.second))
    return MethodResult(ids, *estimated, groups=groups)


def estimated_tables(
    tables: Sequence[RunTable], settings: Settings, groups: Groups | None, pairs: tuple[Integers, Integers]
) -> tuple[list[Estimated], Settings]:
    """Returns the estimates and outcomes under each measure, and the settings with a note about each deviation."""
    # Measures are processed independently, with the same random stream for each, so threads affect only the running
    # time.
    threads = min(len(tables), available_cores())
    found = all_in_threads(lambda table: outcome_of(table, *pairs, settings), tables, threads)
    if any(limit for _, limit in found):
        settings = replace(settings, departures=(*settings.departures, FROM_LIMIT))
    measures = [
        Estimated(
            table,
            means,
            low,
            high,
            outcome,
            () if groups is None else results_by_group(table, *pairs, settings, groups),
            variance_of(table),
            more={"worst_point": tuple(worst.tolist())},
        )
        for table, means, (outcome, _) in zip(tables, means_of(tables), found, strict=True)
        for low, high, worst in [margins(table, settings)]
    ]
    return measures, settings


def contests_of(tables: Sequence[RunTable], settings: Settings) -> tuple[dict[str, Contest], Settings]:
    """Returns the comparison under each measure, and the settings with a note about each deviation from the request."""
    pairs = pairs_of(tables[0].values.shape[1], settings.baseline)
    measures, settings = estimated_tables(tables, settings, None, pairs)
    return decided(measures, settings), settings


def others_decide(
    tables: Sequence[RunTable], contest: Contest, test: Test, settings: Settings, pair: tuple[int, int]
) -> tuple[OtherTest, ...]:
    """Returns the decision of each other test for the primary measure, with the same level, family and seed.

    A test of one pair at a time uses the comparison's correction, or Holm's if the comparison's test needs no
    correction.

    Args:
        tables: the runs' values under each measure.
        contest: the comparison under the primary measure.
        test: the test that the comparison was requested with.
        settings: the resolved settings of this test.
        pair: the two runs that the verdict mentions first.
    """
    runs, count, found = tables[0].values.shape[1], len(tables), []
    tables = tables if settings.family == "all" else tables[:1]
    single = test.correction if settings.test not in FAMILY_WISE else None
    own = differing(contest)
    for name in NOUNS:
        together = name in FAMILY_WISE
        if name == settings.test or (together and len(contest.pairs) == 1):
            continue
        if settings.clusters and name in NOT_OF_MEANS:
            continue
        other = replace(
            test, name=name, correction=None if together else single, rope=None, margin=None, effects=False
        )
        its = replace(settings_of(other, runs, count, settings.baseline), clusters=settings.clusters)
        its_contest = contests_of(tables, its)[0][contest.label]
        turned = sum(one != two for one, two in zip(own, differing(its_contest), strict=True))
        p = its_contest.between(*pair).p_corrected
        found.append(OtherTest(name, its.correction, *pair, p, its_contest.differ(*pair), turned))
    return tuple(found)


def differing(contest: Contest) -> list[bool]:
    """Returns, for each pair, whether one run is significantly better than the other."""
    return [contest.differ(pair.a, pair.b) for pair in contest.pairs]


def decided(
    measures: Sequence[Estimated], settings: Settings, names: Iterable[str] = ()
) -> dict[str, Contest]:
    """Returns the comparison under each measure: corrected p, joint intervals and the runs that each run outperforms.

    Args:
        measures: the estimates.
        settings: the settings.
        names: the names of the runs, which determine whether letters or numbers mark the runs.
    """
    numbered = named_by_letter(names)
    correct_together([each.outcome for each in measures], settings)
    contests, first = {}, measures[0]
    order = best_first(first.means, first.table.sign, first.more.get("counts", ()))
    for each in measures:
        table = each.table
        join(each.outcome, settings, table)
        if each.pair is Pair and not table.geometric:  # ratios: the error is that of logarithms
            each.outcome.detectable[:] = detected(each.outcome, settings, table.values.shape[1])
        if not INTERVALS[settings.interval].worst_point:
            # Intervals are too narrow if most differences are equal, so no corrected interval is shown.
            first, second = each.outcome.a, each.outcome.b
            crowded = crowded_values(table.values[:, first] - table.values[:, second], differences=True)
            for name in {"joint_low", "joint_high", "detectable"} & {*each.outcome.dtype.names}:
                each.outcome[name][crowded] = np.nan
        contests[table.label] = each.contest(
            label=table.label,
            measure=table.measure,
            values=table.values,
            means=each.means,
            low=tuple(each.low.tolist()),
            high=tuple(each.high.tolist()),
            beaten=beaten(len(each.means), each.outcome, settings.alpha, table.sign),
            pairs=pairs_in(each.outcome, settings, each.pair),
            groups=each.groups,
            anova=each.anova,
            smaller_is_better=table.sign < 0,
            places=tuple(np.argsort(order).tolist()),
            numbered=numbered,
            **each.more,
        )
    return contests


def draws(settings: Settings) -> bool:
    """Returns whether the test or the intervals can draw random numbers."""
    return settings.resamples > 0 or INTERVALS[settings.interval].draws


def pairs_of(runs: int, baseline: int | None) -> tuple[Integers, Integers]:
    """Returns the indices of the first run and of the second run of every pair."""
    if baseline is None:
        one, other = all_pairs(runs).T
        return one, other
    one = np.array([each for each in range(runs) if each != baseline], np.int64)
    return one, np.full(len(one), baseline, np.int64)


def correct_together(outcomes: Sequence[Outcome], settings: Settings) -> None:
    """Writes the corrected p into the outcomes. A family contains the tests under one measure or under all."""
    family_wise = settings.test in FAMILY_WISE
    families = [list(outcomes)] if settings.family == "all" else [[each] for each in outcomes]
    for family in families:
        if family_wise:  # p is already corrected for pairs, but not for the number of measures
            for each in family:
                each.p_corrected[:] = np.minimum(1.0, each.p_corrected * len(family))
            continue
        adjusted = corrected(np.concatenate([each.p_uncorrected for each in family]), settings.correction)
        for each, its in zip(family, np.split(adjusted, len(family)), strict=True):
            each.p_corrected[:] = its


def results_by_group(
    table: RunTable, first: Integers, second: Integers, settings: Settings, groups: Groups
) -> tuple[GroupResult, ...]:
    """Compares the runs within each group of queries, with uncorrected t-tests."""
    plain = replace(settings, test="t", correction="none", effects=False)
    found = []
    for code, name in enumerate(groups.names):
        part = table.part(groups.queries[groups.codes == code])
        outcome, _ = outcome_of(part, first, second, plain)
        ungrouped = groups.ungrouped and code == len(groups.names) - 1
        found.append(GroupResult(name, ungrouped, len(part.values), part.means, pairs_in(outcome, plain)))
    return tuple(found)


def variance_of(table: RunTable) -> Anova | None:
    """Returns the analysis of variance of three or more runs on the same queries, or None if it cannot be computed."""
    queries, runs = table.values.shape
    if runs < 3 or queries < 2 or np.isnan(table.values).any():
        return None
    return anova(table.observed)


Outcome: TypeAlias = "np.recarray[Any, Any]"
"""A record array with a field for each field of the pairs' class, and with four more fields for joint intervals.

``spread`` and ``freedom`` contain the standard error of each pair's difference and its degrees of freedom. ``cut``
contains the largest difference that a test of all pairs at once does not find significant, and NaN for other tests.
``side`` is positive if a test of signs or ranks favours the first run, and NaN for other tests.
"""

KINDS = {"int": "int64", "bool": "bool"}
FLOATING = "float64"


def empty_outcome(first: Integers, second: Integers, kind: type[Any] = Pair) -> Outcome:
    """Returns an outcome for the tests to fill in.

    Its floating-point fields are NaN, its integer and boolean fields are 0, and its pairs are set.

    Args:
        first: the first run of each pair.
        second: the second run of each pair.
        kind: the class of the pairs.
    """
    columns = [(each.name, KINDS.get(str(each.type), FLOATING)) for each in fields(kind)]
    columns += [(name, FLOATING) for name in ("spread", "freedom", "cut", "side")]
    columns += [] if "worst_point" in dict(columns) else [("worst_point", "bool")]
    outcome = np.recarray(len(first), columns)
    for name, width in columns:
        outcome[name] = np.nan if width == FLOATING else 0
    outcome.a, outcome.b = first, second
    return outcome


def pairs_in(outcome: Outcome, settings: Settings, kind: type[Any] = Pair) -> tuple[Any, ...]:
    """Returns a pair of class ``kind`` for each row of the outcome. Numbers that were not requested are None."""
    columns = {each.name: outcome[each.name].tolist() for each in fields(kind)}
    nothing = [None] * len(outcome)
    if settings.margin is None and "p_equivalent" in columns:
        columns["p_equivalent"] = nothing
    if settings.rope is None:
        columns |= dict.fromkeys(("p_worse", "p_same", "p_better"), nothing)
    if "p_t_test" in columns:
        columns["p_t_test"] = [None if math.isnan(each) else each for each in columns["p_t_test"]]
    if not settings.effects:
        columns |= {name: nothing for name in EFFECTS if name in columns}
    if "ratio" in columns and np.isnan(outcome.ratio).all():
        columns |= dict.fromkeys(("ratio", "ratio_low", "ratio_high"), nothing)
    return tuple(kind(*row) for row in zip(*columns.values(), strict=True))


def outcome_of(
    table: RunTable, first: Integers, second: Integers, settings: Settings
) -> tuple[Outcome, bool]:
    """Returns the uncorrected difference, interval and p of every pair, and whether p is asymptotic."""
    outcome = empty_outcome(first, second)
    parts = [(shared, places) for shared, places in table.shared(first, second) if len(shared.values)]
    for shared, places in parts:
        outcome.n[places] = len(shared.values)
        seen = shared.observed
        for part in in_parts(places, len(seen)):
            describe(outcome, part, shared, seen, settings)
        test(outcome, places, shared, settings)
        replicated(outcome, places, shared, seen, settings)
    if settings.test == "t" and (np.isinf(outcome.d_z) & ~outcome.identical).any():
        # t is undefined for a pair whose differences do not vary. All pairs use the same other test, because different
        # tests could contradict each other.
        flips = replace(settings, test="randomisation", resamples=RESAMPLES)
        for shared, places in parts:
            test(outcome, places, shared, flips)
    limit = settings.test in FAMILY_WISE and test_together(outcome, table.complete(), settings)
    outcome.p_uncorrected[outcome.identical] = 1.0
    alone = outcome.n == 1  # one query shows nothing about others
    outcome.p_uncorrected[alone], outcome.p_corrected[alone] = np.nan, np.nan
    outcome.error[alone], outcome.exact[alone] = 0.0, False
    if settings.effects:
        independent = table.weights is None and table.clusters is None and not table.measure.micro
        effect_sizes(
            outcome,
            settings.confidence,
            of_means=independent and not table.geometric,
            of_queries=independent,
        )
    return outcome, limit


def in_parts(places: Integers, values: int) -> Iterator[Integers]:
    """Yields the indices of differences in chunks of at most ``AT_ONCE`` values.

    Args:
        places: the indices of the differences.
        values: the number of values of each difference.
    """
    step = max(1, AT_ONCE // values)
    return (places[start : start + step] for start in range(0, len(places), step))


def effect_sizes(outcome: Outcome, confidence: float, *, of_means: bool, of_queries: bool) -> None:
    """Writes each pair's probability of superiority, and the intervals of effect sizes whose assumptions hold.

    Args:
        outcome: the pairs, with d_z, wins, ties and losses.
        confidence: the confidence level.
        of_means: whether d_z is computed from values of independent queries that may be approximately normal.
        of_queries: whether wins, ties and losses count independent queries with equal weights.
    """
    if of_means:
        outcome.d_z_low[:], outcome.d_z_high[:] = standardised_ends(outcome.d_z, outcome.n, confidence)
    share, low, high = superiority(outcome.wins, outcome.ties, outcome.losses, confidence)
    outcome.superiority[:] = np.where(outcome.n > 1, share, np.nan)  # one query shows nothing about others
    if of_queries:
        outcome.superiority_low[:], outcome.superiority_high[:] = low, high


def describe(outcome: Outcome, places: Integers, table: RunTable, seen: Floats, settings: Settings) -> None:
    """Writes the paired t-test of the given pairs into the outcome, with all other numbers that need no resampling."""
    one, other = outcome.a[places], outcome.b[places]
    differences = seen[:, one] - seen[:, other]
    found = paired(
        differences, confidence=settings.confidence, clusters=table.clusters, shares=table.leverage
    )
    if INTERVALS[settings.interval].worst_point:
        sample = sample_of(table, table.values[:, one] - table.values[:, other], pairs=True)
        found = worst_point(found, sample, settings.confidence, flat=False)
    outcome.difference[places], outcome.low[places], outcome.high[places] = found.value, found.low, found.high
    outcome.d_z[places] = found.d_z
    outcome.spread[places], outcome.freedom[places] = found.error, found.freedom
    outcome.wins[places], outcome.ties[places], outcome.losses[places] = wins(
        table.sign * (table.values[:, one] - table.values[:, other])
    )
    outcome.identical[places] = outcome.ties[places] == len(seen)
    outcome.p_uncorrected[places], outcome.error[places] = found.p, 0.0
    if found.worst_p is not None:
        worst = outcome.worst_point[places] = found.worst_point
        outcome.p_uncorrected[places] = np.where(worst, found.worst_p, found.p)
        if settings.test not in NOT_BY_T:
            outcome.p_t_test[places] = np.where(worst, found.p, np.nan)
    # Equal differences do not show how other differences vary. If they are all 0, they have a bound but no spread.
    varies = np.where((found.error > NOISE) & ~found.identical, 1.0, np.nan)
    if settings.margin is not None:
        outcome.p_equivalent[places] = found.equivalence(settings.margin) * varies
    if settings.rope is not None:
        for name, chance in zip(("p_worse", "p_same", "p_better"), found.bayes(settings.rope), strict=True):
            outcome[name][places] = chance * varies
    if table.geometric:
        as_ratios(outcome, places, seen)


RATIOS = (("ratio", "difference"), ("ratio_low", "low"), ("ratio_high", "high"))
NOT_OF_RATIOS = ("low", "high", "p_equivalent", "p_worse", "p_same", "p_better")


def as_ratios(outcome: Outcome, places: Integers, seen: Floats) -> None:
    """Replaces differences of logarithms by ratios of geometric means and by the differences of these means.

    The test concerns the ratio. The difference also depends on the size of the two means, so it has no interval that
    agrees with p, and a margin for differences does not apply.
    """
    for ratio, of_logs in RATIOS:
        outcome[ratio][places] = np.exp(outcome[of_logs][places])
    for name in NOT_OF_RATIOS:
        outcome[name][places] = np.nan
    means = np.exp(seen.mean(axis=0))
    outcome.difference[places] = means[outcome.a[places]] - means[outcome.b[places]]


def sample_of(table: RunTable, values: Floats, *, pairs: bool) -> BoundedValues:
    """Returns the values of queries, or the means of clusters of queries, with their range and their weights.

    Args:
        table: the table of the runs.
        values: the per-query values of runs in the table, or differences between runs [queries, series].
        pairs: whether ``values`` contains differences.
    """
    least, greatest = table.limits
    if pairs:
        least, greatest = least - greatest, greatest - least
    weights = np.ones((len(values), 1)) if table.weights is None else table.weights[:, :1]
    sums = summed(np.concatenate([weights, weights * values], axis=1), table.clusters)
    kept = sums[:, 0] > 0
    total, means = sums[:, 0], sums[kept, 1:] / sums[kept, :1]
    low, high = (np.full(values.shape[1], each) for each in (least, greatest))
    return BoundedValues(means, low, high, np.full(len(low), pairs), total[kept] / total.sum())


def test(outcome: Outcome, places: Integers, table: RunTable, settings: Settings) -> None:
    """Writes the p-values of a test of one pair at a time that is not the t-test."""
    couples = np.stack([outcome.a[places], outcome.b[places]], axis=1)
    if settings.test == "randomisation":
        runs, couples = np.unique(couples, return_inverse=True)
        couples = couples.reshape(-1, 2)
        seen = table.exchangeable[:, runs]
        found = sign_flip(seen, couples, Draw(settings.resamples, settings.seed, table.clusters))
        outcome.p_uncorrected[places], outcome.exact[places], outcome.error[places] = (
            found.p,
            found.exact,
            found.error,
        )
    elif settings.test == "sign":
        outcome.p_uncorrected[places] = sign_test(outcome.wins[places], outcome.losses[places])
        outcome.side[places] = outcome.wins[places] - outcome.losses[places]
    elif settings.test == "wilcoxon":
        seen = table.exchangeable
        found_p = [wilcoxon(seen[:, one] - seen[:, other]) for one, other in couples]
        outcome.p_uncorrected[places] = [p for p, _ in found_p]
        outcome.side[places] = [table.sign * side for _, side in found_p]


TOGETHER = {"romano-wolf": romano_wolf, "tukey": randomised_tukey, "max-t": max_flip}
"""The functions that test all pairs at once, by the name of the test."""


def test_together(outcome: Outcome, table: RunTable, settings: Settings) -> bool:
    """Writes the p-values of a test of all pairs at once, and returns whether they come from the limit distribution."""
    if not len(table.values):
        return False
    couples = np.stack([outcome.a, outcome.b], axis=1)
    alpha = settings.alpha * len(outcome) / settings.comparisons
    draw = Draw(settings.resamples, settings.seed, table.clusters, alpha)
    found = TOGETHER[settings.test](table.exchangeable, couples, draw)
    outcome.cut[:] = found.cut
    decides = outcome.worst_point & (outcome.p_uncorrected > found.p)
    outcome.p_corrected[:] = np.where(
        outcome.identical, 1.0, np.where(decides, outcome.p_uncorrected, found.p)
    )
    outcome.exact[:], outcome.error[:] = found.exact & ~decides, np.where(decides, 0.0, found.error)
    return found.limit


def sign_test(won: Integers, lost: Integers) -> Floats:
    """Returns the p-value of the two-sided sign test. Ties are dropped."""
    from scipy.special import bdtr

    return np.asarray(np.minimum(1.0, 2 * bdtr(np.minimum(won, lost), won + lost, 0.5)))


EXACT_RANKS = 50
"""The maximum number of differences for which the signed-rank p is exact, as in SciPy without zeros or ties."""


def wilcoxon(differences: Floats) -> tuple[float, float]:
    """Returns the p-value of Wilcoxon's two-sided signed-rank test, and the sum of signed ranks. Ties are dropped.

    The cases in which SciPy's p is exact depend on its version, so only its normal approximation is used.
    """
    from scipy.stats import rankdata
    from scipy.stats import wilcoxon as signed_ranks

    # Differences are rounded so that differences that are equal up to rounding errors have the same rank.
    differences = np.round(differences, 12)
    if not differences.any():
        return 1.0, 0.0
    kept = differences[differences != 0]
    side = float((np.sign(kept) * rankdata(np.abs(kept))).sum())
    if len(kept) <= EXACT_RANKS:
        return float(signed_rank_p(kept[:, None])[0]), side
    return float(signed_ranks(kept).pvalue), side


def replicated(outcome: Outcome, places: Integers, table: RunTable, seen: Floats, settings: Settings) -> None:
    """Writes differences and their intervals, if intervals come from means over subsets or resamples of queries."""
    kind = INTERVALS[settings.interval]
    if not kind.of_parts:
        return
    draw = Draw(settings.bootstrap_resamples, settings.seed, table.clusters)
    means, centre = kind.replicates(seen, draw), seen.mean(axis=0)
    if table.geometric:
        means, centre = np.exp(means), np.exp(centre)
    for part in in_parts(places, len(means)):
        one, other = outcome.a[part], outcome.b[part]
        whole = outcome.difference[part] = centre[one] - centre[other]
        ends = kind.ends(means[:, one] - means[:, other], whole, settings.confidence)
        outcome.low[part], outcome.high[part] = ends


def margins(table: RunTable, settings: Settings) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Returns the ends of each run's interval, and whether the interval is a worst-point interval."""
    runs = np.arange(table.values.shape[1])
    low, high = np.full(len(runs), np.nan), np.full(len(runs), np.nan)
    worst, kind = np.zeros(len(runs), np.bool_), INTERVALS[settings.interval]
    for own, places in table.shared(runs, runs):
        if not len(own.values):
            continue
        seen = own.observed[:, places]
        if kind.of_parts:
            draw = Draw(settings.bootstrap_resamples, settings.seed, own.clusters)
            means = kind.replicates(seen, draw)
            low[places], high[places] = kind.ends(means, seen.mean(axis=0), settings.confidence)
        else:
            found = estimated_means(seen, own, settings.confidence, scores=own.values[:, places])
            low[places], high[places], worst[places] = found.low, found.high, found.worst_point
    return (np.exp(low), np.exp(high), worst) if table.geometric else (low, high, worst)


def estimated_means(
    values: Floats, table: RunTable, confidence: float, *, pairs: bool = False, scores: Floats | None = None
) -> Estimates:
    """Returns the means of per-query scores, or of differences, with their intervals.

    The intervals are Student's t intervals or worst-point intervals. If means are skewed, their Student's t intervals
    are extended on the side of the long tail.

    Args:
        values: the values [queries, series].
        table: the table of the runs.
        confidence: the confidence level.
        pairs: whether the values are differences.
        scores: the per-query scores, if ``values`` contains the linear parts of a weighted mean of scores.
    """
    sample = sample_of(table, values if scores is None else scores, pairs=pairs)
    found = paired(values, confidence=confidence, clusters=table.clusters, shares=table.leverage)
    found = worst_point(found, sample, confidence, flat=not pairs)
    if table.weights is not None and np.ptp(table.weights, axis=1).any():
        return found  # the weights differ between runs, so there are no common weights with which to compute a skewness
    return wider_for_skewness(
        found, sample_of(table, values, pairs=pairs) if table.geometric else sample, confidence
    )


def join(outcome: Outcome, settings: Settings, table: RunTable) -> None:
    """Writes each pair's joint interval, which agrees with its corrected p.

    For a test of all pairs at once, the interval is difference ± cut (Tukey, 1953), with one cut for all pairs or one
    for each pair. Otherwise, the pair's uncorrected interval is widened to the level at which the pair was decided:
    alpha divided by the number of comparisons (Bonferroni), or by the smaller factor of a stepwise method if only that
    step finds the pair significant. Worst-point intervals are also widened. Intervals are cut off at the ends of the
    difference's range.
    """
    if settings.test in NOT_OF_MEANS or (table.geometric and INTERVALS[settings.interval].of_ratio):
        return
    if settings.test != "t" and len(outcome) and hopeless(outcome, settings, table.values.shape[1]):
        return  # no difference can be excluded, so the intervals are unbounded
    sure = (outcome.p_corrected < settings.alpha) & ~outcome.identical
    known = np.isfinite(outcome.cut) & ~outcome.worst_point & (not table.geometric)
    stretch = 1.0 if known.all() else stretched(outcome, settings, sure)
    difference = outcome.difference
    below = np.where(known, outcome.cut, (difference - outcome.low) * stretch)
    above = np.where(known, outcome.cut, (outcome.high - difference) * stretch)
    disagreeing = sure != ((difference - below > 0) | (difference + above < 0))
    half = from_p(outcome[disagreeing], settings) if disagreeing.any() else 0.0
    for side in (below, above):
        side[disagreeing] = half
        side[outcome.identical & ~outcome.worst_point] = np.nan
    most = table.limits[1] - table.limits[0]
    outcome.joint_low[:] = np.maximum(difference - below, -most)
    outcome.joint_high[:] = np.minimum(difference + above, most)


def detected(outcome: Outcome, settings: Settings, runs: int) -> Floats:
    """Returns, for each pair, the smallest true difference that the corrected test detects with 80% power.

    The level is that of a stepwise method's first step, as in joint intervals, so stepwise methods detect the
    difference at least as often. The result is NaN if no difference can be significant, if the runs are equal on every
    query, because they do not show how differences vary, and for tests that do not compare a difference with its own
    standard error. For example, the cut of ``tukey`` and ``max-t`` grows with the differences between runs.
    """
    compared = settings.test in ("t", "randomisation", "romano-wolf") and len(outcome) > 0
    if not compared or hopeless(outcome, settings, runs):
        return np.full(len(outcome), np.nan)
    level = settings.alpha / (1 if settings.correction == "none" else settings.comparisons)
    if settings.test == "romano-wolf":
        with np.errstate(divide="ignore", invalid="ignore"):
            critical = outcome.cut / outcome.spread
        # If the p of a worst-point interval is larger, it decides.
        own = t_quantile(1 - settings.alpha / settings.comparisons, outcome.freedom)
        critical = np.where(outcome.worst_point, np.maximum(critical, own), critical)
    else:
        critical = t_quantile(1 - level, outcome.freedom)
    return np.where(outcome.identical, np.nan, detectable(outcome.spread, outcome.freedom, critical))


def hopeless(outcome: Outcome, settings: Settings, runs: int) -> bool:
    """Returns whether there are so few queries that no corrected p can be significant."""
    return least_p(settings, int(outcome.n.max()), runs) >= settings.alpha


def least_p(settings: Settings, queries: int, runs: int) -> float:
    """Returns the smallest corrected p that the number of queries allows, which is 0 for the t-test.

    Args:
        settings: the settings of the test.
        queries: the number of queries.
        runs: the number of runs.
    """
    if settings.test == "t":
        return 0.0
    # Under the null hypothesis, all permutations of the runs, or both signs, are equally likely for each query. The
    # test is two-sided.
    orders = math.factorial(min(runs, 20)) if settings.test == "tukey" else 2
    pairs = runs - 1 if settings.baseline is not None else runs * (runs - 1) // 2
    return min(1.0, float(orders) ** (1 - (settings.clusters or queries)) * times(settings, pairs))


def times(settings: Settings, pairs: int) -> float:
    """Returns the factor by which the correction multiplies the smallest p, given the number of pairs per measure."""
    if settings.test in FAMILY_WISE:
        return settings.comparisons / pairs
    return settings.comparisons if settings.correction in ("holm", "bonferroni") else 1


def stretched(outcome: Outcome, settings: Settings, sure: NDArray[np.bool_]) -> Floats:
    """Returns the factor by which the correction widens each pair's interval."""
    count = (
        1 if settings.correction == "none" and not np.isfinite(outcome.cut).any() else settings.comparisons
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        step = outcome.p_corrected / outcome.p_uncorrected
    milder = sure & (outcome.p_uncorrected * count >= settings.alpha) & (step >= 1)
    factor = np.where(milder, step, float(count))
    wide = t_quantile(1 - settings.alpha / factor, outcome.freedom)
    return np.asarray(wide / t_quantile(settings.confidence, outcome.freedom))


def from_p(outcome: Outcome, settings: Settings) -> Floats:
    """Returns half the width of the interval that the corrected p implies (Altman and Bland, BMJ 2011)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        reached = t_quantile(1 - outcome.p_corrected, outcome.freedom)
        half = np.abs(outcome.difference) * t_quantile(1 - settings.alpha, outcome.freedom) / reached
    return np.asarray(half)


def beaten(runs: int, outcome: Outcome, alpha: float, sign: float) -> tuple[tuple[int, ...], ...]:
    """Returns, for each run, the indices of the runs that it significantly outperforms."""
    gain = sign * outcome.difference
    # A test of signs or ranks can favour the run with the worse mean, in which case neither run is shown to be better.
    sure = (outcome.p_corrected < alpha) & ~(outcome.side * gain < 0)
    return outperformed(runs, outcome.a[sure], outcome.b[sure], gain[sure])


def outperformed(runs: int, first: Integers, second: Integers, gain: Floats) -> tuple[tuple[int, ...], ...]:
    """Returns, for each run, the indices of the runs that it outperforms.

    Args:
        runs: the number of runs.
        first: the first run of each pair that differs significantly.
        second: the second run of each of these pairs.
        gain: how much better the first run of each pair is.
    """
    found: list[list[int]] = [[] for _ in range(runs)]
    for one, other, better in zip(first.tolist(), second.tolist(), gain.tolist(), strict=True):
        if better:
            winner, loser = (one, other) if better > 0 else (other, one)
            found[winner].append(loser)
    return tuple(tuple(sorted(its)) for its in found)


def corrected(p: ArrayLike, correction: str) -> Floats:
    """Returns the p-values of a family, corrected for their number. An undefined p is counted, but remains undefined.

    Args:
        p: the p-values.
        correction: ``bonferroni`` multiplies each p by the number of comparisons, so that the probability of at least
            one false finding is at most α. ``holm`` (1979) guarantees the same with p-values that are never larger: it
            multiplies the smallest p by the number of comparisons, the next smallest by one less, and so on, and raises
            each p at least to the previous one. ``bh`` (Benjamini and Hochberg, 1995) bounds the share of false
            findings among all findings, and is meant for exploration. ``none`` leaves p-values unchanged.

    Raises:
        KeyError: the correction does not exist.

    Example:
        >>> [corrected([0.01, 0.04, 0.03], each).round(4).tolist() for each in ("bonferroni", "holm", "bh")]
        [[0.03, 0.12, 0.09], [0.03, 0.06, 0.06], [0.03, 0.04, 0.04]]
    """
    family: Floats = np.asarray(p, np.float64)
    one_if_undefined, count = np.where(np.isnan(family), 1.0, family), len(family)
    order = np.argsort(one_if_undefined, kind="stable")
    ranked, place = one_if_undefined[order], np.arange(1, count + 1)
    stepped = {
        "none": ranked,
        "bonferroni": ranked * count,
        "holm": np.maximum.accumulate(ranked * (count + 1 - place)),
        "bh": np.minimum.accumulate((ranked * count / place)[::-1])[::-1],
    }[correction]
    adjusted = np.empty_like(family)
    adjusted[order] = np.minimum(stepped, 1.0)
    return np.where(np.isnan(family), np.nan, adjusted)
