"""Holds the kernel to the reading rules, the tie rules and a plain second telling of ranking."""

import math
import os
import random
import signal
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from functools import cmp_to_key
from itertools import pairwise, permutations
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carob import _native
from strategies import examples

QRELS = b"q1 0 a 1\nq1 0 b 0\nq1 0 c 2\nq2 0 a 1\n"


def lines(*rows: str) -> bytes:
    """Rows of 'query document score' as a run."""
    out = [
        f"{query} Q0 {document} 0 {score} tag\n" for query, document, score in (row.split() for row in rows)
    ]
    return "".join(out).encode()


def match(run: Any, qrels: Any = QRELS, **options: Any) -> _native.Matched:
    return _native.match_text(_native.read_judgments(qrels), run, **options)


def ranks(found: _native.Matched, judgments: _native.Judgments) -> dict[tuple[str, str], int]:
    """{(query, document): rank} of the judged documents retrieved."""
    out = {}
    for q, query in enumerate(judgments.queries):
        for row in range(found.offsets[q], found.offsets[q + 1]):
            document = judgments.document(int(found.judgment[row]))
            out[query.decode(), document.decode()] = int(found.rank[row])
    return out


def ranked(run: bytes, qrels: bytes = QRELS, **options: Any) -> dict[tuple[str, str], int]:
    judgments = _native.read_judgments(qrels)
    return ranks(_native.match_text(judgments, run, **options), judgments)


def everything(found: _native.Matched) -> tuple[Any, ...]:
    """All that a match says, comparable with ==."""
    arrays = (
        found.length,
        found.judged,
        found.first_tie,
        found.offsets,
        found.rank,
        found.tie_first,
        found.tie_last,
        found.judgment,
        found.scores,
    )
    plain = (found.extra, found.duplicates, found.dropped, found.unordered)
    return (*(array.tolist() for array in arrays), *plain)


def refusal(call: Callable[[], object]) -> _native.LineError:
    with pytest.raises(_native.LineError) as caught:
        call()
    return caught.value


class Stream:
    """A source as files and decompressors give it: short reads, and a second reading."""

    def __init__(self, content: bytes, step: int) -> None:
        self.content, self.step, self.at, self.rewound = content, step, 0, 0

    def readinto(self, buffer: memoryview) -> int:
        part = self.content[self.at : self.at + min(self.step, len(buffer))]
        buffer[: len(part)] = part
        self.at += len(part)
        return len(part)

    def rewind(self) -> None:
        self.at, self.rewound = 0, self.rewound + 1


# ---- judgments -------------------------------------------------------------------------------------------------------


def test_judgments_are_arranged_by_query_and_keep_the_order_of_the_file() -> None:
    judgments = _native.read_judgments(b"q2 0 z 1\nq10 0 y 0\nq2 0 a 2.5\n")
    assert judgments.queries == [b"q10", b"q2"]  # bytes, not numbers
    assert judgments.offsets.tolist() == [0, 1, 3]
    assert judgments.documents(1) == [b"z", b"a"]
    assert judgments.document(2) == b"a"
    assert judgments.grades.tolist() == [0, 1, 2.5]
    assert judgments.lines.tolist() == [2, 1, 3]
    assert judgments.line_count == 3


@pytest.mark.parametrize(
    ("policy", "left"),
    [("keep", [1.0, 3.0, 2.0]), ("first", [1.0]), ("last", [2.0]), ("max", [3.0])],
)
def test_a_document_judged_more_than_once(policy: str, left: list[float]) -> None:
    judgments = _native.read_judgments(b"q 0 d 1\nq 0 d 3\n\nq 0 d 2\n", duplicates=policy)
    assert judgments.grades.tolist() == left
    assert judgments.dropped == 3 - len(left)
    repeats = [(0, b"d", 1, 2), (0, b"d", 1, 4)] if policy == "keep" else []
    assert judgments.duplicates == repeats


@pytest.mark.parametrize(
    ("token", "grade"),
    # What the C library's atol makes of them.
    [
        ("1.9", 1),
        ("0.9", 0),
        ("abc", 0),
        ("+2", 2),
        ("1e3", 1),
        ("0x5", 0),
        ("007", 7),
        ("-3x", -3),
        ("", None),
    ],
)
def test_c_grades(token: str, grade: int | None) -> None:
    text = f"q 0 d {token}\n".encode()
    if grade is None:
        assert refusal(lambda: _native.read_judgments(text, numbers="c")).detail == b"3"
    else:
        assert _native.read_judgments(text, numbers="c").grades.tolist() == [grade]


def test_c_grades_saturate() -> None:
    text = b"q 0 d 99999999999999999999\nq 0 e -99999999999999999999\n"
    assert _native.read_judgments(text, numbers="c").grades.tolist() == [2.0**63, -(2.0**63)]


@pytest.mark.parametrize("token", ["abc", "1x", "0x10", "inf", "nan", "1e999", "--1", ".", "1e", "1,5"])
def test_strict_grades_are_whole_finite_numbers(token: str) -> None:
    error = refusal(lambda: _native.read_judgments(f"q 0 d 1\nq 0 e {token}\n".encode()))
    assert (error.kind, error.line) == ("nan" if token == "nan" else "number", 2)
    assert error.detail == token.encode()


def test_from_a_mapping() -> None:
    qrels = {"q2": {"z": -1, "a": np.int64(2)}, "q1": {"é": 0.5}, "q3": {}}
    judgments = _native.judgments_from_mapping(qrels)
    assert judgments.queries == [b"q1", b"q2", b"q3"]
    assert judgments.offsets.tolist() == [0, 1, 3, 3]
    assert judgments.documents(0) == ["é".encode()]
    assert judgments.grades.tolist() == [0.5, -1, 2]
    assert judgments.lines.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("qrels", "kind", "query", "document"),
    [
        ({"q": {"d": "1"}}, "number", "q", "d"),
        ({"q": {"d": math.nan}}, "nan", "q", "d"),
        ({"q": {"d": math.inf}}, "infinite", "q", "d"),
        ({"q": {"d": None}}, "number", "q", "d"),
        ({"q": {"d": 10**400}}, "number", "q", "d"),
        ({"q": {"d": 2**53 + 1}}, "wide", "q", "d"),
        ({"q": {"d": 1, 7.0: 1}}, "document", "q", 7.0),
        ({"q": {}, None: {"d": 1}}, "query", None, None),
        ({"q": {"7": 1, 7: 1}}, "twice", "q", 7),
        ({7: {}, "7": {}}, "twice", "7", None),
        ({"q": [1]}, "mapping", "q", None),
        ({"q": {"\ud800": 1}}, "surrogates", "q", "\ud800"),
        ({"q": {"\u00e9": 1, "\udcc3\udca9": 1}}, "surrogates", "q", "\udcc3\udca9"),
        ([], "mapping", None, None),
    ],
)
def test_mappings_that_are_no_judgments(qrels: Any, kind: str, query: object, document: object) -> None:
    with pytest.raises(_native.MappingError) as caught:
        _native.judgments_from_mapping(qrels)
    assert (caught.value.kind, caught.value.query, caught.value.document) == (kind, query, document)
    assert isinstance(caught.value, TypeError)
    assert caught.value.detail


