"""The comment of a gate on a pull request, and the GitHub Action that writes it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

import carob
from carob.cli import COMMANDS
from carob.testing.comment import MARK, comment_of
from toys import command

CHECKOUT = Path(__file__).resolve().parents[2]
QRELS = {f"q{place}": {"a": 1} for place in range(30)}


def run(ranks: dict[int, int]) -> dict[str, dict[str, float]]:
    """A run in which the relevant document of each query has a rank, 1 unless it is stated."""
    return {
        f"q{place}": {("a" if rank == ranks.get(place, 1) else f"x{rank}"): 9.0 - rank for rank in (1, 2, 3)}
        for place in range(30)
    }


def comment(new: Any, old: Any, made: date | None = None, **limits: Any) -> list[str]:
    """The lines of the comment of a gate, without the first."""
    found = comment_of(carob.gate(QRELS, new, old, limits or {"RR": 0.05}), made)
    assert found.startswith(MARK)
    return found.removeprefix(MARK).splitlines()


GOOD, BAD = run({}), run(dict.fromkeys(range(20), 3))


def test_a_worse_run_is_said_with_the_queries_that_lost_most() -> None:
    lines = comment(BAD, GOOD)
    assert lines[0] == "**gate FAILED: run against run (baseline), 1 of 1 checks failed; decided by mean**"
    assert lines[4].startswith("| FAIL | RR | 1.0000 | 0.5556 | -0.4444 | -0.5")
    assert "### queries that lost most" in lines
    assert "| RR | q0 | 1.0000 | 0.3333 | -0.6667 |" in lines


def test_a_better_run_is_said() -> None:
    lines = comment(GOOD, BAD)
    assert lines[0] == "**gate passed: run against run (baseline), 1 check passed; decided by mean**"
    assert lines[4].startswith("| better | RR | 0.5556 | 1.0000 | +0.4444 | +0.2")
    assert "### queries that lost most" not in lines


def test_a_pass_that_is_not_proven_is_said_with_the_noise() -> None:
    lines = comment(run({0: 2, 1: 3}), run({2: 2, 3: 3, 4: 2}))
    assert lines[0].endswith("1 check passed, not proven; decided by mean**")
    assert lines[4].startswith("| pass, not proven | RR |")
    (noise,) = [line for line in lines if "80% power" in line and "noise" in line]
    assert re.fullmatch(
        r"- RR: 30 queries detect a change of 0\.\d{4} or more with 80% power\. Smaller changes may be noise\.",
        noise,
    )


@pytest.mark.parametrize(("days", "said"), [(0, "today"), (1, "1 day ago"), (34, "34 days ago")])
def test_the_age_of_the_baseline_is_said(days: int, said: str) -> None:
    made = date.today() - timedelta(days)
    lines = comment(GOOD, BAD, made)
    assert f"- The baseline, run (baseline), was made on {made.isoformat()}, {said}." in lines
    assert not [line for line in comment(GOOD, BAD) if "was made on" in line]


def test_ids_are_escaped() -> None:
    odd = {"q|<b>@someone": {"a": 1}, "r": {"a": 1}}
    new, old = ({name: {"x": 2.0, "a": value} for name in odd} for value in (1.0, 3.0))
    text = comment_of(carob.gate(odd, new, old, {"RR": 0.1}))
    assert "<b>" not in text
    assert "@someone" not in text.replace("@<!-- -->someone", "")
    assert r"q\|" in text


def test_the_command_writes_it_in_each_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in (("qrels.json", QRELS), ("good.json", GOOD), ("bad.json", BAD)):
        Path(name).write_text(json.dumps(content))
    line = ["gate", "qrels.json", "bad.json", "--comment", "out.md", "--max-drop", "RR=0.05", "--baseline"]
    assert command(*line, "good.json", "--baseline-date", "2026-01-05") == 1
    assert "was made on 2026-01-05, " in Path("out.md").read_text()
    assert command(*line, "gone.json") == 2
    assert "**gate undecided: no baseline**" in Path("out.md").read_text()
    Path("good.json").write_text("{")
    assert command(*line, "good.json") == 2
    assert "**gate undecided: no verdict**" in Path("out.md").read_text()
    capfd.readouterr()
    assert command(*line, "good.json", "--baseline-date", "yesterday") == 2
    assert "'yesterday' is not a date: write it as in 2026-11-01." in capfd.readouterr().err
    assert command("gate", "qrels.json", "bad.json", "--min", "RR=0.1", "--baseline-date", "2026-01-05") == 2
    assert "--baseline-date needs --comment." in capfd.readouterr().err
    assert command("gate", "qrels.json", "bad.json", "--min", "RR=0.1", "--comment", "qrels.json") == 2
    assert json.loads(Path("qrels.json").read_text()) == QRELS


# ---------------------------------------------------------------- the action


class Repository:
    """A repository with a baseline of some day, and programs in place of carob's command and of GitHub's."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.programs = folder / "repository", folder / "programs"
        self.folder.mkdir()
        self.programs.mkdir()
        self.program("carob", f'exec "{sys.executable}" -m carob "$@"\n')
        # In place of GitHub: lists the comments that are kept, and keeps what is posted.
        self.program(
            "gh",
            f'echo "$@" >>"{folder}/calls"\n'
            f'case "$*" in *--paginate*) cat "{folder}/kept" 2>/dev/null;; '
            f'*) for each; do case "$each" in body=@*) cp "${{each#body=@}}" "{folder}/comment.md"; '
            f'echo 17 >"{folder}/kept";; esac; done;; esac\n',
        )
        self.git("init", "-q")
        for name, content in (
            ("golden.json", QRELS),
            ("old.json", GOOD),
            ("bad.json", BAD),
            ("mixed.json", run({0: 2})),
        ):
            (self.folder / name).write_text(json.dumps(content))
        (self.folder / "broken.json").write_text("{")
        self.git("add", ".")
        self.git("commit", "-q", "-m", "baseline", day="2026-01-05T12:00:00")

    def program(self, name: str, text: str) -> None:
        """Put a program on the PATH."""
        path = self.programs / name
        path.write_text(f"#!/bin/sh\n{text}")
        path.chmod(0o755)

    def git(self, *arguments: str, day: str = "2026-02-01T12:00:00") -> None:
        """Run git as somebody, on some day."""
        who = {f"GIT_{role}_{what}": "x" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        days = {f"GIT_{role}_DATE": day for role in ("AUTHOR", "COMMITTER")}
        subprocess.run(["git", *arguments], cwd=self.folder, check=True, env={**os.environ, **who, **days})

    def gated(self, **inputs: str) -> tuple[int, str]:
        """The status of the action's script, and the comment that GitHub has then."""
        named = {
            "qrels": "golden.json",
            "run": "bad.json",
            "baseline": "old.json",
            "max_drop": "RR=0.05",
            **inputs,
        }
        given = {f"CAROB_{name}": "" for name in ("MIN", "DECIDE_BY")}
        given |= {f"CAROB_{name.upper()}": value for name, value in named.items()}
        system = {
            "PATH": f"{self.programs}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            "GITHUB_ACTION_PATH": str(CHECKOUT),
            "GITHUB_REPOSITORY": "somebody/search",
            "RUNNER_TEMP": str(self.folder.parent),
            "GITHUB_OUTPUT": str(self.folder.parent / "outputs"),
            "CAROB_COMMENT": "true",
            "CAROB_PULL": "5",
        }
        script = str(CHECKOUT / "action" / "gate.sh")
        ran = subprocess.run(
            ["bash", script],
            cwd=self.folder,
            env={**os.environ, **system, **given},
            capture_output=True,
            check=False,
        )
        kept = self.folder.parent / "comment.md"
        return ran.returncode, kept.read_text() if kept.exists() else ran.stderr.decode()


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A made repository."""
    if sys.platform == "win32" or not (CHECKOUT / "action").is_dir() or not shutil.which("git"):
        pytest.skip("the action is a shell script of the checkout, and needs git")
    return Repository(tmp_path)


@pytest.mark.thorough
def test_the_action_comments_once_and_replaces_its_comment(repository: Repository) -> None:
    status, said = repository.gated()
    assert status == 1
    assert said.startswith(f"{MARK}**gate FAILED: bad against old, 1 of 1 checks failed; decided by mean**")
    assert "was made on 2026-01-05, " in said
    calls = (repository.folder.parent / "calls").read_text().splitlines()
    assert [call.split()[2] for call in calls if "--method" in call] == ["POST"]
    status, said = repository.gated(run="mixed.json")
    assert status == 0
    assert "**gate passed: mixed against old" in said
    calls = (repository.folder.parent / "calls").read_text().splitlines()
    assert [call.split()[2] for call in calls if "--method" in call] == ["POST", "PATCH"]
    assert "repos/somebody/search/issues/comments/17" in calls[-1]
    outputs = (repository.folder.parent / "outputs").read_text()
    assert re.findall(r"verdict=(\w+)", outputs) == ["failed", "passed"]


@pytest.mark.thorough
def test_the_action_comments_if_there_is_no_verdict(repository: Repository) -> None:
    status, said = repository.gated(baseline="gone.json")
    assert (status, said.splitlines()[1]) == (2, "**gate undecided: no baseline**")
    status, said = repository.gated(run="broken.json")
    assert (status, said.splitlines()[1]) == (2, "**gate undecided: no verdict**")
    status, said = repository.gated(max_drop="RR=lots")
    assert (status, said.splitlines()[1]) == (2, "**gate undecided: no verdict**")


@pytest.mark.thorough
def test_an_input_is_no_command(repository: Repository) -> None:
    status, _ = repository.gated(
        run="$(touch made).json", min="RR=0.1;touch`touch made`", decide_by='"; touch made; "'
    )
    assert status == 2
    assert not (repository.folder / "made").exists()


@pytest.mark.skipif(not (CHECKOUT / "action.yml").exists(), reason="the action is in a checkout only")
def test_the_action_hands_every_input_to_its_script_as_a_variable() -> None:
    text = (CHECKOUT / "action.yml").read_text()
    inputs = re.findall(r"^  ([\w-]+):\n    description", text.partition("outputs:")[0], re.MULTILINE)
    script = (CHECKOUT / "action" / "gate.sh").read_text()
    assert len(inputs) == 8
    for name in inputs:
        (variable,) = re.findall(rf"(\w+): \$\{{\{{ inputs\.{name} \}}\}}", text)
        assert variable == "GH_TOKEN" or f"${variable}" in script
    assert "${{" not in re.findall(r"^      run: (.*)$", text, re.MULTILINE)[0]


@pytest.mark.skipif(not (CHECKOUT / ".pre-commit-hooks.yaml").exists(), reason="hooks are in a checkout only")
def test_the_hooks_of_pre_commit_are_commands() -> None:
    entries = re.findall(
        r"^  entry: carob (\w+)$", (CHECKOUT / ".pre-commit-hooks.yaml").read_text(), re.MULTILINE
    )
    assert entries == ["check", "gate"]
    assert {*entries} <= {*COMMANDS}
