"""Explains differences between scores under two profiles or sets of judgments, one change at a time."""

from __future__ import annotations

import math
import os
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from carob._dataclasses import dataclass, replace
from carob._numpy import np
from carob.conventions.request import Request, conventions, labelled, needs_groups
from carob.evaluation.engine import Matches, warned
from carob.evaluation.evaluate import evaluate_grades, evaluate_judged_ranking, evaluate_run
from carob.inputs.ids import text_of
from carob.inputs.qrels import Qrels
from carob.inputs.run import Run, in_memory
from carob.inputs.sources import kept
from carob.matching.match import MatchedOnce
from carob.measures import Measure
from carob.measures.define import as_typed
from carob.output.document import Document, Documented, Line, Section, Table
from carob.output.errors import DataError, MeasureError, command_of, warn
from carob.output.language import plural
from carob.output.results import Records

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from carob.conventions.policy import Policy
    from carob.conventions.profiles import Profile, ProfileLike
    from carob.evaluation.evaluate import GradesLike
    from carob.evaluation.scores import Scores
    from carob.inputs.qrels import QrelsLike
    from carob.inputs.run import RunLike
    from carob.output.document import Part


WIDEST = 22
"""The maximum number of characters in a setting's value in a table."""


@dataclass(frozen=True)
class Convention:
    """A measure and its policy at one step between two profiles.

    Args:
        measure: the measure with all its parameters.
        policy: the policy of this measure, without exceptions for other measures.
    """

    measure: Measure
    policy: Policy

    def axes(self) -> dict[str, str]:
        """Returns all settings of the policy and the measure by name, with their values as a user would type them."""
        depth = {"depth": self.measure.depth} if self.measure.definition.at == "depth" else {}
        parameters = {key: as_typed(value) for key, value in self.measure.arguments.items()}
        policy = self.policy.as_dict()
        del policy["by_measure"]
        policy["list depth"] = policy.pop("depth")
        return {
            **{key: "all" if value is None else str(value) for key, value in policy.items()},
            "measure": self.measure.name,
            **{key: "all" if value is None else as_typed(value) for key, value in depth.items()},
            **parameters,
        }

    def towards(self, other: Convention, axis: str) -> Convention:
        """Returns this convention, with one setting taken from the other convention."""
        mine, its = self.measure, other.measure
        if axis == "measure":
            return replace(self, measure=its)
        if axis == "depth":
            return replace(self, measure=Measure(mine.name, mine.parameters, its.depth))
        if axis in mine.arguments:
            parameters = {**mine.arguments, axis: its.arguments[axis]}
            return replace(self, measure=Measure(mine.name, tuple(parameters.items()), mine.depth))
        key = "depth" if axis == "list depth" else axis
        return replace(self, policy=self.policy.changed(**{key: getattr(other.policy, key)}))


@dataclass(frozen=True)
class ConventionStep:
    """A step between two conventions, in which one setting changes.

    Args:
        axis: a parameter of the measure, or a setting of the policy; ``measure`` if the formula itself changes.
        before: the value of the setting before the step.
        after: the value of the setting after the step.
        value: the mean after the change; None if the evaluation is refused.
        moved: the effect of the change on the mean; None if there is no mean before the change or none after it.
        queries: the number of queries whose values changed, appeared or disappeared.
        alone: the effect of the change if it is made first; None if there are no means to compare or if no other
            setting has an effect.
        last: the effect of the change if it is made last; None under the same conditions as ``alone``.
    """

    axis: str
    before: str
    after: str
    value: float | None
    moved: float | None
    queries: int
    alone: float | None = None
    last: float | None = None