def test_from_rows() -> None:
    judgments = _native.judgments_from_rows(
        [b"q", b"p", b"q"],
        [b"d", b"d", b"d"],
        np.array([1.0, 2.0, 3.0]),
        np.array([5, 6, 7]),
        duplicates="max",
    )
    assert (judgments.queries, judgments.grades.tolist(), judgments.lines.tolist()) == (
        [b"p", b"q"],
        [2, 3],
        [6, 7],
    )
    with pytest.raises(ValueError, match="same length"):
        _native.judgments_from_rows([b"q"], [], np.array([1.0]))
    with pytest.raises(TypeError):
        _native.judgments_from_rows(["q"], [b"d"], np.array([1.0]))  # type: ignore[list-item]


def test_indices_outside_are_errors() -> None:
    judgments = _native.read_judgments(QRELS)
    for call in (judgments.document, judgments.documents):
        for index in (-1, 4):
            with pytest.raises(IndexError):
                call(index)


def test_rare_formats_are_columns_and_a_number() -> None:
    columns, values, numbers = _native.read_rows(b"q g1 d 1.5\n\nq g2 e 2x\n", columns=4)
    assert columns == [[b"q", b"q"], [b"g1", b"g2"], [b"d", b"e"]]
    assert (values.tolist(), numbers.tolist()) == ([1.5, 2.0], [1, 3])
    assert _native.read_rows(b"q 1.9\n", columns=2, number="grade")[1].tolist() == [1.0]


# ---- lines -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        b"q1 0 a 1\nq1 0 b 2",  # no last newline
        b"q1 0 a 1\r\nq1 0 b 2\r\n",
        b"\xef\xbb\xbfq1 0 a 1\nq1 0 b 2\n",
        b"  q1  0 \v a\f1 \n\tq1 0 b 2\n",
        b"q1\t\t0\ta \t1 \nq1 0 b 2\n",
        b"# c\n\n   \nq1 0 a 1\n # c\nq1 0 b 2\n# c",
    ],
)
def test_the_same_judgments_however_they_are_laid_out(text: bytes) -> None:
    judgments = _native.read_judgments(text)
    assert (judgments.documents(0), judgments.grades.tolist()) == ([b"a", b"b"], [1, 2])


@pytest.mark.parametrize(
    "layout",
    [
        "q1 Q0 {} 0 {} tag\n",
        "q1\tQ0\t{}\t0\t{}\ttag\n",
        "q1 Q0 {} 0 {} tag\r\n",
        "  q1  Q0 \v{} 0 {}  tag more words\n",
        "q1\tQ0\t{}\t0\t{}\ta tag of words\n",
        "q1 \t Q0\t{} \t0\t{}\tt\t\n",
        "q1 Q0 {} 0 {} t\n#c\n\n",
        "q1 Q0 {} 0 {} " + "t" * 100 + "\n",
        "q1 " + "0" * 70 + " {} 0 {} t\n",
    ],
)
@pytest.mark.parametrize("end", ["", "\n"])
def test_the_same_run_however_it_is_laid_out(layout: str, end: str) -> None:
    text = "".join(layout.format(d, s) for d, s in [("x", 3), ("a", 2), ("c", 1.5)]).rstrip("\n") + end
    assert ranked(text.encode()) == {("q1", "a"): 2, ("q1", "c"): 3}


def test_ids_are_bytes() -> None:
    odd = [b"\xff\xfe", b"d\x7fe", "文".encode(), b"02", b"2", b"A", b"a", b"x" * 300, b"\x01"]
    qrels = b"".join(b"q\x80 0 " + document + b" 1\n" for document in odd)
    run = b"".join(b"q\x80 Q0 " + document + b" 0 %d t\n" % -i for i, document in enumerate(odd))
    found = match(run, qrels)
    assert found.rank.tolist() == list(range(1, len(odd) + 1))
    assert found.judgment.tolist() == list(range(len(odd)))


def test_comments_first_byte_only() -> None:
    text = b"#q 0 a 1\n #q 0 b 1\n"
    assert _native.read_judgments(text, comments="first-byte").queries == [b"#q"]
    assert _native.read_judgments(text, comments="none").grades.size == 2
    assert _native.read_judgments(text, comments="any").queries == []


@pytest.mark.parametrize(
    ("text", "kind", "line", "data_line", "detail"),
    [
        (b"q 0 a 1\n# c\n\nq 0 b\n", "columns", 4, 2, b"3"),
        (b"q 0 a 1 x\n", "columns", 1, 1, b"5"),
        (b"q 0 a 1\nq 0 b x\n", "number", 2, 2, b"x"),
        (b"q 0 a nan\n", "nan", 1, 1, b"nan"),
        (b"\xff\xfeq\x00", "utf-16", 1, 1, b""),
        (b"\xfe\xff\x00q", "utf-16", 1, 1, b""),
        (b"\x1f\x8b\x08", "compressed", 1, 1, b""),
        (b"\x28\xb5\x2f\xfd", "compressed", 1, 1, b""),
    ],
)
def test_refused_judgments(text: bytes, kind: str, line: int, data_line: int, detail: bytes) -> None:
    error = refusal(lambda: _native.read_judgments(text))
    assert (error.kind, error.line, error.data_line, error.detail) == (kind, line, data_line, detail)
    assert isinstance(error, ValueError)
    assert f"line {line}" in str(error)


def test_blank_lines_can_be_errors() -> None:
    for text, line in ((b"q 0 a 1\n\n", 2), (b"q 0 a 1\n#c\n \r\nq 0 b 1\n", 3)):
        error = refusal(lambda text=text: _native.read_judgments(text, blank_lines="error"))  # type: ignore[misc]
        assert (error.kind, error.line, error.data_line) == ("blank", line, 2)


@pytest.mark.parametrize(
    ("row", "kind", "detail"),
    [
        (b"q1 Q0 a 1 1.0", "columns", b"5"),
        (b"q1 Q0 a 1 1.0 \r", "columns", b"5"),
        (b"q1 Q0 a 1 1,5 t", "number", b"1,5"),
        (b"q1 Q0 a 1 0x10 t", "number", b"0x10"),
        (b"q1 Q0 a 1 NaN t", "nan", b"NaN"),
        (b"other Q0 a 1 x t", "number", b"x"),  # also where no one asks for the query
    ],
)
@pytest.mark.parametrize("threads", [1, 2])
def test_refused_run(row: bytes, kind: str, detail: bytes, threads: int) -> None:
    run = lines(*(f"q1 d{i} {-i}" for i in range(50))) + b"# c\n" + row + b"\n" + b"q1 Q0\n" * 50
    error = refusal(lambda: match(run, threads=threads, block_bytes=64))
    assert (error.kind, error.line, error.data_line, error.detail) == (kind, 52, 51, detail)
    assert error.excerpt == row.rstrip()


def test_an_excerpt_is_short() -> None:
    assert len(refusal(lambda: match(b"x" * 5000 + b"\n")).excerpt) == 80


