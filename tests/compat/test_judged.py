"""trec_eval's four formats of judgments: what is read, lists of a run by each, and what trec_eval refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from carob import Policy
from carob.compat.judged import Cut, Grouped, JudgmentFormat, PlainQrels, Preferred, read_judged
from carob.compat.requests import Refusal
from carob.inputs.run import Run
from carob.inputs.runs import MatchOptions
from carob.measures import parse_measure

if TYPE_CHECKING:
    from pathlib import Path

RUN = {"1": {"x": 4.0, "b": 3.0, "a": 2.0, "c": 1.0}}


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Reads judgments that are written to a file."""
    monkeypatch.chdir(tmp_path)

    def of(text: str, form: str = "qrels", version: int = 10) -> JudgmentFormat:
        (tmp_path / "file").write_text(text)
        return read_judged("file", form, version)

    return of


def lists(judged: JudgmentFormat, depth: int = 1000, *, judged_only: bool = False) -> Any:
    """The lists of the first query, and the reasons why there are none."""
    found = Run.of(RUN).match(judged.judgments, MatchOptions(Policy(ties=judged.ties)))
    cut = Cut(np.maximum(np.asarray(found.length), 0), depth, judged_only)
    return judged.lists(found, cut, np.array([0]))


def value(judged: JudgmentFormat, measure: str, **how: Any) -> float:
    made, troubles = lists(judged, **how)
    assert not troubles
    (found,) = parse_measure(measure).values(made)
    return float(found)


def test_plain_qrels_have_one_grade_for_each_document(read: Any) -> None:
    judged = read("2 0 d 1\n1 0 a 1\n1 0 b 0\n1 0 c 2\n")
    assert isinstance(judged, PlainQrels)
    assert (judged.queries, judged.n_positive()) == ([b"1", b"2"], 3)
    # x, b, a, c: the relevant documents stand third and fourth, without x second and third.
    assert value(judged, "AP") == pytest.approx((1 / 3 + 2 / 4) / 2)
    assert value(judged, "AP", judged_only=True) == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert value(judged, "AP", depth=3) == pytest.approx(1 / 3 / 2)


def test_repeated_documents_and_negative_grades_alone_are_troubles(read: Any) -> None:
    twice = read("1 0 b 1\n1 0 a 1\n1 0 b 2\n1 0 a 0\n2 0 a 1\n")
    troubles = twice.troubles(np.array([0, 1]))
    assert {query: (each.code, each.text) for query, each in troubles.items()} == {
        0: (4, "trec_eval.form_res_rels: duplicate docs a\n")
    }
    # Until the first query with a grade of 0 or more, there is no memory for grades.
    negative = read("1 0 a -1\n2 0 a 0\n3 0 a -1\n").troubles(np.array([0, 1, 2]))
    assert {query: (each.code, each.text) for query, each in negative.items()} == {0: (4, "")}


def test_lines_of_groups_are_ordered_by_query_and_group(read: Any) -> None:
    judged = read("2 g c 1\n1 h a 1\n1 g b 2\n1 g a 0\n", "qrels_jg")
    assert isinstance(judged, Grouped)
    assert [judged.judgments.documents(place) for place in range(2)] == [[b"a", b"b"], [b"c"]]
    assert judged.query.tolist() == [0, 0, 0, 1]
    assert judged.group.tolist() == [0, 0, 1, 2]
    assert judged.document.tolist() == [1, 0, 0, 2]
    assert judged.number.tolist() == [2.0, 0.0, 1.0, 1.0]
    assert judged.group_offsets.tolist() == [0, 2, 3]
    made, troubles = lists(judged)
    assert not troubles
    # In group g only b is relevant, which is second; in h only a, which is third.
    assert parse_measure("RR").values(made).tolist() == [1 / 2, 1 / 3]


def test_contradicting_preferences_end_with_the_words_of_trec_eval(read: Any) -> None:
    for text, code, said in (
        (
            "1 g a 1\n1 g b 1\n1 g a 2\n",
            4,
            "trec_eval.form_prefs_counts: Internal docid 1 occurs with different rel_level in same jsg\n",
        ),
        (
            "1 g s a 1\n1 g s b 2\n1 g t a 2\n1 g t b 1\n",
            134,
            (
                "trec_eval.form_prefs_counts: Pref inconsistency found\n"
                "      internal rank 0 and internal rank 1 are conflicted\n"
            ),
        ),
    ):
        judged = read(text, "prefs" if " s " in text else "qrels_prefs")
        assert isinstance(judged, Preferred)
        _, troubles = lists(judged)
        assert [(each.code, each.text) for each in troubles.values()] == [(code, said)]


@pytest.mark.parametrize(
    ("text", "form", "version", "said"),
    [
        ("1 0 a 1\n", "qrels_x", 10, "trec_eval: Illegal rel_format 'qrels_x'\n"),
        ("1 0 a 1\n1 0 b\n", "qrels", 10, "trec_eval.get_qrels: Malformed line 2\nQUIT"),
        ("# no comment\n1 0 a 1\n", "qrels", 9, "trec_eval.get_qrels: Malformed line 1\nQUIT"),
        ("", "qrels", 10, "trec_eval.get_qrels: Cannot read qrels file 'file'\nQUIT"),
        ("", "prefs", 10, "trec_eval.get_prefs: Cannot read prefs file 'file'\nQUIT"),
        ("1 g a\n", "qrels_prefs", 10, "trec_eval.get_qrels_prefs: Malformed line 1\nQUIT"),
        ("1 g a 1\n1 g a 2\n", "qrels_jg", 10, "trec_eval.get_qrels: duplicate docs a\nQUIT"),
    ],
)
def test_what_trec_eval_refuses_is_refused_in_its_words(
    text: str, form: str, version: int, said: str, read: Any
) -> None:
    with pytest.raises(Refusal) as caught:
        read(text, form, version)
    assert caught.value.code == 2
    assert caught.value.text == said.replace("QUIT", "trec_eval: Quit in file 'file'\n")


def test_a_line_of_comment_is_read_by_version_10_alone(read: Any) -> None:
    assert read("# a comment\n1 0 a 1\n").queries == [b"1"]
