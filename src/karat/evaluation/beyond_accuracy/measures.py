"""Formulas of the measures beyond accuracy: coverage and evenness of the catalogue, novelty, surprise, diversity."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from karat.evaluation.beyond_accuracy.inputs import Pairs
from karat.measures.define import one_of, parameters_of
from karat.measures.grammar import parts_of_name
from karat.measures.names import check_parameter
from karat.output.errors import DataError, MeasureError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from karat.evaluation.beyond_accuracy.inputs import Recommended
    from karat.lists.rows import Floats

__all__ = ["BEYOND", "BeyondMeasure", "Value", "beyond", "parse", "wanting"]


Value: TypeAlias = "float | Floats"
"""One number for all recommendations together, or one per user."""


@dataclass(frozen=True, eq=False, repr=False)
class Entry:
    """A registered measure.

    Args:
        name: what users call it.
        formula: from recommendations to a number, or to one per user.
        parameters: its conventions.
        needs: further inputs that it always needs.
        source: where it comes from.
    """

    name: str
    formula: Callable[..., Value]
    parameters: dict[str, Any]
    needs: tuple[str, ...]
    source: str

    @property
    def sentence(self) -> str:
        """The first line of the formula's docstring."""
        return (self.formula.__doc__ or "").strip().splitlines()[0]


BEYOND: dict[str, Entry] = {}
"""Every measure by name, in reading order."""


def beyond(
    name: str, *, needs: tuple[str, ...] = (), source: str
) -> Callable[[Callable[..., Value]], Callable[..., Value]]:
    """Register a formula: its first argument is the recommendations, the others are its parameters with defaults."""

    def enrol(formula: Callable[..., Value]) -> Callable[..., Value]:
        BEYOND[name] = Entry(name, formula, parameters_of(name, formula), needs, source)
        return formula

    return enrol


@dataclass(frozen=True)
class BeyondMeasure:
    """A measure with its conventions and depth.

    Args:
        name: of the register.
        parameters: every parameter with its value.
        depth: the number of items of each list; None for all.
    """

    name: str
    parameters: tuple[tuple[str, str], ...] = field(default=())
    depth: int | None = None

    @property
    def entry(self) -> Entry:
        """The registered measure."""
        return BEYOND[self.name]

    def __call__(self, given: Recommended) -> Value:
        """Its value.

        Raises:
            DataError: an input that the measure needs was not given.
        """
        for what in self.entry.needs:
            wanting(given, what, str(self))
        return self.entry.formula(given.top(self.depth), **dict(self.parameters))

    @property
    def full(self) -> str:
        """The name with every convention written out."""
        return self.named(self.parameters)

    @property
    def at(self) -> str:
        """The ``@`` and the depth."""
        return "" if self.depth is None else f"@{self.depth}"

    def __str__(self) -> str:
        """Returns the name without default parameters."""
        defaults = self.entry.parameters
        return self.named(tuple(each for each in self.parameters if each[1] != defaults[each[0]].default))

    def named(self, parameters: tuple[tuple[str, str], ...]) -> str:
        """Returns the name with some parameters."""
        inside = ", ".join(f"{key}={value}" for key, value in parameters)
        return f"{self.name}{f'({inside})' if inside else ''}{self.at}"


def wanting(given: Recommended, what: str, name: str) -> Any:
    """Returns an additional input by name.

    Raises:
        DataError: the input was not given.
    """
    found = getattr(given, what)
    if found is None or (not isinstance(found, np.ndarray) and what == "train" and not len(found.user)):
        raise DataError(f"{name} needs {what}: give {what}=.")
    return found


def parse(name: str, depth: int | None) -> BeyondMeasure:
    """Parses the name of one measure. ``depth`` applies if the name has no ``@``.

    Raises:
        MeasureError: there is no such name, parameter or value.
    """
    word, given, at = parts_of_name(name)
    if word not in BEYOND:
        hint = did_you_mean(word, BEYOND, f"There are: {', '.join(BEYOND)}.")
        raise MeasureError(f"There is no measure '{word}' beyond accuracy. {hint}")
    entry = BEYOND[word]
    for key, value in given.items():
        check_parameter(word, entry.parameters, key, value)
    if at is not None and not (at.isdecimal() and int(at) > 0):
        raise MeasureError(f"'{name}': a depth is a whole number of at least 1, not '{at}'.")
    values = tuple((key, given.get(key, each.default)) for key, each in entry.parameters.items())
    return BeyondMeasure(word, values, depth if at is None else int(at))


