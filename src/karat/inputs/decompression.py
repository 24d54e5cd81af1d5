"""Decompresses .gz, .zst, .bz2 and .xz files. It reads every stream of a file and reports damage as an error.

Python's own readers of xz and bzip2 treat damage at the start of a second stream as the end of the file
(``_compression.DecompressReader``), and silently lose the rest.
"""

from __future__ import annotations

import importlib
import io
import sys
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import zlib
    from collections.abc import Callable

__all__ = ["AT_ONCE", "FIRST", "ZSTANDARD", "PackedError", "Unpacked", "format_of", "unpacked"]

FIRST = 8
"""The number of first bytes that show how a file is compressed."""
AT_ONCE = 2**17
"""Bytes read at once; up to 8 times as many are produced."""
FREE = 2**30
"""Bytes that any file may unpack to."""
RATIO = 200
"""The highest ratio of larger outputs to their input: real runs stay below 20, synthetic ones below 40."""
XZ_MEMORY = 2**31
"""Memory limit of an xz stream; ``xz -9`` needs 65 MiB."""
ZSTANDARD = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"


class PackedError(OSError):
    """Raised if compressed bytes cannot be unpacked. The message gives the reason, without a full stop.

    Args:
        message: what is wrong.
        fault: the fault in a few words.
        remedy: what to do.
    """

    def __init__(self, message: str, fault: str, remedy: str) -> None:
        super().__init__(message)
        self.fault, self.remedy = fault, remedy


class Stream(Protocol):
    """A decompressor of one stream, like the standard library's for bzip2, xz and Zstandard."""

    @property
    def eof(self) -> bool:
        """Whether the stream's end was reached."""

    @property
    def needs_input(self) -> bool:
        """Whether the decompressor needs more input."""

    @property
    def unused_data(self) -> bytes:
        """The bytes after the stream's end."""

    def decompress(self, data: bytes, max_length: int) -> bytes:
        """Returns the next bytes, at most ``max_length``."""


@dataclass(frozen=True)
class Format:
    """A compression format.

    Args:
        begin: makes the decompressor of one stream.
        padding: zeros may follow a stream in multiples of it; 0 for none.
    """

    begin: Callable[[], Stream]
    padding: int


class Deflated:
    """A gzip stream with its checksum, as a ``Stream``."""

    def __init__(self) -> None:
        """Starts a gzip stream."""
        try:
            library: Any = importlib.import_module("isal.isal_zlib")  # takes a third of the time
        except ImportError:
            library = importlib.import_module("zlib")
        self.inflate: zlib._Decompress = library.decompressobj(31)
        self.needs_input = True

    @property
    def eof(self) -> bool:
        """Whether the stream's end was reached."""
        return self.inflate.eof

    @property
    def unused_data(self) -> bytes:
        """The bytes after the stream's end."""
        return self.inflate.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        """Returns the next bytes, at most ``max_length``."""
        made = self.inflate.decompress(self.inflate.unconsumed_tail + data, max_length)
        self.needs_input = not self.inflate.unconsumed_tail and len(made) < max_length
        return made


def bunzip() -> Stream:
    """Returns a decompressor for a bzip2 stream."""
    import bz2

    return bz2.BZ2Decompressor()


def unxz() -> Stream:
    """Returns a decompressor for an xz stream."""
    import lzma

    return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=XZ_MEMORY)


def unzstd() -> Stream:
    """Returns a decompressor for a Zstandard frame, which may be a skippable frame."""
    made: Stream = importlib.import_module(ZSTANDARD).ZstdDecompressor()
    return made


# gzip and bzip2 ignore zeros to the end of a file; xz has them as padding in multiples of four (its format, 2.2).
GZIP, BZIP2, XZ, ZSTD = Format(Deflated, 1), Format(bunzip, 1), Format(unxz, 4), Format(unzstd, 0)

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
    file = open(path, "rb")  # noqa: SIM115 -- the caller closes it
    its = format_of(file.peek(FIRST)[:FIRST])
    return file if its is None else io.BufferedReader(Unpacked(file, its), AT_ONCE)


class Unpacked(io.RawIOBase):
    """The decompressed content of a file, which may consist of several streams.

    Args:
        file: the compressed bytes, closed with this object.
        its: their format.
    """

    def __init__(self, file: IO[bytes] | io.RawIOBase, its: Format) -> None:
        """Stores the file. The first stream starts at the first read."""
        super().__init__()
        self.file, self.its = file, its
        self.stream: Stream | None = None
        self.held = b""
        self.taken = self.made = 0

    def readable(self) -> bool:
        """Returns True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fills ``buffer`` with the next bytes and returns their number, 0 at the end.

        Raises:
            PackedError: damaged or truncated bytes, others after the end, or too large an output.
        """
        view = memoryview(buffer).cast("B")
        room = min(len(view), 8 * AT_ONCE)
        while self.stream is not None or self.begun():
            part = self.part(room)
            if part:
                view[: len(part)] = part
                self.made += len(part)
                if self.made > max(FREE, RATIO * self.taken):
                    raise too_much()
                return len(part)
        return 0

    def part(self, room: int) -> bytes:
        """Returns the next bytes of the current stream, or no bytes if it needs more input."""
        stream = self.stream
        assert stream is not None
        data = b""
        if stream.needs_input:
            data = self.held or self.more()
            self.held = b""
            if not data:
                raise damaged("it ends within a compressed stream")
        try:
            part = stream.decompress(data, room)
        except MemoryError:
            raise
        except Exception as error:  # noqa: BLE001 -- each library has its own class; bzip2's is an OSError
            raise damaged(str(error)) from None
        if stream.eof:
            self.held, self.stream = stream.unused_data, None
        return part

    def begun(self) -> bool:
        """Starts the next stream and returns whether there is one."""
        zeros = 0
        while True:
            data = self.held or self.more()
            self.held = data.lstrip(b"\0") if self.its.padding else data
            zeros += len(data) - len(self.held)
            if self.held or not data:
                break
        if zeros and zeros % self.its.padding:
            raise damaged(f"{zeros} zeros follow a stream, which are no padding")
        if not self.held and self.made == 0 == self.taken:
            raise damaged("it is empty")
        self.stream = self.its.begin() if self.held else None
        return self.stream is not None

    def more(self) -> bytes:
        """Reads more compressed bytes."""
        data = self.file.read(AT_ONCE) or b""
        self.taken += len(data)
        return data

    def close(self) -> None:
        """Closes the file."""
        self.file.close()
        super().close()


def damaged(how: str) -> PackedError:
    """Returns the error for bytes that cannot be unpacked."""
    return PackedError(
        f"the compressed data are damaged or cut short ({how})", how, "Fetch or write it again."
    )


def too_much() -> PackedError:
    """Returns the error for a small file that unpacks to a huge one."""
    fault = f"it unpacks to more than {RATIO} times its size, past {FREE / 2**30:g} GiB"
    return PackedError(
        f"{fault}, as no run does", fault, "If that is right, unpack it, and give the plain text."
    )
