"""``karat.explain``: derives the value of a measure for one query, step by step."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from karat.conventions.request import Request, conventions, labelled
from karat.evaluation.engine import scored
from karat.evaluation.evaluate import nested
from karat.evaluation.score_tables import wanted_words
from karat.inputs.ids import text_of
from karat.inputs.qrels import Qrels
from karat.inputs.run import Run, in_memory, short
from karat.lists.flat import Flat
from karat.matching.match import Ranking, match, match_grades, match_judged_ranking, of_query, ranking_of
from karat.matching.mismatch import refuse_empty, refuse_ranks
from karat.output.errors import DataError, MeasureError, Worded, did_you_mean, worded
from karat.output.language import ENGLISH, Language, language_named

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from karat.conventions.policy import Policy
    from karat.conventions.profiles import Profile, ProfileLike
    from karat.diagnosis.explanation import Explanation
    from karat.inputs.qrels import QrelsLike
    from karat.inputs.run import RunLike
    from karat.matching.match import Match
    from karat.measures import Measure


def explain(
    measure: str | Measure,
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
        grades: instead of files, the grades of the ranked documents, best rank first; None for an unjudged one.
        judged: with ``grades``, all grades of the query's judgments, as in ``evaluate_grades``; the ranked grades
            themselves if None.
        judged_ranking: instead of ``qrels`` and ``run``, judged documents in rank order.
        policy: as in ``evaluate``.
        profile: as in ``evaluate``.
        rows: the number of documents shown of a long list; None for all.
        digits: decimals.
        lang: the language of what explains the numbers: ``en``, or ``zh`` for Chinese.

    Raises:
        DataError: an unknown query, or one that the policy leaves out; data that cannot be read.
        MeasureError: a measure that does not exist, or a name for several.

    Example:
        >>> import karat
        >>> print(karat.explain("P@3", grades=[1, 0, 1, 1]))
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
        depth  The depth of the cut; without one, how many documents were retrieved.
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
    say = language_named(lang)
    return explained(label, meant, subject, general, convention, rows=rows, digits=digits, say=say)


def refuse_unexplained(measure: Measure) -> None:
    """Refuses a measure whose value cannot be explained by the list of one query.

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
            f"{measure} compares documents of all queries, so no query explains its value alone. "
            f"'{measure.name}' without micro=true explains the pairs of one query."
        )


def explained(
    label: str,
    measure: Measure,
    subject: Subject,
    policy: Policy,
    convention: Profile | None = None,
    *,
    rows: int | None = 40,
    digits: int = 6,
    say: Language = ENGLISH,
) -> Explanation:
    """Returns the derivation of a measure for a subject. Other arguments are as in ``explain``.

    Args:
        label: the name of the measure in tables.
        measure: the measure.
        subject: the one list.
        policy: the policy.
        convention: the profile; karat's own if None.
        rows: as in ``explain``.
        digits: as in ``explain``.
        say: the language.

    Raises:
        DataError: the policy leaves the query out.
        MeasureError: no single list explains the measure.
    """
    # Imported here so that karat starts quickly, since most users do not need explanations.
    from karat.diagnosis.explanation import Explanation
    from karat.lists.derivation import derive
    from karat.lists.traced import trace

    refuse_unexplained(measure)
    convention = convention or conventions(None, policy)[0]
    own = policy.of_measure(str(measure))
    found = subject.match(own)
    if subject.run is not None and not subject.part:
        refuse_empty(subject.run, found, own)
        refuse_ranks(subject.run, found)
    refuse_left_out(found, own, subject, measure)
    scores = scored(lambda _: found, Request({label: measure}, convention, policy), subject.name)
    lists = Flat(found.rows, every_rank=True)
    derivation = derive(trace(measure.values, lists))
    value = float(scores.matrix[0, 0])
    facts = [
        *subject.sizes(found, measure, say),
        *decisions(found, own, measure, scores.bounds.get(label), digits, say),
    ]
    return Explanation(
        label=label,
        measure=measure,
        query=subject.query,
        value=value,
        facts=(*facts, *overruled(derivation.value, value, found, own, scores.counts.empty > 0, say)),
        derivation=derivation,
        ranking=subject.ranking(own, lists),
        rows=rows,
        digits=digits,
        say=say,
    )


