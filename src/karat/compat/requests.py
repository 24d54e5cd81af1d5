"""trec_eval's ``-m``: measures with their parameters, the names that are printed, and the help of ``-h``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from karat.compat.c import atof, atol
from karat.measures import REGISTER, Measure, Number, parse_measure
from karat.measures.aliases import NICKNAMES, TABLE, TrecName
from karat.measures.names import own

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Column", "Refusal", "columns", "family", "known", "ranked", "text"]


STRINGS = ("runid", "relstring")
NUMBERS = ("relstring", "utility", "11pt_avg", "set_F")
PAIRS = ("G", "dcg", "ideal_dcg", "ndcg", "ndcg_rel", "Rndcg", "rbp", "rbp_resid")
UNRANKED = ("runid", "num_q")
RELSTRING_WIDTH = 10


class Refusal(Exception):  # noqa: N818 - it is an end, with a code, that trec_eval has for valid requests too
    """trec_eval stops here: with an exit code, and lines for standard error."""

    def __init__(self, code: int, text: str) -> None:
        """Stop with ``code``, saying ``text``."""
        super().__init__(text)
        self.code, self.text = code, text


@dataclass(frozen=True)
class Column:
    """One value that is printed.

    Args:
        name: trec_eval's measure.
        label: what is printed before the value.
        measure: what is computed; None for ``runid`` and ``relstring``.
        width: how many documents ``relstring`` shows.
        complete: whether all parameters that the measure needs were given.
    """

    name: str
    label: str
    measure: Measure | None = None
    width: int = 0
    complete: bool = True

    @property
    def aggregate(self) -> str:
        """How values per query become one: ``mean``, ``sum``, ``geometric``, or ``none`` for strings."""
        return "none" if self.measure is None else self.measure.definition.aggregate


def known(name: str, version: int) -> tuple[str, ...]:
    """The measures that a nickname or name stands for; none if trec_eval has no such name."""
    members = NICKNAMES.get(name) or ((name,) if name in TABLE else ())
    return tuple(member for member in members if TABLE[member].since <= version)


def family(name: str) -> str:
    """The kind of judgments that a measure needs: ``grades``, ``groups`` or ``preferences``."""
    if name.startswith("prefs_"):
        return "preferences"
    return "groups" if name.endswith("_avgjg") else "grades"


def ranked(name: str) -> bool:
    """Whether a measure looks at the ranking at all."""
    return name not in UNRANKED


def columns(
    asked: set[str], parameters: Mapping[str, str], *, level: int, collection: int, version: int
) -> list[Column]:
    """Every value to be printed, in trec_eval's order.

    Args:
        asked: names of measures.
        parameters: the text after the dot, of those that have one.
        level: the lowest relevant grade (``-l``).
        collection: documents in the collection (``-N``).
        version: 9 or 10.

    Raises:
        Refusal: parameters that the measure cannot take.
    """
    found: list[Column] = []
    for name, entry in TABLE.items():
        if name not in asked:
            continue
        try:
            made = columns_of(name, entry, parameters.get(name), version)
        except ValueError as error:
            text = f"trec_eval: {error}\ntrec_eval: Cannot initialize measure '{name}'\n"
            raise Refusal(2, text) from None
        found += [settled(column, level, collection, version) for column in made]
    return found


def columns_of(name: str, entry: TrecName, text: str | None, version: int) -> list[Column]:
    """The values of one measure: one per cutoff, or one."""
    if entry.cutoffs:
        cutoffs = cutoffs_of(entry, text)
        return [Column(name, label(name, cutoff, entry.whole), at(entry, cutoff)) for cutoff in cutoffs]
    base = parse_measure(entry.karat) if entry.karat else None
    if name in NUMBERS:
        return [with_numbers(name, base, text)]
    if name in PAIRS and text is not None:
        pairs = pairs_of(text)
        return [Column(name, f"{name}_{text}", with_pairs(base, pairs, version))]
    return [Column(name, name, base)]


def cutoffs_of(entry: TrecName, text: str | None) -> list[float]:
    """The cutoffs, ascending."""
    if text is None:
        return list(entry.cutoffs)
    read: Any = atol if entry.whole else atof
    cutoffs: list[float] = sorted(map(read, text.split(",")))
    if entry.whole and cutoffs[0] <= 0:
        raise ValueError("Negative cutoff detected")
    if len(set(cutoffs)) < len(cutoffs):
        raise ValueError("duplicate cutoffs detected")
    return cutoffs


def label(name: str, cutoff: float, whole: bool) -> str:
    """The printed name of a cutoff; of one that is no whole number nine characters are kept (``append_double``)."""
    return f"{name}_{cutoff}" if whole else name + f"_{cutoff:3.2f}"[:9]


def at(entry: TrecName, cutoff: float) -> Measure:
    """The measure with this cutoff."""
    base = parse_measure(entry.karat.format(1))
    if base.depth is not None:
        return Measure(base.name, base.parameters, int(cutoff))
    named = re.search(r"(\w+)=\{\}", entry.karat)
    key = named[1] if named else base.definition.at
    return changed(base, **{key: cutoff})


def with_numbers(name: str, base: Measure | None, text: str | None) -> Column:
    """A measure whose parameters are plain numbers."""
    shown = name if text is None else f"{name}_{text}"
    if base is None:
        width = RELSTRING_WIDTH if text is None else width_of(atof(text))
        return Column(name, shown, None, width)
    if text is None:
        return Column(name, shown, base)
    numbers = tuple(map(atof, text.split(",")))
    if name == "utility":
        given = dict(zip("abcd", numbers))
        return Column(name, shown, changed(base, **given), complete=len(numbers) == len(given) == 4)
    if name == "set_F":
        return Column(name, shown, changed(base, weight=numbers[0]))
    return Column(name, shown, changed(base, points=numbers))


def width_of(number: float) -> int:
    """A number of characters: the whole part, and none for what is negative or no number."""
    return int(min(number, 2.0**62)) if number > 0 else 0


def pairs_of(text: str) -> list[tuple[str, float]]:
    """Pairs ``level=gain`` between commas, of which ``=`` and ``,`` must alternate."""
    signs = re.sub("[^=,]", "", text)
    if re.fullmatch("=(?:,=)*", signs) is None:
        raise ValueError(f"malformed pair parameters in '{text}'")
    return [(level, atof(gain)) for level, _, gain in (pair.partition("=") for pair in text.split(","))]


def with_pairs(base: Measure | None, pairs: list[tuple[str, float]], version: int) -> Measure:
    """A measure whose parameters are pairs: gains by level, and rbp's p."""
    assert base is not None
    takes = base.definition.parameters
    changes: dict[str, Any] = {}
    if "p" in takes:
        changes.update((key, value) for key, value in pairs if key == "p")
    # Since version 10 a level that is no whole number is passed over (gain_init.c, valid_int).
    gains = [
        (float(atol(key)), value) for key, value in pairs if version < 10 or re.fullmatch("[+-]?[0-9]+", key)
    ]
    if "gain" in takes and gains:
        changes["gain"] = tuple(gains)
        if "ideal" in takes:
            changes["ideal"] = "trec_eval"
    return changed(base, **changes)


