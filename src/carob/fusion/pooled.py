"""The lists of several runs. The documents that any run retrieves for a query share one numbering."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from carob import _native
from carob._cached import cached_property
from carob._dataclasses import dataclass, replace
from carob._numpy import np
from carob.fusion.methods import WITHOUT_SCORES
from carob.inputs.dicts import MappingRun
from carob.inputs.errors import refused
from carob.inputs.ids import text_of
from carob.inputs.run import by_rank_column, held_together
from carob.inputs.runs import MatchOptions, add_to_pool, as_mapping, innermost
from carob.matching.match import refuse_duplicates
from carob.output.errors import DataError, PolicyError, warn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from carob.conventions.policy import Policy
    from carob.fusion.recipe import Recipe
    from carob.inputs.run import Run
    from carob.lists.rows import Floats, Integers

UNJUDGED = 0.0
"""The grade of the pooled documents, which is never used."""

LARGEST = 1e150
"""The largest absolute score that can be fused. For larger scores, a sum of squares would overflow."""


@dataclass(frozen=True, eq=False)
class RunLists:
    """The lists of one run, query after query, each in rank order.

    Args:
        name: the run's name.
        offsets: where the list of each query begins and ends [queries + 1].
        document: the number of each document, counted over the documents of all runs [rows].
        score: the score of each document [rows].
        scored: whether the run has scores instead of only ranks.
    """

    name: str
    offsets: Integers
    document: Integers
    score: Floats
    scored: bool

    @property
    def ends(self) -> tuple[Floats, Floats]:
        """The lowest and the highest score of each non-empty list [lists]."""
        lengths = np.diff(self.offsets)
        last = self.offsets[1:][lengths > 0] - 1
        return self.score[last], self.score[self.offsets[:-1][lengths > 0]]


@dataclass(frozen=True, eq=False)
class PooledLists:
    """The lists of several runs. The queries are in byte order.

    Args:
        judgments: the documents that the runs retrieve for each query, stored as judgments.
        runs: the lists of each run.
    """

    judgments: _native.Judgments
    runs: tuple[RunLists, ...]

    @classmethod
    def of(cls, runs: Sequence[Run], policy: Policy, ranks: str = "scores") -> PooledLists:
        """Reads the runs.

        Args:
            runs: the runs.
            policy: how ties order documents, what happens to documents that occur twice, and how lines are read.
            ranks: ``scores`` to order documents by score, or ``column`` to order them by the rank column if a run has
                one.

        Raises:
            DataError: a run cannot be read, a document occurs twice in a list, or the runs have no common query.
            PolicyError: the policy does not fix the order of documents.
        """
        if policy.ties in ("expected", "optimistic", "pessimistic"):
            raise PolicyError(
                f"Fusion needs a fixed order of documents, but ties={policy.ties} has none. Choose ties=trec."
            )
        runs = [one_by_column(run) for run in runs] if ranks == "column" else runs
        runs, by_run = zip(*(with_queries(run, policy) for run in held_together(runs)), strict=True)
        refuse_disjoint([run.name for run in runs], by_run)
        known = _native.judgments_from_mapping({text_of(query): {} for query in set().union(*by_run)})
        pool = _native.Pool(known, UNJUDGED)
        for run in runs:
            add_to_pool(pool, run.held, known.queries, policy)
        everything = pool.finish()
        return cls(everything, tuple(lists_of(run, everything, policy) for run in runs))

    @cached_property
    def in_kernel(self) -> _native.PooledRuns:
        """The lists in the kernel."""
        return _native.PooledRuns(
            self.judgments,
            [np.ascontiguousarray(each.offsets, np.int64) for each in self.runs],
            [np.ascontiguousarray(each.document, np.int64) for each in self.runs],
            [np.ascontiguousarray(each.score, np.float64) for each in self.runs],
        )


def one_by_column(run: Run) -> Run:
    """Returns a run in the order of its rank column, or unchanged if it has no rank column."""
    held = by_rank_column(run.held)
    return run if held is None else replace(run, held=held)


def with_queries(run: Run, policy: Policy) -> tuple[Run, set[bytes]]:
    """Returns a run and its queries. A run whose engine ranks only judged documents is converted to rows in memory."""
    nothing = _native.judgments_from_mapping({"": {"": 0}})
    found = run.match(nothing, MatchOptions(policy))
    if isinstance(found.extra, list):
        own = {b""} if found.length[0] > 0 else set()
        return run, own.union(found.extra)
    rows = MappingRun(as_mapping(run.held, None), run.origin, not run.held.by_rank)
    return replace(run, held=rows), {query for query, _, _ in rows.rows()}


def refuse_disjoint(names: Sequence[str], by_run: Sequence[set[bytes]]) -> None:
    """Refuses runs if no two of them have a query in common, and a run without queries.

    Raises:
        DataError: no two runs have a query in common, or a run has no queries.
    """
    for name, queries in zip(names, by_run, strict=True):
        if not queries:
            raise refused("Run {name} contains no documents.", "Pass a run with documents.", name=name)
    if len(by_run) > 1 and sum(map(len, by_run)) == len(set().union(*by_run)):
        examples = ", ".join(
            f"{name} has query '{text_of(min(its))}'" for name, its in zip(names, by_run, strict=True)
        )
        raise refused(
            "No two of the runs have a query in common: {examples}.",
            "Check that the query ids are the same in all runs.",
            examples=examples,
        )


def lists_of(run: Run, everything: _native.Judgments, policy: Policy) -> RunLists:
    """Returns the lists of a run, with the document numbers of the pool.

    Raises:
        DataError: a document occurs twice in a list, or a score is infinite or too large.
    """
    found = run.match(everything, MatchOptions(policy, scores=True))
    if policy.duplicates == "error":
        refuse_duplicates(run, everything, found, policy)
    document, score = np.asarray(found.judgment), np.asarray(found.scores, np.float64) + 0.0  # no -0
    if len(document) != len(score):
        raise DataError(f"Run {run.name} changed while it was read. Pass files that do not change.")
    odd = np.flatnonzero(~(np.abs(score) <= LARGEST))
    if len(odd):
        place = int(np.searchsorted(np.asarray(found.offsets), odd[0], "right")) - 1
        raise refused(
            "Run {name}, query '{query}': a score is {score}, which is not a finite number.",
            "Correct the run, or leave the document out.",
            name=run.name,
            query=text_of(everything.queries[place]),
            score=f"{score[odd[0]]:g}",
        )
    offsets = np.asarray(found.offsets)
    return RunLists(
        run.name, offsets, document, score, not (run.held.by_rank or of_ids(run.held, offsets, score))
    )


def of_ids(held: Any, offsets: Integers, score: Floats) -> bool:
    """Returns whether a run in memory was made from lists of ids, which have negated ranks as scores.

    If no scores were passed, the scores of every list are -1, -2, -3 and so on. This pattern is evidence only if some
    list has two or more documents. If every list has a single document, the points of the document do not depend on its
    score.
    """
    held = innermost(held)
    lengths = np.diff(offsets)
    if not isinstance(held, MappingRun) or held.scored or lengths.max(initial=0) < 2:
        return False
    return bool((score == np.repeat(offsets[:-1], lengths) - np.arange(len(score)) - 1).all())


def refuse_scores(pooled: PooledLists, recipe: Recipe) -> None:
    """Refuses lists that cannot be fused by score, and warns about negative scores if the highest score is the divisor.

    Raises:
        DataError: a run has only ranks, a score is outside the theoretical bounds, or a list without a positive score
            would be divided by its highest score.
    """
    if recipe.formula.by_rank or recipe.norm in WITHOUT_SCORES:
        return
    for lists in pooled.runs:
        if not lists.scored:
            raise refused(
                "{method} adds up scores, but run {name} has only ranks.",
                "Choose a method that reads ranks, such as rrf, or the normalisation rank. Scores that are -1, -2, "
                "-3 … in each list are read from {{query: {{document: score}}}}, rows with scores, and TREC text.",
                name=lists.name,
                method=recipe.method,
            )
        refuse_outside_bounds(lists, *recipe.bounds.get(lists.name, (None, None)))
        if recipe.norm == "max":
            refuse_upside_down(lists)


def refuse_outside_bounds(lists: RunLists, low: float | None, high: float | None) -> None:
    """Refuses scores outside the theoretical bounds.

    Raises:
        DataError: a score is outside the bounds.
    """
    least, greatest = -np.inf if low is None else low, np.inf if high is None else high
    odd = np.flatnonzero((lists.score < least) | (lists.score > greatest))
    if len(odd):
        raise refused(
            "Run {name} has the score {score}, which is outside the bounds that were passed for this run.",
            "Pass the lowest and the highest score that the run can have.",
            name=lists.name,
            score=f"{lists.score[odd[0]]:g}",
        )


def refuse_upside_down(lists: RunLists) -> None:
    """Refuses lists whose order would be reversed by dividing by the highest score, and warns about negative scores.

    Raises:
        DataError: the order of a list would be reversed.
    """
    low, high = lists.ends
    if ((high <= 0) & (low < high)).any():
        raise refused(
            "Run {name} has a list without a positive score, and a division by its highest score would turn the "
            "list upside down.",
            "Choose another normalisation, such as min-max.",
            name=lists.name,
        )
    negative = int((low < 0).sum())
    if negative:
        warn(
            f"Run {lists.name} has negative scores in {negative:,} of {len(low):,} lists: normalised by the highest "
            "score, its last documents get fewer points than documents that are missing from the run."
        )
