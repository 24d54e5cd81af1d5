"""The file of judgments: each judgment is a line that is written to disk before the page reports it as saved.

A line is appended by a single write and an fsync. To withdraw or change a judgment, the whole file is atomically
replaced by a new one. If a line would span two memory pages, it is also written by replacing the file where possible,
because readers might otherwise see only the part on the first page. The file is always a valid table, or valid qrels,
that contains each pair at most once, so all commands and tools can read it while judges work.
"""

from __future__ import annotations

import contextlib
import csv
import io
import math
import os
import re
import stat
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from carob.inputs import ENDINGS, PACKED
from carob.inputs.columns import DRAW
from carob.inputs.errors import refused
from carob.inputs.judgment_tables import cells_written, judgment_columns
from carob.judging.file_lock import FileLock
from carob.output.errors import DataError
from carob.output.files import mode_of, new_file
from carob.output.parsing import number_of
from carob.output.taken import refuse_taken

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from typing_extensions import Self

    from carob.judging.task import Task


OTHER_DRAW = (
    "the probability or sample size of this document differs from that in {task}. Pass another file, or the table for "
    "which this file was created."
)
PAGE = 4096
"""The smallest page size in bytes. Linux copies a write page by page, so readers may see a partial write."""

QRELS = ["query", "0", "document", "grade"]
"""The columns of a line of qrels. The second column is always 0."""


class JournalEntry(NamedTuple):
    """A judge's grade of a document.

    Args:
        grade: the grade.
        time: the time in UTC; empty if unknown.
        note: a remark on one line, which may be empty.
        judge: the name of the judge, which may be empty.
    """

    grade: float
    time: str = ""
    note: str = ""
    judge: str = ""


def known_in(task: Task) -> dict[int, JournalEntry]:
    """Returns the grades that the task already contains, by place."""
    return {
        place: JournalEntry(each.grade) for place, each in enumerate(task.pairs) if each.grade is not None
    }


def one_line(text: str) -> str:
    """Collapses text to a single line that can be stored in a table.

    Example:
        >>> one_line(" two\\n lines\\x00 ")
        'two lines'
    """
    words = re.sub("[\x00-\x1f\x7f]", " ", text).split()
    return " ".join(words).encode("utf-8", "replace").decode()


# ---------------------------------------------------------------- the form of the file


class Form:
    """The format of a file of judgments: a CSV table, or qrels in TREC format.

    For a sample, a table also contains the probabilities and the number of documents in the sample, so part of a sample
    is never mistaken for the whole sample. It also contains the judge's name, the time, and a note. Qrels contain only
    the query, the document and the grade.

    Args:
        path: the file, whose extension determines its format.
        task: the pairs to judge.

    Raises:
        DataError: the extension matches neither format, or qrels cannot store the task.
    """

    def __init__(self, path: str, task: Task) -> None:
        ending = os.path.splitext(path)[1].lower()
        self.table = ending == ".csv"
        self.task = task
        self.columns = judgment_columns(sampled=task.sampled, remarks=True) if self.table else QRELS
        if self.table:
            return
        if ending in ENDINGS or ending in PACKED or ending in (".tsv", ".parquet", ".jsonl", ".json"):
            raise DataError(
                "judgments can only be written as a table (.csv) or as qrels (any name without the extension of a "
                "table or compressed file, such as .qrels or .txt). Choose another name.",
                file=path,
            )
        if task.sampled:
            raise DataError(
                "only a table can store the probabilities of a sample. Use a name that ends in .csv.",
                file=path,
            )
        for pair in task.pairs:
            if len(pair.query.split()) != 1 or len(pair.document.split()) != 1:
                raise DataError(
                    f"query '{pair.query}', document '{pair.document}': an id that contains white space cannot be "
                    "written as qrels. Use a name that ends in .csv.",
                    file=path,
                )

    @property
    def head(self) -> bytes:
        """The first line of a table; empty for qrels."""
        return line_of(self.columns) if self.table else b""

    def line(self, place: int, judgment: JournalEntry) -> bytes:
        """Returns the line for a judgment."""
        cells = cells_written(self.pair(place) | judgment._asdict() | {"0": "0"}, self.columns)
        return line_of(cells) if self.table else " ".join(cells).encode() + b"\n"

    def pair(self, place: int) -> dict[str, Any]:
        """Returns the task's values for a pair, by column."""
        return self.task.pairs[place]._asdict() | {"sample_size": len(self.task.pairs)}

    def draw(self, place: int) -> list[str]:
        """For a sample, returns a pair's probability and the number of all pairs as they are written to the file."""
        return cells_written(self.pair(place), [name for name in DRAW if name in self.columns])

    def read(self, lines: list[bytes], path: str) -> Iterator[tuple[int, int, JournalEntry]]:
        """Yields each line's number, the place of its pair, and its judgment.

        Raises:
            DataError: the first line differs, a line is not a judgment, a pair is not in the task, or a pair was drawn
                differently.
        """
        start = int(self.table)
        if start and lines and lines[0] != self.head:
            raise DataError(
                "the columns in the first line differ from the columns expected for these judgments "
                f"({','.join(self.columns)}). Pass another file.",
                file=path,
                line=1,
            )
        for number, line in enumerate(lines[start:], start + 1):
            found = self.fields(line)
            if found is None:
                raise DataError(
                    "the line is not a judgment. Correct it, or pass another file.", file=path, line=number
                )
            (query, document), judgment, draw = found
            place = self.task.places.get((query, document))
            if place is None:
                raise other_pair(query, document, self.task).at(file=path, line=number)
            if draw != self.draw(place):
                raise refused(OTHER_DRAW, task=self.task.name, file=path, line=number)
            yield number, place, judgment

    def fields(self, line: bytes) -> tuple[tuple[str, str], JournalEntry, list[str]] | None:
        """Returns the pair, the judgment and the sampling fields of a line, or None if the line is not a judgment."""
        try:
            text = line.decode()
            row = next(csv.reader([text], strict=True)) if self.table else text.split()
            named = dict(zip(self.columns, row, strict=True))
            grade = number_of(named["grade"])
        except (ValueError, csv.Error, StopIteration):
            return None
        if grade is None or not math.isfinite(grade):
            return None
        rest = {name: named.get(name, "") for name in ("time", "note", "judge")}
        draw = [named[name] for name in DRAW if name in named]
        return (named["query"], named["document"]), JournalEntry(grade, **rest), draw


