"""Collects judgments from files saved by the offline page or ``carob judge``, and from a model's answers."""

from __future__ import annotations

import os
from dataclasses import field
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

from carob._dataclasses import dataclass
from carob.inputs.columns import DRAW, first_usual
from carob.inputs.errors import refused
from carob.inputs.files.small_tables import SmallTable
from carob.inputs.judgment_tables import COLUMNS, REMARKS, is_empty, number_in
from carob.judging.journal import OTHER_DRAW, Form, JournalEntry, known_in, one_line, other_pair
from carob.judging.prompts import grade_in
from carob.judging.session import LONG_NOTE, LONGEST_NOTE
from carob.judging.task import id_of
from carob.output.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from carob.judging.task import Task

ANSWERS = ("answer", "response", "output", "content")
"""The usual names of the field that contains a model's answer."""
NO_CLEAR_GRADES = (
    "{count:answer has/answers have} no clear grade: {lines}. Ask the model for these answers again, or leave them "
    "out with --lenient."
)
NO_CLEAR_GRADES_OF_SAMPLE = (
    "{count:answer has/answers have} no clear grade: {lines}. Ask the model for these answers again, since an "
    "incomplete sample gives biased estimates."
)
ROUNDING = 1e-8
"""The rounding error allowed for a probability in a table."""
RULES: dict[str, Callable[[list[JournalEntry]], float] | None] = {
    "refuse": None,
    "first": lambda given: given[0].grade,
    "mean": lambda given: fmean(each.grade for each in given),
    "lowest": lambda given: min(each.grade for each in given),
    "highest": lambda given: max(each.grade for each in given),
}
"""The rules for combining different grades from several judges into one grade."""


class Entry(NamedTuple):
    """A judgment in a file.

    Args:
        where: the file and the line or row, or the number of the judgment in a file of the offline page.
        place: the place of the pair in the task.
        judgment: the judgment; None if an answer has no clear grade.
    """

    where: dict[str, Any]
    place: int
    judgment: JournalEntry | None


