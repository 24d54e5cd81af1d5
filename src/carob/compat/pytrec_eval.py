"""pytrec_eval's interface: write ``from carob.compat import pytrec_eval`` instead of ``import pytrec_eval``.

Names, arguments, result keys and numbers match pytrec_eval-terrier 0.5.11, which follows trec_eval 9: scores are
compared in single precision (in double precision with ``scores="double"``), recall points are rounded up, and queries
that are missing from the run are absent from the result. ``ndcg_rel`` may differ in the last bit, because carob
multiplies a number that the original adds several times.

It differs if the original crashes, depends on an earlier query or reads uninitialised memory:

- A query whose judgments are all negative, or whose ranking is empty, is evaluated like any other, even if it comes
  first. In that case, the original returns zeros, even for ``num_rel`` and ``gm_map``.
- ``runid``, which is a string, is 0.0 like ``relstring``, because results are numbers; the original may return any
  number.
- A cutoff of 0, a parameter that a gain measure does not accept (``ndcg.10``, ``G.5``) or text after the parameters
  (``P_5abc``) causes a ValueError. The original ends the process or ignores the parameter or text.
- ``utility.a,b,c,d`` uses the four numbers in the given order, and accepts negative numbers.
- A ``relevance_level`` below 0 is refused, like a level of 0.
- NumPy integers are accepted as grades, and NumPy numbers as scores. A grade of 2**31 or more is not truncated.
- A NaN score is refused, because NaN cannot be ordered. In the module installed by ``carob.compat.install``, documents
  with NaN scores are ranked last, as if the score were minus infinity, and a ``DataWarning`` reports how many there
  are.
- ``parse_run`` and ``parse_qrel`` refuse a document that occurs twice for one query even under ``python -O``.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from carob import _native
from carob._numpy import np
from carob.compat.requests import columns
from carob.compat.trec_eval import before_the_mean
from carob.conventions.profiles import profile_named
from carob.evaluation.values import values_of
from carob.inputs.dicts import plain
from carob.inputs.errors import entry_error
from carob.inputs.names import Names
from carob.lists.flat import Flat
from carob.matching.match import Counts, decide, rows_of
from carob.measures.grammar import NICKNAMES, TABLE
from carob.output.errors import DataError, DataWarning
from carob.output.language import plural

if TYPE_CHECKING:
    from carob.lists.rows import Floats, JudgedRows
    from carob.measures import Measure

__all__ = [
    "RelevanceEvaluator",
    "compute_aggregated_measure",
    "parse_qrel",
    "parse_run",
    "supported_measures",
    "supported_nicknames",
]

CONVENTIONS = profile_named("pytrec_eval")

supported_nicknames: dict[str, set[str]] = {
    nickname: {name for name in names if TABLE[name].since <= 9} for nickname, names in NICKNAMES.items()
}
"""The measures of each nickname. It includes measures of preferences and judgment groups, which cannot be evaluated."""

supported_measures: set[str] = set(supported_nicknames["all_trec"])
"""All measures that an evaluator accepts."""

WITH_PARAMETERS = re.compile(
    r"({})[._](-?\d+(?:\.\d+)?(?:,-?\d+(?:\.\d+)?)*)".format("|".join(supported_measures))
)
WITHOUT_CUTOFF = ("G", "ndcg", "ndcg_rel", "Rndcg")

Number = TypeVar("Number", int, float)


class RelevanceEvaluator:
    """Evaluates runs against judgments, with pytrec_eval's interface.

    Args:
        query_relevance: ``{query: {document: grade}}``, with whole numbers as grades.
        measures: names (``map``), names with parameters (``P.5,10``, ``ndcg_cut_10``) and nicknames
            (``official``).
        relevance_level: the lowest relevant grade, for measures with binary relevance.
        judged_docs_only_flag: whether to remove unjudged documents from each ranking first.
        scores: the precision with which scores are compared: ``float32``, as in the original, or ``double``.

    Raises:
        TypeError: the judgments or the level have the wrong type.
        ValueError: a measure is unknown, or does not accept its parameter.

    Example:
        >>> from carob.compat import pytrec_eval
        >>> evaluator = pytrec_eval.RelevanceEvaluator({"q": {"a": 0, "b": 1}}, {"map", "P.5"})
        >>> evaluator.evaluate({"q": {"a": 1.0, "b": 0.5}})
        {'q': {'map': 0.5, 'P_5': 0.2}}
    """

    nan_scores = "error"
    """The treatment of NaN scores: ``error``, or ``last`` to rank their documents last, with a warning."""

    def __init__(
        self,
        query_relevance: Mapping[str, Mapping[str, int]],
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,
        *,
        scores: str = "float32",
    ) -> None:
        """Reads the judgments and the measures."""
        level: object = relevance_level
        if not isinstance(level, int) or level < 1:
            raise TypeError(f"relevance_level is {relevance_level!r}: use a whole number of at least 1.")
        with type_errors("qrels"):
            self.judgments = _native.judgments_from_mapping(whole_grades(query_relevance), whole_ids=False)
        self.names = Names(*self.judgments.joined_queries)
        self.measures = keyed(measures, level)
        unjudged = "removed" if judged_docs_only_flag else "nonrelevant"
        self.policy = CONVENTIONS.policy.changed(scores=scores, unjudged=unjudged)

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """Evaluates a run.

        Args:
            scores: ``{query: {document: score}}``.

        Returns:
            ``{query: {measure: value}}`` for the queries that have judgments, in the run's order.

        Raises:
            TypeError: an id is not a str, a score is NaN or not a number, or a ranking is not a dict.
        """
        if not scores:
            return {}
        float32 = self.policy.scores == "float32"
        with type_errors("run"):
            run = as_dicts(scores, "scores")
            how: dict[str, Any] = {"float32": float32, "whole_ids": False}
            try:
                found = _native.match_mapping(self.judgments, run, **how)
            except _native.MappingError:
                if self.nan_scores == "error":
                    raise
                found = _native.match_mapping(self.judgments, without_nan(run), **how)
        rows = rows_of(self.judgments, found)
        match = decide(self.names, rows, found.length >= 0, Counts(), self.policy, "run")
        place = {query: number for number, query in enumerate(match.queries.texts)}
        keys, values = list(self.measures), values_under(match.rows, self.measures).tolist()
        return {query: dict(zip(keys, values[place[query]])) for query in scores if query in place}


def compute_aggregated_measure(measure: str, values: list[float]) -> float:
    """Returns the sum of the values for ``num_…``, their geometric mean for ``gm_…``, and otherwise their mean."""
    if measure.startswith("num_"):
        return float(np.sum(values))
    mean = float(np.mean(values)) if len(values) else float("nan")
    return float(np.exp(mean)) if measure.startswith("gm_") else mean


class DuplicateError(DataError, AssertionError):
    """Raised if a document occurs twice. It is also an AssertionError, which is what pytrec_eval raises."""


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """Parses lines of the form ``query Q0 document rank score tag``, and returns ``{query: {document: score}}``.

    Raises:
        ValueError: a line has the wrong form.
        AssertionError: a document occurs twice for one query.
    """
    return parse(f_run, 6, 4, float)


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """Parses lines of the form ``query iteration document grade``, and returns ``{query: {document: grade}}``.

    Raises:
        ValueError: a line has the wrong form.
        AssertionError: a document occurs twice for one query.
    """
    return parse(f_qrel, 4, 3, int)


# ---------------------------------------------------------------- judgments and runs


def parse(
    lines: Iterable[str], columns: int, place: int, number: Callable[[str], Number]
) -> dict[str, dict[str, Number]]:
    """Parses text, and returns the numbers in one column by query and document."""
    table: dict[str, dict[str, Number]] = {}
    for line, text in enumerate(lines, 1):
        fields = text.split()
        if len(fields) != columns:
            raise DataError(
                f"Line {line} has {len(fields)} columns where {columns} are expected: {text.strip()!r}."
            )
        inner = table.setdefault(fields[0], {})
        document = fields[2]
        if document in inner:
            raise DuplicateError(f"Line {line}: document {document!r} occurs twice for query {fields[0]!r}.")
        try:
            inner[document] = number(fields[place])
        except ValueError:
            raise DataError(f"Line {line}: {fields[place]!r} is not a {number.__name__}.") from None
    return table


def as_dicts(mapping: object, name: str) -> dict[str, Any]:
    """Returns the mapping as a dict of dicts for the kernel. Mappings that are not dicts are copied."""
    if not isinstance(mapping, Mapping):
        raise TypeError(f"{name} is a {type(mapping).__name__}: pass {{query: {{document: number}}}}.")
    return plain(mapping)


def without_nan(run: dict[str, Any]) -> dict[str, Any]:
    """Returns the run with NaN scores replaced by minus infinity, and warns about their number."""
    found = {
        query: [document for document, score in its.items() if score != score]
        for query, its in run.items()
        if isinstance(its, dict)
    }
    found = {query: those for query, those in found.items() if those}
    if not found:
        return run
    count = plural(sum(map(len, found.values())), "NaN score")
    warnings.warn(
        f"The run contains {count}, first in query '{next(iter(found))}': such documents are ranked last.",
        DataWarning,
        stacklevel=3,
    )
    return {query: {**its, **dict.fromkeys(found.get(query, ()), -math.inf)} for query, its in run.items()}


@contextmanager
def type_errors(kind: str) -> Iterator[None]:
    """Turns the kernel's errors about a mapping into TypeErrors, as in pytrec_eval."""
    try:
        yield
    except _native.MappingError as error:
        raise TypeError(str(entry_error(error, kind))) from None


