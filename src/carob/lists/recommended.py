"""Defines the recommendations on which measures are computed: ranked items, histories, catalogue and features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from carob._dataclasses import dataclass, replace
from carob._numpy import np
from carob.output.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import NDArray

    from carob.lists.rows import Floats, Integers

Value: TypeAlias = "float | Floats"
"""One number for all recommendations together, or one number per user."""

NUMBERS_AT_A_TIME = 2**22


def add(what: str) -> str:
    """Returns the advice to pass an input, worded for Python and for the command line."""
    option = "" if what == "distances" else f", or --{what} FILE"
    return f"add {what}=…{option}"


@dataclass(frozen=True, eq=False, repr=False)
class Pairs:
    """Pairs of users and items, both represented by their numbers.

    Args:
        user: the user of each pair.
        item: the item of each pair.
    """

    user: Integers
    item: Integers

    def which(self, kept: NDArray[np.bool_]) -> Pairs:
        """Returns the marked pairs."""
        return Pairs(self.user[kept], self.item[kept])

    def once(self) -> Pairs:
        """Returns the pairs without repetitions."""
        width = int(self.item.max(initial=0)) + 1
        user, item = np.divmod(np.unique(self.user * width + self.item), width)
        return Pairs(user, item)

    def among(self, rows: Pairs) -> Floats:
        """Returns 1 for each pair in ``rows`` that is also in these pairs, otherwise 0."""
        width = int(max(self.item.max(initial=0), rows.item.max(initial=0))) + 1
        return np.isin(rows.user * width + rows.item, self.user * width + self.item).astype(np.float64)


@dataclass(frozen=True, eq=False, repr=False)
class Judged:
    """Pairs of users and items with grades.

    Args:
        pairs: the users and the items.
        grade: the grade of each pair.
    """

    pairs: Pairs
    grade: Floats


@dataclass(frozen=True, eq=False, repr=False)
class Recommended:
    """Each user's ranked items, with histories, catalogue and features, and the methods that formulas call.

    Args:
        users: the users, including those who received no recommendations.
        items: every item in any input; rows refer to items by their number in this tuple.
        rows: the recommendations, user by user, from rank 1 down.
        rank: the rank of each recommendation.
        depth: the number of items used from each list; None for all.
        train: the users' earlier interactions, one row per interaction; None if not given.
        catalogue: a mask of the items that can be recommended [items]; None if not given.
        relevant: the items that users chose afterwards; None if not given.
        judged: all judged items with their grades, including grades of 0 or less; None if not given.
        everyone: ``users``, followed by the users who occur only in the other inputs.
        baseline: the lists of another recommender; None if not given.
        features: the features of each item, NaN where unknown [items, features]; None if not given.
        distances: pairs of items and the distance of each pair; None if not given.
        excluded: the number of recommendations that were removed; None if no exclusions were given.
        tied: the number of users for whom some scores in a run are equal.
        doubts: sentences about inputs that have nothing in common with the lists.
        measure: the name of the measure that is computed, for error messages.
    """

    xp: ClassVar[Any] = np
    """The array namespace with which formulas compute."""

    users: tuple[Hashable, ...]
    items: tuple[Hashable, ...]
    rows: Pairs
    rank: Integers
    depth: int | None = None
    train: Pairs | None = None
    catalogue: NDArray[np.bool_] | None = None
    relevant: Pairs | None = None
    judged: Judged | None = None
    everyone: tuple[Hashable, ...] = ()
    baseline: Recommended | None = None
    features: Floats | None = None
    distances: tuple[Pairs, Floats] | None = None
    excluded: int | None = None
    tied: int = 0
    doubts: tuple[str, ...] = ()
    measure: str = ""

    def top(self, depth: int) -> Recommended:
        """Returns the first ``depth`` items of every list."""
        baseline = None if self.baseline is None else self.baseline.top(depth)
        return replace(self.kept(self.rank <= depth), depth=depth, baseline=baseline)

    def kept(self, which: NDArray[np.bool_]) -> Recommended:
        """Returns the recommendations marked by ``which``. They keep their ranks."""
        return replace(self, rows=self.rows.which(which), rank=self.rank[which])

    def given(self, what: str) -> Any:
        """Returns an input by its name, such as ``train``.

        Raises:
            DataError: the input was not given.
        """
        found = getattr(self, what)
        if found is None or (what == "train" and not len(found.user)):
            raise DataError(f"{self.measure} needs {what}, which was not given: {add(what)}.")
        return found

    # ------------------------------------------------------------ counts

    @property
    def length(self) -> Floats:
        """The number of items recommended to each user [users]."""
        return np.bincount(self.rows.user, minlength=len(self.users)).astype(np.float64)

    @property
    def longest(self) -> float:
        """The depth or, without a depth, the length of the longest list."""
        return float(self.depth or self.length.max(initial=0.0))

    @property
    def pairs(self) -> Floats:
        """The number of pairs of items in each list [users]."""
        return self.length * (self.length - 1.0) / 2.0

    @property
    def counts(self) -> Floats:
        """The number of users to whom each item is recommended [items]."""
        return np.bincount(self.rows.item, minlength=len(self.items)).astype(np.float64)

    @property
    def shown(self) -> NDArray[np.bool_]:
        """A mask of the items that are recommended to at least one user [items]."""
        return self.counts > 0

    def base(self, of: str) -> NDArray[np.bool_]:
        """Returns a mask of the items in the catalogue, in train or in all recommendations.

        Raises:
            DataError: the input was not given, or contains no items.
        """
        if of == "train":
            found = np.isin(np.arange(len(self.items)), self.given("train").item)
        else:
            found = self.shown if of == "recommended" else self.given("catalogue")
        if not found.any():
            raise DataError(f"{self.measure}: the {of} has no items. Pass at least one item.")
        return found

    def counts_in(self, of: str) -> Floats:
        """Returns the number of users to whom each item in a base is recommended.

        Raises:
            DataError: a recommended item is not in the base.
        """
        inside = self.base(of)
        stray = np.flatnonzero(self.shown & ~inside)
        if len(stray):
            raise DataError(
                f"{self.measure}: {len(stray)} recommended items are missing from {of}=, such as "
                f"{self.items[stray[0]]!r}. Add them, or choose another base with of=…."
            )
        return self.counts[inside]

    def times_seen(self, of: str) -> tuple[Floats, float]:
        """Returns how often each item occurs in train [items], and the number of users or interactions in train."""
        train = self.given("train")
        if of == "users":
            train = train.once()
        everyone = len(np.unique(train.user)) if of == "users" else len(train.user)
        return np.bincount(train.item, minlength=len(self.items)).astype(np.float64), float(everyone)

    # ------------------------------------------------------------ between items, recommendations and users

    def per_row(self, values: Floats) -> Floats:
        """Returns the value of each recommendation's item."""
        return values[self.rows.item]

    def per_item(self, rows: Floats) -> Floats:
        """Returns, for each item, the sum of the values of its recommendations."""
        return np.bincount(self.rows.item, rows, len(self.items)).astype(np.float64)

    def total(self, rows: Floats) -> Floats:
        """Returns, for each user, the sum of the values of the recommendations."""
        return np.bincount(self.rows.user, rows, len(self.users)).astype(np.float64)

    def per_user(self, rows: Floats, over: str = "listed") -> Floats:
        """Returns, for each user, the mean of the values of the recommendations, or NaN without recommendations.

        ``over=depth`` divides by the depth, so the missing items of short lists count as zeros.
        """
        divisor = self.length if over == "listed" else np.full(len(self.users), self.longest)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(self.length > 0, self.total(rows) / divisor, np.nan)

    # ------------------------------------------------------------ surprise

    def popular(self) -> Floats:
        """Returns 1 for the most frequent items in train (as many as the depth, plus ties with the last), else 0."""
        seen, _ = self.times_seen("interactions")
        most = min(int(self.longest), len(seen))
        if not most:
            return np.zeros(len(seen))
        least = np.partition(seen, len(seen) - most)[len(seen) - most]
        return np.asarray((seen >= least) & (seen > 0), np.float64)

    def expected(self, against: str) -> Floats:
        """Returns 1 for each recommendation that the recommender ``against`` also makes, otherwise 0."""
        if against == "popular":
            return self.per_row(self.popular())
        found: Floats = self.given("baseline").rows.among(self.rows)
        return found

    def above_popularity(self) -> Floats:
        """Returns how much higher each item ranks in its list than by popularity, as in RecTools."""
        seen, _ = self.times_seen("interactions")
        n = float(self.given("catalogue").sum())
        levels = np.unique(seen[seen > 0])[::-1]
        place = len(levels) - np.searchsorted(levels[::-1], seen)
        by_popularity = np.where(seen > 0, (n + 1.0 - place) / n, 0.0)
        weight: Floats = np.maximum((n + 1.0 - self.rank) / n - self.per_row(by_popularity), 0.0)
        return weight

    def history_similarity(self) -> Floats:
        """Returns each recommended item's mean cosine with the user's items in train, or 0 if there are none."""
        units, train = self.histories(), self.given("train").once()
        own = train.user < len(self.users)
        had = self.matrix(Pairs(train.user[own], train.item[own]))
        count = np.maximum(np.asarray(had.sum(axis=1)).ravel(), 1.0)
        profiles, found = had @ units, np.zeros(len(self.rows.user))
        for first in range(0, len(found), NUMBERS_AT_A_TIME // 64):
            part = slice(first, first + NUMBERS_AT_A_TIME // 64)
            product = units[self.rows.item[part]].multiply(profiles[self.rows.user[part]])
            found[part] = np.asarray(product.sum(axis=1)).ravel()
        similarity: Floats = found / count[self.rows.user]
        return similarity

    # ------------------------------------------------------------ distances between the items of a list

    def distance_within_lists(self, by: str, distance: str) -> Floats:
        """Returns the sum of the distances between the items of each list [users].

        Args:
            by: the input that contains the vectors to compare, ``features`` or ``train``.
            distance: ``cosine``, ``hamming``, ``euclidean`` or ``given``.

        Raises:
            DataError: an input is missing or does not contain a recommended item, or ``by=train`` is combined with a
                distance other than the cosine.
        """
        if by == "features":
            words = {"cosine": self.cosines, "given": self.given_distances}
            return words.get(distance, lambda: self.differences(distance))()
        if distance != "cosine":
            raise DataError(f"{self.measure}: by=train supports only the cosine. Leave out distance.")
        units = self.histories()
        summed = self.matrix(self.rows) @ units
        had = np.asarray(units.getnnz(axis=1) > 0, np.float64)
        squared = np.asarray(summed.multiply(summed).sum(axis=1), np.float64).ravel()
        return self.pairs - (squared - self.total(self.per_row(had))) / 2.0

    def vectors(self) -> Floats:
        """Returns an array with the features of each recommended item in a row.

        Raises:
            DataError: a recommended item has no features.
        """
        rows: Floats = self.given("features")[self.rows.item]
        unknown = np.flatnonzero(np.isnan(rows).any(axis=1))
        if len(unknown):
            item = self.items[int(self.rows.item[unknown[0]])]
            raise DataError(
                f"ILD: recommended item {item!r} has no features. Pass features= for every recommended item."
            )
        return rows

    def cosines(self) -> Floats:
        """Returns the sum of 1 - cosine over the pairs of items in each list, computed from sums of unit vectors."""
        rows = self.vectors()
        size = np.sqrt((rows**2).sum(axis=1, keepdims=True))
        unit = np.divide(rows, size, out=np.zeros_like(rows), where=size > 0)
        sums = np.stack([self.total(column) for column in unit.T], axis=1)
        self_alike = self.total((size[:, 0] > 0).astype(np.float64))
        total: Floats = self.pairs - ((sums**2).sum(axis=1) - self_alike) / 2.0
        return total

    def differences(self, distance: str) -> Floats:
        """Returns the sum of the distances between the items of each list. Lists of equal length are batched."""
        rows, starts = self.vectors(), np.searchsorted(self.rows.user, np.arange(len(self.users) + 1))
        lengths, totals = np.diff(starts), np.zeros(len(self.users))
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

    def given_distances(self) -> Floats:
        """Returns the sum of the given distances between the items of each list.

        Raises:
            DataError: a pair of items has no distance.
        """
        from scipy import sparse

        pairs, far = self.given("distances")
        lists, size = self.matrix(self.rows), (len(self.items), len(self.items))

        def summed(values: Floats) -> Floats:
            """Returns, for each list, the sum of the values of its pairs."""
            one_way = sparse.csr_matrix((values, (pairs.user, pairs.item)), shape=size)
            sums: Floats = np.asarray((lists @ (one_way + one_way.T)).multiply(lists).sum(axis=1), np.float64)
            return sums.ravel() / 2.0

        short = np.flatnonzero(summed(np.ones(len(far))) < self.pairs)
        if len(short):
            raise DataError(
                f"{self.measure}: a pair of items in the list of user {self.users[int(short[0])]!r} has no "
                "distance. Add the distance of every pair to distances=."
            )
        return summed(far)

    def matrix(self, pairs: Pairs) -> Any:
        """Returns a sparse matrix with a 1 for each pair of user and item [users, items]."""
        from scipy import sparse

        shape = (len(self.users), len(self.items))
        return sparse.csr_matrix((np.ones(len(pairs.user)), (pairs.user, pairs.item)), shape=shape)

    def histories(self) -> Any:
        """Returns a sparse matrix with the unit vector of the users who interacted with each item [items, users]."""
        from scipy import sparse

        train = self.given("train").once()
        had = np.bincount(train.item, minlength=len(self.items))
        width = int(train.user.max(initial=0)) + 1
        weight = 1.0 / np.sqrt(had[train.item])
        shape = (len(self.items), max(width, len(self.users)))
        return sparse.csr_matrix((weight, (train.item, train.user)), shape=shape)
