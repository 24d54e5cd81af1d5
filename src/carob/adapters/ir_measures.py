"""A provider for ir_measures that lets its users, such as PyTerrier, compute the same numbers faster with carob.

ir_measures tries its providers in order. ``register`` inserts carob after the provider of user-defined measures and
before all other providers. Measures, parameters and data that carob does not support fall through to ir_measures' own
providers.
"""

from __future__ import annotations

from contextlib import contextmanager
from importlib.util import find_spec
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

from carob.conventions.policy import Policy
from carob.evaluation.evaluate import evaluate_run
from carob.inputs.qrels import Qrels
from carob.output.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = ["register", "registered"]

NAME = "carob"
AFTER = "runtime"
"""The provider of user-defined measures, which comes first."""
OF_RUN_ALONE = ("NumQ", "NumRel")
"""Measures that depend only on the judgments, but are 0 in ir_measures for a query that is not in the run."""


def register() -> None:
    """Makes carob a provider of ir_measures' default pipeline, for the rest of the process.

    The values are the same as ir_measures', because the profile is ``ir_measures``. In ir_measures, a measure may
    change the value of another one in the same call: ``judged_only=True`` in one measure changes NumRet, for example.
    carob always returns the value that the measure has when computed on its own. Calling ``register`` again has no
    effect.

    Raises:
        ImportError: ir_measures is not installed.

    Example:
        >>> import ir_measures  # doctest: +SKIP
        >>> from carob.adapters.ir_measures import register
        >>> register()  # doctest: +SKIP
        >>> ir_measures.calc_aggregate([ir_measures.AP], qrels, run)  # doctest: +SKIP
    """
    import ir_measures

    known = ir_measures.DefaultPipeline.providers
    if all(each.NAME != NAME for each in known):
        first = next((place for place, each in enumerate(known) if each.NAME == AFTER), -1)
        known.insert(first + 1, provider())


@contextmanager
def registered() -> Iterator[None]:
    """Makes carob a provider of ir_measures' default pipeline for the duration of a ``with`` block.

    Raises:
        ImportError: ir_measures is not installed.

    Example:
        >>> from carob.adapters.ir_measures import registered
        >>> with registered():  # doctest: +SKIP
        ...     ir_measures.calc_aggregate([ir_measures.AP], qrels, run)
    """
    import ir_measures

    known = ir_measures.DefaultPipeline.providers
    before = [*known]
    register()
    try:
        yield
    finally:
        known[:] = before


def provider() -> Any:
    """Returns the provider, which supports the measures of pytrec_eval, msmarco (RR at a depth) and judged."""
    import ir_measures
    from ir_measures import providers

    evaluator = type("CarobEvaluator", (ScoredByCarob, providers.Evaluator), {})
    supported = [
        *ir_measures.pytrec_eval.SUPPORTED_MEASURES,
        *ir_measures.msmarco.SUPPORTED_MEASURES,
        *ir_measures.judged.SUPPORTED_MEASURES,
    ]
    own = {
        "NAME": NAME,
        "SUPPORTED_MEASURES": supported,
        # ir_measures passes a set, whose order, and therefore the order of PyTerrier's columns, varies between
        # processes.
        "_evaluator": lambda _, measures, qrels: evaluator(sorted(measures, key=str), qrels),
        "install_instructions": lambda _: "pip install carob",
    }
    return type("CarobProvider", (providers.Provider,), own)()


