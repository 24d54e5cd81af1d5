"""The scores that two judges share: runs and queries that one lacks, means in decimals, and pairs of measures."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carob
from carob.judges.sheets import Sheet, label_in, mean_of, measures_to_pair, sheets_of
from judges.boards import nested


def test_missing_runs_are_decided_by_name_and_counted() -> None:
    truth, judge = nested("abcde"), nested("bcdexyz", 0.02)
    with pytest.raises(carob.DataError, match=r"scores lacks 1 of 5 runs of scores: a.*missing_runs='skip'"):
        carob.correlate(truth, judge)
    skipped = carob.correlate(truth, {"judge": judge}, missing_runs="skip")
    assert (skipped.rows[0].runs, skipped.rows[0].lacking, skipped.rows[0].extra) == (
        tuple("bcde"),
        ("a",),
        3,
    )
    assert "judge lacks 1 run, which was left out: a." in str(skipped)
    assert "judge has 3 runs that the truth lacks, left out." in str(skipped)
    zero = carob.correlate(truth, {"judge": judge}, missing_runs="zero").rows[0]
    assert (zero.runs, zero.values[0]) == (tuple("abcde"), 0)
    with pytest.raises(carob.DataError, match="share 2 runs"):
        carob.correlate(truth, nested("ab"), missing_runs="skip")


def test_queries_of_one_side_are_left_out_and_counted() -> None:
    found = carob.correlate(nested("abcd", queries=6), {"judge": nested("abcd", queries=4)})
    assert (found.rows[0].queries, found.rows[0].left_out) == (4, 2)
    assert "judge: 2 queries that only one side has, left out." in str(found)


def test_queries_that_a_judge_lacks_are_zeros_if_asked() -> None:
    truth, judge = nested("abcd", 0.02, queries=6), nested("abcd", 0.01, queries=4)
    zero = carob.correlate(truth, {"judge": judge}, missing="zero")
    row, skipped = zero.rows[0], carob.correlate(truth, {"judge": judge}, missing="skip").rows[0]
    assert (row.queries, row.left_out, row.zeros) == (6, 0, ("q4", "q5"))
    assert (skipped.queries, skipped.left_out, skipped.zeros) == (4, 2, ())
    assert row.values == pytest.approx([4 / 6 * each for each in skipped.values])
    assert row.truth == pytest.approx(carob.correlate(truth, {"truth": truth}).rows[0].truth)
    assert "judge lacks 2 queries, which have the value 0: q4, q5." in str(zero)
    more = carob.correlate(judge, {"judge": truth}, missing="zero").rows[0]
    assert (more.queries, more.left_out, more.zeros) == (4, 2, ())


def test_means_that_are_equal_in_decimals_are_tied() -> None:
    assert sum([0.1, 0.2, 0.3]) / 3 != 0.2
    assert mean_of([0.1, 0.2, 0.3]) == mean_of([0.2, math.nan]) == 0.2
    assert math.isnan(mean_of([math.nan]))


def test_a_part_has_zeros_for_what_the_sheet_lacks() -> None:
    name, sheets, note = sheets_of(
        carob.read_scores({"a": {"AP": {"q1": 0.5, "q2": 1.0}}, "b": {"AP": {"q1": 0.25, "q2": 0.75}}}),
        None,
        "skip",
    )
    assert (name, [*sheets], note) == ("scores", ["AP"], "")
    part = sheets["AP"].part(("b", "c", "a"), ("q2", "q3"))
    assert part.table is not None
    assert part.table.values.tolist() == [[0.75, 0.0, 1.0], [0.0, 0.0, 0.0]]
    assert part.means().tolist() == [0.375, 0.0, 0.5]


def test_stated_means_are_of_the_chosen_runs_and_smaller_may_be_better() -> None:
    sheet = Sheet("Unjudged@5", ("a", "b"), (), None, np.array([0.25, 0.5]))
    assert sheet.sign == -1
    assert sheet.means().tolist() == [-0.25, -0.5]
    assert Sheet("AP", ("a", "b"), (), None, sheet.stated).part(("b", "x"), ()).means().tolist() == [0.5, 0]


def test_measures_are_paired_with_themselves_or_else_each_with_each() -> None:
    def named(*labels: str) -> dict[str, Sheet]:
        return {each: Sheet(each, ("a", "b", "c"), (), None, np.zeros(3)) for each in labels}

    both = ("truth", "judge")
    assert measures_to_pair(named("AP", "RR"), named("RR", "AP", "P@5"), None, None, both) == [
        ("RR", "RR"),
        ("AP", "AP"),
    ]
    assert measures_to_pair(named("AP", "RR"), named("P@5"), None, None, both) == [
        ("AP", "P@5"),
        ("RR", "P@5"),
    ]
    assert measures_to_pair(named("AP"), named("AP", "RR"), None, ["AP"], both) == [
        ("AP", "AP"),
        ("AP", "RR"),
    ]
    assert label_in(named("AP"), "map", "judge") == "AP"
    with pytest.raises(carob.MeasureError, match=r"judge has no measure RR\. Its measures are AP, P@5\."):
        label_in(named("AP", "P@5"), "RR", "judge")


def test_what_is_no_leaderboard_is_refused() -> None:
    with pytest.raises(
        carob.DataError, match=r"or scores by run, not an object of the type dict\. Pass runs"
    ):
        sheets_of({"a": {"q1": 1.0}}, None, "skip")


def test_scores_by_run_lack_queries_as_files_do() -> None:
    qrels = {f"q{number}": {"a": 1, "b": 0, "c": 2} for number in range(6)}
    fewer = {query: qrels[query] for query in list(qrels)[:5]}
    runs = {
        name: {
            query: {"a": 1 + row * column % 3, "b": row * column % 4, "c": 2}
            for row, query in enumerate(qrels)
        }
        for column, name in enumerate("abcde", 1)
    }
    scores = {name: carob.evaluate(fewer if name == "c" else qrels, runs[name], "AP") for name in runs}
    with pytest.raises(carob.DataError, match=r"c has no value of AP for 1 of 6 queries.*q5"):
        carob.correlate(scores, scores)
    assert carob.correlate(scores, scores, missing="skip").rows[0].queries == 6
    assert carob.correlate(scores, scores, missing="zero").rows[0].queries == 6
