"""Correlations between scores of systems, for many samples at once: τ, ρ, r, τ_AP, τ_GAP, rank-biased overlap."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from carob._dataclasses import dataclass
from carob._numpy import np
from carob.output.errors import PolicyError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from carob.lists.rows import Floats

Coefficient: TypeAlias = "Callable[[Floats, Floats], Floats]"
"""A function of the true and the estimated scores [..., systems] that returns a number for each sample [...]."""

PERSISTENCE = 0.9
"""The probability of continuing to the next system in rank-biased overlap."""

AT_ONCE = 4_000_000
"""The maximum number of pairs of systems, over all samples, that are held in memory at a time."""


def differences(scores: Floats) -> Floats:
    """Returns the score of each system minus the score of each other system [..., systems, systems]."""
    return scores[..., :, None] - scores[..., None, :]


def defined(numerator: Floats, denominator: Floats) -> Floats:
    """Returns the quotient, or NaN where the denominator is 0."""
    there = denominator > 0
    return np.where(there, numerator / np.where(there, denominator, 1.0), np.nan)


def tau_b(x: Floats, y: Floats) -> Floats:
    """Returns Kendall's τ_b: concordant minus discordant pairs, divided by √(untied pairs in x · untied pairs in y)."""
    one, other = np.sign(differences(x)), np.sign(differences(y))
    free = np.abs(one).sum((-1, -2)) * np.abs(other).sum((-1, -2))
    return defined((one * other).sum((-1, -2)), np.sqrt(free))


def tau_a(x: Floats, y: Floats) -> Floats:
    """Returns Kendall's τ_a: concordant minus discordant pairs, divided by the number of all pairs."""
    both = np.sign(differences(x)) * np.sign(differences(y))
    systems = x.shape[-1]
    return defined(both.sum((-1, -2)), np.full(x.shape[:-1], float(systems * (systems - 1))))


def pearson(x: Floats, y: Floats) -> Floats:
    """Returns Pearson's r, or NaN where all scores of x or of y are equal."""
    # Constant scores are detected by their range, because they may differ from their computed mean in the last bit.
    constant = (x.max(-1) == x.min(-1)) | (y.max(-1) == y.min(-1))
    one, other = x - x.mean(-1, keepdims=True), y - y.mean(-1, keepdims=True)
    product = np.sqrt((one * one).sum(-1)) * np.sqrt((other * other).sum(-1))
    return np.clip(defined((one * other).sum(-1), np.where(constant, 0.0, product)), -1.0, 1.0)


def spearman(x: Floats, y: Floats) -> Floats:
    """Returns Spearman's ρ, which is Pearson's r of the ranks; tied systems share their mean rank."""
    return pearson(np.sign(differences(x)).sum(-1), np.sign(differences(y)).sum(-1))


def tau_ap(x: Floats, y: Floats) -> Floats:
    """Returns τ_AP, which measures how well y reproduces the order of x, averaged over all orders of ties in y.

    It is NaN where all true scores are equal.
    """
    better, gap = differences(x) < 0, differences(y)  # [..., system, other system]
    above, tied = gap < 0, gap == 0
    a, t = above.sum(-1), tied.sum(-1)
    right = (above & better).sum(-1)
    right_tied = (tied & better).sum(-1)
    # Σ 1/place over the places of a tied group, excluding the first place of the list.
    systems = x.shape[-1]
    harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, systems + 1))])
    below = harmonic[a + t - 1] - np.where(a > 0, harmonic[a - 1], 0.0)
    below = np.where((t == 1) & (a > 0), 1 / np.maximum(a, 1), below)
    places = t - (a == 0)
    parts = (right * below + right_tied / np.maximum(t - 1, 1) * (places - a * below)) / t
    return 2 * defined(parts.sum(-1), np.where(better.any((-1, -2)), float(systems - 1), 0.0)) - 1


def tau_ap_b(x: Floats, y: Floats) -> Floats:
    """Returns τ_AP,b, a symmetric variant of τ_AP in which tied systems count as equal."""
    return (one_way(x, y) + one_way(y, x)) / 2


