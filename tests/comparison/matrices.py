"""Scores made from a matrix, and the reference data of the tests of comparisons."""

from __future__ import annotations

from typing import Any

import numpy as np

from carob import Policy, Scores
from carob.inputs.names import Names
from carob.matching.match import Counts
from carob.measures import parse_measure

# Sakai's book (ISBN 978-4-339-02496-8), Table 5.1, as distributed with elinor (MIT/Apache-2).
SAKAI = {
    "A": ".70 .30 .20 .60 .40 .40 .00 .70 .10 .30 .50 .40 .00 .60 .50 .30 .10 .50 .20 .10",
    "B": ".50 .10 .00 .20 .40 .30 .00 .50 .30 .30 .40 .40 .10 .40 .20 .10 .10 .60 .30 .20",
    "C": ".00 .00 .20 .10 .30 .30 .10 .20 .40 .40 .40 .30 .30 .20 .20 .20 .10 .50 .40 .30",
}


def scores(name: str, values: Any, label: str = "AP", **axes: Any) -> Scores:
    """Scores of one measure with these values for the queries q000, q001, …"""
    column = np.asarray(values, float).reshape(len(values), -1)
    labels = label.split()
    return Scores(
        name=name,
        labels=tuple(labels),
        measures=tuple(map(parse_measure, labels)),
        ids=Names.of(f"q{number:03}" for number in range(len(column))),
        matrix=column,
        policy=Policy(),
        counts=Counts(queries=len(column), judged=len(column)),
        bounds={},
        **axes,
    )


def systems(matrix: Any, label: str = "AP") -> list[Scores]:
    """A run per column, named s0, s1, …"""
    table = np.asarray(matrix, float)
    return [scores(f"s{run}", table[:, run], label) for run in range(table.shape[1])]


def sakai() -> list[Scores]:
    return [scores(name, [float(each) for each in values.split()]) for name, values in SAKAI.items()]


def standardised(n: int, seed: int = 5) -> Any:
    """n numbers of mean 0 and standard deviation 1 (with n - 1)."""
    draw = np.random.default_rng(seed).normal(size=n)
    return (draw - draw.mean()) / draw.std(ddof=1)
