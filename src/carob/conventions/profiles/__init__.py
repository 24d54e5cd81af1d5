"""Profiles, the conventions of other tools: a class, and TOML files in the same format as users' own profiles."""

from __future__ import annotations

import os
import re
from dataclasses import field
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

from carob._dataclasses import dataclass
from carob.conventions.policy import Policy
from carob.measures import Measure
from carob.measures.define import plugged
from carob.measures.names import MeasureObject, measures_of_each, names_in
from carob.output.errors import MeasureError, PolicyError, did_you_mean, worded
from carob.output.parsing import read_toml

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "Profile",
    "ProfileLike",
    "every_profile",
    "list_profiles",
    "measure_of",
    "profile_if_known",
    "profile_named",
]


ProfileLike: TypeAlias = "str | os.PathLike[str] | Profile | None"

FOLDER = os.path.dirname(__file__)


def own_names() -> list[str]:
    """Returns the names of carob's own profiles, in alphabetical order."""
    return sorted(file.removesuffix(".toml") for file in os.listdir(FOLDER) if file.endswith(".toml"))


@cache
def own_profile(name: str) -> Profile:
    """Returns one of carob's own profiles. The profile's file is read at the first call."""
    return profile_in(os.path.join(FOLDER, f"{name}.toml"))


def every_profile() -> dict[str, Profile]:
    """Returns every profile by name: the profiles of installed packages, then carob's own profiles."""
    return plugged_profiles() | {name: own_profile(name) for name in own_names()}


def plugged_profiles() -> dict[str, Profile]:
    """Returns the profiles of installed packages by name."""
    return {each.name: each for each in plugged("carob.profiles") if isinstance(each, Profile)}


def profile_if_known(name: str) -> Profile | None:
    """Returns the profile with this name from carob or an installed package, or None if it does not exist."""
    return own_profile(name) if name in own_names() else plugged_profiles().get(name)


def list_profiles(*names: str) -> dict[str, str]:
    """Returns every profile's name and source, or the full description of each profile in ``names``.

    Args:
        names: names of profiles. Without names, all profiles are returned.

    Raises:
        PolicyError: a profile does not exist.

    Example:
        >>> import carob
        >>> carob.list_profiles()["trec_eval-9"]
        'usnistgov/trec_eval v9.0.8'
        >>> carob.list_profiles("sklearn")["sklearn"].splitlines()[0]
        'sklearn'
    """
    if names:
        return {name: profile_named(name).describe() for name in names}
    return {name: profile.source for name, profile in every_profile().items()}


def profile_named(name: ProfileLike) -> Profile:
    """Returns the profile with this name, or carob's own conventions for None or ``carob``.

    Args:
        name: the name of a profile, a ``Profile``, or the path of a TOML file with a profile.

    Raises:
        PolicyError: the profile does not exist, or the file does not contain a profile.
    """
    if name is None or name == "carob":
        return Profile("carob", "carob's own conventions")
    if isinstance(name, Profile):
        return name
    if isinstance(name, os.PathLike) or str(name).endswith(".toml"):
        return profile_in(os.fspath(name))
    if not isinstance(name, str):
        raise PolicyError(
            f"profile={name!r}: use the name of one profile, such as 'trec_eval-9', a Profile, or a TOML file's path."
        )
    found = profile_if_known(name)
    if found is None:
        known = every_profile()
        hint = did_you_mean(name, known, f"The profiles are: {', '.join(known)}.")
        raise PolicyError(f"There is no profile '{name}'. {hint}")
    return found