def one_way(x: Floats, y: Floats) -> Floats:
    """Returns τ_AP,b in one direction.

    For each system below the first tied group of y, it computes the share of truly better systems among the systems
    above, and averages these shares.
    """
    above = differences(y) < 0
    count = above.sum(-1)
    share = np.where(count > 0, (above & (differences(x) < 0)).sum(-1) / np.maximum(count, 1), 0.0)
    return 2 * defined(share.sum(-1), (count > 0).sum(-1, dtype=float)) - 1


def tau_gap(x: Floats, y: Floats, *, by_place: bool = False) -> Floats:
    """Returns τ_GAP: of the gaps in true score between a system and the systems above it, the correctly ordered share.

    It is NaN where all true scores are equal.

    Args:
        x: the true scores, whose gaps are counted.
        y: the estimated scores, of which only the order matters.
        by_place: whether tied systems are ordered by their place in the list. Otherwise, each tied system is above each
            other in half of the orders, so the gaps between them count half.
    """
    gap, order = differences(x), differences(y)
    above = (order < 0).astype(np.float64)
    tied = order == 0
    if by_place:
        above += tied & np.tri(x.shape[-1], k=-1, dtype=bool)
        half = np.zeros_like(above)
    else:
        half = tied.astype(np.float64)
    weight = above + half / 2
    whole, right = (weight * np.abs(gap)).sum(-1), (weight * np.maximum(-gap, 0)).sum(-1)
    # The share of orders in which at least one system with a gap is above this system.
    open_gaps = ((gap != 0) & (half > 0)).sum(-1)
    used = np.where(((gap != 0) & (above > 0)).any(-1), 1.0, open_gaps / (open_gaps + 1))
    share = np.where(used > 0, right / np.where(whole > 0, whole, 1.0), 0.0)
    return 2 * defined((used * share).sum(-1), used.sum(-1)) - 1


def presence(scores: Floats) -> Floats:
    """Returns the share of all orders of ties in which each system is among the first d [..., system, d]."""
    gap = differences(scores)
    above, tied = (gap < 0).sum(-1)[..., None], (gap == 0).sum(-1)[..., None]
    depth = np.arange(1, scores.shape[-1] + 1)
    return np.asarray(np.clip((depth - above) / tied, 0.0, 1.0), np.float64)


def agreement(x: Floats, y: Floats) -> Floats:
    """Returns the expected overlap of the first d systems of two orders, divided by d [..., d]."""
    depth = np.arange(1, x.shape[-1] + 1)
    return np.asarray((presence(x) * presence(y)).sum(-2) / depth, np.float64)


def overlap(x: Floats, y: Floats, k: int) -> Floats:
    """Returns the share of the first k systems of one order that are among the first k of the other."""
    return agreement(x, y)[..., min(k, x.shape[-1]) - 1]


def rank_biased_overlap(x: Floats, y: Floats) -> Floats:
    """Returns the extrapolated rank-biased overlap of two orders of the same systems; for ties, its expected value."""
    shares, p = agreement(x, y), PERSISTENCE
    depth = np.arange(1, x.shape[-1] + 1)
    weights: Floats = np.power(p, depth)
    return np.asarray((1 - p) / p * (shares * weights).sum(-1) + shares[..., -1] * weights[-1], np.float64)


def among_best(coefficient: Coefficient, x: Floats, y: Floats, k: int) -> Floats:
    """Returns a coefficient for the k truly best systems, including all systems that are tied with the k-th."""
    if k >= x.shape[-1]:
        return coefficient(x, y)
    cut = np.sort(x, axis=-1)[..., -k]
    best: NDArray[np.bool_] = x >= cut[..., None]
    if (best.sum(-1) == k).all():
        places = np.argsort(~best, axis=-1, kind="stable")[..., :k]
        return coefficient(np.take_along_axis(x, places, -1), np.take_along_axis(y, places, -1))
    rows = zip(x.reshape(-1, x.shape[-1]), y.reshape(-1, x.shape[-1]), best.reshape(-1, x.shape[-1]))
    found = [float(coefficient(one[mask], other[mask])) for one, other, mask in rows]
    return np.array(found).reshape(x.shape[:-1])


