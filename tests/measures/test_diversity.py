"""Measures by subtopic on hand-worked judgments, where they come from, and laws."""

from __future__ import annotations

from math import log2
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import carob
from carob import Policy
from carob.measures import REGISTER, parse_measure
from carob.output.errors import DataError, MeasureError, PolicyError
from strategies import examples

FAMILY = [name for name, each in REGISTER.items() if each.groups and not name.startswith("Group")]

# Ranks: a (subtopics 1 and 2), b (1), x (unjudged), c (3). Not retrieved: d (2 and 3). Subtopic 4 has nothing relevant.
QRELS = {
    "q": {
        "1": {"a": 1, "b": 2, "c": 0},
        "2": {"a": 1, "d": 1},
        "3": {"c": 1, "d": 1, "a": 0},
        "4": {"a": 0},
    }
}
RUN = {"q": {"a": 4.0, "b": 3.0, "x": 2.0, "c": 1.0}}
LINES = b"q 1 a 1\nq 2 a 1\nq 1 b 2\nq 3 c 1\nq 1 c 0\nq 2 d 1\nq 3 d 1\nq 3 a 0\nq 4 a 0\n"

# Rank 1: subtopics 1 and 2 at 1 each. Rank 2: subtopic 1 again, 1/2. Rank 4: subtopic 3, 1.
DCG = 2 + (1 / 2) / log2(3) + 1 / log2(5)
# Greedily: a and d give 2 both, d has the larger id; then a: 1 for subtopic 1 and 1/2 for 2; then b 1/2 and c 1/2, c
# first; then b. Two relevant documents a subtopic.
BEST_DCG = 2 + (3 / 2) / log2(3) + (1 / 2) / log2(4) + (1 / 2) / log2(5)
PERFECT_DCG = 3 * (1 + (1 / 2) / log2(3) + (1 / 4) / log2(4) + (1 / 8) / log2(5))
ERR, BEST_ERR = 2 + (1 / 2) / 2 + 1 / 4, 2 + (3 / 2) / 2 + (1 / 2) / 3 + (1 / 2) / 4
PERFECT_ERR = 3 * (1 + (1 / 2) / 2 + (1 / 4) / 3 + (1 / 8) / 4)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("alphaDCG(scale=none)", DCG),
        ("alphaDCG(scale=subtopics)", DCG / 3),
        ("alphaDCG", DCG / PERFECT_DCG),
        ("alphaDCG@4", DCG / PERFECT_DCG),
        ("alphaDCG@1", 2 / 3),
        ("alphaDCG(discount=rank,scale=none)", ERR),
        ("alphaDCG(alpha=0.25,scale=none)@2", 2 + (3 / 4) / log2(3)),
        ("alphaDCG(rel=2,scale=none)", 1 / log2(3)),
        ("alphanDCG", DCG / BEST_DCG),
        ("alphanDCG@2", (2 + (1 / 2) / log2(3)) / (2 + (3 / 2) / log2(3))),
        ("alphanDCG(rel=2)", 1 / log2(3)),
        # With alpha 0 the second best is a, the others follow with 1 each.
        ("alphanDCG(alpha=0)@2", (2 + 1 / log2(3)) / (2 + 2 / log2(3))),
        ("ERRIA(scale=none)", ERR),
        ("ERRIA(scale=subtopics)", ERR / 3),
        ("ERRIA", ERR / PERFECT_ERR),
        ("ERRIA@1", 2 / 3),
        ("nERRIA", ERR / BEST_ERR),
        ("NRBP", (1 - 1 / 4) * (2 + (1 / 2) / 2 + 1 / 8) / 3),
        ("NRBP(beta=0.8)@2", (1 - 0.4) * (2 + (1 / 2) * 0.8) / 3),
        ("nNRBP", (2 + (1 / 2) / 2 + 1 / 8) / (2 + (3 / 2) / 2 + (1 / 2) / 4 + (1 / 2) / 8)),
        ("PIA@2", (2 / 2 + 1 / 2 + 0) / 3),
        ("PIA@10", (2 / 10 + 1 / 10 + 1 / 10) / 3),
        ("APIA", ((1 + 1) / 2 + 1 / 2 + (1 / 4) / 2) / 3),
        ("APIA@2", ((1 + 1) / 2 + 1 / 2 + 0) / 3),
        ("SRecall", 3 / 3),
        ("SRecall@3", 2 / 3),
        # The groups of trec_eval's averages count without relevant documents too.
        ("GroupAP", ((1 + 1) / 2 + 1 / 2 + (1 / 4) / 2 + 0) / 4),
    ],
)
def test_value_is_the_arithmetic(name: str, value: float) -> None:
    assert carob.evaluate(QRELS, RUN, [name])[name] == pytest.approx(value, abs=1e-15)
    assert carob.evaluate(LINES, RUN, [name])[name] == pytest.approx(value, abs=1e-15)


