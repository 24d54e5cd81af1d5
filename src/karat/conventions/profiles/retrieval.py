"""Profiles of retrieval tools: trec_eval and its relatives, question answering, search engines, and five notes."""

from __future__ import annotations

from karat.conventions.policy import Policy
from karat.conventions.profiles.profile import Profile

__all__ = ["PROFILES"]

IN_ORDER = Policy(ties="input")
"""Results come in order; karat keeps the order of the run's lines where scores are equal."""

TREC_EVAL_9 = Policy(scores="float32", missing="skip")
ON_TREC_EVAL_9 = TREC_EVAL_9.changed(duplicates="last")
CUT_UP = {"IPrec": {"rounding": "up"}, "IPrecMean": {"rounding": "up"}}

TREC_TOOLS = (
    Profile(
        "trec_eval-10",
        "usnistgov/trec_eval v10.0 (f425365)",
        version="10.0",
        policy=Policy(missing="error"),
        differs=(
            "For a missing query trec_eval 10 stops with exit code 4; with -c it counts as 0 (missing=zero).",
            "gm_map adds ln 0.00001 for a missing query under -c; so does karat with missing=zero.",
            "rbp reads uninitialised memory for the scale of its gains; karat computes what its documentation says.",
        ),
    ),
    Profile(
        "trec_eval-9",
        "usnistgov/trec_eval v9.0.8",
        version="9.0.8",
        policy=TREC_EVAL_9,
        axes=CUT_UP,
        differs=("With -c, a missing query counts as 0 (missing=zero).",),
    ),
    Profile(
        "pytrec_eval",
        "pytrec_eval-terrier 0.5.11, dicts",
        version="0.5.11",
        policy=ON_TREC_EVAL_9,
        axes=CUT_UP,
        differs=(
            "It returns values per query, without a mean; a missing query has no value.",
            "A query with negative grades only may crash the process.",
        ),
    ),
    Profile(
        "ir_measures",
        "ir_measures 0.4.3: pytrec_eval, and an own provider for RR@k and Judged@k",
        version="0.4.3",
        policy=Policy(
            scores="float32",
            duplicates="last",
            by_measure={
                "RR@": {"ties": "ascending", "scores": "double"},
                "Judged": {"ties": "ascending", "scores": "double"},
                "RBP": {"ties": "input"},
            },
        ),
        names={"nDCG(dcg=exp-log2)": "nDCG(gain=exp2)", "SetR": "R", "NumRet(rel=1)": "NumRelRet"},
        axes={**CUT_UP, "RBP": {"p": 0.8, "max": "none"}},
        differs=(
            "NumQ counts the queries of the run, but means are taken over the judged queries.",
            "nDCG with a table of gains conflicts with nDCG@k in the same call.",
            "ERR and nDCG(dcg=exp-log2) run a Perl program that accepts grades up to 4 and prints 5 decimals.",
            "RBP without rel sums the grades, so values above 1 occur; with rel it is binary.",
        ),
    ),
    Profile(
        "ndeval",
        "TREC Web track's ndeval, in pyndeval 0.0.8",
        version="0.0.8",
        policy=Policy(ties="ascending", missing="skip", by_measure={"nNRBP": {"empty": "nan"}}),
        names={
            "ERR-IA": "ERRIA",
            "nERR-IA": "nERRIA",
            "alpha-DCG": "alphaDCG",
            "alpha-nDCG": "alphanDCG",
            "P-IA@": "PIA",
            "MAP-IA": "APIA",
            "strec": "SRecall",
        },
        measures=(
            "ERR-IA@20",
            "nERR-IA@20",
            "alpha-DCG@20",
            "alpha-nDCG@20",
            "NRBP",
            "nNRBP",
            "MAP-IA",
            "P-IA@20",
        ),
        digits=6,
        differs=(
            "Depths go up to 20. At depth 1, ERR-IA and alpha-DCG are not divided.",
            "With -c, a missing query counts as 0 (missing=zero); pyndeval leaves it out.",
        ),
    ),
    Profile(
        "ntcireval",
        "NTCIREVAL, by 400 official cells of Q@10 and nERR@10 of an NTCIR We Want Web task; read and not run",
        version="official results",
        policy=Policy(ties="input"),
        names={"Q-measure": "Q", "MSnDCG": "nDCG", "Hit": "Success"},
        axes={"Q@": {"over": "capped"}, "nERR": {"gain": "linear"}, "ERR": {"gain": "linear"}},
        measures=("MSnDCG@10", "Q@10", "nERR@10"),
        differs=(
            "The gain of each level is an option (-g 1:3); write gain={1:1,2:3} if gains differ from grades.",
            "The highest level satisfies gain / (gain + 1) of the users; give that level, as in nERR(max=3).",
            "Its judgments have grades L0, L1 …; remove the L.",
            "nDCG with a logarithm to base b, before MSnDCG, is nDCG(discount=jk(b)).",
        ),
    ),
    Profile(
        "ranx",
        "ranx 0.3.21",
        version="0.3.21",
        policy=Policy(
            ties="input",
            duplicates="last",
            missing="error",
            by_measure={"Bpref": {"negative": "nonrelevant"}},
        ),
        names={
            "hits": "NumRelRet",
            "hit_rate": "Success",
            "precision": "SetP",
            "precision@": "P",
            "recall": "R",
            "f1": "F",
            "r-precision": "Rprec",
            "bpref": "Bpref",
            "mrr": "RR",
            "map": "AP",
            "dcg": "DCG",
            "dcg_burges": "DCG(gain=exp2)",
            "ndcg": "nDCG",
            "ndcg_burges": "nDCG(gain=exp2)",
            "rbp.50": "RBP(p=0.5)",
            "rbp.80": "RBP(p=0.8)",
            "rbp.95": "RBP(p=0.95)",
        },
        axes={"RBP": {"max": "none"}},
        differs=(
            "In lists of 16 documents or more, the order of ties is that of Numba's unstable quicksort.",
            "A missing query is an error; with make_comparable=True it counts as 0 (missing=zero).",
            "hits is a mean over queries in ranx, a sum in karat.",
            "rbp sums the grades, RBP(max=none); fractions of grades are dropped.",
            "A suffix -l2 is rel=2; in nDCG, lower grades then have no gain: nDCG(gain=linear(2)).",
            "bpref divides by 0 if no document is judged nonrelevant.",
        ),
    ),
    Profile(
        "beir",
        "beir-cellar/beir ef83d29: pytrec_eval for nDCG, MAP, recall and P, own code for the others",
        version="ef83d29",
        policy=ON_TREC_EVAL_9.changed(
            by_measure={
                "RR": {"ties": "input", "missing": "zero", "scores": "double"},
                "Success": {"ties": "input", "missing": "zero", "scores": "double"},
                "Unjudged": {"ties": "input", "missing": "zero", "scores": "double"},
                "R(over=capped)": {
                    "ties": "input",
                    "missing": "zero",
                    "empty": "error",
                    "scores": "double",
                },
            }
        ),
        names={
            "NDCG": "nDCG",
            "MAP": "AP",
            "Recall": "R",
            "MRR": "RR",
            "R_cap": "R(over=capped)",
            "Hole": "Unjudged",
            "Accuracy": "Success",
        },
        axes=CUT_UP,
        measures=("NDCG@10", "MAP@10", "Recall@10", "P@10"),
        digits=5,
        differs=(
            "In Hole@k, a document that was judged for any query counts as judged.",
            "A document with the query's id is dropped unless ignore_identical_ids=False.",
            "R_cap divides by zero for a query without relevant documents.",
        ),
    ),
    Profile(
        "mteb",
        "embeddings-benchmark/mteb a905523",
        version="a905523",
        policy=ON_TREC_EVAL_9,
        names={
            "ndcg": "nDCG",
            "map": "AP",
            "recall": "R",
            "precision@": "P",
            "mrr": "RR",
            "r_cap": "R(over=capped)",
            "hole": "Unjudged",
        },
        axes=CUT_UP,
        measures=("ndcg@10", "map@10", "recall@10", "precision@10", "mrr@10"),
        digits=5,
        differs=(
            "In hole, a document that was judged for any query counts as judged.",
            "r_cap has no value for a query without relevant documents, which its mean leaves out.",
            "accuracy is recall@1.",
        ),
    ),
)

