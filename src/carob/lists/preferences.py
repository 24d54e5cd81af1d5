"""Lists that count which preferences between documents a ranked list keeps, by judgment group or by pair."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, cast

from carob import _native
from carob._cached import cached_property
from carob._dataclasses import dataclass
from carob._numpy import np
from carob.lists import Preferences, Queries, Rows
from carob.lists.flat import Flat
from carob.output.errors import DataError, MeasureError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from carob.lists.rows import Floats, Integers, JudgedRows

Pairs: TypeAlias = "tuple[Integers, Integers]"
Kinds: TypeAlias = "tuple[int, int, int, int, int]"
"""Counts of preferences: kept and broken with both documents retrieved, the same with one, and all with neither."""


class ContradictionError(DataError):
    """Raised if the preferences of a judgment group contradict each other.

    Args:
        kind: ``levels`` (one document on two levels of the only subgroup), ``zero`` (a document both at level 0
            and above), ``cycle`` (each of two documents preferred to the other).
        number: the number of the document.
        other: the number of the other document in a cycle.
    """

    def __init__(self, kind: str, number: int, other: int = -1) -> None:
        """Stores the arguments."""
        self.kind, self.number, self.other = kind, number, other
        found = {
            "levels": f"document number {number} of the query has two levels in one judgment group",
            "zero": f"document number {number} of the query has level 0 and another level in one judgment group",
            "cycle": f"documents number {number} and {other} of the query are each preferred to the other",
        }[kind]
        super().__init__(f"{found}: correct the preferences, or put them into two judgment groups.")


@dataclass(frozen=True)
class Group:
    """The preferences of one judgment group, between entries that each judge one document.

    In a group with one subgroup, each line of the judgments is an entry, highest level first. In a group with several
    subgroups, each document of the query is an entry.

    Args:
        retrieved: the number of the query's judged documents that were retrieved.
        documents: the document of each entry, numbered by rank with the retrieved documents first.
        level: the level of each entry; NaN for a document that is not judged in this group.
        closure: for several subgroups, whether the entry of each row is preferred to the entry of each column; None for
            one subgroup, in which each entry is preferred to all entries on lower levels.
    """

    retrieved: int
    documents: Integers
    level: Floats
    closure: NDArray[np.bool_] | None = None

    @property
    def place(self) -> Integers:
        """The number of each entry's level, counted from the highest level, which is 0."""
        return np.cumsum(np.append(False, np.diff(self.level) != 0))

    @property
    def preferred(self) -> NDArray[np.bool_]:
        """Whether the entry of each row is preferred to the entry of each column."""
        if self.closure is not None:
            return self.closure
        lower: NDArray[np.bool_] = self.place[:, None] < self.place
        return lower

    @property
    def relevant(self) -> Integers:
        """The documents with a level above 0."""
        return self.documents[self.level > 0]

    @property
    def nonrelevant(self) -> NDArray[np.bool_]:
        """A mask of the entries that count as not relevant."""
        return ~(self.level > 0) if self.closure is None else self.level == 0

    def pairs(self, among: NDArray[np.bool_]) -> Pairs:
        """Returns the preferred and the other document of each marked pair of entries."""
        better, worse = np.nonzero(among)
        return self.documents[better], self.documents[worse]

    def capped_pairs(self, among: str) -> Pairs:
        """Returns the pairs of documents, with at most as many nonrelevant as relevant documents.

        With one subgroup, every entry is paired with the first few entries of the lowest level, even if it is on this
        level itself. Published numbers depend on this behaviour of trec_eval (m_prefs_avgjg_Rnonrel.c,
        ``recalculate``).
        """
        preferred, most = self.preferred, len(self.relevant)
        first = np.zeros(len(preferred), bool)
        if self.closure is None:
            most = int((self.relevant < self.retrieved).sum()) if among == "both" else most
            lowest = ~preferred.any(axis=1)
            first[np.flatnonzero(lowest)[:most]] = True
            return self.pairs((preferred & ~lowest) | first)
        first[np.flatnonzero(self.nonrelevant)[most:]] = True
        return self.pairs(preferred & ~first & ~first[:, None])

    def tally(self, among: str, nonrelevant: str) -> tuple[int, int]:
        """Returns the number of preferences that the list keeps, and the number of all preferences.

        ``nonrelevant=capped`` counts as many nonrelevant as relevant documents. If there are fewer nonrelevant
        documents, the missing documents are assumed to exist but not to be retrieved. Every relevant document is
        preferred to the missing documents, and this preference is kept for every relevant document that was retrieved.
        """
        if nonrelevant == "all":
            return counted(self.kinds, among)
        seen = self.retrieved if among == "both" else np.iinfo(np.int64).max
        relevant = int((self.relevant < seen).sum())
        spare = relevant - int((self.documents[self.nonrelevant] < seen).sum())
        if spare < 0:
            return counted(kinds_of(self.capped_pairs(among), self.retrieved), among)
        kept, possible = counted(self.kinds, among)
        found = int((self.relevant < self.retrieved).sum())
        return kept + found * spare, possible + len(self.relevant) * spare

    @cached_property
    def kinds(self) -> Kinds:
        """The number of preferences of each kind."""
        return kinds_of(self.pairs(self.preferred), self.retrieved)


