"""The drawing library as one script, put together in a process of its own while this one compares runs."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Bundle", "drawing_library"]

EXPOSED = "window.vegaEmbed = vegaEmbed;"
"""Vega Embed alone is named; Vega and Vega-Lite come with it."""

# Isolated (-I): "-c" alone would import from the working folder first, whoever wrote there.
# vl_convert keeps Python's lock for all of the seconds that it takes, in which nothing else runs and no Ctrl-C arrives.
PROGRAM = """
import signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
_, exposed, *sys.path = sys.argv
import vl_convert
made = vl_convert.get_vega_version(), vl_convert.javascript_bundle(exposed)
sys.stdout.buffer.write("\\n".join(made).encode())
"""


def drawing_library() -> tuple[str, str]:
    """Vega, Vega-Lite and Vega Embed as one script, and Vega's version."""
    import vl_convert

    return vl_convert.javascript_bundle(EXPOSED), vl_convert.get_vega_version()


class Bundle:
    """``drawing_library`` of another process: begun at once, asked for at the end, ended with the block."""

    def __init__(self) -> None:
        """Begin."""
        self.output: Any = tempfile.TemporaryFile()  # noqa: SIM115 -- __exit__ closes it
        self.process = begun(self.output)

    def finished(self) -> tuple[str, str]:
        """The script, and Vega's version; made here where the other process could not."""
        if self.process is None or self.process.wait():
            return drawing_library()
        self.output.seek(0)
        version, _, script = self.output.read().decode("utf-8").partition("\n")
        return script, version

    def __enter__(self) -> Self:
        """The bundle itself."""
        return self

    def __exit__(self, *raised: object) -> None:
        """End the process, if it still runs, and forget what it wrote."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        self.output.close()


def begun(output: Any) -> subprocess.Popen[bytes] | None:
    """The process; None where Python cannot be started a second time."""
    if not sys.executable:
        return None
    try:
        return subprocess.Popen(  # noqa: S603 - Python itself, with words of ours
            [sys.executable, "-I", "-c", PROGRAM, EXPOSED, *filter(None, sys.path)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.DEVNULL,
        )
    except OSError:
        return None
