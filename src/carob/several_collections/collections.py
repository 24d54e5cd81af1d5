"""Defines ``carob.compare_collections``, which compares runs across several collections."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from carob._dataclasses import dataclass, replace
from carob._numpy import np
from carob.comparison.design import Test, refuse_others
from carob.comparison.findings import best_first
from carob.comparison.intervals import INTERVALS
from carob.comparison.significance import (
    Estimated,
    MethodResult,
    corrected,
    decided,
    empty_outcome,
    in_parts,
    outperformed,
    pairs_of,
    settings_of,
)
from carob.conventions import arguments
from carob.conventions.arguments import specified
from carob.evaluation.collections import scored
from carob.evaluation.evidence import RunTable
from carob.inputs.names import Names
from carob.inputs.runs import all_in_threads, available_cores
from carob.output.errors import DataError, did_you_mean
from carob.several_collections.tables import (
    FEWEST_PLACED,
    Across,
    AcrossPair,
    AcrossSettings,
    CollectionsComparison,
    OneCollection,
)
from carob.statistics.collections import (
    like_these,
    resampled_queries,
    these,
)
from carob.statistics.estimates import NOISE
from carob.statistics.mean_ranks import (
    borda,
    critical_difference,
    friedman,
    groups,
    mid_ranks,
    nemenyi,
)
from carob.statistics.resampling import Draw, resample_means
from carob.statistics.selection import ranks_in
from carob.statistics.signed_ranks import bayesian_signed_ranks, signed_rank_p

if TYPE_CHECKING:
    from collections.abc import Sequence

    from carob.comparison.significance import Outcome
    from carob.conventions.arguments import Absent, Average, BordaOf, FriedmanTies, Target
    from carob.conventions.policy import Policy
    from carob.conventions.profiles import ProfileLike
    from carob.conventions.request import MeasuresLike
    from carob.evaluation.collections import CollectionsLike, CollectionValues, Scored
    from carob.lists.rows import Floats, Integers
    from carob.statistics.estimates import Tested

MOST_POSTERIORS = 2_000
"""The maximum number of pairs with a posterior. Each posterior takes a few milliseconds to compute.

If there are more pairs, only the pairs of the best run have a posterior.
"""

MOST_BEATEN = 100
"""The maximum number of runs whose significant differences on single collections are listed."""

MOST_RESAMPLED = 4_000_000_000
"""The maximum product of the number of values and the number of resamples, which takes a few seconds to compute.

