"""The padded carrier: every hand-worked value in every array library, and the same numbers as the flat one."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings

from arrays import LIBRARIES, array, library
from carob import DataError, Policy
from carob.inputs.qrels import Qrels
from carob.inputs.run import Run
from carob.lists.arrays import arrays_of
from carob.lists.flat import Flat
from carob.lists.padded import Padded
from carob.matching.match import match
from carob.measures import REGISTER, Measure, parse_measure
from cases import CASES
from strategies import examples, judgments, runs

if TYPE_CHECKING:
    from carob.lists.rows import JudgedRows

WIDTH = 20
LISTED = ("ListedAP", "ListedAUC")
"""They ask for the order of the run's lines, which a batch does not have."""
OF_GRADES = [name for name, each in REGISTER.items() if each.takes == "grades" and name not in LISTED]
BATCHED = [case for case in CASES if not case.measure.startswith(LISTED)]
ALL = [
    *(Measure(name, (), 3 if REGISTER[name].whole else None) for name in OF_GRADES),
    *(Measure(name, (), 2) for name in OF_GRADES if REGISTER[name].at == "depth"),
    *map(
        parse_measure,
        [
            *("nDCG(ideal=retrieved)@2", "nDCG(ideal=length)@3", "nDCG(ideal=full)", "nDCG(ideal=depth)@3"),
            *("nDCG(gain={0:0.5,1:2,2:1})", "nDCG(gain={-1:1},ideal=retrieved)@3", "nDCG(gain=exp2(0))@3"),
            *("RBP(gain={1:-1,2:3})", "P(rel=-1)@3", "RnDCG(gain=exp2)", "nDCG(ideal=uncut)@2"),
        ],
    ),
]


def grade_of(grade: float | None) -> float:
    """As lists hold it: never pooled, or pooled but unjudged."""
    return -1.0 if grade is None else -2.0 if grade < 0 else float(grade)


def padded_row(grades: list[float | None]) -> list[float]:
    return [*map(grade_of, grades), *[-1.0] * (WIDTH - len(grades))]


@pytest.mark.parametrize("name", LIBRARIES)
def test_every_case_has_its_value_beside_another_query_and_padding(name: str) -> None:
    wrong = []
    # JAX takes its time over each step that is not compiled.
    for case in BATCHED[::8] if name == "jax" else BATCHED:
        grade = array(name, [padded_row(case.ranked), padded_row([])])
        pool = array(name, [padded_row(list(case.judged)), padded_row([0])])
        length = array(name, [float(len(case.ranked)), 0.0])
        arrays = arrays_of(grade)
        with arrays.quiet():
            value = parse_measure(case.measure).values(Padded(arrays, grade, length, pool))
        if not abs(float(value[0]) - case.value) <= 1e-12 * max(1.0, abs(case.value)):  # type: ignore[index]
            wrong.append((case.measure, float(value[0]), case.value))  # type: ignore[index]
    assert wrong == []


def test_every_case_has_its_value_in_a_batch_without_padding() -> None:
    for case in BATCHED:
        grade = np.array([[*map(grade_of, case.ranked)]])
        pool = np.array([[*map(grade_of, case.judged)]])
        with np.errstate(all="ignore"):
            for levels in (None, int(max(case.judged))):
                if levels is not None and any(each != int(each) for each in case.judged):
                    continue
                value = parse_measure(case.measure).values(
                    Padded(arrays_of(grade), grade, None, pool, None, levels)
                )
                assert float(value[0]) == pytest.approx(case.value, rel=1e-12, abs=1e-12), case.measure  # type: ignore[index]


