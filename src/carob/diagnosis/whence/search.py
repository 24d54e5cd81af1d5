"""Searches for candidates that fit the numbers, grouped if the data cannot distinguish them, most common first."""

from __future__ import annotations

import math
from copy import copy
from itertools import product
from typing import TYPE_CHECKING, Any, cast

from carob._dataclasses import dataclass, replace
from carob._numpy import np
from carob.diagnosis.whence.candidates import Possibility, Readings, family_of, usual_names
from carob.measures.grammar import folded

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence

    from carob.conventions.policy import Policy
    from carob.diagnosis.whence.values import NumberedLists
    from carob.lists.rows import Floats

DEPTHS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20, 30, 50, 100, 200, 500, 1000)
"""The depths that are searched if none is stated."""
BEYOND = (5, 10, 20, 100)
"""The depths that are searched even if the lists are shorter, because some measures divide by the depth."""
SINGLE = 2e-7
"""The relative error of a number that was computed in single precision, as in PyTorch."""
SAME = 1e-9
"""The largest difference between values that count as equal, due to sums in another order."""
DIGITS_TO_CUT = 2
"""The minimum number of decimals in a number that may have been truncated."""
MOST_FITS = 12
"""The maximum number of fits that are combined per source and number, if several numbers belong to the same list."""


@dataclass(frozen=True)
class GivenNumber:
    """A number to explain.

    Args:
        text: the number as it was written.
        value: the value of the number.
        digits: the number of its decimals.
        families: the usual names of the stated measure; empty if no measure was stated.
        depth: the stated depth; None if none was stated.
        place: the index of the list to which the number belongs.
        percent: whether the text, which has no percent sign, is interpreted as 100 times the value.
        cut: whether the number is interpreted as truncated, not rounded.
    """

    text: str
    value: float
    digits: int
    families: tuple[str, ...] = ()
    depth: int | None = None
    place: int = 0
    percent: bool = False
    cut: bool = False

    @property
    def as_percent(self) -> GivenNumber:
        """The number interpreted as 100 times the value, or unchanged if that is impossible."""
        if not 1 < self.value <= 100 or "%" in self.text:
            return self
        return replace(self, value=self.value / 100, digits=self.digits + 2, percent=True)

    @property
    def read_as(self) -> str:
        """The interpretation of the number: ``rounded``, ``truncated``, ``percent`` or ``truncated percent``."""
        return " ".join(["truncated"] * self.cut + ["percent"] * self.percent) or "rounded"

    @property
    def as_cut(self) -> GivenNumber:
        """The number interpreted as truncated, or unchanged if it has too few decimals."""
        return replace(self, cut=True) if self.digits >= DIGITS_TO_CUT else self

    def near(self, values: Floats) -> Any:
        """Returns a mask of the values that would be printed as this number."""
        away = values - self.value
        if not self.cut:
            return np.abs(away) <= self.margin
        further = away if self.value >= 0 else -away
        return (further >= -SAME) & (further < 10.0**-self.digits - SAME)

    def as_printed(self, values: Floats) -> Floats:
        """Returns values as multiples of one unit in this number's last digit."""
        units = values * 10.0**self.digits
        return cast("Floats", np.trunc(units + SAME) if self.cut else np.round(units))

    @property
    def margin(self) -> float:
        """The largest difference between this number and a value that rounds to it."""
        return max(0.5 * 10.0**-self.digits, SINGLE * abs(self.value)) + SAME

    def admits(self, candidate: Possibility) -> bool:
        """Returns whether the candidate has the stated measure and depth, if any were stated."""
        if self.families and candidate.variant.family not in self.families:
            return False
        return self.depth is None or candidate.depth == self.depth


@dataclass(frozen=True)
class FittingReadings:
    """Readings of one source that yield the numbers, with one candidate for each number.

    Args:
        possibilities: a candidate for each number.
        values: the candidate's value for each number, before rounding.
    """

    possibilities: tuple[Possibility, ...]
    values: tuple[float, ...]

    @property
    def is_mistake(self) -> bool:
        """Whether the first candidate is a mistake."""
        return self.possibilities[0].variant.mistake is not None

    @property
    def is_renamed(self) -> bool:
        """Whether the first candidate is a mistake that computes another measure."""
        mistake = self.possibilities[0].variant.mistake
        return mistake is not None and bool(mistake.same) and not mistake.same.startswith(mistake.of)

    @property
    def weight(self) -> float:
        """The weight of the least common candidate."""
        return min(each.weight for each in self.possibilities)


