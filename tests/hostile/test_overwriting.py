"""Attacks by outputs that are inputs: no command writes over a file that it reads, under any name."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import carob
from hostile.attack import SOURCES, attacked

TEXTS = ("--queries", "queries.tsv", "--documents", "documents.tsv")


@pytest.fixture(autouse=True)
def made(folder: Path) -> None:
    judged = "".join(f"q{each} 0 a 1\n" for each in range(8))
    for name, text in {
        "many.txt": judged,
        "many.run": judged.replace(" 1\n", " 1 1.5 t\n").replace(" 0 ", " Q0 "),
        "more.run": "".join(f"q{each} Q0 {'ab'[each % 2]} 1 2.5 t\n" for each in range(8)),
        "own.toml": '[policy]\nties = "input"\n',
        "own.py": '"""Imports nothing but a helper."""\nimport helper\n',
        "helper.py": "HELPS = 1\n",
        "cc.csv": "collection,qrels,run,name\nA,qrels.txt,one.run,x\nA,qrels.txt,two.run,y\n"
        "B,many.txt,many.run,x\nB,many.txt,more.run,y\n",
        "cc.toml": '[A]\nqrels = "qrels.txt"\nruns = {x = "one.run", y = "two.run"}\n'
        '[B]\nqrels = "many.txt"\nruns = {x = "many.run", y = "more.run"}\n',
        "weights.txt": "q1 1\nq2 2\n",
        "groups.txt": "q1 a\nq2 b\n",
        "queries.tsv": "q1\ttea\nq2\tmilk\n",
        "documents.tsv": "a\tgreen\nb\tblack\nc\twhite\n",
        "rules.txt": "Be kind.\n",
        "template.txt": "{query} {document}\n",
        "pairs.csv": "query,document,grade\nq1,a,\nq2,b,\n",
        "saved.csv": "query,document,grade\nq1,a,1\n",
        "deep.run": "".join(f"q1 Q0 d{each} {each} {9 - each} t\n" for each in range(1, 9)),
        "exclude.txt": "q1 z\n",
    }.items():
        Path(name).write_text(text)
    carob.record(carob.evaluate("qrels.txt", "one.run", "AP"), "base.json")


EVAL = ("eval", "qrels.txt", "one.run", "-m", "AP")
SEVERAL = ("-m", "AP", "--resamples", "100")
# What a command reads in each place, and the option that names its output, which comes last.
WRITES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "a record": ((*EVAL, "--record"), ("qrels.txt", "one.run")),
    "a record under a profile": ((*EVAL, "--profile", "own.toml", "--record"), ("own.toml",)),
    "a record of own measures": ((*EVAL, "--import", "own.py", "--record"), ("own.py", "helper.py")),
    "a record with weights": ((*EVAL, "--weights", "weights.txt", "--record"), ("weights.txt",)),
    "a record without pairs": ((*EVAL, "--exclude", "exclude.txt", "--record"), ("exclude.txt",)),
    "a record of a comparison": (
        ("compare", "qrels.txt", "one.run", "two.run", "-m", "AP", "--by", "groups.txt", "--record"),
        ("qrels.txt", "two.run", "groups.txt"),
    ),
    "a report of collections in a table": (
        ("report", "--collections", "cc.csv", *SEVERAL, "-o"),
        ("cc.csv", "qrels.txt", "two.run", "many.txt", "more.run"),
    ),
    "a report of collections in TOML": (
        ("report", "--collections", "cc.toml", *SEVERAL, "--profile", "own.toml", "-o"),
        ("cc.toml", "qrels.txt", "two.run", "more.run", "own.toml"),
    ),
    "a gate's results": (
        ("gate", "qrels.txt", "two.run", "--baseline", "base.json", "--max-drop", "AP=1", "--junit"),
        ("base.json", "qrels.txt", "two.run"),
    ),
    "documents to judge": (
        ("next", "qrels.txt", "one.run", "deep.run", "-m", "DCG@5", "-o"),
        ("qrels.txt", "one.run"),
    ),
    "a page to judge on": (
        ("judge", "pairs.csv", *TEXTS, "--guidelines", "rules.txt", "--offline"),
        ("pairs.csv", "queries.tsv", "documents.tsv", "rules.txt"),
    ),
    "prompts": (
        ("judge", "pairs.csv", *TEXTS, "--template", "template.txt", "--prompts"),
        ("pairs.csv", "queries.tsv", "documents.tsv", "template.txt"),
    ),
    "collected judgments": (
        ("judge", "--collect", "pairs.csv", "saved.csv", "-o"),
        ("pairs.csv", "saved.csv"),
    ),
    "a ledger": (
        (
            "best",
            "many.txt",
            "many.run",
            "more.run",
            "-m",
            "AP",
            "--profile",
            "own.toml",
            "--hold-out",
            ".4",
            "--open",
        )
        + ("--ledger",),
        ("many.txt", "many.run", "own.toml"),
    ),
}
CASES = [(what, each) for what, (_, inputs) in WRITES.items() for each in inputs]
"""Each output and each of its inputs, under one name or another."""
NEEDS = {"a report of collections in a table": "jinja2", "a page to judge on": "jinja2"}


@pytest.mark.parametrize(
    ("what", "name", "way"),
    [(*case, ("itself", "a hard link", "a symbolic link")[place % 3]) for place, case in enumerate(CASES)],
)
def test_no_command_writes_over_what_it_reads(
    what: str, name: str, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(Path.cwd())  # Python 3.10 remembers the first folder that "." was
    monkeypatch.delitem(sys.modules, "helper", raising=False)
    if what in NEEDS:
        pytest.importorskip(NEEDS[what], reason="a page is not written without it")
    output = {"itself": name, "a hard link": "hard.csv", "a symbolic link": "soft.csv"}[way]
    if way == "a hard link":
        os.link(name, output)
    elif way == "a symbolic link":
        Path(output).symlink_to(name)
    before = Path(name).read_bytes()
    attacked(*WRITES[what][0], output).refused(output)
    assert Path(name).read_bytes() == before


@pytest.mark.parametrize("what", WRITES)
def test_another_file_is_written(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(Path.cwd())  # Python 3.10 remembers the first folder that "." was
    monkeypatch.delitem(sys.modules, "helper", raising=False)
    if what in NEEDS:
        pytest.importorskip(NEEDS[what], reason="a page is not written without it")
    attacked(*WRITES[what][0], "out.csv", most=10**7).answered()
    assert Path("out.csv").stat().st_size


@pytest.mark.parametrize("what", ["a record", "documents to judge", "a ledger", "a gate's results"])
def test_a_link_as_the_name_of_an_output_is_followed_and_stays(what: str, folder: Path) -> None:
    (folder / "there").mkdir()
    target, link = folder / "there" / "target", folder / "link.csv"
    link.symlink_to(target)
    attacked(*WRITES[what][0], link).answered()
    assert link.is_symlink()
    assert target.stat().st_size
    assert [each.name for each in target.parent.iterdir()] == ["target"]


WATCHED = """
import json, os, sys
opened = set()
def watch(event, arguments):
    if event == "open" and isinstance(arguments[0], (str, bytes)) and not (arguments[2] or 0) & 3:
        opened.add(os.path.realpath(os.fsdecode(arguments[0])))
