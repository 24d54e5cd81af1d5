"""Formulas of recommendations, called on lists made by hand: each by its arithmetic, and inputs that are missing."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from carob import DataError
from carob.lists.recommended import Pairs, Recommended
from carob.measures import recommendation

if TYPE_CHECKING:
    from collections.abc import Callable


def pairs(*rows: tuple[int, int]) -> Pairs:
    users, items = zip(*rows, strict=True)
    return Pairs(np.array(users), np.array(items))


LISTS = Recommended(
    users=("ann", "ben"),
    items=("a", "b", "c", "d"),
    rows=pairs((0, 0), (0, 1), (1, 0), (1, 2)),
    rank=np.array([1, 2, 1, 2]),
    train=pairs((0, 0), (1, 0), (1, 1)),
    catalogue=np.ones(4, bool),
    relevant=pairs((0, 1), (1, 2)),
    features=np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]),
    measure="the measure",
)
"""Ann gets a and b, and Ben a and c. Both had a, and Ben b; c was had by nobody, and d is not recommended."""

VALUES: dict[str, tuple[Callable[[Recommended], Any], float | list[float]]] = {
    "items": (lambda r: recommendation.number_of_items(r), 3),
    "coverage": (lambda r: recommendation.coverage(r, "catalogue", "inside"), 3 / 4),
    "coverage of train": (lambda r: recommendation.coverage(r, "train", "inside"), 2 / 2),
    "coverage of train, all": (lambda r: recommendation.coverage(r, "train", "all"), 3 / 2),
    # Counts 0 1 1 2 and weights -3 -1 1 3.
    "Gini": (lambda r: recommendation.gini(r, "catalogue", "n", "low"), 6 / (4 * 4)),
    "Gini, n-1": (lambda r: recommendation.gini(r, "catalogue", "n-1", "high"), 1 - 6 / (3 * 4)),
    "entropy": (lambda r: recommendation.entropy(r, "bits", "none"), 1 / 2 + 2 * 2 / 4),
    "entropy, most": (lambda r: recommendation.entropy(r, "bits", "most"), 1.5 / 2),
    "entropy, items": (lambda r: recommendation.entropy(r, "nats", "items"), 1.5 * math.log(2) / 3),
    # Of two users, two had a (0 bits) and one had b (1 bit); c counts as had by one.
    "novelty": (
        lambda r: recommendation.novelty(r, "users", "none", "one", "users", "listed"),
        [1 / 2, 1 / 2],
    ),
    "novelty, cold zero": (
        lambda r: recommendation.novelty(r, "users", "none", "zero", "users", "listed"),
        [1 / 2, 0],
    ),
    "novelty, cold out": (
        lambda r: recommendation.novelty(r, "users", "none", "out", "recommendations", "listed"),
        1 / 3,
    ),
    "popularity": (lambda r: recommendation.popularity(r, "users", "count", "listed"), [3 / 2, 1]),
    "unseen": (lambda r: recommendation.unseen(r, "listed"), [1 / 2, 1 / 2]),
    "unexpectedness": (lambda r: recommendation.unexpectedness(r, "popular", "listed"), [0, 1 / 2]),
    "serendipity": (lambda r: recommendation.serendipity(r, "popular", "listed"), [0, 1 / 2]),
    "personalisation": (lambda r: recommendation.personalisation(r, "cosine"), 1 - 1 / 2),
    "diversity": (lambda r: recommendation.intra_list_diversity(r, "features", "cosine", "out"), [1, 0]),
    "diversity, hamming": (
        lambda r: recommendation.intra_list_diversity(r, "features", "hamming", "out"),
        [2, 0],
    ),
}


@pytest.mark.parametrize("name", VALUES)
def test_the_value_is_the_arithmetic(name: str) -> None:
    formula, value = VALUES[name]
    assert np.asarray(formula(LISTS)).tolist() == pytest.approx(value, rel=1e-14, abs=1e-15)


def test_a_list_of_one_item_has_no_pairs_and_one_user_nobody_to_differ_from() -> None:
    alone = LISTS.top(1)
    out = recommendation.intra_list_diversity(alone, "features", "cosine", "out")
    assert np.isnan(np.asarray(out)).tolist() == [True, True]
    zero = recommendation.intra_list_diversity(alone, "features", "cosine", "zero")
    assert np.asarray(zero).tolist() == [0, 0]
    one = LISTS.kept(LISTS.rows.user == 0)
    assert math.isnan(float(np.asarray(recommendation.personalisation(one, "cosine"))))


@pytest.mark.parametrize(
    ("what", "formula"),
    [
        ("train", lambda r: recommendation.unseen(r, "listed")),
        ("relevant", lambda r: recommendation.serendipity(r, "popular", "listed")),
        ("catalogue", lambda r: recommendation.coverage(r, "catalogue", "inside")),
        ("features", lambda r: recommendation.intra_list_diversity(r, "features", "cosine", "out")),
        ("baseline", lambda r: recommendation.unexpectedness(r, "baseline", "listed")),
    ],
)
def test_an_input_that_a_formula_needs_is_asked_for(
    what: str, formula: Callable[[Recommended], object]
) -> None:
    with pytest.raises(DataError) as refusal:
        formula(replace(LISTS, **{what: None}))
    assert str(refusal.value) == (
        f"the measure needs {what}, which was not given: add {what}=…, or --{what} FILE."
    )
