"""The page in a real Chromium: a judge, a keyboard, 200 documents, and texts that would like to be programs."""

from __future__ import annotations

import json
import signal
import time
from typing import TYPE_CHECKING

import pytest

from carob.cli import main
from carob.judging.task import assigned, read_task
from carob.output.escaping import visible
from judging.desk import TEXTS, Desk, desk, write_files
from reports import browser

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [
    pytest.mark.usefixtures("served"),
    pytest.mark.skipif(browser.chromium() is None, reason="needs Chromium (Debian: apt install chromium)"),
]


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[browser.Page]:
    page = browser.Page(tmp_path_factory.mktemp("profile"))
    yield page
    page.close()


@pytest.fixture
def window(chromium: browser.Page) -> browser.Page:
    """A window on a desk, in which nothing happened yet."""
    chromium.resize(1280, 800)
    chromium.media("light")
    chromium.ask("Page.navigate", url="about:blank")
    for found in (chromium.requests, chromium.complaints, chromium.events):
        found.clear()
    return chromium


def at(page: browser.Page) -> int:
    """The number of the document that is shown."""
    return int(page.run("document.documentElement.dataset.at"))


def text(page: browser.Page, name: str) -> str:
    return str(page.run(f"document.getElementById('{name}').textContent"))


def status(page: browser.Page) -> str:
    return text(page, "status")


def grade(page: browser.Page, key: str) -> None:
    """Presses the key of a grade, and waits until the judgment is acknowledged."""
    page.run("document.getElementById('status').textContent = ''")
    page.press(key)
    page.wait("document.getElementById('status').textContent && document.documentElement.dataset.at")


@pytest.mark.thorough
def test_200_documents_are_judged_by_keyboard(tmp_path: Path, window: browser.Page) -> None:
    documents = {f"d{number:02}": f"Text of document {number}.\n\nIts end." for number in range(40)}
    write_files(tmp_path, {f"q{number}": f"query {number}" for number in range(5)}, documents, sample=True)
    task = read_task(str(tmp_path / "pairs.csv"))
    order = [task.pairs[place] for place in assigned(task, "anna")]
    given: dict[tuple[str, str], int] = {}
    with desk(tmp_path, "-o", "judged.csv", "--judge", "anna") as served:
        window.open(served.address)
        for number, pair in enumerate(order):
            assert at(window) == number
            assert text(window, "text") == documents[pair.document]
            assert text(window, "query") == f"query {pair.query[1:]}"
            if number == 100:  # a slip, and back
                grade(window, "3")
                grade(window, "u")
                assert status(window) == "The judgment of this document has been withdrawn."
                assert at(window) == number
            given[pair.query, pair.document] = (number * 7) % 4
            grade(window, str(given[pair.query, pair.document]))
            assert text(window, "count") == f"{number + 1} of 200 judged"
        assert "All 200 documents are judged" in status(window)
        assert window.complaints == []
        assert {each.rpartition("/")[0] for each in window.requests} == {
            served.address + part for part in ("documents", "")
        } - {served.address} | {served.address.rstrip("/")}
    rows = [line.split(",") for line in (tmp_path / "judged.csv").read_text().splitlines()[1:]]
    assert {(query, document): int(grade) for query, document, grade, *_ in rows} == given
    assert len(rows) == 200


def test_keys_move_skip_and_write_notes(work: Path, window: browser.Page) -> None:
    with desk(work, "-o", "judged.csv") as served:
        window.open(served.address)
        window.press("ArrowRight")
        window.wait("document.documentElement.dataset.at === '1'")
        window.press("n")
        for letter in "no2u":
            window.press(letter)
        assert window.run("document.getElementById('note').value") == "no2u"
        window.press("Enter")
        assert window.run("document.activeElement.id") == "document"
        grade(window, "2")
        assert at(window) == 2
        window.press("ArrowLeft")
        window.wait("document.documentElement.dataset.at === '1'")
        assert window.run("document.getElementById('note').value") == "no2u"
        assert window.run("document.querySelector('[aria-pressed=true][data-grade]').dataset.grade") == "2"
        grade(window, "0")  # a second thought
        assert (work / "judged.csv").read_text().splitlines()[1:] == [
            line for line in (work / "judged.csv").read_text().splitlines() if line.endswith(",no2u")
        ]
        window.press("9")
        assert status(window) == "There is no grade 9."
        window.run("document.getElementById('shortcuts').click()")
        window.press("1")
        assert text(window, "count") == "1 of 8 judged"
    assert window.complaints == []


