"""What is known of two judges, and the ways to show it."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from karat._version import __version__
from karat.comparison.agreement import wording
from karat.comparison.agreement.findings import Findings
from karat.evaluation.scores import first_installed
from karat.output.display import Display
from karat.output.errors import DataError
from karat.output.escaping import json_text

__all__ = ["Agreement"]

FRAMES = ("queries", "statistics", "systems")


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Display, Findings):
    """How far two judges agree, and what the choice of one does to systems; ``str()`` of it is the whole answer.

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

    def to_text(self, columns: int = wording.COLUMNS) -> str:
        """Everything; the first two lines answer whether grades and orders agree.

        Args:
            columns: how wide a line may be.
        """
        return wording.text(self, columns)

    def to_markdown(self) -> str:
        """The same as Markdown."""
        return wording.markdown(self)

    def to_json(self) -> str:
        """Everything, numbers in full precision, undefined ones as null."""
        return json_text(defined(self.as_dict())) + "\n"

    def as_dict(self) -> dict[str, Any]:
        """Everything by name."""
        pairing = self.pairing
        return {
            "a": asdict(self.a),
            "b": asdict(self.b),
            "documents": {"both": self.shared, "only_a": pairing.only_a, "only_b": pairing.only_b},
            "queries": {
                "both": list(pairing.queries),
                "only_a": list(pairing.queries_a),
                "only_b": list(pairing.queries_b),
            },
            "grades": list(self.grades),
            "confusion": self.table.astype(int).tolist(),
            "statistics": {
                each.name: {"value": each.value, "low": each.low, "high": each.high}
                for each in self.statistics
            },
            "kappa_by_query": dict(zip(pairing.queries, self.kappas.tolist(), strict=True)),
            "systems": {each.label: asdict(each) for each in self.effects},
            "test": None if self.settings is None else asdict(self.settings),
            "pool": self.pool,
            "resamples": self.resamples,
            "seed": self.seed,
            "karat": __version__,
        }

    def to_frame(self, what: str = "queries", backend: str | None = None) -> Any:
        """A data frame.

        Args:
            what: ``queries``, a row each with how many documents both judged, the share of equal grades, the mean of
                B less A, and the quadratic κ; ``statistics``, a row each with its interval; ``systems``, a row for each
                measure and system with its mean and rank under both.
            backend: ``pandas``, ``polars``, ``pyarrow`` …; the first of these that is installed, if None.

        Raises:
            DataError: no such frame, or no data frame library.
        """
        import narwhals as nw

        makers = {
            "queries": self.query_columns,
            "statistics": self.statistic_columns,
            "systems": self.system_columns,
        }
        if what not in makers:
            raise DataError(f"There is no frame '{what}': it is one of {', '.join(FRAMES)}.")
        library: Any = backend or first_installed()
        return nw.from_dict(makers[what](), backend=library).to_native()

    def query_columns(self) -> dict[str, list[Any]]:
        """The columns of a frame of queries."""
        count = len(self.pairing.queries)
        documents = np.bincount(self.pairing.query, minlength=count)
        same = np.bincount(self.pairing.query, self.pairing.a == self.pairing.b, count)
        bias = np.bincount(self.pairing.query, self.pairing.b - self.pairing.a, count)
        with np.errstate(invalid="ignore"):
            return {
                "query": list(self.pairing.queries),
                "documents": documents.tolist(),
                "same grade": (same / documents).tolist(),
                "bias": (bias / documents).tolist(),
                "kappa": self.kappas.tolist(),
            }

    def statistic_columns(self) -> dict[str, list[Any]]:
        """The columns of a frame of statistics."""
        keys = ("name", "value", "low", "high")
        return {key: [getattr(each, key) for each in self.statistics] for key in keys}

    def system_columns(self) -> dict[str, list[Any]]:
        """The columns of a frame of systems."""
        rows = [
            (each.label, *row)
            for each in self.effects
            for row in zip(each.names, each.a, each.ranks_a, each.b, each.ranks_b, strict=True)
        ]
        keys = ("measure", "run", "a", "rank a", "b", "rank b")
        return {key: [row[place] for row in rows] for place, key in enumerate(keys)}

    def __str__(self) -> str:
        """The text."""
        return self.to_text()


def defined(value: Any) -> Any:
    """The same with None for numbers that JSON cannot write."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: defined(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [defined(each) for each in value]
    return value
