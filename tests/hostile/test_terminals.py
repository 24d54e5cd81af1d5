"""Ids, run names, columns and measures that speak to terminals, builds, pages and spreadsheets: none is obeyed."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

import carob
from carob.__main__ import main
from carob.output import escaping
from carob.output.formats import format_names
from hostile.attack import asked, attacked

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = {
    "escape": "\x1b[31mred\x1b]0;title\x07",
    "bell": "a\x07b",
    "C1": "\x9b31mred\x9d0;title\x9c",
    "right to left": "abc\u202etxt.exe",
    "isolate": "\u2066abc\u2069",
    "command": "::error::injected",
    "command after a line": "x\n::error file=a,line=1::injected",
    "command after blanks": "a \t ::warning::injected",
    "old command": "##[error]injected ##vso[task.setvariable variable=a]b",
    "carriage return": "good\rbad",
    "NUL": "a\x00b",
    "DEL": "a\x7fb",
    "zero width": "a\u200bb\ufeffc",
    "backspace": "secret\b\b\b\b\b\bpublic",
    "line separator": "a\u2028b\u2029c\x85d\x0be\x0cf",
    "link": "[click](http://example.org/) ![image](http://example.org/a.png)",
    "tag": "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "bar": "a\\|b|c\\",
    "formula": "=cmd|' /C calc'!A0",
    "percent": "%0A::error::injected",
    "long": "long" + "x" * 10_000,
    "prototype": "__proto__",
    "template": "{{7*7}} ${7*7} {% raw %}",
    "no text": "\udc9b\udcff",
    "TeX": "\\input{/etc/passwd}\\end{tabular}",
    "mention": "@everyone `code` **bold** #1",
    "quotes": "\"'; DROP TABLE runs; --",
}
PLAIN = [f"q{number}" for number in range(6)]
LONGEST_LINE = 2_000
"""Characters of a line for people; that of a page or of JSON may be longer."""


def collection(folder: Path) -> dict[str, Path]:
    """Judgments by two judges and three runs, whose queries and documents are hostile, in files of hostile names."""
    ids = [*HOSTILE.values(), *PLAIN]
    grades = {query: {query: 2, f"{query} other": 1, "plain": 0} for query in ids}
    others = {query: {query: 1, f"{query} other": 1, "plain": 1, "more": 0} for query in ids}
    found = {
        "qrels": ("qrels \x1b[31m\x07\n::error::qrels.json", grades),
        "judge": ("judge\u202e.json", others),
        "good": ("a\\|b [x](http:) <b>\x9b\n::error::good.json", ranked(ids, 2.0)),
        "bad": ("=cmd|x {{7*7}}\r##[error].json", ranked(ids, 0.5)),
        "same": ("\u202e@all $x$ `y`\x1b[2J.json", ranked(ids, 2.0)),
    }
    for key, (name, content) in found.items():
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
        found[key] = folder / name  # type: ignore[assignment]
    return found  # type: ignore[return-value]


def ranked(ids: list[str], score: float) -> dict[str, dict[str, float]]:
    """A run that lists the best document above the other two, or below them; ties in some queries."""
    return {
        query: {query: score if place % 3 else 1.0, f"{query} other": 1.0, "plain": 0.75}
        for place, query in enumerate([*ids, "unjudged \x1b[31m"])
    }


FORMATS = {
    **dict.fromkeys(("eval", "compare", "gate", "check", "agreement"), ("text", "json", *format_names())),
    "difference": ("text", "json"),
}


def arguments(command: str, files: dict[str, Path]) -> list[Any]:
    """A call of the command that shows as many names as it can."""
    qrels, judge, good, bad, same = files.values()
    before, name = qrels.with_name("before.json"), carob.Run.of(good).name
    attacked("eval", qrels, good, "-m", "RR", "--record", before, most=10**5)
    return {
        "eval": ["eval", qrels, good, bad, same, "-q", "-m", "AP", "-m", "RR"],
        "compare": ["compare", qrels, good, bad, same, "-m", "AP", "-m", "RR", "--pairs", "all"],
        "gate": [
            "gate",
            qrels,
            bad,
            "--baseline",
            before,
            "--baseline-run",
            name,
            "--max-drop",
            "RR=0.01",
            "--worst",
            "99",
            "--github",
        ],
        "check": ["check", qrels, good, bad, same],
        "agreement": ["agreement", qrels, judge, good, bad, same, "--resamples", "20"],
        "difference": ["difference", "trec_eval-10", "sklearn", "nDCG@10", qrels, bad],
    }[command]


@pytest.mark.parametrize(
    ("command", "layout"), [(command, layout) for command, its in FORMATS.items() for layout in its]
)
def test_no_name_speaks_to_a_terminal_a_build_or_a_page(command: str, layout: str, tmp_path: Path) -> None:
    answer = attacked(*arguments(command, collection(tmp_path)), "--format", layout, most=10**7)
    assert answer.out
    check_silent(answer.out)
    check_silent(answer.err, own=command == "gate")
    check_form(layout, answer.out)


@pytest.mark.parametrize("layout", ["text", *format_names()])
@pytest.mark.parametrize("kind", HOSTILE)
def test_no_name_speaks_in_an_explanation(kind: str, layout: str) -> None:
    name = HOSTILE[kind]
    qrels = {name: {name: 2, "plain": 1}}
    explanation = carob.explain("nDCG", qrels, {name: {name: 1.0, "plain": 2.0, f"{name}2": 0.5}}, name)
    text = explanation.to_text() if layout == "text" else explanation.to(layout)
    check_silent(text)
    check_form(layout, text)


def test_no_name_speaks_in_a_page(tmp_path: Path) -> None:
    pytest.importorskip("jinja2", reason="carob[report] is not installed")
    files = collection(tmp_path)
    attacked("report", files["qrels"], files["good"], files["bad"], "-o", tmp_path / "page.html", "-m", "RR")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<script>alert" not in text
    assert "<img src=x" not in text


@pytest.mark.parametrize("layout", ["csv", "tsv"])
@pytest.mark.parametrize("command", ["eval", "compare"])
def test_ids_in_csv_stay_what_they_are(
    command: str, layout: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = collection(tmp_path)
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="")
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "argv", ["carob", *map(str, arguments(command, files)), "--format", layout])
    main()
    text = out.buffer.getvalue().decode("utf-8", "surrogateescape")  # type: ignore[attr-defined]
    for line in re.split("[\r\n]", text):
        assert not line.strip().startswith("::")
    assert not re.search(r"##\w*\[", text)
    # Before Python 3.11 the module csv reads no bytes 0.
    readable = io.StringIO(text.replace("\0", "\ue000"), newline="")
    rows = [
        [cell.replace("\ue000", "\0") for cell in row]
        for row in csv.reader(readable, delimiter="," if layout == "csv" else "\t")
    ]
    assert {len(row) for row in rows} == {len(rows[0])}
    if command == "eval":
        # Only what would be a command to a build is not as it was.
        kept = {name for name in HOSTILE.values() if not re.search(r"\n::|##", name)}
        assert kept <= {row[1] for row in rows}


def test_a_terminal_is_shown_csv_and_trec_evals_output_without_what_it_would_obey(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "qrels").write_bytes(b"\x1b[31m\x9b 0 d 1\nq 0 d 1\n")
    (tmp_path / "run").write_bytes(b"\x1b[31m\x9b Q0 d 1 1 \x1b]0;t\nq Q0 d 1 1 t\n")

    class Terminal(io.TextIOWrapper):
        def isatty(self) -> bool:
            return True

    for words in (["eval", "--format", "csv", "-q"], ["eval", "-q"], ["trec-eval", "-q"]):
        shown, piped = (kind(io.BytesIO(), encoding="utf-8") for kind in (Terminal, io.TextIOWrapper))
        for out in (shown, piped):
            monkeypatch.setattr(sys, "stdout", out)
            monkeypatch.setattr(
                sys, "argv", ["carob", *words, str(tmp_path / "qrels"), str(tmp_path / "run")]
            )
            try:
                main()
            except SystemExit as end:
                assert not end.code  # noqa: PT017 - trec_eval's face leaves with its code
        text = shown.buffer.getvalue()  # type: ignore[attr-defined]
        assert b"[31m" in text
        # Bold, which is carob's own.
        assert b"\x1b" not in re.sub(rb"\x1b\[(1|2|22|0)m", b"", text)
        assert b"\x9b" not in text
        # What goes into a file or another program is data.
        if words != ["eval", "-q"]:
            assert b"\x1b[31m\x9b" in piped.buffer.getvalue()  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", HOSTILE)
def test_no_name_speaks_in_an_error(kind: str, tmp_path: Path) -> None:
    name = HOSTILE[kind]
    twice = f'{{{json.dumps(name)}: {{"d": 1}}, {json.dumps(name)}: {{"d": 1}}}}'
    (tmp_path / "twice.json").write_text(twice, encoding="utf-8")
    (tmp_path / "qrels.json").write_text(json.dumps({name: {"d": 1}}), encoding="utf-8")
    calls: list[list[Any]] = [
        ["eval", tmp_path / "twice.json", tmp_path / "twice.json"],
        ["eval", tmp_path / "qrels.json", tmp_path / "qrels.json", "-m", f"P@{name}"],
        ["eval", tmp_path / "qrels.json", tmp_path / "qrels.json", "--profile", name],
        ["eval", tmp_path / name.replace("\x00", "").replace("/", "")[:200], tmp_path / "none"],
        ["measures", name],
        ["profiles", name],
        ["explain", name, "--grades", "1"],
        ["explain", "AP", "--grades", name],
        ["explain", "AP", tmp_path / "qrels.json", tmp_path / "qrels.json", "--query", f"{name}?"],
        ["gate", tmp_path / "qrels.json", tmp_path / "qrels.json", "--min", f"{name}=1"],
        ["eval", f"--{name}"],
        [name],
    ]
    for words in calls:
        clean = [str(each).encode("utf-8", "replace").decode().replace("\x00", "") for each in words]
        answer = attacked(*clean)
        assert answer.code == 2, words
        assert answer.err.startswith("carob: ")
        check_silent(answer.err)


@pytest.mark.parametrize("kind", HOSTILE)
def test_no_name_speaks_in_an_error_of_python(kind: str) -> None:
    name = HOSTILE[kind]
    good = {name: {name: 1}}
    for call in (
        lambda: carob.evaluate(good, {name: {name: float("nan")}}, "AP"),
        lambda: carob.evaluate(good, {name: {name: "x"}}, "AP"),  # type: ignore[dict-item]
        lambda: carob.evaluate(good, good, name),
        lambda: carob.evaluate(good, {f"{name}2": {"a": 1.0}}, "AP", policy=carob.Policy(missing="error")),
        lambda: carob.compare(good, {name: good}, "AP"),
    ):
        answer = asked(call)
        assert answer.code == 2
        check_silent(answer.err)


def test_a_workflow_command_is_one_line_whatever_it_says() -> None:
    for name in HOSTILE.values():
        line = escaping.command("error", name, name)
        assert line.startswith("::error title=")
        assert "\n" not in line
        assert "\r" not in line


# ---------------------------------------------------------------- what holds for a format


def check_silent(text: str, *, own: bool = False) -> None:
    """Nothing in the text is a command to a build's runner; ``own``: but for annotations."""
    for line in text.splitlines():
        said = line.strip()
        assert not said.startswith("::") or (own and said.startswith(("::error title=", "::warning title=")))
        assert not re.search(r"##\w*\[", line)
    assert "\x1b" not in text


