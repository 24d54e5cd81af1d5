"""The values of measures beyond accuracy: for all users together, for each of them, and what they are based on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from karat._version import __version__
from karat.output.display import Display
from karat.output.errors import DataError, MeasureError
from karat.output.escaping import json_text
from karat.output.tables import lay_out

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from karat.lists.rows import Floats

__all__ = ["Beyond", "Value"]


@dataclass(frozen=True, eq=False, repr=False)
class Value:
    """One measure's value.

    Args:
        label: the name that was asked for.
        full: the name with every convention written out.
        sentence: what it is.
        value: over all users; NaN where it is undefined.
        users: each user's own, NaN where undefined; None for a measure of all lists together [users].
    """

    label: str
    full: str
    sentence: str
    value: float
    users: Floats | None


@dataclass(frozen=True, eq=False, repr=False)
class Beyond(Display):
    """Measures of recommendations beyond accuracy.

    Args:
        values: each measure's value.
        users: who was recommended something.
        bases: what the values rest on, by name: users, recommendations, items, catalogue, train.

    Example:
        >>> import karat
        >>> found = karat.beyond_accuracy({"u": ["a", "b"], "v": ["a", "c"]}, ["NumItems@1", "Personalisation"])
        >>> found["NumItems@1"], found["Personalisation"]
        (1.0, 0.5)
    """

    values: tuple[Value, ...]
    users: tuple[Hashable, ...]
    bases: dict[str, int]

    def __getitem__(self, label: str) -> float:
        """The value of a measure."""
        return self.of(label).value

    def __iter__(self) -> Iterator[str]:
        """The measures' names as they were asked for."""
        return iter(each.label for each in self.values)

    def keys(self) -> tuple[str, ...]:
        """The same, so that ``dict(found)`` gives the value of each."""
        return tuple(self)

    def of(self, label: str) -> Value:
        """A measure's value with its story.

        Raises:
            MeasureError: it was not asked for.
        """
        for each in self.values:
            if label in (each.label, each.full):
                return each
        raise MeasureError(f"'{label}' was not asked for; there are: {', '.join(self)}.")

    def by_user(self, label: str) -> dict[Hashable, float]:
        """Each user's value, NaN where it is undefined.

        Raises:
            DataError: the measure is of all lists together.
        """
        users = self.of(label).users
        if users is None:
            raise DataError(
                f"{label} is one number for all lists together: no user has a value of their own."
            )
        return dict(zip(self.users, users.tolist(), strict=True))

    def to_text(self, layout: str = "text") -> str:
        """A table and a line that says what the values rest on.

        Args:
            layout: ``text``, ``markdown``, ``latex``, ``csv`` or ``tsv``.
        """
        rows = [[each.label, f"{each.value:.4f}", each.full] for each in self.values]
        return lay_out(layout, ["measure", "value", "in full"], rows, [0, 2])

    def footer(self) -> str:
        """What the values rest on, and how many users have none of their own."""
        parts = [f"{count} {name}" for name, count in self.bases.items()]
        for each in self.values:
            without = 0 if each.users is None else int(np.isnan(each.users).sum())
            if without:
                parts.append(f"{each.label} is undefined for {without} users, left out of its mean")
        return " · ".join(parts)

    def __str__(self) -> str:
        """The table and the footer."""
        return f"{self.to_text()}{self.footer()}"

    def as_dict(self) -> dict[str, Any]:
        """Everything by name; undefined values are None."""
        return {
            "measures": {
                each.label: {"value": defined(each.value), "in_full": each.full} for each in self.values
            },
            "bases": self.bases,
            "karat": __version__,
        }

    def to_json(self) -> str:
        """Everything, numbers in full precision."""
        return json_text(self.as_dict()) + "\n"


def defined(value: float) -> float | None:
    """The number, or None for one that JSON cannot write."""
    return value if math.isfinite(value) else None
