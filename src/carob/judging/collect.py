"""Collects judgments from files of the offline page, of ``carob judge`` and of a model's answers."""

from __future__ import annotations

import os
from dataclasses import field
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

from carob._dataclasses import dataclass
from carob.inputs.columns import DRAW, usual
from carob.inputs.files.rows import NumberedLines, name_of, names_in, text_in
from carob.inputs.samples import number_in, rows_of_text
from carob.judging import say
from carob.judging.journal import Form, JournalEntry, known_in, one_line
from carob.judging.prompts import grade_in
from carob.judging.session import LONGEST_NOTE
from carob.judging.task import id_of
from carob.output.errors import DataError
from carob.output.parsing import json_or_none

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from carob.judging.task import Task

ANSWERS = ("answer", "response", "output", "content")
"""The usual names of the field with a model's answer."""
ROUNDING = 1e-8
"""The rounding error of a probability in a table."""
RULES: dict[str, Callable[[list[JournalEntry]], float] | None] = {
    "refuse": None,
    "first": lambda given: given[0].grade,
    "mean": lambda given: fmean(each.grade for each in given),
    "lowest": lambda given: min(each.grade for each in given),
    "highest": lambda given: max(each.grade for each in given),
}
"""How one grade is made of different grades by several judges."""


class Entry(NamedTuple):
    """A judgment in a file.

    Args:
        line: the line, or the number of the judgment in a file of the offline page.
        place: the place of the pair in the task.
        judgment: the judgment; its grade is None if an answer has none.
    """

    line: int
    place: int
    judgment: JournalEntry | None


@dataclass(eq=False)
class Collected:
    """Judgments from several files.

    Args:
        task: the pairs to judge.
        by_judge: the judgments of each judge, by place. A judge without a name has the name of the file.
        failed: for each model's answer without a clear grade, the file and the line.
    """

    task: Task
    by_judge: dict[str, dict[int, JournalEntry]] = field(default_factory=dict)
    failed: list[tuple[str, int]] = field(default_factory=list)

    def merged(self, rule: str) -> dict[int, JournalEntry]:
        """Returns one judgment for each judged pair.

        Args:
            rule: what to do if judges differ, a name in ``RULES``.

        Raises:
            DataError: judges differ, and the rule refuses that.
        """
        found: dict[int, JournalEntry] = {}
        one_of = RULES[rule]
        for place in range(len(self.task.pairs)):
            given = [its[place] for its in self.by_judge.values() if place in its]
            if not given:
                continue
            if len({each.grade for each in given}) == 1:
                found[place] = given[0]
            elif one_of is None:
                pair = self.task.pairs[place]
                names = [name for name, its in self.by_judge.items() if place in its]
                words = {"query": pair.query, "document": pair.document, "judges": ", ".join(names)}
                raise DataError(say("collect", "different", count=len(self.different), **words))
            else:
                judges = "+".join(dict.fromkeys(each.judge for each in given if each.judge))
                notes = " / ".join(each.note for each in given if each.note)
                found[place] = JournalEntry(one_of(given), max(each.time for each in given), notes, judges)
        return found

    @property
    def different(self) -> list[int]:
        """The places of the pairs to which judges gave different grades."""
        return [
            place
            for place in range(len(self.task.pairs))
            if len({its[place].grade for its in self.by_judge.values() if place in its}) > 1
        ]

    def content(self, path: str, judgments: Mapping[int, JournalEntry]) -> bytes:
        """Returns the file of these judgments and of the grades that the task has already.

        Raises:
            DataError: a file of this name cannot store them.
        """
        form = Form(path, self.task)
        rows = {**known_in(self.task), **judgments}
        return b"".join([form.head, *(form.line(place, rows[place]) for place in sorted(rows))])


