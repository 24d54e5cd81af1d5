"""What a check reads in spite of errors: judgments alone, runs alone, subtopics and other spellings."""

from __future__ import annotations

from carob.diagnosis.check import check
from carob.diagnosis.check.inputs import taken
from carob.diagnosis.check.lenient import LenientQrels
from diagnosis.checked import codes, lines


def test_a_run_is_looked_at_where_the_judgments_cannot_be_read() -> None:
    found = check(b"", lines("q1 Q0 a 1 nan"))
    assert {"empty", "nan-scores"} <= codes(found)


def test_judgments_alone_are_checked() -> None:
    assert codes(check(b"q1 0 a 1\nq1 0 a 1\nq1 0 b 0\n")) == {"duplicate-judgments", "few-queries"}


def test_judgments_of_each_subtopic_count_their_highest_grade_and_others_their_first() -> None:
    subtopics = LenientQrels.of(taken(b"q 1 a 0\nq 2 a 2\n", "qrels"))
    assert subtopics.by_subtopic
    assert subtopics.judgments.grades.tolist() == [2]
    repeated = LenientQrels.of(taken(b"q 0 a 0\nq 0 a 2\n", "qrels"))
    assert not repeated.by_subtopic
    assert repeated.judgments.grades.tolist() == [0]
    assert repeated.judgments.dropped == 1


def test_judgments_get_the_ids_of_a_run() -> None:
    judged = LenientQrels.of(taken({"q": {"a": 1, "b": 0}, "r": {"a": 2}}, "qrels"))
    respelled = judged.respelled({b"q": b"Q"}, {b"a": b"A"})
    assert sorted(respelled.rows()) == [(b"Q", b"A", 1), (b"Q", b"b", 0), (b"r", b"A", 2)]
    assert judged.rows() == [(b"q", b"a"), (b"q", b"b"), (b"r", b"a")]


def test_what_the_kernel_refuses_is_a_fault_and_the_lines_are_read_nevertheless() -> None:
    nothing = LenientQrels.of(taken(b"", "qrels"))
    assert nothing.table is None
    judged = LenientQrels.of(taken({1.5: {"a": 1}}, "qrels"))
    assert judged.rows() == [(b"1.5", b"a")]
    (fault,) = judged.text.faults
    assert (fault.code, fault.what, fault.remedy) == (
        "refused",
        "qrels: query 1.5: the query id is neither text nor a whole number (found float)",
        "Convert the id to str.",
    )