@dataclass(frozen=True, repr=False)
class Difference(Documented):
    """The value of one measure under two profiles, and the steps that lead from one to the other.

    Args:
        asked: the requested name of the measure.
        profiles: the names of both profiles.
        measures: the measure to which each profile resolves the name.
        values: the mean under each profile; None if the evaluation is refused.
        steps: a step for each setting that differs between the two profiles, in the order of the changes.
        queries: the number of queries that occur in any step.
        refusals: why each profile that refuses the data does so, keyed by the profile's name.
        digits: the number of decimals in tables.

    Example:
        >>> import carob
        >>> qrels, run = {"q": {"a": 1, "b": 1, "c": 1}}, {"q": {"a": 3.0, "x": 2.0, "b": 1.0}}
        >>> found = carob.difference("torchmetrics", "trec_eval-9", "AP@2", qrels, run)
        >>> found.values, found.blame
        ((1.0, 0.3333333333333333), 'over')
    """

    asked: str
    profiles: tuple[str, str]
    measures: tuple[str, str]
    values: tuple[float | None, float | None]
    steps: tuple[ConventionStep, ...]
    queries: int
    refusals: dict[str, str]
    digits: int = 4

    def on_command_line(self) -> Difference:
        """Returns the difference with remedies that name options of the command line instead of arguments."""
        return replace(self, refusals={name: command_of(said) for name, said in self.refusals.items()})

    @property
    def gap(self) -> float | None:
        """The difference between the two values, which is the sum of all steps."""
        before, after = self.values
        return None if before is None or after is None else after - before

    @property
    def blame(self) -> str | None:
        """The setting whose step changes the mean most, or None if no step changes it."""
        moving = [step for step in self.steps if weight(step) > 0]
        return max(moving, key=weight).axis if moving else None

    def contents(self) -> dict[str, Any]:
        """Returns both values and all steps."""
        return {
            "measure": self.asked,
            "profiles": [
                {"profile": name, "measure": measure, "value": value}
                for name, measure, value in zip(self.profiles, self.measures, self.values, strict=True)
            ],
            "gap": self.gap,
            "blame": self.blame,
            "queries": self.queries,
            "steps": self.steps,
            "refusals": self.refusals,
        }

    def records(self) -> dict[str, Callable[[], Records]]:
        """Returns the tables ``steps`` and ``profiles``."""
        ends = list(zip(self.profiles, self.measures, self.values, strict=True))
        return {
            "steps": lambda: Records.of(ConventionStep, self.steps),
            "profiles": lambda: Records(["profile", "measure", "value"], ends),
        }

    def beside(self) -> list[str]:
        """Returns the sentences about the cause, which do not fit in CSV."""
        return self.sentences()

    def document(self, _layout: str = "text", /) -> Document:
        """Returns both values, a table of the steps with an effect, and the setting with the largest effect."""
        ends = [
            [name, short(measure, 44), value_text(value, self.digits)]
            for name, value, measure in zip(self.profiles, self.values, self.measures, strict=True)
        ]
        moving = self.rows([step for step in self.steps if step.queries or step.moved])
        parts: list[Part] = [Table([self.asked, "read as", "value"], ends, 2)]
        parts += [Table(["step", "from", "to", "value", "moved", "queries"], moving, 3)] if moving else []
        parts += [Line(each, "verdict" if each.startswith("Cause: ") else "") for each in self.sentences()]
        return Document([Section([part]) for part in parts])

    def rows(self, steps: list[ConventionStep]) -> list[list[str]]:
        """Returns the cells of the table of steps. Changes are differences between displayed values, so they add up."""
        rows, before = [], rounded(self.values[0], self.digits)
        for step in steps:
            after = rounded(step.value, self.digits)
            moved = minus(after, before)
            known = moved is not None and not math.isnan(moved)
            rows.append(
                [
                    *map(short, (step.axis, step.before, step.after)),
                    value_text(step.value, self.digits),
                    f"{moved:+.{self.digits}f}" if known else "–",
                    f"{step.queries} of {self.queries}",
                ]
            )
            before = after
        return rows

    def sentences(self) -> list[str]:
        """Returns the lines below the table."""
        found = [f"{name} refuses: {sentence}" for name, sentence in self.refusals.items()]
        idle = [step for step in self.steps if not step.queries and not step.moved]
        if idle:
            changes = ", ".join(f"{step.axis} {step.before} → {step.after}" for step in idle)
            found.append(f"Other axes differ, but without effect here: {changes}.")
        if self.blame is None:
            found.append("Nothing changes the mean." if self.gap == 0 else "No single axis is the cause.")
        else:
            step = max(self.steps, key=weight)
            found.append(f"Cause: {step.axis} ({step.before} → {step.after}).")
        return found + self.orders()

    def orders(self) -> list[str]:
        """Returns the effect of each setting as the first and as the last change, if the two effects differ."""
        in_table = {
            step.axis: row[4] for step, row in zip(self.steps, self.rows(list(self.steps)), strict=True)
        }

        def said(step: ConventionStep, moved: float) -> str:
            return in_table[step.axis] if moved == step.moved else f"{moved:+.{self.digits}f}"

        shown = [
            (step.axis, said(step, step.alone), said(step, step.last))
            for step in self.steps
            if step.alone is not None and step.last is not None
        ]
        if all(first == last for _, first, last in shown):
            return []
        moves = ", ".join(f"{axis} {first} / {last}" for axis, first, last in shown)
        return [f"The axes interact. Effect if changed first / last: {moves}."]