def test_a_mean_of_err_over_subtopics_is_alpha_times_its_sum() -> None:
    alone = [carob.evaluate({"q": QRELS["q"][each]}, RUN, ["ERR(max=1)"])["ERR(max=1)"] for each in "23"]
    both = carob.evaluate({"q": {each: QRELS["q"][each] for each in "23"}}, RUN, ["ERRIA(scale=subtopics)"])
    assert 0.5 * both["ERRIA(scale=subtopics)"] == pytest.approx(sum(alone) / 2, abs=1e-15)


@pytest.mark.parametrize("name", FAMILY)
def test_one_subtopic_alone_is_a_plain_list(name: str) -> None:
    plain = {"PIA": "P@3", "APIA": "AP@3", "SRecall": "Success@3"}
    if name not in plain:
        # Without a price for repetition the best list is the plain one of grades 0 and 1.
        plain = {"alphanDCG": "nDCG(gain=binary)@3", "alphaDCG": "nDCG(gain=binary,ideal=depth)@3"}
    grades = {"a": 0, "b": 1, "c": 2, "d": 1, "e": 1}
    parameters = "(alpha=0)" if "alpha" in REGISTER[name].parameters else ""
    run = {"q": {"a": 5.0, "b": 4.0, "c": 3.0}}
    found = carob.evaluate({"q": {"s": grades}}, run, [f"{name}{parameters}@3"]).matrix[0, 0]
    if name in plain:
        assert found == pytest.approx(
            carob.evaluate({"q": grades}, run, [plain[name]]).matrix[0, 0], abs=1e-15
        )
    assert 0 < found <= 1


def test_plain_measures_take_a_documents_highest_grade() -> None:
    scores = carob.evaluate(LINES, RUN, ["AP", "CG", "SRecall"])
    assert scores["AP"] == pytest.approx((1 + 1 + 3 / 4 + 0) / 4, abs=1e-15)
    assert scores["CG"] == 1 + 2 + 1


def test_a_measure_means_the_same_whatever_else_is_asked() -> None:
    alone = [carob.evaluate(LINES, RUN, [name if name != "PIA" else "PIA@3"]).matrix[0, 0] for name in FAMILY]
    together = carob.evaluate(LINES, RUN, ["AP", "nDCG@2", *FAMILY[:6], "PIA@3", *FAMILY[7:]])
    assert FAMILY[6] == "PIA"
    assert together.matrix[0, 2:].tolist() == alone


@pytest.mark.parametrize(
    ("theirs", "own"),
    [
        ("alpha-nDCG@20", "alphanDCG@20"),
        ("α-nDCG@5", "alphanDCG@5"),
        ("alpha_nDCG(alpha=0.3)@5", "alphanDCG(alpha=0.3)@5"),
        ("ERR-IA@20", "ERRIA@20"),
        ("MAP-IA", "APIA"),
        ("P_IA@5", "PIA@5"),
        ("strec@10", "SRecall@10"),
    ],
)
def test_names_of_others_are_read(theirs: str, own: str) -> None:
    assert str(parse_measure(theirs)) == own


