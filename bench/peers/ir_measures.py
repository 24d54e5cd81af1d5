"""ir_measures, a common notation for measures on top of several evaluators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

label = "ir_measures"


def prepare(qrels: Path, run: Path) -> tuple[Any, Any]:
    """Returns the generators of its readers, which its evaluation consumes."""
    import ir_measures

    return ir_measures.read_trec_qrels(str(qrels)), ir_measures.read_trec_run(str(run))


def run(qrels: Any, run: Any) -> list[float]:
    """The means."""
    import ir_measures
    from ir_measures import AP, RR, P, R, nDCG

    asked = [AP, RR, nDCG @ 10, nDCG, P @ 10, R @ 1000]
    means = ir_measures.calc_aggregate(asked, qrels, run)
    return [means[each] for each in asked]
