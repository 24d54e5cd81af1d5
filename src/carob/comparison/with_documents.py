"""Contests estimated from sampled documents that people judged, and from a judge's grades of all documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from carob._numpy import np
from carob.comparison.evidence import tables_of
from carob.comparison.findings import JudgeComparison, Judging
from carob.comparison.significance import correct_together, empty_outcome, join, pairs_of
from carob.comparison.with_judge import contest_of, contrasts_of, half_median, tested, without_unknown
from carob.estimation.sampled_documents import (
    Documents,
    changes_of,
    estimated_documents,
    is_linear,
)
from carob.output.errors import DataError, PolicyError
from carob.statistics.estimates import NOISE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from carob.comparison.design import Design
    from carob.comparison.evidence import Read, RunTable
    from carob.comparison.findings import Contest, Settings
    from carob.comparison.significance import Outcome
    from carob.estimation.sampled_documents import SampledEstimates
    from carob.inputs.names import Names
    from carob.inputs.samples import SampledJudgment
    from carob.lists.rows import Floats, Integers


def documents_contests(
    sample: Mapping[str, Mapping[str, SampledJudgment]],
    judge: Read,
    settings: Settings,
    design: Design,
) -> tuple[Names, dict[str, Contest], Judging]:
    """Returns the judge's queries, the comparison by each measure, and facts about the judge.

    Args:
        sample: people's judgments.
        judge: the runs under the judge's grades.
        settings: the settings of the test, which is ``t``.
        design: how to estimate.

    Raises:
        DataError: scores in place of runs, a measure that is not a mean over queries, or too few documents.
        PolicyError: an option that has no meaning for sampled documents.
    """
    if design.target != "these" or design.strata is not None:
        raise PolicyError(
            "Sampled documents have neither strata of queries nor the target 'similar': leave them out."
        )
    if judge.qrels is None:
        raise DataError("Judgments of sampled documents need the runs and the judge's grades, not scores.")
    ids, tables = tables_of(judge.scores)
    for table in tables:
        refuse_unfit(table, judge)
    documents = Documents.of(sample, judge.qrels)
    if (documents.probability < 1).sum() < 3:
        raise DataError(
            "People judged fewer than 3 documents with a probability below 1: an error needs at least 3."
        )
    runs = len(judge.systems)
    first, second = pairs_of(runs, settings.baseline)
    contrasts = contrasts_of(runs, first, second)
    found = estimates_of(documents, judge, tables, contrasts, design, settings.confidence)
    outcomes = [outcome_of(each, runs, first, second, len(documents.sampled), settings) for each in found]
    correct_together(outcomes, settings)
    contests, facts = {}, {}
    widths = [design.width or half_median(found[0], own) for own in (slice(runs), slice(runs, -1))]
    for table, each, outcome in zip(tables, found, outcomes, strict=True):
        join(outcome, settings, geometric=False)
        contests[table.label] = contest_of(table, each, outcome, settings, runs)
        facts[table.label] = judged_of(each, runs, widths, len(documents.sampled))
    info = Judging(
        name=judge.qrels.name,
        target=design.target,
        sample=len(sample),
        queries=len(ids),
        fixed=design.judge_weight,
        strata=None,
        width=widths[0],
        width_pairs=widths[1],
        alone=(),
        undefined={},
        measures=facts,
        documents=len(documents.sampled),
        judged=judge.judged,
    )
    return ids, contests, info


def refuse_unfit(table: RunTable, judge: Read) -> None:
    """Refuses a measure or a policy for which values with single grades changed cannot be computed.

    Raises:
        DataError: the measure is not a plain mean over queries of values from grades.
        PolicyError: documents of equal score have no fixed order.
    """
    definition = table.measure.definition
    if definition.aggregate != "mean" or definition.takes != "grades" or table.weights is not None:
        raise DataError(
            f"{table.label} is not a plain mean over queries, as estimates from sampled documents need. Choose another "
            "measure, such as P@10 or nDCG@10."
        )
    policy = judge.scores[0].policy.of_measure(table.measure)
    if policy.ties in ("expected", "optimistic", "pessimistic") or policy.unjudged == "removed":
        raise PolicyError(
            "Sampled documents need a fixed order of documents (ties=trec or another fixed order) and all documents of "
            "each list (not unjudged=removed)."
        )


def estimates_of(
    documents: Documents,
    judge: Read,
    tables: list[RunTable],
    contrasts: Floats,
    design: Design,
    confidence: float,
) -> list[SampledEstimates]:
    """Returns the estimates of each measure."""
    changes = []
    measures = [table.measure for table in tables]
    for name, system in judge.systems.items():
        if system.run is None:
            raise DataError(f"{name} is given as scores: pass the run, since its documents are needed.")
        changes.append(changes_of(documents, system.run, measures, system.scores.policy))
    found = []
    for place, measure in enumerate(measures):
        own = [each[place] for each in changes]
        linear = is_linear(measure)
        made = estimated_documents(
            own,
            documents.probability,
            contrasts,
            linear=linear,
            weight=design.judge_weight,
            confidence=confidence,
        )
        found.append(without_unknown(made))
    return found


def outcome_of(
    found: SampledEstimates, runs: int, first: Integers, second: Integers, size: int, settings: Settings
) -> Outcome:
    """Returns the difference, interval and p of every pair."""
    outcome = empty_outcome(first, second)
    own = slice(runs, runs + len(first))
    outcome.n[:] = size
    tested(outcome, found, own, settings)
    outcome.identical[:] = (np.abs(outcome.difference) <= NOISE) & (found.error[own] <= NOISE)
    outcome.p[outcome.identical] = 1.0
    return outcome


def judged_of(found: SampledEstimates, runs: int, widths: list[float], size: int) -> JudgeComparison:
    """Returns what people's judgments say about the judge on one measure. The needed judgments are documents."""
    bias = found.judge - found.value
    half = found.width / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        needed, needed_pairs = (np.ceil(size * (2 * half / width) ** 2) for width in widths)
    nothing = (np.nan,) * runs
    return JudgeComparison(
        weight=found.weight,
        bias=float(bias[-1]),
        low=float(bias[-1] - half[-1]),
        high=float(bias[-1] + half[-1]),
        people=nothing,
        judge=tuple(found.judge[:runs].tolist()),
        biases=tuple(bias[:runs].tolist()),
        lows=tuple((bias - half)[:runs].tolist()),
        highs=tuple((bias + half)[:runs].tolist()),
        worth=nothing,
        worth_pairs=(np.nan,) * (len(bias) - runs - 1),
        needed=tuple(needed[:runs].tolist()),
        needed_pairs=tuple(needed_pairs[runs:-1].tolist()),
        apart=0.0,
    )
