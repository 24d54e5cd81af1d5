"""Public collections are recognised by fingerprints of their judgments, and nothing else is."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

import carob
from carob.diagnosis.check.known import (
    KEPT,
    fingerprint,
    hashes,
    known_sets,
    nearest_sets,
    packed,
    unpacked,
)
from diagnosis.broken import published

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
PUBLIC = {
    "microblog2014/qrels.microblog2014.txt": "TREC 2014 Microblog: all 57,985",
    "dl19-tilde-bm25/qrels.2019qrels-pass.txt": "TREC 2019 Deep Learning, passages: all 9,260",
    "dl21-people-and-model/qrels.people.txt": "TREC 2021 Deep Learning, passages: all 10,828",
    "cacm-anserini/qrels.cacm.txt": "CACM: all 796",
}
OTHERS = (
    "fusion-fed14/qrels.FW14-QRELS-RS.txt",
    "clef-tar2017/qrels.qrel_abs_test.txt",
    "trec_eval-tests/qrels.test",
)


def said(lines: list[str]) -> list[str]:
    """What a check says about the collection of these lines of judgments."""
    found = carob.check("".join(lines).encode())
    return [each.what for each in found.of("known-judgments")]


def test_a_known_set_is_named_whatever_its_order() -> None:
    lines = published().splitlines(keepends=True)
    assert said(lines) == ["these are the judgments of a set that carob's tests make: all 500"]
    random.Random(1).shuffle(lines)
    assert said(lines) == ["these are the judgments of a set that carob's tests make: all 500"]


def test_it_is_named_without_three_lines() -> None:
    for seed in range(20):
        lines = published().splitlines(keepends=True)
        random.Random(seed).shuffle(lines)
        assert said(lines[3:]) == [
            "these are the judgments of a set that carob's tests make: nearly, 497 instead of 500"
        ]


def test_other_grades_are_told() -> None:
    lines = published().splitlines()
    one = [f"{lines[0]}7\n", *(f"{line}\n" for line in lines[1:])]
    (what,) = said(one)
    assert what.endswith("nearly, some of the 500 differ")
    (what,) = said([f"{line[:-1]}{2 - int(line[-1])}\n" for line in lines])
    assert what.startswith(
        "these judgments have the documents of a set that carob's tests make, but different grades ("
    )
    assert f" of {KEPT} sampled grades differ)" in what


def test_half_of_a_set_and_twice_as_many_are_not_the_set() -> None:
    lines = published().splitlines(keepends=True)
    assert said(lines[::2]) == []
    assert said([*lines, *(line.replace("known-d", "known-e") for line in lines)]) == []


def test_a_hundred_others_get_no_name() -> None:
    sets = known_sets()
    for number in range(100):
        draw = random.Random(number)
        queries, depth = draw.randint(2, 80), draw.randint(1, 60)
        name = draw.choice(["{}", "q{}", "{:03}", "topic-{}", "query_{}"])
        document = draw.choice(["{}", "d{}", "doc{:05}", "MSMARCO_{}", "known-d{:02}x{:02}"])
        rows = {
            name.format(query): {document.format(place, place): draw.randint(0, 3) for place in range(depth)}
            for query in range(1, queries + 1)
        }
        qrels = carob.Qrels.of(rows)
        assert nearest_sets(sets, hashes(qrels), qrels.judgments.grades) == []


def test_no_known_set_has_the_fingerprint_of_another() -> None:
    sets = known_sets()
    assert len(sets) > 130
    assert len({each["name"] for each in sets}) == len({each["total"] for each in sets}) == len(sets)
    assert all(len(each["least"]) == len(each["grades"]) == KEPT for each in sets)
    assert sets[0]["total"] == fingerprint(carob.Qrels.of(published().encode()))["total"]


@pytest.mark.parametrize("path", [*PUBLIC, *OTHERS])
def test_files_as_they_were_published_are_named_or_not(path: str) -> None:
    if not (DATA / path).exists():
        pytest.skip("the public data are not beside this checkout")
    lines = [f"{line}\n" for line in (DATA / path).read_text().splitlines()]
    wanted = [f"these are the judgments of {PUBLIC[path]}"] if path in PUBLIC else []
    assert said(lines) == wanted
    random.Random(2).shuffle(lines)
    fewer = said(lines[3:])
    assert len(fewer) == len(wanted)
    assert all(f"nearly, {len(lines) - 3:,} instead of {len(lines):,}" in each for each in fewer)


def test_the_same_documents_with_grades_of_a_model_are_told() -> None:
    path = DATA / "dl21-people-and-model" / "qrels.model.txt"
    if not path.exists():
        pytest.skip("the public data are not beside this checkout")
    (what,) = said(path.read_text().splitlines(keepends=True))
    assert what.startswith(
        "these judgments have the documents of TREC 2021 Deep Learning, passages, but different grades"
    )


def test_packed_hashes_are_read_as_they_were() -> None:
    for each in ([], [0], [5], [0, 1, 256, 70_000, 2**31, 2**32 - 1]):
        values = np.array(each, np.uint32)
        assert unpacked(packed(values)).tolist() == each
