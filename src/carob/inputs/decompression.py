"""Decompresses .gz, .zst, .bz2 and .xz files. Every stream of a file is read, and damage is reported as an error.

Python's own readers of xz and bzip2 treat damage at the start of a second stream as the end of the file
(``_compression.DecompressReader``), and silently ignore the remaining bytes.
"""

from __future__ import annotations

import importlib
import io
import sys
from typing import IO, TYPE_CHECKING, Any

from carob._dataclasses import dataclass
from carob.output.taken import take

if TYPE_CHECKING:
    import zlib
    from collections.abc import Callable, Iterator
    from threading import Event


FIRST = 8
"""The number of bytes at the start of a file that show how it is compressed."""
AT_ONCE = 2**17
"""The number of compressed bytes read at once. Up to 8 times as many decompressed bytes are produced at once."""
FREE = 2**30
"""The number of bytes to which any file may unpack, however small it is."""
RATIO = 200
"""The highest ratio of output to input for larger outputs. Real runs stay below 20, synthetic runs below 40."""
WHOLE, WHOLE_RATIO = 2**25, 50
"""The same limits for a file that is held in memory as a whole. One JSON object takes many times its size in memory."""
XZ_MEMORY = 2**31
"""The memory limit for decompressing an xz stream. Files written by ``xz -9`` need 65 MiB."""
FORMAT_XZ = 1
"""``lzma.FORMAT_XZ``, without the import."""
ZSTANDARD = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"


class PackedError(OSError):
    """Raised if compressed bytes cannot be unpacked. The message gives the reason, without a full stop.

    Args:
        message: the problem.
        fault: the fault in a few words.
        remedy: the advice.
    """

    def __init__(self, message: str, fault: str, remedy: str) -> None:
        super().__init__(message)
        self.fault, self.remedy = fault, remedy


@dataclass(frozen=True, eq=False, repr=False)
class Format:
    """A compression format.

    Args:
        begin: makes the decompressor of one stream, with the same methods as ``bz2.BZ2Decompressor``.
        padding: the number of zeros after a stream must be a multiple of this number; 0 if no zeros may follow.
    """

    begin: Callable[[], Any]
    padding: int


class Deflated:
    """A decompressor for one gzip stream and its checksum, with the same methods as Python's ``BZ2Decompressor``."""

    def __init__(self) -> None:
        """Starts a gzip stream."""
        try:
            library: Any = importlib.import_module("isal.isal_zlib")  # three times as fast as zlib
        except ImportError:
            library = importlib.import_module("zlib")
        self.inflate: zlib._Decompress = library.decompressobj(31)
        self.needs_input = True

    def __getattr__(self, name: str) -> Any:
        """Returns ``eof`` and ``unused_data``."""
        return getattr(self.inflate, name)

    def decompress(self, data: bytes, max_length: int) -> bytes:
        """Returns the next bytes, at most ``max_length``."""
        made = self.inflate.decompress(self.inflate.unconsumed_tail + data, max_length)
        self.needs_input = not self.inflate.unconsumed_tail and len(made) < max_length
        return made


def begins(module: str, name: str, *arguments: int) -> Callable[[], Any]:
    """Returns a function that imports a module and creates its decompressor."""
    return lambda: getattr(importlib.import_module(module), name)(*arguments)


# gzip and bzip2 ignore zeros at the end of a file; xz uses zeros as padding, in multiples of four (section 2.2 of its
# format).
GZIP, BZIP2 = Format(Deflated, 1), Format(begins("bz2", "BZ2Decompressor"), 1)
XZ = Format(begins("lzma", "LZMADecompressor", FORMAT_XZ, XZ_MEMORY), 4)
ZSTD = Format(begins(ZSTANDARD, "ZstdDecompressor"), 0)

# The sixteen skippable frames, one of which pzstd writes first (RFC 8878, 3.1.2).
SKIPPED = tuple(bytes([number, 0x2A, 0x4D, 0x18]) for number in range(0x50, 0x60))

MAGIC = {
    b"\x1f\x8b": GZIP,
    b"\x28\xb5\x2f\xfd": ZSTD,
    b"BZh": BZIP2,
    b"\xfd7zXZ\x00": XZ,
    **dict.fromkeys(SKIPPED, ZSTD),
}


def format_of(start: bytes) -> Format | None:
    """Returns the compression format that the first bytes show, or None for plain text."""
    return next((its for magic, its in MAGIC.items() if start.startswith(magic)), None)


def unpacked(path: str) -> IO[bytes]:
    """Opens a file and decompresses it if necessary."""
    take(path)
    file = open(path, "rb")  # noqa: SIM115 -- the caller closes it
    its = format_of(file.peek(FIRST)[:FIRST])
    if its is None:
        return file
    file.close()
    return io.BufferedReader(Cursor(lambda: decompressed(open(path, "rb"), its)), AT_ONCE)


