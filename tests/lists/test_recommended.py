"""Recommendations as formulas see them: pairs, counts, popularity, histories, distances, and missing inputs."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from carob import DataError
from carob.lists.recommended import Pairs, Recommended

if TYPE_CHECKING:
    from collections.abc import Callable


def pairs(*rows: tuple[int, int]) -> Pairs:
    users, items = zip(*rows, strict=True)
    return Pairs(np.array(users), np.array(items))


LISTS = Recommended(
    users=("ann", "ben", "cem"),
    items=("a", "b", "c", "d"),
    rows=pairs((0, 0), (0, 1), (1, 0), (1, 2)),
    rank=np.array([1, 2, 1, 2]),
    train=pairs((0, 0), (1, 0), (1, 1), (1, 1)),
    catalogue=np.array([True, True, True, True]),
    features=np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 2.0], [np.nan, 0.0]]),
    measure="ILD",
)
"""Ann gets a and b, Ben a and c, and Cem nothing; Ann had a, and Ben a and twice b."""


def test_pairs_are_made_one_chosen_and_found() -> None:
    several = pairs((1, 2), (0, 3), (1, 2), (1, 0))
    once = several.once()
    assert (once.user.tolist(), once.item.tolist()) == ([0, 1, 1], [3, 0, 2])
    marked = several.which(np.array([True, False, False, True]))
    assert (marked.user.tolist(), marked.item.tolist()) == ([1, 1], [2, 0])
    assert several.among(pairs((1, 2), (0, 2), (1, 9), (0, 3))).tolist() == [1, 0, 0, 1]


def test_lists_are_counted_and_cut() -> None:
    assert LISTS.length.tolist() == [2, 2, 0]
    assert LISTS.pairs.tolist() == [1, 1, 0]
    assert LISTS.counts.tolist() == [2, 1, 1, 0]
    assert LISTS.shown.tolist() == [True, True, True, False]
    first = LISTS.top(1)
    assert (first.counts.tolist(), first.longest) == ([2, 0, 0, 0], 1.0)
    values = np.array([1.0, 0.5, 1.0, 0.0])
    assert LISTS.per_item(values).tolist() == [2, 0.5, 0, 0]
    assert LISTS.per_user(values).tolist() == pytest.approx([0.75, 0.5, math.nan], nan_ok=True)
    deep = replace(LISTS, depth=4).per_user(values, "depth")
    assert deep.tolist() == pytest.approx([0.375, 0.25, math.nan], nan_ok=True)


def test_popularity_counts_users_or_interactions_and_keeps_ties() -> None:
    assert LISTS.times_seen("interactions")[0].tolist() == [2, 2, 0, 0]
    assert LISTS.times_seen("interactions")[1] == 4
    assert LISTS.times_seen("users")[0].tolist() == [2, 1, 0, 0]
    assert LISTS.times_seen("users")[1] == 2
    assert LISTS.top(1).popular().tolist() == [1, 1, 0, 0]  # a and b are tied
    assert LISTS.expected("popular").tolist() == [1, 1, 1, 0]
    baseline = replace(LISTS, rows=pairs((0, 1), (1, 1)), rank=np.array([1, 1]))
    assert replace(LISTS, baseline=baseline).expected("baseline").tolist() == [0, 1, 0, 0]
    # p is 4/4 at rank 1 and 3/4 at rank 2; by popularity it is 4/4 for a and b, and 0 for c.
    assert LISTS.above_popularity().tolist() == [0, 0, 0, 0.75]


def test_histories_are_compared_by_the_users_of_each_item() -> None:
    half = 1 / math.sqrt(2)  # the cosine of a, which both had, and b, which Ben had
    assert LISTS.history_similarity().tolist() == pytest.approx([1, half, (1 + half) / 2, 0])
    assert LISTS.distance_within_lists("train", "cosine").tolist() == pytest.approx([1 - half, 1, 0])


def test_distances_are_summed_over_the_pairs_of_a_list() -> None:
    for distance, wanted in (
        ("cosine", [1 - 1 / math.sqrt(2), 1, 0]),
        ("hamming", [1, 2, 0]),
        ("euclidean", [1, math.sqrt(5), 0]),
    ):
        assert LISTS.distance_within_lists("features", distance).tolist() == pytest.approx(wanted)
    given = replace(LISTS, distances=(pairs((0, 1), (2, 0)), np.array([0.5, 0.25])))
    assert given.distance_within_lists("features", "given").tolist() == [0.5, 0.25, 0]


@pytest.mark.parametrize(
    ("lists", "call", "says"),
    [
        (
            replace(LISTS, train=None),
            lambda lists: lists.times_seen("users"),
            "ILD needs train, which was not given: add train=…, or --train FILE.",
        ),
        (
            LISTS,
            lambda lists: lists.distance_within_lists("features", "given"),
            "ILD needs distances, which was not given: add distances=….",
        ),
        (
            replace(LISTS, catalogue=np.array([True, True, False, True])),
            lambda lists: lists.counts_in("catalogue"),
            (
                "ILD: 1 recommended items are missing from catalogue=, such as 'c'. Add them, or choose another base "
                "with of=…."
            ),
        ),
        (
            replace(LISTS, catalogue=np.zeros(4, bool)),
            lambda lists: lists.base("catalogue"),
            "ILD: the catalogue has no items. Pass at least one item.",
        ),
        (
            replace(LISTS, rows=pairs((0, 0), (0, 3), (1, 0), (1, 2))),
            lambda lists: lists.distance_within_lists("features", "cosine"),
            "ILD: recommended item 'd' has no features. Pass features= for every recommended item.",
        ),
        (
            replace(LISTS, distances=(pairs((0, 1)), np.array([0.5]))),
            lambda lists: lists.distance_within_lists("features", "given"),
            (
                "ILD: a pair of items in the list of user 'ben' has no distance. Add the distance of every pair to "
                "distances=."
            ),
        ),
        (
            LISTS,
            lambda lists: lists.distance_within_lists("train", "hamming"),
            "ILD: by=train supports only the cosine. Leave out distance.",
        ),
    ],
    ids=["train", "distances", "catalogue", "no items", "features", "a pair", "cosine alone"],
)
def test_what_is_missing_is_named(lists: Recommended, call: Callable[[Recommended], Any], says: str) -> None:
    with pytest.raises(DataError) as refusal:
        call(lists)
    assert str(refusal.value) == says