def test_the_keys_of_digits_grade_on_every_keyboard(work: Path, window: browser.Page) -> None:
    with desk(work, "-o", "judged.qrels") as served:
        window.open(served.address)
        for number, (key, code) in enumerate([("é", "Digit2"), ("3", "Numpad3"), ("1", "")]):
            window.ask("Input.dispatchKeyEvent", type="keyDown", key=key, code=code)
            window.ask("Input.dispatchKeyEvent", type="keyUp", key=key, code=code)
            window.wait(f"document.documentElement.dataset.at === '{number + 1}'")
        window.ask("Input.dispatchKeyEvent", type="keyDown", key="!", code="Digit1", modifiers=8)
        assert status(window) == "Grade 1 saved. 5 left."
    found = [line.split()[3] for line in (work / "judged.qrels").read_text().splitlines()]
    assert found == ["2", "3", "1"]


def test_a_key_that_is_held_grades_one_document(work: Path, window: browser.Page) -> None:
    with desk(work, "-o", "judged.qrels") as served:
        window.open(served.address)
        what = {"key": "1", "code": "Digit1", "windowsVirtualKeyCode": 49, "text": "1"}
        for number in range(20):
            window.ask("Input.dispatchKeyEvent", type="keyDown", autoRepeat=number > 0, **what)
        window.ask("Input.dispatchKeyEvent", type="keyUp", **what)
        window.wait("document.getElementById('status').textContent")
        time.sleep(0.2)
        assert text(window, "count") == "1 of 8 judged"
    assert len((work / "judged.qrels").read_text().splitlines()) == 1


def test_a_page_is_judged_without_a_mouse_or_a_screen(work: Path, window: browser.Page) -> None:
    """Every control has a name, Tab reaches each, and Enter on a button grades."""
    (work / "rules.txt").write_text("Judge <b>well</b>.")
    with desk(work, "-o", "judged.csv", "--guidelines", "rules.txt") as served:
        window.open(served.address)
        window.ask("Accessibility.enable")
        nodes = window.ask("Accessibility.getFullAXTree")["nodes"]
        roles = ("button", "textbox", "checkbox", "progressbar", "article", "region")
        controls = [each for each in nodes if not each["ignored"] and each["role"]["value"] in roles]
        unnamed = [each for each in controls if not each.get("name", {}).get("value")]
        assert [each["role"]["value"] for each in unnamed] == []
        names = [each["name"]["value"] for each in controls if each["role"]["value"] == "button"]
        assert "3 perfectly relevant" in names
        assert window.run("document.getElementById('status').ariaLive") == "polite"
        reached = set()
        for _ in range(25):
            window.press("Tab")
            reached.add(window.run("document.activeElement.id || document.activeElement.dataset.grade"))
        assert {"0", "1", "2", "3", "note", "undo", "next", "theme", "document", "guidelines"} <= reached
        window.run("document.querySelector('[data-grade=\"2\"]').focus()")
        window.press("Enter")
        window.wait("document.documentElement.dataset.at === '1'")
        assert window.run("document.activeElement.id") == "document"
        assert text(window, "guidelines") == "Judge <b>well</b>."


def test_judging_goes_on_after_a_crash(work: Path, window: browser.Page) -> None:
    served = Desk(work, "-o", "judged.qrels")
    window.open(served.address)
    for _ in range(3):
        grade(window, "1")
    served.stop(signal.SIGKILL)
    grade(window, "2")
    assert status(window).startswith("Not saved. The server does not respond. Restart carob judge")
    assert at(window) == 3
    assert text(window, "count") == "3 of 8 judged"
    assert len((work / "judged.qrels").read_text().splitlines()) == 3
    with desk(work, "-o", "judged.qrels") as again:
        assert again.address != served.address
        window.open(again.address)
        assert at(window) == 3
        assert text(window, "count") == "3 of 8 judged"
        grade(window, "2")
    assert len((work / "judged.qrels").read_text().splitlines()) == 4


# ---------------------------------------------------------------- hostile texts

