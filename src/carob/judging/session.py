"""One judge's session: the pairs in the order shown, their texts, and the judgments so far."""

from __future__ import annotations

from dataclasses import field
from datetime import datetime, timezone
from threading import Lock
from typing import TYPE_CHECKING, Any

from carob._dataclasses import dataclass
from carob.inputs.texts import texts_of
from carob.judging.journal import JournalEntry, one_line
from carob.output.errors import DataError
from carob.output.escaping import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from carob.inputs.texts import Text
    from carob.judging.journal import Journal
    from carob.judging.task import Task

LONGEST_NOTE = 2000
"""The maximum number of characters of a note."""
LONG_NOTE = f"The note is longer than {LONGEST_NOTE:,} characters. Shorten it."


@dataclass(frozen=True, eq=False)
class JudgingSheet:
    """Everything that a judge sees. None of it depends on runs or ranks.

    Args:
        task: the pairs.
        order: the places of the pairs assigned to the judge, in the order in which they are shown.
        queries: the text of each query.
        documents: the text of each document.
        grades: the label of each grade.
        guidelines: the rules for judges, which may be empty.
        judge: the name of the judge, which may be empty.
    """

    task: Task
    order: Sequence[int]
    queries: Mapping[str, Text]
    documents: Mapping[str, Text]
    grades: Mapping[int, str]
    guidelines: str = ""
    judge: str = ""

    @classmethod
    def read(
        cls, task: Task, order: Sequence[int], queries: str, documents: str, **rest: Any
    ) -> JudgingSheet:
        """Builds the sheet from a task, and reads the texts of its pairs.

        Raises:
            DataError: a file cannot be read, or a query or document has no text.
        """
        pairs = [task.pairs[place] for place in order]
        return cls(
            task,
            order,
            whole_texts(queries, [each.query for each in pairs], "queries"),
            whole_texts(documents, [each.document for each in pairs], "documents"),
            **rest,
        )

    def data(self) -> dict[str, Any]:
        """Returns the data for the page, without the documents' texts."""
        pairs = [self.task.pairs[place] for place in self.order]
        names = list(dict.fromkeys(each.query for each in pairs))
        numbers = {name: number for number, name in enumerate(names)}
        return {
            "task": self.task.digest,
            "judge": visible(self.judge),
            "grades": [[grade, visible(label)] for grade, label in self.grades.items()],
            "guidelines": visible(self.guidelines),
            "queries": [
                {
                    "id": name,
                    "label": visible(name),
                    "text": visible(its.text),
                    "details": visible(its.details),
                }
                for name, its in ((name, self.queries[name]) for name in names)
            ],
            "items": [
                {"query": numbers[each.query], "id": each.document, "label": visible(each.document)}
                for each in pairs
            ],
        }

    def document(self, number: int) -> dict[str, str]:
        """Returns the title and the text of the document at this position in the order."""
        text = self.documents[self.task.pairs[self.order[number]].document]
        return {"title": visible(text.title), "text": visible(text.text)}


def whole_texts(path: str, wanted: Sequence[str], kind: str) -> dict[str, Text]:
    """Returns the texts of the given queries or documents, without loading any other texts into memory.

    Raises:
        DataError: a file cannot be read, or an id has no text.
    """
    found = texts_of(path, frozenset(wanted), kind)
    missing = [each for each in dict.fromkeys(wanted) if each not in found]
    if missing:
        names = ", ".join(f"'{each}'" for each in missing[:3]) + (" …" if len(missing) > 3 else "")
        raise DataError(
            f"there is no text for {len(missing):,} of the {kind} to judge: {names}. Add the texts.",
            file=path,
        )
    return found


@dataclass(frozen=True, eq=False)
class Session:
    """A sheet and its file of judgments. Several threads and windows may use a session.

    Args:
        sheet: what the judge sees.
        journal: the file of judgments.
    """

    sheet: JudgingSheet
    journal: Journal
    lock: Lock = field(default_factory=Lock)

    def data(self) -> dict[str, Any]:
        """Returns the data for the page, with the judgments so far."""
        with self.lock:
            given = self.journal.judgments
            found = self.sheet.data()
            for item, place in zip(found["items"], self.sheet.order, strict=True):
                if place in given:
                    item |= {"grade": given[place].grade, "note": given[place].note}
        return found | {"notes": self.journal.form.table}

    def judge(self, number: int, grade: int, note: str = "") -> dict[str, Any]:
        """Stores a judgment of the document with this number, and returns after it is written to disk.

        Raises:
            DataError: the document or the grade does not exist, the note is too long, or the file cannot be written.
        """
        if not 0 <= number < len(self.sheet.order) or grade not in self.sheet.grades:
            raise DataError("The page sent an unknown document or grade. Reload the page.")
        note = one_line(note) if self.journal.form.table else ""
        if len(note) > LONGEST_NOTE:
            raise DataError(LONG_NOTE)
        place, now = self.sheet.order[number], datetime.now(timezone.utc).isoformat(timespec="seconds")
        with self.lock:
            old = self.journal.judgments.get(place)
            new = JournalEntry(grade, now, note, self.sheet.judge)
            if old is None:
                self.journal.add(place, new)
            elif (old.grade, old.note) != (grade, note):
                self.journal.change(place, new)
        return self.counted(number)

    def withdraw(self) -> dict[str, Any]:
        """Withdraws the last judgment and returns the number of its document, or None if there are no judgments."""
        with self.lock:
            numbers = {place: number for number, place in enumerate(self.sheet.order)}
            last = next((place for place in reversed(self.journal.judgments) if place in numbers), None)
            if last is not None:
                self.journal.change(last, None)
        return self.counted(None if last is None else numbers[last])

    def counted(self, number: int | None) -> dict[str, Any]:
        """Returns the number of a document, and the number of judged documents."""
        return {"item": number, "judged": self.judged}

    @property
    def judged(self) -> int:
        """The number of documents that are judged in this session."""
        given = self.journal.judgments
        return sum(place in given for place in self.sheet.order)
