"""Lists of retrieved ids: what arithmetic on grades gives, with nothing retrieved, verdicts, repeats and chunks."""

from __future__ import annotations

import math
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

import carob
from carob import DataError, Policy, PolicyError

RETRIEVED = [["a", "b", "c"], ["x"], []]
REFERENCE = [["b", "c", "d"], ["y"], ["z"]]


def test_ids_give_what_their_grades_give() -> None:
    found = carob.evaluate_ids(RETRIEVED, REFERENCE, ["AP", "RR", "nDCG@3", "P@2", "R@3", "Bpref"])
    grades = carob.evaluate_grades(
        [[None, 1, 1], [None], []], ["AP", "RR", "nDCG@3", "P@2", "R@3", "Bpref"], [[1, 1, 1], [1], [1]]
    )
    assert found.means() == grades.means()
    assert found.by_query("AP") == {"1": pytest.approx((1 / 2 + 2 / 3) / 3), "2": 0.0, "3": 0.0}


def test_nothing_retrieved_at_all_scores_0() -> None:
    assert carob.evaluate_ids([[], []], [["a"], ["b", "c"]], ["RR", "R@5", "nDCG@5"]).means() == {
        "RR": 0.0,
        "R@5": 0.0,
        "nDCG@5": 0.0,
    }


def test_nothing_wanted_is_the_policys_to_decide() -> None:
    assert carob.evaluate_ids([["a"]], [[]], "RR")["RR"] == 0.0
    with pytest.raises(DataError, match="no relevant document"):
        carob.evaluate_ids([["a"]], [[]], "RR", policy=Policy(empty="error"))


def test_references_may_have_grades() -> None:
    found = carob.evaluate_ids([["a", "b"]], [{"b": 3, "a": 1}], "nDCG@2")
    assert found["nDCG@2"] == carob.evaluate_grades([[1, 3]], "nDCG@2")["nDCG@2"]


def test_context_precision_is_average_precision_over_what_was_retrieved() -> None:
    # Ragas: the mean of P@k at the relevant ranks: (1/1 + 2/3) / 2.
    found = carob.evaluate_ids([["a", "b", "c"]], verdicts=[[1, 0, True]], measures="AP(over=retrieved)")
    assert found["AP(over=retrieved)"] == pytest.approx((1 + 2 / 3) / 2)
    by_name = carob.evaluate_ids([["a", "b", "c"]], verdicts=[[1, 0, 1]], measures="AP", profile="ragas")
    assert by_name["AP"] == found["AP(over=retrieved)"]


def test_a_verdict_of_none_is_unjudged_and_not_0() -> None:
    found = carob.evaluate_ids([["a", "b", "c"]], verdicts=[[None, 0, 1]], measures=["Judged@3", "RR"])
    assert found.means() == {"Judged@3": pytest.approx(2 / 3), "RR": pytest.approx(1 / 3)}


@pytest.mark.parametrize(("rule", "value"), [("first", 1 / 2), ("last", 1 / 3), ("max", 1 / 2)])
def test_a_repeated_id_is_the_policys_to_decide(rule: str, value: float) -> None:
    found = carob.evaluate_ids([["a", "b", "c", "b"]], [["b"]], "RR", policy=Policy(duplicates=rule))
    assert found["RR"] == value


def test_a_repeated_id_is_refused_by_question_and_id() -> None:
    with pytest.raises(DataError, match="Question 2: id 'b' was retrieved twice"):
        carob.evaluate_ids([["a"], ["b", "b"]], [["a"], ["b"]], "RR")


CHUNKS = [["d1#0", "d2#0", "d1#1", "d3#0"]]
VERDICTS = [[0, 0, 1, None]]


