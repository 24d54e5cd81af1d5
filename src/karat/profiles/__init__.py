"""Named conventions: how other tools, and the user's notes, read the same names. Data only."""

from __future__ import annotations

from karat.errors import PolicyError, did_you_mean
from karat.profiles import answering, learning, notes, recommending, searching, trec
from karat.profiles.profile import Profile

__all__ = ["PROFILES", "Profile", "profile_named", "profiles"]

PROFILES: dict[str, Profile] = {
    each.name: each
    for family in (trec, learning, recommending, answering, searching, notes)
    for each in family.PROFILES
}
"""Every profile by name, in reading order."""


def profiles() -> dict[str, str]:
    """Every profile's name with its source.

    Example:
        >>> import karat
        >>> karat.profiles()["trec_eval-9"]
        'usnistgov/trec_eval v9.0.8'
    """
    return {name: profile.source for name, profile in PROFILES.items()}


def profile_named(name: str | None) -> Profile:
    """The profile of that name; karat's own conventions for None or ``karat``.

    Raises:
        PolicyError: there is no such profile.
    """
    if name is None or name == "karat":
        return Profile("karat", "karat's own conventions")
    if name not in PROFILES:
        hint = did_you_mean(name, PROFILES, f"There are: {', '.join(PROFILES)}.")
        raise PolicyError(f"There is no profile '{name}'. {hint}")
    return PROFILES[name]