class ScoredByCarob:
    """The part of an ir_measures evaluator that computes scores.

    Args:
        measures: ir_measures' measures.
        qrels: judgments in any form that ir_measures accepts.
    """

    measures: list[Any]
    qrel_qids: set[str]

    def __init__(self, measures: list[Any], qrels: Any) -> None:
        """Reads the judgments, and groups the measures that one evaluation can compute together.

        Raises:
            DataError: the judgments are a sample.
        """
        import ir_measures

        converter = ir_measures.util.QrelsConverter(qrels)
        frame: Any = getattr(converter, "qrels", None)
        if "probability" in getattr(frame, "columns", ()):
            _ = Qrels.of(frame).complete  # others would count the rest as not relevant
        self.qrels = readable(converter, ("relevance",))
        queries = set(self.qrels) if isinstance(self.qrels, dict) else set(self.qrels["query_id"].unique())
        super().__init__(measures, queries)  # type: ignore[call-arg]  # an evaluator comes after this class
        self.calls: dict[tuple[tuple[tuple[int, int], ...], bool], dict[str, Any]] = {}
        for each in measures:
            name, gains, judged_only = name_of(each)
            self.calls.setdefault((tuple(sorted(gains.items())), judged_only), {})[name] = each
        self.judged: dict[tuple[tuple[int, int], ...], Qrels] = {}

    def iter_calc(self, run: Any) -> Iterator[Any]:
        """Yields the value of each query and measure, and finally the default value for queries without a value.

        ir_measures' own loop is slower: it formats the name of a measure three times per value to compare measures.
        """
        import ir_measures

        found = self.found(run)
        for measure, values in found.items():
            for query, value in values.items():
                yield ir_measures.Metric(query_id=query, measure=measure, value=value)
        for measure in self.measures:
            for query in sorted(self.without(found.get(measure, {}))):
                yield ir_measures.Metric(query_id=query, measure=measure, value=measure.DEFAULT)

    def calc_aggregate(self, run: Any) -> dict[Any, float | int]:
        """Returns the aggregate of each measure."""
        found, aggregates = self.found(run), {}
        for measure in self.measures:
            values, its = found.get(measure, {}), measure.aggregator()
            for value in chain(values.values(), repeat(measure.DEFAULT, len(self.without(values)))):
                its.add(value)
            aggregates[measure] = its.result()
        return aggregates

    def without(self, values: Mapping[str, float]) -> set[str]:
        """Returns the judged queries without a value."""
        return self.qrel_qids - values.keys()

    def found(self, run: Any) -> dict[Any, Mapping[str, float]]:
        """Returns the per-query scores of each measure.

        Data that carob refuses, such as NaN scores, is passed to ir_measures' other providers.
        """
        import ir_measures

        ranked = readable(ir_measures.util.RunConverter(run), ("score",))
        if not len(ranked):
            return {}
        try:
            return dict(self.values(ranked))
        except DataError:
            others = [each for each in ir_measures.DefaultPipeline.providers if each.NAME != NAME]
            found: dict[Any, dict[str, float]] = {}
            for each in ir_measures.providers.FallbackProvider(others).iter_calc(
                self.measures, self.qrels, ranked
            ):
                found.setdefault(each.measure, {})[each.query_id] = each.value
            return found  # type: ignore[return-value]

    def values(self, ranked: Any) -> Iterator[tuple[Any, Mapping[str, float]]]:
        """Yields each measure with its per-query scores.

        Raises:
            DataError: carob refuses the judgments or the run.
        """
        there: set[str] = set()
        if any(measure.NAME in OF_RUN_ALONE for those in self.calls.values() for measure in those.values()):
            there = set(ranked) if isinstance(ranked, dict) else set(ranked["query_id"].unique())
        for (gains, judged_only), names in self.calls.items():
            policy = Policy(unjudged="removed", overlap="none") if judged_only else Policy(overlap="none")
            scores = evaluate_run(
                self.judgments(gains),
                ranked,
                list(names),
                policy=policy,
                profile="ir_measures",
                bounds=False,
                quiet=True,
            )
            for label, measure in zip(scores.labels, names.values(), strict=True):
                values = scores.by_query(label)
                alone = measure.NAME in OF_RUN_ALONE
                yield measure, {query: each for query, each in values.items() if query in there or not alone}

    def judgments(self, gains: tuple[tuple[int, int], ...]) -> Qrels:
        """Returns the judgments, with the grades replaced by gains if the measure has a table of gains.

        Raises:
            DataError: carob refuses the judgments.
        """
        if gains not in self.judged:
            judged, table = self.qrels, dict(gains)
            if table and isinstance(judged, dict):
                judged = {
                    query: {document: table.get(grade, grade) for document, grade in its.items()}
                    for query, its in judged.items()
                }
            elif table:
                judged = judged.assign(
                    relevance=judged["relevance"].map(lambda grade: table.get(grade, grade))
                )
            self.judged[gains] = Qrels.of(judged)
        return self.judged[gains]


def readable(converter: Any, values: Iterable[str]) -> Any:
    """Returns judgments or a run as a data frame that carob reads directly, or as dicts.

    A frame with numeric ids is converted to dicts, as in pytrec_eval's provider; so is any frame if PyArrow is not
    installed.
    """
    kind, _ = converter.predict_type()
    if kind == "pd_dataframe" and find_spec("pyarrow"):
        frame = getattr(converter, "qrels", None)
        frame = converter.run if frame is None else frame
        if all(frame[each].dtype.kind not in "iuf" for each in ("query_id", "doc_id")):
            return frame[["query_id", "doc_id", *values]]
    return converter.as_dict_of_dict()


def name_of(measure: Any) -> tuple[str, dict[int, int], bool]:
    """Returns carob's name for an ir_measures measure, its table of gains, and whether unjudged documents are removed.

    Parameters that are not set keep carob's defaults, which are the same as ir_measures'.
    """
    from ir_measures.providers.base import NOT_PROVIDED

    given = {each: measure[each] for each in measure.SUPPORTED_PARAMS}
    stated = {each: value for each, value in given.items() if value is not NOT_PROVIDED}
    name, parameters = measure.NAME, []
    if "rel" in stated and (stated["rel"] != 1 or name == "NumRet"):
        parameters.append(f"rel={stated['rel']}")
    at = f"@{stated['cutoff']}" if "cutoff" in stated else ""
    if name == "IPrec":
        at = f"@{stated['recall']:.2f}"
    if name == "SetF":
        parameters.append(f"weight={stated['beta']}")
    if name == "SetP" and stated.get("relative"):
        parameters.append("relative=True")
    if name == "NumRet" and "rel" in stated:
        name, parameters = "NumRelRet", [each for each in parameters if each != "rel=1"]
    written = {"SetR": "R"}.get(name, name) + (f"({','.join(parameters)})" if parameters else "") + at
    return written, stated.get("gains", {}), bool(stated.get("judged_only"))
