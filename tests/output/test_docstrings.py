"""Docstrings that are shown, with and without ``-OO``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from carob.output import docstrings

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_a_docstring_that_was_dropped_is_read_from_the_source(monkeypatch: pytest.MonkeyPatch) -> None:
    from carob.measures import REGISTER

    formula = REGISTER["AP"].formula
    kept = formula.__doc__
    monkeypatch.setattr(formula, "__doc__", None)
    assert docstrings.docstring_of(formula) == ""
    flags = type("Flags", (), {"optimize": 2})
    monkeypatch.setattr(docstrings, "sys", type("Sys", (), {"flags": flags}))
    assert docstrings.docstring_of(formula).split() == kept.split()
    assert docstrings.docstring_of(len) == len.__doc__
    assert docstrings.docstring_of(eval("lambda: 1")) == ""  # without a source


def test_docstrings_stand_by_the_first_line_of_their_function(tmp_path: Path) -> None:
    source = tmp_path / "own.py"
    source.write_text(
        'import functools\n\n@functools.cache\ndef one():\n    """First."""\n\nasync def two(): ...\n'
    )
    assert docstrings.docstrings_in(str(source)) == {3: "First.", 7: ""}
    broken = tmp_path / "broken.py"
    broken.write_text("def one(:\n")
    assert docstrings.docstrings_in(str(broken)) == docstrings.docstrings_in(str(tmp_path / "none.py")) == {}
