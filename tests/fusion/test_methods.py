"""Each method and each normalisation has the value of its formula, worked by hand."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest

import carob
from carob.fusion.methods import METHODS, NORMALISATIONS
from fusion.runs import DENSE, RUNS, of_q1

HAND: dict[str, tuple[dict[str, Any], dict[str, float]]] = {
    "rrf": ({}, {"b": 1 / 62 + 1 / 61, "a": 1 / 61 + 1 / 63, "d": 1 / 62, "c": 1 / 63}),
    "rrf, weights": (
        {"weights": [2, 1]},
        {"a": 2 / 61 + 1 / 63, "b": 2 / 62 + 1 / 61, "c": 2 / 63, "d": 1 / 62},
    ),
    "isr": ({}, {"b": 2 * 1.25, "a": 2 * (1 + 1 / 9), "d": 0.25, "c": 1 / 9}),
    "log_isr": ({}, {"b": math.log(2) * 1.25, "a": math.log(2) * (1 + 1 / 9), "d": 0, "c": 0}),
    "logn_isr(sigma=1)": (
        {},
        {"b": math.log(3) * 1.25, "a": math.log(3) * 10 / 9, "d": math.log(2) / 4, "c": math.log(2) / 9},
    ),
    "rbc(phi=0.5)": ({}, {"b": 0.25 + 0.5, "a": 0.5 + 0.125, "d": 0.25, "c": 0.125}),
    # Four candidates: 4, 3 and 2 points, and 1 for the one that is absent.
    "borda": ({}, {"b": 3 + 4, "a": 4 + 2, "d": 1 + 3, "c": 2 + 1}),
    # b defeats c and d, and a defeats c. The lists disagree about a and b, a and d, and c and d.
    "copeland": ({}, {"b": 2, "a": 1, "d": -1, "c": -2}),
    "sum": ({"norm": "none"}, {"a": 9.4, "b": 6.9, "c": 3.0, "d": 0.5}),
    "sum, min-max": ({}, {"b": 0.5 + 1, "a": 1.0, "d": (0.5 - 0.4) / 0.5, "c": 0}),
    "sum, weights": ({"weights": {"dense": 3, "bm25": 1}}, {"b": 3.5, "a": 1.0, "d": 0.6, "c": 0}),
    "mnz": ({}, {"b": 3.0, "a": 2.0, "d": 0.2, "c": 0}),
    "mnz, weights": ({"weights": [1, 3]}, {"b": 6.0, "a": 4.0, "d": 0.6, "c": 0}),
    "anz": ({}, {"b": 0.75, "a": 0.5, "d": 0.2, "c": 0}),
    "gmnz(gamma=2)": ({}, {"b": 6.0, "a": 4.0, "d": 0.2, "c": 0}),
    "max": ({}, {"b": 1, "a": 1, "d": 0.2, "c": 0}),
    "min": ({}, {"b": 0.5, "d": 0.2, "c": 0, "a": 0}),
    "med": ({}, {"b": 0.75, "a": 0.5, "d": 0.2, "c": 0}),
    "mean": ({"absent": "zero", "weights": [1, 3]}, {"b": 0.875, "a": 0.25, "d": 0.15, "c": 0}),
    "mixed": ({"weights": [1, 2]}, {"b": 2.5 * math.sqrt(2), "a": math.sqrt(2), "d": 0.4, "c": 0}),
}


@pytest.mark.parametrize("case", HAND)
def test_each_method_has_the_value_of_its_formula(case: str) -> None:
    options, wanted = HAND[case]
    found = of_q1(method=case.partition(",")[0], **options)
    assert found == pytest.approx(wanted, abs=1e-15)
    assert list(found.values()) == sorted(found.values(), reverse=True)


def test_every_method_has_a_case() -> None:
    assert {re.split(r"[,(]", case)[0] for case in HAND} == METHODS.keys()


SPREAD = math.sqrt(((0.9 - 0.6) ** 2 + 0.1**2 + 0.2**2) / 3)
NORMS = {
    "none": {"b": 0.9, "d": 0.5, "a": 0.4},
    "min-max": {"b": 1, "d": 0.2, "a": 0},
    "max": {"b": 1, "d": 5 / 9, "a": 4 / 9},
    "sum": {"b": 0.5 / 0.6, "d": 0.1 / 0.6, "a": 0},
    "z-score": {"b": 0.3 / SPREAD, "d": -0.1 / SPREAD, "a": -0.2 / SPREAD},
    "l2": {each: value / math.sqrt(0.81 + 0.25 + 0.16) for each, value in DENSE["q1"].items()},
    "dbsf": {
        "b": 0.5 + 0.3 / (6 * SPREAD),
        "d": 0.5 - 0.1 / (6 * SPREAD),
        "a": 0.5 - 0.2 / (6 * SPREAD),
    },
    "rank": {"b": 1, "d": 2 / 3, "a": 1 / 3},
    "borda": {"b": 1, "d": 3 / 4, "a": 2 / 4},
}


@pytest.mark.parametrize("norm", NORMS)
def test_each_normalisation_has_the_value_of_its_formula(norm: str) -> None:
    for document, wanted in NORMS[norm].items():
        found = carob.fuse(RUNS, "sum", norm).explain("q1", document).shares[1]
        assert found.points == pytest.approx(wanted, abs=1e-12)
    assert NORMS.keys() == set(NORMALISATIONS)


def test_borda_shares_what_is_left_among_absent_documents() -> None:
    found = carob.fuse(RUNS, "sum", "borda").explain("q1", "c")
    assert found.shares[1].points == 0.5 - 2 / 8
    assert found.shares[1].rank is None