def whole_grades(query_relevance: object) -> dict[str, Any]:
    """Checks that grades are whole numbers, and returns the judgments without empty queries."""
    judgments = as_dicts(query_relevance, "query_relevance")
    for query, grades in judgments.items():
        kinds = set(map(type, grades.values())) if isinstance(grades, dict) else set()
        for kind in kinds - {int, bool}:
            if not issubclass(kind, (int, np.integer)):
                raise TypeError(
                    f"Query {query!r} has a grade of type {kind.__name__}: a grade must be a whole number."
                )
    return {query: grades for query, grades in judgments.items() if grades or not isinstance(grades, dict)}


# ---------------------------------------------------------------- measures


def keyed(names: Iterable[str], level: int) -> dict[str, Measure | None]:
    """Returns the measure for each result key in trec_eval's order, or None if the value is a string."""
    given: dict[str, list[str]] = {}
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"The name of a measure must be text, not {name!r}.")
        for member in supported_nicknames.get(name, {name}):
            word, parameters = taken_apart(member)
            given.setdefault(word, []).extend(parameters)
    texts = {word: parameters_of(word, numbers) for word, numbers in given.items() if numbers}
    made = columns(set(given), texts, level=level, collection=0, version=9)
    return {each.label if TABLE[each.name].cutoffs else each.name: each.measure for each in made}


