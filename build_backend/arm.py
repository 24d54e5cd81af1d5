"""Builds carob for 64-bit ARM with Zig, and runs tests of the kernel under QEMU: ``make arm``.

It requires Debian or Ubuntu, ``apt install qemu-user`` and the system's own version of Python. Python and libraries for
ARM are unpacked into ``build/arm``; nothing is installed, and root is not needed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import compiler

__all__: list[str] = []

CHECKOUT = Path(__file__).resolve().parents[1]
FOLDER = CHECKOUT / "build" / "arm"
SYSTEM, SITE, ZIG, PYTHON = (
    FOLDER / "system",
    FOLDER / "site",
    FOLDER / "zig" / "bin" / "python",
    FOLDER / "python",
)
VERSION = f"{sys.version_info[0]}.{sys.version_info[1]}"
TESTS = ("native", "measures", "lists", "matching")
PLATFORMS = ("manylinux2014_aarch64", *(f"manylinux_2_{minor}_aarch64" for minor in (17, 27, 28)))
TOOLS = ("pytest", "hypothesis", "markdown-it-py")
"""The packages that the tests need; tests that need pandas, Polars or PyArrow are skipped."""

START = "import os, sys\n\nsys.executable = os.environ['CAROB_PYTHON']\n"
"""A program started by a test must also be started through QEMU."""


def main(tests: list[str]) -> int:
    """Create what is missing, rebuild the wheel, run the tests, and return pytest's exit status."""
    emulator = shutil.which("qemu-aarch64") or sys.exit("There is no qemu-aarch64: apt install qemu-user.")
    FOLDER.mkdir(parents=True, exist_ok=True)
    if not SYSTEM.is_dir():
        unpack_system()
    python = SYSTEM / "usr" / "bin" / f"python{VERSION}"
    if not python.exists():
        sys.exit(f"The system has no Python {VERSION}: run this file with its own, python3.")
    if not ZIG.exists():
        venv.create(ZIG.parents[1], with_pip=True)
        pip("install", "--requirement", CHECKOUT / "build_backend" / "zig.txt", python=ZIG)
    install(build())
    (SITE / "sitecustomize.py").write_text(START, encoding="utf-8")
    PYTHON.write_text(f'#!/bin/sh\nexec "{emulator}" -L "{SYSTEM}" "{python}" "$@"\n', encoding="utf-8")
    PYTHON.chmod(0o755)
    environ = os.environ | {"PYTHONPATH": str(SITE), "CAROB_PYTHON": str(PYTHON)}
    wanted = tests or [f"tests/{each}" for each in TESTS]
    return subprocess.run(
        [PYTHON, "-m", "pytest", "--quiet", "-p", "no:cacheprovider", *wanted],
        cwd=CHECKOUT,
        env=environ,
        check=False,
    ).returncode


def unpack_system() -> None:
    """Fetch Python for ARM and the libraries that it needs, using a separate apt state, and unpack them."""
    state, cache = FOLDER / "state", FOLDER / "cache"
    for each in (state / "lists" / "partial", cache / "archives" / "partial"):
        each.mkdir(parents=True, exist_ok=True)
    (state / "status").touch()
    settings = {
        "Dir::State": state,
        "Dir::State::status": state / "status",
        "Dir::Cache": cache,
        "APT::Architecture": "arm64",
        "APT::Architectures": "arm64",
        "Debug::NoLocking": "1",
    }
    apt = ["apt-get", "-qq", "--yes", *(f"-o{name}={value}" for name, value in settings.items())]
    subprocess.run([*apt, "update"], check=True)
    download = ["--no-install-recommends", "--download-only", "install", "python3", "libstdc++6"]
    subprocess.run([*apt, *download], check=True)
    unpack, unpacked = ["dpkg-deb", "-x"], FOLDER / "unpacked"
    for each in (cache / "archives").glob("*.deb"):
        subprocess.run([*unpack, each, unpacked], check=True)
    unpacked.rename(SYSTEM)


def build() -> Path:
    """Build the wheel with Zig for ARM. The file names still state this machine, because its Python built them."""
    wheels = FOLDER / "wheels"
    shutil.rmtree(wheels, ignore_errors=True)
    tools = compiler.write_zig_tools(FOLDER / "tools", str(ZIG))
    settings = {"build-dir": FOLDER / "build"}
    settings |= {f"cmake.define.{name}": value for name, value in tools.items()}  # type: ignore[misc]
    chosen = [f"--config-settings={name}={value}" for name, value in settings.items()]
    os.environ["CXXFLAGS"] = "-target aarch64-linux-gnu.2.27"
    pip("wheel", "--no-deps", *chosen, "--wheel-dir", wheels, CHECKOUT)
    return next(wheels.glob("carob-*.whl"))


def install(wheel: Path) -> None:
    """Unpack the wheel next to its libraries for ARM."""
    named = wheel.with_name(wheel.name.replace("linux_x86_64", PLATFORMS[0]))
    wheel.rename(named)
    shutil.rmtree(SITE, ignore_errors=True)
    platforms = [f"--platform={each}" for each in PLATFORMS]
    only = ["--only-binary=:all:", "--implementation=cp", f"--python-version={VERSION}", *platforms]
    pip("install", "--no-compile", "--target", SITE, *only, named, *TOOLS)
    kernel = next((SITE / "carob").glob("_native*.so"))
    kernel.rename(kernel.with_name("_native.so"))


def pip(*arguments: str | Path, python: str | Path = sys.executable) -> None:
    """Run pip with this Python or another one."""
    command = [python, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    subprocess.run(command, check=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
