"""Ids of queries and documents: whole numbers, text, bytes, and the -1 that pads lists."""

from __future__ import annotations

import numpy as np
import pytest

import carob
from carob import DataError


def test_whole_numbers_are_ids_as_their_text_is() -> None:
    for qrels in ({1: [2]}, {"1": ["2"]}, {1: {2: 1}}, {np.int64(1): {np.int32(2)}}):
        for run in ({1: [1, 2]}, {"1": ["1", "2"]}, {1: {1: 2.0, 2: 1.0}}):
            assert carob.evaluate(qrels, run, "RR").by_query("RR") == {"1": 0.5}
    with pytest.raises(DataError, match="twice"):
        carob.evaluate({1: {2: 1, "2": 0}}, {1: [2]}, "RR")
