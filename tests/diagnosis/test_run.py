"""What a check finds in a run alone and in its order: scored each way, with the places."""

from __future__ import annotations

import pytest

from carob.diagnosis.check import check
from diagnosis.checked import QRELS, codes, lines, only


def test_duplicates_are_scored_first_last_and_max() -> None:
    run = lines("q1 Q0 a 1 3", "q1 Q0 b 2 2", "q1 Q0 a 3 1", "q2 Q0 d 1 1")
    finding = only("duplicate-documents", QRELS, run)
    # First and max: a stands before b, so q1 has 1/1 of two relevant. Last: b, a, so 1/2 of two.
    assert finding.values["first"]["AP"] == finding.values["max"]["AP"] == (1 / 2 + 1) / 2
    assert finding.values["last"]["AP"] == (1 / 2 / 2 + 1) / 2
    assert finding.where == ("line 3: document 'a' of query 'q1', first on line 1",)
    assert finding.count == 1


def test_ties_are_scored_at_their_worst_and_best() -> None:
    run = lines("q1 Q0 b 1 1", "q1 Q0 a 2 1", "q1 Q0 c 3 0", "q2 Q0 d 1 2", "q2 Q0 e 2 1")
    finding = only("ties", QRELS, run)
    assert finding.values["worst"] == {"AP": pytest.approx(((1 / 2 + 2 / 3) / 2 + 1) / 2), "RR": 0.75}
    assert finding.values["best"] == {"AP": pytest.approx(((1 + 2 / 3) / 2 + 1) / 2), "RR": 1.0}
    assert finding.values["by document id"]["RR"] == 0.75


def test_equal_scores_throughout_are_scored_by_id_and_by_line() -> None:
    run = lines("q1 Q0 a 1 0", "q1 Q0 b 2 0", "q2 Q0 d 1 0", "q2 Q0 e 2 0")
    finding = only("constant-scores", QRELS, run)
    assert finding.values["by document id"]["RR"] == 0.5
    assert finding.values["in order of lines"]["RR"] == 1.0
    assert finding.count == 2


def test_distances_are_scored_both_ways_up() -> None:
    run = lines("q1 Q0 a 1 -0.5", "q1 Q0 b 2 +0.25", "q1 Q0 c 3 1.5", "q2 Q0 d 1 1e-3", "q2 Q0 e 2 7")
    finding = only("ascending-scores", QRELS, run)
    assert finding.values["unchanged"]["RR"] == (1 + 1 / 2) / 2
    assert finding.values["with negated scores"] == {"AP": ((1 + 2 / 3) / 2 + 1) / 2, "RR": 1.0}


def test_the_rank_column_is_scored_where_it_disagrees() -> None:
    run = lines("q1 Q0 b 2 3", "q1 Q0 a 1 2", "q1 Q0 c 3 1", "q2 Q0 d 1 2", "q2 Q0 e 2 1")
    finding = only("rank-order", QRELS, run)
    assert finding.values["by score"]["RR"] == 0.75
    assert finding.values["by rank column"]["RR"] == 1.0
    assert finding.count == 2


def test_a_list_from_its_end_with_true_ranks_is_only_unsorted() -> None:
    run = lines("q1 Q0 c 3 1", "q1 Q0 b 2 2", "q1 Q0 a 1 3", "q2 Q0 e 2 1", "q2 Q0 d 1 2")
    assert "unsorted" in codes(check(QRELS, run))
    assert not codes(check(QRELS, run)) & {"rank-order", "ascending-scores"}


def test_single_precision_is_scored_where_it_moves_documents() -> None:
    run = lines("q1 Q0 b 2 16777216", "q1 Q0 a 1 16777217", "q2 Q0 d 1 2", "q2 Q0 e 2 1")
    finding = only("single-precision", QRELS, run)
    assert finding.values == {"double": {"AP": 0.75, "RR": 1.0}, "float32": {"AP": 0.625, "RR": 0.75}}


def test_own_documents_are_scored_with_and_without() -> None:
    run = lines("q1 Q0 q1 1 3", "q1 Q0 a 2 2", "q2 Q0 q2 1 3", "q2 Q0 d 2 2")
    finding = only("self-retrieval", QRELS, run)
    assert finding.values["unchanged"]["RR"] == 0.5
    assert finding.values["without them"]["RR"] == 1.0


def test_infinite_scores_in_a_row_are_no_rise() -> None:
    run = lines("q1 Q0 a 1 -inf", "q1 Q0 b 2 inf", "q1 Q0 c 3 inf", "q2 Q0 d 1 1")
    assert {"infinite-scores", "ascending-scores"} <= codes(check(QRELS, run))
