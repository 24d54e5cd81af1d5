"""The baseline and the run of a gate (runs, scores or records), reduced to the queries that both contain."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from carob._dataclasses import replace
from carob._numpy import np
from carob.comparison.cautions import WIDEST_GAP, only_relevant, treated
from carob.conventions.request import conventions, labelled
from carob.evaluation.evaluate import evaluate_run
from carob.evaluation.notes import identities
from carob.evaluation.read_record import Record, document_in, record_in, refuse_words
from carob.evaluation.score_tables import GIVEN
from carob.evaluation.scores import JUDGED, Scores, lists_only_relevant, share_judged, with_zeros
from carob.evaluation.suspects import RATIO, reading_beyond
from carob.inputs.errors import refused, sentences
from carob.inputs.qrels import Qrels
from carob.inputs.run import Run
from carob.output.errors import BaselineError, DataError, Doubt, NotEvaluatedError, Worded, by_policy
from carob.output.language import filled
from carob.output.layout import listed
from carob.output.taken import take

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from carob.conventions.policy import Policy
    from carob.conventions.profiles import ProfileLike
    from carob.inputs.qrels import QrelsLike
    from carob.inputs.run import RunLike


LONG = 10
"""A difference in mean length counts only if the larger mean reaches this number, because whether lists have two or
three documents depends on the data."""


def record_of(baseline: object) -> Record | None:
    """Returns the baseline's record, read from its path if necessary, or None if the baseline is a run."""
    if isinstance(baseline, Record):
        return baseline
    if not isinstance(baseline, (str, os.PathLike)) or not os.path.isfile(baseline):
        return None
    path = os.fspath(baseline)
    take(path)
    with sentences(path), open(path, "rb") as file:
        start = file.read(64)
        if not start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
            return None
        content = start + file.read()
    try:
        document, words = document_in(content, path)
    except DataError:
        raise
    except ValueError:
        return None  # a run in JSON lines, one object per line
    if not isinstance(document, dict) or len({"record", "runs", "measures", "policy"} & set(document)) < 2:
        return None
    refuse_words(words, path)
    return record_in(document, path)


def run_name(run: RunLike | Scores, name: str | None) -> str:
    """Returns the run's name."""
    return run.name if isinstance(run, Scores) else Run.of(run, name).name


def run_in(record: Record, wanted: str | None, own: str) -> Scores:
    """Returns the run with the requested name from a record, or the record's only run.

    Raises:
        DataError: the record contains several runs, and none of them was selected.
    """
    by_name = dict(zip(record.names, record.scores, strict=True))
    if wanted is None and len(by_name) == 1:
        return record.scores[0]
    if (wanted or own) in by_name:
        return by_name[wanted or own]
    raise refused(
        "{path} contains {count} runs, and none is called '{wanted}': choose one with {option} ({names}).",
        path=record.path,
        count=len(by_name),
        wanted=wanted or own,
        option=Worded("baseline_run=", "--baseline-run"),
        names=", ".join(record.names),
    )


def refuse_unrecorded(record: Record, scores: Scores, measures: Iterable[str]) -> None:
    """Refuses a record that does not contain a measure.

    Raises:
        NotEvaluatedError: the record does not contain the run's values of a measure.
    """
    lacking = [each for each in measures if each not in scores]
    if lacking:
        remedy = Worded(
            f"Record it again with measures={[*scores, *lacking]}.",
            f"Record it again with {' '.join(f'-m {each}' for each in (*scores, *lacking))}.",
        )
        said = f"{record.path} has no values of {lacking[0]}. Its measures are {', '.join(scores)}."
        raise NotEvaluatedError(said, remedy=remedy)


def changed_judgments(old: Scores, new: Scores, *, recorded: bool) -> Iterator[str]:
    """Yields a note if the baseline and the run were scored with different judgments.

    Args:
        old: the scores of the baseline.
        new: the scores of the run.
        recorded: whether the baseline's scores were read from a file.
    """
    before, now = identities([old, new])
    if not before or not now or before == now:
        return
    origin = new.inputs.get("qrels")
    if recorded and origin is not None:
        yield (
            f"{origin.path} is not the judgment file with which the baseline was recorded. Different judgments may "
            "cause part of the difference, so record the baseline again"
        )
    else:
        yield (
            f"{new.name} and {old.name} were scored with different judgments, which may cause part of the "
            "difference: score both with the same judgments"
        )


