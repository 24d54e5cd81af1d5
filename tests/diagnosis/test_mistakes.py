"""The known mistakes: each by its value worked by hand, or by that of the measure that it is."""

from __future__ import annotations

import math

import pytest

import carob
from carob.diagnosis.whence.mistakes import MISTAKES
from diagnosis.graded import GRADES, JUDGED, PROGRAMS, names
from strategies import first


@pytest.mark.parametrize(("measure", "name"), first(PROGRAMS, 8))
def test_the_value_of_a_mistake_names_it(measure: str, name: str) -> None:
    value = PROGRAMS[measure, name]
    found = carob.whence(f"{value:.5f}", f"{measure}@4", grades=GRADES, judged=JUDGED)
    assert (measure, name) in names(found)
    assert all(abs(each.values[0] - value) < 1e-5 for each in found.causes)


@pytest.mark.long
def test_mistakes_that_are_another_measure_are_its_value() -> None:
    for each in MISTAKES:
        if not each.same:
            continue
        scores = carob.evaluate_grades([GRADES], f"{each.same}@3", [JUDGED])
        value = scores[scores.labels[0]]
        found = carob.whence(f"{value:.6f}", f"{each.of}@3", grades=GRADES, judged=JUDGED)
        assert (each.of, each.name) in names(found), each.name


def test_every_mistake_has_a_sentence_a_source_and_a_name_of_its_own() -> None:
    assert len({(each.of, each.name) for each in MISTAKES}) == len(MISTAKES)
    assert all(each.sentence and each.source and each.common > 0 for each in MISTAKES)


def test_mistakes_that_only_a_run_shows() -> None:
    run = {"q1": {"c": 3.5, "b": 2.25, "a": 1.0}, "q2": {"x": 2.0, "d": 1.0}, "q3": {"y": 1.0}}
    qrels = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"d": 1}, "q3": {"z": 1}}
    gains = 3.5 + 2.25 / math.log2(3) + 1 / 2
    normalised = gains / (2 + 1 / math.log2(3))
    ids = (2 + 1 / 2) / (2 + 1 / math.log2(3))
    found = (1 + 1 / 2) / 2
    for value, measure, query, name in (
        (gains, "DCG", "q1", "scores as gains"),
        (normalised, "nDCG", "q1", "scores as gains"),
        (ids, "nDCG", "q1", "order of ids"),
        (found, "RR", None, "only queries with a hit"),
    ):
        its = carob.whence(f"{value:.4f}", measure, qrels, run, query)
        assert (measure, name) in names(its), name