def settled(column: Column, level: int, collection: int, version: int) -> Column:
    """The column with the parameters that hold for all measures."""
    if column.measure is None:
        return column
    takes = column.measure.definition.parameters
    changes: dict[str, Any] = {}
    if isinstance(takes.get("rel"), Number):
        changes["rel"] = float(level)
    if "collection" in takes:
        changes["collection"] = float(collection)
    if version < 10 and "rounding" in takes:
        changes["rounding"] = "up"
    measure = changed(column.measure, **changes)
    return Column(column.name, column.label, measure, column.width, column.complete)


def changed(measure: Measure, **parameters: Any) -> Measure:
    """The measure with some parameters changed."""
    return Measure(measure.name, tuple({**dict(measure.parameters), **parameters}.items()), measure.depth)


GENERAL = f"""\
karat trec-eval [options] QRELS RUN

Measures a run by relevance judgments, as trec_eval does: same options, same output, same exit codes.
RUN is a file, or standard input if its name begins with '-'. Both may be compressed (gz, zst, bz2, xz).

  -h  --help                        print this text, with what -m, -R and -T name
  -v  --version                     print the version of trec_eval that is followed
  -q  --query_eval_wanted           also print the values of every query
  -n  --nosummary                   print no values for all queries
  -m  --measure NAME[.PARAMETERS]   add a measure, or a nickname for several
                                    ({", ".join(NICKNAMES)})
  -c  --complete_rel_info_wanted    average over all queries of QRELS; those that the run lacks count 0
  -l  --level_for_rel GRADE         the lowest grade that is relevant (1)
  -J  --Judged_docs_only            remove unjudged documents before ranks are counted
  -M  --Max_retrieved_per_topic N   look at the first N documents of each query
  -N  --Number_docs_in_coll N       documents in the collection, for the measure utility (0)
  -R  --Rel_info_format FORMAT      qrels (default), qrels_jg, prefs or qrels_prefs
  -T  --Results_format FORMAT       trec_results, the only one
  -Z  --Zscore FILE                 print deviations from the means of FILE
  -D  --Debug_level N[.QUERY]       evaluate only QUERY
      --compat 9                    behave as trec_eval 9.0.8 (karat's own option)
"""
RUN = "RUN: lines 'query iteration document rank score tag'; the score alone decides the order.\n"
FORMATS = {
    "qrels": "QRELS: lines 'query iteration document grade'; a negative grade is in the pool but not judged.\n",
    "qrels_jg": "QRELS: lines 'query group document grade': grades of several judgment groups.\n",
    "prefs": "QRELS: lines 'query group subgroup document level': within a subgroup a higher level is preferred.\n",
    "qrels_prefs": "QRELS: lines 'query group document level': within a group a higher level is preferred.\n",
}
RULE = "-" * 23 + "\n"


def text(measures: set[str], form: str) -> str:
    """The help, with the measures and the format asked for."""
    parts = [GENERAL, RUN, *([FORMATS[form]] if form in FORMATS else [])]
    asked = [explained(name) for name in TABLE if name in measures]
    heading = "Individual measure documentation for requested measures\n"
    body = "".join(asked) or "None was requested: name them with -m before or after -h.\n"
    return ("\n" + RULE).join([*parts, heading + body])


def explained(name: str) -> str:
    """A measure with what it means."""
    template = TABLE[name].karat
    if not template:
        return f"{name}\n    {'The tag of the run.' if name == 'runid' else 'The first grades, as characters.'}\n"
    measure = own(template.format(1))
    return f"{name}\n    {(REGISTER[measure.name].formula.__doc__ or '').strip()}\n"
