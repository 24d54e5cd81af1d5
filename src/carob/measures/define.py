"""The definition of a measure, the types of its parameters, the register of all measures, and plug-ins."""

from __future__ import annotations

import importlib
import math
import os
import re
import sys
import warnings
from dataclasses import KW_ONLY, field
from functools import cache
from math import inf
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, get_args, get_type_hints

from carob._dataclasses import dataclass
from carob.output.docstrings import docstring_of
from carob.output.errors import DataError, DataWarning, MeasureError
from carob.output.taken import take

if TYPE_CHECKING:
    from collections.abc import Callable

    from carob.lists import Queries


Value: TypeAlias = "str | float | tuple[Any, ...]"
Formula = TypeVar("Formula", bound="Callable[..., Any]")

HOLDING_A_NUMBER = r"([a-z0-9_]+)\(([0-9]+(?:\.[0-9]+)?)\)"
MOST = 1e12
"""The largest value of a parameter for which no smaller bound is set."""


@dataclass(frozen=True, eq=False, repr=False)
class Number:
    """A parameter that is a number in a range, or a list of such numbers.

    Args:
        default: the default value; a list if the parameter accepts lists.
        lowest: the lower bound.
        highest: the upper bound.
        above: whether ``lowest`` itself is excluded from the range.
        role: ``relevance`` for the lowest relevant grade, ``highest`` for the highest grade of the scale, ``share`` for
            a share that can be written as a percentage after ``@`` in a name.
    """

    default: float | tuple[float, ...]
    lowest: float = -MOST
    highest: float = MOST
    _: KW_ONLY
    above: bool = False
    role: str = ""

    def accepts(self, value: Value) -> bool:
        """Returns whether a value is in the range. A list must have at least one number, all in the range."""
        if isinstance(value, tuple) != isinstance(self.default, tuple):
            return False
        return bool(value) and all(map(self.holds, value)) if isinstance(value, tuple) else self.holds(value)

    def wanted(self, value: Value) -> str:
        """Describes the allowed values, for the error message about a value that is not allowed."""
        if isinstance(value, str) or isinstance(value, tuple) != isinstance(self.default, tuple):
            return "a list such as [0, 0.5, 1]" if isinstance(self.default, tuple) else "a number"
        return f"{'numbers' if isinstance(value, tuple) else 'a number'} {self.range}"

    def holds(self, number: Any) -> bool:
        """Returns whether a number is in the range."""
        return isinstance(number, (int, float)) and (
            self.lowest <= number <= self.highest and not (self.above and number == self.lowest)
        )

    @property
    def range(self) -> str:
        """The range in words, such as ``from 0 to 1``."""
        start, up = ("above", "up to") if self.above else ("from", "to")
        return f"{start} {end(self.lowest)} {up} {end(self.highest)}"


def end(number: float) -> str:
    """Returns a bound of a range in words, such as ``10^12``."""
    if abs(number) == MOST:
        return "10^12" if number > 0 else "−10^12"
    return f"{number:,.0f}".replace("-", "−") if abs(number) >= 1e6 else f"{number:g}"


ANY = Number(0.0)
"""A number from -10^12 to 10^12."""
ANY_PAIR = Number((0.0, 0.0))
"""A pair of numbers from -10^12 to 10^12."""


class OneOf:
    """A parameter whose value is one of a few words, the first of which is the default.

    A word such as ``jk(b)`` accepts any number b in the range of ``number``. The word ``number`` stands for a plain
    number in this range. The word ``nan`` means that the measure can be undefined for a query.

    The role ``gain`` marks a parameter that sets the gain of each grade, and ``relevance`` one that sets the lowest
    relevant grade. The role ``micro`` marks a parameter that averages over the documents of all queries if the word is
    ``true``.
    """

    def __init__(self, default: str, *others: str, number: Number = ANY, role: str = "") -> None:
        """Stores the default word, the other words, the range of a number, and the role."""
        self.default, self.words, self.number, self.role = default, (default, *others), number, role

    def accepts(self, value: Value) -> bool:
        """Returns whether a value is one of the words, an allowed number, or an allowed table of grades and gains."""
        if isinstance(value, tuple):  # a table of grades and gains
            pairs = (isinstance(each, tuple) and len(each) == 2 and ANY_PAIR.accepts(each) for each in value)
            return self.role == "gain" and all(pairs)
        if not isinstance(value, str):
            return "number" in self.words and self.number.holds(value)
        holding = re.fullmatch(HOLDING_A_NUMBER, value)
        if holding:
            known = any(word.startswith(f"{holding[1]}(") for word in self.words)
            return known and self.number.holds(float(holding[2]))
        return value in self.words and value != "number" and "(" not in value

    def wanted(self, value: Value) -> str:
        """Describes the allowed values, for the error message about a value that is not allowed."""
        if isinstance(value, tuple) and self.role == "gain":
            return f"a table of pairs grade:gain with numbers {ANY.range}"
        table = ", or {grade:gain, …}" if self.role == "gain" else ""
        return f"one of {', '.join(self.words)}{table}{f', {self.bounds}' if self.bounds else ''}"

    @property
    def bounds(self) -> str:
        """The allowed range, as text, of the number that a word contains or that stands in its place."""
        held = next((word for word in self.words if "(" in word or word == "number"), None)
        if held is None:
            return ""
        name = held[held.find("(") + 1 : -1] if "(" in held else held
        return f"with {name} {self.number.range}"


