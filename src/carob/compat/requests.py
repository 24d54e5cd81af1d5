"""Parses trec_eval's command line like the C program: numbers, options, measures with parameters, ``-Z``, ``-h``."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any, TypeVar

from carob import _native
from carob._dataclasses import dataclass, replace
from carob._numpy import np
from carob.inputs.sources import source_of
from carob.measures import REGISTER, Measure, Number, parse_measure
from carob.measures.grammar import NICKNAMES, TABLE, TrecName
from carob.output.files import own_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from carob.inputs.sources import Source
    from carob.lists.rows import Floats


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
    """Returns the whole number at the start of ``text``, clamped to 64 bits, or 0 if there is no number."""
    found = LONG.match(text)
    return min(max(int(found[1]), SHORTEST), LONGEST) if found else 0


def atof(text: str) -> float:
    """Returns the number at the start of ``text`` (decimal, hexadecimal, inf or nan), or 0 if there is no number."""
    found = DOUBLE.match(text)
    if found is None:
        return 0.0
    size = from_hex(found["hex"]) if found["hex"] else float(found["decimal"] or found["word"])
    return -size if found[1] == "-" else size


def from_hex(text: str) -> float:
    """Returns the value of a hexadecimal number, or infinity if it is too large for a double."""
    try:
        return float.fromhex(text)
    except OverflowError:
        return float("inf")


class OptionError(Exception):
    """Raised for an unknown option or a missing argument. The message is getopt's, without the program's name."""


def options(
    arguments: list[str], short: Mapping[str, bool], long: Mapping[str, tuple[str, bool]], operands: list[str]
) -> Iterator[tuple[str, str]]:
    """Yields the letter of each option and its argument, or '' for an option without an argument.

    Words that are not options are added to ``operands``.

    Options may follow operands. Short options may share a dash and have attached arguments, and long options may be
    abbreviated. ``--`` ends the options.

    Args:
        arguments: the command line, without the program's name.
        short: the letters, and whether each requires an argument.
        long: the long names, each with its letter and whether it requires an argument.
        operands: the list to which all other words are appended.

    Raises:
        OptionError: an option is invalid. All earlier options have been yielded.
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
    """Returns the letter and the argument of the option ``--text``."""
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
    """Yields the options in ``-text``. For the first option with an argument, the rest of the text is the argument."""
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
    """Calls ``read`` on a source.

    If the source contains NUL bytes, text after them is ignored, as in C, and a message on standard error reports this.

    trec_eval counts lines only up to the first NUL, so its behaviour is undefined after a NUL within a line.

    Raises:
        LineError: raised by ``read``.
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
    says = f"{source.name}, line {line}: a NUL byte, which ends a text in C."
    if end is not None:
        lines, rest = seen.count(b"\n"), content.count(b"\n", end.start())
        says += f" As in trec_eval, the file ends with line {lines}; {rest} lines after it are not read."
    sys.stderr.write(f"carob trec-eval: {says}\n")
    return read(TAIL.sub(b"", seen))


NUMBERS = ("relstring", "utility", "11pt_avg", "set_F")
PAIRS = ("G", "dcg", "ideal_dcg", "ndcg", "ndcg_rel", "Rndcg", "rbp", "rbp_resid")
UNRANKED = ("runid", "num_q")
RELSTRING_WIDTH = 10


class Refusal(Exception):  # noqa: N818 - trec_eval also exits like this after valid requests
    """Raised to end trec_eval with an exit code and lines for standard error."""

    def __init__(self, code: int, text: str) -> None:
        """Stores the exit code and the text."""
        super().__init__(text)
        self.code, self.text = code, text


@dataclass(frozen=True)
class PrintedValue:
    """The description of a value to print.

    Args:
        name: the name of trec_eval's measure.
        label: the name that is printed before the value.
        measure: the measure to compute; None for ``runid`` and ``relstring``.
        width: the number of documents that ``relstring`` shows.
        complete: whether all parameters that the measure needs were given.
    """

    name: str
    label: str
    measure: Measure | None = None
    width: int = 0
    complete: bool = True

    @property
    def aggregate(self) -> str:
        """The rule that aggregates per-query scores: ``mean``, ``sum``, ``geometric``, or ``none`` for strings."""
        return "none" if self.measure is None else self.measure.definition.aggregate


def known(name: str, version: int) -> tuple[str, ...]:
    """Returns the measures that a name or nickname stands for, or no measures if trec_eval has no such name."""
    members = NICKNAMES.get(name) or ((name,) if name in TABLE else ())
    return tuple(member for member in members if TABLE[member].since <= version)


def family(name: str) -> str:
    """Returns the kind of judgments that a measure needs: ``grades``, ``groups`` or ``preferences``."""
    if name.startswith("prefs_"):
        return "preferences"
    return "groups" if name.endswith("_avgjg") else "grades"


def columns(
    asked: set[str], parameters: Mapping[str, str], *, level: int, collection: int, version: int
) -> list[PrintedValue]:
    """Returns the columns of all printed values, in trec_eval's order.

    Args:
        asked: the names of the requested measures.
        parameters: the text after the dot, by measure name.
        level: the lowest relevant grade (``-l``).
        collection: the number of documents in the collection (``-N``).
        version: 9 or 10.

    Raises:
        Refusal: a measure does not accept its parameters.
    """
    found: list[PrintedValue] = []
    for name, entry in TABLE.items():
        if name not in asked:
            continue
        try:
            made = printed_columns(name, entry, parameters.get(name), version)
        except ValueError as error:
            text = f"trec_eval: {error}\ntrec_eval: Cannot initialize measure '{name}'\n"
            raise Refusal(2, text) from None
        found += [settled(column, level, collection, version) for column in made]
    return found


def printed_columns(name: str, entry: TrecName, text: str | None, version: int) -> list[PrintedValue]:
    """Returns the columns of one measure: one column per cutoff, or a single column."""
    if entry.cutoffs:
        cutoffs = cutoffs_of(entry, text)
        return [PrintedValue(name, label(name, cutoff, entry.whole), at(entry, cutoff)) for cutoff in cutoffs]
    plain = text is None or name not in (*NUMBERS, *PAIRS)
    shown = name if plain else f"{name}_{text}"
    if not entry.carob:
        return [PrintedValue(name, shown, width=RELSTRING_WIDTH if text is None else width_of(atof(text)))]
    base = parse_measure(entry.carob)
    if text is None or plain:
        return [PrintedValue(name, shown, base)]
    if name in PAIRS:
        return [PrintedValue(name, shown, with_pairs(base, level_gains(text), version))]
    numbers = tuple(map(atof, text.split(",")))
    given: dict[str, dict[str, Any]] = {
        "utility": dict(zip("abcd", numbers)),
        "set_F": {"weight": numbers[0]},
        "11pt_avg": {"points": numbers},
    }
    return [
        PrintedValue(
            name, shown, changed(base, **given[name]), complete=name != "utility" or len(numbers) == 4
        )
    ]


def cutoffs_of(entry: TrecName, text: str | None) -> list[float]:
    """Returns the cutoffs in ascending order."""
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
    """Returns the printed name of a measure at a cutoff. Fractions are cut to nine characters (``append_double``)."""
    return f"{name}_{cutoff}" if whole else name + f"_{cutoff:3.2f}"[:9]


def at(entry: TrecName, cutoff: float) -> Measure:
    """Returns the measure with this cutoff."""
    base = parse_measure(entry.carob.format(1))
    if base.depth is not None:
        return Measure(base.name, base.parameters, int(cutoff))
    named = re.search(r"(\w+)=\{\}", entry.carob)
    key = named[1] if named else base.definition.at
    return changed(base, **{key: cutoff})


def width_of(number: float) -> int:
    """Converts a number to a number of characters: its integer part, or 0 if it is negative or NaN."""
    return int(min(number, 2.0**62)) if number > 0 else 0


def level_gains(text: str) -> list[tuple[str, float]]:
    """Parses the pairs of ``level=gain,level=gain``, in which ``=`` and ``,`` must alternate."""
    signs = re.sub("[^=,]", "", text)
    if re.fullmatch("=(?:,=)*", signs) is None:
        raise ValueError(f"malformed pair parameters in '{text}'")
    return [(level, atof(gain)) for level, _, gain in (pair.partition("=") for pair in text.split(","))]


def with_pairs(base: Measure, pairs: list[tuple[str, float]], version: int) -> Measure:
    """Returns the measure with the parameters given as pairs, such as the gain of each level, or p for rbp."""
    takes = base.definition.parameters
    changes: dict[str, Any] = {}
    if "p" in takes:
        changes.update((key, value) for key, value in pairs if key == "p")
    # Version 10 ignores a level that is not a whole number (gain_init.c, valid_int).
    gains = [
        (float(atol(key)), value) for key, value in pairs if version < 10 or re.fullmatch("[+-]?[0-9]+", key)
    ]
    if "gain" in takes and gains:
        changes["gain"] = tuple(gains)
        if "ideal" in takes:
            changes["ideal"] = "trec_eval"
    return changed(base, **changes)


def settled(column: PrintedValue, level: int, collection: int, version: int) -> PrintedValue:
    """Returns the column with the parameters set that apply to all measures, such as the relevance level."""
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
    return replace(column, measure=changed(column.measure, **changes))


def changed(measure: Measure, **parameters: Any) -> Measure:
    """Returns the measure with some parameters changed."""
    return Measure(measure.name, tuple({**dict(measure.parameters), **parameters}.items()), measure.depth)


OPTIONS = {
    "h": ("help", "flag", "help"),
    "v": ("version", "flag", ""),
    "q": ("query_eval_wanted", "flag", "per_query"),
    "m": ("measure", "text", ""),
    "c": ("complete_rel_info_wanted", "flag", "complete"),
    "l": ("level_for_rel", "number", "level"),
    "n": ("nosummary", "flag", "no_summary"),
    "D": ("Debug_level", "text", ""),
    "J": ("Judged_docs_only", "flag", "judged_only"),
    "N": ("Number_docs_in_coll", "number", "collection"),
    "M": ("Max_retrieved_per_topic", "number", "depth"),
    "R": ("Rel_info_format", "text", "rel_format"),
    "T": ("Results_format", "text", "run_format"),
    "o": ("Output_old_results_format", "text", ""),
    "Z": ("Zscore", "text", "zscores"),
}
"""The options by letter: the long name, the kind, and the field of the request that the option sets, if any."""

RULE = "-" * 23 + "\n"


def help_texts() -> dict[str, Any]:
    """Returns the help texts by name."""
    return own_table(__file__, "help.toml")


def text(measures: set[str], form: str) -> str:
    """Returns the help, with the requested measures and format."""
    texts = help_texts()
    general = texts["general"].replace("{nicknames}", ", ".join(NICKNAMES))
    parts = [general, texts["run"], *([texts["qrels"][form]] if form in texts["qrels"] else [])]
    asked = [explained(name) for name in TABLE if name in measures]
    heading = "Individual measure documentation for requested measures\n"
    body = "".join(asked) or "No measure was requested. To describe a measure, name it with -m.\n"
    return ("\n" + RULE).join([*parts, heading + body])


def explained(name: str) -> str:
    """Returns the help on a measure."""
    template = TABLE[name].carob
    if not template:
        return f"{name}\n    {'The tag of the run.' if name == 'runid' else 'The first grades, as characters.'}\n"
    measure = parse_measure(template.format(1))
    return f"{name}\n    {REGISTER[measure.name].description}\n"


MISSING = -1000000.0


class Zscores:
    """The means and standard deviations for z-scores, by query and printed name.

    Args:
        path: the path of a file with lines of the form ``query measure mean deviation``.
        version: 9 or 10; the error messages of the two versions differ.

    Raises:
        Refusal: the file or a line cannot be read.
    """

    def __init__(self, path: str, version: int) -> None:
        """Reads the file."""
        by = "get_zscores" if version >= 10 else "get_prefs"
        try:
            names, deviations, _ = as_c_reads(
                source_of(path),
                lambda handle: _native.read_rows(
                    handle, columns=4, numbers="c", number="level", comments="none", blank_lines="error"
                ),
            )
        except _native.LineError as error:
            text = f"trec_eval.get_zscores: Malformed line {error.data_line}\n"
            raise Refusal(255, text) from None
        except (OSError, ValueError):
            raise Refusal(255, f"trec_eval.{by}: Cannot read zscores file '{path}'\n") from None
        means = [atof(mean.decode("latin-1")) for mean in names[2]]
        self.expected = dict(zip(zip(names[0], names[1]), zip(means, deviations.tolist())))

    def convert(self, queries: list[bytes], labels: list[bytes], values: Floats) -> Floats:
        """Converts the values to z-scores. A value without a mean in the file becomes -1000000.

        Args:
            queries: the query of each row.
            labels: the printed name of each column.
            values: the values [queries, labels].
        """
        nothing = (np.nan, np.nan)
        pairs = [[self.expected.get((query, name), nothing) for name in labels] for query in queries]
        given = np.array(pairs, np.float64).reshape(len(queries), len(labels), 2)
        mean, deviation = given[..., 0], given[..., 1]
        stated = np.array([[(q, n) in self.expected for n in labels] for q in queries]).reshape(values.shape)
        level = np.where(values == mean, 0.0, MISSING)
        with np.errstate(all="ignore"):
            moved = (values - mean) / deviation
        found = np.where(stated, np.where(deviation != 0, moved, level), MISSING)
        # If both operands are NaN, the processor returns the first one with its sign. A NaN in the file has the sign
        # given in the text, and the NaN of 0/0 is negative.
        given_nan = np.where(np.isnan(mean), mean, deviation)
        sign = np.where(np.isnan(values), -1.0, np.copysign(1.0, given_nan))
        return np.where(np.isnan(found), np.copysign(np.nan, sign), found)
