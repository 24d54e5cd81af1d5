"""pytrec_eval's face gives the original's keys, order and numbers, and refuses what the original refuses."""

from __future__ import annotations

import json
import math
from collections import OrderedDict, defaultdict
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from carob.compat import pytrec_eval
from carob.compat.pytrec_eval import RelevanceEvaluator, supported_measures, supported_nicknames
from compat.pytrec_eval_cases import GOLDEN, SEEDS, case

QRELS = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"a": 1}}
RUN = {"q1": {"b": 3.0, "a": 2.0, "u": 1.0}}


def same(ours: float, theirs: float) -> bool:
    return abs(ours - theirs) <= 1e-12 or (math.isnan(ours) and math.isnan(theirs))


def one(measure: str, **arguments: Any) -> dict[str, float]:
    return RelevanceEvaluator(QRELS, {measure}, **arguments).evaluate(RUN)["q1"]


def check_against(seed: int, theirs: dict[str, dict[str, float]]) -> None:
    qrels, run, level, judged_only = case(seed)
    measures = supported_measures - {"runid"}
    ours = RelevanceEvaluator(qrels, measures, level, judged_only).evaluate(run)
    assert list(ours) == list(theirs)
    for query, values in theirs.items():
        assert list(ours[query]) == list(values)
        different = {
            key: (ours[query][key], value)
            for key, value in values.items()
            if not same(ours[query][key], value)
        }
        assert not different, (seed, query)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_measure_is_what_the_original_says(seed: int) -> None:
    """Recorded from pytrec_eval-terrier 0.5.11 by the program beside this file."""
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    keys = golden["keys"]
    check_against(seed, {query: dict(zip(keys, values)) for query, values in golden[str(seed)].items()})


@pytest.mark.thorough
def test_every_measure_is_what_the_installed_original_says() -> None:
    """The same for many more cases, where the original is there to be asked (``pip install carob[bench]``)."""
    original = pytest.importorskip("pytrec_eval", reason="needs pytrec_eval-terrier, of the extra 'bench'")
    measures = original.supported_measures - {"runid"}
    for seed in range(1000, 1300):
        qrels, run, level, judged_only = case(seed)
        check_against(seed, original.RelevanceEvaluator(qrels, measures, level, judged_only).evaluate(run))


def test_there_are_the_original_s_measures_and_nicknames() -> None:
    assert len(supported_measures) == 34
    assert supported_nicknames["official"] == {
        *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref"),
        *("recip_rank", "iprec_at_recall", "P"),
    }
    assert supported_nicknames["all_trec"] == supported_measures
    assert set(supported_nicknames) == {"official", "set", "all_trec", "all_prefs", "prefs", "qrels_jg"}


def test_results_follow_the_run_and_skip_what_is_not_judged() -> None:
    run = {"q2": {"a": 1.0}, "zz": {"a": 1.0}, "q1": {"c": 1.0}}
    results = RelevanceEvaluator({**QRELS, "empty": {}, "missing": {"a": 1}}, ["map"]).evaluate(run)
    assert results == {"q2": {"map": 1.0}, "q1": {"map": 0.5}}
    assert list(results) == ["q2", "q1"]
    assert RelevanceEvaluator(QRELS, ["map"]).evaluate({}) == {}
    assert RelevanceEvaluator(QRELS, ["map"]).evaluate({"zz": {"a": 1.0}}) == {}
    assert RelevanceEvaluator({}, ["map"]).evaluate(RUN) == {}
    assert RelevanceEvaluator(QRELS, []).evaluate(RUN) == {"q1": {}}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("P.5,2", {"P_2": 1 / 2, "P_5": 1 / 5}),
        ("P_2", {"P_2": 1 / 2}),
        ("map_cut_1", {"map_cut_1": 0.0}),
        ("map", {"map": (1 / 2) / 2}),
        ("map_5", {"map": (1 / 2) / 2}),
        ("gm_map", {"gm_map": math.log((1 / 2) / 2)}),
        ("gm_bpref", {"gm_bpref": math.log(1e-5)}),
        ("ndcg_cut.2", {"ndcg_cut_2": (1 / math.log2(3)) / (2 + 1 / math.log2(3))}),
        ("iprec_at_recall.0.5", {"iprec_at_recall_0.50": 1 / 2}),
        ("Rprec_mult_1", {"Rprec_mult_1.00": 1 / 2}),
        ("set_F.0.5", {"set_F": 1.5 * (1 / 3) * (1 / 2) / (1 / 2 + 0.5 * (1 / 3))}),
        ("utility", {"utility": 1.0 - 2.0}),
        ("utility.3,-1,0,0", {"utility": 3.0 - 2.0}),
        ("11pt_avg.0.1,1", {"11pt_avg": (1 / 2 + 0) / 2}),
        ("num_q", {"num_q": 1.0}),
        ("runid", {"runid": 0.0}),
        ("relstring", {"relstring": 0.0}),
    ],
)
def test_names_keys_and_values(name: str, expected: dict[str, float]) -> None:
    """q1 ranks b (grade 0), a (1), u (unjudged); c (2) was not retrieved."""
    found = one(name)
    assert list(found) == list(expected)
    assert all(same(found[key], value) for key, value in expected.items()), found


