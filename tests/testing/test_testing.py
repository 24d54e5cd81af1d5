"""The plugin for pytest, as a project would use it: in a pytest of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

TESTS = """
import os
import pytest
import carob

def test_one(carob_scores):
    assert carob_scores("qrels.txt", "one.run", ["RR"])["RR"] == 0.75

def test_the_same_scores_again(carob_scores):
    first = carob_scores("qrels.txt", "one.run", ["RR"])
    assert carob_scores("qrels.txt", "one.run", ["RR"]) is first
    assert carob_scores("qrels.txt", "one.run", ["P@1"]) is not first

def test_a_run_that_was_written_anew_is_scored_anew(carob_scores):
    first = carob_scores("qrels.txt", "two.run", ["RR"])["RR"]
    with open("two.run", "a") as file:
        file.write("q1 Q0 a 1 9.0 t\\n")
    assert carob_scores("qrels.txt", "two.run", ["RR"])["RR"] > first

def test_dicts_are_scored_each_time(carob_scores):
    run = {"q": {"b": 2.0, "a": 1.0}}
    assert carob_scores({"q": {"a": 1}}, run, "RR")["RR"] == 0.5
    run["q"]["a"] = 3.0
    assert carob_scores({"q": {"a": 1}}, run, "RR")["RR"] == 1

def test_a_gate(carob_scores):
    scores = carob_scores("qrels.txt", "one.run", ["RR"])
    gate = carob.gate(None, scores, at_least={"RR": 0.9})
    assert gate.passed, str(gate)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "conftest.py").write_text('pytest_plugins = "carob.testing"\n')
    (tmp_path / "test_search.py").write_text(TESTS)
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\nq1 0 b 0\nq2 0 c 1\n")
    (tmp_path / "one.run").write_text("q1 Q0 b 1 2.0 t\nq1 Q0 a 2 1.0 t\nq2 Q0 c 1 1.0 t\n")
    (tmp_path / "two.run").write_text("q1 Q0 b 1 2.0 t\nq2 Q0 c 1 1.0 t\n")
    return tmp_path


def test_files_are_scored_once_a_session_and_shown_in_its_summary(project: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=project,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        check=False,
    )
    assert "1 failed, 4 passed" in done.stdout, done.stdout + done.stderr
    assert "gate FAILED: one, 1 of 1 checks failed" in done.stdout
    summary = done.stdout.split(" carob ")[-1]
    assert "one  0.7500" in summary
    assert "2 queries · policy trec" in summary


def test_a_session_that_does_not_ask_for_it_imports_nothing(tmp_path: Path) -> None:
    (tmp_path / "test_plain.py").write_text(
        "import sys\n\ndef test_it():\n    assert 'carob' not in sys.modules\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=tmp_path,
        check=False,
        capture_output=True,
    )
    assert done.returncode == 0
