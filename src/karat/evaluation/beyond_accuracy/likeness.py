"""How alike lists and items are: the overlap of users' lists, and the distances within a list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.evaluation.beyond_accuracy.define import OneOf, beyond, wanting
from karat.output.errors import DataError

if TYPE_CHECKING:
    from karat.evaluation.beyond_accuracy.define import Value
    from karat.evaluation.beyond_accuracy.inputs import Recommended
    from karat.lists.rows import Floats

__all__ = ["history_similarity"]

NUMBERS_AT_A_TIME = 2**22


@beyond(
    "Personalisation",
    similarity=OneOf("cosine", "overlap"),
    source="Zhou and others 2010 (inter-user diversity); Evidently, recmetrics",
)
def personalisation(r: Recommended, similarity: str) -> float:
    """1 less the mean likeness of the lists of two users, over all pairs: 0 if everybody gets the same.

    ``cosine`` is the shared items over the root of the lengths' product (Evidently), ``overlap`` the shared items
    over k; where all lists have k items the two are one. Users without recommendations do not count. No pair is
    looked at: the sum over pairs is that over items of (sum of weights)^2 less the sum of their squares, halved.
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
    "ILD",
    by=OneOf("features", "train"),
    distance=OneOf("cosine", "hamming", "euclidean", "given"),
    single=OneOf("out", "zero"),
    source="Ziegler, McNee, Konstan and Lausen 2005 (intra-list similarity); RecTools, recommenders",
)
def intra_list_diversity(r: Recommended, by: str, distance: str, single: str) -> Value:
    """The mean distance between two items of a user's list, over its pairs.

    ``cosine`` is 1 less the cosine of the two vectors of features, ``hamming`` the number of features that differ
    (RecTools), ``euclidean`` the length of their difference, ``given`` what was handed in as ``distances``.
    ``by=train`` takes the cosine of who had which item (recommenders). A vector of zeros is like no other. A list of
    one item has no pair: it is left out, or 0 with ``single=zero`` (RecTools).
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
    """How many pairs of items each list has."""
    return r.length * (r.length - 1.0) / 2.0


def vectors_of(r: Recommended) -> Floats:
    """The features of each recommended item, a row each.

    Raises:
        DataError: an item has none.
    """
    rows: Floats = wanting(r, "features", "ILD")[r.rows.item]
    unknown = np.flatnonzero(np.isnan(rows).any(axis=1))
    if len(unknown):
        item = r.items[int(r.rows.item[unknown[0]])]
        raise DataError(f"ILD: item {item!r} has no features, and is recommended. Give some to every item.")
    return rows


def cosines(r: Recommended) -> Floats:
    """The sum over the pairs of each list of 1 less their cosine, from the length of the sum of unit vectors."""
    rows = vectors_of(r)
    size = np.sqrt((rows**2).sum(axis=1, keepdims=True))
    unit = np.divide(rows, size, out=np.zeros_like(rows), where=size > 0)
    sums = np.stack([np.bincount(r.rows.user, column, len(r.users)) for column in unit.T], axis=1)
    self_alike = np.bincount(r.rows.user, (size[:, 0] > 0).astype(np.float64), len(r.users))
    total: Floats = pairs_of(r) - ((sums**2).sum(axis=1) - self_alike) / 2.0
    return total


def distances(r: Recommended, distance: str) -> Floats:
    """The sum over the pairs of each list of their distance, many lists at once."""
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
    """The sum over the pairs of each list of the distances that were handed in.

    Raises:
        DataError: a pair has none.
    """
    from scipy import sparse

    pairs, far = wanting(r, "distances", "ILD(distance=given)")
    lists, size = lists_of(r), (len(r.items), len(r.items))

    def summed(values: Floats) -> Floats:
        """The sum over the pairs of each list of a number per pair."""
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
    """The lists as rows of ones: a sparse matrix [users, items]."""
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
    """The squared length of the sum of each list's unit vectors, and how many of its items have one."""
    units = histories(r)
    summed = lists_of(r) @ units
    had = np.asarray(units.getnnz(axis=1) > 0, np.float64)
    length = np.asarray(summed.multiply(summed).sum(axis=1), np.float64).ravel()
    alone = np.bincount(r.rows.user, had[r.rows.item], len(r.users)).astype(np.float64)
    return length, alone


def history_similarity(r: Recommended) -> Floats:
    """For each recommendation the mean cosine to the items that the user had; 0 for one who had none."""
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