def test_a_cutoff_takes_the_place_of_the_default_ones() -> None:
    assert list(RelevanceEvaluator(QRELS, ["P.7", "P", "map"]).evaluate(RUN)["q1"]) == ["map", "P_7"]
    assert list(one("success")) == ["success_1", "success_5", "success_10"]


def test_relevance_level_and_judged_documents_only() -> None:
    assert one("recip_rank", relevance_level=1) == {"recip_rank": 1 / 2}
    assert one("recip_rank", relevance_level=2) == {"recip_rank": 0.0}
    assert one("num_ret", judged_docs_only_flag=True) == {"num_ret": 2.0}


def test_scores_are_compared_in_single_precision_unless_asked_otherwise() -> None:
    """In single precision both scores are 16777216 and z comes first; in double a is above it."""
    qrels, run = {"q": {"a": 1, "z": 0}}, {"q": {"a": 16777217.0, "z": 16777216.0}}
    assert RelevanceEvaluator(qrels, ["recip_rank"]).evaluate(run)["q"]["recip_rank"] == 1 / 2
    double = RelevanceEvaluator(qrels, ["recip_rank"], scores="double")
    assert double.evaluate(run)["q"]["recip_rank"] == 1.0


def test_an_evaluator_can_be_used_again() -> None:
    """Nothing of one run is left for the next, and a ranking that is empty is one, also when it comes first."""
    evaluator = RelevanceEvaluator(QRELS, ["num_rel", "num_ret", "gm_map", "recip_rank"])
    empty = {"num_ret": 0.0, "num_rel": 2.0, "gm_map": math.log(1e-5), "recip_rank": 0.0}
    for _ in range(2):
        assert evaluator.evaluate({"q1": {}}) == {"q1": empty}
        assert evaluator.evaluate(RUN)["q1"]["recip_rank"] == 1 / 2


def test_queries_judged_negative_only_are_evaluated_as_they_stand() -> None:
    results = RelevanceEvaluator({"q": {"a": -3}}, ["num_rel", "num_ret", "gm_map"]).evaluate(
        {"q": {"a": 1.0}}
    )
    assert results == {"q": {"num_ret": 1.0, "num_rel": 0.0, "gm_map": math.log(1e-5)}}


def test_no_document_has_no_precision_at_recall_points_that_need_none() -> None:
    values = RelevanceEvaluator(QRELS, ["iprec_at_recall", "11pt_avg"]).evaluate({"q1": {}})["q1"]
    undefined = [key for key, value in values.items() if math.isnan(value)]
    assert undefined == ["iprec_at_recall_0.00", "11pt_avg"]


def test_any_mapping_and_numpy_numbers_will_do() -> None:
    qrels = MappingProxyType({"q": OrderedDict(a=np.int64(1), b=True)})
    run = defaultdict(dict, {"q": {"a": np.float32(1), "b": np.int64(2)}})
    assert RelevanceEvaluator(qrels, ["map"]).evaluate(run) == {"q": {"map": 1.0}}
    odd = "q\udc80"
    assert RelevanceEvaluator({odd: {odd: 1}}, ["map"]).evaluate({odd: {odd: 1.0}}) == {odd: {"map": 1.0}}


