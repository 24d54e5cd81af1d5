"""Attacks by dictionaries: ids and scores of types that none should have, mappings that lie, change or fail."""

from __future__ import annotations

import collections
import decimal
import enum
import fractions
import types
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import carob
from hostile.attack import asked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

QRELS = {"q": {"a": 1, "b": 0, "c": 1}}
RUN = {"q": {"b": 3.0, "a": 2.0, "c": 1.0}}
RIGHT = (1 / 2 + 2 / 3) / 2
"""AP of b, a, c."""


class Unprintable:
    def __repr__(self) -> str:
        raise RuntimeError("no")


class Letter(enum.Enum):
    A = "a"


WIDE = 2**53 + 1

# What a query has, and a part of the sentence.
REFUSED: dict[str, tuple[Any, str]] = {
    "a pair for an id": ({("a", 1): 1.0}, "found tuple"),
    "None for an id": ({None: 1.0}, "found NoneType"),
    "bytes for an id": ({b"a": 1.0}, "found bytes"),
    "a fraction for an id": ({1.5: 1.0}, "found float"),
    "NaN for an id": ({float("nan"): 1.0}, "found float"),
    "truth for an id": ({True: 1.0}, "found bool"),
    "a set for an id": ({frozenset(): 1.0}, "found frozenset"),
    "a member for an id": ({Letter.A: 1.0}, "found Letter"),
    "an id of 5,000 digits": ({10**5000: 1.0}, "decimal text"),
    "an id that cannot be written": ({Unprintable(): 1.0}, "document <Unprintable>"),
    "a late id of another type": ({"a": 1.0, 1: 2.0, None: 3.0}, "document None"),
    "text and number of one id": ({1: 3.0, "1": 2.0}, "twice"),
    "a lone surrogate": ({"b\ud800": 3.0}, "surrogates"),
    "ids of the same bytes": ({"é": 3.0, "\udcc3\udca9": 2.0}, "surrogates"),
    "pairs in a list": ([("b", 3.0), ("a", 2.0)], "found tuple"),
    "text for documents": ("abc", "found str"),
    "None for documents": (None, "found NoneType"),
    "a number for documents": (3, "found int"),
    "None for a number": ({"a": None}, "is not a number (found NoneType)"),
    "text for a number": ({"a": "1"}, "is not a number (found str)"),
    "bytes for a number": ({"a": b"1"}, "is not a number (found bytes)"),
    "a number of NumPy that is text": ({"a": np.str_("3")}, "is not a number"),
    "a date for a number": ({"a": np.datetime64("2020-01-01")}, "is not a number"),
    "an array for a number": ({"a": np.zeros(3)}, "is not a number (found ndarray)"),
    "a complex number": ({"a": 3j}, "is not a number (found complex)"),
    "a number too large": ({"a": 10**400}, "too large"),
    "NaN": ({"a": float("nan")}, "NaN"),
    "NaN of decimals": ({"a": decimal.Decimal("NaN")}, "NaN"),
    "NaN that signals": ({"a": decimal.Decimal("sNaN")}, "is not a number"),
    "a wide whole number": ({"a": WIDE}, "no double represents"),
    "a wide number of NumPy": ({"a": np.uint64(WIDE)}, "no double represents"),
    "a wide decimal": ({"a": decimal.Decimal(WIDE)}, "no double represents"),
    "a wide fraction": ({"a": fractions.Fraction(WIDE)}, "no double represents"),
}


def scored(side: str, documents: Any) -> Any:
    """AP where what the query has stands in the run, or in the judgments of a run that ranks b, a, c."""
    qrels, run = ({"q": documents}, RUN) if side == "qrels" else (QRELS, {"q": documents})
    return carob.evaluate(qrels, run, "AP")["AP"]


@pytest.mark.parametrize("side", ["run", "qrels"])
@pytest.mark.parametrize("attack", REFUSED)
def test_what_is_no_id_or_number_is_refused(attack: str, side: str) -> None:
    documents, says = REFUSED[attack]
    asked(lambda: scored(side, documents)).refused(says)


@pytest.mark.parametrize("number", [[], 10**400])
def test_a_score_that_nobody_reads_is_read(number: Any) -> None:
    asked(lambda: carob.evaluate({"q": {"d": 1}}, {"other": {"d": number}}, "AP")).refused()


def test_a_grade_that_is_not_finite_is_refused() -> None:
    asked(lambda: carob.evaluate({"q": {"d": float("inf")}}, {"q": {"d": 1.0}}, "AP")).refused("infinite")


