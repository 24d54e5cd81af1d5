"""Ties: the mean over all orders is what going through every order gives; samples know their error."""

from __future__ import annotations

from itertools import groupby, permutations, product
from math import log2, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import carob
from carob import DataError, Policy, PolicyError
from carob.inputs.qrels import Qrels
from carob.inputs.run import Run
from carob.matching import axes as axes_module
from carob.matching.axes import (
    MOST_ORDERS,
    MOST_ROWS,
    all_orders,
    cells_of_sample,
    cells_of_turns,
    groups_of,
    refuse_too_many,
    turned,
    turned_orders,
)
from carob.matching.match import match
from carob.measures import REGISTER, Measure, parse_measure
from carob.output.errors import UncomputableError
from strategies import examples

EXPECTED = Policy(ties="expected")
WHOLE = [
    Measure(name, (), 3 if definition.whole else None)
    for name, definition in REGISTER.items()
    if definition.takes == "grades"
]
ALL = [*WHOLE, *(Measure(each.name, (), 2) for each in WHOLE if each.definition.at == "depth")]
ALL += [parse_measure(name) for name in ("nDCG(gain=exp2,ideal=retrieved)@3", "DCG(gain={-1:1})@2")]
DOCUMENTS = st.lists(
    st.tuples(st.sampled_from([None, None, 0, 1, 2, -1]), st.sampled_from([1.0, 1.0, 2.0])),
    min_size=1,
    max_size=5,
)


def every_order(run: dict[str, float]) -> list[dict[str, float]]:
    """The run in each order of its equal scores, which ``ties=input`` keeps."""
    ranked = sorted(run, key=run.__getitem__, reverse=True)
    groups = [list(permutations(group)) for _, group in groupby(ranked, key=run.__getitem__)]
    return [{name: run[name] for group in choice for name in group} for choice in product(*groups)]


@settings(max_examples=examples(80), deadline=None)
@given(DOCUMENTS, st.sampled_from([{}, {"depth": 2}, {"unjudged": "removed"}]))
@pytest.mark.long
def test_expected_is_the_mean_over_every_order(documents: list, axes: dict) -> None:
    run = {f"d{number}": score for number, (_, score) in enumerate(documents)}
    qrels = {f"d{number}": grade for number, (grade, _) in enumerate(documents) if grade is not None}
    qrels |= {"not retrieved": 1}
    found = carob.evaluate({"q": qrels}, {"q": run}, ALL, policy=Policy(ties="expected", **axes))
    orders = {str(number): order for number, order in enumerate(every_order(run))}
    each = carob.evaluate(dict.fromkeys(orders, qrels), orders, ALL, policy=Policy(ties="input", **axes))
    means = each.matrix.mean(axis=0)
    assert found.errors == {}
    for place, measure in enumerate(ALL):
        assert found.matrix[0, place] == pytest.approx(means[place], abs=1e-12), measure


def test_three_tied_documents_of_which_one_is_relevant() -> None:
    scores = carob.evaluate(
        {"q": {"a": 1, "b": 0, "c": 0}},
        {"q": dict.fromkeys("abc", 1.0)},
        ["nDCG@3", "RR", "AP"],
        policy=EXPECTED,
    )
    assert scores["nDCG@3"] == pytest.approx((1 + 1 / log2(3) + 1 / 2) / 3, abs=1e-15)
    assert round(scores["nDCG@3"], 4) == 0.7103
    assert scores["RR"] == pytest.approx((1 + 1 / 2 + 1 / 3) / 3, abs=1e-15)
    assert scores.bounds["nDCG@3"] == (0.5, 1.0)
    assert "policy ties expected" in scores.footer()


MANY = {f"d{number}": 1.0 for number in range(100)}
JUDGED = {f"d{number}": 1 for number in range(0, 40, 10)}


def test_sums_are_exact_however_many_orders_there_are() -> None:
    scores = carob.evaluate(
        {"q": JUDGED}, {"q": MANY}, ["P@10", "R@50", "DCG", "NumRelRet@25"], policy=EXPECTED
    )
    assert scores["P@10"] == pytest.approx(4 / 100, abs=1e-15)
    assert scores["R@50"] == pytest.approx(50 / 100, abs=1e-15)
    assert scores["DCG"] == pytest.approx(
        4 / 100 * sum(1 / log2(rank + 1) for rank in range(1, 101)), abs=1e-12
    )
    assert scores["NumRelRet@25"] == pytest.approx(1, abs=1e-14)
    assert scores.errors == {}


