"""Agreement of judges: textbook tables, arithmetic, and scikit-learn where it is installed."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from carob.output.errors import DataError
from carob.statistics.coefficients import gwet, kappa, krippendorff

TABLE = np.array([[40.0, 6, 1, 0], [9, 20, 5, 1], [2, 6, 11, 4], [0, 1, 3, 9]])


def judged(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The two judges' grades of every document of a table."""
    rows, columns = np.nonzero(table)
    times = table[rows, columns].astype(int)
    return rows.repeat(times), columns.repeat(times)


def test_kappa_of_two_by_two_by_hand() -> None:
    """Observed .7; by chance .5 · .6 + .5 · .4 = .5."""
    assert kappa([[20, 5], [10, 15]]) == pytest.approx((0.7 - 0.5) / (1 - 0.5))


def test_weighted_kappa_by_hand() -> None:
    """Three grades, linear: a step costs 1/2, both ends apart 1."""
    table = np.array([[4, 1, 1], [0, 2, 0], [0, 1, 1]]) / 10
    observed = (0.1 + 0.1) / 2 + 0.1
    row, column = [0.6, 0.2, 0.2], [0.4, 0.4, 0.2]
    expected = sum(row[i] * column[j] * abs(i - j) / 2 for i, j in product(range(3), repeat=2))
    assert kappa(table, "linear") == pytest.approx(1 - observed / expected)
    observed = (0.1 + 0.1) / 4 + 0.1
    expected = sum(row[i] * column[j] * (i - j) ** 2 / 4 for i, j in product(range(3), repeat=2))
    assert kappa(table, "quadratic") == pytest.approx(1 - observed / expected)


@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
def test_scikit_learns_kappa_is_the_same(weights: str) -> None:
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
    a, b = judged(TABLE)
    theirs = metrics.cohen_kappa_score(a, b, weights=None if weights == "none" else weights)
    assert kappa(TABLE, weights) == pytest.approx(theirs, rel=1e-12)


def test_gwets_ac1_holds_where_kappa_breaks_down() -> None:
    """118 of 125 documents irrelevant to both: agreement .96, κ near 0, AC1 by hand."""
    table = [[118, 5], [2, 0]]
    share = (123 + 120) / 250
    chance = 2 * share * (1 - share)
    assert kappa(table) < 0
    assert gwet(table) == pytest.approx((118 / 125 - chance) / (1 - chance))
    assert gwet(table) > 0.9


def test_gwets_ac2_by_hand() -> None:
    """Linear weights of three grades: 1, 1/2, 0; their sum is 5."""
    table = np.array([[4, 1, 1], [0, 2, 0], [0, 1, 1]]) / 10
    observed = 0.7 + (0.1 + 0.1) / 2
    mean = [0.5, 0.3, 0.2]
    chance = 5 * sum(each * (1 - each) for each in mean) / (3 * 2)
    assert gwet(table, "linear") == pytest.approx((observed - chance) / (1 - chance))


def by_pairs(a: np.ndarray, b: np.ndarray, distance) -> float:
    """Krippendorff's definition: disagreement within documents against that between any two judgments."""
    within = np.mean([distance(one, other) for one, other in zip(a, b)])
    every = np.concatenate([a, b])
    apart = [distance(every[i], every[j]) for i, j in product(range(len(every)), repeat=2) if i != j]
    return 1 - within / float(np.mean(apart))


def test_krippendorffs_alpha_is_its_definition() -> None:
    a, b = judged(TABLE)
    total = TABLE.sum(axis=0) + TABLE.sum(axis=1)

    def ordinal(x: int, y: int) -> float:
        low, high = sorted((x, y))
        return float(total[low : high + 1].sum() - (total[x] + total[y]) / 2) ** 2

    assert krippendorff(TABLE) == pytest.approx(by_pairs(a, b, ordinal))


def test_krippendorffs_binary_example() -> None:
    """His own of 2011: two observers, ten documents, α .095. Two grades have one distance, at every level."""
    a, b = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    table = np.zeros((2, 2))
    np.add.at(table, (a, b), 1)
    assert krippendorff(table) == pytest.approx(0.095, abs=5e-4)


def test_full_agreement_is_one_and_one_grade_alone_says_nothing() -> None:
    for weights in ("none", "linear", "quadratic"):
        assert kappa(np.diag([3, 4, 5]), weights) == 1
        assert gwet(np.diag([3, 4, 5]), weights) == 1
    assert krippendorff(np.diag([3, 4, 5])) == 1
    assert np.isnan([kappa([[7]]), gwet([[7]]), krippendorff([[7]])]).all()


def test_what_cannot_be_compared_is_said() -> None:
    with pytest.raises(DataError, match="square"):
        kappa([[1, 2, 3]])
    with pytest.raises(DataError, match="have no document in common"):
        gwet(np.zeros((2, 2)))
    with pytest.raises(DataError, match="weights='cubic' is unknown"):
        kappa(TABLE, "cubic")  # type: ignore[arg-type]
