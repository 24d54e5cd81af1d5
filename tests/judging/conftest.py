"""The files of a small task."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from judging.desk import skip_without_server, write_small_task

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A folder with 2 queries and 4 documents of each, which are to be judged."""
    write_small_task(tmp_path)
    return tmp_path


@pytest.fixture
def served() -> None:
    """Skips a test where the server's libraries are missing, or where it cannot be stopped as by Ctrl-C."""
    skip_without_server()
