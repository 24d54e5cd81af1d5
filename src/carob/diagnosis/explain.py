"""``carob.explain``: derives the value of a measure for one query, step by step."""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from dataclasses import field
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, TypeVar

from carob._cached import cached_property
from carob._dataclasses import dataclass, replace
from carob._numpy import np
from carob._version import __version__
from carob.conventions.request import Request, conventions, labelled
from carob.evaluation.engine import Matches, judgments_for, nested
from carob.evaluation.score_tables import wanted_words
from carob.evaluation.values import extreme_values
from carob.inputs.errors import refused
from carob.inputs.ids import text_of, texts_of
from carob.inputs.qrels import Qrels
from carob.inputs.run import Run, in_memory
from carob.inputs.sources import called
from carob.lists.flat import Flat
from carob.lists.rows import untied
from carob.matching.match import (
    Ranking,
    match,
    match_judged_ranking,
    of_query,
    rankings_of,
)
from carob.matching.mismatch import refuse_empty
from carob.matching.signs import upside_down
from carob.output import escaping
from carob.output.document import Document, Documented, Formula, Line, Section, Table, Terms
from carob.output.errors import DataError, MeasureError, Worded, did_you_mean
from carob.output.formats.latex import FORMAT as LATEX
from carob.output.language import ENGLISH, Language, language_named
from carob.output.results import Records

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from carob.conventions.policy import Policy
    from carob.conventions.profiles import ProfileLike
    from carob.conventions.request import Measured
    from carob.inputs.qrels import QrelsLike
    from carob.inputs.run import RunLike
    from carob.lists.derivation import Derivation, RankedSheet
    from carob.lists.derivation import FormulaLine as Numbers
    from carob.matching.match import Match
    from carob.measures import Measure


Shown = TypeVar("Shown")

