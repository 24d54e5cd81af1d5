"""Tests of ``carob check`` on the command line: what it prints and how it ends."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from carob.cli import main
from carob.diagnosis.check import KINDS, Check
from carob.diagnosis.check.finding import found
from diagnosis import broken

if TYPE_CHECKING:
    from types import ModuleType

DOCS = Path(__file__).resolve().parents[2] / "docs"


def ended(*arguments: str) -> int:
    with pytest.raises(SystemExit) as left:
        main(["check", *arguments])
    return int(left.value.code or 0)


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str, str]:
    """Judgments, a clean run, and one that lacks queries."""
    made = {
        "qrels.txt": broken.qrels(),
        "clean.run": broken.run(),
        "short.run": broken.run(queries=range(20)),
    }
    for name, text in made.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    qrels, clean, short = (str(tmp_path / name) for name in made)
    return qrels, clean, short


def test_clean_judgments_take_one_line_and_a_clean_run_its_baselines(
    files: tuple[str, str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended(files[0]) == 0
    assert capsys.readouterr().out == "clean\n"
    assert ended(*files[:2]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("Scores of rankings that ignore the query\n")
    assert printed.endswith("\n\nclean\n")


def test_a_warning_exits_with_1_and_with_2_if_strict(
    files: tuple[str, str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended(*files) == 1
    text = capsys.readouterr().out
    assert text.startswith(
        f"warning: missing-queries in {files[2]}\n    5 missing queries counted as 0, of 25 judged queries\n"
    )
    assert text.endswith("\n0 errors, 1 warning\n")
    assert ended("--strict", *files) == 2
    assert ended("--strict", *files[:2]) == 0


@pytest.mark.long
def test_copies_of_runs_are_counted_as_files(
    files: tuple[str, str, str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    copies = []
    for number in range(6):
        for place, kind in enumerate(files[1:]):
            copies.append(tmp_path / f"{number}{place}.run")
            copies[-1].write_text(Path(kind).read_text(encoding="utf-8"), encoding="utf-8")
    assert ended(files[0], *map(str, copies)) == 1
    text = capsys.readouterr().out
    # Six copies each of two runs: the five later ones of each repeat the first, and make 2 * 15 pairs.
    assert "warning: identical-runs in 10 files\n" in text
    assert ended("--format", "json", files[0], *map(str, copies)) == 1
    findings = json.loads(capsys.readouterr().out)["findings"]
    same = [each for each in findings if each["code"] == "identical-runs"]
    assert [each["subject"] for each in same] == [str(each) for each in copies[2:]]
    assert [each["what"].split()[-2] for each in same] == [str(each) for each in copies[:2]] * 5


def test_a_file_that_is_given_twice_is_told(
    files: tuple[str, str, str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    qrels, clean, _ = files
    assert ended(qrels, clean, clean) == 1
    assert (
        f"warning: identical-runs in {clean}\n    the same file was given twice\n" in capsys.readouterr().out
    )
    (tmp_path / "link.run").symlink_to(clean)
    assert ended(qrels, f"a={clean}", f"b={tmp_path / 'link.run'}") == 1
    assert "identical-runs in b\n    the same file was also given as a\n" in capsys.readouterr().out
    (tmp_path / "copy.run").write_bytes(Path(clean).read_bytes())
    assert ended(qrels, clean, str(tmp_path / "copy.run")) == 1
    assert "the same file" not in capsys.readouterr().out


def test_several_findings_about_one_subject_are_not_several_files() -> None:
    finding = found("saturated", "all runs", "a sentence")
    text = Check((finding,) * 4, ("q", "r")).to_text()
    assert text.startswith("note: saturated in all runs\n")


def test_an_error_exits_with_2(files: tuple[str, str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(files[0], files[1], "/nowhere.run") == 2
    assert "No such file" in capsys.readouterr().out


def test_json_and_markdown_are_printed(
    files: tuple[str, str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended("--format", "json", "-m", "P@1", *files) == 1
    document = json.loads(capsys.readouterr().out)
    assert list(document["findings"][0]["values"]["omitted"]) == ["P@1"]
    assert ended("--format", "markdown", *files) == 1
    assert capsys.readouterr().out.startswith("| severity | code |")


def test_standard_input_can_be_read_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended("-", "-") == 2
    assert "can be read only once" in capsys.readouterr().err


def script() -> ModuleType:
    specification = importlib.util.spec_from_file_location("write_checks", DOCS / "write_checks.py")
    assert specification
    assert specification.loader
    module = importlib.util.module_from_spec(specification)
    sys.modules["write_checks"] = module
    specification.loader.exec_module(module)
    return module


def test_the_page_names_every_finding_as_the_table_has_it() -> None:
    module = script()
    text = module.PAGE.read_text(encoding="utf-8")
    assert text == module.page(), "run 'python docs/write_checks.py' and commit docs/check.md"
    assert re.findall(r"^\| `([a-z0-9-]+)` \|", text, re.MULTILINE) == list(KINDS)
