"""``carob.whence``: finds the conventions and the known mistakes that yield a number."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, TypeAlias

from carob.conventions.policy import Policy
from carob.conventions.profiles import every_profile
from carob.diagnosis.difference import JudgedRun
from carob.diagnosis.explain import alone
from carob.diagnosis.whence.candidates import SAMPLE, at_depth, family_of, usual_names
from carob.diagnosis.whence.commands import command_for
from carob.diagnosis.whence.result import Cause, Decider, KnownMistake, Whence
from carob.diagnosis.whence.search import GivenNumber, Search, in_groups
from carob.diagnosis.whence.values import NumberedLists
from carob.evaluation.engine import Matches, judgments_for
from carob.inputs.errors import refused
from carob.inputs.qrels import Qrels
from carob.inputs.run import Run
from carob.inputs.sources import kept
from carob.measures.grammar import depth_of, folded, is_number
from carob.output.errors import DataError, MeasureError, Worded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from carob.diagnosis.whence.commands import ShownCommands
    from carob.diagnosis.whence.search import FittingReadings
    from carob.evaluation.evaluate import GradesLike
    from carob.inputs.qrels import QrelsLike
    from carob.inputs.run import RunLike

__all__ = ["Cause", "Decider", "KnownMistake", "Whence", "whence"]

NumbersLike: TypeAlias = "str | float | Sequence[str | float]"
LEADS = 5
"""The number of explanations that a further number should distinguish."""


def whence(
    numbers: NumbersLike,
    measure: str | Sequence[str] | None = None,
    qrels: QrelsLike | None = None,
    run: RunLike | None = None,
    query: str | Sequence[str] | None = None,
    *,
    grades: GradesLike | None = None,
    judged: GradesLike | None = None,
    policy: Policy | None = None,
) -> Whence:
    """Find the conventions and the known mistakes that yield a number.

    A measure is computed at the usual depths under the conventions of every profile and with every known mistake. The
    conventions and mistakes whose value rounds to the number are returned, most common first. Conventions with the same
    value on this data cannot be distinguished and form one explanation.

    Args:
        numbers: one or several numbers. As text, such as ``"0.50"``, a number keeps its trailing zeros, and ``"33 %"``
            is 0.33. If there are as many lists or queries as numbers, each number belongs to one list or query, in
            order, and all follow the same convention. Otherwise, each number belongs to the only list, or is the mean
            over all lists.
        measure: the measure that the number claims to be, such as ``nDCG@10``, by any tool's name; one measure for all
            numbers, or one for each. Without a depth, all usual depths are searched; None searches the usual measures.
        qrels: relevance judgments, as in ``evaluate``.
        run: a run, as in ``evaluate``.
        query: one or several queries of the run; None for the mean over all queries.
        grades: instead of files, the grades of the ranked documents of one or more lists, as in ``evaluate_grades``.
        judged: if ``grades`` is given, the grades of all judged documents for each list.
        policy: settings that override every profile.

    Returns:
        The explanations.

    Raises:
        DataError: a number cannot be read, or lists cannot be used.
        MeasureError: neither carob nor any profile knows the measure.

    Example:
        >>> import carob
        >>> found = carob.whence("0.607", "nDCG@3", grades=[1, 3, 0, 2], judged=[3, 2, 1])
        >>> found.causes[0].measure, found.causes[0].convention
        (('nDCG@3',), 'nDCG(gain=linear, discount=log2, ideal=judged)@3')
    """
    texts = texts_of_numbers(numbers)
    subject, count = subject_of(qrels, run, query, grades, judged, policy)
    each_its_own = count == len(texts) and count > 1
    if count > 1 and not each_its_own:
        subject = subject.as_mean()
    asked = given_numbers(texts, measure, each_its_own=each_its_own)
    search = Search(asked, subject, policy)
    return explanations(search, command_for(qrels, run, query, grades, judged))


# ---------------------------------------------------------------- the arguments


def texts_of_numbers(numbers: NumbersLike) -> list[str]:
    """Returns the numbers as text.

    Raises:
        DataError: there is no number, or a text is not a number.
    """
    given = [numbers] if isinstance(numbers, (str, int, float)) else [*numbers]
    texts = [
        text.strip()
        for each in given
        for text in (each.split(";") if isinstance(each, str) else [repr(each)])
    ]
    if not texts:
        raise DataError("Pass the number that you have, such as 0.613.")
    for text in texts:
        if not (is_number(without_percent(text)) and math.isfinite(float(without_percent(text)))):
            raise DataError(f"'{text}' is not a number: write it as it was printed, such as 0.613 or 61.3%.")
    return texts


def without_percent(text: str) -> str:
    """Returns a number without its percent sign."""
    return text.removesuffix("%").strip()


def number_of(text: str, families: tuple[str, ...], depth: int | None, place: int) -> GivenNumber:
    """Parses a number and counts its digits. As a share, a percentage has two more digits."""
    bare, share = without_percent(text), text.endswith("%")
    mantissa, _, exponent = bare.lower().partition("e")
    digits = len(mantissa.partition(".")[2]) - int(exponent or 0)
    value = float(bare) / 100 if share else float(bare)
    return GivenNumber(text, value, digits + 2 if share else digits, families, depth, place)


def given_numbers(
    texts: list[str], measure: str | Sequence[str] | None, *, each_its_own: bool
) -> list[GivenNumber]:
    """Returns the numbers with the measures that were stated.

    Raises:
        MeasureError: a measure is unknown.
        DataError: there are several measures, but not as many as numbers.
    """
    names = [measure] if isinstance(measure, str) or measure is None else [*measure]
    if len(names) not in (1, len(texts)):
        raise DataError(
            f"There are {len(texts)} numbers and {len(names)} measures: name one measure, or one for each number."
        )
    names = names * len(texts) if len(names) == 1 else names
    stated = [((), None) if name is None else stated_measure(name) for name in names]
    return [
        number_of(text, families, depth, place if each_its_own else 0)
        for place, (text, (families, depth)) in enumerate(zip(texts, stated, strict=True))
    ]


def stated_measure(name: str) -> tuple[tuple[str, ...], int | None]:
    """Returns the usual names of a measure that a user states by any tool's name, and its depth.

    Raises:
        MeasureError: neither carob nor any profile knows the name.
    """
    word, at, text = name.strip().rpartition("@")
    if not at:
        ending = re.fullmatch(r"(.*?)[_.](?:cut_)?(\d+)", name.strip())
        word, text = (ending[1], ending[2]) if ending else (name.strip(), "")
    depth = depth_of(text, name) if text else None
    usual = usual_names()
    found = {family_of(usual[folded(word)])} if folded(word) in usual else set()
    for profile in every_profile().values():
        for own, meant in profile.names.items():
            if not found and folded(own.removesuffix("@")) == folded(word):
                found.add(family_of(re.split(r"[(@]", meant)[0]))
    if not found:
        raise MeasureError(
            f"Neither carob nor any profile has a measure '{word}': omit it to search all measures, or write a name "
            f"such as nDCG@10."
        )
    return tuple(found), depth


def subject_of(
    qrels: QrelsLike | None,
    run: RunLike | None,
    query: str | Sequence[str] | None,
    grades: GradesLike | None,
    judged: GradesLike | None,
    policy: Policy | None,
) -> tuple[NumberedLists, int]:
    """Returns the lists, and their number, which is 1 for the mean over all queries of a run.

    Raises:
        DataError: the arguments describe no lists, or lists of two kinds.
    """
    general = (policy or Policy()).over(Policy())
    if (grades is None) == (qrels is None and run is None) or (grades is not None and query is not None):
        raise refused(
            "The search needs the ranked lists that the number was computed from: pass {grades} (and {judged}), or "
            "judgments and a run.",
            grades=Worded("grades=", "--grades"),
            judged=Worded("judged=", "--judged"),
        )
    if grades is not None:
        matches = Matches.of_grades(grades, judged, "grades")
        count = len(matches.under(general).queries)
        if not count:
            raise DataError("There is no list of grades: pass the grades of at least one document.")
        return NumberedLists(grades=matches, policy=general), count
    if qrels is None and run is not None:
        qrels = judgments_for([run], None, general)
    if qrels is None or run is None:
        raise DataError("Pass both judgments and a run.")
    queries = () if query is None else (query,) if isinstance(query, str) else tuple(query)
    if len(queries) == 1:
        qrels = alone(Qrels.of(qrels, general).complete, queries[0])
    evaluated = JudgedRun(kept(qrels), Run.of(run))
    judgments = evaluated.judgments(general, subtopics=False)
    for each in queries:
        alone(judgments, each)  # raises an error for a query without judgments
    subject = NumberedLists(run=evaluated, queries=queries, mean=not queries, policy=general)
    return subject, max(len(queries), 1)


# ---------------------------------------------------------------- the result


def explanations(search: Search, commands: ShownCommands) -> Whence:
    """Returns explanations of all numbers together or, if there are none, explanations of each number by itself."""
    tried = ((each, in_groups(each.fits())) for each in search.readings_of_numbers())
    found, groups = next((each for each in tried if each[1]), (search, []))
    apart = [] if groups or len(search.numbers) == 1 else [search.of(each) for each in search.numbers]
    nearest: list[FittingReadings] = []
    if not groups and not apart:
        found = min(
            search.of(search.numbers[0]), search.of(search.numbers[0].as_percent), key=Search.distance
        )
        nearest = found.nearest()
    causes = tuple(cause_of(rank, group, found, commands) for rank, group in enumerate(groups, 1))
    return Whence(
        tuple(each.text for each in search.numbers),
        causes,
        len(search.candidates),
        found.chance(),
        decider(found, [group[0] for group in groups[:LEADS]]),
        cause_of(1, nearest, found, commands) if nearest else None,
        tuple(each.digits for each in found.numbers),
        tuple(each.read_as for each in found.numbers),
        tuple(explanations(each, commands) for each in apart),
    )


def cause_of(rank: int, group: list[FittingReadings], search: Search, commands: ShownCommands) -> Cause:
    """Returns one explanation, made from fits that the data cannot distinguish, most common first."""
    best, subject = group[0], search.subject
    conventions = [
        fit.possibilities[0] for fit in group if fit.possibilities[0].variant.convention is not None
    ]
    mistakes = [
        each.variant.mistake for fit in group for each in fit.possibilities[:1] if each.variant.mistake
    ]
    profiles = dict.fromkeys(name for each in conventions for name, _ in each.variant.sources)
    depths = {candidate.depth for fit in group for candidate in fit.possibilities}
    fitting = next((fit for fit in group if fit.possibilities[0] in conventions), best)
    lead = fitting.possibilities[0]
    measures = [each.variant.at(each.depth) for each in fitting.possibilities]  # one for each number
    policy = subject.own(lead.variant)
    known = {
        each.name + each.of: KnownMistake(each.of, each.name, each.sentence, each.source) for each in mistakes
    }
    return Cause(
        rank,
        tuple(each.name for each in best.possibilities),
        best.values,
        (*sorted(each for each in depths if each is not None), *([None] if None in depths else [])),
        tuple(profiles),
        tuple(known.values()),
        " and ".join(dict.fromkeys(each.full for each in measures if each is not None)),
        "" if policy is None else ", ".join(policy.changes(Policy())),
        commands.of(
            [
                (each, subject.own(each.variant), number.place)
                for each, number in zip(best.possibilities, search.numbers, strict=True)
            ]
        ),
    )


def decider(search: Search, leads: list[FittingReadings]) -> Decider | None:
    """Returns the depth at which the first explanations differ most, or None. Of equal depths, the most common counts.

    Measures without a depth, such as R-precision, are left out.
    """
    those = {rank: fit.possibilities[0] for rank, fit in enumerate(leads, 1)}
    those = {rank: each for rank, each in those.items() if each.variant.has(SAMPLE)}
    digits = max(search.numbers[0].digits, 1)
    best: tuple[int, float, Decider] | None = None
    for depth, values in search.at_other_depths(list(those.values())) if len(those) > 1 else ():
        different = len({round(each, digits) for each in values})
        worth = search.readings.depth_weight(depth)
        if different > 1 and (best is None or (different, worth) > best[:2]):
            names = tuple(at_depth(each.variant.family, depth) for each in those.values())
            best = different, worth, Decider(depth, tuple(those), names, tuple(values))
    return None if best is None else best[2]
