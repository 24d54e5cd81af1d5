"""Judgments and runs in, a comparison out: ``karat.compare``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from karat.comparison.cautions import cautions_of
from karat.comparison.contests import contests_of
from karat.comparison.deciding import place_of, settled
from karat.comparison.findings import Settings
from karat.comparison.observations import tables_of
from karat.comparison.orders import orders_of
from karat.comparison.result import Comparison
from karat.comparison.statistics import SEED
from karat.comparison.systems import RunsLike, evaluated, named
from karat.inputs.query_files import GroupsLike, groups_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from karat import _native
    from karat.conventions.policy import Policy
    from karat.conventions.profiles import ProfileLike
    from karat.conventions.request import MeasuresLike
    from karat.inputs.qrels import QrelsLike

__all__ = ["compare"]


def compare(
    qrels: QrelsLike | None,
    runs: RunsLike,
    measures: MeasuresLike = None,
    *,
    baseline: str | int | None = None,
    test: str | None = None,
    correction: str | None = None,
    alpha: float = 0.05,
    family: str = "measure",
    resamples: int | None = None,
    seed: int = SEED,
    confidence: float = 0.95,
    interval: str = "t",
    rope: float | None = None,
    margin: float | None = None,
    cluster: GroupsLike | None = None,
    by: GroupsLike | None = None,
    orders: bool = False,
    judged_at: int | None = None,
    policy: Policy | None = None,
    profile: ProfileLike = None,
    weights: Mapping[str, float] | None = None,
    progress: _native.Progress | None = None,
) -> Comparison:
    """Compare runs: which is better, by how much, and could it be chance?

    Args:
        qrels: judgments, as for ``karat.evaluate``; None if every run is given as scores.
        runs: ``{name: run}``, or a list of runs: paths, dicts, ``Run`` or ``Scores``.
        measures: names or ``Measure``s; the first is the primary one. karat's default ones if None.
        baseline: compare every run with this one, given by name, path or place; all pairs if None.
        test: ``t`` (of two runs, or against a baseline the default), ``randomisation``, ``tukey`` (the default of all
            pairs), ``max-t``, ``wilcoxon``, ``sign``.
        correction: ``holm`` (the default), ``bonferroni``, ``bh``, ``none``; ``tukey`` and ``max-t`` need none.
        alpha: a corrected p below it is called significant.
        family: what is corrected together: the comparisons of one ``measure``, or of ``all``.
        resamples: of a Monte Carlo test; by default 10,000, and more where the correction needs it.
        seed: of the resamples; the same seed gives the same p everywhere.
        confidence: of the intervals.
        interval: ``t``, or ``bootstrap`` (percentiles over resampled queries).
        rope: half the width of a region of practical equivalence: asks how probable worse, same and better are.
        margin: asks whether runs differ by less than this (two one-sided tests).
        cluster: a file ``query cluster`` or a mapping: queries of a cluster are not independent of each other.
        by: a file ``query group`` or a mapping: shows the groups apart, and the worst.
        orders: also say how alike measures order the runs (τ, τ_AP), and runs the documents (RBO).
        judged_at: how deep documents without judgments are counted; the primary measure's depth, else 10.
        policy: as in ``karat.evaluate``.
        profile: as in ``karat.evaluate``.
        weights: what each query weighs in the means, ``{query: weight}``.
        progress: counts the bytes read, for a progress bar in another thread.

    Raises:
        DataError: text or values that cannot be used as they are; runs of the same name; a query without a group.
        MeasureError: a measure that does not exist.
        PolicyError: a profile, policy, test or correction that does not exist.

    Example:
        >>> import karat
        >>> qrels = {f"q{n}": {"a": 1} for n in range(5)}
        >>> old = {f"q{n}": {"x": 2.0, "a": 1.0 + n} for n in range(5)}
        >>> new = {f"q{n}": {"a": 2.0, "x": 1.0 + n / 4} for n in range(5)}
        >>> found = karat.compare(qrels, {"old": old, "new": new}, "RR", baseline="old", test="randomisation")
        >>> pair = found["RR"].pairs[0]
        >>> pair.difference, pair.p, pair.exact
        (0.1, 1.0, True)
    """
    given = named(runs)
    systems, depth, qrels_name = evaluated(
        qrels,
        given,
        measures,
        policy=policy,
        profile=profile,
        weights=weights,
        judged_at=judged_at,
        progress=progress,
    )
    names, scores = tuple(given), tuple(each.scores for each in systems)
    queries, tables = tables_of(scores)
    clusters, groups = groups_of(cluster, queries), groups_of(by, queries)
    if clusters is not None:
        tables = [replace(table, clusters=clusters.codes) for table in tables]
    asked = Settings(
        test=test or "",
        correction=correction or "",
        alpha=alpha,
        family=family,
        comparisons=0,
        resamples=resamples or 0,
        seed=seed,
        baseline=place_of(baseline, names, list(given.values())),
        confidence=confidence,
        interval=interval,
        rope=rope,
        margin=margin,
        clusters=None if clusters is None else len(clusters.names),
        by=None if groups is None else groups.name or "group",
    )
    contests, settings = contests_of(tables, settled(asked, len(names), len(tables)), groups)
    found = Comparison(
        names=names,
        scores=scores,
        labels=scores[0].labels,
        queries=queries,
        contests=contests,
        settings=settings,
        judged=tuple(each.judged for each in systems),
        judged_depth=depth,
        qrels_name=qrels_name,
        orders=orders_of(list(contests.values()), systems, settings.baseline) if orders else None,
    )
    return replace(found, warnings=cautions_of(found, systems))