QUERIES: dict[str, tuple[Any, str]] = {
    "None": ({None: {"a": 1.0}}, "query None"),
    "a pair": ({("q", 1): {"a": 1.0}}, "found tuple"),
    "a class": ({int: {"a": 1.0}}, "found type"),
    "a surrogate": ({"q\ud800": {"a": 1.0}}, "surrogates"),
    "5,000 digits": ({10**5000: {"a": 1.0}}, "decimal text"),
    "no query at all": ({}, "empty"),
    "an id of a megabyte": ({"q" * 10**6: {"a": 1.0}}, "no query in common"),
    "300,000 queries without documents": ({f"q{each}": {} for each in range(300_000)}, "no query in common"),
    "a generator": ((each for each in RUN.items()), "Cannot read a generator"),
    "a view of items": (RUN.items(), "Cannot read a dict_items"),
    "a class for a mapping": (dict, "Cannot read a type"),
    "None for a mapping": (None, "Only one of qrels and run was given"),
    "pairs for a mapping": ((("q", {}),), "Cannot read a tuple"),
}


@pytest.mark.parametrize("attack", QUERIES)
def test_what_holds_no_queries_is_refused(attack: str) -> None:
    given, says = QUERIES[attack]
    asked(lambda: carob.evaluate(QRELS, given, "AP")).refused(says)


def test_a_dictionary_in_itself_is_refused() -> None:
    given: dict[str, Any] = {}
    given["q"] = given
    asked(lambda: carob.evaluate(QRELS, given, "AP")).refused()
    asked(lambda: carob.evaluate(given, RUN, "AP")).refused("is not a number (found dict)")


# ---------------------------------------------------------------- odd, and right


class Mapping(collections.abc.Mapping[str, Any]):
    """What is a mapping by its methods alone, and says that it has another size."""

    def __init__(self, held: Any, size: int | None = None) -> None:
        self.held, self.size = held, size

    def __getitem__(self, key: str) -> Any:
        return self.held[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.held)

    def __len__(self) -> int:
        return len(self.held) if self.size is None else self.size


class Silent(dict[str, Any]):
    """A dict whose items nobody may ask for."""

    def items(self) -> Any:
        raise RuntimeError("never asked")


class Text(str):
    """Text whose methods say that it is other text."""

    __slots__ = ()

    def __str__(self) -> str:
        return "other"

    def encode(self, *_: Any) -> bytes:
        return b"other"


class Indexed:
    def __index__(self) -> int:
        return 3


class Float(float):
    def __float__(self) -> float:
        return 0.0


def of_type(kind: Callable[[float], Any]) -> Any:
    return {"b": kind(3), "a": kind(2), "c": kind(1)}


ANSWERED: dict[str, Any] = {
    "a mapping": Mapping(RUN["q"]),
    "a mapping that says it is longer": Mapping(RUN["q"], 8),
    "a mapping that says it is empty": Mapping(RUN["q"], 0),
    "a mapping of 2^62": Mapping(RUN["q"], 2**62),
    "a dict without items": Silent(RUN["q"]),
    "a view that nobody may change": types.MappingProxyType(RUN["q"]),
    "a chain": collections.ChainMap({"b": 3.0}, {"a": 2.0, "c": 1.0, "b": 0.0}),
    "a counter": collections.Counter({"b": 3, "a": 2, "c": 1}),
    "text of a class": {Text("b"): 3.0, "a": 2.0, "c": 1.0},
    "text of NumPy": {np.str_("b"): 3.0, "a": 2.0, "c": 1.0},
    "bytes that are no UTF-8": {"\udcff": 3.0, "a": 2.0, "c": 1.0},
    "an id of a megabyte": {"b" * 10**6: 3.0, "a": 2.0, "c": 1.0},
    "an id that a terminal obeys": {"b\0\n::error::\x1b[2J\u202e": 3.0, "a": 2.0, "c": 1.0},
    "truth values": {"b": True, "a": False, "c": -1},
    "truth values of NumPy": {"b": np.bool_(True), "a": np.float16(0.5), "c": np.int8(0)},
    "single precision": of_type(np.float32),
    "more than double precision": of_type(np.longdouble),
    "decimals": of_type(decimal.Decimal),
    "fractions": of_type(fractions.Fraction),
    "arrays of no dimension": of_type(np.array),
    "what is an index": {"b": Indexed(), "a": 2.0, "c": 1.0},
    "a float of a class": {"b": Float(3.0), "a": 2.0, "c": 1.0},
    "infinite scores": {"b": float("inf"), "a": 2.0, "c": float("-inf")},
    "a decimal between two doubles": {"b": decimal.Decimal("9007199254740993.5"), "a": 2.0, "c": 1.0},
    "ids best first": ["b", "a", "c"],
}


