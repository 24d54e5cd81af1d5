"""The page in a real Chromium: it draws, asks nothing of the network, and does what its buttons say."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import numpy as np
import pytest

import carob
from carob.comparison.findings import ranked, turned
from carob.comparison.verdict import digits_of, p_text, verdict_of
from reports import browser
from reports.conftest import RUNS, TEA

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
        f"it.value = [...it.options].find((each) => each.text === {json.dumps(name)}).value;"
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
        assert page.run(f"document.querySelector('#chart-{chart} svg').ariaHidden") == "true"


def test_a_click_on_a_title_sorts_the_leaderboard_and_another_turns_it_round(page: browser.Page) -> None:
    assert column(page, 0) == ["a feedback", "b bm25", "c dirichlet", "d titles"]
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
    # The first picture stays with the run that the headline names.
    assert "minus feedback" in page.run("document.getElementById('chart-forest').getAttribute('aria-label')")
    # Nobody is compared with himself: choosing B's run for A swaps them.
    pick(page, "pick-a", "titles")
    assert [text(page, "#h-pair .name-a"), text(page, "#h-pair .name-b")] == ["titles", "feedback"]
    assert "−" in text(page, "#pair-numbers dd")
    assert page.complaints == []


def test_everything_follows_the_chosen_measure(page: browser.Page) -> None:
    found = carob.compare(str(TEA / "qrels.txt"), RUNS, ["nDCG@10", "AP", "RR"])
    for place, label in ((1, "AP"), (2, "RR"), (0, "nDCG@10")):
        pick(page, "pick-measure", label)
        contest = found[label]
        verdict = verdict_of(found, contest)
        assert text(page, "#verdict h2") == verdict.headline
        told = page.run("[...document.querySelectorAll('#verdict p')].map((each) => each.textContent)")
        assert told == [*verdict.sentences, verdict.small]
        assert text(page, ".answer .against") == found.names[verdict.against]
        for each in ("#pairs .measure", ".answer .measure", "#board .measure", "#spread .measure"):
            assert text(page, each) == label
        assert label in text(page, "#pair-said")
        sorts = page.run(
            "[...document.querySelectorAll('#leaderboard th[aria-sort]')].map((each) => each.ariaSort)"
        )
        assert sorts.index("descending") == place + 1
        assert sorts.count("none") == len(sorts) - 1
        shown = [float(each[:5]) for each in column(page, place + 2)]
        assert shown == sorted(shown, reverse=True)
        whiskers = page.run(
            "Object.fromEntries([...document.querySelectorAll('#leaderboard tbody tr')].map("
            "(row) => [row.dataset.run, row.querySelector('.whisker').getAttribute('aria-label')]))"
        )
        assert whiskers == {
            str(run): f"{contest.means[run]:.3f} [{contest.low[run]:.3f},{contest.high[run]:.3f}]"
            for run in range(len(RUNS))
        }
        click(page, "#query-table tbody tr button")
        names = [text(page, f"#h-pair .name-{part}") for part in "ab"]
        summaries = page.run(
            "[...document.querySelectorAll('#closeup summary')].map((each) => each.textContent.trim())"
        )
        assert summaries == [f"How the {label} of {name} is computed" for name in names]
        query = text(page, "#closeup h3").removeprefix("Query ").partition(":")[0]
        value = contest.values[found.queries.index(query), found.names.index(names[0])]
        assert f"{label} of query {query} = {value:.4f}" in text(page, "#closeup details")
    assert page.complaints == []


def points(page: browser.Page) -> list[dict[str, object]]:
    """The points of the first picture: their data, and whether they are painted as filled."""
    return list(
        page.run(
            "[...document.querySelectorAll('#chart-forest .mark-symbol path')].map((each) => ({"
            "...each.__data__.datum, hollow: each.getAttribute('fill') === 'var(--paper)' }))"
        )
    )


@pytest.fixture(scope="module")
def crowd(report_libraries: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of 24 runs with long names, many of which only the correction keeps apart."""
    draw = np.random.default_rng(3)
    hard = draw.uniform(size=40)
    runs = {}
    for run in range(24):
        grades = [[int(draw.random() < 0.2 + 0.02 * run + 0.3 * each) for _ in range(10)] for each in hard]
        name = f"a_long_common_beginning_{run:02}_and_an_end"
        runs[name] = carob.evaluate_grades(grades, ["P@10", "AP"], judged=[[1] * 10] * 40)
    path = tmp_path_factory.mktemp("crowd") / "page.html"
    carob.report(None, runs, output=path)
    return path


