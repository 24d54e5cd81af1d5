"""Runs in plain JSON, which the kernel reads by itself, give what Python's and other libraries' readers give."""

from __future__ import annotations

import gzip
import json
import random
import re
import tracemalloc
from typing import TYPE_CHECKING, Any

import pytest

import carob
from carob import _native
from carob.inputs.files import plain_json
from carob.output.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

ROW = [b"query", b"doc", b"score"]
VALUES = {
    "a text": '"{}"',
    "an empty text": '""',
    "a blank": '" {} "',
    "a quote": r'"\"{}"',
    "an escape": r'"\u00e9{}"',
    "other letters": '"ü{}"',
    "a hash": '"#{}"',
    "a whole number": "{}",
    "a fraction": "-{}.25",
    "an exponent": "{}.5E+{}",
    "a small number": "{}e-{}",
    "zeros": "0{}",
    "a plus": "+{}",
    "a long number": "0.{}234567890123456789",
    "a long whole number": "{}00000000000000000",
    "a huge number": "1e99{}",
    "nothing": "null",
    "a word": "true",
    "not a number": "NaN",
    "a list": "[{}]",
    "an object": '{{"doc": "{}"}}',
}


def line_of(rng: random.Random, rare: float) -> str:
    """A line of JSON, mostly a row of a run."""

    def value(usual: str) -> str:
        kind = usual if rng.random() >= rare else rng.choice(list(VALUES))
        return VALUES[kind].format(rng.randrange(1, 9), rng.randrange(9))

    members = [
        ("query", "a text"),
        ("doc", "a text"),
        ("score", rng.choice(["a fraction", "a whole number"])),
    ]
    pairs = [(name, value(usual)) for name, usual in members]
    pairs += [("note", value("a text"))] * (rng.random() < 0.3)
    pairs += [(rng.choice(["doc", "x\\u0079"]), value("a text"))] * (rng.random() < rare)
    del pairs[: rng.random() < rare / 4]
    rng.shuffle(pairs)
    blank = rng.choice(["", " "])
    inside = f",{blank}".join(f'"{name}"{blank}:{blank}{its}' for name, its in pairs)
    return f"{{{blank}{inside}}}" + rng.choice(["", " ", "\r"])


def object_of(rng: random.Random, rare: float) -> str:
    """One object, mostly a run."""

    def value(usual: str) -> str:
        kind = usual if rng.random() >= rare else rng.choice(list(VALUES))
        return VALUES[kind].format(rng.randrange(1, 99), rng.randrange(9))

    def key() -> str:
        return (
            value("a text") if rng.random() >= rare else rng.choice(['"1"', "7", '"é"', '"a b"', '"a\\tb"'])
        )

    def pairs(count: int, its: Callable[[], str]) -> str:
        blank = rng.choice(["", " ", "\n  "])
        inside = f",{blank}".join(f"{blank}{key()}:{blank}{its()}" for _ in range(count))
        return f"{{{inside}{blank}}}"

    def documents() -> str:
        return pairs(
            rng.randrange(1, 5) if rng.random() >= rare else 0,
            lambda: value(rng.choice(["a fraction", "a whole number"])),
        )

    return pairs(rng.randrange(1, 5), documents) + rng.choice(["", "\n", " \n\n"])


def taken(form: str, text: bytes, size: int, names: Sequence[bytes] = ROW) -> bytes | None:
    """What the kernel makes of a text in pieces of some bytes."""
    reader, made = _native.PlainJson(form, list(names), [b"note"]), b""
    for start in range(0, len(text), size):
        lines = reader.take(text[start : start + size])
        if lines is None:
            return None
        made += lines
    last = reader.take(b"")
    return None if last is None else made + last


def found_in(path: Path) -> Any:
    """The rows of a run, its values, notes and lists, or the error's text."""
    qrels = {str(number): {str(each): each % 3 for each in range(1, 99)} for number in range(1, 99)}
    try:
        run = carob.Run.of(path)
        scores = carob.evaluate(qrels, run, ["AP", "nDCG@3", "RR"])
        # A dict has no lines to count.
        return (
            sorted(run.held.rows()),
            str(scores),
            re.sub(r'"lines": \d+', "", scores.to_json()),
            run.origin.kind,
        )
    except DataError as error:
        # Of a plain list, the policy may say which of two counts, as of lines.
        return re.sub(r"(is listed|occurs) twice .*", "twice", str(error))