def test_the_earliest_bad_line_is_named_whatever_the_threads() -> None:
    rng = random.Random(1)
    good = [f"q{i % 40} Q0 d{i} 0 {-i} t\n".encode() for i in range(4000)]
    good.sort(key=lambda row: row.split()[0])
    for _ in range(30):
        rows = list(good)
        bad = sorted(rng.sample(range(4000), 5))
        for at in bad:
            rows[at] = b"q Q0 d\n"
        for shuffled in (False, True):
            if shuffled:
                rows[:: bad[0] + 1] = rows[:: bad[0] + 1][::-1]  # a few queries come back
                bad = [i for i, row in enumerate(rows) if row == b"q Q0 d\n"]
            error = refusal(lambda rows=rows: match(b"".join(rows), threads=2, block_bytes=500))  # type: ignore[misc]
            assert error.line == bad[0] + 1


def test_lenient_reading_skips_and_counts() -> None:
    run = b"q1 Q0 x 0 9 t\nbad\nq1 Q0 a 0 x t\nq1 Q0 a 0 5 t\n" + b"bad\n" * 30
    found = match(run, lenient=True, threads=2, block_bytes=16)
    assert found.malformed == 32
    assert [line for line, _ in found.malformed_lines] == [2, 3, *range(5, 23)]
    assert found.malformed_lines[0][1] == "it has 1 column"
    assert found.malformed_lines[1][1] == "'x' is not a number"
    assert found.rank.tolist() == [2]
    assert found.line_count == 34
    judgments = _native.read_judgments(b"q 0 a 1\nq 0\n", lenient=True)
    assert (judgments.malformed, judgments.malformed_lines) == (1, [(2, "it has 2 columns")])


def test_nothing_at_all() -> None:
    for empty in (b"", b"\n", b"# c\n", b"\xef\xbb\xbf"):
        judgments = _native.read_judgments(empty)
        assert (judgments.queries, judgments.offsets.tolist()) == ([], [0])
        found = match(empty)
        assert (found.length.tolist(), found.tag) == ([-1, -1], b"")
        assert match(lines("q a 1"), empty).extra == [b"q"]


# ---- numbers ---------------------------------------------------------------------------------------------------------


def bits(value: float) -> bytes:
    return struct.pack("<d", value)


def read_numbers(tokens: Iterable[str], numbers: str) -> list[float]:
    text = "".join(f"q {token}\n" for token in tokens).encode()
    return [float(x) for x in _native.read_rows(text, columns=2, numbers=numbers)[1]]


decimals = st.from_regex(
    r"[+-]?([0-9]{1,25}(\.[0-9]{0,25})?|\.[0-9]{1,25})([eE][+-]?[0-9]{1,3})?", fullmatch=True
)


@given(st.lists(st.one_of(decimals, st.floats(allow_nan=False, allow_infinity=False).map(repr)), max_size=30))
@settings(max_examples=examples(300), deadline=None)
def test_every_decimal_is_read_to_the_last_bit(tokens: list[str]) -> None:
    # A whole number that no double holds is refused; C rounds it.
    held = [each for each in tokens if not each.lstrip("+-").isdigit() or int(each) == float(each)]
    for numbers, its in (("strict", held), ("c", tokens)):
        assert [bits(x) for x in read_numbers(its, numbers)] == [bits(float(token)) for token in its]
    for token in set(tokens) - set(held):
        with pytest.raises(_native.LineError, match="a whole number that a double does not hold"):
            read_numbers([token], "strict")


def test_short_decimals_of_every_shape_are_read_to_the_last_bit() -> None:
    rng = random.Random(2)
    tokens = []
    for whole in range(11):
        for part in range(11):
            for sign in ("", "-", "+"):
                for _ in range(6):
                    digits = "".join(rng.choice("0123456789") for _ in range(whole + part))
                    for token in (f"{digits[:whole]}.{digits[whole:]}", digits[:whole]):
                        tokens += [sign + token] if any(c.isdigit() for c in token) else []
    assert [bits(x) for x in read_numbers(tokens, "strict")] == [bits(float(token)) for token in tokens]


@pytest.mark.parametrize(
    ("token", "value"),
    [
        ("0x1p3", 8.0),
        ("0x10", 16.0),
        ("1.5x", 1.5),
        ("1,5", 1.0),
        ("abc", 0.0),
        ("1e", 1.0),
        ("infinity", math.inf),
        ("-INF", -math.inf),
        ("infx", math.inf),
        ("1e400", math.inf),
        ("1e-400", 0.0),
        ("4.9e-324", 5e-324),
        ("--1", 0.0),
        (".", 0.0),
    ],
)
def test_c_numbers(token: str, value: float) -> None:
    assert read_numbers([token], "c") == [value]


@pytest.mark.parametrize(
    "token", ["0x1p3", "1.5x", "1,5", "abc", "1e", "infx", "--1", ".", "+", "1_000", "1.2.3"]
)
def test_strict_numbers_are_whole(token: str) -> None:
    assert refusal(lambda: read_numbers([token], "strict")).kind == "number"


def test_strict_scores_may_be_infinite() -> None:
    assert read_numbers(["inf", "-Infinity", "1e999"], "strict") == [math.inf, -math.inf, math.inf]


# ---- ranks -----------------------------------------------------------------------------------------------------------


def test_ranks_and_ties_by_hand() -> None:
    run = lines("q1 x 9", "q1 a 5", "q1 y 5", "q1 c 5", "q1 z 1", "q1 b 0", "q3 a 1")
    found = match(run)
    # 9: x · 5: y, c, a by id descending · 1: z · 0: b
    assert found.judgment.tolist() == [2, 0, 1]  # c, a, b
    assert found.rank.tolist() == [3, 4, 6]
    assert found.tie_first.tolist() == [2, 2, 6]
    assert found.tie_last.tolist() == [4, 4, 6]
    assert found.length.tolist() == [6, -1]
    assert found.offsets.tolist() == [0, 3, 3]
    assert (found.judged.tolist(), found.first_tie.tolist()) == ([3, 0], [2, 0])
    assert (found.extra, found.unordered) == ([b"q3"], 0)
    assert (found.tag, found.line_count) == (b"tag", 7)


@pytest.mark.parametrize(
    ("ties", "expected"),
    [
        ("trec", {"a": 4, "b": 3, "c": 1}),  # c, bb, b, a: a prefix goes after
        ("ascending", {"a": 1, "b": 2, "c": 4}),
        ("input", {"a": 2, "b": 4, "c": 1}),
        ("rank-column", {"a": 3, "b": 1, "c": 4}),
    ],
)
def test_tie_rules(ties: str, expected: dict[str, int]) -> None:
    run = b"q1 Q0 c 9 1 t\nq1 Q0 a 8 1 t\nq1 Q0 bb -1 1 t\nq1 Q0 b -2 1 t\n"
    assert ranked(run, ties=ties) == {("q1", document): rank for document, rank in expected.items()}


