"""The policy: axes that hold for all measures, and those that some measures decide otherwise."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import carob
import carob.tensors
from carob import Policy, PolicyError
from carob.measures import parse_measure

QRELS = {"q1": {"a": 1, "b": 1, "z": 1}, "q2": {"a": 0}, "q3": {"c": 1}}
RUN = {"q1": {"a": 3.0, "x": 2.0, "b": 1.0}, "q2": {"a": 1.0}}
MIXED = Policy(empty="zero", by_measure={"nDCG": {"empty": "one"}, "R": {"missing": "skip", "empty": "skip"}})


def test_a_measure_may_decide_otherwise() -> None:
    scores = carob.evaluate(QRELS, RUN, ["P@1", "nDCG@1", "R"], policy=MIXED)
    assert scores.by_query("P@1") == {"q1": 1.0, "q2": 0.0, "q3": 0.0}
    assert scores.by_query("nDCG@1") == {"q1": 1.0, "q2": 1.0, "q3": 0.0}
    assert scores.by_query("R") == {"q1": 2 / 3}
    assert scores.means() == {"P@1": 1 / 3, "nDCG@1": 2 / 3, "R": 2 / 3}
    assert scores.labels == ("P@1", "nDCG@1", "R")


def test_what_differs_is_told() -> None:
    scores = carob.evaluate(QRELS, RUN, ["P@1", "nDCG@1", "R"], policy=MIXED)
    assert scores.footer() == (
        "3 queries · 1 missing query counted as 0 (P@1, nDCG@1), skipped (R) · 1 query without relevant documents "
        "counted as 0 (P@1), counted as 1 (nDCG@1), skipped (R) · policy nDCG: empty one, R: missing skip, "
        "R: empty skip"
    )
    assert json.loads(scores.to_json())["policy"]["by_measure"]["nDCG"] == {"empty": "one"}
    assert json.loads(scores.to_json())["runs"][0]["queries"]["q3"]["R"] is None
    assert math.isnan(scores.matrix[2, 2])


def test_a_query_that_a_measure_leaves_out_has_no_number_in_its_table() -> None:
    scores = carob.evaluate(QRELS, RUN, ["P@1", "R"], policy=MIXED)
    table = carob.evaluation.scores.board([scores], "tsv", per_query=True)
    assert table.splitlines()[3] == "run\tq3\t0.0\t\t1"


def test_parts_of_such_scores_merge() -> None:
    whole = carob.evaluate(QRELS, RUN, ["P@1", "R"], policy=MIXED)
    parts = [
        carob.evaluate({q: QRELS[q] for q in its}, RUN, ["P@1", "R"], policy=MIXED)
        for its in (["q1"], ["q2", "q3"])
    ]
    merged = parts[1].merge(parts[0])
    assert merged.by_query("R") == whole.by_query("R") == {"q1": 2 / 3}
    assert merged.means() == whole.means()


def test_a_measure_with_a_depth_may_decide_otherwise_than_without() -> None:
    policy = Policy(by_measure={"RR@": {"ties": "ascending"}})
    scores = carob.evaluate({"q": {"a": 1, "b": 0}}, {"q": {"a": 1, "b": 1}}, ["RR", "RR@5"], policy=policy)
    assert scores.means() == {"RR": 0.5, "RR@5": 1.0}
    assert set(scores.bounds) == {"RR", "RR@5"}


def test_a_change_holds_for_every_measure() -> None:
    assert MIXED.changed(empty="nan").exceptions == {"R": {"missing": "skip"}}
    assert hash(MIXED) == hash(MIXED.changed())
    assert MIXED.of_measure(parse_measure("nDCG(gain=exp2)@5")) == Policy(empty="one")
    assert MIXED.of_measure(parse_measure("AP")) == Policy()


def test_a_value_that_no_axis_has_is_refused_with_the_nearest_or_all() -> None:
    with pytest.raises(
        PolicyError,
        match=r"^There is no missing='skp'. Did you mean skip\? The choices are zero, skip, nan, error\.$",
    ):
        Policy(missing="skp")  # type: ignore[arg-type]
    with pytest.raises(PolicyError, match=r"no missing='xyz'. The choices are zero, skip, nan, error\.$"):
        Policy(missing="xyz")  # type: ignore[arg-type]
    for depth in (0, 2.5, True, "3"):
        with pytest.raises(PolicyError, match=f"^depth={depth!r}: a depth is a whole number of at least 1"):
            Policy(depth=depth)  # type: ignore[arg-type]
    with pytest.raises(PolicyError, match=r"cannot contain by_measure"):
        Policy(by_measure={"AP": {"by_measure": {}}})
    with pytest.raises(PolicyError, match=r"^depth=0: a depth is a whole number"):
        Policy(by_measure={"AP": {"depth": 0}})
    assert Policy(depth=2**53).depth == 2**53
    with pytest.raises(PolicyError, match=f"a depth is at most {2**53} documents"):
        Policy(depth=2**53 + 1)


def test_settings_count_as_given_also_if_they_were_changed_later() -> None:
    profile = Policy(ties="input", missing="nan", empty="one")
    assert Policy(ties="trec").changed(missing="zero").over(profile) == Policy(empty="one")
    assert Policy().changed().over(profile) == profile
    exceptions = Policy(by_measure={"AP": {"empty": "one"}})
    assert exceptions.changed(by_measure={"RR": {"ties": "input"}}).exceptions == {"RR": {"ties": "input"}}


def test_exceptions_are_added_to_those_of_the_profile() -> None:
    profile = Policy(by_measure={"AP": {"empty": "one", "ties": "input"}, "RR": {"empty": "nan"}})
    mine = Policy(by_measure={"AP": {"empty": "skip", "missing": "skip"}})
    assert mine.over(profile).exceptions == {
        "AP": {"empty": "skip", "ties": "input", "missing": "skip"},
        "RR": {"empty": "nan"},
    }
    assert Policy(empty="zero").over(profile).exceptions == {"AP": {"ties": "input"}}


def test_exceptions_know_a_measure_whose_parameters_have_parameters() -> None:
    policy = Policy(by_measure={"nDCG": {"empty": "one"}, "nDCG@": {"ties": "input"}})
    assert policy.of_measure(parse_measure("nDCG(gain=binary(1))")) == Policy(empty="one")
    assert policy.of_measure(parse_measure("nDCG(gain=binary(1))@5")) == Policy(empty="one", ties="input")


def test_the_most_special_exception_rules() -> None:
    policy = Policy(
        by_measure={"R": {"empty": "nan"}, "R@": {"empty": "one"}, "R(over=capped)": {"empty": "skip"}}
    )
    found = {
        name: policy.of_measure(parse_measure(name)).empty
        for name in ("R", "R@5", "R(over=capped)", "R(over=capped)@5", "RR@5")
    }
    assert found == {
        "R": "nan",
        "R@5": "one",
        "R(over=capped)": "skip",
        "R(over=capped)@5": "skip",
        "RR@5": "zero",
    }


def test_a_missing_query_may_be_undefined() -> None:
    scores = carob.evaluate(QRELS, RUN, ["P@1", "NumRet"], policy=Policy(missing="nan"))
    assert math.isnan(scores["P@1"])
    assert scores["NumRet"] == 4


def test_judgments_of_retrieved_documents_only() -> None:
    known = Policy(judgments="retrieved")
    scores = carob.evaluate({"q1": QRELS["q1"]}, RUN, ["R", "R@1", "AP", "nDCG@2", "NumRel"], policy=known)
    assert scores["R"] == 1.0
    assert scores["R@1"] == 1 / 2
    assert scores["AP"] == (1 + 2 / 3) / 2
    assert scores["nDCG@2"] == pytest.approx(1 / (1 + 1 / math.log2(3)), abs=1e-15)
    assert scores["NumRel"] == 2


@pytest.mark.parametrize(
    ("exceptions", "sentence"),
    [
        ({"nDCG": {"emty": "one"}}, "A policy has no setting 'emty'"),
        ({"nDCG": {"empty": "two"}}, "There is no empty='two'"),
        ({"NDCG": {"empty": "one"}}, "by_measure names 'NDCG', which is not a measure"),
    ],
)
def test_refusals(exceptions: dict[str, dict[str, str]], sentence: str) -> None:
    with pytest.raises(PolicyError, match=sentence):
        carob.evaluate(QRELS, RUN, ["P@1"], policy=Policy(by_measure=exceptions))


# ---------------------------------------------------------------- a query in which there is nothing to find

FRACTIONS = {"q": {"a": 0.9, "b": 0.1}}
REVERSED = {"q": {"a": 0.4, "b": 0.9}}
WORTH = (0.1 + 0.9 / math.log2(3)) / (0.9 + 0.1 / math.log2(3))  # 0.69343, what nDCG gives
VALUES = {"one": 1.0, "nan": math.nan, "zero": 0.0}


@pytest.mark.parametrize("empty", VALUES)
def test_grades_below_1_are_nothing_to_relevance_and_something_to_gains(empty: str) -> None:
    policy = Policy(empty=empty)
    found = carob.evaluate(
        FRACTIONS, REVERSED, ["AP", "nDCG", "AP(rel=0.5)", "ERR", "nDCG(gain=binary(1))"], policy=policy
    )
    assert found["nDCG"] == pytest.approx(WORTH, abs=1e-15)
    assert found["AP(rel=0.5)"] == 0.5
    assert 0 < found["ERR"] < 1
    for none in ("AP", "nDCG(gain=binary(1))"):
        assert found[none] == pytest.approx(VALUES[empty], nan_ok=True)
    assert found.counts.empty == 1
    assert found.counts.empty_for == {
        "AP": 1,
        "nDCG": 0,
        "AP(rel=0.5)": 0,
        "ERR": 0,
        "nDCG(gain=binary(1))": 1,
    }


def test_each_measure_leaves_out_what_is_empty_to_it() -> None:
    qrels = {**FRACTIONS, "r": {"a": 1, "b": 0}, "s": {"a": 0}}
    run = {query: {"b": 2.0, "a": 1.0} for query in qrels}
    found = carob.evaluate(
        qrels, run, ["AP", "nDCG", "R(rel=2)@1", "NumQ", "P@1"], policy=Policy(empty="skip")
    )
    assert found.by_query("AP") == {"r": 0.5}
    assert list(found.by_query("nDCG")) == ["q", "r"]
    assert found.by_query("R(rel=2)@1") == {}
    assert found["NumQ"] == 1
    assert found.footer() == (
        "2 queries · 2 queries without grade 1 or more skipped (AP, NumQ, P@1), "
        "1 query without a positive gain skipped (nDCG), "
        "3 queries without grade 2 or more skipped (R(rel=2)@1) · "
        "2 grades between 0 and 1 counted as not relevant (AP, P@1) · policy empty skip"
    )
    assert json.loads(found.to_json())["runs"][0]["counts"]["empty_for"] == {
        "AP": 2,
        "nDCG": 1,
        "R(rel=2)@1": 3,
        "NumQ": 2,
        "P@1": 2,
    }


def test_the_counts_of_empty_queries_add_up_over_shards() -> None:
    qrels = {**FRACTIONS, "r": {"a": 1, "b": 0}, "s": {"a": 0}}
    run = {query: {"b": 2.0, "a": 1.0} for query in qrels}
    asked = ["AP", "nDCG"]
    for empty in ("zero", "skip", "one"):
        policy = Policy(empty=empty)
        whole = carob.evaluate(qrels, run, asked, policy=policy)
        parts = [
            carob.evaluate({q: qrels[q] for q in its}, run, asked, policy=policy)
            for its in ("qr", "s")
            if empty != "skip" or its != "s"
        ]
        merged = parts[0].merge(*parts[1:])
        assert merged.means() == whole.means()
        if len(parts) > 1:
            assert (merged.counts.empty, merged.counts.empty_for) == (2, {"AP": 2, "nDCG": 1})
            assert (whole.counts.empty, whole.counts.empty_for) == (2, {"AP": 2, "nDCG": 1})


def test_an_error_says_for_which_measure_a_query_is_empty() -> None:
    policy = Policy(empty="error")
    assert carob.evaluate(FRACTIONS, REVERSED, "nDCG", policy=policy)["nDCG"] == pytest.approx(WORTH)
    with pytest.raises(
        carob.DataError, match="Query 'q' has no relevant document: P@1 looks for grade 1 or more"
    ):
        carob.evaluate(FRACTIONS, REVERSED, ["nDCG", "P@1"], policy=policy)
    with pytest.raises(carob.DataError, match="nDCG looks for a positive gain"):
        carob.evaluate({"q": {"a": 0}}, REVERSED, "nDCG", policy=policy)


@pytest.mark.parametrize(
    ("profile", "measure", "expected"),
    [
        # CatBoost 1.2.10, catboost.utils.eval_metric([.4, .9], [.9, .1], name, group_id=[0, 0])
        ("catboost", "NDCG", 0.839865),
        ("catboost", "NDCG:type=Exp", 0.811064),
    ],
)
def test_catboost_knows_grades_below_1(profile: str, measure: str, expected: float) -> None:
    labels, scores = {"q": {"a": 0.4, "b": 0.9}}, {"q": {"a": 0.9, "b": 0.1}}
    assert carob.evaluate(labels, scores, measure, profile=profile)[measure] == pytest.approx(
        expected, abs=1e-6
    )


@pytest.mark.parametrize("profile", ["catboost", "xgboost", "xgboost-", "lightgbm", "allrank"])
def test_an_order_of_grades_below_1_matters_to_gains(profile: str) -> None:
    name = "NDCG" if profile == "catboost" else "ndcg"
    best = carob.evaluate(FRACTIONS, {"q": {"a": 2.0, "b": 1.0}}, name, profile=profile)[name]
    worst = carob.evaluate(FRACTIONS, REVERSED, name, profile=profile)[name]
    assert worst < best == 1


@pytest.mark.parametrize("empty", ["skip", "one", "nan"])
def test_arrays_meters_and_explanations_call_the_same_queries_empty(empty: str) -> None:
    qrels = {**FRACTIONS, "r": {"a": 1, "b": 0}, "s": {"a": 0, "b": 0}}
    run = {query: {"a": 1.0, "b": 2.0} for query in qrels}
    asked = ["AP", "nDCG", "R(rel=2)@1", "RBP(rel=0.5)", "nDCG(gain={0.1:0,0.9:0})"]
    policy = Policy(ties="input", empty=empty)
    found = carob.evaluate(qrels, run, asked, policy=policy)
    grades = np.array([list(its.values()) for its in qrels.values()])
    scores = np.array([list(its.values()) for its in run.values()])
    values = carob.tensors.evaluate(scores, grades, asked, policy=policy, per_query=True)
    meter = carob.Meter(asked, policy=policy)
    meter.update(scores, grades)
    for label in asked:
        by_query = found.by_query(label)
        wanted = [by_query.get(query, math.nan) for query in qrels]
        assert values[label].tolist() == pytest.approx(wanted, abs=1e-12, nan_ok=True), label
        assert meter.compute()[label] == pytest.approx(found[label], abs=1e-12, nan_ok=True), label
        for query in qrels:
            if query in by_query:
                told = carob.explain(label, qrels, run, query, policy=policy)
                assert told.value == pytest.approx(by_query[query], abs=1e-12, nan_ok=True), label
            else:
                with pytest.raises(
                    carob.DataError, match="excluded from the evaluation, because it has no relevant"
                ):
                    carob.explain(label, qrels, run, query, policy=policy)


def test_an_explanation_counts_what_its_measure_looks_for() -> None:
    told = [carob.explain(name, FRACTIONS, REVERSED, "q").facts[0] for name in ("nDCG", "AP")]
    assert told[0].endswith("2 of them relevant (a positive gain).")
    assert told[1].endswith("0 of them relevant (grade 1 or more).")


def test_a_query_that_is_left_out_is_in_no_pool_and_in_no_judgment_group() -> None:
    groups = {
        "1": {"s1": {"a": 1, "b": 0}, "s2": {"b": 1}},
        "2": {"s1": {"a": 0}},
        "3": {"s1": {"c": 1}, "s2": {"a": 1}, "s3": {"x": 0}},
    }
    run = {query: {"a": 3.0, "b": 2.0, "c": 1.0} for query in groups}
    asked, policy = ["alphanDCG@3", "PIA@2", "AP", "SRecall@1"], Policy(empty="skip")
    whole = carob.evaluate(groups, run, asked, policy=policy)
    without = carob.evaluate({query: its for query, its in groups.items() if query != "2"}, run, asked)
    assert whole.means() == without.means()
    flat = {"1": {"a": 1, "b": 0}, "2": {"a": 0, "b": 0}, "3": {"a": 0, "b": 1}}
    left = carob.evaluate(flat, run, "AUC(micro=true)", policy=policy)
    assert left.means() == carob.evaluate({q: flat[q] for q in "13"}, run, "AUC(micro=true)").means()


def test_runs_whose_empty_queries_are_left_out_can_be_compared() -> None:
    qrels = {f"q{n}": {"a": n % 3, "b": 0} for n in range(12)}
    runs = {
        "one": {query: {"a": 2.0, "b": 1.0} for query in qrels},
        "two": {query: {"x": 3.0, "y": 2.0, "a": 1.0 + n} for n, query in enumerate(qrels)},
    }
    found = carob.compare(qrels, runs, ["AP", "nDCG"], policy=Policy(empty="skip"))
    assert len(found.queries) == 8
    assert found.scores[1].counts.empty_for == {"AP": 4, "nDCG": 4}


def test_trec_evals_own_policy_counts_empty_queries_and_changes_none() -> None:
    qrels, run = {**FRACTIONS, "r": {"a": 0}}, {"q": REVERSED["q"], "r": {"a": 1.0}}
    found = carob.evaluate(qrels, run, ["AP", "RR"])
    assert found.means() == {"AP": 0, "RR": 0}
    assert found.footer() == (
        "2 queries · 2 queries without relevant documents counted as 0 · "
        "2 grades between 0 and 1 counted as not relevant (AP, RR) · policy trec"
    )
