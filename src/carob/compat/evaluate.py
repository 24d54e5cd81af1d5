"""Replaces Hugging Face evaluate's ``load("trec_eval")``: ``from carob.compat.evaluate import load``.

The arguments, keys and values match the metric in evaluate 0.4.6, which calls trectools. ``docs/evaluate.md`` lists the
differences. Nothing is downloaded.
"""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any

from carob.conventions.policy import Policy
from carob.evaluation.evaluate import evaluate_run
from carob.inputs.errors import refused
from carob.inputs.samples import incomplete
from carob.output.errors import refuse_other

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["TrecEval", "load"]

DEPTHS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
MEASURES = {
    "map": "AP@10000",
    "gm_map": "GMAP@10000",
    "bpref": "Bpref",
    "Rprec": "Rprec",
    "recip_rank": "RR@1000",
    **{f"P@{depth}": f"P@{depth}" for depth in DEPTHS},
}
"""The measures that rank documents by score, by key of the result."""
BY_ROW = {f"NDCG@{depth}": f"nDCG@{depth}" for depth in DEPTHS}
"""The measures that rank documents in the order of their rows, regardless of their scores, as trectools does."""
POLICY = Policy(scores="float32", missing="skip", by_measure={"GMAP": {"empty": "skip"}})
"""The metric's treatment of data: scores are rounded to 32 bits, and only queries in both inputs count."""


def load(path: str) -> TrecEval:
    """Returns the metric with this name, like evaluate's function ``load``.

    Args:
        path: ``trec_eval``.

    Raises:
        ArgumentError: the metric does not exist.

    Example:
        >>> from carob.compat.evaluate import load
        >>> qrel = {"query": [0], "q0": ["0"], "docid": ["doc_1"], "rel": [2]}
        >>> run = {"query": [0, 0], "q0": ["q0", "q0"], "docid": ["doc_2", "doc_1"], "rank": [0, 1]}
        >>> run |= {"score": [1.5, 1.2], "system": ["test", "test"]}
        >>> found = load("trec_eval").compute(references=[qrel], predictions=[run])
        >>> found["runid"], found["num_rel"], found["map"], found["P@5"]
        ('test', 1, 0.5, 0.2)
    """
    refuse_other("path", path, [TrecEval.name])
    return TrecEval()


class TrecEval:
    """The metric ``trec_eval``."""

    name = "trec_eval"

    def compute(
        self,
        *,
        predictions: Sequence[Mapping[str, Any]],
        references: Sequence[Mapping[str, Any]],
    ) -> dict[str, Any]:
        """Evaluates a run.

        Args:
            predictions: a list with one run, as columns: ``query``, ``docid``, ``score`` and ``system``. Other columns
                are ignored.
            references: a list with one set of judgments, as columns: ``query``, ``docid`` and ``rel``.

        Returns:
            ``runid``; the totals ``num_ret``, ``num_rel``, ``num_rel_ret`` and ``num_q``; and the means ``map``,
            ``gm_map``, ``bpref``, ``Rprec``, ``recip_rank``, ``P@k`` and ``NDCG@k`` over the queries that both the run
            and the judgments contain.

        Raises:
            DataError: there are several runs or sets of judgments, columns are missing or of unequal length, a document
                occurs twice for one query, a grade is not a whole number, the judgments are a sample, or the run and
                the judgments have no query in common.
        """
        tag = only_tag(filled_column(only(predictions, "predictions"), "system", "predictions"))
        run = by_query_and_document(predictions[0], "score", "predictions")
        qrels = by_query_and_document(only(references, "references"), "rel", "references")
        refuse_unusable(references[0], qrels)
        means: dict[str, float] = {}
        for names, policy in ((MEASURES, POLICY), (BY_ROW, POLICY.changed(ties="input"))):
            lists = run if names is MEASURES else {query: dict.fromkeys(its, 0) for query, its in run.items()}
            scores = evaluate_run(
                qrels, lists, [*names.values()], policy=policy, bounds=False, quiet=names is BY_ROW
            )
            means.update(zip(names, scores.means().values(), strict=True))
        grades = [(query, *each) for query, its in qrels.items() for each in its.items()]
        relevant = [(query, document) for query, document, grade in grades if grade > 0]
        return {
            "runid": tag,
            "num_ret": sum(map(len, run.values())),
            "num_rel": len(relevant),
            "num_rel_ret": sum(document in run.get(query, ()) for query, document in relevant),
            "num_q": len(run),
            **means,
        }


def only(tables: Sequence[Mapping[str, Any]], name: str) -> Mapping[str, Any]:
    """Returns the only table in a list.

    Raises:
        DataError: the list does not contain exactly one table.
    """
    if len(tables) != 1:
        raise refused(
            "{name} contains {count:table}, but the metric accepts only one.",
            "Pass a list with one dict of columns, and call compute for each run.",
            name=name,
            count=len(tables),
        )
    return tables[0]


def only_tag(tags: list[Any]) -> Any:
    """Returns the name of the run, which is the same in every row.

    Raises:
        DataError: the rows contain several names.
    """
    other = next((each for each in tags if each != tags[0]), None)
    if other is not None:
        raise refused(
            "The column system of predictions names two runs, '{one}' and '{other}'.",
            "Pass one run, and call compute for each.",
            one=tags[0],
            other=other,
        )
    return tags[0]


def refuse_unusable(table: Mapping[str, Any], qrels: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuses judgments of a sample, because they are not complete, and grades that are not whole numbers.

    Raises:
        DataError: the judgments are a sample, or a grade is not a whole number.
    """
    chances = [*table.get("probability", ())]
    if any(each != 1 for each in chances):
        raise incomplete("references", len(chances))
    for query, its in qrels.items():
        for document, grade in its.items():
            if isinstance(grade, Real) and float(grade) % 1:  # also true for NaN and infinity
                raise refused(
                    "In references, document '{document}' of query '{query}' has the grade {grade}.",
                    "A grade must be a whole number. The metric counts grades of at least 1 as relevant.",
                    document=document,
                    query=query,
                    grade=str(grade),
                )


def filled_column(table: Mapping[str, Any], column: str, name: str) -> list[Any]:
    """Returns a column of a table.

    Raises:
        DataError: the column is missing or empty.
    """
    found = [*table.get(column, ())]
    if not found:
        raise refused(
            "{name} has no column '{column}' with values: its columns are {columns}.",
            "Pass one dict, with a list for each column.",
            name=name,
            column=column,
            columns=", ".join(map(str, table)) or "none",
        )
    return found


def by_query_and_document(table: Mapping[str, Any], number: str, name: str) -> dict[str, dict[str, Any]]:
    """Returns ``{query: {document: number}}``.

    Raises:
        DataError: a column is missing, columns are of different lengths, or a document occurs twice for a query.
    """
    columns = [filled_column(table, each, name) for each in ("query", "docid", number)]
    if len({*map(len, columns)}) > 1:
        raise refused(
            "The columns query, docid and {number} of {name} have {lengths} values.",
            "Pass columns of equal length.",
            number=number,
            name=name,
            lengths=", ".join(str(len(each)) for each in columns),
        )
    found: dict[str, dict[str, Any]] = {}
    for query, document, value in zip(*columns, strict=True):
        its = found.setdefault(str(query), {})
        if str(document) in its:
            raise refused(
                "In {name}, document '{document}' occurs twice for query '{query}'.",
                "Keep one of the two rows.",
                name=name,
                document=document,
                query=query,
            )
        its[str(document)] = value
    return found