def test_unsigned_bytes_decide_ties() -> None:
    assert ranked(b"q Q0 \xff 0 1 t\nq Q0 a 0 1 t\n", b"q 0 a 1\n") == {("q", "a"): 2}


def test_a_rank_that_is_no_integer() -> None:
    run = b"q1 Q0 a 1.5 1 t\n"
    error = refusal(lambda: match(run, ties="rank-column"))
    assert (error.kind, error.detail) == ("rank", b"1.5")
    assert match(run).rank.tolist() == [1]
    assert match(run, ties="rank-column", numbers="c").rank.tolist() == [1]


def test_float32_makes_ties() -> None:
    run = lines("q1 a 16777217", "q1 z 16777216")
    assert match(run).rank.tolist() == [1]
    assert match(run, float32=True).rank.tolist() == [2]
    judgments = _native.read_judgments(QRELS)
    mapping = {"q1": {"a": 16777217.0, "z": 16777216.0}}
    assert _native.match_mapping(judgments, mapping, float32=True).rank.tolist() == [2]


def test_scores_are_handed_over_when_asked_for() -> None:
    run = lines("q1 a 1.00000001", "q1 x 3", "q9 a 7", "q1 b 2")
    assert match(run).scores.tolist() == []
    assert match(run, scores=True).scores.tolist() == [3, 2, 1.00000001]
    assert match(run, scores=True, float32=True).scores.tolist() == [3, 2, 1]
    again = run + lines("q1 x 5")
    assert match(again, scores=True).scores.tolist() == [5, 3, 2, 1.00000001]
    assert match(again, scores=True, duplicates="first").scores.tolist() == [3, 2, 1.00000001]


def test_minus_zero_ties_with_zero() -> None:
    found = match(lines("q1 a 0", "q1 z -0.0"))
    assert (found.tie_first.tolist(), found.tie_last.tolist(), found.rank.tolist()) == ([1], [2], [2])


def test_a_document_judged_twice_counts_by_its_first_judgment() -> None:
    judgments = _native.read_judgments(b"q 0 d 1\nq 0 d 3\n")
    assert _native.match_text(judgments, lines("q d 1")).judgment.tolist() == [0]
    assert _native.match_mapping(judgments, {"q": {"d": 1.0}}).judgment.tolist() == [0]


@pytest.mark.parametrize(
    ("policy", "ranks_left", "length"),
    [("first", [3], 3), ("last", [2], 3), ("max", [1], 3)],
)
def test_duplicate_policies(policy: str, ranks_left: list[int], length: int) -> None:
    run = lines("q1 a 1", "q1 x 4", "q1 a 5", "q1 y 2", "q1 a 3")
    found = match(run, duplicates=policy)
    assert (found.rank.tolist(), found.length.tolist()) == (ranks_left, [length, -1])
    assert (found.dropped, found.duplicates) == (2, [])


def test_kept_duplicates_are_told_with_lines_and_ranks() -> None:
    run = b"# c\n" + lines("q1 a 1", "q1 x 4", "q1 a 5", "q1 x 2", "q1 a 3", "q9 a 1", "q9 a 1")
    found = match(run)
    # 5 a, 4 x, 3 a, 2 x, 1 a
    assert found.duplicates == [(0, b"a", 2, 4, 5, 1), (0, b"x", 3, 5, 2, 4), (0, b"a", 2, 6, 5, 3)]
    assert (found.rank.tolist(), found.judgment.tolist()) == ([1, 3, 5], [0, 0, 0])
    assert found.length.tolist() == [5, -1]


def naive(
    rows: Sequence[tuple[str, str, float, int]], judged: dict[str, list[str]], ties: str
) -> dict[str, list[tuple[int, int, int, str]]]:
    """Sort everything: {query: [(rank, first of tie, last of tie, document)]} of the judged documents."""
    out = {}
    for query, documents in judged.items():
        own = [
            (document, score, place, i) for i, (q, document, score, place) in enumerate(rows) if q == query
        ]

        def order(a: Any, b: Any) -> int:
            if a[1] != b[1]:
                return -1 if a[1] > b[1] else 1
            if ties == "rank-column" and a[2] != b[2]:
                return -1 if a[2] < b[2] else 1
            if ties in ("trec", "ascending") and a[0] != b[0]:
                first = a[0].encode() < b[0].encode()
                return -1 if first == (ties == "ascending") else 1
            return -1 if a[3] < b[3] else 1

        own.sort(key=cmp_to_key(order))
        scores = [score for _, score, _, _ in own]
        out[query] = [
            (rank, scores.index(score) + 1, len(scores) - scores[::-1].index(score), document)
            for rank, (document, score, _, _) in enumerate(own, 1)
            if document in documents
        ]
    return out


runs = st.lists(
    st.tuples(
        st.sampled_from(["q1", "q2", "q10", "extra"]),
        st.sampled_from([f"d{i}" for i in range(12)] + ["é", "d", "a" * 20, "a" * 20 + "b"]),
        st.sampled_from([0.0, 1.0, 0.5, -2.25, 1e300, 3.0000001]),
        st.integers(-3, 3),
    ),
    max_size=60,
    unique_by=lambda row: row[:2],
)
judged_sets = st.dictionaries(
    st.sampled_from(["q1", "q2", "q10"]),
    st.lists(st.sampled_from(["d0", "d1", "d5", "é", "a" * 20, "absent"]), min_size=1, unique=True),
    min_size=1,
)


@given(
    runs,
    judged_sets,
    st.sampled_from(["trec", "ascending", "input", "rank-column"]),
    st.booleans(),
    st.sampled_from([0, 8, 60, 300]),
    st.sampled_from([1, 2, 3]),
)
@settings(max_examples=examples(400), deadline=None)
def test_ranks_are_those_of_a_full_sort(
    rows: list[tuple[str, str, float, int]],
    judged: dict[str, list[str]],
    ties: str,
    contiguous: bool,
    block_bytes: int,
    threads: int,
) -> None:
    if contiguous:
        rows = sorted(rows, key=lambda row: row[0])
    qrels = "".join(f"{q} 0 {d} 1\n" for q, documents in judged.items() for d in documents).encode()
    judgments = _native.read_judgments(qrels)
    text = "".join(f"{q} Q0 {d} {place} {score!r} t\n" for q, d, score, place in rows).encode()
    found = _native.match_text(
        judgments, text, ties=ties, block_bytes=block_bytes, threads=threads, scores=True
    )
    expected = naive(rows, judged, ties)
    for q, query in enumerate(judgments.queries):
        span = slice(int(found.offsets[q]), int(found.offsets[q + 1]))
        documents = [judgments.document(int(j)).decode() for j in found.judgment[span]]
        got = list(zip(found.rank[span], found.tie_first[span], found.tie_last[span], documents, strict=True))
        assert got == expected[query.decode()]
        retrieved = sum(row[0] == query.decode() for row in rows)
        assert found.length[q] == (retrieved or -1)
    scores = {
        q: sorted((row[2] for row in rows if row[0] == q.decode()), reverse=True) for q in judgments.queries
    }
    assert found.scores.tolist() == [score for query in judgments.queries for score in scores[query]]
    assert found.extra == sorted({row[0].encode() for row in rows} - set(judgments.queries))
    if ties == "rank-column":
        return
    mapping: dict[str, dict[str, float]] = {}
    for query_id, document, score, _ in rows:
        mapping.setdefault(query_id, {})[document] = score
    by_mapping = _native.match_mapping(judgments, mapping, ties=ties, scores=True)
    assert everything(by_mapping) == everything(found)


