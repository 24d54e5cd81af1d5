"""Profiles of the user's five notes, each of which computes the same names in its own way."""

from __future__ import annotations

from karat.conventions.policy import Policy
from karat.conventions.profiles.profile import Profile

__all__ = ["PROFILES"]

FROM_THE_LIST = {"ideal": "retrieved"}
AUTHORS = {"discount": "jk(2)"}

PROFILES = (
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
            "AUC stands in its title without a formula.",
            "It prints 0.827 for 0.829613, from sums rounded before.",
        ),
    ),
    Profile(
        "note-002",
        "the user's third note: MAP, R-precision, P@N, RR, CG, DCG, nCG and nDCG",
        names={"MAP": "AP", "MRR": "RR", "R-Precision": "Rprec", "NDCG": "nDCG", "NCG": "nCG"},
        axes={"nDCG": AUTHORS, "IDCG": AUTHORS, "DCG": AUTHORS},
        measures=("MAP", "R-Precision", "P@5", "RR", "CG", "DCG", "nCG", "nDCG"),
        differs=("Its vector of DCG has lost one entry.",),
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
        differs=("Its second form prints 2^grade - 1 and runs the grade itself: DCG-2 and DCG-2-as-run.",),
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
        differs=("A query without relevant documents divides by zero; here it scores 0.",),
    ),
)
