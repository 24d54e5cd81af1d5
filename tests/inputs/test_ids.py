"""Ids of queries and documents: whole numbers, text, bytes, and the -1 that pads lists."""

from __future__ import annotations

import numpy as np
import pytest

import carob
from carob import DataError
from carob.inputs.ids import bytes_of, odd_list, text_of, texts, texts_of, twice, unicode, unpadded


def test_whole_numbers_are_ids_as_their_text_is() -> None:
    for qrels in ({1: [2]}, {"1": ["2"]}, {1: {2: 1}}, {np.int64(1): {np.int32(2)}}):
        for run in ({1: [1, 2]}, {"1": ["1", "2"]}, {1: {1: 2.0, 2: 1.0}}):
            assert carob.evaluate(qrels, run, "RR").by_query("RR") == {"1": 0.5}
    with pytest.raises(DataError, match="twice"):
        carob.evaluate({1: {2: 1, "2": 0}}, {1: [2]}, "RR")


def test_ids_are_the_same_as_text_and_as_bytes() -> None:
    for identifier, text in ((b"q1", "q1"), ("é".encode(), "é"), (b"\xff\n", "\udcff\n")):
        assert text_of(identifier) == text
        assert bytes_of(text) == identifier
    assert texts_of([b"a", b"", b"\xff"]) == ["a", "", "\udcff"]
    assert texts_of(iter([b"a\nb", b"c"])) == ["a\nb", "c"]
    assert texts_of([]) == []
    assert (unicode("é".encode()), unicode(b"\xff")) == ("é", None)


def test_the_first_name_that_stands_twice_is_found() -> None:
    assert twice(["a", "b", "c", "b", "a"]) == "b"
    assert twice(["a", "b"]) is None


@pytest.mark.parametrize(
    ("identifier", "said"),
    [
        (True, "The id True is bool, not text or a whole number. Write it as str."),
        (1.0, "The id 1.0 is float, not text or a whole number. Write it as str."),
        (None, "The id None is NoneType, not text or a whole number. Write it as str."),
        (10**5000, "An id is a whole number that cannot be written as decimal text: "),
    ],
    ids=["truth", "fraction", "none", "5001 digits"],
)
def test_what_is_no_id_is_refused(identifier: object, said: str) -> None:
    with pytest.raises(DataError) as error:
        texts({"a": 1, identifier: 2})
    assert str(error.value).startswith(said)


def test_minus_one_pads_the_end_of_a_list_only() -> None:
    assert [unpadded(ids, "q") for ids in (["a", "-1", -1], [-1, -1], ["a", -1.0], [])] == [1, 0, 2, 0]
    with pytest.raises(DataError, match="query 'q' lists the document -1 before other documents in 'found'"):
        unpadded(["a", -1, "b"], "q", "found")


@pytest.mark.parametrize(
    ("sizes", "said"),
    [
        ({"ids": 2, "scores": 2}, None),
        ({"ids": 2, "scores": None}, "query 'q' has no list in 'scores'. Fill in a list"),
        ({"ids": 2, "scores": 3}, "query 'q' has 2 in 'ids' and 3 in 'scores'. Use one number for each document."),
    ],
)  # fmt: skip
def test_lists_of_a_row_have_one_length(sizes: dict[str, int | None], said: str | None) -> None:
    error = odd_list("q", sizes)
    assert (error is None) if said is None else (said in str(error))
