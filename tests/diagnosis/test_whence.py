"""``carob.whence``: which conventions, and which known mistakes, give a number."""

from __future__ import annotations

import pytest

import carob
from diagnosis.graded import QRELS, RUN


def test_a_percentage_is_a_share() -> None:
    as_share = carob.whence("0.333", "P@3", grades=[0, 1, 0])
    in_percent = carob.whence("33.3%", "P@3", grades=[0, 1, 0])
    assert [each.values for each in in_percent.causes] == [each.values for each in as_share.causes]


@pytest.mark.parametrize("number", ["", "nan", "1e999", "one", "0.5.1"])
def test_what_is_not_a_number_is_refused(number: str) -> None:
    with pytest.raises(carob.DataError):
        carob.whence(number, grades=[1, 0])


def test_data_that_no_convention_can_use_are_refused() -> None:
    with pytest.raises(carob.DataError, match="grade is not a number"):
        carob.whence("0.5", "RR", {"q": {"a": "one"}}, {"q": {"a": 1.0}})


def test_a_query_without_judgments_is_refused() -> None:
    with pytest.raises(carob.DataError, match="'q9'"):
        carob.whence(["0.5", "0.333"], "RR", QRELS, RUN, ["q1", "q9"])