@pytest.mark.parametrize(
    ("rule", "grades"), [("first", [0, 0, None]), ("best", [1, 0, None]), ("last", [0, 1, None])]
)
def test_chunks_become_documents_by_the_rule_named(rule: str, grades: list[Any]) -> None:
    found = carob.evaluate_ids(
        CHUNKS,
        None,
        ["RR", "Judged@3", "P@1"],
        verdicts=VERDICTS,
        document_of=lambda each: each.split("#")[0],
        collapse=rule,
    )
    assert found.means() == carob.evaluate_grades([grades], ["RR", "Judged@3", "P@1"]).means()


def test_chunks_of_the_reference_become_documents_too() -> None:
    known = {"d1#0": "d1", "d2#0": "d2", "d1#1": "d1", "d3#0": "d3", "d1#9": "d1"}
    assert carob.evaluate_ids(CHUNKS, [["d1#9"]], ["RR", "R@1"], document_of=known).means() == {
        "RR": 1.0,
        "R@1": 1.0,
    }
    with pytest.raises(DataError, match="has no document for chunk 'd1#9'"):
        carob.evaluate_ids(CHUNKS, [["d1#9"]], "RR", document_of={each: each for each in CHUNKS[0]})


@pytest.mark.parametrize("library", ["polars", "pandas", "pyarrow"])
def test_list_columns_of_a_frame_are_taken(library: str) -> None:
    if not find_spec(library):
        pytest.skip(f"needs {library}, which is not installed")
    table: Any = {"retrieved_ids": RETRIEVED, "reference_ids": REFERENCE}
    if library == "pyarrow":
        import pyarrow as pa

        frame: Any = pa.table(table)
    elif library == "polars":
        import polars as pl

        frame = pl.DataFrame(table)
    else:
        import pandas as pd

        frame = pd.DataFrame(table)
    found = carob.evaluate_ids(frame["retrieved_ids"], frame["reference_ids"], ["AP", "RR"])
    assert found.means() == carob.evaluate_ids(RETRIEVED, REFERENCE, ["AP", "RR"]).means()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (([["a"]], [["a"], ["b"]]), "1 lists of retrieved ids but 2 of references"),
        ((["a", "b"], ["a", "b"]), "retrieved list of question 1 is 'a', not a list"),
        (([["a"], None], [["a"], ["b"]]), "retrieved list of question 2 is None"),
        (([["a"]], [[None]]), "reference of question 1 has None"),
        (([["a"]],), "Pass either reference"),
    ],
)
def test_lists_that_cannot_be_used_are_named(given: Any, said: str) -> None:
    with pytest.raises(DataError, match=said):
        carob.evaluate_ids(*given, measures="RR")


def test_verdicts_pair_with_what_was_retrieved() -> None:
    with pytest.raises(DataError, match="Question 1 has 2 retrieved ids but 1 verdicts"):
        carob.evaluate_ids([["a", "b"]], verdicts=[[1]], measures="RR")
    with pytest.raises(DataError, match="has 'yes' at position 1"):
        carob.evaluate_ids([["a"]], verdicts=[["yes"]], measures="RR")
    with pytest.raises(PolicyError, match="collapse is first, best or last"):
        carob.evaluate_ids([["a"]], [["a"]], "RR", collapse="max")


# ---------------------------------------------------------------- what is not an id


@pytest.mark.parametrize(
    "nothing",
    [None, math.nan, [1], np.ma.masked, "", " "],
    ids=["None", "NaN", "list", "masked", "empty", "blank"],
)
def test_what_is_no_id_never_meets_another(nothing: Any) -> None:
    for documents in (lambda _: nothing, {"a": nothing, "b": nothing}):
        with pytest.raises(DataError, match=r"document_of returns .* for chunk 'a', which is not an id"):
            carob.evaluate_ids([["a"]], [["b"]], "RR", document_of=documents)
    with pytest.raises(
        DataError, match=r"The retrieved list of question 2 has .*, which is not an id. Leave it out"
    ):
        carob.evaluate_ids([["a"], [nothing]], [["a"], ["b"]], "RR")
    with pytest.raises(
        DataError, match=r"The reference of question 1 has .*, which is not an id. Leave it out"
    ):
        carob.evaluate_ids([["a"]], [[nothing]], "RR")
