"""The rules of the house: what a reviewer would repeat stands here as tests."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import karat
from cases import CASES
from karat.measures import REGISTER, parse_measure

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(karat.__file__).parent
CHECKOUT = Path(__file__).resolve().parents[2]
SOURCES = sorted(ROOT.rglob("*.py"))
MODULES = {
    path: ".".join(["karat", *path.relative_to(ROOT).with_suffix("").parts]).removesuffix(".__init__")
    for path in SOURCES
}
TESTS = sorted((CHECKOUT / "tests").rglob("test_*.py"))

# A module imports only from floors above it in this list, or from its own package's files.
FLOORS = [
    ["karat.output.escaping", "karat.inputs.faults", "karat.inputs.signatures"],
    [
        "karat.output.errors",
        "karat.output.chinese",
        "karat._native",
        "karat._version",
        "karat.inputs.cursors",
        "karat.inputs.decompression",
    ],
    [
        "karat.conventions.policy",
        "karat.output.language",
        "karat.output.tables",
        "karat.inputs.sources",
        "karat.lists.rows",
        "karat.output.progress",
        "karat.output.files",
    ],
    ["karat.inputs.ids", "karat.inputs.parallel", "karat.inputs.spill", "karat.output.display"],
    ["karat.inputs.frames", "karat.inputs.id_variants", "karat.inputs.dicts", "karat.inputs.weights"],
    ["karat.inputs.subtopics"],
    ["karat.inputs.files"],
    ["karat.inputs.runs"],
    ["karat.matching.retrieved", "karat.inputs.qrels_run", "karat.matching.ties"],
    ["karat.matching.match", "karat.matching.upside_down", "karat.matching.documents"],
    ["karat.matching.overlap"],
    ["karat.lists", "karat.measures"],
    ["karat.profiles", "karat.comparison.statistics"],
    ["karat.evaluation.score_tables", "karat.diagnosis.explanation"],
    [
        "karat.conventions.request",
        "karat.evaluation.scores",
        "karat.evaluation.formulas",
        "karat.conventions.reference",
    ],
    ["karat.evaluation.engine", "karat.inputs.run_names"],
    ["karat.evaluate"],
    [
        "karat.evaluation.ids",
        "karat.evaluation.curves",
        "karat.diagnosis.difference",
        "karat.diagnosis.explain",
        "karat.comparison",
        "karat.tensors",
    ],
    [
        "karat.comparison.agreement",
        "karat.diagnosis.check",
        "karat.evaluation.beyond_accuracy",
        "karat.testing.records",
        "karat.tensors.meter",
    ],
    ["karat.testing.gates", "karat.reports", "karat.adapters", "karat.testing"],
    ["karat.compat"],
    ["karat.cli"],
    ["karat", "karat.__main__"],
]
# Modules that import one another only for the type checker, or wall off another library.
ONLY_INSIDE_FUNCTIONS = {
    "altair",
    "duckdb",
    "jax",
    "jinja2",
    "matplotlib",
    "narwhals",
    "pandas",
    "polars",
    "pyarrow",
    "pyspark",
    "rich",
    "scipy",
    "torch",
}


def floor(module: str) -> int:
    names = {name: level for level, floor in enumerate(FLOORS) for name in floor}
    while module not in names or (module == "karat"):
        if module == "karat":
            return len(FLOORS) - 1
        module = module.rpartition(".")[0]
    return names[module]


def imports(path: Path, *, top_only: bool = False) -> list[str]:
    """What a file imports, apart from what only the type checker sees."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            node.body = []
    nodes = tree.body if top_only else list(ast.walk(tree))
    found = []
    for node in nodes:
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            inside = [f"{node.module}.{alias.name}" for alias in node.names]
            found += [
                each if each in MODULES.values() or each == "karat._native" else node.module
                for each in inside
            ]
    return found


def check_all(paths: list[Path], breaks: Callable[[Path], object]) -> None:
    """Fail with a line for each file that breaks a rule: a rule is one test, not one for each file."""
    found = {str(path.relative_to(CHECKOUT if path in TESTS else ROOT)): breaks(path) for path in paths}
    offenders = [f"{name}: {what}" for name, what in found.items() if what]
    assert not offenders, "\n".join(["", *offenders])