If there are more values, the number of resamples is reduced.
"""

FEWEST_RESAMPLES = 400


@specified
def compare_collections(
    collections: CollectionsLike,
    measures: MeasuresLike = None,
    *,
    runs: Sequence[tuple[str | None, str]] = (),
    baseline: str | None = None,
    target: Target = arguments.TARGET_COLLECTIONS,
    average: Average = arguments.AVERAGE,
    absent: Absent = arguments.ABSENT,
    test: Test | None = None,
    friedman_ties: FriedmanTies = arguments.FRIEDMAN_TIES,
    borda_of: BordaOf = arguments.BORDA_OF,
    policy: Policy | None = None,
    profile: ProfileLike = None,
) -> CollectionsComparison:
    """Compare runs across several collections, to find which is better on these collections or on similar ones.

    Args:
        collections: a folder with a subfolder for each collection that contains its qrels and runs; a table (CSV, TSV,
            TOML) that lists the files; a table or data frame of values with the columns ``collection``, ``run``,
            optionally ``query``, and one column for each measure; or a mapping from each collection to
            ``(qrels, runs)``, to scores by run, or to ``{run: value}``.
        measures: measure names, or ``Measure`` objects; the first is the primary measure. None for carob's default
            measures.
        runs: the name (or None) and the path of each run, if the runs are not stored with the qrels. ``{collection}``
            in a path stands for the name of the collection.
        baseline: the run with which all other runs are compared. If None, all pairs are compared.
        target: whether p-values and intervals apply to collections ``similar`` to these, which are then a sample of
            collections, or to ``these`` collections, whose queries are then a sample.
        average: ``macro`` (each collection has the same weight) or ``micro`` (each query has the same weight).
        absent: how to treat a run that is missing from a collection. ``refuse`` raises an error; ``skip`` compares two
            runs on the collections that contain both, and ranks runs on the collections that contain all runs; ``zero``
            scores each query 0; ``drop-collections`` and ``drop-runs`` leave out the incomplete collections or runs.
        test: the correction for the number of pairs of a measure, the significance level, the intervals (``bootstrap``:
            percentiles over resampled collections or, if the target is ``these``, over resampled queries), the ``rope``
            of the Bayesian signed-rank test, and the number and seed of resamples. The test itself is always Student's
            t-test.
        friedman_ties: whether Friedman's χ² is computed as published (``uncorrected``) or ``corrected`` for ties.
        borda_of: whether Borda points count down from the number of ``all`` runs or of the runs ``present`` in the
            collection.
        policy: as in ``carob.evaluate``.
        profile: as in ``carob.evaluate``.

    Returns:
        The result of each measure.

    Raises:
        DataError: the input is invalid, there are fewer than two collections or runs, or a run is missing from a
            collection and ``absent`` does not allow it.
        MeasureError: a measure does not exist.
        PolicyError: a value is not one of those listed above, or a setting of the test does not apply to several
            collections.

    Source: Demšar, JMLR 2006, on Friedman's and Nemenyi's tests; Benavoli et al., JMLR 2017, on the Bayesian
        signed-rank test; Davison and Hinkley, Bootstrap Methods and their Application, 1997, section 3.8, on
        resampling groups.

    Example:
        >>> import carob
        >>> values = {
        ...     "web": {"bm25": 0.31, "dense": 0.34},
        ...     "news": {"bm25": 0.42, "dense": 0.41},
        ...     "medicine": {"bm25": 0.25, "dense": 0.37},
        ... }
        >>> found = carob.compare_collections(values, "nDCG@10")["nDCG@10"]
        >>> pair = found.pairs[0]
        >>> round(pair.difference, 4), pair.wins, round(pair.p_uncorrected, 3)
        (-0.0467, 1, 0.349)
    """
    test = arguments.of_class("test", test, Test, "carob.Test(…)")
    found = scored(collections, runs, measures, absent=absent, policy=policy, profile=profile)
    return compared(
        found,
        test,
        baseline=baseline,
        target=target,
        average=average,
        absent=absent,
        friedman_ties=friedman_ties,
        borda_of=borda_of,
    )


def compared(
    found: Scored, test: Test, *, baseline: str | None = None, **chosen: Any
) -> CollectionsComparison:
    """Compares runs whose values on several collections are already computed.

    Args:
        found: the values of the runs on each collection.
        test: as in ``compare_collections``.
        baseline: as in ``compare_collections``.
        chosen: the fields of ``AcrossSettings`` that differ from their defaults.

    Raises:
        DataError: the baseline is unknown, or the settings require per-query scores but only means are known.
        PolicyError: a setting of the test does not apply to several collections.
    """
    applying = "correction alpha resamples seed confidence rope"
    applying += " interval" * INTERVALS[test.interval].on_collections
    refuse_others(test, applying, "on several collections")
    if baseline is not None and baseline not in found.runs:
        hint = did_you_mean(baseline, found.runs, f"The runs are {', '.join(found.runs[:20])}.")
        raise DataError(f"No run is called '{baseline}'. {hint}")
    base = None if baseline is None else found.runs.index(baseline)
    usual = settings_of(replace(test, name="t"), len(found.runs), len(found.measures), base)
    settings = AcrossSettings(**vars(usual), **chosen)
    if any(each.queries is None for its in found.values.values() for each in its):
        if settings.target == "these":
            raise DataError(
                "The target 'these' needs per-query scores, but there is only one value for each collection and run: "
                "choose the target 'similar', or pass per-query scores."
            )
        if settings.average == "micro":
            raise DataError(
                "The micro mean needs the number of queries, but there is only one value for each collection and run: "
                "choose the average 'macro', or pass per-query scores."
            )
    contests: dict[str, Any] = decided(over_collections(found, settings).measures, settings, found.runs)
    return CollectionsComparison(
        found.collections, found.runs, found.scores, found.lacking, found.notes, contests, settings
    )


def over_collections(found: Scored, settings: AcrossSettings) -> MethodResult:
    """Estimates runs and pairs of runs from their means on several collections."""
    pairs = pairs_of(len(found.runs), settings.baseline)
    ids = Names.of_bytes([each.encode("utf-8", "surrogateescape") for each in found.collections])
    measures = []
    for label, measure in found.measures.items():
        values = found.values[label]
        table = RunTable(label, measure, np.array([each.means for each in values]))
        known = values[0].queries is not None
        size = np.array([each.queries for each in values], np.float64) if known else None
        method = CollectionsMethod(settings, *pairs, table.sign, size)
        measures.append(method.estimated(table, found.collections, values))
    return MethodResult(ids, measures, settings)


@dataclass(frozen=True, eq=False)
class CollectionsMethod:
    """The settings for comparing runs by one measure.

    Args:
        settings: the settings.
        first: the first run of each pair.
        second: the second run of each pair.
        sign: 1 if larger values are better, -1 otherwise.
        size: the number of queries in each collection; None if only means are known.
    """

    settings: AcrossSettings
    first: Integers
    second: Integers
    sign: float
    size: Floats | None

    def estimated(
        self, table: RunTable, names: Sequence[str], values: Sequence[CollectionValues]
    ) -> Estimated:
        """Returns the estimates of the runs, the outcomes of the pairs, and the ranks by one measure.

        Args:
            table: the mean of each run on each collection [collections, runs].
            names: the collections.
            values: the values of each collection.
        """
        settings, means = self.settings, table.values
        differences = means[:, self.first] - means[:, self.second]
        errors = squared_errors(values, self.first, self.second)
        found = self.contrasts(differences, errors)
        whole = np.asarray(~np.isnan(means).any(axis=1))
        complete = [each for each, there in zip(values, whole.tolist(), strict=True) if there]
        drawn = self.drawn(complete) if len(complete) > 1 else None
        own = self.contrasts(means, own_errors(values))
        if INTERVALS[settings.interval].draws and drawn is not None:
            found = self.percentiles(found, differences, drawn, self.first, self.second)
            own = self.percentiles(own, means, drawn, np.arange(means.shape[1]))
        counts = (~np.isnan(means)).sum(axis=0).tolist()
        ranks = mid_ranks(self.sign * means)
        best = best_first(own.value.tolist(), self.sign, counts)[0]
        micro = None if self.size is None else like_these(means, self.size).value
        more = {
            "counts": tuple(counts),
            "collections": tuple(map(self.one, names, values, errors, ranks)),
            "macro": tuple(like_these(means).value.tolist()),
            "micro": None if micro is None else tuple(micro.tolist()),
            "borda": tuple(borda(ranks, settings.borda_of).tolist()),
            "other_target": self.other_target(differences, errors),
            **self.ranked(ranks[whole]),
            **self.placed(drawn, len(complete)),
        }
        outcome = self.outcome(found, differences, ranks[whole], best)
        means_of_runs = tuple(own.value.tolist())
        low, high = np.maximum(own.low, table.limits[0]), np.minimum(own.high, table.limits[1])
        return Estimated(table, means_of_runs, low, high, outcome, contest=Across, pair=AcrossPair, more=more)

    def ranked(self, ranks: Floats) -> dict[str, Any]:
        """Returns the fields of ``Across`` for mean ranks. With fewer than two collections, most are None.

        Args:
            ranks: the mid-ranks on the collections that have all runs [collections, runs].
        """
        complete, runs = ranks.shape
        enough = complete > 1
        cut = critical_difference(self.settings.alpha, runs, complete) if enough else None
        return {
            "complete": complete,
            "mean_ranks": tuple(ranks.mean(axis=0).tolist()) if enough else None,
            "friedman": friedman(ranks, self.settings.friedman_ties) if enough else None,
            "critical_difference": cut,
            "rank_groups": rank_groups(ranks, cut),
        }

    def placed(self, drawn: Floats | None, units: int) -> dict[str, Any]:
        """Returns the fields of ``Across`` for places by the mean, over resamples of ``units`` collections."""
        if drawn is None:
            return {"rank_low": None, "rank_high": None, "best": None, "resamples": 0}
        places = ranks_in(self.sign * drawn, self.settings.percentile_level(units))
        shown = self.settings.target != "similar" or units >= FEWEST_PLACED
        return {
            "rank_low": tuple(places.low.tolist()) if shown else None,
            "rank_high": tuple(places.high.tolist()) if shown else None,
            "best": tuple(places.best.tolist()),
            "resamples": len(drawn),
        }

    def contrasts(self, values: Floats, errors: Floats, target: str = "") -> Tested:
        """Returns means over collections, for runs or for differences, with the test for the target."""
        settings = self.settings
        weight = self.size if settings.average == "micro" else None
        if (target or settings.target) == "similar" or self.size is None:
            return like_these(values, weight, confidence=settings.confidence)
        return these(values, errors, self.size, weight, confidence=settings.confidence)

    def other_target(self, differences: Floats, errors: Floats) -> int | None:
        """Returns the number of pairs that differ significantly for the other target; None if it is unknown."""
        if self.size is None:
            return None
        other = "these" if self.settings.target == "similar" else "similar"
        p = self.contrasts(differences, errors, other).p
        return int((corrected(p, self.settings.correction) < self.settings.alpha).sum())

    def drawn(self, values: Sequence[CollectionValues]) -> Floats:
        """Returns the means over resampled collections, or over collections with resampled queries [resamples, runs].

        If collections are resampled, each keeps all its queries: the differences between collections already include
        the queries' sampling error, so resampling queries as well would count this error twice.
        """
        settings = self.settings
        draw = Draw(settings.bootstrap_resamples, settings.seed)
        if settings.target == "similar" and settings.average == "macro":
            return resample_means(np.array([each.means for each in values]), draw)
        tables = [each.table for each in values if each.table is not None]
        cells = sum(each.size for each in tables)
        most = max(FEWEST_RESAMPLES, MOST_RESAMPLED // cells)
        draw = replace(draw, resamples=min(draw.resamples, most))
        size = np.array([len(each) for each in tables])
        if settings.target == "similar":
            clusters = np.repeat(np.arange(len(tables)), size)
            return resample_means(np.concatenate(tables), replace(draw, clusters=clusters))
        weight = size if settings.average == "micro" else np.ones(len(size))
        return resampled_queries(tables, weight / weight.sum(), draw)

    def percentiles(
        self, found: Tested, values: Floats, drawn: Floats, first: Integers, second: Integers | None = None
    ) -> Tested:
        """Returns the means with percentile intervals.

        A column with missing collections keeps its interval, and a column without an interval remains without one.

        Args:
            found: the means.
            values: the values that were averaged [collections, columns].
            drawn: the means of the runs over resamples [resamples, runs].
            first: the run in each column, or the minuend if a column is a difference.
            second: the run that is subtracted in each column; None if the columns are not differences.
        """
        tail = self.settings.percentile_level(len(values)) / 2
        low, high = found.low.copy(), found.high.copy()
        kept = np.flatnonzero(~np.isnan(values).any(axis=0) & ~np.isnan(low))
        for part in in_parts(kept, len(drawn)):
            means = (
                drawn[:, first[part]] if second is None else drawn[:, first[part]] - drawn[:, second[part]]
            )
            low[part], high[part] = np.quantile(means, [tail, 1 - tail], axis=0)
        return replace(found, low=low, high=high)

    def outcome(self, found: Tested, differences: Floats, ranks: Floats, best: int) -> Outcome:
        """Returns the uncorrected comparison of each pair of runs.

        Args:
            found: the means of the differences, with their tests.
            differences: the difference of each pair on each collection [collections, pairs].
            ranks: the mid-ranks on the collections that have all runs [collections, runs].
            best: the best run.
        """
        settings, couples = self.settings, np.stack([self.first, self.second], axis=1)
        outcome = empty_outcome(self.first, self.second, AcrossPair)
        better = self.sign * differences
        outcome.collections[:] = (~np.isnan(differences)).sum(axis=0)
        outcome.wins[:], outcome.losses[:] = (better > NOISE).sum(axis=0), (better < -NOISE).sum(axis=0)
        outcome.ties[:] = outcome.collections - outcome.wins - outcome.losses
        outcome.identical[:] = (outcome.ties == outcome.collections) & (found.error <= NOISE)
        for name in ("difference", "low", "high", "freedom"):
            outcome[name] = found.value if name == "difference" else getattr(found, name)
        outcome.p_uncorrected[:] = found.p
        outcome.wilcoxon[:] = signed_rank_p(differences)
        outcome.wilcoxon_corrected[:] = corrected(outcome.wilcoxon, settings.correction)
        if len(ranks) > 1:
            outcome.nemenyi[:] = nemenyi(ranks, couples)
        if settings.rope is not None:
            wanted = np.arange(len(couples))
            if len(wanted) > MOST_POSTERIORS:
                wanted = np.flatnonzero((couples == best).any(axis=1))
            draw = Draw(settings.bootstrap_resamples, settings.seed)
            chances = bayesian_signed_ranks(better[:, wanted], settings.rope, draw)
            outcome.p_worse[wanted], outcome.p_same[wanted], outcome.p_better[wanted] = chances
        return outcome

    def one(self, name: str, values: CollectionValues, squares: Floats, ranks: Floats) -> OneCollection:
        """Returns the result for one collection: means, ranks, and the runs that each run significantly outperforms."""
        beaten: tuple[tuple[int, ...], ...] | None = None
        runs, first, second = len(values.means), self.first, self.second
        if values.queries is not None and runs <= MOST_BEATEN:
            difference = self.sign * (values.means[first] - values.means[second])
            found = these(difference[None, :], squares[None, :], [values.queries])
            sure = corrected(found.p, self.settings.correction) < self.settings.alpha
            beaten = outperformed(runs, first[sure], second[sure], difference[sure])
        means, places = tuple(values.means.tolist()), tuple(ranks.tolist())
        return OneCollection(name, values.queries, values.left_out, means, places, beaten)


def squared_errors(values: Sequence[CollectionValues], first: Integers, second: Integers) -> Any:
    """Returns the squared standard error of each pair's difference in each collection; NaN if it is unknown.

    The sum of squares is computed from the differences themselves, not from variances and covariances, because
    subtracting those would lose precision for nearly equal runs.
    """
    from scipy.spatial.distance import cdist, pdist

    def squares(each: CollectionValues) -> Floats:
        if each.table is None or len(each.table) < 2:
            return np.full(len(first), np.nan)
        around = np.ascontiguousarray((each.table - each.table.mean(axis=0)).T)
        runs, count = around.shape
        if len(first) == runs * (runs - 1) // 2:
            found = pdist(around, "sqeuclidean")
        else:
            base = int(second[0])
            found = cdist(around, around[base : base + 1], "sqeuclidean")[first, 0]
        return np.asarray(found / (count * (count - 1)))

    return np.array(all_in_threads(squares, values, min(len(values), available_cores())))


def own_errors(values: Sequence[CollectionValues]) -> Any:
    """Returns the squared standard error of each run's mean in each collection; NaN if it is unknown."""
    found = np.full((len(values), len(values[0].means)), np.nan)
    for row, each in zip(found, values, strict=True):
        if each.table is not None and len(each.table) > 1:
            row[:] = each.table.var(axis=0, ddof=1) / len(each.table)
    return found


def rank_groups(ranks: Floats, cut: float | None) -> tuple[tuple[int, ...], ...]:
    """Returns groups of runs whose mean ranks all differ by less than the critical difference."""
    if cut is None:
        return ()
    means = ranks.mean(axis=0)
    far = np.abs(means[:, None] - means) >= cut
    return tuple(groups(np.argsort(means, kind="stable"), far))
