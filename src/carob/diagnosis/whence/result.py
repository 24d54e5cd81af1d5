"""The result of ``carob.whence``: the explanations of a number, and their output as text, tables and JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from carob._dataclasses import dataclass, replace
from carob.output.document import Document, Documented, Line, Section, Table
from carob.output.language import plural
from carob.output.results import Records

if TYPE_CHECKING:
    from collections.abc import Callable

OFTEN = 0.05
"""If the share of chance fits is at least this, the text advises more digits."""
LEAST = 0.001
"""The smallest share that is stated exactly."""
MOST_MISTAKES = 2
"""The maximum number of mistakes that the text describes for an explanation."""
DEFINED = ("profiles", "mistakes", "convention", "policy", "command")
"""The fields of an explanation that JSON contains for the nearest value."""
READ_AS = {
    "percent": "No candidate gives {those} as written, but one does as a percentage, which is 100 times the value.",
    "truncated": "No candidate rounds to {those}, but one matches if its remaining digits are truncated.",
}
"""The notes on numbers that had to be interpreted, by the kind of interpretation."""
MOST_TOOLS = 4
"""The maximum number of tools that a row of the table names."""


@dataclass(frozen=True)
class KnownMistake:
    """A mistake that yields the number.

    Args:
        measure: the measure that the program claims to compute.
        name: the name of the mistake.
        sentence: what the program computes instead.
        source: where the mistake was found.
    """

    measure: str
    name: str
    sentence: str
    source: str

    def __str__(self) -> str:
        """Returns the mistake and its source in one sentence."""
        return f"{self.measure}, {self.name}: {self.sentence} ({self.source})."


@dataclass(frozen=True)
class Cause:
    """One explanation: conventions and mistakes that this data cannot distinguish.

    Args:
        rank: the explanation's place among all explanations, most common first.
        measure: the usual name of the measure with its depth, for each number.
        values: the value for each number, before rounding.
        depths: the depths that yield the same values; None is the whole list.
        profiles: the tools whose conventions yield the values, most common first.
        mistakes: the mistakes that yield the values, most common first.
        convention: carob's full name of the most common convention; empty if only mistakes yield the values.
        policy: the settings of the most common convention that differ from carob's own.
        command: the command that shows the derivation.
    """

    rank: int
    measure: tuple[str, ...]
    values: tuple[float, ...]
    depths: tuple[int | None, ...]
    profiles: tuple[str, ...]
    mistakes: tuple[KnownMistake, ...]
    convention: str
    policy: str
    command: str

    @property
    def name(self) -> str:
        """The names of the measures, joined by commas."""
        return ", ".join(dict.fromkeys(self.measure))

    @property
    def whose(self) -> str:
        """The first tools, the first mistake, and the numbers of further tools and mistakes."""
        shown = [*self.profiles[:MOST_TOOLS]]
        more = len(self.profiles) - len(shown)
        tools = ", ".join(shown) + (f" and {more} more" if more else "")
        if not self.mistakes:
            return tools
        wrong = f"mistake: {self.mistakes[0].name}"
        more = len(self.mistakes) - 1
        return "; ".join(each for each in (tools, wrong + (f" and {more} more" if more else "")) if each)


@dataclass(frozen=True)
class Decider:
    """A further number that would distinguish the first explanations.

    Args:
        depth: the depth of the further number; None for the whole list.
        ranks: the ranks of the explanations.
        names: the measure of each explanation at this depth.
        values: the value of the further number under each explanation.
    """

    depth: int | None
    ranks: tuple[int, ...]
    names: tuple[str, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, repr=False)
class Whence(Documented):
    """The conventions and mistakes that yield a number.

    Args:
        numbers: the numbers as they were written.
        causes: the explanations, most common first; empty if no convention or mistake known to carob yields the
            numbers.
        searched: the number of conventions and mistakes, at all depths, that were tried.
        chance: the share of all numbers between 0 and 1 with as many digits that at least one of these yields.
        decider: a further number that would distinguish the explanations; None if there are fewer than two or no number
            does.
        nearest: the conventions and mistakes with the nearest value, if a single number has no explanation; else None.
        digits: the number of decimals of each number.
        read_as: how each number was interpreted: ``rounded``; ``percent`` if no value rounds to the number, but some
            value rounds to a hundredth of it; ``truncated`` if further digits seem to have been cut off; or
            ``truncated percent``.
        separate: the explanations of each number by itself, if several numbers have no common explanation; else empty.
        shown: the maximum number of explanations in the text.

    Example:
        >>> import carob
        >>> found = carob.whence("0.83", "AP", grades=[1, 0, 1], judged=[1, 1, 1])
        >>> found.causes[0].measure, found.causes[0].profiles[:2]
        (('AP@10',), ('lightgbm', 'xgboost'))
    """

    numbers: tuple[str, ...]
    causes: tuple[Cause, ...]
    searched: int
    chance: float
    decider: Decider | None
    nearest: Cause | None
    digits: tuple[int, ...]
    read_as: tuple[str, ...]
    separate: tuple[Whence, ...] = ()
    shown: int = 5

    def contents(self) -> dict[str, Any]:
        """Returns all explanations, the share of chance fits, and the number that would distinguish them."""
        return {
            "numbers": self.numbers,
            "causes": self.causes,
            "searched": self.searched,
            "chance": self.chance,
            "decider": self.decider,
            "nearest": None
            if self.nearest is None
            else {
                "measure": self.nearest.name,
                "value": self.nearest.values[0],
                **{name: getattr(self.nearest, name) for name in DEFINED},
            },
            "read_as": self.read_as,
            "separate": [each.contents() for each in self.separate],
        }

    def records(self) -> dict[str, Callable[[], Records]]:
        """Returns the table ``causes``, with a row for each explanation of all numbers or of each by itself."""
        names = [
            "rank",
            "measure",
            "value",
            "depths",
            "profiles",
            "mistakes",
            "convention",
            "policy",
            "command",
            "numbers",
        ]

        def rows() -> Records:
            return Records(
                names,
                [
                    (
                        each.rank,
                        each.name,
                        each.values[0],
                        " ".join("whole" if depth is None else str(depth) for depth in each.depths),
                        "; ".join(each.profiles),
                        "; ".join(mistake.name for mistake in each.mistakes),
                        each.convention,
                        each.policy,
                        each.command,
                        ", ".join(found.numbers),
                    )
                    for found in (self.separate or (self,))
                    for each in found.causes
                ],
            )

        return {"causes": rows}

    def beside(self) -> list[str]:
        """Returns the sentences about chance fits and the distinguishing number, which do not fit in CSV."""
        return self.sentences()

    def document(self, _layout: str = "text", /) -> Document:
        """Returns the table of explanations, the details of each, and the number that would distinguish them."""
        sections = self.explained()
        for each in self.separate:
            sections.append(Section([Line(f"{each.numbers[0]} alone:")]))
            sections += replace(each, shown=self.shown).explained()
        return Document(sections, f"Whence {', '.join(self.numbers)}")

    def explained(self) -> list[Section]:
        """Returns the sections that explain all numbers jointly."""
        kept = self.causes[: self.shown]
        sections = []
        if kept:
            values = [", ".join(f"{value:.6f}" for value in each.values) for each in kept]
            rows = [
                [str(each.rank), each.name, value, each.whose]
                for each, value in zip(kept, values, strict=True)
            ]
            sections.append(Section([Table(["", "measure", "value", "from"], rows, (1, 3))]))
            sections += [Section([*map(Line, self.details(each))]) for each in kept]
        near = [] if self.nearest is None else [Line(each) for each in self.details(self.nearest)]
        sections.append(Section([*(Line(each, "verdict") for each in self.sentences()), *near]))
        return sections

    def details(self, cause: Cause) -> list[str]:
        """Returns lines with what an explanation computes, and the command that shows the derivation."""
        found = []
        mark = f"{cause.rank}  " if self.causes else "   "
        if cause.profiles:
            policy = f" ({cause.policy})" if cause.policy else ""
            found.append(f"{mark}{cause.convention}{policy}")
        found += [f"{mark}Mistake: {each}" for each in cause.mistakes[:MOST_MISTAKES]]
        more = len(cause.mistakes) - MOST_MISTAKES
        found += [f"{mark}{plural(more, 'further mistake')} with the same value here."] if more > 0 else []
        depths = [each for each in cause.depths if each is not None]
        if len(cause.depths) > 1:
            whole = ["the whole list"] if None in cause.depths else []
            found.append(f"   Equal here at: {', '.join([*(f'@{each}' for each in depths), *whole])}.")
        return [*found, f"   {cause.command}"]

    def sentences(self) -> list[str]:
        """Returns sentences about explanations, the share of chance fits, and the number that distinguishes them."""
        several = len(self.numbers) > 1
        asked = ", ".join(self.numbers)
        found = []
        if self.separate:
            told = all(each.causes for each in self.separate)
            why = ", so they follow different conventions" if told else ""
            found.append(f"No single known convention gives {asked} together{why}.")
        elif not self.causes:
            found.append(f"No known convention gives {asked}.")
        if self.nearest is not None:
            value = f"{self.nearest.values[0]:.6f}: {self.nearest.name} of {self.nearest.whose}"
            found.append(f"The nearest value of {self.searched} tried is {value}.")
        elif len(self.causes) > self.shown:
            found.append(f"{len(self.causes) - self.shown} further explanations are less common.")
        if self.causes:
            found += self.readings()
            digits = plural(self.digits[0], "digit")
            start = "Numbers with this many digits match" if several else f"A number of {digits} matches"
            advice = ": use more digits" if self.chance >= OFTEN else ""
            found.append(f"{start} some candidate by chance in {percent(self.chance)} of cases{advice}.")
        return found + self.deciding()

    def readings(self) -> list[str]:
        """Returns the sentences about numbers that had to be interpreted as percentages or as truncated."""
        found = []
        for word, what in READ_AS.items():
            those = [text for text, its in zip(self.numbers, self.read_as, strict=True) if word in its]
            if those:
                found.append(what.format(those=", ".join(those)))
        return found

    def deciding(self) -> list[str]:
        """Returns the sentence about the number that would distinguish the explanations."""
        if len(self.causes) < 2:
            return []
        if self.decider is None:
            return [
                "No depth distinguishes the first explanations on these lists: add the number of another query."
            ]
        each = zip(self.decider.ranks, self.decider.names, self.decider.values, strict=True)
        values = "; ".join(f"{name} = {value:.4f} by {rank}" for rank, name, value in each)
        return [f"Another number would decide: {values}."]


def percent(share: float) -> str:
    """Formats a share in percent, with a decimal if it is small."""
    if share < LEAST:
        return "less than 0.1 %"
    return f"{100 * share:.0f} %" if share >= 0.1 else f"{100 * share:.1f} %"
