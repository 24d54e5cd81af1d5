"""``.ci/run`` leaves no process behind."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

SCRIPT = Path(__file__).parents[2] / ".ci" / "run"
WAITS = """#!/bin/sh
[ "$1" = -c ] && exit 0
ids=ids-${0##*/}
sleep 600 & echo $! >>"$ids"
echo $$ >>"$ids"
wait
"""
"""A program that takes long, and starts another. Python is asked first whether it has some modules."""


def is_there(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{process}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.mark.skipif(os.name != "posix" or not shutil.which("bash"), reason="it is a script of bash")
@pytest.mark.parametrize("end", [os.kill, os.killpg])
def test_what_goes_on_beside_ends_with_a_script_that_is_ended(
    end: Callable[[int, int], None], tmp_path: Path
) -> None:
    """A runner ends the script alone, or with what it waits for."""
    (tmp_path / ".ci").mkdir()
    (tmp_path / "programs").mkdir()
    shutil.copy(SCRIPT, tmp_path / ".ci" / "run")
    for name in ("python", "make", "c++", "chromium", "java"):
        (tmp_path / "programs" / name).write_text(WAITS)
        (tmp_path / "programs" / name).chmod(0o755)
    # Nothing is cloned, so what a stranger does ends at once, and the script goes on.
    (tmp_path / "programs" / "git").write_text("#!/bin/sh\n")
    (tmp_path / "programs" / "git").chmod(0o755)
    programs = f"{tmp_path / 'programs'}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": programs, "PYTHON": "python"}
    script = subprocess.Popen(["bash", tmp_path / ".ci" / "run"], env=environment, start_new_session=True)
    beside: list[int] = []
    waited: list[int] = []
    until = time.monotonic() + 60
    try:
        while len(beside) + len(waited) < 4 and time.monotonic() < until:
            time.sleep(0.05)
            beside, waited = (started(tmp_path / f"ids-{name}") for name in ("python", "make"))
        assert (len(beside), len(waited)) == (2, 2)
        end(script.pid, signal.SIGTERM)
        if end is os.kill:
            # bash heeds the signal when the program that it waits for has ended.
            os.kill(waited[-1], signal.SIGTERM)
        script.wait(60)
        while any(map(is_there, beside)) and time.monotonic() < until:
            time.sleep(0.05)
        assert not any(map(is_there, beside))
    finally:
        for process in filter(is_there, [*beside, *waited, script.pid]):
            os.kill(process, signal.SIGKILL)


def started(file: Path) -> list[int]:
    return list(map(int, file.read_text().split())) if file.exists() else []
