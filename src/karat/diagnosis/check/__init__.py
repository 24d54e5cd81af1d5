"""The data doctor: what is wrong with judgments and runs, what it does to the numbers, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from karat.diagnosis.check.examining import examined
from karat.diagnosis.check.finding import KINDS, Finding, Kind
from karat.diagnosis.check.inputs import Files
from karat.diagnosis.check.result import Check

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from karat.measures import Measure

__all__ = ["KINDS", "Check", "Finding", "Kind", "check"]


def check(
    qrels: Any,
    *runs: Any,
    measures: Iterable[str | Measure] = ("AP", "nDCG@10"),
    qrels_columns: Mapping[str, str] | None = None,
    run_columns: Mapping[str, str] | None = None,
    folders: str | None = None,
) -> Check:
    """Look for what is wrong with judgments and runs, and say what it does to the numbers.

    Nothing stops a check: what cannot be read is a finding, and the rest is looked at.

    Args:
        qrels: judgments as ``karat.evaluate`` takes them: a path, bytes, an open binary file, a ``Qrels``, or
            ``{query: {document: grade}}``.
        runs: any number of runs, each as ``karat.evaluate`` takes them; or one ``{name: run}`` or list of them.
        measures: in which the effects are told.
        qrels_columns: columns of a table of judgments by what they are, as ``Qrels.of`` takes them, where it is a path.
        run_columns: the same of runs.
        folders: what files in several folders are, as there.

    Returns:
        The findings, the worst first.

    Raises:
        MeasureError: a measure that does not exist.

    Example:
        >>> import karat
        >>> qrels = {"q1": {"d1": 1, "d2": 0}}
        >>> print(karat.check(qrels, {"01": {"d1": 2.0, "d2": 1.0}}).findings[0].what)
        written otherwise than in the judgments: 1 query of 1
    """
    files = Files({"qrels": dict(qrels_columns or {}), "run": dict(run_columns or {})}, folders)
    return examined(qrels, runs, measures, files)
