"""An evaluator with carob's measures for Spark's CrossValidator and TrainValidationSplit.

``from carob.adapters.spark import CarobEvaluator`` creates the class on demand, because it inherits from PySpark.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any

from carob.conventions.policy import Policy
from carob.conventions.request import conventions, labelled
from carob.evaluation.evaluate import evaluate_run
from carob.inputs.columns import DRAW, usual
from carob.inputs.errors import refused
from carob.inputs.samples import incomplete
from carob.output.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from carob.measures import Measure

# CarobEvaluator is omitted, so import * does not import PySpark.
__all__: list[str] = []


def __getattr__(name: str) -> Any:
    """Returns the class ``CarobEvaluator``."""
    if name != "CarobEvaluator":
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return evaluator_class()


@cache  # cached, because pickling and Spark's loading require the identical class
def evaluator_class() -> Any:
    """Returns the class ``CarobEvaluator``.

    Raises:
        DataError: PySpark is not installed.
    """
    try:
        from pyspark.ml.evaluation import Evaluator
        from pyspark.ml.param import Param, TypeConverters
        from pyspark.ml.param.shared import HasLabelCol, HasPredictionCol
        from pyspark.ml.util import DefaultParamsReadable, DefaultParamsWritable
    except ImportError:
        raise DataError("PySpark is not installed: pip install 'pyspark[ml]'.") from None

    saved = (DefaultParamsReadable, DefaultParamsWritable)

    class CarobEvaluator(Evaluator, HasLabelCol, HasPredictionCol, *saved):  # type: ignore[misc]
        """Evaluates a model's predictions on a data set with one row per query and document.

        Args:
            measure: the name of one measure, as in ``carob.evaluate``.
            queryCol: the column of query ids (text or whole numbers); by default, the column with one of the usual
                names.
            documentCol: the column of document ids; by default, the column with one of the usual names. Without such a
                column, each row is a different document, and documents with equal predictions keep Spark's order.
            predictionCol: the column of predictions. If the column contains vectors of two numbers, as ``probability``
                does, the second number is the prediction.
            labelCol: the column of grades; a document whose grade is null is unjudged.
            policy: a ``carob.Policy``.
            profile: the name of a profile, see ``carob.list_profiles()``.

        Example:
            >>> from carob.adapters.spark import CarobEvaluator
            >>> evaluator = CarobEvaluator(measure="nDCG@10", queryCol="user", labelCol="rating")  # doctest: +SKIP
            >>> CrossValidator(estimator=als, estimatorParamMaps=grid, evaluator=evaluator)  # doctest: +SKIP
        """

        def __init__(self, **given: Any) -> None:
            """Sets the given parameters. Parameters that are not passed keep their defaults."""
            super().__init__()
            for name, (meaning, convert) in PARAMETERS.items():
                setattr(self, name, Param(self, name, meaning, convert or TypeConverters.toString))
            self._setDefault(measure="nDCG@10")
            self.setParams(**given)

        def setParams(self, **given: Any) -> Any:
            """Changes parameters. None leaves a parameter unchanged.

            Raises:
                DataError: a parameter is unknown, or there are several measures.
                MeasureError: the measure is unknown.
                PolicyError: the policy or profile is unknown.
            """
            unknown = sorted(each for each in given if not self.hasParam(each))
            if unknown:
                known = ", ".join(each.name for each in self.params)
                raise DataError(
                    f"CarobEvaluator has no parameter '{unknown[0]}'. Its parameters are: {known}."
                )
            self._set(**{name: value for name, value in given.items() if value is not None})
            self.asked()  # raises errors before a model is fitted
            return self

        def of(self, name: str) -> Any:
            """Returns the value of a parameter, or None if the parameter is not set."""
            param = self.getParam(name)
            return self.getOrDefault(param) if self.isDefined(param) else None

        def asked(self) -> tuple[Measure, Policy]:
            """Returns the measure that the name stands for under the profile, and the policy."""
            axes = self.of("policy")
            convention, policy = conventions(self.of("profile"), Policy(**(axes or {})))
            measures = labelled(self.of("measure"), convention)
            if len(measures) > 1:
                name, known = self.of("measure"), ", ".join(measures)
                raise refused(
                    "'{name}' stands for {count} measures, but an evaluator returns one number: name one of "
                    "{measures}.",
                    name=name,
                    count=len(measures),
                    measures=known,
                )
            return next(iter(measures.values())), policy

        def isLargerBetter(self) -> bool:
            """Returns whether a larger value is better."""
            return not self.asked()[0].definition.smaller_is_better

        def _evaluate(self, dataset: Any) -> float:
            names = {role: self.of(f"{role}Col") for role in ("query", "document", "prediction", "label")}
            qrels, run = tables(dataset, names)
            measure, policy = self.asked()
            value = evaluate_run(qrels, run, measure, policy=policy)[measure]
            if math.isnan(value):
                raise refused(
                    "{measure} has no value on this data, and Spark would treat NaN as the best value: "
                    "choose another measure, or a policy with another rule for queries without a value.",
                    measure=measure,
                )
            return value

    CarobEvaluator.__module__, CarobEvaluator.__qualname__ = __name__, "CarobEvaluator"
    return CarobEvaluator


def axes_of(policy: Any) -> dict[str, Any]:
    """Returns the policy's explicit settings in a form that Spark can save.

    Raises:
        PolicyError: an axis is unknown.
    """
    whole = policy if isinstance(policy, Policy) else Policy().changed(**policy)
    return {axis: value for axis, value in whole.as_dict().items() if axis in whole.given}


PARAMETERS = {
    "measure": ("a measure by its name in carob, such as nDCG@10", None),
    "queryCol": ("query column; by default, the column with a usual name", None),
    "documentCol": ("document column; by default, the column with a usual name", None),
    "policy": ("a carob.Policy", axes_of),
    "profile": ("the name of a convention in carob", None),
}
"""The description and converter of each parameter of the evaluator, except the prediction and label columns."""


# ---------------------------------------------------------------- rows


def tables(dataset: Any, names: dict[str, str | None]) -> tuple[Any, Any]:
    """Returns the judgments and the run as Arrow tables, using one Spark job that collects the required columns.

    All rows are collected, because rows without a label are retrieved documents too.

    Raises:
        DataError: predictions cannot be ranked, or a column shows that the judgments are a sample.
    """
    import narwhals as nw
    import pyarrow as pa
    import pyarrow.compute as pc

    chosen = choose(dataset.columns, names)
    columns = {role: dataset[quoted(name)] for role, name in chosen.items()}
    vector = is_vector(dataset, chosen["score"])
    if vector:
        columns["score"] = second(columns["score"])
    wanted = nw.from_native(dataset.select(*(column.alias(role) for role, column in columns.items())))
    table: Any = wanted.collect("pyarrow").to_native()
    if "document" not in chosen:
        table = table.append_column("document", pa.array(range(len(table)), pa.int64()))
    refuse_unusable(table["score"], chosen["score"], vector=vector)
    judged = table.filter(pc.is_valid(table["grade"]))
    if {*DRAW} <= {*dataset.columns} - {*chosen.values()}:
        raise incomplete("dataset", len(judged))
    return judged, table


def refuse_unusable(scores: Any, name: str, *, vector: bool) -> None:
    """Refuses predictions that cannot be ranked.

    Raises:
        DataError: a prediction is NaN, or a vector does not have two numbers.
    """
    import pyarrow.compute as pc

    if vector and scores.null_count:
        raise refused(
            "Column '{column}' contains vectors that do not have exactly two numbers.",
            "Create a column with the number to rank by.",
            column=name,
        )
    unknown = pc.sum(pc.is_nan(pc.cast(scores, "float64"))).as_py()
    if unknown:
        raise refused(
            "Column '{column}' is NaN in {unusable} of {count} rows, and NaN cannot be ranked. ALS predicts "
            "NaN for users and items that are missing from its training data.",
            "Use coldStartStrategy='drop'.",
            column=name,
            unusable=unknown,
            count=len(scores),
        )


def choose(columns: Sequence[str], names: dict[str, str | None]) -> dict[str, str]:
    """Returns the column of each role: the one the caller specified or, for ids, the one with a usual name.

    Raises:
        DataError: a column is missing, or several columns have a usual name.
    """
    there = ", ".join(f"'{name}'" for name in columns)
    chosen = {}
    for role, (asked, name) in zip(("query", "document", "score", "grade"), names.items(), strict=True):
        found = usual(columns, role) if name is None else [name]
        if len(found) > 1 or (not found and role == "query"):
            several = " and ".join(f"'{each}'" for each in found) or "no column"
            raise refused(
                "The data set has {several} with a usual name for the {role}. The columns are: {there}.",
                "Name the column: {role}Col=….",
                several=several,
                role=role,
                there=there,
            )
        if found and found[0] not in columns:
            raise refused(
                "The data set has no column '{column}' ({argument}Col). The columns are: {there}.",
                column=found[0],
                argument=asked,
                there=there,
            )
        if found:
            chosen[role] = found[0]
    return chosen


def quoted(name: str) -> str:
    """Quotes a column's name for Spark, because it may contain a dot or a space."""
    return f"`{name.replace('`', '``')}`"


def is_vector(dataset: Any, name: str) -> bool:
    """Returns whether a column contains vectors."""
    from pyspark.ml.linalg import VectorUDT

    return isinstance(dataset.schema[name].dataType, VectorUDT)


def second(vectors: Any) -> Any:
    """Returns the second number of each vector of two numbers, and null for other vectors."""
    from pyspark.ml.functions import vector_to_array
    from pyspark.sql import functions as sf

    numbers = vector_to_array(vectors)
    return sf.when(sf.size(numbers) == 2, numbers[1])