def group_of(subgroups: Integers, levels: Floats, documents: Integers, judged: int, retrieved: int) -> Group:
    """Returns the judgment group that some lines of judgments form.

    Args:
        subgroups: the subgroup of each line.
        levels: the level of each line.
        documents: the number of the document in each line.
        judged: the number of documents in the query's lines.
        retrieved: the number of these documents that were retrieved.

    Raises:
        ContradictionError: the preferences contradict each other.
    """
    order = np.lexsort((documents, -levels, subgroups))
    subgroups, levels, documents = subgroups[order], levels[order], documents[order]
    if subgroups[0] == subgroups[-1]:
        group = Group(retrieved, documents, levels)
        if len(np.unique(documents)) < len(documents):
            refuse_two_levels(group)
        return group
    level = level_of_each(levels, documents, judged)
    preferred = np.zeros((judged, judged), bool)
    for subgroup in np.unique(subgroups):
        rows, given = documents[subgroups == subgroup], levels[subgroups == subgroup]
        better, worse = np.nonzero(given[:, None] > given)
        preferred[rows[better], rows[worse]] = True
    return Group(retrieved, np.arange(judged), level, closed(preferred))


def refuse_two_levels(group: Group) -> None:
    """Refuses a document that has two levels in a group with one subgroup."""
    same = group.documents[:, None] == group.documents
    places = np.argwhere(group.preferred & same).tolist()
    if places:
        # trec_eval compares the levels from the highest downwards, and within two levels the documents in order.
        first = min(places, key=lambda pair: (*group.place[pair].tolist(), group.documents[pair[0]]))
        raise ContradictionError("levels", int(group.documents[first[0]]))


def level_of_each(levels: Floats, documents: Integers, judged: int) -> Floats:
    """Returns the last level of each document. Refuses a document that has both level 0 and a higher level."""
    level = np.full(judged, np.nan)
    for document, given in zip(documents.tolist(), levels.tolist()):
        if (level[document] > 0 and given == 0) or (level[document] == 0 and given > 0):
            raise ContradictionError("zero", document)
        level[document] = given
    return level


