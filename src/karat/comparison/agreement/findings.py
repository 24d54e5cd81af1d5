"""The data of an agreement: two judges, their shared documents, the coefficients, and the effect on systems."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from karat.output.errors import DataError, did_you_mean

if TYPE_CHECKING:
    from karat.comparison import Settings
    from karat.evaluation.scores import Scores
    from karat.lists.rows import Floats, Integers

__all__ = ["TOP", "Effect", "Findings", "Judge", "Pairing", "Statistic"]

TOP = 10
"""The number of best systems that are compared separately, since judges differ most there."""


@dataclass(frozen=True)
class Judge:
    """A judge: one set of judgments.

    Args:
        name: the name of the qrels.
        judgments: the number of judgments.
        queries: the number of queries.
        mean: the mean grade.
    """

    name: str
    judgments: int
    queries: int
    mean: float


@dataclass(frozen=True, eq=False, repr=False)
class Findings:
    """The data of an agreement of two judges; its fields are those of ``karat.Agreement``."""

    a: Judge
    b: Judge
    pairing: Pairing
    grades: tuple[float, ...]
    table: Floats
    tables: Floats = field(repr=False)
    statistics: tuple[Statistic, ...]
    kappas: Floats
    effects: tuple[Effect, ...]
    settings: Settings | None
    scores: tuple[Scores, ...] = field(repr=False)
    pool: str
    resamples: int
    seed: int

    def __getitem__(self, name: str) -> Statistic:
        """A statistic by its name.

        Raises:
            DataError: there is no statistic of that name.
        """
        for each in self.statistics:
            if each.name == name:
                return each
        names = [each.name for each in self.statistics]
        raise DataError(f"There is no statistic '{name}'. {did_you_mean(name, names, ', '.join(names))}")

    @property
    def shared(self) -> int:
        """The number of documents that both judged."""
        return len(self.pairing.a)


@dataclass(frozen=True, eq=False)
class Pairing:
    """The grades of two judges, side by side.

    Args:
        queries: those that both judged, in byte order.
        a: the first judge's grades of the documents that both judged, query by query.
        b: the second judge's.
        query: the index of each such document's query.
        documents: their ids.
        only_a: documents that only the first judged, in queries that both did.
        only_b: documents that only the second judged there.
        queries_a: queries that only the first judged.
        queries_b: queries that only the second judged.
        negative: judgments with a negative grade, which means unjudged.
    """

    queries: tuple[str, ...]
    a: Floats
    b: Floats
    query: Integers
    documents: list[bytes] = field(repr=False)
    only_a: int
    only_b: int
    queries_a: tuple[str, ...]
    queries_b: tuple[str, ...]
    negative: int


@dataclass(frozen=True)
class Statistic:
    """A coefficient of agreement with its 95 % interval over queries.

    Args:
        name: of the coefficient.
        value: over all documents that both judged.
        low: the lower end; NaN where there is none.
        high: the upper end.
    """

    name: str
    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Effect:
    """One measure under both judges.

    Args:
        label: the measure.
        names: the systems.
        a: their means under the first judge.
        b: their means under the second.
        ranks_a: their ranks under the first, equal means the same.
        ranks_b: their ranks under the second.
        tau: Kendall's τ_b between both orders; NaN for one system.
        tau_low: the lower end of its 95 % bootstrap interval over queries; NaN where there is none.
        tau_high: the upper end.
        tau_ap: τ_AP with the first judge's order as the true one: a swap near the top costs more.
        tau_top: τ_b among the first judge's ten best; NaN where there are at most ten.
        top_kept: the number of those among the second judge's ten best.
        flips: pairs of systems that the judges put in opposite orders.
        kept: pairs that differ significantly, the same way, under both; the better system first.
        lost: pairs that differ significantly under the first judge only.
        gained: pairs that differ significantly under the second judge only.
        reversed: pairs that differ significantly under both, in opposite directions; the first judge's better one
        first.
    """

    label: str
    names: tuple[str, ...]
    a: tuple[float, ...]
    b: tuple[float, ...]
    ranks_a: tuple[int, ...]
    ranks_b: tuple[int, ...]
    tau: float
    tau_low: float
    tau_high: float
    tau_ap: float
    tau_top: float
    top_kept: int
    flips: tuple[tuple[str, str], ...]
    kept: tuple[tuple[str, str], ...] = ()
    lost: tuple[tuple[str, str], ...] = ()
    gained: tuple[tuple[str, str], ...] = ()
    reversed: tuple[tuple[str, str], ...] = ()

    @property
    def pairs(self) -> int:
        """The number of pairs of systems."""
        return len(self.names) * (len(self.names) - 1) // 2

    @property
    def significant(self) -> int:
        """The number of pairs that differ significantly under the first judge."""
        return len(self.kept) + len(self.lost) + len(self.reversed)

    @property
    def moved(self) -> tuple[str, int, int]:
        """The system whose rank changes most, with its ranks under both judges."""
        place = max(range(len(self.names)), key=lambda each: abs(self.ranks_a[each] - self.ranks_b[each]))
        return self.names[place], self.ranks_a[place], self.ranks_b[place]
