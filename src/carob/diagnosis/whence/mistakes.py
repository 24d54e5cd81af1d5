"""The known mistakes: what programs compute instead of a measure, each with its formula and its source.

A mistake is a separate formula, written with the methods of ``Lists``. It receives the whole list and the list cut at
the depth, because several mistakes use both. If a tool computes what it documents, this is not a mistake but a
convention, which the tool's profile states.
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
from carob.output.docstrings import docstring_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from carob.lists import Gain, Lists, Queries


@dataclass(frozen=True, eq=False, repr=False)
class Mistake:
    """A known mistake.

    Args:
        of: the measure that a program claims to compute.
        name: the name of the mistake.
        sentence: what the program computes instead.
        source: where the mistake was found.
        formula: a function that computes the wrong value from the whole list and the list cut at the depth.
        common: how common the mistake is, on the scale of the tools in ``common.toml``.
        same: carob's name for the same formula, or an empty text.
        lists: the lists that the program uses: ``graded``; or, only for a run, ``scored``, whose grades are the scores
            of the run, or ``by id``, sorted by document id. With ``scored``, the formula receives the graded list and
            the scored list, both cut at the depth.
        over: the queries over which a mean is computed: ``all``, or only queries with a value above 0 (``found``).
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


def mistake(
    of: str, name: str, source: str, common: float, same: str = "", lists: str = "graded"
) -> Callable[[Callable[[Lists, Lists], Queries]], Mistake]:
    """Creates a mistake from its formula, whose docstring says what the program computes instead."""

    def made(formula: Callable[[Lists, Lists], Queries]) -> Mistake:
        said = docstring_of(formula).removesuffix(".")
        sentence = said if said[:2].isupper() else said[:1].lower() + said[1:]
        return Mistake(of, name, sentence, source, formula, common, same, lists)

    return made


# ---------------------------------------------------------------- parts of the formulas


def dcg(k: Lists, gain: Gain = "linear", discount: str = "log2") -> Queries:
    """Returns the discounted gain of the first k documents."""
    return discounted_cumulated_gain(k, gain, discount)


def ideal(k: Lists, gain: Gain = "linear", of: str = "judged") -> Queries:
    """Returns the discounted gain of the ideal ranking."""
    return ideal_discounted_cumulated_gain(k, gain, "log2", of)


def ndcg(k: Lists, gain: Gain = "linear", discount: str = "log2", of: str = "judged") -> Queries:
    """Returns nDCG."""
    return normalised_discounted_cumulated_gain(k, gain, discount, of)


def late(k: Lists) -> Queries:
    """Returns DCG with the discount log2(rank + 2): a formula for ranks from 0, used with ranks from 1."""
    return k.total(k.gains("linear") / k.log2(k.rank + 2.0))


def hits(k: Lists) -> Queries:
    """Returns the number of relevant documents."""
    return k.total(k.hits(1.0))


def precisions(k: Lists) -> Queries:
    """Returns the sum of the precisions at the ranks of the relevant documents."""
    return k.total(k.hits(1.0) * k.running(k.hits(1.0)) / k.rank)


def first(k: Lists) -> Queries:
    """Returns the rank of the first relevant document, or 0 if there is none."""
    return k.ratio(success(k, 1.0), reciprocal_rank(k, 1.0, "first"))


def mean_rank(k: Lists) -> Queries:
    """Returns the mean rank of the relevant documents in the list."""
    return k.ratio(k.total(k.hits(1.0) * k.rank), hits(k))


STANDARD: dict[str, Callable[[Lists, Lists], Queries]] = {
    "nDCG": lambda _, k: ndcg(k),
    "RR": lambda _, k: reciprocal_rank(k, 1.0, "first"),
    "AP": lambda _, k: average_precision(k, 1.0, "relevant"),
    "P": lambda _, k: precision(k, 1.0, "depth"),
    "R": lambda _, k: recall(k, 1.0, "relevant"),
}
"""The usual measures, for mistakes that leave the formula as it is."""

RAPIDFIRE = "RapidFireAI/rapidfireai issue 261"
UNORDERED = "RapidFireAI/rapidfireai issue 259"
MEMORYBENCH = "supermemoryai/memorybench issue 67"
EVAL = "OpenAgentHQ/openagent-eval issue 223"
IMPLICIT = "benfred/implicit issue 412"
AUTORAG = "Marker-Inc-Korea/AutoRAG pull request 390"
DATADEBUG = "plasma-umass/DataDebug issue 46"
NOTES = "docs/notes.md"
LESSONS = "teaching material"


# ---------------------------------------------------------------- nDCG: the ideal ranking


@mistake("nDCG", "ideal of the list's top", f"{MEMORYBENCH}; {NOTES}, note-001", 5.0, "nDCG(ideal=top)")
def ideal_of_top(_: Lists, k: Lists) -> Queries:
    """The ideal ranking sorts only the first k retrieved documents."""
    return ndcg(k, of="top")


