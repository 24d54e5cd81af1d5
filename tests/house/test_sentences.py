"""Every sentence that a package asks for is in its catalogue, and is told the words that it needs."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any

import pytest

import carob
from carob.output.files import own_table

SOURCES = Path(carob.__file__).parent
CATALOGUES = {path.parent: own_table(str(path), path.name) for path in SOURCES.rglob("sentences.toml")}


def catalogues_in(file: Path, tree: ast.AST) -> dict[str, Path]:
    """The folder of the catalogue behind each name of a file, made there or imported."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and ast.unparse(node.value) == "Sentences(__file__)":
            found[ast.unparse(node.targets[0])] = file.parent
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("carob."):
            place = SOURCES.joinpath(*node.module.split(".")[1:])
            folder = place if place.is_dir() else place.parent
            names = {each.asname or each.name for each in node.names if each.name in ("say", "sentence")}
            found |= dict.fromkeys(names, folder) if folder in CATALOGUES else {}
    return found


@cache
def trees() -> dict[Path, ast.AST]:
    return {file: ast.parse(file.read_text(encoding="utf-8")) for file in SOURCES.rglob("*.py")}


@cache
def named() -> list[tuple[Path, ast.Call]]:
    """Each call for a sentence by its section and key, with the folder of its catalogue."""
    return [
        (folder, node)
        for file, tree in trees().items()
        for folders in [catalogues_in(file, tree)]
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and (folder := folders.get(ast.unparse(node.func)))
        if all(isinstance(each, ast.Constant) and each.value for each in node.args[:2])
    ]


@cache
def words() -> set[str]:
    """Every string in the code, and the kinds of findings: a key that is composed at run time has a part of them."""
    nodes = (node for tree in trees().values() for node in ast.walk(tree) if isinstance(node, ast.Constant))
    kinds = own_table(str(SOURCES / "diagnosis" / "check" / "kinds.toml"), "kinds.toml")
    return {node.value for node in nodes if isinstance(node.value, str)} | {
        kind for its in kinds.values() for kind in its
    }


def section_and_key(call: ast.Call) -> list[Any]:
    return [each.value for each in call.args[:2] if isinstance(each, ast.Constant)]


def test_each_sentence_that_is_asked_for_by_name_is_there_and_is_told_its_words() -> None:
    assert len(named()) > 100
    for folder, call in named():
        section, key = section_and_key(call)
        text = CATALOGUES[folder][section][key]
        needed = {word.partition(".")[0] for _, word, _, _ in Formatter().parse(text) if word}
        told = {each.arg for each in call.keywords}
        assert None in told or needed <= told, f"{folder.name}: {section}, {key}: {needed - told} not told"


@pytest.mark.parametrize("folder", CATALOGUES, ids=lambda folder: folder.name)
def test_no_sentence_is_left_that_nobody_asks_for(folder: Path) -> None:
    asked = {tuple(section_and_key(call)) for its, call in named() if its == folder}
    left = [
        f"{section}, {key}"
        for section, its in CATALOGUES[folder].items()
        for key in its
        if (section, key) not in asked and words().isdisjoint({key, *re.split("[:_]", key)})
    ]
    assert not left
