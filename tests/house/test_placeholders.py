"""Every sentence that is filled in is told the words that it needs, and no others."""

from __future__ import annotations

import ast
from string import Formatter
from typing import TYPE_CHECKING

from carob.output.errors import DataError
from house.sources import ROOT, SOURCES, nodes, parsed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FILLED = {"filled": 1, "refused": 2, "row.refused": 2, "self.refused": 2}
"""The functions that fill in sentences, and how many of their arguments are sentences."""


def dotted(node: ast.expr) -> str:
    """A name or an attribute of a name as it is written, and nothing for what else may be called."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def value_of(file: Path, name: str) -> ast.expr | None:
    """The value of a constant of a module, which may be imported from another one."""
    for node in parsed(file).body:
        if isinstance(node, ast.Assign) and dotted(node.targets[0]) == name:
            return node.value
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("carob."):
            theirs = [each.name for each in node.names if (each.asname or each.name) == name]
            place = ROOT.joinpath(*str(node.module).split(".")[1:])
            source = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
            if theirs and source.exists():
                return value_of(source, theirs[0])
    return None


def texts(file: Path, node: ast.expr) -> Iterator[str]:
    """The sentences that an expression may stand for: itself, a constant, or the values of a dictionary."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.Name) and (value := value_of(file, node.id)) is not None:
        yield from texts(file, value)
    elif isinstance(node, (ast.Subscript, ast.Starred)):
        yield from texts(file, node.value)
    elif isinstance(node, (ast.Dict, ast.Tuple)):
        for each in node.values if isinstance(node, ast.Dict) else node.elts:
            yield from texts(file, each)
    elif isinstance(node, ast.IfExp):
        yield from (*texts(file, node.body), *texts(file, node.orelse))


def words_of(text: str) -> set[str]:
    """The names of the placeholders of a sentence, of those within formats, too."""
    parts = [(word, form) for _, word, form, _ in Formatter().parse(text) if word]
    return {word.partition(".")[0] for word, _ in parts}.union(*(words_of(form or "") for _, form in parts))


def test_each_sentence_is_told_the_words_that_it_needs_and_no_others() -> None:
    count = 0
    for file in SOURCES:
        for node in nodes(file, ast.Call):
            called = dotted(node.func)
            if called not in FILLED:
                continue
            sentences = node.args[: FILLED[called]]
            found = [text for each in sentences for text in texts(file, each)]
            needed = set().union(*map(words_of, found))
            told = {each.arg for each in node.keywords}
            where = f"{file.relative_to(ROOT)}:{node.lineno}"
            count += len(found)
            # One sentence of a family, chosen by its key, need not have the words of all.
            family = any(isinstance(each, ast.Subscript) for one in sentences for each in ast.walk(one))
            if None not in told and not family:
                assert needed <= told, f"{where} lacks words: {needed - told}"
            if "refused" in called:
                assert all(" " in each for each in found), f"{where}: no sentence"
            if found:
                unused = told - needed - {None, "error", *DataError.FIELDS}
                assert not unused, f"{where}: {unused} are told in vain"
    assert count > 300