ANSWERING = (
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
            "Its means leave out undefined values, such as the precision of an empty list; in karat the mean is NaN.",
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
            "Before commit 1945bfb, the ideal ranking of ndcg had relevant documents only: nDCG(ideal=full).",
            "A depth is the number of documents that the retriever returns: the policy's axis depth.",
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
            "A depth is the number of documents that the retriever returns: the policy's axis depth.",
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
        differs=("A query without relevant and without retrieved documents scores 1.",),
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
        differs=("Its lists are cut at the largest requested depth.",),
    ),
)

EXPONENTIAL = {"nDCG": {"gain": "exp2"}, "DCG": {"gain": "exp2"}, "IDCG": {"gain": "exp2"}}

SEARCH_ENGINES = (
    Profile(
        "elasticsearch",
        "Elasticsearch _rank_eval, 7.x source and the 2026 documentation, read and not run",
        version="8",
        policy=IN_ORDER,
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
            "A perfect list has nDCG 1 even if it returns few of the relevant documents.",
            "ignore_unlabeled=true leaves unjudged documents out of precision only.",
            "The treatment of a request without relevant documents is not known.",
        ),
    ),
    Profile(
        "opensearch",
        "opensearch-project/search-relevance d8be5d1, read and not run",
        version="d8be5d1",
        policy=IN_ORDER,
        names={"Precision@": "P", "MAP": "AP", "NDCG": "nDCG", "Coverage": "Judged"},
        axes={**EXPONENTIAL, "P": {"over": "retrieved"}},
        measures=("Precision@10", "MAP@10", "NDCG@10"),
        digits=2,
        differs=(
            "Each query's value is rounded to 2 decimals before the mean is taken.",
            "Before PR #39 the ideal ranking had returned documents only: nDCG(ideal=retrieved).",
        ),
    ),
    Profile(
        "quepid",
        "o19s/quepid f80322f, its shipped scorers, read and not run",
        version="f80322f",
        policy=IN_ORDER.changed(by_measure={"AP": {"empty": "nan"}}),
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

FROM_THE_LIST = {"ideal": "retrieved"}
AUTHORS = {"discount": "jk(2)"}

NOTES = (
    Profile(
        "note-000",
        "the user's first note: MAP, CG, DCG and NDCG of two queries",
        names={"MAP": "AP", "NDCG": "nDCG"},
        axes={"AP": {"over": "retrieved"}, "nDCG": FROM_THE_LIST, "IDCG": FROM_THE_LIST},
        measures=("MAP", "CG", "DCG", "NDCG"),
        differs=("The note leaves 0.5 out of one sum: it prints 3.86 for 4.361353, and 0.81 for 0.915893.",),
    ),
    Profile(
        "note-001",
        "the user's second note: MAP, MRR, CG, DCG and NDCG, and why NDCGs differ",
        names={"MAP": "AP", "MRR": "RR", "NDCG": "nDCG"},
        axes={"nDCG": {"gain": "exp2"}, "IDCG": {"gain": "exp2"}, "DCG": {"gain": "exp2"}},
        measures=("MAP", "MRR", "CG", "DCG", "NDCG"),
        differs=(
            "Its title names AUC, without a formula.",
            "It prints 0.827 for 0.829613, from rounded sums.",
        ),
    ),
    Profile(
        "note-002",
        "the user's third note: MAP, R-precision, P@N, RR, CG, DCG, nCG and nDCG",
        names={"MAP": "AP", "MRR": "RR", "R-Precision": "Rprec", "NDCG": "nDCG", "NCG": "nCG"},
        axes={"nDCG": AUTHORS, "IDCG": AUTHORS, "DCG": AUTHORS},
        measures=("MAP", "R-Precision", "P@5", "RR", "CG", "DCG", "nCG", "nDCG"),
        differs=("Its vector of DCG lacks one entry.",),
    ),
    Profile(
        "note-003",
        "the user's fourth note: CG, DCG in two forms, and NDCG",
        names={
            "NDCG": "nDCG",
            "DCG-2": "DCG(gain=exp2,discount=log2)",
            "DCG-2-as-run": "DCG(gain=linear,discount=log2)",
        },
        axes={"nDCG": {**AUTHORS, **FROM_THE_LIST}, "IDCG": {**AUTHORS, **FROM_THE_LIST}, "DCG": AUTHORS},
        measures=("CG", "DCG", "DCG-2", "DCG-2-as-run", "NDCG"),
        differs=(
            "Its second form is written with 2^grade - 1 (DCG-2) but computed with the grade (DCG-2-as-run).",
        ),
    ),
    Profile(
        "note-004",
        "the user's fifth note: an experiment that scores a judged ranking",
        policy=Policy(negative="nonrelevant", missing="error"),
        names={"MAP": "AP", "MRR": "RR", "NDCG": "nDCG"},
        axes={
            "AP": {"over": "retrieved"},
            "nDCG": {**AUTHORS, **FROM_THE_LIST},
            "IDCG": {**AUTHORS, **FROM_THE_LIST},
            "DCG": AUTHORS,
        },
        measures=("MAP", "MRR", "NDCG"),
        digits=5,
        differs=("A query without relevant documents causes a division by zero; in karat it scores 0.",),
    ),
)

PROFILES = (*TREC_TOOLS, *ANSWERING, *SEARCH_ENGINES, *NOTES)
