"""Profiles out of TOML files: the fields of ``Profile`` as keys, the axes of its policy as a table."""

from __future__ import annotations

import dataclasses
import os
import sys
from typing import Any

from karat.conventions.policy import Policy
from karat.conventions.profiles.profile import Profile
from karat.output.errors import PolicyError, did_you_mean

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = ["profile_in"]

KINDS: dict[str, type] = {
    "names": dict,
    "axes": dict,
    "policy": dict,
    "hints": dict,
    "measures": list,
    "differs": list,
}
"""What a field is in TOML, where it is no text and no number."""


def profile_in(path: str) -> Profile:
    """The profile that a TOML file holds; it is called what the file is, if nothing else is said.

    Raises:
        PolicyError: the file cannot be read, is no TOML, or holds something that a profile does not have.
    """
    try:
        with open(path, "rb") as file:
            given = tomllib.load(file)
    except OSError as error:
        raise PolicyError(f"{path}: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise PolicyError(f"{path} is no TOML: {error}.") from None
    fields = {each.name for each in dataclasses.fields(Profile)}
    for key, value in given.items():
        if key not in fields:
            raise PolicyError(
                f"{path}: a profile has no '{key}'. {did_you_mean(key, fields, f'It has: {known(fields)}.')}"
            )
        kind = KINDS.get(key, int if key == "digits" else str)
        if not isinstance(value, kind):
            raise PolicyError(f"{path}: {key} is {words(kind)}, not {type(value).__name__}.")
    return Profile(
        **{"name": os.path.basename(path).removesuffix(".toml"), "source": path, **read(path, given)}
    )


def read(path: str, given: dict[str, Any]) -> dict[str, Any]:
    """The fields as ``Profile`` takes them.

    Raises:
        PolicyError: the policy has no such axis or value; a measure's parameters are no table.
    """
    for name, parameters in given.get("axes", {}).items():
        if not isinstance(parameters, dict):
            raise PolicyError(f'{path}: axes of {name} are a table of parameters, as in {{gain = "exp2"}}.')
    try:
        policy: dict[str, Any] = {"policy": Policy(**given["policy"])} if "policy" in given else {}
    except (TypeError, PolicyError) as error:
        raise PolicyError(f"{path}: {error}") from None
    lists: dict[str, Any] = {key: tuple(given[key]) for key in ("measures", "differs") if key in given}
    return {**given, **lists, **policy}


def known(fields: set[str]) -> str:
    """The fields of a profile, listed."""
    return ", ".join(sorted(fields))


def words(kind: type) -> str:
    """A kind of value as TOML calls it."""
    return {dict: "a table", list: "an array", int: "a whole number", str: "text"}[kind]
