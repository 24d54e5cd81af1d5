"""Escapes: what a terminal, a build, a table or JSON would obey is shown, and ids in data stay what they are."""

from __future__ import annotations

import csv
import io
import json

import pytest

from carob.output.escaping import (
    LONGEST,
    command,
    html,
    json_text,
    lines_for_terminal,
    printable,
    sentence,
    separated,
    shortened,
    shown,
    visible,
)


def test_a_workflow_command_is_escaped_as_the_runner_undoes_it() -> None:
    assert command("error", "a:b,c%\n", "50 %\r\n::x") == "::error title=a%3Ab%2Cc%25%0A::50 %25%0D%0A::x"


def test_json_has_null_where_a_number_is_none() -> None:
    document = {"a": [float("nan"), 1.5, (float("inf"),)], "b": {"c": float("-inf")}, "NaN": "NaN"}
    assert json.loads(json_text(document)) == {"a": [None, 1.5, [None]], "b": {"c": None}, "NaN": "NaN"}


def test_json_is_inert_and_read_back_as_it_was() -> None:
    given = ["\x7f\u202e", "##[error]", "茶"]
    assert json_text(given, None) == r'["\u007f\u202e", "\u0023#[error]", "茶"]'
    assert json.loads(json_text(given)) == given


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("a::b #1", "a::b #1"),
        ("::error::x", r"\x3a:error::x"),
        ("a  ::error::x", r"a  \x3a:error::x"),
        ("a##vso[x]", r"a\x23#vso[x]"),
        ("\x1b[31m\n\u202e", r"\x1b[31m\n\u202e"),
    ],
)
def test_a_name_is_on_one_line_and_no_command_of_a_build(name: str, written: str) -> None:
    assert printable(name) == written


def test_pages_and_terminals_are_shown_what_they_would_obey() -> None:
    assert html('<b> &\x1b"') == r"&lt;b&gt; &amp;\x1b&quot;"
    assert lines_for_terminal("one\ttw\x1bo\n\x07\n") == "one\ttw\\x1bo\n\\x07\n"


def test_long_names_lose_their_middle_and_long_sentences_too() -> None:
    assert shortened("abcdefghij", 5) == "ab…ij"
    assert shortened("abcdefghij", 10) == "abcdefghij"
    assert sentence(f"See {'x' * 200} there.") == f"See {'x' * 59}…{'x' * 60} there."
    assert len(sentence("word " * 2000)) == 4000
    assert len(shortened("y" * 1000)) == LONGEST


@pytest.mark.parametrize("delimiter", [",", "\t"])
def test_cells_are_read_back_as_they_were(delimiter: str) -> None:
    rows = [["a,b", "c\td", 'say "x"'], ["", " e", "two\nlines"], ["=1+1", "::warning::x", "f"]]
    text = separated(rows, delimiter)
    assert list(csv.reader(io.StringIO(text), delimiter=delimiter)) == rows
    assert not [line for line in text.splitlines() if line.startswith("::")]
    assert separated([["x\n::error::y"]], delimiter) == '"x\n\\x3a:error::y"\n'


def test_what_is_hidden_in_a_text_is_seen_and_what_cannot_be_written_is_named() -> None:
    assert visible("a\r\nb\rc\x07\ud800") == "a\nb\nc⟨U+0007⟩\ufffd"

    class Odd:
        def __repr__(self) -> str:
            raise ValueError

    assert (shown(Odd()), shown("x")) == ("<Odd>", "'x'")
