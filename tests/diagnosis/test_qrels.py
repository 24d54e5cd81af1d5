"""What a check finds in judgments alone: contradictions, fractions and queries without a relevant document."""

from __future__ import annotations

import pytest

from diagnosis.checked import lines, only


def test_a_query_without_relevant_documents_is_scored_and_left_out() -> None:
    finding = only("no-relevant", b"q1 0 a 1\nq2 0 d 0\nq3 0 e 1\n", lines("q1 Q0 a 1 1", "q3 Q0 e 1 1"))
    assert finding.values["counted as 0"]["RR"] == pytest.approx(2 / 3)
    assert finding.values["omitted"]["RR"] == 1.0


def test_fractional_grades_are_scored_whole_too() -> None:
    finding = only("float-grades", b"q1 0 a 1.5\nq1 0 b 0.5\n", lines("q1 Q0 a 1 1"))
    assert finding.values["cut to whole numbers"] == finding.values["unchanged"]
    assert "2 grades are not whole numbers (of 2; 1 between 0 and 1)" in finding.what


def test_contradictory_judgments_are_scored_each_way() -> None:
    finding = only("duplicate-judgments", b"q 0 a 0\nq 0 b 1\nq 0 a 1\n", lines("q Q0 a 1 2", "q Q0 b 2 1"))
    assert finding.values["first"]["RR"] == 0.5
    assert finding.values["last"]["RR"] == finding.values["max"]["RR"] == 1.0
    assert finding.where == ("line 3: document 'a' of query 'q', first on line 1",)
