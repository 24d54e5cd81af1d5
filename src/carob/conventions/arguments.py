"""Defaults and allowed values of the arguments of public functions, and the check of arguments at each call.

A specification is written instead of the default, as in ``alpha: float = ALPHA``, and ``specified`` makes the function
refuse all other values. The options of the command line have the same ranges and words.
"""

from __future__ import annotations

import math
from functools import wraps
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, get_args

from carob._dataclasses import dataclass
from carob.output.errors import ArgumentError, Worded, refuse_other, worded

if TYPE_CHECKING:
    from collections.abc import Callable

Checked = TypeVar("Checked", bound="Callable[..., Any]")
Kind = TypeVar("Kind")


@dataclass(frozen=True, eq=False, repr=False)
class Argument:
    """A number in a range.

    Args:
        default: the default. If it is None, the argument may be None, which means a default that depends on other
            arguments.
        wanted: the range in words.
        least: the lower bound.
        most: the upper bound.
        exclusive: whether the bounds themselves are excluded.
        whole: whether the number must be whole.
    """

    default: Any
    wanted: str
    least: float = -math.inf
    most: float = math.inf
    exclusive: bool = False
    whole: bool = False

    def refuse_other(self, name: str, value: Any) -> None:
        """Refuses any other value.

        Raises:
            ArgumentError: the value is outside the range or of the wrong type.
        """
        if value is None and self.default is None:
            return
        number = isinstance(value, Integral if self.whole else Real) and not isinstance(value, bool)
        inside = number and (
            self.least < value < self.most if self.exclusive else self.least <= value <= self.most
        )
        if not inside or math.isinf(value):
            option = Worded(f"{name}={value!r}", f"--{name.replace('_', '-')} {value}")
            raise ArgumentError(worded(option, f": use {self.wanted}."))


@dataclass(frozen=True, eq=False, repr=False)
class Choice:
    """One of a few words.

    Args:
        default: the default. If it is None, the argument may be None.
        words: the words.
        called: the noun for a word in error messages, if it differs from the argument's name.
    """

    default: Any
    words: tuple[str, ...]
    called: str = ""

    def refuse_other(self, name: str, value: Any) -> None:
        """Refuses any other value.

        Raises:
            ArgumentError: the value is none of the words.
        """
        if value is not None or self.default is not None:
            refuse_other(self.called or name, value, self.words)


def between(default: float | None, such_as: str) -> Any:
    """Returns the specification of a number between 0 and 1."""
    return Argument(default, f"a number between 0 and 1, such as {such_as}", 0, 1, exclusive=True)


def positive(default: float | None) -> Any:
    """Returns the specification of a number above 0."""
    return Argument(default, "a positive, finite number", 0, exclusive=True)


def not_negative(default: float | None) -> Any:
    """Returns the specification of a number of 0 or more."""
    return Argument(default, "0 or a positive, finite number", 0)


def whole_number(default: int | None, least: int) -> Any:
    """Returns the specification of a whole number of at least ``least``."""
    return Argument(default, f"a whole number of at least {least}", least, whole=True)


def one_of(default: str | None, words: Any, called: str = "") -> Any:
    """Returns the specification of an argument that is one of the words of a ``Literal``."""
    return Choice(default, get_args(words), called)


def specified(given: Checked) -> Checked:
    """Makes a function or class refuse arguments that violate the specifications written as their defaults.

    The specifications are replaced with plain defaults.
    """
    function: Any = given.__init__ if isinstance(given, type) else given  # type: ignore[misc]
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    positional = function.__defaults__ or ()
    defaults = dict(zip(names[len(names) - len(positional) :], positional, strict=True))
    own = {
        name: each
        for name, each in {**defaults, **(function.__kwdefaults__ or {})}.items()
        if isinstance(each, (Argument, Choice))
    }
    function.__defaults__ = tuple(map(unspecified, positional)) or None
    function.__kwdefaults__ = {
        name: unspecified(each) for name, each in (function.__kwdefaults__ or {}).items()
    }

    @wraps(function)
    def called(*arguments: Any, **options: Any) -> Any:
        for name, value in (*zip(names, arguments, strict=False), *options.items()):
            if name in own:
                own[name].refuse_other(name, value)
        return function(*arguments, **options)

    called.arguments = own  # type: ignore[attr-defined]
    if isinstance(given, type):
        given.__init__ = called  # type: ignore[misc]
        return given
    return called  # type: ignore[return-value]


