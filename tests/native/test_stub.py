"""The stub of the kernel has the binding's names, arguments, defaults and plain types."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest

import carob
from carob import _native

STUB = ast.parse(Path(carob.__file__).with_name("_native.pyi").read_text(encoding="utf-8"))
CLASSES = {node.name: node for node in STUB.body if isinstance(node, ast.ClassDef) and node.name[0] != "_"}
FUNCTIONS = {node.name: node for node in STUB.body if isinstance(node, ast.FunctionDef)}
# A type that nanobind prints as Python does; arrays and lists are described better by the stub.
PLAIN = re.compile(r"(int|bool|float|str|bytes|None|carob\._native\.\w+)( \| None)?")

Argument = tuple[str, str, Any]
"""Its name, its type, its default."""


def bound(function: Any) -> tuple[list[Argument], list[Argument], str]:
    """Return the arguments by position, those by keyword, and the type of the result, as nanobind prints them."""
    ((text, _, defaults),) = function.__nb_signature__
    while (flat := re.sub(r"\[[^][]*\]", "", text)) != text:
        text = flat
    arguments, _, result = re.fullmatch(r"(?s)def \w*\s?\((.*)\)( -> (.*))?", text).groups()
    lists: list[list[Argument]] = [[]]
    for each in arguments.split(", "):
        if each in ("*", "/"):
            lists += [[]] if each == "*" else []
            continue
        head, _, place = each.partition(" = ")
        name, _, kind = head.partition(": ")
        lists[-1].append((name, kind, defaults[int(place[1:])] if place else ...))
    return lists[0], lists[1] if len(lists) > 1 else [], result


def written(node: ast.FunctionDef) -> tuple[list[Argument], list[Argument], str]:
    """Return the same of a function of the stub."""

    def told(arguments: list[ast.arg], defaults: list[ast.expr | None]) -> list[Argument]:
        return [
            (
                each.arg,
                ast.unparse(each.annotation) if each.annotation else "",
                ast.literal_eval(value) if value else ...,
            )
            for each, value in zip(arguments, defaults)
        ]

    by_position = [*node.args.posonlyargs, *node.args.args]
    missing = [None] * (len(by_position) - len(node.args.defaults))
    return (
        told(by_position, [*missing, *node.args.defaults]),
        told(node.args.kwonlyargs, node.args.kw_defaults),
        ast.unparse(node.returns) if node.returns else "",
    )


def differences(function: Any, node: ast.FunctionDef) -> list[str]:
    """Return what the stub says otherwise than the binding."""
    found = []
    for ours, theirs in zip(written(node)[:2], bound(function)[:2]):
        if len(ours) != len(theirs):
            return [f"{node.name}: {len(theirs)} arguments, {len(ours)} in the stub"]
        for (name, kind, default), (its_name, its_kind, its_default) in zip(ours, theirs):
            # nanobind calls what has no name arg, arg0, arg1.
            if name != its_name and not its_name.startswith("arg"):
                found.append(f"{node.name}: {its_name} is {name} in the stub")
            if (default, type(default)) != (its_default, type(its_default)):
                found.append(f"{node.name}({name}=): {its_default!r} is {default!r} in the stub")
            found += unlike(f"{node.name}({name}: )", kind, its_kind)
    return found + unlike(f"{node.name} ->", written(node)[2], bound(function)[2])


def unlike(where: str, ours: str, theirs: str) -> list[str]:
    theirs_short = theirs.replace("carob._native.", "")
    return (
        [f"{where} {theirs} is {ours} in the stub"]
        if PLAIN.fullmatch(theirs) and ours != theirs_short
        else []
    )


def test_the_stub_names_what_the_module_has() -> None:
    names = {name for name in dir(_native) if name[0] != "_"}
    assert names == {*CLASSES, *FUNCTIONS}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_has_the_arguments_of_the_stub(name: str) -> None:
    assert differences(getattr(_native, name), FUNCTIONS[name]) == []


@pytest.mark.parametrize(
    "name", [name for name in CLASSES if not issubclass(getattr(_native, name), Exception)]
)
def test_a_class_has_the_members_of_the_stub(name: str) -> None:
    kind = getattr(_native, name)
    members = {node.name: node for node in CLASSES[name].body if isinstance(node, ast.FunctionDef)}
    assert {each for each in vars(kind) if each[0] != "_"} == {each for each in members if each[0] != "_"}
    found = []
    for member, node in members.items():
        value = vars(kind).get(member)
        found += differences(value.fget if isinstance(value, property) else value, node)
    assert found == []