number: Any = Number
"""A ``Number`` as the default in a formula's signature; the formula receives a plain number."""
one_of: Any = OneOf
"""A ``OneOf`` as the default in a formula's signature; the formula receives a plain word."""


def tidied(value: Value) -> Value:
    """Returns a value in its normal spelling: ``jk(2.0)`` becomes ``jk(2)``."""
    holding = re.fullmatch(HOLDING_A_NUMBER, value) if isinstance(value, str) else None
    return value if holding is None else f"{holding[1]}({as_typed(float(holding[2]))})"


def as_typed(value: Value) -> str:
    """Returns a parameter's value as a user types it."""
    if isinstance(value, str):
        return value
    if isinstance(value, tuple):
        if value and all(isinstance(each, tuple) and len(each) == 2 for each in value):
            return "{" + ",".join(f"{as_typed(a)}:{as_typed(b)}" for a, b in value) + "}"
        return "[" + ",".join(map(as_typed, value)) + "]"
    if isinstance(value, int):
        return str(value) if abs(value) < 10**16 else "a number with too many digits"
    whole = math.isfinite(value) and value == int(value) and abs(value) < 1e16
    return repr(int(value)) if whole else repr(value)


# ---------------------------------------------------------------- shared by many measures

OF_POLICY: dict[str, Any] = {"unjudged": one_of("nonrelevant", "removed")}
"""Policy settings that the name of a measure can change for that measure only, as in ``AP(unjudged=removed)``."""

COUNTED = (0.0, inf)
"""The range of counts and sums."""
UNBOUNDED = (-inf, inf)
REL: Any = number(1, role="relevance")
"""The lowest grade of a relevant document."""
KNOWN: Any = number(2)
"""The lowest grade of a document that the user already knew."""
PROBABILITY: Any = number(0.5, 0, 1)
BETA: Any = number(1, 0, 1e6)
"""The weight of recall relative to precision; formulas use the square of this weight."""
TIMES: Any = number(1, 0, 1e6)
COUNT: Any = number(10, 1)
"""A number of documents."""
WANTED: Any = number(1, 0.5, 1e6)
"""The number of relevant documents that a user wants; with 0.5, the user stops at the next one."""
HIGHEST: Any = number(1, 0, above=True, role="highest")
"""The highest grade of the scale; gains are divided by the gain of this grade."""

GAIN: Any = one_of(
    "linear", "exp2", "binary", "linear(t)", "exp2(t)", "binary(t)", number=number(1, 0), role="gain"
)
SHARE: Any = one_of(
    "binary", *(word for word in GAIN.words if word != "binary"), number=GAIN.number, role="gain"
)
"""The gain of a document, as a share of the highest grade's gain; by default 1 for each relevant document."""
DISCOUNT: Any = one_of(
    "log2",
    "jk(b)",
    "ln",
    "log(b)",
    "ln_rank",
    "log_rank(b)",
    "rank",
    "none",
    number=number(2, 1, 1e6, above=True),
)
IDEAL: Any = one_of("judged", "uncut", "length", "retrieved", "top", "depth", "full", "trec_eval")


REGISTER: dict[str, Definition] = {}
"""Every registered measure by name."""


