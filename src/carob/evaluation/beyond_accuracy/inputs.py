"""Converts the inputs of measures beyond accuracy, dicts and frames of users and items, to arrays of numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from carob._dataclasses import dataclass
from carob._numpy import np
from carob.evaluation.beyond_accuracy import files
from carob.inputs.columns import usual
from carob.inputs.frames import is_frame
from carob.lists.recommended import Judged, Pairs, Recommended
from carob.output.errors import DataError

if TYPE_CHECKING:
    import os
    from collections.abc import Hashable, Iterator, Sequence

    from carob.conventions.policy import Policy
    from carob.lists.rows import Floats, Integers

UsersLike: TypeAlias = Any
"""``{user: [item, …]}``, ``{column: values}``, a data frame with a user and an item column, or a file."""
ItemsLike: TypeAlias = "Iterable[Any] | str | os.PathLike[str]"

RELEVANT = "relevant"
"""The input that lists the items that users chose, perhaps with grades."""
FROM_TABLES = {"catalogue": files.items_in, "features": files.features_in}
"""The inputs that describe items, and the functions that read them from files and frames."""
ROLES = ("query", "document", "rank", "preference")


def key_of(each: Any) -> Hashable:
    """Returns the key of an id: 1, 1.0 and '1' are the same id, because JSON files and frames write ids differently."""
    if isinstance(each, (int, Integral)):
        return str(int(each))
    return str(int(each)) if isinstance(each, float) and each.is_integer() else cast("Hashable", each)


class IdNumbers:
    """Assigns numbers to ids, in order of first occurrence.

    Args:
        names: the ids as they first occurred.
    """

    def __init__(self) -> None:
        """Creates an empty numbering."""
        self.number: dict[Hashable, int] = {}
        self.names: list[Any] = []

    def take(self, ids: Any) -> Integers:
        """Returns the index of each id, and assigns new indices to new ids.

        In a NumPy array, only distinct ids are looked up.

        Raises:
            DataError: an id cannot be a dictionary key.
        """
        number, names = self.number, self.names
        if isinstance(ids, np.ndarray) and ids.dtype.kind in "iuU":
            different, places = np.unique(ids, return_inverse=True)
            found: Integers = self.take(different.tolist())[places.ravel()]
            return found
        ids = python_values(ids)
        try:
            for each, key in zip(ids, map(key_of, ids)):
                if key not in number:
                    number[key] = len(names)
                    names.append(each)
            return np.fromiter((number[key_of(each)] for each in ids), np.int64, len(ids))
        except TypeError:
            odd = next(each for each in ids if type(each).__hash__ is None)
            raise DataError(
                f"An id is text or a number, not {odd!r}: pass {{user: [item, …]}} or a frame with a row for each item."
            ) from None


def read(recommended: UsersLike, policy: Policy, **given: Any) -> Recommended:
    """Reads all inputs, with one numbering of users and items for all of them.

    Args:
        recommended: the recommendations.
        policy: the treatment of ties and of the lines of files.
        given: the other inputs of ``beyond_accuracy``, by name; None for each input that was not given.

    Raises:
        DataError: columns are unknown, a user has an item twice, features have different lengths, or there are no
            lists.
    """
    given = {what: read_if_file(what, each, policy) for what, each in given.items()}
    lists = read_if_file("recommended", recommended, policy)
    inputs = Inputs({"recommended": lists, **given}, IdNumbers(), IdNumbers())
    rows, rank = inputs.ranked("recommended")
    count, named = len(rank), tuple(inputs.users.names)
    seen = inputs.unranked("exclude")
    if not named:
        raise DataError("There are no recommendations to measure: pass {user: [item, …]}.")
    theirs = None if given["baseline"] is None else inputs.ranked("baseline")
    if seen is not None:
        rows, rank = without(rows, rank, seen)
        theirs = None if theirs is None else without(*theirs, seen)
    history, judged = inputs.unranked("train"), inputs.judged()
    known, described = inputs.numbered("catalogue"), inputs.numbered("features")
    apart = None if given["distances"] is None else pairs_apart(given["distances"], inputs.items)
    every = tuple(inputs.items.names)
    catalogue = None if known is None else np.isin(np.arange(len(every)), known)
    return Recommended(
        users=named,
        items=every,
        rows=rows,
        rank=rank,
        train=history,
        catalogue=catalogue,
        relevant=None if judged is None else judged.pairs.which(judged.grade > 0).once(),
        judged=judged,
        everyone=tuple(inputs.users.names),
        baseline=None if theirs is None else Recommended(named, every, *theirs),
        features=None if described is None else table(given["features"], described, len(every)),
        distances=apart,
        excluded=None if seen is None else count - len(rank),
        tied=getattr(lists, "tied", 0),
        doubts=tuple(inputs.doubts(rows, seen, count - len(rank), history, known)),
    )


def read_if_file(what: str, given: Any, policy: Policy) -> Any:
    """Returns an input of recommendation measures as an object in memory, after reading it if it is a file or a table.

    Raises:
        DataError: the file cannot be read.
    """
    if what in FROM_TABLES and (files.is_file(given) or is_frame(given)):
        return FROM_TABLES[what](given)
    if not files.is_file(given):
        return given
    if what in ("recommended", "baseline"):
        return files.lists_in(given, policy)
    if what == RELEVANT:
        return files.grades_in(given, policy)
    return files.pairs_in(given, what)


@dataclass(frozen=True)
class Inputs:
    """The inputs by name, and the numbers of their users and items."""

    given: dict[str, Any]
    users: IdNumbers
    items: IdNumbers

    def ranked(self, what: str) -> tuple[Pairs, Integers]:
        """Returns the recommendations of each user in rank order, and their ranks.

        Raises:
            DataError: an item is recommended twice to one user.
        """
        user, item, order, names = self.columns(what)
        places = np.lexsort((np.arange(len(user)) if order is None else order, user))
        rows = Pairs(user[places], item[places])
        starts = np.searchsorted(rows.user, np.arange(len(names) + 1))
        rank = np.arange(1, len(user) + 1) - np.repeat(starts[:-1], np.diff(starts))
        if len(rows.once().user) < len(user):
            pairs, counts = np.unique(np.stack([rows.user, rows.item]), axis=1, return_counts=True)
            first = pairs[:, counts.argmax()]
            item, user = self.items.names[first[1]], names[first[0]]
            raise DataError(f"{what}: item {item!r} is listed twice for user {user!r}. Remove one.")
        return rows, rank

    def unranked(self, what: str) -> Pairs | None:
        """Returns pairs of users and items in the given order, or None if the input was not given."""
        return None if self.given[what] is None else Pairs(*self.columns(what)[:2])

    def judged(self) -> Judged | None:
        """Returns the relevant items and their grades (1 without grades), or None if no relevant items were given."""
        if self.given[RELEVANT] is None:
            return None
        user, item, grade, _ = self.columns(RELEVANT)
        return Judged(Pairs(user, item), np.ones(len(user)) if grade is None else grade)

    def doubts(
        self,
        rows: Pairs,
        seen: Pairs | None,
        excluded: int,
        history: Pairs | None,
        known: Integers | None,
    ) -> Iterator[str]:
        """Yields a sentence about each input that has no id in common with the lists and may write ids differently."""
        names = self.items.names
        if seen is not None and len(seen.user) and not excluded:
            yield (
                "Nothing was excluded: the lists contain none of the user-item pairs in exclude, such as "
                f"{names[seen.item[0]]!r} for {self.users.names[seen.user[0]]!r}. Check that both spell ids in "
                "the same way."
            )
        for what, items in (("train", None if history is None else history.item), ("catalogue", known)):
            if items is not None and len(items) and len(rows.item) and not np.isin(rows.item, items).any():
                yield (
                    f"No recommended item, such as {names[rows.item[0]]!r}, is in {what}, which has "
                    f"{names[items[0]]!r}. Check that both spell ids in the same way."
                )

    def numbered(self, what: str) -> Integers | None:
        """Returns the index of each item of an input, or None if the input was not given."""
        return None if self.given[what] is None else self.items.take(list(self.given[what]))

    def columns(self, what: str) -> tuple[Integers, Integers, Floats | None, list[Any]]:
        """Returns users, items, the key that orders each user's items (None for the given order), and the users' names.

        For relevant items, the key is the grade.

        Raises:
            DataError: the input is neither a mapping nor a frame, or it is a frame whose columns cannot be recognised.
        """
        given, users, items = self.given[what], self.users, self.items
        table = given if isinstance(given, Mapping) else of_frame(given, what)
        named = [name for name in table if isinstance(name, str)]
        user, item, rank, score = (one_of(usual(named, role), role, what) for role in ROLES)
        if user is None or item is None:
            if not isinstance(given, Mapping):
                raise DataError(
                    f"{what} needs a user column and an item column, such as 'user_id' and 'item_id'. Its "
                    f"columns are {', '.join(map(str, table))}."
                )
            lists = {key: list_of(value, what, key) for key, value in given.items()}
            number = users.take(list(lists))
            flat = [each for its in lists.values() for each in its]
            grades = None
            if what == RELEVANT:
                grades = np.array(
                    [grade for key in lists for grade in grades_beside(given[key], lists[key])], float
                )
            return (
                np.repeat(number, [len(its) for its in lists.values()]),
                items.take(flat),
                grades,
                list(users.names),
            )
        order = None
        if what == RELEVANT:
            order = grade_column(table, usual(named, "grade"))
        elif rank is not None:
            order = np.asarray(python_values(table[rank]), np.float64)
        elif score is not None:
            order = -np.asarray(python_values(table[score]), np.float64)
        number, places = users.take(table[user]), items.take(table[item])
        if len(number) != len(places):
            raise DataError(f"{what}: column {user} has {len(number)} rows and {item} has {len(places)}.")
        return number, places, order, list(users.names)


def grade_column(table: Mapping[str, Any], names: Sequence[str]) -> Floats | None:
    """Returns the first column of numbers with a name of grades, or None if there is none."""
    columns = (python_values(table[name]) for name in names)
    grades = next((each for each in columns if all(isinstance(grade, Real) for grade in each)), None)
    return None if grades is None else np.array(grades, np.float64)


def grades_beside(value: Any, items: Sequence[Any]) -> list[float]:
    """Returns the grades of a user's relevant items: the values of ``{item: grade}``, or 1 for each item of a list."""
    return [value[item] for item in items] if isinstance(value, Mapping) else [1.0] * len(items)


