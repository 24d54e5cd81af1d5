"""The page in a real Chromium: it draws, asks nothing of the network, and does what its buttons say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import karat
from reporting import browser
from reporting.conftest import TEA

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.skipif(
    browser.chromium() is None, reason="needs Chromium (Debian: apt install chromium)"
)

CHARTS = ["forest", "bars", "scatter", "spread", "recall", "depth", "judged"]
DRAWN = "document.documentElement.dataset.drawn === 'yes'"


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[browser.Page]:
    page = browser.Page(tmp_path_factory.mktemp("profile"))
    yield page
    page.close()


@pytest.fixture
def page(window: browser.Page, tea: Path) -> browser.Page:
    """The page of the bundled example, freshly opened on a desk."""
    window.resize(1440, 900)
    window.media("light")
    window.requests.clear()
    window.complaints.clear()
    window.open(tea)
    return window


def click(page: browser.Page, selector: str) -> None:
    page.run(f"document.querySelector({selector!r}).click()")
    page.wait(DRAWN)


def pick(page: browser.Page, select: str, name: str) -> None:
    page.run(
        f"(() => {{ const it = document.getElementById('{select}');"
        f"it.value = [...it.options].find((each) => each.text === '{name}').value;"
        "it.dispatchEvent(new Event('change')); })()"
    )
    page.wait(DRAWN)


def text(page: browser.Page, selector: str) -> str:
    return str(page.run(f"document.querySelector({selector!r}).textContent"))


def column(page: browser.Page, number: int) -> list[str]:
    return list(
        page.run(
            f"[...document.querySelectorAll('#leaderboard tbody tr')].map((row) => row.cells[{number}].innerText)"
        )
    )


def test_it_opens_without_a_complaint_and_without_the_network(page: browser.Page, tea: Path) -> None:
    assert page.complaints == []
    assert page.requests == [tea.resolve().as_uri()]


def test_every_chart_is_drawn_and_says_in_words_what_it_shows(page: browser.Page) -> None:
    for chart in CHARTS:
        marks = page.run(
            f"document.querySelectorAll('#chart-{chart} svg path, #chart-{chart} svg line').length"
        )
        assert marks > 10, chart
        label = page.run(f"document.getElementById('chart-{chart}').getAttribute('aria-label')")
        assert len(label) > 25, chart
        assert page.run(f"document.getElementById('chart-{chart}').getAttribute('role')") == "img"


def test_a_click_on_a_title_sorts_the_leaderboard_and_another_turns_it_round(page: browser.Page) -> None:
    assert column(page, 0) == ["c feedback", "a bm25", "b dirichlet", "d titles"]
    click(page, "#leaderboard thead th:nth-child(5) button")
    falling = [float(each[:5]) for each in column(page, 4)]
    assert falling == sorted(falling, reverse=True)
    assert page.run("document.querySelector('#leaderboard thead th:nth-child(5)').ariaSort") == "descending"
    click(page, "#leaderboard thead th:nth-child(5) button")
    assert [float(each[:5]) for each in column(page, 4)] == falling[::-1]


def test_another_pair_changes_the_differences_everywhere(page: browser.Page) -> None:
    before = page.run("document.getElementById('chart-bars').getAttribute('aria-label')")
    pick(page, "pick-b", "titles")
    assert "titles" in text(page, "#h-pair")
    assert "a significant difference" in text(page, "#pair-said")
    assert page.run("document.getElementById('chart-bars').getAttribute('aria-label')") != before
    assert "minus titles" in page.run("document.getElementById('chart-forest').getAttribute('aria-label')")
    # Nobody is compared with himself: choosing B's run for A swaps them.
    pick(page, "pick-a", "titles")
    assert [text(page, "#h-pair .name-a"), text(page, "#h-pair .name-b")] == ["titles", "feedback"]
    assert "−" in text(page, "#pair-numbers dd")
    assert page.complaints == []


def test_another_measure_changes_what_is_shown(page: browser.Page) -> None:
    pick(page, "pick-measure", "AP")
    assert text(page, "#pairs .measure") == "AP"
    assert "AP" in text(page, "#pair-said")


def test_a_cell_of_the_matrix_chooses_its_pair(page: browser.Page) -> None:
    click(page, "#matrix tbody tr:nth-child(4) td:nth-of-type(3)")
    assert [text(page, "#h-pair .name-a"), text(page, "#h-pair .name-b")] == ["titles", "dirichlet"]


def test_a_click_on_a_query_shows_its_lists_and_its_derivation(page: browser.Page) -> None:
    assert page.run("document.getElementById('closeup').hidden")
    click(page, "#query-table tbody tr button")
    assert "removing the caffeine from tea" in text(page, "#closeup h3")
    assert page.run("document.querySelectorAll('#closeup ol.ranked').length") == 2
    assert page.run("document.querySelectorAll('#closeup .chip').length") > 20
    assert "Lemon, sugar and colour" in text(page, "#closeup ol.ranked li")
    value = karat.evaluate(str(TEA / "qrels.txt"), str(TEA / "runs" / "feedback.run"), "nDCG@10").by_query(
        "nDCG@10"
    )
    assert f"nDCG@10 of query t20 = {value['t20']:.4f}" in text(page, "#closeup details")
    assert page.run("document.activeElement.id") == "closeup"
    click(page, "#closeup .steps button:last-child")
    assert "Query t01" in text(page, "#closeup h3")
    assert page.complaints == []


def test_a_click_on_a_bar_shows_its_query(page: browser.Page) -> None:
    page.run("document.getElementById('chart-bars').scrollIntoView()")
    place = page.run(
        "(() => { const box = document.querySelector('#chart-bars .mark-rect path').getBoundingClientRect();"
        "return [box.x + box.width / 2, box.y + box.height / 2]; })()"
    )
    page.click(*place)
    page.wait("!document.getElementById('closeup').hidden")
    page.wait(DRAWN)
    assert "Query t20" in text(page, "#closeup h3")


def test_the_dark_switch_darkens_and_lightens(page: browser.Page) -> None:
    def paper() -> str:
        return str(page.run("getComputedStyle(document.body).backgroundColor"))

    light = paper()
    click(page, "#theme")
    assert paper() != light
    assert page.run("document.getElementById('theme').ariaPressed") == "true"
    click(page, "#theme")
    assert paper() == light


def test_a_reader_in_the_dark_gets_a_dark_page(window: browser.Page, tea: Path) -> None:
    window.media("dark")
    window.open(tea)
    assert window.run("getComputedStyle(document.body).backgroundColor") == "rgb(23, 23, 21)"
    assert window.run("getComputedStyle(document.querySelector('.chart svg text')).fill") != "rgb(0, 0, 0)"


def test_everything_can_be_done_by_keyboard(page: browser.Page) -> None:
    page.press("Tab")
    assert text(page, ":focus") == "Skip to the results"
    page.press("Enter")
    reached = set()
    for _ in range(40):
        page.press("Tab")
        reached.add(page.run("document.activeElement.id || document.activeElement.textContent.trim()"))
    assert {"pick-measure", "pick-a", "pick-b", "nDCG@10", "A gains most", "By name"} <= reached
    outline = page.run("getComputedStyle(document.activeElement).outlineStyle")
    assert outline != "none"
    page.run("document.querySelector('#query-table tbody button').focus()")
    page.press("Enter")
    page.wait("!document.getElementById('closeup').hidden")
    page.wait(DRAWN)
    page.run("document.querySelector('#closeup summary').focus()")
    page.press("Enter")
    page.wait("document.querySelector('#closeup details').open")
    page.run("document.querySelector('#leaderboard thead button').focus()")
    page.press(" ")
    assert column(page, 0)[0] == "c feedback"


@pytest.mark.parametrize("width", [390, 768, 1440])
def test_no_width_makes_the_page_scroll_sideways(window: browser.Page, tea: Path, width: int) -> None:
    window.resize(width, 844)
    window.media("light")
    window.open(tea)
    click(window, "#query-table tbody tr button")
    window.run("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    assert window.run("document.documentElement.scrollWidth") == width
    widest = window.run(
        "Math.max(...[...document.querySelectorAll('.chart svg')].map((each) => each.clientWidth))"
    )
    assert widest <= width


def test_print_leaves_out_what_cannot_be_pressed(page: browser.Page) -> None:
    page.media("dark", "print")
    shown = page.run(
        "['.bar', '#theme', '.orders', '.copy', '#chart-forest svg', '#leaderboard'].map("
        "(each) => getComputedStyle(document.querySelector(each)).display !== 'none')"
    )
    assert shown == [False, False, False, False, True, True]
    assert page.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_a_copy_button_says_what_it_did(page: browser.Page) -> None:
    click(page, "[data-copy=paragraph]")
    page.wait("document.querySelector('#methods [role=status]').textContent")
    assert text(page, "#methods [role=status]") in ("Copied.", "Selected: copy it with the keyboard.")


def test_text_and_paper_differ_enough_in_light_and_dark(page: browser.Page) -> None:
    # Contrast of WCAG 2.2: 4.5 for text.
    pairs = [
        ("--ink", "--paper"),
        ("--quiet", "--paper"),
        ("--quiet", "--band"),
        ("--a", "--paper"),
        ("--b", "--paper"),
        ("--gold", "--paper"),
        ("--on-g", "--g1"),
        ("--on-g", "--g2"),
        ("--on-deep", "--g3"),
        ("--on-deep", "--g4"),
        ("--ink", "--a-faint"),
        ("--ink", "--warn"),
    ]
    for _ in range(2):
        for one, other in pairs:
            assert contrast(shade(page, one), shade(page, other)) >= 4.5, (one, other)
        click(page, "#theme")


def shade(page: browser.Page, name: str) -> str:
    return str(page.run(f"getComputedStyle(document.documentElement).getPropertyValue('{name}').trim()"))


def luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = [int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_a_measure_without_values_shows_no_chart_of_another_measure(
    window: browser.Page, libraries: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("karat.reporting.figures.MOST_VALUES", 1)
    runs = sorted(map(str, (TEA / "runs").glob("*.run")))[:2]
    karat.report(str(TEA / "qrels.txt"), runs, ["AP", "RR"], output=tmp_path / "page.html")
    window.resize(1440, 900)
    window.open(tmp_path / "page.html")
    shown = "document.querySelector('#chart-bars').offsetHeight"
    assert window.run(shown) > 0
    pick(window, "pick-measure", "RR")
    assert window.run(shown) == 0
    assert window.run("document.querySelector('#spread').offsetHeight") == 0
    assert "not kept" in text(window, "#cap-bars")
    assert text(window, "#query-table caption") == "AP"
