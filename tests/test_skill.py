"""The recipes of SKILL.md: each command runs, answers its task, and has the fields that the page names."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

import carob
from carob.cli.schema import result_schemas
from toys import command

CHECKOUT = Path(__file__).resolve().parent.parent
if not (CHECKOUT / "SKILL.md").exists():
    pytest.skip("SKILL.md is in a checkout only", allow_module_level=True)
SKILL = (CHECKOUT / "SKILL.md").read_text(encoding="utf-8")
COMMANDS = [
    line
    for block in re.findall(r"^```sh\n(.*?)^```", SKILL, re.MULTILINE | re.DOTALL)
    for line in block.splitlines()
]
COMMANDS += [each for each in re.findall(r"`(carob [a-z].*?)`", SKILL) if "COMMAND" not in each]
FIELDS = {
    "Comparison/1": "verdict significant contests.*.pairs.*.run contests.*.pairs.*.other contests.*.pairs.*.low "
    "contests.*.pairs.*.difference contests.*.pairs.*.high contests.*.pairs.*.p_corrected "
    "contests.*.pairs.*.significant warnings.*.sentence",
    "Explanation/1": "value lists.*.rank lists.*.grade documents steps",
    "Gate/1": "passed checks.*.kind checks.*.after checks.*.passed checks.*.difference checks.*.reading checks.*.worst",
    "Check/1": "findings.*.severity findings.*.code findings.*.what findings.*.remedy",
    "Scores/1": "runs.*.means runs.*.queries runs.*.counts",
}
"""The fields that the page names, by the schema that must have them."""


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files of the page, in the working directory."""
    tea = CHECKOUT / "examples" / "tea"
    names = {
        "qrels.txt": "qrels.txt",
        "a.run": "runs/bm25.run",
        "b.run": "runs/feedback.run",
        "c.run": "runs/titles.run",
    }
    for name, source in names.items():
        (tmp_path / name).write_bytes((tea / source).read_bytes())
    monkeypatch.chdir(tmp_path)


