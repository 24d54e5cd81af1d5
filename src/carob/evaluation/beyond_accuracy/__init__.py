"""Recommendation measures beyond accuracy, such as coverage, novelty and diversity."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict, cast, overload

from carob._dataclasses import dataclass, replace
from carob._numpy import np
from carob._version import __version__
from carob.conventions.policy import Policy
from carob.evaluation.beyond_accuracy.files import is_file
from carob.evaluation.beyond_accuracy.inputs import key_of, read, read_if_file
from carob.evaluation.evaluate import evaluate_run
from carob.evaluation.score_tables import NO_VALUE
from carob.evaluation.suspects import warned_of
from carob.inputs.columns import first_usual
from carob.inputs.frames import is_frame
from carob.inputs.qrels import Qrels
from carob.inputs.run import Run, names_apart
from carob.lists.recommended import add
from carob.measures import REGISTER, Measure
from carob.measures.names import names_in
from carob.output.document import Document, Documented, Line, Section, Table
from carob.output.errors import DataError, MeasureError, NotEvaluatedError
from carob.output.formats import lay_out
from carob.output.layout import COLUMNS, Listed, decimals
from carob.output.results import Records, as_warning

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

    from typing_extensions import Unpack

    from carob.conventions.request import MeasuresLike
    from carob.evaluation.beyond_accuracy.inputs import ItemsLike, UsersLike
    from carob.evaluation.scores import Scores
    from carob.lists.recommended import Recommended
    from carob.lists.rows import Floats

SeveralRuns: TypeAlias = (
    "list[str] | list[Run] | list[os.PathLike[str]] | tuple[str | os.PathLike[str] | Run, ...]"
)
FeaturesLike: TypeAlias = "Mapping[Any, Sequence[float]] | str | os.PathLike[str]"


class GivenInputs(TypedDict, total=False):
    """The keyword arguments of ``beyond_accuracy``."""

    train: UsersLike | None
    catalogue: ItemsLike | None
    relevant: UsersLike | None
    baseline: UsersLike | None
    features: FeaturesLike | None
    distances: Mapping[Any, float] | None
    depth: int | None
    exclude: UsersLike | None
    policy: Policy | None


@overload
def beyond_accuracy(
    recommended: SeveralRuns, measures: MeasuresLike = ..., **given: Unpack[GivenInputs]
) -> BeyondByRun: ...


@overload
def beyond_accuracy(
    recommended: UsersLike, measures: MeasuresLike = ..., **given: Unpack[GivenInputs]
) -> Beyond: ...


def beyond_accuracy(
    recommended: UsersLike,
    measures: MeasuresLike = None,
    *,
    train: UsersLike | None = None,
    catalogue: ItemsLike | None = None,
    relevant: UsersLike | None = None,
    baseline: UsersLike | None = None,
    features: FeaturesLike | None = None,
    distances: Mapping[Any, float] | None = None,
    depth: int | None = None,
    exclude: UsersLike | None = None,
    policy: Policy | None = None,
) -> Beyond | BeyondByRun:
    """Measure recommendations beyond accuracy: coverage, evenness, novelty, diversity, surprise.

    The name of a measure states its conventions: ``Gini(of=train, scale=n-1)@10``. ``docs/recommendation.md`` lists the
    conventions of each library. With ``relevant``, the table can also contain measures of accuracy such as ``nDCG@10``.

    Args:
        recommended: ``{user: [item, …]}``, best first; ``{user: {item: score}}``; or columns, as a dict or a data frame
            of pandas, Polars, Arrow …: user_id and item_id, with a rank or score column, or with rows in rank order. A
            run is also accepted, as in ``evaluate``: a path, bytes or a ``Run``. Pass several recommenders as
            ``{name: run or frame}`` or as a list.
        measures: names or ``Measure`` objects; if None, all measures beyond accuracy that the inputs support.
        train: the users' earlier interactions, in the same forms as ``recommended`` and in any order, with a row for
            each interaction; or the path of a table with columns user_id and item_id, or of a file with lines
            ``user item``.
        catalogue: every item that can be recommended, as a list, a frame, or the path of a file with one item per line
            or row.
        relevant: the items that users chose afterwards, in the same forms as ``recommended``, or qrels as in
            ``evaluate``. In a column of grades or in ``{user: {item: grade}}``, a grade of 0 or less means that the
            item is not relevant.
        baseline: the lists of a simpler recommender, in the form of ``recommended``.
        features: ``{item: [number, …]}``; or a frame or the path of a table whose rows contain an item, numbers, and
            words such as ``Drama|Horror``.
        distances: ``{(item, item): distance}``, each pair once, for ``ILD(distance=given)``.
        depth: the number of items of each list to use for measures whose names contain no ``@``.
        exclude: the items to remove from each user's list before ranking, in the form of ``train``; often the same data
            as ``train``.
        policy: how to treat ties, repeated documents and bad lines of files, and how ``evaluate`` measures accuracy.

    Returns:
        The values; for several runs, a mapping from each run's name to its values.

    Raises:
        DataError: an input cannot be used, or an input that a measure needs was not given.
        MeasureError: a measure does not exist.

    Example:
        >>> import carob
        >>> recommended = {"u": ["a", "b"], "v": ["a", "c"]}
        >>> train = {"u": ["a", "d"], "v": ["b"]}
        >>> print(carob.beyond_accuracy(recommended, ["Coverage", "Novelty@1"], train=train, catalogue=list("abcd")))
        measure     value  in full
        Coverage   0.7500  Coverage(of=catalogue, counting=inside)
        Novelty@1  1.0000  Novelty(of=users, scale=none, cold=one, mean=users, over=listed)@1
        2 users · 4 recommendations · 3 items · 4 in catalogue · 2 train users · 3 train interactions
    """
    if depth is not None and depth < 1:
        raise MeasureError(f"depth is a whole number of at least 1, not {depth}.")
    rules = policy or Policy()
    given = {
        "train": train,
        "catalogue": catalogue,
        "relevant": relevant,
        "baseline": baseline,
        "features": features,
        "distances": distances,
        "exclude": exclude,
    }
    runs = several_in(recommended)
    if runs is None:
        return measured(recommended, measures, depth, rules, given)
    once = {what: read_if_file(what, each, rules) for what, each in given.items()}
    return BeyondByRun({name: measured(run, measures, depth, rules, once) for name, run in runs.items()})


def measured(
    recommended: UsersLike, measures: MeasuresLike, depth: int | None, rules: Policy, inputs: dict[str, Any]
) -> Beyond:
    """Returns the values of one recommender's lists.

    Args:
        recommended: the lists.
        measures: as in ``beyond_accuracy``.
        depth: as in ``beyond_accuracy``.
        rules: the policy.
        inputs: the other inputs of ``beyond_accuracy``, by name.
    """
    given = read(recommended, rules, **inputs)
    asked = {name: measure_of(name, depth) for name in names_of(measures, given)}
    judged = {name: each for name, each in asked.items() if each.definition.takes != "recommendations"}
    accuracy = accuracy_scores(judged, given, rules) if judged else None
    entries = {
        name: value_of(measure, given)
        if name not in judged or accuracy is None
        else accuracy_of(measure, given, accuracy)
        for name, measure in asked.items()
    }
    doubts = given.doubts if accuracy is None else (*given.doubts, *accuracy.warnings)
    footer = "" if accuracy is None else accuracy.footer()
    return Beyond(entries, given.users, bases_of(given), footer, warnings=warned_of(doubts))


def several_in(recommended: UsersLike) -> dict[str, Any] | None:
    """Returns the lists of several recommenders by name, each a file or a frame, or None for a single recommender."""
    if isinstance(recommended, (list, tuple)):
        if not recommended or not all(is_file(each) or is_frame(each) for each in recommended):
            return None
        runs = [each if is_frame(each) else Run.of(each) for each in recommended]
        named = [
            SimpleNamespace(name=f"run {number}") if is_frame(each) else each
            for number, each in enumerate(runs, 1)
        ]
        return dict(zip(names_apart(named), runs, strict=True))
    if (
        not isinstance(recommended, Mapping)
        or not recommended
        or len(first_usual(list(recommended), ("query", "document"))) == 2
        or not all(
            is_frame(each) or (is_file(each) and (not isinstance(each, str) or os.path.exists(each)))
            for each in recommended.values()
        )
    ):
        return None
    return {
        str(name): each if is_frame(each) else Run.of(each, str(name)) for name, each in recommended.items()
    }


def measure_of(name: str, depth: int | None) -> Measure:
    """Returns a measure by its name, cut at ``depth`` if the name has no depth.

    Raises:
        MeasureError: the measure does not exist.
    """
    measure = Measure.parse(name)
    return measure if measure.depth is not None or depth is None else measure @ depth


def value_of(measure: Measure, given: Recommended) -> Value:
    """Returns the value of a measure beyond accuracy.

    Raises:
        DataError: an input that the measure needs was not given.
    """
    found: Any = measure.values(cast("Any", replace(given, measure=str(measure))))
    if not isinstance(found, np.ndarray):
        return Value(measure, float(found), None)
    known = found[~np.isnan(found)]
    return Value(measure, float(known.mean()) if len(known) else float("nan"), found)


def accuracy_scores(measures: Mapping[str, Measure], given: Recommended, policy: Policy) -> Scores:
    """Returns the scores by measures of judged documents, with users as queries and items as documents.

    Raises:
        DataError: there are no relevant items, or a relevant item has two grades.
    """
    if given.judged is None:
        raise DataError(
            f"{next(iter(measures))} measures accuracy, which needs relevant items, but none were passed: "
            f"{add('relevant')}."
        )
    users, items = ([str(key_of(each)) for each in names] for names in (given.everyone, given.items))
    judged: dict[str, dict[str, float]] = {}
    lists: dict[str, dict[str, float]] = {user: {} for user in users[: len(given.users)]}
    rows = given.judged.pairs
    for user, item, grade in zip(rows.user.tolist(), rows.item.tolist(), given.judged.grade.tolist()):
        if judged.setdefault(users[user], {}).setdefault(items[item], grade) != grade:
            raise DataError(
                f"relevant: two grades are listed for item {items[item]!r} and user {users[user]!r}. Remove one."
            )
    for user, item, rank in zip(given.rows.user.tolist(), given.rows.item.tolist(), given.rank.tolist()):
        lists[users[user]][items[item]] = -float(rank)
    names = list(dict.fromkeys(map(str, measures.values())))
    qrels = replace(Qrels.of(judged), name="relevant")
    return evaluate_run(qrels, lists, names, policy=policy, name="recommended", bounds=False, quiet=True)


def accuracy_of(measure: Measure, given: Recommended, scores: Scores) -> Value:
    """Returns a measure of judged documents: its mean, and the value of each user, NaN if no item is relevant."""
    own = scores.by_query(str(measure))
    values = [own.get(str(key_of(each)), float("nan")) for each in given.users]
    return Value(measure, scores[str(measure)], np.array(values))


def names_of(measures: MeasuresLike, given: Recommended) -> list[str]:
    """Returns the requested measure names or, without a request, the names of all measures that the inputs support.

    Raises:
        DataError: an empty list of measures was requested, or the inputs support no measure.
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
            "The list of measures is empty: pass at least one, such as Coverage, or omit the argument to compute "
            "all measures."
        )
    return list(found)


