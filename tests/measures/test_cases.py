"""Every measure on hand-worked lists; and each formula times 1.001 is caught by one of them."""

from __future__ import annotations

import pytest

from carob.measures import REGISTER, parse_measure
from cases import CASES, OF_LISTS, Case
from toys import with_formula

NEEDS_PREFERENCES = {name for name, each in OF_LISTS.items() if each.takes != "grades"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.measure} of {case.ranked}")
def test_value_is_the_arithmetic(case: Case) -> None:
    case.check()


@pytest.mark.parametrize("name", [name for name in OF_LISTS if name not in NEEDS_PREFERENCES])
def test_formula_times_1_001_is_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    definition = REGISTER[name]

    def mutant(*given: object, **named: object) -> object:
        return definition.formula(*given, **named) * 1.001

    monkeypatch.setitem(REGISTER, name, with_formula(definition, mutant))
    with pytest.raises(AssertionError):
        check_all([case for case in CASES if parse_measure(case.measure).name == name])


def check_all(cases: list[Case]) -> None:
    for case in cases:
        case.check()