@pytest.mark.parametrize("attack", ANSWERED)
def test_what_is_odd_and_sound_gives_the_right_number(attack: str) -> None:
    documents = ANSWERED[attack]
    assert asked(lambda: scored("run", documents)).out == pytest.approx(RIGHT)
    outer = {"q": documents}
    for run in (Mapping(outer, 0), types.MappingProxyType(outer), collections.UserDict(outer)):
        answer = asked(lambda run=run: carob.evaluate(QRELS, run, "AP")["AP"])  # type: ignore[misc]
        assert answer.out == pytest.approx(RIGHT)


@pytest.mark.parametrize("missing", [dict, lambda: collections.defaultdict(float)])
def test_what_makes_missing_entries_does_not_grow(missing: Any) -> None:
    run = collections.defaultdict(missing, {"q": collections.defaultdict(float, RUN["q"])})
    qrels = collections.defaultdict(missing, {"q": collections.defaultdict(int, QRELS["q"]), "p": {"a": 1}})
    assert carob.evaluate(qrels, run, "AP")["AP"] == pytest.approx(RIGHT / 2)
    assert dict(run) == {"q": RUN["q"]}
    assert dict(qrels) == {"q": QRELS["q"], "p": {"a": 1}}


# ---------------------------------------------------------------- changing, and failing


class Meddling:
    """A number that changes the dictionary that it is in while it is read."""

    def __init__(self, meddle: Callable[[], object]) -> None:
        self.meddle = meddle

    def __float__(self) -> float:
        self.meddle()
        return 1.0


@pytest.mark.parametrize("meddle", ["grow", "shrink", "clear", "new query", "no query"])
@pytest.mark.parametrize("side", ["run", "qrels"])
def test_what_changes_while_it_is_read_loses_nothing_in_silence(side: str, meddle: str) -> None:
    given: dict[str, Any] = {"q": {"b": 3.0, "a": 2.0, "c": 1.0}, "p": {"a": 1.0}}
    acts: dict[str, Callable[[], object]] = {
        "grow": lambda: given["q"].update(new=1.0),
        "shrink": lambda: given["q"].pop("a", None),
        "clear": lambda: given["q"].clear(),
        "new query": lambda: given.update(other={"a": 1.0}),
        "no query": lambda: given.pop("p", None),
    }
    given["q"]["b"] = Meddling(acts[meddle])
    qrels, run = (given, RUN) if side == "qrels" else (QRELS | {"p": {"a": 1}}, given)
    asked(lambda: carob.evaluate(qrels, run, "AP")).refused("changed while it was read")


class Failing(Mapping):
    def __iter__(self) -> Iterator[str]:
        yield "b"
        raise LookupError("the caller's own")


@pytest.mark.parametrize("given", [Failing({"b": 1.0}), {"b": Meddling(lambda: [].pop())}])
def test_what_a_callers_class_raises_reaches_the_caller(given: Any) -> None:
    with pytest.raises(LookupError):
        scored("run", given)


@pytest.mark.filterwarnings("ignore::carob.DataWarning")
@pytest.mark.parametrize(
    ("judged", "retrieved"), [({}, {"d": 1.0}), ({"": 1}, {"d": 1.0}), ({"d": 1}, {"": 1.0})]
)
def test_an_empty_list_or_id_shares_nothing(judged: Any, retrieved: Any) -> None:
    answer = asked(lambda: carob.evaluate({"q": judged}, {"q": retrieved}, "AP"))
    assert answer.code == 2 or answer.out["AP"] in (0.0, None) or answer.out["AP"] != answer.out["AP"]


def test_a_later_id_that_is_a_number_is_its_text() -> None:
    assert carob.evaluate({"q": {"1": 1}}, {"q": {"a": 2.0, 1: 3.0}}, "AP")["AP"] == 1.0


def test_an_id_of_5000_digits_is_refused_where_python_reads_ids() -> None:
    judged = {10**5000: {"t": {"d": 1}}}
    asked(lambda: carob.evaluate(judged, {"q": {"d": 1.0}}, "alpha_nDCG")).refused(
        "cannot be written as decimal text"
    )
