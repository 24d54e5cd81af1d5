"""``carob.agreement``: measures how well two judges agree, and how the choice of judge affects the scores of runs."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import TYPE_CHECKING, Any

from carob import _native
from carob._dataclasses import dataclass
from carob._numpy import np
from carob.comparison.design import Test
from carob.comparison.findings import Settings
from carob.comparison.significance import contests_of, settings_of
from carob.conventions import arguments
from carob.conventions.arguments import specified
from carob.conventions.request import conventions
from carob.evaluation.evidence import (
    Evidence,
    RunsLike,
    named_together,
    said_if_scaled,
    said_if_sparse,
    tables_of,
)
from carob.evaluation.notes import known_of
from carob.inputs.ids import text_of
from carob.inputs.qrels import Qrels, graded, refuse_results
from carob.inputs.spellings import written_otherwise
from carob.judges.agreement_result import FATES, TOP, Agreement, Coefficient, Effect, Judge, Pairing, said
from carob.output.errors import DataError
from carob.statistics.coefficients import (
    LEAST_ALIKE,
    SUSPICIOUS,
    alphas,
    gwets,
    kappa,
    kappas,
    middle_share,
    scale_of,
    total,
)
from carob.statistics.correlation_intervals import UNDEFINED, Samples
from carob.statistics.correlations import correlation_named
from carob.statistics.rank_correlation import kendall, tau_ap
from carob.statistics.resampling import Draw, resample_means

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Sequence

    from carob.comparison.findings import Contest, Pair, Settings
    from carob.conventions.arguments import Pool
    from carob.conventions.policy import Policy
    from carob.conventions.profiles import ProfileLike
    from carob.conventions.request import MeasuresLike
    from carob.evaluation.evidence import Read
    from carob.inputs.names import Names
    from carob.inputs.qrels import QrelsLike
    from carob.lists.rows import Floats


DEFAULT_MEASURES = ("nDCG@10", "AP")


@specified
def agreement(
    a: QrelsLike,
    b: QrelsLike,
    runs: RunsLike | None = None,
    measures: MeasuresLike = None,
    *,
    pool: Pool = arguments.POOL,
    policy: Policy | None = None,
    profile: ProfileLike = None,
    alpha: float = arguments.ALPHA,
    resamples: int = arguments.RESAMPLES_OF_JUDGES,
    seed: int = arguments.USUAL_SEED,
) -> Agreement:
    """Measure how well two judges agree, and how the choice of judge changes the scores and the order of systems.

    For the documents that both judged, the result contains the confusion matrix, the share of equal grades, Cohen's κ
    (unweighted, linear, quadratic), Krippendorff's α for ordinal grades, Gwet's AC1 and AC2, and which judge is
    stricter and by how much. Each statistic has a 95% interval from a bootstrap over queries. With runs, the result
    also contains the means under each judge, Kendall's τ and τ_AP between the orders of systems, pairs that flip, and
    pairs whose significance is lost, gained or reversed, tested as in ``carob.compare``. Agreement on grades and
    agreement on orders are separate questions. Judges who differ in many grades may order systems similarly, and judges
    who agree on most grades may disagree on the best system.

    Args:
        a: the qrels of the first judge, who is the reference, in any form that ``carob.evaluate`` accepts.
        b: the qrels of the second judge, such as a language model.
        runs: two or more systems, as in ``carob.compare``; None to compare only grades.
        measures: the measures; by default the profile's measures, or nDCG@10 and AP. The text output reports the first
            measure in most detail.
        pool: the documents that count as judged when systems are scored. ``own`` uses all documents that each judge
            judged. ``both`` uses only documents that both judged, so only the grades differ.
        policy: as in ``carob.evaluate``.
        profile: as in ``carob.evaluate``.
        alpha: a difference is significant if its corrected p is below alpha.
        resamples: the number of bootstrap samples of queries.
        seed: the seed of the bootstrap.

    Raises:
        DataError: judgments or runs cannot be read, or the judges have no document in common.
        MeasureError: a measure does not exist.
        PolicyError: the profile, policy or pool does not exist.

    Example:
        >>> import carob
        >>> human = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"a": 1, "b": 1}}
        >>> model = {"q1": {"a": 2, "b": 1, "c": 1}, "q2": {"a": 1, "b": 2}}
        >>> found = carob.agreement(human, model)
        >>> found["same grade"].value, found["bias, B - A"].value
        (0.6, 0.4)
    """
    convention, decided = conventions(profile, policy)
    one, other = Qrels.of(a, decided), Qrels.of(b, decided)
    if runs is not None or (one.sample is None) != (other.sample is None):
        # Two samples of judgments can be compared, but a sample cannot be used to score runs or be combined with
        # complete judgments.
        one, other = one.complete, other.complete
    pairing = pair(one, other)
    if not pairing.queries:
        raise DataError(
            f"{one.name} and {other.name} have no query in common ('{one.queries[0]}' …, '{other.queries[0]}' …): "
            "check that both use the same ids.",
            remedy=pairing.spelled or None,
        )
    if not len(pairing.a):
        raise DataError(
            f"{one.name} and {other.name} have no document in common: check that both use the same ids.",
            remedy=pairing.spelled or None,
        )
    scale = scale_of(pairing.a, pairing.b)
    tables = confusions(pairing, scale)
    doubts = [*filter(None, [pairing.spelled]), *said_if_scaled(("A", "B"), one, other)]
    likeness = kappa(tables.sum(axis=0), "quadratic")
    if likeness > SUSPICIOUS and len(pairing.a) >= LEAST_ALIKE:
        doubts.append(said("seen", kappa=likeness, most=SUSPICIOUS))
    orders: dict[str, Any] = {"effects": (), "settings": None, "scores": (), "warnings": (), "footers": ()}
    if runs is not None:
        asked = measures if measures is not None else convention.measures or DEFAULT_MEASURES
        documents = documents_of(pairing) if pool == "both" else None
        systems = named_together(runs, least=1)
        test = Test(None if len(systems) > 1 else "t", alpha=alpha, seed=seed)
        sides = [restricted(each, set(pairing.queries), documents) for each in (one, other)]
        first, second = (
            judged_by(each, systems, asked, test, policy=policy, profile=profile) for each in sides
        )
        draw = Draw(resamples, seed)
        orders = {
            "effects": tuple(effect(label, first, second, draw) for label in first.contests),
            "settings": first.settings if len(systems) > 1 else None,
            "scores": (*first.read.scores, *second.read.scores),
            **known("A", first.read, {"B": second.read}),
        }
    orders["warnings"] = (*doubts, *orders["warnings"])
    return Agreement(
        a=judge(one),
        b=judge(other),
        pairing=pairing,
        grades=tuple(scale.tolist()),
        table=tables.sum(axis=0),
        tables=tables,
        statistics=statistics(tables, scale, resamples, seed),
        kappas=kappas(tables, "quadratic"),
        pool=pool,
        resamples=resamples,
        seed=seed,
        **orders,
    )


def known(name: str, truth: Read, judges: Mapping[str, Read]) -> dict[str, tuple[str, ...]]:
    """Returns warnings about the orders of systems under several judges, and further notes on the data.

    Args:
        name: the name of the truth, or of the first judge.
        truth: the systems as scored with the true judgments, or with the first judge's.
        judges: the systems under each other judge, by name.
    """
    sparse = [
        said
        for its, read in judges.items()
        for said in said_if_sparse((name, its), truth.judged, read.judged, truth.depth)
    ]
    found = known_of(truth.systems, {its: read.systems for its, read in judges.items()})
    return {"warnings": (*sparse, *found.warnings), "footers": found.footers}


def judge(qrels: Qrels) -> Judge:
    """Returns a judge's number of judgments, number of queries, and mean grade."""
    grades = qrels.judgments.grades
    graded = grades[grades >= 0]
    mean = float(graded.mean()) if len(graded) else np.nan
    return Judge(qrels.name, len(graded), len(qrels.judgments.queries), mean)


