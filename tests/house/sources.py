"""The files of the package and of its tests, each parsed and walked through once for all rules."""

from __future__ import annotations

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import TypeVar

import carob

Node = TypeVar("Node", bound=ast.AST)

ROOT = Path(carob.__file__).parent
CHECKOUT = Path(__file__).resolve().parents[2]
SOURCES = sorted(ROOT.rglob("*.py"))
TESTS = sorted((CHECKOUT / "tests").rglob("test_*.py"))


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def _by_kind(path: Path) -> dict[type[ast.AST], list[ast.AST]]:
    found = defaultdict(list)
    for node in ast.walk(parsed(path)):
        found[type(node)].append(node)
    return found


def nodes(path: Path, kind: type[Node]) -> list[Node]:
    """The nodes of this very class anywhere in a file."""
    return _by_kind(path).get(kind, [])  # type: ignore[return-value]