def collected(
    task: Task, paths: Sequence[str], grades: Mapping[int, str], *, lenient: bool = False
) -> Collected:
    """Reads judgments of a task from files.

    Args:
        task: the pairs to judge.
        paths: the files: saved by the offline page, tables or qrels of ``carob judge``, or a model's answers as JSON
            lines with ``id`` or ``query`` and ``document``, and ``answer`` or ``grade``.
        grades: the allowed grades.
        lenient: whether to leave out answers without a clear grade.

    Raises:
        DataError: a file that is empty, is none of these or belongs to another task; a grade that is not allowed; a
            judge who gave a document two different grades; an answer without a clear grade; no grade at all.
    """
    found = Collected(task)
    refuse_twice(paths)
    for path, content in ((name_of(each), text_in(each)) for each in paths):
        judge, entries = judgments_in(task, path, content, grades)
        count, failed = 0, set()
        for entry in entries:
            count += 1
            if entry.judgment is None:
                if entry.place not in failed:  # as many as there are pairs, however long the file is
                    found.failed.append((path, entry.line))
                failed.add(entry.place)
                continue
            take(found, entry.place, entry.judgment, judge or path, grades, path, entry.line)
        if not count:
            raise DataError(say("collect", "empty"), file=path)
    if found.failed and not lenient:
        lines = ", ".join(f"{path} line {line}" for path, line in found.failed[:20])
        more = " …" if len(found.failed) > 20 else ""
        key = "no grades of sample" if task.sampled else "no grades"
        raise DataError(say("collect", key, count=len(found.failed), lines=lines + more))
    if not any(found.by_judge.values()):
        raise DataError(say("collect", "nothing"))
    return found


def refuse_twice(paths: Sequence[str]) -> None:
    """Refuses a file that is given twice, under one name or two, since its judge would count as two.

    Raises:
        DataError: a file is.
    """
    seen: dict[tuple[int, int], int] = {}
    for place, path in enumerate(paths):
        try:
            found = os.stat(path)
        except (OSError, ValueError):
            continue  # the reader of the file reports it
        first = seen.setdefault((found.st_dev, found.st_ino), place)
        if first != place:
            raise DataError(say("collect", "file twice", first=paths[first]), file=path)


def take(
    found: Collected,
    place: int,
    judgment: JournalEntry,
    judge: str,
    grades: Mapping[int, str],
    path: str,
    line: int,
) -> None:
    """Adds a judgment, unless it is a grade that the task has already.

    Raises:
        DataError: a grade that is not allowed, or another grade by the same judge.
    """
    pair = found.task.pairs[place]
    words = {"query": pair.query, "document": pair.document}
    if pair.grade is not None:
        if judgment.grade != pair.grade:
            raise DataError(say("collect", "known", grade=f"{pair.grade:g}", **words), file=path, line=line)
        return
    if judgment.grade not in grades:
        words = {"grade": f"{judgment.grade:g}", "grades": ", ".join(map(str, grades))}
        raise DataError(say("collect", "other grade", **words), file=path, line=line)
    its = found.by_judge.setdefault(judgment.judge or judge, {})
    old = its.get(place)
    if old is not None and old.grade != judgment.grade:
        grades_given = {
            "one": f"{old.grade:g}",
            "other": f"{judgment.grade:g}",
            "judge": judgment.judge or judge,
        }
        raise DataError(say("collect", "contradiction", **grades_given, **words), file=path, line=line)
    its[place] = judgment


# ---------------------------------------------------------------- the kinds of files


def judgments_in(
    task: Task, path: str, content: str, grades: Mapping[int, str]
) -> tuple[str, Iterable[Entry]]:
    """Returns the name of the judge, which may be empty, and the judgments in a file, which are read one by one.

    Raises:
        DataError: the file is of no known kind, or belongs to another task.
    """
    if content.lstrip().startswith("{"):
        saved = whole_json(content, path)
        if saved is not None and saved.get("carob") == "judgments":
            return read_saved(task, path, saved)
        return "", read_rows(task, path, content, grades)
    lines = NumberedLines(content)
    names = names_in(lines.first[1]) if lines.first else []
    if usual(names, "query") and usual(names, "document"):
        return "", read_rows(task, path, content, grades)
    return "", read_qrels(task, path, lines)


def whole_json(content: str, path: str) -> dict[str, Any] | None:
    """Returns the JSON object of a file, or None if it is not a single object."""
    found = json_or_none(content, file=path)
    return found if isinstance(found, dict) else None