def whole(file: IO[bytes], stored: int) -> bytes:
    """Returns all decompressed bytes of a file.

    Args:
        file: the file, decompressed.
        stored: the size of the compressed file in bytes.

    Raises:
        PackedError: the output is far larger than that of any real file of this compressed size.
    """
    most, parts, size = max(WHOLE, WHOLE_RATIO * stored), [], 0
    while block := file.read(8 * AT_ONCE):
        parts.append(block)
        size += len(block)
        if size > most:
            raise too_much(WHOLE_RATIO, WHOLE)
    return b"".join(parts)


class Cursor(io.RawIOBase):
    """A binary file that consists of blocks of bytes, and can be read from the start several times.

    Args:
        blocks: makes the blocks. It is called at the first read, and again after ``rewind``.
        is_slow: whether making a block takes about as long as processing it, as decompression does. The kernel then
            reads the blocks in a separate thread.
        stopped: the event that ends a read that waits for bytes, if the blocks respond to such an event.
    """

    def __init__(
        self,
        blocks: Callable[[], Iterator[bytes]],
        *,
        is_slow: bool = False,
        stopped: Event | None = None,
    ) -> None:
        super().__init__()
        self.blocks, self.is_slow, self.stopped = blocks, is_slow, stopped
        self.left: Any = None
        self.rest = memoryview(b"")

    def readable(self) -> bool:
        """Returns True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fills ``buffer`` with the next bytes and returns their number, 0 at the end."""
        self.left = self.left or self.blocks()
        while not self.rest:
            block = next(self.left, None)
            if block is None:
                return 0
            self.rest = memoryview(block)
        view = memoryview(buffer).cast("B")
        count = min(len(view), len(self.rest))
        view[:count], self.rest = self.rest[:count], self.rest[count:]
        return count

    def rewind(self) -> None:
        """Goes back to the first byte and closes the underlying file."""
        if self.left is not None:
            self.left.close()
        self.left, self.rest = None, memoryview(b"")

    def interrupt(self) -> None:
        """Ends a read that waits for bytes, and all later reads. The kernel calls it on Ctrl-C while a thread reads."""
        if self.stopped is not None:
            self.stopped.set()

    def close(self) -> None:
        """Closes the underlying file."""
        self.rewind()
        super().close()


def decompressed(file: IO[bytes] | io.RawIOBase, its: Format) -> Iterator[bytes]:
    """Yields the decompressed blocks of a file, which may consist of several streams. Closes the file at the end.

    Args:
        file: the compressed bytes.
        its: the compression format.

    Raises:
        PackedError: the data are damaged or truncated, other bytes follow the end, or the output is too large.
    """
    taken = made = 0

    def more() -> bytes:
        nonlocal taken
        block = file.read(AT_ONCE) or b""
        taken += len(block)
        return block

    with file:
        data = more()
        if not data:
            raise damaged("it is empty")
        while data:
            stream = its.begin()
            while not stream.eof:
                data = data or more() if stream.needs_input else b""
                if stream.needs_input and not data:
                    raise damaged("the file ends within a compressed stream")
                try:
                    part = stream.decompress(data, 8 * AT_ONCE)
                except MemoryError:
                    raise
                except Exception as error:  # noqa: BLE001 -- each library has its own class; bzip2's is an OSError
                    raise damaged(str(error)) from None
                data = b""
                made += len(part)
                if made > max(FREE, RATIO * taken):
                    raise too_much()
                if part:
                    yield part
            data = after_padding(stream.unused_data, more, its.padding)


def after_padding(data: bytes, more: Callable[[], bytes], multiple: int) -> bytes:
    """Skips the zeros that may follow a stream, and returns the start of the next stream, or no bytes at the end.

    Args:
        data: the bytes after the stream that have already been read.
        more: reads the next bytes of the file.
        multiple: the number of zeros must be a multiple of this number; 0 if the format has no padding.

    Raises:
        PackedError: the number of zeros is not a multiple of ``multiple``.
    """
    zeros = 0
    while data := data or more():
        rest = data.lstrip(b"\0") if multiple else data
        zeros += len(data) - len(rest)
        data = rest
        if data:
            break
    if zeros and zeros % multiple:
        raise damaged(
            f"the file contains {zeros} zero bytes after a compressed stream, too few or too many for padding"
        )
    return data


def damaged(how: str) -> PackedError:
    """Returns the error for bytes that cannot be unpacked."""
    return PackedError(
        f"the compressed data are damaged or truncated ({how})", how, "Fetch or write it again."
    )


def limit_of(free: int) -> str:
    """Returns a number of bytes as text with a unit."""
    return f"{free >> 30} GiB" if free >= 2**30 else f"{free >> 20} MiB"


def too_much(ratio: int = RATIO, free: int = FREE) -> PackedError:
    """Returns the error for a small file that unpacks to a huge size."""
    fault = f"the file unpacks to more than {ratio} times its size and more than {limit_of(free)}"
    return PackedError(
        f"{fault}, which is implausible for a run",
        fault,
        "If the size is correct, unpack the file, and pass the plain text.",
    )
