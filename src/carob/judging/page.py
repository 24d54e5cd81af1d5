"""The judging page as HTML, either served by this machine or as a single offline file with all texts."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from carob._version import __version__
from carob.reports.page import inert, script_json
from carob.reports.page import template as of_report

if TYPE_CHECKING:
    from collections.abc import Iterable


def template(name: str) -> str:
    """Returns the content of a file in ``templates/``."""
    return (files("carob.judging") / "templates" / name).read_text(encoding="utf-8")


def judging_page(data: dict[str, Any], *, connected: bool) -> tuple[str, str]:
    """Returns the HTML of the page, and its content security policy.

    Args:
        data: the data for the page's script.
        connected: whether the page sends judgments to the server that served it; if not, it stores them in the browser.
    """
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    early, own = (inert(each) for each in (of_report("early.js"), template("judge.js")))
    style = "\n" + of_report("style.css") + template("judge.css")
    security = policy_of([early, own], [style], connected=connected)
    html = environment.from_string(template("judge.html")).render(
        data=Markup(script_json(data | {"connected": connected})),  # noqa: S704 - escaped by script_json
        style=Markup(style),  # noqa: S704 - ours
        early=Markup(early),  # noqa: S704 - ours
        own=Markup(own),  # noqa: S704 - ours
        security=security,
        version=__version__,
    )
    return html, security


def policy_of(scripts: Iterable[str] = (), styles: Iterable[str] = (), *, connected: bool = False) -> str:
    """Returns a content security policy that allows only these scripts and styles.

    ``require-trusted-types-for`` makes the browser refuse any HTML that a script tries to write into the page.
    """
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src {digests(scripts)}",
            f"style-src {digests(styles)}",
            f"connect-src {chr(39)}{'self' if connected else 'none'}{chr(39)}",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        ]
    )


def digests(parts: Iterable[str]) -> str:
    """Returns the hashes of scripts or styles for a content security policy."""
    found = [base64.b64encode(hashlib.sha256(each.encode()).digest()).decode() for each in parts]
    return " ".join(f"'sha256-{each}'" for each in found) or "'none'"