def documents_of(pairing: Pairing) -> set[tuple[str, bytes]]:
    """Returns the documents that both judges graded, each with its query."""
    owners = pairing.query.tolist()
    return {
        (pairing.queries[owner], document) for owner, document in zip(owners, pairing.documents, strict=True)
    }


def pair(a: Qrels, b: Qrels) -> Pairing:
    """Returns the grades of the documents that both judges graded, side by side."""
    one, other = graded(a), graded(b)
    shared = [query for query in one if query in other]
    rows = [
        (number, document, grade, other[query][document])
        for number, query in enumerate(shared)
        for document, grade in one[query].items()
        if document in other[query]
    ]
    return Pairing(
        queries=tuple(map(text_of, shared)),
        a=np.array([grade for _, _, grade, _ in rows], np.float64),
        b=np.array([grade for _, _, _, grade in rows], np.float64),
        query=np.array([number for number, *_ in rows], np.int64),
        documents=[document for _, document, *_ in rows],
        only_a=sum(len(one[query]) for query in shared) - len(rows),
        only_b=sum(len(other[query]) for query in shared) - len(rows),
        queries_a=tuple(text_of(query) for query in one if query not in other),
        queries_b=tuple(text_of(query) for query in other if query not in one),
        negative=sum(int((each.judgments.grades < 0).sum()) for each in (a, b)),
        spelled=spelled_apart(one, other, (a.name, b.name)),
        one_grade=all(only_relevant(each[query] for query in shared) for each in (one, other)),
    )


