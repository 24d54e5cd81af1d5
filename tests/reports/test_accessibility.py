"""Report pages in a real Chromium, held to axe-core's rules: light and dark, on a desk and on a phone."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

import carob
from reports import axe, browser
from reports.conftest import RUNS, TEA

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(browser.chromium() is None, reason="needs Chromium (Debian: apt install chromium)"),
]

JUDGMENTS, MEASURES = str(TEA / "qrels.txt"), ["nDCG@10", "AP"]
TEXTS = {"queries": str(TEA / "queries.jsonl"), "documents": str(TEA / "documents.jsonl")}
GROUPS = {f"t{number:02}": ["short", "long"][number % 2] for number in range(1, 25)}


def many_runs() -> tuple[dict[str, Any], dict[str, Any]]:
    """Judgments of 30 queries, and 24 runs, the later ones with more relevant documents at the top."""
    draw = random.Random(1)
    qrels = {f"q{query}": {f"d{place}": query * place % 3 for place in range(12)} for query in range(30)}
    runs = {
        f"system-{run:02}": {
            query: {each: draw.random() + grade * run / 40 for each, grade in its.items()}
            for query, its in qrels.items()
        }
        for run in range(24)
    }
    return qrels, runs


def people_and_judge() -> dict[str, Any]:
    coffee = TEA.parent / "coffee"
    runs = sorted(map(str, (coffee / "runs").glob("*.run")))
    return {"qrels": str(coffee / "people.txt"), "runs": runs, "judge": str(coffee / "model.txt")}


PAGES = {
    "one run": lambda: {"qrels": JUDGMENTS, "runs": RUNS[:1], **TEXTS},
    "two runs": lambda: {"qrels": JUDGMENTS, "runs": RUNS[:2], **TEXTS},
    "groups": lambda: {"qrels": JUDGMENTS, "runs": RUNS, "by": GROUPS, "unjudged_bounds": True, **TEXTS},
    "24 runs": lambda: dict(zip(("qrels", "runs"), many_runs())),
    "a judge": people_and_judge,
}


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[browser.Page]:
    axe.script()
    page = browser.Page(tmp_path_factory.mktemp("profile"))
    yield page
    page.close()


@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_no_violation(
    name: str, window: browser.Page, report_libraries: None, tmp_path: Path
) -> None:
    """Everything is unfolded, and a query is open, so that all that can be seen is there."""
    carob.report(**PAGES[name](), measures=MEASURES, output=tmp_path / "page.html")
    for scheme, width, colours in (("light", 1280, None), ("light", 390, False), ("dark", 1280, True)):
        window.media(scheme)
        window.resize(width, 900)
        window.open(tmp_path / "page.html")
        window.run("for (const each of document.querySelectorAll('details')) each.open = true")
        window.run("document.querySelector('#query-table tbody tr button')?.click()")
        window.wait("document.documentElement.dataset.drawn === 'yes'")
        assert axe.violations(window, colours) == [], (scheme, width)
