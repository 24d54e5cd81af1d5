"""From scores to contests: all pairs under every measure, corrected for their number, and the letters that follow."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from karat.comparison.deciding import corrected, letters
from karat.comparison.findings import FAMILY_WISE, Contest, Stratum
from karat.comparison.joint import join
from karat.comparison.outcomes import Outcome, margins, outcome_of
from karat.comparison.statistics import anova
from karat.inputs.parallel import available_cores, side_by_side

if TYPE_CHECKING:
    from collections.abc import Sequence

    from karat.comparison.findings import Settings
    from karat.comparison.observations import Table
    from karat.comparison.statistics import Anova
    from karat.inputs.query_files import Groups
    from karat.lists.rows import Integers

__all__ = ["contests_of"]

LIMIT = "So many scores were not permuted: p is from the limit of the permutation distribution, a range of normals."


def contests_of(
    tables: Sequence[Table], settings: Settings, groups: Groups | None
) -> tuple[dict[str, Contest], Settings]:
    """A contest per measure, and the settings with a note on what was done otherwise than asked."""
    runs = tables[0].values.shape[1]
    first, second = pairs_of(runs, settings.baseline)
    # Measures do not know of each other, and each draws the same stream: threads change nothing but the time.
    threads = min(len(tables), available_cores())
    found = list(side_by_side(lambda table: outcome_of(table, first, second, settings), tables, threads))
    outcomes = [outcome for outcome, _ in found]
    if any(limit for _, limit in found):
        settings = replace(settings, notes=(*settings.notes, LIMIT))
    correct_together(outcomes, settings)
    contests = {}
    for table, outcome in zip(tables, outcomes, strict=True):
        join(outcome, settings, geometric=table.geometric)
        low, high = margins(table, settings)
        contests[table.label] = Contest(
            label=table.label,
            measure=table.measure,
            values=table.values,
            means=table.means,
            low=tuple(low.tolist()),
            high=tuple(high.tolist()),
            letters=letters(runs, outcome, settings.alpha, table.sign),
            pairs=outcome.pairs(settings),
            strata=() if groups is None else strata_of(table, first, second, settings, groups),
            anova=variance_of(table),
            smaller_is_better=table.sign < 0,
        )
    return contests, settings


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


def strata_of(
    table: Table, first: Integers, second: Integers, settings: Settings, groups: Groups
) -> tuple[Stratum, ...]:
    """The contest within each group of queries: described by the t-test, and not corrected."""
    plain = replace(settings, test="t", correction="none")
    found = []
    for code, name in enumerate(groups.names):
        part = table.part(groups.codes == code)
        outcome, _ = outcome_of(part, first, second, plain)
        outcome.adjusted[:] = outcome.p
        found.append(Stratum(name, len(part.values), part.means, outcome.pairs(plain)))
    return tuple(found)


def variance_of(table: Table) -> Anova | None:
    """The analysis of variance of three runs or more on the same queries."""
    queries, runs = table.values.shape
    if runs < 3 or queries < 2 or np.isnan(table.values).any():
        return None
    return anova(table.observed())
