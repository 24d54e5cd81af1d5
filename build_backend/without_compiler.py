"""This file proves that karat installs where no compiler is: ``make wheel-without-compiler`` (two to five minutes).

It builds the wheel with a PATH on which nothing lies, installs it into a fresh environment, and scores the example.
"""

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

import compiler

__all__: list[str] = []

CHECKOUT = Path(__file__).resolve().parents[1]
EXAMPLE = CHECKOUT / "examples" / "tea"


def main() -> None:
    """Build, install, score."""
    with tempfile.TemporaryDirectory(prefix="karat-proof-") as name:
        folder = Path(name)
        environ = _bare_environment(folder)
        if found := compiler.find_compiler(environ):
            sys.exit(f"This proves nothing here: the compiler {found} is found even without a PATH.")
        wheels = folder / "wheels"
        _run([sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", wheels, CHECKOUT], environ)
        wheel = next(wheels.glob("karat-*.whl"))
        print(f"Built without a compiler: {wheel.name}, {wheel.stat().st_size / 1e3:.0f} kB", flush=True)

        venv.create(folder / "fresh", with_pip=True)
        python = folder / "fresh" / "bin" / "python"
        _run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel], environ)
        _run([python, "-c", "import karat._native"], environ)
        runs = sorted((EXAMPLE / "runs").glob("*.run"))
        _run([python, "-m", "karat", "eval", EXAMPLE / "qrels.txt", *runs], environ)


def _bare_environment(folder: Path) -> dict[str, str]:
    """Return this process's environment less every way to a compiler."""
    nothing = folder / "nothing"
    nothing.mkdir()
    kept = {name: value for name, value in os.environ.items() if name not in ("CC", "CXX", "CMAKE_ARGS")}
    return kept | {"PATH": str(nothing)}


def _run(command: list[str | Path], environ: dict[str, str]) -> None:
    """Run a program; where it fails, it has said why, and this proof ends."""
    status = subprocess.run(command, env=environ, cwd=CHECKOUT, check=False).returncode
    if status:
        sys.exit(status)


if __name__ == "__main__":
    main()
