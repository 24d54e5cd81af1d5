"""The libraries that carob is held to, those of the extra ``peers``, and their versions here."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from carob.output.files import read_toml

PYPROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"


def partners(extra: str = "peers") -> list[str]:
    """The names of the extra's packages, also of those that it takes from another extra."""
    names: set[str] = set()
    for line in read_toml(str(PYPROJECT))["project"]["optional-dependencies"][extra]:
        inner = re.match(r"carob\[(.*)\]", line)
        if inner:
            names.update(*map(partners, inner[1].split(",")))
        else:
            names.add(re.split(r"[\[<>=!~; ]", line)[0])
    return sorted(names, key=str.casefold)


def versions() -> dict[str, str | None]:
    """The version of each; None where it is not installed."""
    found: dict[str, str | None] = {}
    for name in partners():
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = None
    return found
