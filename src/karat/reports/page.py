"""The page: everything put into one HTML file that asks nothing of the network and lets nothing else run."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from karat.output.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["page", "refuse_absent", "script_json"]

SCRIPTS = ("numbers.js", "drawing.js", "lists.js", "page.js")
NEEDED = {"altair": "altair", "vl_convert": "vl-convert-python", "jinja2": "jinja2"}


def refuse_absent() -> None:
    """Refuse to begin where a package is not installed.

    Raises:
        DataError: one is not; it says how to install all.
    """
    from importlib.util import find_spec

    absent = [package for module, package in NEEDED.items() if find_spec(module) is None]
    if absent:
        raise DataError(
            f"A report needs {' and '.join(absent)}, not installed here: pip install 'karat[report]'."
        )


def page(data: dict[str, Any], bundle: str, **parts: Any) -> str:
    """The whole file.

    Args:
        data: what the script knows.
        bundle: the drawing library.
        parts: what the template names.
    """
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    early, own = template("early.js"), f'"use strict";\n(() => {{\n{"".join(map(template, SCRIPTS))}}})();\n'
    scripts = [inert(each) for each in (early, bundle, own)]
    text = environment.from_string(template("page.html")).render(
        **parts,
        data=Markup(script_json(data)),  # noqa: S704 - escaped by script_json
        style=Markup(template("style.css")),  # noqa: S704 - ours
        early=Markup(scripts[0]),  # noqa: S704 - ours
        bundle=Markup(scripts[1]),  # noqa: S704 - vl-convert's, made inert
        own=Markup(scripts[2]),  # noqa: S704 - ours
        security=security(scripts),
    )
    # Bytes of an id that are no text have no place in a page of text.
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


def template(name: str) -> str:
    """A file of the templates."""
    return (files("karat.reports") / "templates" / name).read_text(encoding="utf-8")


def security(scripts: Sequence[str]) -> str:
    """What the page may do: run these very scripts, style itself, and nothing else."""
    digests = [hashlib.sha256(script.encode()).digest() for script in scripts]
    allowed = " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; "
        "connect-src 'none'; base-uri 'none'; form-action 'none'"
    )


def inert(script: str) -> str:
    """A script that cannot end the element in which it stands."""
    return script.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def script_json(data: dict[str, Any]) -> str:
    """JSON that can stand in a script element: nothing in it opens or closes a tag."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text