def only_relevant(judged: Iterable[Mapping[bytes, float]]) -> bool:
    """Returns whether a judge gave all documents the same grade, and this grade is above 0."""
    grades = {grade for its in judged for grade in its.values()}
    return len(grades) == 1 and min(grades) > 0


MOST_SPELLED = 10_000
"""The maximum number of the first judge's documents whose ids are compared with the second judge's."""


def spelled_apart(
    one: Mapping[bytes, Mapping[bytes, float]],
    other: Mapping[bytes, Mapping[bytes, float]],
    names: tuple[str, str],
) -> str:
    """Returns a sentence if the judges seem to spell the same id differently, and an empty string otherwise.

    Args:
        one: the first judge's grades by query and document.
        other: the second judge's grades.
        names: the names of the judges.
    """
    alone = [{*one}.difference(other), {*other}.difference(one)]
    sides = [("query", alone)] * all(alone)
    looked = 0
    for query in one:
        if query in other and looked < MOST_SPELLED:
            alone = [{*one[query]}.difference(other[query]), {*other[query]}.difference(one[query])]
            looked += len(alone[0])
            sides += [("document", alone)] * all(alone)
    for what, (mine, its) in sides:
        apart = written_otherwise(*(sorted(map(text_of, each)) for each in (mine, its)))
        if apart is not None:
            return (
                f"The {what} '{apart.judged}' of {names[0]} may be the same as '{apart.ranked}' of {names[1]}: "
                f"{apart.why}."
            )
    return ""


def restricted(
    qrels: Qrels, queries: Container[str], documents: set[tuple[str, bytes]] | None = None
) -> Qrels:
    """Returns the judgments restricted to some queries and documents."""
    names = {query: text_of(query) for query in qrels.judgments.queries}
    if documents is None and all(name in queries for name in names.values()):
        return qrels
    kept = [
        (query, document, grade)
        for query, document, grade in qrels.rows()
        if names[query] in queries and (documents is None or (names[query], document) in documents)
    ]
    ids, own, grades = map(list, zip(*kept, strict=True))
    return Qrels(qrels.name, _native.judgments_from_rows(ids, own, np.array(grades)), qrels.origin)


@dataclass(frozen=True, eq=False)
class SystemsUnderJudge:
    """The comparison of systems under one judge.

    Args:
        ids: the ids of all queries that at least one system has.
        contests: the comparison for each measure.
        settings: the settings of the test.
        read: the systems with their scores.
    """

    ids: Names
    contests: dict[str, Contest]
    settings: Settings
    read: Read


def judged_by(
    qrels: Qrels, runs: RunsLike, measures: MeasuresLike, test: Test, **conventions: Any
) -> SystemsUnderJudge:
    """Returns the comparison of systems under one judge.

    Args:
        qrels: the qrels of the judge.
        runs: one or more systems.
        measures: the measures.
        test: the test that the caller requested.
        conventions: ``policy`` and ``profile``, as in ``carob.compare``.

    Raises:
        DataError: a run cannot be read, or scores were passed instead of a run.
    """
    for each in runs.values() if isinstance(runs, Mapping) else runs:
        refuse_results(each)
    read = Evidence(qrels, runs, **conventions).read(measures, least=1)
    ids, tables = tables_of(read.scores)
    contests, settings = contests_of(tables, settings_of(test, len(read.systems), len(tables)))
    return SystemsUnderJudge(ids, contests, settings, read)


def effect(label: str, first: SystemsUnderJudge, second: SystemsUnderJudge, draw: Draw) -> Effect:
    """Returns the effect of the choice of judge on one measure."""
    names, contests = tuple(first.read.systems), (first.contests[label], second.contests[label])
    sign = -1 if contests[0].smaller_is_better else 1
    one, other = (sign * np.array(contest.means) for contest in contests)
    low, high = tau_interval(*contests, draw) if first.ids == second.ids else (np.nan, np.nan)
    best = np.argsort(-one, kind="stable")[:TOP]
    many, ranks_b = len(names) > TOP, ranks(other)
    return Effect(
        label=label,
        names=names,
        a=contests[0].means,
        b=contests[1].means,
        ranks_a=ranks(one),
        ranks_b=ranks_b,
        tau=kendall(one, other),
        tau_low=low,
        tau_high=high,
        tau_ap=tau_ap(one, other),
        tau_top=kendall(one[best], other[best]) if many else np.nan,
        top_kept=sum(ranks_b[place] <= TOP for place in best.tolist()),
        flips=flips(names, one.tolist(), other.tolist()),
        **fates_of(*contests, names),
    )