class Search:
    """The candidates for some numbers, with the candidates' values.

    Args:
        numbers: the numbers.
        subject: the lists to which the numbers belong.
        policy: settings that override every profile.
    """

    def __init__(self, numbers: Sequence[GivenNumber], subject: NumberedLists, policy: Policy | None) -> None:
        """Computes the values of every candidate.

        Raises:
            DataError: no convention can use the data.
        """
        self.numbers, self.subject = numbers, subject
        stated = {family for each in numbers for family in each.families}
        families = stated if all(each.families for each in numbers) else None
        known = {each.depth for each in numbers}
        depths = (
            tuple(sorted(each for each in known if each is not None))
            if None not in known
            else depths_of(known, subject.deepest)
        )
        self.readings = Readings(families, policy)
        self.candidates = self.readings.at(depths)
        self.values: Floats = subject.values(self.candidates)
        if np.isnan(self.values).all():
            subject.match()  # raises an error that says why the data cannot be used

    def of(self, *numbers: GivenNumber) -> Search:
        """Returns a search for other numbers among the same values."""
        other = copy(self)
        other.numbers = numbers
        return other

    def readings_of_numbers(self) -> Iterator[Search]:
        """Yields this search, and searches that interpret its numbers as percentages, as truncated, or as both."""
        yield self
        as_percent = [each.as_percent for each in self.numbers]
        for numbers in (
            as_percent,
            [each.as_cut for each in self.numbers],
            [each.as_cut for each in as_percent],
        ):
            if numbers != [*self.numbers]:
                yield self.of(*numbers)

    def fits(self) -> list[FittingReadings]:
        """Returns all fits."""
        places = [each.place for each in self.numbers]
        names = {(each.families, each.depth) for each in self.numbers}
        alike = len(set(places)) == len(places) and len(names) == 1
        return list(self.of_one_name() if alike else self.of_several_names())

    def fitting(self, number: GivenNumber) -> list[int]:
        """Returns the indices of the candidates that yield a number."""
        near = number.near(self.values[number.place])
        return [each for each in np.flatnonzero(near).tolist() if number.admits(self.candidates[each])]

    def of_one_name(self) -> Iterator[FittingReadings]:
        """Yields the fits of a single candidate to all numbers, which belong to different lists."""
        those = set(self.fitting(self.numbers[0])).intersection(*map(self.fitting, self.numbers[1:]))
        for each in sorted(those):
            values = tuple(float(self.values[number.place, each]) for number in self.numbers)
            yield FittingReadings((self.candidates[each],) * len(self.numbers), values)

    def of_several_names(self) -> Iterator[FittingReadings]:
        """Yields the fits of one source to all numbers, with measures or depths that may differ between the numbers.

        If no measure was stated, all numbers must belong to the same measure.
        """
        stated = all(each.families for each in self.numbers)
        sources: list[dict[tuple[str, str], list[int]]] = []
        for number in self.numbers:
            of: dict[tuple[str, str], list[int]] = {}
            for each in self.fitting(number):
                variant = self.candidates[each].variant
                for source in {name for name, _ in variant.sources}:
                    of.setdefault((source, "" if stated else variant.family), []).append(each)
            sources.append(of)
        seen = set()
        for key in [each for each in sources[0] if all(each in of for of in sources)]:
            best = [sorted(of[key], key=self.weight, reverse=True)[:MOST_FITS] for of in sources]
            for chosen in product(*best):
                if chosen not in seen:
                    seen.add(chosen)
                    values = tuple(
                        float(self.values[number.place, each])
                        for number, each in zip(self.numbers, chosen, strict=True)
                    )
                    yield FittingReadings(tuple(self.candidates[each] for each in chosen), values)

    def at_other_depths(self, those: Sequence[Possibility]) -> Iterator[tuple[int | None, list[float]]]:
        """Yields each further usual depth, with the values of some candidates' readings for the first number's list.

        The candidates' own depths, and depths at which a reading has no value, are left out.
        """
        own = {each.depth for each in those}
        deepest = self.subject.deepest
        others = [
            depth
            for depth in (*DEPTHS, None)
            if depth not in own and (depth or 0) <= deepest and all(each.variant.has(depth) for each in those)
        ]
        every = [Possibility(each.variant, depth, 0.0) for depth in others for each in those]
        values = self.subject.values(every)[self.numbers[0].place].reshape(len(others), len(those))
        for depth, row in zip(others, values.tolist(), strict=True):
            if not any(value != value for value in row):
                yield depth, row

    def nearest(self) -> list[FittingReadings]:
        """Returns the most common group of candidates whose value is nearest to the only number."""
        (number,) = self.numbers
        away = np.abs(self.values[number.place] - number.value)
        away[[not number.admits(each) for each in self.candidates]] = np.nan
        if np.isnan(away).all():
            return []
        equal = np.flatnonzero(away <= np.nanmin(away) + SAME).tolist()
        fits = [
            FittingReadings((self.candidates[each],), (float(self.values[number.place, each]),))
            for each in equal
        ]
        return in_groups(fits)[0]

    def distance(self) -> float:
        """Returns the relative difference between the nearest value and the only number."""
        return min(
            (abs(each.values[0] - self.numbers[0].value) for each in self.nearest()), default=math.inf
        ) / max(abs(self.numbers[0].value), SAME)

    def weight(self, place: int) -> float:
        """Returns the weight of a candidate, which states how common it is."""
        return self.candidates[place].weight

    def chance(self) -> float:
        """Returns the share of all numbers between 0 and 1 with as many digits that any candidate yields.

        Several numbers are treated as one tuple.
        """
        columns, total = [], 1.0
        for number in self.numbers:
            admitted = np.array([number.admits(each) for each in self.candidates], bool)
            values = np.where(admitted, self.values[number.place], np.nan)
            columns.append(number.as_printed(values))
            total *= 10.0**number.digits - 1
        inside = np.ones(len(self.candidates), bool)
        for number, column in zip(self.numbers, columns, strict=True):
            inside &= (column > 0) & (column < 10.0**number.digits)
        found = np.stack(columns)[:, inside]
        return float(np.unique(found, axis=1).shape[1] / total) if total else 1.0


