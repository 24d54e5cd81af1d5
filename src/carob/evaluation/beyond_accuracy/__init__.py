"""Recommendation measures beyond accuracy, such as coverage, novelty and diversity."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from carob._dataclasses import dataclass, replace
from carob._numpy import np
from carob._version import __version__
from carob.conventions.request import names_in
from carob.evaluation.beyond_accuracy.inputs import read
from carob.evaluation.score_tables import NO_VALUE
from carob.measures import REGISTER, Measure
from carob.output.document import Document, Documented, Line, Section, Table
from carob.output.errors import DataError, MeasureError, NotEvaluatedError
from carob.output.layout import COLUMNS, Listed, decimals, lay_out
from carob.output.results import Records

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

    from carob.conventions.request import MeasuresLike
    from carob.evaluation.beyond_accuracy.inputs import ItemsLike, UsersLike
    from carob.lists.recommended import Recommended
    from carob.lists.rows import Floats


def beyond_accuracy(
    recommended: UsersLike,
    measures: MeasuresLike = None,
    *,
    train: UsersLike | None = None,
    catalogue: ItemsLike | None = None,
    relevant: UsersLike | None = None,
    baseline: UsersLike | None = None,
    features: Mapping[Any, Sequence[float]] | None = None,
    distances: Mapping[Any, float] | None = None,
    depth: int | None = None,
    exclude: UsersLike | None = None,
) -> Beyond:
    """Measure recommendations beyond accuracy: coverage, evenness, novelty, diversity, surprise.

    The name of a measure states its conventions: ``Gini(of=train, scale=n-1)@10``. ``docs/recommendation.md`` says
    which library means which.

    Args:
        recommended: ``{user: [item, …]}``, best first; ``{user: {item: score}}``; or columns, as a dict or a data
            frame of pandas, Polars, Arrow …: user_id and item_id, with rank or score, or in rank order.
        measures: their names, or ``Measure`` objects; if None, all measures that the inputs support.
        train: the users' earlier interactions, in the same forms and in any order, with a row for each interaction.
        catalogue: every item that can be recommended.
        relevant: the items that users chose afterwards, in the same forms. If there is a column of grades, or
            ``{user: {item: grade}}``, items with a grade of 0 or less are not relevant.
        baseline: the lists of a simpler recommender, as ``recommended``.
        features: ``{item: [number, …]}``.
        distances: ``{(item, item): distance}``, each pair once, for ``ILD(distance=given)``.
        depth: the number of items of each list, for measures whose names have no ``@``.
        exclude: the items to remove from the lists before ranking, in the form of ``train`` and often identical to it.

    Raises:
        DataError: an input that cannot be used, or that a measure needs and that was not given.
        MeasureError: a measure that does not exist.

    Example:
        >>> import carob
        >>> recommended = {"u": ["a", "b"], "v": ["a", "c"]}
        >>> train = {"u": ["a", "d"], "v": ["b"]}
        >>> print(carob.beyond_accuracy(recommended, ["Coverage", "Novelty@1"], train=train, catalogue="abcd"))
        measure     value  in full
        Coverage   0.7500  Coverage(of=catalogue, counting=inside)
        Novelty@1  1.0000  Novelty(of=users, scale=none, cold=one, mean=users, over=listed)@1
        2 users · 4 recommendations · 3 items · 4 in catalogue · 2 train users · 3 train interactions
    """
    if depth is not None and depth < 1:
        raise MeasureError(f"depth is a whole number of at least 1, not {depth}.")
    given = read(
        recommended,
        train=train,
        catalogue=catalogue,
        relevant=relevant,
        baseline=baseline,
        features=features,
        distances=distances,
        exclude=exclude,
    )
    entries = {name: value_of(name, depth, given) for name in names_of(measures, given)}
    return Beyond(entries, given.users, bases_of(given))


def value_of(name: str, depth: int | None, given: Recommended) -> Value:
    """Returns the value of a measure, cut at ``depth`` if the name has no depth.

    Raises:
        DataError: an input that the measure needs was not given.
        MeasureError: the measure does not exist, or measures judged documents.
    """
    measure = Measure.parse(name)
    if measure.definition.takes != "recommendations":
        raise MeasureError(
            f"{measure.name} measures judged documents, not recommendations: use carob.evaluate(qrels, run, '{name}')."
        )
    if measure.depth is None and depth is not None:
        measure = measure @ depth
    found: Any = measure.values(cast("Any", replace(given, measure=str(measure))))
    if not isinstance(found, np.ndarray):
        return Value(measure, float(found), None)
    known = found[~np.isnan(found)]
    return Value(measure, float(known.mean()) if len(known) else float("nan"), found)


def names_of(measures: MeasuresLike, given: Recommended) -> list[str]:
    """Returns the requested measure names or, without a request, the names of all measures that the inputs support.

    Raises:
        DataError: no measure was requested, or none is possible.
    """
    if measures is None:
        return [
            name
            for name, each in REGISTER.items()
            if each.takes == "recommendations"
            and all(getattr(given, what) is not None for what in each.needs)
        ]
    found = dict.fromkeys(map(str, names_in(measures)))
    if not found:
        raise DataError(
            "No measure was requested: name at least one, such as Coverage, or omit measures for all of them."
        )
    return list(found)


def bases_of(given: Recommended) -> dict[str, int]:
    """Returns the number of users, items and rows in each input."""
    train, chosen = given.train, given.relevant
    bases = {
        "users": len(given.users),
        "recommendations": len(given.rows.user),
        "items": len(np.unique(given.rows.item)),
        "excluded": given.excluded or None,
        "in catalogue": None if given.catalogue is None else int(given.catalogue.sum()),
        "train users": None if train is None else len(np.unique(train.user)),
        "train interactions": None if train is None else len(train.user),
        "relevant pairs": None if chosen is None else len(chosen.user),
    }
    return {name: count for name, count in bases.items() if count is not None}


@dataclass(frozen=True, eq=False, repr=False)
class Value:
    """The value of one measure.

    Args:
        measure: the measure; ``measure.full`` is its name with every convention.
        value: the value over all users; NaN where it is undefined.
        users: each user's value, NaN where undefined; None for a measure of all lists together [users].
    """

    measure: Measure
    value: float
    users: Floats | None


@dataclass(frozen=True, eq=False, repr=False)
class Beyond(Documented, Listed[float]):
    """The values of recommendation measures beyond accuracy.

    Args:
        entries: the value of each measure, by the requested name.
        users: the users who received recommendations.
        bases: the size of the data by name: users, recommendations, items, catalogue, train.

    Example:
        >>> import carob
        >>> found = carob.beyond_accuracy({"u": ["a", "b"], "v": ["a", "c"]}, ["NumItems@1", "Personalisation"])
        >>> found["NumItems@1"], found["Personalisation"]
        (1.0, 0.5)
    """

    entries: dict[str, Value]
    users: tuple[Hashable, ...]
    bases: dict[str, int]

    def __getitem__(self, label: str) -> float:
        """Returns the value of a measure."""
        return self.of(label).value

    def __iter__(self) -> Iterator[str]:
        """Returns the requested names of the measures."""
        return iter(self.entries)

    def __len__(self) -> int:
        """Returns the number of measures."""
        return len(self.entries)

    def of(self, label: str) -> Value:
        """Returns the value of a measure, with the measure's full name.

        Raises:
            MeasureError: the measure was not requested.
        """
        for name, each in self.entries.items():
            if label in (name, each.measure.full):
                return each
        raise NotEvaluatedError(f"'{label}' was not requested. These measures were: {', '.join(self)}.")

    def by_user(self, label: str) -> dict[Hashable, float]:
        """Returns the value of each user, NaN if it is undefined.

        Raises:
            DataError: the measure has one value for all lists together.
        """
        users = self.of(label).users
        if users is None:
            raise DataError(f"{label} is one number for all lists together, so there are no values by user.")
        return dict(zip(self.users, users.tolist(), strict=True))

    def document(self, layout: str = "text") -> Document:
        """Returns a table, and a line with the size of the data."""
        del layout
        return Document([Section([Table(*self.table(), names=[0, 2]), Line(self.footer())])])

    def to_text(self, columns: int = COLUMNS) -> str:
        """Returns a table and a line with the size of the data, which is not folded."""
        del columns
        return f"{lay_out('text', *self.table(), [0, 2])}{self.footer()}"

    def records(self) -> dict[str, Callable[[], Records]]:
        """Returns the tables of ``measures``, and of ``users`` with a column for each measure of single users."""
        return {"measures": self.measure_records, "users": self.user_records}

    def measure_records(self) -> Records:
        """Returns a row for each measure."""
        rows = [(name, each.value, each.measure.full) for name, each in self.entries.items()]
        return Records(["measure", "value", "in_full"], rows)

    def user_records(self) -> Records:
        """Returns a row for each user."""
        columns = {name: each.users.tolist() for name, each in self.entries.items() if each.users is not None}
        return Records(["user", *columns], list(zip(self.users, *columns.values(), strict=True)))

    def beside(self) -> list[str]:
        """Returns the size of the data, which does not fit in CSV."""
        return [self.footer()]

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Returns the header, and a row for each measure."""
        rows = [
            [name, decimals(each.value, 4, undefined=NO_VALUE), each.measure.full]
            for name, each in self.entries.items()
        ]
        return ["measure", "value", "in full"], rows

    def footer(self) -> str:
        """Returns a line with the size of the data and the number of users without a value."""
        parts = [f"{count} {name}" for name, count in self.bases.items()]
        for name, each in self.entries.items():
            without = 0 if each.users is None else int(np.isnan(each.users).sum())
            if without:
                parts.append(f"{name} is undefined for {without} users, omitted from its mean")
        return " · ".join(parts)

    def contents(self) -> dict[str, Any]:
        """Returns all results by name."""
        return {
            "measures": {
                name: {"value": each.value, "in_full": each.measure.full}
                for name, each in self.entries.items()
            },
            "bases": self.bases,
            "carob": __version__,
        }