def padded(rows: JudgedRows, levels: int | None = None) -> Padded:
    """The padded lists of the same rows, with a wider batch than any list needs; equal scores by their first rank."""
    full = Flat(rows, every_rank=True).rows
    count, width = len(rows.length), int(max(rows.length, default=0)) + 2
    grade, scores, pool = (
        np.full((count, width), -1.0),
        np.full((count, width), np.nan),
        np.full((count, 12), -1.0),
    )
    for each in range(count):
        its = slice(full.offsets[each], full.offsets[each + 1])
        grade[each, : its.stop - its.start] = full.grade[its]
        scores[each, : its.stop - its.start] = -full.rank[its]
        for row in range(rows.offsets[each], rows.offsets[each + 1]):
            # Also of the documents that have no row, and share the score of one that has.
            scores[each, int(rows.tie_first[row]) - 1 : int(rows.tie_last[row])] = -rows.tie_first[row]
        judged = rows.judged_grades[rows.judged_offsets[each] : rows.judged_offsets[each + 1]]
        pool[each, : len(judged)] = judged
    return Padded(arrays_of(grade), grade, rows.length, pool, lambda: scores, levels)


@settings(max_examples=examples(12), deadline=None)
@given(judgments(), runs())
def test_padded_lists_give_what_flat_rows_give(qrels: dict, run: dict) -> None:
    rows = match(Qrels.of(qrels), Run.of(run), Policy()).rows
    for levels in (None, 4):
        lists = padded(rows, levels)
        with np.errstate(all="ignore"):
            for measure in ALL:
                expected = measure.values(Flat(rows, every_rank=measure.every_rank))
                assert np.allclose(measure.values(lists), expected, rtol=1e-12, atol=1e-12, equal_nan=True), (
                    measure
                )


def test_a_batch_without_queries_or_columns_is_no_error() -> None:
    for shape in ((0, 3), (2, 0), (0, 0)):
        grade = np.zeros(shape)
        with np.errstate(all="ignore"):
            for measure in ALL:
                assert np.asarray(measure.values(Padded(arrays_of(grade), grade))).shape == shape[:1], measure


def test_single_precision_stays_single_and_close() -> None:
    grade = np.random.default_rng(3).integers(0, 4, (5, 40))
    for measure in map(parse_measure, ["AP", "RR", "nDCG", "ERR", "RBP", "Q", "INST", "Bpref"]):
        double, single = (
            measure.values(Padded(arrays_of(each), each))
            for each in (grade.astype(float), grade.astype(np.float32))
        )
        assert np.asarray(single).dtype == np.float32
        assert np.allclose(single, double, rtol=2e-5)


def test_a_grade_above_max_is_refused_on_the_host_and_undefined_elsewhere() -> None:
    with pytest.raises(DataError, match="larger gain than the highest"):
        parse_measure("ERR(max=2)").values(Padded(arrays_of(np.ones((1, 1))), np.array([[3.0]])))
    strict = library("array_api_strict")
    grade = strict.asarray([[3.0], [1.0]])
    value = parse_measure("ERR(max=2)").values(Padded(arrays_of(grade), grade))
    assert math.isnan(float(value[0]))  # type: ignore[index]
    assert float(value[1]) == 0.25  # type: ignore[index]


def test_groups_and_hand_made_trec_eval_orders_are_refused_in_a_sentence() -> None:
    lists = Padded(arrays_of(np.ones((1, 1))), np.ones((1, 1)))
    for name in ("GroupAP", "Prefs", "nDCG(gain={1:2},ideal=trec_eval)", "ListedAP", "AUC(micro=true)"):
        with pytest.raises(
            DataError, match=r"evaluate files|evaluate a file|judgment groups|these lists|pass judgments"
        ):
            parse_measure(name).values(lists)


def test_ranks_alone_have_no_ties() -> None:
    rows = match(Qrels.of({"q": {"a": 1, "b": 0}}), Run.of({"q": {"a": 1.0, "b": 1.0}}), Policy()).rows
    lists = padded(replace(rows, tie_first=rows.rank, tie_last=rows.rank))
    without = Padded(lists.xp, lists.grades, lists.lengths, lists.pool)
    assert np.asarray(parse_measure("AUC").values(lists)) == np.asarray(parse_measure("AUC").values(without))
