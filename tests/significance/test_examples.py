"""The examples in the docstrings of the package are run."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

from karat.comparison import statistics as significance

MODULES = [each.name for each in pkgutil.iter_modules(significance.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_examples_say_what_happens(name: str) -> None:
    found = doctest.testmod(importlib.import_module(f"karat.comparison.statistics.{name}"))
    assert found.failed == 0


@pytest.mark.parametrize("name", sorted(each for each in significance.__all__ if each.islower()))
def test_every_function_says_all_that_a_user_needs(name: str) -> None:
    text = getattr(significance, name).__doc__ or ""
    assert name == "all_pairs" or ("Args:" in text and "Raises:" in text and ">>> " in text)
