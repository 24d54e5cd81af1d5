"""JSON lines that no library reads as they stand: nested too deep, or with numbers that would change."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest

import carob

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
        carob.DataError, match=r"a\.jsonl(\.gz)?, line 30001: objects and lists are nested deeper"
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
