"""Variance components: those of the greatest restricted likelihood."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy import optimize

from carob.statistics.variance_components import components_of
from strategies import first


def likelihood(table: Any, logs: Any) -> float:
    """The negative REML likelihood of a table, from its covariance matrix."""
    queries, runs, replicates = table.shape
    ones = [np.ones((each, each)) for each in table.shape]
    own = [np.eye(each) for each in table.shape]
    parts = [
        np.kron(np.kron(own[0], ones[1]), ones[2]),
        np.kron(np.kron(ones[0], own[1]), ones[2]),
        np.kron(np.kron(own[0], own[1]), ones[2]),
        np.eye(queries * runs * replicates),
    ]
    if replicates == 1:
        del parts[3]
    covariance = sum(np.exp(log) * part for log, part in zip(logs, parts, strict=True))
    factor = np.linalg.cholesky(covariance)
    white, design = np.linalg.solve(factor, table.ravel()), np.linalg.solve(factor, np.ones(table.size))
    rest = white - design * (design @ white) / (design @ design)
    return float(np.log(np.diag(factor)).sum() + np.log(design @ design) / 2 + rest @ rest / 2)


@pytest.mark.parametrize("shape", first([((5, 3, 2),), ((6, 4, 1),), ((8, 3, 1),)], 1), ids=str)
def test_variance_components_have_the_greatest_restricted_likelihood(shape: tuple[int, int, int]) -> None:
    draw, boundary = np.random.default_rng(0), 0
    for spread in (0.0, 0.0, 1.0):
        table = draw.normal(size=shape) + spread * draw.normal(size=(shape[0], 1, 1))
        found = [each for each in components_of(table) if not np.isnan(each)]
        start = [np.log(np.full(len(found), each)) for each in (0.05, 0.5)]
        how = {"xatol": 1e-10, "fatol": 1e-13, "maxiter": 20_000, "maxfev": 20_000}
        best = min(
            (
                optimize.minimize(partial(likelihood, table), each, method="Nelder-Mead", options=how)
                for each in start
            ),
            key=lambda each: float(each.fun),
        )
        assert found == pytest.approx(np.exp(best.x).tolist(), abs=1e-6)
        boundary += min(found) <= 1e-12
    assert shape[2] == 1 or boundary