def difference(
    a: str,
    b: str,
    measure: str,
    qrels: QrelsLike | None = None,
    run: RunLike | None = None,
    *,
    grades: GradesLike | None = None,
    judged: GradesLike | None = None,
    judged_ranking: QrelsLike | None = None,
    policy: Policy | None = None,
) -> Difference:
    """Explain why a measure has different values under two profiles.

    The settings are changed one after another: first settings under which ``a`` refuses data, then settings of the
    policy, then parameters of the measure, and last settings under which ``b`` refuses data. The steps always add up to
    the whole gap. If settings interact, the effect of a step depends on the order, so each step also states its effect
    as the first change and as the last change.

    Args:
        a: the profile to start from; ``carob`` for carob's own conventions.
        b: the profile to end at.
        measure: the name of a measure, which each profile reads by its own rules.
        qrels: as in ``evaluate``.
        run: as in ``evaluate``.
        grades: instead of ``qrels`` and ``run``, lists of grades in rank order, as in ``evaluate_grades``.
        judged: if ``grades`` is given, the grades of all judged documents, as in ``evaluate_grades``.
        judged_ranking: instead of ``qrels`` and ``run``, a judged ranking, as in ``evaluate_judged_ranking``.
        policy: settings that override both profiles, as in ``evaluate``.

    Returns:
        Both values, and the steps between them.

    Raises:
        DataError: text or values cannot be used under either profile, or the caller did not pass exactly one of
            ``qrels`` with ``run``, ``grades`` and ``judged_ranking``.
        MeasureError: a profile does not know the name, or the name stands for several measures.
        PolicyError: a profile does not exist.

    Example:
        >>> import carob
        >>> qrels, run = {"q1": {"a": 1}, "q2": {"b": 1}}, {"q1": {"a": 1.0}}
        >>> found = carob.difference("trec_eval-9", "ir_measures", "RR", qrels, run)
        >>> [(step.axis, step.moved) for step in found.steps if step.moved]
        [('missing', -0.5)]
        >>> found = carob.difference("note-000", "note-001", "NDCG@3", grades=[3, 2, 3])
        >>> found.blame
        'gain'
    """
    evaluated = Evaluated(scored_by(qrels, run, grades, judged, judged_ranking))
    decided = [conventions(each, policy) for each in (a, b)]
    profiles = [profile for profile, _ in decided]
    start, end = (convention_of(profile, own, measure) for profile, own in decided)
    axes, here = path(start, end), [start]
    for axis in axes:
        here.append(here[-1].towards(end, axis))
    changes = [(axis, each.axes()[axis], end.axes()[axis]) for axis, each in zip(axes, here)]
    steps = steps_between([evaluated.under(each) for each in here], changes)
    if sum(step.queries > 0 for step in steps) > 1:
        steps = [in_other_orders(step, start, end, evaluated) if step.queries else step for step in steps]
    first, last = evaluated.under(start), evaluated.under(end)
    if first.refusal and last.refusal:
        raise DataError(first.refusal)
    refusals = {name: each.refusal for name, each in ((a, first), (b, last)) if each.refusal}
    return Difference(
        asked=measure,
        profiles=(a, b),
        measures=(str(start.measure), str(end.measure)),
        values=(first.mean, last.mean),
        steps=tuple(steps),
        queries=len(set().union(*(each.queries for each in evaluated.known.values()))),
        refusals=refusals,
        digits=max(each.digits for each in profiles),
    )


# ---------------------------------------------------------------- steps


@dataclass(frozen=True)
class Outcome:
    """The result of an evaluation of one measure: its mean and scores, or the error that refused it."""

    mean: float | None
    scores: Scores | None
    refusal: str = ""

    @property
    def queries(self) -> tuple[str, ...]:
        """The evaluated queries; empty if the evaluation was refused."""
        return () if self.scores is None else self.scores.queries


def steps_between(
    outcomes: Sequence[Outcome], changes: Sequence[tuple[str, str, str]]
) -> list[ConventionStep]:
    """Returns the steps between consecutive results; ``changes`` names each setting, its old and its new value."""
    return [
        ConventionStep(
            axis, old, new, after.mean, minus(after.mean, before.mean), moved(before.scores, after.scores)
        )
        for (axis, old, new), (before, after) in zip(changes, pairwise(outcomes), strict=True)
    ]


