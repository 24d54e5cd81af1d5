"""The bundled example of tea, and what the command says of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from carob.cli import main

if TYPE_CHECKING:
    import pytest

TEA = Path(__file__).resolve().parents[2] / "examples" / "tea"
RUNS = ["bm25", "dirichlet", "feedback", "titles"]


def told(capfd: pytest.CaptureFixture[str], *arguments: str) -> str:
    main(["compare", *arguments])
    return capfd.readouterr().out
