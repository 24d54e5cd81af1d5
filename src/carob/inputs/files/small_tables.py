"""Reads small tables row by row, with the position of each row: CSV, TSV, JSON lines, Parquet and Arrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from carob._cached import cached_property
from carob.inputs.errors import LINE_NOT_AN_OBJECT, refused
from carob.inputs.files.header import NumberedLines, head_of, names_in, rows_of, text_of
from carob.inputs.files.libraries import column_names, columnar_kind, frame_in
from carob.inputs.files.tool_scores import NAMES, ToolScores, is_prototext, kibana_scores, prototext_rows
from carob.inputs.sources import BYTE_ORDER_MARK, source_of
from carob.output.errors import DataError
from carob.output.parsing import json_or_none

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from carob.inputs.sources import Source


Row: TypeAlias = "tuple[dict[str, Any], Mapping[str, Any]]"
"""The place of a row (as the fields of an error) and its cells by column name."""


class SmallTable:
    """A table whose rows are read one by one, or the lines of a text without column names.

    Args:
        name: the file, or another name for the table in errors.
        text: the text of a file.
        frame: a data frame, instead of a text.
        columns: the column names of a file whose rows are not read; None for a text.
    """

    def __init__(
        self, name: str, text: str = "", frame: Any = None, columns: Sequence[str] | None = None
    ) -> None:
        self.name, self.lines, self.frame = name, NumberedLines(text), frame
        self.columns = columns if frame is None else list(frame.columns)

    @classmethod
    def at(cls, path: str) -> SmallTable:
        """Returns the table in a file, compressed or not, or at standard input (``-``).

        Raises:
            DataError: the file cannot be read, or is text that is not UTF-8.
        """
        return cls.of_source(source_of(path))

    @classmethod
    def of_source(cls, source: Source) -> SmallTable:
        """Returns the table in a source."""
        path = source.origin.path
        if path is not None and columnar_kind(source.start()):
            return cls(source.name, frame=frame_in(path))
        return cls(source.name, text_of(source))

    @classmethod
    def begun(cls, path: str) -> SmallTable:
        """Returns a table with only the column names or the first lines of a file. The last line may be incomplete.

        Raises:
            DataError: the file cannot be read.
        """
        return cls.with_head(path, head_of(path), path)

    @classmethod
    def begun_in(cls, source: Source) -> SmallTable:
        """Returns a table with only the column names or the first lines of a source, as ``begun`` does."""
        return cls.with_head(source.name, source.start(), source.origin.path)

    @classmethod
    def with_head(cls, name: str, head: bytes, path: str | None) -> SmallTable:
        """Returns a table from its first bytes and, if it is a file, its path."""
        if path is not None and columnar_kind(head):
            return cls(name, columns=column_names(path))
        return cls(name, head.removeprefix(BYTE_ORDER_MARK).decode("utf-8", "surrogateescape"))

    @classmethod
    def of(cls, frame: Any, name: str) -> SmallTable:
        """Returns the table of a data frame. A lazy frame is collected."""
        import narwhals as nw

        table = nw.from_native(frame)
        return cls(name, frame=table.collect() if isinstance(table, nw.LazyFrame) else table)

    @property
    def first(self) -> str:
        """The first line of text that is not blank, or an empty text."""
        return "" if self.lines.first is None else self.lines.first[1].lstrip()

    @property
    def has_objects(self) -> bool:
        """Whether the rows are JSON objects, each with its own field names."""
        return self.first.startswith(("{", "["))

    @cached_property
    def document(self) -> Any:
        """The value of the file if the whole file is one JSON value, otherwise None."""
        return json_or_none(self.lines.text, file=self.name) if self.has_objects else None

    @cached_property
    def of_tool(self) -> ToolScores | None:
        """The scores in the file if it was written by a tool that does not write tables, otherwise None.

        Raises:
            DataError: the file was written by such a tool, but cannot be read.
        """
        if self.is_prototext:
            return ToolScores(list(prototext_rows(self.lines.text, self.name)))
        return kibana_scores(self.lines, self.document, self.name) if self.has_objects else None

    @property
    def holds_tool(self) -> bool:
        """Whether the file was written by a tool that does not write tables, even if it cannot be read."""
        try:
            return self.of_tool is not None
        except DataError:
            return True

    @property
    def is_prototext(self) -> bool:
        """Whether the text is an evaluation of TIRA."""
        return self.columns is None and is_prototext(self.first)

    @property
    def names(self) -> list[str]:
        """The names of the columns. For JSON objects, these are the field names of the first object."""
        if self.columns is not None:
            return list(self.columns)
        if self.is_prototext:
            return [*NAMES]
        return list(next((row for _, row in self), ())) if self.has_objects else names_in(self.first)

    def __iter__(self) -> Iterator[Row]:
        """Iterates over the rows: for each, its place (as the fields of an error) and its cells by column.

        Raises:
            DataError: a row has a different number of columns, or is not a JSON object.
        """
        if self.frame is not None:
            rows = self.frame.iter_rows(named=True)
            return (({"file": self.name, "row": number}, cells) for number, cells in enumerate(rows))
        if self.of_tool is not None:
            return iter(self.of_tool.rows)
        return self.objects() if self.has_objects else rows_of(self.lines, self.name)

    def objects(self) -> Iterator[Row]:
        """Yields the place of each JSON object, and the object."""
        for line, text in self.lines:
            place: dict[str, Any] = {"file": self.name, "line": line}
            found = json_or_none(text, **place)
            if not isinstance(found, dict):
                raise refused(*LINE_NOT_AN_OBJECT, **place, found=text[:60])
            yield place, found