def test_a_point_is_filled_exactly_where_its_joint_interval_leaves_out_0(
    window: browser.Page, crowd: Path
) -> None:
    window.resize(1440, 900)
    window.media("light")
    window.complaints.clear()
    window.open(crowd)
    for label in ("P@10", "AP"):
        pick(window, "pick-measure", label)
        found = points(window)
        assert len(found) == 23
        for each in found:
            leaves_out_0 = each["joint_low"] > 0 or each["joint_high"] < 0
            assert each["hollow"] != leaves_out_0, each
        # The intervals of single pairs would not have agreed.
        assert any(each["hollow"] and each["high"] < 0 for each in found)
        assert any(not each["hollow"] for each in found)
    assert window.complaints == []


def axis_words(page: browser.Page) -> list[str]:
    words = "[...document.querySelectorAll('#chart-forest .role-axis-label text')].map((each) => each.textContent)"
    return list(page.run(words))


@pytest.mark.parametrize("width", [390, 768, 1440])
def test_no_name_and_no_value_is_cut_and_no_two_names_look_alike(
    window: browser.Page, crowd: Path, width: int
) -> None:
    window.resize(width, 900)
    window.media("light")
    window.open(crowd)
    words = axis_words(window)
    values = [each for each in words if re.fullmatch(r"[+−±]0\.\d{3}", each)]
    assert len(values) == 23
    names = [each for each in words if each.startswith("a_long")]
    assert len(set(names)) == 23
    inside = window.run(
        "(() => { const frame = document.querySelector('#chart-forest svg').getBoundingClientRect();"
        "return [...document.querySelectorAll('#chart-forest svg text')].every((each) => {"
        "const box = each.getBoundingClientRect();"
        "return box.left >= frame.left - 1 && box.right <= frame.right + 1; }); })()"
    )
    assert inside


def test_the_axes_of_the_two_runs_are_equal_and_the_picture_square(page: browser.Page) -> None:
    for label in ("AP", "RR", "nDCG@10"):
        pick(page, "pick-measure", label)
        ticks = page.run(
            "[...document.querySelectorAll('#chart-scatter .role-axis')].map((axis) =>"
            " [...axis.querySelectorAll('.role-axis-label text')].map((each) => each.textContent))"
            ".filter((each) => each.length)"
        )
        assert len(ticks) == 2
        assert ticks[0] == ticks[1]
        ends = page.run(
            "(() => { const box = [...document.querySelectorAll('#chart-scatter .mark-line path')][0].getBBox();"
            "return [box.width, box.height]; })()"
        )
        assert ends[0] == pytest.approx(ends[1], rel=1e-3)
    assert text(page, "#scatter-up") == "↑ feedback (A)"
    assert text(page, "#scatter-right") == "bm25 (B) →"


def test_run_names_are_no_names_of_anything_else(
    window: browser.Page, report_libraries: None, tmp_path: Path
) -> None:
    names = [
        "__proto__",
        "constructor",
        "datum['x']",
        "toString",
        "a.b[0]",
        "'\\",
        "<img src=x>",
        "hasOwnProperty",
    ]
    qrels = {f"{kind}{number}": {"a": 1} for kind in ("__proto__", "q") for number in ("", 1, 2, 3)}
    draw = np.random.default_rng(2)
    runs = {
        name: {query: {"a": float(draw.random()), "__proto__": 0.5, "constructor": 0.4} for query in qrels}
        for name in names
    }
    carob.report(qrels, runs, ["RR", "AP", "nDCG@10"], output=tmp_path / "page.html")
    window.resize(1440, 900)
    window.media("light")
    window.complaints.clear()
    window.open(tmp_path / "page.html")
    for label in ("AP", "RR"):
        pick(window, "pick-measure", label)
    for name in names:
        pick(window, "pick-a", name)
        pick(window, "pick-b", name)
    click(window, "#query-table tbody tr button")
    assert window.complaints == []
    assert len(points(window)) == len(names) - 1
    assert set(names) & set(axis_words(window))
    for chart in CHARTS:
        marks = f"document.querySelectorAll('#chart-{chart} svg path, #chart-{chart} svg line').length"
        assert window.run(marks) > 4, chart


