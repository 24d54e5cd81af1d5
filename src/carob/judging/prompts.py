"""Writes prompts that ask a model for grades, and reads the grades in its answers. carob itself calls no model."""

from __future__ import annotations

import hashlib
import json
import re
from importlib.resources import files
from typing import TYPE_CHECKING

from carob.judging.task import id_of
from carob.output.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Container

    from carob.judging.session import JudgingSheet

PLACES = ("query", "details", "title", "document", "grades", "guidelines", "mark")
"""The names that a template may contain in braces."""


def prompts_of(sheet: JudgingSheet, template: str | None = None) -> str:
    """Returns one line with a JSON object for each pair: ``id``, ``query``, ``document`` and ``prompt``.

    All texts are inserted in one pass, so braces in a text stay unchanged. Hidden characters in texts are made visible,
    and carob's own template encloses the document in a mark that the document cannot contain, so a model is less likely
    to read the document as instructions.

    Args:
        sheet: the pairs with their texts.
        template: a text that contains ``{query}`` and ``{document}``, and optionally ``{details}``, ``{title}``,
            ``{grades}``, ``{guidelines}`` and ``{mark}``; None for carob's own template. ``{{name}}`` stands for a
            literal ``{name}``.

    Raises:
        DataError: the template lacks the query or the document, or contains an unknown name in braces.
    """
    if template is None:
        template = (files("carob.judging") / "templates" / "prompt.txt").read_text(encoding="utf-8")
    refuse_other_places(template)
    data = sheet.data()
    lines = []
    for number, item in enumerate(data["items"]):
        query, document = data["queries"][item["query"]], sheet.document(number)
        texts = {
            "query": query["text"],
            "details": query["details"],
            "title": document["title"],
            "document": document["text"],
            "grades": "\n".join(
                f"{grade}: {label}" if label else str(grade) for grade, label in data["grades"]
            ),
            "guidelines": data["guidelines"],
        }
        own = id_of(sheet.task.pairs[sheet.order[number]])
        # The mark is a hash of the text, because no text can be made to contain its own hash.
        texts["mark"] = hashlib.sha256(f"{own}\0{texts['title']}\0{texts['document']}".encode()).hexdigest()[
            :16
        ]
        prompt = filled_template(template, texts)
        found = {"id": own, "query": query["id"], "document": item["id"], "prompt": prompt}
        lines.append(json.dumps(found, ensure_ascii=False) + "\n")
    return "".join(lines)


PLACE = re.compile(r"\{\{(\s*\w[\w.-]*\s*)\}\}|\{(\s*\w[\w.-]*\s*)\}")
"""A name in double braces, which become literal braces, or in single braces. Other braces, as in JSON, are text."""


def refuse_other_places(template: str) -> None:
    """Refuses a template that lacks the query or the document, or contains an unknown name in braces.

    Raises:
        DataError: the query or the document is missing, or a name is unknown.
    """
    for number, line in enumerate(template.splitlines(), 1):
        for found in PLACE.finditer(line):
            if found[2] is not None and found[2] not in PLACES:
                name, known = found[2], ", ".join(f"{{{each}}}" for each in PLACES)
                raise DataError(
                    f"line {number} of the template contains {{{name}}}, which is not one of {known}. Correct the "
                    f"name, or write {{{{{name}}}}} if the model should read {{{name}}} as text."
                )
    names = {found[2] for found in PLACE.finditer(template)}
    for name in ("query", "document"):
        if name not in names:
            raise DataError(
                f"the template does not contain {{{name}}}. Insert it where the text of the {name} belongs."
            )


def filled_template(template: str, texts: dict[str, str]) -> str:
    """Replaces the names in braces with texts. A line is left out if the texts of all its names are empty."""

    def text_at(found: re.Match[str]) -> str:
        return f"{{{found[1]}}}" if found[2] is None else texts[found[2]]

    lines: list[str] = []
    for line in template.splitlines():
        names = [found[2] for found in PLACE.finditer(line) if found[2] is not None]
        if names and not any(texts[name] for name in names):
            continue
        if line or lines[-1:] != [""]:
            lines.append(PLACE.sub(text_at, line))
    return "\n".join(lines) + "\n"


GRADE = re.compile(r"[\s*#>_`]*grade[\s*_`]*[:=][\s*_`]*(\d+)[\s*_`.]*", re.IGNORECASE | re.ASCII)


def grade_in(answer: str, grades: Container[int]) -> int | None:
    """Returns the grade in a model's answer, or None if the grade is missing or unclear.

    The answer must be only a grade, or contain a line such as ``Grade: 2``. Several such lines must contain the same
    grade.

    Example:
        >>> grades = range(4)
        >>> grade_in("2", grades), grade_in("Off topic.\\n**Grade: 0**", grades), grade_in("Grade: 7", grades)
        (2, 0, None)
        >>> grade_in("Grade: 1\\nGrade: 3", grades), grade_in("I would say 2 or 3", grades)
        (None, None)
    """
    alone = re.fullmatch(r"\s*(\d+)\s*", answer, re.ASCII)
    lines = [found[1] for found in map(GRADE.fullmatch, answer.splitlines()) if found]
    found = {alone[1]} if alone else set(lines)
    if len(found) != 1 or len(text := found.pop()) > 1:
        return None
    return int(text) if int(text) in grades else None
