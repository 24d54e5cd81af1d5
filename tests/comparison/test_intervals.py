"""The kinds of intervals."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest

from carob.comparison.intervals import INTERVALS
from carob.conventions.arguments import Interval
from carob.statistics.resampling import Draw

EQUAL = np.array([[0.5, 0.25], [0.5, 0.75], [0.5, 0.5]])


def test_each_kind_has_a_word_and_its_sentences() -> None:
    assert {*INTERVALS} == {*get_args(Interval)}
    for each in INTERVALS.values():
        assert each.named
        assert each.of_ratio or all((*each.narrow, each.equal)), each.word


@pytest.mark.parametrize("word", [word for word, kind in INTERVALS.items() if kind.of_parts])
def test_replicates_vary_around_the_mean_and_equal_ones_have_no_ends(word: str) -> None:
    kind = INTERVALS[word]
    found = kind.replicates(EQUAL, Draw(10_000, 1))
    assert found.mean(axis=0) == pytest.approx([0.5, 0.5], abs=0.01)
    low, high = kind.ends(found, EQUAL.mean(axis=0), 0.95)
    assert np.isnan(low).tolist() == [True, False]
    assert low[1] < 0.5 < high[1]
