"""Finds a C++20 compiler; if there is none, uses Zig, which is a Python package.

For builds without pip, ``python build_backend/compiler.py requirements`` prints the lists of packages to install, and
``… arguments FOLDER`` prints the arguments for CMake; ``… present`` exits with status 1 if there is no compiler.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

__all__ = ["ZIG_PACKAGE", "definitions", "find_compiler", "write_zig_tools"]

# The versions that were tried. Before version 1, Zig's command line and its C++ library change with each release.
ZIG_PACKAGE = "ziglang>=0.17,<0.18"

_NAMES = ("c++", "g++", "clang++")  # CMake's own order for these names

# A compiler without C++20 cannot build the kernel, so each candidate compiles a test program.
_TRIAL = "#include <bit>\n#include <span>\nint main() { return std::popcount(0u) + int(std::span<int>().size()); }\n"

# By default, Zig compiles for this processor, but the wheel may be used on an older one. Zig also takes a minute and a
# half to build its C++ library for each mode, so CMake's checks use the same mode as the kernel.
_ZIG_WORDS = {"CMAKE_CXX_COMPILER": "c++ -mcpu=baseline -O3 -s", "CMAKE_AR": "ar", "CMAKE_RANLIB": "ranlib"}


def find_compiler(environ: Mapping[str, str] = os.environ, platform: str = sys.platform) -> str | None:
    """Return the command or the folder of a C++20 compiler, or None if the machine has none.

    ``CXX`` is used without a trial, because a user who sets it wants to see its errors rather than another compiler.
    """
    if environ.get("CXX"):
        return environ["CXX"]
    found = (shutil.which(name, path=environ.get("PATH", "")) for name in _NAMES)
    compiler = next((command for command in found if command and _compiles(command)), None)
    if compiler is None and platform == "win32":
        return _find_visual_studio(environ)
    return compiler


def _compiles(command: str) -> bool:
    """Return whether it compiles a C++20 program: on macOS, ``c++`` may be a stub that offers an installation."""
    trial = [command, "-std=c++20", "-fsyntax-only", "-x", "c++", "-"]
    return subprocess.run(trial, input=_TRIAL, text=True, capture_output=True, check=False).returncode == 0


def _find_visual_studio(environ: Mapping[str, str]) -> str | None:
    """Return where the C++ tools of Visual Studio are; CMake finds their compiler."""
    if cl := shutil.which("cl", path=environ.get("PATH", "")):
        return cl
    # The only path that Microsoft guarantees: https://github.com/microsoft/vswhere/wiki/Installing
    vswhere = Path(
        environ.get("ProgramFiles(x86)", ""), "Microsoft Visual Studio", "Installer", "vswhere.exe"
    )
    if not vswhere.is_file():
        return None
    tools = ["-products", "*", "-requires", "Microsoft.VisualStudio.Component.VC.Tools.x86.x64"]
    question = [str(vswhere), "-latest", *tools, "-property", "installationPath"]
    return subprocess.run(question, text=True, capture_output=True, check=False).stdout.strip() or None


def definitions(folder: Path, environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the CMake variables that select the compiler, or none if CMake finds the same compiler itself.

    If needed, scripts for Zig's tools are written to the folder, which must exist until the build ends.
    """
    compiler = find_compiler(environ)
    if compiler is None:
        return write_zig_tools(folder)
    first = next(filter(None, (shutil.which(name, path=environ.get("PATH", "")) for name in _NAMES)), None)
    left_to_cmake = environ.get("CXX") or sys.platform == "win32" or compiler == first
    return {} if left_to_cmake else {"CMAKE_CXX_COMPILER": compiler}


def write_zig_tools(
    folder: Path, python: str = sys.executable, platform: str = sys.platform
) -> dict[str, str]:
    """Write a script for each tool of Zig, and return the variables that make CMake use the scripts.

    Scripts are needed because each variable accepts a single program, whereas Zig's tools are arguments of
    ``python -m ziglang``.
    """
    folder.mkdir(parents=True, exist_ok=True)
    scripts = {}
    for variable, words in _ZIG_WORDS.items():
        script = folder / ("zig-" + words.split()[0])
        if platform == "win32":
            script = script.with_suffix(".cmd")
            script.write_text(f'@"{python}" -m ziglang {words} %*\n', encoding="utf-8")
        else:
            script.write_text(f'#!/bin/sh\nexec "{python}" -m ziglang {words} "$@"\n', encoding="utf-8")
            script.chmod(0o755)
        scripts[variable] = script.as_posix()
    # The kernel has no C++20 modules, and Zig lacks the program that scans for them.
    return {**scripts, "CMAKE_CXX_SCAN_FOR_MODULES": "OFF"}


def main(arguments: list[str]) -> None:
    """Run one of the three subcommands that the Makefile uses."""
    match arguments:
        case ["requirements"]:
            lists = ["tools.txt"] if find_compiler() else ["tools.txt", "zig.txt"]
            print(*(f"-r {Path(__file__).with_name(name).as_posix()}" for name in lists))
        case ["present"]:
            sys.exit(0 if find_compiler() else 1)
        case ["arguments", folder]:
            found = definitions(Path(folder).resolve())
            print(" ".join(f"-D{variable}={value}" for variable, value in found.items()))
        case _:
            sys.exit("Say 'requirements', 'present' or 'arguments FOLDER'.")


if __name__ == "__main__":
    main(sys.argv[1:])
