"""A fusion recipe: the validated method, normalisation, weights and parameters, with defaults filled in."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import field, fields
from typing import TYPE_CHECKING, Any

from carob._dataclasses import dataclass
from carob.fusion.methods import ALIASES, METHODS, NORMALISATIONS
from carob.fusion.profiles import profile_named
from carob.fusion.rules import Rules
from carob.output.errors import ArgumentError, Worded, refuse_other, worded
from carob.output.parsing import is_number, number_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from carob.fusion.methods import Method

DEFAULTS: dict[str, float] = {"k": 60.0, "first": 1.0, "phi": 0.8, "gamma": 1.0, "sigma": 0.01}
"""carob's default for each parameter of a method."""
RANGES: dict[str, tuple[str, Callable[[float], bool]]] = {
    "k": ("0 or a positive, finite number", lambda value: value >= 0),
    "first": ("0 or 1", lambda value: value in (0, 1)),
    "phi": ("a number between 0 and 1, such as 0.8", lambda value: 0 < value < 1),
    "gamma": ("0 or a positive, finite number", lambda value: value >= 0),
    "sigma": ("a positive, finite number", lambda value: value > 0),
}
"""The range of each parameter, as a text for error messages and as a condition on finite numbers."""
RULES = tuple(each.name for each in fields(Rules))
BOUNDED = "min-max"
"""The normalisation that accepts theoretical bounds."""


@dataclass(frozen=True)
class Recipe:
    """A complete fusion recipe.

    Args:
        method: the method, one of ``METHODS``.
        norm: the normalisation, one of ``NORMALISATIONS``, or an empty string for a method that uses only ranks.
        weights: the weight of each run; None if every weight is 1.
        parameters: the parameters of the method.
        bounds: the theoretical lowest and highest score of each run, by name.
        rules: the decisions that the formulas leave open.
        profile: the name of the profile, or None.
    """

    method: str
    norm: str = ""
    weights: tuple[float, ...] | None = None
    parameters: dict[str, float] = field(default_factory=dict)
    bounds: dict[str, tuple[float | None, float | None]] = field(default_factory=dict)
    rules: Rules = Rules()
    profile: str | None = None

    @property
    def formula(self) -> Method:
        """The method's formula."""
        return METHODS[self.method]

    def described(self) -> str:
        """Returns a short description of the recipe, such as ``rrf(k=60), weights 0.7, 0.3``."""
        settings = ", ".join(f"{name}={value:g}" for name, value in self.parameters.items())
        parts = [f"{self.method}({settings})" if settings else self.method, self.norm]
        if self.weights is not None:
            parts.append(f"weights {', '.join(f'{each:g}' for each in self.weights)}")
        parts += [f"{name} {value}" for name, value in self.rules.described().items()]
        return ", ".join(filter(None, parts))

    def arguments(self) -> dict[str, str | None]:
        """Returns the arguments ``method``, ``norm`` and ``profile`` of ``carob.fuse``, with all their settings."""
        rules = {each: getattr(self.rules, each) for each in NORM_RULES.get(self.norm, ())}
        return {
            "method": with_settings(self.method, self.parameters),
            "norm": with_settings(self.norm, rules) or None,
            "profile": self.profile,
        }


def with_settings(name: str, settings: Mapping[str, Any]) -> str:
    """Formats a name with settings, in the form that ``named_settings`` parses."""
    return f"{name}({', '.join(f'{key}={value}' for key, value in settings.items())})" if settings else name


NORM_RULES = {
    "min-max": ("equal",),
    "sum": ("equal",),
    "dbsf": ("equal", "deviation"),
    "z-score": ("deviation",),
}
"""The rules that can be set in the name of a normalisation, as in ``dbsf(deviation=sample)``."""
CALL = re.compile(r"\s*([\w-]+)\s*(?:\((.*)\))?\s*", re.DOTALL)