def taken_apart(name: str) -> tuple[str, list[str]]:
    """Splits a name from its parameters. ``P.5,10`` and ``P_5,10`` mean P with the cutoffs 5 and 10."""
    if name in supported_measures:
        return name, []
    match = WITH_PARAMETERS.fullmatch(name)
    if match is None:
        raise ValueError(f"unsupported measure {name}")
    word, parameters = match.group(1), match.group(2).split(",")
    if word in WITHOUT_CUTOFF:
        hint = " (ndcg_cut takes cutoffs)" if word == "ndcg" else ""
        raise ValueError(f"unsupported measure {name}: {word} takes no parameters{hint}")
    return word, parameters


def parameters_of(word: str, numbers: list[str]) -> str:
    """Returns the parameters of a measure as text for trec_eval, without parameters that pytrec_eval ignores."""
    values = sorted(set(map(float, numbers)))
    if TABLE[word].cutoffs and TABLE[word].whole:
        values = sorted(set(map(float, map(int, values))))
        if values[0] < 1:
            raise ValueError(
                f"unsupported measure {word}_{values[0]:g}: a cutoff is a whole number of at least 1"
            )
    if word == "set_F":
        return min(numbers)
    if word == "utility":
        if len(numbers) != 4:
            raise ValueError(f"utility takes four numbers, as in utility.1,-1,0,0, not {len(numbers)}")
        return ",".join(numbers)
    return ",".join(map(repr, values))


# ---------------------------------------------------------------- values


def values_under(rows: JudgedRows, measures: dict[str, Measure | None]) -> Floats:
    """Returns the value of each list and key before averaging over queries, as in trec_eval's C code."""
    asked = list(dict.fromkeys(measure for measure in measures.values() if measure is not None))
    values = np.zeros((len(rows.length), len(measures)))
    if not asked:
        return values
    known, lists = values_of(rows, asked), Flat(rows)
    for place, measure in enumerate(measures.values()):
        if measure is not None:
            values[:, place] = before_the_mean(known[:, asked.index(measure)], lists, measure)
    return values
