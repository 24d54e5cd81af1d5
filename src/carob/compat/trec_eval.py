"""Reproduces trec_eval's arguments, output and exit codes with carob's kernel and formulas."""

from __future__ import annotations

import math
import os
import re
import sys
from dataclasses import field
from typing import TYPE_CHECKING, Any, cast

from carob import _native
from carob._dataclasses import dataclass
from carob._numpy import np
from carob.compat.judged import ABORTED, Cut, JudgmentFormat, dialect, duplicate, read_judged
from carob.compat.requests import (
    OPTIONS,
    UNRANKED,
    OptionError,
    PrintedValue,
    Refusal,
    Zscores,
    as_c_reads,
    atol,
    columns,
    family,
    help_texts,
    known,
    options,
    text,
)
from carob.evaluation.score_tables import GEOMETRIC_FLOOR
from carob.inputs.runs import available_cores
from carob.inputs.sources import from_path, source_of
from carob.lists.flat import Flat
from carob.output.errors import DataError
from carob.output.escaping import lines_for_terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from carob.lists.rows import Floats, Integers
    from carob.measures import Measure


VERSIONS = {9: "9.0.7", 10: "10.0-rc3"}
"""The version number that trec_eval prints, by major version."""

MISMATCH = {
    "grades": "trec_eval.form_res_qrels: rel_info format not qrels",
    "groups": "trec_eval: rel_info format not qrels_jg",
    "preferences": "trec_eval.form_prefs_info: prefs_info format not (prefs or qrels_prefs)",
}
DUPLICATE_BY = {"grades": "form_res_qrels", "groups": "form_res_qrels", "preferences": "form_prefs_counts"}


@dataclass
class TrecEvalRequest:
    """The request given on the command line. trec_eval's own help explains each option."""

    version: int = 10
    help: bool = False
    per_query: bool = False
    no_summary: bool = False
    complete: bool = False
    judged_only: bool = False
    level: int = 1
    collection: int = 0
    depth: int = 2**31 - 1
    rel_format: str = "qrels"
    run_format: str = "trec_results"
    only_query: str | None = None
    zscores: str | None = None
    measures: set[str] = field(default_factory=set)
    parameters: dict[str, str] = field(default_factory=dict)
    operands: list[str] = field(default_factory=list)


def main(argv: list[str]) -> int:
    """Behave as trec_eval.

    Args:
        argv: trec_eval's arguments. ``--compat 9`` selects version 9.0.8 instead of 10.0.

    Returns:
        trec_eval's exit code.
    """
    try:
        for part in output(request_of(argv)):
            write(sys.stdout, part)
    except Refusal as refusal:
        sys.stdout.flush()
        write(sys.stderr, os.fsencode(refusal.text))
        return refusal.code
    return 0


def write(stream: Any, content: bytes) -> None:
    """Writes bytes to a text stream as trec_eval does. On a terminal, control characters are escaped."""
    if stream.isatty():
        content = lines_for_terminal(content.decode("utf-8", "surrogateescape")).encode()
    stream.flush()
    stream.buffer.write(content)
    stream.buffer.flush()


# ---------------------------------------------------------------- the command line


def request_of(argv: list[str]) -> TrecEvalRequest:
    """Reads the command line and processes its options in order."""
    request = TrecEvalRequest()
    request.version, arguments = version_of(argv)
    long = {name: (letter, kind != "flag") for letter, (name, kind, _) in OPTIONS.items()}
    short = dict(long.values()) | {"o": False}
    try:
        for letter, value in options(arguments, short, long, request.operands):
            _, kind, field = OPTIONS[letter]
            if field:
                setattr(request, field, {"flag": True, "text": value, "number": atol(value)}[kind])
            else:
                take(request, letter, value)
    except OptionError as error:
        raise Refusal(1, f"trec_eval: {error}\n{help_texts()['usage']}") from None
    if not request.help and len(request.operands) != 2:
        raise Refusal(1, help_texts()["usage"])
    return request


def version_of(argv: list[str]) -> tuple[int, list[str]]:
    """Returns the version after ``--compat`` and the other arguments. ``--compat`` cannot be abbreviated."""
    rest, version, given = [], "10", iter(argv)
    for argument in given:
        if argument == "--compat":
            version = next(given, "")
        elif argument.startswith("--compat="):
            version = argument.partition("=")[2]
        else:
            rest.append(argument)
    if version not in ("9", "10"):
        raise Refusal(1, f"carob trec-eval: --compat is 9 or 10, not '{version}'.\n")
    return int(version), rest