@dataclass(frozen=True, eq=False, repr=False)
class Subject:
    """The subject of an explanation: grades, a query of a judged ranking, or a query of a run.

    Args:
        name: the run.
        query: the query, or empty for grades.
        grades: the ranked grades and the judged ones, or None.
        qrels: the judgments of the query alone, or None.
        run: the run, or None.
        part: whether of the run only the lines of this query are there, so that none means a missing query.
        found: the matches and rankings under each policy, for several measures.
    """

    name: str
    query: str = ""
    grades: tuple[list[list[float | None]], list[list[float | None]] | None] | None = None
    qrels: Qrels | None = None
    run: Run | None = None
    part: bool = False
    found: dict[tuple[str, Policy], Any] = field(default_factory=dict)

    def once(self, what: str, policy: Policy, make: Callable[[], Any]) -> Any:
        """Returns the result of ``make`` under a policy, computed only once."""
        if (what, policy) not in self.found:
            self.found[what, policy] = make()
        return self.found[what, policy]

    def match(self, policy: Policy) -> Match:
        """Returns the ranked list that is evaluated."""
        return cast("Match", self.once("match", policy, lambda: self.matched(policy)))

    def matched(self, policy: Policy) -> Match:
        """Computes the match."""
        if self.qrels is None:
            return match_grades(*cast("tuple[list[list[float | None]], None]", self.grades), policy)
        if self.run is None:
            return match_judged_ranking(self.qrels, policy)
        return match(self.qrels, self.run, policy)

    def ranking(self, policy: Policy, lists: Flat) -> Ranking | None:
        """Returns the documents in rank order, or unknown documents if there are only grades."""
        if self.qrels is None:
            return None
        grades = lists.rows.grade.tolist()
        if self.run is not None:
            qrels, run = self.qrels, self.run
            found = self.once("ranking", policy, lambda: ranking_of(qrels, run, policy, grades))
            return cast("Ranking", found)
        judgments = self.qrels.judgments
        kept = (judgments.grades >= 0) | (policy.unjudged != "removed") | (policy.negative == "nonrelevant")
        documents = [judgments.document(each) for each in np.flatnonzero(kept).tolist()]
        return Ranking(tuple(map(text_of, documents[: len(grades)])))

    def sizes(self, found: Match, measure: Measure, say: Language = ENGLISH) -> Iterator[str]:
        """Sentences with the numbers of retrieved, judged and relevant documents."""
        if self.qrels is None:
            return
        rows, wanted = found.rows, wanted_words(measure.wanted, say)
        name = named(self.name, say("The run"))
        retrieved = say.counted(int(rows.length[0]), "{count} document", "{count} documents")
        relevant = wanted_in(found, measure)
        if self.run is None:
            yield say(
                "{name}: {documents} in rank order, {relevant} of them relevant ({wanted}).",
                name=name,
                documents=retrieved,
                relevant=relevant,
                wanted=wanted,
            )
            return
        yield say(
            "{name}: {retrieved} retrieved, {judged} of them judged. {of}: {known}, {relevant} of them relevant "
            "({wanted}).",
            name=name,
            retrieved=retrieved,
            judged=int((rows.grade >= 0).sum()),
            of=named(os.path.basename(self.qrels.name), say("The query")),
            known=say.counted(len(rows.judged_grades), "{count} judgment", "{count} judgments"),
            relevant=relevant,
            wanted=wanted,
        )


def wanted_in(found: Match, measure: Measure) -> int:
    """Returns the number of the query's judgments that are relevant to the measure."""
    return int(np.asarray(measure.wanted.count(Flat(found.rows)))[0])


def named(name: str, otherwise: str) -> str:
    """Returns the file's name, or a generic label for data that came from no file."""
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
    """Returns the subject that the arguments of ``explain`` describe.

    Raises:
        DataError: the arguments describe no subject, two subjects, or a query without judgments.
    """
    given = [qrels is not None or run is not None, grades is not None, judged_ranking is not None]
    if (
        given.count(True) != 1
        or (judged is not None and grades is None)
        or (grades is not None and query is not None)
    ):
        raise DataError(
            "Give qrels, run and query, or grades (optionally with judged), or judged_ranking and query."
        )
    if grades is not None:
        return Subject("grades", grades=(nested(grades), None if judged is None else nested(judged) or [[]]))
    if query is None:
        raise DataError(
            worded("An explanation is for one query: name it with ", Worded("query=", "--query"), ".")
        )
    if judged_ranking is not None:
        ranking = Qrels.of(judged_ranking, policy)
        return Subject(short(ranking.name), query, qrels=alone(ranking, query))
    if qrels is None or run is None:
        raise DataError("An explanation needs both judgments and a run: give qrels, run and query.")
    ranked = in_memory(Run.of(run))
    return Subject(ranked.name, query, qrels=alone(Qrels.of(qrels, policy), query), run=ranked)


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
    """Refuses a query that the policy omits from the evaluation.

    Raises:
        DataError: the policy leaves the query out, so it has no value.
    """
    if found.queries and (policy.empty != "skip" or wanted_in(found, measure)):
        return
    why = (
        f"{subject.name} does not mention it (missing={policy.missing})"
        if not found.queries
        else f"it has no relevant document: {measure} looks for {measure.wanted} (empty={policy.empty})"
    )
    raise DataError(f"Query '{subject.query or 1}' is excluded from the evaluation, because {why}.")


