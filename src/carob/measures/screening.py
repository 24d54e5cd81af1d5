"""Screening for systematic reviews: how many documents must be read to find enough relevant ones.

The documents of a review are the documents that were judged or retrieved. If the list never reaches the required
recall, every document of the review must be read, so cutting a list never improves its value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from carob.measures.define import COUNTED, REL, measure, number, one_of

if TYPE_CHECKING:
    from carob.lists import Lists, Queries

COLLECTION: Any = one_of("known", "larger", "number", number=number(1, 1))
"""The number of documents in each review: a given number, or the number known from the judgments and the list."""
LEVEL: Any = number(0.95, 0, 1, above=True, role="share")
SHARE_READ: Any = number(0.1, 0, 1, above=True, role="share")
SIZE: Any = number(100, 0, 1e6)
"""The number of documents that must be read even with a perfect list."""
COHEN = (
    "Cohen and others 2006; tar_eval.py of CLEF TAR for rounding=even; ASReview Insights for sampling=rounded"
)
CLEF = "Kanoulas and others 2017, CLEF TAR, tar_eval.py"


class Reading(NamedTuple):
    """The number of documents read until enough relevant ones are found.

    Args:
        read: the number of documents read. If the list has too few relevant documents, all documents of the review
            count as read.
        reached: 1 if the list has enough relevant documents, else 0.
    """

    read: Queries
    reached: Queries


def reading_until(r: Lists, needed: Queries, rel: float, documents: Queries) -> Reading:
    """Returns the number of documents read until ``needed`` relevant ones are found."""
    hits = r.hits(rel)
    found, wanted = r.running(hits), r.spread(needed)
    last = hits * r.at_least(found, wanted) * r.at_least(wanted, found)
    reached = r.total(last)
    return Reading(r.total(last * r.rank) + (1.0 - reached) * documents, reached)


@measure("WSS", values=(-1.0, 1.0), at="recall", source=COHEN)
def work_saved_over_sampling(
    r: Lists,
    recall: float = LEVEL,
    rel: float = REL,
    rounding: str = one_of("ceiling", "nearest", "even", "floor"),
    unreached: str = one_of("all", "zero"),
    sampling: str = one_of("expected", "rounded"),
    collection: float | str = COLLECTION,
) -> Queries:
    """The share of documents that need not be read to reach a recall, minus the share that random sampling would save.

    ``WSS@95%``, ``WSS@95`` and ``WSS@0.95`` are the same measure. With N documents in the review and the recall reached
    at rank n, WSS is (N - n) / N - (1 - recall). If the list never reaches the recall, n is N (``unreached=all``), so
    the value is at most 0. With ``unreached=zero``, the value is 0 in this case (tar_eval.py).

    N is the number of documents that were judged or retrieved (``collection=known``), the number judged or the number
    retrieved, whichever is larger (``collection=larger``, tar_eval.py), or a given number, which applies to every
    query. The recall times the number of relevant documents is rounded up (``ceiling``), down (``floor``), or to the
    nearest whole number, with halves rounded up (``nearest``) or to even (``even``, tar_eval.py). The result is at
    least 1. Instead of subtracting 1 - recall, ``sampling=rounded`` compares n with the rank at which ASReview Insights
    expects to find as many relevant documents in a random order.
    """
    documents, relevant = r.documents(collection), r.n_relevant(rel)
    needed = r.most(r.whole(recall * relevant, rounding), 1.0)
    reading = reading_until(r, needed, rel, documents)
    unread = r.ratio(documents - reading.read, documents)
    if sampling == "rounded":
        saved = r.ratio(rank_in_random_order(r, needed, relevant, documents) - reading.read, documents)
    else:
        saved = unread - (1.0 - recall)
    return {"all": saved, "zero": r.only(reading.reached, saved)}[unreached]


def rank_in_random_order(r: Lists, needed: Queries, relevant: Queries, documents: Queries) -> Queries:
    """Returns the rank at which a random order contains ``needed`` relevant documents, as in ASReview Insights.

    The number of relevant documents at the ranks from 1 to N is assumed to grow in equal steps from 0 to the total, and
    is rounded at each rank, with halves rounded to even.
    """
    step = r.ratio(relevant, documents - 1.0)
    half = needed - 0.5
    before = r.whole(r.ratio(half, step), "floor")
    there = r.exceeds(r.whole(before * step, "even"), half)
    return before + 2.0 - there


def relevant_documents_that_count(
    r: Lists, share: float, rel: float, rounding: str, mean: str, collection: float | str
) -> Queries | None:
    """Returns the weight of each query in ScreeningRecall: with ``mean=relevant``, its number of relevant documents."""
    del share, rounding, collection
    return None if mean == "queries" else r.n_relevant(rel)


@measure(
    "ScreeningRecall",
    at="share",
    weighs=relevant_documents_that_count,
    source=f"{CLEF} and tar_eval_2018.py",
)
def screening_recall(
    r: Lists,
    share: float = SHARE_READ,
    rel: float = REL,
    rounding: str = one_of("floor", "nearest", "even", "ceiling", "tenths"),
    mean: str = one_of("queries", "relevant"),
    collection: float | str = COLLECTION,
) -> Queries:
    """The share of all relevant documents that are found by reading a share of the review's documents.

    ``R@10%`` is the recall after a tenth of the review has been read. The size of the review is defined as in ``WSS``.
    Ranks beyond the end of the list count as nonrelevant documents. By default, the number of documents to read is
    rounded down. ``rounding=tenths`` rounds as tar_eval.py does: a step is a tenth of the judged documents, rounded
    down to a whole number, and the number of documents to read is the largest multiple of the step that is smaller than
    the share and at most the length of the list. ``mean=relevant`` weights each query by its number of relevant
    documents, as tar_eval.py does for all topics together.
    """
    del mean  # It affects only the weight of a query, not its value.
    if rounding == "tenths":
        documents = r.n_graded(0.0, float("inf"))
        tenth = r.whole(documents / 10.0, "floor")
        before = r.whole(r.ratio(share * documents, tenth), "ceiling") - 1.0
        read = tenth * r.least(before, r.whole(r.ratio(r.length, tenth), "floor"))
    else:
        read = r.whole(share * r.documents(collection), rounding)
    return r.ratio(r.total(r.hits(rel) * r.within(read)), r.n_relevant(rel))


@measure("LastRel", values=COUNTED, at="no", smaller_is_better=True, source=CLEF)
def last_relevant(
    r: Lists,
    rel: float = REL,
    of: str = one_of("rank", "share"),
    unreached: str = one_of("all", "found"),
    collection: float | str = COLLECTION,
) -> Queries:
    """The rank of the last relevant document: the number of documents that must be read to find all relevant ones.

    If a relevant document was not retrieved, every document of the review must be read (``unreached=all``). The size of
    the review is defined as in ``WSS``. With ``unreached=found``, LastRel is the rank of the last relevant document in
    the list, or 0 if there is none (tar_eval.py). ``of=share`` divides the rank by the size of the review.
    """
    documents, hits = r.documents(collection), r.hits(rel)
    if unreached == "found":
        read = r.best(hits * r.rank)
    else:
        read = reading_until(r, r.n_relevant(rel), rel, documents).read
    return {"rank": read, "share": r.ratio(read, documents)}[of]


@measure("RecallArea", at="no", source=f"{CLEF}, norm_area")
def recall_area(r: Lists, rel: float = REL, collection: float | str = COLLECTION) -> Queries:
    """The area under the curve of relevant documents found against documents read, divided by the maximum area.

    The curve ends at the last document of the review, whose size is defined as in ``WSS``. The curve rises linearly by
    1 at each relevant document. A relevant document that was not retrieved adds nothing. RecallArea is 0 for a query
    without relevant documents.
    """
    documents, relevant = r.documents(collection), r.n_relevant(rel)
    area = r.total(r.hits(rel) * (r.spread(documents) - r.rank + 0.5))
    return r.ratio(area, relevant * documents - relevant * relevant / 2.0)


@measure(
    "LossER",
    values=COUNTED,
    at="no",
    smaller_is_better=True,
    source="Cormack and Grossman 2015, TREC Total Recall",
)
def loss_of_effort_and_recall(
    r: Lists,
    rel: float = REL,
    of: str = one_of("both", "recall", "effort"),
    b: float = SIZE,
    collection: float | str = COLLECTION,
) -> Queries:
    """The loss in recall, (1 - R)^2, plus the loss in effort, (b / N)^2 * (n / (R + b))^2, where n documents were read.

    In the second term, N is the number of documents in the review, as in ``WSS``, R is the number of relevant
    documents, and n is the length of the list, because the whole list counts as read. ``of=recall`` and ``of=effort``
    return only the first or the second term, as loss_r and loss_e in tar_eval.py do.
    """
    documents, relevant = r.documents(collection), r.n_relevant(rel)
    missed = 1.0 - r.ratio(r.total(r.hits(rel)), relevant)
    effort = r.ratio(b * r.length, documents * (relevant + b))
    terms = {"recall": missed**2.0, "effort": effort**2.0}
    return terms["recall"] + terms["effort"] if of == "both" else terms[of]
