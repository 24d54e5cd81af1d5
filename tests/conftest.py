"""This file gives the tests their fixtures, and a formula's mutant where one is asked for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from karat.measures import REGISTER

if TYPE_CHECKING:
    from collections.abc import Callable

SHARED = Path(__file__).resolve().parents[2] / "shared"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--mutant", help="multiply this measure's formula by 1.001: some test must fail")


def pytest_configure(config: pytest.Config) -> None:
    name = config.getoption("--mutant")
    if name:
        definition = REGISTER[name]
        formula = definition.formula
        REGISTER[name] = replace(definition, formula=lambda *given, **named: formula(*given, **named) * 1.001)


@pytest.fixture
def shared() -> Callable[..., Path]:
    """The path of a file beside the checkout; the test is skipped where it is absent."""

    def find(*parts: str) -> Path:
        path = SHARED.joinpath(*parts)
        if not path.exists():
            pytest.skip(f"needs the shared file {'/'.join(parts)}, which is not beside this checkout")
        return path

    return find