# ---------------------------------------------------------------- policies and refusals


def test_removed_documents_make_way_in_every_subtopic() -> None:
    scores = carob.evaluate(LINES, RUN, ["APIA"], policy=Policy(unjudged="removed"))
    assert scores["APIA"] == pytest.approx(((1 + 1) / 2 + 1 / 2 + (1 / 3) / 2) / 3, abs=1e-15)


def test_a_missing_query_is_0_and_a_negative_grade_no_judgment() -> None:
    qrels = {**QRELS, "r": {"1": {"a": 1}, "2": {"a": -2}}}
    scores = carob.evaluate(qrels, RUN, ["SRecall", "alphanDCG"])
    assert scores.by_query("SRecall") == {"q": 1.0, "r": 0.0}
    found = carob.evaluate(qrels, {**RUN, "r": {"a": 1.0}}, ["SRecall"], policy=Policy(missing="skip"))
    assert found.by_query("SRecall")["r"] == 1.0


def test_only_retrieved_documents_are_known_if_so_decided() -> None:
    scores = carob.evaluate(LINES, RUN, ["APIA", "alphanDCG"], policy=Policy(judgments="retrieved"))
    assert scores["APIA"] == pytest.approx((1 + 1 + 1 / 4) / 3, abs=1e-15)
    best = 2 + 1 / log2(3) + (1 / 2) / log2(4)
    assert scores["alphanDCG"] == pytest.approx(DCG / best, abs=1e-15)


def test_a_document_judged_twice_for_a_subtopic_is_refused_or_decided() -> None:
    twice = LINES + b"q 1 a 0\n"
    with pytest.raises(
        DataError, match=r"document 'a' is judged twice for subtopic '1' of query 'q' \(first in line 1\)"
    ):
        carob.evaluate(twice, RUN, ["SRecall"])
    for rule, value in (("first", 2 / 3), ("max", 2 / 3), ("last", 1 / 3)):
        assert carob.evaluate(twice, RUN, ["SRecall@1"], policy=Policy(duplicates=rule))["SRecall@1"] == value


@pytest.mark.parametrize("name", FAMILY)
@pytest.mark.parametrize("qrels", [b"q 0 a 1\nq 0 b 1\n", {"q": {"a": 1}}, carob.Qrels])
def test_judgments_without_subtopics_are_refused(name: str, qrels: Any) -> None:
    qrels = carob.Qrels.of({"q": {"a": 1}}) if qrels is carob.Qrels else qrels
    with pytest.raises(
        DataError, match=r"A measure by subtopic \(judgment group\) requires|averages over judgment groups"
    ):
        carob.evaluate(qrels, RUN, [f"{name}@5"])


@pytest.mark.parametrize("ties", ["optimistic", "pessimistic", "expected"])
def test_ties_are_not_broken_by_a_grade_that_a_document_has_several_of(ties: str) -> None:
    tied = {"q": {"a": 1.0, "b": 1.0}}
    with pytest.raises(PolicyError, match="a grade for each subtopic"):
        carob.evaluate(LINES, tied, ["SRecall"], policy=Policy(ties=ties))
    assert carob.evaluate(LINES, tied, ["SRecall@1", "AP"]).bounds.keys() == {"AP"}
    assert carob.evaluate(LINES, tied, ["SRecall@1"])["SRecall@1"] == 1 / 3


def test_an_explanation_is_refused_with_a_reason() -> None:
    with pytest.raises(MeasureError, match="combines the ranked lists of a query's subtopics"):
        carob.explain("alphanDCG@5", QRELS, RUN, "q")