Scoring: TypeAlias = "Callable[[Measure, Policy], Scores]"
"""A function that scores the data by a measure under a policy."""


def scored_by(
    qrels: QrelsLike | None,
    run: RunLike | None,
    grades: GradesLike | None,
    judged: GradesLike | None,
    judged_ranking: QrelsLike | None,
) -> Scoring:
    """Returns the function that scores the given data: a run, lists of grades or a judged ranking.

    Raises:
        DataError: the caller did not pass exactly one of these three forms.
    """
    passed = [qrels is not None or run is not None, grades is not None, judged_ranking is not None]
    if sum(passed) != 1 or (qrels is None) != (run is None) or (judged is not None and grades is None):
        raise DataError(
            "Pass 'qrels' and 'run', or 'grades' (optionally with 'judged'), or 'judged_ranking'."
        )
    if qrels is not None and run is not None:
        return JudgedRun(kept(qrels), Run.of(run)).scores
    if judged_ranking is not None:
        ranking = kept(judged_ranking)
        return lambda measure, policy: evaluate_judged_ranking(ranking, measure, policy=policy)
    lists = cast("GradesLike", grades)
    return lambda measure, policy: evaluate_grades(lists, measure, judged, policy=policy)


class JudgedRun:
    """A run and judgments, both of which are read only once if possible.

    Args:
        qrels: judgments that can be read again.
        run: the run.
    """

    def __init__(self, qrels: QrelsLike, run: Run) -> None:
        """Stores the data without reading the judgments."""
        held = in_memory(run)
        self.qrels, self.run = qrels, replace(held, held=MatchedOnce(held.held))
        self.read: dict[tuple[str, str, str, bool], Qrels] = {}
        self.warned = False

    def scores(self, measures: Measure | Sequence[Measure], policy: Policy) -> Scores:
        """Returns the scores by one or several measures under a policy.

        Raises:
            DataError: the policy refuses the data.
        """
        # Issue warnings only once, not at each step.
        policy = policy.changed(overlap="none") if self.warned else policy
        several = [measures] if isinstance(measures, Measure) else measures
        judged = self.judgments(policy, subtopics=any(each.definition.groups for each in several))
        scores = evaluate_run(judged, self.run, several, policy=policy, bounds=False, quiet=True)
        # Do not warn of measures without a value, because a search tries many.
        for said in () if self.warned else scores.warnings:
            warn(said)
        self.warned = True
        return scores

    def judgments(self, policy: Policy, *, subtopics: bool) -> Qrels:
        """Returns the judgments under a policy.

        Raises:
            DataError: the judgments cannot be read.
        """
        key = (policy.duplicates, policy.malformed, policy.columns, subtopics)
        for other, known in self.read.items():
            its = known.judgments
            if other == key or (other[2:] == key[2:] and not (its.dropped or its.malformed)):
                return known  # without duplicates and malformed lines, every rule has the same result
        self.read[key] = Qrels.of(self.qrels, policy, subtopics=subtopics).complete
        return self.read[key]


class Evaluated:
    """Evaluations of the same data, each computed only once.

    Args:
        scored: a function that scores the data by a measure under a policy.
    """

    def __init__(self, scored: Scoring) -> None:
        """Stores the function without evaluating anything."""
        self.scored = scored
        self.known: dict[Convention, Outcome] = {}

    def under(self, convention: Convention) -> Outcome:
        """Returns the result under a convention, which is evaluated at most once."""
        if convention not in self.known:
            try:
                scores = self.scored(convention.measure, convention.policy)
                outcome = Outcome(scores[str(convention.measure)], scores)
            except DataError as error:
                outcome = Outcome(None, None, error.said)
            self.known[convention] = outcome
        return self.known[convention]


def in_other_orders(
    step: ConventionStep, start: Convention, end: Convention, evaluated: Evaluated
) -> ConventionStep:
    """Adds to a step its effect as the first and as the last of all changes."""
    before, after = evaluated.under(start).mean, evaluated.under(end).mean
    alone = evaluated.under(start.towards(end, step.axis)).mean
    without = evaluated.under(end.towards(start, step.axis)).mean
    return replace(step, alone=minus(alone, before), last=minus(after, without))


