"""What the formulas leave open: equal scores, the deviation, absent documents."""

from __future__ import annotations

import math

import pytest

import carob
from fusion.runs import RUNS, of_q1


@pytest.mark.parametrize(("rule", "points"), [("0", 0.0), ("0.5", 0.5), ("1", 1.0), ("sign", 1.0)])
@pytest.mark.parametrize("norm", ["min-max", "dbsf", "sum"])
def test_equal_scores_have_the_points_of_the_rule(rule: str, points: float, norm: str) -> None:
    found = carob.fuse(RUNS, "sum", f"{norm}(equal={rule})")
    assert found.explain("q2", "z").shares[1].points == points
    assert carob.fuse(RUNS, "sum", "z-score").explain("q2", "z").shares[1].points == 0


def test_the_deviation_divides_by_n_or_by_one_less() -> None:
    both = [
        carob.fuse(RUNS, "sum", f"z-score(deviation={each})").explain("q1", "b").shares[1].points
        for each in ("population", "sample")
    ]
    assert both[0] == pytest.approx(both[1] * math.sqrt(3 / 2))  # type: ignore[operator]


def test_absent_documents_count_by_the_rule() -> None:
    assert of_q1(method="min", absent="zero") == {"b": 0.5, "d": 0.0, "c": 0.0, "a": 0.0}
    found = of_q1(method="sum", norm="none", absent="lowest")
    assert found == {"a": 9.4, "b": 6.9, "d": 3.5, "c": 3.4}
