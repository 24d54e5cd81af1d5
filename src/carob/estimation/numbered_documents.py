"""Numbers every document that people or a judge judged, and stores people's and the judge's grade of each document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from carob._dataclasses import dataclass
from carob._numpy import np
from carob.inputs.qrels import Qrels
from carob.output.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from carob.inputs.samples import SampledJudgment
    from carob.lists.rows import Floats, Integers


@dataclass(frozen=True, eq=False)
class Documents:
    """Every document that people or the judge judged. A document's number is its index in these arrays [documents].

    Args:
        qrels: judgments in which each document's number replaces its grade.
        people: people's grade, or the judge's if people did not judge the document.
        judge: the judge's grade, or 0 if the judge did not judge the document.
        sampled: the numbers of the documents that people judged [sample].
        probability: the probability with which each of these documents was sampled [sample].
        queries: the number of queries that the judge judged.
    """

    qrels: Qrels
    people: Floats
    judge: Floats
    sampled: Integers
    probability: Floats
    queries: int

    @property
    def judged(self) -> NDArray[np.bool_]:
        """Whether people judged each document."""
        found = np.zeros(len(self.people), np.bool_)
        found[self.sampled] = True
        return found

    @classmethod
    def of(cls, people: Mapping[str, Mapping[str, SampledJudgment]], judge: Qrels) -> Documents:
        """Numbers the documents.

        Raises:
            DataError: people judged a query that the judge did not judge.
        """
        table: dict[str, dict[str, float]] = {}
        grades: list[float] = []
        changed: list[float] = []
        sampled: list[int] = []
        probability: list[float] = []
        judged = judge.table
        for query in people:
            if query not in judged:
                raise DataError(
                    f"People judged documents of query '{query}', for which the judge has no judgments. Add the "
                    "judge's judgments of this query."
                )
        for query, its in judged.items():
            own = people.get(query, {})
            numbers = table.setdefault(query, {})
            for document in dict.fromkeys((*its, *own)):
                judgment = own.get(document)
                numbers[document] = float(len(grades))
                known = max(float(its.get(document, 0.0)), 0.0)
                changed.append(known)
                grades.append(known if judgment is None else max(judgment.grade, 0.0))
                if judgment is not None:
                    sampled.append(len(grades) - 1)
                    probability.append(judgment.probability)
        return cls(
            Qrels.of(table),
            np.array(grades),
            np.array(changed),
            np.array(sampled, np.int64),
            np.array(probability),
            len(judged),
        )
