"""Remedies are arguments in Python and options on the command line: never the other face's words."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import carob
from carob.cli import main
from carob.inputs.qrels import Qrels
from carob.output.errors import (
    DataError,
    Worded,
    command_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SOURCES = Path(carob.__file__).parent
OPTION = re.compile(r"(?<![\w/'-])--[a-z][a-z-]+")
COMMAND = (
    r"'?carob (eval|compare)[^']*'|carob compare --people|carob eval -q --format json"
    r"|spark.archives or --archives"
)
IN_PYTHON = re.compile(
    r"carob\.(Policy|Run|Qrels)\b|(policy|profile|test|correction|looks|difference|norm)=|non_|and judged\b"
)
BOTH = {"Worded", "by_policy", "by_reading"}
"""What is given both wordings."""

TWICE = b"q 0 a 1\nq 0 a 1\n"
RUN = b"q Q0 a 1 1 t\n"


def constants(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The texts of a module but its docstrings, and but what has both wordings."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in BOTH:
            continue
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value
        yield from constants(node)


def other_faces(path: Path) -> bool:
    """Whether a module is of one face alone: the command line with its judging, trec_eval's, or a page's style.

    ``commands.py`` writes commands, which are commands in any face.
    """
    inside = path.relative_to(SOURCES).parts
    return inside[0] in ("__main__.py", "cli", "compat", "judging", "reports") or inside[-1] in (
        "errors.py",
        "commands.py",
    )


def test_no_sentence_names_an_option_unless_it_has_both_wordings() -> None:
    found = [
        f"{path.relative_to(SOURCES)}:{line}: {text}"
        for path in sorted(SOURCES.rglob("*.py"))
        if not other_faces(path)
        for line, text in constants(ast.parse(path.read_text(encoding="utf-8")))
        # A command is a command in any face, and so is an option of Spark.
        if OPTION.search(re.sub(COMMAND, "", text)) and text != "--format json' writes."
    ]
    assert found == []


FILES = {
    "qrels": b"q 0 a 1\n",
    "twice": TWICE,
    "by.topic": b"q 1 a 1\nq 2 b 1\nq 1 a 1\n",
    "run": RUN,
    "again": RUN + RUN,
    "bad": b"q Q0 a 1 x t\n",
    "none": b"",
    "other": b"z Q0 a 1 1 t\n",
    "table.csv": b"topic_nr,what\nq,a\n",
    "two.qrels": b"q 0 a 1\nr 0 a 1\n",
    "groups": b"q g\nr h\n",
    "ranks.csv": b"query,document,position\nq,a,1\n",
    "two.csv": b"query,document,docid,score\nq,a,a,1\n",
}
TWO = {"a": "run", "b": "run"}
LENIENT = carob.Policy(missing="error", overlap="none")
CASES: dict[str, tuple[str, Callable[[], Any]]] = {
    "a document judged twice": ("eval twice run", lambda: carob.evaluate("twice", "run")),
    "a document judged twice for a subtopic": (
        "eval by.topic run -m alphanDCG@5",
        lambda: carob.evaluate("by.topic", "run", "alphanDCG@5"),
    ),
    "a document listed twice": ("eval qrels again", lambda: carob.evaluate("qrels", "again")),
    "a line": ("eval qrels bad", lambda: carob.evaluate("qrels", "bad")),
    "an empty run": ("eval qrels none", lambda: carob.evaluate("qrels", "none")),
    "a missing query": (
        "eval qrels other --missing error --overlap none",
        lambda: carob.evaluate("qrels", "other", policy=LENIENT),
    ),
    "columns": ("eval qrels table.csv", lambda: carob.evaluate("qrels", "table.csv")),
    "columns of judgments": ("eval table.csv run", lambda: carob.evaluate("table.csv", "run")),
    "ranks as scores": (
        "eval qrels ranks.csv --run-columns score=position",
        lambda: carob.Run.of("ranks.csv", score="position"),
    ),
    "a gate": ("gate qrels run", lambda: carob.gate("qrels", "run")),
    "a gate's baseline": (
        "gate qrels run --max-drop RR=0.1",
        lambda: carob.gate("qrels", "run", max_drop={"RR": 0.1}),
    ),
    "variants without a baseline": (
        "best qrels a=run b=run --variants r*",
        lambda: carob.best(carob.evaluate("qrels", {"a": "run", "b": "run"}), variants=["r*"]),
    ),
    "a profile's name": (
        "eval qrels run -m RetrievalMAP",
        lambda: carob.evaluate("qrels", "run", "RetrievalMAP"),
    ),
    "a name elsewhere": ("eval qrels run -m debias", lambda: carob.evaluate("qrels", "run", "debias")),
    "an explanation": ("explain AP qrels run", lambda: carob.explain("AP", "qrels", "run")),
    "a test and a correction": (
        "compare qrels a=run b=run --test tukey --correction bh",
        lambda: carob.compare("qrels", TWO, test=carob.Test("tukey", correction="bh")),
    ),
    "a test and clusters": (
        "compare two.qrels a=run b=run --test wilcoxon --cluster groups -m RR",
        lambda: carob.compare("two.qrels", TWO, "RR", test="wilcoxon", design=carob.Design(cluster="groups")),
    ),
    "looks that fall": (
        "compare qrels a=run b=run --looks 9,5",
        lambda: carob.compare("qrels", TWO, test=carob.Test(looks=(9, 5))),
    ),
    "a norm of ranks": (
        "fuse a=run b=run --method rrf --norm max -o fused",
        lambda: carob.fuse(TWO, method="rrf", norm="max"),
    ),
    "a plan without an aim": ("plan qrels a=run b=run", lambda: carob.plan(carob.evaluate("qrels", TWO))),
    "half a judge": (
        "plan qrels a=run b=run --difference 0.1 --correlation 0.5",
        lambda: carob.plan(carob.evaluate("qrels", TWO), difference=0.1, correlation=0.5),
    ),
    "runs of one name": ("compare qrels run run", lambda: carob.compare("qrels", ["run", "run"])),
}
OPTIONS = {
    "a test and a correction": "--correction bh, or choose --test t or",
    "a test and clusters": "choose --test t, randomisation or",
    "looks that fall": "--looks 9,5: pass",
    "a plan without an aim": "exactly one of --difference, --equivalence and --non-inferiority. For",
    "half a judge": "--correlation and --judged-queries must",
    "a norm of ranks": "leave out --norm max.",
}
"""What the command line says of some of them."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.items():
        Path(name).write_bytes(content)
    return tmp_path


