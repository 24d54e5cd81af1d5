"""What the choice of a judge does to systems: their scores, their order, and which differences are significant."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from karat.comparison import compare
from karat.comparison.statistics import kendall, resample_means, tau_ap
from karat.evaluation.evaluate import evaluate
from karat.evaluation.scores import whole

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from karat.comparison import Contest, Settings
    from karat.conventions.policy import Policy
    from karat.conventions.profiles import ProfileLike
    from karat.conventions.request import MeasuresLike
    from karat.evaluation.scores import Scores
    from karat.inputs.qrels import Qrels
    from karat.inputs.run import Run
    from karat.lists.rows import Floats

__all__ = ["TOP", "Effect", "effects"]

TOP = 10
"""How many of the best systems are looked at by themselves: that is where judges are told apart."""


@dataclass(frozen=True, eq=False)
class Effect:
    """One measure under both judges.

    Args:
        label: the measure.
        names: the systems.
        a: their means under the first judge.
        b: their means under the second.
        ranks_a: their ranks under the first, equal means the same.
        ranks_b: their ranks under the second.
        tau: Kendall's τ_b between both orders; NaN for one system.
        tau_low: the lower end of its 95 % interval, whole queries drawn; NaN where there is none.
        tau_high: the upper end.
        tau_ap: τ_AP with the first judge's order for the true one: a swap near the top costs more.
        tau_top: τ_b among the ten best of the first judge; NaN where there are no more than ten.
        top_kept: how many of those are among the second's ten best.
        flips: pairs of systems of which the one is better under the first judge and the other under the second.
        kept: pairs that differ significantly, the same way, under both; the better system first.
        lost: pairs that differ significantly under the first judge only.
        gained: pairs that differ significantly under the second judge only.
        reversed: pairs that differ significantly under both, in opposite ways; the first judge's better one first.
    """

    label: str
    names: tuple[str, ...]
    a: tuple[float, ...]
    b: tuple[float, ...]
    ranks_a: tuple[int, ...]
    ranks_b: tuple[int, ...]
    tau: float
    tau_low: float
    tau_high: float
    tau_ap: float
    tau_top: float
    top_kept: int
    flips: tuple[tuple[str, str], ...]
    kept: tuple[tuple[str, str], ...] = ()
    lost: tuple[tuple[str, str], ...] = ()
    gained: tuple[tuple[str, str], ...] = ()
    reversed: tuple[tuple[str, str], ...] = ()

    @property
    def pairs(self) -> int:
        """How many pairs of systems there are."""
        return len(self.names) * (len(self.names) - 1) // 2

    @property
    def significant(self) -> int:
        """How many pairs differ significantly under the first judge."""
        return len(self.kept) + len(self.lost) + len(self.reversed)

    @property
    def moved(self) -> tuple[str, int, int]:
        """The system whose rank changes most, with its rank under each judge."""
        place = max(range(len(self.names)), key=lambda each: abs(self.ranks_a[each] - self.ranks_b[each]))
        return self.names[place], self.ranks_a[place], self.ranks_b[place]


def effects(
    a: Qrels,
    b: Qrels,
    runs: Mapping[str, Run],
    measures: MeasuresLike,
    *,
    policy: Policy | None,
    profile: ProfileLike,
    alpha: float,
    resamples: int,
    seed: int,
) -> tuple[tuple[Effect, ...], Settings | None, tuple[Scores, ...]]:
    """Every measure under both judges, how pairs were tested, and the scores under the first judge and the second.

    Raises:
        DataError: a run that cannot be read.
    """
    one, other = (
        measured(qrels, runs, measures, policy=policy, profile=profile, alpha=alpha, seed=seed)
        for qrels in (a, b)
    )
    names = tuple(runs)
    found = tuple(
        effect(
            label,
            names,
            means,
            other.means[label],
            one.signs[label],
            other.signs[label],
            tau_interval(one, other, label, resamples, seed),
        )
        for label, means in one.means.items()
    )
    return found, one.settings, (*one.scores, *other.scores)


@dataclass(frozen=True, eq=False)
class Measured:
    """Systems under one judge.

    Args:
        scores: of each.
        means: of each, by measure.
        signs: by measure and pair of systems 1 if the first is significantly better, -1 if the second is, else 0.
        settings: of the test; None for one system.
    """

    scores: tuple[Scores, ...]
    means: dict[str, tuple[float, ...]]
    signs: dict[str, dict[tuple[int, int], int]]
    settings: Settings | None


def measured(
    qrels: Qrels,
    runs: Mapping[str, Run],
    measures: MeasuresLike,
    *,
    policy: Policy | None,
    profile: ProfileLike,
    alpha: float,
    seed: int,
) -> Measured:
    """The systems under one judge; one alone has no pair to test."""
    if len(runs) == 1:
        ((name, run),) = runs.items()
        alone = whole(evaluate(qrels, run, measures, policy=policy, profile=profile, name=name))
        return Measured(
            (alone,), {label: (alone[label],) for label in alone.labels}, {label: {} for label in alone}, None
        )
    found = compare(qrels, runs, measures, policy=policy, profile=profile, alpha=alpha, seed=seed)
    means = {label: contest.means for label, contest in found.contests.items()}
    signs = {label: significant(contest, alpha) for label, contest in found.contests.items()}
    return Measured(found.scores, means, signs, found.settings)


def tau_interval(a: Measured, b: Measured, label: str, resamples: int, seed: int) -> tuple[float, float]:
    """Where τ_b lies when queries are drawn anew, the same ones for both judges; NaN where means are not plain ones."""
    every = [*a.scores, *b.scores]
    queries = {each.queries for each in every}
    kind = a.scores[0].measures[a.scores[0].column(label)].definition.aggregate
    table = (
        np.stack([each.values[:, each.column(label)] for each in every], axis=1)
        if len(queries) == 1 and kind == "mean"
        else np.full((1, 2), np.nan)
    )
    if len(a.scores) < 2 or len(table) < 2 or not np.isfinite(table).all():
        return np.nan, np.nan
    means = resample_means(table, resamples=resamples, seed=seed)
    found = np.array([kendall(*np.split(row, 2)).b for row in means])
    defined = found[~np.isnan(found)]
    if not len(defined):
        return np.nan, np.nan
    low, high = np.quantile(defined, [0.025, 0.975])
    return float(low), float(high)


def effect(
    label: str,
    names: tuple[str, ...],
    a: tuple[float, ...],
    b: tuple[float, ...],
    signs_a: dict[tuple[int, int], int],
    signs_b: dict[tuple[int, int], int],
    spread: tuple[float, float],
) -> Effect:
    """One measure under both judges."""
    low, high = spread
    one, other = np.array(a), np.array(b)
    best = np.argsort(-one, kind="stable")[:TOP]
    many, ranks_b = len(names) > TOP, ranks(other)
    fates: dict[str, list[tuple[str, str]]] = {"kept": [], "lost": [], "gained": [], "reversed": []}
    for (first, second), sign in signs_a.items():
        after = signs_b[first, second]
        fate = fate_of(sign, after)
        if fate:
            better, worse = (first, second) if (sign or after) > 0 else (second, first)
            fates[fate].append((names[better], names[worse]))
    return Effect(
        label=label,
        names=names,
        a=a,
        b=b,
        ranks_a=ranks(one),
        ranks_b=ranks_b,
        tau=kendall(one, other).b,
        tau_low=low,
        tau_high=high,
        tau_ap=tau_ap(one, other).a,
        tau_top=kendall(one[best], other[best]).b if many else np.nan,
        top_kept=sum(ranks_b[place] <= TOP for place in best.tolist()),
        flips=flips(names, a, b),
        **{key: tuple(pairs) for key, pairs in fates.items()},
    )


def ranks(means: Floats) -> tuple[int, ...]:
    """The rank of each system, 1 for the best; equal means share the better rank."""
    return tuple(int((means > each).sum()) + 1 for each in means)


def flips(names: Sequence[str], one: Sequence[float], other: Sequence[float]) -> tuple[tuple[str, str], ...]:
    """The pairs in opposite order; the one better under the first judge stands first."""
    pairs = ((i, j) if one[i] > one[j] else (j, i) for i, j in combinations(range(len(names)), 2))
    return tuple((names[i], names[j]) for i, j in pairs if one[i] > one[j] and other[i] < other[j])


def significant(contest: Contest, alpha: float) -> dict[tuple[int, int], int]:
    """For each pair 1 if the first is significantly better, -1 if the second is, else 0."""
    return {
        (pair.a, pair.b): int(np.sign(pair.difference)) if pair.adjusted < alpha else 0
        for pair in contest.pairs
    }


def fate_of(before: int, after: int) -> str:
    """What becomes of a pair that is significant under one judge or both; empty if under none."""
    if before and after:
        return "kept" if before == after else "reversed"
    return "lost" if before else "gained" if after else ""
