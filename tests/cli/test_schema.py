"""The JSON of every command beside the schema that ``carob schema`` prints, and one meaning of the exit status."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import re
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import carob
from carob.cli import COMMANDS
from carob.cli.schema import ANSWER_NO, EXIT_STATUS, RESULTS, result_schemas
from output.test_results import EXAMPLES, made
from strategies import first
from toys import command

if TYPE_CHECKING:
    from collections.abc import Iterator

CHECKOUT = Path(__file__).resolve().parents[2]


def said_about(example: str) -> dict[str, list[str]]:
    """Commands with a result, about the judgments and runs of an example, by what is special about them."""
    folder = CHECKOUT / "examples" / example
    runs = [str(each) for each in sorted((folder / "runs").glob("*.run"))]
    qrels = str(next(each for each in (folder / "qrels.txt", folder / "complete.txt") if each.exists()))
    queries = sorted({line.split()[0] for line in Path(qrels).read_text().splitlines()})
    coffee = CHECKOUT / "examples" / "coffee"
    model, people, drawn = (str(coffee / name) for name in ("model.txt", "people.txt", "documents.csv"))
    roasts = [str(each) for each in sorted((coffee / "runs").glob("*.run"))]
    first = Path(runs[0]).stem
    own = Path(tempfile.mkdtemp())
    for name, value in (("groups", "odd even"), ("weights", "1 2"), ("clusters", "one two three")):
        words = value.split()
        lines = (f"{query} {words[place % len(words)]}" for place, query in enumerate(queries))
        (own / name).write_text("\n".join(lines) + "\n")
    (own / "tags").write_text((own / "groups").read_text() + f"{queries[0]} long\n")
    judged_lines = Path(qrels).read_text().splitlines(keepends=True)
    (own / "half").write_text("".join(judged_lines[::2]))
    several = own / "several"
    for name in ("one", "two", "three"):
        (several / name / "runs").mkdir(parents=True)
        (several / name / "qrels.txt").write_text(Path(qrels).read_text())
        for run in runs:
            (several / name / "runs" / Path(run).name).write_text(Path(run).read_text())
    judged = ["-m", "nDCG@10"]
    with contextlib.redirect_stdout(io.StringIO()):
        command("eval", qrels, runs[0], "-m", "RR", "--record", str(own / "record.json"))
    recorded = Path(own, "record.json").read_text().replace("0.5", "0.25", 1)
    Path(own, "other.json").write_text(recorded)
    compare = ["compare", qrels, *runs, *judged]
    return {
        "check": ["check", qrels, *runs],
        "check of collections": ["check", "--collections", str(several)],
        "check of a pool": ["check", "--pool", qrels, *runs],
        "eval": ["eval", qrels, *runs],
        "eval with queries": ["eval", qrels, runs[0], "-q", "--weights", str(own / "weights")],
        "eval with ties": ["eval", qrels, *runs, "--tie-bounds"],
        "eval with groups": ["eval", qrels, *runs, "--by", str(own / "groups"), "--depth", "5"],
        "eval with tags": ["eval", qrels, *runs, "--by", str(own / "tags")],
        "eval with bounds": ["eval", qrels, *runs, *judged, "--unjudged-bounds", "--max-grade", "3"],
        "eval with a profile": ["eval", qrels, runs[0], "--profile", "trec_eval-9", "--ties", "input"],
        "eval of collections": ["eval", "--collections", str(several), "-q"],
        "eval with a judge": ["eval", "--people", people, "--judge", model, *roasts, *judged],
        "compare": compare,
        "compare two": ["compare", qrels, *runs[:2], "-m", "RR", "-m", "AP", "--family", "all"],
        "compare with a baseline": [*compare, "--baseline", first, "--rope", "0.01", "--margin", "0.1"],
        "compare by groups": [*compare, "--by", str(own / "groups"), "--orders", "--bootstrap"],
        "compare in clusters": [*compare, "--cluster", str(own / "clusters"), "--test", "t"],
        "compare with bounds": [*compare, "--unjudged-bounds", "--max-grade", "3", "--test", "tukey"],
        "compare with a judge": ["compare", "--people", people, "--judge", model, *roasts, *judged],
        "compare with drawn documents": [
            "compare",
            "--people",
            drawn,
            "--judge",
            model,
            *roasts,
            "-m",
            "DCG@10",
        ],
        "compare collections": ["compare", "--collections", str(several), "--rope", "0.01", *judged],
        "explain": ["explain", "AP", qrels, runs[0], "--query", queries[0]],
        "explain grades": ["explain", "nDCG(gain=exp2)@3", "--grades", "2,-,1", "--judged", "2,1,1"],
        "curve": ["curve", qrels, runs[0], "-m", "P", "-m", "IPrec", "-q"],
        "curve of grades": ["curve", "--grades", "1,0,2", "--judged", "2,1", "--at", "1,3"],
        "difference": ["difference", "trec_eval-9", "sklearn", "AP", qrels, runs[0]],
        "difference of grades": [
            "difference",
            "trec_eval-9",
            "sklearn",
            "nDCG@3",
            "--grades",
            "1,0,2",
            "--judged",
            "2,1",
        ],
        "whence": ["whence", "0.3333", "--grades", "0,0,1", "--judged", "1"],
        "whence of a run": ["whence", "0.51", qrels, runs[0], "-m", "nDCG@10"],
        "agreement": ["agreement", str(coffee / "complete.txt"), model, *roasts, *judged],
        "agreement without runs": ["agreement", str(coffee / "complete.txt"), model],
        "beyond": ["beyond", runs[0], "--relevant", qrels, "-m", "nDCG@3", "-m", "NumItems", "-q"],
        "beyond of runs": ["beyond", *runs, "--depth", "3"],
        "plan": ["plan", qrels, *runs, *judged, "--difference", "0.05"],
        "plan of equivalence": [
            "plan",
            qrels,
            *runs[:2],
            *judged,
            "--equivalence",
            "0.05",
            "--baseline",
            first,
        ],
        "next": ["next", str(own / "half"), *runs, "-m", "P@5", "--budget", "3", "--max-grade", "3"],
        "best": ["best", qrels, *runs, *judged, "--resamples", "100", "--variants", "*", "--baseline", first],
        "best held out": ["best", qrels, *runs, *judged, "--resamples", "100", "--hold-out", "0.4"],
        "best of collections": ["best", "--collections", str(several), *judged, "--resamples", "100"],
        "fuse": ["fuse", *runs, "--explain", queries[0], first_document(runs[0])],
        "fuse with tuned weights": ["fuse", *runs[:2], "--tune", "nDCG@10", "--qrels", qrels],
        "correlate": ["correlate", str(coffee / "complete.txt"), model, *roasts, *judged],
        "gate": ["gate", qrels, runs[0], "--min", "nDCG@10=0.1"],
        "gate with a baseline": [
            "gate",
            qrels,
            runs[-1],
            "--baseline",
            runs[0],
            "--max-drop",
            "nDCG@10=0.001",
        ],
        "gate by significance": [
            *("gate", qrels, runs[0], "--baseline", runs[1], "--max-drop", "RR=0.1", "--min", "RR=0.2"),
            *("--decide-by", "significance"),
        ],
        "verify": ["verify", str(own / "record.json"), "--anywhere"],
        "history": ["history", str(own / "record.json"), str(own / "other.json")],
        "verify what differs": ["verify", str(own / "other.json"), "--anywhere"],
    }


def first_document(run: str) -> str:
    """The document in the first line of a run."""
    return Path(run).read_text().split()[2]


def printed(arguments: list[str]) -> dict[str, Any]:
    """What a command writes with ``--format json``."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()) as said:
        status = command(*arguments, "--format", "json")
    out.seek(0)
    text = out.read()
    assert status in (0, 1) or text, (arguments, said.getvalue())
    found: dict[str, Any] = json.loads(text)
    return found


