"""The table of known mistakes: what programs compute in place of a measure, each with its formula and its source.

A mistake is a formula of its own, written with the methods of ``Lists``. It receives the whole list and the list cut at
the depth, because several mistakes use both. What a tool computes by its documentation is a convention, which its
profile states, and not a mistake.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from carob._dataclasses import dataclass
from carob.measures.precision import average_precision, precision, recall, success
from carob.measures.user_models import (
    cumulated_gain,
    discounted_cumulated_gain,
    ideal_discounted_cumulated_gain,
    normalised_discounted_cumulated_gain,
    reciprocal_rank,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from carob.lists import Gain, Lists, Queries


@dataclass(frozen=True, eq=False, repr=False)
class Mistake:
    """A known mistake.

    Args:
        of: the measure that a program claims to compute.
        name: its name.
        sentence: what is computed instead.
        source: where it was found.
        formula: its value, from the whole list and from the list cut at the depth.
        common: how often it occurs, on the scale of the tools in ``common.toml``.
        same: carob's name for the same formula, if there is one.
        lists: the lists that a program sees: ``graded``; or, of a run alone, ``scored``, whose grades are the scores of
            the run, or ``by id``, in the order of document ids. With ``scored``, the formula receives the graded list
            and the scored list, both cut at the depth.
        over: the queries of a mean: ``all``, or those with a value above 0 (``found``).
    """

    of: str
    name: str
    sentence: str
    source: str
    formula: Callable[[Lists, Lists], Queries]
    common: float = 1.0
    same: str = ""
    lists: str = "graded"
    over: str = "all"


# ---------------------------------------------------------------- parts of the formulas


def dcg(k: Lists, gain: Gain = "linear", discount: str = "log2") -> Queries:
    """Returns the discounted gain of the first k documents."""
    return discounted_cumulated_gain(k, gain, discount)


def ideal(k: Lists, gain: Gain = "linear", of: str = "judged", discount: str = "log2") -> Queries:
    """Returns the discounted gain of the ideal ranking."""
    return ideal_discounted_cumulated_gain(k, gain, discount, of)


def ndcg(k: Lists, gain: Gain = "linear", discount: str = "log2", of: str = "judged") -> Queries:
    """Returns nDCG."""
    return normalised_discounted_cumulated_gain(k, gain, discount, of)


def late(k: Lists) -> Queries:
    """Returns DCG whose discount is log2(rank + 2): ranks from 1 in a formula for ranks from 0."""
    return k.total(k.gains("linear") / k.log2(k.rank + 2.0))


def early(k: Lists) -> Queries:
    """Returns DCG whose discount is log2(rank), and 1 at rank 1: ranks from 0 in a formula for ranks from 1."""
    return dcg(k, discount="log_rank(2)")


def early_ndcg(k: Lists) -> Queries:
    """Returns nDCG with the discount of ``early``."""
    return ndcg(k, discount="log_rank(2)")


def late_ndcg(k: Lists) -> Queries:
    """Returns nDCG with the discount of ``late``."""
    return k.ratio(late(k), late(k.ideal("linear", "judged")))


def from_the_end(r: Lists, k: Lists) -> Queries:
    """Returns nDCG of the list read from its end: ranks or distances passed as scores."""
    place = r.spread(r.length + 1.0) - r.rank
    within = r.at_least(r.spread(k.depth), place)
    return r.ratio(r.total(r.gains("linear") * within / r.log2(place + 1.0)), ideal(k))


def hits(k: Lists) -> Queries:
    """Returns the number of relevant documents."""
    return k.total(k.hits(1.0))


def precisions(k: Lists) -> Queries:
    """Returns the sum of the precisions at the ranks of the relevant documents."""
    return k.total(k.hits(1.0) * k.running(k.hits(1.0)) / k.rank)


def every_precision(k: Lists) -> Queries:
    """Returns the mean of the precisions at all ranks of the list."""
    beneath = k.reciprocals(k.rank, k.spread(k.length))
    return k.ratio(k.total(k.hits(1.0) * beneath), k.length)


def first(k: Lists) -> Queries:
    """Returns the rank of the first relevant document, or 0 without one."""
    rr = reciprocal_rank(k, 1.0, "first")
    return k.ratio(success(k, 1.0), rr)


def mean_rank(k: Lists) -> Queries:
    """Returns the mean rank of the relevant documents in the list."""
    return k.ratio(k.total(k.hits(1.0) * k.rank), hits(k))


def p_plus_r(k: Lists) -> Queries:
    """Returns the sum of precision and recall."""
    return precision(k, 1.0, "depth") + recall(k, 1.0, "relevant")


def f_of_list(k: Lists) -> Queries:
    """Returns F with recall 1 wherever anything was found."""
    p, found = precision(k, 1.0, "depth"), success(k, 1.0)
    return k.ratio(2.0 * p * found, p + found)


STANDARD: dict[str, Callable[[Lists, Lists], Queries]] = {
    "nDCG": lambda _, k: ndcg(k),
    "RR": lambda _, k: reciprocal_rank(k, 1.0, "first"),
    "AP": lambda _, k: average_precision(k, 1.0, "relevant"),
    "P": lambda _, k: precision(k, 1.0, "depth"),
    "R": lambda _, k: recall(k, 1.0, "relevant"),
}
"""The usual measures, for mistakes that leave the formula as it is."""


# ---------------------------------------------------------------- the table

RAPIDFIRE = "RapidFireAI/rapidfireai issue 261"
UNORDERED = "RapidFireAI/rapidfireai issue 259"
MEMORYBENCH = "supermemoryai/memorybench issue 67"
NOTES = "docs/notes.md"
LESSONS = "teaching material"

MISTAKES: tuple[Mistake, ...] = (
    # nDCG: the ideal ranking
    Mistake(
        "nDCG",
        "ideal of the list's top",
        "the ideal ranking sorts only the first k retrieved documents",
        f"{MEMORYBENCH}; {NOTES}, note-001",
        lambda _, k: ndcg(k, of="top"),
        5.0,
        "nDCG(ideal=top)",
    ),
    Mistake(
        "nDCG",
        "ideal of the list's top, 2^grade − 1",
        "the ideal ranking sorts only the first k retrieved documents, with the gain 2^grade − 1",
        f"{MEMORYBENCH}; {NOTES}, note-001",
        lambda _, k: ndcg(k, "exp2", of="top"),
        3.0,
        "nDCG(gain=exp2,ideal=top)",
    ),
    Mistake(
        "nDCG",
        "ideal of the list",
        "the ideal ranking sorts only the retrieved documents",
        f"OpenBMB/ToolBench issue 184; {NOTES}, note-000",
        lambda _, k: ndcg(k, of="retrieved"),
        4.0,
        "nDCG(ideal=retrieved)",
    ),
    Mistake(
        "nDCG",
        "binary over graded",
        "DCG has binary gains, but the ideal ranking has grades",
        RAPIDFIRE,
        lambda _, k: k.ratio(dcg(k, "binary"), ideal(k)),
        4.0,
    ),
    Mistake(
        "nDCG",
        "binary over threes",
        "DCG has binary gains, but the ideal ranking has a grade of 3 for each relevant document",
        RAPIDFIRE,
        lambda _, k: k.ratio(dcg(k, "binary"), 3.0 * ideal(k, "binary")),
        3.0,
    ),
    Mistake(
        "nDCG",
        "binary over k threes",
        "DCG has binary gains, but the ideal ranking has k documents of grade 3",
        RAPIDFIRE,
        lambda _, k: k.ratio(dcg(k, "binary"), 3.0 * ideal(k, "binary", "depth")),
        3.0,
    ),
    Mistake(
        "nDCG",
        "graded over binary",
        "DCG has graded gains, but the ideal ranking has binary ones, so values above 1 occur",
        RAPIDFIRE,
        lambda _, k: k.ratio(dcg(k), ideal(k, "binary")),
        2.0,
    ),
    Mistake(
        "nDCG",
        "2^grade − 1 over grade",
        "DCG has the gain 2^grade − 1, but the ideal ranking has the grade itself",
        LESSONS,
        lambda _, k: k.ratio(dcg(k, "exp2"), ideal(k)),
        2.0,
    ),
    Mistake(
        "nDCG",
        "grade over 2^grade − 1",
        "DCG has the grade itself as its gain, but the ideal ranking has 2^grade − 1",
        LESSONS,
        lambda _, k: k.ratio(dcg(k), ideal(k, "exp2")),
        2.0,
    ),
    # nDCG: the discount, the order
    Mistake(
        "nDCG",
        "read from the end",
        "the list is read from its end, as if ranks or distances were scores",
        "scikit-learn issue 27726",
        from_the_end,
        3.0,
    ),
    Mistake(
        "nDCG",
        "discount by rank",
        "gains are divided by the rank, not by its logarithm",
        LESSONS,
        lambda _, k: ndcg(k, discount="rank"),
        2.0,
        "nDCG(discount=rank)",
    ),
    Mistake(
        "nDCG",
        "no discount",
        "gains have no discount: this is nCG",
        LESSONS,
        lambda _, k: ndcg(k, discount="none"),
        2.0,
        "nCG",
    ),
    Mistake(
        "nDCG",
        "discount one rank late",
        "the discount is log2(rank + 2): a formula for ranks from 0, used with ranks from 1",
        "OpenAgentHQ/openagent-eval issue 223",
        lambda _, k: late_ndcg(k),
        2.0,
    ),
    Mistake(
        "nDCG",
        "discount one rank early",
        "the discount is log2(rank), and 1 at rank 1, so that the first two ranks count alike",
        "OpenAgentHQ/openagent-eval issue 223",
        lambda _, k: early_ndcg(k),
        3.0,
        "nDCG(discount=log_rank(2))",
    ),
    Mistake(
        "nDCG",
        "not normalised",
        "DCG is not divided by that of the ideal ranking",
        LESSONS,
        lambda _, k: dcg(k),
        3.0,
        "DCG",
    ),
    # DCG
    Mistake(
        "DCG",
        "discount by rank",
        "gains are divided by the rank, not by its logarithm",
        LESSONS,
        lambda _, k: dcg(k, discount="rank"),
        2.0,
        "DCG(discount=rank)",
    ),
    Mistake(
        "DCG",
        "no discount",
        "gains have no discount: this is CG",
        LESSONS,
        lambda _, k: cumulated_gain(k, "linear"),
        2.0,
        "CG",
    ),
    Mistake(
        "DCG",
        "natural logarithm",
        "the discount is the natural logarithm of rank + 1",
        "recommenders-team/recommenders issue 1749",
        lambda _, k: dcg(k, discount="ln"),
        2.0,
        "DCG(discount=ln)",
    ),
    Mistake(
        "DCG",
        "decimal logarithm",
        "the discount is the decimal logarithm of rank + 1",
        f"{NOTES}, note-001",
        lambda _, k: dcg(k, discount="log(10)"),
        1.0,
        "DCG(discount=log(10))",
    ),
    Mistake(
        "DCG",
        "discount one rank late",
        "the discount is log2(rank + 2): a formula for ranks from 0, used with ranks from 1",
        "OpenAgentHQ/openagent-eval issue 223",
        lambda _, k: late(k),
        2.0,
    ),
    Mistake(
        "DCG",
        "discount one rank early",
        "the discount is log2(rank), and 1 at rank 1",
        "OpenAgentHQ/openagent-eval issue 223",
        lambda _, k: early(k),
        3.0,
        "DCG(discount=log_rank(2))",
    ),
    # recall, precision, hit rate, F
    Mistake(
        "R",
        "hit rate",
        "1 if anything relevant was found: this is the hit rate",
        MEMORYBENCH,
        lambda _, k: success(k, 1.0),
        4.0,
        "Success",
    ),
    Mistake(
        "R",
        "of the list",
        "relevant documents that were not retrieved are left out of the divisor",
        MEMORYBENCH,
        lambda r, k: k.ratio(hits(k), hits(r)),
        3.0,
    ),
    Mistake(
        "R",
        "divided by k",
        "the divisor is k: this is precision",
        "benfred/implicit issue 412",
        lambda _, k: precision(k, 1.0, "depth"),
        3.0,
        "P",
    ),
    Mistake(
        "P",
        "divided by relevant",
        "the divisor is the number of relevant documents: this is recall",
        "benfred/implicit issue 412",
        lambda _, k: recall(k, 1.0, "relevant"),
        3.0,
        "R",
    ),
    Mistake(
        "P",
        "divided by the list",
        "the first k documents count, but the divisor is the length of the whole list",
        "run-llama/llama_index issue 22683",
        lambda r, k: k.ratio(hits(k), r.length),
        2.0,
    ),
    Mistake(
        "P",
        "sum of grades",
        "grades are summed and divided by k, so values above 1 occur",
        LESSONS,
        lambda _, k: k.ratio(cumulated_gain(k, "linear"), k.depth),
        2.0,
    ),
    Mistake(
        "Success",
        "recall",
        "the share of the relevant documents that were found: this is recall",
        LESSONS,
        lambda _, k: recall(k, 1.0, "relevant"),
        2.0,
        "R",
    ),
    Mistake(
        "Success",
        "divided by k",
        "the number of hits divided by k: this is precision",
        LESSONS,
        lambda _, k: precision(k, 1.0, "depth"),
        2.0,
        "P",
    ),
    Mistake(
        "F",
        "arithmetic mean",
        "the arithmetic mean of precision and recall, not the harmonic one",
        LESSONS,
        lambda _, k: p_plus_r(k) / 2.0,
        3.0,
    ),
    Mistake(
        "F",
        "recall is the hit rate",
        "recall is 1 wherever anything was found",
        MEMORYBENCH,
        lambda _, k: f_of_list(k),
        3.0,
    ),
    # reciprocal rank
    Mistake(
        "RR",
        "divided by the answers",
        "1 / the first rank is divided by the number of relevant documents",
        "Marker-Inc-Korea/AutoRAG pull request 390",
        lambda _, k: k.ratio(reciprocal_rank(k, 1.0, "first"), k.n_relevant(1.0)),
        3.0,
    ),
    Mistake(
        "RR",
        "mean over the answers",
        "1 / rank is summed over all relevant documents and divided by their number",
        "Marker-Inc-Korea/AutoRAG pull request 390",
        lambda _, k: k.ratio(k.total(k.hits(1.0) / k.rank), k.n_relevant(1.0)),
        3.0,
    ),
    Mistake(
        "RR",
        "sum over the answers",
        "1 / rank is summed over all relevant documents, so values above 1 occur",
        LESSONS,
        lambda _, k: k.total(k.hits(1.0) / k.rank),
        2.0,
    ),
    Mistake(
        "RR",
        "the rank itself",
        "the rank of the first relevant document, not 1 / rank",
        LESSONS,
        lambda _, k: first(k),
        2.0,
    ),
    Mistake(
        "RR",
        "of the mean rank",
        "1 / the mean rank of the relevant documents",
        "Sujit-O/pykg2vec issue 96",
        lambda _, k: k.ratio(success(k, 1.0), mean_rank(k)),
        2.0,
    ),
    Mistake(
        "RR",
        "mean rank",
        "the mean rank of the relevant documents, not 1 / rank",
        LESSONS,
        lambda _, k: mean_rank(k),
        1.0,
    ),
    Mistake(
        "RR",
        "one rank late",
        "ranks are counted from 1, and 1 is added once more: 1 / (rank + 1)",
        LESSONS,
        lambda _, k: k.ratio(success(k, 1.0), first(k) + 1.0),
        2.0,
    ),
    Mistake(
        "RR",
        "label-ranking average precision",
        "the mean precision at all relevant documents in the list: average precision",
        "Jyonn/Legommenders issue 19",
        lambda _, k: average_precision(k, 1.0, "retrieved"),
        1.0,
        "AP(over=retrieved)",
    ),
    # average precision
    Mistake(
        "AP",
        "divided by k",
        "the sum of the precisions is divided by k",
        "plasma-umass/DataDebug issue 46",
        lambda _, k: average_precision(k, 1.0, "depth"),
        3.0,
        "AP(over=depth)",
    ),
    Mistake(
        "AP",
        "divided by the list",
        "the sum of the precisions is divided by the length of the list",
        "plasma-umass/DataDebug issue 46",
        lambda _, k: k.ratio(precisions(k), k.length),
        2.0,
    ),
    Mistake(
        "AP",
        "divided by the hits",
        "relevant documents that were not retrieved are left out of the divisor",
        "run-llama/llama_index pull request 14217",
        lambda _, k: average_precision(k, 1.0, "retrieved"),
        4.0,
        "AP(over=retrieved)",
    ),
    Mistake(
        "AP",
        "divided by min(R, k)",
        "the divisor is at most k",
        "benhamner/Metrics pull request 54",
        lambda _, k: average_precision(k, 1.0, "capped"),
        4.0,
        "AP(over=capped)",
    ),
    Mistake(
        "AP",
        "every rank",
        "the mean of the precisions at all ranks, not only at those of relevant documents",
        LESSONS,
        lambda _, k: every_precision(k),
        3.0,
    ),
    Mistake(
        "AP",
        "not divided",
        "the sum of the precisions is not divided, so values above 1 occur",
        LESSONS,
        lambda _, k: precisions(k),
        1.0,
    ),
    # only a run shows these
    Mistake(
        "nDCG",
        "scores as gains",
        "the run's scores are used as gains, and the ideal ranking has the grades",
        LESSONS,
        lambda r, k: k.ratio(dcg(k), ideal(r)),
        3.0,
        lists="scored",
    ),
    Mistake(
        "DCG",
        "scores as gains",
        "the run's scores are used as gains",
        LESSONS,
        lambda _, k: dcg(k),
        3.0,
        lists="scored",
    ),
    *(
        Mistake(
            name,
            "order of ids",
            "the ranking went through a set and was sorted by id, so that its order is lost",
            UNORDERED,
            formula,
            3.0,
            lists="by id",
        )
        for name, formula in STANDARD.items()
    ),
    *(
        Mistake(
            name,
            "only queries with a hit",
            "queries whose value is 0 are left out of the mean",
            LESSONS,
            formula,
            3.0,
            over="found",
        )
        for name, formula in STANDARD.items()
    ),
)
"""Every known mistake."""
