"""The examples in the docstrings of the package are run."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from typing import TYPE_CHECKING

import pytest

import carob.comparison
from carob import statistics as significance
from carob.comparison.significance import corrected
from carob.statistics import coefficients, multiple_comparisons, rank_correlation, resampling
from carob.statistics.estimates import margin, paired, wins

if TYPE_CHECKING:
    from collections.abc import Callable

MODULES = [
    f"{room.__name__}.{each.name}"
    for room in (significance, carob.comparison)
    for each in pkgutil.iter_modules(room.__path__)
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_say_what_happens(name: str) -> None:
    found = doctest.testmod(importlib.import_module(name))
    assert found.failed == 0


FUNCTIONS = [
    corrected,
    *(coefficients.gwet, coefficients.kappa, coefficients.krippendorff),
    *(multiple_comparisons.anova, multiple_comparisons.randomised_tukey),
    *(margin, paired, wins),
    *(getattr(rank_correlation, each) for each in rank_correlation.__all__),
    *(getattr(resampling, each) for each in resampling.__all__),
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_every_function_says_all_that_a_user_needs(function: Callable[..., object]) -> None:
    name, text = function.__name__, function.__doc__ or ""
    assert all(part in text for part in ("Args:", "Raises:", ">>> ")), name