HOSTILE = {
    "script": "<script>window.ran = 1</script></script><script>window.ran = 2</script>",
    "image": "<img src=x onerror='window.ran = 3'><svg onload=window.ran=4><iframe srcdoc='<script>top.ran=5'>",
    "template": "{{ 7 * 7 }} {% raw %} ${window.ran = 6} #{7} <%= 8 %> {query} {mark}",
    "turned": "pay \u202eelgoog\u202c \u2066x\u2069 \x00\x07\x1b[31m\ufeff \u2028 end",
    "comment": "<!-- --><![CDATA[ ]]> &lt;b&gt; &#x3c;i&#x3e; <style>* { display: none }</style>",
    "link": "<a href='javascript:window.ran=7'>x</a><base href='//evil.example'><meta http-equiv=refresh content=0>",
    "proto": "__proto__ constructor \ud800 \udfff",
    "long": "word " * 60_000 + "x" * 50_000 + "\n" * 5000,
}


def hostile_files(folder: Path) -> list[str]:
    """Files in which every text is hostile, and the options with hostile texts."""
    mean = HOSTILE["script"] + HOSTILE["image"]
    queries = {"<b>q</b>": mean, "__proto__": HOSTILE["turned"]}
    documents = {f"{name}<i onclick=alert(1)>\u202e": each for name, each in HOSTILE.items()}
    write_files(folder, queries, documents)
    (folder / "rules.txt").write_text(mean + HOSTILE["turned"], encoding="utf-8", errors="replace")
    grades = f"0={HOSTILE['template']},1=<b>yes</b>"
    return ["--guidelines", "rules.txt", "--judge", "<script>window.ran = 8</script>", "--grades", grades]


def nothing_ran(page: browser.Page) -> None:
    assert page.run("typeof window.ran") == "undefined"
    assert page.run("typeof top.ran") == "undefined"
    assert page.complaints == []
    assert "Page.javascriptDialogOpening" not in page.events
    allowed = "#text, #title, #query, #more, #guidelines, #judge, #document-id, #place, #status, #count, #grades span"
    assert page.run(f"document.querySelectorAll('{allowed}').length") >= 11
    for part in allowed.split(", "):
        assert page.run(f"[...document.querySelectorAll('{part}')].every((each) => !each.children.length)"), (
            part
        )
    assert page.run("document.querySelectorAll('img, iframe, svg, base, a:not(.skip)').length") == 0
    assert page.run("document.querySelectorAll('script').length") == 3


@pytest.mark.parametrize("kind", ["served", "offline"])
def test_hostile_texts_run_nothing(kind: str, tmp_path: Path, window: browser.Page) -> None:
    arguments = hostile_files(tmp_path)
    task = read_task(str(tmp_path / "pairs.csv"))
    order = [task.pairs[place] for place in assigned(task, "<script>window.ran = 8</script>")]
    documents = {
        each["id"]: each["text"]
        for each in map(json.loads, (tmp_path / "documents.jsonl").read_text().splitlines())
    }
    assert len(order) == 2 * len(HOSTILE)

    def look(address: str | Path) -> None:
        window.open(address)
        for pair in order:
            expected = visible(documents[pair.document])
            assert text(window, "text") == expected
            assert "\u202e" not in text(window, "text") + text(window, "document-id")
            nothing_ran(window)
            grade(window, "1")
        assert f"All {len(order)} documents" in status(window)
        nothing_ran(window)

    if kind == "served":
        with desk(tmp_path, "-o", "judged.csv", *arguments) as served:
            look(served.address)
            assert all(each.startswith(served.address) for each in window.requests)
        assert len((tmp_path / "judged.csv").read_text().splitlines()) == len(order) + 1
    else:
        offline(tmp_path, *arguments)
        look(tmp_path / "page.html")
        window.run("localStorage.clear()")
        assert set(window.requests) == {(tmp_path / "page.html").resolve().as_uri()}


def test_a_program_that_gets_into_a_text_is_stopped_by_the_policy(work: Path, window: browser.Page) -> None:
    """The second wall: even a page that wrote HTML would run nothing."""
    with desk(work, "-o", "judged.qrels") as served:
        window.open(served.address)
        refused = window.run(
            "(() => { try { document.body.innerHTML = '<b>x</b>'; return 'written' } catch (e) { return e.name } })()"
        )
        assert refused == "TypeError"
        window.run(
            "(() => { const it = document.createElement('img'); it.src = 'http://127.0.0.1:9/x';"
            "document.body.append(it); })()"
        )
        window.run("fetch('http://127.0.0.1:9/').catch(() => 0)")
        assert not [each for each in window.requests if ":9/" in each and each in window.events]
    assert any("violates" in each or "Refused" in each for each in window.complaints)
    window.complaints.clear()


