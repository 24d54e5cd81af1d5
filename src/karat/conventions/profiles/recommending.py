"""Profiles of libraries that evaluate recommendations: a truth of items per user, and lists of items in order."""

from __future__ import annotations

from karat.conventions.policy import Policy
from karat.conventions.profiles.profile import Profile
from karat.output.errors import by_policy, worded

__all__ = ["PROFILES"]

IN_ORDER = Policy(ties="input")
"""The lists come in order; karat keeps the order of the run's lines where scores are equal."""

TRUTH_USERS = IN_ORDER.changed(empty="skip")
BINARY = {"nDCG": {"gain": "binary"}, "DCG": {"gain": "binary"}}

PROFILES = (
    Profile(
        "spark",
        "Apache Spark 4.3.0, RankingMetrics from Python",
        version="4.3.0",
        policy=IN_ORDER,
        names={
            "precisionAt@": "P",
            "recallAt": "R",
            "meanAveragePrecision": "AP(over=relevant)",
            "meanAveragePrecisionAt": "AP(over=capped)",
            "ndcgAt": "nDCG",
        },
        axes={**BINARY, "AP@": {"over": "capped"}},
        measures=("precisionAt@10", "recallAt@10", "meanAveragePrecision", "ndcgAt@10"),
        differs=(
            "An item that is recommended twice counts twice, so values above 1 occur.",
            "Grades never reach the JVM from Python; there, graded nDCG takes the labels in the order given.",
        ),
    ),
    Profile(
        "recommenders",
        "recommenders 1.2.1, python_evaluation",
        version="1.2.1",
        policy=TRUTH_USERS.changed(missing="skip", by_measure={"nDCG": {"missing": "zero"}}),
        names={
            "precision_at_k@": "P",
            "recall_at_k": "R",
            "ndcg_at_k": "nDCG",
            "map_at_k": "AP(over=capped)",
            "map": "AP(over=relevant)",
            "r_precision": "Rprec(mean=found)",
        },
        hints={
            "r_precision@": worded(
                "The k of recommenders' r_precision is how long its lists are: write r_precision, and the policy's "
                "depth: ",
                by_policy("depth", 5),
                ".",
            ),
        },
        axes={
            "nDCG": {"gain": "binary", "discount": "ln"},
            "AP@": {"over": "capped"},
            "Rprec": {"mean": "found"},
        },
        measures=("precision_at_k@10", "recall_at_k@10", "ndcg_at_k@10", "map_at_k@10"),
        differs=(
            "nDCG averages over all users of the truth, the others over those that have recommendations too.",
            "r_precision leaves users out who have no hit among the first R; its k, 10, is the policy's depth.",
            "relevancy_method=top_k; score_type raw and exp are nDCG(gain=linear) and nDCG(gain=exp2).",
        ),
    ),
    Profile(
        "replay",
        "replay-rec 0.22.0, pandas and Polars",
        version="0.22.0",
        policy=TRUTH_USERS.changed(ties="trec"),
        names={
            "Precision@": "P",
            "Recall": "R",
            "HitRate": "Success",
            "MRR": "RR",
            "MAP": "AP",
            "NDCG": "nDCG",
            "RocAuc": "AUC",
        },
        axes={**BINARY, "AP": {"over": "capped"}},
        measures=("NDCG@10", "MAP@10", "MRR@10", "Recall@10", "HitRate@10"),
        differs=(
            "Of equal scores the higher item id leads, numbers as numbers; dictionaries keep their order.",
            "An item twice in a user's truth counts twice in a data frame, once in Spark.",
            "RocAuc of a list that holds relevant items only is 1; here a list without a pair counts 0.",
        ),
    ),
    Profile(
        "rectools",
        "RecTools 0.19.0",
        version="0.19.0",
        policy=TRUTH_USERS.changed(ranks="given"),
        names={
            "Precision@": "P",
            "Precision(r_precision=True)@": "P(over=capped)",
            "Recall": "R",
            "F1Beta": "F",
            "HitRate": "Success",
            "MRR": "RR",
            "MAP": "AP",
            "MAP(divide_by_k=True)": "AP(over=depth)",
            "NDCG": "nDCG",
            "NDCG(divide_by_achievable=True)": "nDCG(ideal=judged)",
            "PAP@": "PartialAUC(over=capped)",
        },
        axes={"nDCG": {"gain": "binary", "ideal": "depth"}, "DCG": {"gain": "binary"}},
        measures=("NDCG@10", "MAP@10", "MRR@10", "Recall@10", "Precision@10"),
        differs=("The rank column decides, gaps and all; no two items of a user may share a rank.",),
    ),
    Profile(
        "recbole",
        "RecBole 1.2.1",
        version="1.2.1",
        policy=IN_ORDER.changed(by_measure={"R": {"empty": "nan"}}),
        names={
            "precision@": "P",
            "recall": "R",
            "hit": "Success",
            "mrr": "RR",
            "map": "AP",
            "ndcg": "nDCG",
            "gauc": "GAUC(weight=relevant)",
            "auc": "AUC(micro=true)",
        },
        axes={**BINARY, "AP": {"over": "capped"}},
        measures=("recall@10", "mrr@10", "ndcg@10", "hit@10", "precision@10"),
        differs=("Ties stand as torch.topk leaves them.",),
    ),
    Profile(
        "lenskit",
        "LensKit 2025.8.1",
        version="2025.8.1",
        policy=IN_ORDER.changed(
            empty="nan",
            by_measure={
                "P": {"empty": "zero", "missing": "nan"},
                "SetP": {"empty": "zero", "missing": "nan"},
                "AP": {"empty": "error", "missing": "nan"},
                "DCG": {"empty": "zero"},
            },
        ),
        names={
            "Precision": "SetP",
            "Precision@": "P",
            "Recall": "R",
            "Hit": "Success",
            "RecipRank": "RR",
            "AveragePrecision": "AP",
            "NDCG": "nDCG",
            "DCG": "DCG",
        },
        axes={
            "nDCG": {"gain": "binary", "discount": "jk(2)"},
            "DCG": {"gain": "binary", "discount": "jk(2)"},
            "AP": {"over": "length"},
            "P": {"over": "retrieved"},
            "R@": {"over": "capped"},
            "RBP": {"p": 0.85, "rel": 1},
        },
        measures=("NDCG@10", "RecipRank@10", "Recall@10"),
        differs=(
            "A discount with offset=1 is nDCG(discount=log2).",
            "AveragePrecision divides by zero for a user without relevant items; here that is refused.",
            "NDCG with ratings as gains, nDCG(gain=linear), is 0 for a user with negative ratings only; here NaN.",
        ),
    ),
    Profile(
        "cornac",
        "Cornac 3.0.1",
        version="3.0.1",
        policy=IN_ORDER.changed(by_measure={"nDCG": {"empty": "nan"}, "R": {"empty": "nan"}}),
        names={
            "Precision": "SetP",
            "Precision@": "P",
            "Recall": "R",
            "FMeasure": "F",
            "HitRatio": "Success",
            "MRR": "RR",
            "MAP": "AP",
            "NDCG": "nDCG",
            "AUC": "AUC",
        },
        axes=BINARY,
        measures=("NDCG@10", "MRR", "MAP", "Recall@10", "Precision@10"),
        differs=(
            "MRR raises for a user without a hit.",
            "AUC counts a tied pair as wrong.",
        ),
    ),
    Profile(
        "elliot",
        "Elliot 0.3.1, read, and its MAP run",
        version="0.3.1",
        policy=TRUTH_USERS.changed(missing="skip"),
        names={"Precision@": "P", "Recall": "R", "HR": "Success", "MRR": "RR", "MAP": "MeanP", "AP": "MeanP"},
        axes={"nDCG": {"gain": "exp2"}, "DCG": {"gain": "exp2"}},
        measures=("nDCG@10", "MAP@10", "Recall@10", "Precision@10"),
        differs=(
            "MAP is the mean of the precisions at ranks 1 to k, not average precision.",
            "A threshold t above 1 is nDCG(gain=exp2(t)) and rel=t.",
            "GAUC divides by one negative more than there are.",
        ),
    ),
)
