"""Compares the ids of judgments and run, and finds different spellings of the same id."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from typing import TYPE_CHECKING

from carob._dataclasses import dataclass
from carob.inputs.ids import bytes_of, text_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

UNSEEN = r"[\s\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]+"
CODED = r"%[0-9A-Fa-f]{2}"
"""A byte as URLs write it."""
FLOAT = r"([0-9]+)\.0+"
NUMBER = r"[^0-9]*0*([0-9]+)"
PART = r"(?i)(.+?)(?:[^0-9A-Za-z]{1,2}(?:p|passage|chunk|s|sent)?_?[0-9]+){1,2}"
"""A passage's id: the document's id, then a separator and a number, once or twice."""
COLLAPSED = "keep the best passage of each document, under the document's id"
ENOUGH = 3
"""The minimum number of ids that must differ by the same prefix before it is reported."""


@dataclass(frozen=True, eq=False, repr=False)
class Apart:
    """Two spellings that may mean the same id.

    Args:
        judged: the spelling in the judgments.
        ranked: the spelling in the run.
        why: the difference, and the remedy.
    """

    judged: str
    ranked: str
    why: str


def folded(identifier: bytes) -> str:
    """Returns the id in normal form: without case, URL codes, quotes, leading zeros, ``.0``, invisible letters."""
    text = unicodedata.normalize("NFKC", decoded(text_of(identifier))).casefold()
    text = re.sub(UNSEEN, "", text).strip("'\"")
    number = re.fullmatch(FLOAT, text)
    text = number[1] if number else text
    return text.lstrip("0") or text[:1]


def decoded(text: str) -> str:
    """Returns text with the characters that codes such as ``%20`` stand for."""
    if not re.search(CODED, text):
        return text
    from urllib.parse import unquote

    return unquote(text, errors="surrogateescape")


def number_in(identifier: bytes) -> str | None:
    """Returns the number at the end of an id, without leading zeros, or None if there is no such number."""
    match = re.fullmatch(NUMBER, text_of(identifier))
    return match[1] if match else None


def alike(identifiers: Iterable[bytes]) -> list[tuple[bytes, bytes]]:
    """Returns the ids of one file that differ only in spelling, each paired with the first spelling."""
    first: dict[str, bytes] = {}
    return [
        (first[form], each) for each in identifiers if first.setdefault(form := folded(each), each) != each
    ]


def other_spellings(here: Iterable[bytes], there: Iterable[bytes]) -> dict[bytes, bytes]:
    """Maps ids that only one side has to the other side's spelling, by normal form or else by number."""
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
    return found or affixed(mine, its) or numbered(mine, its)


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
        return "one has blanks or other invisible characters: remove them"
    if unicodedata.normalize("NFC", known) == unicodedata.normalize("NFC", other):
        return "one has composed letters, the other decomposed ones: normalise both alike (NFC)"
    if known.strip("'\"") == other.strip("'\""):
        return "one has quotation marks: remove them"
    if decoded(known) == decoded(other):
        return "one has the codes of a URL, such as %20: decode them"
    if unicodedata.normalize("NFKC", known) == unicodedata.normalize("NFKC", other):
        return "one has full-width or similar forms of letters: normalise both alike (NFKC)"
    affix = affix_of(known, other)
    if affix is None:
        return "write both alike"
    passages = parts([known], [other])
    return (
        f"the {affix[0]} '{affix[1]}' is on one side only: add or remove it"
        if passages is None
        else passages.why
    )


def parts(mine: list[str], its: list[str]) -> Apart | None:
    """Finds passage ids on one side whose document ids are on the other side."""
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
    """Returns the known document that a passage id belongs to."""
    match = re.fullmatch(PART, piece)
    if match is None:
        return None
    shorter = re.sub(r"[^0-9A-Za-z]{1,2}[A-Za-z]*_?[0-9]+$", "", piece)
    return next((each for each in (match[1], shorter) if each in known), None)


LONGEST_ID = 1000
"""Longer ids are not searched for a prefix or a suffix, because the time grows with the square of the length."""


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


def affix_of(known: str, other: str) -> tuple[str, str] | None:
    """Returns ``prefix`` or ``ending``, and what one of two ids has before or after the other; None for other ids."""
    short, long = sorted((known, other), key=len)
    if long.startswith(short) and long != short:
        return "ending", long[len(short) :]
    return ("prefix", long[: -len(short)]) if short and long.endswith(short) and long != short else None


USUAL = 0.1
"""If so large a share of the judged ids has an affix, it belongs to the ids."""


def same_affix(pairs: Sequence[tuple[str, str]], judged: Collection[str] = ()) -> list[int]:
    """Returns the places of pairs that differ by the same affix, apart from numbers and folders in it.

    Args:
        pairs: a judged and a ranked id, one of which is a part of the other.
        judged: further judged ids. An affix that is usual among them is a part of ids, and not one of two spellings.
    """
    kinds: dict[tuple[bool, str, str], list[int]] = {}
    for place, (known, other) in enumerate(pairs):
        found = affix_of(known, other)
        if found is not None:
            kind, affix = found
            affix = "/" if kind == "prefix" and "/" in affix else re.sub("[0-9]+", "0", affix)
            kinds.setdefault((len(known) > len(other), kind, affix), []).append(place)
    for (of_judged, kind, affix), places in sorted(kinds.items(), key=lambda each: -len(each[1])):
        if len({pairs[place] for place in places}) < ENOUGH:
            return []
        shape = re.escape(affix).replace("0", "[0-9]+")
        its = re.compile(f".+{shape}" if kind == "ending" else f"{'.*' if affix == '/' else ''}{shape}.+")
        if of_judged or sum(its.fullmatch(each) is not None for each in judged) < USUAL * len(judged):
            return places
    return []


def some_affixed(mine: list[str], its: list[str]) -> Apart | None:
    """Finds several ids that have the same prefix or suffix on one side only."""
    enough = min(len(set(mine)), len(set(its))) >= ENOUGH
    return affixed(mine, its) if enough else None


def seam(text: str, place: int) -> bool:
    """Returns whether a position in an id is a boundary, not the inside of a word or a number."""
    before, after = text[place - 1], text[place]
    return not (before.isalnum() and after.isalnum() and before.isdigit() == after.isdigit())


def numbered(mine: list[str], its: list[str]) -> Apart | None:
    """Finds a pair of ids that end in the same number, if every id of one side has such a partner."""
    numbers = {number: each for each in mine if (number := number_in(bytes_of(each)))}
    met = [(known, each) for each in its if (known := numbers.get(number_in(bytes_of(each)) or ""))]
    if len(met) >= ENOUGH and len(met) == min(len(set(mine)), len(set(its))):
        return Apart(
            *met[0], "the numbers agree, but the text before them differs: use the same text on both sides"
        )
    return None
