"""The recipe of a fusion: defaults, what a profile changes, and the words that give the same recipe again."""

from __future__ import annotations

from typing import Any

import pytest

from carob import CarobError
from carob.fusion.recipe import named_settings, recipe_of
from carob.fusion.rules import Rules

NAMES = ("bm25", "dense")


def test_what_nobody_says_has_carobs_defaults() -> None:
    found = recipe_of("rrf", None, NAMES)
    assert (found.method, found.norm, found.weights, found.profile) == ("rrf", "", None, None)
    assert (found.parameters, found.bounds, found.rules) == ({"k": 60.0, "first": 1.0}, {}, Rules())
    assert recipe_of("sum", None, NAMES).norm == "min-max"
    assert recipe_of("wsum", "l2", NAMES, weights={"dense": 3, "bm25": 1}).weights == (1.0, 3.0)


def test_a_profile_replaces_the_defaults_and_the_caller_the_profile() -> None:
    assert recipe_of("rrf", None, NAMES, profile="qdrant").parameters == {"k": 2.0, "first": 0.0}
    assert recipe_of("rrf(k=7)", None, NAMES, profile="qdrant").parameters == {"k": 7.0, "first": 0.0}
    assert recipe_of("rrf", None, NAMES, profile="langchain").weights == (0.5, 0.5)
    assert recipe_of("rrf", None, NAMES, profile="langchain", weights=[1, 3]).weights == (1.0, 3.0)


@pytest.mark.parametrize(
    ("method", "norm", "more", "said", "arguments"),
    [
        (
            "rrf(k=2.5)",
            None,
            {"weights": [0.7, 0.3]},
            "rrf(k=2.5, first=1), weights 0.7, 0.3",
            ("rrf(k=2.5, first=1.0)", None),
        ),
        ("borda", None, {}, "borda", ("borda", None)),
        (
            "gmnz",
            "dbsf(deviation=sample)",
            {"absent": "zero"},
            "gmnz(gamma=1), dbsf, absent zero, deviation sample",
            ("gmnz(gamma=1.0)", "dbsf(equal=1, deviation=sample)"),
        ),
    ],
)
def test_the_arguments_of_a_recipe_give_it_again(
    method: str, norm: str | None, more: dict[str, Any], said: str, arguments: tuple[str, str | None]
) -> None:
    found = recipe_of(method, norm, NAMES, **more)
    assert found.described() == said
    again = found.arguments()
    assert (again["method"], again["norm"]) == arguments
    assert recipe_of(*arguments, NAMES, **more) == found


def test_a_setting_is_a_name_and_a_value_and_is_written_once() -> None:
    assert named_settings(" dbsf ( equal = 0, deviation=sample, ) ", "normalisation") == (
        "dbsf",
        {"equal": "0", "deviation": "sample"},
    )
    with pytest.raises(CarobError, match=r".") as caught:
        named_settings("rrf(k=1, k=2)", "method")
    assert str(caught.value) == (
        "'k=2' in rrf(k=1, k=2) is not a valid setting: write name=value, as in rrf(k=60)."
    )


@pytest.mark.parametrize(
    ("method", "norm", "more", "said"),
    [
        (
            "sum",
            "l2",
            {"bounds": {"bm25": (0, 1)}},
            "Theoretical bounds can only be used with the normalisation min-max, not with l2.",
        ),
        ("rrf", None, {"bounds": {"bm25": (0, 1)}}, "rrf reads ranks only: leave out the bounds of scores."),
        ("rrf", None, {"weights": [True, 1]}, "A weight is True: use 0 or a positive, finite number."),
        ("rbc(phi=nan)", None, {}, "phi=nan: use a number between 0 and 1, such as 0.8."),
        ("isr(k=1)", None, {}, "isr has no parameter 'k': it has none."),
    ],
)
def test_what_changes_nothing_or_has_no_meaning_is_refused(
    method: str, norm: str | None, more: dict[str, Any], said: str
) -> None:
    with pytest.raises(CarobError, match=r".") as caught:
        recipe_of(method, norm, NAMES, **more)
    assert str(caught.value) == said
