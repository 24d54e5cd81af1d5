"""A service's golden set in JSON, from its first evaluation to a gate: no option for columns, no Python."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest

from carob.cli import COMMANDS, commands
from cli.test_schema import faults, formats
from toys import command

CHECKOUT = Path(__file__).resolve().parents[2]
GOLDEN = CHECKOUT / "examples" / "golden"
if not GOLDEN.is_dir():
    pytest.skip("examples/ is in a checkout only", allow_module_level=True)
SET, OLD, NEW = (str(GOLDEN / f"{name}.json") for name in ("golden", "old", "new"))


def readers_of_judgments() -> list[str]:
    listed = [(name, commands.get_command(click.Context(commands), name)) for name in COMMANDS]
    return [name for name, its in listed if its and any(each.name == "qrels_columns" for each in its.params)]


@pytest.mark.parametrize("name", readers_of_judgments())
def test_the_help_of_what_reads_judgments_names_golden_sets(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command(name, "--help")
    text, _, options = " ".join(capsys.readouterr().out.split()).partition(" Options: ")
    assert "or of fields in a golden set" in options
    if name in ("eval", "compare", "report", "check"):
        assert "or a golden set and its results in JSON" in text


def test_the_page_on_files_shows_both_shapes_of_results_and_tags() -> None:
    """The tests of the pages run its commands."""
    text = (CHECKOUT / "docs" / "files.md").read_text(encoding="utf-8")
    section = text.partition("## Golden sets\n")[2].partition("\n## ")[0]
    shapes = ('{"q1": ["d3", "d1"], ', '{"id": "q1", "results": [{"id": "d3", "score": 0.5}, ')
    for shown in (*shapes, "golden.json old.json new.json -m RR --by tags\n"):
        assert shown in section


def test_a_baseline_alone_makes_a_gate_of_a_golden_set(capfd: pytest.CaptureFixture[str]) -> None:
    assert command("gate", SET, NEW, "--baseline", OLD, "--format", "json") == 1
    found = json.loads(capfd.readouterr().out)
    (check,) = found["checks"]
    assert (found["run"], found["baseline"], found["decide_by"]) == ("new", "old", "significance")
    assert (check["label"], check["kind"], check["limit"]) == ("nDCG@10", "max-drop", 0.0)
    told = (
        "no tolerance was given, so it is 0, and only a significant drop fails. With --max-drop nDCG@10=0.01, every "
        "drop of more than 0.01 fails, significant or not"
    )
    assert found["headline"] == "gate FAILED: new against old, 1 of 1 checks failed; decided by significance"
    assert {"kind": "doubt", "runs": [], "sentence": told, "numbers": {}} in found["warnings"]
    assert command("gate", SET, OLD, "--baseline", NEW) == 0  # a rise


def test_a_minimum_needs_no_tolerance_beside_a_baseline(capfd: pytest.CaptureFixture[str]) -> None:
    assert command("gate", SET, OLD, "--baseline", OLD, "--min", "nDCG@10=0.3") == 0
    out = " ".join(capfd.readouterr().out.split())
    assert "nDCG@10 0.6599 is not below 0.3" in out
    assert "2 checks passed; decided: drops by significance, minimums by mean" in out
    assert (
        "no tolerance was given, so it is 0, and only a significant drop fails. With --max-drop nDCG@10"
        in out
    )
    assert command("gate", SET, NEW, "--baseline", OLD, "--min", "nDCG@10=0.3") == 1


def test_a_drop_by_chance_passes_unless_the_mean_decides(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    answers = json.loads(Path(OLD).read_text())
    answers[0]["retrievedIds"].reverse()
    worse = tmp_path / "worse.json"
    worse.write_text(json.dumps(answers))
    assert command("gate", SET, str(worse), "--baseline", OLD) == 0
    assert "not significant" in capfd.readouterr().out
    assert command("gate", SET, str(worse), "--baseline", OLD, "--decide-by", "mean") == 1
    out = capfd.readouterr().out
    assert "A drop fails the gate if it is larger than the tolerance, significant or not." in out
    assert command("gate", SET, str(worse)) == 2
    assert "No limit was passed, so there is nothing to check" in capfd.readouterr().err


def test_both_shapes_give_the_numbers_of_the_run_that_they_were_made_from(
    capfd: pytest.CaptureFixture[str],
) -> None:
    judged = CHECKOUT / "examples" / "tea" / "qrels.txt"
    for answers, run in ((OLD, "bm25"), (NEW, "titles")):
        assert command("eval", SET, answers, "-m", "Success@10", "--format", "json") == 0
        mine = json.loads(capfd.readouterr().out)["runs"][0]["means"]
        its = str(judged.parent / "runs" / f"{run}.run")
        assert command("eval", str(judged), its, "-m", "Success@10", "--format", "json") == 0
        assert mine == json.loads(capfd.readouterr().out)["runs"][0]["means"]


def normal(value: Any) -> Any:
    """A document whose fields are named as the schemas name them: without upper case, separators and other fields."""
    if isinstance(value, list):
        return [normal(each) for each in value]
    if isinstance(value, dict):
        return {
            re.sub(r"[_-]", "", key.lower()): normal(each) for key, each in value.items() if key != "tags"
        }
    return value


def test_the_files_fit_the_formats_that_carob_schema_prints() -> None:
    golden, results = formats()["golden-set"], formats()["results"]
    assert [*faults(normal(json.loads(Path(SET).read_text())), golden)] == []
    assert [*faults(normal(json.loads(Path(OLD).read_text())), results)] == []
    assert [*faults(normal(json.loads(Path(NEW).read_text()))["results"], results)] == []
    assert [*faults([{"id": "q1", "expectedids": "d1"}], golden)] == ["/0/expectedids: string, not ['array']"]
    assert [*faults([{"id": "q1", "answers": ["d1"]}], golden)] == ["/0/answers is not described"]


@pytest.mark.parametrize("shape", ["golden-set", "results"])
def test_every_name_in_the_formats_is_read(
    shape: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    properties = formats()[shape]["items"]["properties"]
    lists = [each["required"][0] for each in formats()[shape]["items"]["anyOf"]]
    (tmp_path / "golden.json").write_text('[{"id": "q", "expectedIds": ["a", "b"]}]')
    (tmp_path / "run.json").write_text('[{"id": "q", "retrievedIds": ["x", "a"]}]')
    name = "golden.json" if shape == "golden-set" else "run.json"
    for field in lists:
        records = "properties" in properties[field]["items"]
        ids = ["a", "b"] if shape == "golden-set" else ["x", "a"]
        number = "grade" if shape == "golden-set" else "score"
        listed = [{"docId": each, number: 2 - place} for place, each in enumerate(ids)] if records else ids
        (tmp_path / name).write_text(json.dumps([{"id": "q", field: listed}]))
        capfd.readouterr()
        both = [str(tmp_path / "golden.json"), str(tmp_path / "run.json")]
        assert command("eval", *both, "-m", "RR", "--format", "json") == 0, (field, capfd.readouterr())
        assert json.loads(capfd.readouterr().out)["runs"][0]["means"] == {"RR": 0.5}, field


def test_the_example_is_what_its_program_writes(tmp_path: Path) -> None:
    (tmp_path / "tea").symlink_to(CHECKOUT / "examples" / "tea", target_is_directory=True)
    (tmp_path / "golden").mkdir()
    program = tmp_path / "golden" / "generate.py"
    program.write_bytes((GOLDEN / "generate.py").read_bytes())
    subprocess.run([sys.executable, str(program)], check=True)
    for path in GOLDEN.glob("*.json"):
        assert (program.parent / path.name).read_bytes() == path.read_bytes()


UNANSWERABLE = {"id": "unanswerable", "question": "What is not in the corpus?", "expectedIds": []}


def as_array(folder: Path, rows: list[Any]) -> Path:
    path = folder / "golden.json"
    path.write_text(json.dumps(rows))
    return path


def as_lines(folder: Path, rows: list[Any]) -> Path:
    path = folder / "golden.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in rows))
    return path


def as_parquet(folder: Path, rows: list[Any]) -> Path:
    polars = pytest.importorskip("polars", reason="writes the file")
    path = folder / "golden.parquet"
    polars.DataFrame([{key: each[key] for key in UNANSWERABLE} for each in rows]).write_parquet(path)
    return path


@pytest.mark.parametrize("write", [as_array, as_lines, as_parquet])
def test_an_unanswerable_question_is_a_query_without_relevant_documents(
    write: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    rows = json.loads(Path(SET).read_text())
    golden = str(write(tmp_path, [*rows[:3], UNANSWERABLE, *rows[3:]]))
    assert command("eval", golden, NEW, "-m", "RR@10") == 0
    assert "1 query without relevant documents" in capfd.readouterr().out
    assert command("eval", golden, NEW, "-m", "RR@10", "--empty", "skip", "--format", "json") == 0
    skipped = json.loads(capfd.readouterr().out)["runs"][0]["means"]
    assert command("eval", SET, NEW, "-m", "RR@10", "--format", "json") == 0
    assert skipped == json.loads(capfd.readouterr().out)["runs"][0]["means"]
    assert command("gate", golden, NEW, "--baseline", NEW) == 0
    assert "without relevant documents" in capfd.readouterr().out


def test_a_fault_in_a_json_array_names_the_row_not_a_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    rows = json.loads(Path(SET).read_text())
    golden = str(as_array(tmp_path, [*rows[:3], {**UNANSWERABLE, "expectedIds": None}]))
    assert command("eval", golden, NEW, "--format", "json") == 2
    error = json.loads(capfd.readouterr().err)
    assert (error["row"], error.get("line")) == (3, None)
    assert (
        "golden.json, row 3 (from 0): query 'unanswerable' has no list in 'expectedIds'" in error["message"]
    )
