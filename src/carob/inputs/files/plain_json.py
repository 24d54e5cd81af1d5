"""Reads runs in plain JSON as lines of TREC text, which the kernel makes of them block by block."""

from __future__ import annotations

from typing import TYPE_CHECKING

from carob import _native
from carob._dataclasses import dataclass
from carob.inputs.decompression import Cursor, unpacked
from carob.inputs.errors import refused, sentences
from carob.inputs.sources import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from carob.inputs.sources import Provenance

AT_ONCE = 2**20
"""Bytes that are read at once."""


@dataclass(frozen=True)
class PlainJson:
    """The handle of a source of TREC text, which is made of a JSON file at each reading.

    Args:
        path: the file, which may be compressed.
        names: the members of each line for query, document, score and maybe rank; none for one object ``{query:
            {document: score}}``.
    """

    path: str
    names: tuple[bytes, ...]

    def __call__(self) -> Cursor:
        """Returns the text at its first byte."""
        return Cursor(self.blocks, is_slow=True)

    def blocks(self) -> Iterator[bytes]:
        """Yields the lines of each block.

        Raises:
            DataError: the file is no longer plain.
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
        """Yields the lines of each block, and None where the file is not plain, which ends them."""
        reader = _native.PlainJson(list(self.names))
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
            DataError: the file is unreadable.
        """
        with sentences(self.path):
            return all(lines is not None for lines in self.made())


def plain_source(path: str, names: tuple[str, ...], origin: Provenance) -> Source | None:
    """Returns a run in JSON as a source of TREC text, or None for a file that is not plain.

    Args:
        path: the file.
        names: as in ``PlainJson``.
        origin: the provenance of the file.

    Raises:
        DataError: the file is unreadable.
    """
    handle = PlainJson(path, tuple(each.encode("utf-8", "surrogatepass") for each in names))
    return Source(path, handle, None, origin) if handle.is_plain() else None
