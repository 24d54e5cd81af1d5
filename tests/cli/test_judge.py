"""``carob judge``: its options, its errors, and the loop of next, judge and compare."""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import carob
from carob.cli import main
from carob.judging.task import assigned, read_task
from judging.desk import TEXTS, desk, skip_without_server, write_files, write_small_task

if TYPE_CHECKING:
    from collections.abc import Iterator

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A folder with 2 queries and 4 documents of each, which are to be judged."""
    write_small_task(tmp_path)
    return tmp_path


@pytest.fixture
def served() -> None:
    """Skips a test where the server cannot be tried."""
    skip_without_server()


@pytest.mark.usefixtures("served")
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("", "Missing argument"),
        ("pairs.csv", "Pass --queries and --documents and --output"),
        ("pairs.csv -o a.qrels --queries queries.jsonl", "Pass --documents."),
        ("pairs.csv other.csv -o a.qrels TEXTS", "Pass one table of pairs, or --collect"),
        ("pairs.csv --offline a.html --prompts b TEXTS", "cannot be combined"),
        (
            "pairs.csv --offline a.html --port 80 TEXTS",
            "--port can only be used with the page: leave it out, or leave out --offline",
        ),
        ("pairs.csv --offline a.html --no-browser TEXTS", "--browser can only be used with the page"),
        (
            "--collect pairs.csv x.json -o a.qrels --shared 0",
            "--shared can only be used with the page or --offline",
        ),
        (
            "pairs.csv -o a.qrels --template x TEXTS",
            "--template can only be used with --prompts: leave it out.",
        ),
        ("pairs.csv -o a.qrels --lenient TEXTS", "--lenient can only be used with --collect"),
        ("--collect pairs.csv", "Pass --output"),
        ("--collect pairs.csv -o a.qrels", "at least one file of judgments"),
        (
            "--collect pairs.csv x.json -o a.qrels --judge anna",
            "--judge can only be used with the page or --offline",
        ),
        ("pairs.csv -o a.qrels --shared 0.5 TEXTS", "--shared needs --judges"),
        ("pairs.csv -o a.qrels --judges a,b TEXTS", "--judges needs --judge"),
        ("pairs.csv -o a.qrels --judges a,b --judge c TEXTS", "'c' is not one of the judges a, b"),
        ("pairs.csv -o a.qrels --judges a,a --judge a TEXTS", "a name occurs twice"),
        ("pairs.csv -o a.qrels --grades 0-12 TEXTS", "'0-12' is not a list of grades"),
        ("pairs.csv -o pairs.csv TEXTS", "this file is the input"),
        ("pairs.csv -o - TEXTS", "needs a file of judgments, not standard output"),
        ("pairs.csv --offline queries.jsonl TEXTS", "this file is the input"),
        ("nowhere.csv -o a.qrels TEXTS", "nowhere.csv: No such file"),
        (
            "pairs.csv -o a.qrels --queries queries.jsonl --documents queries.jsonl",
            "no text for 4 of the documents to",
        ),
        (
            "pairs.csv -o a.qrels --queries documents.jsonl --documents documents.jsonl",
            "no text for 2 of the queries",
        ),
        ("pairs.csv --offline a.html --guidelines nowhere.txt TEXTS", "nowhere.txt"),
        ("folder -o a.qrels TEXTS", "folder: this is a folder. Pass a file."),
        ("--collect pairs.csv folder -o a.csv", "folder: this is a folder. Pass a file."),
        (
            "--collect pairs.csv /dev/null -o a.csv",
            "/dev/null: the file is empty: it contains neither judgments",
        ),
        ("--collect - - -o a.csv", "Standard input ('-') can be read only once"),
    ],
)
def test_misuse_gets_a_sentence(
    arguments: str, says: str, work: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(work)
    before = {path.name: path.read_bytes() for path in work.iterdir()}
    (work / "folder").mkdir()
    words = [each for word in arguments.split() for each in (TEXTS if word == "TEXTS" else [word])]
    with pytest.raises(SystemExit) as stopped:
        main(["judge", *words])
    assert stopped.value.code == 2
    assert says in " ".join(capsys.readouterr().err.split())
    (work / "folder").rmdir()
    assert {path.name: path.read_bytes() for path in work.iterdir()} == before


def test_the_list_and_the_judgments_may_come_from_standard_input(
    work: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(work)
    (work / "one.qrels").write_text("q1 0 d0 1\n")

    def given(text: str) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    given("query,document\nq1,d0\n")
    main(["judge", "--collect", "-", "one.qrels", "-o", "list.csv"])
    assert capsys.readouterr().err == "list.csv: 1 of 1 document judged.\n"
    given("query,document,grade\nq1,d0,2\n")
    main(["judge", "--collect", "pairs.csv", "-", "-o", "table.csv"])
    assert (work / "table.csv").read_text().splitlines()[1] == "q1,d0,2,,,"
    given("q1 0 d0 x\n")
    with pytest.raises(SystemExit):
        main(["judge", "--collect", "pairs.csv", "-", "-o", "again.csv"])
    assert "standard input, line 1: " in capsys.readouterr().err


@pytest.mark.parametrize("missing", ["waitress", "werkzeug", "jinja2"])
def test_a_missing_library_is_named_with_its_extra(
    missing: str, work: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import importlib.util

    from carob.judging import server

    real = importlib.util.find_spec
    monkeypatch.setattr(server, "find_spec", lambda name: None if name == missing else real("json"))
    monkeypatch.chdir(work)
    with pytest.raises(SystemExit):
        main(["judge", "pairs.csv", *TEXTS, "-o", "a.qrels", "--no-browser"])
    said = f"Judging needs {missing}, which is not installed. Run pip install 'carob[judge]'."
    assert said in capsys.readouterr().err


def test_collected_judgments_never_replace_a_file(
    work: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(work)
    (work / "one.qrels").write_text("q1 0 d0 1\n")
    (work / "judged.qrels").write_text("precious\n")
    with pytest.raises(SystemExit):
        main(["judge", "--collect", "pairs.csv", "one.qrels", "-o", "judged.qrels"])
    assert "this file already exists, and may contain judgments" in capsys.readouterr().err
    assert (work / "judged.qrels").read_text() == "precious\n"
    main(["judge", "--collect", "pairs.csv", "one.qrels", "-o", "-"])
    found = capsys.readouterr()
    assert found.out.splitlines()[1] == "q1,d0,1,,,"
    assert found.err == "Collected: 1 of 8 documents judged.\n"


LOOPS = {
    "with a model": ("coffee", ["--judge", "coffee/model.txt"], "DCG@10"),
    "without a model": ("tea", ["tea/qrels.txt"], "DCG@20"),
}


@pytest.mark.thorough
@pytest.mark.usefixtures("served")
@pytest.mark.parametrize("kind", LOOPS)
def test_next_judge_and_compare_are_a_loop(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    example, known, measure = LOOPS[kind]
    monkeypatch.chdir(tmp_path)
    shutil.copytree(EXAMPLES / example, tmp_path / example)
    runs = sorted(map(str, Path(example, "runs").glob("*.run")))
    main(["next", *known, *runs, "-m", measure, "--budget", "40", "-o", "next.csv"])
    task = read_task("next.csv")
    order = [task.pairs[place] for place in assigned(task)]
    assert len(order) == 40
    write_files(tmp_path, {each.query: "query" for each in order}, {each.document: "text" for each in order})
    shutil.copy("next.csv", "pairs.csv")
    grades = {pair: sum((pair.query + pair.document).encode()) % 4 for pair in order}
    compare = [
        "compare",
        "--people",
        "judged.csv",
        "--judge",
        known[-1],
        *runs,
        "-m",
        measure,
        "--format",
        "json",
    ]
    with desk(tmp_path, "-o", "judged.csv") as served:
        for number, pair in enumerate(order):
            if number == 39:
                with pytest.raises(SystemExit):
                    main(compare)
                assert f"the sample has {len(task.pairs)} documents, but" in capsys.readouterr().err
            served.judge(number, grades[pair])
        capsys.readouterr()
        main(compare)
    whole = capsys.readouterr().out
    # The same grades, filled in by hand.
    rows = [line.split(",") for line in Path("next.csv").read_text().splitlines()]
    by_hand = {(pair.query, pair.document): str(grade) for pair, grade in grades.items()}
    filled = [
        [query, document, grade or by_hand[query, document], *draw]
        for query, document, grade, *draw in rows[1:]
    ]
    Path("judged.csv").write_text("".join(f"{','.join(each)}\n" for each in [rows[0], *filled]))
    main(compare)
    # Another order of rows may change the last digits of sums.
    one, other = (numbers_in(json.loads(each)) for each in (whole, capsys.readouterr().out))
    assert len(one) > 20
    assert one == pytest.approx(other, rel=1e-9, abs=1e-12, nan_ok=True)


def numbers_in(value: Any) -> list[float]:
    """All numbers of a JSON value, in their order."""
    if isinstance(value, (list, dict)):
        parts = value.values() if isinstance(value, dict) else value
        return [number for each in parts for number in numbers_in(each)]
    return [float(value)] if isinstance(value, (int, float)) else []


@pytest.mark.usefixtures("served")
def test_documents_of_certain_order_are_judged_into_plain_qrels(
    work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The unjudged documents at the top of runs, without a sample."""
    monkeypatch.chdir(work)
    (work / "qrels.txt").write_text("q1 0 d0 1\nq2 0 d1 0\n")
    rows = [f"{q} Q0 d{number} {number + 1} {9 - number} run" for q in ("q1", "q2") for number in range(4)]
    (work / "one.run").write_text("\n".join([*rows, ""]))
    main(
        [
            "next",
            "qrels.txt",
            "one.run",
            "--order",
            "depth",
            "--budget",
            "1000",
            "-m",
            "P@2",
            "-o",
            "pairs.csv",
        ]
    )
    assert sorted((work / "pairs.csv").read_text().splitlines()) == [
        "q1,d1,",
        "q2,d0,",
        "query,document,grade",
    ]
    with desk(work, "-o", "more.qrels") as served:
        served.judge(0, 1)
        served.judge(1, 0)
    assert sorted((work / "more.qrels").read_text().splitlines()) == ["q1 0 d1 1", "q2 0 d0 0"]
    assert carob.evaluate(str(work / "more.qrels"), str(work / "one.run"), "P@2")["P@2"] == 0.25


@pytest.mark.usefixtures("served")
def test_a_browser_is_opened_with_an_address_that_works_once(work: Path) -> None:
    opener = work / "opener.sh"
    opener.write_text('#!/bin/sh\nprintf "%s" "$1" > opened.txt\n')
    opener.chmod(0o755)
    with browser_is(f"{opener} %s"), desk(work, "-o", "a.qrels", "--browser") as served:
        assert served.judge(0, 1)
        end = time.monotonic() + 60
        while not (work / "opened.txt").exists() or not (work / "opened.txt").read_text():
            assert time.monotonic() < end
            time.sleep(0.02)
        opened = (work / "opened.txt").read_text()
        assert served.path.strip("/") not in opened
        path = "/" + opened.split("/", 3)[3]
        status, _ = served.ask("GET", path)
        assert status == 303
        assert served.ask("GET", path)[0] == 404


@contextmanager
def browser_is(command: str) -> Iterator[None]:
    """Makes a command the user's browser."""
    old = os.environ.get("BROWSER")
    os.environ["BROWSER"] = command
    try:
        yield
    finally:
        os.environ.pop("BROWSER")
        if old is not None:
            os.environ["BROWSER"] = old