@given(runs, judged_sets, st.integers(8, 200), st.sampled_from(["keep", "first", "last", "max"]), st.data())
@settings(max_examples=examples(200), deadline=None)
def test_blocks_threads_and_sources_change_nothing(
    rows: list[tuple[str, str, float, int]],
    judged: dict[str, list[str]],
    block_bytes: int,
    duplicates: str,
    data: st.DataObject,
) -> None:
    if rows:  # some documents again
        rows = rows + data.draw(st.lists(st.sampled_from(rows), max_size=10))
    judgments = _native.judgments_from_mapping(
        {q: dict.fromkeys(documents, 1) for q, documents in judged.items()}
    )
    text = "".join(f"{q} Q0 {d} {place} {score!r} t\n" for q, d, score, place in rows).encode()
    whole = everything(_native.match_text(judgments, text, duplicates=duplicates, scores=True))
    for threads in (1, 2, 4):
        parts = _native.match_text(
            judgments, text, duplicates=duplicates, threads=threads, block_bytes=block_bytes, scores=True
        )
        assert everything(parts) == whole
    stream = Stream(text, step=7)
    streamed = _native.match_text(
        judgments, stream, duplicates=duplicates, threads=2, block_bytes=block_bytes, scores=True
    )
    assert everything(streamed) == whole


def test_large_groups_of_ties_are_ordered_the_same() -> None:
    documents = [f"d{i:05}" for i in range(3000)]
    random.Random(3).shuffle(documents)
    run = lines(*(f"q {document} 1" for document in documents))
    for count in (1, 200):  # few are counted, many are sorted
        judged = documents[:count]
        qrels = "".join(f"q 0 {document} 1\n" for document in judged).encode()
        order = sorted(documents, reverse=True)
        assert ranked(run, qrels) == {("q", document): order.index(document) + 1 for document in judged}


def test_nan_scores_stand_where_a_merge_sort_leaves_them() -> None:
    # By id: a5 b9 c-nan d1 e7. Halves [a b] and [c d e]; "left first unless it compares greater", NaN by id descending.
    # [a b] → b a.  [d e] → e d; c(nan) against e: ids say e first, then d before c → e d c.
    # Merge [b9 a5] with [e7 d1 c-nan]: b, e, a, d, c.
    run = lines("q a 5", "q b 9", "q c nan", "q d 1", "q e 7")
    qrels = b"".join(b"q 0 %c 1\n" % letter for letter in b"abcde")
    expected = {("q", document): rank for rank, document in enumerate("beadc", 1)}
    for rows in (run, b"".join(reversed(run.splitlines(keepends=True)))):
        assert ranked(rows, qrels, numbers="c") == expected


# ---- bounds ----------------------------------------------------------------------------------------------------------

LONGEST = 2**20


@pytest.mark.parametrize("lenient", [False, True])
@pytest.mark.parametrize("byte", [b"x", b" x", b"\0"])
@pytest.mark.parametrize("head", [b"", b"q1 Q0 a 1 2 t\nq1 Q0 b 1 1 t\n"])
def test_a_text_without_lines_is_refused_in_bounded_memory(head: bytes, byte: bytes, lenient: bool) -> None:
    error = refusal(lambda: match(endless_by(head, byte), lenient=lenient, threads=2))
    assert (error.kind, error.line) == ("too-long", head.count(b"\n") + 1)


def endless_by(head: bytes, byte: bytes) -> Any:
    """An endless source that fails a test which reads 16 MiB of it."""

    class Source:
        def __init__(self) -> None:
            self.rest, self.read = head, 0

        def readinto(self, buffer: memoryview) -> int:
            part = self.rest or (byte * LONGEST)[: min(len(buffer), 2**16)]
            part = part[: len(buffer)]
            self.rest = self.rest[len(part) :] if self.rest else b""
            buffer[: len(part)] = part
            self.read += len(part)
            assert self.read < 2**24
            return len(part)

        def rewind(self) -> None:
            self.rest = head

    return Source()


def test_a_line_of_a_mebibyte_is_read_and_one_byte_more_is_not() -> None:
    line = b"q1 Q0 a 1 2 " + b"t" * (LONGEST - 12)
    for block_bytes in (64, 0):
        assert match(line + b"\nq1 Q0 c 1 1 t\n", block_bytes=block_bytes).length.tolist() == [2, -1]
        error = refusal(lambda: match(b"\n" + line + b"t\nq1 Q0 c 1 1 t\n", block_bytes=block_bytes))  # noqa: B023
        assert (error.kind, error.line) == ("too-long", 2)
    error = refusal(lambda: _native.read_judgments(b"q1 0 " + b"d" * LONGEST + b" 1\n"))
    assert (error.kind, error.line) == ("too-long", 1)


# ---- mappings --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("run", "kind", "query", "document"),
    [
        ({"q1": {"a": math.nan}}, "nan", "q1", "a"),
        ({"q1": {"x": np.float32("nan")}}, "nan", "q1", "x"),
        ({"q1": {"a": "1"}}, "number", "q1", "a"),
        ({"q1": {"a": None}}, "number", "q1", "a"),
        ({"q1": {"a": 10**400}}, "number", "q1", "a"),
        ({"q1": {"a": 2**53 + 1}}, "wide", "q1", "a"),
        ({"q1": {"a": np.uint64(2**53 + 1)}}, "wide", "q1", "a"),
        ({"q1": {"x": 2.0, True: 1.0}}, "document", "q1", True),
        ({"q1": {"x": 2.0, None: 1.0}}, "document", "q1", None),
        ({"q1": {"a": 1.0, b"b": 1.0}}, "document", "q1", b"b"),
        ({"q1": {"1": 1.0, 1: 1.0}}, "twice", "q1", 1),
        ({"q1": {"x": 2.0, "\ud800": 1.0}}, "surrogates", "q1", "\ud800"),
        ({"\u00e9": {}, "\udcc3\udca9": {}}, "surrogates", "\udcc3\udca9", None),
        ({"q1": [("a", 1.0)]}, "mapping", "q1", None),
        ({"q9": None}, "mapping", "q9", None),
        ({1.5: {}}, "query", 1.5, None),
        ([], "mapping", None, None),
    ],
)
def test_mappings_that_are_no_run(run: Any, kind: str, query: object, document: object) -> None:
    with pytest.raises(_native.MappingError) as caught:
        _native.match_mapping(_native.read_judgments(QRELS), run)
    assert (caught.value.kind, caught.value.query, caught.value.document) == (kind, query, document)


