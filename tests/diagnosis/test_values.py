"""The values of readings for lists of grades, for queries of a run, and for the mean over all of them."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np
import pytest

import carob
from carob.diagnosis.whence.candidates import Readings
from carob.diagnosis.whence.values import NumberedLists, may_refuse
from carob.evaluation.engine import Matches
from carob.measures import parse_measure
from diagnosis.graded import GRADES, QRELS, RUN, names

if TYPE_CHECKING:
    from pathlib import Path


def test_a_number_of_several_lists_is_their_mean() -> None:
    found = carob.whence("0.6111", "MRR", grades=[[0, 0, 1], [0, 1], [1]])
    assert found.causes[0].values[0] == pytest.approx((1 / 3 + 1 / 2 + 1) / 3)


def test_a_run_gives_the_number_of_a_query_of_two_queries_or_the_mean() -> None:
    one = carob.whence("0.500", "RR", QRELS, RUN, "q1")
    two = carob.whence(["0.5", "0.333"], "RR", QRELS, RUN, ["q1", "q2"])
    mean = carob.whence("0.4167", "RR", QRELS, RUN)
    assert one.causes[0].values == (0.5,)
    assert two.causes[0].values == pytest.approx((1 / 2, 1 / 3))
    assert mean.causes[0].values[0] == pytest.approx((1 / 2 + 1 / 3) / 2)
    assert "--query q1" in one.causes[0].command
    assert mean.causes[0].command.startswith("carob eval QRELS RUN")


def test_a_list_alone_leaves_no_query_out() -> None:
    assert ("RR", "only queries with a hit") not in names(carob.whence("0.5", "RR", grades=GRADES))
    assert ("RR", "only queries with a hit") not in names(carob.whence("0.75", "RR", grades=[[1], [0, 1]]))
    assert ("RR", "only queries with a hit") in names(carob.whence("0.75", "RR", grades=[[1], [0, 1], [0]]))


def test_measures_that_have_no_value_are_tried_without_a_warning(tmp_path: Path) -> None:
    """ERR of a scale up to 0 is among the forms that are tried, and has no value for any grade above 0."""
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("q 0 a 3\nq 0 b 0\nq 0 c 1\n")
    run.write_text("q Q0 b 1 3 t\nq Q0 a 2 2 t\nq Q0 c 3 1 t\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert carob.whence("0.583", qrels=str(qrels), run=str(run), query="q").causes


def test_each_reading_has_a_column_with_a_value_for_each_list() -> None:
    lists = NumberedLists(grades=Matches.of_grades([[0, 1], [0, 0, 2]], None, "grades"))
    candidates = [
        each
        for each in Readings(["RR"], None).at([2, None])
        if {("pytrec_eval", "RR"), ("pytrec_eval", "recip_rank"), ("one rank late", "RR")}.intersection(
            each.variant.sources
        )
    ]
    values = lists.values(candidates)
    assert values.shape == (2, len(candidates))
    expected = {
        (False, 2): [1 / 2, 0],
        (False, None): [1 / 2, 1 / 3],
        (True, 2): [1 / 3, 0],
        (True, None): [1 / 3, 1 / 4],
    }
    found = {
        (each.variant.mistake is not None, each.depth): column.tolist()
        for each, column in zip(candidates, values.T, strict=True)
    }
    assert found == {key: pytest.approx(value) for key, value in expected.items()}
    assert lists.as_mean().values(candidates)[0].tolist() == pytest.approx(np.mean(values, axis=0).tolist())
    assert lists.values([]).shape == (1, 0)


def test_measures_with_a_highest_grade_and_those_across_queries_may_have_no_value() -> None:
    assert [may_refuse(parse_measure(name)) for name in ("ERR", "AUC(micro=true)", "AP")] == [
        True,
        True,
        False,
    ]
