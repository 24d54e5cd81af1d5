"""Attacks by JSON and TOML: nested too deep, keys of thousands of parts, keys that occur twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from carob.output.parsing import read_toml
from hostile.attack import attacked

DEEP = '{"id":' + "[" * 100_000
TWICE = '{"query": "q1", "document": "a", "grade": 1, "grade": 3}\n'
DEEP_TOML = "a=" + "[" * 100_000
PAIRS = "query,document,grade\nq1,a,\n"


@pytest.fixture(autouse=True)
def made(folder: Path) -> None:
    for name, text in {
        "deep.jsonl": DEEP,
        "deep.json": DEEP,
        "deep.toml": DEEP_TOML,
        "tables.toml": "a=" + "{a=" * 50_000,
        "dots.toml": "a" + ".a" * 50_000 + "=1",
        "quoted.toml": '"a"' + ' . "a"' * 50_000 + "=1",
        "header.toml": "[a" + ".a" * 50_000 + "]",
        "endless.toml": "#" * 2**22 + "\n",
        "twice.jsonl": TWICE,
        "twice.json": '{"judgments": [], "judgments": [1], "carob": "judgments"}',
        "pairs.csv": PAIRS,
        "queries.tsv": "q1\ttea\n",
        "documents.tsv": "a\tgreen\n",
        "many.txt": "".join(f"q{each} 0 a 1\n" for each in range(40)),
        "many.run": "".join(f"q{each} Q0 a 1 2 t\n" for each in range(40)),
        "more.run": "".join(f"q{each} Q0 {'ab'[each % 2]} 1 2 t\n" for each in range(40)),
    }.items():
        Path(name).write_text(text)


TOML = ("deep", "tables", "dots", "quoted", "header", "endless")


@pytest.mark.parametrize("name", TOML)
def test_no_profile_takes_a_parser_down(name: str) -> None:
    attacked("eval", "qrels.txt", "one.run", "--profile", f"{name}.toml", within=10).refused(f"{name}.toml")


@pytest.mark.parametrize("name", TOML)
def test_no_table_of_collections_takes_a_parser_down(name: str) -> None:
    attacked("compare", "--collections", f"{name}.toml", "-m", "AP", within=10).refused(f"{name}.toml")


MANY = ("many.txt", "many.run", "more.run", "-m", "AP")
READS = {
    "pairs to judge": (
        "judge",
        "{}",
        "--queries",
        "queries.tsv",
        "--documents",
        "documents.tsv",
        "-o",
        "o.csv",
    ),
    "texts": ("judge", "pairs.csv", "--queries", "{}", "--documents", "documents.tsv", "--offline", "o.html"),
    "collected judgments": ("judge", "--collect", "pairs.csv", "{}", "-o", "o.csv"),
    "a ledger": ("best", *MANY, "--hold-out", ".5", "--open", "--ledger", "{}"),
    "a record": ("verify", "{}"),
    "a baseline": ("gate", "qrels.txt", "one.run", "--baseline", "{}", "--max-drop", "AP=1"),
    "people's judgments": ("compare", "--people", "{}", "--judge", "qrels.txt", "one.run", "two.run"),
    "weights": ("eval", "qrels.txt", "one.run", "--weights", "{}"),
    "a run": ("eval", "qrels.txt", "{}"),
    "judgments": ("eval", "{}", "one.run"),
    "leaderboards": ("correlate", "--leaderboards", "auto", "{}", "{}"),
    "a check": ("check", "{}", "one.run"),
}


def skip_without_the_page(what: str) -> None:
    """Skips what the page is needed for, where it is not installed."""
    if what in ("pairs to judge", "texts"):
        for library in ("jinja2", "waitress", "werkzeug"):
            pytest.importorskip(library, reason="the page needs carob[judge]")


@pytest.mark.parametrize("ending", ["json", "jsonl"])
@pytest.mark.parametrize("what", READS)
def test_json_nested_too_deep_is_a_sentence(what: str, ending: str) -> None:
    skip_without_the_page(what)
    done = attacked(*(each.format(f"deep.{ending}") for each in READS[what]), within=10)
    assert done.code in (1, 2), done  # a check's finding is its result
    assert "deep." in done.err + done.out


@pytest.mark.parametrize("what", ["pairs to judge", "collected judgments", "a ledger", "people's judgments"])
def test_a_key_that_occurs_twice_is_no_choice(what: str) -> None:
    skip_without_the_page(what)
    attacked(*(each.format("twice.jsonl") for each in READS[what])).refused(
        "twice.jsonl", "'grade' occurs twice"
    )
    assert not Path("o.csv").exists()


@pytest.mark.parametrize("what", ["a record", "a baseline", "collected judgments"])
def test_a_key_that_occurs_twice_in_a_whole_file_is_no_choice(what: str) -> None:
    attacked(*(each.format("twice.json") for each in READS[what])).refused(
        "twice.json", "'judgments' occurs twice"
    )


def test_a_profile_may_begin_with_a_byte_order_mark() -> None:
    Path("own.toml").write_bytes(b'\xef\xbb\xbf[policy]\nties = "input"\n')
    assert read_toml("own.toml") == {"policy": {"ties": "input"}}
    attacked("eval", "qrels.txt", "one.run", "--profile", "own.toml").answered("ties input")


def test_a_setting_that_no_policy_has_is_a_sentence() -> None:
    Path("own.toml").write_text('[policy]\ntie = "input"\n')
    done = attacked("eval", "qrels.txt", "one.run", "--profile", "own.toml")
    done.refused("own.toml", "'tie'", "ties")
    assert "__init__" not in done.err
