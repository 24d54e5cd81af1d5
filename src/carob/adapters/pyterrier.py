"""carob's paired tests for ``pyterrier.Experiment(test=...)``."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from carob.comparison.compare import compare
from carob.comparison.design import Test
from carob.evaluation.score_files import read_scores

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from carob.conventions.arguments import TestName

__all__ = ["paired_test"]

MEASURE = "DCG"
"""A measure without an upper bound. It stands in for the real measure, because PyTerrier passes only scores."""


def paired_test(
    name: TestName = "randomisation", *, resamples: int | None = None, seed: int | None = None
) -> Callable[[Iterable[float], Iterable[float]], tuple[float, float]]:
    """Returns a test for ``pyterrier.Experiment(test=...)``, in which ``t`` and ``wilcoxon`` mean SciPy's tests.

    The test accepts the scores of a system and of the baseline for the same queries, and returns the difference between
    their means and the uncorrected two-sided p-value. ``Experiment(correction=...)`` corrects the p-value.

    Args:
        name: a test that ``carob.compare`` offers for one pair: ``randomisation``, ``t``, ``sign`` or ``wilcoxon``.
        resamples: the number of random assignments in a randomisation test; None for carob's default.
        seed: the seed of the random numbers; None for carob's default.

    Raises:
        ArgumentError: the test is unknown.

    Example:
        >>> from carob.adapters.pyterrier import paired_test
        >>> difference, p = paired_test("sign")([0.5, 0.7, 0.9, 0.4, 0.6], [0.4, 0.6, 0.8, 0.3, 0.5])
        >>> round(difference, 4), p
        (0.1, 0.0625)
    """
    return partial(tested, Test(name, "none", resamples=resamples, seed=seed))


def tested(test: Test, scores: Iterable[float], baseline: Iterable[float]) -> tuple[float, float]:
    """Returns the difference between two means, and its p-value from a test."""
    values = {
        name: {MEASURE: {str(place): float(value) for place, value in enumerate(its)}}
        for name, its in (("scores", scores), ("baseline", baseline))
    }
    found = compare(None, read_scores(values), MEASURE, baseline="baseline", test=test)
    pair = found[MEASURE].pairs[0]
    return pair.difference, pair.p_uncorrected
