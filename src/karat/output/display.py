"""Display of results in a prompt and in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.output.escaping import html
from karat.output.tables import lay_out

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Display", "html_table"]

MOST_LINES = 60
"""Longer texts are cut in a prompt: a cell of a notebook that ends in a result is no request for a book."""


class Display:
    """Results whose display is their text, or in a notebook their tables.

    Example:
        >>> import karat
        >>> karat.evaluate({"q": {"a": 1}}, {"q": {"a": 2.0}}, "RR")
        run      RR
        run  1.0000
        1 query · policy trec
    """

    def __repr__(self) -> str:
        """The text, cut where it is long; ``print`` shows all of it."""
        lines = str(self).rstrip("\n").split("\n")
        if len(lines) > MOST_LINES:
            left = len(lines) - MOST_LINES + 1
            lines = [*lines[: MOST_LINES - 1], f"… {left} more lines: print() shows them"]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """The same for a notebook, escaped."""
        lines = "\n".join(map(html, repr(self).split("\n")))
        return f"<pre>{lines}</pre>\n"


def html_table(
    header: Sequence[str], rows: Sequence[Sequence[str]], names: Sequence[int], *lines: str, head: str = ""
) -> str:
    """A table for a notebook, cut where it is long, and the lines under it, all escaped.

    Args:
        header: the columns' titles.
        rows: the cells.
        names: which columns hold names and not numbers.
        lines: the lines under it.
        head: the line above it.
    """
    kept = rows if len(rows) <= MOST_LINES else rows[: MOST_LINES - 1]
    said = [f"… {len(rows) - len(kept)} more rows"] if len(kept) < len(rows) else []
    above = f"<p>{html(head)}</p>\n" if head else ""
    under = "".join(f"<p>{html(each)}</p>\n" for each in (*said, *lines) if each)
    return f"{above}{lay_out('html', header, kept, names)}{under}"
