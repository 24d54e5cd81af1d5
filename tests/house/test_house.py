"""Tests of the project's rules, so that reviewers need not repeat them."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

import pytest

import carob
from carob.measures import REGISTER, parse_measure
from cases import CASES, OF_LISTS
from house.sources import CHECKOUT, ROOT, SOURCES, TESTS, nodes, parsed

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MODULES = {
    path: ".".join(["carob", *path.relative_to(ROOT).with_suffix("").parts]).removesuffix(".__init__")
    for path in SOURCES
}

MAP = (
    (CHECKOUT / "CONTRIBUTING.md")
    .read_text(encoding="utf-8")
    .partition("## The map")[2]
    .partition("The other folders:")[0]
)
ROOMS = re.findall(r"^\| `(\w+)/` \|", MAP, re.MULTILINE)
"""The packages in the map of CONTRIBUTING.md, from the top down."""
# Modules that every package may import, and modules above all packages.
GROUND = {
    "carob._cached",
    "carob._dataclasses",
    "carob._later",
    "carob._native",
    "carob._numpy",
    "carob._version",
}
ROOF = {"carob", "carob.__main__"}
NAMED = {*MODULES.values()} | GROUND
# Modules that import each other only for the type checker, or that isolate another library.
ONLY_INSIDE_FUNCTIONS = {
    "altair",
    "duckdb",
    "jax",
    "jinja2",
    "matplotlib",
    "narwhals",
    "numpy",  # but for carob._numpy, from which every module takes ``np``
    "pandas",
    "polars",
    "pyarrow",
    "pyspark",
    "rich",
    "scipy",
    "torch",
    "waitress",
    "werkzeug",
}


def room(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


@cache
def imports(path: Path, *, top_only: bool = False) -> list[str]:
    """Returns the imports of a file, including those for the type checker. ``top_only`` means those at the top."""
    found = []
    # An import inside an if statement is for the type checker.
    everywhere = [*nodes(path, ast.Import), *nodes(path, ast.ImportFrom)]
    for node in parsed(path).body if top_only else everywhere:
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            inside = [f"{node.module}.{alias.name}" for alias in node.names]
            found += [each if each in NAMED else node.module for each in inside]
    return found


def check_all(paths: list[Path], breaks: Callable[[Path], object]) -> None:
    """Fails with a line for each file that breaks a rule, so that each rule is a single test."""
    found = {str(path.relative_to(CHECKOUT if path in TESTS else ROOT)): breaks(path) for path in paths}
    offenders = [f"{name}: {what}" for name, what in found.items() if what]
    assert not offenders, "\n".join(["", *offenders])


def test_the_map_has_every_room() -> None:
    folders = {path.name for path in ROOT.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert sorted(ROOMS) == sorted(folders)
    assert {path.stem for path in ROOT.glob("*.py")} <= {
        "__init__",
        "__main__",
        "_cached",
        "_dataclasses",
        "_later",
        "_numpy",
        "_version",
    }


def test_the_map_names_every_file() -> None:
    page = (CHECKOUT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w/*]+\.py)` \|", page.partition("### Where is")[2], re.MULTILINE)
    named = [
        path.relative_to(ROOT).as_posix() for row in rows for path in ROOT.glob(row) if path.name[0] != "_"
    ]
    files = [path.relative_to(ROOT).as_posix() for path in SOURCES if path.name[0] != "_"]
    assert sorted(named) == sorted(files), "CONTRIBUTING.md has a line for each file, under 'Where is …?'"


def test_tests_are_in_folders_named_like_the_rooms() -> None:
    folders = {path.parent.name for path in TESTS} - {"tests"}
    assert folders - set(ROOMS) == {"hostile", "house", "laws", "native", "peers"}


def test_imports_go_down_only() -> None:
    def above(path: Path) -> list[str]:
        module = MODULES[path]
        if module in ROOF | GROUND:
            return []
        lower = ROOMS[ROOMS.index(room(module)) :]
        return [
            f"imports {each}, which is not below it"
            for each in imports(path)
            if each.partition(".")[0] == "carob" and each not in GROUND and room(each) not in lower
        ]

    check_all(SOURCES, above)


def test_no_files_import_one_another_in_a_circle() -> None:
    known = set(MODULES.values())
    left = {module: {each for each in imports(path) if each in known} for path, module in MODULES.items()}
    while ends := {
        module for module, its in left.items() if not its & left.keys() or not named_by(module, left)
    }:
        left = {module: its for module, its in left.items() if module not in ends}
    assert not left, "\n".join(
        f"{module}: {', '.join(sorted(its & left.keys()))}" for module, its in left.items()
    )


def named_by(module: str, graph: dict[str, set[str]]) -> list[str]:
    return [each for each, its in graph.items() if module in its]


def test_measures_know_lists_by_their_types_only() -> None:
    for path, module in MODULES.items():
        if module.startswith("carob.measures"):
            assert not [name for name in imports(path, top_only=True) if name.startswith("carob.lists")], (
                module
            )


def test_measures_import_no_array_library() -> None:
    for path, module in MODULES.items():
        if module.startswith("carob.measures"):
            assert not {name.partition(".")[0] for name in imports(path)} & {"numpy", "torch", "jax"}, module


def test_heavy_libraries_are_imported_inside_functions() -> None:
    def heavy(path: Path) -> set[str]:
        return {name.partition(".")[0] for name in imports(path, top_only=True)} & ONLY_INSIDE_FUNCTIONS

    check_all(SOURCES, heavy)


def test_dataclasses_are_made_by_carobs_module() -> None:
    def slow(path: Path) -> list[str]:
        if MODULES[path] == "carob._dataclasses":
            return []
        froms = [node for node in nodes(path, ast.ImportFrom) if node.module == "dataclasses"]
        names = [alias.name for node in froms for alias in node.names]
        return [each for each in names if each == "dataclass"]

    check_all(SOURCES, slow)


def test_no_attribute_is_cached_under_a_lock() -> None:
    def locked(path: Path) -> list[str]:
        if MODULES[path] == "carob._cached":
            return []
        froms = [node for node in nodes(path, ast.ImportFrom) if node.module == "functools"]
        names = [alias.name for node in froms for alias in node.names]
        return [each for each in names if each == "cached_property"]

    check_all(SOURCES, locked)


# Functions whose results are kept between calls, and module-level tables that are filled while carob runs.
CACHED = {
    "callback_class",  # classes that pickling must find again
    "docstrings_in",
    "evaluator_class",
    "known_names",
    "layouts",
    "method_words",
    "metric_class",
    "notation",
    "pointers",
    "own_profile",
    "placements",
    "plugged",
    "signature_of",
    "spellings",
}
FILLED = {"ENGINES", "FAILURES", "READERS", "REGISTER"}


def test_nothing_else_outlives_a_call() -> None:
    def lasting(path: Path) -> list[str]:
        found = [
            f"{node.name} is cached"
            for node in nodes(path, ast.FunctionDef)
            if any(
                re.match(r"(functools\.)?(lru_)?cache\b", ast.unparse(each)) for each in node.decorator_list
            )
            and node.name not in CACHED
        ]
        found += ["global" for _ in nodes(path, ast.Global)]
        for node in parsed(path).body:
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
                target = ast.unparse(node.targets[0] if isinstance(node, ast.Assign) else node.target)
                if re.fullmatch(r"\{\}|\[\]|(dict|set|list|defaultdict)\(\)", ast.unparse(node.value)):
                    found += [f"{target} can be filled"] * (target not in FILLED | {"__all__"})
        return found

    check_all(SOURCES, lasting)


def test_first_line_says_what_the_file_is() -> None:
    def silent(path: Path) -> str:
        docstring = ast.get_docstring(parsed(path)) or ""
        first = docstring.partition("\n")[0]
        return "" if first.endswith((".", ":")) else f"the first line is not a sentence: {first!r}"

    check_all(SOURCES, silent)


def test_all_names_what_is_there() -> None:
    def wrong(path: Path) -> list[str]:
        if MODULES[path] in ROOF | GROUND and MODULES[path] != "carob":
            return []
        module = importlib.import_module(MODULES[path])
        names = getattr(module, "__all__", [])  # a module that only carob imports needs none
        twice = [f"__all__ names {name} twice" for name, count in Counter(names).items() if count > 1]
        return twice + [
            f"__all__ names {name}, which is absent" for name in names if not hasattr(module, name)
        ]

    check_all(SOURCES, wrong)


def public() -> list[str]:
    return [name for name in carob.__all__ if inspect.isfunction(getattr(carob, name))]


@pytest.mark.parametrize("name", public())
def test_public_functions_say_all_that_a_user_needs(name: str) -> None:
    function = getattr(carob, name)
    text = inspect.getdoc(function) or ""
    if inspect.signature(function).parameters:
        assert "Args:" in text
        assert "Raises:" in text
        documented = set(re.findall(r"^    (\w+): ", text, re.MULTILINE))
        assert set(inspect.signature(function).parameters) <= documented
    assert ">>> " in text


@pytest.mark.parametrize("name", OF_LISTS)
def test_every_measure_has_a_sentence_a_source_and_a_case(name: str) -> None:
    definition = REGISTER[name]
    assert definition.sentence.endswith((".", ":"))
    assert definition.source
    needs_preferences = definition.takes != "grades"
    assert needs_preferences or any(parse_measure(case.measure).name == name for case in CASES)


def test_the_kernel_knows_no_measure() -> None:
    native = CHECKOUT / "native"
    # There, as everywhere, a table of judgments is called Judged.
    words = {name for name in OF_LISTS if len(name) > 1 and name != "Judged"} | {
        "ndcg",
        "recall",
        "precision",
        "bpref",
        "mrr",
        "dcg",
    }
    assert all(re.fullmatch(r"\w+", word) for word in words)
    for path in [*native.rglob("*.h"), *native.rglob("*.cpp")]:
        assert not words & {*re.findall(r"\w+", path.read_text(encoding="utf-8"))}, path


CAN_FAIL = re.compile(
    r"\bassert\b|pytest\.raises|\.check\(|check_\w+\(|\battacked\w*\(|\.refused\(|\.answered\("
)


def test_every_test_can_fail() -> None:
    def idle(path: Path) -> list[str]:
        lines = path.read_text(encoding="utf-8").splitlines()
        return [
            f"{node.name} asserts nothing"
            for node in nodes(path, ast.FunctionDef)
            if node.name.startswith("test_")
            and not CAN_FAIL.search("\n".join(lines[node.lineno - 1 : node.end_lineno]))
        ]

    check_all(TESTS, idle)


def test_no_file_is_named_for_nothing() -> None:
    empty = {"utils", "util", "common", "helpers", "base", "core", "misc", "manager", "handler"}
    assert not [path for path in SOURCES if path.stem in empty]


def test_a_name_is_one_classs_and_few_functions() -> None:
    """Python asks for ``__getattr__`` by that name; an overload is the same function."""
    classes: dict[str, set[Path]] = {}
    functions: dict[str, set[Path]] = {}
    for path in SOURCES:
        for node in parsed(path).body:
            if isinstance(node, ast.ClassDef):
                classes.setdefault(node.name, set()).add(path)
            elif isinstance(node, ast.FunctionDef) and not node.name.startswith("__"):
                functions.setdefault(node.name, set()).add(path)
    assert {name: files for name, files in classes.items() if len(files) > 1} == {}
    assert {name: files for name, files in functions.items() if len(files) > 3} == {}


def test_a_constant_is_assigned_once() -> None:
    """A second constant of the same name silently takes the place of the first, for all that is below and above."""
    twice = []
    for path in SOURCES:
        names: list[str] = []
        for node in parsed(path).body:
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            for target in targets:
                parts = target.elts if isinstance(target, ast.Tuple) else [target]
                names += [each.id for each in parts if isinstance(each, ast.Name) and each.id.isupper()]
        twice += [(path.name, name) for name in set(names) if names.count(name) > 1]
    assert twice == []
