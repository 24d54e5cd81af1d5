"""Numbers, JSON and TOML that others wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.inputs.digits import ODD

import carob
from carob.output.parsing import json_in, json_or_none, number_of, parsed_numbers, read_toml

if TYPE_CHECKING:
    from pathlib import Path


def test_the_keys_of_objects_that_follow_each_other_may_be_equal() -> None:
    assert json_in('[{"a": 1}, {"a": 2}, {"b": {"a": 3}}]') == [{"a": 1}, {"a": 2}, {"b": {"a": 3}}]
    assert json_or_none("[") is None
    with pytest.raises(carob.DataError, match=r"f\.json, line 3: 'a' occurs twice in one object"):
        json_or_none('[{"b": 1}, {"c": {"a": 1, "b": 2, "a": 1}}]', file="f.json", line=3)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1e-3", 0.001),
        (" 2 ", 2),
        (b"-.5", -0.5),
        ("inf", float("inf")),
        *((each, None) for each in (*ODD, "", "x")),
    ],
)
def test_a_field_is_a_number_where_the_kernel_takes_it_for_one(
    text: str | bytes, number: float | None
) -> None:
    assert number_of(text) == number


def test_numbers_of_a_column_keep_their_places() -> None:
    assert parsed_numbers(["1", b"x", "2.5"]) == [1.0, None, 2.5]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"a" + b".a" * 64 + b"=1", "a key has more than 64 parts"),
        (b"#" * (2**22 + 1), "it is larger than 4 MiB"),
        (b"a=" + b"[" * 100_000, "it is nested too deeply"),
        (b"a=", "Invalid value"),
        (b"\xff", "can't decode byte 0xff"),
    ],
)
def test_toml_that_a_parser_would_choke_on_is_refused(content: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_bytes(content)
    with pytest.raises(ValueError, match=said):
        read_toml(tmp_path / "own.toml")


def test_toml_is_read_with_a_byte_order_mark_and_with_keys_of_64_parts(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_bytes(b"\xef\xbb\xbf" + b"a" + b".a" * 63 + b"=1")
    found, depth = read_toml(tmp_path / "own.toml"), 0
    while isinstance(found, dict):
        found, depth = found["a"], depth + 1
    assert (found, depth) == (1, 64)
