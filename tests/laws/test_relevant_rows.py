"""The law of rows left out: a measure of relevant documents is the same to the bit without the other judged rows."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from carob import DataError, Measure, MeasureError, Policy
from carob.lists.flat import Flat
from carob.lists.rows import JudgedRows
from carob.matching.match import match_grades
from cases import OF_LISTS, TABLES, tried

if TYPE_CHECKING:
    from collections.abc import Iterator

DRAWS = 40
GRADES = np.array([-2.0, -1.0, 0.0, 0.0, 0.0, 0.4, 0.5, 1.0, 1.0, 2.0, 3.0])
DEPTHS = (None, 1, 3, 7)
NAMES = [name for name, each in OF_LISTS.items() if each.takes == "grades" and each.rows != "every"]
OF_PAIRS = {"AUC", "GAUC", "PartialAUC"}
"""They can compare documents of different queries, which takes scores that these tables lack."""


def tables() -> Iterator[JudgedRows]:
    """Random lists: empty ones, without relevant documents, with tied, unjudged and pooled ones, and cut ones."""
    for seed in range(DRAWS):
        draw = np.random.default_rng(seed)
        judged = [draw.choice(GRADES, draw.integers(1, 14)) for _ in range(6)]
        lists = [
            [*draw.permutation(each)[: draw.integers(0, 12)], *[None] * draw.integers(0, 5)]
            for each in judged
        ]
        for each in lists:
            draw.shuffle(each)
        depth = DEPTHS[seed % len(DEPTHS)]
        negative = ("unjudged", "nonrelevant")[seed % 2]
        policy = Policy(depth=depth, negative=negative, unjudged=("nonrelevant", "removed")[seed // 4 % 2])
        rows = match_grades(lists, [each.tolist() for each in judged], policy).rows
        first = np.maximum(rows.rank - draw.integers(0, 2, len(rows.rank)), 1.0)
        yield JudgedRows(
            **{**{name: getattr(rows, name) for name in rows.__dataclass_fields__}, "tie_first": first}
        )


TABLES_OF_ROWS = list(tables())


def variants(name: str) -> list[Measure]:
    """The measure at its defaults, at two depths, and with each value of each parameter."""
    made: list[Measure] = []
    declared = OF_LISTS[name].parameters
    given: list[dict[str, Any]] = [{}]
    for parameter, each in declared.items():
        values = [
            *tried(each)[0],
            *(TABLES if parameter == "gain" else []),
            *([0, -1] if parameter == "rel" else []),
        ]
        given += [{parameter: value} for value in values]
    for each, depth in product(given, (None, 2)):
        try:
            made.append(Measure(name, tuple(each.items()), depth))
        except MeasureError:
            continue
    return made


def outcome(measure: Measure, rows: JudgedRows) -> str | bytes:
    """The bits of the values, or the error's sentence."""
    with np.errstate(all="ignore"):
        try:
            return np.asarray(measure.values(Flat(rows)), np.float64).tobytes()
        except DataError as error:
            return str(error)


@pytest.mark.parametrize("name", [name for name in NAMES if OF_LISTS[name].rows == "relevant"])
@pytest.mark.long
def test_rows_without_relevance_can_be_left_out(name: str) -> None:
    asked = [each for each in variants(name) if each.rows == "relevant"]
    assert asked
    for measure, rows in product(asked, TABLES_OF_ROWS):
        assert outcome(measure, rows.relevant) == outcome(measure, rows), measure


@pytest.mark.parametrize(
    "name", [name for name in NAMES if OF_LISTS[name].rows == "judged" and name not in OF_PAIRS]
)
def test_other_measures_need_these_rows(name: str) -> None:
    differ = (
        outcome(each, rows.relevant) != outcome(each, rows)
        for each, rows in product(variants(name), TABLES_OF_ROWS)
    )
    assert any(differ)


def test_a_low_threshold_or_a_gain_of_grade_0_needs_more_rows() -> None:
    needed = {
        "AP": "relevant",
        "P@5": "relevant",
        "nDCG(gain=exp2)": "relevant",
        "nDCG(gain={0:0,2:5})": "relevant",
        "nDCG(gain=exp2(0.5))": "relevant",
        "AP(rel=0)": "judged",
        "nDCG(gain={0:1})": "judged",
        "nDCG(gain=exp2(0))": "judged",
        "nDCG(gain=binary(0))": "judged",
        "P(rel=-1)@5": "every",
        "nDCG(gain={-1:1})": "every",
    }
    assert {name: Measure.parse(name).rows for name in needed} == needed