def faults(value: Any, schema: dict[str, Any], place: str = "") -> Iterator[str]:
    """Yields where a value departs from its schema, or has a field of which the schema says nothing."""
    kinds = {dict: "object", list: "array", str: "string", bool: "boolean", int: "integer", float: "number"}
    kind = kinds.get(type(value), "null")
    allowed = schema.get("type", [])
    allowed = {allowed} if isinstance(allowed, str) else {*allowed}
    if allowed and kind not in allowed and not (kind == "integer" and "number" in allowed):
        yield f"{place}: {kind}, not {sorted(allowed)}"
    elif kind == "object" and "properties" in schema:
        own = schema["properties"]
        yield from (f"{place}/{key} is missing" for key in schema.get("required", []) if key not in value)
        yield from (f"{place}/{key} is not described" for key in value if key not in own)
        for key in value.keys() & own.keys():
            yield from faults(value[key], own[key], f"{place}/{key}")
    elif kind in ("object", "array"):
        key = "additionalProperties" if kind == "object" else "items"
        for name, each in value.items() if kind == "object" else enumerate(value):
            yield from faults(each, schema.get(key, {}), f"{place}/{name}")


LINES = said_about("coffee")


@pytest.mark.parametrize("name", LINES)
def test_the_json_of_every_command_has_a_version_and_fits_its_schema(name: str) -> None:
    found = printed(LINES[name])
    assert found["schema"].partition("/")[0] in RESULTS[LINES[name][0]]
    assert [*faults(found, result_schemas()[found["schema"]])] == []