@dataclass(frozen=True, eq=False, repr=False)
class Definition:
    """Registers a formula as a measure. The formula's first argument is the lists; the others are the parameters.

    The default of a parameter must be a number, a ``number`` with a range, ``one_of`` a few words, or a word whose type
    is a ``Literal``. If a measure is registered again, as when a notebook cell is run twice, the new formula replaces
    the old one. carob's own measures cannot be replaced.

    Args:
        name: the measure's name.
        aggregate: how per-query scores are combined: ``mean``, ``sum``, or ``geometric`` (the geometric mean, with
            values below 1e-5 raised to 1e-5).
        at: the meaning of ``@``: ``depth`` (the list is cut before the formula is called), ``no`` (not allowed), or the
            name of a parameter.
        whole: the measure to use for whole lists, if this measure needs a depth.
        same_as: the name of the measure in trec_eval.
        source: the publication or the software that defines the measure.
        weighs: a function with the same arguments as the formula that returns the weight of each query in the mean. All
            weights are 1 if the function is None or returns None.
        rows: the retrieved documents that the formula needs. ``judged`` means all judged documents. ``relevant`` leaves
            out documents with a grade of 0 or less, which saves time if these documents never change the value.
            ``every`` means all documents, including unjudged ones.
        additive: the value is a sum of terms, each of which depends only on one document and its rank, except with
            ``ideal=top``.
        takes: the data that the measure needs: ``grades``; ``groups`` for qrels whose second column contains a
            subtopic; ``preferences`` between documents; or ``recommendations`` for ``carob.beyond_accuracy``.
        needs: further inputs that a recommendation measure needs with its default parameters, such as ``catalogue``.
        smaller_is_better: whether a smaller value is better.
        undefined: whether the measure can be undefined (NaN) for a query.
        values: the range of per-query scores if gains are 0 or more and the ideal ranking consists of judged or
            retrieved documents.

    Raises:
        MeasureError: the name is not allowed or belongs to carob, or a parameter has no default or an unsupported one.

    Example:
        >>> import carob
        >>> @carob.measure("First", source="this page")
        ... def first(r, rel=1):
        ...     "1 if the first document is relevant, else 0."
        ...     top = r.top(1)
        ...     return top.best(top.hits(rel))
        >>> carob.evaluate_grades([[0, 2], [3, 0]], ["First", "First(rel=3)"]).means()
        {'First': 0.5, 'First(rel=3)': 0.5}
    """

    name: str
    _: KW_ONLY
    aggregate: str = "mean"
    at: str = "depth"
    whole: str = ""
    same_as: str = ""
    source: str = ""
    weighs: Callable[..., Queries | None] | None = None
    rows: Literal["judged", "relevant", "every"] = "judged"
    additive: bool = False
    takes: Literal["grades", "groups", "preferences", "recommendations"] = "grades"
    needs: tuple[str, ...] = ()
    smaller_is_better: bool = False
    undefined: bool = False
    values: tuple[float, float] = (0.0, 1.0)
    formula: Any = field(init=False, default=None)
    parameters: dict[str, Any] = field(init=False, default_factory=dict, hash=False)
    settings: dict[str, Any] = field(init=False, default_factory=dict, hash=False)
    """The policy settings that a name of this measure can change, with the allowed values."""
    percent: bool = field(init=False, default=False)
    """Whether the value after ``@`` can be written as a percentage, as in ``WSS@95%``."""
    own: bool = field(init=False, default=False)
    """Whether the measure is one of carob's own."""
    groups: bool = field(init=False, default=False)
    """Whether the measure needs judgment groups."""

    def __call__(self, formula: Formula) -> Formula:
        """Registers ``formula`` under the name, and returns the formula."""
        check_name(self.name, formula)
        has = parameters_of(self.name, formula)
        of_policy = {} if self.takes == "recommendations" else OF_POLICY
        vars(self).update(
            formula=formula,
            parameters=has,
            settings={key: value for key, value in of_policy.items() if key not in has},
            percent=self.at in has and has[self.at].role == "share",
            own=str(formula.__module__).startswith("carob."),
            groups=self.takes == "groups",
        )
        REGISTER[self.name] = self
        return formula

    @property
    def description(self) -> str:
        """The formula's docstring."""
        return docstring_of(self.formula).strip()

    @property
    def sentence(self) -> str:
        """The first line of the formula's docstring."""
        return self.description.splitlines()[0] if self.description else ""


measure = Definition


NAME = r"[^\W\d_][\w+-]*"
TO_READ = "carob.Measure.parse reads the name of a measure with its depth and parameters."


def check_name(name: str, formula: Callable[..., Queries]) -> None:
    """Refuses a measure whose name cannot be parsed or is taken, or whose formula has no docstring.

    Raises:
        MeasureError: the name or the formula is refused.
    """
    if not re.fullmatch(NAME, str(name)):
        found = shortened(repr(name))
        raise MeasureError(f"A measure's name is a word such as nDCG, not {found}. {TO_READ}")
    if name in REGISTER and not replaceable(REGISTER[name].formula, formula):
        owner = REGISTER[name].formula.__module__
        raise MeasureError(f"A measure {name} already exists, in {owner}: choose another name.")
    if not docstring_of(formula).strip() and sys.flags.optimize < 2:
        raise MeasureError(
            f"The formula of {name} has no docstring: add one whose first line defines the measure."
        )