def test_the_score_of_a_run_can_be_seen_on_a_phone(window: browser.Page, tea: Path) -> None:
    window.resize(390, 844)
    window.media("light")
    window.open(tea)
    seen = window.run(
        "[...document.querySelectorAll('#leaderboard tbody tr')].every((row) =>"
        "row.cells[2].getBoundingClientRect().right <= innerWidth)"
    )
    assert seen


def test_the_cells_of_the_matrix_can_be_reached_by_keyboard(page: browser.Page) -> None:
    page.run("document.querySelector('#matrix td[tabindex=\"0\"]').focus()")
    page.press("ArrowDown")  # over the diagonal
    page.press("Enter")
    page.wait(DRAWN)
    pair = page.run("document.activeElement.dataset.pair")
    assert pair == page.run("document.querySelector('#matrix td.chosen').dataset.pair")
    assert text(page, "#h-pair .name-a") == "dirichlet"


def test_every_row_of_queries_can_be_opened(page: browser.Page) -> None:
    rows = page.run("document.querySelectorAll('#query-table tbody tr').length")
    assert rows == page.run("document.querySelectorAll('#query-table tbody button').length") == 24


def test_without_javascript_the_primary_answer_stands_alone_and_says_so(
    window: browser.Page, tea: Path
) -> None:
    window.ask("Emulation.setScriptExecutionDisabled", value=True)
    try:
        window.ask("Page.navigate", url=tea.resolve().as_uri())
        window.wait("document.readyState === 'complete' && document.querySelector('#verdict')", 30)
        shown = window.run("document.body.innerText")
        assert "feedback leads, but bm25 and dirichlet may be as good." in shown
        assert "The verdict and the intervals are for nDCG@10, the primary measure." in shown
        visible = (
            "[...document.querySelectorAll('{}')].filter((each) => each.offsetHeight).map((each) => each.id)"
        )
        assert window.run(visible.format("select, .chart, #pair, #pairs, #spread, #curves, #queries")) == []
        headings = window.run(
            "[...document.querySelectorAll('h2')].filter((each) => each.offsetHeight).map((each) => each.innerText)"
        )
        assert headings[:2] == ["feedback leads, but bm25 and dirichlet may be as good.", "Scores"]
    finally:
        window.ask("Emulation.setScriptExecutionDisabled", value=False)


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
    value = carob.evaluate(str(TEA / "qrels.txt"), str(TEA / "runs" / "feedback.run"), "nDCG@10").by_query(
        "nDCG@10"
    )
    assert f"nDCG@10 of query t20 = {value['t20']:.4f}" in text(page, "#closeup details")
    assert page.run("document.activeElement.id") == "closeup"
    click(page, "#closeup .steps button:nth-child(2)")
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
    assert column(page, 0)[0] == "a feedback"


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
    assert text(page, "#methods [role=status]") in (
        "Copied.",
        "The text is selected. Copy it with the keyboard.",
    )


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
        ("--ink", "--line"),
    ]
    # And 3 for what is not text: intervals, boxes, the borders of what can be pressed.
    marks = [("--others", "--paper"), ("--a", "--paper"), ("--b", "--paper")]
    for _ in range(2):
        for one, other in pairs:
            assert contrast(shade(page, one), shade(page, other)) >= 4.5, (one, other)
        for one, other in marks:
            assert contrast(shade(page, one), shade(page, other)) >= 3, (one, other)
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
    window: browser.Page, report_libraries: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("carob.reports.data.MOST_VALUES", 1)
    runs = sorted(map(str, (TEA / "runs").glob("*.run")))[:2]
    carob.report(str(TEA / "qrels.txt"), runs, ["AP", "RR"], output=tmp_path / "page.html")
    window.resize(1440, 900)
    window.open(tmp_path / "page.html")
    shown = "document.querySelector('#chart-bars').offsetHeight"
    assert window.run(shown) > 0
    pick(window, "pick-measure", "RR")
    assert window.run(shown) == 0
    assert window.run("document.querySelector('#spread').offsetHeight") == 0
    assert "too many queries to include" in text(window, "#cap-bars")
    assert text(window, "#query-table caption") == "AP"


