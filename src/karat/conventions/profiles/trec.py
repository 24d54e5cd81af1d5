"""Profiles of tools that read TREC files: trec_eval, and what stands on it or beside it."""

from __future__ import annotations

from karat.conventions.policy import Policy
from karat.conventions.profiles.profile import Profile

__all__ = ["PROFILES"]

TREC_EVAL_9 = Policy(scores="float32", missing="skip")
ON_TREC_EVAL_9 = TREC_EVAL_9.changed(duplicates="last")
CUT_UP = {"IPrec": {"rounding": "up"}, "IPrecMean": {"rounding": "up"}}

PROFILES = (
    Profile(
        "trec_eval-10",
        "usnistgov/trec_eval v10.0 (f425365)",
        version="10.0",
        policy=Policy(missing="error"),
        differs=(
            "A missing query ends trec_eval 10 with exit code 4; -c counts it 0 (missing=zero).",
            "gm_map adds ln 0.00001 for a missing query under -c; so does karat with missing=zero.",
            "rbp reads uninitialised memory for the scale of its gains; karat does what its text means.",
        ),
    ),
    Profile(
        "trec_eval-9",
        "usnistgov/trec_eval v9.0.8",
        version="9.0.8",
        policy=TREC_EVAL_9,
        axes=CUT_UP,
        differs=("-c counts a missing query 0 (missing=zero).",),
    ),
    Profile(
        "pytrec_eval",
        "pytrec_eval-terrier 0.5.11, dicts",
        version="0.5.11",
        policy=ON_TREC_EVAL_9,
        axes=CUT_UP,
        differs=(
            "It returns values per query and no mean; a missing query is absent from them.",
            "A query with negative grades only may end the process.",
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
            "NumQ counts the queries of the run, while the means are taken over those of the judgments.",
            "nDCG with gains of its own collides with nDCG@k asked for in the same call.",
            "ERR and nDCG(dcg=exp-log2) run a Perl program that takes grades up to 4 and prints 5 decimals.",
            "RBP without rel adds the grades themselves, so values above 1 occur; with rel it is binary.",
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
            "It knows depths up to 20, and at depth 1 forgets to divide ERR-IA and alpha-DCG.",
            "-c counts a missing query 0 (missing=zero); pyndeval leaves it out of its result.",
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
            "The gain of each level is an argument of the program (-g 1:3): gain={1:1,2:3} where it is not the grade.",
            "A document at the highest level satisfies gain / (gain + 1) of the users: name that level, nERR(max=3).",
            "Its judgments say L0, L1 …: remove the L.",
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
            "In lists of 16 documents and more, ties stand as Numba's unstable quicksort leaves them.",
            "A missing query is an error; make_comparable=True counts it 0 (missing=zero).",
            "hits is a mean over queries there, a sum here.",
            "rbp adds the grades themselves, RBP(max=none); float grades are cut to whole numbers.",
            "A suffix -l2 is rel=2, in nDCG too, where lower grades then gain nothing: nDCG(gain=linear(2)).",
            "bpref divides by 0 where no document is judged nonrelevant.",
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
            "Hole@k takes a document for judged that was judged for any query.",
            "A document whose id is the query's is dropped unless ignore_identical_ids=False.",
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
            "hole takes a document for judged that was judged for any query.",
            "r_cap has no value for a query without relevant documents; its mean leaves it out.",
            "accuracy is recall@1.",
        ),
    ),
)