def test_every_command_with_json_is_tried_here_and_every_result() -> None:
    assert {line[0] for line in LINES.values()} == {*RESULTS}
    options = {name: each.get("arguments", {}).get("properties", {}) for name, each in schema_of().items()}
    assert {name for name, its in options.items() if "format" in its} == {*RESULTS}


@pytest.mark.parametrize("name", EXAMPLES)
def test_results_in_python_fit_the_same_schemas(name: str) -> None:
    importlib.import_module("carob.diagnosis.check")  # which one of the examples takes as an attribute
    found = made(name).as_dict()
    assert [*faults(found, result_schemas()[found["schema"]])] == []


def test_the_warnings_of_every_result_have_one_form() -> None:
    schemas = result_schemas().values()
    fields = [each.get("properties", {}) for each in schemas]
    told = [each["warnings"] for each in fields if "warnings" in each]
    assert len(told) > 10
    assert {(*each["items"]["required"],) for each in told} == {("kind", "runs", "sentence", "numbers")}


def test_a_document_that_departs_from_its_schema_is_noticed() -> None:
    found = printed(LINES["gate"])
    schema = result_schemas()[found["schema"]]
    assert [*faults(found | {"passed": "yes"}, schema)] == ["/passed: string, not ['boolean']"]
    assert [*faults(found | {"more": 1}, schema)] == ["/more is not described"]
    del found["checks"][0]["p_corrected"]
    assert [*faults(found, schema)] == ["/checks/0/p_corrected is missing"]


def test_all_is_json_schema_by_its_own_validator() -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="validates schemas")
    validator, whole = jsonschema.Draft202012Validator, schema_printed()
    schemas = [each["arguments"] for each in whole["commands"].values() if "arguments" in each]
    for schema in (*schemas, *whole["formats"].values(), *whole["results"].values()):
        validator.check_schema(schema)
    assert whole["$schema"] == validator.META_SCHEMA["$id"]
    for name in ("gate", "compare", "check", "eval with queries"):
        found = printed(LINES[name])
        validator(whole["results"][found["schema"]]).validate(found)
    given = {"qrels": "qrels.txt", "run": "new.run", "max-drop": ["nDCG@10=0.01"], "alpha": 0.05}
    arguments = validator(whole["commands"]["gate"]["arguments"])
    arguments.validate(given)
    for wrong in (
        {**given, "alpha": 2},
        {**given, "decide-by": "luck"},
        {**given, "maxdrop": 1},
        {"run": "new.run"},
    ):
        assert not arguments.is_valid(wrong), wrong


def test_the_counts_of_a_result_are_described_and_named_after_what_they_count() -> None:
    counts = result_schemas()["Scores/1"]["properties"]["runs"]["items"]["properties"]["counts"]["properties"]
    assert all(each["description"] for each in counts.values())
    assert "relevant" not in counts
    golden = [{"id": "q1", "relevant": ["a", "b", "c"]}, {"id": "q2", "relevant": ["d"]}]
    found = carob.evaluate(golden, {"q1": ["a", "x"], "q2": ["y"]}, ["NumRel", "RR"])
    assert found["NumRel"] == 4
    assert (found.counts.relevant_retrieved, found.counts.found) == (1, 1)