def test_numbers_of_every_kind_are_scores() -> None:
    scores = [9, 8.5, np.float64(7), np.float32(6), np.int64(5), True, np.float16(0.5), math.inf]
    run: Any = {"q": {f"d{i}": score for i, score in enumerate(scores)}}
    judgments = _native.judgments_from_mapping({"q": {f"d{i}": 1 for i in range(len(scores))}})
    found = _native.match_mapping(judgments, run)
    assert found.judgment.tolist() == [7, 0, 1, 2, 3, 4, 5, 6]
    assert (found.length.tolist(), found.unordered) == ([8], 1)


class Named(str):
    """Text that is not a str itself, as NumPy's is."""

    __slots__ = ()


@pytest.mark.parametrize("kind", [int, np.int64, np.uint8, str, np.str_, Named])
def test_ids_of_every_kind_are_their_decimal_text(kind: Callable[[Any], Any]) -> None:
    judgments = _native.judgments_from_mapping({kind("1"): {kind("7"): 2, "9": 1}, "2": {kind("5"): 1}})
    assert (judgments.queries, judgments.documents(0)) == ([b"1", b"2"], [b"7", b"9"])
    run = {kind("1"): {"8": 3.0, kind("7"): 2.0, kind("10"): 2.0}, "2": {kind("5"): 1.0}, kind("3"): {}}
    found = _native.match_mapping(judgments, run)
    assert ranks(found, judgments) == {("1", "7"): 2, ("2", "5"): 1}  # "7" goes before "10" in a tie
    assert (found.length.tolist(), found.extra) == ([3, 1], [b"3"])


def test_ids_outside_unicode_come_through() -> None:
    judgments = _native.read_judgments(b"q\xff 0 \xfe 1\n")
    query, document = b"q\xff".decode(errors="surrogateescape"), b"\xfe".decode(errors="surrogateescape")
    found = _native.match_mapping(judgments, {query: {document: 1.0, "z": 1.0}})
    assert (found.rank.tolist(), found.extra) == ([1], [])  # 0xfe > 'z'


def test_a_mapping_that_changes_while_it_is_read() -> None:
    run: dict[str, dict[str, Any]] = {"q1": {"a": 1.0}}

    class Grows:
        def __float__(self) -> float:
            run["q1"].update((f"n{i}", 1.0) for i in range(len(run["q1"]) * 10))
            return 1.0

    class Shrinks:
        def __float__(self) -> float:
            run["q1"].clear()
            run.clear()
            return 1.0

    class LosesAQuery:
        def __float__(self) -> float:
            del run["q2"]
            return 1.0

    for kind in (Grows, Shrinks, LosesAQuery):
        run.update(q1={"x": kind(), "a": 1.0, "b": 2.0}, q2={"a": 1.0})
        with pytest.raises(_native.MappingError) as caught:
            _native.match_mapping(_native.read_judgments(QRELS), run)
        assert caught.value.kind == "changed"

    qrels: dict[str, dict[str, Any]] = {"q1": {"a": LosesAQuery()}, "q2": {"a": 1}}
    run = qrels
    with pytest.raises(_native.MappingError) as caught:
        _native.judgments_from_mapping(qrels)
    assert caught.value.kind == "changed"


def test_a_score_that_is_another_one_each_time_is_refused() -> None:
    class Falls:
        value = 9.0

        def __float__(self) -> float:
            self.value -= 1
            return self.value

    with pytest.raises(_native.MappingError) as caught:
        _native.match_mapping(_native.read_judgments(QRELS), {"q1": {"a": Falls(), "x": 1.0}})  # type: ignore[dict-item]
    assert caught.value.kind == "changed"


def test_an_error_of_a_number_is_passed_on() -> None:
    class Broken:
        def __float__(self) -> float:
            raise ZeroDivisionError("seven")

    run: Any = {"q1": {"a": Broken()}}
    with pytest.raises(ZeroDivisionError, match="seven"):
        _native.match_mapping(_native.read_judgments(QRELS), run)


# ---- sources ---------------------------------------------------------------------------------------------------------


def test_paths(tmp_path: Path) -> None:
    path = tmp_path / "rün 文.txt"
    path.write_bytes(lines("q1 x 2", "q1 a 1"))
    assert match(str(path)).rank.tolist() == [2]
    with pytest.raises(FileNotFoundError) as caught:
        match(str(tmp_path / "absent"))
    assert caught.value.filename == str(tmp_path / "absent")
    with pytest.raises((IsADirectoryError, PermissionError)):
        match(str(tmp_path))
    with pytest.raises(ValueError, match="null"):
        match("a\0b")


def test_buffers() -> None:
    content = lines("q1 x 2", "q1 a 1")
    for source in (content, bytearray(content), memoryview(content)):
        assert match(source).rank.tolist() == [2]
    with pytest.raises(TypeError, match="readinto"):
        match(3)


def test_a_stream_is_read_again_only_when_queries_are_interleaved() -> None:
    sorted_run = Stream(lines("q1 a 2", "q1 b 1", "q2 a 1"), 5)
    assert match(sorted_run).rank.tolist() == [1, 2, 1]
    assert sorted_run.rewound == 0
    mixed = Stream(lines("q1 a 2", "q2 a 1", "q1 b 1"), 5)
    assert match(mixed).rank.tolist() == [1, 2, 1]
    assert mixed.rewound == 1


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_an_error_of_a_stream_is_passed_on(threads: int) -> None:
    class Broken(Stream):
        def readinto(self, buffer: memoryview) -> int:
            if self.at > 2000:
                raise EOFError("cut short")
            return super().readinto(buffer)

    run = lines(*(f"q{i} a 1" for i in range(400)))
    with pytest.raises(EOFError, match="cut short"):
        match(Broken(run, 64), threads=threads, block_bytes=100)
    # A bad line before the place where reading failed is the earlier finding.
    bad = Broken(run[:1000] + b"\nbad\n" + run[1000:], 64)
    assert refusal(lambda: match(bad, threads=threads, block_bytes=100)).kind == "columns"


class BreaksOff(Stream):
    """A stream that raises an error in place of its end."""

    def __init__(self, content: bytes, error: BaseException) -> None:
        super().__init__(content, 50)
        self.error = error

    def readinto(self, buffer: memoryview) -> int:
        count = super().readinto(buffer)
        if not count:
            raise self.error
        return count


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("block_bytes", [100, 0])
def test_the_first_fault_of_a_stream_that_breaks_off_is_named(block_bytes: int, threads: int) -> None:
    def refused(content: bytes, error: BaseException) -> str:
        with pytest.raises((ValueError, type(error))) as caught:
            match(BreaksOff(content, error), threads=threads, block_bytes=block_bytes)
        return str(caught.value)

    good, end = lines(*(f"q{i} a 1" for i in range(40))), EOFError("cut short")
    for part in (b"", b"q50 Q0 a"):  # half a line says nothing
        assert refused(good + part, end) == "cut short"
        assert refused(good + b"bad\n" + part, end).startswith("line 41: ")
    assert refused(b"q50 Q0 a", end) == "cut short"


