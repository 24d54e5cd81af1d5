"""The table of scores and the numbers beside it, in few signs."""

from __future__ import annotations

import numpy as np
import pytest

import carob
from carob.comparison.verdict import p_text
from carob.reports.data import contest_row, few, in_ranges, seven_digits
from comparison.matrices import systems


@pytest.mark.parametrize(
    ("beaten", "said"),
    [
        ([], ""),
        ([3], "d"),
        ([3, 1], "b,d"),
        ([1, 2, 3], "b–d"),
        ([0, 1, 3, 4, 5, 7], "a,b,d–f,h"),
        ([0, 2, 4, 6, 8, 10], "6 runs"),
        ([1, 25, 26, 27], "b,z–ab"),
        ([27], "ab"),
    ],
)
def test_letters_that_follow_each_other_are_said_in_short(beaten: list[int], said: str) -> None:
    assert in_ranges(beaten) == said


def test_a_legend_shows_few_of_many_grades() -> None:
    assert few([0, 1, 2]) == [0, 1, 2]
    assert few(list(range(101))) == [0, 25, 50, 75, 100]


def test_numbers_without_a_value_are_left_out_of_json() -> None:
    values = [float("nan"), 1 / 3, float("-inf"), -0.0, 1e-300, 123456789.0]
    assert seven_digits(values) == [None, 0.3333333, None, 0.0, 1e-300, 123456800.0]
    assert seven_digits([]) == []


def test_a_p_below_the_smallest_that_is_drawn_is_no_bound() -> None:
    assert p_text(1 / 10_001, 0.05, 1 / 10_001) == "≤0.0001"
    assert p_text(6e-15, 0.05, 1 / 10_001) == "<0.001"


@pytest.mark.parametrize(("losing", "shown"), [(32, False), (0, True)])
def test_a_page_calls_no_pair_different_whose_test_favours_the_run_with_the_worse_mean(
    losing: int, shown: bool
) -> None:
    apart = np.where(np.arange(40) < losing, -0.02, 0.3)
    found = carob.compare(None, systems(np.column_stack([0.5 + apart, np.full(40, 0.5)])), test="sign")
    adjusted = contest_row(found.primary, found)["pairs"][0][9]
    assert found.primary.pairs[0].p_corrected < 0.05
    assert (adjusted is not None) is shown
