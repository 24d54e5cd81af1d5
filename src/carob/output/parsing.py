"""Parses numbers, JSON and TOML from users. Data that is nested too deeply or repeats a key is an ordinary error."""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING, Any

from carob.output.errors import DataError
from carob.output.taken import take

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable

LARGEST = 2**22
"""The maximum number of bytes of a TOML file."""
TOO_DEEP = "it is nested too deeply"
LONG_KEY = r"""(?a)(?<![\w-])(?:(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){64}"""
"""A key of more than 64 parts, for which Python's parser would take a time quadratic in their number."""


def json_in(text: str | bytes, *, constant: Callable[[str], Any] | None = None, **place: Any) -> Any:
    """Returns the value of a JSON text.

    Args:
        text: the text.
        constant: the function that is called with each ``NaN`` and ``Infinity`` and returns its value; None converts
            them to floats.
        place: the file and the line for error messages.

    Raises:
        ValueError: the text is not JSON, or is nested too deeply.
        DataError: a key occurs twice in one object, so one of its values would be lost.
    """

    def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            seen: set[str] = set()
            again = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
            raise DataError(f"'{again}' occurs twice in one object.", remedy="Remove one.", **place)
        return found

    try:
        return json.loads(text, parse_constant=constant, object_pairs_hook=distinct)
    except RecursionError:
        raise ValueError(TOO_DEEP) from None


def json_or_none(text: str | bytes, **place: Any) -> Any:
    """Returns the value of a JSON text, or None if the text is not JSON.

    Raises:
        DataError: a key occurs twice in one object.
    """
    try:
        return json_in(text, **place)
    except DataError:
        raise
    except ValueError:
        return None


def read_toml(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Returns the content of a TOML file, which may begin with a byte order mark.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file is not TOML, not UTF-8, nested too deeply, or far larger than any ordinary TOML file.
    """
    if sys.version_info >= (3, 11):  # imported here, because most runs read no TOML
        import tomllib
    else:
        import tomli as tomllib
    take(path)
    with open(path, "rb") as file:
        content = file.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise ValueError(f"it is larger than {LARGEST >> 20} MiB")
    text = content.decode("utf-8-sig")
    if re.search(LONG_KEY, text):
        raise ValueError("a key has more than 64 parts")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError(TOO_DEEP) from None


def is_number(field: bytes | str) -> bool:
    """Returns whether a field is a number."""
    return number_of(field) is not None


def number_of(field: bytes | str) -> float | None:
    """Returns the number in a field of a text, as the kernel reads it, or None if the field is not a number.

    Python also accepts ``1_0`` and the digits of other scripts as numbers, which no other reader does.

    Example:
        >>> number_of("1e-3"), number_of("1_0"), number_of("\u0661")
        (0.001, None, None)
    """
    text = field if isinstance(field, str) else field.decode("latin-1")
    if not text.strip().isascii() or "_" in text:
        return None
    try:
        return float(text)
    except ValueError:
        return None


def parsed_numbers(fields: Iterable[bytes | str]) -> list[float | None]:
    """Returns the number in each field of a column, as ``number_of`` does for a single field."""
    return list(map(number_of, fields))
