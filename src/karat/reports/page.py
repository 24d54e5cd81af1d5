"""The HTML page of a report: a single file that loads nothing and runs only its own scripts."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import os
import re
import subprocess
import sys
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from karat.output.errors import DataError
from karat.reports.charts import template

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.abc import Traversable

    from karat.comparison.compare import Comparison


EXPOSED = "window.vegaEmbed = vegaEmbed;"
"""Vega Embed alone is exposed; it brings Vega and Vega-Lite."""
# Isolated (-I), since "-c" alone would import modules from the working folder, which may not be trusted.
# A separate process, since vl_convert holds Python's lock for two seconds, and even Ctrl-C would have to wait.
PROGRAM = """
import sys
_, exposed, *sys.path = sys.argv
import vl_convert
made = f"/* Vega {vl_convert.get_vega_version()}, bundled by vl-convert */", vl_convert.javascript_bundle(exposed)
sys.stdout.buffer.write("\\n".join(made).encode())
"""
SCRIPTS = ("numbers.js", "drawing.js", "lists.js", "page.js")


def refuse_absent() -> None:
    """Checks that the required packages are installed before any work begins.

    Raises:
        DataError: a package is not installed.
    """
    from importlib.util import find_spec

    needed = (
        {"jinja2": "jinja2"}
        if carried().is_file()
        else {"jinja2": "jinja2", "vl_convert": "vl-convert-python"}
    )
    absent = [package for module, package in needed.items() if find_spec(module) is None]
    if absent:
        raise DataError(
            f"A report needs {' and '.join(absent)}, which is not installed here: pip install 'karat[report]'."
        )


def page(data: dict[str, Any], **parts: Any) -> str:
    """Returns the HTML of a report's page.

    Args:
        data: the data of the script.
        parts: the variables of the template.
    """
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    bundle, vega = drawing_library()
    early, own = template("early.js"), f'"use strict";\n(() => {{\n{"".join(map(template, SCRIPTS))}}})();\n'
    scripts = [inert(each) for each in (early, bundle, own)]
    text = environment.from_string(template("page.html")).render(
        **parts,
        data=Markup(script_json(data)),  # noqa: S704 - escaped by script_json
        style=Markup(template("style.css")),  # noqa: S704 - ours
        early=Markup(scripts[0]),  # noqa: S704 - ours
        bundle=Markup(scripts[1]),  # noqa: S704 - Vega's, made inert
        own=Markup(scripts[2]),  # noqa: S704 - ours
        security=security(scripts),
        vega=vega,
    )
    # A UTF-8 page cannot contain an id's bytes that are not UTF-8.
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


def carried() -> Traversable:
    """Returns the path of the drawing library in a wheel, created by ``build_backend/vega.py``."""
    return files("karat.reports") / "templates" / "vega.js.gz"


def drawing_library() -> tuple[str, str]:
    """Returns Vega, Vega-Lite and Vega Embed as one script, and the version of Vega."""
    if carried().is_file():
        script = gzip.decompress(carried().read_bytes()).decode("utf-8")
    else:
        program = [sys.executable, "-I", "-c", PROGRAM, EXPOSED, *filter(None, sys.path)]
        script = subprocess.run(program, check=True, stdout=subprocess.PIPE).stdout.decode("utf-8")  # noqa: S603 - ours
    return script, script.partition(",")[0].removeprefix("/* Vega ")


def security(scripts: Sequence[str]) -> str:
    """Returns the content security policy: the page may run these scripts and its own styles, and load nothing."""
    digests = [hashlib.sha256(script.encode()).digest() for script in scripts]
    allowed = " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; "
        "connect-src 'none'; base-uri 'none'; form-action 'none'"
    )


def inert(script: str) -> str:
    """Returns a script that is escaped so that it cannot end the HTML element around it."""
    return script.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def script_json(data: dict[str, Any]) -> str:
    """Returns JSON that is safe in a script element, since it can neither open nor close a tag."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


def title_of(comparison: Comparison) -> str:
    """Returns the title: the number of runs and the qrels."""
    name = os.path.basename(comparison.qrels_name)
    where = f" on {name}" if name and not name.startswith("<") else ""
    return f"{len(comparison.names)} runs{where}"


def portable(words: Sequence[str]) -> list[str]:
    """Returns the words of a command without private folders, because the page may be shared.

    Relative paths are kept; an absolute path becomes relative to the working folder, or is cut to its last part if it
    is outside.
    """
    return [f"{before}{equals}{near(path)}" for before, equals, path in map(parted, words)]


def parted(word: str) -> tuple[str, str, str]:
    """Splits ``name=path`` or ``--option=path`` into its parts."""
    before, equals, after = word.partition("=")
    return (before, equals, after) if equals and os.path.isabs(after) else ("", "", word)


def near(path: str) -> str:
    """Returns the path without the folders above the working folder."""
    if not os.path.isabs(path):
        return path
    here = os.path.join(os.path.realpath(os.getcwd()), "")
    whole = os.path.realpath(path)
    return (
        os.path.relpath(whole, here)
        if whole.startswith(here)
        else os.path.basename(path.rstrip(os.sep)) or path
    )