def read_saved(task: Task, path: str, saved: dict[str, Any]) -> tuple[str, list[Entry]]:
    """Returns the judge and the judgments in a file that the offline page saved.

    Raises:
        DataError: the page was made for another task, or the file was changed.
    """
    if saved.get("task") != task.digest:
        raise DataError(say("collect", "other task", task=task.name), file=path)
    judge = word_in(saved.get("judge"))
    entries = []
    try:
        for number, each in enumerate(saved["judgments"], 1):
            place = place_of(task, each["query"], each["document"], path, number)
            grade, note, time = each["grade"], word_in(each.get("note")), word_in(each.get("time"))
            if type(grade) is not int:
                raise TypeError
            if len(note) > LONGEST_NOTE:
                raise DataError(say("server", "long note", most=LONGEST_NOTE), file=path, line=number)
            entries.append(Entry(number, place, JournalEntry(grade, time, note, judge)))
    except (KeyError, TypeError, AttributeError):
        raise DataError(say("collect", "no saved file"), file=path) from None
    return judge, entries


def read_rows(task: Task, path: str, content: str, grades: Mapping[int, str]) -> Iterator[Entry]:
    """Yields the judgments in a table in CSV, TSV or JSON lines, which may be a model's answers.

    Raises:
        DataError: a row without a pair of the task, or without a grade or an answer.
    """
    ids = {id_of(task.pairs[place]): place for place in task.open}
    names: list[str] = []
    roles: dict[str, str | None] = {}
    for line, row in rows_of_text(content, path):
        if names != list(row):  # most often those of the row before
            names = list(row)
            roles = {role: next(iter(usual(names, role)), None) for role in ("query", "grade", *DRAW)}
            roles["document"] = next((name for name in usual(names, "document") if name != "id"), None)
        query, document, grade = roles["query"], roles["document"], roles["grade"]
        if query is not None and document is not None:
            place = place_of(task, row[query], row[document], path, line)
        else:
            own = str(row.get("id", row.get("custom_id")))
            if own not in ids:
                raise DataError(say("collect", "no id", id=own, task=task.name), file=path, line=line)
            place = ids[own]
        if grade is not None and row[grade] not in (None, ""):
            rest = {name: word_in(row.get(name)) for name in ("time", "note", "judge")}
            if is_other_draw(task, place, row, roles, path, line):
                raise DataError(say("journal", "other draw", task=task.name), file=path, line=line)
            yield Entry(line, place, JournalEntry(number_in(row[grade], "grade", path, line), **rest))
            continue
        answer = next((row[name] for name in ANSWERS if name in row), None)
        if answer is not None:
            found = grade_in(str(answer), grades)
            yield Entry(line, place, None if found is None else JournalEntry(found))
        elif grade is None:
            raise DataError(say("collect", "no answer"), file=path, line=line)


def word_in(value: object) -> str:
    """Returns a field that may be missing as one line of text. A judge may be called 0."""
    return "" if value is None else one_line(str(value))


def is_other_draw(
    task: Task, place: int, row: Mapping[str, Any], roles: Mapping[str, str | None], path: str, line: int
) -> bool:
    """Returns whether a row contradicts the task about how its document was drawn."""
    chance, size = task.pairs[place].probability, len(task.pairs)
    for role, own in () if chance is None else zip(DRAW, (chance, size), strict=True):
        name = roles[role]
        if name is not None and abs(number_in(row[name], role, path, line) - own) > ROUNDING:
            return True
    return False


def read_qrels(task: Task, path: str, lines: NumberedLines) -> Iterator[Entry]:
    """Yields the judgments in qrels.

    Raises:
        DataError: a line that is not a judgment of the task.
    """
    for number, line in lines:
        fields = line.split()
        if len(fields) != 4:
            raise DataError(say("collect", "no kind"), file=path, line=number)
        place = place_of(task, fields[0], fields[2], path, number)
        yield Entry(number, place, JournalEntry(number_in(fields[3], "grade", path, number)))


def place_of(task: Task, query: object, document: object, path: str, line: int) -> int:
    """Returns the place of a pair.

    Raises:
        DataError: the pair is not in the task.
    """
    place = task.places.get((str(query).strip(), str(document).strip()))
    if place is None:
        words = {"query": str(query), "document": str(document), "task": task.name}
        raise DataError(say("journal", "other pair", **words), file=path, line=line)
    return place