def without(rows: Pairs, rank: Integers, seen: Pairs) -> tuple[Pairs, Integers]:
    """Removes recommended items that a user has seen before, and moves the items below them up."""
    gone = seen.among(rows).astype(np.int64)
    above = np.cumsum(gone) - gone
    before = above[np.searchsorted(rows.user, rows.user)]  # the items removed from earlier users' lists
    kept = gone == 0
    moved: Integers = rank - (above - before)
    return Pairs(rows.user[kept], rows.item[kept]), moved[kept]


def one_of(found: list[str], role: str, what: str) -> str | None:
    """Returns the column for a role, found by its usual names, or None if no column matches.

    Raises:
        DataError: two columns match.
    """
    if len(found) > 1:
        both = " and ".join(f"'{each}'" for each in found)
        kinds = dict(zip(ROLES, ("user", "item", "rank", "score"), strict=True))
        raise DataError(f"{what} has {both}, either of which could be the {kinds[role]}: remove one of them.")
    return found[0] if found else None


def python_values(column: Any) -> list[Any]:
    """Returns a column's values, with NumPy's scalars converted to Python's."""
    return column.tolist() if isinstance(column, np.ndarray) else list(column)


def list_of(value: Any, what: str, user: Any) -> list[Any]:
    """Returns a user's items, best first. ``{item: score}`` is sorted by score.

    Raises:
        DataError: the items have another type.
    """
    if isinstance(value, Mapping) and all(isinstance(each, Real) for each in value.values()):
        return sorted(value, key=lambda item: -value[item])
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable) or isinstance(value, Mapping):
        raise DataError(
            f"{what}: user {user!r} has {value!r}, which is not a list of items: pass a list, best item first."
        )
    return python_values(value)