def named_settings(text: object, what: str) -> tuple[str, dict[str, str]]:
    """Splits text such as ``rrf(k=60, first=0)`` into a name and its settings.

    Args:
        text: the name, with or without settings.
        what: ``method`` or ``normalisation``.

    Raises:
        ArgumentError: the text is malformed.

    Example:
        >>> named_settings("rrf(k=60, first=0)", "method")
        ('rrf', {'k': '60', 'first': '0'})
    """
    found = CALL.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        raise ArgumentError(f"The {what} {text!r} must be a name, or a name with settings, as in rrf(k=60).")
    settings: dict[str, str] = {}
    for part in (found[2] or "").split(","):
        name, equals, value = (each.strip() for each in part.partition("="))
        if not part.strip():
            continue
        if not equals or not name or not value or name in settings:
            raise ArgumentError(
                f"'{part.strip()}' in {text} is not a valid setting: write name=value, as in rrf(k=60)."
            )
        settings[name] = value
    return found[1], settings


def parameters_in(settings: Mapping[str, str], method: str) -> dict[str, float]:
    """Returns the parameters of a method as numbers.

    Raises:
        ArgumentError: the method does not have a parameter, or its value is not a number.
    """
    refuse_unknown(settings, METHODS[method].settings, f"{method} has no parameter")
    for name, value in settings.items():
        if not is_number(value):
            raise ArgumentError(f"{method}({name}={value}): '{value}' is not a number.")
    return {name: float(value) for name, value in settings.items()}


def refuse_unknown(settings: Mapping[str, str], known: Sequence[str], lacking: str) -> None:
    """Refuses settings that a method or a normalisation does not support.

    Args:
        settings: the settings.
        known: the names of the supported settings.
        lacking: the beginning of the error message, such as ``isr has no parameter``.

    Raises:
        ArgumentError: a setting is not supported.
    """
    for name in settings:
        if name not in known:
            has = f"has {' and '.join(known)}" if known else "has none"
            raise ArgumentError(f"{lacking} '{name}': it {has}.")


def is_within(given: str, whole: str | None) -> bool:
    """Returns whether ``given`` has the same name as ``whole``, and each setting in it has the same value in ``whole``.

    Example:
        >>> is_within("rrf(k=60)", "rrf(k=60.0, first=1.0)"), is_within("rrf(k=2)", "rrf(k=60.0, first=1.0)")
        (True, False)
    """
    if whole is None:
        return given == "none"
    (name, settings), (own, known) = named_settings(given, "method"), named_settings(whole, "method")
    return ALIASES.get(name, name) == own and all(
        each in known and (value == known[each] or number_of(value) == number_of(known[each]) is not None)
        for each, value in settings.items()
    )


def recipe_of(
    method: str,
    norm: str | None,
    names: Sequence[str],
    *,
    weights: Any = None,
    bounds: Any = None,
    absent: str | None = None,
    profile: str | None = None,
) -> Recipe:
    """Returns the complete recipe.

    Args:
        method: the method, with or without parameters.
        norm: the normalisation, with or without rules; None for the method's default.
        names: the names of the runs.
        weights: the weight of each run, in the order of ``names`` or by name; None for the default.
        bounds: the theoretical lowest and highest scores of runs, by name.
        absent: what a list contributes to the score of a document that it does not contain; None for the default.
        profile: the name of a profile, whose settings replace carob's defaults.

    Raises:
        ArgumentError: a method, normalisation or rule is unknown, a number is outside its range, or the method does not
            have a setting.
        PolicyError: the profile is unknown, or it does not include the method.
    """
    name, settings = named_settings(method, "method")
    name = ALIASES.get(name, name)
    refuse_method(name)
    own = profile_named(profile).settings(name) if profile is not None else {}
    chosen: dict[str, Any] = dict(parameters_in(settings, name))
    its = METHODS[name]
    refuse_idle(name, norm, weights, bounds)
    if norm is not None:
        norm, settings = named_settings(norm, "normalisation")
        refuse_other("normalisation", norm, NORMALISATIONS)
        refuse_unknown(settings, NORM_RULES.get(norm, ()), f"The normalisation {norm} has no setting")
        chosen |= settings
    if absent is not None:
        chosen["absent"] = absent
    rules = Rules(**{each: value for each, value in {**own, **chosen}.items() if each in RULES})
    parameters = {each: DEFAULTS[each] for each in its.settings}
    parameters |= {each: value for each, value in {**own, **chosen}.items() if each in parameters}
    for each, value in parameters.items():
        refuse_outside(each, value)
    if "k" in parameters and parameters["k"] + parameters["first"] <= 0:
        raise ArgumentError(
            "k=0 cannot be used with ranks that start at 0: the first document of each list would get 1 / 0 points."
        )
    if not its.by_rank:
        norm = norm or own.get("norm") or BOUNDED
    shares = its.weights and rules.shares
    listed = weights_of(weights, names) if weights is not None else None
    if listed is None and shares:
        listed = (1 / len(names),) * len(names)
    return Recipe(name, norm or "", listed, parameters, bounds_of(bounds, names, norm), rules, profile)


