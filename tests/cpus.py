"""Runs the tests as other CPUs would: ``make cpus``, or ``make cpus TESTS=tests/laws`` for some of them.

OpenBLAS picks its products of matrices, and NumPy its vector instructions, after the CPU; sums then round differently.
A test that holds on one of them only compares floats more exactly than they are computed.
"""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
from numpy._core import _multiarray_umath

__all__: list[str] = []

# Kinds of CPU that OpenBLAS has code of its own for, from SSE3 to AVX-512.
CORES = (
    ("Prescott", "Nehalem", "Haswell", "SkylakeX")
    if os.uname().machine == "x86_64"
    else ("ARMV8", "NEOVERSEN1")
)


def variants() -> dict[str, dict[str, str]]:
    """Return a name and the environment's variables for each kind of CPU that this one can play."""
    found = {"this CPU": {}}
    able = _multiarray_umath.__cpu_features__
    needs = {"Haswell": "AVX2", "SkylakeX": "AVX512F"}
    found |= {
        f"OpenBLAS for {core}": {"OPENBLAS_CORETYPE": core}
        for core in CORES
        if able.get(needs.get(core, ""), True)
    }
    dispatched = " ".join(each for each in _multiarray_umath.__cpu_dispatch__ if able.get(each))
    if dispatched:
        plain = {"NPY_DISABLE_CPU_FEATURES": dispatched, "OPENBLAS_CORETYPE": CORES[0]}
        found[f"NumPy without {dispatched}"] = plain
    return found


def main(arguments: list[str]) -> int:
    """Run pytest once for each variant; return 1 if any of them fails."""
    status = 0
    print(f"NumPy {np.__version__}", flush=True)
    for name, variables in variants().items():
        command = [sys.executable, "-m", "pytest", "--quiet", "-p", "no:cacheprovider", *arguments]
        ran = subprocess.run(command, env=os.environ | variables, capture_output=True, text=True, check=False)
        lines = ran.stdout.splitlines()
        print(*(line for line in lines if line.startswith(("FAILED", "ERROR"))), sep="\n", end="")
        print(f"{name}: {lines[-1] if lines else ran.stderr}", flush=True)
        status = status or ran.returncode
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
