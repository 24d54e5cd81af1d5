"""Frozen classes are what those of ``dataclasses`` are, though no text is compiled for them."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from dataclasses import field
from typing import Any

import pytest

from carob._dataclasses import dataclass, replace
from carob.conventions.policy import Policy


@pytest.mark.parametrize(
    "options", [{}, {"eq": False}, {"repr": False}, {"frozen": False}, {"eq": False, "repr": False}]
)
def test_they_do_what_pythons_own_do(options: dict[str, bool]) -> None:
    assert behaviour(dataclass, options) == behaviour(dataclasses.dataclass, options)


def behaviour(made: Any, options: dict[str, bool]) -> list[object]:
    """Returns what two classes do, of which one inherits from the other."""
    options = {"frozen": True, **options}

    @made(**options)
    class Part:
        name: str
        size: int = 0
        parts: dict[str, int] = field(default_factory=dict, hash=False)
        given: bool = field(init=False, default=True, repr=False, compare=False)

    @made(**options)
    class Whole(Part):
        of: str = ""
        unit: str = field(kw_only=True)
        least: int = field(default=1, kw_only=True)

        def __post_init__(self) -> None:
            object.__setattr__(self, "given", False)

    each = [
        Part("a"),
        Part("a", 1),
        Whole("a", of="b", unit="c"),
        dataclasses.replace(Whole("a", unit="b"), size=3),
    ]
    each += [copy.deepcopy(each[2]), copy.copy(each[3])]
    equal = [one == other for one in each for other in each]
    same = [tried(hash, one) == tried(hash, other) for one in each for other in each]
    shown = [repr(one).rpartition(".")[2].partition(" at ")[0] for one in each]
    fields = [(dataclasses.astuple(one), one.given) for one in each]
    changes = [
        tried(setattr, each[0], "size", 2),
        tried(setattr, each[2], "of", ""),
        tried(delattr, each[1], "size"),
    ]
    calls = [tried(Part), tried(Part, "a", 1, {}, True), tried(Part, "a", name="b"), tried(Whole, "a")]
    calls += [tried(Whole, "a", 1, {}, "b", "c"), tried(Part, "a", other=1)]
    signatures = [str(inspect.signature(made)) for made in (Part, Whole)]
    distinct = each[0].parts is not each[1].parts
    return [
        equal,
        same,
        shown,
        fields,
        changes,
        calls,
        signatures,
        distinct,
        tried(setattr, each[0], "other", 2),
    ]


def tried(function: Any, *arguments: Any, **options: Any) -> object:
    """Returns what the function returns, or its error."""
    try:
        return function(*arguments, **options)
    except (AttributeError, TypeError) as error:
        return type(error), str(error)


def test_an_object_with_other_values_is_the_one_of_dataclasses() -> None:
    @dataclass(frozen=True)
    class Part:
        name: str
        parts: dict[str, int] = field(default_factory=dict)
        least: int = field(default=1, kw_only=True)
        given: bool = field(init=False, default=True)

        def __post_init__(self) -> None:
            object.__setattr__(self, "given", self.least == 1)

    one = Part("a", {"b": 1})
    for changed in ({}, {"name": "c"}, {"least": 2, "parts": {}}, {"other": 1}):
        assert tried(replace, one, **changed) == tried(dataclasses.replace, one, **changed)
    assert replace(one).parts is one.parts
    assert not replace(one, least=2).given


def test_they_can_be_pickled() -> None:
    policy = Policy(ties="expected", by_measure={"nDCG": {"empty": "one"}})
    found = pickle.loads(pickle.dumps(policy))
    assert found == policy
    assert found.given == policy.given
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'ties'"):
        found.ties = "trec"
