"""What the command line says, and where: results to standard output, one sentence to standard error."""

from __future__ import annotations

import sys

__all__ = ["fail", "say", "terminal_width"]


def fail(sentence: str, code: int) -> None:
    """Say what is wrong on standard error and leave."""
    sys.stderr.write(f"karat: {sentence.encode('utf-8', 'replace').decode()}\n")
    sys.exit(code)


def terminal_width() -> int:
    """The terminal's columns; 80 where there is none."""
    import shutil

    return shutil.get_terminal_size().columns


def say(text: str) -> None:
    """Write to standard output; ids that are not UTF-8 leave as the bytes that they were."""
    out = getattr(sys.stdout, "buffer", None)
    if out is None:
        sys.stdout.write(text)
        return
    try:
        content = text.encode(sys.stdout.encoding, "surrogateescape")
    except UnicodeEncodeError:
        content = text.encode("utf-8", "surrogateescape")
    sys.stdout.flush()
    out.write(content)
    out.flush()
