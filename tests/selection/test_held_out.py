"""Held-out queries stay the same, and the ledger of their openings is complete and unchanged."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import carob
from carob.inputs.qrels import Qrels
from carob.selection.held_out import held_out, query_hashes, record_opening


def test_held_out_queries_stay_the_same_when_queries_are_added_and_the_share_grows() -> None:
    queries = [f"q{number}".encode() for number in range(4000)]
    found = held_out(queries, 0.3, "salt")
    assert found.mean() == pytest.approx(0.3, abs=0.025)
    assert (held_out(queries[::-2], 0.3, "salt") == found[::-2]).all()
    assert (held_out(queries, 0.5, "salt") >= found).all()
    assert (held_out(queries, 0.3, "other") != found).any()
    # printf 'tea\\0q1' | sha256sum begins with d1a6bc65b201ee48, and that of q2 with 68debc810f1cd553.
    shares = [0xD1A6BC65B201EE48 / 2**64, 0x68DEBC810F1CD553 / 2**64]
    for query, share in zip([b"q1", b"q2"], shares):
        assert held_out([query], share + 1e-9, "tea").all()
        assert not held_out([query], share - 1e-9, "tea").any()


SPLIT = ("s", 0.5)


def test_a_query_is_known_by_its_id_and_judgments_whatever_the_salt(tmp_path: Path) -> None:
    ledger = tmp_path / "openings.jsonl"
    openings = [
        ({"1": "x", "2": "y"}, (0, 0)),
        ({"2": "y", "3": "z"}, (1, 1)),  # another salt holds out one of the queries again
        ({"1": "other", "2": "other"}, (0, 2)),  # another collection with the same ids
        ({"3": ""}, (1, 3)),  # scores alone
    ]
    for salt, (queries, earlier) in enumerate(openings):
        assert record_opening(ledger, (str(salt), 0.5), queries, 2, {"AP": "a"}) == earlier
    lines = ledger.read_bytes().splitlines(keepends=True)
    changed = lines[1].replace(b'"runs": 2', b'"runs": 3')
    for damaged in (lines[1:], [lines[0], *lines[2:]], [lines[0], changed, *lines[2:]]):
        ledger.write_bytes(b"".join(damaged))
        with pytest.raises(carob.DataError, match="changed or removed"):
            record_opening(ledger, SPLIT, {"1": "x"}, 2, {"AP": "a"})
    one, two = ({"q": {"a": 1, "b": grade}} for grade in (0, 1))
    hashes = [query_hashes([b"q"], Qrels.of(each)) for each in (one, one, two)]
    assert hashes[0] == hashes[1] != hashes[2]
    assert hashes[0].keys() == hashes[2].keys() == query_hashes([b"q"], None).keys()


def test_a_damaged_ledger_is_refused_and_stays_as_it_is(tmp_path: Path) -> None:
    ledger = tmp_path / "openings.jsonl"
    record_opening(ledger, SPLIT, {"1": ""}, 2, {"AP": "a"})
    whole = ledger.read_bytes()
    for damaged in (whole + b"not an opening\n", whole + b"{}\n", whole[:-5]):
        ledger.write_bytes(damaged)
        with pytest.raises(carob.DataError, match="not an opening"):
            record_opening(ledger, SPLIT, {"1": ""}, 2, {"AP": "a"})
        assert ledger.read_bytes() == damaged
    for place in (tmp_path, Path(os.devnull)):
        with pytest.raises(carob.DataError, match="folder or a device"):
            record_opening(place, SPLIT, {"1": ""}, 2, {"AP": "a"})