def fates_of(a: Contest, b: Contest, names: Sequence[str]) -> dict[str, tuple[tuple[str, str], ...]]:
    """Returns the pairs of systems that differ significantly under at least one judge, grouped by outcome."""
    fates: dict[str, list[tuple[str, str]]] = {fate: [] for fate in FATES}
    for pair in a.pairs:
        before, after = winner_and_loser(a, pair), winner_and_loser(b, pair)
        if before or after:
            both = "kept" if before == after else "reversed"
            fate = "lost" if not after else "gained" if not before else both
            better, worse = before or after
            fates[fate].append((names[better], names[worse]))
    return {fate: tuple(pairs) for fate, pairs in fates.items()}


def tau_interval(a: Contest, b: Contest, draw: Draw) -> tuple[float, float]:
    """Returns the interval of τ_b over other query sets of the same size, as ``carob.correlate`` does.

    The interval is NaN for a single system, for undefined values, and if the aggregate is not an arithmetic mean.
    """
    finite = np.isfinite(a.values).all() and np.isfinite(b.values).all()
    if len(a.means) < 2 or a.measure.definition.aggregate != "mean" or not finite:
        return UNDEFINED
    return Samples(a.values, b.values, draw).interval(correlation_named("kendall"), 0.95)


def winner_and_loser(contest: Contest, pair: Pair) -> tuple[int, ...]:
    """Returns the significantly better run of a pair and the other run, or an empty tuple if neither is better."""
    orders = ((pair.a, pair.b), (pair.b, pair.a))
    return next(((one, other) for one, other in orders if other in contest.beaten[one]), ())


def ranks(means: Floats) -> tuple[int, ...]:
    """Returns the rank of each system, where 1 is the best. Systems with equal means share the better rank."""
    return tuple(int((means > each).sum()) + 1 for each in means)


def flips(names: Sequence[str], one: Sequence[float], other: Sequence[float]) -> tuple[tuple[str, str], ...]:
    """Returns the pairs that the judges put in opposite orders. The better system by the first judge comes first."""
    pairs = ((i, j) if one[i] > one[j] else (j, i) for i, j in combinations(range(len(names)), 2))
    return tuple((names[i], names[j]) for i, j in pairs if one[i] > one[j] and other[i] < other[j])


def confusions(pairing: Pairing, scale: Floats) -> Floats:
    """Returns the confusion matrix of each query [queries, grades, grades]. The rows are the first judge's grades."""
    size, count = len(scale), len(pairing.queries)
    cells = np.searchsorted(scale, pairing.a) * size + np.searchsorted(scale, pairing.b)
    flat = np.bincount(pairing.query * size * size + cells, minlength=count * size * size)
    return flat.reshape(count, size, size).astype(np.float64)


def formulas(scale: Floats) -> dict[str, Callable[[Floats], Floats]]:
    """Returns every statistic as a function of confusion matrices [tables, grades, grades]."""
    distance = np.subtract.outer(scale, scale)  # row minus column: the first judge's grade minus the second's

    def share(mask: Floats) -> Callable[[Floats], Floats]:
        return lambda tables: total(tables * mask) / total(tables)

    return {
        "same grade": share(np.eye(len(scale))),
        "within one grade": share((np.abs(distance) <= 1).astype(np.float64)),
        "kappa, quadratic": lambda tables: kappas(tables, "quadratic"),
        "kappa, linear": lambda tables: kappas(tables, "linear"),
        "kappa": lambda tables: kappas(tables, "none"),
        "alpha, ordinal": alphas,
        "AC1": lambda tables: gwets(tables, "none"),
        "AC2, quadratic": lambda tables: gwets(tables, "quadratic"),
        "bias, B - A": share(-distance),
    }


BLOCK = 4096
"""The number of resampled matrices per batch; with 20 grades, a batch uses a few MB."""


def statistics(tables: Floats, scale: Floats, resamples: int, seed: int) -> tuple[Coefficient, ...]:
    """Returns each statistic with a percentile bootstrap interval over queries."""
    used = tables[tables.sum(axis=(1, 2)) > 0]
    whole = used.sum(axis=0)
    drawn = np.empty((0, *whole.shape))
    if len(used) > 1:
        means = resample_means(used.reshape(len(used), -1), Draw(resamples, seed))
        drawn = np.rint(means * len(used)).reshape(-1, *whole.shape)
    blocks = [whole[None], *(drawn[start : start + BLOCK] for start in range(0, len(drawn), BLOCK))]
    found = []
    for name, formula in formulas(scale).items():
        value, *values = np.concatenate([formula(block) for block in blocks]).tolist()
        found.append(Coefficient(value, *middle_share(np.array(values)), name=name))
    return tuple(found)
