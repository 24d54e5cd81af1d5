"""Computes the values of candidates for lists of grades, for queries of a run, or for the mean over all lists."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any, cast

from carob._dataclasses import dataclass, replace
from carob._numpy import np
from carob.conventions.policy import Policy
from carob.conventions.profiles import Profile
from carob.conventions.request import Request
from carob.diagnosis.difference import with_placeholders
from carob.inputs.ids import text_of
from carob.inputs.qrels import Qrels
from carob.inputs.run import Run
from carob.lists.flat import Flat
from carob.matching.match import match
from carob.output.errors import CarobError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from carob.diagnosis.difference import JudgedRun
    from carob.diagnosis.whence.candidates import Possibility, Variant
    from carob.diagnosis.whence.mistakes import Mistake
    from carob.evaluation.engine import Matches
    from carob.lists.rows import Floats
    from carob.matching.match import Match
    from carob.measures import Measure

IDLE: dict[str, Any] = {
    "ties": "trec",
    "scores": "double",
    "duplicates": "error",
    "missing": "zero",
    "overlap": "query",
    "retrieved": "all",
    "ranks": "counted",
    "listing": "ignored",
    "malformed": "error",
    "columns": "equal",
}
"""Policy settings that have no effect on lists of grades, with the values that replace them."""
MOST_DOCUMENTS = 200_000
"""The maximum number of documents in a run for which all mistakes are searched."""


@dataclass(frozen=True, eq=False, repr=False)
class NumberedLists:
    """The ranked lists to which numbers belong.

    Args:
        grades: the lists of grades; None for a run.
        run: the judgments and the run; None for lists of grades.
        queries: the queries of the run to which the numbers belong; empty for the mean over all queries.
        mean: whether a number is the mean over all lists.
        policy: the policy under which mistakes are computed, because they belong to no profile.
    """

    grades: Matches | None = None
    run: JudgedRun | None = None
    queries: tuple[str, ...] = ()
    mean: bool = False
    policy: Policy = field(default_factory=Policy)

    def as_mean(self) -> NumberedLists:
        """Returns the same lists, for numbers that are means over all lists."""
        return replace(self, mean=True)

    def values(self, candidates: Sequence[Possibility]) -> Floats:
        """Returns the value of each candidate for each list, or its mean over all lists [lists or 1, candidates].

        NaN marks a candidate without a value, for example because its policy refuses the data.
        """
        kinds = {each: self.own(each) for each in {each.variant for each in candidates}}
        keys: list[Any] = []
        wanted: dict[Policy, dict[Measure, None]] = {}
        for each in candidates:
            measure, policy = each.variant.at(each.depth), kinds[each.variant]
            if measure is None or policy is None:
                keys.append((each.variant, each.depth))
                continue
            wanted.setdefault(policy, {})[measure] = None
            keys.append((policy, measure))
        found: dict[Any, Floats] = self.of_mistakes(candidates)
        for policy, measures in wanted.items():
            for measure, column in self.of_measures(policy, list(measures)).items():
                found[policy, measure] = column
        return np.stack([found[key] for key in keys], axis=1) if keys else np.zeros((1, 0))

    def own(self, variant: Variant) -> Policy | None:
        """Returns a convention's policy with irrelevant settings reset, so fewer policies have to be evaluated."""
        if variant.convention is None:
            return None
        policy = variant.convention.policy
        return policy if self.grades is None else policy.changed(**IDLE)

    def of_measures(self, policy: Policy, measures: list[Measure]) -> dict[Measure, Floats]:
        """Returns the values of measures under one policy."""
        # A refused measure makes all measures computed with it NaN, so compute measures that may be refused separately.
        parts: dict[Any, list[Measure]] = {}
        for each in measures:
            parts.setdefault((each.name, each.parameters) if may_refuse(each) else None, []).append(each)
        return {
            measure: column for part in parts.values() for measure, column in self.part(policy, part).items()
        }

    def part(self, policy: Policy, measures: list[Measure]) -> dict[Measure, Floats]:
        """Returns the values of measures that are computed together; all are NaN if the data are refused."""
        nothing = np.full(1 if self.mean else max(len(self.queries), self.count), np.nan)
        asked = {str(each): each for each in measures}
        try:
            if self.run is None:
                request = Request(asked, Profile("carob", ""), policy)
                scores = self.lists.scores(request, bounds=False)
            else:
                scores = self.run.scores(measures, policy)
        except CarobError:
            return dict.fromkeys(measures, nothing)
        if self.mean:
            return {each: np.array([scores[label]]) for label, each in asked.items()}
        places = {query: place for place, query in enumerate(scores.queries)}
        rows = [places.get(query, -1) for query in self.names]
        matrix = np.vstack([scores.matrix, np.full((1, len(scores.labels)), np.nan)])[rows]
        return {each: matrix[:, scores.labels.index(label)] for label, each in asked.items()}

    def of_mistakes(self, candidates: Sequence[Possibility]) -> dict[Any, Floats]:
        """Returns the values of mistakes, by reading and depth."""
        those = [each for each in candidates if each.variant.mistake is not None]
        if not those:
            return {}
        try:
            found = self.match()
        except CarobError:
            nothing = np.full(1 if self.mean else len(self.names), np.nan)
            return {(each.variant, each.depth): nothing for each in those}
        names = found.queries.texts
        rows = [names.index(query) for query in self.names]
        lists = self.as_seen(found)
        values = {}
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            for each in those:
                mistake = cast("Mistake", each.variant.mistake)
                column = value_of(mistake, lists, each.depth)
                its = self.mean_of(column, mistake) if self.mean else column[rows]
                values[each.variant, each.depth] = its
                if mistake.over == "found" and not self.mean:
                    its[:] = np.nan  # only a mean can leave queries out
        return values

    def mean_of(self, column: Floats, mistake: Mistake) -> Floats:
        """Returns the mean under a mistake, or NaN if a mean over values above 0 would include all values or none."""
        found = column > 0
        if mistake.over == "found" and (found.all() or not found.any()):
            return np.array([np.nan])
        return np.array([column[found].mean() if mistake.over == "found" else column.mean()])

    def as_seen(self, found: Match) -> dict[str, Flat]:
        """Returns the lists as programs with a mistake use them, by the words of ``Mistake.lists``.

        For large runs, only the graded lists are returned, because the other lists need every document of the run in
        Python.
        """
        lists = {"graded": Flat(found.rows, every_rank=True)}
        if self.run is None or found.rows.length.sum() > MOST_DOCUMENTS:
            return lists
        scores: dict[str, dict[str, float]] = {query: {} for query in found.queries.texts}
        for query, document, score in self.run.run.held.rows(set(found.queries)):
            scores[text_of(query)][text_of(document)] = score
        policy = self.policy.changed(overlap="none", scores="double")
        judgments = self.run.judgments(policy, subtopics=False)
        equal = Run.of({query: dict.fromkeys(its, 0.0) for query, its in scores.items()})
        lists["by id"] = Flat(match(judgments, equal, policy.changed(ties="ascending")).rows, every_rank=True)
        if all(0 <= score < np.inf for its in scores.values() for score in its.values()):
            judged = Qrels.of(with_placeholders(scores)).complete
            lists["scored"] = Flat(match(judged, self.run.run, policy).rows, every_rank=True)
        return lists

    def match(self) -> Match:
        """Returns the lists matched under the policy for mistakes.

        Raises:
            DataError: the data are refused.
        """
        if self.run is None:
            return self.lists.under(self.policy)
        return match(self.run.judgments(self.policy, subtopics=False), self.run.run, self.policy)

    @property
    def lists(self) -> Matches:
        """The lists of grades."""
        if self.grades is None:
            raise ValueError("no lists of grades")
        return self.grades

    @property
    def count(self) -> int:
        """The number of lists of grades, or 0 for a run."""
        return 0 if self.grades is None else len(self.grades.under(self.policy).queries)

    @property
    def deepest(self) -> int:
        """The maximum number of documents in a list or in its judgments; 1000 if the data are refused."""
        try:
            rows = self.match().rows
        except CarobError:
            return 1000
        lengths = [*rows.length.tolist(), *np.diff(rows.judged_offsets).tolist()]
        return int(max(lengths, default=0))

    @property
    def names(self) -> list[str]:
        """The queries for which values are needed; empty for a mean."""
        if self.mean:
            return []
        return [*self.queries] or [text_of(each) for each in self.lists.under(self.policy).queries]


def may_refuse(measure: Measure) -> bool:
    """Returns whether a measure may have no value: it has a highest grade or compares several queries."""
    scale = any(getattr(each, "role", "") == "highest" for each in measure.definition.parameters.values())
    return scale or measure.micro


def value_of(mistake: Mistake, lists: dict[str, Flat], depth: int | None) -> Floats:
    """Returns the value of a mistake for each list, or NaN if the lists it needs are missing."""

    def cut(its: Flat) -> Flat:
        return its if depth is None else its.top(depth)

    graded, own = lists["graded"], lists.get(mistake.lists)
    if own is None or len(own.rows.length) != len(graded.rows.length):
        return np.full(len(graded.rows.length), np.nan)
    first = cut(graded) if mistake.lists == "scored" else own
    return cast("Floats", mistake.formula(first, cut(own)))