@dataclass(frozen=True, eq=False)
class Profile:
    """A tool's conventions: a policy, and the meanings of the tool's names for measures.

    Args:
        name: the name of the tool, with a version if versions of the tool differ.
        source: the software or paper that defines the conventions.
        version: the tool's version with which the profile was compared.
        package: the tool's name on the package index; empty if the tool is not on the index.
        release: if ``version`` is not a release, the newest release of the package at the time of the comparison.
        policy: the tool's policy.
        names: the tool's names that carob does not know or interprets differently, each with carob's name. A depth
            after a name (``ndcg@10``) replaces the depth given here. ``"precision@"`` defines the meaning of the name
            with a depth, if this meaning is different.
        parameters: the tool's names for parameters that carob does not know, by measure, each with carob's name.
        axes: the tool's parameter values that differ from carob's defaults, by measure. ``"AP@"`` is AP with a depth.
        measures: the default measures; carob's default measures if empty.
        digits: the number of decimals that the tool prints.
        differs: sentences about differences that a profile cannot express, and about unknown differences.
        hints: the tool's names that carob cannot read, each with a sentence about what to write instead. A name without
            parameters also covers the name with any parameters.
    """

    name: str
    source: str
    version: str = ""
    package: str = ""
    release: str = ""
    policy: Policy = field(default_factory=Policy)
    names: dict[str, str] = field(default_factory=dict)
    parameters: dict[str, dict[str, str]] = field(default_factory=dict)
    axes: dict[str, dict[str, Any]] = field(default_factory=dict)
    measures: tuple[str, ...] = ()
    digits: int = 4
    differs: tuple[str, ...] = ()
    hints: dict[str, str] = field(default_factory=dict)

    @property
    def held_to(self) -> str:
        """The release of the tool's package with which the profile was compared."""
        return self.release or self.version

    def read(
        self, names: str | Measure | MeasureObject | Iterable[str | Measure | MeasureObject]
    ) -> list[tuple[str, Measure]]:
        """Returns the label and the measure for each name in ``names``, as this profile interprets the name.

        The label is the name as it was written, unless the name stands for several measures.

        An object of ir_measures keeps its meaning in ir_measures, regardless of the profile.

        Raises:
            MeasureError: neither the tool nor carob knows a name.
        """
        given = names_in(names)
        own = [self.in_carob(each) for each in given]
        found = []
        for name, its, measures in zip(given, own, measures_of_each(own), strict=True):
            kept = written(its) if isinstance(its, str) else set()
            for each in measures:
                meant = each if isinstance(name, MeasureObject) else self.meant(each, kept)
                found.append((str(name) if len(measures) == 1 else str(each), meant))
        return found

    def read_one(self, name: str | Measure | MeasureObject) -> Measure:
        """Returns the measure for a name that stands for a single measure.

        Raises:
            MeasureError: the name is unknown or stands for several measures.
        """
        found = self.read(name)
        if len(found) != 1:
            names = ", ".join(label for label, _ in found)
            raise MeasureError(f"'{name}' means several measures ({names}): request each of them.")
        return found[0][1]

    def in_carob(self, name: str | Measure | MeasureObject) -> str | Measure:
        """Returns carob's name for one of the tool's names, or the measure for an object."""
        if isinstance(name, str):
            self.refuse_hinted(name)
            return self.translated(name) or name
        return measure_of(name) if isinstance(name, MeasureObject) else name

    def translated(self, name: str) -> str | None:
        """Returns carob's name for one of the tool's names, or None if the profile does not translate the name."""
        if name in self.names:
            return self.names[name]
        word, at, depth = name.rpartition("@")
        own = self.names.get(f"{word}@", self.names.get(word))
        return f"{own.partition('@')[0]}@{depth}" if at and own else self.with_own_parameters(name)

    def with_own_parameters(self, name: str) -> str | None:
        """Returns the name with the tool's parameter names replaced by carob's, or None if nothing was replaced."""
        found = name
        for theirs, own in self.parameters.get(name.partition("(")[0].partition("@")[0].strip(), {}).items():
            found = re.sub(rf"\b{re.escape(theirs)}(?=\s*=)", own, found)
        return None if found == name else found

    def refuse_hinted(self, name: str) -> None:
        """Refuses a name that the profile lists in ``hints``.

        Raises:
            MeasureError: ``hints`` lists the name. The message explains what to write instead.
        """
        word, at, _ = name.partition("@")
        bare = word.partition("(")[0]
        keys = (name, *([f"{word}@", f"{bare}@"] if at else []), word, bare)
        hint = next((self.hints[key] for key in keys if key in self.hints), None)
        if hint:
            raise MeasureError(worded(f"Profile {self.name} cannot read '{name}'. ", hint))

    def meant(self, measure: Measure, kept: set[str]) -> Measure:
        """Returns the measure with the tool's defaults for parameters that were omitted in the name."""
        axes = {**self.axes.get(measure.name, {})}
        if measure.depth is not None:
            axes |= self.axes.get(f"{measure.name}@", {})
        given = kept | set(dict(measure.parameters))
        missing = [(key, value) for key, value in axes.items() if key not in given]
        return Measure(measure.name, (*measure.parameters, *missing), measure.depth) if missing else measure

    def describe(self, columns: int = 80) -> str:
        """Returns the profile's differences from carob's own conventions, as text wrapped to ``columns`` columns."""
        axes = [f"{name}({pairs(its)})" for name, its in self.axes.items() if its]
        names = [f"{name} = {meant}" for name, meant in self.names.items()]
        sections = {
            "version": [self.version] if self.version else [],
            "source": [self.source],
            "policy": self.policy.changes(Policy()),
            "measures": axes,
            "reads": [
                f"{name}({theirs}=…) as {name}({own}=…)"
                for name, its in self.parameters.items()
                for theirs, own in its.items()
            ],
            "names": names,
            "default": list(self.measures),
            "decimals": [str(self.digits)],
            "differs": list(self.differs),
        }
        return f"{self.name}\n" + "".join(
            section(title, lines, columns) for title, lines in sections.items() if lines
        )


