"""``karat.agreement``: two sets of judgments in, and runs if wanted; how far they agree out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from karat.comparison.agreement.findings import Judge
from karat.comparison.agreement.labels import kappas, scale_of, statistics, tables_of
from karat.comparison.agreement.pairing import Pairing, pair, restricted
from karat.comparison.agreement.result import Agreement
from karat.comparison.agreement.systems import effects
from karat.comparison.statistics import SEED
from karat.comparison.systems import RunsLike, named
from karat.conventions.request import conventions
from karat.evaluation.scores import Scores
from karat.inputs.qrels import Qrels
from karat.inputs.run import Run
from karat.output.errors import DataError, PolicyError

if TYPE_CHECKING:
    from karat.comparison.agreement.systems import Effect
    from karat.conventions.policy import Policy
    from karat.conventions.profiles import ProfileLike
    from karat.conventions.request import MeasuresLike
    from karat.inputs.qrels import QrelsLike

__all__ = ["agreement"]

DEFAULT_MEASURES = ("nDCG@10", "AP")
POOLS = ("own", "both")
RESAMPLES = 1000


def agreement(
    a: QrelsLike,
    b: QrelsLike,
    runs: RunsLike | None = None,
    measures: MeasuresLike = None,
    *,
    pool: str = "own",
    policy: Policy | None = None,
    profile: ProfileLike = None,
    alpha: float = 0.05,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Agreement:
    """Say how far two judges agree, and what the choice of one does to the scores and the order of systems.

    Of the documents that both judged: the confusion table, the share of equal grades, Cohen's κ (unweighted, linear,
    quadratic), Krippendorff's α for ordinal grades, Gwet's AC1 and AC2, and who is stricter by how much, each with a
    95 % interval from whole queries drawn with replacement. With runs: the means under each judge, Kendall's τ and τ_AP
    between the orders of systems, pairs that flip, and pairs whose significance is lost, gained or reversed, tested as
    ``karat.compare`` does it. Grades and orders are two questions: judges who differ in many grades may order systems
    alike, and judges who agree on most may not agree on the best.

    Args:
        a: the first judge's qrels, the reference: as ``qrels`` of ``karat.evaluate``.
        b: the second judge's, such as a language model's.
        runs: two systems or more, as in ``karat.compare``; None to compare grades only.
        measures: nDCG@10 and AP, or the profile's own, if None; the first is the one that the text tells most about.
        pool: whose documents count as judged when systems are scored: each judge's ``own``, or those that ``both``
            judged, so that only grades differ.
        policy: as in ``karat.evaluate``.
        profile: as in ``karat.evaluate``.
        alpha: how small a corrected p must be to call a difference significant.
        resamples: how many times queries are drawn.
        seed: of the draws.

    Raises:
        DataError: judgments or runs that cannot be read, or judges without a document in common.
        MeasureError: a measure that does not exist.
        PolicyError: a profile, policy or pool that does not exist.

    Example:
        >>> import karat
        >>> human = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"a": 1, "b": 1}}
        >>> model = {"q1": {"a": 2, "b": 1, "c": 1}, "q2": {"a": 1, "b": 2}}
        >>> found = karat.agreement(human, model)
        >>> found["same grade"].value, found["bias, B - A"].value
        (0.6, 0.4)
    """
    if pool not in POOLS:
        raise PolicyError(f"There is no pool {pool!r}: it is one of {', '.join(POOLS)}.")
    convention, decided = conventions(profile, policy)
    one, other = Qrels.of(a, decided), Qrels.of(b, decided)
    pairing = pair(one, other)
    if not pairing.queries:
        raise DataError(
            f"{one.name} and {other.name} have no query in common ('{one.queries[0]}' …, '{other.queries[0]}' …): "
            "check that both use the same ids."
        )
    if not len(pairing.a):
        raise DataError(
            f"{one.name} and {other.name} have no document in common: check that both use the same ids."
        )
    scale = scale_of(pairing.a, pairing.b)
    tables = tables_of(pairing, scale)
    found: tuple[Effect, ...] = ()
    scores: tuple[Scores, ...] = ()
    settings = None
    if runs is not None:
        asked = measures if measures is not None else convention.measures or DEFAULT_MEASURES
        systems = systems_in(runs)
        documents = documents_of(pairing) if pool == "both" else None
        queries = set(pairing.queries)
        found, settings, scores = effects(
            restricted(one, queries, documents),
            restricted(other, queries, documents),
            systems,
            asked,
            policy=policy,
            profile=profile,
            alpha=alpha,
            resamples=resamples,
            seed=seed,
        )
    return Agreement(
        a=judge(one),
        b=judge(other),
        pairing=pairing,
        grades=tuple(scale.tolist()),
        table=tables.sum(axis=0),
        tables=tables,
        statistics=statistics(tables, scale, resamples, seed),
        kappas=kappas(tables),
        effects=found,
        settings=settings,
        scores=scores,
        pool=pool,
        resamples=resamples,
        seed=seed,
    )


def systems_in(runs: RunsLike) -> dict[str, Run]:
    """The runs by name; one alone is welcome.

    Raises:
        DataError: scores in place of a run.
    """
    found = named(runs) if len(runs) != 1 else one_run(runs)
    systems = {name: each for name, each in found.items() if isinstance(each, Run)}
    if len(systems) < len(found):
        raise DataError("Scores do not say which documents were found: give runs.")
    return systems


def one_run(runs: RunsLike) -> dict[str, Run | Scores]:
    """A single run by its name."""
    name, run = next(iter(runs.items())) if isinstance(runs, Mapping) else (None, runs[0])
    found = run if isinstance(run, Scores) else Run.of(run, name)
    return {found.name: found}


def judge(qrels: Qrels) -> Judge:
    """What there is to say of one judge alone."""
    grades = qrels.judgments.grades
    graded = grades[grades >= 0]
    mean = float(graded.mean()) if len(graded) else np.nan
    return Judge(qrels.name, len(graded), len(qrels.judgments.queries), mean)


def documents_of(pairing: Pairing) -> set[tuple[str, bytes]]:
    """The documents that both judged, each with its query."""
    owners = pairing.query.tolist()
    return {
        (pairing.queries[owner], document) for owner, document in zip(owners, pairing.documents, strict=True)
    }
