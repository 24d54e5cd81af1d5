"""Finds a C++20 compiler; where there is none, Zig's, which is a Python package.

For builds without pip, ``python build_backend/compiler.py requirements`` prints the lists of packages to install and
``… arguments FOLDER`` the arguments for CMake; ``… present`` exits with status 1 if there is no compiler.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

__all__ = ["ZIG_PACKAGE", "definitions", "find_compiler", "write_zig_tools"]

# The versions that were tried: Zig's command line and its C++ library change with each one before its first.
ZIG_PACKAGE = "ziglang>=0.17,<0.18"

_NAMES = ("c++", "g++", "clang++")  # CMake's own order, as far as these go

# A compiler without C++20 cannot build the kernel, so each compiles a trial program.
_TRIAL = "#include <bit>\n#include <span>\nint main() { return std::popcount(0u) + int(std::span<int>().size()); }\n"

# Zig compiles for this processor by default, and the wheel may move to an older one. It also takes
# a minute and a half to build its C++ library for each mode, so CMake's trials get the mode of the kernel.
_ZIG_WORDS = {"CMAKE_CXX_COMPILER": "c++ -mcpu=baseline -O3 -s", "CMAKE_AR": "ar", "CMAKE_RANLIB": "ranlib"}


def find_compiler(environ: Mapping[str, str] = os.environ, platform: str = sys.platform) -> str | None:
    """Return the command or the folder of a C++20 compiler, or None where the machine has none.

    ``CXX`` is used without a trial: its user wants to see its errors, not another compiler.
    """
    if environ.get("CXX"):
        return environ["CXX"]
    found = (shutil.which(name, path=environ.get("PATH", "")) for name in _NAMES)
    compiler = next((command for command in found if command and _compiles(command)), None)
    if compiler is None and platform == "win32":
        return _find_visual_studio(environ)
    return compiler


def _compiles(command: str) -> bool:
    """Whether it compiles a C++20 program: on macOS, ``c++`` may be a stub that offers to install one."""
    trial = [command, "-std=c++20", "-fsyntax-only", "-x", "c++", "-"]
    return subprocess.run(trial, input=_TRIAL, text=True, capture_output=True, check=False).returncode == 0


def _find_visual_studio(environ: Mapping[str, str]) -> str | None:
    """Return where the C++ tools of Visual Studio are; CMake finds their compiler."""
    if cl := shutil.which("cl", path=environ.get("PATH", "")):
        return cl
    # The one path that Microsoft promises: https://github.com/microsoft/vswhere/wiki/Installing
    vswhere = Path(
        environ.get("ProgramFiles(x86)", ""), "Microsoft Visual Studio", "Installer", "vswhere.exe"
    )
    if not vswhere.is_file():
        return None
    tools = ["-products", "*", "-requires", "Microsoft.VisualStudio.Component.VC.Tools.x86.x64"]
    question = [str(vswhere), "-latest", *tools, "-property", "installationPath"]
    return subprocess.run(question, text=True, capture_output=True, check=False).stdout.strip() or None


def definitions(folder: Path, environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the CMake variables that select the compiler: none if CMake finds the same one.

    Zig's tools are written to the folder if needed; it must exist until the build ends.
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
    """Write a script for each tool of Zig; return the variables by which CMake will use them.

    Scripts, because each variable takes one program and Zig's tools are words after ``python -m ziglang``.
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
    # The kernel has no C++20 modules, and the program that would look for them is not among Zig's.
    return {**scripts, "CMAKE_CXX_SCAN_FOR_MODULES": "OFF"}


def main(arguments: list[str]) -> None:
    """Print the answer to one of the Makefile's three questions."""
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