HEAD, END = 10, 2
"""The numbers of documents that a shortened list shows from its start and from its end."""
MOST_NAMED = 5
"""The maximum number of relevant documents that are named among those that were not retrieved."""
TITLE_WIDTH = 20
UNJUDGED, BETWEEN = "·", "…"


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Documented):
    """The explanation of a measure's value for one query.

    Args:
        label: the requested name of the measure.
        measure: the measure that the label stands for.
        query: the query; empty if there are only grades.
        value: the value.
        facts: sentences about the data and the policy's decisions that led to the ranked list.
        say: the language of the sentences.
        meaning: the definition of the measure, and its full name if it differs from the label.
        words: the meaning of each operation in the steps.
        titles: the titles of tables and columns, by the English titles.
        derivation: the steps of the formula.
        ranking: the documents in rank order; None if they are unknown.
        not_retrieved: the relevant documents that are missing from the run, with their grades, highest grades first.
        rows: the maximum number of documents to show of a long list; None for all.
        digits: the number of decimals.

    Example:
        >>> import carob
        >>> explanation = carob.explain("P@3", grades=[1, 0, 1, 1])
        >>> explanation.value
        0.6666666666666666
        >>> print(explanation.steps[-1].expression, explanation.steps[-1].filled)
        ratio(b, c) ratio(2, 3)
    """

    label: str
    measure: Measure
    query: str
    value: float
    facts: tuple[str, ...]
    say: Language
    meaning: tuple[str, ...]
    words: dict[str, str]
    titles: dict[str, str]
    derivation: Derivation
    ranking: Ranking | None = None
    not_retrieved: tuple[tuple[str, float], ...] = ()
    rows: int | None = 40
    digits: int = 6

    @property
    def steps(self) -> tuple[Numbers, ...]:
        """Returns all steps in reading order: first the query's numbers, then the columns of lists, then the rest."""
        columns = [line for sheet in self.derivation.sheets for line in sheet.lines]
        return (*self.derivation.given, *columns, *self.derivation.rest)

    @cached_property
    def result(self) -> str:
        """A line with the measure, the query and the value."""
        asked = "{label} of query {query}"
        subject = self.say(asked, label=self.label, query=self.query) if self.query else self.label
        return escaping.sentence(f"{subject} = {shown(self.value, self.digits)}")

    @property
    def full_name(self) -> str:
        """The measure's name with all parameters, including parameters at their defaults."""
        return self.measure.full

    def document(self, layout: str = "text", /) -> Document:
        """Returns the value, the definition, facts, the formula for LaTeX, tables, and the meanings of operations."""
        formula = [Formula(self.formula())] if layout == "latex" else []
        given, rest = self.derivation.given, self.derivation.rest
        sentence, *others = self.meaning
        return Document(
            [
                Section([Line(sentence, "lead"), *map(Line, others)]),
                Section([*map(Line, self.facts), *formula]),
                *([self.steps_section("Numbers of the query", given)] if given else []),
                *map(self.list_section, self.derivation.sheets),
                *([self.steps_section("Steps to the value", rest)] if rest else []),
                Section([Line(self.result, "answer")]),
                Section([Terms(tuple(self.words.items()))]),
            ],
            self.result,
            self.say.name,
        )

    def contents(self) -> dict[str, Any]:
        """Returns the value, all steps with their numbers, and the documents in rank order if they are known."""
        return {
            "measure": self.label,
            "full_name": self.full_name,
            "query": self.query,
            "value": self.value,
            "meaning": self.meaning[0],
            "facts": self.facts,
            "documents": None if self.ranking is None else self.ranking.documents,
            "scores": None if self.ranking is None else self.ranking.scores,
            "not_retrieved": [{"document": name, "grade": grade} for name, grade in self.not_retrieved],
            "given": self.derivation.given,
            "lists": self.derivation.sheets,
            "steps": self.derivation.rest,
            "words": self.words,
            "carob": __version__,
        }

    def records(self) -> dict[str, Callable[[], Records]]:
        """Returns the tables of ``steps`` (a row for each number) and of ``documents`` (a column for each step)."""
        return {"steps": self.step_records, "documents": self.document_records}

    def step_records(self) -> Records:
        """Returns a row for each number of each step. The place is a document's position in the list, from 1."""
        sheets = ((sheet.name, sheet.lines, True) for sheet in self.derivation.sheets)
        rows = [
            (name, line.letter, line.expression, line.filled, place if several else None, value)
            for name, lines, several in (
                ("", self.derivation.given, False),
                *sheets,
                ("", self.derivation.rest, False),
            )
            for line in lines
            for place, value in enumerate(line.values, 1)
        ]
        return Records(["list", "letter", "step", "in_numbers", "place", "value"], rows)

    def document_records(self) -> Records:
        """Returns a row for each ranked document with its grade; the grade of an unjudged document is empty."""
        sheet = next((each for each in self.derivation.sheets if each.is_run), None)
        columns: dict[str, Sequence[Any]] = {"rank": (), "document": (), "score": (), "grade": ()}
        if sheet is not None:
            known, nothing = self.ranking, [None] * len(sheet.grade)
            columns["rank"] = [int(rank) for rank in sheet.rank] or range(1, len(sheet.grade) + 1)
            columns["document"] = nothing if known is None else known.documents[: len(nothing)]
            columns["score"] = nothing if known is None or not known.scores else known.scores[: len(nothing)]
            columns["grade"] = [None if grade < 0 else grade for grade in sheet.grade]
            columns |= {line.letter: line.values for line in sheet.lines if len(line.values) == len(nothing)}
        return Records([*columns], list(zip(*columns.values(), strict=True)))

    def beside(self) -> list[str]:
        """Returns the sentences about the ranked list, which do not fit in CSV."""
        return [*self.facts]

    def steps_section(self, title: str, lines: Sequence[Numbers]) -> Section:
        """Returns the table of the query's numbers with a row per step."""
        rows = [
            [
                line.letter,
                in_words(line.expression, self.say),
                in_words(line.filled, self.say),
                numbers(line.values, self.digits),
            ]
            for line in lines
        ]
        header = ["", self.titles["step"], self.titles["in numbers"], self.titles["value"]]
        if not any(line.filled for line in lines):
            rows, header = [[row[0], row[1], row[3]] for row in rows], [header[0], header[1], header[3]]
        return Section([Table(header, rows, len(header) - 1)], self.titles[title])

    def list_section(self, sheet: RankedSheet) -> Section:
        """Returns the table of a ranked list with a column per step. Only the visible rows are formatted."""
        kept = self.kept(sheet)
        say, titles, names = self.say, self.titles, []
        columns = (
            [(titles["rank"], [str(int(rank)) for rank in shown_of(sheet.rank, kept)])] if sheet.rank else []
        )
        if sheet.is_run and self.ranking is not None:
            names = [len(columns)]
            columns.append((titles["document"], shown_of(self.ranking.documents, kept)))
            if self.ranking.scores:
                columns.append((titles["score"], level(shown_of(self.ranking.scores, kept))))
        if sheet.grade:
            grades = shown_of(sheet.grade, kept)
            columns.append(
                (titles["grade"], [UNJUDGED if grade < 0 else number_text(grade) for grade in grades])
            )
        columns += [
            (in_words(heading(line), say), column(shown_of(line.values, kept), self.digits))
            for line in sheet.lines
        ]
        cells = [list(row) for row in zip(*(cells for _, cells in columns))]
        notes = [say(sheet.meaning)] if sheet.meaning and not sheet.is_run else []
        notes += [
            f"{line.letter} = {in_words(line.expression, say)}" for line in sheet.lines if is_wide(line)
        ]
        table = Table([title for title, _ in columns], with_gaps(cells, kept), names)
        after = left_out(sheet, kept, say)
        return Section(
            [*map(Line, notes), table, *([Line(after, "small")] if after else [])], self.title_of(sheet)
        )

    def title_of(self, sheet: RankedSheet) -> str:
        """Returns the title of a list's section."""
        if not sheet.is_run:
            return in_words(sheet.name, self.say)
        if self.measure.depth is None:
            return self.titles["Ranked list"]
        return self.say("Ranked list down to rank {depth}", depth=self.measure.depth)

    def kept(self, sheet: RankedSheet) -> list[int]:
        """Selects the documents to show: the list's start and end, and then judged documents, relevant first."""
        length = (
            len(sheet.grade) if sheet.grade else max((len(line.values) for line in sheet.lines), default=0)
        )
        if self.rows is None or length <= max(self.rows, HEAD + END):
            return list(range(length))
        judged = [place for place, grade in enumerate(sheet.grade) if grade >= 0]
        relevant = [place for place in judged if sheet.grade[place] > 0]
        wanted = dict.fromkeys([*range(HEAD), *range(length - END, length), *relevant, *judged])
        kept = set(list(wanted)[: max(self.rows, HEAD + END)])
        # Show a single omitted document, which needs no more space than the dots that would replace it.
        kept |= {place + 1 for place in kept if place + 2 in kept}
        return sorted(kept)

    def formula(self) -> str:
        """Returns the explanation's formula as LaTeX, one line per step. The LaTeX code needs the package amsmath.

        Brackets around a condition are 1 if the condition holds, else 0. A fraction is 0 if its denominator is 0.
        """
        lines = [*self.derivation.mathematics]
        last = lines[-1].partition(" &= ")[0]
        lines.append(f"\\text{{{LATEX.escape(self.label)}}} &= {last}")
        others = [
            f"$\\ast$ {LATEX.escape(each.name)}: {LATEX.escape(each.meaning)}"
            for each in self.derivation.sheets
            if not each.is_run
        ]
        return "\n\n".join(["\\begin{align*}\n" + " \\\\\n".join(lines) + "\n\\end{align*}", *others])


