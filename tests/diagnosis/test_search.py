"""The search for what gives a number: how it may be read, what cannot be told apart, chance, and what decides."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carob
from carob.diagnosis.whence.search import GivenNumber, depths_of
from diagnosis.graded import GRADES, JUDGED, names


def test_what_the_data_cannot_tell_apart_is_one_explanation() -> None:
    found = carob.whence("0.5", "RR", grades=[0, 1, 0], judged=[1])
    assert [each.values for each in found.causes] == [(0.5,)]
    assert None in found.causes[0].depths
    assert {2, 3, 10} <= {*found.causes[0].depths}


def test_a_second_number_decides() -> None:
    lists, pools = [[0, 1, 0, 1], [0, 0, 2, 1]], [[1, 1, 1], [2, 1]]
    alone = carob.whence("0.50", "AP@4", grades=lists[0], judged=[1, 1])
    assert len({each.values for each in alone.causes}) == len(alone.causes)
    ap = [(1 / 2 + 2 / 4) / 2, (1 / 3 + 2 / 4) / 2]
    both = carob.whence([f"{each:.4f}" for each in ap], grades=lists, judged=pools)
    assert both.causes[0].values == pytest.approx(ap)
    assert "divided by the hits" in [name for _, name in names(both)]


def test_numbers_of_one_list_are_those_of_one_tool() -> None:
    ap, ndcg = (1 / 2) / 3, (1 / math.log2(3)) / (1 + 1 / math.log2(3) + 1 / 2)
    found = carob.whence(
        [f"{ap:.4f}", f"{ndcg:.4f}"], ["MAP@3", "ndcg@3"], grades=[0, 1, 0], judged=[1, 1, 1]
    )
    assert found.causes[0].measure == ("AP@3", "nDCG@3")
    assert "pytrec_eval" in found.causes[0].profiles


def test_a_number_in_single_precision_fits() -> None:
    found = carob.whence(0.6309297680854797, "nDCG@2", grades=[0, 1], judged=[1])
    assert found.causes[0].values[0] == pytest.approx(1 / math.log2(3))


def test_a_percentage_without_its_sign_and_cut_digits_are_tried_and_named() -> None:
    value = 1 / math.log2(3)  # 0.63093
    percentage = carob.whence("63.09", "nDCG@2", grades=[0, 1], judged=[1])
    truncated = carob.whence("0.630", "nDCG@2", grades=[0, 1], judged=[1])
    both = carob.whence("63.092", "nDCG@2", grades=[0, 1], judged=[1])
    for found, read_as in ((percentage, "percent"), (truncated, "truncated"), (both, "truncated percent")):
        assert found.causes[0].values[0] == pytest.approx(value)
        assert found.read_as == (read_as,)
    assert "No candidate gives 63.09 as written, but one does as a percentage" in " ".join(
        str(percentage).split()
    )
    assert "remaining digits are truncated" in " ".join(str(both).split())
    assert carob.whence("0.63", "nDCG@2", grades=[0, 1], judged=[1]).read_as == ("rounded",)
    assert carob.whence("2", "DCG", grades=[2], judged=[2]).read_as == ("rounded",)


def test_chance_is_said_and_falls_with_digits() -> None:
    found = [carob.whence(each, "nDCG", grades=GRADES, judged=JUDGED) for each in ("0.50", "0.500", "0.5000")]
    shares = [each.chance for each in found]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 0.2
    assert any("use more digits" in each for each in carob.whence("0.5", "nDCG", grades=GRADES).sentences())


def test_the_deciding_number_differs_between_explanations() -> None:
    found = carob.whence("0.333", "nDCG@1", grades=[1, 3, 0, 2], judged=[3, 2, 1, 1])
    several = carob.whence("0.500", grades=GRADES, judged=JUDGED)
    assert several.decider is not None
    assert len({round(each, 3) for each in several.decider.values}) > 1
    assert found.decider is None or len(found.decider.values) == min(len(found.causes), 5)


def test_a_number_is_near_what_rounds_to_it_or_what_was_cut_to_it() -> None:
    number = GivenNumber("0.63", 0.63, 2)
    values = np.array([0.6249, 0.6251, 0.63, 0.6349, 0.6351, 0.6399, 0.64])
    assert number.near(values).tolist() == [False, True, True, True, False, False, False]
    assert number.as_cut.near(values).tolist() == [False, False, True, True, True, True, False]
    assert number.as_printed(values).tolist() == [62, 63, 63, 63, 64, 64, 64]
    assert number.as_cut.as_printed(values).tolist() == [62, 62, 63, 63, 63, 63, 64]
    assert GivenNumber("0.6", 0.6, 1).as_cut.read_as == "rounded"  # one digit tells it from nothing
    share = GivenNumber("63.09", 63.09, 2).as_percent
    assert (share.value, share.digits, share.read_as) == (pytest.approx(0.6309), 4, "percent")
    assert share.as_cut.read_as == "truncated percent"
    assert number.as_percent is number


def test_depths_are_the_usual_ones_within_the_lists_and_a_few_beyond() -> None:
    assert depths_of({None, 7}, 4) == (1, 2, 3, 4, 5, 7, 10, 20, 100, None)