def test_the_first_fault_of_judgments_that_break_off_is_named() -> None:
    end = EOFError("cut short")
    assert refusal(lambda: _native.read_judgments(BreaksOff(b"q 0 a 1\nbad\nq 0", end))).line == 2
    with pytest.raises(EOFError, match="cut short"):
        _native.read_judgments(BreaksOff(b"q 0 a 1\nq 0", end))


def test_an_interruption_is_no_fault_of_the_stream() -> None:
    with pytest.raises(KeyboardInterrupt):
        match(BreaksOff(b"bad\nq 0", KeyboardInterrupt()))


@pytest.mark.parametrize("step", [7, 5000])
def test_one_thread_reads_a_stream_while_others_match(step: int) -> None:
    class Watched(Stream):
        is_slow = True
        readers: ClassVar[list[int]] = []

        def readinto(self, buffer: memoryview) -> int:
            self.readers.append(threading.get_ident())
            return super().readinto(buffer)

    for ids in (range(900), [*range(450), *range(450)]):  # the second is interleaved, and read twice
        run, readers = lines(*(f"q{i} a{i % 3} 1" for i in ids)), Watched.readers
        readers.clear()
        found = match(Watched(run, step), threads=3, block_bytes=2000)
        assert everything(found) == everything(match(run))
        if ids == range(900):
            assert len({each for each in readers if each != threading.get_ident()}) == 1


@pytest.mark.parametrize("count", [-1, 10**9, None, "x"])
def test_a_stream_that_lies_is_an_error(count: Any) -> None:
    class Liar(Stream):
        def readinto(self, buffer: memoryview) -> int:
            return count  # type: ignore[no-any-return]

    with pytest.raises((ValueError, TypeError, RuntimeError)):
        match(Liar(b"", 1))


def test_a_stream_cannot_write_later() -> None:
    kept = []

    class Keeps(Stream):
        def readinto(self, buffer: memoryview) -> int:
            kept.append(buffer)
            return super().readinto(buffer)

    match(Keeps(lines("q1 a 1"), 100))
    with pytest.raises(ValueError, match="released"):
        kept[0][0] = 1


def test_progress_counts_bytes() -> None:
    run = lines(*(f"q1 d{i} {-i}" for i in range(500)))
    progress = _native.Progress()
    match(run, progress=progress, block_bytes=100, threads=2)
    assert progress.bytes == len(run)


def test_options_that_do_not_exist() -> None:
    judgments = _native.read_judgments(QRELS)
    with pytest.raises(
        ValueError, match="ties must be one of trec, ascending, input, rank-column; found 'x'"
    ):
        _native.match_text(judgments, b"", ties="x")
    with pytest.raises(ValueError, match="duplicates must be one of"):
        _native.read_judgments(b"", duplicates="error")
    with pytest.raises(ValueError, match="rank column"):
        _native.match_mapping(judgments, {}, ties="rank-column")
    with pytest.raises(ValueError, match="columns"):
        _native.read_judgments(b"", columns=2)


def test_other_python_threads_run_meanwhile() -> None:
    class Waits(Stream):
        def readinto(self, buffer: memoryview) -> int:
            assert other_ran.wait(30)
            return super().readinto(buffer)

    other_ran = threading.Event()
    threading.Timer(0.05, other_ran.set).start()
    assert match(Waits(lines("q1 a 1"), 100)).rank.tolist() == [1]


@pytest.mark.skipif(sys.platform == "win32", reason="signals to another process are POSIX")
def test_ctrl_c_ends_a_long_match() -> None:
    program = """if True:
        import os, signal, time
        from carob import _native
        signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in a background job
        class Endless:
            def readinto(self, buffer):
                os.write(1, b"reading\\n")  # a signal may fall between a print's text and its end of line
                time.sleep(0.01)
                buffer[:8] = b"q d\\n# c\\n"
                return 8
            def rewind(self): pass
        judgments = _native.read_judgments(b"q 0 d 1")
        try:
            _native.match_text(judgments, Endless(), lenient=True, threads=2, block_bytes=16)
        except KeyboardInterrupt:
            print("interrupted")
    """
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "reading\n"
        os.kill(process.pid, signal.SIGINT)
        output, _ = process.communicate(timeout=60)
    assert output.splitlines()[-1] == "interrupted"
    assert process.returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="signals to another process are POSIX")
def test_ctrl_c_while_the_last_bytes_are_read_is_not_dropped_by_a_finalizer() -> None:
    program = """if True:
        import io, os, signal
        from carob import _native
        signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in a background job
        class Text(io.RawIOBase):
            rest = b"".join(b"q%d Q0 d 1 1 t\\n" % query for query in range(50))
            def readinto(self, buffer):
                size = min(16, len(buffer))
                part, self.rest = self.rest[:size], self.rest[size:]
                buffer[:len(part)] = part
                if not part:
                    os.kill(os.getpid(), signal.SIGINT)
                return len(part)
            def rewind(self): pass
            def close(self):
                super().close()
        judgments = _native.read_judgments(b"q 0 d 1")
        try:
            _native.match_text(judgments, Text(), threads=2, block_bytes=16)
            print("matched")
        except KeyboardInterrupt:
            print("interrupted")
    """
    for _ in range(5):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        assert (done.stdout, done.stderr) == ("interrupted\n", "")


# ---- segments --------------------------------------------------------------------------------------------------------


def test_ties_are_arranged_from_the_outside() -> None:
    # The first list has a tie of ranks 1 to 5, in which two documents have no row. Both lists begin with rank 1.
    grade = np.array([0.0, 1.0, 2.0, 1.0, -1.0, 3.0, 0.0])
    first = np.array([1.0, 1.0, 1.0, 6.0, 7.0, 1.0, 1.0])
    last = np.array([5.0, 5.0, 5.0, 6.0, 7.0, 2.0, 2.0])
    offsets = np.array([0, 5, 7])
    rank, grades, order = _native.arranged(grade, first, last, offsets, best=True, of_zero=-3.0)
    assert rank.tolist() == [1, 2, 5, 6, 7, 1, 2]
    assert grades.tolist() == [2, 1, 0, 1, -1, 3, 0]
    assert order.tolist() == [2, 1, 0, 3, 4, 5, 6]
    rank, grades, order = _native.arranged(grade, first, last, offsets, best=False, of_zero=-3.0)
    assert rank.tolist() == [1, 4, 5, 6, 7, 1, 2]
    assert grades.tolist() == [0, 1, 2, 1, -1, 0, 3]
    assert order.tolist() == [0, 1, 2, 3, 4, 6, 5]
    for bad in (np.array([0, 5]), np.array([1, 7]), np.array([0, 8])):
        with pytest.raises(ValueError, match="offsets must"):
            _native.arranged(grade, first, last, bad, best=True, of_zero=-3.0)
    with pytest.raises(ValueError, match="same length"):
        _native.arranged(grade, first[1:], last, offsets, best=True, of_zero=-3.0)