def convention_of(profile: Profile, policy: Policy, measure: str) -> Convention:
    """Returns the measure and the policy to which a profile resolves a name."""
    found = profile.read(measure)
    if len(found) != 1:
        raise MeasureError(
            f"'{measure}' stands for {len(found)} measures under {profile.name}: name one of them."
        )
    meant = found[0][1]
    return Convention(meant.plain, policy.of_measure(meant))


def path(start: Convention, end: Convention) -> list[str]:
    """Returns the settings that differ between two conventions, in the order of the steps."""
    before, after = start.axes(), end.axes()
    if before["measure"] != after["measure"]:
        # A different formula has different parameters, so they change together with the formula.
        own = {*start.measure.arguments, *end.measure.arguments, "depth"}
        before = {axis: value for axis, value in before.items() if axis not in own}
        after = {axis: value for axis, value in after.items() if axis not in own}
    differing = [axis for axis in before if before[axis] != after[axis]]

    def order(axis: str) -> int:
        return (after[axis] == "error") - (before[axis] == "error")

    return sorted(differing, key=order)


def moved(before: Scores | None, after: Scores | None) -> int:
    """Returns the number of queries whose value changed or that occur on only one side."""
    if before is None or after is None:
        there = before or after
        return 0 if there is None else len(there.queries)
    if before.queries == after.queries:
        old, new = before.matrix[:, 0], after.matrix[:, 0]
        return int(np.count_nonzero((old != new) & ~(np.isnan(old) & np.isnan(new))))
    mine, its = (each.by_query(each.labels[0]) for each in (before, after))
    return sum(not same(mine.get(query), its.get(query)) for query in mine.keys() | its.keys())


def same(a: float | None, b: float | None) -> bool:
    """Returns whether two values are equal. Two undefined values are equal."""
    return a == b or (a is not None and b is not None and math.isnan(a) and math.isnan(b))


def minus(after: float | None, before: float | None) -> float | None:
    """Returns the difference, which is 0 between two undefined values and None if either value is missing."""
    if after is None or before is None:
        return None
    return 0.0 if same(after, before) else after - before


def weight(step: ConventionStep) -> float:
    """Returns the size of a step's change, which is infinite if a mean becomes defined or undefined."""
    if step.moved is None:
        return math.inf if step.queries else 0.0
    return math.inf if math.isnan(step.moved) else abs(step.moved)


# ---------------------------------------------------------------- text


def rounded(value: float | None, digits: int) -> float | None:
    """Returns a value rounded as it is displayed."""
    return None if value is None else round(value, digits)


def value_text(value: float | None, digits: int) -> str:
    """Returns a value as text, or a dash if there is none."""
    return "–" if value is None else f"{value:.{digits}f}"


def short(text: str, widest: int = WIDEST) -> str:
    """Shortens a text to fit into its column."""
    return text if len(text) <= widest else text[: widest - 1] + "…"


GradesByQuery: TypeAlias = dict[str, dict[str, float]]
"""The grade of each judged document, by query."""