def test_measure_pair_and_query_stand_in_the_address(page: browser.Page, tea: Path) -> None:
    pick(page, "pick-measure", "AP")
    pick(page, "pick-b", "titles")
    click(page, "#query-table tbody button")
    query = text(page, "#query-table tbody tr.open th")
    address = page.run("location.href")
    assert "measure=AP" in address
    assert "b=titles" in address
    assert f"query={query}" in address
    page.ask("Page.navigate", url="about:blank")
    page.open(address)
    assert page.run("document.getElementById('pick-measure').selectedOptions[0].text") == "AP"
    assert text(page, "#h-pair .name-b") == "titles"
    assert text(page, "#closeup h3").startswith(f"Query {query}")
    shown = [float(each[:5]) for each in column(page, 3)]
    assert shown == sorted(shown, reverse=True)
    # A link to a section keeps the address.
    click(page, ".bar nav a[href='#queries']")
    assert page.run("location.href") == address
    # Names that the page does not have leave it as it opens.
    page.ask("Page.navigate", url="about:blank")
    page.open(tea.resolve().as_uri() + "#measure=no&a=no&b=no&query=no")
    assert text(page, "#verdict h2")
    assert page.complaints == []


def test_the_closeup_says_which_documents_make_the_difference_and_where_the_measure_ends(
    page: browser.Page,
) -> None:
    click(page, "#query-table tbody button")
    query = text(page, "#query-table tbody tr.open th")
    rows = page.run(
        "[...document.querySelectorAll('#makers tbody tr')]"
        ".map((row) => [...row.cells].map((cell) => cell.textContent))"
    )
    differences = [float(row[-1].replace("−", "-").replace("±", "")) for row in rows]
    assert [abs(each) for each in differences] == sorted(map(abs, differences), reverse=True)
    found = carob.compare(str(TEA / "qrels.txt"), RUNS, ["nDCG@10"])
    a, b = (found.names.index(text(page, f"#h-pair .name-{part}")) for part in "ab")
    values = found.primary.values[found.queries.index(query)]
    total = text(page, "#makers tfoot tr td:last-child").replace("−", "-").replace("±", "")
    assert float(total) == pytest.approx(values[a] - values[b], abs=6e-5)
    cuts = page.run(
        "[...document.querySelectorAll('#closeup li.cut')].map((each) => each.previousSibling.innerText)"
    )
    assert [each.split()[0] for each in cuts] == ["10", "10"]
    page.press("Escape")
    page.wait(DRAWN)
    assert page.run("document.getElementById('closeup').hidden")
    assert page.run("document.activeElement.textContent") == query


GROUPS = {f"t{number:02}": ["short", "__proto__", "<b>"][number % 3] for number in range(1, 25)}
TAGS = {**GROUPS, "t01": ["short", "<b>"]}


def cells(page: browser.Page, rows: str) -> list[list[str]]:
    """The cells of some rows."""
    return list(
        page.run(
            f"[...document.querySelectorAll('{rows}')].map((row) => [...row.cells].map((cell) => cell.textContent))"
        )
    )


