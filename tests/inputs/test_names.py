"""The ids of many queries in one piece of memory: they are a sequence, and are found among others."""

from __future__ import annotations

import numpy as np
import pytest

from carob.inputs.names import Names

IDS = ["q1", "", "é", "\udcff", "q10"]
"""One is empty, one has more bytes than letters, and one is not UTF-8."""


def test_names_are_a_sequence_of_ids() -> None:
    names = Names.of(IDS)
    ids = [b"q1", b"", "é".encode(), b"\xff", b"q10"]
    assert (names.joined, names.offsets.tolist()) == (b"q1\xc3\xa9\xffq10", [0, 2, 2, 4, 5, 8])
    assert (list(names), len(names), names[1:4], names[-1]) == (ids, 5, ids[1:4], b"q10")
    assert names.texts == tuple(IDS)
    assert Names.of(["q1", "", "q10"]).texts == ("q1", "", "q10")
    with pytest.raises(IndexError):
        names[5]


def test_equal_names_have_equal_ids_in_one_order() -> None:
    names = Names.of(["ab", "c"])
    assert names == Names.of_bytes([b"ab", b"c"])
    assert names != Names.of(["a", "bc"])
    assert names != Names.of(["c", "ab"])
    assert names != [b"ab", b"c"]


def test_marked_names_are_chosen_and_have_a_place_among_others() -> None:
    names = Names.of(IDS)
    assert names.chosen(np.ones(5, bool)) is names
    few = names.chosen(np.array([True, False, False, True, True]))
    assert few.texts == ("q1", "\udcff", "q10")
    assert few.places_in(names).tolist() == [0, 3, 4]
    assert names.places_in(few).tolist() == [0, -1, -1, 1, 2]
    assert names.places_in(Names.of(IDS)).tolist() == [0, 1, 2, 3, 4]
    assert Names.of([]).places_in(names).tolist() == []
