"""How well known the recommended items are: to everyone, to the user, or to a simpler recommender."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from karat.evaluation.beyond_accuracy.define import OneOf, beyond, wanting
from karat.evaluation.beyond_accuracy.inputs import Pairs
from karat.evaluation.beyond_accuracy.likeness import history_similarity

if TYPE_CHECKING:
    from karat.evaluation.beyond_accuracy.define import Value
    from karat.evaluation.beyond_accuracy.inputs import Recommended
    from karat.lists.rows import Floats

__all__: list[str] = []

LISTED = OneOf("listed", "depth")


def times_seen(r: Recommended, of: str) -> tuple[Floats, float]:
    """How often each item occurs in train, and how often anything could: per user, or per interaction."""
    train: Pairs = wanting(r, "train", "It")
    if of == "users":
        train = train.once()
        everyone = float(len(np.unique(train.user)))
    else:
        everyone = float(len(train.user))
    return np.bincount(train.item, minlength=len(r.items)).astype(np.float64), everyone


@beyond(
    "Novelty",
    needs=("train",),
    of=OneOf("users", "interactions"),
    scale=OneOf("none", "most"),
    cold=OneOf("one", "zero", "out"),
    mean=OneOf("users", "recommendations"),
    over=LISTED,
    source="Zhou and others 2010; Castells, Vargas and Wang 2011; RecTools' MIUF, RePlay's Surprisal, recommenders",
)
def novelty(r: Recommended, of: str, scale: str, cold: str, mean: str, over: str) -> Value:
    """The mean self-information of the recommended items, -log2 of the share of train users who had them.

    ``of=interactions`` takes the share of all interactions (recommenders). ``scale=most`` divides by what an item
    of a single user has (RePlay). An item that train lacks (``cold``) counts as one user's (``one``: RecTools,
    RePlay), as 0 (``zero``: recommenders), or not at all (``out``). ``mean=recommendations`` is the mean over all
    recommendations, not over users (recommenders); ``over=depth`` divides by k where a list is shorter (RePlay).
    """
    seen, everyone = times_seen(r, of)
    values = -np.log2(np.maximum(seen, 1.0) / everyone)
    if scale == "most" and everyone > 1:
        values = values / np.log2(everyone)
    unknown = seen[r.rows.item] == 0
    rows = np.where(unknown & (cold == "zero"), 0.0, values[r.rows.item])
    if cold == "out":
        r = without(r, unknown)
        rows = rows[~unknown]
    if mean == "recommendations":
        return float(rows.mean()) if len(rows) else float("nan")
    return r.per_user(rows, over=over)


def without(r: Recommended, gone: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Recommended:
    """The recommendations without some rows."""
    return replace(r, rows=Pairs(r.rows.user[~gone], r.rows.item[~gone]), rank=r.rank[~gone])


@beyond(
    "Popularity",
    needs=("train",),
    of=OneOf("interactions", "users"),
    scale=OneOf("count", "share", "log2"),
    over=LISTED,
    source="Yin, Cui, Li, Yao and Chen 2012; RecTools' AvgRecPopularity, RecBole",
)
def popularity(r: Recommended, of: str, scale: str, over: str) -> Value:
    """The mean popularity of the recommended items: how often train has them, as a mean over each list, then users.

    ``of=users`` counts users, of whom each counts once. ``scale=share`` divides by all interactions (RecTools'
    normalize) or users; ``scale=log2`` is log2(1 + count). An item that train lacks has 0.
    """
    seen, everyone = times_seen(r, of)
    values = seen / everyone if scale == "share" else np.log2(1.0 + seen) if scale == "log2" else seen
    return r.per_user(values[r.rows.item], over=over)


@beyond("Unseen", needs=("train",), over=LISTED, source="RePlay's Novelty")
def unseen(r: Recommended, over: str) -> Value:
    """The share of a user's recommended items that train does not have for this user."""
    return r.per_user(1.0 - wanting(r, "train", "Unseen").among(r.rows), over=over)


# ---------------------------------------------------------------- surprise


def popular(r: Recommended) -> Floats:
    """1 for the items that train has most often, as many as were asked for and all that equal the last, else 0."""
    seen, _ = times_seen(r, "interactions")
    asked = min(int(r.depth or r.length.max(initial=0.0)), len(seen))
    if not asked:
        return np.zeros(len(seen))
    least = np.partition(seen, len(seen) - asked)[len(seen) - asked]
    mask: Floats = ((seen >= least) & (seen > 0)).astype(np.float64)
    return mask


def expected(r: Recommended, against: str, name: str) -> Floats:
    """1 for each recommendation that the simpler recommender makes too, else 0."""
    if against == "popular":
        wanting(r, "train", f"{name}(against=popular)")
        return popular(r)[r.rows.item]
    baseline: Recommended = wanting(r, "baseline", f"{name}(against=baseline)")
    return baseline.rows.among(r.rows)


AGAINST = OneOf("popular", "baseline")


@beyond(
    "Unexpectedness",
    against=AGAINST,
    over=LISTED,
    source="Murakami, Mori and Orihara 2008; Adamopoulos and Tuzhilin 2014; RePlay",
)
def unexpectedness(r: Recommended, against: str, over: str) -> Value:
    """The share of a user's items that a simpler recommender does not have in its list of the same depth.

    ``against=popular`` takes the k items that train has most often, the same for everybody, and all that equal the
    last of them; ``against=baseline`` takes the lists given as ``baseline``. ``over=depth`` counts missing items of a
    short list as expected; RePlay counts them as unexpected.
    """
    return r.per_user(1.0 - expected(r, against, "Unexpectedness"), over=over)


@beyond(
    "Serendipity",
    needs=("relevant",),
    against=OneOf("popular", "baseline", "popularity_rank", "history"),
    over=LISTED,
    source="Ge, Delgado-Battenfeld and Jannach 2010; RecTools; Zhang, Séaghdha, Quercia and Jambor 2012, recommenders",
)
def serendipity(r: Recommended, against: str, over: str) -> Value:
    """The share of a user's items that are both relevant and unexpected.

    ``against=popular`` and ``baseline`` are those of Unexpectedness. ``against=popularity_rank`` (RecTools) weighs
    by max(p - p0, 0), where p = (n + 1 - rank) / n and p0 the same of the item's popularity rank (equally popular
    items share one, an item that train lacks has p0 = 0), n being the items of the catalogue. ``against=history``
    (recommenders) weighs by 1 less the mean cosine of the item to those that the user had, by who had both.
    """
    hits = wanting(r, "relevant", "Serendipity").among(r.rows)
    if against == "popularity_rank":
        surprise = above_popularity(r)
    elif against == "history":
        wanting(r, "train", "Serendipity(against=history)")
        surprise = 1.0 - history_similarity(r)
    else:
        surprise = 1.0 - expected(r, against, "Serendipity")
    return r.per_user(hits * surprise, over=over)


def above_popularity(r: Recommended) -> Floats:
    """How much higher each item stands in its list than by its popularity, as RecTools has it."""
    name = "Serendipity(against=popularity_rank)"
    wanting(r, "train", name)
    n = float(wanting(r, "catalogue", name).sum())
    seen, _ = times_seen(r, "interactions")
    levels = np.unique(seen[seen > 0])[::-1]
    place = len(levels) - np.searchsorted(levels[::-1], seen)
    by_popularity = np.where(seen > 0, (n + 1.0 - place) / n, 0.0)
    weight: Floats = np.maximum((n + 1.0 - r.rank) / n - by_popularity[r.rows.item], 0.0)
    return weight