def test_a_sample_says_its_error_and_keeps_within_it() -> None:
    scores = carob.evaluate({"q": JUDGED}, {"q": MANY}, ["Success@10", "AUC"], policy=EXPECTED)
    missed = np.prod([(96 - each) / (100 - each) for each in range(10)])
    assert scores.errors["Success@10"] == pytest.approx(sqrt(missed * (1 - missed) / MOST_ORDERS), rel=0.1)
    assert abs(scores["Success@10"] - (1 - missed)) < 4 * scores.errors["Success@10"]
    assert scores["AUC"] == pytest.approx(0.5, abs=1e-15)
    assert set(scores.errors) == {"Success@10"}
    assert "mean over a sample of their orders (Success@10 ± 0.015)" in scores.footer()
    assert '"errors"' in scores.to_json()


def test_a_sample_depends_on_its_own_query_alone() -> None:
    alone = carob.evaluate({"q": JUDGED}, {"q": MANY}, "AP", policy=EXPECTED)
    other = {f"x{number}": 1.0 for number in range(60)}
    both = carob.evaluate(
        {"p": {"x1": 1, "x2": 1, "x3": 2}, "q": JUDGED}, {"q": MANY, "p": other}, "AP", policy=EXPECTED
    )
    assert both.by_query("AP")["q"] == alone["AP"]
    assert both.errors["AP"] < alone.errors["AP"] + 0.01
    parts = [
        carob.evaluate({name: judged}, {name: run}, "AP", policy=EXPECTED)
        for name, judged, run in (("p", {"x1": 1, "x2": 1, "x3": 2}, other), ("q", JUDGED, MANY))
    ]
    assert parts[0].merge(parts[1]).errors["AP"] == pytest.approx(both.errors["AP"], rel=1e-12)


def test_many_documents_of_a_long_tie_are_drawn_too() -> None:
    judged = {f"d{number}": 1 for number in range(60)}
    scores = carob.evaluate({"q": judged}, {"q": MANY}, ["Success@1", "AP"], policy=EXPECTED)
    assert abs(scores["Success@1"] - 0.6) < 4 * scores.errors["Success@1"]


def test_rank_is_the_rank_column() -> None:
    assert Policy(ties="rank") == Policy(ties="rank-column")
    run = b"q Q0 b 2 1.0 r\nq Q0 a 1 1.0 r\n"
    assert carob.evaluate(b"q 0 a 1\nq 0 b 0\n", run, "RR", policy=Policy(ties="rank"))["RR"] == 1.0
    with pytest.raises(PolicyError, match="ties='best'"):
        Policy(ties="best")


def test_bounds_look_beyond_the_depth() -> None:
    policy = Policy(depth=1)
    scores = carob.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0}}, "P@1", policy=policy)
    assert scores["P@1"] == 0
    assert scores.bounds["P@1"] == (0, 1)


# ---------------------------------------------------------------- the best and the worst order

TIES = {
    "empty": {"x": 1.0},
    "p": {"a": 1.0},
    "q": {"top": 9.0, **dict.fromkeys(["one", "two", "three", "zero", "pooled", "y", "z"], 1.0), "end": 0.0},
    "r": dict.fromkeys(["low", "x", "mid", "high"], 5.0),
}
GRADES = {
    "empty": {"a": 1},
    "p": {"a": 1},
    "q": {"top": 0, "one": 1, "two": 2, "three": 3, "zero": 0, "pooled": -1, "end": 1},
    "r": {"low": 0, "mid": 1, "high": 2},
}


@pytest.mark.parametrize(
    ("rule", "ranks", "grades"),
    [
        ("optimistic", [1, 1, 2, 3, 4, 7, 8, 9, 1, 2, 4], [1, 0, 3, 2, 1, -2, 0, 1, 2, 1, 0]),
        ("pessimistic", [1, 1, 2, 3, 6, 7, 8, 9, 1, 3, 4], [1, 0, 0, -2, 1, 2, 3, 1, 0, 1, 2]),
    ],
)
def test_the_best_order_has_high_grades_first_then_unjudged_documents_then_grade_0(
    rule: Any, ranks: list[int], grades: list[int]
) -> None:
    rows = match(Qrels.of(GRADES), Run.of(TIES), Policy(ties=rule)).rows
    assert rows.offsets.tolist() == [0, 0, 1, 8, 11]
    lists = [1, *[2] * 7, *[3] * 3]
    assert rows.list_of_row.tolist() == lists
    found = zip(lists, rows.rank.tolist(), rows.grade.tolist(), strict=True)
    assert sorted(found) == list(zip(lists, ranks, grades, strict=True))


def test_reordered_ties_keep_the_lines_of_their_documents() -> None:
    lines = b"q Q0 a 1 5 t\nq Q0 b 2 5 t\nq Q0 c 3 5 t\nq Q0 d 4 9 t\n"
    qrels = Qrels.of({"q": {"a": 0, "b": 2, "c": 1}})
    for rule, grades, listed in (
        ("optimistic", [-1, 2, 1, 0], [4, 2, 3, 1]),
        ("pessimistic", [-1, 0, 1, 2], [4, 1, 3, 2]),
    ):
        policy: Any = Policy(ties=rule, listing="known")  # type: ignore[arg-type]
        rows = match(qrels, Run.of(lines), policy).rows
        assert (rows.rank.tolist(), rows.grade.tolist()) == ([1, 2, 3, 4], grades)
        assert rows.listed is not None
        assert rows.listed.tolist() == listed


