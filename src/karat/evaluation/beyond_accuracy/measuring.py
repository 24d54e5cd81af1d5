"""Recommendations in, measures beyond accuracy out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.evaluation.beyond_accuracy import known, likeness, shown
from karat.evaluation.beyond_accuracy.define import parse
from karat.evaluation.beyond_accuracy.inputs import read
from karat.evaluation.beyond_accuracy.result import Beyond, Value
from karat.measures.names import split_names
from karat.output.errors import DataError, MeasureError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from karat.evaluation.beyond_accuracy.inputs import ItemsLike, Recommended, UsersLike

__all__ = ["beyond_accuracy"]

del known, likeness, shown  # imported so that their measures are enrolled

ALWAYS = ("NumItems", "Entropy", "Personalisation")
WITH = {
    "catalogue": ("Coverage", "Gini"),
    "train": ("Novelty", "Popularity", "Unseen", "Unexpectedness"),
    "features": ("ILD",),
}
"""What is measured if nobody says: all that the inputs allow for."""


def beyond_accuracy(
    recommended: UsersLike,
    measures: str | Iterable[str] | None = None,
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
    """Measure recommendations by what accuracy does not see: coverage, evenness, novelty, variety, surprise.

    Each measure's conventions stand in its name: ``Gini(of=train, scale=n-1)@10``. ``docs/recommendation.md`` says
    which library means which.

    Args:
        recommended: ``{user: [item, …]}``, best first; ``{user: {item: score}}``; or columns, as a dict or a data
            frame of pandas, Polars, Arrow …: user_id and item_id, with rank or score, or in rank order.
        measures: names; all that the inputs allow for if None.
        train: what users had before, in the same forms, in any order; a row for each interaction.
        catalogue: every item that can be recommended.
        relevant: what users took up afterwards, in the same forms.
        baseline: the lists of a simpler recommender, as ``recommended``.
        features: ``{item: [number, …]}``.
        distances: ``{(item, item): distance}``, each pair once, for ``ILD(distance=given)``.
        depth: how many items of each list, for measures whose names have no ``@``.
        exclude: what is taken out of the lists before ranks are counted, as ``train``, often the same.

    Raises:
        DataError: an input that cannot be used, or that a measure needs and that was not given.
        MeasureError: a measure that does not exist.

    Example:
        >>> import karat
        >>> recommended = {"u": ["a", "b"], "v": ["a", "c"]}
        >>> train = {"u": ["a", "d"], "v": ["b"]}
        >>> print(karat.beyond_accuracy(recommended, ["Coverage", "Novelty@1"], train=train, catalogue="abcd"))
        measure     value  in full
        Coverage   0.7500  Coverage(of=catalogue, counting=inside)
        Novelty@1  1.0000  Novelty(of=users, scale=none, cold=one, mean=users, over=listed)@1
        2 users · 4 recommendations · 3 items · 4 in catalogue · 2 train users · 3 train interactions
    """
    if depth is not None and depth < 1:
        raise MeasureError(f"depth is a whole number from 1 on, not {depth}.")
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
    asked = names_of(measures, given)
    values = []
    for name in asked:
        wanted = parse(name, depth)
        found = wanted(given)
        users = found if isinstance(found, np.ndarray) else None
        values.append(Value(name, wanted.full, wanted.entry.sentence, mean_of(found), users))
    return Beyond(tuple(values), given.users, bases_of(given))


def names_of(measures: str | Iterable[str] | None, given: Recommended) -> list[str]:
    """The names asked for, or of all that the inputs allow for.

    Raises:
        DataError: none.
    """
    if measures is None:
        more = [name for what, names in WITH.items() if getattr(given, what) is not None for name in names]
        return [*ALWAYS, *more]
    names = [measures] if isinstance(measures, str) else list(measures)
    found = [part for name in names for part in split_names(name)]
    if not found:
        raise DataError("No measure was asked for.")
    return list(dict.fromkeys(found))


def mean_of(found: Any) -> float:
    """The number itself, or the mean over the users for whom it is defined."""
    if not isinstance(found, np.ndarray):
        return float(found)
    there = found[~np.isnan(found)]
    return float(there.mean()) if len(there) else float("nan")


def bases_of(given: Recommended) -> dict[str, int]:
    """How many of everything there are."""
    bases = {
        "users": len(given.users),
        "recommendations": len(given.rows.user),
        "items": len(np.unique(given.rows.item)),
    }
    if given.excluded:
        bases["excluded"] = given.excluded
    if given.catalogue is not None:
        bases["in catalogue"] = int(given.catalogue.sum())
    if given.train is not None:
        bases["train users"] = len(np.unique(given.train.user))
        bases["train interactions"] = len(given.train.user)
    if given.relevant is not None:
        bases["relevant pairs"] = len(given.relevant.user)
    return bases
