"""A judge's session: what the page is given, and what happens to judgments on their way to the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from carob.judging.journal import Journal
from carob.judging.session import JudgingSheet, Session
from carob.judging.task import labels_of_grades, read_task
from carob.output.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path

GRADES = labels_of_grades("0-2")


def sheet(folder: Path, order: list[int], documents: str = "documents.jsonl") -> JudgingSheet:
    """The sheet of Anna, who judges these pairs of the small task."""
    texts = (str(folder / "queries.jsonl"), str(folder / documents))
    task = read_task(str(folder / "pairs.csv"))
    return JudgingSheet.read(task, order, *texts, grades=GRADES, guidelines="The rules.", judge="anna\u202e")


def test_the_page_is_given_the_pairs_in_their_order_without_texts_of_documents(work: Path) -> None:
    own = sheet(work, [5, 0, 6])
    assert own.data() == {
        "task": own.task.digest,
        "judge": "anna⟨U+202E⟩",
        "grades": [[0, "not relevant"], [1, "partly relevant"], [2, "relevant"]],
        "guidelines": "The rules.",
        "queries": [
            {"id": "q2", "label": "q2", "text": "红茶", "details": ""},
            {"id": "q1", "label": "q1", "text": "green tea", "details": ""},
        ],
        "items": [
            {"query": 0, "id": "d1", "label": "d1"},
            {"query": 1, "id": "d0", "label": "d0"},
            {"query": 0, "id": "d2", "label": "d2"},
        ],
    }
    assert own.document(2) == {"title": "", "text": "text 2"}


def test_a_pair_without_a_text_is_refused(work: Path) -> None:
    (work / "few.jsonl").write_text('{"id": "d1", "text": "text"}\n')
    assert sheet(work, [1, 5], "few.jsonl").document(1)["text"] == "text"
    with pytest.raises(
        DataError, match=r"few\.jsonl: there is no text for 2 of the documents to judge: 'd3', 'd0'\. Add"
    ):
        sheet(work, [3, 1, 0], "few.jsonl")


def test_judgments_are_stored_changed_and_withdrawn_last_first(work: Path) -> None:
    with Journal(str(work / "judged.csv"), read_task(str(work / "pairs.csv")), "anna") as journal:
        own = Session(sheet(work, [5, 0, 6]), journal)
        assert own.judge(2, 1, "a\nnote") == {"item": 2, "judged": 1}
        assert own.judge(0, 2) == {"item": 0, "judged": 2}
        assert own.judge(2, 0) == {"item": 2, "judged": 2}
        found = own.data()
        assert found["notes"] is True
        assert [(each.get("grade"), each.get("note")) for each in found["items"]] == [
            (2, ""),
            (None, None),
            (0, ""),
        ]
        assert [own.withdraw() for _ in range(3)] == [
            {"item": 2, "judged": 1},
            {"item": 0, "judged": 0},
            {"item": None, "judged": 0},
        ]


def test_what_the_page_cannot_mean_is_refused(work: Path) -> None:
    with Journal(str(work / "judged.csv"), read_task(str(work / "pairs.csv"))) as journal:
        own = Session(sheet(work, [5, 0]), journal)
        for number, grade in ((2, 1), (-1, 1), (0, 3)):
            with pytest.raises(
                DataError, match=r"The page sent an unknown document or grade\. Reload the page\."
            ):
                own.judge(number, grade)
        with pytest.raises(DataError, match=r"The note is longer than 2,000 characters\. Shorten it\."):
            own.judge(0, 1, "x" * 2001)
        assert own.judged == 0
        assert own.judge(0, 1, "x" * 2000)["judged"] == 1
    with Journal(str(work / "judged.qrels"), read_task(str(work / "pairs.csv"))) as journal:
        assert Session(sheet(work, [5]), journal).judge(0, 1, "x" * 2001)["judged"] == 1  # without notes
