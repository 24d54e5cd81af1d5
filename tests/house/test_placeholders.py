"""Every sentence that is filled in is told the words that it needs, and no others."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from string import Formatter
from typing import TYPE_CHECKING

import carob
from carob.output.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCES = Path(carob.__file__).parent
FILLED = {"filled": 1, "refused": 2, "row.refused": 2, "self.refused": 2}
"""The functions that fill in sentences, and how many of their arguments are sentences."""


@cache
def tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


def value_of(file: Path, name: str) -> ast.expr | None:
    """The value of a constant of a module, which may be imported from another one."""
    for node in tree(file).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name:
            return node.value
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("carob."):
            theirs = [each.name for each in node.names if (each.asname or each.name) == name]
            place = SOURCES.joinpath(*str(node.module).split(".")[1:])
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
    for file in SOURCES.rglob("*.py"):
        for node in ast.walk(tree(file)):
            if not isinstance(node, ast.Call) or ast.unparse(node.func) not in FILLED:
                continue
            sentences = node.args[: FILLED[ast.unparse(node.func)]]
            found = [text for each in sentences for text in texts(file, each)]
            needed = set().union(*map(words_of, found))
            told = {each.arg for each in node.keywords}
            where = f"{file.relative_to(SOURCES)}:{node.lineno}"
            count += len(found)
            # One sentence of a family, chosen by its key, need not have the words of all.
            family = any(isinstance(each, ast.Subscript) for one in sentences for each in ast.walk(one))
            if None not in told and not family:
                assert needed <= told, f"{where} lacks words: {needed - told}"
            if "refused" in ast.unparse(node.func):
                assert all(" " in each for each in found), f"{where}: no sentence"
            if found:
                unused = told - needed - {None, "error", *DataError.FIELDS}
                assert not unused, f"{where}: {unused} are told in vain"
    assert count > 300
