"""Recommendations beyond accuracy: catalogue coverage and evenness, novelty, surprise and diversity."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from carob.measures.define import COUNTED, measure, one_of

if TYPE_CHECKING:
    from carob.lists.recommended import Recommended, Value
    from carob.lists.rows import Floats

LISTED = one_of("listed", "depth")
beyond = partial(measure, takes="recommendations")


# ---------------------------------------------------------------- the catalogue


@beyond("NumItems", values=COUNTED, source="RecTools' CatalogCoverage")
def number_of_items(r: Recommended) -> Value:
    """The number of different items in the lists of all users."""
    return float(r.shown.sum())


@beyond(
    "Coverage",
    needs=("catalogue",),
    values=COUNTED,
    source="Ge, Delgado-Battenfeld and Jannach 2010; RecTools, RePlay, recommenders",
)
def coverage(
    r: Recommended, of: str = one_of("catalogue", "train"), counting: str = one_of("inside", "all")
) -> Value:
    """The proportion of the items in the catalogue, or in the training data, that are recommended to at least one user.

    ``counting=inside`` counts only recommended items that belong to the catalogue or the training data (RePlay).
    ``counting=all`` counts every recommended item, so the value may exceed 1 (recommenders with ``of=train``; RecTools,
    RecBole).
    """
    base = r.base(of)
    return float((r.shown & base if counting == "inside" else r.shown).sum() / base.sum())


@beyond("Gini", needs=("catalogue",), source="Gini 1912; Shani and Gunawardana 2011; RecBole, Elliot")
def gini(
    r: Recommended,
    of: str = one_of("catalogue", "train", "recommended"),
    scale: str = one_of("n", "n-1"),
    better: str = one_of("low", "high"),
) -> Value:
    """The Gini coefficient of the numbers of recommendations per item.

    Gini is 0 if all items are recommended equally often, and near 1 if only one item is recommended. With the n numbers
    x in ascending order, Gini is the sum of (2i - n - 1) x_i divided by n times the sum of x (RecBole). ``scale=n-1``
    divides by n - 1 instead of n, so the maximum is 1. ``better=high`` gives 1 minus the coefficient (Elliot, with
    ``scale=n-1``). ``of`` selects the items that count. The value depends strongly on this choice.
    """
    counts = r.xp.sort(r.counts_in(of))
    n = len(counts)
    divisor = (n if scale == "n" else max(n - 1, 1)) * counts.sum()
    value = float(((2 * r.xp.arange(1, n + 1) - n - 1) * counts).sum() / divisor) if divisor else float("nan")
    return value if better == "low" else 1.0 - value


@beyond("Entropy", values=COUNTED, source="Shannon 1948; Shani and Gunawardana 2011; recommenders, RecBole")
def entropy(
    r: Recommended, unit: str = one_of("bits", "nats"), scale: str = one_of("none", "most", "items")
) -> Value:
    """The Shannon entropy of the distribution of recommendations over the items.

    ``scale=most`` divides by the entropy of recommendations that are spread evenly over the catalogue, so the maximum
    is 1. ``scale=items`` divides by the number of different recommended items (RecBole, with ``unit=nats``). The
    distributional coverage of the library recommenders is the entropy in bits, without a scale.
    """
    counts = r.counts[r.shown]
    share = counts / counts.sum()
    log = r.xp.log2 if unit == "bits" else r.xp.log
    value = float(-(share * log(share)).sum()) + 0.0
    if scale == "none":
        return value
    if scale == "items":
        return value / len(counts)
    most = float(log(float(len(r.counts_in("catalogue")))))
    return value / most if most else float("nan")


# ---------------------------------------------------------------- novelty


@beyond(
    "Novelty",
    needs=("train",),
    values=COUNTED,
    source="Zhou and others 2010; Castells, Vargas and Wang 2011; RecTools' MIUF, RePlay's Surprisal, recommenders",
)
def novelty(
    r: Recommended,
    of: str = one_of("users", "interactions"),
    scale: str = one_of("none", "most"),
    cold: str = one_of("one", "zero", "out"),
    mean: str = one_of("users", "recommendations"),
    over: str = LISTED,
) -> Value:
    """The mean of -log2(p) over recommended items; p is the proportion of users with the item in the training data.

    ``of=interactions`` uses the proportion of interactions instead (recommenders). ``scale=most`` divides by the value
    of an item that only one user interacted with (RePlay). ``cold`` sets the value of an item that does not occur in
    the training data. ``one`` counts the item as if one user had interacted with it (RecTools, RePlay), ``zero`` gives
    it the value 0 (recommenders), and ``out`` leaves it out. ``mean=recommendations`` averages over all
    recommendations, not over users (recommenders). ``over=depth`` divides by k even if a list is shorter (RePlay).
    """
    seen, everyone = r.times_seen(of)
    values = -r.xp.log2(r.xp.maximum(seen, 1.0) / everyone)
    if scale == "most" and everyone > 1:
        values = values / r.xp.log2(everyone)
    unknown = r.per_row(seen) == 0
    rows = r.xp.where(unknown & (cold == "zero"), 0.0, r.per_row(values))
    if cold == "out":
        r, rows = r.kept(~unknown), rows[~unknown]
    if mean == "recommendations":
        return float(rows.mean()) if len(rows) else float("nan")
    return r.per_user(rows, over)


@beyond(
    "Popularity",
    needs=("train",),
    values=COUNTED,
    source="Yin, Cui, Li, Yao and Chen 2012; RecTools' AvgRecPopularity, RecBole",
)
def popularity(
    r: Recommended,
    of: str = one_of("interactions", "users"),
    scale: str = one_of("count", "share", "log2"),
    over: str = LISTED,
) -> Value:
    """The mean number of interactions with the recommended items in the training data.

    The values are averaged over each list, then over users. ``of=users`` counts each user of an item only once.
    ``scale=share`` divides by the total number of interactions (RecTools' normalize) or users. ``scale=log2`` uses
    log2(1 + count). An item that does not occur in the training data counts as 0.
    """
    seen, everyone = r.times_seen(of)
    values = {"count": seen, "share": seen / everyone, "log2": r.xp.log2(1.0 + seen)}[scale]
    return r.per_user(r.per_row(values), over)


@beyond("Unseen", needs=("train",), source="RePlay's Novelty")
def unseen(r: Recommended, over: str = LISTED) -> Value:
    """The proportion of a user's recommended items with which the user has no interaction in the training data."""
    return r.per_user(1.0 - r.given("train").among(r.rows), over)


# ---------------------------------------------------------------- surprise


@beyond(
    "Unexpectedness",
    needs=("train",),
    source="Murakami, Mori and Orihara 2008; Adamopoulos and Tuzhilin 2014; RePlay",
)
def unexpectedness(r: Recommended, against: str = one_of("popular", "baseline"), over: str = LISTED) -> Value:
    """The proportion of a user's recommended items that a simpler recommender would not have recommended.

    With ``against=popular``, the simpler recommender recommends the k most frequent items in the training data, and any
    items tied with the last of them. With ``against=baseline``, its recommendations are the lists given as
    ``baseline``. With ``over=depth``, the missing items of a short list count as expected; RePlay counts them as
    unexpected.
    """
    return r.per_user(1.0 - r.expected(against), over)


@beyond(
    "Serendipity",
    needs=("relevant", "train"),
    source="Ge, Delgado-Battenfeld and Jannach 2010; RecTools; Zhang, Séaghdha, Quercia and Jambor 2012, recommenders",
)
def serendipity(
    r: Recommended,
    against: str = one_of("popular", "baseline", "popularity_rank", "history"),
    over: str = LISTED,
) -> Value:
    """The proportion of a user's recommended items that are both relevant and unexpected.

    ``against=popular`` and ``against=baseline`` have the same meaning as in Unexpectedness. ``against=popularity_rank``
    (RecTools) weights an item by max(p - p0, 0). Here p is (n + 1 - rank) / n, where n is the size of the catalogue and
    rank is the item's rank in the list. p0 is the same expression with the item's popularity rank. Equally popular
    items share a rank. For an item that does not occur in the training data, p0 is 0. ``against=history``
    (recommenders) weights an item by 1 minus its mean cosine with the user's items in the training data. The cosine of
    two items compares the sets of users who interacted with them.
    """
    hits = r.given("relevant").among(r.rows)
    if against == "popularity_rank":
        surprise = r.above_popularity()
    else:
        surprise = 1.0 - (r.history_similarity() if against == "history" else r.expected(against))
    return r.per_user(hits * surprise, over)


# ---------------------------------------------------------------- diversity


@beyond("Personalisation", source="Zhou and others 2010 (inter-user diversity); Evidently, recmetrics")
def personalisation(r: Recommended, similarity: str = one_of("cosine", "overlap")) -> Value:
    """1 minus the similarity of two users' lists, averaged over all pairs of users.

    Personalisation is 0 if all lists are equal. ``cosine`` divides the number of shared items by the square root of the
    product of the lengths of the two lists, as in the Evidently library. ``overlap`` divides the number of shared items
    by k. If all lists have k items, both values are equal. Users without recommendations are omitted. The sum over
    pairs is computed from sums over items, without a comparison of each pair.
    """
    users = int((r.length > 0).sum())
    if users < 2:
        return float("nan")
    lengths = r.length if similarity == "cosine" else r.length * 0.0 + r.longest
    weight = 1.0 / r.xp.sqrt(lengths[r.rows.user])
    alike = ((r.per_item(weight) ** 2).sum() - (weight**2).sum()) / 2.0
    return float(1.0 - alike / (users * (users - 1) / 2.0))


@beyond(
    "ILD",
    needs=("features",),
    values=COUNTED,
    source="Ziegler, McNee, Konstan and Lausen 2005 (intra-list similarity); RecTools, recommenders",
)
def intra_list_diversity(
    r: Recommended,
    by: str = one_of("features", "train"),
    distance: str = one_of("cosine", "hamming", "euclidean", "given"),
    single: str = one_of("out", "zero"),
) -> Value:
    """The mean distance between the items of a user's list, over all pairs of items.

    ``cosine`` is 1 minus the cosine of the two feature vectors. ``hamming`` is the number of features that differ
    (RecTools). ``euclidean`` is the Euclidean distance between the vectors. ``given`` uses the distances from the
    argument ``distances``. ``by=train`` uses the cosine between the sets of users who interacted with the two items
    (recommenders). A zero vector has similarity 0 to all other vectors. A list of one item has no pairs, so it is
    omitted or, with ``single=zero``, counts as 0 (RecTools).
    """
    total = r.distance_within_lists(by, distance)
    alone: Floats = r.xp.where((r.length == 1) & (single == "zero"), 0.0, float("nan"))
    values: Floats = r.xp.where(r.pairs > 0, total / r.xp.maximum(r.pairs, 1.0), alone)
    return values