@pytest.mark.parametrize(
    "name",
    [
        "foo",
        "dcg",
        "prefs",
        "P_",
        "P.0",
        "P.-5",
        "P_5abc",
        "ndcg.10",
        "G_5",
        "ndcg_cut_0",
        "utility.1,2",
        "map_cut_5,map",
    ],
)
def test_measures_that_do_not_exist_are_value_errors(name: str) -> None:
    with pytest.raises(ValueError, match=r"measure|utility"):
        RelevanceEvaluator(QRELS, {name})


@pytest.mark.parametrize(
    "qrels",
    [
        *({"q": {"a": grade}} for grade in (1.0, "1", None)),
        *({1: {"a": 1}}, {b"q": {"a": 1}}, {"q": {1: 1}}, {"q": ["a"]}, [("q", {"a": 1})], None),
    ],
)
def test_judgments_of_another_type_are_type_errors(qrels: Any) -> None:
    with pytest.raises(TypeError):
        RelevanceEvaluator(qrels, {"map"})


@pytest.mark.parametrize("arguments", [{"relevance_level": level} for level in (0, -1, 1.0, "1")])
def test_a_level_that_is_no_grade_is_a_type_error(arguments: Any) -> None:
    with pytest.raises(TypeError, match="relevance_level"):
        RelevanceEvaluator(QRELS, {"map"}, **arguments)


@pytest.mark.parametrize("measures", [None, {1}])
def test_measures_of_another_type_are_type_errors(measures: Any) -> None:
    with pytest.raises(TypeError):
        RelevanceEvaluator(QRELS, measures)


@pytest.mark.parametrize(
    "run",
    [
        *({"q1": {"a": score}} for score in ("1", None, [1], math.nan)),
        *({1: {"a": 1.0}}, {"q1": {1: 1.0}}, {"q1": ["a"]}, [("q1", {"a": 1.0})]),
    ],
)
def test_runs_of_another_type_are_type_errors(run: Any) -> None:
    with pytest.raises(TypeError, match=r"query|scores"):
        RelevanceEvaluator(QRELS, {"map"}).evaluate(run)


def test_aggregates() -> None:
    assert pytrec_eval.compute_aggregated_measure("num_ret", [1.0, 2.0]) == 3.0
    assert pytrec_eval.compute_aggregated_measure("map", [1.0, 2.0]) == 1.5
    assert same(pytrec_eval.compute_aggregated_measure("gm_map", [math.log(0.1), math.log(0.4)]), 0.2)
    assert pytrec_eval.compute_aggregated_measure("num_ret", []) == 0.0
    assert math.isnan(pytrec_eval.compute_aggregated_measure("gm_map", []))


def test_text_becomes_dicts() -> None:
    assert pytrec_eval.parse_qrel(["q 0 d 2\n", "q\t0\te -1\r\n"]) == {"q": {"d": 2, "e": -1}}
    assert pytrec_eval.parse_run(["q Q0 d 1 2.5 t\n", "r Q0 d 1 1e3 t"]) == {
        "q": {"d": 2.5},
        "r": {"d": 1000.0},
    }


@pytest.mark.parametrize("line", ["", "q Q0 d 1 2.5", "q Q0 d 1 2.5 t x", "q Q0 d 1 high t"])
def test_lines_of_another_form_are_value_errors_that_name_the_line(line: str) -> None:
    with pytest.raises(ValueError, match="Line 2"):
        pytrec_eval.parse_run(["q Q0 c 1 3 t", line])
    with pytest.raises(ValueError, match="Line 1"):
        pytrec_eval.parse_qrel(["q 0 d 1.0"])


def test_a_document_twice_is_an_assertion_error() -> None:
    with pytest.raises(AssertionError, match="Line 2: document 'd' occurs twice"):
        pytrec_eval.parse_run(["q Q0 d 1 2 t"] * 2)
    with pytest.raises(AssertionError, match="Line 2"):
        pytrec_eval.parse_qrel(["q 0 d 1"] * 2)
