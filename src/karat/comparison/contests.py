"""From scores to contests: all pairs under every measure, corrected for their number, and the letters that follow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from karat.comparison.deciding import FAMILY_WISE, corrected, letters
from karat.comparison.outcomes import Outcome, margins, outcome_of
from karat.comparison.result import Contest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from karat.comparison.observations import Table
    from karat.comparison.result import Settings
    from karat.rows import Integers
    from karat.scores import Scores

__all__ = ["contests_of"]


def contests_of(scores: Sequence[Scores], tables: Sequence[Table], settings: Settings) -> dict[str, Contest]:
    """A contest per measure."""
    first, second = pairs_of(len(scores), settings.baseline)
    outcomes = [outcome_of(table, first, second, settings)[0] for table in tables]
    correct_together(outcomes, settings)
    contests = {}
    for table, outcome in zip(tables, outcomes, strict=True):
        low, high = margins(table, settings)
        contests[table.label] = Contest(
            label=table.label,
            measure=table.measure,
            values=table.values,
            means=tuple(each[table.label] for each in scores),
            low=tuple(low.tolist()),
            high=tuple(high.tolist()),
            letters=letters(len(scores), outcome, settings.alpha),
            pairs=outcome.pairs(settings),
        )
    return contests


def pairs_of(runs: int, baseline: int | None) -> tuple[Integers, Integers]:
    """The places of both runs of every pair."""
    if baseline is None:
        one, other = np.triu_indices(runs, 1)
        return one.astype(np.int64), other.astype(np.int64)
    one = np.array([each for each in range(runs) if each != baseline], np.int64)
    return one, np.full(len(one), baseline, np.int64)


def correct_together(outcomes: Sequence[Outcome], settings: Settings) -> None:
    """Write the corrected p: each measure's comparisons are one family, or all measures' are."""
    family_wise = settings.test in FAMILY_WISE
    families = [list(outcomes)] if settings.family == "all" else [[each] for each in outcomes]
    for family in families:
        if family_wise:  # p holds for the pairs of its measure: what is left to correct for is the measures
            for each in family:
                each.adjusted[:] = np.minimum(1.0, each.adjusted * len(family))
            continue
        adjusted = corrected(np.concatenate([each.p for each in family]), settings.correction)
        for each, its in zip(family, np.split(adjusted, len(family)), strict=True):
            each.adjusted[:] = its