def rejudged(
    a: QrelsLike,
    b: QrelsLike,
    measure: str,
    run: RunLike,
    *,
    policy: Policy | None = None,
    profile: ProfileLike = None,
) -> Difference:
    """Explain why a run has different values under two sets of judgments.

    The changes lead from the first set to the second. First, queries that are only in the first set are removed.
    Documents judged only in the first set become unjudged. Documents judged in both sets get the grades of the second
    set. Finally, judgments of documents and queries that are only in the second set are added.

    Args:
        a: the judgments to start from, as in ``carob.evaluate``.
        b: the judgments to end at.
        measure: the name of one measure.
        run: the run.
        policy: as in ``carob.evaluate``.
        profile: as in ``carob.evaluate``.

    Returns:
        Both values, and the steps between them, which add up to the whole gap.

    Raises:
        DataError: judgments or a run cannot be read, or the judgments have no query in common.
        MeasureError: the measure does not exist, the name stands for several measures, or the measure needs judgments
            by subtopic.

    Example:
        >>> from carob.diagnosis.difference import rejudged
        >>> full, sparse = {"q": {"a": 1, "b": 1}}, {"q": {"a": 1}}
        >>> found = rejudged(full, sparse, "P@2", {"q": {"a": 2.0, "b": 1.0}})
        >>> found.values, found.blame
        ((1.0, 0.5), 'only A judged')
    """
    convention, policy = conventions(profile, policy)
    asked = labelled([measure], convention)
    if len(asked) != 1 or needs_groups(asked):
        fault = "reads judgments by subtopic" if len(asked) == 1 else f"stands for {len(asked)} measures"
        raise MeasureError(f"'{measure}' {fault}: use one document-level measure, such as nDCG@10.")
    (meant,) = asked.values()
    ends = [Qrels.of(each, policy).complete for each in (a, b)]
    one, other = map(grades_of, ends)
    names, shared = names_of(ends), [query for query in one if query in other]
    if not shared:
        raise DataError(f"{names[0]} and {names[1]} have no query in common.")
    both = {query: [each for each in one[query] if each in other[query]] for query in shared}
    kept = {query: one[query] for query in shared}
    without = {query: {each: one[query][each] for each in its} for query, its in both.items()}
    regraded = {query: {each: other[query][each] for each in its} for query, its in both.items()}
    whole = {query: other[query] for query in shared}
    changed = sum(one[query][each] != other[query][each] for query, its in both.items() for each in its)
    alone_a, alone_b, common = (sum(map(len, each.values())) for each in (kept, whole, both))
    only_a = plural(len(one) - len(shared), "query", "queries")
    only_b = plural(len(other) - len(shared), "query", "queries")
    stages: list[tuple[int, tuple[str, str, str], GradesByQuery]] = [
        (len(one) - len(shared), ("queries of A only", only_a, "omitted"), kept),
        (alone_a - common, ("only A judged", plural(alone_a - common, "document"), "unjudged"), without),
        (changed, ("grades", plural(changed, "document"), "as in B"), regraded),
        (alone_b - common, ("only B judged", "unjudged", plural(alone_b - common, "document")), whole),
        (len(other) - len(shared), ("queries of B only", "omitted", only_b), other),
    ]
    stages = [each for each in stages if each[0]]
    between = [judged for *_, judged in stages[:-1]]
    scores = scored_under(ends, between, in_memory(Run.of(run)), meant, policy)
    outcomes = [Outcome(each[str(meant)], each) for each in scores]
    # Equal judgments have no stages, but were scored twice.
    steps = steps_between(outcomes[: len(stages) + 1], [change for _, change, _ in stages])
    return Difference(
        asked=measure,
        profiles=names,
        measures=(number_of_judgments(one), number_of_judgments(other)),
        values=(outcomes[0].mean, outcomes[-1].mean),
        steps=tuple(steps),
        queries=len({query for each in scores for query in each.queries}),
        refusals={},
    )


def scored_under(
    ends: list[Qrels], between: list[GradesByQuery], run: Run, measure: Measure, policy: Policy
) -> list[Scores]:
    """Returns a run's scores under the first judgments, under each intermediate stage, and under the second judgments.

    Only the first and the last judgments are checked against the run, because the user did not supply the stages.

    Raises:
        DataError: the run does not match the first or the last judgments.
    """
    convention, _ = conventions(None, policy)
    request = Request(labelled([measure], convention), convention, policy)
    silent = replace(request, policy=policy.changed(overlap="none"))
    first, last = (warned(Matches.of_run(each, run, request).scores(request)) for each in ends)
    # If a query loses its last judgment, it is kept as a query without relevant documents.
    stages = [Qrels.of(with_placeholders(each), silent.policy) for each in between]
    return [first, *(Matches.of_run(each, run, silent).scores(silent) for each in stages), last]


def grades_of(qrels: Qrels) -> GradesByQuery:
    """Converts judgments to grades by query and document."""
    found: GradesByQuery = {text_of(query): {} for query in qrels.judgments.queries}
    for query, document, grade in qrels.rows():
        found[text_of(query)][text_of(document)] = grade
    return found


def number_of_judgments(judgments: GradesByQuery) -> str:
    """Returns the number of judgments as text, such as ``3 judgments``."""
    return plural(sum(map(len, judgments.values())), "judgment", "judgments")


def with_placeholders(judgments: GradesByQuery) -> GradesByQuery:
    """Returns the judgments with a placeholder document for each query without judgments."""
    return {query: its or {"\ufdd0 none": 0.0} for query, its in judgments.items()}


def names_of(ends: list[Qrels]) -> tuple[str, str]:
    """Returns the names of both sets of judgments, or their paths if the names are equal."""
    names = [os.path.basename(each.name) or letter for each, letter in zip(ends, "AB", strict=True)]
    if names[0] == names[1]:
        names = [each.name for each in ends] if ends[0].name != ends[1].name else ["A", "B"]
    return names[0], names[1]
