"""Writes src/carob/cli/schemas.json: the JSON Schema of each result, inferred from what tests and commands print.

``python docs/write_schemas.py`` refuses to write a schema in which a field is missing or has another type than before,
unless the ``VERSION`` of the result's class has become larger.
"""

from __future__ import annotations

import json
import re
import sys
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Any

from carob.matching.match import Counts
from carob.output.results import as_warning

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

CHECKOUT = Path(__file__).resolve().parents[1]
FILE = CHECKOUT / "src" / "carob" / "cli" / "schemas.json"
OF_DATA = re.compile(r".*[A-Z@|, ].*|[qt]\d+|new|web|news|u|v|num_rel|bm25|dense|one|odd")
"""Keys of the examples that are names of runs, queries, measures or collections. carob's own keys are lower case."""
MAPS = {"words", "numbers", "by_measure", "undefined", "empty_for", "groups"}
"""Fields whose keys are from the data, although they may look like carob's own."""
TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}


def inferred(values: list[Any], field: str = "") -> dict[str, Any]:
    """Returns the schema of values that occur at the same place of several documents.

    Any floating-point number may be undefined, which is null. An object one of whose keys is from the data maps keys to
    values of one kind.
    """
    found: dict[str, Any] = {}
    if field == "warnings":  # of one form, which results without a warning do not show
        values = [*values, [as_warning("")]]
    types = {TYPES[type(each)] for each in values if type(each) in TYPES}
    if "number" in types:
        types = types - {"integer"} | {"null"}
    objects = [each for each in values if isinstance(each, dict)]
    if objects:
        types |= {"object"}
        found |= inferred_of_objects(objects, field)
    lists = [each for each in values if isinstance(each, list)]
    if lists:
        types |= {"array"}
        items = [item for each in lists for item in each]
        found |= {"items": inferred(items)} if items else {}
    if types <= {"null"}:  # what it is where it is there, no example shows
        return {}
    return {"type": [*sorted(types)] if len(types) > 1 else next(iter(types))} | found


def inferred_of_objects(objects: list[dict[str, Any]], field: str) -> dict[str, Any]:
    """Returns the part of the schema about the keys of objects."""
    keys = list(dict.fromkeys(key for each in objects for key in each))
    if field in MAPS or any(map(OF_DATA.fullmatch, keys)):
        return {"additionalProperties": inferred([value for each in objects for value in each.values()])}
    if not keys:
        return {}
    required = [key for key in keys if all(key in each for each in objects)]
    return {
        "properties": {key: inferred([each[key] for each in objects if key in each], key) for key in keys},
        "required": required,
    }


def described(schema: Any, descriptions: Mapping[str, Mapping[str, str]], field: str = "") -> Any:
    """Returns a schema whose properties have descriptions.

    Args:
        schema: the schema, or a part of it.
        descriptions: those of the properties of an object, by the field that has the object.
        field: the field that the schema is of.
    """
    if isinstance(schema, list):
        return [described(each, descriptions) for each in schema]
    if not isinstance(schema, dict):
        return schema
    said = descriptions.get(field, {})
    own = {key: described(each, descriptions) for key, each in schema.items() if key != "properties"}
    if "properties" in schema:
        own["properties"] = {
            key: described(each, descriptions, key) | ({"description": said[key]} if key in said else {})
            for key, each in schema["properties"].items()
        }
    return {key: own[key] for key in schema}


def arguments_said(kind: type) -> dict[str, str]:
    """Returns what the docstring of a class says about each of its fields."""
    found = re.findall(r"^ {4}(\w+): (.*(?:\n {8}.*)*)", cleandoc(kind.__doc__ or ""), re.MULTILINE)
    return {name: " ".join(said.replace("``", "").split()) for name, said in found}


def schemas() -> dict[str, dict[str, Any]]:
    """Returns the schema of each result by its name and version."""
    sys.path[:0] = [str(CHECKOUT / "tests"), str(CHECKOUT)]
    from cli.test_schema import printed, said_about  # type: ignore[import-not-found]
    from output.test_results import EXAMPLES  # type: ignore[import-not-found]

    documents: dict[str, list[dict[str, Any]]] = {}
    made = (
        make().as_dict() for name, make in EXAMPLES.items() if name != "Report"
    )  # which needs more packages
    for document in (*made, *map(printed, said_about("tea").values())):
        documents.setdefault(document["schema"], []).append(document)
    descriptions = {"counts": arguments_said(Counts)}
    return {name: described(inferred(its), descriptions) for name, its in sorted(documents.items())}


def types_of(schema: dict[str, Any]) -> set[str]:
    """Returns the types that a schema allows, or none if it allows all."""
    types = schema.get("type", [])
    return {types} if isinstance(types, str) else {*types}


def lost(before: dict[str, Any], now: dict[str, Any], place: str = "") -> Iterable[str]:
    """Yields what readers of the earlier schema would miss: a field, or a type that a field may now have besides."""
    types = [types_of(each) for each in (before, now)]
    if types[0] and types[1] - types[0] - {"null"}:
        yield f"{place}: {'/'.join(sorted(types[0]))} is {'/'.join(sorted(types[1]))}"
    for key in before.get("required", []):
        if key not in now.get("required", []):
            yield f"{place}/{key} is no longer in every document"
    for key in before.get("properties", {}).keys() & now.get("properties", {}).keys():
        yield from lost(before["properties"][key], now["properties"][key], f"{place}/{key}")
    for key in ("items", "additionalProperties"):
        if key in before and key in now:
            yield from lost(before[key], now[key], f"{place}/*")


def text_of(found: dict[str, dict[str, Any]]) -> str:
    """Returns the file's text, with a line for each result."""
    lines = (f"{json.dumps(name)}: {json.dumps(each, separators=(',', ':'))}" for name, each in found.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    found = schemas()
    old = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    missed = [each for name in old.keys() & found.keys() for each in lost(old[name], found[name], name)]
    if missed and "--force" not in sys.argv:
        sys.exit("Readers of the JSON would miss this: raise the VERSION of the class:\n" + "\n".join(missed))
    FILE.write_text(text_of(found), encoding="utf-8")