def of_class(name: str, given: Any, cls: type[Kind], such_as: str) -> Kind:
    """Returns an argument that must be an object of a class. None means an object with the defaults of the class.

    Raises:
        ArgumentError: the argument is neither None nor an object of the class.
    """
    if given is None:
        return cls()
    if not isinstance(given, cls):
        raise ArgumentError(f"{name}={given!r} is of type {type(given).__name__}: pass {such_as}.")
    return given


def unspecified(default: Any) -> Any:
    """Returns the default value in a specification."""
    return default.default if isinstance(default, (Argument, Choice)) else default


TestName: TypeAlias = Literal["t", "randomisation", "romano-wolf", "tukey", "max-t", "wilcoxon", "sign"]
CorrectionName: TypeAlias = Literal["holm", "bonferroni", "bh", "none"]
Family: TypeAlias = Literal["measure", "all"]
Interval: TypeAlias = Literal["t", "bootstrap"]
Target: TypeAlias = Literal["these", "similar"]
Average: TypeAlias = Literal["macro", "micro"]
Absent: TypeAlias = Literal["refuse", "skip", "zero", "drop-collections", "drop-runs"]
FriedmanTies: TypeAlias = Literal["uncorrected", "corrected"]
BordaOf: TypeAlias = Literal["all", "present"]
Missing: TypeAlias = Literal["error", "skip", "zero"]
Means: TypeAlias = Literal["queries", "stated"]
Over: TypeAlias = Literal["queries", "runs"]
Pool: TypeAlias = Literal["own", "both"]
Order: TypeAlias = Literal["sample", "certain", "depth"]
RunFormat: TypeAlias = Literal["trec", "msmarco", "csv", "tsv", "jsonl", "json", "parquet", "arrow"]
DecideBy: TypeAlias = Literal["mean", "significance", "non-inferiority"]

ALPHA = between(0.05, "0.05")
CONFIDENCE = between(0.95, "0.95")
MAX_GRADE: Any = Argument(None, "a finite number")
JUDGED_AT = whole_number(None, 1)
TARGET_COLLECTIONS = one_of("similar", Target)
AVERAGE = one_of("macro", Average)
ABSENT = one_of("refuse", Absent)
FRIEDMAN_TIES = one_of("uncorrected", FriedmanTies)
MISSING = one_of("error", Missing)
MEANS = one_of("queries", Means)
OVER = one_of("queries", Over)
POOL = one_of("own", Pool)
BORDA_OF = one_of("all", BordaOf)

RESAMPLES_OF_JUDGES = whole_number(1000, 1)
USUAL_SEED = whole_number(2026, 0)
SEED_OF_DRAW = whole_number(20_261_122, 0)
TOP = whole_number(None, 1)
DIFFERENCE = positive(None)
POWER = between(0.8, "0.8")
COMPARISONS = whole_number(1, 1)
CORRELATION: Any = Argument(None, "a number from -1 to 1", -1, 1)
JUDGED = whole_number(None, 1)
BUDGET = whole_number(50, 1)
ORDER = one_of("sample", Order)
DECIDE_BY = one_of(None, DecideBy)
WORST = whole_number(5, 0)
RUN_FORMAT = one_of(None, RunFormat, "format")
RUN_DEPTH = whole_number(None, 1)
POOL_DEPTH = whole_number(None, 1)
UNSEEN_DOCUMENTS = whole_number(0, 0)
