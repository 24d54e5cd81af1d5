"""A tool's conventions as data (``Profile``), how it reads a measure's name, and profiles in TOML files."""

from __future__ import annotations

import dataclasses
import os
import re
import sys
from dataclasses import dataclass, field
from typing import Any

from karat.conventions.policy import Policy
from karat.measures import Measure, parse_measures
from karat.measures.names import split_names
from karat.output.errors import MeasureError, PolicyError, did_you_mean, worded

__all__ = ["Profile", "profile_in"]


@dataclass(frozen=True, eq=False)
class Profile:
    """A tool's conventions: a policy, and what its names for measures mean.

    Args:
        name: the tool, with its version where two of them differ.
        source: where this was read or measured.
        version: of the tool.
        policy: the evaluation-wide axes.
        names: names that the tool has and karat has not, or reads otherwise. A depth may follow each
            (``ndcg@10``), and takes the place of the one that stands here; ``"precision@"`` is what the name means
            with a depth, where that differs.
        axes: parameters that differ from karat's defaults, by measure; ``"AP@"`` is AP with a depth.
        measures: what is evaluated if nothing is asked for; karat's own default if empty.
        digits: decimals that the tool prints.
        differs: what the tool does that is no convention of ranking, or not known, each with its reason.
        hints: names that the tool has and karat has not, as in ``names``, each with what to write instead.
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
        """The measures that ``name``, one or several, stands for under this profile, each with the label that shows it.

        Raises:
            MeasureError: a name that neither the tool nor karat knows.
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
                # A parameter written out at karat's default is not in the measure's name, and may be all that tells it
                # from what the bare name means here.
                exact = own or self.meant(measure, set()) != meant
                found.append((part if exact and len(measures) == 1 else str(measure), meant))
        return found

    def translated(self, name: str) -> str | None:
        """One of the tool's names in karat's words, or None."""
        if name in self.names:
            return self.names[name]
        word, at, depth = name.rpartition("@")
        own = self.names.get(f"{word}@", self.names.get(word))
        return f"{own.partition('@')[0]}@{depth}" if at and own else None

    def refuse_hinted(self, name: str) -> None:
        """Refuse a name that the tool has and karat has not.

        Raises:
            MeasureError: it is one; the text says what to write instead.
        """
        word, at, _ = name.rpartition("@")
        hint = self.hints.get(name) or (self.hints.get(f"{word}@", self.hints.get(word)) if at else None)
        if hint:
            raise MeasureError(worded(f"'{name}' is not read under profile {self.name}. ", hint))

    def meant(self, measure: Measure, kept: set[str]) -> Measure:
        """The measure with the tool's parameters where none was written."""
        axes = {**self.axes.get(measure.name, {})}
        if measure.depth is not None:
            axes |= self.axes.get(f"{measure.name}@", {})
        given = kept | set(dict(measure.parameters))
        missing = [(key, value) for key, value in axes.items() if key not in given]
        return Measure(measure.name, (*measure.parameters, *missing), measure.depth)

    def describe(self, columns: int = 80) -> str:
        """What the profile changes of karat's own conventions, in so many columns."""
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
    """Parameters as they are typed."""
    return ", ".join(f"{key}={value}" for key, value in parameters.items())


def section(title: str, lines: list[str], columns: int) -> str:
    """A titled list: short entries side by side, sentences one below the other."""
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
    """The parameters that a name gives, also those at karat's default, which a ``Measure`` no longer tells."""
    return set(re.findall(r"(\w+)\s*=", name))


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
    if sys.version_info >= (3, 11):  # here, since most runs read no profile from a file
        import tomllib
    else:
        import tomli as tomllib
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
