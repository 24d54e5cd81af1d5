"""The common forms of results: a plain dict, JSON, and tables of records as CSV and data frames.

An undefined number (NaN or infinite) becomes None in a dict, null in JSON, and an empty cell in CSV. In a data frame it
stays a floating-point number, so the column stays numeric.
"""

from __future__ import annotations

import math
from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from carob.output import escaping
from carob.output.errors import DataError, Doubt, did_you_mean, refuse_other
from carob.output.layout import Display

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from carob.output.frames import DataFrame
    from carob.output.pictures.figures import Drawing

DELIMITERS = (",", "\t", ";", "|")
ENDS = ("low", "high")


class Records(NamedTuple):
    """Rows of data with named columns, from which CSV and data frames are made.

    Args:
        names: the names of the columns.
        rows: the values of each row.
        written: how CSV formats the numbers of a column, if not in full precision.
    """

    names: Sequence[str]
    rows: Sequence[Sequence[Any]]
    written: Mapping[str, Callable[[Any], str]] = {}

    @classmethod
    def of(
        cls,
        kind: type,
        found: Iterable[Any],
        first: Sequence[str] = (),
        *,
        without: Collection[str] = (),
        estimates: Collection[str] = (),
    ) -> Records:
        """Returns records whose columns are the fields of a data class, even if there are no rows.

        Args:
            kind: the data class.
            found: an object for each row or, if there are first columns, their values followed by the object.
            first: the names of the first columns.
            without: the fields that are not columns.
            estimates: the fields that contain an estimate, which becomes separate columns for its value and its
                interval.

        Example:
            >>> from carob._dataclasses import dataclass
            >>> from carob.output.results import Records
            >>> @dataclass(frozen=True)
            ... class Mean:
            ...     run: str
            ...     value: float
            >>> Records.of(Mean, [("AP", Mean("bm25", 0.5))], ["measure"]).columns()
            {'measure': ['AP'], 'run': ['bm25'], 'value': [0.5]}
            >>> Records.of(Mean, []).columns()
            {'run': [], 'value': []}
        """
        own = [each.name for each in fields(kind) if each.name not in without]
        names = [part for name in own for part in (spread(name) if name in estimates else [name])]

        def cells(record: Any) -> list[Any]:
            row: list[Any] = []
            for name in own:
                value = getattr(record, name)
                row += (
                    [getattr(value, each, None) for each in ("value", *ENDS)]
                    if name in estimates
                    else [value]
                )
            return row

        rows = found if first else zip(found)
        return cls([*first, *names], [[*row[: len(first)], *cells(row[-1])] for row in rows])

    def without_empty(self, kind: type) -> Records:
        """Returns the records without columns that are optional in the data class and empty in every row."""
        optional = {each.name for each in fields(kind) if each.default is None}
        kept = [
            place
            for place, name in enumerate(self.names)
            if name not in optional or any(row[place] is not None for row in self.rows)
        ]
        return Records(
            [self.names[place] for place in kept], [[row[place] for place in kept] for row in self.rows]
        )

    def columns(self) -> dict[str, list[Any]]:
        """Returns the values of each column by name."""
        return {name: [row[place] for row in self.rows] for place, name in enumerate(self.names)}

    def separated(self, delimiter: str = ",") -> str:
        """Returns CSV, with numbers in full precision. Undefined or absent values are empty cells.

        Raises:
            PolicyError: the delimiter is not allowed.
        """
        refuse_other("delimiter", delimiter, DELIMITERS)
        writers = [self.written.get(name, str) for name in self.names]
        rows = [
            [write(value) if is_defined(value) else "" for write, value in zip(writers, row, strict=True)]
            for row in self.rows
        ]
        return escaping.separated([self.names, *rows], delimiter)


def spread(name: str) -> list[str]:
    """Returns the columns of an estimate: its value and the ends of its interval."""
    return [name, *(f"{name}_{end}" for end in ENDS)]


def is_defined(value: Any) -> bool:
    """Returns whether there is a value and, if it is a number, whether it is finite."""
    return value is not None and not (isinstance(value, float) and not math.isfinite(value))


def as_warning(said: Any) -> Any:
    """Returns a warning for JSON: its kind, the indices of the runs it concerns, its sentence and its numbers.

    Args:
        said: the warning, or just its sentence.
    """
    if not isinstance(said, str):
        return said
    kind = said.sign if isinstance(said, Doubt) else "doubt"
    return {"kind": kind, "runs": [], "sentence": said, "numbers": {}}


