"""The named gains of grades and discounts of ranks, for any array namespace."""

from __future__ import annotations

from math import log2
from typing import Any, TypeAlias

Gain: TypeAlias = "str | tuple[tuple[float, float], ...]"
"""The name of a gain, or pairs of grade and gain."""

STEPS = 16
"""The number of terms that are added one by one. With 16, the approximation of the rest has an error below 1e-15."""


def gain_of(xp: Any, grade: Any, gain: Gain) -> Any:
    """Returns the gain of each grade, and 0 for a negative grade that the table of gains does not contain."""
    if not isinstance(gain, str):
        worth = xp.where(grade >= 0, grade, 0.0)
        for level, value in gain:
            worth = xp.where(grade == level, value, worth)
        return worth
    word, lowest = opened(gain)
    if word == "binary":
        return xp.where(grade > 0 if lowest is None else grade >= lowest, 1.0, 0.0)
    if word == "exp2":
        worth = xp.exp2(grade if lowest is None else grade - (lowest - 1.0)) - 1
    else:
        worth = grade
    return xp.where(grade >= (lowest or 0.0), worth, 0.0)


def discount_of(xp: Any, rank: Any, discount: str) -> Any:
    """Returns the discount (the divisor of a gain) at each rank."""
    word, base = opened(discount)
    if base is not None and word == "jk":
        return xp.log2(xp.maximum(rank, base)) / log2(base)
    if base is not None:
        return xp.log2(rank + 1.0) / log2(base)
    return {
        "log2": lambda: xp.log2(rank + 1.0),
        "ln": lambda: xp.log(rank + 1.0),
        "rank": lambda: rank,
        "none": lambda: rank * 0.0 + 1.0,
    }[word]()


def opened(word: str) -> tuple[str, float | None]:
    """Returns the name and the number of a word such as ``jk(2)``."""
    name, bracket, number = word.partition("(")
    return name, float(number[:-1]) if bracket else None


def reciprocals_of(xp: Any, first: Any, last: Any, power: int) -> Any:
    """Returns the sum of 1 / m^power for m = first, first + 1, … up to last. ``last`` may be infinite if power is 2.

    The sum is the difference of two infinite sums. The first terms of each are added one by one, and the rest is
    approximated by the Euler-Maclaurin formula (Abramowitz and Stegun 6.3.18 and 6.4.12).
    """
    return xp.where(last >= first, tail(xp, first, power) - tail(xp, last + 1.0, power), 0.0)


def tail(xp: Any, first: Any, power: int) -> Any:
    """Returns the sum of 1 / m^power from ``first`` on. For power 1, an infinite constant is left out."""
    first = xp.asarray(first)
    infinite = xp.isinf(first)
    start = xp.where(infinite, 1.0, first)
    added = sum(1.0 / (start + step) ** power for step in range(STEPS))
    x, square = start + STEPS, (start + STEPS) ** 2
    if power == 1:
        series = 1 / 12 - (1 / 120 - (1 / 252 - (1 / 240 - 1 / (132 * square)) / square) / square) / square
        rest = 1 / (2 * x) - xp.log(x) + series / square
    else:
        series = 1 / 6 - (1 / 30 - (1 / 42 - (1 / 30 - 5 / (66 * square)) / square) / square) / square
        rest = 1 / x + 1 / (2 * square) + series / (square * x)
    return xp.where(infinite, 0.0, added + rest)
