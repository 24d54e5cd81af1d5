"""The words of queries and documents, in the ways in which people keep them."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest

from carob.inputs.texts import Text, texts_of
from carob.output.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path

WANTED = {"q1", "q2"}


@pytest.mark.parametrize(
    "content",
    [
        b"q1\thow to store tea\nq3\tno\nq2\t\xe7\xba\xa2\xe8\x8c\xb6\n",
        b"\xef\xbb\xbfq1\thow to store tea\r\n\r\nq2\t\xe7\xba\xa2\xe8\x8c\xb6",
        b'{"id": "q1", "text": "how to store tea"}\n{"_id": "q2", "query": "\xe7\xba\xa2\xe8\x8c\xb6"}\n',
        gzip.compress(b"q1\thow to store tea\nq2\t\xe7\xba\xa2\xe8\x8c\xb6", mtime=0),
    ],
    ids=["tsv", "tsv with a mark and CRLF", "json lines", "gzip"],
)
def test_files_of_texts_are_read(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "queries"
    path.write_bytes(content)
    expected = {"q1": Text("", "how to store tea"), "q2": Text("", "红茶")}
    assert texts_of(str(path), WANTED, "queries") == expected
    assert texts_of(content, WANTED, "queries") == expected


def test_documents_may_have_titles() -> None:
    expected = {"q1": Text("Oxidation", "Bruise a leaf")}
    line = json.dumps({"docid": "q1", "title": "Oxidation", "contents": "Bruise\n a leaf"}).encode()
    assert texts_of(b"q1\tOxidation\tBruise a leaf", WANTED, "documents") == expected
    assert texts_of(line, WANTED, "documents", 300) == expected
    assert texts_of({"q1": {"title": "Oxidation", "text": "Bruise a leaf"}}, WANTED, "documents") == expected


def test_long_texts_are_cut_where_a_page_has_little_room() -> None:
    found = texts_of({"q1": "long " * 200}, WANTED, "documents", 300)["q1"].text
    assert len(found) == 300
    assert found.endswith("…")


@pytest.mark.parametrize(
    "line",
    [
        b'{"id": "q1", "text": "tea"}',
        b'{"_id":"q3","id":"q1","text":"tea"}',
        b' { "docno" : "q3" , "text": "tea", "qid": "q1"}',
        b'{"id": "\\u0071\\u0031", "text": "tea"}',
        b'{"text": "tea", "id": "q1"}',
        b'{"title": "q3", "_id": "q1", "text": "tea"}',
    ],
)
def test_an_id_is_found_wherever_it_is(line: bytes) -> None:
    others = b'{"id": "q9", "text": "no"}\n{"_id": 7, "text": "no"}\n{"id": "q11", "text": "q1"}\n'
    found = texts_of(b'{"text": "x", "id": "z"}\n' + others + line + b"\n" + others, WANTED, "documents")
    assert {key: each.text for key, each in found.items()} == {"q1": "tea"}
    assert texts_of(b'{"_id": 7, "text": "seven"}', {"7"}, "documents") == {"7": Text("", "seven")}


def test_whole_texts_keep_their_lines() -> None:
    whole = "One.\n\n  Two.\r\n" * 200
    line = json.dumps({"id": "q1", "text": whole}).encode()
    assert texts_of(line, WANTED, "documents") == {"q1": Text("", whole)}


def test_the_description_and_the_narrative_of_a_query_are_read() -> None:
    line = json.dumps(
        {"id": "q1", "text": "tea", "description": "Storage.", "narrative": "No tins."}
    ).encode()
    assert texts_of(line, WANTED, "queries") == {"q1": Text("", "tea", "Storage.\n\nNo tins.")}


@pytest.mark.parametrize("line", [b"q2 no tab", b"q1\ta\nnothing here"])
def test_a_line_without_a_text_is_named(line: bytes) -> None:
    with pytest.raises(DataError, match=r"line [12]: found no id and text .*id<TAB>text"):
        texts_of(line, WANTED, "queries")


@pytest.mark.parametrize("line", [b'{"id": "q1", "te', b'{"text": "no id"}', b'{"id": "q1", "passage": "a"}'])
def test_broken_json_is_named(line: bytes) -> None:
    with pytest.raises(DataError, match="line 1: found no id and text"):
        texts_of(line, WANTED, "queries")


def test_an_object_without_a_text_is_refused_only_if_it_is_requested() -> None:
    lines = b'{"passage": "a", "id": "q3"}\n{"id": "q1", "text": ""}\n'
    assert texts_of(lines, WANTED, "documents") == {"q1": Text("", "")}
    with pytest.raises(DataError, match=r"A text of the documents is \{'passage': 'a'\}: pass a string, or "):
        texts_of({"q1": {"passage": "a"}}, WANTED, "documents")


def test_a_file_that_is_not_there_is_a_sentence() -> None:
    with pytest.raises(DataError, match=r"nowhere.*: No such file"):
        texts_of("nowhere.tsv", WANTED, "queries")


@pytest.mark.parametrize("most", [None, 5])
def test_an_id_with_two_texts_is_named(most: int | None, tmp_path: Path) -> None:
    path = tmp_path / "documents.tsv"
    path.write_text("q1\tgreen tea\nq9\tone\nq9\tother\nq1\tgreen team\n")
    with pytest.raises(
        DataError, match=r"documents.tsv, line 4: the id 'q1' has a different text on line 1\."
    ):
        texts_of(str(path), WANTED, "documents", most)
    with pytest.raises(DataError, match="line 2: the id 'q1'"):
        texts_of(b'{"id": "q1", "text": "a"}\n{"id": "q1", "title": "b", "text": "a"}\n', WANTED, "documents")
    path.write_text("q1\tgreen tea\nq1\tgreen tea\n")
    assert len(texts_of(str(path), WANTED, "documents", most)) == 1