# ---------------------------------------------------------------- the catalogue


def base_of(r: Recommended, base: str, name: str) -> NDArray[np.bool_]:
    """Returns a mask of the items that count: those in the catalogue, in train, or in any recommendation.

    Raises:
        DataError: the base was not given, or is empty.
    """
    found: NDArray[np.bool_]
    if base == "recommended":
        found = r.counts > 0
    elif base == "train":
        found = np.isin(np.arange(len(r.items)), wanting(r, "train", f"{name}(of=train)").item)
    else:
        found = wanting(r, "catalogue", f"{name}(of=catalogue)")
    if not found.any():
        raise DataError(f"{name}: there are no items in the base ({base}).")
    return found


def counts_in(r: Recommended, base: str, name: str) -> Floats:
    """Returns the number of users to whom each item of the base is recommended.

    Raises:
        DataError: the base lacks a recommended item.
    """
    inside = base_of(r, base, name)
    stray = np.flatnonzero((r.counts > 0) & ~inside)
    if len(stray):
        raise DataError(
            f"{name}(of={base}): {len(stray)} recommended items are not in the {base}, {r.items[stray[0]]!r} first. "
            "Complete it, or choose another base."
        )
    return r.counts[inside]


@beyond("NumItems", source="RecTools' CatalogCoverage")
def number_of_items(r: Recommended) -> float:
    """The number of different items that are recommended to any user."""
    return float((r.counts > 0).sum())


@beyond("Coverage", source="Ge, Delgado-Battenfeld and Jannach 2010; RecTools, RePlay, recommenders")
def coverage(
    r: Recommended, of: str = one_of("catalogue", "train"), counting: str = one_of("inside", "all")
) -> float:
    """The proportion of the items in the catalogue, or in train, that are recommended to any user.

    ``counting=inside`` counts the recommended items that belong to the base (RePlay). ``counting=all`` counts every
    recommended item, so the value may exceed 1 (recommenders with ``of=train``; RecTools, RecBole).
    """
    base, shown = base_of(r, of, "Coverage"), r.counts > 0
    return float((shown & base if counting == "inside" else shown).sum() / base.sum())


@beyond("Gini", source="Gini 1912; Shani and Gunawardana 2011; RecBole, Elliot")
def gini(
    r: Recommended,
    of: str = one_of("catalogue", "train", "recommended"),
    scale: str = one_of("n", "n-1"),
    better: str = one_of("low", "high"),
) -> float:
    """The Gini coefficient of the numbers of recommendations per item: 0 if all are equal, near 1 if one item has all.

    With the counts x in ascending order, it is the sum of (2i - n - 1) x_i over n times the sum of x (RecBole).
    ``scale=n-1`` divides by n - 1, so that the maximum is 1; ``better=high`` is 1 minus the value (Elliot, with
    ``scale=n-1``). ``of`` selects the items that count; the value depends strongly on this choice.
    """
    counts = np.sort(counts_in(r, of, "Gini"))
    n = len(counts)
    divisor = (n if scale == "n" else max(n - 1, 1)) * counts.sum()
    value = float(((2 * np.arange(1, n + 1) - n - 1) * counts).sum() / divisor) if divisor else float("nan")
    return value if better == "low" else 1.0 - value


@beyond("Entropy", source="Shannon 1948; Shani and Gunawardana 2011; recommenders, RecBole")
def entropy(
    r: Recommended, unit: str = one_of("bits", "nats"), scale: str = one_of("none", "most", "items")
) -> float:
    """The Shannon entropy of the distribution of recommendations over the items.

    ``scale=most`` divides by the entropy of uniform recommendations of the catalogue, so that the maximum is 1.
    ``scale=items`` divides by the number of different recommended items (RecBole, with ``unit=nats``).
    recommenders' distributional coverage is the entropy in bits, without a scale.
    """
    counts = r.counts[r.counts > 0]
    share = counts / counts.sum()
    log = np.log2 if unit == "bits" else np.log
    value = float(-(share * log(share)).sum()) + 0.0
    if scale == "none":
        return value
    if scale == "items":
        return value / len(counts)
    most = float(log(float(len(counts_in(r, "catalogue", "Entropy")))))
    return value / most if most else float("nan")


# ---------------------------------------------------------------- novelty


LISTED = one_of("listed", "depth")