TABLES = ("Numbers of the query", "Steps to the value", "Ranked list")
TITLES = (*TABLES, "step", "in numbers", "value", "rank", "document", "score", "grade")
"""The titles of tables and columns, translated only once for all queries."""


def in_words(expression: str, say: Language) -> str:
    """Translates the names of operations in an expression to a language. Names of parameters are not translated."""
    known = say.operations
    if not known:
        return expression
    # A word before "=", or in parentheses after a word, is a parameter or its value, such as log2 in discount(log2).
    return re.sub(
        r"\b[a-z_]\w*(?=\()|(?<![\w(=, ])[a-z_]\w+\b(?!=)|\brank\b",
        lambda found: known.get(found[0], found[0]),
        expression,
    )


# ---------------------------------------------------------------- cells


def shown_of(values: Sequence[Shown], kept: Sequence[int]) -> list[Shown]:
    """Returns the values of the visible documents."""
    return [values[place] for place in kept if place < len(values)]


def with_gaps(cells: list[list[str]], kept: list[int]) -> list[list[str]]:
    """Returns the visible rows, with dots in place of omitted rows."""
    rows: list[list[str]] = []
    for row, place, before in zip(cells, kept, [-1, *kept]):
        if place > before + 1:
            rows.append([BETWEEN, *[""] * (len(row) - 1)])
        rows.append(row)
    return rows


def left_out(sheet: RankedSheet, kept: list[int], say: Language = ENGLISH) -> str:
    """Returns the notes under a list: the number of omitted rows, and the meaning of a dot."""
    length = len(sheet.grade)
    if not length and sheet.is_run:
        return say("No document was retrieved.")
    some = any(sheet.grade[place] < 0 for place in kept)
    dots = say(" {dot} is an unjudged document.", dot=UNJUDGED) if some else ""
    if length <= len(kept):
        return dots.lstrip()
    said = say("{kept} of {length} documents are shown", kept=len(kept), length=length)
    others = length - len(kept)
    known = len([grade for grade in sheet.grade if grade >= 0])
    judged = known - sum(sheet.grade[place] >= 0 for place in kept)
    if judged == others:
        return say("{said}.{dots}", said=said, dots=dots)
    sentence = "{said}; {judged} of the {others} others " + ("is" if judged < 2 else "are") + " judged.{dots}"
    none = "{said}; none of the {others} others is judged.{dots}"
    return say(sentence if judged else none, said=said, others=others, judged=judged, dots=dots)


