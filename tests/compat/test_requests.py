"""The command line and the numbers on it are read as C reads them."""

from __future__ import annotations

import math

import pytest

from carob.compat.requests import OptionError, atof, atol, options

SHORT = {"q": False, "m": True}
LONG = {"quiet": ("q", False), "measure": ("m", True), "mean": ("x", False)}


def read(*arguments: str) -> tuple[list[tuple[str, str]], list[str]]:
    operands: list[str] = []
    return list(options(list(arguments), SHORT, LONG, operands)), operands


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", 12),
        (" \t-7x", -7),
        ("+3.9", 3),
        ("1e3", 1),
        ("0x10", 0),
        ("", 0),
        ("- 1", 0),
        ("9223372036854775808", 2**63 - 1),
        ("-99999999999999999999", -(2**63)),
        ("٣", 0),
    ],
)
def test_atol(text: str, value: int) -> None:
    assert atol(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.5", 1.5),
        (".5", 0.5),
        ("5.", 5.0),
        ("1e", 1.0),
        ("1e+2x", 100.0),
        (" -2,5", -2.0),
        ("0x1.8p3", 12.0),
        ("0x", 0.0),
        ("0x.p1", 0.0),
        ("0x1p99999", math.inf),
        ("1e999", math.inf),
        ("-INFinity!", -math.inf),
        ("infinit", math.inf),
        ("abc", 0.0),
        ("", 0.0),
    ],
)
def test_atof(text: str, value: float) -> None:
    assert atof(text) == value


def test_atof_knows_nan() -> None:
    assert math.isnan(atof("-NaN(12)"))


@pytest.mark.parametrize(
    ("arguments", "found", "operands"),
    [
        (["-q", "file"], [("q", "")], ["file"]),
        (["file", "-qm", "map"], [("q", ""), ("m", "map")], ["file"]),
        (["-mmap"], [("m", "map")], []),
        (["-m", "--"], [("m", "--")], []),
        (["--measure=a=b"], [("m", "a=b")], []),
        (["--meas", "x", "--q"], [("m", "x"), ("q", "")], []),
        (["-q", "--", "-q", "--x"], [("q", "")], ["-q", "--x"]),
        (["-", "-q"], [("q", "")], ["-"]),
    ],
)
def test_options(arguments: list[str], found: list[tuple[str, str]], operands: list[str]) -> None:
    assert read(*arguments) == (found, operands)


@pytest.mark.parametrize(
    ("argument", "text"),
    [
        ("-x", "invalid option -- 'x'"),
        ("-qm", "option requires an argument -- 'm'"),
        ("--measure", "option '--measure' requires an argument"),
        ("--quiet=1", "option '--quiet' doesn't allow an argument"),
        ("--zz=1", "unrecognized option '--zz=1'"),
        ("--mea", "option '--mea' is ambiguous; possibilities: '--measure' '--mean'"),
    ],
)
def test_wrong_option(argument: str, text: str) -> None:
    with pytest.raises(OptionError) as error:
        read(argument)
    assert str(error.value) == text


def test_options_before_a_wrong_one_are_handed_out() -> None:
    each = options(["-q", "-x"], SHORT, LONG, [])
    assert next(each) == ("q", "")
    with pytest.raises(OptionError):
        next(each)
