"""Compares the ids in judgments and in a run, and finds different spellings of the same id."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from carob._dataclasses import dataclass
from carob.inputs.ids import bytes_of, text_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

UNSEEN = r"[\s\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]+"
CODED = r"%[0-9A-Fa-f]{2}"
"""A percent-encoded byte, as in URLs."""
FLOAT = r"([0-9]+)\.0+"
NUMBER = r"[^0-9]*0*([0-9]+)"
PART = r"(?i)(.+?)(?:[^0-9A-Za-z]{1,2}(?:p|passage|chunk|s|sent)?_?[0-9]+){1,2}"
"""The id of a passage: the id of the document, followed once or twice by a separator and a number."""
COLLAPSED = (
    "keep the best passage of each document, under the document's id (use document_of in carob.evaluate_ids; in a "
    "run, remove the passage's part of each id and choose the policy duplicates=max)"
)
WORD = re.compile(r"[0-9]+|[A-Za-z\x80-\U0010ffff]+")
"""A word in an id. The kernel splits ids in the same way (``native/matching/words.h``)."""
ENOUGH = 3
"""The minimum number of ids that must differ by the same prefix or suffix before it is reported."""


@dataclass(frozen=True, eq=False, repr=False)
class Apart:
    """Two spellings that may mean the same id.

    Args:
        judged: the spelling in the judgments.
        ranked: the spelling in the run.
        why: the difference and the remedy.
    """

    judged: str
    ranked: str
    why: str


def folded(identifier: bytes) -> str:
    """Returns the id in lower case, without URL codes, quotes, leading zeros, a final ``.0`` or invisible letters."""
    text = unicodedata.normalize("NFKC", decoded(text_of(identifier))).casefold()
    text = re.sub(UNSEEN, "", text).strip("'\"")
    number = re.fullmatch(FLOAT, text)
    text = number[1] if number else text
    return text.lstrip("0") or text[:1]


def decoded(text: str) -> str:
    """Returns text in which URL codes such as ``%20`` are replaced by the characters that they stand for."""
    if not re.search(CODED, text):
        return text
    from urllib.parse import unquote

    return unquote(text, errors="surrogateescape")


def number_in(identifier: bytes) -> str | None:
    """Returns the number at the end of an id, without leading zeros, or None if there is no such number."""
    match = re.fullmatch(NUMBER, text_of(identifier))
    return match[1] if match else None


def alike(identifiers: Iterable[bytes]) -> list[tuple[bytes, bytes]]:
    """Returns the ids in one file that differ only in spelling, each paired with the first spelling."""
    first: dict[str, bytes] = {}
    return [
        (first[form], each) for each in identifiers if first.setdefault(form := folded(each), each) != each
    ]


def other_spellings(here: Iterable[bytes], there: Iterable[bytes]) -> dict[bytes, bytes]:
    """Maps ids on one side to their spelling on the other side, by normal form or, failing that, by their number."""
    here, there = list(here), list(there)
    for form in (folded, number_in):
        others: dict[str | None, bytes] = {form(each): each for each in there}
        others.pop(None, None)
        if len(others) < len(there):
            continue
        pairs = {each: others[key] for each in here if (key := form(each)) in others}
        if pairs and (form is folded or len(set(pairs.values())) == len(pairs)):
            return pairs
    return {}


def why_apart(judged: Iterable[bytes], ranked: Iterable[bytes], what: str) -> Apart | None:
    """Explains why judgments and a run have no id in common. Returns None if no reason is found.

    Args:
        judged: some ids of the judgments.
        ranked: some ids of the run.
        what: ``document`` or ``query``.
    """
    mine, its = list(map(text_of, judged)), list(map(text_of, ranked))
    found = written_otherwise(mine, its) or (parts(mine, its) if what == "document" else None)
    return found or affixed(mine, its) or worded(mine, its) or numbered(mine, its)


def written_otherwise(mine: list[str], its: list[str]) -> Apart | None:
    """Finds a pair of ids with the same normal form."""
    forms = {folded(bytes_of(each)): each for each in mine}
    for other in its:
        known = forms.get(folded(bytes_of(other)))
        if known is not None and known != other:
            return Apart(known, other, how_written(known, other))
    return None


def how_written(known: str, other: str) -> str:
    """Describes the difference between two spellings of one id."""
    if known.lstrip("0") == other.lstrip("0"):
        return "leading zeros were lost: read ids as text, not as numbers (dtype=str)"
    if re.fullmatch(FLOAT, known) or re.fullmatch(FLOAT, other):
        return "ids became numbers with fractions: read them as text (dtype=str)"
    if known.casefold() == other.casefold():
        return "upper and lower case differ: use the same case on both sides"
    if re.sub(UNSEEN, "", known) == re.sub(UNSEEN, "", other):
        return "one has spaces or other invisible characters: remove them"
    if unicodedata.normalize("NFC", known) == unicodedata.normalize("NFC", other):
        return "one has composed letters, and the other has decomposed letters: normalise both to NFC"
    if known.strip("'\"") == other.strip("'\""):
        return "one has quotation marks: remove them"
    if decoded(known) == decoded(other):
        return "one has URL escape codes, such as %20: decode them"
    if unicodedata.normalize("NFKC", known) == unicodedata.normalize("NFKC", other):
        return "one has full-width or similar forms of letters: normalise both to NFKC"
    passages = parts([known], [other])
    return affixes_differ(known, other) if passages is None else passages.why


def affixes_differ(known: str, other: str) -> str:
    """Describes the difference between two ids. One id may contain the words of the other plus a prefix or suffix."""
    found = Affixes.of(known, other)
    if found is None:
        return "write both alike"
    if found.before and found.after:
        return f"the prefix '{found.before}' and the ending '{found.after}' are on one side only: add or remove both"
    if found.before or found.after:
        kind = "prefix" if found.before else "ending"
        return f"the {kind} '{found.before or found.after}' is on one side only: add or remove it"
    if re.sub("[^0-9A-Za-z]", "", known) == re.sub("[^0-9A-Za-z]", "", other):
        return "the punctuation differs: use the same on both sides"
    if WORD.findall(known.casefold()) != WORD.findall(other.casefold()):
        return "numbers lost their leading zeros: write them in the same way on both sides"
    return "write both alike"


def parts(mine: list[str], its: list[str]) -> Apart | None:
    """Finds a passage id on one side whose document id is on the other side."""
    for whole, pieces, ranks_pieces in ((mine, its, True), (its, mine, False)):
        known = set(whole)
        for piece in pieces:
            document = document_in(piece, known)
            if document is not None:
                return (
                    Apart(document, piece, f"the run ranks passages of judged documents: {COLLAPSED}")
                    if ranks_pieces
                    else Apart(
                        piece, document, "the judgments are of passages, and the run ranks whole documents"
                    )
                )
    return None


def document_in(piece: str, known: set[str]) -> str | None:
    """Returns the known document to which a passage id belongs, or None."""
    match = re.fullmatch(PART, piece)
    if match is None:
        return None
    shorter = re.sub(r"[^0-9A-Za-z]{1,2}[A-Za-z]*_?[0-9]+$", "", piece)
    return next((each for each in (match[1], shorter) if each in known), None)


LONGEST_ID = 1000
"""The maximum length of ids that are searched for a prefix or suffix. The time grows with the square of the length."""


def affixed(mine: list[str], its: list[str]) -> Apart | None:
    """Finds ids that have a prefix or suffix on one side only."""
    found: Counter[tuple[str, str]] = Counter()
    first: dict[tuple[str, str], tuple[str, str]] = {}
    for longs, shorts, judged in ((mine, set(its), True), (its, set(mine), False)):
        for long in (each for each in longs if len(each) <= LONGEST_ID):
            for place in range(1, len(long)):
                head, tail = long[:place], long[place:]
                for kind, affix, short in (("prefix", head, tail), ("ending", tail, head)):
                    if short in shorts and seam(long, place):
                        found[kind, affix] += 1
                        first.setdefault((kind, affix), (long, short) if judged else (short, long))
    for (kind, affix), count in found.most_common(1):
        if count >= min(ENOUGH, len(set(mine)), len(set(its))):
            known, other = first[kind, affix]
            return Apart(known, other, f"the {kind} '{affix}' is on one side only: add or remove it")
    return None


class Affixes(NamedTuple):
    """The text in an id before and after the words of another id.

    Args:
        of_judged: whether the judged id is the longer id.
        before: the text before the shorter id, which may be empty.
        after: the text after the shorter id, which may be empty.
    """

    of_judged: bool
    before: str
    after: str

    @classmethod
    def of(cls, known: str, other: str) -> Affixes | None:
        """Returns the affixes of the longer id, or None if the longer id does not contain the words of the shorter.

        Case, punctuation between words and leading zeros of numbers may differ.
        """
        short, long = (list(WORD.finditer(each)) for each in (known, other))
        of_judged = len(short) > len(long)
        if of_judged:
            short, long = long, short
        if not short:
            return None
        text = long[0].string
        sought, words = plain_words(short[0].string), plain_words(text)
        for place in range(len(words) - len(sought) + 1):
            if words[place : place + len(sought)] == sought:
                first, last = long[place], long[place + len(sought) - 1]
                marks = short[-1].string[short[-1].end() :]  # the shorter id may end in punctuation
                return cls(of_judged, text[: first.start()], text[last.end() :].removeprefix(marks))
        return None

    @property
    def shape(self) -> tuple[bool, str, str]:
        """The affixes with numbers and folders replaced by placeholders."""
        before = "/" if "/" in self.before else re.sub("[0-9]+", "0", self.before)
        return self.of_judged, before, re.sub("[0-9]+", "0", self.after)


def plain_words(text: str) -> tuple[str, ...]:
    """Returns the words of an id in lower case, with leading zeros removed from numbers."""
    return tuple(each.lower().lstrip("0") or "0" for each in WORD.findall(text))


MOST_WORDS = 16
"""The maximum number of words in an id that are compared."""
USUAL = 0.1
"""If at least this share of the judged ids has an affix, it is part of the ids and not a difference in spelling."""


def same_affix(
    pairs: Sequence[tuple[str, str]], judged: Collection[str] = (), enough: int = ENOUGH
) -> list[int]:
    """Returns the indices of pairs that differ by the same affixes, apart from numbers and folders in the affixes.

    Args:
        pairs: pairs of a judged and a ranked id. One of the two ids contains the words of the other.
        judged: further judged ids. An affix that is common among them is part of the ids, not a difference in spelling.
        enough: the minimum number of distinct pairs.
    """
    kinds: dict[tuple[bool, str, str], list[int]] = {}
    for place, (known, other) in enumerate(pairs):
        found = Affixes.of(known, other)
        if found is not None:
            kinds.setdefault(found.shape, []).append(place)
    for kind, places in sorted(kinds.items(), key=lambda each: -len(each[1])):
        if len({pairs[place] for place in places}) < enough:
            return []
        if kind[0] or not is_usual(kind[1:], [pairs[place][1] for place in places], judged):
            return places
    return []


def is_usual(affixes: tuple[str, str], ranked: Sequence[str], judged: Collection[str]) -> bool:
    """Returns whether many judged ids have the affixes. Without affixes, whether two judged ids have equal words."""
    if not any(affixes):
        ids = set(judged)
        return len(set(map(plain_words, ids))) < len(ids)
    before, after = (re.escape(each).replace("0", "[0-9]+") for each in affixes)
    its = re.compile(f"{'.*' if before == '/' else ''}{before}.+{after}")
    patterns = {pattern_of(each) for each in ranked}
    alike = sum(its.fullmatch(each) is not None and pattern_of(each) in patterns for each in judged)
    return bool(judged) and alike >= USUAL * len(judged)


def pattern_of(text: str) -> str:
    """Returns an id with each number replaced by ``0`` and each word by ``a``."""
    return WORD.sub(lambda found: "0" if found[0].isdigit() else "a", text)


def worded(mine: list[str], its: list[str]) -> Apart | None:
    """Finds ids that consist of the same words, or of the same words plus the same prefix and suffix on one side."""
    pairs = pairs_by_words(mine, its)
    places = same_affix(pairs, enough=min(ENOUGH, len(set(mine)), len(set(its))))
    return Apart(*pairs[places[0]], how_written(*pairs[places[0]])) if places else None


def pairs_by_words(mine: list[str], its: list[str]) -> list[tuple[str, str]]:
    """Returns pairs of a judged and a ranked id in which the words of one id occur consecutively in the other."""
    pairs: list[tuple[str, str]] = []
    for longs, shorts, judged in ((its, mine, False), (mine, its, True)):
        known = {plain_words(each): each for each in shorts}
        for long in longs:
            words = plain_words(long)[:MOST_WORDS]
            places = range(len(words) + 1)
            parts_of = sorted((words[place:end] for place in places for end in places[place + 1 :]), key=len)
            short = next((known[each] for each in reversed(parts_of) if each in known), None)
            if short is not None and short != long:
                pairs.append((long, short) if judged else (short, long))
    return pairs


def some_affixed(mine: list[str], its: list[str]) -> Apart | None:
    """Finds several ids that have the same prefix or suffix on one side only."""
    enough = min(len(set(mine)), len(set(its))) >= ENOUGH
    return (affixed(mine, its) or worded(mine, its)) if enough else None


def seam(text: str, place: int) -> bool:
    """Returns whether a position in an id is a boundary, that is, not inside a word or a number."""
    before, after = text[place - 1], text[place]
    return not (before.isalnum() and after.isalnum() and before.isdigit() == after.isdigit())


def numbered(mine: list[str], its: list[str]) -> Apart | None:
    """Finds a pair of ids that end in the same number, provided that every id on one side has such a partner."""
    numbers = {number: each for each in mine if (number := number_in(bytes_of(each)))}
    met = [(known, each) for each in its if (known := numbers.get(number_in(bytes_of(each)) or ""))]
    if len(met) >= ENOUGH and len(met) == min(len(set(mine)), len(set(its))):
        return Apart(
            *met[0], "the numbers agree, but the text before them differs: use the same text on both sides"
        )
    return None
