"""The tracing carrier: the same numbers as the carrier it asks, and a record that can be read."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings

from carob import DataError, Policy
from carob.inputs.qrels import Qrels
from carob.inputs.run import Run
from carob.lists import Lists, Preferences
from carob.lists.derivation import Step, Traced, derivations, first_sentence, trace
from carob.lists.flat import Flat
from carob.lists.preferences import PreferenceLists, group_of
from carob.matching.axes import chosen
from carob.matching.match import Match, match, match_grades
from carob.measures import REGISTER, Measure, parse_measure
from cases import OF_LISTS
from strategies import examples, judgments, runs


def with_depth(name: str, depth: int | None) -> Measure:
    definition = REGISTER[name]
    top = (("max", 4.0),) if "max" in definition.parameters else ()
    return Measure(name, top, depth if definition.at == "depth" else None)


OF_PREFERENCES = {name for name, each in OF_LISTS.items() if each.takes != "grades"}
OF_GRADES = [name for name in OF_LISTS if name not in OF_PREFERENCES]
ALL = [
    *(with_depth(name, 3 if REGISTER[name].whole else None) for name in OF_GRADES),
    *(with_depth(name, 2) for name in OF_GRADES if REGISTER[name].at == "depth"),
    *map(
        parse_measure,
        ["nDCG(gain=exp2, discount=jk(2), ideal=retrieved)@3", "AP(over=capped)@2", "P(rel=-2)@3"],
    ),
]


def same(a: float, b: float) -> bool:
    return a == b or (math.isnan(a) and math.isnan(b))


def only_query(found: Match, place: int) -> Flat:
    alone = chosen(found.rows, np.arange(len(found.queries)) == place)
    return Flat(alone, every_rank=True)


@settings(max_examples=examples(15), deadline=None)
@given(judgments(), runs())
@pytest.mark.long
def test_the_last_step_is_the_value_to_the_bit(qrels: dict, run: dict) -> None:
    try:
        found = match(Qrels.of(qrels), Run.of(run), Policy())
    except DataError:
        assume(False)
    for measure in ALL:
        with np.errstate(all="ignore"):
            values = np.asarray(measure.values(Flat(found.rows, every_rank=measure.every_rank)))
        for place in range(len(found.queries)):
            last = trace(measure.values, only_query(found, place))
            assert same(float(last.numbers[0]), float(values[place])), measure
            assert same(derivations(last, 1)[0].value, float(values[place])), measure


def test_every_word_of_lists_is_answered() -> None:
    flat = Flat(match_grades([[1, None]], None, Policy()).rows, every_rank=True)
    seen: list[Traced] = []
    trace(lambda lists: seen.append(lists) or lists.length, flat)  # type: ignore[func-returns-value]
    words = [word for word in vars(Lists) if not word.startswith("_") and word != "xp"]
    assert len(words) > 30
    for word in words:
        if word != "groups":  # these judgments have none, and Flat says so
            assert getattr(seen[0], word) is not None


def test_preferences_are_traced_too() -> None:
    rows = replace(match_grades([[None, None, None]], [[]], Policy()).rows)
    group = group_of(np.zeros(3, int), np.array([2.0, 1.0, 0.0]), np.array([1, 0, 2]), judged=3, retrieved=3)
    lists = PreferenceLists(rows, [[group]])
    for name in [each for each in OF_PREFERENCES if not REGISTER[each].groups]:
        measure = Measure(name)
        value = float(np.asarray(measure.values(lists))[0])
        assert float(trace(measure.values, lists).numbers[0]) == value, name
    assert derivations(trace(Measure("Prefs").values, lists), 1)[0].value == 2 / 3


def test_a_step_used_again_is_one_step() -> None:
    def formula(r: Lists) -> object:
        return r.ratio(r.total(r.hits(1) * r.running(r.hits(1))), r.total(r.hits(1)))

    lists = Flat(match_grades([[1, 0, 1]], None, Policy()).rows, every_rank=True)
    found = derivations(trace(formula, lists), 1)[0]
    assert [line.expression for line in found.sheets[0].lines] == ["hits(rel=1)", "running(a)", "a * b"]
    assert [line.expression for line in found.rest] == ["total(c)", "total(a)", "ratio(d, e)"]
    assert found.rest[-1].filled == "ratio(3, 2)"
    assert found.value == 3 / 2


def test_what_is_not_used_is_not_shown() -> None:
    lists = Flat(match_grades([[1, 0]], None, Policy()).rows, every_rank=True)
    found = derivations(trace(parse_measure("P@5").values, lists), 1)[0]
    assert "length" not in [line.expression for line in found.rest]
    assert found.rest[-1].filled == "ratio(1, 5)"


def formula_of_all_signs(r: Lists) -> object:
    inner = (r.rank + 1.0) * (r.grade - r.rank) / (2.0 ** (r.rank - 1.0))
    return r.total(1.0 - (inner - (r.grade - 1.0)) ** 2.0)


def test_brackets_stand_where_they_are_needed() -> None:
    lists = Flat(match_grades([[3, 1]], None, Policy()).rows, every_rank=True)
    (line,) = derivations(trace(formula_of_all_signs, lists), 1)[0].sheets[0].lines
    assert line.expression == "1 - ((rank + 1) * (grade - rank) / 2 ** (rank - 1) - (grade - 1)) ** 2"
    rank, grade = np.array([1.0, 2.0]), np.array([3.0, 1.0])
    assert list(line.values) == eval(line.expression, {"rank": rank, "grade": grade}).tolist()


@pytest.mark.parametrize("measure", ALL, ids=str)
def test_arithmetic_can_be_redone_from_the_letters(measure: Measure) -> None:
    lists = Flat(match_grades([[3, None, 0, 1, -1]], [[3, 0, 1, 2, 2, -1]], Policy()).rows, every_rank=True)
    found = derivations(trace(measure.values, lists), 1)[0]
    every = [*found.given, *found.rest, *(line for sheet in found.sheets for line in sheet.lines)]
    known = {line.letter: np.array(line.values) for line in every}
    assert len(known) == len(every)
    for sheet in found.sheets:
        columns = {"rank": np.array(sheet.rank), "grade": np.array(sheet.grade)}
        for line in sheet.lines:
            check_arithmetic(line.expression, line.values, {**known, **columns})
    for line in [*found.given, *found.rest]:
        check_arithmetic(line.expression, line.values, known)


def check_arithmetic(expression: str, values: tuple[float, ...], known: dict[str, np.ndarray]) -> None:
    """An expression of signs alone gives its values again, from what its letters stand for."""
    if any(f"{word}(" in expression or expression.endswith(word) for word in dir(Lists)):
        return
    with np.errstate(all="ignore"):
        again = np.broadcast_to(eval(expression, {}, known), len(values))
    assert np.allclose(again, values, rtol=1e-5, equal_nan=True), expression


def test_words_explain_themselves() -> None:
    assert first_sentence("total") == "The sum over each list, added up from rank 1."
    assert first_sentence("kept").startswith("The number of preferences that the list keeps")
    assert not first_sentence("nonsense")
    for words in (Lists, Preferences):
        for word in vars(words):
            if not word.startswith("_") and word != "xp":
                assert first_sentence(word), word


def test_a_step_is_not_an_array() -> None:
    lists = Flat(match_grades([[1, 0]], None, Policy()).rows, every_rank=True)
    last = trace(lambda r: r.total(r.hits(1)), lists)
    assert isinstance(last, Step)
    assert last.numbers.tolist() == [1.0]
