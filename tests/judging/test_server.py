"""Which requests the server answers, and what it keeps."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

import carob
from carob.judging.task import assigned, read_task
from judging.desk import TEXTS, desk

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("served")


def order_of(folder: Path, judge: str = "") -> list[tuple[str, str]]:
    task = read_task(str(folder / "pairs.csv"))
    return [(task.pairs[place].query, task.pairs[place].document) for place in assigned(task, judge)]


def test_a_judgment_is_in_the_file_before_it_is_acknowledged(work: Path) -> None:
    path, order = work / "judged.qrels", order_of(work)
    with desk(work, "-o", "judged.qrels") as served:
        for number, (query, document) in enumerate(order):
            assert served.judge(number, number % 4) == {"item": number, "judged": number + 1}
            assert path.read_text().splitlines()[-1] == f"{query} 0 {document} {number % 4}"
        said = served.stop()
    assert "judged.qrels: 0 of 8 documents judged. Open this page" in said
    assert said.endswith("judged.qrels: 8 of 8 documents judged.\n")


def test_a_second_thought_replaces_a_judgment(work: Path) -> None:
    (query, document), path = order_of(work, "anna")[3], work / "judged.csv"
    with desk(work, "-o", "judged.csv", "--judge", "anna") as served:
        served.judge(0, 1)
        served.judge(3, 1)
        served.judge(3, 1)  # the same again, as after a lost answer
        assert len(path.read_text().splitlines()) == 3
        assert served.judge(3, 2, "on\nsecond thought\u2028=1+1") == {"item": 3, "judged": 2}
    last = path.read_text(encoding="utf-8").splitlines()[-1]
    assert last.startswith(f"{query},{document},2,anna,20")
    assert last.endswith("on second thought =1+1")
    assert len(path.read_text(encoding="utf-8").splitlines()) == 3


def test_undo_withdraws_the_last_judgment_also_after_a_restart(work: Path) -> None:
    path = work / "judged.qrels"
    with desk(work, "-o", "judged.qrels") as served:
        for number in (5, 2, 7):
            served.judge(number, 1)
        assert served.ask("POST", "withdrawals", {}) == (200, {"item": 7, "judged": 2})
    with desk(work, "-o", "judged.qrels") as served:
        items = served.data()["items"]
        assert [number for number, each in enumerate(items) if "grade" in each] == [2, 5]
        assert served.ask("POST", "withdrawals", {}) == (200, {"item": 2, "judged": 1})
        assert served.ask("POST", "withdrawals", {}) == (200, {"item": 5, "judged": 0})
        assert served.ask("POST", "withdrawals", {}) == (200, {"item": None, "judged": 0})
    assert path.read_text() == ""


def test_undo_says_that_another_program_changed_the_file(work: Path) -> None:
    path = work / "judged.qrels"
    with desk(work, "-o", "judged.qrels") as served:
        served.judge(0, 1)
        path.write_text(path.read_text() + "q1 0 d9 1\n")
        for what, body in (("withdrawals", {}), ("judgments", {"item": 1, "grade": 1})):
            status, said = served.ask("POST", what, body)
            assert status == 500
            assert "was changed by another program, so nothing was written. Restart carob judge." in said


@pytest.mark.parametrize(("length", "status"), [(2000, 200), (2001, 500), (100_000, 413), (10**6, 413)])
def test_a_note_that_is_too_long_gets_a_sentence(length: int, status: int, work: Path) -> None:
    with desk(work, "-o", "judged.csv") as served:
        found, said = served.ask("POST", "judgments", {"item": 0, "grade": 1, "note": "é" * length})
        assert found == status
        if status != 200:
            assert said == "The note is longer than 2,000 characters. Shorten it.\n"
        page = served.ask("GET", "")[1]
        assert 'maxlength="2000"' in page


def test_the_page_says_nothing_about_the_file_s_order(work: Path) -> None:
    rows = (work / "pairs.csv").read_text().splitlines()
    with desk(work, "-o", "one.qrels") as served:
        one = served.data()
    turned = [rows[0], *rows[4:0:-1], *rows[5:]]
    (work / "pairs.csv").write_text("\n".join([*turned, ""]))
    with desk(work, "-o", "two.qrels") as served:
        assert served.data() == one


def test_two_windows_of_one_judge_write_one_file(work: Path) -> None:
    with desk(work, "-o", "judged.qrels") as served, ThreadPoolExecutor(8) as pool:
        jobs = [pool.submit(served.judge, number % 8, number % 4) for number in range(80)]
        assert {each.result()["item"] for each in jobs} == set(range(8))
    lines = (work / "judged.qrels").read_text().splitlines()
    assert len(lines) == len({tuple(line.split()[:3]) for line in lines}) == 8


# ---------------------------------------------------------------- who is answered


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1"}, 421),
        ({"Host": "localhost:1"}, 421),
        ({"Host": ""}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": ""}, 403),
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Type": "application/x-www-form-urlencoded"}, 415),
    ],
)
def test_requests_of_other_sites_are_refused(work: Path, headers: dict[str, str], status: int) -> None:
    with desk(work, "-o", "judged.qrels") as served:
        found, _ = served.ask("POST", "judgments", {"item": 0, "grade": 1}, headers)
        assert found == status
        found, _ = served.ask("POST", "withdrawals", {}, headers)
        assert found == status
        if status == 421:
            assert served.ask("GET", "", None, headers)[0] == status
            assert served.ask("GET", "documents/0", None, headers)[0] == status
    assert (work / "judged.qrels").read_text() == ""


def test_without_the_secret_there_is_nothing(work: Path) -> None:
    with desk(work, "-o", "judged.qrels") as served:
        secret = served.path.strip("/")
        wrong = [
            *("/", "/judgments", "/documents/0", "//", f"/{secret}", f"/{secret[:-1]}/", f"/{secret}x/"),
            *(f"/{secret.lower()}/", "/%00/", "/%C3%A9/", "/favicon.ico"),
        ]
        for path in wrong:
            status, text = served.ask("GET", path)
            assert status == 404, path
            assert secret not in text
        assert served.ask("POST", "/judgments", {"item": 0, "grade": 1})[0] == 404
        for path in (
            "documents/8",
            "documents/-1",
            "documents/x",
            "documents/%D9%A3",
            "../pairs.csv",
            "documents/0/1",
        ):
            assert served.ask("GET", path)[0] == 404, path
        assert served.ask("DELETE", "judgments")[0] == 405
        assert served.ask("OPTIONS", "judgments")[0] == 405
    assert len(secret) >= 32
    assert (work / "judged.qrels").read_text() == ""


BROKEN: tuple[tuple[Any, int], ...] = (
    (b"", 400),
    (b"{", 400),
    (b"[]", 400),
    (b"null", 400),
    (b"\xff\xfe", 400),
    (b"[" * 60000, 400),
    ({"item": 0}, 400),
    ({"item": "0", "grade": 1}, 400),
    ({"item": True, "grade": 1}, 400),
    ({"item": 0, "grade": 1.0}, 400),
    ({"item": 0, "grade": 1, "note": 3}, 400),
    ({"item": 8, "grade": 1}, 500),
    ({"item": -1, "grade": 1}, 500),
    ({"item": 0, "grade": 7}, 500),
    ({"item": 10**30, "grade": 1}, 500),
    (b'{"item": 0, "grade": 1, "note": "' + b"x" * 100_000 + b'"}', 413),
)


def test_broken_requests_change_nothing(work: Path) -> None:
    with desk(work, "-o", "judged.csv") as served:
        before = (work / "judged.csv").read_bytes()
        for body, status in BROKEN:
            assert served.ask("POST", "judgments", body)[0] == status, body
        assert (work / "judged.csv").read_bytes() == before
        served.judge(0, 1, "\ud800\x00 \r\n,\"'")  # and it still works
    assert len((work / "judged.csv").read_bytes().splitlines()) == 2


def test_answers_forbid_what_a_page_does_not_need(work: Path) -> None:
    import http.client

    with desk(work, "-o", "judged.qrels") as served:
        for path in ("", "documents/0", "nowhere"):
            connection = http.client.HTTPConnection(served.host, timeout=60)
            connection.request("GET", served.path + path)
            answer = connection.getresponse()
            answer.read()
            policy = dict(
                each.split(" ", 1) for each in answer.headers["Content-Security-Policy"].split("; ")
            )
            assert policy["default-src"] == "'none'"
            assert "unsafe" not in answer.headers["Content-Security-Policy"]
            assert answer.headers["Cache-Control"] == "no-store"
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert answer.headers["Referrer-Policy"] == "no-referrer"
            assert "Server" not in answer.headers
            assert "Access-Control-Allow-Origin" not in answer.headers
            connection.close()


def test_only_this_machine_can_connect(work: Path) -> None:
    import socket

    with desk(work, "-o", "judged.qrels") as served:
        port = int(served.host.partition(":")[2])
        found = {each[4][0] for each in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
        for address in found - {"127.0.0.1", "127.0.1.1"}:
            with pytest.raises(OSError, match=r"refused|unreachable|timed out"):
                socket.create_connection((address, port), timeout=5)


def test_the_browser_s_address_leads_to_the_page_once(work: Path) -> None:
    from werkzeug.test import Client

    from carob.judging.journal import Journal
    from carob.judging.server import Site
    from carob.judging.session import JudgingSheet, Session
    from carob.judging.task import labels_of_grades

    task = read_task(str(work / "pairs.csv"))
    files = [str(work / name) for name in ("queries.jsonl", "documents.jsonl")]
    with Journal(str(work / "judged.qrels"), task) as journal:
        site = Site(
            Session(JudgingSheet.read(task, assigned(task), *files, grades=labels_of_grades("0-3")), journal),
            port=80,
        )
        client = Client(site)
        once, headers = f"/{site.once}", {"Host": "127.0.0.1:80"}
        answer = client.get(once, headers=headers)
        assert (answer.status_code, answer.headers["Location"]) == (303, f"/{site.secret}/")
        assert client.get(once, headers=headers).status_code == 404
        assert site.secret not in once


# ---------------------------------------------------------------- files and judges


def command(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    done = [sys.executable, "-m", "carob", *arguments]
    return subprocess.run(
        done, cwd=folder, capture_output=True, text=True, check=False, timeout=60, encoding="utf-8"
    )


def test_two_judges_at_once_share_some_documents(work: Path) -> None:
    both = ("--judges", "anna,ben", "--shared", "0.5")
    with (
        desk(work, "-o", "anna.qrels", "--judge", "anna", *both) as anna,
        desk(work, "-o", "ben.qrels", "--judge", "ben", *both) as ben,
    ):
        sizes = [len(each.data()["items"]) for each in (anna, ben)]
        assert sizes == [6, 6]
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda each: [each.judge(number, number % 2) for number in range(6)], (anna, ben)))
    one, other = (
        {tuple(line.split()[:3]) for line in (work / f"{name}.qrels").read_text().splitlines()}
        for name in ("anna", "ben")
    )
    assert len(one | other) == 8
    assert len(one & other) == 4
    found = carob.agreement(str(work / "anna.qrels"), str(work / "ben.qrels"))
    assert len(found.pairing.documents) == 4


def test_a_second_server_for_one_file_is_refused(work: Path) -> None:
    with desk(work, "-o", "judged.qrels") as served:
        done = command(work, "judge", "pairs.csv", *TEXTS, "-o", "judged.qrels", "--no-browser")
        assert done.returncode == 2
        assert (
            f"another carob judge process is writing to this file (process {served.process.pid})"
            in done.stderr
        )
        served.judge(0, 1)
    with desk(work, "-o", "judged.qrels") as served:
        assert served.judge(1, 1)["judged"] == 2


def test_a_port_that_is_taken_gets_a_sentence(work: Path) -> None:
    with desk(work, "-o", "judged.qrels") as served:
        port = served.host.partition(":")[2]
        done = command(work, "judge", "pairs.csv", *TEXTS, "-o", "b.qrels", "--no-browser", "--port", port)
    assert done.returncode == 2
    assert f"Port {port} cannot be used" in done.stderr
    assert not (work / ".b.qrels.lock").exists()
