"""The readings of a number: whose conventions they are, at which depth, and how common."""

from __future__ import annotations

import math

import pytest

import carob
from carob.conventions.profiles import profile_named
from carob.diagnosis.whence.candidates import Readings, at_depth, family_of, meaning
from diagnosis.graded import GRADES, JUDGED


def test_a_number_names_the_tools_that_give_it_with_the_measure_and_depth() -> None:
    number = (3 / math.log2(3) + 1 / math.log2(5)) / (3 + 2 / math.log2(3) + 2 / 2 + 1 / math.log2(5))
    found = carob.whence(f"{number:.4f}", grades=GRADES, judged=JUDGED)
    first = found.causes[0]
    assert first.measure == ("nDCG@4",)
    assert first.values[0] == pytest.approx(number)
    assert {"pytrec_eval", "ranx", "ir_measures"} <= {*first.profiles}


def test_the_rule_for_ties_matters_for_a_run() -> None:
    run = {"q1": {"a": 1.0, "b": 1.0}}
    first = carob.whence("0.50", "RR", {"q1": {"a": 1}}, run, "q1")
    assert "sentence-transformers" not in {name for each in first.causes for name in each.profiles}
    assert "pytrec_eval" in {name for each in first.causes for name in each.profiles}


def test_each_number_has_its_convention() -> None:
    found = carob.whence(["5.4050", "10.3921"], "DCG", grades=[3, 2, 0, 1, None, 2])
    assert found.causes[0].convention.startswith("DCG(gain=linear, discount=log2)@")
    assert " and DCG(gain=exp2, discount=log2)@" in found.causes[0].convention


def test_a_measure_is_known_by_what_its_label_usually_means() -> None:
    """Elliot calls MeanP MAP, which a user knows as AP."""
    (reading,) = (
        each for each in Readings(["AP"], None).at([7]) if ("elliot", "MAP") in each.variant.sources
    )
    assert (reading.name, str(reading.variant.at(7))) == ("AP@7", "MeanP@7")
    assert reading.variant.has(7)
    assert str(meaning(profile_named("elliot"), "MAP@7")) == "MeanP@7"
    assert meaning(profile_named("elliot"), "nonsense") is None
    assert (at_depth("AP", None), at_depth("AP", 7), family_of("SetP")) == ("AP", "AP@7", "P")


def test_a_reading_is_as_common_as_its_measure_its_tools_and_its_depth() -> None:
    readings = Readings(["RR"], None)
    common = readings.common
    assert readings.depth_weight(None) == common["depths"]["whole"]
    assert readings.depth_weight(12) == 0.1
    (of_ranx,) = (each for each in readings.at([3]) if ("ranx", "mrr") in each.variant.sources)
    tools = [common["tools"].get(name, 0.1) for name in {name for name, _ in of_ranx.variant.sources}]
    assert of_ranx.weight == pytest.approx(common["measures"]["RR"] * sum(tools) * common["depths"]["3"])
    order = [readings.of("tools", name) for name, _ in of_ranx.variant.sources]
    assert order == sorted(order, reverse=True)
    late = [
        each
        for each in readings.at([3])
        if each.variant.mistake and each.variant.mistake.name == "one rank late"
    ]
    assert [(each.name, each.variant.at(3)) for each in late] == [("RR@3", None)]
