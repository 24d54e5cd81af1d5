"""``karat.compare``: judgments and runs in, a comparison out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.comparison.contests import contests_of
from karat.comparison.deciding import place_of, settled
from karat.comparison.observations import tables_of
from karat.comparison.result import Comparison, Settings
from karat.comparison.systems import RunsLike, evaluated, named
from karat.significance.signs import SEED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from karat import _native
    from karat.evaluate import MeasuresLike
    from karat.policy import Policy
    from karat.tables import QrelsLike

__all__ = ["compare"]


def compare(
    qrels: QrelsLike | None,
    runs: RunsLike,
    measures: MeasuresLike = None,
    *,
    baseline: str | int | None = None,
    test: str | None = None,
    correction: str | None = None,
    alpha: float = 0.05,
    resamples: int | None = None,
    seed: int | None = None,
    policy: Policy | None = None,
    profile: str | None = None,
    weights: Mapping[str, float] | None = None,
    family: str = "measure",
    judged_at: int | None = None,
    progress: _native.Progress | None = None,
) -> Comparison:
    """Compare runs: which is better, by how much, and could it be chance?"""
    found = named(runs)
    systems, depth, qrels_name = evaluated(
        qrels,
        found,
        measures,
        policy=policy,
        profile=profile,
        weights=weights,
        judged_at=judged_at,
        progress=progress,
    )
    names = tuple(found)
    scores = tuple(each.scores for each in systems)
    asked = Settings(
        test=test or "",
        correction=correction or "",
        alpha=alpha,
        family=family,
        comparisons=0,
        resamples=resamples or 0,
        seed=SEED if seed is None else seed,
        baseline=place_of(baseline, names, list(found.values())),
    )
    settings = settled(asked, len(names), len(scores[0].labels))
    queries, tables = tables_of(scores)
    contests = contests_of(scores, tables, settings)
    return Comparison(
        names=names,
        scores=scores,
        labels=scores[0].labels,
        queries=queries,
        contests=contests,
        settings=settings,
        judged=tuple(each.judged for each in systems),
        judged_depth=depth,
        qrels_name=qrels_name,
    )