@mistake(
    "nDCG",
    "ideal of the list's top, 2^grade − 1",
    f"{MEMORYBENCH}; {NOTES}, note-001",
    3.0,
    "nDCG(gain=exp2,ideal=top)",
)
def exponential_ideal_of_top(_: Lists, k: Lists) -> Queries:
    """The ideal ranking sorts only the first k retrieved documents, with the gain 2^grade − 1."""
    return ndcg(k, "exp2", of="top")


@mistake(
    "nDCG",
    "ideal of the list",
    f"OpenBMB/ToolBench issue 184; {NOTES}, note-000",
    4.0,
    "nDCG(ideal=retrieved)",
)
def ideal_of_list(_: Lists, k: Lists) -> Queries:
    """The ideal ranking sorts only the retrieved documents."""
    return ndcg(k, of="retrieved")


@mistake("nDCG", "binary over graded", RAPIDFIRE, 4.0)
def binary_over_graded(_: Lists, k: Lists) -> Queries:
    """DCG has binary gains, but the ideal ranking has grades."""
    return k.ratio(dcg(k, "binary"), ideal(k))


@mistake("nDCG", "binary over threes", RAPIDFIRE, 3.0)
def binary_over_threes(_: Lists, k: Lists) -> Queries:
    """DCG has binary gains, but the ideal ranking has a grade of 3 for each relevant document."""
    return k.ratio(dcg(k, "binary"), 3.0 * ideal(k, "binary"))


@mistake("nDCG", "binary over k threes", RAPIDFIRE, 3.0)
def binary_over_k_threes(_: Lists, k: Lists) -> Queries:
    """DCG has binary gains, but the ideal ranking has k documents of grade 3."""
    return k.ratio(dcg(k, "binary"), 3.0 * ideal(k, "binary", "depth"))


@mistake("nDCG", "graded over binary", RAPIDFIRE, 2.0)
def graded_over_binary(_: Lists, k: Lists) -> Queries:
    """DCG has graded gains, but the ideal ranking has binary gains, so values above 1 occur."""
    return k.ratio(dcg(k), ideal(k, "binary"))


@mistake("nDCG", "2^grade − 1 over grade", LESSONS, 2.0)
def exponential_over_linear(_: Lists, k: Lists) -> Queries:
    """DCG has the gain 2^grade − 1, but the ideal ranking has the grade itself."""
    return k.ratio(dcg(k, "exp2"), ideal(k))


@mistake("nDCG", "grade over 2^grade − 1", LESSONS, 2.0)
def linear_over_exponential(_: Lists, k: Lists) -> Queries:
    """DCG has the grade itself as its gain, but the ideal ranking has 2^grade − 1."""
    return k.ratio(dcg(k), ideal(k, "exp2"))


# ---------------------------------------------------------------- nDCG: the discount, the order


@mistake("nDCG", "read from the end", "scikit-learn issue 27726", 3.0)
def read_from_the_end(r: Lists, k: Lists) -> Queries:
    """The list is read from its end, as if ranks or distances were scores."""
    place = r.spread(r.length + 1.0) - r.rank
    within = r.at_least(r.spread(k.depth), place)
    return r.ratio(r.total(r.gains("linear") * within / r.log2(place + 1.0)), ideal(k))


@mistake("nDCG", "discount by rank", LESSONS, 2.0, "nDCG(discount=rank)")
def ndcg_discounted_by_rank(_: Lists, k: Lists) -> Queries:
    """Gains are divided by the rank, not by its logarithm."""
    return ndcg(k, discount="rank")


@mistake("nDCG", "no discount", LESSONS, 2.0, "nCG")
def ndcg_without_discount(_: Lists, k: Lists) -> Queries:
    """Gains have no discount: this is nCG."""
    return ndcg(k, discount="none")


@mistake("nDCG", "discount one rank late", EVAL, 2.0)
def late_ndcg(_: Lists, k: Lists) -> Queries:
    """The discount is log2(rank + 2): a formula for ranks from 0, used with ranks from 1."""
    return k.ratio(late(k), late(k.ideal("linear", "judged")))


@mistake("nDCG", "discount one rank early", EVAL, 3.0, "nDCG(discount=log_rank(2))")
def early_ndcg(_: Lists, k: Lists) -> Queries:
    """The discount is log2(rank), and 1 at rank 1, so the first two ranks count equally."""
    return ndcg(k, discount="log_rank(2)")


@mistake("nDCG", "not normalised", LESSONS, 3.0, "DCG")
def not_normalised(_: Lists, k: Lists) -> Queries:
    """DCG is not divided by the DCG of the ideal ranking."""
    return dcg(k)


# ---------------------------------------------------------------- DCG


