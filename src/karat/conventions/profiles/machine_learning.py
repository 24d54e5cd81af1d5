"""Profiles of machine-learning tools: libraries that learn to rank, and libraries for recommendation."""

from __future__ import annotations

from karat.conventions.policy import Policy
from karat.conventions.profiles.profile import Profile
from karat.output.errors import by_policy, worded

__all__ = ["PROFILES"]

ROWS = Policy(ties="input", judgments="retrieved", missing="skip")
"""A query is a group of rows; documents and queries without a row are unknown."""

WEIGHT_OF_EMPTY = (
    "With query weights, a query without relevant documents adds 1, not its weight, so values above 1 occur."
)
ABOVE_HALF = "A label above 0.5 is relevant; for whole grades this is the same as from 1 on."
UNSTABLE = "The order of ties is that of an unstable sort, which no rule reproduces."

LEARNING = (
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
            "LRAP takes count and rank of a tied document from the end of the tie; it differs if two are relevant.",
            "ndcg_score refuses a list of one document.",
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
            "Since 1.7.4, a document with a score of 0 or less counts as nonrelevant in AP, RR, P and R.",
            "Except in nDCG, the order of ties is that of topk or argsort, which disagree.",
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
        differs=("According to its documentation, the order of ties is unpredictable.",),
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
        differs=(ABOVE_HALF, f"{WEIGHT_OF_EMPTY} Its map uses the weights correctly."),
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
            "ndcg, map and pre without a depth are cut at 32 documents; karat's own names are not.",
            "auc counts pairs of equal labels by the order of the rows, so a perfect ranking may score 0.5.",
            "auc ignores groups of fewer than 3 documents and query weights.",
            "ndcg_exp_gain=false is nDCG(gain=linear).",
            f"{WEIGHT_OF_EMPTY} Its map uses the weights correctly.",
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
        differs=("ndcg- and map- without a depth are cut at 32 documents.",),
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
            "In ERR, the label is the probability that a user stops.",
            "Group weights apply to NDCG, DCG and MRR, but not to MAP, PrecisionAt and RecallAt.",
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
            "At each rank, MAP looks at the last row of the frame so far, even if the frame is not sorted.",
            "A list shorter than k repeats its last term in MAP up to the longest list of another user.",
            "FBetaTopK is the F of the mean precision and the mean recall, not a mean over users.",
            "Users without a relevant row are left out; no_feedback_users=True counts them as 0 (empty=zero).",
            "Ranks are averaged over ties and truncated, so a tie may leave rank 1 empty.",
        ),
    ),
)

IN_ORDER = Policy(ties="input")
"""The lists are in order; for equal scores karat keeps the order of the run's lines."""

TRUTH_USERS = IN_ORDER.changed(empty="skip")
BINARY = {"nDCG": {"gain": "binary"}, "DCG": {"gain": "binary"}}

RECOMMENDATION = (
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
            "Python does not pass grades to the JVM, whose graded nDCG takes the labels in the given order.",
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
                "The k of recommenders' r_precision is the length of its lists. Write r_precision and the policy's "
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
            "nDCG is averaged over all users of the truth, other measures over those with recommendations.",
            "r_precision leaves out users without a hit among the first R; its k, 10, is the policy's depth.",
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
            "With equal scores the higher item id is first, by number if it is one; dictionaries keep their order.",
            "An item twice in a user's truth counts twice in a data frame, once in Spark.",
            "RocAuc of a list with relevant items only is 1; in karat a list without pairs counts 0.",
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
        differs=("The rank column decides, including its gaps; no two items of a user may share a rank.",),
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
        differs=("The order of ties is that of torch.topk.",),
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
            "AveragePrecision divides by zero for a user without relevant items, which karat refuses.",
            "NDCG with ratings as gains, nDCG(gain=linear), is 0 for a user with negative ratings only, in karat NaN.",
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
            "MRR raises an error for a user without a hit.",
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
            "GAUC divides by the number of negatives plus 1.",
        ),
    ),
)

PROFILES = (*LEARNING, *RECOMMENDATION)