@pytest.mark.parametrize("runs", [1, 4])
def test_every_number_of_a_group_is_that_of_compare(
    window: browser.Page, report_libraries: None, tmp_path: Path, runs: int
) -> None:
    asked = ["nDCG@10", "E@10"]
    made = carob.report(str(TEA / "qrels.txt"), RUNS[:runs], asked, by=TAGS, output=tmp_path / "page.html")
    found = made.comparison
    window.resize(1440, 900)
    window.complaints.clear()
    window.open(tmp_path / "page.html")
    for label in (*found.labels[1:], found.labels[0]):
        pick(window, "pick-measure", label)
        contest = found[label]
        sign = -1 if contest.smaller_is_better else 1
        for one, other in ((0, 1), (3, 0), (2, 1))[: 3 if runs > 1 else 0]:
            for select, run in (("pick-a", one), ("pick-b", other), ("pick-a", one)):
                pick(window, select, found.names[run])
            shown = cells(window, "#group-table tbody tr")
            own = [
                pair if pair.a == one else turned(pair, one)
                for each in contest.groups
                for pair in each.pairs
                if {pair.a, pair.b} == {one, other}
            ]
            worst = min(range(3), key=lambda group: sign * own[group].difference)
            for place, (row, pair, each) in enumerate(zip(shown, own, contest.groups, strict=True)):
                assert row[0] == each.name + (" (worst)" if place == worst else "")
                assert same(row[1], pair.difference, 3)
                low, high = row[2].split(" to ")
                assert same(low, pair.low, 3)
                assert same(high, pair.high, 3)
                assert [same(row[at], each.means[run], 3) for at, run in ((4, one), (5, other))] == [True] * 2
                assert row[6:] == [
                    f"{pair.wins}/{pair.ties}/{pair.losses}",
                    p_text(pair.p_uncorrected, 0.05) + " w" * pair.worst_point,
                    str(each.queries),
                ]
        board = cells(window, "#group-board tbody tr") or [
            ["", *(row[1] for row in cells(window, "#group-table tbody tr"))]
        ]
        for run, row in zip(ranked(contest), board, strict=True):
            assert all(
                same(cell, each.means[run], 3) for cell, each in zip(row[1:4], contest.groups, strict=True)
            )
            if runs > 1:
                assert row[4] == min(contest.groups, key=lambda each: sign * each.means[run]).name
    click(window, "#group-table tbody tr:nth-child(2) button")
    assert {row[1] for row in cells(window, "#query-table tbody tr")} == {contest.groups[1].name}
    assert len(cells(window, "#query-table tbody tr")) == contest.groups[1].queries
    assert "group=" in window.run("location.hash")
    click(window, "#group-table tbody tr:nth-child(3) button")
    assert {row[1] for row in cells(window, "#query-table tbody tr")} == {"short", "<b> + short"}
    assert len(cells(window, "#query-table tbody tr")) == contest.groups[2].queries
    pick(window, "pick-group", "All groups")
    assert len(cells(window, "#query-table tbody tr")) == 24
    click(window, "[data-csv='groups']")
    assert window.complaints == []


def test_one_run_alone_shows_its_hardest_queries_and_no_second_side(
    window: browser.Page, report_libraries: None, tmp_path: Path
) -> None:
    asked = ["nDCG@10", "AP", "RR"]
    made = carob.report(str(TEA / "qrels.txt"), RUNS[3:], asked, output=tmp_path / "page.html")
    found = made.comparison
    for width in (390, 1440):
        window.resize(width, 900)
        window.complaints.clear()
        window.open(tmp_path / "page.html")
        for label in ("AP", "RR", "nDCG@10"):
            pick(window, "pick-measure", label)
            values = found[label].values[:, 0]
            shown = window.run(NUMBERS)
            assert shown["verdict"] == [verdict_of(found, found[label]).headline, f"{label} over 24 queries."]
            rows = [(found.queries.index(query), float(value)) for query, value in shown["queries"]]
            assert [place for place, _ in rows] == np.argsort(values, kind="stable").tolist()
            assert all(same(str(value), values[place], 3) for place, value in rows)
            assert f"{label} of each query" in text(window, "#cap-bars")
            click(window, "#query-table tbody tr button")
            sums = window.run("document.querySelector('#makers tfoot td:last-child')?.textContent") or "0"
            assert float(sums) == pytest.approx(values.min(), abs=6e-5)
            assert window.run("document.querySelectorAll('#closeup ol.ranked').length") == 1
            derived = f"{label} of query {found.queries[rows[0][0]]} = {values.min():.4f}"
            assert derived in text(window, "#closeup details")
        assert "A − B" not in window.run("document.body.innerText")
        assert window.run("document.documentElement.scrollWidth") == width
        assert window.complaints == []


