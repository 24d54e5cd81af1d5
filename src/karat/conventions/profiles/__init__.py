"""Profiles, the conventions of other tools: one TOML file each, in the format of users' own profiles."""

from __future__ import annotations

import os
from functools import cache
from typing import TypeAlias

from karat.conventions.profiles.profile import Profile, profile_in
from karat.measures.define import plugged
from karat.output.errors import PolicyError, did_you_mean

__all__ = ["Profile", "ProfileLike", "every_profile", "list_profiles", "profile_if_known", "profile_named"]

ProfileLike: TypeAlias = "str | os.PathLike[str] | Profile | None"

FOLDER = os.path.dirname(__file__)


def own_names() -> list[str]:
    """Returns the names of karat's own profiles, in alphabetical order."""
    return sorted(file.removesuffix(".toml") for file in os.listdir(FOLDER) if file.endswith(".toml"))


@cache
def own_profile(name: str) -> Profile:
    """Returns one of karat's own profiles. The file of the profile is read at the first call."""
    return profile_in(os.path.join(FOLDER, f"{name}.toml"))


def every_profile() -> dict[str, Profile]:
    """Returns every profile by name: those of installed packages, then karat's own."""
    return plugged_profiles() | {name: own_profile(name) for name in own_names()}


def plugged_profiles() -> dict[str, Profile]:
    """Returns the profiles of installed packages by name."""
    return {each.name: each for each in plugged("karat.profiles") if isinstance(each, Profile)}


def profile_if_known(name: str) -> Profile | None:
    """Returns the profile of that name, from karat or an installed package, or None if there is none."""
    return own_profile(name) if name in own_names() else plugged_profiles().get(name)


def list_profiles(*names: str) -> dict[str, str]:
    """Returns every profile's name and source, or the full description of each profile in ``names``.

    Args:
        names: names of profiles; none for all.

    Raises:
        PolicyError: there is no such profile.

    Example:
        >>> import karat
        >>> karat.list_profiles()["trec_eval-9"]
        'usnistgov/trec_eval v9.0.8'
        >>> karat.list_profiles("sklearn")["sklearn"].splitlines()[0]
        'sklearn'
    """
    if names:
        return {name: profile_named(name).describe() for name in names}
    return {name: profile.source for name, profile in every_profile().items()}


def profile_named(name: ProfileLike) -> Profile:
    """Returns the profile of that name, or karat's own conventions for None or ``karat``.

    Args:
        name: the name of a profile, a profile, or the path of a TOML file with one.

    Raises:
        PolicyError: there is no such profile, or the file does not contain one.
    """
    if name is None or name == "karat":
        return Profile("karat", "karat's own conventions")
    if isinstance(name, Profile):
        return name
    if isinstance(name, os.PathLike) or str(name).endswith(".toml"):
        return profile_in(os.fspath(name))
    if not isinstance(name, str):
        raise PolicyError(
            f"profile={name!r}: give the name of one profile, such as 'trec_eval-9', a Profile, or a TOML file's path."
        )
    found = profile_if_known(name)
    if found is None:
        known = every_profile()
        hint = did_you_mean(name, known, f"There are: {', '.join(known)}.")
        raise PolicyError(f"There is no profile '{name}'. {hint}")
    return found
