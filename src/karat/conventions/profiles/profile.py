"""What a profile is: a tool's conventions as data, and how it reads a measure's name."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from karat.conventions.policy import Policy
from karat.measures import Measure, parse_measures
from karat.measures.names import split_names
from karat.output.errors import MeasureError, worded

__all__ = ["Profile"]


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
