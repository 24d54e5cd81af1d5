"""Tests the tests: each formula times 1.001, one at a time; some test must fail each time.

Run it as ``make mutants``. It leaves with exit code 1 and the names of the survivors if there are any.
"""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from carob.measures import REGISTER

TESTS = Path(__file__).resolve().parent
# The quick suites that know values; the mutation check among them would fail on any mutant and proves nothing.
ARGUMENTS = [
    "-x",
    "-q",
    "-p",
    "no:cacheprovider",
    "--deselect",
    "tests/measures/test_cases.py::test_formula_times_1_001_is_caught",
]


def caught(name: str) -> bool:
    """Whether the tests of measures fail when this formula's values are 1.001 times too large."""
    command = [sys.executable, "-m", "pytest", *ARGUMENTS, "--mutant", name, str(TESTS / "measures")]
    done = subprocess.run(command, cwd=TESTS.parent, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"pytest could not run:\n{done.stdout}{done.stderr}")
    return done.returncode == 1


def main() -> int:
    """Try every measure and report."""
    with ThreadPoolExecutor(2) as pool:
        results = dict(zip(REGISTER, pool.map(caught, REGISTER), strict=True))
    survivors = [name for name, found in results.items() if not found]
    sys.stdout.write(f"{len(results) - len(survivors)} of {len(results)} mutants caught\n")
    sys.stdout.write("".join(f"survived: {name}\n" for name in survivors))
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
