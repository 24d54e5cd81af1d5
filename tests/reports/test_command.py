"""``carob report`` as people type it."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

import carob
from carob.cli.compare import report_command
from reports.conftest import RUNS, TEA

CHECKOUT = Path(__file__).resolve().parents[2]
PAGE = CHECKOUT / "docs" / "report.md"
PATIENCE = 60
"""Seconds: a second is meant, on a machine that does nothing else; the resamples would take minutes."""


def test_the_page_about_reports_shows_a_command_that_works(
    report_libraries: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = re.search(r"^carob report (.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert shown
    words = shown[1].replace("\\\n", " ").split()
    files = [each for word in words for each in (RUNS if "*" in word else [word])]
    monkeypatch.chdir(CHECKOUT)
    monkeypatch.setattr("carob.reports.page.drawing_library", lambda: ("window.vegaEmbed = null;", "0"))
    output = tmp_path / "report.html"
    files[files.index("report.html")] = str(output)
    done = CliRunner().invoke(report_command, files, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert "removing the caffeine from tea" in output.read_text(encoding="utf-8")


def test_runs_may_be_named_and_the_page_may_go_to_standard_output(
    report_libraries: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("carob.reports.page.drawing_library", lambda: ("window.vegaEmbed = null;", "0"))
    words = [str(TEA / "qrels.txt"), f"old={RUNS[0]}", f"new={RUNS[1]}", "-o", "-", "--baseline", "old"]
    done = CliRunner().invoke(report_command, [*words, "-m", "AP"], catch_exceptions=False)
    assert done.output.startswith("<!doctype html>")
    assert "baseline: old" in done.output


def test_the_page_names_no_folder_of_whoever_made_it(
    report_libraries: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("carob.reports.page.drawing_library", lambda: ("window.vegaEmbed = null;", "0"))
    home, elsewhere = tmp_path / "home" / "me", tmp_path / "elsewhere"
    (home / "runs").mkdir(parents=True)
    elsewhere.mkdir()
    for run in RUNS[:2]:
        shutil.copy(run, home / "runs")
    shutil.copy(TEA / "qrels.txt", elsewhere)
    shutil.copy(TEA / "queries.jsonl", elsewhere)
    first, second = (str(home / "runs" / Path(run).name) for run in RUNS[:2])
    words = ["report", str(elsewhere / "qrels.txt"), f"old={first}", f"new={second}"]
    words += [f"--queries={elsewhere / 'queries.jsonl'}", "-m", "AP", "-o", str(home / "page.html")]
    monkeypatch.chdir(home)
    monkeypatch.setattr("sys.argv", ["carob", *words])
    done = CliRunner().invoke(report_command, words[1:], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    text = (home / "page.html").read_text(encoding="utf-8")
    assert str(tmp_path) not in text
    made_by = re.search(r"<code>(carob report .*?)</code>", text)
    assert made_by
    assert made_by[1] == (
        "carob report qrels.txt old=runs/bm25.run new=runs/dirichlet.run --queries=queries.jsonl -m AP -o page.html"
    )


def test_a_last_line_says_what_was_written_where_and_how_large(
    report_libraries: None, tmp_path: Path
) -> None:
    output = tmp_path / "report.html"
    command = [sys.executable, "-m", "carob", "report", str(TEA / "qrels.txt"), *RUNS, "-m", "AP"]
    done = subprocess.run([*command, "-o", str(output)], capture_output=True, text=True, check=True)
    assert done.stdout == ""
    assert done.stderr == f"{output}: 4 runs, 24 queries, 1 measure, {output.stat().st_size / 1e6:.1f} MB.\n"


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="there are no pseudo-terminals here")
def test_a_terminal_sees_what_it_waits_for(report_libraries: None, tmp_path: Path) -> None:
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "carob", "report", str(TEA / "qrels.txt"), *RUNS, "-m", "AP"]
    process = subprocess.Popen(
        [*command, "-o", str(tmp_path / "report.html")], stderr=theirs, env={**os.environ, "TERM": "xterm"}
    )
    os.close(theirs)
    said = b""
    with contextlib.suppress(OSError):  # how a terminal ends
        while part := os.read(ours, 4096):
            said += part
    os.close(ours)
    assert process.wait() == 0
    assert b"comparing 4 runs" in said
    assert b"report.html: 4 runs, 24 queries, 1 measure" in said


@pytest.mark.skipif(os.name != "posix", reason="sends a POSIX signal")
@pytest.mark.parametrize("words", ["comparing 12 runs", "examining"])
def test_ctrl_c_is_answered_at_once_and_leaves_the_old_page(
    report_libraries: None, tmp_path: Path, words: str
) -> None:
    """Python hears a signal between two of its own steps: none may last, not in a library either."""
    output = tmp_path / "report.html"
    output.write_text("old")
    program = (
        "import carob.cli.compare as command\n"
        "from contextlib import contextmanager\n"
        "@contextmanager\n"
        "def steps():\n"
        f"    yield lambda said: said.startswith({words!r}) and print(said, flush=True)\n"
        "command.steps = steps\n"
        "from carob.__main__ import main\n"
        "main()\n"
    )
    names = [f"run{number}={RUNS[number % len(RUNS)]}" for number in range(12)]
    command = [sys.executable, "-c", program, "report", str(TEA / "qrels.txt"), *names]
    command += ["-m", "nDCG@10", "-m", "AP", "--resamples", "3000000", "-o", str(output)]
    if words != "comparing 12 runs":
        command[command.index("3000000")] = "100"
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout
    assert process.stderr
    assert process.stdout.readline().startswith(words)
    time.sleep(0.03)  # within the step, which takes a quick machine a quarter of a second
    process.send_signal(signal.SIGINT)
    try:
        process.wait(timeout=PATIENCE)
    finally:
        process.kill()
    assert process.returncode == 130
    assert process.stderr.read().strip() == "carob: interrupted"
    assert output.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["report.html"]
    process.stdout.close()
    process.stderr.close()


def test_groups_come_from_a_file_or_from_standard_input(
    report_libraries: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("carob.reports.page.drawing_library", lambda: ("window.vegaEmbed = null;", "0"))
    lines, output = (
        "".join(f"t{n:02} {'odd' if n % 2 else 'even'}\n" for n in range(1, 25)),
        tmp_path / "page.html",
    )
    path = tmp_path / "kinds.txt"
    path.write_text(lines)
    for given, title in ((str(path), "Groups of queries, by kinds.txt<"), ("-", "Groups of queries<")):
        words = [str(TEA / "qrels.txt"), *RUNS[:2], "-m", "AP", "--by", given, "-o", str(output)]
        done = CliRunner().invoke(report_command, words, input=lines, catch_exceptions=False)
        assert done.exit_code == 0, done.output
        assert title in output.read_text(encoding="utf-8")


def test_one_run_has_a_page_and_none_has_not(report_libraries: None, tmp_path: Path) -> None:
    output, qrels = tmp_path / "report.html", str(TEA / "qrels.txt")
    done = CliRunner().invoke(report_command, [qrels, RUNS[0], "-m", "AP", "-o", str(output)])
    assert done.stderr.startswith(f"{output}: 1 run, 24 queries, 1 measure, ")
    none = CliRunner().invoke(report_command, [qrels, "-o", str(output)])
    assert none.exit_code == 2
    assert "at least one RUN" in none.output
    compared = CliRunner().invoke(report_command, [qrels, RUNS[0], "--test", "sign", "-o", str(output)])
    assert isinstance(compared.exception, carob.PolicyError)
    assert "test has no meaning for a single run" in str(compared.exception)


def test_a_mistake_leaves_the_old_page_and_says_one_sentence(report_libraries: None, tmp_path: Path) -> None:
    output = tmp_path / "report.html"
    output.write_text("old")
    command = [sys.executable, "-m", "carob", "report", str(TEA / "qrels.txt"), RUNS[0], "nowhere.run"]
    done = subprocess.run([*command, "-o", str(output)], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("carob: nowhere.run: No such file")
    assert output.read_text() == "old"