def depths_of(stated: set[int | None], deepest: int) -> tuple[int | None, ...]:
    """Returns the depths to search: stated depths, usual depths within the lists, and a few deeper ones."""
    usual = {each for each in DEPTHS if each <= deepest or each in BEYOND}
    return (*sorted({each for each in stated if each is not None} | usual), None)


def in_groups(fits: Sequence[FittingReadings]) -> list[list[FittingReadings]]:
    """Groups fits that the data cannot distinguish, most common first.

    The fits in a group have the same measures and the same values. Within a group, conventions come before mistakes,
    and common fits before rare ones. A mistake that is only another measure under a wrong name is in the group of that
    measure.
    """
    usual = usual_names()
    there = {
        candidate.variant.family
        for each in fits
        for candidate in each.possibilities
        if not candidate.variant.mistake
    }
    groups: dict[tuple[tuple[str, ...], tuple[float, ...]], list[FittingReadings]] = {}
    for each in fits:
        families = tuple(measure_of(candidate, usual, there) for candidate in each.possibilities)
        groups.setdefault((families, tuple(round(value, 9) for value in each.values)), []).append(each)
    ordered = [
        sorted(group, key=lambda fit: (fit.is_mistake, fit.is_renamed, -fit.weight))
        for group in groups.values()
    ]
    return sorted(ordered, key=lambda group: -sum(fit.weight for fit in group))


def measure_of(candidate: Possibility, usual: Mapping[str, str], there: Container[str]) -> str:
    """Returns the measure that a candidate really computes, if it fits as well; else the claimed measure."""
    mistake = candidate.variant.mistake
    if mistake is None or not mistake.same:
        return candidate.variant.family
    own = family_of(usual[folded(mistake.same.partition("(")[0])])
    return own if own in there else candidate.variant.family
