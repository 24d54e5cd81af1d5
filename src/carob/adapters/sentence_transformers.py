"""sentence-transformers' information retrieval evaluator with carob's measures."""

from __future__ import annotations

from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any

from carob.conventions.policy import Policy
from carob.evaluation.evaluate import evaluate_run
from carob.inputs.errors import refused
from carob.output.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from carob.evaluation.scores import Scores
    from carob.measures import Measure

__all__ = ["retrieval_evaluator"]

PROFILE = "sentence-transformers"


def retrieval_evaluator(
    *arguments: Any, measures: Sequence[str | Measure] = (), base: Any = None, **options: Any
) -> Any:
    """Returns a sentence-transformers ``InformationRetrievalEvaluator`` that computes its measures with carob.

    It accepts the same arguments, reports the same means under the same names, and writes the same files. After a call,
    ``scores`` contains the per-query scores for each score function, as returned by ``carob.evaluate``, so two models
    can be compared with ``carob.compare``.

    Args:
        arguments: queries, corpus and relevant documents, as for ``InformationRetrievalEvaluator``.
        measures: further measures to report, as names or ``Measure`` objects, such as ``cosine_RBP(p=0.8)@10``.
        base: the evaluator to extend, such as ``SparseInformationRetrievalEvaluator``; None for
            ``InformationRetrievalEvaluator``.
        options: keyword arguments of the evaluator.

    Raises:
        DataError: sentence-transformers is not installed, or the document ids are of different types.

    Example:
        >>> from carob.adapters.sentence_transformers import retrieval_evaluator
        >>> evaluator = retrieval_evaluator(queries, corpus, relevant, measures=["RBP"])  # doctest: +SKIP
        >>> evaluator(model)["cosine_ndcg@10"]  # doctest: +SKIP
        0.6131
        >>> evaluator.scores["cosine"].per_query("mrr@10")  # doctest: +SKIP
        {'q1': 1.0, 'q2': 0.5}
    """
    if base is None:
        try:
            from sentence_transformers.sentence_transformer.evaluation import InformationRetrievalEvaluator
        except ImportError:
            raise DataError(
                "sentence-transformers is not installed: pip install sentence-transformers."
            ) from None
        base = InformationRetrievalEvaluator
    return evaluator_class(base)(*arguments, measures=measures, **options)


@cache  # cached, so evaluators with the same base share one class
def evaluator_class(base: Any) -> Any:
    """Returns a subclass of the evaluator that computes with carob.

    Args:
        base: sentence-transformers' evaluator, or a subclass.
    """

    class CarobEvaluator(base):  # type: ignore[misc]
        """An evaluator that computes carob's measures.

        Args:
            arguments: the arguments of the evaluator.
            measures: further measures, as names or ``Measure`` objects.
            options: the evaluator's keyword arguments.
        """

        def __init__(self, *arguments: Any, measures: Sequence[str | Measure] = (), **options: Any) -> None:
            """Creates the evaluator.

            Raises:
                DataError: the document ids are of different types.
            """
            super().__init__(*arguments, **options)
            self.measures = list(measures)
            self.scores: dict[str, Scores] = {}
            self.computed: list[Scores] = []
            refuse_other_types(self.corpus_ids, self.relevant_docs)

        def compute_all_metrics(self, *arguments: Any, **options: Any) -> Any:
            """Returns the means for each score function, and stores the per-query scores in ``scores``."""
            self.computed = []
            means = super().compute_all_metrics(*arguments, **options)
            self.scores = dict(zip(means, self.computed, strict=True))
            return means

        def compute_metrics(self, queries_result_list: Sequence[Any]) -> dict[str, dict[Any, float]]:
            """Returns the means for one score function, by measure name and depth.

            Args:
                queries_result_list: the hits of each query, in the order of ``queries_ids``.

            Raises:
                DataError: a score is NaN, for example after the training has diverged.
            """
            scores = self.scores_of(queries_result_list)
            self.computed.append(scores)
            found = {
                f"{name}@k": {depth: scores[f"{name}@{depth}"] for depth in depths}
                for name, depths in self.depths().items()
            }
            return found | {str(each): {0: scores[str(each)]} for each in self.measures}

        def depths(self) -> dict[str, list[int]]:
            """Returns the depths of each of the evaluator's own measures, in the evaluator's order."""
            return {
                "accuracy": self.accuracy_at_k,
                "precision": self.precision_recall_at_k,
                "recall": self.precision_recall_at_k,
                "ndcg": self.ndcg_at_k,
                "mrr": self.mrr_at_k,
                "map": self.map_at_k,
            }

        def scores_of(self, hits: Sequence[Any]) -> Scores:
            """Returns the scores of the hits."""
            policy = Policy()
            if self.corpus_ids and not isinstance(self.corpus_ids[0], str):
                # Ties are ordered by id, and 9 comes before 10 only if the ids are numbers.
                hits = [sorted(its, key=lambda hit: (-hit["score"], hit["corpus_id"])) for its in hits]
                policy = Policy(ties="input")
            qrels, run = {}, {}
            for query, its in zip(self.queries_ids, hits, strict=True):
                run[str(query)] = {str(hit["corpus_id"]): hit["score"] for hit in its}
                qrels[str(query)] = dict.fromkeys(map(str, self.relevant_docs[query]), 1)
            own = [f"{name}@{depth}" for name, depths in self.depths().items() for depth in depths]
            return evaluate_run(qrels, run, [*own, *self.measures], profile=PROFILE, policy=policy)

    return CarobEvaluator


def refuse_other_types(corpus: Sequence[Any], relevant: Mapping[Any, Any]) -> None:
    """Refuses ids of different types: sentence-transformers compares them without conversion, so 1 never equals "1".

    Args:
        corpus: the ids of the documents.
        relevant: the ids of the relevant documents of each query.

    Raises:
        DataError: the ids are of different types.
    """
    types = [{type(each).__name__ for each in ids} for ids in (corpus, chain(*relevant.values()))]
    if len(types[0] | types[1]) > 1:
        raise refused(
            "corpus has ids of type {corpus}, and relevant_docs of type {relevant}, so they cannot match.",
            "Use the same type for all, such as str.",
            corpus=" and ".join(sorted(types[0])),
            relevant=" and ".join(sorted(types[1])),
        )
