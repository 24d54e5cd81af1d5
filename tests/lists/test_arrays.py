"""The functions of an array library that batches call: types, stable orders and running numbers."""

from __future__ import annotations

import numpy as np
import pytest

from arrays import LIBRARIES, array, library
from carob.lists.arrays import arrays_of, stable_order


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_equal_keys_keep_their_order_and_nan_goes_last(dtype: type) -> None:
    random = np.random.default_rng(1)
    keys = random.integers(-3, 4, (50, 33)).astype(dtype) / 2
    keys[random.random(keys.shape) < 0.1] = np.nan
    keys[random.random(keys.shape) < 0.05] = np.inf
    keys[random.random(keys.shape) < 0.05] = -np.inf
    keys[keys == 0] *= random.choice([-1.0, 1.0], (keys == 0).sum())
    assert (stable_order(keys) == np.argsort(-keys, axis=1, kind="stable")).all()


def test_numbers_are_computed_in_the_precision_that_an_array_has() -> None:
    for given, computed in (
        (np.float64, np.float64),
        (np.float32, np.float32),
        (np.float16, np.float32),
        (np.int8, np.float64),
        (np.bool_, np.float64),
    ):
        arrays = arrays_of(np.zeros((1, 2), given))
        assert (arrays.dtype, arrays.kind, arrays.largest) == (
            computed,
            "numpy",
            2.0**500 if computed == np.float64 else 2.0**110,
        )
    assert arrays_of(np.zeros(1), np.float32).dtype == np.float32
    with pytest.raises(TypeError):
        arrays_of([[1.0]])


@pytest.mark.parametrize("name", LIBRARIES)
def test_running_numbers_and_orders_are_the_same_in_every_library(name: str) -> None:
    library(name)
    x = array(name, [[2.0, 1.0, 3.0, 3.0, 0.5], [0.0, 4.0, 1.0, 2.0, 4.0]])
    arrays = arrays_of(x)
    for found, wanted in (
        (arrays.running(x), [[2.0, 3.0, 6.0, 9.0, 9.5], [0.0, 4.0, 5.0, 7.0, 11.0]]),
        (arrays.running_product(x), [[2.0, 2.0, 6.0, 18.0, 9.0], [0.0] * 5]),
        (arrays.running_largest(x), [[2.0, 2.0, 3.0, 3.0, 3.0], [0.0, 4.0, 4.0, 4.0, 4.0]]),
        (arrays.sorted_down(x), [[3.0, 3.0, 2.0, 1.0, 0.5], [4.0, 4.0, 2.0, 1.0, 0.0]]),
        (arrays.order_down(x), [[2, 3, 0, 1, 4], [1, 4, 3, 2, 0]]),
        (arrays.take(x, arrays.order_down(x)), [[3.0, 3.0, 2.0, 1.0, 0.5], [4.0, 4.0, 2.0, 1.0, 0.0]]),
        (arrays.where(x > 1.0, 1.0, 0.0), [[1.0, 0.0, 1.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0, 1.0]]),
        (arrays.counted(x > 1.0), [3.0, 3.0]),
        (arrays.count(3), [1.0, 2.0, 3.0]),
    ):
        assert np.asarray(found).tolist() == wanted
    assert arrays.range_of(x) == ((0.0, 4.0) if name == "numpy" else None)
    assert arrays.is_whole(x) is False
    assert arrays.is_whole(x * 2.0) is (name == "numpy")
