"""``karat.compare``: judgments and runs in, a comparison out; the settings with their defaults."""

from __future__ import annotations

import math
import os
from dataclasses import replace
from numbers import Integral, Real
from typing import TYPE_CHECKING

from karat.comparison.cautions import cautions_of
from karat.comparison.findings import FAMILY_WISE, Settings
from karat.comparison.orders import orders_of
from karat.comparison.result import Comparison
from karat.comparison.runs import RunsLike, evaluated, named, tables_of
from karat.comparison.significance import contests_of
from karat.comparison.statistics import SEED
from karat.comparison.statistics.randomisation import refuse_seed
from karat.inputs.query_files import GroupsLike, groups_of
from karat.inputs.run import Run
from karat.output.errors import DataError, PolicyError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from karat import _native
    from karat.conventions.policy import Policy
    from karat.conventions.profiles import ProfileLike
    from karat.conventions.request import MeasuresLike
    from karat.evaluation.scores import Scores
    from karat.inputs.qrels import QrelsLike

__all__ = ["compare"]

TESTS = ("t", "randomisation", "tukey", "max-t", "wilcoxon", "sign")
CORRECTIONS = ("holm", "bonferroni", "bh", "none")
FAMILIES = ("measure", "all")
RESAMPLES = 10_000
"""1,000 put up to 1.4 % of the pairs of a TREC track on the wrong side of .05, 10,000 up to .5 %."""

MOST_RESAMPLES = 1_000_000


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
        cluster: a file ``query cluster`` or a mapping: queries of one cluster are not independent.
        by: a file ``query group`` or a mapping: shows each group of queries separately, and the worst.
        orders: also report how similarly measures order the runs (τ, τ_AP), and runs the documents (RBO).
        judged_at: the depth to which unjudged documents are counted; the primary measure's depth, else 10.
        policy: as in ``karat.evaluate``.
        profile: as in ``karat.evaluate``.
        weights: the weight of each query in the means, ``{query: weight}``.
        progress: counts the bytes read, for a progress bar in another thread.

    Raises:
        DataError: invalid text or values; two runs of the same name; a query without a group.
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
    requested = Settings(
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
    contests, settings = contests_of(tables, settled(requested, len(names), len(tables)), groups)
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


def settled(requested: Settings, runs: int, measures: int) -> Settings:
    """The settings with every default filled in, for an empty ``test`` or ``correction`` or 0 resamples.

    Raises:
        PolicyError: there is no such test, correction or family, or two of them do not go together.
    """
    one_against_all = requested.baseline is not None or runs == 2
    test = requested.test or ("t" if one_against_all else "tukey")
    for what, word, known in (
        ("test", test, TESTS),
        ("correction", requested.correction or "none", CORRECTIONS),
        ("family", requested.family, FAMILIES),
        ("interval", requested.interval, ("t", "bootstrap")),
    ):
        if word not in known:
            raise PolicyError(
                f"There is no {what} '{word}'. {did_you_mean(word, known, 'It is one of ' + ', '.join(known) + '.')}"
            )
    for name in ("alpha", "confidence", "rope", "margin", "resamples"):
        value: object = getattr(requested, name)
        if value is not None and not isinstance(value, Integral if name == "resamples" else Real):
            raise PolicyError(f"{name}={value!r}: give a number.")
    if not 0 < requested.alpha < 1:
        raise PolicyError(f"alpha={requested.alpha}: it lies between 0 and 1.")
    if requested.resamples < 0:
        raise PolicyError(f"resamples={requested.resamples!r}: give a whole number from 1 on.")
    refuse_seed(requested.seed)
    pairs = runs - 1 if requested.baseline is not None else runs * (runs - 1) // 2
    comparisons = pairs * (measures if requested.family == "all" else 1)
    if test in FAMILY_WISE and requested.correction not in ("", "none"):
        raise PolicyError(
            f"The test '{test}' holds for all pairs at once: leave out correction='{requested.correction}', or choose "
            "test='t' or test='randomisation'."
        )
    correction = requested.correction or ("none" if test in FAMILY_WISE or comparisons == 1 else "holm")
    return replace(
        requested,
        test=test,
        correction=correction,
        comparisons=comparisons,
        resamples=resamples_for(test, correction, comparisons, requested),
    )


def resamples_for(test: str, correction: str, comparisons: int, requested: Settings) -> int:
    """The number of resamples: enough for a corrected p to fall well below alpha."""
    if test not in ("randomisation", *FAMILY_WISE):
        return 0
    if requested.resamples:
        return requested.resamples
    if test != "randomisation" or correction in ("none", "bh"):
        return RESAMPLES
    return min(MOST_RESAMPLES, max(RESAMPLES, math.ceil(20 * comparisons / requested.alpha)))


def place_of(baseline: str | int | None, names: Sequence[str], runs: Sequence[Run | Scores]) -> int | None:
    """The index of the baseline, given by its name, path or index.

    Raises:
        DataError: there is no such run.
    """
    if baseline is None:
        return None
    if isinstance(baseline, int):
        if not 0 <= baseline < len(names):
            raise DataError(f"baseline={baseline}: there are {len(names)} runs, counted from 0.")
        return baseline
    if baseline in names:
        return names.index(baseline)
    paths = [
        os.path.normpath(each.origin.path) if isinstance(each, Run) and each.origin.path else ""
        for each in runs
    ]
    if os.path.normpath(baseline) in paths:
        return paths.index(os.path.normpath(baseline))
    hint = did_you_mean(baseline, names, f"The runs are {', '.join(names[:20])}.")
    raise DataError(f"No run is called '{baseline}'. {hint}")
