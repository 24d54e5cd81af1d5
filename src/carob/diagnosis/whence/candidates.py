"""Lists the candidates: every convention of a profile and every known mistake, at each depth, with their weights."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from carob._dataclasses import dataclass
from carob.conventions.profiles import every_profile
from carob.conventions.request import conventions
from carob.diagnosis.difference import Convention
from carob.diagnosis.whence.mistakes import MISTAKES, Mistake
from carob.measures import REGISTER, Measure
from carob.measures.grammar import also_called, folded
from carob.output.errors import MeasureError
from carob.output.parsing import read_toml

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from carob.conventions.policy import Policy
    from carob.conventions.profiles import Profile

SAMPLE = 7
"""A sample depth, used to find out what a name with a depth means under a profile."""
RARE = 0.1
"""The weight of a measure, a depth or a tool that is not listed in ``common.toml``."""
WHOLE = ("carob", "ir_measures")
"""The profiles of tools that support most of carob's measures by the same names, and a few by other names."""


@dataclass(frozen=True, eq=False, repr=False)
class Variant:
    """One reading of a measure at any depth: a convention of one or more profiles, or a mistake.

    Args:
        family: the measure's usual name, such as ``nDCG``.
        sources: the name of each profile, or of the mistake, paired with its name for the measure.
        weight: how common the reading is, regardless of the depth.
        convention: the measure, at any depth, and the policy; None for a mistake.
        deep: whether the name of the measure states a depth; a mistake exists with and without a depth.
        mistake: the mistake; None for a convention.
    """

    family: str
    sources: tuple[tuple[str, str], ...]
    weight: float
    convention: Convention | None = None
    deep: bool = True
    mistake: Mistake | None = None

    def at(self, depth: int | None) -> Measure | None:
        """Returns the measure at a depth, or None for a mistake. A measure without a depth is returned unchanged."""
        if self.convention is None:
            return None
        its = self.convention.measure
        cut = self.deep or (depth is not None and its.depth is None and its.definition.at == "depth")
        return Measure(its.name, its.parameters, depth) if cut else its

    def has(self, depth: int | None) -> bool:
        """Returns whether the reading exists at this depth."""
        measure = self.at(depth)
        return measure is None or measure.depth == depth


@dataclass(frozen=True, eq=False, repr=False)
class Possibility:
    """A reading of a measure at one depth.

    Args:
        variant: the reading.
        depth: the depth that the name states; None for the whole list.
        weight: how common the reading is at this depth.
    """

    variant: Variant
    depth: int | None
    weight: float

    @property
    def name(self) -> str:
        """The usual name of the measure, with its depth."""
        return at_depth(self.variant.family, self.depth)


def at_depth(name: str, depth: int | None) -> str:
    """Returns the name of a measure at a depth."""
    return name if depth is None else f"{name}@{depth}"


class Readings:
    """All readings of some measures, each with its most common profiles first.

    Args:
        families: the usual names of the measures; None for all measures listed in ``common.toml``.
        policy: settings that override every profile.
    """

    def __init__(self, families: Iterable[str] | None, policy: Policy | None) -> None:
        """Resolves the names of every profile."""
        self.common = read_toml(os.path.join(os.path.dirname(__file__), "common.toml"))
        self.wanted = frozenset(self.common["measures"] if families is None else families)
        found: dict[tuple[str, bool, Convention], dict[tuple[str, str], None]] = {}
        usual = usual_names()
        for name in ("carob", *every_profile()):
            profile, own = conventions(name, policy)
            for family, deep, convention, label in readings(profile, own, self.wanted, usual):
                found.setdefault((family, deep, convention), {})[name, label] = None
        self.variants = [
            Variant(family, self.ordered(sources), self.weight(family, sources), convention, deep)
            for (family, deep, convention), sources in found.items()
        ]
        self.variants += [
            Variant(
                each.of, ((each.name, each.of),), self.of("measures", each.of) * each.common, mistake=each
            )
            for each in MISTAKES
            if each.of in self.wanted
        ]

    def of(self, kind: str, name: str) -> float:
        """Returns the weight of a measure, a depth or a tool, which states how common it is."""
        return float(self.common[kind].get(name, RARE))

    def ordered(self, sources: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
        """Returns the sources sorted by profile, most common first."""
        return tuple(sorted(sources, key=lambda each: -self.of("tools", each[0])))

    def weight(self, family: str, sources: Iterable[tuple[str, str]]) -> float:
        """Returns how common a convention is: the weight of the measure times the sum over the tools that use it."""
        return self.of("measures", family) * sum(
            self.of("tools", name) for name in {each[0] for each in sources}
        )

    def at(self, depths: Sequence[int | None]) -> list[Possibility]:
        """Returns every reading at each depth. A measure with a fixed depth is returned only at that depth."""
        found = []
        for each in self.variants:
            fixed = None if each.convention is None or each.deep else each.convention.measure.depth
            for depth in depths:
                if each.mistake is not None or (depth is not None) is each.deep:
                    its = depth if fixed is None else fixed
                    found.append(Possibility(each, its, each.weight * self.depth_weight(its)))
        return found

    def depth_weight(self, depth: int | None) -> float:
        """Returns the weight of a depth, which states how common it is."""
        return self.of("depths", "whole" if depth is None else str(depth))


def usual_names() -> dict[str, str]:
    """Returns the measure of each of carob's names and aliases, by the name folded to a plain spelling."""
    aliases = {name: own.partition("(")[0].partition("@")[0] for name, own in also_called().items()}
    return {folded(name): own for name, own in (aliases | {name: name for name in REGISTER}).items()}


def readings(
    profile: Profile, policy: Policy, wanted: frozenset[str], usual: Mapping[str, str]
) -> Iterator[tuple[str, bool, Convention, str]]:
    """Yields a profile's readings of some measures: usual name, whether it has a depth, convention, label.

    The usual name is what the label usually means, so Elliot's MAP is listed as AP.
    """
    for label in labels_in(profile, wanted):
        # If the profile knows a name only with a depth, do not look it up without a depth.
        alone = label in profile.names or f"{label}@" not in profile.names
        for deep in (True, False)[: 1 + alone]:
            meant = meaning(profile, f"{label}@{SAMPLE}" if deep else label)
            if meant is None or (deep and meant.depth != SAMPLE):
                continue
            family = family_of(usual.get(folded(label), meant.name))
            if family in wanted:
                yield family, deep, Convention(meant.plain, policy.of_measure(meant)), label


def labels_in(profile: Profile, wanted: frozenset[str]) -> list[str]:
    """Returns the names that a tool uses for measures.

    A profile without names of its own uses carob's names. If it changes a measure's parameters, the tool supports the
    measure.
    """
    own = [name.removesuffix("@") for name in profile.names]
    changed = [name.removesuffix("@") for name in profile.axes]
    usual = wanted if not own or profile.name in WHOLE else wanted.intersection(changed)
    return list(dict.fromkeys([*own, *sorted(usual)]))


def meaning(profile: Profile, name: str) -> Measure | None:
    """Returns the only measure that a name stands for under a profile, or None."""
    try:
        found = profile.read(name)
    except MeasureError:
        return None
    return found[0][1] if len(found) == 1 and found[0][1].definition.takes == "grades" else None


def family_of(name: str) -> str:
    """Returns the usual name of a measure. Precision has two names in carob, with and without a depth."""
    return "P" if name == "SetP" else name