@pytest.mark.parametrize("rare", [0.0, 0.02, 0.2])
@pytest.mark.parametrize("form", ["lines", "list", "object"])
@pytest.mark.parametrize("seed", range(40))
def test_random_files_are_read_as_without_the_kernel(
    seed: int, form: str, rare: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("polars")
    rng = random.Random(seed)
    path = tmp_path / ("any.jsonl" if form == "lines" else "any.json")
    if form == "object":
        text = object_of(rng, rare)
    else:
        rows = [line_of(rng, rare) for _ in range(7)]
        text = f"[{','.join(rows)}]" if form == "list" else "\n".join(rows)
    path.write_text(text, "utf-8")
    found = found_in(path)
    with monkeypatch.context() as patched:
        patched.setattr(plain_json.PlainJson, "is_plain", lambda _: False)
        assert found_in(path) == found
    made = taken(form, path.read_bytes(), 1 << 20)
    assert all(taken(form, path.read_bytes(), size) == made for size in (1, 3, 7))
    assert rare or form == "object" or made is not None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"1"', '""'),
        ('"b"', r'"\u0062"'),
        ('"b"', '"\t"'),
        ('"b"', '" b"'),
        ('"b"', '"b\x00"'),
        ('"1"', '"#1"'),
        (" 2}", " 02}"),
        (" 2}", ' "2"}'),
        (" 2}", " 2, }"),
        (" 2}", " 2}}"),
        (" 2}", " 2} x"),
        (" 2}", " 2"),
        (" 2}", " 1000000000000000}"),
        (" 2}", " 1e999}"),
        (" 2}", " NaN}"),
        (" 2}", " 2 3}"),
    ],
)
@pytest.mark.parametrize("form", ["lines", "list", "object"])
def test_what_is_not_plain_is_left_to_others(form: str, old: str, new: str) -> None:
    row = '{"query": "1", "doc": "b", "score": 2}'
    text = {"lines": row, "list": f"[{row}]", "object": '{"1": {"a": 1, "b": 2}}'}[form]
    assert taken(form, text.encode(), 100) is not None
    assert taken(form, text.replace(old, new, 1).encode(), 100) is None


def test_lines_are_those_of_trec_text() -> None:
    lines = '{"score": -1.5e3, "doc": "b c", "n": "x\\u00e9\\n", "query": "1"} \r\n{"query":"2","doc":"é","score":0}'
    assert taken("lines", lines.encode(), 9) == "1\tQ0\tb c\t0\t-1.5e3\t-\n2\tQ0\té\t0\t0\t-\n".encode()
    ranked = b'{"score": 3, "rank": 2, "doc": "b", "query": "1"}'
    assert taken("lines", ranked, 9, [*ROW, b"rank"]) == b"1\tQ0\tb\t2\t3\t-\n"
    assert taken("lines", ranked.replace(b"2", b"2.5"), 9, [*ROW, b"rank"]) is None
    assert taken("lines", b"", 9) == b""
    assert taken("object", b' {"1": {"a": 1,\n"b": 2.50}, "2":{"a":-0.0}}\n', 9) == (
        b"1\tQ0\ta\t0\t1\t-\n1\tQ0\tb\t0\t2.50\t-\n2\tQ0\ta\t0\t-0.0\t-\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        '{"1": {"a": 1, "a": 1}}',
        '{"1": {"a": 1}, "1": {"b": 1}}',
        '{"1": {}}',
        "{}",
        '{"1": {"a": 1}',
        '{"1": {"a": 1}} {}',
        '[{"1": {"a": 1}}]',
        '{"1": 2}',
    ],
)
def test_other_objects_are_not_plain(text: str) -> None:
    assert taken("object", text.encode(), 100) is None


