"""Reads qrels and runs leniently, and evaluates runs with one change at a time to show its effect on the means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any, cast

from carob import _native
from carob._cached import cached_property
from carob._dataclasses import dataclass, replace
from carob._numpy import np
from carob.conventions.policy import Policy
from carob.diagnosis.check.finding import Values, refusal
from carob.evaluation.engine import MOST_SHARED, Matches, scores_of
from carob.inputs.errors import sentences
from carob.inputs.qrels import Qrels
from carob.inputs.run import Run
from carob.inputs.runs import MatchOptions, TextRun
from carob.inputs.runs.answered import RunWithEmptyLists
from carob.inputs.sources import called, memory
from carob.inputs.spellings import folded, other_spellings
from carob.matching.match import MatchedOnce, rows_of
from carob.output.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from carob.conventions.request import Request
    from carob.diagnosis.check.inputs import SurveyedText
    from carob.evaluation.engine import Ideals
    from carob.evaluation.scores import Scores
    from carob.inputs.sources import Source
    from carob.lists.rows import Floats, JudgedRows
    from carob.measures import Measure


@dataclass(eq=False)
class LenientQrels:
    """Judgments that were read leniently.

    Args:
        text: the text of the judgments.
        table: the judgments in the text; None if there are none.
        by_subtopic: whether documents are judged once for each subtopic. If so, the highest grade counts.
    """

    text: SurveyedText
    table: Qrels | None = None
    by_subtopic: bool = False

    @classmethod
    def of(cls, text: SurveyedText) -> LenientQrels:
        """Reads the judgments. If the kernel refuses the data, the error becomes a finding."""
        strictly(text, Qrels.of)
        table = None
        if text.source is not None:
            try:
                table = read_leniently(text, "first")
                if by_subtopic(text, table):
                    return cls(text, read_leniently(text, "max"), by_subtopic=True)
            except DataError as error:
                text.refuse(refusal("refused", text.name, error))
        return cls(text, table if table and table.judgments.query_count else None)

    @property
    def qrels(self) -> Qrels:
        """The judgments as ``Qrels``; ``table`` must not be None."""
        assert self.table is not None
        return self.table

    @property
    def judgments(self) -> _native.Judgments:
        """The judgments in the kernel's form; ``table`` must not be None."""
        return self.qrels.judgments

    def respelled(self, queries: dict[bytes, bytes], documents: dict[bytes, bytes]) -> Qrels:
        """Returns the judgments with some ids replaced."""
        rows = [(queries.get(query, query), documents.get(each, each)) for query, each in self.rows()]
        return from_rows(rows, self.qrels.judgments.grades)

    def rows(self) -> list[tuple[bytes, bytes]]:
        """The query and the document of each judgment."""
        return [(query, document) for query, document, _ in self.qrels.rows()]


def read_leniently(text: SurveyedText, duplicates: str) -> Qrels:
    """Reads judgments leniently, so errors can be reported as findings.

    Raises:
        DataError: the kernel refuses the judgments even in lenient mode.
    """
    assert text.source is not None
    with sentences(text.name, "qrels"):
        judgments = _native.read_judgments(text.source.from_start(), duplicates=duplicates, lenient=True)
    return Qrels(text.name, judgments)


def by_subtopic(text: SurveyedText, table: Qrels) -> bool:
    """Returns whether repeated judgments of a document have different labels in the second column."""
    if not table.judgments.dropped:
        return False
    assert text.source is not None
    with sentences(text.name, "qrels"):
        ids, _, _ = _native.read_rows(text.source.from_start(), columns=4, number="grade", lenient=True)
    return len(set(zip(*ids, strict=True))) == len(ids[0])


def from_rows(rows: list[tuple[bytes, bytes]], grades: Floats) -> Qrels:
    """Creates judgments from pairs of a query and a document, with a grade for each."""
    queries, documents = [query for query, _ in rows], [document for _, document in rows]
    return Qrels("<rows>", _native.judgments_from_rows(queries, documents, grades, duplicates="first"))