@dataclass(frozen=True)
class Correlation:
    """A correlation and its properties.

    Args:
        name: the name of the correlation.
        coefficient: the function that computes it.
        smooth: whether ``queries`` or ``runs``, or both, are left out in turn to estimate the error by the jackknife,
            because the correlation is a smooth function of the means. Otherwise, the bootstrap is used.
        least: the smallest possible value; the largest is 1.
    """

    name: str
    coefficient: Coefficient
    smooth: tuple[str, ...] = ()
    least: float = -1.0

    def __call__(self, x: Floats, y: Floats) -> Floats:
        """Returns the correlation of each sample of scores, computed for a few samples at a time [samples]."""
        step = max(AT_ONCE // max(x.shape[-1] ** 2, 1), 1)
        parts = [
            self.coefficient(x[first : first + step], y[first : first + step])
            for first in range(0, len(x), step)
        ]
        return np.concatenate(parts) if parts else np.zeros(0)

    def of(self, x: Floats, y: Floats) -> float:
        """Returns the correlation of two lists of scores."""
        return float(self.coefficient(x, y))


CORRELATIONS = {
    each.name: each
    for each in (
        Correlation("kendall", tau_b),
        Correlation("kendall_a", tau_a),
        Correlation("spearman", spearman),
        Correlation("pearson", pearson, smooth=("queries", "runs")),
        Correlation("tau_ap", tau_ap),
        Correlation("tau_ap_b", tau_ap_b),
        Correlation("tau_gap", tau_gap, smooth=("runs",)),
        Correlation("tau_gap_by_name", partial(tau_gap, by_place=True), smooth=("runs",)),
        Correlation("rbo", rank_biased_overlap, least=0.0),
    )
}
"""The correlations by name. ``overlap@k``, which is not listed here, requires a k; the others accept an optional k."""

ALIASES = {
    "tau": "kendall",
    "tau_b": "kendall",
    "tau_a": "kendall_a",
    "rho": "spearman",
    "r": "pearson",
    "tauap": "tau_ap",
    "tauap_b": "tau_ap_b",
}
"""Other names for correlations, some of which autojudge-evaluate uses."""


def correlation_named(name: str) -> Correlation:
    """Returns the correlation with a given name, such as ``kendall``, ``tau_ap_b``, ``kendall@10`` or ``overlap@5``.

    Raises:
        PolicyError: the correlation does not exist.

    Example:
        >>> import numpy as np
        >>> x, y = np.array([0.4, 0.3, 0.2, 0.1]), np.array([0.4, 0.2, 0.3, 0.1])
        >>> [round(correlation_named(each).of(x, y), 4) for each in ("kendall", "kendall@2", "overlap@2")]
        [0.6667, 1.0, 0.5]
    """
    base, at, depth = name.strip().partition("@")
    base = ALIASES.get(base.lower(), base.lower())
    known = [*CORRELATIONS, "overlap@10"]
    if (base not in CORRELATIONS and base != "overlap") or (base == "overlap" and not at):
        raise PolicyError(
            f"There is no correlation '{name}'. "
            f"{did_you_mean(name, known, 'The choices are ' + ', '.join(known) + '.')}"
        )
    if at and not re.fullmatch(r"[1-9]\d{0,8}", depth):
        raise PolicyError(f"'{name}' needs a whole number of at least 1 after the @, as in {base}@10.")
    if base == "overlap":
        return Correlation(f"overlap@{depth}", partial(overlap, k=int(depth)), least=0.0)
    found = CORRELATIONS[base]
    if not at:
        return found
    few = partial(among_best, found.coefficient, k=int(depth))
    return Correlation(f"{base}@{depth}", few, found.smooth, found.least)