@dataclass(eq=False)
class Collected:
    """Judgments from several files.

    Args:
        task: the pairs to judge.
        by_judge: the judgments of each judge, by place. The file name identifies a judge without a name.
        failed: the file and the line or row of each model's answer without a clear grade.
    """

    task: Task
    by_judge: dict[str, dict[int, JournalEntry]] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)

    def merged(self, rule: str) -> dict[int, JournalEntry]:
        """Returns one judgment for each judged pair.

        Args:
            rule: what to do if judges disagree: a key of ``RULES``.

        Raises:
            DataError: judges disagree, and the rule is ``refuse``.
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
                raise refused(
                    "judges gave different grades to {count:document}, such as query '{pair.query}', document "
                    "'{pair.document}' ({judges}). Choose with --disagreement how to combine these grades, or collect "
                    "each judge's file separately and compare the files with carob agreement.",
                    count=len(self.different),
                    pair=pair,
                    judges=", ".join(names),
                )
            else:
                judges = "+".join(dict.fromkeys(each.judge for each in given if each.judge))
                notes = " / ".join(each.note for each in given if each.note)
                found[place] = JournalEntry(one_of(given), max(each.time for each in given), notes, judges)
        return found

    @property
    def different(self) -> list[int]:
        """The places of the pairs that received different grades from different judges."""
        return [
            place
            for place in range(len(self.task.pairs))
            if len({its[place].grade for its in self.by_judge.values() if place in its}) > 1
        ]

    def content(self, path: str, judgments: Mapping[int, JournalEntry]) -> bytes:
        """Returns the content of a file with these judgments and the grades that the task already contains.

        Raises:
            DataError: the file format that ``path`` implies cannot store them.
        """
        form = Form(path, self.task)
        rows = {**known_in(self.task), **judgments}
        return b"".join([form.head, *(form.line(place, rows[place]) for place in sorted(rows))])


def collected(
    task: Task, paths: Sequence[str], grades: Mapping[int, str], *, lenient: bool = False
) -> Collected:
    """Reads the judgments of a task from files.

    Args:
        task: the pairs to judge.
        paths: files saved by the offline page, tables or qrels written by ``carob judge``, or a model's answers as JSON
            lines that contain ``id`` (or ``query`` and ``document``) and ``answer`` (or ``grade``).
        grades: the allowed grades.
        lenient: whether to leave out answers without a clear grade.

    Raises:
        DataError: a file is empty, has none of these formats or belongs to another task; a grade is not allowed; a
            judge gave a document two different grades; an answer has no clear grade; or there is no grade at all.
    """
    found = Collected(task)
    refuse_twice(paths)
    for table in map(SmallTable.at, paths):
        judge, entries = judgments_in(task, table, grades)
        count, failed = 0, set()
        for entry in entries:
            count += 1
            if entry.judgment is None:
                if entry.place not in failed:  # at most one judgment per pair, however long the file is
                    file, *rest = entry.where.items()
                    found.failed.append(" ".join([file[1], *(f"{key} {value}" for key, value in rest)]))
                failed.add(entry.place)
                continue
            take(found, entry, judge or table.name, grades)
        if not count:
            raise DataError(
                "the file is empty: it contains neither judgments nor answers. Pass another file.",
                file=table.name,
            )
    if found.failed and not lenient:
        lines = ", ".join(found.failed[:20])
        more = " …" if len(found.failed) > 20 else ""
        raise refused(
            NO_CLEAR_GRADES_OF_SAMPLE if task.sampled else NO_CLEAR_GRADES,
            count=len(found.failed),
            lines=lines + more,
        )
    if not any(found.by_judge.values()):
        raise DataError("no file contains a grade for a document of the table, so nothing was written.")
    return found


def refuse_twice(paths: Sequence[str]) -> None:
    """Refuses a file that is passed twice, even under two names, because its judge would count as two judges.

    Raises:
        DataError: a file is passed twice.
    """
    seen: dict[tuple[int, int], int] = {}
    for place, path in enumerate(paths):
        try:
            found = os.stat(path)
        except (OSError, ValueError):
            continue  # reading the file will report the error
        first = seen.setdefault((found.st_dev, found.st_ino), place)
        if first != place:
            raise DataError(
                f"this file was passed twice: it is the same file as {paths[first]}. Pass each file only once.",
                file=path,
            )


def take(found: Collected, entry: Entry, judge: str, grades: Mapping[int, str]) -> None:
    """Adds a judgment, unless the task already contains the pair's grade.

    Raises:
        DataError: the grade is not allowed, or it differs from the task's grade or from an earlier grade by the same
            judge.
    """
    where, place, judgment = entry
    assert judgment is not None
    pair = found.task.pairs[place]
    subject = f"query '{pair.query}', document '{pair.document}'"
    if pair.grade is not None:
        if judgment.grade != pair.grade:
            raise DataError(
                f"{subject} already has the grade {pair.grade:g} in {found.task.name}. Use this grade, or leave the "
                "grade empty.",
                **where,
            )
        return
    if judgment.grade not in grades:
        known = ", ".join(map(str, grades))
        raise DataError(
            f"the grade {judgment.grade:g} is not one of {known}. Correct it, or list all possible grades with "
            "--grades.",
            **where,
        )
    judge = judgment.judge or judge
    old = found.by_judge.setdefault(judge, {}).setdefault(place, judgment)
    if old.grade != judgment.grade:
        raise DataError(
            f"the judge '{judge}' gave {subject} the grades {old.grade:g} and {judgment.grade:g}. Remove one.",
            **where,
        )
    found.by_judge[judge][place] = judgment


# ---------------------------------------------------------------- the kinds of files


def judgments_in(task: Task, table: SmallTable, grades: Mapping[int, str]) -> tuple[str, Iterable[Entry]]:
    """Returns the name of the judge, which may be empty, and an iterable over the judgments in a file.

    Raises:
        DataError: the format of the file is unknown, or the file belongs to another task.
    """
    saved = table.document
    if isinstance(saved, dict) and saved.get("carob") == "judgments":
        return read_saved(task, table.name, saved)
    if table.has_objects or len(first_usual(table.names, ("query", "document"))) == 2:
        return "", read_rows(task, table, grades)
    return "", read_qrels(task, table)


def read_saved(task: Task, path: str, saved: dict[str, Any]) -> tuple[str, list[Entry]]:
    """Returns the judge and the judgments from a file that the offline page saved.

    Raises:
        DataError: the page was made for another task, or the file was changed.
    """
    if saved.get("task") != task.digest:
        raise DataError(
            f"this file was saved by a page for different documents from those in {task.name}. Pass the "
            "table from which the page was made.",
            file=path,
        )
    judge = word_in(saved.get("judge"))
    entries = []
    try:
        for number, each in enumerate(saved["judgments"], 1):
            where: dict[str, Any] = {"file": path, "line": number}
            place = place_of(task, each["query"], each["document"], where)
            grade, note, time = each["grade"], word_in(each.get("note")), word_in(each.get("time"))
            if type(grade) is not int:
                raise TypeError
            if len(note) > LONGEST_NOTE:
                raise DataError(LONG_NOTE, **where)
            entries.append(Entry(where, place, JournalEntry(grade, time, note, judge)))
    except (KeyError, TypeError, AttributeError):
        raise DataError(
            "the file was saved by a judging page, but has been changed since then. Save it again from the page.",
            file=path,
        ) from None
    return judge, entries


def read_rows(task: Task, table: SmallTable, grades: Mapping[int, str]) -> Iterator[Entry]:
    """Yields the judgments in a table, which may be a model's answers.

    Raises:
        DataError: a row does not contain a pair of the task, or contains neither a grade nor an answer.
    """
    ids = {id_of(task.pairs[place]): place for place in task.open}
    wanted = (*COLUMNS, *(DRAW if task.sampled else ()))
    names: list[str] = []
    roles: dict[str, str] = {}
    for where, row in table:
        if names != list(row):  # usually the same as in the previous row
            names = list(row)
            roles = first_usual([name for name in names if name != "id"], wanted)
        own = str(row.get("id", row.get("custom_id")))
        if {"query", "document"} <= roles.keys():
            place = place_of(task, row[roles["query"]], row[roles["document"]], where)
        elif own in ids:
            place = ids[own]
        else:
            raise DataError(
                f"the id '{own}' does not belong to a prompt for {task.name}. Pass the table from which the prompts "
                "were made.",
                **where,
            )
        answer = next((row[name] for name in ANSWERS if name in row), None)
        if "grade" in roles and not is_empty(row[roles["grade"]]):
            rest = {name: word_in(row.get(name)) for name in REMARKS}
            grade = number_in(row[roles["grade"]], "grade", where)
            if is_other_draw(task, place, row, roles, where):
                raise refused(OTHER_DRAW, task=task.name, **where)
            yield Entry(where, place, JournalEntry(grade, **rest))
        elif answer is not None:
            found = grade_in(str(answer), grades)
            yield Entry(where, place, None if found is None else JournalEntry(found))
        elif "grade" not in roles:
            raise DataError(
                "the line contains neither an answer nor a grade. Write it in a field named 'answer' or 'grade'.",
                **where,
            )


def word_in(value: object) -> str:
    """Converts a field, which may be missing, to one line of text. A judge named 0 is not an empty value."""
    return "" if value is None else one_line(str(value))


def is_other_draw(
    task: Task, place: int, row: Mapping[str, Any], roles: Mapping[str, str], where: Mapping[str, Any]
) -> bool:
    """Returns whether a row's probability or sample size differs from the task's."""
    drawn = zip(DRAW, (task.pairs[place].probability or 0.0, len(task.pairs)), strict=True)
    return any(
        abs(number_in(row[roles[role]], role, where) - own) > ROUNDING for role, own in drawn if role in roles
    )


def read_qrels(task: Task, table: SmallTable) -> Iterator[Entry]:
    """Yields the judgments in qrels.

    Raises:
        DataError: a line is not a judgment, or its pair is not in the task.
    """
    for number, line in table.lines:
        where: dict[str, Any] = {"file": table.name, "line": number}
        fields = line.split()
        if len(fields) != 4:
            raise DataError(
                "the line is neither a judgment in a table or in qrels, nor a line saved by a judging page.",
                **where,
            )
        place = place_of(task, fields[0], fields[2], where)
        yield Entry(where, place, JournalEntry(number_in(fields[3], "grade", where)))


def place_of(task: Task, query: object, document: object, where: Mapping[str, Any]) -> int:
    """Returns the place of a pair in the task.

    Raises:
        DataError: the pair is not in the task.
    """
    place = task.places.get((str(query).strip(), str(document).strip()))
    if place is None:
        raise other_pair(str(query), str(document), task).at(**where)
    return place