def heading(line: Numbers) -> str:
    """Returns the title of a column: the step's letter and, unless it is too long, its expression."""
    return f"{line.letter}\n{BETWEEN if is_wide(line) else line.expression}"


def is_wide(line: Numbers) -> bool:
    """Returns whether a step's expression is too long for the title of a column of numbers."""
    return len(line.expression) > TITLE_WIDTH


def column(values: Sequence[float], digits: int) -> list[str]:
    """Formats the numbers of a column as whole numbers or with an equal number of decimals (an exact 0 as 0)."""
    if all(value == value // 1 for value in values):
        return [number_text(value) for value in values]
    return ["0" if value == 0 else shown(value, digits) for value in values]


def level(scores: Sequence[float]) -> list[str]:
    """Formats scores with the same number of decimals, at most six."""
    texts = [f"{score:.6f}".rstrip("0").partition(".")[2] for score in scores]
    if any(score != 0 and not 1e-3 <= abs(score) < 1e9 for score in scores):
        return [f"{score:.7g}" for score in scores]
    decimals = max(map(len, texts), default=0)
    return [f"{score:.{decimals}f}" for score in scores]


def numbers(values: Sequence[float], digits: int) -> str:
    """Formats the number of a query, or the numbers of all its lists."""
    return ", ".join(number_text(value) if value == value // 1 else shown(value, digits) for value in values)


def number_text(value: float) -> str:
    """Formats a number, without decimals if it is whole."""
    return str(int(value)) if value == value // 1 and abs(value) < 1e15 else f"{value:g}"


def shown(value: float, digits: int) -> str:
    """Formats a number with ``digits`` decimals, or in scientific notation if it would be rounded to 0 or is huge."""
    if math.isnan(value):
        return "undefined"
    if value != 0 and (abs(value) < 0.5 * 10**-digits or abs(value) >= 1e12):
        return f"{value:.{max(digits - 1, 0)}e}"
    return f"{value:.{digits}f}"


def explain(
    measure: str | Measured,
    qrels: QrelsLike | None = None,
    run: RunLike | None = None,
    query: str | None = None,
    *,
    grades: Sequence[float | None] | None = None,
    judged: Sequence[float | None] | None = None,
    judged_ranking: QrelsLike | None = None,
    policy: Policy | None = None,
    profile: ProfileLike = None,
    rows: int | None = 40,
    digits: int = 6,
    lang: str = "en",
) -> Explanation:
    """Show how the value of a measure for one query is computed, from grades or from judgments and a run.

    Args:
        measure: a name or a ``Measure``.
        qrels: relevance judgments, as in ``evaluate``.
        run: a run, as in ``evaluate``.
        query: the id of the query.
        grades: instead of files, the grades of the ranked documents, best rank first, with None for an unjudged
            document.
        judged: if ``grades`` is given, the grades of all judged documents, as in ``evaluate_grades``; the ranked grades
            if None.
        judged_ranking: instead of ``qrels`` and ``run``, judged documents in rank order.
        policy: as in ``evaluate``.
        profile: as in ``evaluate``.
        rows: the maximum number of documents to show of a long list; None for all.
        digits: the number of decimals.
        lang: the language of the sentences: ``en``, or ``zh`` for Chinese.

    Raises:
        DataError: the query is unknown or left out by the policy, or the data cannot be read.
        MeasureError: the measure does not exist, or the name stands for several measures.

    Example:
        >>> import carob
        >>> print(carob.explain("P@3", grades=[1, 0, 1, 1]))
        P@3 = 0.666667
        <BLANKLINE>
        The share of the first k documents that are relevant.
        In full: P(rel=1, over=depth)@3
        <BLANKLINE>
        Ranked list down to rank 3
                               a
        rank  grade  hits(rel=1)
           1      1            1
           2      0            0
           3      1            1
        <BLANKLINE>
        Steps to the value
           step         in numbers      value
        b  total(a)                         2
        c  depth                            3
        d  ratio(b, c)  ratio(2, 3)  0.666667
        <BLANKLINE>
        P@3 = 0.666667
        <BLANKLINE>
        hits   1 for a document whose grade is at least rel, else 0.
        total  The sum over each list, added up from rank 1.
        depth  The depth of the cut or, without a cut, the number of documents
               retrieved.
        ratio  part / whole, or 0 if whole is 0.
        <BLANKLINE>
    """
    convention, general = conventions(profile, policy)
    asked = labelled([measure], convention)
    if len(asked) > 1:
        several = ", ".join(asked)
        raise MeasureError(f"'{measure}' stands for {len(asked)} measures ({several}): name one of them.")
    ((label, meant),) = asked.items()
    refuse_unexplained(meant)
    subject = subject_of(qrels, run, query, grades, judged, judged_ranking, general)
    own = general.of_measure(meant)
    found = subject.matches.under(own)
    if subject.run is not None:
        refuse_empty(subject.run, found, own)
        upside_down(subject.run, found.signs, found.whole, found.queries)
    refuse_left_out(found, own, subject, meant)
    scores = subject.matches.scores(Request(asked, convention, general), bounds=False)
    values, say = scores.by_query(label), language_named(lang)
    (made,) = explained(subject, label, meant, own, values, rows=rows, digits=digits, say=say)
    return made


def refuse_unexplained(measure: Measure) -> None:
    """Refuses a measure whose value cannot be explained by a single query's list.

    Raises:
        MeasureError: the measure uses subtopics, or the documents of all queries.
    """
    if measure.definition.groups:
        raise MeasureError(
            f"{measure} combines the ranked lists of a query's subtopics, but a derivation shows only one list. "
            "Explain a measure of one list, such as AP or DCG, with the judgments of a single subtopic."
        )
    if measure.micro:
        raise MeasureError(
            f"{measure} compares documents of all queries, so a single query cannot explain the value. To "
            "explain the pairs of one query, leave out micro=true."
        )


def explained(
    subject: Subject,
    label: str,
    measure: Measure,
    policy: Policy,
    values: Mapping[str, float],
    *,
    rows: int | None = 40,
    digits: int = 6,
    say: Language = ENGLISH,
) -> list[Explanation]:
    """Returns the derivation of a measure for each query that has a value. The formula is called once for all queries.

    Args:
        subject: the ranked lists to explain.
        label: the name of the measure in tables.
        measure: the measure.
        policy: the policy for this measure.
        values: the value of each query.
        rows: as in ``explain``.
        digits: as in ``explain``.
        say: the language of the sentences.

    Raises:
        MeasureError: the measure cannot be explained by a single query's list.
    """
    # Imported here so that carob starts quickly, because most users do not need explanations.
    from carob.lists.derivation import derivations, trace

    refuse_unexplained(measure)
    found = subject.matches.under(policy)
    found = found.only(np.array([query in values for query in found.queries.texts], bool))
    queries = found.queries.texts
    if not queries:
        return []
    lists = Flat(found.rows, every_rank=True)
    worked = derivations(trace(measure.values, lists), len(queries))
    definition, full = measure.definition, measure.full
    named = () if label == full else (say("In full: {name}", name=full),)
    meaning = (say.measures.get(definition.name, definition.sentence), *named)
    words = {in_words(word, say): say(sentence) for word, sentence in worked[0].words.items()}
    shared = (say, meaning, words, {title: say(title) for title in TITLES})
    relevant = np.asarray(measure.wanted.count(Flat(found.rows))).astype(int).tolist()
    own = [values[query] for query in queries]
    names, rankings = queries if subject.qrels else ("",), subject.rankings(queries, policy, lists)
    lacking = subject.not_retrieved(names, rankings, measure, policy)
    facts = zip(
        subject.sizes(found, measure, relevant, say),
        lacking_told(lacking, policy, say),
        decisions(found, policy, measure, subject.changed(found), digits, say),
        overruled([each.value for each in worked], own, found, policy, relevant, say),
        strict=True,
    )
    return [
        Explanation(label, measure, name, value, (*chain(*its),), *shared, steps, ranking, out, rows, digits)
        for name, value, its, steps, ranking, out in zip(
            names, own, facts, worked, rankings, lacking, strict=True
        )
    ]


@dataclass(frozen=True, eq=False, repr=False)
class Subject:
    """The ranked lists to explain: one list of grades, one judged ranking, or the lists of some queries of a run.

    Args:
        name: the name of the run.
        matches: the ranked lists, matched once for each policy.
        qrels: a separate set of judgments for each query, by query; empty for grades.
        run: the run; None for grades and for a judged ranking.
        known: a cache of the documents in rank order, by policy and query.
    """

    name: str
    matches: Matches
    qrels: dict[str, Qrels] = field(default_factory=dict)
    run: Run | None = None
    known: dict[tuple[Policy, str], Ranking] = field(default_factory=dict)

    @property
    def query(self) -> str:
        """The first query; an empty text for grades."""
        return next(iter(self.qrels), "")

    def part(self, queries: Iterable[str]) -> Subject:
        """Returns the lists of some of the queries."""
        kept = {query: self.qrels[query] for query in queries}

        def match_of(policy: Policy) -> Match:
            found = self.matches.under(policy)
            return found.only(np.array([query in kept for query in found.queries.texts], bool))

        return replace(self, qrels=kept, matches=Matches(match_of, self.name, {}))

    def rankings(self, queries: Sequence[str], policy: Policy, lists: Flat) -> Sequence[Ranking | None]:
        """Returns the documents of each list in rank order, or None if there are only grades."""
        if not self.qrels:
            return [None]
        grades = [each.tolist() for each in np.split(lists.rows.grade, lists.offsets[1:-1])]
        if self.run is None:
            judgments = self.qrels[self.query].judgments
            kept = (
                (judgments.grades >= 0) | (policy.unjudged != "removed") | (policy.negative == "nonrelevant")
            )
            documents = [judgments.document(each) for each in np.flatnonzero(kept).tolist()]
            return [Ranking(tuple(texts_of(documents[: len(grades[0])])))]
        new = [place for place, query in enumerate(queries) if (policy, query) not in self.known]
        if new:
            judged, own = [self.qrels[queries[place]] for place in new], [grades[place] for place in new]
            self.know([queries[place] for place in new], policy, rankings_of(judged, self.run, policy, own))
        return [self.known[policy, query] for query in queries]

    def not_retrieved(
        self, queries: Sequence[str], rankings: Sequence[Ranking | None], measure: Measure, policy: Policy
    ) -> list[tuple[tuple[str, float], ...]]:
        """Returns the relevant documents of each query that are missing from the run, highest grades first."""
        if self.run is None or policy.judgments == "retrieved":
            return [()] * len(queries)
        judgments = [self.qrels[query].judgments for query in queries]
        grades = np.concatenate([each.grades for each in judgments])
        if policy.negative == "nonrelevant":
            grades = np.maximum(grades, 0)
        count, none = len(grades), np.zeros(0)
        # Treat each judgment as a separate list, so that the measure's own count finds the relevant judgments.
        alone = untied(np.zeros(count), np.zeros(0, np.int64), none, none, np.arange(count + 1), grades)
        relevant = (np.asarray(measure.wanted.count(Flat(alone))) > 0).tolist()
        documents = texts_of(chain.from_iterable([each.documents(0) for each in judgments]))
        known = zip(documents, grades.tolist(), relevant, strict=True)
        found = []
        for its, ranking in zip(judgments, rankings, strict=True):
            retrieved = set() if ranking is None else {*ranking.documents}
            lacking = {
                document: grade
                for document, grade, wanted in islice(known, its.count)
                if wanted and document not in retrieved
            }
            found.append(tuple(sorted(lacking.items(), key=lambda each: -each[1])))
        return found

    def know(self, queries: Sequence[str], policy: Policy, rankings: Sequence[Ranking]) -> None:
        """Caches the documents of queries in rank order under a policy."""
        self.known.update(zip([(policy, query) for query in queries], rankings, strict=True))

    def changed(self, found: Match) -> list[tuple[int, int]]:
        """Returns, for each list, the number of dropped lines of the run and of changed negative grades."""
        counts, queries = found.counts, found.queries.texts
        if len(queries) == 1:
            return [(counts.duplicates, counts.negative)]
        lines = Counter[str]()
        if counts.duplicates and self.run is not None:
            pairs = Counter(
                (query, document) for query, document, _ in self.run.held.rows(set(found.queries))
            )
            for (query, _), times in pairs.items():
                lines[text_of(query)] += times - 1
        return [
            (lines[query], counts.negative and int((self.qrels[query].judgments.grades < 0).sum()))
            for query in queries
        ]

    def sizes(
        self, found: Match, measure: Measure, relevant: Sequence[int], say: Language
    ) -> Iterator[list[str]]:
        """Yields a sentence with the numbers of retrieved, judged and relevant documents of each list."""
        if not self.qrels:
            yield []
            return
        ranked = "{name}: {retrieved} in rank order, {relevant} of them relevant ({wanted})."
        matched = (
            "{name}: {retrieved} retrieved, {judged} of them judged. {of}: {known}, {relevant} of them relevant "
            "({wanted})."
        )
        rows = found.rows
        judged = np.bincount(rows.list_of_row[rows.grade >= 0], minlength=len(rows.length))
        words = {
            "name": file_name(self.name, say("The run")),
            "of": file_name(os.path.basename(self.qrels[self.query].name), say("The query")),
            "wanted": wanted_words(measure.wanted, say),
        }
        numbers = (rows.length.astype(int), judged, np.diff(rows.judged_offsets), np.array(relevant))
        retrieved, its_judged, known, its_relevant = (each.tolist() for each in numbers)
        retrieved = [say("{count:document}", count=each) for each in retrieved]
        known = [say("{count:judgment}", count=each) for each in known]
        sentence = ranked if self.run is None else matched
        for its in zip(retrieved, its_judged, known, its_relevant, strict=True):
            yield [say(sentence, **words, **dict(zip(("retrieved", "judged", "known", "relevant"), its)))]


def file_name(name: str, otherwise: str) -> str:
    """Returns the file's name, or a generic label for data that were not read from a file."""
    return otherwise if name.startswith("<") else name


def subject_of(
    qrels: QrelsLike | None,
    run: RunLike | None,
    query: str | None,
    grades: Sequence[float | None] | None,
    judged: Sequence[float | None] | None,
    judged_ranking: QrelsLike | None,
    policy: Policy,
) -> Subject:
    """Returns the ranked lists that the arguments of ``explain`` describe.

    Raises:
        DataError: the arguments describe no lists, lists of two kinds, or a query without judgments.
    """
    given = [qrels is not None or run is not None, grades is not None, judged_ranking is not None]
    if (
        given.count(True) != 1
        or (judged is not None and grades is None)
        or (grades is not None and query is not None)
    ):
        raise DataError(
            "Pass 'qrels', 'run' and 'query', or 'grades' (optionally with 'judged'), or 'judged_ranking' and 'query'."
        )
    if grades is not None:
        pools = None if judged is None else nested(judged) or [[]]
        return Subject("grades", Matches.of_grades(nested(grades), pools, "grades"))
    if query is None:
        raise refused(
            "An explanation is for one query: name it with {option}.", option=Worded("query=", "--query")
        )
    if judged_ranking is not None:
        ranking = Qrels.of(judged_ranking, policy).complete
        name, its = called(ranking.name), alone(ranking, query)
        return Subject(name, Matches(partial(match_judged_ranking, its), name, {}), {query: its})
    if qrels is None and run is not None:
        qrels = judgments_for([run], None, policy)
    if qrels is None or run is None:
        raise DataError("An explanation needs both judgments and a run: pass 'qrels', 'run' and 'query'.")
    ranked = in_memory(Run.of(run))
    its = alone(Qrels.of(qrels, policy).complete, query)
    return Subject(ranked.name, Matches(partial(match, its, ranked), ranked.name, {}), {query: its}, ranked)


def alone(qrels: Qrels, query: str) -> Qrels:
    """Returns the judgments of a single query.

    Raises:
        DataError: the query has no judgments.
    """
    if query in qrels.queries:
        return of_query(qrels, qrels.queries.index(query))
    hint = did_you_mean(query, qrels.queries, f"They begin with query '{qrels.queries[0]}'.")
    raise DataError(
        f"{qrels.name} has no judgments for query '{query}', so no measure can be computed for it. {hint}"
    )


def refuse_left_out(found: Match, policy: Policy, subject: Subject, measure: Measure) -> None:
    """Refuses a query that the policy leaves out of the evaluation.

    Raises:
        DataError: the policy leaves the query out, so there is no value to explain.
    """
    if found.queries and (policy.empty != "skip" or np.asarray(measure.wanted.count(Flat(found.rows)))[0]):
        return
    why = (
        f"{subject.name} does not contain it (missing={policy.missing})"
        if not found.queries
        else f"it has no relevant document: {measure} requires {measure.wanted} (empty={policy.empty})"
    )
    raise DataError(f"Query '{subject.query or 1}' is excluded from the evaluation, because {why}.")


# ---------------------------------------------------------------- the policy's decisions

ORDERS = {
    "trec": "document ids break the tie, in descending byte order",
    "ascending": "document ids break the tie, in ascending byte order",
    "input": "the order of the run's lines breaks the tie",
    "rank-column": "the run's rank column breaks the tie",
    "rank": "the run's rank column breaks the tie",
    "optimistic": "they are in their best order",
    "pessimistic": "they are in their worst order",
    "expected": "all orders count equally",
}
MOST_GROUPS = 4


def decisions(
    found: Match,
    policy: Policy,
    measure: Measure,
    changed: Sequence[tuple[int, int]],
    digits: int,
    say: Language = ENGLISH,
) -> Iterator[list[str]]:
    """Yields sentences about the policy's changes to the order and the judgments of each list.

    Args:
        found: the lists.
        policy: the policy.
        measure: the measure.
        changed: the number of dropped lines and of negative grades of each list.
        digits: the number of decimals.
        say: the language of the sentences.
    """
    always = list(changes_for_all(policy, say))
    groups = tied_ranks(found, measure.depth)
    bounds: list[Any] = [None] * len(changed)
    if any(groups) and measure.definition.aggregate != "sum":
        ((_, ends, _),) = extreme_values(found, [measure], policy, None)
        bounds = list(zip(*(np.sort(ends, axis=0).tolist()), strict=True))
    for place, (dropped, negative) in enumerate(changed):
        sentences = []
        if found.missing[place]:
            sentences.append(say("The run does not contain this query, so the list is empty."))
        if groups[place]:
            sentences.append(tie_told(groups[place], policy, bounds[place], digits, say))
        if dropped:
            sentences.append(
                say(
                    "{count:line of the run dropped because its document occurs"
                    "/lines of the run dropped because their documents occur} twice (duplicates={rule}).",
                    count=dropped,
                    rule=policy.duplicates,
                )
            )
        if negative:
            sentences.append(
                say(
                    "{count:negative grade} treated as {rule} (negative={rule}).",
                    count=negative,
                    rule=policy.negative,
                )
            )
        yield [*sentences, *always]


def lacking_told(
    lacking: Sequence[tuple[tuple[str, float], ...]], policy: Policy, say: Language
) -> Iterator[list[str]]:
    """Yields, for each list, a sentence that names relevant documents that were not retrieved and counts the rest."""
    where = "" if policy.depth is None else say(" down to rank {depth}", depth=policy.depth)
    told, one = say("Relevant, but not retrieved{where}: {documents}."), say("{document} (grade {grade})")
    several = say("{names} and {count} more")
    for documents in lacking:
        named = ", ".join(
            one.format(document=name, grade=number_text(grade)) for name, grade in documents[:MOST_NAMED]
        )
        if len(documents) > MOST_NAMED:
            named = several.format(names=named, count=len(documents) - MOST_NAMED)
        yield [told.format(where=where, documents=named)] if documents else []


def changes_for_all(policy: Policy, say: Language) -> Iterator[str]:
    """Yields sentences about changes by the policy that apply to every list."""
    if policy.unjudged == "removed":
        yield say("Unjudged documents were removed before ranks were counted (unjudged=removed).")
    if policy.judgments == "retrieved":
        yield say("Only judgments of retrieved documents are known (judgments=retrieved).")
    if policy.depth is not None:
        one = "Only the first document of the list is evaluated (depth={depth})."
        many = "Only the first {depth} documents of the list are evaluated (depth={depth})."
        yield say(one if policy.depth == 1 else many, depth=policy.depth)


def tie_told(
    groups: list[str], policy: Policy, bounds: tuple[float, float] | None, digits: int, say: Language
) -> str:
    """Describes the ranks with equal scores, the rule that orders their documents, and the effect of the order."""
    order = say(ORDERS[policy.ties]) if policy.ties in ORDERS else f"ties={policy.ties}"
    further = len(groups) - MOST_GROUPS
    more = say(" and {count} more", count=further) if further > 0 else ""
    moved = ""
    if bounds is not None:
        low, high = (f"{bound:.{digits}f}" for bound in bounds)
        moved = (
            say(" No order of them changes the value.")
            if low == high
            else say(" Their worst and best order give {low} and {high}.", low=low, high=high)
        )
    return say(
        "Equal scores at ranks {ranks} affect judged documents: {order} (ties={ties}).{moved}",
        ranks=", ".join(groups[:MOST_GROUPS]) + more,
        order=order,
        ties=policy.ties,
        moved=moved,
    )


def tied_ranks(found: Match, depth: int | None) -> list[list[str]]:
    """Returns each list's ties, as ranges of ranks, that contain a judged document and begin within the depth."""
    rows = found.rows
    tied = (rows.tie_last > rows.tie_first) & (rows.tie_first <= (depth or np.inf))
    groups: list[dict[str, None]] = [{} for _ in rows.length]
    places = (rows.list_of_row[tied], rows.tie_first[tied].astype(int), rows.tie_last[tied].astype(int))
    for place, first, last in zip(*(each.tolist() for each in places)):
        groups[place][f"{first}–{last}"] = None
    return [*map(list, groups)]


def overruled(
    derived: Sequence[float],
    values: Sequence[float],
    found: Match,
    policy: Policy,
    relevant: Sequence[int],
    say: Language = ENGLISH,
) -> Iterator[list[str]]:
    """Yields, for each list, the reason why its value differs from the formula's value, if it does."""
    for own, value, missing, some in zip(derived, values, found.missing.tolist(), relevant, strict=True):
        same = own == value or (own != own and value != value)
        yield [] if same else [why_overruled(own, policy, say, missing=missing, empty=not some)]


def why_overruled(derived: float, policy: Policy, say: Language, *, missing: bool, empty: bool) -> str:
    """Returns the reason why a value is not the value that the formula derives for the list."""
    if missing and policy.missing == "nan":
        return say(
            "The formula is not used, because the value of a missing query is undefined (missing=nan)."
        )
    if empty and policy.empty in ("one", "nan"):
        return say(
            "The formula is not used: without a relevant document the value is {meaning} (empty={rule}).",
            meaning={"one": "1", "nan": say("undefined")}[policy.empty],
            rule=policy.empty,
        )
    return say(
        "The value is the mean over the orders of documents with equal scores (ties={ties}). One of these orders is "
        "derived below; this order gives {derived}.",
        ties=policy.ties,
        derived=f"{derived:.6f}",
    )
