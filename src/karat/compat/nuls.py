"""Text with NUL bytes as trec_eval reads it: one at the start of a line ends the text, any other ends its field."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any, TypeVar

from karat import _native

if TYPE_CHECKING:
    from collections.abc import Callable

    from karat.inputs.sources import Source

__all__ = ["as_c_reads"]

Read = TypeVar("Read")

END = re.compile(rb"^\0", re.MULTILINE)
TAIL = re.compile(rb"\0[^ \t\n\v\f\r]*")


def as_c_reads(source: Source, read: Callable[[Any], Read]) -> Read:
    """What ``read`` makes of a text; of one with NUL bytes, of what C sees of it, which standard error is told.

    trec_eval counts its lines up to the first NUL, so what it does behind one within a line is left to its luck.

    Raises:
        LineError: as ``read`` does.
    """
    try:
        return read(source.from_start())
    except _native.LineError as error:
        if error.kind != "nul":
            raise
        line = error.line
    content = source.content()
    end = END.search(content)
    seen = content if end is None else content[: end.start()]
    says = f"{source.name}, line {line}: a NUL byte, at which C's functions end a text."
    if end is not None:
        lines, rest = seen.count(b"\n"), content.count(b"\n", end.start())
        says += f" As in trec_eval the file ends with line {lines}; {rest} lines behind it are not read."
    sys.stderr.write(f"karat trec-eval: {says}\n")
    return read(TAIL.sub(b"", seen))
