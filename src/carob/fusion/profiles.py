"""The fusion methods of search engines and libraries, from the table ``profiles.toml``."""

from __future__ import annotations

from typing import Any

from carob._dataclasses import dataclass
from carob.output.errors import PolicyError, did_you_mean
from carob.output.files import own_table


@dataclass(frozen=True)
class FusionProfile:
    """The fusion methods of one engine.

    Args:
        name: the name of the profile.
        source: the documentation of the engine's formulas, or its source code.
        rules: the rules that differ from carob's defaults.
        methods: the engine's methods, with their parameters and further rules.
    """

    name: str
    source: str
    rules: dict[str, Any]
    methods: dict[str, dict[str, Any]]

    def settings(self, method: str) -> dict[str, Any]:
        """Returns a method's parameters and rules.

        Raises:
            PolicyError: the engine does not have the method.
        """
        if method not in self.methods:
            raise PolicyError(
                f"The profile {self.name} does not support the method '{method}'. Its methods are "
                f"{', '.join(self.methods)}."
            )
        return {**self.rules, **self.methods[method]}


def known_profiles() -> dict[str, FusionProfile]:
    """Returns all profiles by name."""
    table = own_table(__file__, "profiles.toml")
    return {name: FusionProfile(name, **its) for name, its in table.items()}


def profile_named(name: str) -> FusionProfile:
    """Returns the profile with this name.

    Raises:
        PolicyError: there is no profile of that name.
    """
    known = known_profiles()
    if name not in known:
        hint = did_you_mean(str(name), known, f"The profiles of fusion are: {', '.join(known)}.")
        raise PolicyError(f"There is no fusion profile '{name}'. {hint}")
    return known[name]