sys.addaudithook(watch)
import carob.output.taken as taken
from carob.cli import main
keep = {}
class Kept(dict):
    def setdefault(self, key, value):
        keep[key] = value
        return super().setdefault(key, value)
once = taken.TAKEN.set
taken.TAKEN = type("T", (), {"set": lambda s, v: once(Kept()), "get": lambda s, i=taken.TAKEN: i.get(),
                             "reset": lambda s, t, i=taken.TAKEN: i.reset(t)})()
try:
    main(sys.argv[1:])
except SystemExit as end:
    print(end.code, file=sys.stderr)
home = os.path.realpath(".") + os.sep
own = [each for each in list(opened) if each.startswith(home) and os.path.isfile(each) and "__pycache__" not in each]
left = [os.path.relpath(each) for each in own if (os.stat(each).st_dev, os.stat(each).st_ino) not in keep]
print(json.dumps([sorted(left), len(own)]), file=sys.stderr)
"""


@pytest.mark.thorough
@pytest.mark.parametrize(
    "what",
    ["a record of own measures", "a report of collections in TOML", "a gate's results", "a page to judge on"],
)
def test_every_file_that_a_command_opens_is_remembered(what: str, folder: Path) -> None:
    if what in NEEDS:
        pytest.importorskip(NEEDS[what], reason="a page is not written without it")
    line = [sys.executable, "-c", WATCHED, *WRITES[what][0], "out.csv"]
    path = os.pathsep.join([SOURCES, str(folder)])
    done = subprocess.run(line, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)
    assert not done.returncode, done.stderr
    left, count = json.loads(done.stderr.splitlines()[-1])
    assert not [each for each in left if each != "out.csv"], done.stderr
    assert count > 1