def test_tables_and_charts_can_be_copied(page: browser.Page) -> None:
    page.run("navigator.clipboard.writeText = (text) => { window.clip = text; return Promise.resolve(); }")
    found = carob.compare(str(TEA / "qrels.txt"), RUNS, ["nDCG@10", "AP", "RR"])
    for name in ("board", "pairs", "queries"):
        click(page, f"[data-csv='{name}']")
        page.wait("window.clip")
        head, *rows = [line.split(",") for line in page.run("window.clip").splitlines()]
        page.run("window.clip = null")
        if name == "board":
            assert len(rows) == 12
            contest = found[rows[0][1]]
            assert float(rows[0][2]) == pytest.approx(contest.means[found.names.index(rows[0][0])], rel=1e-6)
        elif name == "pairs":
            assert len(rows) == 18
            assert head[:3] == ["measure", "run", "other"]
        else:
            assert [row[0] for row in rows] == list(found.queries)
            values = np.array([list(map(float, row[1:])) for row in rows])
            np.testing.assert_allclose(values, found.primary.values, rtol=1e-6, atol=1e-7)
    for chart in CHARTS:
        click(page, f"[data-svg='{chart}']")
        page.wait("window.clip")
        drawn = page.run("window.clip")
        assert drawn.startswith("<svg")
        assert "var(" not in drawn
        page.run("window.clip = null")
    assert page.complaints == []


NUMBERS = r"""(() => {
  const text = (selector) => [...document.querySelectorAll(selector)].map((each) => each.textContent.trim());
  return {
    board: [...document.querySelectorAll("#leaderboard tbody tr")].map((row) => ({
      run: Number(row.dataset.run), cells: text(`#leaderboard tr[data-run="${row.dataset.run}"] td`),
      interval: row.querySelector(".whisker")?.getAttribute("aria-label"),
      doubt: row.querySelector(".doubt")?.textContent, ranks: row.querySelector(".ranks")?.textContent })),
    pair: text("#pair-numbers dd"), wins: document.getElementById("wins")?.getAttribute("aria-label"),
    verdict: text("#verdict > *"),
    queries: [...document.querySelectorAll("#query-table tbody tr")]
      .map((row) => [...row.cells].map((cell) => cell.textContent)),
  };
})()"""


def same(shown: str, value: float, digits: int) -> bool:
    """Whether a number on the page is the value, to the digits that it is shown with."""
    return abs(float(shown.replace("−", "-").replace("±", "")) - value) <= 0.5000001 * 10.0**-digits + 1e-6


