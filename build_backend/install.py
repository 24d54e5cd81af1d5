"""Installs the checkout, or a wheel of it, into the environment that runs it; shows how far the compiler is.

pip alone prints nothing while the kernel compiles, or everything. Here: a line for each step of CMake's, and all that
pip said only where it failed.
"""

from __future__ import annotations

import compileall
import re
import subprocess
import sys
import sysconfig
import time
from collections import deque
from pathlib import Path

__all__: list[str] = []

CHECKOUT = Path(__file__).resolve().parents[1]
# Ninja's "[2/5] Building CXX object …", and what pip does next.
_STEP = re.compile(r"^\s*(?:(\[\d+/\d+\] (?:Building|Linking))|(Installing collected packages):)")


def main() -> int:
    """Run pip; return its status."""
    # Not isolated: the kernel is compiled again only where it changed, so a change of a Python file costs seconds.
    # Not compiled to bytecode: SciPy alone takes ten seconds of it, and the command imports few of its modules.
    options = ["--no-build-isolation", "--no-compile", "--disable-pip-version-check", "--verbose"]
    command = [sys.executable, "-m", "pip", "install", *options, *(sys.argv[1:] or [str(CHECKOUT)])]
    began = time.monotonic()
    kept: deque[str] = deque(maxlen=200)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as pip:
        for line in pip.stdout or ():
            kept.append(line)
            if step := _STEP.match(line):
                what = f"{step[1]} the kernel" if step[1] else "Installing carob and what it needs"
                print(f"  {time.monotonic() - began:4.0f} s  {what}", flush=True)
    if pip.returncode:
        print("".join(kept), end="")
        return pip.returncode
    compileall.compile_dir(str(Path(sysconfig.get_path("platlib"), "carob")), quiet=2)
    print(f"  {time.monotonic() - began:4.0f} s  Done", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