def refuse_method(name: str) -> None:
    """Refuses an unknown method.

    Raises:
        ArgumentError: the method is unknown.
    """
    if name in ("condorcet", "w_condorcet"):
        raise ArgumentError(
            "There is no method 'condorcet': sorting by majority has no defined result where majorities form a cycle. "
            "Use copeland, which counts for each document the documents that it defeats."
        )
    refuse_other("method", name, tuple(METHODS))


def refuse_idle(name: str, norm: str | None, weights: Any, bounds: Any) -> None:
    """Refuses a setting that would have no effect with this method.

    Raises:
        ArgumentError: a setting would have no effect.
    """
    method = METHODS[name]
    if method.by_rank and norm not in (None, "none"):
        raise ArgumentError(
            worded(
                f"{name} reads ranks only, which no normalisation changes: leave out ",
                Worded(f"norm={norm}.", f"--norm {norm}."),
            )
        )
    if method.by_rank and bounds:
        raise ArgumentError(f"{name} reads ranks only: leave out the bounds of scores.")
    if weights is not None and not method.weights:
        able = ", ".join(each for each, its in METHODS.items() if its.weights)
        raise ArgumentError(f"{name} does not support weights. The methods with weights are: {able}.")


def refuse_outside(name: str, value: float) -> None:
    """Refuses a parameter outside its range.

    Raises:
        ArgumentError: the value is not a number in the range.
    """
    wanted, fits = RANGES[name]
    if not (math.isfinite(value) and fits(value)):
        raise ArgumentError(f"{name}={value:g}: use {wanted}.")


def weights_of(given: Any, names: Sequence[str]) -> tuple[float, ...]:
    """Returns the weight of each run.

    Raises:
        ArgumentError: the number of weights is wrong, a run is unknown, a weight is negative, or no weight is positive.
    """
    if isinstance(given, Mapping):
        refuse_strangers("weight", given, names)
        lacking = [name for name in names if name not in given]
        if lacking:
            raise ArgumentError(f"There is no weight for run {lacking[0]}. The runs are: {', '.join(names)}.")
        given = [given[name] for name in names]
    found = tuple(given)
    if len(found) != len(names):
        raise ArgumentError(
            f"{len(found)} weights for {len(names)} runs: pass one for each run, in their order."
        )
    for value in found:
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not number or not 0 <= value < math.inf:
            raise ArgumentError(f"A weight is {value!r}: use 0 or a positive, finite number.")
    if not any(found):
        raise ArgumentError("All weights are 0: use a positive weight for at least one run.")
    return tuple(map(float, found))


def bounds_of(
    given: Any, names: Sequence[str], norm: str | None
) -> dict[str, tuple[float | None, float | None]]:
    """Returns the theoretical bounds of each run's scores, by run name.

    Raises:
        ArgumentError: a run is unknown, the normalisation is not min-max, or the bounds are in the wrong order.
    """
    if not given:
        return {}
    if norm != BOUNDED:
        raise ArgumentError(
            f"Theoretical bounds can only be used with the normalisation {BOUNDED}, not with {norm}."
        )
    refuse_strangers("bound", given, names)
    found = {name: (low, high) for name, (low, high) in given.items()}
    for name, (low, high) in found.items():
        if low is not None and high is not None and not low < high:
            raise ArgumentError(
                f"The bounds of run {name} are {low:g} and {high:g}: write the lower bound first."
            )
    return found


def refuse_strangers(what: str, given: Mapping[str, Any], names: Sequence[str]) -> None:
    """Refuses a setting for a run that is not fused.

    Raises:
        ArgumentError: a setting is for a run that is not fused.
    """
    strangers = [name for name in given if name not in names]
    if strangers:
        raise ArgumentError(
            f"There is a {what} for run {strangers[0]}, but the runs are: {', '.join(names)}."
        )
