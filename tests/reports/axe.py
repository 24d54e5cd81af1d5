"""axe-core, which finds barriers in a page that a browser shows: from PyPI where installed, else from npm."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import shutil
import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from reports.browser import Page

PACKAGE, ARCHIVE, SHA256 = (
    "axe-core@4.14.1",
    "axe-core-4.14.1.tgz",
    "e6b0ce02b84d892e2e33e403485e7f3d6c29e2be6df65daf44d89ba564139745",
)


@cache
def script() -> str:
    """The text of axe-core. Without a source of it, the test is skipped."""
    found = importlib.util.find_spec("axe_playwright_python")
    if found and found.origin:
        return Path(found.origin).with_name("axe.min.js").read_text(encoding="utf-8")
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("needs axe-core: axe-playwright-python, of the extra 'peers', or npm")
    with TemporaryDirectory() as folder:
        done = subprocess.run(
            [npm, "pack", "--silent", PACKAGE], cwd=folder, capture_output=True, check=False
        )
        if done.returncode:
            pytest.skip("npm cannot fetch axe-core here")
        archive = Path(folder) / ARCHIVE
        assert hashlib.sha256(archive.read_bytes()).hexdigest() == SHA256
        shutil.unpack_archive(archive, folder)
        return (Path(folder) / "package" / "axe.min.js").read_text(encoding="utf-8")


# Elements that hold text, three of each kind. A kind is what the style sheets tell elements apart by: their names,
# classes and styles, and those of all around them.
OF_EACH_KIND = """(() => {
  const kind = (at) => at && ["class", "style"].reduce((all, each) => all + " " + at.getAttribute(each), at.tagName)
    + "/" + kind(at.parentElement);
  const seen = {};
  const says = (node) => node.nodeType === Node.TEXT_NODE && node.data.trim();
  return [...document.querySelectorAll("body *")].filter((each) => [...each.childNodes].some(says))
    .filter((each) => (seen[kind(each)] = (seen[kind(each)] ?? 0) + 1) <= 3);
})()"""


def violations(page: Page, colours: bool | None = None, where: str = "document") -> list[Any]:
    """Each rule that the page breaks as it is shown now, with the first place; some rules must have been tried.

    Two thirds of the time go to the contrast of colours, which a width does not change, as a dark scheme changes
    nothing else: with ``colours`` only contrast is looked at, or all but contrast.

    Args:
        page: the page.
        colours: whether contrast alone is looked at; None for all rules.
        where: the part of the page, in JavaScript.
    """
    page.run(script())
    contrast = "color-contrast"
    rules: dict[str, Any] = {
        None: {},
        True: {"runOnly": [contrast]},
        False: {"rules": {contrast: {"enabled": False}}},
    }[colours]
    # Of each rule that the page keeps, one place is enough: axe-core writes no selector for ten thousand others.
    options = {**rules, "resultTypes": ["violations"]}
    broken, kept = page.run(
        f"axe.run({where}, {json.dumps(options)}).then(({{ violations, passes }}) => "
        "[violations.map((each) => [each.id, each.nodes[0].html]), passes.length])"
    )
    assert kept > (0 if colours else 10)
    return list(broken)
