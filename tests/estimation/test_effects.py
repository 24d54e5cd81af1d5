"""Effects of documents that nobody judged, worked by hand, and laws of the samples that are drawn by them."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carob
from carob.estimation.effects import PEOPLE_BY_GRADE, assumed_spread, drawn, probabilities
from planning.collection import collection


@pytest.mark.parametrize("seed", range(5))
def test_probabilities_are_proportional_and_sum_to_the_budget(seed: int) -> None:
    sizes = np.random.default_rng(seed).exponential(size=40) ** 3
    for budget in (1, 5, 20, 39):
        found = probabilities(sizes, budget)
        assert found.sum() == pytest.approx(budget, abs=1e-9)
        assert (found > 0).all()
        assert (found <= 1).all()
        inner = found < 1
        ratio = found[inner] / sizes[inner]
        assert ratio.max() == pytest.approx(ratio.min(), rel=1e-3) or sizes.min() < sizes.max() * 1e-6
    assert probabilities(sizes, 40).tolist() == [1.0] * 40


def test_samples_have_a_fixed_size_and_the_stated_probabilities() -> None:
    probability = probabilities(np.array([1.0, 2.0, 3.0, 4.0, 5.0, 30.0]), 3)
    counts = np.zeros(6)
    for seed in range(4000):
        places = drawn(probability, seed)
        assert len(places) == len(set(places.tolist())) == 3
        counts[places] += 1
    assert counts / 4000 == pytest.approx(probability, abs=0.03)
    assert drawn(probability, 5).tolist() == drawn(probability, 5).tolist()


def test_effects_of_sums_are_the_changes_of_the_difference() -> None:
    truth, (one, two) = collection(1)
    nothing = {query: {"other": 1} for query in truth}
    runs = {"one": one, "two": two}
    found = carob.next_judgments(nothing, runs, "DCG@10", budget=1000, max_grade=3)
    before = carob.evaluate(nothing, runs, "DCG@10")
    for each in found.chosen[::7]:
        judged = {query: dict(its) for query, its in nothing.items()}
        judged[each.query][each.document] = 3
        after = carob.evaluate(judged, runs, "DCG@10")
        change = [after[name]["DCG@10"] - before[name]["DCG@10"] for name in runs]
        assert each.effect == pytest.approx(abs(change[0] - change[1]), abs=1e-12)


def test_the_effect_on_average_precision_is_a_finite_difference() -> None:
    run = {"q": {"a": 3.0, "x": 2.0, "b": 1.0}}
    found = carob.next_judgments({"q": {"a": 1, "b": 1}}, [run], "AP", budget=1, order="certain")
    # With x relevant AP is 1, without it (1 + 2 / 3) / 2.
    assert found.chosen[0].effect == pytest.approx(1 - 5 / 6, abs=1e-12)


@pytest.mark.parametrize("scaled", [False, True])
def test_the_assumed_spread_is_that_of_its_table(scaled: bool) -> None:
    judge, levels = np.array([0.0, 1 / 3, 2 / 3, 1.0]), np.array([0.0, 1 / 3, 2 / 3, 1.0])
    gains = levels**2
    found = assumed_spread(judge, levels, gains, scaled=scaled)
    means = [sum(share * gain for share, gain in zip(row, gains)) for row in PEOPLE_BY_GRADE]
    weight = sum(m * g for m, g in zip(means, gains)) / sum(g * g for g in gains) if scaled else 1.0
    for value, own, shares in zip(found, gains, PEOPLE_BY_GRADE):
        assert sum(shares) == pytest.approx(1)
        squares = sum(share * (gain - weight * own) ** 2 for share, gain in zip(shares, gains))
        assert value == pytest.approx(math.sqrt(squares))
    between = assumed_spread(np.array([1 / 6]), levels, gains, scaled=False)[0]
    assert min(found[:2]) < between < max(found) or scaled