def measure_of(given: MeasureObject) -> Measure:
    """Returns carob's measure for an object of ir_measures.

    Raises:
        MeasureError: carob does not have the measure, or the object lacks a depth.
    """
    return own_profile("ir_measures").read_one(str(given))


def pairs(parameters: dict[str, Any]) -> str:
    """Returns parameters as a user types them, such as ``gain=exp2, discount=rank``."""
    return ", ".join(f"{key}={value}" for key, value in parameters.items())


def section(title: str, lines: list[str], columns: int) -> str:
    """Formats a titled list: short entries share a line, but each sentence starts a new line."""
    import textwrap

    sentences = title in ("differs", "source")
    # No-break spaces keep each entry on one line.
    texts = lines if sentences else [", ".join(line.replace(" ", "\u00a0") for line in lines)]
    filled = [
        textwrap.fill(
            text, columns, initial_indent=" " * 11, subsequent_indent=" " * 13, break_on_hyphens=False
        )
        for text in texts
    ]
    block = "\n".join(filled).replace("\u00a0", " ")
    return f"  {title:<9}{block[11:]}\n"


def written(name: str) -> set[str]:
    """Returns the parameters written in a name, including those that equal carob's defaults."""
    return set(re.findall(r"(\w+)\s*=", name)) if "=" in name else set()


KINDS = {dict: "a table", list: "an array", int: "a whole number", str: "text"}
"""The names of the fields' types in TOML."""


def profile_in(path: str) -> Profile:
    """Returns the profile in a TOML file. The profile is named after the file unless the file specifies a name.

    Raises:
        PolicyError: the file cannot be read, is not TOML, or contains a key or a value that is not allowed in a
            profile.
    """
    try:
        given = read_toml(path)
    except OSError as error:
        raise PolicyError(f"{path}: {error.strerror}.") from None
    except ValueError as error:
        raise PolicyError(f"{path} is not TOML: {error}.") from None
    fields = vars(Profile("", ""))
    for key, value in given.items():
        if key not in fields:
            hint = did_you_mean(key, fields, f"The allowed keys are: {', '.join(sorted(fields))}.")
            raise PolicyError(f"{path}: a profile cannot contain '{key}'. {hint}")
        kind = {Policy: dict, tuple: list}.get(type(fields[key]), type(fields[key]))
        if not isinstance(value, kind):
            raise PolicyError(f"{path}: {key} is {KINDS[kind]}, not {type(value).__name__}.")
        if isinstance(value, list):
            given[key] = tuple(value)
    for key, example in {"axes": 'gain = "exp2"', "parameters": 'beta = "weight"'}.items():
        for name, parameters in given.get(key, {}).items():
            if not isinstance(parameters, dict):
                raise PolicyError(
                    f"{path}: the {key} of {name} must be a table of parameters, as in {{{example}}}."
                )
    try:
        given["policy"] = Policy(**given.get("policy", {}))
    except (TypeError, PolicyError) as error:
        raise PolicyError(f"{path}: {error}") from None
    return Profile(**{"name": os.path.basename(path).removesuffix(".toml"), "source": path, **given})
