"""Preferences and judgment groups on hand-worked judgments."""

from __future__ import annotations

import numpy as np
import pytest

import carob
from carob.lists.flat import Flat
from carob.lists.preferences import ContradictionError, Group, PreferenceLists, group_of
from carob.lists.rows import JudgedRows
from carob.measures import REGISTER, parse_measure
from carob.output.errors import DataError, MeasureError

FAMILY = [name for name, each in REGISTER.items() if each.takes == "preferences" or name.startswith("Group")]


def group(*lines: tuple[int, float, int], judged: int, retrieved: int) -> Group:
    """A group of lines (subgroup, level, document)."""
    subgroups, levels, documents = (np.array(column) for column in zip(*lines, strict=True))
    return group_of(subgroups, levels.astype(float), documents, judged, retrieved)


def lists(*queries: list[Group]) -> PreferenceLists:
    none, offsets = np.zeros(0), np.zeros(len(queries) + 1, np.int64)
    rows = JudgedRows(np.ones(len(queries)), offsets, none, none, none, none, offsets, none)
    return PreferenceLists(rows, list(queries))


def value(name: str, *groups: Group) -> float:
    with np.errstate(invalid="ignore"):
        return float(np.asarray(parse_measure(name).values(lists(list(groups))))[0])


# Documents 0, 1, 2 were retrieved in that order, 3 and 4 were not. One subgroup: 1 before 2 and 3 before 0 and 4.
# Both retrieved: 1>2 kept, 1>0 and 2>0 broken. One: 1>3, 1>4, 2>4 kept, 3>0 broken. Neither: 3>4.
LEVELS = group((0, 0, 0), (0, 2, 1), (0, 1, 2), (0, 1, 3), (0, 0, 4), judged=5, retrieved=3)
# Two subgroups: 0>1 and 1>2, so 0>2 follows; all are kept.
CHAIN = group((0, 2, 0), (0, 1, 1), (1, 1, 1), (1, 0, 2), judged=5, retrieved=3)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("NumPrefs", 8 + 3),
        ("NumPrefsKept", 4 + 3),
        ("NumPrefsKept(among=both)", 1 + 3),
        ("Prefs", (4 + 3) / (8 + 3)),
        ("Prefs(among=either)", (4 + 3) / (7 + 3)),
        ("Prefs(among=both)", (1 + 3) / (3 + 3)),
        ("PrefsMean", (4 / 8 + 3 / 3) / 2),
        ("PrefsMean(among=either)", (4 / 7 + 3 / 3) / 2),
        ("PrefsMean(among=both)", (1 / 3 + 3 / 3) / 2),
        # Pairs 0-1 and 0-2: one group of two has them so; 1-2: both; 1-3, 1-4, 2-4 kept; 0-3 broken; 3-4 not seen.
        ("PrefsPair", (1 / 2 + 1 / 2 + 1 + 1 + 1 + 1 + 0 + 0) / 8),
        ("PrefsPair(among=either)", (1 / 2 + 1 / 2 + 1 + 1 + 1 + 1 + 0) / 7),
        ("PrefsPair(among=both)", (1 / 2 + 1 / 2 + 1) / 3),
        # Relevant 1, 2, 3 and two others: one more is imagined, to which all three are preferred and two keep it.
        # In the chain 0 and 1 are relevant, 2 is not: one more, two preferences, both kept.
        ("PrefsMean(nonrelevant=capped)", ((4 + 2) / (8 + 3) + (3 + 2) / (3 + 2)) / 2),
        # Of the retrieved, 1 and 2 are relevant, 0 is not; all three relevant ones count for the one imagined.
        ("PrefsMean(among=both, nonrelevant=capped)", ((1 + 2) / (3 + 3) + (3 + 2) / (3 + 2)) / 2),
    ],
)
def test_value_is_the_arithmetic(name: str, expected: float) -> None:
    assert value(name, LEVELS, CHAIN) == pytest.approx(expected, abs=1e-15)


def test_more_nonrelevant_documents_than_relevant_ones() -> None:
    # 0 is relevant; of 1, 2, 3 only 1 stays, and is set against every document of its own level too, itself included.
    graded = group((0, 1, 0), (0, 0, 1), (0, 0, 2), (0, 0, 3), judged=4, retrieved=4)
    assert value("PrefsMean(nonrelevant=capped)", graded) == 1 / 4
    # By subgroups 0>1, 0>2, 3>1: 3 has no level above 0 either, so only 0 and 1 stay.
    partial = group((0, 1, 0), (0, 0, 1), (1, 1, 0), (1, 0, 2), (1, 0, 3), judged=4, retrieved=4)
    assert value("PrefsMean(nonrelevant=capped)", partial) == 1.0
    assert value("PrefsMean(among=both, nonrelevant=capped)", partial) == 1.0


