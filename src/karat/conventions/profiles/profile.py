"""The class ``Profile``, and profiles from TOML files."""

from __future__ import annotations

import dataclasses
import os
import re
from dataclasses import dataclass, field
from typing import Any

from karat.conventions.policy import Policy
from karat.measures import Measure, parse_measures
from karat.measures.grammar import split_names
from karat.output.errors import MeasureError, PolicyError, did_you_mean, worded
from karat.output.toml import read_toml


@dataclass(frozen=True, eq=False)
class Profile:
    """A tool's conventions: a policy, and what its names for measures mean.

    Args:
        name: the tool, with its version where two of them differ.
        source: the software or paper that defines the conventions.
        version: the tool's version.
        policy: its policy.
        names: its names that karat lacks or reads differently. A depth may follow each name (``ndcg@10``) and replaces
            the depth given here; ``"precision@"`` is the meaning with a depth, if it differs.
        axes: parameters that differ from karat's defaults, by measure. ``"AP@"`` is AP with a depth.
        measures: the default measures; karat's own if empty.
        digits: the decimals that the tool prints.
        differs: sentences about differences that a profile cannot express, or that are unknown.
        hints: the tool's names that karat cannot read, each with a sentence that says what to write instead.
    """

    name: str
    source: str
    version: str = ""
    policy: Policy = field(default_factory=Policy)
    names: dict[str, str] = field(default_factory=dict)
    axes: dict[str, dict[str, Any]] = field(default_factory=dict)
    measures: tuple[str, ...] = ()
    digits: int = 4
    differs: tuple[str, ...] = ()
    hints: dict[str, str] = field(default_factory=dict)

    def read(self, name: str | Measure) -> list[tuple[str, Measure]]:
        """Returns the label and the measure of each name in ``name``, as this profile interprets it.

        Raises:
            MeasureError: neither the tool nor karat knows a name.
        """
        if not isinstance(name, str):
            return [(str(each), self.meant(each, set())) for each in parse_measures(name)]
        found = []
        for part in split_names(name):
            self.refuse_hinted(part)
            own = self.translated(part)
            measures = parse_measures(own or part)
            for measure in measures:
                meant = self.meant(measure, written(own or part))
                # The measure's name leaves out a parameter at karat's default, but here the bare name may mean another
                # value of it; then the label is the name as it was written.
                exact = own or self.meant(measure, set()) != meant
                found.append((part if exact and len(measures) == 1 else str(measure), meant))
        return found

    def translated(self, name: str) -> str | None:
        """Returns karat's name for one of the tool's names, or None if there is none."""
        if name in self.names:
            return self.names[name]
        word, at, depth = name.rpartition("@")
        own = self.names.get(f"{word}@", self.names.get(word))
        return f"{own.partition('@')[0]}@{depth}" if at and own else None

    def refuse_hinted(self, name: str) -> None:
        """Refuses a name that the profile lists in ``hints``.

        Raises:
            MeasureError: ``hints`` lists the name. The message says what to write instead.
        """
        word, at, _ = name.rpartition("@")
        hint = self.hints.get(name) or (self.hints.get(f"{word}@", self.hints.get(word)) if at else None)
        if hint:
            raise MeasureError(worded(f"Profile {self.name} cannot read '{name}'. ", hint))

    def meant(self, measure: Measure, kept: set[str]) -> Measure:
        """Returns the measure with the tool's defaults for parameters that the name omits."""
        axes = {**self.axes.get(measure.name, {})}
        if measure.depth is not None:
            axes |= self.axes.get(f"{measure.name}@", {})
        given = kept | set(dict(measure.parameters))
        missing = [(key, value) for key, value in axes.items() if key not in given]
        return Measure(measure.name, (*measure.parameters, *missing), measure.depth)

    def describe(self, columns: int = 80) -> str:
        """Returns the profile's differences from karat's own conventions, as text of ``columns`` columns."""
        axes = [f"{name}({pairs(its)})" for name, its in self.axes.items() if its]
        names = [f"{name} = {meant}" for name, meant in self.names.items()]
        sections = {
            "version": [self.version] if self.version else [],
            "source": [self.source],
            "policy": self.policy.changes(Policy()),
            "measures": axes,
            "names": names,
            "default": list(self.measures),
            "decimals": [str(self.digits)],
            "differs": list(self.differs),
        }
        return f"{self.name}\n" + "".join(
            section(title, lines, columns) for title, lines in sections.items() if lines
        )


def pairs(parameters: dict[str, Any]) -> str:
    """Returns parameters as a user types them, such as ``gain=exp2, discount=rank``."""
    return ", ".join(f"{key}={value}" for key, value in parameters.items())


def section(title: str, lines: list[str], columns: int) -> str:
    """Formats a titled list: short entries share one line, and each sentence has a separate line."""
    import textwrap

    sentences = title in ("differs", "source")
    # A no-break space keeps an entry on one line.
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
    """Returns the parameters written in a name, including those that equal karat's defaults."""
    return set(re.findall(r"(\w+)\s*=", name))


TYPES = {
    "names": (dict, "a table"),
    "axes": (dict, "a table"),
    "policy": (dict, "a table"),
    "hints": (dict, "a table"),
    "measures": (list, "an array"),
    "differs": (list, "an array"),
    "digits": (int, "a whole number"),
}
"""The type of each field that is not text, and TOML's name for that type."""


def profile_in(path: str) -> Profile:
    """Returns the profile in a TOML file. The profile is named after the file unless the file gives a name.

    Raises:
        PolicyError: the file cannot be read, is not TOML, or has a key or a value that a profile cannot have.
    """
    try:
        given = read_toml(path)
    except OSError as error:
        raise PolicyError(f"{path}: {error.strerror}.") from None
    except ValueError as error:
        raise PolicyError(f"{path} is not TOML: {error}.") from None
    fields = {each.name for each in dataclasses.fields(Profile)}
    for key, value in given.items():
        if key not in fields:
            hint = did_you_mean(key, fields, f"It has: {', '.join(sorted(fields))}.")
            raise PolicyError(f"{path}: a profile has no '{key}'. {hint}")
        kind, words = TYPES.get(key, (str, "text"))
        if not isinstance(value, kind):
            raise PolicyError(f"{path}: {key} is {words}, not {type(value).__name__}.")
        if isinstance(value, list):
            given[key] = tuple(value)
    for name, parameters in given.get("axes", {}).items():
        if not isinstance(parameters, dict):
            raise PolicyError(
                f'{path}: the axes of {name} must be a table of parameters, as in {{gain = "exp2"}}.'
            )
    try:
        given["policy"] = Policy(**given.get("policy", {}))
    except (TypeError, PolicyError) as error:
        raise PolicyError(f"{path}: {error}") from None
    return Profile(**{"name": os.path.basename(path).removesuffix(".toml"), "source": path, **given})
