"""The law of parameters: whatever a parameter and the grades are, a finite value of the stated range, or a sentence."""

from __future__ import annotations

import math
import warnings
from itertools import product
from typing import Any

import numpy as np
import pytest

import carob
from carob import DataError, Measure, MeasureError
from carob.measures import REGISTER, Number, OneOf, parse_measure
from cases import OF_LISTS, TABLES, tried
from strategies import first

BY_GROUPS = {name for name, each in OF_LISTS.items() if each.groups}
BY_PREFERENCE = {name for name in OF_LISTS if "Prefs" in name}
GRADED = [name for name in OF_LISTS if name not in BY_GROUPS | BY_PREFERENCE]


def is_gain(name: str) -> bool:
    return name == "gain"


NO_TABLES = [((1.0, math.inf),), ((math.nan, 1.0),), ((1.0, 1e308),), (1.0,), ((1.0, 2.0), 3.0)]

GRADES = [
    ([3, None, 0, 1, -1, 2], [3, 0, 1, -1, 2, 2, 1]),
    ([0, 0], [0, 1]),
    ([], [1]),
    ([1], [1]),
    ([None], []),
    ([0.25, 0.5], [0.25, 0.5, 1]),
]
HUGE = [
    [5],
    [100, 1],
    [1024, 1023],
    [3000, 1],
    [1e9, 1],
    [1e150],
    [1e200, 1e200],
    [1e308, 1e308, 1e308],
    [5e-324, 1],
]


def at(name: str) -> int | None:
    return 3 if REGISTER[name].whole else None


def refused_in_short(error: Exception) -> None:
    assert len(str(error)) < 400


def check_values(measure: Measure, lists: list[Any], pools: list[Any] | None = None) -> None:
    """Each value is finite and of the stated range, or the measure says that it has none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", carob.DataWarning)
            scores = carob.evaluate_grades(lists, [measure], pools, policy=carob.Policy(listing="known"))
    except DataError as error:
        refused_in_short(error)
        return
    assert not scores.failed
    for value in scores.matrix[:, 0]:
        if math.isnan(value) and measure.may_be_undefined:
            continue
        assert math.isfinite(value), measure
        if within_stated_range(measure):
            low, high = REGISTER[measure.name].values
            assert low - 1e-9 <= value <= high + 1e-9, (measure, value)


def within_stated_range(measure: Measure) -> bool:
    """Whether gains are 0 or more, and the ideal list is made of documents that are there."""
    gain, ideal, rel = (measure.arguments.get(each) for each in ("gain", "ideal", "rel"))
    return (
        ideal not in ("depth", "full", "trec_eval")
        and not isinstance(gain, tuple)
        and measure.arguments.get("max") != "none"
        and (not isinstance(rel, float) or rel >= 0)
    )


def measure_of(name: str, parameter: str, value: Any) -> Measure | None:
    """The measure with one parameter; None where it does not go with another parameter's default."""
    try:
        return Measure(name, ((parameter, value),), at(name))
    except MeasureError as error:
        if "highest grade of" in str(error):
            return None
        raise


@pytest.mark.parametrize("name", OF_LISTS)
def test_every_parameter_states_its_range_and_keeps_to_it(name: str) -> None:
    for parameter, declared in REGISTER[name].parameters.items():
        assert isinstance(declared, (Number, OneOf)), f"{name} does not say what {parameter} may be"
        assert isinstance(declared, OneOf) or declared.accepts(declared.default)
        _, refused = tried(declared)
        for value in [*refused, *(NO_TABLES if is_gain(parameter) else [])]:
            with pytest.raises(MeasureError) as error:
                Measure(name, ((parameter, value),), at(name))
            assert len(str(error.value)) < 400
            assert f"{parameter}=" in str(error.value) or "table of pairs" in str(error.value)


@pytest.mark.parametrize("name", GRADED)
def test_at_any_parameter_a_value_is_a_number_of_the_stated_range(name: str) -> None:
    lists, pools = [each for each, _ in GRADES], [each for _, each in GRADES]
    for parameter, declared in REGISTER[name].parameters.items():
        taken, _ = tried(declared)
        for value in [*taken, *(TABLES if is_gain(parameter) else [])]:
            measure = measure_of(name, parameter, value)
            if measure is not None:
                check_values(measure, lists, pools)


@pytest.mark.parametrize("name", GRADED)
@pytest.mark.long
def test_of_any_grades_a_value_is_a_number_of_the_stated_range(name: str) -> None:
    parameters = REGISTER[name].parameters
    words = parameters["gain"].words if isinstance(parameters.get("gain"), OneOf) else ()
    gains = [(("gain", word),) for word in words if "(" not in word] or [()]
    tops = [(("max", top),) for top in (1.0, 4.0, 100.0, 1e12)] if "max" in parameters else [()]
    ideals = [(("ideal", word),) for word in getattr(parameters.get("ideal"), "words", ())] or [()]
    for gain, top, ideal, grades in product(gains, tops, ideals, HUGE):
        try:
            measure = Measure(name, (*gain, *top, *ideal), at(name))
        except MeasureError:
            continue
        check_values(measure, [grades, [1, 0]])
        check_values(measure, [[0, 1]], [[*grades, 1, 0]])  # the huge ones are not retrieved


