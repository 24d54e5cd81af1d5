"""Names that carob does not have: what the sentence says to write instead, and when it suggests nothing."""

from __future__ import annotations

import pytest

import carob
from carob import MeasureError
from carob.conventions.profiles import every_profile
from carob.measures import parse_measure, parse_measures
from carob.measures.grammar import canonical
from carob.measures.unknown_names import pointers

NEAR = [
    # (a name as libraries, papers or fingers write it, and what the sentence must lead to)
    ("Hits@10", "Success@10"),
    ("Accuracy@1", "AUC"),
    ("accuracy@1", "Success@10"),
    ("准确率@5", "P@10"),
    ("coverage_error", "RecallEffort"),
    ("label_ranking_loss", "AUC"),
    ("label_ranking_average_precision_score", "profile='sklearn'"),
    ("top_k_accuracy_score", "Success@10"),
    ("average_precision_score", "AP"),
    ("roc_auc_score", "AUC(micro=true)"),
    ("ndcg_score", "nDCG"),
    ("dcg_score@5", "DCG@5"),
    ("precision_recall_curve", "carob.curve"),
    ("cohen_kappa_score", "carob agreement"),
    ("RetrievalMAP", "profile='torchmetrics'"),
    ("RetrievalNormalizedDCG@5", "profile='torchmetrics'"),
    ("RetrievalFallOut", "carob does not have fallout"),
    ("FallOut", "carob does not have fallout"),
    ("RetrievalPrecisionRecallCurve", "carob.curve"),
    ("RetrievalAUROC", "AUC"),
    ("rbp.95", "RBP(p=0.95)"),
    ("map-l2", "AP(rel=2)"),
    ("precision@10-l2", "P(rel=2)@10"),
    ("ndcg_burges", "profile='ranx'"),
    ("O@10", "O-measure"),
    ("P+", "P-measure"),
    ("P-plus@10", "P-measure"),
    ("NCU", "AP, Q and nERR"),
    ("NERR@20", "nERR"),
    ("NERR8@10", "ERR@20"),
    ("EBR@10", "nERR@10"),
    ("D#-nDCG@10", "alphanDCG@10"),
    ("RBO", "rank-biased overlap"),
    ("Compat", "not have the measure Compatibility"),
    ("opa_metric", "AUC"),
    ("NCRR", "RR"),
    ("MCC", "P, R or F"),
    ("CategoricalDiversity@5", "carob.beyond_accuracy"),
    ("Serendipity@10", "carob.beyond_accuracy"),
    ("ILD@10", "carob.beyond_accuracy"),
    ("Gini@10", "carob.beyond_accuracy"),
    ("unknown_doc_rating", "Policy(unjudged='removed')"),
    ("return_std", "carob compare"),
    ("RMSE", "carob evaluates rankings"),
    ("faithfulness", "carob evaluates rankings"),
    ("ROUGE-L", "carob evaluates rankings"),
    ("P10", "P@10"),
    ("ndcg10", "nDCG@10"),
    ("NDCG_10", "nDCG@10"),
    ("recall_at_100", "R@100"),
    ("precision-at-5", "P@5"),
    ("mrr_at_k", "RR"),
    ("nDGC@10", "nDCG"),
    ("nCDG@10", "nDCG"),
    ("NDGC@10", "nDCG"),
    ("presicion@5", "mean P"),
    ("Recal@5", "R"),
    ("Recalls@5", "R"),
    ("bpreff", "Bpref"),
    ("Rprecision@5", "has no depth"),
    ("infAPP", "infAP"),
    ("GAUK", "GAUC"),
    ("Sucess@5", "Success"),
    ("alphaNDGC@10", "alphanDCG"),
    ("Judge@10", "Judged"),
    ("iprec_at_recal@0.1", "IPrec"),
    ("recip_rnk", "RR"),
]


@pytest.mark.parametrize(("theirs", "says"), NEAR)
def test_a_name_that_carob_lacks_leads_to_what_it_has(theirs: str, says: str) -> None:
    with pytest.raises(MeasureError) as error:
        carob.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, theirs)
    assert says in str(error.value)


@pytest.mark.parametrize("theirs", ["qwertz", "zzz@5", "🙂", "x" * 9000, "S", "EXPLAIN"])
def test_a_name_that_is_nobodys_suggests_nothing_far_away(theirs: str) -> None:
    with pytest.raises(MeasureError) as error:
        parse_measure(theirs)
    assert "Did you mean" not in str(error.value)
    assert len(str(error.value)) < 300


def test_what_is_said_not_to_be_here_is_not_here() -> None:
    for each in pointers():
        assert each["say"].endswith(".")
        assert each.get("command", ".").endswith(".")
        for name in each["names"]:
            assert canonical(name) is None, name


def test_names_that_sentences_tell_users_to_write_are_read() -> None:
    import re

    for each in pointers():
        for name in re.findall(r"\b[A-Za-z]+(?:\([a-z]+=[a-z]+\))?@[0-9]+", each["say"]):
            assert parse_measures(name), each


def test_a_profile_whose_name_it_is_is_named() -> None:
    for profile, name in (("torchmetrics", "RetrievalMRR"), ("sklearn", "LRAP")):
        assert name in every_profile()[profile].names
        with pytest.raises(MeasureError, match=f"profile='{profile}'"):
            carob.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, name)