def strictly(text: SurveyedText, reader: Callable[[Any], Any]) -> None:
    """Records the reason if carob refuses a dict. The check continues with the lines written from this dict."""
    if isinstance(text.given, Mapping) and text.source is not None:
        try:
            reader(text.given)
        except DataError as error:
            text.faults.append(refusal("refused", text.name, error))


LENIENT = Policy(duplicates="first", malformed="skip", overlap="none")
"""The policy of a check, which refuses nothing that can be skipped."""
DEPTH = 10
"""The depth at which the share of judged documents is reported."""


@dataclass(eq=False)
class RunAndQrels:
    """A run and the judgments against which it is evaluated.

    Args:
        given: the judgments.
        text: the run's text.
        request: the measures whose means show the effects, under the policy of a check.
        queries: the run's spelling of each judged query that the run contains only in another spelling.
        documents: the run's spelling of each judged document that it spells differently, and the line where it first
            occurs.
        run: the run to match; None if there is nothing to match.
        matched: the kernel's match; None if there was nothing to match.
        others: copies of the run with changed lines, by the name of the change.
        scored: the scores computed so far, by the alternative decisions.
    """

    given: LenientQrels
    text: SurveyedText
    request: Request
    queries: dict[bytes, bytes] = field(default_factory=dict)
    documents: dict[bytes, tuple[bytes, int]] = field(default_factory=dict)
    run: Run | None = None
    matched: _native.Matched | None = None
    others: dict[str, Run] = field(default_factory=dict)
    scored: dict[Any, Scores | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Sets ``judged`` to the unchanged judgments."""
        self.judged = self.given

    @classmethod
    def of(cls, judged: LenientQrels, text: SurveyedText, request: Request) -> RunAndQrels:
        """Surveys the run and matches it with the judgments."""
        nothing = judged.table is None
        judgments = Qrels.of({"": {"": 0}}).judgments if nothing else judged.judgments
        strictly(text, lambda given: Run.of(given).match(judgments, MatchOptions(Policy())))
        if nothing:
            text.read()
            return cls(judged, text, request)
        survey = text.read(judgments)
        queries = {} if text.by_position else other_spellings(*survey.strangers(judgments))
        documents = {
            each: (token, line)
            for each, token, line in survey.spellings(judgments)
            if folded(each) == folded(token)
        }
        pair = cls(judged, text, request, queries, documents)
        if queries or documents:
            # Most other problems can be found only if queries and documents match.
            pair.judged = LenientQrels(judged.text, pair.spelled(queries=True, documents=True))
        if text.source is not None and survey.rows:
            pair.run = pair.run_of(text.source, called(text.name))
            try:
                found = pair.run.match(pair.judged.qrels.judgments, MatchOptions(request.policy))
                pair.matched = cast("_native.Matched", found)  # text is matched by the kernel
            except DataError as error:
                text.refuse(refusal("refused", text.name, error))
        return pair

    def spelled(self, *, queries: bool, documents: bool) -> Qrels:
        """Returns the judgments with the run's spelling of queries or documents."""
        tokens = {each: token for each, (token, _) in self.documents.items()} if documents else {}
        return self.given.respelled(self.queries if queries else {}, tokens)

    def run_of(self, source: Source, name: str) -> Run:
        """Returns a run with the lines of a source and the empty lists of the original run."""
        return Run(name, MatchedOnce(RunWithEmptyLists(TextRun(source), self.text.answered)))

    @property
    def name(self) -> str:
        """The name of the run, as used in findings."""
        return self.text.name

    @property
    def survey(self) -> _native.Survey:
        """The counts of one pass over the run."""
        return self.text.read()

    @property
    def judgments(self) -> _native.Judgments:
        """The judgments, with ids in the run's spelling."""
        return self.judged.judgments

    @property
    def found(self) -> _native.Matched:
        """The kernel's match; ``matched`` must not be None."""
        assert self.matched is not None
        return self.matched

    @cached_property
    def lists(self) -> int:
        """The number of lists with several documents."""
        return int(np.count_nonzero(self.found.length > 1))

    @cached_property
    def rows(self) -> JudgedRows:
        """The rows of judged documents."""
        return rows_of(self.judgments, self.found)

    @cached_property
    def retrieved(self) -> NDArray[np.bool_]:
        """Returns a mask of the judged queries that are in the run, with documents or with an empty list."""
        return np.asarray(self.found.length >= 0)

    @cached_property
    def judged_at_depth(self) -> tuple[int, int]:
        """The number of judged documents and the number of all documents in the top ranks of all lists."""
        top = (self.rows.rank <= DEPTH) & (self.rows.grade >= 0)
        return int(np.count_nonzero(top)), int(np.minimum(self.rows.length, DEPTH).sum())

    def scores(self, *, qrels: Qrels | None = None, change: str | None = None, **axes: Any) -> Scores | None:
        """Returns the scores under alternative judgments, lines or policy settings, or None if they cannot be computed.

        Args:
            qrels: other judgments.
            change: a change to the run's lines, as in ``changed``.
            axes: settings of the policy.
        """
        if self.run is None or self.matched is None:
            return None
        key = (qrels, change, *axes.items())
        if key not in self.scored:
            run = self.run if change is None else self.changed(change)
            request = (
                replace(self.request, policy=self.request.policy.changed(**axes)) if axes else self.request
            )
            matched = Matches.of_run(qrels or self.judged.qrels, run, request, scores_only=True)
            try:
                self.scored[key] = usable(matched.scores(request, bounds=not (axes or change or qrels)))
            except DataError:
                self.scored[key] = None
        return self.scored[key]

    @property
    def measures(self) -> list[Measure]:
        """The measures whose means show the effects."""
        return list(self.request.asked.values())

    def changed(self, change: str) -> Run:
        """Returns the run after a change: negated scores, order by rank, or removal of the queries' own documents."""
        if change not in self.others:
            assert self.text.source is not None
            content = _native.changed_run(self.text.source.from_start(), change)
            self.others[change] = self.run_of(memory(content), self.text.name)
        return self.others[change]

    def means(self, **how: Any) -> dict[str, float]:
        """Returns the means under alternative decisions, or an empty dict if there are no scores."""
        scores = self.scores(**how)
        return {} if scores is None else scores.means()

    def alternatives(self, **axes: dict[str, Any]) -> Values:
        """Returns the means under several alternative decisions, by name.

        Alternatives under which carob cannot compute scores are left out.
        """
        found = {name.replace("_", " "): self.means(**how) for name, how in axes.items()}
        return {name: means for name, means in found.items() if means}

    def rematched(self, **axes: Any) -> _native.Matched:
        """Matches the run with the judgments again under a changed policy."""
        assert self.run is not None
        policy = self.request.policy.changed(**axes)
        return cast("_native.Matched", self.run.match(self.judgments, MatchOptions(policy)))


def usable(scores: Scores) -> Scores | None:
    """Returns the scores, or None for a run without a judged query, because ``carob eval`` would refuse the run."""
    return None if len(scores.counts.missing) == scores.counts.judged else scores


def with_same_judgments(pairs: Iterable[RunAndQrels]) -> list[list[RunAndQrels]]:
    """Groups the runs that are evaluated against the same judgments in the same spelling."""
    groups: dict[int, list[RunAndQrels]] = {}
    for pair in pairs:
        groups.setdefault(id(pair.judged), []).append(pair)
    return list(groups.values())


def score_together(pairs: Sequence[RunAndQrels], qrels: Qrels | None = None) -> None:
    """Computes the scores of runs against their common judgments, or ``qrels``, with one call of each formula."""
    runs = [(pair, pair.run) for pair in pairs if pair.run is not None and pair.matched is not None]
    if len(runs) < 2:
        return
    judged, request = qrels or pairs[0].judged.qrels, pairs[0].request
    best: Ideals | None = {} if judged.judgments.count <= MOST_SHARED else None
    several = [Matches.of_run(judged, run, request, scores_only=True) for _, run in runs]
    try:
        found = scores_of(several, request, best, bounds=qrels is None)
    except DataError:
        return  # then each run is scored separately, which shows whether it has scores
    for (pair, _), scores in zip(runs, found, strict=True):
        pair.scored[(qrels, None)] = usable(scores)
