"""JSON lines that no library reads as they stand: nested too deep, or with numbers that would change."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, Any

import pytest

import carob
from carob import DataError
from carob.inputs.files.json import (
    content_in,
    first_objects,
    first_objects_of_list,
    is_by_line,
    is_wide,
    lists_by_query,
    objects_in,
    queries_by_line,
)

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("packed", [False, True])
def test_lines_of_json_that_are_nested_too_deep_are_refused_with_their_number(
    tmp_path: Path, packed: bool
) -> None:
    pytest.importorskip("polars", reason="reads JSON lines")
    row = '{"query_id": "q", "doc_id": "d%d", "score": 1%s}\n'
    sound = [row % (0, ', "text": "' + "[" * 2000 + '"'), row % (1, ', "x": ' + "[" * 498 + "]" * 498)]
    many = [row % (number, "") for number in range(2, 30_000)]  # more than are looked at in one go
    deep = row % (0, ', "x": ' + '{"a": ' * 500 + "1" + "}" * 500)

    def score(*rows: str) -> float:
        text = "".join(rows).encode()
        path = tmp_path / ("a.jsonl.gz" if packed else "a.jsonl")
        path.write_bytes(gzip.compress(text) if packed else text)
        return float(
            carob.evaluate({"q": {"d0": 1}}, str(path), "P@1", policy=carob.Policy(ties="optimistic"))["P@1"]
        )

    assert score(*sound, *many) == 1.0
    with pytest.raises(
        carob.DataError, match=r"a\.jsonl(\.gz)?, line 30001: objects and lists are nested more than"
    ):
        score(*sound, *many, deep)


WIDE_LINES = {
    "a score": '{"query_id": "q", "doc_id": 9007199254740993, "score": 9007199254740993}',
    "a negative score": '{"query_id": "q", "doc_id": "a", "score": -9007199254740993}',
    "among lists": '{"query_id": "q", "retrieved_ids": ["a", "b"], "scores": [1, 9007199254740993]}',
    "among records": '{"query_id": "q", "results": [{"doc_id": "a", "score": 9007199254740993}]}',
}


@pytest.mark.parametrize("case", WIDE_LINES)
def test_whole_numbers_that_would_tie_in_lines_of_json_are_refused(tmp_path: Path, case: str) -> None:
    pytest.importorskip("polars", reason="reads JSON lines")
    path = tmp_path / "a.jsonl"
    sound = WIDE_LINES[case].replace("40993}", "40992}").replace("40993]", "40992]").replace(': "q"', ': "p"')
    path.write_text(sound + "\n" + WIDE_LINES[case] + "\n")
    with pytest.raises(
        carob.DataError, match=r"a\.jsonl, line 2: '-?9007199254740993' is a whole number that"
    ):
        carob.evaluate({"q": {"a": 1}}, str(path))
    path.write_text(sound + "\n")
    assert carob.evaluate({"p": {"9007199254740993": 1, "a": 1, "b": 1}}, str(path), "P@1")["P@1"] == 1


WORDS_IN_LINES = {
    "of a row": '{"query_id": "q", "doc_id": "a", "score": "high"}',
    "among lists": '{"query_id": "q", "retrieved_ids": ["a", "b"], "scores": [1, "high"]}',
    "among records": '{"query_id": "q", "results": [{"doc_id": "a", "score": "high"}]}',
}


@pytest.mark.parametrize("library", [True, False])
@pytest.mark.parametrize("case", WORDS_IN_LINES)
def test_words_in_lines_of_json_are_refused_by_their_line(
    tmp_path: Path, case: str, library: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if library:
        pytest.importorskip("polars", reason="reads JSON lines")
    else:
        monkeypatch.setattr("carob.inputs.files.table.has_library", lambda _: False)
    path = tmp_path / "a.jsonl"
    sound = WORDS_IN_LINES[case].replace('"high"', "0.5").replace(': "q"', ': "p"')
    path.write_text(sound + "\n" + WORDS_IN_LINES[case] + "\n")
    with pytest.raises(carob.DataError, match=r"a\.jsonl, line 2: .*'high'"):
        carob.evaluate({"q": {"a": 1}}, str(path))
    path.write_text(sound + "\n")
    assert carob.evaluate({"p": {"a": 1}}, str(path), "P@1")["P@1"] == 1


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            b'{"q": {"a": 1}',
            "a.json, line 1: this is not JSON (Expecting ',' delimiter). Is the file complete?",
        ),
        (b"\xff", "a.json: byte 0 is not valid UTF-8. Save the file as UTF-8."),
        (
            b"3",
            "a.json: found one value, expected {query: {document: number}}, or an object on each line (.jsonl).",
        ),
        (
            b'{"runs": [], "measures": [], "policy": {}, "more": 1}',
            "a.json: the file contains scores that carob",
        ),
    ],
)
def test_a_file_of_something_else_is_refused(
    content: bytes, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.json").write_bytes(content)
    with pytest.raises(DataError) as error:
        content_in("a.json")
    assert str(error.value).startswith(said)


def test_objects_on_lines_have_their_places(tmp_path: Path) -> None:
    paths = [str(tmp_path / name) for name in ("a.jsonl", "b.jsonl")]
    (tmp_path / "a.jsonl").write_bytes(b'\xef\xbb\xbf{"q": ["a"]}\n\n{"p": []}\n')
    (tmp_path / "b.jsonl").write_text('{"r": ["b", "c"]}')
    assert [*objects_in(paths)] == [
        ({"file": paths[0], "line": 1}, {"q": ["a"]}),
        ({"file": paths[0], "line": 3}, {"p": []}),
        ({"file": paths[1], "line": 1}, {"r": ["b", "c"]}),
    ]
    assert queries_by_line(paths) == {"q": ["a"], "p": [], "r": ["b", "c"]}
    with pytest.raises(DataError, match=r"a\.jsonl.*'q'"):
        queries_by_line([paths[0], paths[0]])
    (tmp_path / "b.jsonl").write_text("[1]\n")
    with pytest.raises(DataError, match=r"b\.jsonl, line 1: the line is not a JSON object: '\[1\]"):
        list(objects_in(paths))


def test_the_first_bytes_show_the_objects_that_they_hold() -> None:
    assert first_objects("f", b'{"a": 1}\n\n{"b": 2}\n{"c":') == [{"a": 1}, {"b": 2}]
    with pytest.raises(DataError, match=r"^f, line 1: this is not JSON"):
        first_objects("f", b'{"a":\n{"b": 2}\n')
    assert first_objects_of_list(b' [{"a": 1}, {"b": [2]},\n {"c"') == [{"a": 1}, {"b": [2]}]
    assert first_objects_of_list(b'[{"a": 1}, 2]') == []


@pytest.mark.parametrize(
    ("head", "by_line"),
    [
        ('{"q": {"a": 1}}', False),
        ('{"q": ["a", "b"]}', False),
        ('{"qid": "q", "retrieved_ids": ["a"]}', True),
        ('{"q": {"a": 1}}\n{"p": {"a": 1}}', True),
        ("[1]", False),
        ("{", False),
    ],
)
def test_json_lines_are_told_from_one_object(head: str, by_line: bool) -> None:
    assert is_by_line("f", head.encode(), {}) is by_line


def test_a_key_that_names_a_column_is_no_query() -> None:
    lists = {"q": ["a"], "p": []}
    assert lists_by_query(lists, {})
    assert not lists_by_query(lists, {"document": "p"})
    assert not lists_by_query({**lists, "retrieved_ids": ["a"]}, {})
    assert not lists_by_query({"q": {"a": 1}}, {})


@pytest.mark.parametrize(
    ("number", "wide"), [(2**53, False), (2**53 + 1, True), (10**400, True), (0.1, False)]
)
def test_whole_numbers_that_no_double_holds_are_wide(number: Any, wide: bool) -> None:
    assert is_wide(number) is wide