@pytest.mark.parametrize("case", CASES)
def test_each_face_has_its_own_words(case: str, capfd: pytest.CaptureFixture[str]) -> None:
    command, call = CASES[case]
    with pytest.raises(carob.CarobError) as refused:
        call()
    assert not OPTION.search(str(refused.value))
    with pytest.raises(SystemExit) as end:
        main(command.split())
    said = capfd.readouterr().err
    assert end.value.code == 2
    assert not IN_PYTHON.search(said)
    assert OPTIONS.get(case, "") in " ".join(said.split())
    assert isinstance(refused.value.said, Worded) or "=run new=" in said or "carob" in said


def test_a_check_has_the_words_of_its_face(capfd: pytest.CaptureFixture[str]) -> None:
    for files in (["twice", "run"], ["qrels", "again"], ["qrels", "bad"], ["qrels", "table.csv"]):
        found = carob.check(*files)
        remedies = [f"{each.what} {each.effect} {each.remedy}" for each in found]
        assert not [each for each in remedies if OPTION.search(each)]
        with pytest.raises(SystemExit):
            main(["check", *files])
        assert not IN_PYTHON.search(capfd.readouterr().out)


def test_a_run_in_the_place_of_a_table_keeps_both_wordings_on_its_way_up() -> None:
    with pytest.raises(DataError) as refused:
        carob.Run.of("ranks.csv", score="position").match(Qrels.of("qrels").judgments, None)  # type: ignore[arg-type]
    assert str(refused.value).startswith("ranks.csv: The name of column 'position'")
    assert "--run-columns rank=position" in command_of(refused.value.said)
    assert "carob.Run.of(run, rank='position')" in str(refused.value)