def test_imports_go_down_only() -> None:
    def above(path: Path) -> list[str]:
        module = MODULES[path]
        return [
            f"imports {each}, which is not below it"
            for each in imports(path)
            if each.startswith("karat")
            and each != "karat._version"
            and each.split(".")[:2] != module.split(".")[:2]
            and floor(each) >= floor(module)
        ]

    check_all(SOURCES, above)


def test_lists_and_measures_do_not_know_each_other() -> None:
    for path, module in MODULES.items():
        for mine, other in (("karat.lists", "karat.measures"), ("karat.measures", "karat.lists")):
            if module.startswith(mine):
                assert not [name for name in imports(path) if name.startswith(other)], module


def test_measures_import_no_array_library() -> None:
    for path, module in MODULES.items():
        if module.startswith("karat.measures"):
            assert not {name.partition(".")[0] for name in imports(path)} & {"numpy", "torch", "jax"}, module


def test_heavy_libraries_are_imported_inside_functions() -> None:
    def heavy(path: Path) -> set[str]:
        return {name.partition(".")[0] for name in imports(path, top_only=True)} & ONLY_INSIDE_FUNCTIONS

    check_all(SOURCES, heavy)


def test_first_line_says_what_the_file_is() -> None:
    def silent(path: Path) -> str:
        docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        first = docstring.partition("\n")[0]
        return "" if first.endswith((".", ":")) else f"the first line is no sentence: {first!r}"

    check_all(SOURCES, silent)


def test_all_names_what_is_there() -> None:
    def wrong(path: Path) -> list[str]:
        if MODULES[path] in ("karat.__main__", "karat._version"):
            return []
        module = importlib.import_module(MODULES[path])
        names = getattr(module, "__all__", None)
        if names is None:
            return ["has no __all__"]
        twice = [f"__all__ names {name} twice" for name, count in Counter(names).items() if count > 1]
        return twice + [
            f"__all__ names {name}, which is absent" for name in names if not hasattr(module, name)
        ]

    check_all(SOURCES, wrong)


def public() -> list[str]:
    return [name for name in karat.__all__ if inspect.isfunction(getattr(karat, name))]


@pytest.mark.parametrize("name", public())
def test_public_functions_say_all_that_a_user_needs(name: str) -> None:
    function = getattr(karat, name)
    text = inspect.getdoc(function) or ""
    if inspect.signature(function).parameters:
        assert "Args:" in text
        assert "Raises:" in text
        documented = set(re.findall(r"^    (\w+): ", text, re.MULTILINE))
        assert set(inspect.signature(function).parameters) <= documented
    assert ">>> " in text


@pytest.mark.parametrize("name", REGISTER)
def test_every_measure_has_a_sentence_a_source_and_a_case(name: str) -> None:
    definition = REGISTER[name]
    assert definition.sentence.endswith((".", ":"))
    assert definition.source
    needs_preferences = definition.takes != "grades"
    assert needs_preferences or any(parse_measure(case.measure).name == name for case in CASES)


def test_the_kernel_knows_no_measure() -> None:
    native = CHECKOUT / "native"
    # A table of judgments is called Judged there, as anywhere.
    words = {name for name in REGISTER if len(name) > 1 and name != "Judged"} | {
        "ndcg",
        "recall",
        "precision",
        "bpref",
        "mrr",
        "dcg",
    }
    for path in [*native.rglob("*.h"), *native.rglob("*.cpp")]:
        text = path.read_text(encoding="utf-8")
        assert not [word for word in words if re.search(rf"\b{word}\b", text)], path


CAN_FAIL = re.compile(
    r"\bassert\b|pytest\.raises|\.check\(|check_\w+\(|\battacked\w*\(|\.refused\(|\.answered\("
)


def test_every_test_can_fail() -> None:
    def idle(path: Path) -> list[str]:
        return [
            f"{node.name} asserts nothing"
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.FunctionDef)
            and node.name.startswith("test_")
            and not CAN_FAIL.search(ast.unparse(node))
        ]

    check_all(TESTS, idle)


def test_no_file_is_named_for_nothing() -> None:
    empty = {"utils", "util", "common", "helpers", "base", "core", "misc", "manager", "handler"}
    assert not [path for path in SOURCES if path.stem in empty]