def replaceable(old: Callable[..., Queries], new: Callable[..., Queries]) -> bool:
    """Returns whether a new formula may replace an old one: both must be from the same module, outside carob."""
    return old.__module__ == new.__module__ and not old.__module__.startswith("carob.")


def parameters_of(name: str, formula: Callable[..., Any]) -> dict[str, Any]:
    """Returns the parameters in a formula's signature.

    Raises:
        MeasureError: a parameter has no default, or an unsupported one.
    """
    names = formula.__code__.co_varnames[
        1 : formula.__code__.co_argcount + formula.__code__.co_kwonlyargcount
    ]
    positional = names[: formula.__code__.co_argcount - 1]
    defaults = formula.__defaults__ or ()
    given = dict(zip(positional[len(positional) - len(defaults) :], defaults))
    given |= formula.__kwdefaults__ or {}
    return {each: declared(name, formula, each, given.get(each)) for each in names}


def literals(formula: Callable[..., Any], parameter: str) -> tuple[Any, ...]:
    """Returns the values of a parameter's ``Literal`` type, or no values for another type or an unknown name."""
    alone = SimpleNamespace(__annotations__={parameter: formula.__annotations__.get(parameter)})
    try:
        return get_args(get_type_hints(alone, formula.__globals__)[parameter])
    except NameError:
        return ()


def declared(name: str, formula: Callable[..., Any], parameter: str, default: Any) -> OneOf | Number:
    """Returns the allowed values of a parameter, as declared by its default.

    Raises:
        MeasureError: the parameter has no default, or an unsupported one.
    """
    if isinstance(default, (OneOf, Number)):
        return default
    if isinstance(default, (int, float)) and not isinstance(default, bool):
        return Number(default, role="relevance" if parameter == "rel" else "")
    if isinstance(default, str):
        words = literals(formula, parameter)
        if default in words:
            return OneOf(default, *(word for word in words if word != default))
    raise MeasureError(
        f"The default of {name}'s parameter {parameter} does not declare the allowed values: use a number, "
        "number(…) for a range, one_of(…) for a few words, or a word of its Literal type."
    )


@cache
def plugged(group: str) -> tuple[Any, ...]:
    """Returns the objects that installed packages register in an entry point group, such as ``carob.measures``.

    A package that cannot be loaded only causes a warning, because carob's own names do not depend on the package.
    """
    from importlib.metadata import entry_points

    found = []
    for each in entry_points(group=group):
        try:
            found.append(each.load())
        except (Exception, SystemExit) as error:  # noqa: BLE001 -- another package may raise anything
            package = "a package" if each.dist is None else each.dist.name
            text = (
                f"{package} offers {group} '{each.name}' ({each.value}), which cannot be loaded: {error!r}."
            )
            warnings.warn(text, DataWarning, stacklevel=2)
    return tuple(found)


def import_by_name(name: str) -> None:
    """Imports a file (``mymeasures.py``) or a module (``mypackage.measures``), which registers its measures.

    Raises:
        DataError: the file or module does not exist, or its import fails.
    """
    before = set(sys.modules)
    try:
        if name.endswith(".py"):
            import_file(name)
        else:
            importlib.import_module(name)
    except FileNotFoundError:
        raise DataError(f"{name}: there is no such file to import. Check the path.") from None
    except SystemExit as error:
        raise DataError(
            f"{name} cannot be imported: it ends the process (sys.exit({'' if error.code is None else error.code!r})).",
            remedy="Put the code that it runs under if __name__ == '__main__'.",
        ) from error
    except Exception as error:
        raise DataError(f"{name} cannot be imported: {type(error).__name__}: {error}") from error
    if name.endswith(".py"):
        take(name)
    for each in {name, *(sys.modules.keys() - before)}:
        file = getattr(sys.modules.get(each), "__file__", None)
        if isinstance(file, str):
            take(file)


def import_file(path: str) -> None:
    """Imports a file as a module of the same name. Importing the file again replaces the module."""
    from importlib.util import module_from_spec, spec_from_file_location

    stem = os.path.basename(path).removesuffix(".py")
    spec = spec_from_file_location(f"carob_import_{stem}", path)
    if spec is None or spec.loader is None or not os.path.isfile(path):
        raise FileNotFoundError(path)
    module = sys.modules[spec.name] = module_from_spec(spec)
    spec.loader.exec_module(module)


SHOWN = 60
"""The maximum number of characters of a name that a message repeats."""


def shortened(name: str) -> str:
    """Returns a name for use in a message: shortened, and with unprintable characters escaped."""
    shown = "".join(each if each.isprintable() else ascii(each)[1:-1] for each in name[: SHOWN + 1])
    return shown if len(name) <= SHOWN else f"{shown[:SHOWN]}…"