def line_of(fields: list[str]) -> bytes:
    """Formats fields as a line of a CSV table."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(fields)
    return text.getvalue().encode()


def other_pair(query: str, document: str, task: Task) -> DataError:
    """Returns the error for a judgment of a pair that is not in the task."""
    return DataError(
        f"query '{query}' and document '{document}' are not in {task.name}. Pass another file, or the table "
        "that this file was made for."
    )


# ---------------------------------------------------------------- the file


class Journal:
    """A file of one judge's judgments. Until ``close``, only this process writes it.

    Args:
        path: the file. New judgments are appended if it exists.
        task: the pairs to judge.
        judge: the name of the judge, which may be empty.

    Raises:
        DataError: another process is writing the file, the file has several names (hard links) or other content, or it
            cannot be written.
    """

    def __init__(self, path: str, task: Task, judge: str = "") -> None:
        self.path, self.judge = os.path.realpath(path), judge
        # A fixed name is safe because of the lock, and lets the next process remove what a killed process left.
        self.part = os.path.join(os.path.dirname(self.path), f".{os.path.basename(self.path)}.part")
        self.form = Form(self.path, task)
        self.judgments: dict[int, JournalEntry] = {}
        self.repaired, self.broken, self.file = "", False, -1
        refuse_taken(self.path)
        self.lock = FileLock(self.path)
        try:
            self.start(task)
        except BaseException:
            self.lock.release()
            raise

    def start(self, task: Task) -> None:
        """Reads or creates the file, and adds any missing grades that the task already contains."""
        known = known_in(task)
        try:
            found = os.stat(self.path)
        except FileNotFoundError:
            self.replace(known)
            return
        if not stat.S_ISREG(found.st_mode):
            raise DataError("this is not a regular file. Pass another path.", file=self.path)
        if found.st_nlink > 1:  # the other names would be neither locked nor replaced
            raise DataError(
                f"this file has {found.st_nlink} names (hard links), and changes might not reach all of these names. "
                "Use a file with a single name: copy the file, or remove the other names.",
                file=self.path,
            )
        self.tidy()
        self.open()
        try:
            self.read()
        except BaseException:
            self.shut()
            raise
        if not known.keys() <= self.judgments.keys() or not self.size:
            self.shut()
            self.replace({**known, **self.judgments})

    def open(self) -> None:
        """Opens the file for appending."""
        try:
            self.file = os.open(self.path, os.O_RDWR | os.O_APPEND | getattr(os, "O_BINARY", 0))
        except OSError as error:
            raise self.unwritten(error) from None
        self.state = os.fstat(self.file)
        self.size = self.state.st_size

    def read(self) -> None:
        """Reads the judgments. Ends a complete last line with a line feed, and removes an incomplete last line."""
        with open(self.path, "rb") as file:
            content = file.read()
        whole = content[: content.rfind(b"\n") + 1]
        part = content[len(whole) :]
        complete = bool(part) and (whole != b"" or not self.form.table) and self.form.fields(part) is not None
        self.judgments = {}
        lines = split_lines(whole + part + b"\n" if complete else whole)
        for number, place, judgment in self.form.read(lines, self.path):
            if judgment.judge and judgment.judge != self.judge:
                raise DataError(
                    f"this judgment is by the judge '{judgment.judge}', not by '{self.judge}'. Use a separate "
                    "file for each judge.",
                    file=self.path,
                    line=number,
                )
            if place in self.judgments:
                pair = self.form.task.pairs[place]
                raise DataError(
                    f"query '{pair.query}' and document '{pair.document}' are judged twice. Remove one of the "
                    "judgments.",
                    file=self.path,
                    line=number,
                )
            self.judgments[place] = judgment
        if complete:
            self.repaired = "the last line was incomplete, and has been completed."
            self.append(b"\n")
        elif part:
            self.repaired = (
                "the last line was incomplete because a write was interrupted. The line, which had not been confirmed "
                "to the judge, was removed."
            )
            self.cut(len(whole))

    def add(self, place: int, judgment: JournalEntry) -> None:
        """Adds a judgment for a pair without one, and returns after the judgment is written to disk.

        Raises:
            DataError: the file cannot be written, or another program changed it. The judgment is then not in the file.
        """
        self.refuse_changed()
        line = self.form.line(place, judgment)
        if self.size // PAGE != (self.size + len(line) - 1) // PAGE:
            # The replacement fails if the folder is not writable.
            with contextlib.suppress(DataError):
                self.rewrite({**self.judgments, place: judgment})
            if place in self.judgments:
                return
            self.refuse_changed()
        self.append(line)
        self.judgments[place] = judgment

    def append(self, line: bytes) -> None:
        """Appends a line in a single write, and returns after it is on disk. On failure, no part of it remains."""
        try:
            if os.write(self.file, line) < len(line):
                raise OSError(0, "the disk is full")
            os.fsync(self.file)
            self.state = os.fstat(self.file)
        except OSError as error:
            self.cut(self.size)
            raise self.unwritten(error) from None
        self.size += len(line)

    def change(self, place: int, judgment: JournalEntry | None) -> None:
        """Replaces or withdraws a judgment, and returns after the new file is written to disk.

        Raises:
            DataError: the file cannot be written, or another program changed it. The file is then unchanged.
        """
        self.refuse_changed()
        rest = {key: each for key, each in self.judgments.items() if key != place}
        self.rewrite(rest if judgment is None else {**rest, place: judgment})

    def rewrite(self, judgments: Mapping[int, JournalEntry]) -> None:
        """Replaces the open file. On failure, reopens the old file; if that fails too, refuses further writes."""
        self.shut()  # Windows cannot replace an open file
        try:
            self.replace(judgments)
        except BaseException:
            try:
                self.open()
            except DataError:
                self.broken = True
            raise

    def replace(self, judgments: Mapping[int, JournalEntry]) -> None:
        """Replaces the file with a new one that contains these judgments, and opens it."""
        lines = [self.form.line(place, each) for place, each in judgments.items()]
        try:
            self.tidy()
            with new_file(self.part, mode_of(self.path)) as file:
                file.write(b"".join([self.form.head, *lines]))
            os.replace(self.part, self.path)
        except OSError as error:
            raise self.unwritten(error) from None
        settle(os.path.dirname(self.path))
        self.judgments = dict(judgments)
        self.open()

    def tidy(self) -> None:
        """Removes the partial new file that an interrupted process left behind."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.part)

    def cut(self, size: int) -> None:
        """Truncates the file to ``size`` bytes. If that fails, all further writes are refused."""
        try:
            os.ftruncate(self.file, size)
            os.fsync(self.file)
            self.state = os.fstat(self.file)
            self.size = size
        except OSError:
            self.broken = True

    def refuse_changed(self) -> None:
        """Refuses to write a file that another program has changed.

        Raises:
            DataError: another program changed the file, or the file could not be repaired after an error.
        """
        if self.broken:
            raise DataError(
                f"{self.path} could not be repaired after an error, so no more judgments are written. Restart carob "
                "judge."
            )
        try:
            now = os.stat(self.path)
            same = os.path.samestat(now, self.state) and now.st_size == self.size
            # Windows may update the modification time of an open file with a delay.
            same = same and (sys.platform == "win32" or now.st_mtime_ns == self.state.st_mtime_ns)
        except OSError:
            same = False
        if not same:
            raise DataError(
                f"{self.path} was changed by another program, so nothing was written. Restart carob judge."
            )

    def unwritten(self, error: OSError) -> DataError:
        """Returns the error for a file that cannot be written."""
        return DataError(f"Cannot write {self.path}: {error.strerror or error}.")

    def shut(self) -> None:
        """Closes the file."""
        if self.file >= 0:
            os.close(self.file)
        self.file = -1

    def close(self) -> None:
        """Closes the file and releases its lock."""
        self.shut()
        self.lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def split_lines(content: bytes) -> list[bytes]:
    """Splits content into lines at line feeds only, as the file is written, and keeps the line feeds."""
    return [line + b"\n" for line in content.split(b"\n")[:-1]]


def settle(folder: str) -> None:
    """Waits until the folder's entries are written to disk, if the system supports it."""
    with contextlib.suppress(OSError):
        file = os.open(folder or ".", os.O_RDONLY)
        try:
            os.fsync(file)
        finally:
            os.close(file)
