"""Every argument with a range or a few words refuses all else, by one class of error, wherever it is given."""

from __future__ import annotations

import inspect
import json
import math
from pathlib import Path
from typing import Any

import pytest

import carob
import carob.tensors
from carob.cli import options
from carob.conventions import arguments
from carob.conventions.arguments import Argument, Choice

PUBLIC = {name: getattr(carob, name) for name in carob.__all__}
SPECIFIED = {
    (name, argument): (each, specification)
    for name, each in PUBLIC.items()
    for argument, specification in getattr(
        each.__init__ if inspect.isclass(each) else each, "arguments", {}
    ).items()
}


SPECIFICATIONS = [*vars(arguments).values(), *(each for _, each in SPECIFIED.values())]


def invalid(specification: Argument | Choice) -> list[Any]:
    """Values outside the range or the words, and of another type."""
    if isinstance(specification, Choice):
        return ["nonsense", 5]
    ends = [end for end in (specification.least, specification.most) if math.isfinite(end)]
    outside = [specification.least - 1, specification.most + 1] + ends * specification.exclusive
    return ["x", math.nan, math.inf, True, *filter(math.isfinite, outside), *[0.5] * specification.whole]


def call(function: Any, argument: str, value: Any) -> Any:
    """Calls the function with one argument, by position where it has one, and with nothing for those that it needs."""
    given: list[Any] = []
    for name, each in inspect.signature(function).parameters.items():
        if name == argument:
            keyword = each.kind is each.KEYWORD_ONLY
            return function(*given, **{name: value}) if keyword else function(*given, value)
        if each.kind is each.POSITIONAL_OR_KEYWORD:
            given.append(each.default if each.default is not each.empty else None)
    raise AssertionError(argument)


@pytest.mark.parametrize(("name", "argument"), SPECIFIED)
def test_another_value_is_refused_by_name_value_and_what_is_allowed(name: str, argument: str) -> None:
    function, specification = SPECIFIED[name, argument]
    for value in invalid(specification):
        with pytest.raises(carob.ArgumentError) as refused:
            call(function, argument, value)
        said = str(refused.value)
        allowed = specification.words if isinstance(specification, Choice) else [specification.wanted]
        shown = (getattr(specification, "called", "") or argument) + f"={value!r}"
        assert all(each in said for each in (shown, *allowed)), said
        assert isinstance(refused.value, (carob.DataError, carob.PolicyError, ValueError))


def test_the_functions_with_such_arguments_are_known() -> None:
    functions = {name for name, _ in SPECIFIED}
    assert functions >= {
        "Test",
        "Design",
        "UnjudgedLimits",
        "compare",
        "estimate",
        "compare_collections",
        "correlate",
    }
    assert functions >= {"agreement", "best", "plan", "next_judgments", "gate", "unjudged_bounds"}
    assert len(SPECIFIED) >= 50


def test_the_level_is_refused_alike_by_all() -> None:
    said = set()
    for name in ("best", "plan", "agreement", "gate", "Test"):
        with pytest.raises(carob.ArgumentError) as refused:
            call(PUBLIC[name], "alpha", 2)
        said.add(str(refused.value))
    assert said == {"alpha=2: use a number between 0 and 1, such as 0.05."}


def test_signatures_show_plain_defaults() -> None:
    for name, argument in SPECIFIED:
        default = inspect.signature(PUBLIC[name]).parameters[argument].default
        assert not isinstance(default, (Argument, Choice))


def test_the_command_line_states_no_words_of_an_argument_again() -> None:
    table = json.loads(Path(options.__file__).with_suffix(".json").read_text(encoding="utf-8"))
    words = [set(each.words) for each in SPECIFICATIONS if isinstance(each, Choice)]
    again = {name for name, entry in table["options"].items() if set(entry.get("choices", ())) in words}
    assert again == set()
    assert sum("argument" in entry for entry in table["options"].values()) >= 26


OBJECTS = ("Test", "Design", "UnjudgedLimits", "Resampling", "HoldOut", "Ragged")
TAKERS = [
    (each, name)
    for each in (*PUBLIC.values(), carob.tensors.evaluate)
    if inspect.isfunction(each)
    for name, parameter in inspect.signature(each).parameters.items()
    if any(kind in str(parameter.annotation).split(" | ") for kind in OBJECTS)
]


@pytest.mark.parametrize(("function", "name"), TAKERS)
@pytest.mark.parametrize("wrong", [[3, 1], object()])
def test_an_argument_of_another_class_is_refused_with_the_class_to_pass(
    function: Any, name: str, wrong: object
) -> None:
    with pytest.raises(
        carob.ArgumentError, match=rf"{name}=.* is of type {type(wrong).__name__}: pass .*carob\."
    ):
        call(function, name, wrong)


def test_all_functions_that_take_such_objects_are_tried() -> None:
    assert {name for _, name in TAKERS} >= {
        "test",
        "design",
        "unjudged_bounds",
        "resampling",
        "hold_out",
        "ragged",
    }
