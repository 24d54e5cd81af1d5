"""A trace ends with what the formula gives, to the bit: every measure, by default and with other parameters."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import numpy as np
import pytest

from carob.lists.derivation import trace
from carob.lists.flat import Flat
from carob.lists.preferences import Group, PreferenceLists, group_of
from carob.lists.rows import JudgedRows, offsets_of
from carob.measures import REGISTER, Measure, OneOf
from carob.output.errors import CarobError
from cases import OF_LISTS

ROUNDS = 25


def value_of(draw: Random, declared: Any) -> Any:
    """A value that a formula can compute with."""
    if isinstance(declared, OneOf):
        word = draw.choice(declared.words)
        return 4.0 if word == "number" else re.sub(r"\([a-z]\)", f"({draw.choice([2, 3])})", word)
    if isinstance(declared.default, tuple):
        return (0.0, 0.5, 1.0)
    return draw.choice([each for each in (0.5, 1.0, 2.0, 3.0, declared.default) if declared.accepts(each)])


def measure_of(draw: Random, name: str, *, default: bool) -> Measure:
    definition = REGISTER[name]
    given = {} if default else {key: value_of(draw, each) for key, each in definition.parameters.items()}
    if "max" in definition.parameters and not default:
        given["max"] = 4.0
    depth = (
        draw.randint(1, 6) if definition.at == "depth" and (definition.whole or draw.random() < 0.5) else None
    )
    return Measure(name, tuple(given.items()), depth)


def ranked_lists(draw: Random) -> JudgedRows:
    """Four lists of two queries' judgment groups, with unjudged and unretrieved documents, listed in any order."""
    lengths = [draw.randint(0, 7) for _ in range(4)]
    ranks = [sorted(draw.sample(range(1, n + 1), draw.randint(0, n))) for n in lengths]
    lists = np.repeat(np.arange(4), [len(each) for each in ranks])
    rank = np.array([each for its in ranks for each in its], np.float64)
    grade = np.array([draw.choice([-2, -1, 0, 0, 1, 2, 3]) for _ in rank], np.float64)
    beyond = [[float(draw.randint(0, 3)) for _ in range(draw.randint(0, 3))] for _ in lengths]
    pools = [[g for g in grade[lists == each] if g >= 0] + beyond[each] for each in range(4)]
    sizes = np.append(0, np.cumsum([len(each) for each in pools]))
    return JudgedRows(
        length=np.array(lengths, np.float64),
        offsets=offsets_of(lists, 4),
        rank=rank,
        grade=grade,
        tie_first=rank,
        tie_last=rank,
        judged_offsets=sizes.astype(np.int64),
        judged_grades=np.array([g for each in pools for g in each], np.float64),
        scores=np.array([float(n - place) for n in lengths for place in range(n)]),
        group_offsets=np.array([0, 2, 4]),
        judged_document=np.concatenate([np.arange(len(each)) for each in pools]).astype(np.int64),
    )


def preferences(draw: Random) -> PreferenceLists:
    """Two queries with groups of preferences, in which a level stands for each document."""
    queries: list[list[Group]] = []
    for _ in range(2):
        judged = draw.randint(2, 6)
        retrieved, groups = draw.randint(0, judged), []
        for _ in range(draw.randint(1, 3)):
            levels = [float(draw.randint(0, 3)) for _ in range(judged)]
            documents = np.arange(judged)
            groups.append(
                group_of(np.zeros(judged, np.int64), np.array(levels), documents, judged, retrieved)
            )
        queries.append(groups)
    none, offsets = np.zeros(0), np.zeros(3, np.int64)
    rows = JudgedRows(np.ones(2), offsets, none, none, none, none, offsets, none)
    return PreferenceLists(rows, queries)


@pytest.mark.parametrize("name", OF_LISTS)
def test_a_trace_ends_with_the_value(name: str) -> None:
    draw, compared = Random(f"20261121 {name}"), 0
    for number in range(ROUNDS):
        measure = measure_of(draw, name, default=number % 5 == 0)
        carrier = Flat(ranked_lists(draw), every_rank=measure.every_rank)
        lists = preferences(draw) if "Prefs" in name else carrier
        try:
            with np.errstate(divide="ignore", invalid="ignore"):
                value = np.asarray(measure.values(lists))
        except CarobError:
            with pytest.raises(CarobError):
                trace(measure.values, lists)
            continue
        assert trace(measure.values, lists).numbers.tobytes() == value.tobytes(), str(measure)
        compared += 1
    assert compared >= ROUNDS // 5