@mistake("DCG", "discount by rank", LESSONS, 2.0, "DCG(discount=rank)")
def dcg_discounted_by_rank(_: Lists, k: Lists) -> Queries:
    """Gains are divided by the rank, not by its logarithm."""
    return dcg(k, discount="rank")


@mistake("DCG", "no discount", LESSONS, 2.0, "CG")
def dcg_without_discount(_: Lists, k: Lists) -> Queries:
    """Gains have no discount: this is CG."""
    return cumulated_gain(k, "linear")


@mistake("DCG", "natural logarithm", "recommenders-team/recommenders issue 1749", 2.0, "DCG(discount=ln)")
def natural_logarithm(_: Lists, k: Lists) -> Queries:
    """The discount is the natural logarithm of rank + 1."""
    return dcg(k, discount="ln")


@mistake("DCG", "decimal logarithm", f"{NOTES}, note-001", 1.0, "DCG(discount=log(10))")
def decimal_logarithm(_: Lists, k: Lists) -> Queries:
    """The discount is the decimal logarithm of rank + 1."""
    return dcg(k, discount="log(10)")


@mistake("DCG", "discount one rank late", EVAL, 2.0)
def late_dcg(_: Lists, k: Lists) -> Queries:
    """The discount is log2(rank + 2): a formula for ranks from 0, used with ranks from 1."""
    return late(k)


@mistake("DCG", "discount one rank early", EVAL, 3.0, "DCG(discount=log_rank(2))")
def early_dcg(_: Lists, k: Lists) -> Queries:
    """The discount is log2(rank), and 1 at rank 1."""
    return dcg(k, discount="log_rank(2)")


# ---------------------------------------------------------------- recall, precision, hit rate, F


@mistake("R", "hit rate", MEMORYBENCH, 4.0, "Success")
def recall_as_hit_rate(_: Lists, k: Lists) -> Queries:
    """1 if any relevant document was found: this is the hit rate."""
    return success(k, 1.0)


@mistake("R", "of the list", MEMORYBENCH, 3.0)
def recall_of_list(r: Lists, k: Lists) -> Queries:
    """Relevant documents that were not retrieved are left out of the divisor."""
    return k.ratio(hits(k), hits(r))


@mistake("R", "divided by k", IMPLICIT, 3.0, "P")
def recall_by_depth(_: Lists, k: Lists) -> Queries:
    """The divisor is k: this is precision."""
    return precision(k, 1.0, "depth")


@mistake("P", "divided by relevant", IMPLICIT, 3.0, "R")
def precision_by_relevant(_: Lists, k: Lists) -> Queries:
    """The divisor is the number of relevant documents: this is recall."""
    return recall(k, 1.0, "relevant")


@mistake("P", "divided by the list", "run-llama/llama_index issue 22683", 2.0)
def precision_by_list(r: Lists, k: Lists) -> Queries:
    """The first k documents count, but the divisor is the length of the whole list."""
    return k.ratio(hits(k), r.length)


@mistake("P", "sum of grades", LESSONS, 2.0)
def precision_of_grades(_: Lists, k: Lists) -> Queries:
    """Grades are summed and divided by k, so values above 1 occur."""
    return k.ratio(cumulated_gain(k, "linear"), k.depth)


@mistake("Success", "recall", LESSONS, 2.0, "R")
def success_as_recall(_: Lists, k: Lists) -> Queries:
    """The share of the relevant documents that were found: this is recall."""
    return recall(k, 1.0, "relevant")


@mistake("Success", "divided by k", LESSONS, 2.0, "P")
def success_by_depth(_: Lists, k: Lists) -> Queries:
    """The number of hits divided by k: this is precision."""
    return precision(k, 1.0, "depth")


@mistake("F", "arithmetic mean", LESSONS, 3.0)
def arithmetic_mean(_: Lists, k: Lists) -> Queries:
    """The arithmetic mean of precision and recall, not the harmonic mean."""
    return (precision(k, 1.0, "depth") + recall(k, 1.0, "relevant")) / 2.0


@mistake("F", "recall is the hit rate", MEMORYBENCH, 3.0)
def f_with_hit_rate(_: Lists, k: Lists) -> Queries:
    """Recall is 1 if any relevant document was found."""
    p, found = precision(k, 1.0, "depth"), success(k, 1.0)
    return k.ratio(2.0 * p * found, p + found)


# ---------------------------------------------------------------- reciprocal rank


@mistake("RR", "divided by the answers", AUTORAG, 3.0)
def divided_by_answers(_: Lists, k: Lists) -> Queries:
    """1 / the first rank is divided by the number of relevant documents."""
    return k.ratio(reciprocal_rank(k, 1.0, "first"), k.n_relevant(1.0))


