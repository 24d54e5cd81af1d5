"""What an explanation of a number says: its sentences, the nearest value, and each number alone."""

from __future__ import annotations

import csv

import carob
from carob.diagnosis.whence.result import Cause, KnownMistake, percent
from diagnosis.graded import GRADES, JUDGED, PROGRAMS


def test_a_number_that_nothing_gives_says_so_with_the_nearest() -> None:
    found = carob.whence("0.123456", "AP", grades=[1, 0, 1])
    assert found.causes == ()
    assert found.nearest is not None
    assert "No known convention gives 0.123456." in str(found)
    assert found.nearest.command in " ".join(str(found).split())


def test_numbers_of_different_conventions_are_each_explained() -> None:
    linear = carob.evaluate_grades([GRADES], "nDCG@4", [JUDGED])
    mistake = PROGRAMS["nDCG", "binary over threes"]
    numbers = [f"{linear[linear.labels[0]]:.5f}", f"{mistake:.5f}"]
    found = carob.whence(numbers, "nDCG@4", grades=GRADES, judged=JUDGED)
    assert found.causes == ()
    assert [each.numbers for each in found.separate] == [(each,) for each in numbers]
    assert all(each.causes for each in found.separate)
    assert "together, so they follow different conventions" in " ".join(str(found).split())
    assert {row["numbers"] for row in csv.DictReader(found.to_csv().splitlines())} == {*numbers}
    unknown = carob.whence([numbers[0], "0.98765"], "nDCG@4", grades=GRADES, judged=JUDGED)
    assert "different conventions" not in str(unknown)
    assert "No known convention gives 0.98765." in str(unknown)


def test_an_explanation_names_four_tools_and_one_mistake() -> None:
    mistakes = tuple(
        KnownMistake("AP", name, "every rank counts", "a source") for name in ("first", "second")
    )
    tools = ("a", "b", "c", "d", "e", "f")
    cause = Cause(1, ("AP@3", "AP@3", "RR"), (0.5, 0.5, 1.0), (3, None), tools, mistakes, "", "", "")
    assert cause.name == "AP@3, RR"
    assert cause.whose == "a, b, c, d and 2 more; mistake: first and 1 more"
    assert Cause(1, ("AP",), (0.5,), (3,), (), mistakes[:1], "", "", "").whose == "mistake: first"
    assert str(mistakes[0]) == "AP, first: every rank counts (a source)."
    assert [percent(each) for each in (0.25, 0.05, 0.0004)] == ["25 %", "5.0 %", "less than 0.1 %"]
