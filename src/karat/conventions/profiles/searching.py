"""Profiles of search engines and of the tools with which their results are judged."""

from __future__ import annotations

from karat.conventions.policy import Policy
from karat.conventions.profiles.profile import Profile

__all__ = ["PROFILES"]

AS_RETURNED = Policy(ties="input")
EXPONENTIAL = {"nDCG": {"gain": "exp2"}, "DCG": {"gain": "exp2"}, "IDCG": {"gain": "exp2"}}

PROFILES = (
    Profile(
        "elasticsearch",
        "Elasticsearch _rank_eval, 7.x source and the 2026 documentation, read and not run",
        version="8",
        policy=AS_RETURNED,
        names={
            "precision": "P@10",
            "recall": "R@10",
            "mean_reciprocal_rank": "RR@10",
            "dcg": "DCG@10",
            "dcg(normalize=true)": "nDCG@10",
            "expected_reciprocal_rank": "ERR@10",
        },
        axes={
            **EXPONENTIAL,
            "nDCG": {"gain": "exp2", "ideal": "length"},
            "P": {"over": "retrieved"},
        },
        measures=("precision", "recall", "mean_reciprocal_rank", "dcg(normalize=true)"),
        differs=(
            "A perfect list scores 1 in nDCG however few of the good documents it returns.",
            "ignore_unlabeled=true leaves unjudged documents out of precision only.",
            "What is done with a request that has no relevant document is not known.",
        ),
    ),
    Profile(
        "opensearch",
        "opensearch-project/search-relevance d8be5d1, read and not run",
        version="d8be5d1",
        policy=AS_RETURNED,
        names={"Precision@": "P", "MAP": "AP", "NDCG": "nDCG", "Coverage": "Judged"},
        axes={**EXPONENTIAL, "P": {"over": "retrieved"}},
        measures=("Precision@10", "MAP@10", "NDCG@10"),
        digits=2,
        differs=(
            "Each query's value is rounded to 2 decimals before the mean is taken.",
            "Before PR #39 the ideal list held returned documents only: nDCG(ideal=retrieved).",
        ),
    ),
    Profile(
        "quepid",
        "o19s/quepid f80322f, its shipped scorers, read and not run",
        version="f80322f",
        policy=AS_RETURNED.changed(by_measure={"AP": {"empty": "nan"}}),
        names={
            "ndcg": "nDCG@10",
            "ndcg_cut": "nDCG(ideal=judged)@10",
            "dcg": "DCG@10",
            "ap": "AP@10",
            "p": "P@10",
            "rr": "RR@10",
            "err": "ERR@10",
        },
        axes={**EXPONENTIAL, "nDCG": {"gain": "exp2", "ideal": "uncut"}, "P": {"over": "retrieved"}},
        measures=("ndcg@10", "ap@10", "p@10"),
        differs=(
            "A scorer is JavaScript that a team may change.",
            "The highest grade of ERR is the scorer's; ERR(max=3) for grades up to 3.",
        ),
    ),
)