def times_seen(r: Recommended, of: str) -> tuple[Floats, float]:
    """Returns how often each item occurs in train, and the number of users or interactions."""
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
    """The mean self-information of the recommended items: -log2 of the proportion of train users who had them.

    ``of=interactions`` uses the proportion of interactions instead (recommenders). ``scale=most`` divides by the
    value of an item with a single user (RePlay). ``cold`` decides how an item that does not occur in the training
    data counts: as an item of one user (``one``: RecTools, RePlay), as 0 (``zero``: recommenders), or not at all
    (``out``). ``mean=recommendations`` averages over all recommendations, not over users (recommenders).
    ``over=depth`` divides by k even if a list is shorter (RePlay).
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
    """Returns the recommendations without some rows."""
    return replace(r, rows=Pairs(r.rows.user[~gone], r.rows.item[~gone]), rank=r.rank[~gone])


@beyond(
    "Popularity",
    needs=("train",),
    source="Yin, Cui, Li, Yao and Chen 2012; RecTools' AvgRecPopularity, RecBole",
)
def popularity(
    r: Recommended,
    of: str = one_of("interactions", "users"),
    scale: str = one_of("count", "share", "log2"),
    over: str = LISTED,
) -> Value:
    """The mean popularity of the recommended items: their numbers of interactions in train.

    The mean is taken over each list, then over users. ``of=users`` counts each user once. ``scale=share`` divides by
    the number of all interactions (RecTools' normalize) or users; ``scale=log2`` is log2(1 + count). An item that
    does not occur in the training data counts as 0.
    """
    seen, everyone = times_seen(r, of)
    values = seen / everyone if scale == "share" else np.log2(1.0 + seen) if scale == "log2" else seen
    return r.per_user(values[r.rows.item], over=over)


@beyond("Unseen", needs=("train",), source="RePlay's Novelty")
def unseen(r: Recommended, over: str = LISTED) -> Value:
    """The proportion of a user's recommended items that are not in this user's train items."""
    return r.per_user(1.0 - wanting(r, "train", "Unseen").among(r.rows), over=over)


# ---------------------------------------------------------------- surprise


def popular(r: Recommended) -> Floats:
    """Returns 1 for the ``depth`` most frequent items in the training data and those tied with the last, else 0."""
    seen, _ = times_seen(r, "interactions")
    asked = min(int(r.depth or r.length.max(initial=0.0)), len(seen))
    if not asked:
        return np.zeros(len(seen))
    least = np.partition(seen, len(seen) - asked)[len(seen) - asked]
    mask: Floats = ((seen >= least) & (seen > 0)).astype(np.float64)
    return mask


def expected(r: Recommended, against: str, name: str) -> Floats:
    """Returns 1 for each recommendation that the simpler recommender also makes, else 0."""
    if against == "popular":
        wanting(r, "train", f"{name}(against=popular)")
        return popular(r)[r.rows.item]
    baseline: Recommended = wanting(r, "baseline", f"{name}(against=baseline)")
    return baseline.rows.among(r.rows)


AGAINST = one_of("popular", "baseline")


@beyond("Unexpectedness", source="Murakami, Mori and Orihara 2008; Adamopoulos and Tuzhilin 2014; RePlay")
def unexpectedness(r: Recommended, against: str = AGAINST, over: str = LISTED) -> Value:
    """The proportion of a user's items that a simpler recommender does not have in its list of the same depth.

    ``against=popular`` recommends the k most frequent items in the training data to everybody, including all that
    tie with the last. ``against=baseline`` uses the lists given as ``baseline``. With ``over=depth``, the missing
    items of a short list count as expected; RePlay counts them as unexpected.
    """
    return r.per_user(1.0 - expected(r, against, "Unexpectedness"), over=over)


@beyond(
    "Serendipity",
    needs=("relevant",),
    source="Ge, Delgado-Battenfeld and Jannach 2010; RecTools; Zhang, Séaghdha, Quercia and Jambor 2012, recommenders",
)
def serendipity(
    r: Recommended,
    against: str = one_of("popular", "baseline", "popularity_rank", "history"),
    over: str = LISTED,
) -> Value:
    """The proportion of a user's items that are both relevant and unexpected.

    ``against=popular`` and ``against=baseline`` are as in Unexpectedness. ``against=popularity_rank`` (RecTools)
    weights an item by max(p - p0, 0), where p = (n + 1 - rank) / n, n is the size of the catalogue, and p0 is the same
    formula with the item's popularity rank. Equally popular items share a rank; p0 is 0 for an item not in train.
    ``against=history`` (recommenders) weights an item by 1 minus its mean cosine with the user's train items; the
    cosine compares the users who had each item.
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
    """Returns how much higher each item ranks in its list than by popularity, as in RecTools."""
    name = "Serendipity(against=popularity_rank)"
    wanting(r, "train", name)
    n = float(wanting(r, "catalogue", name).sum())
    seen, _ = times_seen(r, "interactions")
    levels = np.unique(seen[seen > 0])[::-1]
    place = len(levels) - np.searchsorted(levels[::-1], seen)
    by_popularity = np.where(seen > 0, (n + 1.0 - place) / n, 0.0)
    weight: Floats = np.maximum((n + 1.0 - r.rank) / n - by_popularity[r.rows.item], 0.0)
    return weight


# ---------------------------------------------------------------- diversity


NUMBERS_AT_A_TIME = 2**22


@beyond("Personalisation", source="Zhou and others 2010 (inter-user diversity); Evidently, recmetrics")
def personalisation(r: Recommended, similarity: str = one_of("cosine", "overlap")) -> float:
    """1 minus the mean similarity of two users' lists, over all pairs of users: 0 if all lists are equal.

    ``cosine`` divides the number of shared items by the root of the product of the lengths (Evidently); ``overlap``
    divides it by k. If all lists have k items, the two are equal. Users without recommendations are omitted.
    The sum over pairs is computed from sums over items, so no pair is compared.
    """
    length = r.length
    users = int((length > 0).sum())
    if users < 2:
        return float("nan")
    asked = float(r.depth or length.max())
    weight = 1.0 / np.sqrt(
        length[r.rows.user] if similarity == "cosine" else np.full(len(r.rows.user), asked)
    )
    sums = np.bincount(r.rows.item, weight, len(r.items))
    alike = ((sums**2).sum() - (weight**2).sum()) / 2.0
    return float(1.0 - alike / (users * (users - 1) / 2.0))


@beyond(
    "ILD", source="Ziegler, McNee, Konstan and Lausen 2005 (intra-list similarity); RecTools, recommenders"
)
def intra_list_diversity(
    r: Recommended,
    by: str = one_of("features", "train"),
    distance: str = one_of("cosine", "hamming", "euclidean", "given"),
    single: str = one_of("out", "zero"),
) -> Value:
    """The mean distance between two items of a user's list, over all pairs of its items.

    ``cosine`` is 1 minus the cosine of the two feature vectors, ``hamming`` the number of features that differ
    (RecTools), ``euclidean`` the length of their difference, ``given`` the matrix given as ``distances``.
    ``by=train`` uses the cosine between the users who had the two items (recommenders). A vector of zeros has
    similarity 0 to all others. A list of one item has no pair: it is omitted, or counts as 0 with ``single=zero``
    (RecTools).
    """
    if by == "train":
        if distance != "cosine":
            raise DataError("ILD(by=train) knows the cosine only: leave out distance.")
        wanting(r, "train", "ILD(by=train)")
        sums, self_alike = sums_of_histories(r)
        total = pairs_of(r) - (sums - self_alike) / 2.0
    elif distance == "given":
        total = given_distances(r)
    else:
        wanting(r, "features", "ILD")
        total = cosines(r) if distance == "cosine" else distances(r, distance)
    pairs = pairs_of(r)
    with np.errstate(invalid="ignore", divide="ignore"):
        values = np.where(pairs > 0, total / pairs, np.nan)
    values = np.where((r.length == 1) & (single == "zero"), 0.0, values)
    return np.asarray(values, np.float64)


def pairs_of(r: Recommended) -> Floats:
    """Returns the number of item pairs in each list."""
    return r.length * (r.length - 1.0) / 2.0


def vectors_of(r: Recommended) -> Floats:
    """Returns the features of each recommended item, a row each.

    Raises:
        DataError: an item has none.
    """
    rows: Floats = wanting(r, "features", "ILD")[r.rows.item]
    unknown = np.flatnonzero(np.isnan(rows).any(axis=1))
    if len(unknown):
        item = r.items[int(r.rows.item[unknown[0]])]
        raise DataError(
            f"ILD: recommended item {item!r} has no features. Every recommended item needs features."
        )
    return rows


def cosines(r: Recommended) -> Floats:
    """Returns, for each list, the sum of 1 - cosine over its pairs, computed from the sum of unit vectors."""
    rows = vectors_of(r)
    size = np.sqrt((rows**2).sum(axis=1, keepdims=True))
    unit = np.divide(rows, size, out=np.zeros_like(rows), where=size > 0)
    sums = np.stack([np.bincount(r.rows.user, column, len(r.users)) for column in unit.T], axis=1)
    self_alike = np.bincount(r.rows.user, (size[:, 0] > 0).astype(np.float64), len(r.users))
    total: Floats = pairs_of(r) - ((sums**2).sum(axis=1) - self_alike) / 2.0
    return total


def distances(r: Recommended, distance: str) -> Floats:
    """Returns the sum of the distances of each list's pairs, for many lists at once."""
    rows, starts = vectors_of(r), np.searchsorted(r.rows.user, np.arange(len(r.users) + 1))
    lengths, totals = np.diff(starts), np.zeros(len(r.users))
    for length in np.unique(lengths[lengths > 1]).tolist():
        users = np.flatnonzero(lengths == length)
        step = max(1, NUMBERS_AT_A_TIME // (length * length * rows.shape[1]))
        for first in range(0, len(users), step):
            some = users[first : first + step]
            its = rows[starts[some][:, None] + np.arange(length)]
            apart: Any = its[:, :, None, :] - its[:, None, :, :]
            each = (apart != 0).sum(axis=3) if distance == "hamming" else np.sqrt((apart**2).sum(axis=3))
            totals[some] = each.sum(axis=(1, 2)) / 2.0
    return totals


def given_distances(r: Recommended) -> Floats:
    """Returns the sum of the given distances of each list's pairs.

    Raises:
        DataError: a pair has none.
    """
    from scipy import sparse

    pairs, far = wanting(r, "distances", "ILD(distance=given)")
    lists, size = lists_of(r), (len(r.items), len(r.items))

    def summed(values: Floats) -> Floats:
        """Returns the sum, for each list, of a number per pair."""
        one_way = sparse.csr_matrix((values, (pairs.user, pairs.item)), shape=size)
        sums: Floats = np.asarray((lists @ (one_way + one_way.T)).multiply(lists).sum(axis=1), np.float64)
        return sums.ravel() / 2.0

    short = np.flatnonzero(summed(np.ones(len(far))) < pairs_of(r))
    if len(short):
        raise DataError(
            f"ILD(distance=given): a pair of items in the list of user {r.users[int(short[0])]!r} has no distance."
        )
    return summed(far)


def lists_of(r: Recommended) -> Any:
    """Returns the lists as rows of ones: a sparse matrix [users, items]."""
    from scipy import sparse

    shape = (len(r.users), len(r.items))
    return sparse.csr_matrix((np.ones(len(r.rows.user)), (r.rows.user, r.rows.item)), shape=shape)


# ---------------------------------------------------------------- by who had which item


def histories(r: Recommended) -> Any:
    """Items as unit vectors of the users who had them: a sparse matrix [items, users]."""
    from scipy import sparse

    train = wanting(r, "train", "It").once()
    had = np.bincount(train.item, minlength=len(r.items))
    width = int(train.user.max(initial=0)) + 1
    weight = 1.0 / np.sqrt(had[train.item])
    return sparse.csr_matrix(
        (weight, (train.item, train.user)), shape=(len(r.items), max(width, len(r.users)))
    )


def sums_of_histories(r: Recommended) -> tuple[Floats, Floats]:
    """Returns the squared length of the sum of each list's unit vectors, and the number of items that have a vector."""
    units = histories(r)
    summed = lists_of(r) @ units
    had = np.asarray(units.getnnz(axis=1) > 0, np.float64)
    length = np.asarray(summed.multiply(summed).sum(axis=1), np.float64).ravel()
    alone = np.bincount(r.rows.user, had[r.rows.item], len(r.users)).astype(np.float64)
    return length, alone


def history_similarity(r: Recommended) -> Floats:
    """Returns each recommendation's mean cosine with the user's train items; 0 for a user without train items."""
    from scipy import sparse

    units, train = histories(r), wanting(r, "train", "It").once()
    own = train.user < len(r.users)
    shape = (len(r.users), len(r.items))
    had = sparse.csr_matrix((np.ones(int(own.sum())), (train.user[own], train.item[own])), shape=shape)
    count = np.maximum(np.asarray(had.sum(axis=1)).ravel(), 1.0)
    profiles, found = had @ units, np.zeros(len(r.rows.user))
    for first in range(0, len(found), NUMBERS_AT_A_TIME // 64):
        part = slice(first, first + NUMBERS_AT_A_TIME // 64)
        product = units[r.rows.item[part]].multiply(profiles[r.rows.user[part]])
        found[part] = np.asarray(product.sum(axis=1)).ravel()
    similarity: Floats = found / count[r.rows.user]
    return similarity