def test_no_other_site_can_show_the_page_or_send_judgments(
    work: Path, tmp_path: Path, window: browser.Page
) -> None:
    with desk(work, "-o", "judged.qrels") as served:
        evil = work / "evil.html"
        evil.write_text(
            f"<iframe id=frame src='{served.address}'></iframe><form method=post enctype=text/plain"
            f' action=\'{served.address}judgments\'><input name=\'{{"item":0,"grade":1,"note":"\' value=\'"}}\'></form>'
        )
        window.ask("Page.navigate", url=evil.resolve().as_uri())
        window.wait("document.readyState === 'complete'")
        sent = window.run(
            f"fetch('{served.address}judgments', {{method: 'POST', body: '{{\"item\":0,\"grade\":1}}'}})"
            ".then((it) => it.status, (error) => 'refused')"
        )
        assert sent == "refused"
        window.run("document.forms[0].submit()")
        time.sleep(0.5)
    assert (work / "judged.qrels").read_text() == ""
    window.complaints.clear()


# ---------------------------------------------------------------- offline


def offline(folder: Path, *arguments: str) -> None:
    """Writes the offline page."""
    paths = [
        str(folder / each) if (folder / each).exists() else each for each in ("pairs.csv", *TEXTS, *arguments)
    ]
    main(["judge", *paths, "--offline", str(folder / "page.html")])


def saved(page: browser.Page, folder: Path) -> Path:
    """The file that the page saves."""
    page.ask("Page.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
    page.press("e")
    end = time.monotonic() + 60
    while not (found := sorted(folder.glob("judgments*.json"))):
        assert time.monotonic() < end
        time.sleep(0.05)
    return found[-1]


def test_the_offline_page_keeps_judgments_and_saves_them(work: Path, window: browser.Page) -> None:
    offline(work, "--judge", "anna")
    window.open(work / "page.html")
    for key in "3120":
        grade(window, key)
    grade(window, "u")
    window.open(work / "page.html")  # the browser was closed
    assert text(window, "count") == "3 of 8 judged"
    assert at(window) == 3
    grade(window, "2")
    window.press("n")
    window.press("x")
    window.press("Enter")
    for key in "0123":
        grade(window, key)
    assert "All 8 documents are judged. Save the judgments as a file." in status(window)
    (work / "saved").mkdir()
    path = saved(window, work / "saved")
    assert path.name == "judgments-anna.json"
    window.run("localStorage.clear()")
    assert set(window.requests) == {(work / "page.html").resolve().as_uri()}
    done = json.loads(path.read_text())
    assert [each["grade"] for each in done["judgments"]] == [3, 1, 2, 2, 0, 1, 2, 3]
    assert [each["note"] for each in done["judgments"]] == ["", "", "", "", "x", "", "", ""]
    main(["judge", "--collect", str(work / "pairs.csv"), str(path), "-o", str(work / "judged.qrels")])
    task = read_task(str(work / "pairs.csv"))
    order = [task.pairs[place] for place in assigned(task, "anna")]
    expected = {
        f"{each.query} 0 {each.document} {grade}" for each, grade in zip(order, (3, 1, 2, 2, 0, 1, 2, 3))
    }
    assert set((work / "judged.qrels").read_text().splitlines()) == expected
    assert window.complaints == []


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844), (320, 568)])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_cut_off_and_grades_stay_in_view(
    width: int, height: int, scheme: str, tmp_path: Path, window: browser.Page
) -> None:
    write_files(tmp_path, {"q": "a query of some words " * 5}, {"d": "a long text " * 3000, "e": "w" * 3000})
    window.resize(width, height)
    window.media(scheme)
    with desk(tmp_path, "-o", "judged.qrels") as served:
        window.open(served.address)
        assert window.run("document.documentElement.dataset.theme") == scheme
        assert window.run("document.documentElement.scrollWidth <= innerWidth")
        boxes = window.run(
            "[...document.querySelectorAll('#grades button')].map((it) => it.getBoundingClientRect().toJSON())"
        )
        assert all(each["left"] >= 0 and each["right"] <= width for each in boxes)
        assert all(each["top"] >= 0 and each["bottom"] <= height for each in boxes)
    assert window.complaints == []
