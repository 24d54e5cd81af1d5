"""The documentation site: built without a warning, complete, without another host, searchable, and accessible."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import pytest

import carob
from carob.measures import REGISTER
from reports import axe, browser

if TYPE_CHECKING:
    from collections.abc import Iterator

CHECKOUT = Path(__file__).parents[1]
TOOLS = ("sphinx", "furo", "myst_parser", "latex2mathml")

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        not all(map(importlib.util.find_spec, TOOLS)), reason="needs Sphinx and its theme: carob[site]"
    ),
]
needs_chromium = pytest.mark.skipif(
    browser.chromium() is None, reason="needs Chromium (Debian: apt install chromium)"
)


class Links(HTMLParser):
    """What a page refers to, what it loads, and its anchors."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.to: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id":
                self.anchors.add(value or "")
            elif tag == "a" and name == "href":
                self.to.append(value or "")
            elif name in ("src", "srcset", "poster", "data") or (tag == "link" and name == "href"):
                self.loads.append(value or "")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built anew."""
    folder = tmp_path_factory.mktemp("site")
    built = subprocess.run(
        [sys.executable, CHECKOUT / "docs" / "write_site.py", folder],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (built.returncode, built.stdout, built.stderr) == (0, "", "")
    return folder / "site"


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Links]:
    return {page: Links(page) for page in sorted(site.rglob("*.html"))}


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[browser.Page]:
    page = browser.Page(tmp_path_factory.mktemp("profile"))
    yield page
    page.close()


def opened(window: browser.Page, page: Path, query: str = "") -> None:
    window.ask("Page.navigate", url=page.as_uri() + query)
    window.wait(f"location.href.startsWith({page.as_uri()!r}) && document.readyState === 'complete'")


def test_every_link_leads_to_a_page_and_to_an_anchor_that_exist(pages: dict[Path, Links]) -> None:
    broken, checked = [], 0
    for page, links in pages.items():
        for link in links.to + links.loads:
            address = urlsplit(link)
            if address.scheme or address.netloc:
                continue
            checked += 1
            target = (page.parent / unquote(address.path)).resolve() if address.path else page
            anchor = unquote(address.fragment)
            if not target.is_file() or (anchor and target in pages and anchor not in pages[target].anchors):
                broken.append((page.name, link))
    assert not broken
    assert checked > 1000


def test_nothing_is_loaded_from_another_host(site: Path, pages: dict[Path, Links]) -> None:
    assert not [
        (page.name, each) for page, links in pages.items() for each in links.loads if urlsplit(each).netloc
    ]
    styles = "".join(file.read_text(encoding="utf-8") for file in site.rglob("*.css"))
    assert not re.findall(r"url\([\"']?(?:\w+:)?//[^)]*\)|@import[^;]*//", styles)


def test_each_page_of_the_documentation_is_in_the_site(site: Path) -> None:
    for page in (CHECKOUT / "docs").glob("*.md"):
        assert (site / "docs" / page.with_suffix(".html").name).is_file()
    reference = "".join(page.read_text(encoding="utf-8") for page in (site / "api").glob("*.html"))
    public = [name for name, module in carob.LATER.items() if module != "carob"]
    assert not [name for name in public if not re.search(rf'id="carob\.{name}"', reference)]


@needs_chromium
def test_search_finds_every_measure(site: Path, window: browser.Page) -> None:
    """The page of a measure's name leads to its formula, without a server and without a network."""
    window.requests.clear()
    opened(window, site / "search.html")
    window.wait("typeof Search === 'object' && Search.hasIndex()")
    lost = []
    for name in REGISTER:
        found = window.run(f"Search._performSearch(...Search._parseQuery({name!r}))")
        if not any(title.endswith(f"> {name}") for _, title, *_ in found):
            lost.append(name)
    assert not lost
    assert not [each for each in window.requests if not each.startswith(("file:", "data:"))]


@needs_chromium
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize(
    "page", ["index", "docs/departures", "docs/measures", "api/evaluation", "README.zh-CN", "search"]
)
def test_axe_finds_no_violation(page: str, width: int, site: Path, window: browser.Page) -> None:
    window.media("light")
    window.requests.clear()
    window.resize(width, 900)
    opened(window, site / f"{page}.html")
    assert axe.violations(window, colours=False) == []
    assert window.run("document.documentElement.scrollWidth") <= width
    assert not [each for each in window.requests if not each.startswith(("file:", "data:"))]


@needs_chromium
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    "page", ["index", "docs/departures", "docs/measures", "api/evaluation", "README.zh-CN", "search"]
)
def test_the_pages_have_enough_contrast(page: str, scheme: str, site: Path, window: browser.Page) -> None:
    window.media(scheme)
    window.resize(1280, 900)
    opened(window, site / f"{page}.html")
    where = axe.OF_EACH_KIND if page == "docs/measures" else "document"  # ten thousand elements, of few kinds
    assert axe.violations(window, colours=True, where=where) == []


@needs_chromium
def test_poor_contrast_is_found_in_one_element_of_thousands(site: Path, window: browser.Page) -> None:
    window.media("light")
    opened(window, site / "docs" / "measures.html")
    window.run("[...document.querySelectorAll('main td, article td')].at(-1).style.color = '#eee'")
    (found,) = axe.violations(window, colours=True, where=axe.OF_EACH_KIND)
    assert found[0] == "color-contrast"