@pytest.mark.parametrize("dtype", first(["float32", "float64"], 1))
@pytest.mark.parametrize("name", GRADED)
def test_arrays_have_a_number_of_the_stated_range_or_a_sentence(name: str, dtype: str) -> None:
    if REGISTER[name].rows == "every" and name.startswith("Listed"):
        pytest.skip("arrays have no order of lines")
    parameters = REGISTER[name].parameters
    scores = np.array([[3.0, 2.0, 1.0]], dtype)
    measures = [Measure(name, (), at(name))]
    for parameter, declared in parameters.items():
        every = [measure_of(name, parameter, value) for value in tried(declared)[0]]
        measures += [each for each in every if each is not None]
    gains = [each for each in measures if each.arguments.get("gain") == "exp2"]
    rounded = 1e-5 if dtype == "float32" else 1e-9
    for measure in dict.fromkeys([*measures, *gains]):
        for grades in ([3, 0, 1], [0, 0, 0], [100, 1, 0], [3000, 2999, 1], [1e30, 1, 0]):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("error")
                    found = carob.tensors.evaluate(
                        scores, np.array([grades], dtype), [measure], per_query=True
                    )
            except (DataError, MeasureError) as error:
                refused_in_short(error)
                continue
            (value,) = np.asarray(found[str(measure)]).tolist()
            if math.isnan(value) and measure.may_be_undefined:
                continue
            assert math.isfinite(value), (measure, grades)
            if within_stated_range(measure):
                low, high = REGISTER[name].values
                assert low - rounded <= value <= high * (1 + rounded), (measure, grades, value)


@pytest.mark.thorough
def test_on_a_device_a_gain_too_large_is_undefined_and_not_wrong() -> None:
    torch = pytest.importorskip("torch", reason="needs PyTorch")
    from carob.lists.arrays import arrays_of
    from carob.lists.padded import Padded

    grades = torch.tensor([[2000.0, 1.0], [1.0, 0.0]])  # as a carrier that nobody may look into
    pool = torch.tensor([[2000.0, 2001.0], [1.0, 0.0]])
    lists = Padded(arrays_of(grades), grades, judged=pool)
    values: Any = parse_measure("nDCG(gain=exp2)").values(lists)
    assert math.isnan(values[0])
    assert values[1] == 1.0


DEFECTS = [
    # What was seen: the name, grades in rank order, and what the sentence says.
    ("RBP(p=2)", [1], "p must be a number from 0 to 1"),
    ("RBP(p=1e309)", [1], "is too large or too long for a number"),
    ("AP(rel=1e400)", [1], "is too large or too long for a number"),
    ("F(beta=1e308)", [1], "beta must be a number from 0 to 1,000,000"),
    ("ERR(max=1e308)", [1], "max must be a number from 0 to 10^12"),
    ("ERR(max=200)", [1], "at most 110"),
    ("nDCG(gain=exp2)@10", [3000, 1], "the gain of grade 3000 is too large to compute with"),
    ("nDCG(discount=jk(1))", [1], "with b above 1"),
    ("nDCG(discount=jk(0))", [1], "with b above 1"),
    ("DCG(discount=log(1))", [1], "with b above 1"),
    ("INST(max=0)", [1], "max must be a number above 0"),
    ("INST(T=0)", [1], "T must be a number from 0.5"),
    ("INST(gain=linear(3),max=2)", [1], "the highest grade of the scale has no gain"),
    ("IPrec@1.5", [1], "recall must be a number from 0 to 1"),
    ("IPrecMean(points=[])", [1], "points must be numbers from 0 to 1"),
    ("RelativeRecall(wanted=0)", [1], "wanted must be a number from 1"),
    ("PartialAUC@0", [1], "n must be a number from 1"),
    ("alphaDCG(alpha=2)@5", [1], "alpha must be a number from 0 to 1"),
    ("P@" + "9" * 5000, [1], "a depth is at most 1,000,000,000"),
    ("ERR", [5], "grade 5 has a larger gain than the highest grade of the scale, max=4"),
]


@pytest.mark.parametrize(("name", "grades", "says"), DEFECTS, ids=[each[0][:40] for each in DEFECTS])
def test_what_gave_nan_or_a_traceback_gives_a_sentence(name: str, grades: list[float], says: str) -> None:
    with pytest.raises((DataError, MeasureError)) as error:
        carob.evaluate_grades([grades], name)
    assert says in str(error.value)


@pytest.mark.parametrize(("name", "grades", "says"), DEFECTS, ids=[each[0][:40] for each in DEFECTS])
def test_on_the_command_line_too(
    name: str, grades: list[float], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    from carob.cli import main

    with pytest.raises(SystemExit) as left:
        main(["explain", name, "--grades", ",".join(map(str, grades)), "--profile", "ir_measures"])
    assert left.value.code == 2
    said = capsys.readouterr().err
    if "subtopics" not in said:  # whose grades cannot be given on the command line
        assert says in said
    assert "Traceback" not in said


def test_the_register_says_the_default_of_every_parameter_in_its_range() -> None:
    for definition in OF_LISTS.values():
        for declared in definition.parameters.values():
            default = declared.default
            assert declared.accepts(default) or isinstance(declared, OneOf)