@mistake("RR", "mean over the answers", AUTORAG, 3.0)
def mean_over_answers(_: Lists, k: Lists) -> Queries:
    """1 / rank is summed over all relevant documents and divided by their number."""
    return k.ratio(k.total(k.hits(1.0) / k.rank), k.n_relevant(1.0))


@mistake("RR", "sum over the answers", LESSONS, 2.0)
def sum_over_answers(_: Lists, k: Lists) -> Queries:
    """1 / rank is summed over all relevant documents, so values above 1 occur."""
    return k.total(k.hits(1.0) / k.rank)


@mistake("RR", "the rank itself", LESSONS, 2.0)
def rank_itself(_: Lists, k: Lists) -> Queries:
    """The rank of the first relevant document, not 1 / rank."""
    return first(k)


@mistake("RR", "of the mean rank", "Sujit-O/pykg2vec issue 96", 2.0)
def reciprocal_of_mean_rank(_: Lists, k: Lists) -> Queries:
    """1 / the mean rank of the relevant documents."""
    return k.ratio(success(k, 1.0), mean_rank(k))


@mistake("RR", "mean rank", LESSONS, 1.0)
def mean_of_ranks(_: Lists, k: Lists) -> Queries:
    """The mean rank of the relevant documents, not 1 / rank."""
    return mean_rank(k)


@mistake("RR", "one rank late", LESSONS, 2.0)
def late_reciprocal_rank(_: Lists, k: Lists) -> Queries:
    """Ranks are counted from 1, and 1 is added once more: 1 / (rank + 1)."""
    return k.ratio(success(k, 1.0), first(k) + 1.0)


@mistake("RR", "label-ranking average precision", "Jyonn/Legommenders issue 19", 1.0, "AP(over=retrieved)")
def label_ranking_average_precision(_: Lists, k: Lists) -> Queries:
    """The mean precision at all relevant documents in the list: average precision."""
    return average_precision(k, 1.0, "retrieved")


# ---------------------------------------------------------------- average precision


@mistake("AP", "divided by k", DATADEBUG, 3.0, "AP(over=depth)")
def ap_by_depth(_: Lists, k: Lists) -> Queries:
    """The sum of the precisions is divided by k."""
    return average_precision(k, 1.0, "depth")


@mistake("AP", "divided by the list", DATADEBUG, 2.0)
def ap_by_list(_: Lists, k: Lists) -> Queries:
    """The sum of the precisions is divided by the length of the list."""
    return k.ratio(precisions(k), k.length)


@mistake("AP", "divided by the hits", "run-llama/llama_index pull request 14217", 4.0, "AP(over=retrieved)")
def ap_by_hits(_: Lists, k: Lists) -> Queries:
    """Relevant documents that were not retrieved are left out of the divisor."""
    return average_precision(k, 1.0, "retrieved")


@mistake("AP", "divided by min(R, k)", "benhamner/Metrics pull request 54", 4.0, "AP(over=capped)")
def ap_capped(_: Lists, k: Lists) -> Queries:
    """The divisor is at most k."""
    return average_precision(k, 1.0, "capped")


@mistake("AP", "every rank", LESSONS, 3.0)
def precision_at_every_rank(_: Lists, k: Lists) -> Queries:
    """The mean of the precisions at all ranks, not only at the ranks of relevant documents."""
    beneath = k.reciprocals(k.rank, k.spread(k.length))
    return k.ratio(k.total(k.hits(1.0) * beneath), k.length)


@mistake("AP", "not divided", LESSONS, 1.0)
def sum_of_precisions(_: Lists, k: Lists) -> Queries:
    """The sum of the precisions is not divided, so values above 1 occur."""
    return precisions(k)


# ---------------------------------------------------------------- mistakes that need a run


@mistake("nDCG", "scores as gains", LESSONS, 3.0, lists="scored")
def ndcg_of_scores(r: Lists, k: Lists) -> Queries:
    """The run's scores are used as gains, and the ideal ranking has the grades."""
    return k.ratio(dcg(k), ideal(r))


@mistake("DCG", "scores as gains", LESSONS, 3.0, lists="scored")
def dcg_of_scores(_: Lists, k: Lists) -> Queries:
    """The run's scores are used as gains."""
    return dcg(k)


UNSORTED = "the ranking was converted to a set and sorted by id, so its order is lost"
WITHOUT_ZEROS = "queries whose value is 0 are left out of the mean"
MISTAKES = (
    *(each for each in [*globals().values()] if isinstance(each, Mistake)),
    *(
        Mistake(of, "order of ids", UNSORTED, UNORDERED, formula, 3.0, lists="by id")
        for of, formula in STANDARD.items()
    ),
    *(
        Mistake(of, "only queries with a hit", WITHOUT_ZEROS, LESSONS, formula, 3.0, over="found")
        for of, formula in STANDARD.items()
    ),
)
"""Every known mistake."""
