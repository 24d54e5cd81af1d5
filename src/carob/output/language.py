"""Translates footers and explanations. English sentences are the keys of the Chinese catalogue."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any

from carob._dataclasses import dataclass
from carob.output.errors import PolicyError, Worded, asks_for_policy
from carob.output.files import own_table

if TYPE_CHECKING:
    from collections.abc import Mapping


LANGUAGES = ("en", "zh")


@dataclass(frozen=True, eq=False, repr=False)
class Language:
    """A language. A function that translates an English sentence and fills in its placeholders.

    Args:
        name: ``en`` or ``zh``.
        texts: the sentences, keyed by the English sentences; a missing sentence stays English.
        measures: the definition of each measure, by name.
        operations: the words used in formulas, such as ``ratio``, keyed by the English words.

    Example:
        >>> from carob.output.language import language_named
        >>> language_named("zh")("{count:query/queries}", count=3)
        '3 个查询'
    """

    name: str = "en"
    texts: Mapping[str, str] = field(default_factory=dict)
    measures: Mapping[str, str] = field(default_factory=dict)
    operations: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, english: str, **values: object) -> str:
        """Returns the translated sentence. In English, ``{count:query/queries}`` becomes a number with its noun."""
        said = self.texts.get(english, english)
        return said.format(**countable(values, PlainCount)) if values else said


ENGLISH = Language()


def language_named(name: str) -> Language:
    """Returns the language with the given name.

    Raises:
        PolicyError: carob has no such language.
    """
    if name not in LANGUAGES:
        raise PolicyError(f"There is no language '{name}': lang must be {' or '.join(LANGUAGES)}.")
    if name == "en":
        return ENGLISH
    catalogue = own_table(__file__, "chinese.toml")
    return Language(name, catalogue["sentences"], catalogue["measures"], catalogue["operations"])


def language_of(environment: Mapping[str, str]) -> str:
    """Returns the language of the locale, taken from ``LC_ALL``, ``LC_MESSAGES`` or ``LANG``, whichever is set first.

    Example:
        >>> from carob.output.language import language_of
        >>> language_of({"LANG": "zh_CN.UTF-8"}), language_of({"LC_ALL": "C", "LANG": "zh_CN.UTF-8"})
        ('zh', 'en')
    """
    locale = next(
        (environment[each] for each in ("LC_ALL", "LC_MESSAGES", "LANG") if environment.get(each)), ""
    )
    return "zh" if locale.casefold().startswith("zh") else "en"


def plural(count: int, one: str, many: str | None = None) -> str:
    """Returns a count with its noun. The default plural ends in -s, and thousands have commas."""
    return f"{count:,} {noun(count, one, many)}"


def noun(count: int, one: str, many: str | None = None) -> str:
    """Returns the noun for a count. The default plural ends in -s."""
    return one if count == 1 else many or one + "s"


class Count(int):
    """A number that the placeholder ``{count:line}`` writes with its noun: ``1 line`` or ``2 lines``.

    A noun begins with two letters, which distinguishes it from Python's own format codes.
    """

    thousands = ","

    def __format__(self, spec: str) -> str:
        """Returns the number with its noun, or in Python's own format."""
        if len(spec) < 2 or not spec[:2].isalpha():
            return super().__format__(spec)
        return f"{int(self):{self.thousands}} {noun(self, *spec.split('/'))}"


class PlainCount(Count):
    """A number without commas, as in footers: ``1000 lines``."""

    thousands = ""


def countable(words: Mapping[str, Any], kind: type[Count]) -> dict[str, Any]:
    """Returns the values for a sentence, with whole numbers converted so that they can be written with their nouns."""
    return {name: kind(each) if type(each) is int else each for name, each in words.items()}


def filled(text: str, /, **words: Any) -> str:
    """Fills in the placeholders of a sentence, and keeps both wordings if a value has two.

    An f-string is enough if there is no counted noun and no value has two wordings.

    Example:
        >>> from carob.output.language import filled
        >>> filled("{count:query/queries} without a value", count=3)
        '3 queries without a value'
    """
    words = countable(words, Count)
    python = text.format(**words)
    commands = {name: each.command for name, each in words.items() if isinstance(each, Worded)}
    if not commands:
        return python
    policy = any(asks_for_policy(word) for name, word in words.items() if f"{{{name}" in text)
    return Worded(python, text.format(**words | commands), policy=policy)
