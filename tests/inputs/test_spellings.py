"""Ids that are spelt differently in judgments and run: which are found, and what is said of the difference."""

from __future__ import annotations

import pytest

from carob.inputs.spellings import Affixes, alike, folded, other_spellings, some_affixed, why_apart


@pytest.mark.parametrize(
    ("identifier", "form"),
    [("007", "7"), ("7.0", "7"), ("0", "0"), ("'Ab C'", "abc"), ("a%20b", "ab"), ("Ｄ1\u200b", "d1")],
)
def test_the_normal_form_of_an_id_has_nothing_that_programs_change(identifier: str, form: str) -> None:
    assert folded(identifier.encode()) == form


def test_ids_of_one_file_that_are_alike_are_paired_with_the_first() -> None:
    assert alike([b"01", b"a", b"1", b"1.0", b"b"]) == [(b"01", b"1"), (b"01", b"1.0")]


@pytest.mark.parametrize(
    ("here", "there", "pairs"),
    [
        (["Q1", "Q2"], ["q1", "q9"], {"Q1": "q1"}),
        (["q1", "q2"], ["topic-01", "topic-02"], {"q1": "topic-01", "q2": "topic-02"}),
        (["q1"], ["topic-1", "other-1"], {}),
        (["q1"], ["x"], {}),
    ],
)
def test_ids_of_one_side_are_mapped_to_those_of_the_other(
    here: list[str], there: list[str], pairs: dict[str, str]
) -> None:
    found = other_spellings([each.encode() for each in here], [each.encode() for each in there])
    assert {mine.decode(): its.decode() for mine, its in found.items()} == pairs


@pytest.mark.parametrize(
    ("judged", "ranked", "pair", "why"),
    [
        ("007", "7", ("007", "7"), "leading zeros were lost: read ids as text, not as numbers (dtype=str)"),
        ("7", "7.0", ("7", "7.0"), "ids became numbers with fractions: read them as text (dtype=str)"),
        ("doc", "Doc", ("doc", "Doc"), "upper and lower case differ: use the same case on both sides"),
        ("doc", "doc\u200b", ("doc", "doc\u200b"), "one has spaces or other invisible characters: remove them"),
        ("\u00e9", "e\u0301", ("\u00e9", "e\u0301"),
         "one has composed letters, and the other has decomposed letters: normalise both to NFC"),
        ("doc", '"doc"', ("doc", '"doc"'), "one has quotation marks: remove them"),
        ("a%2Fb", "a/b", ("a%2Fb", "a/b"), "one has URL escape codes, such as %20: decode them"),
        ("d1", "d\uff11", ("d1", "d\uff11"),
         "one has full-width or similar forms of letters: normalise both to NFKC"),
        ("a#3", "a", ("a#3", "a"), "the judgments are of passages, and the run ranks whole documents"),
        ("a b c", "x/a x/b x/c", ("a", "x/a"), "the prefix 'x/' is on one side only: add or remove it"),
        ("a.txt b.txt c.txt", "a b c", ("a.txt", "a"), "the ending '.txt' is on one side only: add or remove it"),
        ("q1 q2 q3", "t1 t2 t3", ("q1", "t1"),
         "the numbers agree, but the text before them differs: use the same text on both sides"),
    ],
)  # fmt: skip
def test_why_no_id_is_common_is_said_with_a_pair(
    judged: str, ranked: str, pair: tuple[str, str], why: str
) -> None:
    found = why_apart(map(str.encode, judged.split()), map(str.encode, ranked.split()), "document")
    assert found is not None
    assert ((found.judged, found.ranked), found.why) == (pair, why)


def test_passages_of_judged_documents_are_to_be_collapsed_and_queries_have_none() -> None:
    found = why_apart([b"doc"], [b"doc#p3"], "document")
    assert found is not None
    assert (found.judged, found.ranked) == ("doc", "doc#p3")
    assert found.why.startswith("the run ranks passages of judged documents: keep the best passage")
    assert why_apart([b"alpha"], [b"omega"], "document") is None


def test_affixes_are_the_text_around_the_words_of_the_other_id() -> None:
    assert Affixes.of("doc-7", "corpus/DOC_007.txt") == Affixes(False, "corpus/", ".txt")
    assert Affixes.of("a/b/c", "b") == Affixes(True, "a/", "/c")
    assert Affixes.of("a b", "c d") is None
    assert Affixes.of("...", "a") is None
    assert Affixes(False, "v12/", "_3").shape == (False, "/", "_0")


def test_a_prefix_of_a_few_ids_is_no_reason() -> None:
    judged, ranked = ["a", "b", "c"], ["x/a", "x/b", "x/c"]
    found = some_affixed(judged, ranked)
    assert found is not None
    assert found.why == "the prefix 'x/' is on one side only: add or remove it"
    assert some_affixed(judged[:2], ranked) is None
    assert some_affixed(judged, ["x/a", "x/b", "y"]) is None
