"""The policy: axes that hold for all measures, and those that some measures decide otherwise."""

from __future__ import annotations

import json
import math

import pytest

import karat
from karat import Policy, PolicyError

QRELS = {"q1": {"a": 1, "b": 1, "z": 1}, "q2": {"a": 0}, "q3": {"c": 1}}
RUN = {"q1": {"a": 3.0, "x": 2.0, "b": 1.0}, "q2": {"a": 1.0}}
MIXED = Policy(empty="zero", by_measure={"nDCG": {"empty": "one"}, "R": {"missing": "skip", "empty": "skip"}})


def test_a_measure_may_decide_otherwise() -> None:
    scores = karat.evaluate(QRELS, RUN, ["P@1", "nDCG@1", "R"], policy=MIXED)
    assert scores.by_query("P@1") == {"q1": 1.0, "q2": 0.0, "q3": 0.0}
    assert scores.by_query("nDCG@1") == {"q1": 1.0, "q2": 1.0, "q3": 0.0}
    assert scores.by_query("R") == {"q1": 2 / 3}
    assert scores.means() == {"P@1": 1 / 3, "nDCG@1": 2 / 3, "R": 2 / 3}
    assert scores.labels == ("P@1", "nDCG@1", "R")


def test_what_differs_is_told() -> None:
    scores = karat.evaluate(QRELS, RUN, ["P@1", "nDCG@1", "R"], policy=MIXED)
    assert scores.footer() == (
        "3 queries · 1 missing counted 0 (P@1, nDCG@1), skipped (R) · 1 without relevant documents "
        "counted 0 (P@1), counted 1 (nDCG@1), skipped (R) · policy nDCG: empty one, R: missing skip, R: empty skip"
    )
    assert json.loads(scores.to_json())["policy"]["by_measure"]["nDCG"] == {"empty": "one"}
    assert json.loads(scores.to_json())["runs"][0]["queries"]["q3"]["R"] is None
    assert math.isnan(scores.values[2, 2])


def test_a_query_that_a_measure_leaves_out_has_no_number_in_its_table() -> None:
    scores = karat.evaluate(QRELS, RUN, ["P@1", "R"], policy=MIXED)
    table = karat.scores.board([scores], "tsv", per_query=True)
    assert table.splitlines()[3] == "run\tq3\t0.0\t"


def test_parts_of_such_scores_merge() -> None:
    whole = karat.evaluate(QRELS, RUN, ["P@1", "R"], policy=MIXED)
    parts = [
        karat.evaluate({q: QRELS[q] for q in its}, RUN, ["P@1", "R"], policy=MIXED)
        for its in (["q1"], ["q2", "q3"])
    ]
    merged = parts[1].merge(parts[0])
    assert merged.by_query("R") == whole.by_query("R") == {"q1": 2 / 3}
    assert merged.means() == whole.means()


def test_a_measure_with_a_depth_may_decide_otherwise_than_without() -> None:
    policy = Policy(by_measure={"RR@": {"ties": "ascending"}})
    scores = karat.evaluate({"q": {"a": 1, "b": 0}}, {"q": {"a": 1, "b": 1}}, ["RR", "RR@5"], policy=policy)
    assert scores.means() == {"RR": 0.5, "RR@5": 1.0}
    assert set(scores.bounds) == {"RR", "RR@5"}


def test_a_change_holds_for_every_measure() -> None:
    assert MIXED.changed(empty="nan").exceptions == {"R": {"missing": "skip"}}
    assert hash(MIXED) == hash(MIXED.changed())
    assert MIXED.of_measure("nDCG(gain=exp2)@5") == Policy(empty="one")
    assert MIXED.of_measure("AP") == Policy()


def test_the_most_special_exception_rules() -> None:
    policy = Policy(
        by_measure={"R": {"empty": "nan"}, "R@": {"empty": "one"}, "R(over=capped)": {"empty": "skip"}}
    )
    found = {
        name: policy.of_measure(name).empty
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
    scores = karat.evaluate(QRELS, RUN, ["P@1", "NumRet"], policy=Policy(missing="nan"))
    assert math.isnan(scores["P@1"])
    assert scores["NumRet"] == 4


def test_judgments_of_retrieved_documents_only() -> None:
    known = Policy(judgments="retrieved")
    scores = karat.evaluate({"q1": QRELS["q1"]}, RUN, ["R", "R@1", "AP", "nDCG@2", "NumRel"], policy=known)
    assert scores["R"] == 1.0
    assert scores["R@1"] == 1 / 2
    assert scores["AP"] == (1 + 2 / 3) / 2
    assert scores["nDCG@2"] == pytest.approx(1 / (1 + 1 / math.log2(3)), abs=1e-15)
    assert scores["NumRel"] == 2


@pytest.mark.parametrize(
    ("exceptions", "sentence"),
    [
        ({"nDCG": {"emty": "one"}}, "A policy has no axis 'emty'"),
        ({"nDCG": {"empty": "two"}}, "There is no empty='two'"),
        ({"NDCG": {"empty": "one"}}, "by_measure speaks of 'NDCG', which is no measure"),
    ],
)
def test_refusals(exceptions: dict[str, dict[str, str]], sentence: str) -> None:
    with pytest.raises(PolicyError, match=sentence):
        karat.evaluate(QRELS, RUN, ["P@1"], policy=Policy(by_measure=exceptions))