def take(request: TrecEvalRequest, letter: str, value: str) -> None:
    """Processes an option that does not set a field directly."""
    if letter == "v":
        raise Refusal(0, f"trec_eval version {VERSIONS[request.version]}\n")
    if letter == "m":
        add_measure(request, value)
    elif letter == "D" and "." in value:
        request.only_query = value.partition(".")[2]


def add_measure(request: TrecEvalRequest, text: str) -> None:
    """Adds a measure or nickname to the request. If parameters are given repeatedly, the first ones count."""
    name, dot, parameters = text.partition(".")
    members = known(name, request.version)
    if dot and not parameters:
        raise Refusal(
            1,
            f"trec_eval: improper measure in parameter '{name}'\ntrec_eval: illegal measure '{name}'\n",
        )
    if not members:
        raise Refusal(1, f"trec_eval: illegal measure '{name}'\n")
    request.measures |= set(members)
    if dot:
        request.parameters.setdefault(name, parameters)


# ---------------------------------------------------------------- evaluation


@dataclass(frozen=True)
class Ranked:
    """A run that has been matched with the judgments.

    Args:
        found: the kernel's result of matching.
        placeholder: queries that are missing from the run, for which an unjudged document is added (``-c``).
        cut: the rules for cutting rankings.
    """

    found: _native.Matched
    placeholder: Any
    cut: Cut


def output(request: TrecEvalRequest) -> Iterator[bytes]:
    """Yields the parts of the output in order.

    Raises:
        Refusal: trec_eval would stop here, after printing the output yielded so far.
    """
    if request.help:
        yield text(request.measures, request.rel_format).encode()
        return
    judged = read_judged(request.operands[0], request.rel_format, request.version)
    run = read_run(request, judged)
    zscores = None if request.zscores is None else Zscores(request.zscores, request.version)
    measures = request.measures or set(known("official", request.version))
    asked = columns(
        measures,
        request.parameters,
        level=request.level,
        collection=request.collection,
        version=request.version,
    )
    queries, stop = evaluated(request, judged, run)
    lists, stop, queries = first_stop(judged, run, asked, queries, stop)
    if len(queries) == 0 and stop is None:
        raise Refusal(7, "trec_eval: No queries with both results and relevance info\n")
    names = [judged.queries[query] for query in queries.tolist()]
    if stop is None or (request.per_query and len(queries) and stop.code != ABORTED):
        values = printed_values(lists, asked, len(queries))
        stand_in(values, asked, run.placeholder[queries])
        if zscores is not None:
            measured = [place for place, column in enumerate(asked) if column.measure is not None]
            printed = [os.fsencode(asked[place].label) for place in measured]
            values[:, measured] = zscores.convert(names, printed, values[:, measured])
        if request.per_query:
            strings = relstrings(lists, asked, run.placeholder[queries])
            yield per_query(names, asked, values, strings, zscores is not None)
        if stop is None and not request.no_summary:
            yield summary(request, judged, run, asked, values)
    if stop is not None:
        raise stop


def read_run(request: TrecEvalRequest, judged: JudgmentFormat) -> Ranked:
    """Reads and ranks the run."""
    path = request.operands[1]
    if request.run_format != "trec_results":
        raise Refusal(2, f"trec_eval: Illegal retrieval results format '{request.run_format}'\n")
    from_input = path.startswith("-") and request.version >= 10
    quit_in = f"trec_eval: Quit in file '{path}'\n"
    unreadable = Refusal(2, f"trec_eval.get_results: Cannot read results file '{path}'\n{quit_in}")
    try:
        source = source_of("-") if from_input else from_path(path)
        if source.size == 0:
            raise unreadable

        how = dialect("run", request.version) | {"ties": judged.ties, "float32": request.version < 10}
        how |= {"duplicates": "keep", "threads": available_cores()}
        found = as_c_reads(source, lambda handle: _native.match_text(judged.judgments, handle, **how))
    except _native.LineError as error:
        text = f"trec_eval.get_results: Malformed line {error.data_line}\n{quit_in}"
        raise Refusal(2, text) from None
    except (OSError, DataError):
        raise unreadable from None
    # NumPy is imported before the kernel's array needs it, so that an import error is reported with its cause.
    present = np.greater_equal(found.length, 0)
    stands_in = ~present & (request.complete and request.version >= 10)
    length = np.where(present, found.length, stands_in).astype(np.float64)
    return Ranked(found, stands_in, Cut(length, max(request.depth, 0), request.judged_only))


