"""Builds and runs carob with every Python on the machine, with and without a compiler: ``make pythons``.

For each Python, it builds the wheel as ``pip install .`` does, installs the wheel into a fresh environment, and scores
the bundled example; all tables must be the same. Without a compiler, the PATH is empty, so Zig is fetched.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import compiler

__all__: list[str] = []

CHECKOUT = Path(__file__).resolve().parents[1]
EXAMPLE = CHECKOUT / "examples" / "tea"
VERSIONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
COMPILERS = ("with", "without")


class Trial(NamedTuple):
    """A Python interpreter, and whether it may find a compiler."""

    version: str
    python: str
    compiler: str

    def __str__(self) -> str:
        return f"Python {self.version} {self.compiler} a compiler"


class TrialError(Exception):
    """Raised if a step of a trial ends with a non-zero status; the text is the end of its output."""


def main(arguments: list[str]) -> None:
    """Build, install and score with each requested Python; exit with status 1 if any trial fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("versions", nargs="*", help=f"versions of Python to try; all of {' '.join(VERSIONS)}")
    parser.add_argument("--compiler", choices=COMPILERS, help="try only with, or only without a compiler")
    parser.add_argument(
        "--ends",
        action="store_true",
        help="only the oldest with, and the newest without one; the latter alone if there is one Python",
    )
    asked = parser.parse_args(arguments)
    trials = _trials(asked.versions, [asked.compiler] if asked.compiler else COMPILERS)
    trials = _ends(trials) if asked.ends else trials
    tables: dict[Trial, str] = {}
    for trial in trials:
        began = time.monotonic()
        try:
            tables[trial] = _scored(trial)
            print(f"{trial}: passed in {time.monotonic() - began:.0f} s", flush=True)
        except TrialError as failure:
            print(f"{trial}: FAILED\n{failure}", flush=True)
    alike = len(set(tables.values())) == 1
    if tables and not alike:
        print("The tables differ:", *(f"{trial}\n{table}" for trial, table in tables.items()), sep="\n")
    print(f"{len(tables)} passed, {len(trials) - len(tables)} failed", flush=True)
    sys.exit(0 if alike and len(tables) == len(trials) else 1)


def _ends(trials: list[Trial]) -> list[Trial]:
    """Return the first and last trials, or only the last for a single Python, with which make already builds."""
    first, last = trials[0], trials[-1]
    return [last] if first.version == last.version else [first, last]


def _trials(versions: list[str], compilers: list[str] | tuple[str, ...]) -> list[Trial]:
    """Return the trials, and print which Pythons are missing; a version named by the user must exist."""
    trials = []
    for version in versions or VERSIONS:
        python = _python(version)
        if python:
            trials += [Trial(version, python, each) for each in compilers]
        elif versions:
            sys.exit(f"There is no Python {version} on the PATH or under ~/.pyenv.")
        else:
            print(f"Python {version} is not installed: not tried", flush=True)
    return trials


def _python(version: str) -> str | None:
    """Return an interpreter of this version that really runs; pyenv's shims on the PATH may only print an error."""
    name = f"python{version}"
    candidates = [sys.executable, shutil.which(name) or "", "python3"]
    candidates += sorted(map(str, Path.home().glob(f".pyenv/versions/{version}.*/bin/{name}")))
    question = "import sys, ensurepip, venv; print('%d.%d' % sys.version_info[:2])"
    for each in filter(None, candidates):
        answer = subprocess.run([each, "-c", question], capture_output=True, text=True, check=False)
        if answer.stdout.strip() == version:
            return each
    return None


def _scored(trial: Trial) -> str:
    """Build the wheel, install it into a fresh environment, and return the table of the bundled example."""
    with tempfile.TemporaryDirectory(prefix="carob-python-") as name:
        folder = Path(name)
        environ = _environment(folder, trial.compiler)
        _run([trial.python, "-m", "venv", folder / "fresh"], environ)
        python = folder / "fresh" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
        pip: list[str | Path] = [python, "-m", "pip", "--disable-pip-version-check"]
        # A separate build folder is used because CMake would reuse another compiler's build in the checkout.
        own = f"--config-settings=build-dir={folder / 'build'}"
        _run([*pip, "wheel", "--no-deps", own, "--wheel-dir", folder / "wheels", CHECKOUT], environ)
        _run([*pip, "install", "--no-compile", *(folder / "wheels").glob("carob-*.whl")], environ)
        runs = sorted((EXAMPLE / "runs").glob("*.run"))
        return _run([python, "-m", "carob", "eval", EXAMPLE / "qrels.txt", *runs], environ)


def _environment(folder: Path, wanted: str) -> dict[str, str]:
    """Return this process's environment, without any path to a compiler if none is wanted."""
    if wanted == "with":
        return dict(os.environ)
    nothing = folder / "nothing"
    nothing.mkdir()
    kept = {name: value for name, value in os.environ.items() if name not in ("CC", "CXX", "CMAKE_ARGS")}
    environ = kept | {"PATH": str(nothing)}
    if found := compiler.find_compiler(environ):
        message = f"This proves nothing here: the compiler {found} is found even without a PATH."
        raise TrialError(message)
    return environ


def _run(command: list[str | Path], environ: dict[str, str]) -> str:
    """Return the output of a program; if it fails, raise an error with the end of the output."""
    ran = subprocess.run(command, env=environ, cwd=CHECKOUT, text=True, check=False, capture_output=True)
    if ran.returncode:
        raise TrialError(
            "\n".join([" ".join(map(str, command)), *(ran.stdout + ran.stderr).splitlines()[-40:]])
        )
    return ran.stdout


if __name__ == "__main__":
    main(sys.argv[1:])
