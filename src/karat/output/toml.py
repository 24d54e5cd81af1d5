"""Reads TOML files: users' profiles, and karat's own data."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import os


def read_toml(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Returns the content of a TOML file.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file is not TOML, or not UTF-8.
    """
    if sys.version_info >= (3, 11):  # imported here, since most runs read no TOML
        import tomllib
    else:
        import tomli as tomllib
    with open(path, "rb") as file:
        return tomllib.load(file)
