"""Scores and grades of six queries that tests of adapters pass, and what carob says of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from carob.tensors import evaluate

MEASURES = ["AP", "nDCG@5", "RR"]
RANDOM = np.random.default_rng(8)
SCORES, GRADES = RANDOM.random((6, 7)), RANDOM.integers(0, 3, (6, 7))
WANTED = {label: float(value) for label, value in evaluate(SCORES, GRADES, MEASURES).items()}


def check_same(found: dict[str, Any], prefix: str = "") -> None:
    assert set(found) == {f"{prefix}{label}" for label in WANTED}
    for label, value in WANTED.items():
        assert float(found[f"{prefix}{label}"]) == pytest.approx(value, abs=1e-6), label