def test_a_group_without_relevant_documents_makes_a_capped_mean_0() -> None:
    nothing = group((0, 0, 0), (0, 0, 1), judged=5, retrieved=3)
    assert value("PrefsMean(nonrelevant=capped)", CHAIN, nothing) == 0.0
    assert value("PrefsMean", CHAIN, nothing) == 1 / 2


def test_a_document_judged_twice_counts_twice_in_one_subgroup_and_once_in_several() -> None:
    assert value("NumPrefs", group((0, 1, 0), (0, 1, 0), (0, 0, 1), judged=2, retrieved=2)) == 2
    lines = [(0, 1, 0), (0, 0, 1), (1, 1, 0), (1, 0, 1)]
    assert value("NumPrefs", group(*lines, judged=2, retrieved=2)) == 1


def test_queries_are_kept_apart() -> None:
    both = parse_measure("PrefsPair").values(lists([LEVELS], [CHAIN], [LEVELS, CHAIN]))
    assert np.asarray(both).tolist() == [4 / 8, 1.0, 5 / 8]


@pytest.mark.parametrize(
    ("lines", "kind", "documents"),
    [
        ([(0, 2, 0), (0, 1, 1), (0, 0, 0)], "levels", (0, -1)),
        ([(0, 2, 0), (0, 1, 1), (1, 0, 1), (1, 1, 2)], "zero", (1, -1)),
        ([(0, 2, 0), (0, 1, 1), (1, 2, 1), (1, 1, 2), (2, 2, 2), (2, 1, 0)], "cycle", (0, 1)),
    ],
)
def test_contradictions_are_refused(
    lines: list[tuple[int, float, int]], kind: str, documents: tuple[int, int]
) -> None:
    with pytest.raises(ContradictionError, match="correct the preferences") as error:
        group(*lines, judged=3, retrieved=3)
    assert (error.value.kind, error.value.number, error.value.other) == (kind, *documents)


def test_capped_goes_with_two_kinds_of_count_only() -> None:
    with pytest.raises(MeasureError, match="among=all or among=both"):
        value("PrefsMean(among=either, nonrelevant=capped)", LEVELS)


# ---------------------------------------------------------------- judgment groups

# One ranking of four documents. The first group finds its two relevant ones at ranks 1 and 4, the second, with
# three, one at rank 2. The second query has one group, whose only relevant document stands at rank 2.
GROUPS = Flat(
    JudgedRows(
        length=np.array([4.0, 4.0, 2.0]),
        offsets=np.array([0, 2, 4, 5]),
        rank=np.array([1.0, 4.0, 1.0, 2.0, 2.0]),
        grade=np.array([1.0, 2.0, 0.0, 1.0, 1.0]),
        tie_first=np.zeros(5),
        tie_last=np.zeros(5),
        judged_offsets=np.array([0, 2, 6, 7]),
        judged_grades=np.array([1.0, 2.0, 0.0, 1.0, 1.0, 1.0, 1.0]),
        group_offsets=np.array([0, 2, 3]),
    )
)


@pytest.mark.parametrize(
    ("name", "first", "second"),
    [
        ("GroupAP", ((1 / 1 + 2 / 4) / 2 + (1 / 2) / 3) / 2, 1 / 2),
        ("GroupAP(rel=2)", (1 / 4 + 0) / 2, 0),
        ("GroupP@2", (1 / 2 + 1 / 2) / 2, 1 / 2),
        ("GroupP@5", (2 / 5 + 1 / 5) / 2, 1 / 5),
        ("GroupRprec", (1 / 2 + 1 / 3) / 2, 0),
        ("GroupRprec(times=2)", (2 / 4 + 1 / 6) / 2, 1 / 2),
    ],
)
def test_groups_are_averaged(name: str, first: float, second: float) -> None:
    assert np.asarray(parse_measure(name).values(GROUPS)).tolist() == pytest.approx(
        [first, second], abs=1e-15
    )


@pytest.mark.parametrize("name", FAMILY)
def test_plain_qrels_are_refused(name: str) -> None:
    asked = f"{name}@5" if REGISTER[name].whole else name
    with pytest.raises(DataError, match=r"judgment group|preferences"):
        carob.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, [asked])
