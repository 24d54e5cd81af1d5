"""The examples in the docstrings of the package are run."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from typing import TYPE_CHECKING

import pytest

import karat.comparison
from karat.comparison import statistics as significance
from karat.comparison.statistics import coefficients

if TYPE_CHECKING:
    from collections.abc import Callable

MODULES = [
    f"{room.__name__}.{each.name}"
    for room in (significance, karat.comparison)
    for each in pkgutil.iter_modules(room.__path__)
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_say_what_happens(name: str) -> None:
    found = doctest.testmod(importlib.import_module(name))
    assert found.failed == 0


FUNCTIONS = [
    *(getattr(significance, each) for each in significance.__all__ if each.islower()),
    *(coefficients.confusion, coefficients.gwet, coefficients.kappa, coefficients.krippendorff),
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_every_function_says_all_that_a_user_needs(function: Callable[..., object]) -> None:
    name, text = function.__name__, function.__doc__ or ""
    assert name == "all_pairs" or ("Args:" in text and "Raises:" in text and ">>> " in text)
