"""Runs ``carob judge`` as a user does: another process, whose page is asked over HTTP."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


def write_files(
    folder: Path, queries: Mapping[str, str], documents: Mapping[str, str], sample: bool = False
) -> None:
    """Writes ``pairs.csv`` with every document for every query, and the texts."""
    head = "query,document,grade,probability" if sample else "query,document"
    rest = ",,0.5" if sample else ""
    rows = [f"{query},{document}{rest}" for query in queries for document in documents]
    (folder / "pairs.csv").write_text("\n".join([head, *rows, ""]), encoding="utf-8")
    for name, texts in (("queries", queries), ("documents", documents)):
        lines = [json.dumps({"id": key, "text": text}) + "\n" for key, text in texts.items()]
        (folder / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")


def write_small_task(folder: Path) -> None:
    """Writes 2 queries and 4 documents of each, which are to be judged."""
    write_files(
        folder, {"q1": "green tea", "q2": "红茶"}, {f"d{number}": f"text {number}" for number in range(4)}
    )


def skip_without_server() -> None:
    """Skips a test where the server's libraries are missing, or where it cannot be stopped as by Ctrl-C."""
    if sys.platform == "win32":
        pytest.skip("stops the server by a signal of POSIX")
    for library in ("jinja2", "waitress", "werkzeug"):
        pytest.importorskip(library, reason="the page needs carob[judge]")


TEXTS = ("--queries", "queries.jsonl", "--documents", "documents.jsonl")


class Desk:
    """A running server.

    Args:
        folder: the folder with the files.
        arguments: further arguments of the command.
    """

    def __init__(self, folder: Path, *arguments: str) -> None:
        command = [sys.executable, "-m", "carob", "judge", "pairs.csv", *TEXTS, "--no-browser", *arguments]
        self.process = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8"
        )
        assert self.process.stdout
        self.address = self.process.stdout.readline().strip()
        if not self.address:
            self.process.wait(20)
        parts = urlsplit(self.address)
        self.host, self.path = parts.netloc, parts.path

    def ask(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, Any]:
        """One request as the page sends it, and the answer's status and content."""
        own = {"Origin": f"http://{self.host}", "Content-Type": "application/json"}
        sent = body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode()
        connection = http.client.HTTPConnection(self.host, timeout=60)
        try:
            full = path if path.startswith("/") else self.path + path
            connection.request(method, full, sent, {**(own if method == "POST" else {}), **(headers or {})})
            answer = connection.getresponse()
            content = answer.read().decode()
            its = answer.headers.get_content_type() == "application/json"
            return answer.status, json.loads(content) if its else content
        finally:
            connection.close()

    def judge(self, item: int, grade: int, note: str = "") -> Any:
        """Stores a judgment."""
        status, found = self.ask("POST", "judgments", {"item": item, "grade": grade, "note": note})
        assert status == 200, found
        return found

    def data(self) -> Any:
        """The data in the page."""
        status, html = self.ask("GET", "")
        assert status == 200
        text = html.partition('id="data">')[2].partition("</script>")[0]
        return json.loads(text)

    def stop(self, number: int = signal.SIGINT) -> str:
        """Ends the process, and returns what it wrote to standard error."""
        if self.process.poll() is None:
            os.kill(self.process.pid, number)
        return self.process.communicate(timeout=60)[1]


@contextmanager
def desk(folder: Path, *arguments: str) -> Iterator[Desk]:
    """A server that is stopped at the end."""
    made = Desk(folder, *arguments)
    try:
        assert made.address, made.stop()
        yield made
    finally:
        made.stop()
