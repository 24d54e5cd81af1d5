"""Figures of a comparison for papers, drawn with matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.comparison.tables import chosen, ranking
from karat.output.errors import DataError, did_you_mean

if TYPE_CHECKING:
    from karat.comparison.findings import Contest, Findings

__all__ = ["figure"]

ROW = 0.32
"""The height of a run or pair in inches."""


def figure(comparison: Findings, kind: str, measure: str | None) -> Any:
    """A matplotlib figure.

    Raises:
        DataError: matplotlib is not installed, or there is no such figure.
    """
    kinds = {"differences": differences, "intervals": intervals, "pairs": pairs, "orders": orders}
    if kind not in kinds:
        raise DataError(
            f"There is no figure '{kind}'. {did_you_mean(kind, kinds, 'It is one of ' + ', '.join(kinds) + '.')}"
        )
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise DataError("Figures need matplotlib: pip install 'karat[plots]'.") from None
    contest = comparison.primary if measure is None else comparison[measure]
    return kinds[kind](Figure, comparison, contest)


def differences(make: Any, comparison: Findings, contest: Contest) -> Any:
    """The differences of the first pair by query, sorted: how many queries gain or lose, and by how much."""
    pair = chosen(comparison, contest)[0][0]
    values = contest.values[:, pair.a] - contest.values[:, pair.b]
    values = np.sort(values[~np.isnan(values)])[::-1]
    drawn = make(figsize=(6.0, 2.8), layout="constrained")
    axes = drawn.subplots()
    axes.bar(np.arange(1, len(values) + 1), values, width=0.9, color=np.where(values < 0, "0.65", "0.25"))
    axes.axhline(0, color="black", linewidth=0.8)
    axes.axhline(pair.difference, color="black", linewidth=0.8, linestyle="--")
    axes.set_xlabel(f"queries, by difference ({pair.wins} wins, {pair.ties} ties, {pair.losses} losses)")
    axes.set_ylabel(literal(f"{contest.label}: {comparison.names[pair.a]} - {comparison.names[pair.b]}"))
    return drawn


def intervals(make: Any, comparison: Findings, contest: Contest) -> Any:
    """Each run's mean with its interval."""
    runs = ranking(comparison)
    rows = [(comparison.names[run], contest.means[run], contest.low[run], contest.high[run]) for run in runs]
    return whiskers(make, rows, contest.label)


def pairs(make: Any, comparison: Findings, contest: Contest) -> Any:
    """Each pair's mean difference with its interval."""
    rows = [
        (f"{comparison.names[pair.a]} - {comparison.names[pair.b]}", pair.difference, pair.low, pair.high)
        for pair in chosen(comparison, contest)[0]
    ]
    drawn = whiskers(make, rows, f"difference in {contest.label}")
    drawn.axes[0].axvline(0, color="black", linewidth=0.8)
    return drawn


def literal(name: str) -> str:
    """A name escaped so that matplotlib finds no formula in it."""
    return name.replace("$", r"\$")


def whiskers(make: Any, rows: list[tuple[str, float, float, float]], title: str) -> Any:
    """A dot and an interval in each row, the first on top."""
    drawn = make(figsize=(6.0, 0.9 + ROW * len(rows)), layout="constrained")
    axes = drawn.subplots()
    for place, (_, middle, low, high) in enumerate(rows):
        axes.plot([low, high], [place, place], color="0.4", linewidth=1.5)
        axes.plot([middle], [place], "o", color="black", markersize=4)
    axes.set_yticks(range(len(rows)), [literal(name) for name, *_ in rows])
    axes.margins(y=0.08)
    axes.invert_yaxis()
    axes.set_xlabel(literal(title))
    return drawn


def orders(make: Any, comparison: Findings, contest: Contest) -> Any:
    """The rank of each run under each measure: crossing lines are pairs on which measures disagree."""
    del contest
    labels = comparison.labels
    drawn = make(figsize=(1.6 + 1.1 * len(labels), 0.9 + ROW * len(comparison.names)), layout="constrained")
    axes = drawn.subplots()
    places = []
    for label in labels:
        its = comparison.contests[label]
        sign = 1 if its.smaller_is_better else -1
        places.append(np.argsort(np.argsort(sign * np.array(its.means), kind="stable"), kind="stable") + 1)
    table = np.array(places)
    for run, name in enumerate(comparison.names):
        axes.plot(range(len(labels)), table[:, run], marker="o", markersize=4, linewidth=1.2)
        axes.annotate(
            literal(name), (len(labels) - 1, table[-1, run]), xytext=(8, -3), textcoords="offset points"
        )
    axes.set_xticks(range(len(labels)), labels)
    axes.set_ylabel("place among the runs")
    axes.invert_yaxis()
    axes.margins(x=0.2)
    return drawn
