"""Attacks by a user's own code: formulas that return anything, modules and readers that end the process, ``-OO``."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

import carob
from carob.inputs import READERS
from hostile.attack import SOURCES, asked, attacked

if TYPE_CHECKING:
    from pathlib import Path

RETURNS = {
    "a scalar": ("1.0", "float"),
    "a whole number": ("1", "int"),
    "nothing": ("None", "None"),
    "text": ("'x'", "str"),
    "a list": ("[1.0, 2.0]", "list"),
    "too few": ("np.zeros(1)", "(1,)"),
    "too many": ("np.zeros(7)", "(7,)"),
    "two dimensions": ("np.zeros((2, 2))", "(2, 2)"),
    "a column": ("r.length[:, None]", "(2, 1)"),
    "no dimension": ("np.float64(1)", "()"),
    "complex numbers": ("r.length + 1j", "complex128"),
    "objects": ("r.length.astype(object)", "object"),
    "texts": ("r.length.astype(str)", "<U"),
    "dates": ("np.zeros(2, 'datetime64[s]')", "datetime64"),
    "NaN": ("r.length * np.nan", "gives NaN"),
    "infinity": ("r.length + np.inf", "gives NaN or an infinite number"),
    "the end": ("__import__('sys').exit(0)", "SystemExit"),
    "a failed claim": ("(_ for _ in ()).throw(AssertionError('so'))", "AssertionError: so"),
    "a lack": ("open('/nowhere')", "FileNotFoundError"),
}
OWN = '''
import numpy as np
import carob

@carob.measure("Odd", source="here")
def odd(r):
    """Something odd."""
    return {}
'''


@pytest.mark.parametrize("what", RETURNS)
def test_what_a_formula_returns_is_a_number_for_each_query_or_a_sentence(what: str, folder: Path) -> None:
    value, said = RETURNS[what]
    (folder / "own.py").write_text(OWN.format(value))
    attacked("eval", "qrels.txt", "one.run", "--import", "own.py", "-m", "Odd").refused("Odd", said)
    asked(lambda: carob.evaluate("qrels.txt", "one.run", "Odd")).refused("Odd", said)
    asked(lambda: carob.evaluate_grades([[1, 0], [0, 2]], "Odd")).refused("Odd", said)


@pytest.mark.parametrize(
    "value", ["r.length", "r.length > 1", "r.length.astype(np.float32)", "r.length.astype(int)"]
)
def test_numbers_of_any_type_are_values(value: str, folder: Path) -> None:
    (folder / "own.py").write_text(OWN.format(value))
    attacked("eval", "qrels.txt", "one.run", "--import", "own.py", "-m", "Odd").answered("2 queries")


@pytest.mark.parametrize(
    "code", ["sys.exit()", "sys.exit(0)", "raise SystemExit", "sys.exit('bye')", "exit(3)"]
)
def test_a_module_that_ends_the_process_is_a_sentence(code: str, folder: Path) -> None:
    (folder / "own.py").write_text(f"import sys\n{code}\n")
    attacked("eval", "qrels.txt", "one.run", "--import", "own.py").refused(
        "own.py", "ends the process", "__main__"
    )


@pytest.mark.parametrize("error", [SystemExit(0), SystemExit("bye"), AssertionError("so")])
def test_a_reader_that_ends_the_process_is_a_sentence(
    error: BaseException, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(path: str, kind: str) -> Any:
        del path, kind
        raise type(error)(*error.args)  # another each time: its traceback would hold what the readers hold

    monkeypatch.setitem(READERS, ".odd", read)
    (folder / "a.odd").write_text("x")
    attacked("eval", "qrels.txt", "a.odd").refused("a.odd", type(error).__name__)
    asked(lambda: carob.evaluate("qrels.txt", "a.odd")).refused("a.odd")


@pytest.mark.thorough
def test_without_docstrings_everything_says_the_same(folder: Path) -> None:
    (folder / "own.py").write_text(OWN.format("r.length"))
    for line in (
        "measures AP",
        "explain AP --grades 1,0,1",
        "eval qrels.txt one.run --import own.py -m Odd,AP -q",
    ):
        one, other = (
            subprocess.run(
                [sys.executable, *option, "-m", "carob", *line.split()],
                env={**os.environ, "PYTHONPATH": SOURCES},
                capture_output=True,
                check=False,
            )
            for option in ([], ["-OO"])
        )
        assert (other.returncode, other.stdout, other.stderr) == (one.returncode, one.stdout, one.stderr), (
            line
        )