def readable(text: str) -> None:
    """Lines that a person can read."""
    assert max(map(len, text.splitlines())) < LONGEST_LINE


def is_json(text: str) -> None:
    """JSON that a strict reader takes, with each query as it is."""
    document = json.loads(text)
    for run in document.get("runs", []):
        if isinstance(run, dict) and "queries" in run:
            assert set(HOSTILE.values()) <= set(run["queries"])


def is_markdown(text: str) -> None:
    """Rows with as many cells as their head, and nothing that becomes a link, a tag, a mention or a template."""
    readable(text)
    cells = 0
    for line in text.splitlines():
        if not line.startswith("|"):
            cells = 0
            continue
        # As cmark-gfm parts a row: a backslash takes the mark after it along.
        found = len(re.findall(r"(?:\\.|[^|\\])*\|", line))
        assert cells in (0, found), line
        cells = found
    bare = re.sub(r"\\[!-/:-@\[-`{-~]", "", text)
    assert not re.search(r"\]\(|<(?!br>|/?sup>|!-- -->)|\{\{|\{%|(?<!\w)@\w", bare)


def is_latex(text: str) -> None:
    """No command that is not carob's own."""
    readable(text)
    assert "\\input" not in text
    assert text.count("\\begin{tabular}") == text.count("\\end{tabular}")


def is_html(text: str) -> None:
    """No tag of others."""
    assert "<script" not in text
    assert "<img" not in text
    assert text.isprintable() or not [each for each in text if not each.isprintable() and each != "\n"]


WELL_FORMED = {
    "text": readable,
    "json": is_json,
    "markdown": is_markdown,
    "latex": is_latex,
    "html": is_html,
}


def check_form(layout: str, text: str) -> None:
    """The text is what its format is."""
    WELL_FORMED.get(layout, readable)(text)


def test_junit_is_read_whatever_the_names(tmp_path: Path) -> None:
    files = collection(tmp_path)
    attacked(*arguments("gate", files), "--junit", tmp_path / "out.xml", most=10**6)
    text = (tmp_path / "out.xml").read_text(encoding="utf-8")
    ET.fromstring(text)
    check_silent(text)
