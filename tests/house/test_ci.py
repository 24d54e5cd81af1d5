"""``.ci/run`` leaves no process behind, and holds carob to the real libraries."""

from __future__ import annotations

import itertools
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import carob.adapters
from partners import partners, versions

if TYPE_CHECKING:
    from collections.abc import Callable

SCRIPT = Path(__file__).parents[2] / ".ci" / "run"
WAITS = """#!/bin/sh
[ "$1" = -c ] && exit 0
case "$*" in *peers*) exit 0 ;; esac
case "$*" in *sanitize*) ids=ids-sanitizers ;; *) ids=ids-${0##*/} ;; esac
sleep 600 & echo $! >>"$ids"
echo $$ >>"$ids"
wait
"""
"""A program that takes long, and starts another. Python is asked first whether it has some modules; the libraries
are there at once, so that the script comes to the tests."""


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
        while len(beside) + len(waited) < 6 and time.monotonic() < until:
            time.sleep(0.05)
            beside = [*started(tmp_path / "ids-python"), *started(tmp_path / "ids-sanitizers")]
            waited = started(tmp_path / "ids-make")
        assert (len(beside), len(waited)) == (4, 2)
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


PARTNERS = {
    "boosting": ["lightgbm", "xgboost-cpu"],
    "keras": ["keras"],
    "lightning": ["lightning"],
    "ir_measures": ["ir_measures"],
    "objects": ["ranx", "ir_measures"],
    "pyterrier": ["python-terrier"],
    "sentence_transformers": ["sentence-transformers"],
    "spark": ["pyspark"],
    "torchmetrics": ["torchmetrics"],
    "transformers": ["transformers", "accelerate"],
}
"""The real libraries that call each adapter."""


def test_every_adapter_is_called_by_the_real_library_where_ci_installs_it() -> None:
    """A stand-in lacks what breaks: Lightning replaced a method of the callback, and no test noticed."""
    assert set(PARTNERS) == set(carob.adapters.__all__)
    tests = "".join(
        path.read_text(encoding="utf-8")
        for folder in ("adapters", "peers")
        for path in (Path(__file__).parents[1] / folder).glob("test_*.py")
    )
    for library in itertools.chain.from_iterable(PARTNERS.values()):
        assert library in partners()
        module = library.removesuffix("-cpu").replace("-", "_").replace("python_terrier", "pyterrier")
        assert re.search(rf'importorskip\(\s*"{module}\b', tests), library


def test_the_libraries_and_their_versions_are_listed_after_the_tests() -> None:
    found = versions()
    assert len(found) > 30
    assert {"lightgbm", "jax", "ranx", "matplotlib"} <= set(found)  # of extras within the extra too
