"""Attacks by files: damaged, endless, deep, cut short, of another kind than their name says."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest

from hostile.attack import attacked

if TYPE_CHECKING:
    from pathlib import Path

QRELS = "q1 0 a 1\nq1 0 b 0\nq2 0 c 1\n"
RUN = "q1 Q0 b 1 2.0 t\nq1 Q0 a 2 1.0 t\nq2 Q0 c 1 1.0 t\n"


@pytest.fixture
def qrels(tmp_path: Path) -> Path:
    path = tmp_path / "qrels.txt"
    path.write_text(QRELS)
    return path


TRUNCATED = gzip.compress(RUN.encode() * 100)[:-20]

REFUSED = {
    "an archive cut short": ("run.gz", TRUNCATED),
    "an archive of nothing but its magic": ("run.gz", b"\x1f\x8b"),
    "a list of JSON": ("run.json", json.dumps([1, 2]).encode()),
    "an object cut short": ("run.json", b'{"q1": {"a": 1'),
}


@pytest.mark.parametrize("attack", REFUSED)
def test_a_file_that_cannot_be_read_is_refused_by_name(attack: str, qrels: Path, tmp_path: Path) -> None:
    name, content = REFUSED[attack]
    (tmp_path / name).write_bytes(content)
    attacked("eval", qrels, tmp_path / name).refused(name)