@pytest.mark.parametrize("seed", range(5))
def test_the_extremes_are_both_orders_of_the_lists_with_ties(seed: int) -> None:
    draw = np.random.default_rng(seed)
    sizes = draw.integers(0, 9, 12)
    offsets = np.append(0, np.cumsum(sizes))
    first, last = np.empty(offsets[-1]), np.empty(offsets[-1])
    for start, stop, ties in zip(offsets[:-1], offsets[1:], np.arange(12) % 3, strict=True):
        starts = np.arange(stop - start) if ties == 0 else np.sort(draw.integers(0, 4, stop - start)) * 3
        first[start:stop] = starts + 1
        last[start:stop] = starts + 1 + 2 * (ties > 0)
    grade = draw.integers(-1, 3, offsets[-1]).astype(np.float64)
    rank, grades, order, ends, tied = _native.extremes(grade, first, last, offsets, of_zero=-3.0)
    assert tied.tolist() == [q for q in range(12) if q % 3 and sizes[q]]
    places = [place for q in tied for place in range(offsets[q], offsets[q + 1])]
    assert ends.tolist() == np.append(0, np.cumsum(np.tile(sizes[tied], 2))).tolist()
    whole = [_native.arranged(grade, first, last, offsets, best=best, of_zero=-3.0) for best in (False, True)]
    for found, *orders in zip((rank, grades, order), *whole, strict=True):
        assert found.tolist() == [value for each in orders for value in each[places].tolist()]
    with pytest.raises(ValueError, match="same length"):
        _native.extremes(grade, first, last[1:], offsets, of_zero=-3.0)


@pytest.mark.parametrize("seed", range(5))
def test_a_lean_is_the_place_of_relevant_documents_among_all_orders(seed: int) -> None:
    draw = np.random.default_rng(seed)
    several = [draw.permutation([0.0, 0.0, 2.0, 1.0, *draw.integers(0, 2, size)]) for size in (0, 1, 2, 2)]
    grade = np.concatenate([*several, [1.0, 1.0], [3.0]])
    offsets = np.append(0, np.cumsum([*map(len, several), 2, 1]))
    rank, length = np.concatenate([np.arange(1.0, size + 1) for size in np.diff(offsets)]), np.diff(offsets)
    leans, lists, below, total, squares = _native.leans(grade, rank, rank, offsets, length.astype(np.float64))
    for its, lean in zip(several, leans, strict=False):
        places = np.arange(1, len(its) + 1)
        every = [np.dot(order, places) for order in permutations(its.tolist())]
        assert lean == pytest.approx((np.dot(its, places) - np.mean(every)) / np.std(every))
    assert np.isnan(leans[4:]).all()  # of lists whose order does not matter
    assert (lists, below) == (4, (leans > 0).sum())
    assert total == pytest.approx(leans[:4].sum())
    assert squares == pytest.approx((np.maximum(leans[:4], 0) ** 2).sum())
    with pytest.raises(ValueError, match="one number per list"):
        _native.leans(grade, rank, rank, offsets, rank)


def test_relevant_documents_come_first_in_each_list() -> None:
    grade, offsets = np.array([2.0, 1.0, 0.0, 0.0, -1.0, 1.0]), np.array([0, 3, 3, 5, 6])
    assert _native.relevant_first(grade, np.array([1.0, 2.0, 7.0, 3.0, 5.0, 1.0]), offsets)
    assert not _native.relevant_first(grade, np.array([1.0, 3.0, 7.0, 3.0, 5.0, 1.0]), offsets)
    assert not _native.relevant_first(grade, np.array([1.0, 2.0, 7.0, 3.0, 5.0, 2.0]), offsets)
    with pytest.raises(ValueError, match="same length"):
        _native.relevant_first(grade, grade[1:], offsets)


def test_segments_by_hand() -> None:
    values, offsets = np.array([1.0, 2.0, 4.0, -1.0, -3.0]), np.array([0, 3, 3, 5])
    assert _native.total(values, offsets).tolist() == [7, 0, -4]
    assert _native.count(values > 1, offsets).tolist() == [2, 0, 0]
    assert _native.best(values, offsets).tolist() == [4, 0, -1]
    assert _native.running_sum(values, offsets).tolist() == [1, 3, 7, -1, -4]
    assert _native.running_product(values, offsets).tolist() == [1, 2, 8, -1, 3]
    assert _native.running_max(values, offsets).tolist() == [1, 2, 4, -1, -1]
    assert _native.descending(values, offsets).tolist() == [2, 1, 0, 3, 4]


FEW = st.sampled_from([-1.0, -0.0, 0.0, 0.5, 3.0, math.inf])
MANY = st.one_of(FEW, st.just(math.nan), st.integers(-9, 9).map(float))


@given(st.one_of(st.lists(each, max_size=40) for each in (FEW, MANY)), st.data())
@settings(max_examples=examples(200), deadline=None)
def test_each_segment_is_ordered_from_its_highest_down(values: list[float], data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(values)), max_size=5)))
    offsets = [0, *cuts, len(values)]
    order = _native.descending(np.array(values, dtype=float), np.array(offsets)).tolist()
    for start, stop in pairwise(offsets):
        own = range(start, stop)
        assert order[start:stop] == sorted(
            own, key=lambda i: (math.isnan(values[i]), -values[i] if values[i] == values[i] else 0)
        )


def test_an_order_covers_all_values() -> None:
    for offsets in ([0, 2], [1, 3]):
        with pytest.raises(ValueError, match="cover all values"):
            _native.descending(np.zeros(3), np.array(offsets))


@given(st.lists(st.floats(-1e300, 1e300), max_size=50), st.data())
@settings(max_examples=examples(200), deadline=None)
def test_sums_go_strictly_from_left_to_right(values: list[float], data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(values)), max_size=5)))
    offsets = np.array([0, *cuts, len(values)])
    sums = _native.total(np.array(values, dtype=float), offsets)
    running = _native.running_sum(np.array(values, dtype=float), offsets)
    for q, (start, stop) in enumerate(pairwise(offsets)):
        partial = 0.0
        for i in range(start, stop):
            partial += values[i]
            assert running[i] == partial
        assert sums[q] == partial


@pytest.mark.parametrize("offsets", [[], [0, 6], [-1, 2], [3, 2], [0, 2**62]])
def test_offsets_outside_are_errors(offsets: list[int]) -> None:
    values = np.zeros(5)
    for call in (
        _native.total,
        _native.best,
        _native.running_sum,
        _native.running_product,
        _native.running_max,
        _native.descending,
    ):
        with pytest.raises(ValueError, match="offsets"):
            call(values, np.array(offsets, dtype=np.int64))


@pytest.mark.parametrize("offsets", [[], [0, 6], [-1, 2], [3, 2]])
def test_marks_are_counted_within_their_array(offsets: list[int]) -> None:
    with pytest.raises(ValueError, match="offsets"):
        _native.count(np.ones(5, bool), np.array(offsets, dtype=np.int64))


def test_arrays_are_read_only_and_outlive_what_made_them() -> None:
    grades = _native.read_judgments(QRELS).grades
    rank = match(lines("q1 a 1")).rank
    assert (grades.tolist(), rank.tolist()) == ([1, 0, 2, 1], [1])
    for array in (grades, rank, _native.total(np.ones(2), np.array([0, 2]))):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 5
