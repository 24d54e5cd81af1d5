"""From names to measures: ``nDCG(gain=exp2)@10``, and trec_eval's ``ndcg_cut_10`` for what it calls so."""

from __future__ import annotations

from collections.abc import Iterable

from karat.measures.absent import UnknownMeasureError, respelled, unknown
from karat.measures.define import REGISTER, Measure, show
from karat.measures.grammar import (
    NUMBER,
    depth_of,
    number,
    parts_of_name,
    shortened,
    split_names,
    written_plainly,
)
from karat.measures.synonyms import ALSO_CALLED, canonical, translated
from karat.measures.trec_eval import NICKNAMES, TABLE
from karat.output.errors import MeasureError

__all__ = [
    "ALSO_CALLED",
    "UnknownMeasureError",
    "given_names",
    "parse_measure",
    "parse_measures",
    "parts_of_name",
    "split_names",
]


def parse_measure(name: str | Measure) -> Measure:
    """The measure of one name.

    Args:
        name: a name such as ``AP``, ``P@10``, ``nDCG(gain=exp2)@10``, or trec_eval's ``map``, ``P_10``.

    Raises:
        MeasureError: an unknown name, parameter or value, or a name that stands for several measures.

    Example:
        >>> from karat.measures import parse_measure
        >>> str(parse_measure("ndcg_cut_10"))
        'nDCG@10'
    """
    measures = parse_measures([name])
    if len(measures) != 1:
        shown = ", ".join(map(str, measures[:3]))
        raise MeasureError(f"'{name}' stands for {len(measures)} measures ({shown}, …): name one of them.")
    return measures[0]


def parse_measures(names: str | Measure | Iterable[str | Measure]) -> list[Measure]:
    """The measures of many names, in order, each once.

    A name of trec_eval's may stand for several: ``P`` for nine depths, ``all_trec`` for nearly everything.
    Names may also be separated by blanks or commas in one string.

    Raises:
        MeasureError: as ``parse_measure``.
    """
    found: dict[Measure, None] = {}
    for name in given_names(names):
        for part in [name] if isinstance(name, Measure) else split_names(name):
            found.update(dict.fromkeys([part] if isinstance(part, Measure) else named(part)))
    return list(found)


def given_names(names: object) -> list[str | Measure]:
    """The names that were given, one by one.

    Raises:
        MeasureError: what is neither a name nor a ``Measure`` nor several of them.
    """
    if isinstance(names, (str, Measure)):
        return [names]
    if not isinstance(names, Iterable):
        raise MeasureError(
            f"measures={names!r}: give a name, such as 'nDCG@10', a Measure, or a list of them."
        )
    found = list(names)
    for name in found:
        if not isinstance(name, (str, Measure)):
            raise MeasureError(f"A measure is named by text, not by {name!r}.")
    return found


def named(name: str) -> list[Measure]:
    """What one name stands for: trec_eval's first where it has parameters of its own kind, else karat's."""
    trec = from_trec_eval(written_plainly(name))
    return [own(name)] if trec is None else trec


def own(name: str) -> Measure:
    """The measure of a name of karat's, or of a name that others give to one."""
    word, given, at = parts_of_name(name)
    meant = canonical(word)
    if meant is None:
        raise unknown(word, at)
    word, implied, _ = parts_of_name(meant)
    word, given, at = translated(word, {**implied, **given}, at)
    definition = REGISTER[word]
    parameters = list(given.items())
    if at is None:
        return Measure(word, tuple(parameters))
    if not NUMBER.fullmatch(at):
        meant = respelled(word, at)
        hint = f" Did you mean {meant}?" if meant else ""
        raise MeasureError(f"'{shortened(name)}': what follows '@' is a number, not '{shortened(at)}'.{hint}")
    if definition.at not in ("depth", "no"):
        return Measure(word, (*parameters, (definition.at, number(at))))
    return Measure(word, tuple(parameters), depth_of(at, name))


def from_trec_eval(name: str) -> list[Measure] | None:
    """What trec_eval calls so, or None: ``map``, ``P_5``, ``P.5,10``, ``P``, ``all_trec``."""
    if name in NICKNAMES:
        return [each for member in NICKNAMES[name] for each in in_full(member, TABLE[member].cutoffs)]
    for word, entry in TABLE.items():
        if name == word:
            return in_full(word, entry.cutoffs)
        rest = name.removeprefix(word)
        if entry.cutoffs and rest != name and rest[:1] in ("_", "."):
            cutoffs = rest[1:].split(",")
            if all(map(NUMBER.fullmatch, cutoffs)):
                return in_full(word, tuple(map(number, cutoffs)))
    return None


def in_full(word: str, cutoffs: tuple[float, ...]) -> list[Measure]:
    """A name of trec_eval's with each of its cutoffs; ``runid`` and ``relstring`` are not numbers and give none."""
    template = TABLE[word].karat
    if "{}" in template:
        return [own(template.format(show(cutoff))) for cutoff in cutoffs]
    return [own(template)] if template else []