@pytest.mark.parametrize(
    "odd", [b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82", b"\xef\xbb\xbf1"]
)
def test_bytes_that_are_not_utf8_are_not_plain(odd: bytes) -> None:
    assert taken("object", b'{"' + odd + b'": {"a": 1}}', 3) is None
    for good in ("é", "€", "\U0001f600", "\ud7ff", "\uffff", "\U0010ffff"):
        assert taken("object", f'{{"{good}": {{"a": 1}}}}'.encode(), 3) is not None


def plain_run(folder: Path, ending: str) -> Path:
    """A file of 40 queries with 30 documents, whose ids have blanks."""
    rng = random.Random(1)
    run = {f"the query {q}": {f"document {d}": rng.random() for d in range(30)} for q in range(40)}
    path = folder / f"a{ending}"
    if ending.startswith(".json."):
        path.write_bytes(gzip.compress(json.dumps(run).encode()))
    elif ending == ".json":
        path.write_text(json.dumps(run, indent=1))
    elif ending == ".list.json":
        rows = [{"query_id": q, "doc_id": d, "score": s} for q, its in run.items() for d, s in its.items()]
        path.write_text(json.dumps(rows, indent=1))
    else:
        path.write_text(
            "".join(
                json.dumps({"query_id": query, "doc_id": document, "score": score}) + "\n"
                for query, its in run.items()
                for document, score in its.items()
            )
        )
    return path


@pytest.mark.parametrize("ending", [".json", ".json.gz", ".jsonl", ".list.json"])
def test_every_face_gives_the_same(ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = plain_run(tmp_path, ending)
    qrels = {f"the query {q}": {f"document {d}": 1 for d in range(0, 30, 7)} for q in range(20)}

    def all_faces() -> list[Any]:
        run, out = carob.Run.of(path), tmp_path / "out.tsv"
        found: list[Any] = [
            str(carob.evaluate(qrels, path, ["AP", "nDCG@10"], policy=policy))
            for policy in (
                None,
                carob.Policy(columns="trec_eval"),
                carob.Policy(ties="input", duplicates="last"),
            )
        ]
        found += [str(carob.explain("AP", qrels, run, "the query 3")), str(carob.check(qrels, [run]))]
        for options in ({}, {"depth": 5}, {"queries": ["the query 3"]}, {"judged": qrels}):
            carob.write_run(run, out, **options)
            found.append(out.read_bytes())
        fused = carob.fuse([run, {"the query 1": {"document 3": 1.0}}])
        found.append(sorted(fused.held.rows()))
        with pytest.raises(DataError) as refused:
            carob.evaluate(qrels, path, policy=carob.Policy(ties="rank-column"))
        return [*found, str(refused.value)]

    assert isinstance(carob.Run.of(path).held.held.source.handle, plain_json.PlainJson)  # type: ignore[attr-defined]
    found = all_faces()
    monkeypatch.setattr(plain_json.PlainJson, "is_plain", lambda _: False)
    assert all_faces() == found


def test_ranks_of_lines_order_ties(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    rows = [
        {"query_id": "1", "doc_id": name, "rank": rank, "score": 1} for name, rank in (("a", 2), ("b", 1))
    ]
    path.write_text("".join(json.dumps(each) + "\n" for each in rows))
    for ties, value in (("rank-column", 1.0), ("input", 0.5)):
        found = carob.evaluate({"1": {"b": 1}}, path, ["RR"], policy=carob.Policy(ties=ties))
        assert found["RR"] == value


def test_a_file_that_changes_is_refused(tmp_path: Path) -> None:
    path = plain_run(tmp_path, ".json")
    run = carob.Run.of(path)
    path.write_text('{"1": {}}')
    with pytest.raises(DataError, match="changed while it was read"):
        carob.evaluate({"1": {"a": 1}}, run)


def test_a_repeated_document_is_named_with_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"query_id": "1", "doc_id": "a", "score": 1}\n' * 2)
    with pytest.raises(DataError) as error:
        carob.evaluate({"1": {"a": 1}}, path)
    assert (error.value.file, error.value.line) == (str(path), 2)
    assert "line 1" in str(error.value)


def test_a_long_object_is_never_in_memory_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "long.json"
    its = ", ".join(f'"a document of many letters {number}": 0.25' for number in range(1000))
    path.write_text("{" + ", ".join(f'"{number}": {{{its}}}' for number in range(500)) + "}")
    tracemalloc.start()
    try:
        values = carob.evaluate({"3": {"a document of many letters 3": 1}}, path, ["RR"])
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert values["RR"] > 0
    assert most < 8 * plain_json.AT_ONCE < path.stat().st_size, f"{most:,} bytes"