def test_a_comparison_and_a_curve_read_subtopics_too() -> None:
    other = {"q": {"b": 2.0, "a": 1.0}}
    compared = carob.compare(
        {"q": QRELS["q"], "r": QRELS["q"]},
        {"one": {**RUN, "r": RUN["q"]}, "two": {**other, "r": other["q"]}},
        ["SRecall@1"],
    )
    assert "SRecall@1" in str(compared)
    # Unjudged documents are warned of, but nobody knows for which subtopic they would count.
    unjudged = {
        "one": {"q": {"x": 2.0, "a": 1.0}, "r": {"a": 1.0}},
        "two": {"q": {"a": 1.0}, "r": {"y": 1.0}},
    }
    judged = {**QRELS["q"], "n": {"1": 0}}
    doubtful = carob.compare({"q": judged, "r": judged}, unjudged, ["alphanDCG@3"])
    assert [each.numbers.keys() for each in doubtful.warnings if each.kind == "unjudged"] == [
        {"judged", "depth"}
    ]
    assert carob.curve("SRecall", QRELS, RUN)["SRecall"] == [2 / 3, 2 / 3, 2 / 3, 1.0]


# ---------------------------------------------------------------- laws

IDS, SUBTOPICS = st.sampled_from("abcdefgh"), st.sampled_from("1234")
JUDGED = st.dictionaries(
    SUBTOPICS, st.dictionaries(IDS, st.integers(-1, 2), min_size=1, max_size=6), min_size=1, max_size=4
)
RANKED = st.lists(st.sampled_from("abcdefghxyz"), unique=True, min_size=1).map(
    lambda names: {name: -float(place) for place, name in enumerate(names)}
)
ALL = [*(f"{name}@3" for name in FAMILY), *(name for name in FAMILY if name != "PIA")]


@settings(max_examples=examples(100), deadline=None)
@given(JUDGED, RANKED)
def test_values_lie_between_0_and_1(judged: dict, ranked: dict) -> None:
    values = carob.evaluate({"q": judged}, {"q": ranked}, ALL).matrix
    # A greedy list is not the best one, so a share of it may pass 1 a little.
    assert ((values >= 0) & (values <= 1.2)).all()
    assert np.isfinite(values).all()


@settings(max_examples=examples(100), deadline=None)
@given(JUDGED, RANKED)
def test_names_and_order_of_subtopics_and_other_queries_change_nothing(judged: dict, ranked: dict) -> None:
    renamed = {f"z{9 - int(key)}": dict(reversed(its.items())) for key, its in reversed(judged.items())}
    alone = carob.evaluate({"q": judged}, {"q": ranked}, ALL).matrix[0]
    scores = carob.evaluate({"a": QRELS["q"], "q": renamed}, {"a": RUN["q"], "q": ranked}, ALL)
    assert scores.matrix[1] == pytest.approx(alone, abs=1e-12)


@settings(max_examples=examples(100), deadline=None)
@given(JUDGED, RANKED)
def test_a_cut_equals_a_shorter_run(judged: dict, ranked: dict) -> None:
    short = dict(list(ranked.items())[:3])
    names = [name for name in ALL if name.endswith("@3")]
    whole = carob.evaluate({"q": judged}, {"q": ranked}, names).matrix
    assert carob.evaluate({"q": judged}, {"q": short}, names).matrix.tolist() == whole.tolist()


@settings(max_examples=examples(100), deadline=None)
@given(JUDGED)
def test_the_greedy_list_scores_1(judged: dict) -> None:
    """The greedy choice told again, document by document, from the definition."""
    relevant = {
        document: {subtopic for subtopic, its in judged.items() if its.get(document, 0) > 0}
        for document in "abcdefgh"
    }
    left, seen, order = {name for name, its in relevant.items() if its}, dict.fromkeys(judged, 0), []
    while left:
        gain = {name: sum(0.5 ** seen[subtopic] for subtopic in relevant[name]) for name in left}
        best = max(left, key=lambda name: (gain[name], name))
        left.remove(best)
        order.append(best)
        for subtopic in relevant[best]:
            seen[subtopic] += 1
    if order:
        run = {"q": {name: -float(place) for place, name in enumerate(order)}}
        names = ["alphanDCG", "alphanDCG@2", "nERRIA@3", "nNRBP", "SRecall"]
        assert carob.evaluate({"q": judged}, run, names).matrix[0] == pytest.approx(1.0, abs=1e-12)