def scored(
    qrels: QrelsLike | None,
    run: RunLike | Scores,
    measures: list[str],
    policy: Policy | None,
    profile: ProfileLike,
    name: str | None,
    weights: Mapping[str, float] | None = None,
) -> Scores:
    """Returns the scores of a run, which are computed unless the caller passed scores.

    Raises:
        DataError: there are no judgments with which to score the run.
    """
    if isinstance(run, Scores):
        for measure in measures:
            run.column(measure)
        return run if name is None else replace(run, name=name)
    if qrels is None:
        raise DataError(
            "A run cannot be scored without judgments: pass qrels, or pass scores instead of the run."
        )
    labelled(measures, conventions(profile, policy)[0])
    asked = list(dict.fromkeys([*measures, JUDGED]))
    given: Any = {"policy": policy, "profile": profile, "weights": weights, "name": name}
    return evaluate_run(qrels, run, asked, **given).complete()


def less_judged(old: Scores, new: Scores, qrels: QrelsLike | None) -> Iterator[str]:
    """Yields a note if fewer of the run's top documents are judged than of the baseline's, so the run looks worse.

    Args:
        old: the scores of the baseline.
        new: the scores of the run.
        qrels: the judgments; None if only scores are known. If the judgments list only relevant documents, the note
            states that the share of judged documents is meaningless, as in a comparison.
    """
    now, before = share_judged(new), share_judged(old)
    if not now < before - WIDEST_GAP or new.policy.unjudged == "negative":
        return
    if qrels is not None:
        by_subtopic = any(each.definition.groups for each in new.measures)
        judgments = Qrels.of(qrels, new.policy, subtopics=by_subtopic).judgments
        if lists_only_relevant(judgments.grades):
            yield only_relevant(judgments.count / judgments.query_count, new.policy).sentence
            return
    yield (
        f"{1 - now:.0%} of the first 10 documents are unjudged in the run, and {1 - before:.0%} in the baseline: "
        f"unjudged documents {treated(new.policy)}, so a drop may be due to missing judgments"
    )


def unequal_lists(old: Scores, new: Scores, measures: Iterable[str]) -> Iterator[str]:
    """Yields a note if one side's lists are much shorter than the other's, and too short for a measure."""
    lengths = [
        each.counts.retrieved / max(each.counts.judged - len(each.counts.missing), 1) for each in (old, new)
    ]
    short = min(lengths)
    asked = [new.measures[new.column(name)] for name in measures]
    reads = reading_beyond({str(each): each for each in asked}, new.policy, short)
    if short and max(lengths) >= max(RATIO * short, LONG) and reads:
        yield (
            f"a list has {lengths[0]:,.3g} documents on average in the baseline, and {lengths[1]:,.3g} in the run: in "
            f"{listed(reads)}, shorter lists are at a disadvantage, so cut both at the same depth"
        )


NOT_JUDGED = (
    "{new} has no judgments of {lost} of {total} queries of {old}, starting with '{first}', so a run on fewer queries "
    "could pass. Judge these queries, record the baseline again with the new judgments, or count missing queries as "
    "0: {zero}."
)
NO_VALUES = (
    "{new} has no value for {lost} of {total} queries of {old}, starting with '{first}', so a run that "
    "answers fewer queries could pass. Complete its values, or count missing queries as 0: {zero}."
)


def sides_of(
    old: Scores, new: Scores, zero: bool
) -> tuple[tuple[Scores, Scores], dict[str, tuple[str, ...]]]:
    """Returns the scores of the queries on both sides, and the fields of ``Gate`` about queries missing from one side.

    A query that the baseline lacks provides no evidence about a drop, so it is left out. A query that only the run
    lacks is a drop, so the policy must count the query as 0; otherwise the gate cannot decide.

    Args:
        old: the baseline.
        new: the run.
        zero: whether the caller chose to count queries that are missing from the run as 0.

    Raises:
        DataError: the two sides have no query in common, or queries of the baseline are missing from the run's
            judgments or values.
    """
    answered = [[each for each in its.queries if each not in {*its.counts.missing}] for its in (old, new)]
    if not answered[0]:
        raise refused(
            "The baseline {old} answers none of the {judged:judged query/judged queries}, so no drop can be measured: "
            "pass a baseline that answers these queries.",
            old=old.name,
            judged=len(old.counts.missing),
        )
    if answered[1] and not {*answered[0]} & {*answered[1]}:
        raise DataError(
            f"{old.name} and {new.name} have no query in common ('{answered[0][0]}' …, '{answered[1][0]}' "
            "…): check that both use the same ids."
        )
    absent = set(old.queries).difference(new.queries, new.counts.missing, old.counts.missing)
    lost = tuple(query for query in old.queries if query in absent)
    if lost and not zero:
        raise refused(
            NOT_JUDGED if judged_by_file(new) else NO_VALUES,
            new=new.name,
            old=old.name,
            lost=len(lost),
            total=len(old.queries),
            first=lost[0],
            zero=by_policy("missing", "zero"),
        )
    new = with_zeros(new, lost)
    before, after = set(old.counts.missing), set(new.counts.missing)
    shared = (set(old.queries) & set(new.queries)) - (before - after)
    return (only(old, shared), only(new, shared)), {
        "only_before": tuple(each for each in old.queries if each not in {*new.queries, *after}),
        "only_after": tuple(each for each in new.queries if each not in {*shared, *after}),
        "missing_before": old.counts.missing,
        "missing_after": new.counts.missing,
    }


