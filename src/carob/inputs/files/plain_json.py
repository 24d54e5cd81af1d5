"""Reads runs in plain JSON as lines of TREC text. The kernel converts them block by block."""

from __future__ import annotations

from typing import TYPE_CHECKING

from carob import _native
from carob._dataclasses import dataclass
from carob.inputs.decompression import Cursor, unpacked
from carob.inputs.errors import refused, sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

AT_ONCE = 2**20
"""The number of bytes that are read at once."""


@dataclass(frozen=True)
class PlainJson:
    """The handle of a source of TREC text that is made from a JSON file each time it is read.

    Args:
        path: the file, which may be compressed.
        form: ``lines``, a ``list`` of rows, or an ``object`` ``{query: {document: score}}``.
        names: the members of each row that contain the query, the document, the score and, optionally, the rank.
        others: the other members that the rows may have.
    """

    path: str
    form: str
    names: tuple[bytes, ...]
    others: tuple[bytes, ...] = ()

    @classmethod
    def of(cls, path: str, form: str, names: Iterable[str], others: Iterable[str]) -> PlainJson:
        """Returns the handle for a file, with the names of the members encoded as bytes."""
        members = (tuple(each.encode("utf-8", "surrogatepass") for each in some) for some in (names, others))
        return cls(path, form, *members)

    def __call__(self) -> Cursor:
        """Returns a cursor at the first byte of the text."""
        return Cursor(self.blocks, is_slow=True)

    def blocks(self) -> Iterator[bytes]:
        """Yields the lines made from each block.

        Raises:
            DataError: the file has changed and is no longer plain JSON.
        """
        for lines in self.made():
            if lines is None:
                raise refused(
                    "the file changed while it was read.",
                    "Read it again once it is complete.",
                    file=self.path,
                )
            yield lines

    def made(self) -> Iterator[bytes | None]:
        """Yields the lines made from each block. Where the file is not plain JSON, it yields None and stops."""
        reader = _native.PlainJson(self.form, list(self.names), list(self.others))
        with unpacked(self.path) as file:
            is_read = False
            while not is_read:
                block = file.read(AT_ONCE)
                lines = reader.take(block)
                is_read = not block or lines is None
                if lines != b"":
                    yield lines

    def is_plain(self) -> bool:
        """Returns whether the kernel can read the whole file.

        Raises:
            DataError: the file cannot be read.
        """
        with sentences(self.path):
            return all(lines is not None for lines in self.made())