def evaluated(
    request: TrecEvalRequest, judged: JudgmentFormat, run: Ranked
) -> tuple[Integers, Refusal | None]:
    """Returns the queries to evaluate, and the error for the first missing query, at which trec_eval stops."""
    wanted: NDArray[np.bool_] = np.ones(len(judged.queries), bool)
    if request.only_query is not None:
        only = os.fsencode(request.only_query)
        wanted = np.array([query == only for query in judged.queries])
    missing = (run.found.length < 0) & ~run.placeholder
    if request.version < 10:
        return np.flatnonzero(wanted & ~missing), None
    queries = np.flatnonzero(wanted)
    lacking = np.flatnonzero(missing[queries])
    if len(lacking) == 0:
        return queries, None
    name = os.fsdecode(judged.queries[int(queries[lacking[0]])])
    return queries[: lacking[0]], Refusal(4, f"trec_eval: result qid '{name}' not found in qrels\n")


def first_stop(
    judged: JudgmentFormat,
    run: Ranked,
    asked: list[PrintedValue],
    queries: Integers,
    stop: Refusal | None,
) -> tuple[Flat, Refusal | None, Integers]:
    """Returns the lists, trec_eval's error, and the queries before the first query that trec_eval cannot evaluate.

    If trec_eval can evaluate every query, returns all lists, ``stop`` and all queries.
    """
    lists, troubles = judged.lists(run.found, run.cut, queries)
    needing = list(dict.fromkeys(column.name for column in asked if column.name not in UNRANKED))
    if not needing:
        return lists, stop, queries
    repeated = repeated_documents(run.found, run.cut.depth)
    by = DUPLICATE_BY[judged.form]
    troubles |= {query: Refusal(4, duplicate(by, document, "")) for query, document in repeated.items()}
    incomplete = {column.name for column in asked if not column.complete}
    for place, query in enumerate(queries.tolist()):
        trouble = first_trouble(needing, judged.form, troubles.get(query), incomplete)
        if trouble is not None:
            before = queries[:place]
            return judged.lists(run.found, run.cut, before)[0], trouble, before
    return lists, stop, queries


def first_trouble(needing: list[str], form: str, own: Refusal | None, incomplete: set[str]) -> Refusal | None:
    """Returns the error about the first measure, in trec_eval's order, that cannot be calculated."""
    for name in needing:
        cannot = f"trec_eval: Can't calculate measure '{name}'\n"
        if family(name) != form:
            return Refusal(4, f"{MISMATCH[family(name)]} or results format not trec_results\n{cannot}")
        if own is not None:
            return own if own.code != 4 else Refusal(4, own.text + cannot)
        if name in incomplete:
            return Refusal(4, f"trec_eval.calc_utility: improper number of coefficients\n{cannot}")
    return None


def repeated_documents(found: _native.Matched, depth: int) -> dict[int, bytes]:
    """Returns, for each query with repeated documents within the depth, the first of them by id."""
    ranks: dict[tuple[int, bytes], set[int]] = {}
    for query, document, _, _, rank, other in found.duplicates:
        ranks.setdefault((query, document), set()).update((rank, other))
    repeated: dict[int, bytes] = {}
    for (query, document), places in ranks.items():
        if sum(place <= depth for place in places) > 1:
            repeated[query] = min(document, repeated.get(query, document))
    return repeated


def printed_values(lists: Flat, asked: list[PrintedValue], count: int) -> Floats:
    """Returns the value of each query and column, or NaN if the value is a string."""
    carriers = {False: lists}
    values = np.full((count, len(asked)), np.nan)
    with np.errstate(all="ignore"):
        for place, column in enumerate(asked):
            if column.measure is None:
                continue
            every = column.measure.every_rank
            if every not in carriers:
                carriers[every] = Flat(lists.rows, every_rank=True)
            if column.name == "num_q":
                values[:, place] = 1.0
                continue
            found = cast("Floats", column.measure.values(carriers[every]))
            values[:, place] = before_the_mean(found, carriers[every], column.measure)
    return values


def before_the_mean(values: Floats, lists: Flat, measure: Measure) -> Floats:
    """Returns the terms that are averaged over queries.

    The terms are logarithms if the mean is geometric, and NaN if trec_eval divides 0 by 0.

    trec_eval divides 0 by 0 for an empty list if a recall point of interpolated precision requires no documents.
    """
    arguments, empty = measure.arguments, lists.rows.length == 0
    if measure.definition.aggregate == "geometric":
        return cast("Floats", np.log(np.maximum(values, GEOMETRIC_FLOOR)))
    if measure.name not in ("IPrec", "IPrecMean") or not empty.any():
        return values
    point = min(arguments["points"]) if measure.name == "IPrecMean" else arguments["recall"]
    needed: Any = lists.whole(point * lists.n_relevant(arguments["rel"]), arguments["rounding"])
    return np.where(empty & (needed <= 0), np.nan, values)


