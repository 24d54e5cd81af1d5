"""Profiles of tools that evaluate retrieval for question answering, and of embedding models."""

from __future__ import annotations

from karat.conventions.policy import Policy
from karat.conventions.profiles.profile import Profile

__all__ = ["PROFILES"]

IN_ORDER = Policy(ties="input")

PROFILES = (
    Profile(
        "ragas",
        "explodinggradients/ragas 3e28e9d",
        version="3e28e9d",
        policy=IN_ORDER.changed(by_measure={"SetP": {"missing": "nan"}, "P": {"missing": "nan"}}),
        names={
            "context_precision": "AP",
            "id_based_context_precision": "SetP",
            "id_based_context_precision@": "P",
            "id_based_context_recall": "R",
        },
        axes={"AP": {"over": "retrieved"}, "P": {"over": "retrieved"}},
        measures=("context_precision", "id_based_context_precision", "id_based_context_recall"),
        differs=(
            "Relevance is a language model's verdict, unless ids are compared.",
            "context_precision adds 1e-10 to its denominator.",
            "An id that is retrieved twice counts once.",
            "Its means leave undefined values out, such as the precision of nothing retrieved; here the mean is NaN.",
        ),
    ),
    Profile(
        "deepeval",
        "confident-ai/deepeval a2e0d4c",
        version="a2e0d4c",
        policy=IN_ORDER,
        names={"contextual_precision": "AP"},
        axes={"AP": {"over": "retrieved"}},
        measures=("contextual_precision",),
        differs=("Relevance is a language model's verdict.",),
    ),
    Profile(
        "llamaindex",
        "llama-index-core 0.14.25",
        version="0.14.25",
        policy=IN_ORDER.changed(missing="error", empty="error"),
        names={
            "hit_rate": "Success",
            "hit_rate(use_granular_hit_rate=True)": "R",
            "mrr": "RR",
            "mrr(use_granular_mrr=True)": "RR(of=each)",
            "precision": "SetP",
            "precision@": "P",
            "recall": "R",
            "ap": "AP",
            "ndcg": "nDCG",
        },
        axes={"nDCG": {"gain": "binary", "ideal": "uncut"}, "P": {"over": "retrieved"}},
        measures=("hit_rate", "mrr", "precision", "recall", "ap", "ndcg"),
        differs=(
            "A document that is retrieved twice counts twice in ap and ndcg, so values above 1 occur.",
            "Before commit 1945bfb ndcg divided by a list that is relevant throughout: nDCG(ideal=full).",
            "A depth is what the retriever returned: the policy's axis depth.",
        ),
    ),
    Profile(
        "haystack",
        "haystack-ai 3.4.0",
        version="3.4.0",
        policy=IN_ORDER,
        names={
            "DocumentRecallEvaluator": "Success",
            "DocumentRecallEvaluator(mode=multi_hit)": "R",
            "DocumentMRREvaluator": "RR",
            "DocumentMAPEvaluator": "AP",
            "DocumentNDCGEvaluator": "nDCG",
        },
        axes={"nDCG": {"ideal": "uncut"}},
        measures=(
            "DocumentMAPEvaluator",
            "DocumentMRREvaluator",
            "DocumentNDCGEvaluator",
            "DocumentRecallEvaluator",
        ),
        differs=(
            "Documents are compared by their content.",
            "DocumentRecallEvaluator is the hit rate unless mode=multi_hit.",
            "A depth is what the retriever returned: the policy's axis depth.",
        ),
    ),
    Profile(
        "mlflow",
        "mlflow/mlflow 001cc17, read and not run",
        version="001cc17",
        policy=IN_ORDER,
        names={"precision_at_k@": "P", "recall_at_k": "R", "ndcg_at_k": "nDCG"},
        axes={"nDCG": {"gain": "binary", "ideal": "length"}, "P": {"over": "retrieved"}},
        measures=("precision_at_k@3", "recall_at_k@3", "ndcg_at_k@3"),
        differs=("A query with nothing relevant for which nothing was retrieved scores 1.",),
    ),
    Profile(
        "sentence-transformers",
        "sentence-transformers 85ec645, InformationRetrievalEvaluator, read and not run",
        version="85ec645",
        policy=IN_ORDER.changed(empty="skip"),
        names={
            "accuracy": "Success",
            "precision@": "P",
            "recall": "R",
            "ndcg": "nDCG",
            "mrr": "RR",
            "map": "AP",
        },
        axes={"nDCG": {"gain": "binary"}, "AP@": {"over": "capped"}},
        measures=("ndcg@10", "mrr@10", "map@100"),
        differs=("Its lists hold no more documents than the largest depth that was asked for.",),
    ),
)