def bases_of(given: Recommended) -> dict[str, int]:
    """Returns the number of users, items and rows in each input."""
    train, chosen = given.train, given.relevant
    bases = {
        "users": len(given.users),
        "recommendations": len(given.rows.user),
        "items": len(np.unique(given.rows.item)),
        "excluded": given.excluded,
        "users with equal scores": given.tied or None,
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
        value: the value over all users; NaN if it is undefined.
        users: each user's value, NaN if undefined; None for a measure of all lists together [users].
    """

    measure: Measure
    value: float
    users: Floats | None


def row_of(name: object, values: Iterable[float]) -> list[str]:
    """Returns a row of a table: a label, then the values."""
    return [str(name), *(decimals(each, 4, undefined=NO_VALUE) for each in values)]


@dataclass(frozen=True, eq=False, repr=False)
class Beyond(Documented, Listed[float]):
    """The values of recommendation measures beyond accuracy.

    Args:
        entries: the value of each measure, by the requested name.
        users: the users who received recommendations.
        bases: the size of each part of the data: users, recommendations, items, catalogue, train.
        accuracy: the footer for the measures of judged documents; empty if there are no such measures.
        every_user: whether text and JSON contain the values of each user.
        warnings: sentences that say why the values are doubtful.

    Example:
        >>> import carob
        >>> found = carob.beyond_accuracy({"u": ["a", "b"], "v": ["a", "c"]}, ["NumItems@1", "Personalisation"])
        >>> found["NumItems@1"], found["Personalisation"]
        (1.0, 0.5)
    """

    entries: dict[str, Value]
    users: tuple[Hashable, ...]
    bases: dict[str, int]
    accuracy: str = ""
    every_user: bool = False
    warnings: tuple[str, ...] = ()

    def with_users(self) -> Beyond:
        """Returns a copy that also shows the values of each user in text and JSON."""
        return replace(self, every_user=True)

    def __getitem__(self, label: str) -> float:
        """Returns the value of a measure."""
        return self.of(label).value

    def __iter__(self) -> Iterator[str]:
        """Iterates over the names of the measures, as requested."""
        return iter(self.entries)

    def __len__(self) -> int:
        """Returns the number of measures."""
        return len(self.entries)

    def of(self, label: str) -> Value:
        """Returns the overall value of a measure, its values by user, and the measure with its full name.

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
            raise DataError(f"{label} is computed over all lists together, so it has no per-user values.")
        return dict(zip(self.users, users.tolist(), strict=True))

    def by_users(self) -> dict[str, dict[str, float]]:
        """Returns the values of all users by measure, for each measure that is computed per user."""
        return {
            name: {str(user): value for user, value in self.by_user(name).items()}
            for name, each in self.entries.items()
            if each.users is not None
        }

    def document(self, _layout: str = "text", /) -> Document:
        """Returns a table, and a line with the size of the data."""
        lines = map(Line, self.beside())
        users = [self.user_table()] if self.every_user else []
        return Document([Section([Table(*self.table(), names=[0, 2]), *users, *lines])])

    def to_text(self, columns: int = COLUMNS) -> str:
        """Returns a table and a line with the size of the data; the line is not wrapped."""
        if self.every_user:
            return self.document().text(columns)
        return lay_out("text", *self.table(), [0, 2]) + "\n".join(self.beside())

    def records(self) -> dict[str, Callable[[], Records]]:
        """Returns the table ``measures``, and the table ``users`` with a column for each measure computed per user."""
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
        """Returns the size of the data and the decisions about accuracy, which do not fit in CSV."""
        return [self.footer(), *filter(None, [self.accuracy])]

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Returns the header, and a row for each measure."""
        rows = [[*row_of(name, [each.value]), each.measure.full] for name, each in self.entries.items()]
        return ["measure", "value", "in full"], rows

    def user_table(self) -> Table:
        """Returns a row for each user, with the values of the measures that are computed per user."""
        records = self.user_records()
        return Table(list(records.names), [row_of(user, its) for user, *its in records.rows], names=[0])

    def footer(self) -> str:
        """Returns a line with the size of the data and the number of users without a value."""
        parts = [f"{count} {name}" for name, count in self.bases.items()]
        for name, each in self.entries.items():
            without = 0 if each.users is None else int(np.isnan(each.users).sum())
            if without and each.measure.definition.takes == "recommendations":
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
            **({"accuracy": self.accuracy} if self.accuracy else {}),
            **({"users": self.by_users()} if self.every_user else {}),
            "warnings": list(map(as_warning, self.warnings)),
            "carob": __version__,
        }


@dataclass(frozen=True, eq=False, repr=False)
class BeyondByRun(Documented, Listed[Beyond]):
    """The values of recommendation measures for several recommenders.

    Args:
        runs: the values of each run, by its name.
    """

    runs: dict[str, Beyond]

    def with_users(self) -> BeyondByRun:
        """Returns a copy that also shows the values of each user in text and JSON."""
        return BeyondByRun({run: each.with_users() for run, each in self.runs.items()})

    def __getitem__(self, name: str) -> Beyond:
        """Returns the values of a run."""
        return self.runs[name]

    def __iter__(self) -> Iterator[str]:
        """Returns the names of the runs."""
        return iter(self.runs)

    def __len__(self) -> int:
        """Returns the number of runs."""
        return len(self.runs)

    def document(self, _layout: str = "text", /) -> Document:
        """Returns a table with a row for each run, the meaning of its columns, and the size of the data."""
        first = next(iter(self.runs.values()))
        rows = [row_of(run, its.values()) for run, its in self.runs.items()]
        full = [f"{name}: {each.measure.full}" for name, each in first.entries.items()]
        table = Table(["run", *first], rows, names=[0])
        users = [Section([each.user_table()], run) for run, each in self.runs.items() if each.every_user]
        return Document([Section([table, *map(Line, [*full, *self.beside()])]), *users])

    def records(self) -> dict[str, Callable[[], Records]]:
        """Returns the tables of all runs, with the name of the run in each row."""

        def together(what: str) -> Records:
            its = {run: each.records()[what]() for run, each in self.runs.items()}
            names = next(iter(its.values())).names
            return Records(["run", *names], [[run, *row] for run, each in its.items() for row in each.rows])

        return {what: partial(together, what) for what in ("measures", "users")}

    def beside(self) -> list[str]:
        """Returns the size of each run's data, or a single copy if the lines of all runs are equal."""
        lines = {run: each.beside() for run, each in self.runs.items()}
        own = list(lines.values())
        if all(each == own[0] for each in own):
            return own[0]
        return [f"{run}: {line}" for run, its in lines.items() for line in its]

    def contents(self) -> dict[str, Any]:
        """Returns all results by name."""
        return {
            "runs": {run: each.contents() for run, each in self.runs.items()},
            "carob": __version__,
        }