class Result(Display):
    """A mixin that gives results as a dict and as JSON, and their tables of records as CSV and data frames.

    A result defines ``records``, and also ``contents`` and ``beside`` if they contain more than its fields. A class
    that shares the JSON of another class sets ``KIND`` to the name of that class. ``VERSION`` increases when a field of
    the JSON is removed or changes its type or meaning, but not when a field is added.
    """

    KIND: ClassVar[str] = ""
    VERSION: ClassVar[int] = 1

    @classmethod
    def versioned(cls, contents: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the content for JSON, after the name and version of its schema, which ``carob schema`` prints."""
        told = {"warnings": [*map(as_warning, contents["warnings"])]} if "warnings" in contents else {}
        return {"schema": f"{cls.KIND or cls.__name__}/{cls.VERSION}", **contents, **told}

    def contents(self) -> dict[str, Any]:
        """Returns everything by name: by default, the fields. Values may be undefined numbers, objects or arrays."""
        own: Any = self
        return {each.name: getattr(self, each.name) for each in fields(own)}

    def records(self) -> dict[str, Callable[[], Records]]:
        """Returns the functions that make the tables of records, by table name. The first is the default."""
        raise NotImplementedError

    def beside(self) -> list[str]:
        """Returns the notes on the data that do not fit in CSV; by default, warnings and footers."""
        return [*getattr(self, "warnings", ()), *getattr(self, "footers", ())]

    def figures(self) -> dict[str, Drawing]:
        """Returns the functions that draw the figures, by figure name. The first is the default."""
        return {}

    def to_figure(self, kind: str | None = None) -> Any:
        """Returns a matplotlib figure, which ``to_figure().savefig("figure.pdf")`` writes to a file.

        Args:
            kind: the name of the figure; the first of ``figures()`` if None.

        Raises:
            DataError: matplotlib is not installed, or there is no such figure.
        """
        from carob.output.pictures.figures import figure_of

        return figure_of(self.figures(), kind)

    def to(self, layout: str) -> str:
        """Returns the result for a reader in the named format, such as ``markdown``.

        Args:
            layout: the name of the format.

        Raises:
            PolicyError: there is no format with this name.
        """
        raise NotImplementedError

    def to_markdown(self) -> str:
        """Returns Markdown for a page or a comment."""
        return self.to("markdown")

    def to_latex(self) -> str:
        """Returns LaTeX without a preamble. The tables need the package booktabs."""
        return self.to("latex")

    def to_html(self) -> str:
        """Returns a self-contained page, light or dark as the browser prefers."""
        return self.to("html")

    def as_dict(self) -> dict[str, Any]:
        """Returns everything as plain dicts, lists, text and numbers. Undefined numbers are None."""
        found: dict[str, Any] = escaping.defined(self.versioned(self.contents()))
        return found

    def to_json(self) -> str:
        """Returns everything as JSON, with numbers in full precision and undefined numbers as null."""
        return escaping.json_text(self.versioned(self.contents())) + "\n"

    def recorded(self, what: str | None = None) -> Records:
        """Returns a table of records.

        Args:
            what: the name of the table; the default table if None.

        Raises:
            DataError: there is no such table.
        """
        known = self.records()
        if what is not None and what not in known:
            hint = did_you_mean(what, known, f"The choices are {', '.join(known)}.")
            raise DataError(f"There is no table '{what}'. {hint}")
        return known[what or next(iter(known))]()

    def to_csv(self, what: str | None = None, delimiter: str = ",") -> str:
        """Returns a table of the result as CSV, with numbers in full precision and undefined numbers as empty cells.

        Args:
            what: the name of the table, a key of ``records()``; None for the default table.
            delimiter: a comma, a tab for TSV, a semicolon or a bar.

        Raises:
            DataError: there is no such table.
            PolicyError: the delimiter is not allowed.
        """
        return self.recorded(what).separated(delimiter)

    def to_frame(self, what: str | None = None, backend: str | None = None) -> DataFrame:
        """Returns a table of the result as a data frame.

        Args:
            what: the table, as in ``to_csv``. If the name of a library is passed instead, as in ``to_frame("polars")``,
                that library's frame of the default table is returned.
            backend: ``pandas``, ``polars``, ``pyarrow`` …; if None, the first of these that is installed.

        Raises:
            DataError: there is no such table or library, or no data frame library is installed.
        """
        from carob.output.frames import FRAMES, frame_of

        if what in FRAMES and backend is None:
            what, backend = None, what
        return frame_of(self.recorded(what).columns(), backend)
