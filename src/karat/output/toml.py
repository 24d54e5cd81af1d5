"""Reads TOML files: users' profiles, and karat's own data."""

from __future__ import annotations

import os
import sys
from typing import Any


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


def own_table(module: str, name: str) -> dict[str, Any]:
    """Returns the content of a TOML file of karat's own, in the folder of a module.

    Args:
        module: the path of the module, ``__file__``.
        name: the name of the TOML file.
    """
    return read_toml(os.path.join(os.path.dirname(module), name))