def closed(preferred: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Returns the transitive closure of the preferences. Refuses contradictory preferences."""
    while True:
        reach = preferred.astype(np.float32)
        with np.errstate(all="ignore"):  # on CPUs with SME, products in single precision raise spurious flags
            further = preferred | (reach @ reach > 0)
        if (further == preferred).all():
            break
        preferred = further
    either = preferred & preferred.T & ~np.eye(len(preferred), dtype=bool)
    if either.any():
        first, second = np.argwhere(either)[0].tolist()
        raise ContradictionError("cycle", first, second)
    return np.asarray(preferred & ~np.eye(len(preferred), dtype=bool))


def kinds_of(pairs: Pairs, retrieved: int) -> Kinds:
    """Returns the number of pairs of each kind. The first document of a pair is the preferred document."""
    better, worse = pairs
    ahead, both = better < worse, np.maximum(better, worse) < retrieved
    one = (np.minimum(better, worse) < retrieved) & ~both
    return (
        int((ahead & both).sum()),
        int((~ahead & both).sum()),
        int((ahead & one).sum()),
        int((~ahead & one).sum()),
        int((~both & ~one).sum()),
    )


def counted(kinds: Kinds, among: str) -> tuple[int, int]:
    """Returns how many preferences are kept and how many there are, if only the preferences in ``among`` count."""
    kept_both, broken_both, kept_one, broken_one, neither = kinds
    if among == "both":
        return kept_both, kept_both + broken_both
    either = kept_both + broken_both + kept_one + broken_one
    return kept_both + kept_one, either if among == "either" else either + neither


@dataclass(frozen=True)
class Tallies(Preferences):
    """The numbers of kept and of all preferences for each group or pair, query by query."""

    numbers: Floats
    offsets: Integers

    @property
    def kept(self) -> Rows:
        return cast("Rows", np.ascontiguousarray(self.numbers[:, 0]))

    @property
    def possible(self) -> Rows:
        return cast("Rows", np.ascontiguousarray(self.numbers[:, 1]))

    def total(self, rows: Rows) -> Queries:
        return cast("Queries", _native.total(cast("Floats", rows), self.offsets))


class PreferenceLists(Flat):
    """Ranked lists whose judgments are preferences.

    Args:
        rows: the judged rows; only the length of each list is used.
        groups: the judgment groups of each query.
    """

    def __init__(self, rows: JudgedRows, groups: list[list[Group]]) -> None:
        """Stores the arguments."""
        super().__init__(rows)
        self.of_queries = groups

    def preferences(self, of: str, among: str, nonrelevant: str = "all") -> Preferences:
        if among == "either" and nonrelevant == "capped":
            raise MeasureError("nonrelevant=capped needs among=all or among=both.")
        if of == "pair":
            tallies = [pair_tallies(groups, among) for groups in self.of_queries]
        else:
            tallies = [
                np.array([group.tally(among, nonrelevant) for group in groups], np.float64)
                for groups in self.of_queries
            ]
        offsets = np.append(0, np.cumsum([len(each) for each in tallies])).astype(np.int64)
        return Tallies(np.concatenate([np.zeros((0, 2)), *tallies]), offsets)


def pair_tallies(groups: list[Group], among: str) -> Floats:
    """Returns, for each pair of documents, how many groups prefer the list's order and how many have a preference.

    Pairs with both documents retrieved come first, then pairs with one document retrieved, because trec_eval adds them
    in this order (m_prefs_pair.c).
    """
    found = (group.pairs(group.preferred) for group in groups)
    better, worse = map(np.concatenate, zip(*found))
    retrieved = groups[0].retrieved
    first, second = np.minimum(better, worse), np.maximum(better, worse)
    unseen = (first >= retrieved).astype(np.int64) + (second >= retrieved)
    inside = unseen <= {"both": 0, "either": 1, "all": 2}[among]
    judged = int(second.max(initial=0)) + 1
    key = ((unseen * judged + first) * judged + second)[inside]
    kept = (better < worse) & (better < retrieved)
    _, place, votes = np.unique(key, return_inverse=True, return_counts=True)
    agreeing = np.bincount(place.ravel(), weights=kept[inside].astype(np.float64), minlength=len(votes))
    return np.stack([agreeing, votes.astype(np.float64)], axis=1)
