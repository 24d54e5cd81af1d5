"""Intervals that are corrected for all comparisons together, and so agree with what is called significant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.comparison.findings import Settings
    from karat.comparison.outcomes import Outcome
    from karat.lists.rows import Floats

__all__ = ["NOT_OF_MEANS", "join"]

NOT_OF_MEANS = ("wilcoxon", "sign")
"""Tests whose p is of signs or ranks: no interval of the mean agrees with them."""


def join(outcome: Outcome, settings: Settings, *, geometric: bool) -> None:
    """Write each pair's joint interval, once its corrected p is known.

    A test of all pairs at once has one cut: difference ± cut (Tukey, 1953). Otherwise the pair's own interval is
    stretched to the level at which the pair was decided: alpha by the number of comparisons (Bonferroni), or where a
    stepwise method was milder and found the pair significant only there, alpha by that step's factor.
    """
    if settings.test in NOT_OF_MEANS:
        return
    sure = (outcome.adjusted < settings.alpha) & ~outcome.identical
    known = np.isfinite(outcome.cut) & (not geometric)
    stretch = stretched(outcome, settings, sure)
    difference = outcome.difference
    below = np.where(known, outcome.cut, (difference - outcome.low) * stretch)
    above = np.where(known, outcome.cut, (outcome.high - difference) * stretch)
    disagreeing = sure != ((difference - below > 0) | (difference + above < 0))
    half = from_p(outcome, settings)
    for side in (below, above):
        side[disagreeing] = half[disagreeing]
        side[outcome.identical] = 0.0
    outcome.joint_low[:], outcome.joint_high[:] = difference - below, difference + above


def stretched(outcome: Outcome, settings: Settings, sure: NDArray[np.bool_]) -> Floats:
    """How many times wider each pair's interval is at its corrected level."""
    count = (
        1 if settings.correction == "none" and not np.isfinite(outcome.cut).any() else settings.comparisons
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        step = outcome.adjusted / outcome.p
    milder = sure & (outcome.p * count >= settings.alpha) & (step >= 1)
    factor = np.where(milder, step, float(count))
    wide = t_quantile(1 - settings.alpha / factor, outcome.freedom)
    return np.asarray(wide / t_quantile(settings.confidence, outcome.freedom))


def from_p(outcome: Outcome, settings: Settings) -> Floats:
    """Half the width of the interval that a p-value implies (Altman and Bland, BMJ 2011): it agrees with that p."""
    with np.errstate(divide="ignore", invalid="ignore"):
        reached = t_quantile(1 - outcome.adjusted, outcome.freedom)
        return np.abs(outcome.difference) * t_quantile(1 - settings.alpha, outcome.freedom) / reached


def t_quantile(confidence: Floats | float, freedom: Floats) -> Floats:
    """How many standard errors an interval reaches to either side, level by level."""
    from scipy.special import stdtrit

    return np.asarray(stdtrit(freedom, (1 + np.asarray(confidence)) / 2))
