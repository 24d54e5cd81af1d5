"""Rules for the fillings of unjudged documents find the bounds of brute force, and the fillings worked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carob
from brute_force import misses
from carob.estimation import fillings
from carob.estimation.fillings import Rule, Unknown, longest_path, relevance_levels
from carob.measures import parse_measure
from strategies import examples

BOTH = (
    "nDCG@5",
    "nDCG",
    "nDCG(gain=exp2)@3",
    "nCG@4",
    "P@5",
    "DCG@5",
    "CG@3",
    "RR",
    "RR@3",
    "Success@3",
    "R@5",
    "F@5",
    "RBP(rel=1)",
)
"""Measures whose rule is exact for runs and for pairs."""
RUNS = ("ERR@5", "AP", "AP@5", "Rprec")
"""Measures whose rule is exact for single runs."""


@pytest.mark.parametrize("name", BOTH)
def test_rules_find_the_bounds_of_brute_force(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fillings, "MOST_TRIED", 0)
    assert misses(name, 12) == (0, [12, 12, 12])


@pytest.mark.parametrize("name", RUNS)
def test_rules_for_single_runs_find_the_bounds_of_brute_force(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fillings, "MOST_TRIED", 0)
    wrong, exact = misses(name, 12)
    assert wrong == 0
    assert exact[:2] == [12, 12]
    assert exact[2] < 12


@pytest.mark.parametrize("name", ["Q", "Bpref", "AP", "ERR@5", "nDCG(ideal=uncut)@3"])
def test_without_a_rule_few_documents_are_tried_in_every_way(name: str) -> None:
    assert misses(name, 8, most_unjudged=3) == (0, [8, 8, 8])


@pytest.mark.thorough
@pytest.mark.parametrize("name", BOTH + RUNS)
def test_a_thousand_cases_have_no_miss(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fillings, "MOST_TRIED", 0)
    assert misses(name, examples(100), most_unjudged=5, seed=7)[0] == 0


def test_a_highest_grade_of_which_not_all_below_can_be_tried_is_one_sentence() -> None:
    with pytest.raises(
        carob.DataError, match=r"grade up to 1e\+308, but the highest grade that carob supports"
    ):
        carob.unjudged_bounds({"q": {"a": 1}}, {"run": {"q": {"b": 1.0}}}, "P@1", max_grade=1e308)


def unknown(
    first: list[float], second: list[float] | None = None, levels: tuple[float, ...] = (0, 1)
) -> Unknown:
    """Documents without a judgment, beside none with one."""
    nothing = np.zeros(0)
    return Unknown(
        first=np.array(first),
        second=None if second is None else np.array(second),
        known=nothing,
        known_first=nothing,
        known_second=None if second is None else nothing,
        levels=np.array(levels, float),
        depth=math.inf,
    )


def rule(name: str, levels: tuple[float, ...] = (0, 1), deepest: int = 4) -> Rule:
    return Rule.of(parse_measure(name), np.array(levels, float), deepest)


def test_a_sum_takes_the_ends_of_each_document_by_the_sign_of_its_advantage() -> None:
    found = rule("DCG@3", (0, 1, 2))
    assert found.kind == "linear"
    assert found.weight.tolist() == pytest.approx([1, 1 / math.log2(3), 1 / 2, 0])
    assert found.steps.tolist() == [1, 1]
    # The first document helps the first run, the second one the other run, and the third none.
    tried = found.tried(unknown([1, math.inf, 2], [3, 1, 2], (0, 1, 2)))
    assert tried.exact
    assert tried.fillings.tolist() == [[2, 0, 0], [0, 2, 0]]


def test_rules_by_name_try_few_fillings() -> None:
    assert rule("RR").tried(unknown([1, 2])).fillings.tolist() == [[0, 0], [1, 1]]
    both = rule("RR").tried(unknown([1, 2], [2, 1]))
    assert (both.fillings.tolist(), both.exact) == ([[0, 0], [1, 0], [0, 1]], True)
    prefixes = [[0, 0], [0, 1], [1, 1]], [[1, 1], [1, 0], [0, 0]]  # The second document stands first.
    assert rule("AP").tried(unknown([2, 1])).fillings.tolist() == [*prefixes[0], *prefixes[1]]


def test_without_a_rule_all_fillings_are_tried_or_a_choice_that_is_not_exact(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pair = unknown([1, 2], [2, 1])
    every = rule("AP").tried(pair)
    assert (every.fillings.tolist(), every.exact) == ([[0, 0], [0, 1], [1, 0], [1, 1]], True)
    monkeypatch.setattr(fillings, "MOST_TRIED", 3)
    some = rule("AP").tried(pair)
    assert not some.exact
    assert {tuple(each) for each in some.fillings.tolist()} == {(0, 0), (1, 0), (0, 1), (1, 1)}
    assert rule("AP").tried(unknown([])).fillings.shape == (1, 0)


def test_numbers_that_do_not_increase_have_the_greatest_sum() -> None:
    # Of 0 to 2 for each term: 2, 1 gives 3 + 4 = 7; the 5 of the second term needs 2, 2 and gives 3 + 1.
    assert longest_path([np.array([0.0, 1.0, 3.0]), np.array([0.0, 4.0, 1.0])]) == [2, 1]
    assert longest_path([np.array([5.0, 0.0, 0.0]), np.array([0.0, 0.0, 4.0])]) == [0, 0]


@pytest.mark.parametrize(
    ("highest", "grades", "levels"), [(2.0, [0.0, 2.0], [0, 1, 2]), (1.0, [0.5], [0, 0.5, 1])]
)
def test_grades_that_a_document_can_have(highest: float, grades: list[float], levels: list[float]) -> None:
    assert relevance_levels(highest, np.array(grades)).tolist() == levels
