"""``karat report`` as people type it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from click.testing import CliRunner

from karat.cli.reporting import report_command
from reporting.conftest import RUNS, TEA

if TYPE_CHECKING:
    import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
PAGE = CHECKOUT / "docs" / "report.md"


def test_the_page_about_reports_shows_a_command_that_works(
    libraries: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = re.search(r"^karat report (.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert shown
    words = shown[1].replace("\\\n", " ").split()
    files = [each for word in words for each in (RUNS if "*" in word else [word])]
    monkeypatch.chdir(CHECKOUT)
    monkeypatch.setattr("karat.reporting.page.drawing_library", lambda: ("", "0"))
    output = tmp_path / "report.html"
    files[files.index("report.html")] = str(output)
    done = CliRunner().invoke(report_command, files, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert "removing the caffeine from tea" in output.read_text(encoding="utf-8")


def test_runs_may_be_named_and_the_page_may_go_to_standard_output(
    libraries: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("karat.reporting.page.drawing_library", lambda: ("", "0"))
    words = [str(TEA / "qrels.txt"), f"old={RUNS[0]}", f"new={RUNS[1]}", "-o", "-", "--baseline", "old"]
    done = CliRunner().invoke(report_command, [*words, "-m", "AP"], catch_exceptions=False)
    assert done.output.startswith("<!doctype html>")
    assert "baseline: old" in done.output


def test_one_run_is_too_few() -> None:
    done = CliRunner().invoke(report_command, [str(TEA / "qrels.txt"), RUNS[0], "-o", "x.html"])
    assert done.exit_code == 2
    assert "at least two RUNs" in done.output


def test_a_mistake_leaves_the_old_page_and_says_one_sentence(libraries: None, tmp_path: Path) -> None:
    output = tmp_path / "report.html"
    output.write_text("old")
    command = [sys.executable, "-m", "karat", "report", str(TEA / "qrels.txt"), RUNS[0], "nowhere.run"]
    done = subprocess.run([*command, "-o", str(output)], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("karat: Cannot read nowhere.run")
    assert output.read_text() == "old"