def stand_in(values: Floats, asked: list[PrintedValue], placeholder: Any) -> None:
    """Sets certain measures of queries that have a placeholder document to 0, as trec_eval does."""
    for place, column in enumerate(asked):
        if column.label in ("num_ret", "utility", "rbp_resid") or column.label.startswith("unj"):
            values[placeholder, place] = 0.0


# ---------------------------------------------------------------- printing


def relstrings(lists: Flat, asked: list[PrintedValue], placeholder: Any) -> dict[str, list[bytes]]:
    """Returns each query's first grades as characters, if columns for them were requested."""
    found = {}
    for column in asked:
        if column.name == "relstring":
            strings = [string_of(lists, query, column.width) for query in range(len(lists.rows.length))]
            if column.label == "relstring":
                strings = [b"" if hidden else each for each, hidden in zip(strings, placeholder.tolist())]
            found[column.label] = strings
    return found


def string_of(lists: Flat, query: int, width: int) -> bytes:
    """Returns one character per document: the grade, > if the grade is above 9, - if not pooled, . if unjudged."""
    rows = lists.rows
    characters = bytearray(b"-" * int(min(width, rows.length[query])))
    for row in range(int(rows.offsets[query]), int(rows.offsets[query + 1])):
        rank, grade = int(rows.rank[row]), int(rows.grade[row])
        if rank > len(characters):
            break
        characters[rank - 1 : rank] = b"." if grade < 0 else b">" if grade > 9 else b"%d" % grade
    return bytes(characters)


def line(column: PrintedValue, zscores: bool) -> bytes:
    """Returns the printf format for a column's line, with NUL in place of the query."""
    name = os.fsencode(column.label).ljust(22).replace(b"%", b"%%")
    if column.measure is None:
        return name + (b"\t\0\t'%s'\n" if column.name == "relstring" else b"\t\0\t%s\n")
    form = b"%d" if column.aggregate == "sum" and not zscores else b"%6.4f"
    return (b"Z" if zscores else b"") + name + b"\t\0\t" + form + b"\n"


def filled(template: bytes, query: bytes, cells: tuple[Any, ...], zscores: bool) -> bytes:
    """Returns the lines of one query. 0/0 is printed as -nan, as on the machines that recorded trec_eval's output."""
    text = template.replace(b"\0", query.replace(b"%", b"%%")) % cells
    if b"nan\n" not in text:
        return text
    if not zscores:
        return text.replace(b"   nan\n", b"  -nan\n")
    signs = iter([math.copysign(1, each) for each in cells if isinstance(each, float) and math.isnan(each)])
    return re.sub(b"   nan\n", lambda found: b"  -nan\n" if next(signs) < 0 else found[0], text)


def per_query(
    names: list[bytes],
    asked: list[PrintedValue],
    values: Floats,
    strings: dict[str, list[bytes]],
    zscores: bool,
) -> bytes:
    """Returns the lines of each query."""
    shown = [
        place
        for place, column in enumerate(asked)
        if column.name not in ("runid", "num_q") and column.aggregate != "geometric"
    ]
    template = b"".join(line(asked[place], zscores) for place in shown)
    cells = [
        strings[asked[place].label] if asked[place].measure is None else values[:, place].tolist()
        for place in shown
    ]
    rows = zip(*cells) if cells else iter([()] * len(names))
    return b"".join(filled(template, name, row, zscores) for name, row in zip(names, rows))


def summary(
    request: TrecEvalRequest, judged: JudgmentFormat, run: Ranked, asked: list[PrintedValue], values: Floats
) -> bytes:
    """Returns the lines for all queries together."""
    count = len(judged.queries) if request.complete else len(values)
    shown = [place for place, column in enumerate(asked) if column.name != "relstring"]
    totals = [
        run.found.tag
        if asked[place].measure is None
        else in_all(asked[place], np.ascontiguousarray(values[:, place]), count)
        for place in shown
    ]
    for place, column in enumerate(asked[place] for place in shown):
        if column.name == "num_q":
            totals[place] = float(count)
        elif column.name == "num_rel" and request.complete:
            totals[place] = float(cast("Any", judged).n_positive())
    template = b"".join(line(asked[place], request.zscores is not None) for place in shown)
    return filled(template, b"all", tuple(totals), request.zscores is not None)


def in_all(column: PrintedValue, values: Floats, count: int) -> float:
    """Returns the sum over all queries, in byte order of their ids, divided by ``count``."""
    total = float(_native.total(values, np.array([0, len(values)]))[0])
    if math.isnan(total):
        return float(values[np.isnan(values)][0])  # the processor preserves the sign of NaN
    if column.aggregate == "sum":
        return total
    if column.aggregate == "geometric":
        mean = (total + (count - len(values)) * math.log(GEOMETRIC_FLOOR)) / count
        return math.exp(mean) if mean < 700 else math.inf
    return total / count
