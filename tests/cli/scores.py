"""Holds per-query scores of two runs, and runs a command that is expected to end with an exit status."""

import pytest

from carob.cli import main

TABLE = "query,a,b\n" + "".join(f"q{n},0.{n},0.{n + 2}\n" for n in range(1, 7)) + "q7,0.9,0.5\n"


def outcome(arguments: list[str]) -> int:
    """The exit status of a command that does not simply return."""
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    return int(stop.value.code or 0)
