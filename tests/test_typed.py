"""What mypy and pyright, both strict, say of a user's script: the calls of the README and of the pages' first examples.

The types are those that an editor shows. basedpyright is pyright with Node.js from PyPI.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import carob

if TYPE_CHECKING:
    from collections.abc import Callable

CHECKOUT = Path(__file__).parents[1]
SOURCE = Path(carob.__file__).parents[1]

REVEALED = """
import glob

import carob
from carob.comparison.findings import Contest, Pair
from carob.output.frames import DataFrame
from typing_extensions import assert_type

judged = {"q1": {"d1": 3, "d2": 0, "d3": 1}}
ranked = {"q1": {"d2": 0.9, "d7": 0.8, "d1": 0.1}}
lists = {"q1": ["d2", "d7"]}
assert_type(carob.nDCG, carob.Measure)
assert_type(carob.nDCG(gain="exp2") @ 10, carob.Measure)
assert_type(carob.evaluate("qrels.txt", "bm25.run"), carob.Scores)
assert_type(carob.evaluate(judged, ranked, carob.nDCG @ 10), carob.Scores)
assert_type(carob.evaluate(judged, lists, [carob.nDCG @ 10, "AP"]), carob.Scores)
assert_type(carob.evaluate(judged, carob.Run.of(ranked)), carob.Scores)
assert_type(carob.evaluate("log.parquet"), carob.Scores)
assert_type(carob.evaluate(judged, {"a": ranked, "b": ranked}), carob.ScoresByRun)
assert_type(carob.evaluate(judged, {"a": "a.run", "b": carob.Run.of(ranked)}), carob.ScoresByRun)
assert_type(carob.evaluate(judged, [ranked, ranked]), carob.ScoresByRun)
assert_type(carob.evaluate(judged, ["a.run", "b.run"]), carob.ScoresByRun)
assert_type(carob.evaluate(judged, sorted(glob.glob("*.run"))), carob.ScoresByRun)
assert_type(carob.evaluate(judged, [carob.Run.of(ranked)]), carob.ScoresByRun)
assert_type(carob.evaluate(judged, ranked)["AP"], float)
assert_type(carob.evaluate(judged, ranked).by_query("AP"), dict[str, float])
assert_type(carob.evaluate(judged, {"a": ranked})["a"]["AP"], float)
found = carob.compare(judged, {"a": ranked, "b": "b.run"}, "RR", test="randomisation")
assert_type(found, carob.Comparison)
assert_type(found["RR"], Contest)
assert_type(found["RR"].pairs[0], Pair)
assert_type(found["RR"].pairs[0].p_uncorrected, float)
test, design = carob.Test("t", correction="bh"), carob.Design(target="these")
tested = carob.compare(judged, ["a.run", "b.run"], test=test, design=design)
assert_type(tested, carob.Comparison)
assert_type(tested.to_frame(), DataFrame)
assert_type(carob.evaluate(judged, ranked).to_frame("queries", "polars"), DataFrame)
assert_type(carob.evaluate(judged, {"a": ranked}).to_frame(), DataFrame)
assert_type(carob.evaluate(judged, carob.evaluate(judged, ranked).to_frame()), carob.Scores)
assert_type(carob.best(carob.evaluate(judged, ["a.run", "b.run"])), carob.Best)
"""

WRONG = """
import carob
carob.anything_at_all
carob.nDCGG @ 10
carob.adapters.pandas
carob.compat.treceval
carob.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, 10)
carob.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, [10])
carob.compare({"q": {"a": 1}}, ["a.run", "b.run"], carob)
carob.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, policies=None)
carob.evaluate({"q": {"a": 1}}, {"a": "a.run"})["a"].by_query(1)
carob.evaluate(1, {"q": {"a": 1.0}})
carob.Policy(ties="sideways")
carob.evaluate("qrels", {"q": {"a": 1.0}}).to_frame() + 1
carob.compare({"q": {"a": 1}}, ["a.run", "b.run"], test="student")
carob.Test("t", correction="holms")
carob.Test(confidence="high")
carob.Design(target="those")
carob.compare_collections("beir", average="mean")
carob.next_judgments(None, {}, order="random")
carob.gate("qrels", "run", decide_by="luck")
carob.agreement("a", "b", pool="mine")
"""

UNTYPED = {
    "extending.md": "its formula has no types",
    "engines.md": "Spark's own types are partial",
    "spark.md": "Spark's own types are partial",
}
UNASKED = ("page_people_and_model.py", 9)
"""The line of an example that takes ``found.judge`` without asking whether there is one, as its reader knows."""


def examples() -> dict[str, str]:
    """Returns the calls of the README and of the page of scores, and the first example of each other page."""
    found = {}
    for page in (CHECKOUT / "README.md", *sorted((CHECKOUT / "docs").glob("*.md"))):
        blocks = re.findall(
            r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
        )
        if blocks and page.name not in UNTYPED and not page.name.endswith(".zh-CN.md"):
            name = page.stem.replace("-", "_")
            found[f"page_{name}"] = "".join(blocks if name in ("README", "eval") else blocks[:1])
    return found


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scripts")
    for name, text in {**examples(), "revealed": REVEALED, "wrong": WRONG}.items():
        folder.joinpath(f"{name}.py").write_text(text.lstrip(), encoding="utf-8")
    return folder


def mypy(folder: Path) -> list[tuple[str, int, str]]:
    pytest.importorskip("mypy", reason="needs mypy")
    # What the scripts import of these has no part in what they ask; to read all of PyTorch takes half a minute.
    folder.joinpath("mypy.ini").write_text(
        "[mypy]\n[mypy-torch.*,jax.*,keras.*,pyspark.*,transformers.*,lightning.*]\nfollow_imports = skip\n"
    )
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--show-absolute-path",
        *map(str, folder.glob("*.py")),
    ]
    # mypy finds an installed carob, and refuses site-packages as its path. In the checkout's folder, its settings would
    # report the package's own files, which have errors with NumPy 2.2, the last release for Python 3.10.
    installed = SOURCE.name == "site-packages"
    env = {"PATH": ""} if installed else {"PATH": "", "MYPYPATH": str(SOURCE)}
    folder = folder if installed else CHECKOUT
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, env=env)
    lines = re.findall(r"^(.*?):(\d+): error: (.*)$", done.stdout, re.MULTILINE)
    assert lines, done.stdout + done.stderr
    return [(Path(file).name, int(line), text) for file, line, text in lines]


def pyright(folder: Path) -> list[tuple[str, int, str]]:
    program = shutil.which("basedpyright", path=str(Path(sys.executable).parent)) or shutil.which(
        "basedpyright"
    )
    if program is None:
        pytest.skip("needs basedpyright")
    settings = {"typeCheckingMode": "strict", "pythonPlatform": "Linux"}
    if SOURCE.name != "site-packages":
        settings |= {"extraPaths": [str(SOURCE)]}
    folder.joinpath("pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    command = [program, "--outputjson", "--pythonpath", sys.executable, "--project", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = json.loads(done.stdout)["generalDiagnostics"]
    return [
        (Path(each["file"]).name, each["range"]["start"]["line"] + 1, each["message"])
        for each in found
        if each["severity"] == "error"
    ]


@pytest.mark.long  # half a minute each, of which `make check` holds the package itself to mypy
@pytest.mark.parametrize("checker", [mypy, pyright])
def test_a_users_script_has_true_types_and_its_mistakes_are_found(
    checker: Callable[[Path], list[tuple[str, int, str]]], scripts: Path
) -> None:
    found = checker(scripts)
    assert [each for each in found if each[0] != "wrong.py" and (each[0], each[1]) != UNASKED] == []
    mistaken = {line: text for file, line, text in found if file == "wrong.py"}
    assert set(mistaken) == set(range(2, WRONG.count("\n"))), mistaken