# ---------------------------------------------------------------- what was decided

ORDERS = {
    "trec": "their document ids decide, descending by bytes",
    "ascending": "their document ids decide, ascending by bytes",
    "input": "the order of the run's lines decides",
    "rank-column": "the run's rank column decides",
    "rank": "the run's rank column decides",
    "optimistic": "they are in their best order",
    "pessimistic": "they are in their worst order",
    "expected": "every order counts alike",
}
MOST_GROUPS = 4


def decisions(
    found: Match,
    policy: Policy,
    measure: Measure,
    bounds: tuple[float, float] | None,
    digits: int,
    say: Language = ENGLISH,
) -> Iterator[str]:
    """Returns sentences about the policy's changes to the order and the judgments of the query."""
    counts = found.counts
    if counts.missing:
        yield say("The run does not mention this query: the list is empty.")
    groups = tied_ranks(found, measure.depth)
    if groups:
        yield tie_told(groups, policy, bounds, digits, say)
    if counts.duplicates:
        yield say.counted(
            counts.duplicates,
            "{count} line of the run dropped because its document occurs twice (duplicates={rule}).",
            "{count} lines of the run dropped because their documents occur twice (duplicates={rule}).",
            rule=policy.duplicates,
        )
    if counts.negative:
        yield say.counted(
            counts.negative,
            "{count} negative grade taken as {rule} (negative={rule}).",
            "{count} negative grades taken as {rule} (negative={rule}).",
            rule=policy.negative,
        )
    if policy.unjudged == "removed":
        yield say("Unjudged documents were removed before ranks were counted (unjudged=removed).")
    if policy.judgments == "retrieved":
        yield say("Only judgments of retrieved documents are known (judgments=retrieved).")
    if policy.depth is not None:
        one = "Only the first document of the list is evaluated (depth={depth})."
        many = "Only the first {depth} documents of the list are evaluated (depth={depth})."
        yield say.counted(policy.depth, one, many, depth=policy.depth)


def tie_told(
    groups: list[str], policy: Policy, bounds: tuple[float, float] | None, digits: int, say: Language
) -> str:
    """Describes the ranks with equal scores, the rule that orders them, and the effect of this rule."""
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
        "Equal scores at ranks {ranks} touch judged documents: {order} (ties={ties}).{moved}",
        ranks=", ".join(groups[:MOST_GROUPS]) + more,
        order=order,
        ties=policy.ties,
        moved=moved,
    )


def tied_ranks(found: Match, depth: int | None) -> list[str]:
    """Returns the ties (ranges of ranks) that contain a judged document and begin within the depth."""
    rows = found.rows
    tied = (rows.tie_last > rows.tie_first) & (rows.tie_first <= (depth or np.inf))
    pairs = dict.fromkeys(zip(rows.tie_first[tied].tolist(), rows.tie_last[tied].tolist()))
    return [f"{int(first)}–{int(last)}" for first, last in pairs]


def overruled(
    derived: float, value: float, found: Match, policy: Policy, empty: bool, say: Language = ENGLISH
) -> Iterator[str]:
    """Returns why the value differs from that of the formula on this list, or an empty text if it does not."""
    if derived == value or (derived != derived and value != value):
        return
    if found.missing[0] and policy.missing == "nan":
        yield say("The formula is not used: the value of a missing query is undefined (missing=nan).")
    elif empty and policy.empty in ("one", "nan"):
        yield say(
            "The formula is not used: without a relevant document the value is {meaning} (empty={rule}).",
            meaning={"one": "1", "nan": say("undefined")}[policy.empty],
            rule=policy.empty,
        )
    else:
        yield say(
            "The value is the mean over the orders of documents with equal scores (ties={ties}). One of these orders "
            "is worked through below; alone it gives {derived}.",
            ties=policy.ties,
            derived=f"{derived:.6f}",
        )
