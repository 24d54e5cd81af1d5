"""Profiles of libraries that learn to rank, or classify: they are handed labels and scores row by row."""

from __future__ import annotations

from karat.conventions.policy import Policy
from karat.conventions.profiles.profile import Profile

__all__ = ["PROFILES"]

ROWS = Policy(ties="input", judgments="retrieved", missing="skip")
"""A query is a group of rows: a document without a row is not known, nor a query without one."""

WEIGHT_OF_EMPTY = (
    "With query weights a query without relevant documents adds 1, whatever it weighs: values above 1 occur."
)
ABOVE_HALF = "A label is relevant above 0.5; whole grades from 1 on are the same."
UNSTABLE = "Ties stand as an unstable sort leaves them, which no rule gives."

PROFILES = (
    Profile(
        "sklearn",
        "scikit-learn 1.9.1, ndcg_score, dcg_score, label_ranking_average_precision_score, roc_auc_score",
        version="1.9.1",
        policy=ROWS.changed(
            ties="expected", negative="error", by_measure={"AP": {"ties": "pessimistic", "empty": "one"}}
        ),
        names={
            "ndcg_score": "nDCG",
            "dcg_score": "DCG",
            "label_ranking_average_precision_score": "AP",
            "LRAP": "AP",
            "roc_auc_score": "AUC(single=nan)",
        },
        measures=("ndcg_score", "LRAP"),
        differs=(
            "LRAP gives every document of a tie the count and rank of its end; it differs where two are relevant.",
            "A list of one document is refused by ndcg_score.",
            "The log_base of dcg_score is the parameter discount=log(b).",
        ),
    ),
    Profile(
        "torchmetrics",
        "torchmetrics 1.9.0, retrieval",
        version="1.9.0",
        policy=ROWS.changed(scores="float32", by_measure={"nDCG": {"ties": "expected"}}),
        names={
            "RetrievalMAP": "AP",
            "RetrievalMRR": "RR",
            "RetrievalPrecision": "SetP",
            "RetrievalPrecision@": "P",
            "RetrievalPrecision(adaptive_k=True)@": "P(over=retrieved)",
            "RetrievalRecall": "R",
            "RetrievalHitRate": "Success",
            "RetrievalNormalizedDCG": "nDCG",
            "RetrievalRPrecision": "Rprec",
            "RetrievalAUROC": "AUC",
        },
        axes={"AP": {"over": "retrieved"}},
        measures=("RetrievalMAP", "RetrievalMRR", "RetrievalNormalizedDCG@10", "RetrievalPrecision@10"),
        differs=(
            "Since 1.7.4 a document with a score of 0 or less is nonrelevant in AP, RR, P and R.",
            "Ties, outside nDCG, stand as topk or argsort leaves them, and the two disagree.",
            "empty_target_action is the policy's axis empty: neg is zero, pos is one, skip is skip.",
        ),
    ),
    Profile(
        "torcheval",
        "torcheval 0.0.7, retrieval_precision",
        version="0.0.7",
        policy=ROWS.changed(scores="float32"),
        names={
            "retrieval_precision": "SetP",
            "retrieval_precision@": "P",
            "retrieval_precision(limit_k_to_size=True)@": "P(over=retrieved)",
        },
        measures=("retrieval_precision@10",),
        differs=("The order of ties is unpredictable, as its own documentation says.",),
    ),
    Profile(
        "rax",
        "google/rax 0.4.0",
        version="0.4.0",
        policy=ROWS.changed(scores="float32", retrieved="finite"),
        names={
            "ndcg_metric": "nDCG",
            "dcg_metric": "DCG",
            "mrr_metric": "RR",
            "ap_metric": "AP",
            "precision_metric": "SetP",
            "precision_metric@": "P",
            "recall_metric": "R",
        },
        axes={"nDCG": {"gain": "exp2"}, "DCG": {"gain": "exp2"}, "P": {"over": "retrieved"}},
        measures=("ndcg_metric@10", "mrr_metric", "ap_metric"),
        differs=("It computes in JAX's single precision unless told otherwise.",),
    ),
    Profile(
        "tf-ranking",
        "tensorflow/ranking 5b1d133, read and not run",
        version="5b1d133",
        policy=ROWS.changed(scores="float32"),
        names={
            "ndcg": "nDCG",
            "dcg": "DCG",
            "mrr": "RR",
            "map": "AP",
            "precision": "SetP",
            "precision@": "P",
            "recall": "R",
        },
        axes={"nDCG": {"gain": "exp2"}, "DCG": {"gain": "exp2"}, "P": {"over": "retrieved"}},
        measures=("ndcg@10", "mrr", "map"),
        differs=("Ties are shuffled at random.",),
    ),
    Profile(
        "lightgbm",
        "LightGBM 4.7.0",
        version="4.7.0",
        policy=ROWS.changed(empty="one"),
        names={"ndcg": "nDCG", "map": "AP"},
        axes={
            "nDCG": {"gain": "exp2"},
            "IDCG": {"gain": "exp2"},
            "DCG": {"gain": "exp2"},
            "AP": {"over": "capped"},
        },
        measures=("ndcg@1", "ndcg@2", "ndcg@3", "ndcg@4", "ndcg@5"),
        differs=(ABOVE_HALF, f"{WEIGHT_OF_EMPTY} Its map weighs right."),
    ),
    Profile(
        "xgboost",
        "XGBoost 3.2.0, CPU",
        version="3.2.0",
        policy=ROWS.changed(
            empty="one",
            by_measure={"P": {"empty": "zero"}, "ListedAUC": {"empty": "zero", "listing": "known"}},
        ),
        names={"ndcg": "nDCG@32", "map": "AP@32", "pre": "P@32", "auc": "ListedAUC"},
        axes={
            "nDCG": {"gain": "exp2"},
            "IDCG": {"gain": "exp2"},
            "DCG": {"gain": "exp2"},
            "AP": {"over": "capped"},
            "P": {"over": "retrieved"},
        },
        measures=("ndcg", "map"),
        digits=5,
        differs=(
            "ndcg, map and pre without a depth stop at 32 documents; karat's own names do not.",
            "auc counts pairs of equal labels, by the order of the rows, so a perfect ranking may score 0.5.",
            "auc leaves groups of fewer than 3 documents out of the mean, and query weights too.",
            "ndcg_exp_gain=false is nDCG(gain=linear).",
            f"{WEIGHT_OF_EMPTY} Its map weighs right.",
        ),
    ),
    Profile(
        "xgboost-",
        "XGBoost 3.2.0, CPU, the names with a minus sign: ndcg@10-, map@10-",
        version="3.2.0",
        policy=ROWS,
        names={"ndcg": "nDCG@32", "map": "AP@32"},
        axes={"nDCG": {"gain": "exp2"}, "AP": {"over": "capped"}, "P": {"over": "retrieved"}},
        measures=("ndcg", "map"),
        digits=5,
        differs=("ndcg- and map- without a depth stop at 32 documents.",),
    ),
    Profile(
        "catboost",
        "CatBoost 1.2.10",
        version="1.2.10",
        policy=ROWS.changed(ties="pessimistic", by_measure={"nDCG": {"empty": "one"}, "R": {"empty": "one"}}),
        names={
            "NDCG": "nDCG",
            "NDCG:type=Exp": "nDCG(gain=exp2)",
            "NDCG:denominator=Position": "nDCG(discount=rank)",
            "DCG": "DCG",
            "PrecisionAt": "SetP",
            "PrecisionAt@": "P",
            "RecallAt": "R",
            "MAP": "AP",
            "MRR": "RR",
            "ERR": "ERR",
            "QueryAUC": "AUC",
        },
        axes={"AP": {"over": "capped"}, "P": {"over": "retrieved"}, "ERR": {"gain": "linear", "max": 0}},
        measures=("NDCG", "MAP", "MRR"),
        differs=(
            ABOVE_HALF,
            "ERR takes the label itself for the chance that a user stops.",
            "Weights of groups reach NDCG, DCG and MRR, but not MAP, PrecisionAt and RecallAt.",
        ),
    ),
    Profile(
        "allrank",
        "allegro/allRank 1.4.3",
        version="1.4.3",
        policy=ROWS.changed(empty="one", scores="float32"),
        names={"ndcg": "nDCG", "mrr": "RR(of=highest)"},
        axes={"nDCG": {"gain": "exp2"}, "DCG": {"gain": "exp2"}, "RR": {"of": "highest"}},
        measures=("ndcg@5", "mrr"),
        differs=(UNSTABLE,),
    ),
    Profile(
        "catalyst",
        "Catalyst 22.04",
        version="22.04",
        policy=ROWS.changed(scores="float32"),
        names={"hitrate": "R", "mrr": "RR", "map": "AP", "ndcg": "nDCG"},
        axes={"AP": {"over": "retrieved"}, "nDCG": {"gain": "exp2"}},
        measures=("map@10", "mrr@10", "ndcg@10", "hitrate@10"),
        differs=("Its hit rate is the recall.", UNSTABLE),
    ),
    Profile(
        "evidently",
        "Evidently 0.7.23",
        version="0.7.23",
        policy=ROWS.changed(empty="skip", by_measure={"ListedAP": {"listing": "known"}}),
        names={
            "PrecisionTopK@": "P",
            "RecallTopK": "R",
            "MAP": "ListedAP",
            "AP": "ListedAP",
            "MRR": "RR",
            "HitRate": "Success",
            "NDCG": "nDCG",
        },
        axes={"P": {"over": "retrieved"}},
        measures=("MAP@10", "NDCG@10", "PrecisionTopK@10"),
        differs=(
            "MAP asks at each rank whether the last row of the frame so far is relevant, sorted or not.",
            "A list shorter than k goes on adding its last term to MAP, as long as another user's is longer.",
            "FBetaTopK is the F of the mean precision and the mean recall, and no mean over users.",
            "no_feedback_users=True counts users without a relevant row 0 (empty=zero); by default they are left out.",
            "Ranks are averaged over ties and cut to whole numbers, so that a tie may leave rank 1 empty.",
        ),
    ),
)