@pytest.mark.long
def test_the_schemas_are_those_of_the_examples() -> None:
    specification = importlib.util.spec_from_file_location(
        "write_schemas", CHECKOUT / "docs" / "write_schemas.py"
    )
    assert specification is not None
    assert specification.loader is not None
    script = importlib.util.module_from_spec(specification)
    sys.modules["write_schemas"] = script
    specification.loader.exec_module(script)
    written = script.FILE.read_text(encoding="utf-8")
    assert written == script.text_of(script.schemas()), (
        "run 'python docs/write_schemas.py' and commit the file"
    )
    old = {"type": "object", "properties": {"p": {"type": "number"}}, "required": ["p"]}
    assert [
        *script.lost(old, {"type": "object", "properties": {"p": {"type": "string"}}, "required": []})
    ] == [
        ": /p is no longer in every document".removeprefix(": "),
        "/p: number is string",
    ]


def schema_of(*names: str) -> dict[str, Any]:
    """The commands of what ``carob schema`` prints."""
    found: dict[str, Any] = schema_printed(*names)["commands"]
    return found


def formats() -> dict[str, Any]:
    """The formats of files that ``carob schema`` prints."""
    printed_ones = schema_printed("golden-set", "results", "carob.toml", "errors")
    assert printed_ones["commands"] == printed_ones["results"] == {}
    assert schema_printed()["formats"] == printed_ones["formats"]
    found: dict[str, Any] = printed_ones["formats"]
    return found