def check_truth(page: browser.Page, found: carob.Comparison, label: str, one: int, other: int) -> int:
    """Compares every number that the page shows for a measure and a pair with those of ``carob.compare``."""
    contest, shown, checked = found[label], page.run(NUMBERS), 0
    digits = digits_of(len(found.ids), contest)
    verdict = verdict_of(found, contest)
    assert shown["verdict"] == [verdict.headline, *verdict.sentences, verdict.small]
    column = 1 + list(found.labels).index(label)
    best = ranked(contest)[0]
    for row in shown["board"]:
        run = row["run"]
        assert same(re.match(r"[\d.]+", row["cells"][column])[0], contest.means[run], digits)
        mean, low, high = re.findall(r"-?−?[\d.]+", row["interval"])
        assert same(mean, contest.means[run], digits)
        assert same(low, contest.low[run], digits)
        assert same(high, contest.high[run], digits)
        if row.get("doubt") is not None:
            expected = "best" if run == best else "" if run in contest.beaten[best] else "may be"
            assert row["doubt"] == expected
            assert [int(each) for each in row["ranks"].split("–")] == sorted({*contest.ranks[run]})
        checked += 4
    pair = contest.between(one, other)
    texts = " ".join(shown["pair"])
    numbers = re.findall(r"[+−±]\d+\.\d+", texts)
    wanted = [pair.difference, pair.low, pair.high]
    assert all(same(each, value, digits) for each, value in zip(numbers[:3], wanted, strict=True))
    if "corrected:" in texts:
        assert same(numbers[3], pair.joint_low, digits)
        assert same(numbers[4], pair.joint_high, digits)
        checked += 2
    assert [int(each) for each in re.findall(r"on (\d+)", shown["wins"])] == [
        pair.wins,
        pair.ties,
        pair.losses,
    ]
    for name, *_, a, b, difference, mean in shown["queries"]:
        values = contest.values[found.queries.index(name)]
        assert same(a, values[one], digits)
        assert same(b, values[other], digits)
        assert same(difference, values[one] - values[other], digits)
        assert same(mean, float(values.mean()), digits)
        checked += 4
    for point in points(page):
        own = contest.between(found.names.index(str(point["run"])), verdict.against)
        for key, value in (("difference", own.difference), ("low", own.low), ("high", own.high)):
            assert point[key] == pytest.approx(value, rel=1e-6)
        excludes_0 = own.joint_low > 0 or own.joint_high < 0
        assert point["hollow"] != excludes_0
        checked += 4
    return checked


SHARED = TEA.parents[2] / "shared" / "data"


@pytest.mark.parametrize("data", ["tea", "fusion-fed14", "dl21-people-and-model"])
def test_every_number_on_the_page_is_that_of_compare(
    window: browser.Page, report_libraries: None, tmp_path: Path, data: str
) -> None:
    folder = TEA if data == "tea" else SHARED / data
    if not folder.is_dir():
        pytest.skip(f"the data set {data} is not here")
    qrels = next(iter(sorted(folder.glob("qrels*people*")) or sorted(folder.glob("qrels*"))))
    runs = [str(each) for each in sorted((folder / "runs").iterdir())]
    made = carob.report(str(qrels), runs, ["nDCG@10", "AP", "RR"], output=tmp_path / "page.html")
    found, checked = carob.compare(str(qrels), runs, ["nDCG@10", "AP", "RR"]), 0
    window.resize(1440, 900)
    window.complaints.clear()
    window.open(tmp_path / "page.html")
    for label in found.labels:
        pick(window, "pick-measure", label)
        order = ranked(found[label])
        for one, other in ((order[0], order[1]), (order[-1], order[0]), (order[1], order[2])):
            for select, run in (("pick-a", one), ("pick-b", other), ("pick-a", one)):
                pick(window, select, found.names[run])
            checked += check_truth(window, found, label, one, other)
    assert checked > 900, data  # 1,134 of tea, 2,358 of fed14, 3,618 of dl21
    assert len(made.comparison.names) == len(runs)
    assert window.complaints == []


def test_a_page_of_people_and_a_judge_says_that_its_means_are_estimates_and_names_no_folder(
    window: browser.Page, report_libraries: None, tmp_path: Path
) -> None:
    lines = (TEA / "qrels.txt").read_text().splitlines(keepends=True)
    some = sorted({line.split()[0] for line in lines})[::2]
    people, judge = tmp_path / "people.txt", tmp_path / "judge.txt"
    people.write_text("".join(line for line in lines if line.split()[0] in some))
    judge.write_text("".join(lines))
    carob.report(str(people), RUNS, ["nDCG@10"], judge=str(judge), output=tmp_path / "page.html")
    window.complaints.clear()
    window.open(tmp_path / "page.html")
    shown = window.run("document.querySelector('.answer').innerText")
    assert "estimates from people's judgments" in shown
    facts = window.run("document.querySelector('.facts').innerText")
    assert "people: people.txt" in facts
    assert "judge: judge.txt" in facts
    assert str(tmp_path) not in facts
    assert window.complaints == []
