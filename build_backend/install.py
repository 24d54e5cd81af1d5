"""Installs the checkout, or a wheel of it, into the running environment, and shows the compiler's progress.

While the kernel compiles, pip itself prints either nothing or everything. This program prints a line for each CMake
step, and the full output of pip only if it failed.
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
# Matches Ninja's "[2/5] Building CXX object …" and pip's next steps.
_STEP = re.compile(r"^\s*(?:(\[\d+/\d+\] (?:Building|Linking))|(Installing collected packages):)")


def main() -> int:
    """Run pip and return its exit status."""
    # Without build isolation, only changed parts of the kernel are recompiled, so a change to a Python file costs
    # seconds. Bytecode compilation is skipped because it takes ten seconds for SciPy alone, of which the command
    # imports few modules.
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