def schema_printed(*names: str) -> dict[str, Any]:
    """What ``carob schema`` prints."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.redirect_stdout(out):
        assert command("schema", *names) == 0
    out.seek(0)
    found: dict[str, Any] = json.loads(out.read())
    return found


def test_arguments_are_those_of_the_help() -> None:
    assert {*schema_of()} == {*COMMANDS}
    own = schema_of("compare")["compare"]["arguments"]["properties"]
    assert own["alpha"] | {"description": ""} == {
        "type": "number",
        "exclusiveMinimum": 0,
        "exclusiveMaximum": 1,
        "flags": ["--alpha"],
        "default": 0.05,
        "description": "",
    }
    assert own["test"]["enum"][0] == "t"
    assert own["bootstrap"]["type"] == "boolean"
    assert own["measure"] | {"description": ""} == {
        "type": "array",
        "items": {"type": "string"},
        "flags": ["-m", "--measure"],
        "description": "",
    }
    assert own["pair"]["maxItems"] == 2
    assert schema_of("gate")["gate"]["arguments"]["required"] == ["qrels"]


def test_the_project_s_file_is_described_by_the_options_that_it_sets() -> None:
    found = formats()["carob.toml"]
    assert {*found["properties"]} == {"measures", "profile", "policy", "columns", "gate"}
    assert found["properties"]["policy"]["properties"]["ties"]["enum"][0] == "trec"
    assert found["properties"]["gate"]["properties"]["alpha"]["exclusiveMaximum"] == 1
    assert "trec_eval-9" in found["properties"]["profile"]["enum"]


@pytest.mark.parametrize(
    "line", ["eval qrels broken.run", "eval qrels gone.run", "eval qrels", "eval qrels far.run -m RR"]
)
def test_lines_on_standard_error_fit_their_schema(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("q 0 a 1\n")
    Path("broken.run").write_text("q Q0 a 1 high t\n")
    Path("far.run").write_text("q Q0 b 1 1 t\n")
    command(*line.split(), "--format", "json")
    lines = capsys.readouterr().err.splitlines()
    assert lines
    for each in lines:
        assert [*faults(json.loads(each), formats()["errors"])] == []


def test_an_unknown_command_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert command("schema", "compair") == 2
    assert "There is no command 'compair'. Did you mean compare?" in capsys.readouterr().err


STATUSES: dict[str, list[tuple[int, str]]] = {
    "check": [(0, "check qrels"), (1, "check qrels tied.run"), (2, "check qrels broken.run")],
    "eval": [(0, "eval qrels clean.run"), (2, "eval qrels broken.run"), (2, "eval qrels")],
    "compare": [(0, "compare qrels clean.run tied.run"), (2, "compare qrels clean.run gone.run")],
    "report": [(2, "report qrels clean.run gone.run")],
    "explain": [(0, "explain AP qrels clean.run --query t01"), (2, "explain AP qrels clean.run --query q9")],
    "beyond": [(0, "beyond clean.run --depth 3"), (2, "beyond gone.run"), (2, "beyond clean.run -m AP")],
    "curve": [(0, "curve qrels clean.run"), (2, "curve qrels gone.run")],
    "difference": [
        (0, "difference trec_eval-9 sklearn AP qrels clean.run"),
        (2, "difference trec_eval-9 none AP qrels clean.run"),
    ],
    "whence": [
        (0, "whence 0.5 --grades 0,1"),
        (0, "whence 0.12345 --grades 0,1"),
        (2, "whence x --grades 0,1"),
    ],
    "agreement": [(0, "agreement qrels qrels2"), (2, "agreement qrels gone")],
    "plan": [
        (0, "plan qrels clean.run other.run --difference 0.1"),
        (2, "plan qrels clean.run other.run --difference x"),
    ],
    "next": [(0, "next qrels clean.run tied.run -m P@60"), (2, "next qrels gone.run")],
    "judge": [(2, "judge gone.csv")],
    "best": [(0, "best qrels clean.run other.run --resamples 50"), (2, "best qrels gone.run")],
    "fuse": [(0, "fuse clean.run tied.run -o -"), (2, "fuse clean.run gone.run -o -")],
    "run": [(0, "run clean.run -o -"), (2, "run gone.run -o -")],
    "correlate": [(2, "correlate qrels gone clean.run tied.run other.run")],
    "gate": [
        (0, "gate qrels clean.run --min RR=0.1"),
        (1, "gate qrels clean.run --min RR=0.99"),
        (2, "gate qrels clean.run"),
        (2, "gate qrels gone.run --min RR=0.1"),
    ],
    "verify": [(0, "verify record.json"), (1, "verify record.json --qrels qrels2"), (2, "verify gone.json")],
    "history": [(0, "history record.json also.json"), (2, "history record.json")],
    "measures": [(0, "measures AP"), (2, "measures XYZ")],
    "profiles": [(0, "profiles"), (2, "profiles none")],
    "cite": [(0, "cite"), (2, "cite -m XYZ")],
    "schema": [(0, "schema gate"), (2, "schema none")],
    "help": [(0, "help gate"), (2, "help none")],
}
"""Each command with a status that it ends with. ``trec-eval`` has those of trec_eval, which its own tests hold."""


def test_the_page_says_what_each_status_means() -> None:
    page = (CHECKOUT / "docs" / "scripts.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| (\d) \| (.*) \|$", page, re.MULTILINE))
    assert rows == {str(code): text for code, text in EXIT_STATUS.items()}
    assert dict(re.findall(r"^\| `carob (\w+)` \| (.*) \|$", page, re.MULTILINE)) == ANSWER_NO


def test_every_command_is_among_them() -> None:
    assert {*STATUSES} == {*COMMANDS} - {"trec-eval"}
    assert {name for name, its in STATUSES.items() if 1 in dict(its)} == {*ANSWER_NO}


@pytest.mark.parametrize(("status", "line"), first([each for its in STATUSES.values() for each in its], 20))
def test_the_exit_status_means_one_thing(
    status: int,
    line: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    tea = CHECKOUT / "examples" / "tea"
    judged, run = ((tea / name).read_text() for name in ("qrels.txt", "runs/feedback.run"))
    Path("qrels").write_text(judged)
    Path("qrels2").write_text(judged.replace(" 3\n", " 2\n"))
    Path("clean.run").write_text(run)
    Path("other.run").write_text((tea / "runs" / "bm25.run").read_text())
    Path("tied.run").write_text((tea / "runs" / "titles.run").read_text())
    Path("broken.run").write_text(run.replace(" 1 ", " 1 high", 1))
    assert command("eval", "qrels", "clean.run", "-m", "RR", "--record", "record.json") == 0
    Path("also.json").write_text(Path("record.json").read_text())
    capsys.readouterr()
    assert command(*line.split()) == status, capsys.readouterr()
    written = capsys.readouterr()
    assert not (status == 2 and not line.startswith("check")) or "carob: " in written.err
    statuses = schema_of(line.split()[0])[line.split()[0]]["exit_status"]
    assert str(status) in statuses
    assert statuses[str(status)].startswith(EXIT_STATUS[status])
