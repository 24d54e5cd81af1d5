"""The documents that several runs retrieve for each judged query, with their ranks and known grades."""

from __future__ import annotations

from typing import TYPE_CHECKING

from carob import _native
from carob._dataclasses import dataclass
from carob._numpy import np
from carob.inputs.ids import texts_of
from carob.inputs.run import held_together
from carob.inputs.runs import MatchOptions, add_to_pool
from carob.lists.rows import POOLED, JudgedRows, untied
from carob.output.errors import DataError, PolicyError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from carob.conventions.policy import Policy
    from carob.inputs.qrels import Qrels
    from carob.inputs.run import Run
    from carob.lists.rows import Floats, Integers
    from carob.measures import Measure

UNJUDGED = -3.0
"""The grade that marks a document that nobody judged, until a filling replaces it."""


@dataclass(frozen=True, eq=False)
class ShownDocuments:
    """All documents that qrels or runs contain, grouped by query.

    Args:
        judgments: the documents of each query.
        grade: the grade of each document, or ``POOLED`` or ``UNJUDGED`` if it has no grade [documents].
        ranks: the rank of each document in each run, infinite if the run does not retrieve it [runs, documents].
        lengths: the number of documents that each run retrieves for each query [runs, queries].
        judge: the grade that a judge gave each document, or 0 if the judge gave no grade; None without a judge
            [documents].
        graded: whether the judge gave each document a grade; None without a judge [documents].
    """

    judgments: _native.Judgments
    grade: Floats
    ranks: Floats
    lengths: Floats
    judge: Floats | None = None
    graded: NDArray[np.bool_] | None = None

    @classmethod
    def of(
        cls, qrels: Qrels | None, runs: Sequence[Run], policy: Policy, judge: Qrels | None = None
    ) -> ShownDocuments:
        """Reads the runs and numbers their documents.

        Args:
            qrels: the judgments that are treated as known; None if there are none.
            runs: the runs.
            policy: the policy.
            judge: a judge's grades, which are not treated as known.

        Raises:
            DataError: a run cannot be read, or no run answers a query.
            PolicyError: the policy leaves the order of documents undetermined, or it removes documents.
        """
        refuse_unfit_policy(policy)
        graded = tables_of(qrels, policy)
        guessed = tables_of(judge, policy)
        table = {query: dict(graded.get(query, {})) for query in {**guessed, **graded}}
        for query, its in guessed.items():
            table[query] = {**dict.fromkeys(its, UNJUDGED), **table[query]}
        known = _native.judgments_from_mapping(table)
        pool, runs = _native.Pool(known, UNJUDGED), held_together(runs)
        for run in runs:
            add_to_pool(pool, run.held, known.queries, policy)
        everything = pool.finish()
        ranks = np.full((len(runs), len(everything.grades)), np.inf)
        lengths = np.zeros((len(runs), len(table)))
        for place, run in enumerate(runs):
            found = run.match(everything, MatchOptions(policy))
            ranks[place, found.judgment] = found.rank
            lengths[place] = np.maximum(found.length, 0)
        if not lengths.any():
            raise DataError(
                "No run contains a judged query. Check that the judgments and the runs have the same query ids."
            )
        grades = graded_by = None
        if judge is not None:
            own = (
                guessed.get(query, {}).get(document, np.nan)
                for place, query in enumerate(texts_of(everything.queries))
                for document in texts_of(everything.documents(place))
            )
            grades = np.fromiter(own, np.float64, len(everything.grades))
            graded_by = ~np.isnan(grades)
            grades = np.maximum(np.nan_to_num(grades), 0.0)
        return cls(everything, everything.grades.copy(), ranks, lengths, grades, graded_by)

    @property
    def offsets(self) -> Integers:
        """The indices at which the documents of each query begin, followed by the number of documents [queries + 1]."""
        return np.asarray(self.judgments.offsets)

    @property
    def query(self) -> Integers:
        """The index of each document's query [documents]."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    def highest(self) -> float:
        """Returns the highest grade in the judgments, but at least 1."""
        return max(float(self.grade.max(initial=0.0)), 1.0)


def tables_of(qrels: Qrels | None, policy: Policy) -> dict[str, dict[str, float]]:
    """Returns the grades by query and document, with negative grades replaced by 0 or ``POOLED``."""
    if qrels is None:
        return {}
    negative = 0.0 if policy.negative == "nonrelevant" else POOLED
    return {
        query: {document: grade if grade >= 0 else negative for document, grade in its.items()}
        for query, its in qrels.table.items()
    }


def refuse_unfit_policy(policy: Policy) -> None:
    """Rejects a policy under which the order of documents is not fixed, or under which unjudged documents are removed.

    Raises:
        PolicyError: documents have no fixed order, or unjudged documents cannot be filled in.
    """
    if policy.ties in ("expected", "optimistic", "pessimistic"):
        raise PolicyError(
            f"Unjudged documents need a fixed order, but ties={policy.ties} has none. Choose another rule for ties, "
            "such as ties=trec."
        )
    for name, usual in (("unjudged", "nonrelevant"), ("judgments", "all"), ("retrieved", "all")):
        if getattr(policy, name) != usual:
            raise PolicyError(
                f"Unjudged documents cannot be filled in under {name}={getattr(policy, name)}. Choose {name}={usual}."
            )
    if policy.ranks == "given" or policy.missing == "skip" or policy.listing == "known":
        raise PolicyError(
            "Unjudged documents cannot be filled in under ranks=given, missing=skip or listing=known: leave them out."
        )


def depth_of(measure: Measure, policy: Policy) -> float:
    """Returns the last rank that affects a measure, or infinity."""
    return float(min(measure.depth or np.inf, policy.depth or np.inf))


def alone_at(ranks: Floats, grades: Floats, length: float) -> JudgedRows:
    """Returns lists, each of which contains a single judged document.

    Args:
        ranks: the rank of the judged document in each list.
        grades: the grade of the judged document in each list.
        length: the length of the lists.
    """
    count = len(ranks)
    each = np.arange(count)
    return untied(np.full(count, length), each, ranks, grades, np.arange(count + 1), grades)
