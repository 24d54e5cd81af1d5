"""Attacks by pickles, and by mutated pickles, Arrow and Parquet files: nothing ends the process."""

from __future__ import annotations

import inspect
import pickle
from typing import TYPE_CHECKING, Any

import pytest

import carob
from carob import _native
from carob.inputs.qrels import Qrels
from hostile import mutated
from strategies import examples

if TYPE_CHECKING:
    from collections.abc import Callable

GIVEN = {"q1": {"a": 1, "b": 0}, "q2": {"c": 2}}
QUERIES, OFFSETS, DOCUMENTS, GRADES, LINES, MALFORMED, COUNT = range(7)


def put(place: int, value: object) -> Callable[[list[Any]], None]:
    """What sets a part of the state."""

    def change(state: list[Any]) -> None:
        state[place] = value

    return change


WRONG: dict[str, Callable[[list[Any]], Any]] = {
    "a part too few": lambda state: state.pop(),
    "two parts too few": lambda state: [state.pop(), state.pop()],
    "nothing": list.clear,
    "a part too many": lambda state: state.append(1),
    "a grade that is NaN": put(GRADES, [1.0, float("nan"), 2.0]),
    "a grade that is infinite": put(GRADES, [1.0, float("inf"), 2.0]),
    "a grade too few": put(GRADES, [1.0, 0.0]),
    "a grade of text": put(GRADES, ["1", "0", "2"]),
    "a document twice": put(DOCUMENTS, [b"a", b"a", b"c"]),
    "a query twice": put(QUERIES, [b"q1", b"q1"]),
    "a document of text": put(DOCUMENTS, ["a", "b", "c"]),
    "a document that is none": put(DOCUMENTS, [b"a", None, b"c"]),
    "documents in a tuple": put(DOCUMENTS, (b"a", b"b", b"c")),
    "queries that are bytes": put(QUERIES, b"q1"),
    "offsets that fall": put(OFFSETS, [0, 4, 3]),
    "offsets past the end": put(OFFSETS, [0, 2, 2**62]),
    "offsets below nothing": put(OFFSETS, [0, -2, 3]),
    "offsets that begin late": put(OFFSETS, [1, 2, 3]),
    "an offset too few": put(OFFSETS, [0, 3]),
    "an offset of many digits": put(OFFSETS, [0, 2, 2**70]),
    "a line below nothing": put(LINES, [1, -1, 2]),
    "a line too few": put(LINES, [1, 2]),
    "a count below nothing": put(COUNT, -1),
    "malformed lines below nothing": put(MALFORMED, -(2**40)),
    "a count of text": put(COUNT, "many"),
}


def state_of(judgments: Any) -> list[Any]:
    return list(judgments.__getstate__())


def restored(state: object) -> Any:
    made: Any = _native.Judgments.__new__(_native.Judgments)
    made.__setstate__(state)
    return made


@pytest.mark.parametrize("attack", WRONG)
def test_a_crafted_state_of_judgments_raises(attack: str) -> None:
    state = state_of(Qrels.of(GIVEN).judgments)
    WRONG[attack](state)
    with pytest.raises((ValueError, TypeError, RuntimeError)):
        restored(tuple(state))


@pytest.mark.parametrize("state", [None, [], {}, b"", 7, [[b"q"], [0, 0], [], [], [], 0, 0]], ids=repr)
def test_a_state_that_is_no_tuple_raises(state: object) -> None:
    with pytest.raises(TypeError):
        restored(state)


def test_the_state_itself_is_taken_back() -> None:
    here = Qrels.of(GIVEN).judgments
    there = restored(tuple(state_of(here)))
    assert there.queries == [b"q1", b"q2"]
    assert there.grades.tolist() == [1.0, 0.0, 2.0]
    assert there.documents(0) == [b"a", b"b"]


def test_judgments_that_are_made_already_take_no_state() -> None:
    judgments: Any = Qrels.of(GIVEN).judgments
    with pytest.warns(RuntimeWarning), pytest.raises(TypeError):
        judgments.__setstate__(judgments.__getstate__())
    assert carob.evaluate(Qrels("given", judgments), {"q1": {"a": 1.0}}, "AP")["AP"] == 0.5


@pytest.mark.parametrize("name", [each for each, of in vars(_native).items() if inspect.isclass(of)])
def test_no_other_object_of_the_kernel_has_a_state_to_craft(name: str) -> None:
    made = getattr(_native, name)
    if not issubclass(made, BaseException):
        assert hasattr(made, "__setstate__") == (name == "Judgments")


@pytest.mark.long
@pytest.mark.parametrize(
    ("kind", "count"), [("pickle", examples(600)), ("parquet", examples(60)), ("arrow", 3)]
)
def test_no_mutated_input_ends_the_process(kind: str, count: int) -> None:
    if kind != "pickle":
        pytest.importorskip("polars", reason="no library that reads such files is installed")
    fault, refused = mutated.fault_in(kind, 1, 0, count)
    assert fault is None, fault
    assert count / 2 < refused <= count  # most are noticed, and not all by the first byte


def test_the_mutations_of_a_seed_are_always_the_same() -> None:
    import random

    content = pickle.dumps(GIVEN)
    one, same, other = (mutated.changed(random.Random(seed), content) for seed in ("a", "a", "b"))
    assert one == same != other
