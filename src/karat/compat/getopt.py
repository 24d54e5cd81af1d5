"""Options of a command line, read as GNU getopt_long reads them, with its messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["OptionError", "options"]


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
