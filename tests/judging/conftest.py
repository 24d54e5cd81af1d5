"""The files of a small task."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from judging.desk import write_files

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A folder with 2 queries and 4 documents of each, which are to be judged."""
    documents = {f"d{number}": f"text {number}" for number in range(4)}
    write_files(tmp_path, {"q1": "green tea", "q2": "红茶"}, documents)
    return tmp_path


@pytest.fixture
def served() -> None:
    """Skips a test where the server's libraries are missing, or where it cannot be stopped as by Ctrl-C."""
    if sys.platform == "win32":
        pytest.skip("stops the server by a signal of POSIX")
    for library in ("jinja2", "waitress", "werkzeug"):
        pytest.importorskip(library, reason="the page needs carob[judge]")
