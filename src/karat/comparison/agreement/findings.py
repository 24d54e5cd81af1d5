"""What an agreement of judges holds: their judgments, statistics, and what the choice of one does to systems."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from karat.output.errors import DataError, did_you_mean

if TYPE_CHECKING:
    from karat.comparison import Settings
    from karat.comparison.agreement.labels import Statistic
    from karat.comparison.agreement.pairing import Pairing
    from karat.comparison.agreement.systems import Effect
    from karat.evaluation.scores import Scores
    from karat.lists.rows import Floats

__all__ = ["Findings", "Judge"]


@dataclass(frozen=True)
class Judge:
    """One set of judgments.

    Args:
        name: the file, or what it was made from.
        judgments: how many there are.
        queries: of how many queries.
        mean: the mean grade.
    """

    name: str
    judgments: int
    queries: int
    mean: float


@dataclass(frozen=True, eq=False, repr=False)
class Findings:
    """What is known of two judges.

    Args:
        a: the first judge, the reference.
        b: the second.
        pairing: which documents both judged, and with which grades.
        grades: the scale.
        table: how many documents got which grade from the first (rows) and from the second (columns).
        tables: the same by query [queries, grades, grades].
        statistics: κ and the others, with intervals.
        kappas: the quadratic κ of each query, NaN where it is not defined.
        effects: by measure, what happens to the systems; empty without runs.
        settings: how pairs of systems were tested; None without.
        scores: of each system under the first judge, then under the second.
        pool: whose documents count as judged when systems are scored: each judge's ``own``, or those of ``both``.
        resamples: how many times queries were drawn.
        seed: of the draws.
    """

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
            DataError: there is none of that name.
        """
        for each in self.statistics:
            if each.name == name:
                return each
        names = [each.name for each in self.statistics]
        raise DataError(f"There is no statistic '{name}'. {did_you_mean(name, names, ', '.join(names))}")

    @property
    def shared(self) -> int:
        """How many documents both judged."""
        return len(self.pairing.a)
