"""The array libraries that tests try: how each makes an array of double precision, and what it is called."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

LIBRARIES = ["numpy", "array_api_strict", "torch", "jax"]


def library(name: str) -> Any:
    """The namespace; the test is skipped where it is not installed."""
    if name == "jax":
        jax = pytest.importorskip("jax", reason="needs JAX: pip install 'carob[jax]'")
        jax.config.update("jax_enable_x64", True)
        return jax.numpy
    return pytest.importorskip(name, reason=f"needs {name}")


def array(name: str, values: Any, dtype: str = "float64") -> Any:
    """An array of one of the libraries."""
    xp = library(name)
    make = xp.tensor if name == "torch" else xp.asarray
    return make(values, dtype=getattr(xp, "bool_" if dtype == "bool" and name in ("numpy", "jax") else dtype))


def installed(name: str) -> bool:
    """Whether a library can be imported."""
    try:
        importlib.import_module(name)
    except ImportError:
        return False
    return True