def of_frame(given: Any, what: str) -> dict[str, Any]:
    """Returns the columns of any data frame that narwhals supports.

    Raises:
        DataError: the object is not a data frame.
    """
    import narwhals as nw

    try:
        frame = nw.from_native(given)
    except TypeError:
        raise DataError(
            f"{what} is {type(given).__name__}: pass {{user: [item, …]}}, {{'user_id': […], 'item_id': "
            "[…]} or a data frame."
        ) from None
    eager = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
    roles = (*ROLES, "grade") if what == RELEVANT else ROLES
    wanted = [name for name in eager.columns if any(name in usual(eager.columns, role) for role in roles)]
    return {name: column_of(eager[name]) for name in wanted or eager.columns}


def column_of(series: Any) -> Any:
    """Returns a column of a frame: whole numbers as an array, anything else as a list."""
    whole = series.dtype.is_integer() and not series.null_count()
    return series.to_numpy() if whole else series.to_list()


def pairs_apart(distances: Mapping[Any, float], items: IdNumbers) -> tuple[Pairs, Floats]:
    """Returns both items of each pair, and their distance. A pair that is given in both orders counts once.

    Raises:
        DataError: a key is not a pair, or a pair has two distances.
    """
    odd = next((key for key in distances if not isinstance(key, tuple) or len(key) != 2), None)
    if odd is not None:
        raise DataError(
            f"distances: {odd!r} is not a pair of items: write the distances as {{(item, item): distance}}."
        )
    turned = next((key for key, far in distances.items() if distances.get(key[::-1], far) != far), None)
    if turned is not None:
        raise DataError(
            f"distances: {turned!r} and {turned[::-1]!r} have different distances. Pass only one of the two."
        )
    kept: dict[tuple[Any, Any], float] = {}
    for key, far in distances.items():
        if key[0] != key[1] and key[::-1] not in kept:
            kept[key] = far
    first, second = (items.take([key[side] for key in kept]) for side in (0, 1))
    return Pairs(first, second), np.array(list(kept.values()), np.float64)


def table(features: Mapping[Any, Sequence[float]], described: Integers, count: int) -> Floats:
    """Returns the features of each item, with NaN for an item without features.

    Raises:
        DataError: vectors have different lengths.
    """
    vectors = [np.asarray(each, np.float64).ravel() for each in features.values()]
    lengths = {len(each) for each in vectors}
    if len(lengths) != 1:
        raise DataError(
            f"features: the vectors have different lengths ({', '.join(map(str, sorted(lengths)))}). Make them equal."
        )
    found = np.full((count, lengths.pop()), np.nan)
    found[described] = np.stack(vectors)
    return found