BROKEN = {
    "reversed": "The scores of the baseline {old} seem to be reversed",
    "spelled-otherwise": "The baseline {old} seems to spell document ids differently from the judgments",
    "nothing-judged": "The baseline {old} retrieves no judged document",
}
"""The message for each sign of a broken baseline."""
MISSED = 0.9
"""If a baseline and a run both spell some document ids differently from the judgments, the baseline is broken if the
number of judged documents that it retrieves is below this share of the run's number."""


def refuse_broken(old: Scores, new: Scores) -> None:
    """Refuses a baseline that shows signs of being broken, because a worse run could pass against it.

    Ids that seem to be misspelled on both sides may belong to other documents, so they are accepted if the baseline
    retrieves nearly as many judged documents as the run.

    Raises:
        BaselineError: its scores are reversed, its ids are spelled differently, or it retrieves no judged document.
    """
    said = {each.sign: each for each in old.warnings if isinstance(each, Doubt)}
    both = any(isinstance(each, Doubt) and each.sign == "spelled-otherwise" for each in new.warnings)
    if both and old.counts.found >= MISSED * new.counts.found:
        said.pop("spelled-otherwise", None)
    allowed = "none" in (old.policy.overlap, new.policy.overlap)
    for sign, what in BROKEN.items():
        if sign in said and (sign == "reversed" or not allowed):
            remedy = "Correct the baseline, or pass another one."
            if sign != "reversed":
                allow = by_policy("overlap", "none")
                remedy = filled(
                    "{remedy} If the baseline is correct, allow it: {allow}.", remedy=remedy, allow=allow
                )
            raise BaselineError(
                f"{what.format(old=old.name)}, so a worse run could pass. {said[sign]}",
                old.name,
                sign,
                remedy=remedy,
            )


SAME_FILE = (
    "{path} is both the run and the baseline, so no drop can be measured: pass the run from before the change as the "
    "baseline"
)
SAME_VALUES = (
    "{new} has the baseline's value of {labels} for every query, as the same run would have: if something was "
    "changed, check that you passed the right files"
)
SIZES = ("retrieved", "found", "relevant_retrieved", "longest")
"""The counts that are equal for two runs with the same lists."""


def both_sides(old: Scores, new: Scores) -> list[str]:
    """Returns a note if one file was read for both sides."""
    paths = [its.inputs["run"].path if "run" in its.inputs else None for its in (old, new)]
    if paths[0] and paths[1] and os.path.realpath(paths[0]) == os.path.realpath(paths[1]):
        return [filled(SAME_FILE, path=paths[1])]
    return []


def unmoved_run(old: Scores, new: Scores, sides: tuple[Scores, Scores], measures: Iterable[str]) -> list[str]:
    """Returns a remark if the run and the baseline have the same values, as if the changed run had not been passed.

    Args:
        old: the baseline.
        new: the run.
        sides: the baseline and the run, reduced to the compared queries.
        measures: the compared measures.
    """
    sizes = [[getattr(its.counts, name) for name in SIZES] for its in (old, new)]
    if both_sides(old, new) or (GIVEN not in (old.profile, new.profile) and sizes[0] != sizes[1]):
        return []
    for name in measures:
        before, now = (its.matrix[:, its.column(name)] for its in sides)
        if not np.array_equal(before, now, equal_nan=True):
            return []
    return [filled(SAME_VALUES, new=new.name, labels=listed(list(measures)))]


def judged_by_file(scores: Scores) -> bool:
    """Returns whether scores were computed from judgments, which define the queries that the run had to answer."""
    return scores.profile != GIVEN and not {"grades", "judged ranking"} & set(scores.inputs)


def only(scores: Scores, queries: set[str]) -> Scores:
    """Returns the scores restricted to some queries."""
    if len(queries) == len(scores.queries):
        return scores
    return scores.of_queries(np.array([each in queries for each in scores.queries]))


def both_valued(old: Scores, new: Scores, measures: Iterable[str]) -> tuple[Scores, Scores]:
    """Returns both scores with NaN wherever one side has no value, so that both means are over the same queries."""
    sides = [replace(each, matrix=each.matrix.copy()) for each in (old, new)]
    for name in measures:
        columns = [each.column(name) for each in sides]
        there = np.ones(len(old.queries), bool)
        for each, column in zip(sides, columns, strict=True):
            there &= ~np.isnan(each.matrix[:, column])
            there &= True if each.counted is None else each.counted[:, column]
        for each, column in zip(sides, columns, strict=True):
            each.matrix[~there, column] = np.nan
    return sides[0], sides[1]