# ---------------------------------------------------------------- batches and limits of orders


def test_only_lists_with_ties_have_several_orders() -> None:
    qrels = {"p": {"a": 1}, "q": {"a": 1, "b": 0}, "r": {"a": 1}}
    run = {"p": {"a": 2.0, "x": 1.0}, "q": {"a": 2.0, "b": 2.0, "y": 1.0}, "r": {"x": 1.0}}
    rows = match(Qrels.of(qrels), Run.of(run), EXPECTED).rows
    assert [orders.of.tolist() for orders in all_orders(rows)] == [[1, 1]]
    assert [orders.of.tolist() for orders in turned_orders(rows)] == [[1, 1, 1]]
    scores = carob.evaluate(qrels, run, ["RR", "Success@1"], policy=EXPECTED)
    assert scores.by_query("RR") == {"p": 1, "q": 3 / 4, "r": 0}
    assert scores.by_query("Success@1") == {"p": 1, "q": 1 / 2, "r": 0}


@pytest.mark.parametrize(
    ("most", "batches"),
    # Two orders of two rows each, with 2, 3, 4 and 2 judgments of the query: 8, 10, 12 and 8 rows in memory.
    [
        (0, [[0], [1], [2], [3]]),
        (7, [[0], [1], [2], [3]]),
        (8, [[0, 1], [2], [3]]),
        (12, [[0, 1], [2, 3]]),
        (17, [[0, 1], [2, 3]]),
        (18, [[0, 1, 2], [3]]),
        (29, [[0, 1, 2], [3]]),
        (30, [[0, 1, 2, 3]]),
    ],
)
def test_a_batch_of_orders_ends_once_it_has_more_rows_than_the_limit(
    most: int, batches: list[list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(axes_module, "ROWS_AT_A_TIME", most)
    judged = {"p": (0, 1, 0), "q": (1, 2, 1), "r": (0, 3, 2), "s": (0, 4, 0)}
    qrels = {
        query: {"a": a, "b": b} | {f"not retrieved {each}": 1 for each in range(more)}
        for query, (a, b, more) in judged.items()
    }
    run = {query: {"a": 1.0, "b": 1.0} for query in qrels}
    found = list(all_orders(match(Qrels.of(qrels), Run.of(run), EXPECTED).rows))
    assert [sorted(set(orders.of.tolist())) for orders in found] == batches
    grades = np.concatenate([orders.rows.grade for orders in found]).tolist()
    assert grades == [grade for a, b, _ in judged.values() for grade in (a, b, b, a)]
    values = carob.evaluate(qrels, run, "P@1", policy=EXPECTED)
    assert values.by_query("P@1") == {"p": 1 / 2, "q": 1, "r": 1 / 2, "s": 1 / 2}


def test_the_rows_of_all_orders_of_a_list_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    first, last = np.array([1.0, 2.0, 2.0, 7.0]), np.array([1.0, 6.0, 6.0, 8.0])
    groups, spans = groups_of(first, last)
    assert [each.tolist() for each in groups] == [[1, 2], [3]]
    assert spans == [(2, 5), (7, 2)]
    ranks, weights, _ = turned(np.array([1.0, 2, 3, 7]), np.zeros(4), groups, spans)
    assert cells_of_turns(4, groups, spans) == ranks.size == 4 * (1 + 5 + 2)
    assert weights.sum() == pytest.approx(1)
    assert cells_of_sample(4, groups, spans) == MOST_ORDERS * 4
    # Many documents of a long tie are drawn by shuffling all its places.
    assert cells_of_sample(30, [np.arange(30)], [(1, 40)]) == MOST_ORDERS * 40
    refuse_too_many(MOST_ROWS, 0, groups, spans)
    with pytest.raises(UncomputableError, match="7 documents have equal scores, 3 of them judged"):
        refuse_too_many(MOST_ROWS + 1, 0, groups, spans)
    # The limit is for each list alone, wherever it is among the others.
    monkeypatch.setattr(axes_module, "MOST_ROWS", 2 * (1 + 2))
    qrels = {query: {"a": 1, "b": 0} for query in "pqr"}
    run = {query: {"a": 1.0, "b": 1.0} for query in qrels}
    assert carob.evaluate(qrels, run, "P@1", policy=EXPECTED)["P@1"] == 1 / 2
    with pytest.raises(DataError, match="query 'r': 3 documents have equal scores, 2 of them judged"):
        carob.evaluate(qrels, {**run, "r": {"a": 1.0, "b": 1.0, "c": 1.0}}, "P@1", policy=EXPECTED)


# ---------------------------------------------------------------- weights of queries

QRELS = {"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 0}}
RUN = {"1": {"a": 2.0, "b": 1.0}, "2": {"b": 2.0, "a": 1.0}, "3": {"a": 1.0}}
WEIGHTS = {"1": 3.0, "2": 1.0, "3": 0.5}


def test_queries_weigh_as_given() -> None:
    scores = carob.evaluate(QRELS, RUN, ["RR", "NumRel", "GMAP"], weights=WEIGHTS)
    assert scores["RR"] == pytest.approx((3 * 1 + 1 * 0.5) / 4.5, abs=1e-15)
    assert scores["NumRel"] == 2
    assert scores["GMAP"] == pytest.approx((1**3 * 0.5 * 1e-5**0.5) ** (1 / 4.5), rel=1e-12)
    assert scores.by_query("RR") == {"1": 1.0, "2": 0.5, "3": 0.0}
    assert "weighted mean (RR, GMAP)" in scores.footer()


def test_weights_follow_their_queries() -> None:
    parts = [
        carob.evaluate({q: QRELS[q] for q in its}, RUN, "RR", weights=WEIGHTS) for its in (["3", "1"], ["2"])
    ]
    whole = carob.evaluate(QRELS, RUN, "RR", weights=WEIGHTS)
    assert parts[1].merge(parts[0])["RR"] == whole["RR"]
    skipping = carob.evaluate(QRELS, RUN, "RR", weights=WEIGHTS, policy=Policy(empty="skip"))
    assert skipping["RR"] == pytest.approx((3 * 1 + 1 * 0.5) / 4, abs=1e-15)
    own = Policy(by_measure={"RR": {"empty": "skip"}})
    mixed = carob.evaluate(QRELS, RUN, ["RR", "P@1"], weights=WEIGHTS, policy=own)
    assert mixed.means() == {"RR": skipping["RR"], "P@1": pytest.approx(3 / 4.5)}


def test_weights_of_lists_and_of_a_measure_multiply() -> None:
    scores = carob.evaluate_grades([[1, 0], [0, 1, 0]], ["RR", "GAUC"], weights=[1, 4])
    assert scores["RR"] == pytest.approx((1 * 1 + 4 * 0.5) / 5, abs=1e-15)
    assert scores["GAUC"] == pytest.approx((1 * 2 * 1 + 4 * 3 * 0.5) / (1 * 2 + 4 * 3), abs=1e-15)


@pytest.mark.parametrize(
    ("weights", "says"),
    [
        ({"1": 1.0, "2": 1.0}, "Query '3' has no weight"),
        ({"1": 1.0, "2": -1.0, "3": 1.0}, "The weight of query '2' is -1.0"),
        ({"1": 1.0, "2": float("nan"), "3": 1.0}, "The weight of query '2' is nan"),
        ({"1": "x", "2": 1.0, "3": 1.0}, "The weight of query '1' is 'x'"),
        (dict.fromkeys("123", 0), "Every query has the weight 0"),
    ],
)
def test_a_weight_that_is_none_is_refused(weights: dict, says: str) -> None:
    with pytest.raises(DataError, match=says):
        carob.evaluate(QRELS, RUN, "RR", weights=weights)


def test_a_table_shows_the_worst_and_the_best_order() -> None:
    scores = carob.evaluate({"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 1.0}}, ["RR", "NumRel"])
    table = carob.evaluation.scores.board([scores], "text", tie_bounds=True)
    assert table.splitlines() == [
        "run                       RR    NumRel",
        "run  0.5000 [0.5000, 1.0000]  1 [1, 1]",
    ]
    exact = carob.evaluation.scores.board([scores], "csv", tie_bounds=True).splitlines()
    assert exact == ["run,RR,RR worst,RR best,NumRel,NumRel worst,NumRel best", "run,0.5,0.5,1.0,1,1,1"]
    turned = carob.evaluation.scores.board([scores], "text", tie_bounds=True, columns=20).splitlines()
    assert turned[1].split() == ["run", "0.5000", "[0.5000,", "1.0000]"]
    assert turned[4].split() == ["run", "1", "[1,", "1]"]


def test_orders_that_no_memory_holds_are_refused_by_query_before_they_are_made() -> None:
    run = {"q1": {f"d{each}": 1.0 for each in range(40_000)}, "q2": {"d0": 1.0}}
    qrels = {"q1": {f"d{each}": 1 for each in range(0, 40_000, 3)}, "q2": {"d0": 1}}
    for measure in ("AP", "P", "nDCG@10"):
        with pytest.raises(
            DataError, match="query 'q1': 40,000 documents have equal scores, 13,334 of them judged"
        ):
            carob.evaluate(qrels, run, measure, policy=Policy(ties="expected"))