def answered(line: str) -> tuple[int, Any]:
    """The exit status of a command, and what it prints, as JSON if it is."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.redirect_stdout(out):
        status = command(*shlex.split(line)[1:])
    out.seek(0)
    text = out.read()
    return status, json.loads(text) if text.startswith("{") else text


def test_the_page_is_short_and_its_front_matter_names_it() -> None:
    lines = SKILL.splitlines()
    assert len(lines) <= 50
    assert lines[0] == lines[3] == "---"
    assert lines[1] == "name: carob"
    assert len(COMMANDS) >= 6


@pytest.mark.parametrize("line", COMMANDS)
def test_every_command_answers(line: str) -> None:
    status, found = answered(line)
    assert status == 0
    words = shlex.split(line)
    assert found or Path(words[words.index("-o") + 1]).stat().st_size


def recipe(number: int) -> Any:
    """What the command of a recipe prints."""
    status, found = answered(
        re.search(rf"^\*\*{number}\..*?^```sh\n(.*?)^```", SKILL, re.MULTILINE | re.DOTALL)[1]
    )
    assert status == 0
    return found


def test_the_recipes_answer_their_tasks() -> None:
    best = recipe(1)
    assert (best["best"], best["significant"]) == ("b", False)
    assert {
        (each["run"], each["other"]) for each in best["contests"]["nDCG@10"]["pairs"] if each["significant"]
    } == {
        ("a", "c"),
        ("b", "c"),
    }
    why = recipe(2)
    assert why["value"] == pytest.approx(carob.evaluate("qrels.txt", "a.run", "AP").by_query("AP")["t20"])
    assert len(why["documents"]) == len(why["lists"][0]["grade"])
    gate = recipe(3)
    assert [each["kind"] for each in gate["checks"]] == ["max-drop", "min"]
    assert gate["passed"]
    assert len(gate["checks"][0]["worst"]) == 3
    assert recipe(5)["findings"]


def test_a_gate_that_fails_and_files_that_are_wrong_have_the_status_that_the_page_says() -> None:
    assert answered("carob gate qrels.txt c.run --baseline a.run --max-drop nDCG@10=0.02")[0] == 1
    status, swapped = answered("carob check a.run qrels.txt --format json")
    assert (status, swapped["findings"][0]["code"]) == (2, "swapped")
    Path("d.run").write_text(Path("a.run").read_text().replace(" 0.", " zero.", 1))
    status, faulty = answered("carob check qrels.txt d.run --format json")
    assert status == 2
    assert faulty["findings"][0]["severity"] == "error"


def test_warnings_are_where_the_page_says(capsys: pytest.CaptureFixture[str]) -> None:
    lines = [line.split() for line in Path("a.run").read_text().splitlines()]
    Path("up.run").write_text("".join(" ".join([*row[:4], f"-{row[4]}", row[5]]) + "\n" for row in lines))
    half = ([*row[:2], "pre-" * (int(row[0][1:]) % 2) + row[2], *row[3:]] for row in lines)
    Path("half.run").write_text("".join(" ".join(row) + "\n" for row in half))
    for name in ("up", "half"):
        status, scores = answered(f"carob eval qrels.txt {name}.run --format json")
        assert status == 0
        said = json.loads(capsys.readouterr().err)
        assert said == {"kind": "DataWarning", "message": scores["runs"][0]["warnings"][0]["sentence"]}
        assert answered(f"carob gate qrels.txt c.run --baseline {name}.run --format json") == (2, "")
        capsys.readouterr()
    _, scores = answered("carob eval qrels.txt c.run --format json")
    assert scores["runs"][0]["counts"]["missing"] == ["t19"]
    assert "warnings" not in scores["runs"][0]
    for each in (
        "compare qrels.txt a.run c.run",
        "gate qrels.txt c.run --min AP=0",
        "explain AP qrels.txt a.run --query t20",
        "check qrels.txt a.run",
        "beyond a.run -m NumItems@10",
    ):
        warned = "warnings" in answered(f"carob {each} --format json")[1]
        assert warned == each.startswith(("compare", "gate", "beyond")), each
    (floor,) = answered("carob gate qrels.txt a.run --min nDCG@10=0.5 --format json")[1]["checks"]
    assert (floor["kind"], floor["difference"]) == ("min", None)
    assert floor["after"] == pytest.approx(carob.evaluate("qrels.txt", "a.run", "nDCG@10")["nDCG@10"])


@pytest.mark.parametrize("schema", FIELDS)
def test_every_field_that_the_page_names_is_in_the_schema(schema: str) -> None:
    for path in FIELDS[schema].split():
        own = result_schemas()[schema]
        for step in path.split("."):
            own = (
                (own.get("items") or own["additionalProperties"]) if step == "*" else own["properties"][step]
            )
        assert f"{path.rpartition('.')[2]}" in SKILL


def test_a_frame_with_odd_columns_is_scored_by_the_page_s_lines() -> None:
    pandas = pytest.importorskip("pandas", reason="the recipe is about its frames")
    pytest.importorskip("pyarrow", reason="narwhals reads pandas' frames by it")
    rows = [line.split() for line in Path("a.run").read_text().splitlines()]
    frame = pandas.DataFrame(
        {
            "q_no": [row[0] for row in rows],
            "pid": [row[2] for row in rows],
            "bm": [float(row[4]) for row in rows],
        }
    )
    (code,) = re.findall(r"^```python\n(.*?)^```", SKILL, re.MULTILINE | re.DOTALL)
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(code, {"carob": carob, "frame": frame})
    assert out.getvalue().startswith(
        f"{carob.evaluate('qrels.txt', 'a.run', 'nDCG@10')['nDCG@10']} 24 queries"
    )


def test_llms_txt_links_to_pages_that_exist() -> None:
    links = re.findall(r"\]\((.*?)\)", (CHECKOUT / "llms.txt").read_text(encoding="utf-8"))
    assert len(links) > 8
    assert [each for each in links if not (CHECKOUT / each).exists()] == []
