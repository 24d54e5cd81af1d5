"""What trec_eval takes from C: numbers by atol and atof, options by getopt_long, and text that a NUL byte ends."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any, TypeVar

from karat import _native

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from karat.inputs.sources import Source

__all__ = ["OptionError", "as_c_reads", "atof", "atol", "options"]


BLANK = r"[ \t\n\v\f\r]*"
LONG = re.compile(BLANK + r"([+-]?[0-9]+)")
DOUBLE = re.compile(
    BLANK + r"([+-]?)(?:"
    r"(?P<hex>0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)(?:[pP][+-]?[0-9]+)?)"
    r"|(?P<decimal>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<word>infinity|inf|nan))",
    re.IGNORECASE,
)
LONGEST, SHORTEST = 2**63 - 1, -(2**63)


def atol(text: str) -> int:
    """The whole number at the start of ``text``, held within 64 bits; 0 if there is none."""
    found = LONG.match(text)
    return min(max(int(found[1]), SHORTEST), LONGEST) if found else 0


def atof(text: str) -> float:
    """The number at the start of ``text``: decimal, hexadecimal, inf or nan; 0 if there is none."""
    found = DOUBLE.match(text)
    if found is None:
        return 0.0
    size = from_hex(found["hex"]) if found["hex"] else float(found["decimal"] or found["word"])
    return -size if found[1] == "-" else size


def from_hex(text: str) -> float:
    """A hexadecimal number; beyond the largest double, infinity."""
    try:
        return float.fromhex(text)
    except OverflowError:
        return float("inf")


class OptionError(Exception):
    """An option that does not exist, or lacks its argument; the text is getopt's, without the program's name."""


def options(
    arguments: list[str], short: Mapping[str, bool], long: Mapping[str, tuple[str, bool]], operands: list[str]
) -> Iterator[tuple[str, str]]:
    """Each option's letter with its argument ('' without), as they come; the others go to ``operands``.

    Options may follow operands, bundle and carry attached arguments; long ones may be cut to what is still
    unambiguous; ``--`` ends them.

    Args:
        arguments: the command line, without the program's name.
        short: letters, and whether each takes an argument.
        long: names with their letter and whether they take an argument.
        operands: what is left is appended here.

    Raises:
        OptionError: at the first option that is wrong, after those before it were handed out.
    """
    rest = iter(arguments)
    for argument in rest:
        if argument == "--":
            operands += rest
        elif argument.startswith("--"):
            yield long_option(argument[2:], long, rest)
        elif argument.startswith("-") and argument != "-":
            yield from bundle(argument[1:], short, rest)
        else:
            operands.append(argument)


def long_option(text: str, long: Mapping[str, tuple[str, bool]], rest: Iterator[str]) -> tuple[str, str]:
    """The option of ``--text``."""
    word, equals, value = text.partition("=")
    near = [word] if word in long else [name for name in long if name.startswith(word)]
    if not near:
        raise OptionError(f"unrecognized option '--{text}'")
    if len(near) > 1:
        shown = " ".join(f"'--{name}'" for name in near)
        raise OptionError(f"option '--{text}' is ambiguous; possibilities: {shown}")
    name = near[0]
    letter, takes = long[name]
    if equals and not takes:
        raise OptionError(f"option '--{name}' doesn't allow an argument")
    if not takes or equals:
        return letter, value
    following = next(rest, None)
    if following is None:
        raise OptionError(f"option '--{name}' requires an argument")
    return letter, following


def bundle(text: str, short: Mapping[str, bool], rest: Iterator[str]) -> Iterator[tuple[str, str]]:
    """The options of ``-text``: letters, of which the first that takes an argument takes what follows it."""
    for place, letter in enumerate(text):
        if letter not in short:
            raise OptionError(f"invalid option -- '{letter}'")
        if not short[letter]:
            yield letter, ""
            continue
        value = text[place + 1 :] or next(rest, None)
        if value is None:
            raise OptionError(f"option requires an argument -- '{letter}'")
        yield letter, value
        return


Read = TypeVar("Read")

END = re.compile(rb"^\0", re.MULTILINE)
TAIL = re.compile(rb"\0[^ \t\n\v\f\r]*")


def as_c_reads(source: Source, read: Callable[[Any], Read]) -> Read:
    """What ``read`` makes of a text; of one with NUL bytes, of what C sees of it, which standard error is told.

    trec_eval counts its lines up to the first NUL, so what it does behind one within a line is left to its luck.

    Raises:
        LineError: as ``read`` does.
    """
    try:
        return read(source.from_start())
    except _native.LineError as error:
        if error.kind != "nul":
            raise
        line = error.line
    content = source.content()
    end = END.search(content)
    seen = content if end is None else content[: end.start()]
    says = f"{source.name}, line {line}: a NUL byte, at which C's functions end a text."
    if end is not None:
        lines, rest = seen.count(b"\n"), content.count(b"\n", end.start())
        says += f" As in trec_eval the file ends with line {lines}; {rest} lines behind it are not read."
    sys.stderr.write(f"karat trec-eval: {says}\n")
    return read(TAIL.sub(b"", seen))
