"""The evaluator for Spark's CrossValidator: its values are those of dicts, and it finds the better model."""

from __future__ import annotations

import gc
import pickle
import random
import sys
from typing import TYPE_CHECKING, Any

import pytest

import carob

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [
    pytest.mark.filterwarnings("ignore::FutureWarning"),  # PySpark of every newer pandas
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # its CrossValidator leaves a pool of threads open
]

DRAW = random.Random(3)
ROWS = [
    (user, item, float(DRAW.randint(0, 3)), DRAW.randint(0, 5) / 4)
    for user in range(20)
    for item in range(30)
    if DRAW.random() < 0.5
]
"""User, item, rating and prediction, with many equal predictions."""


@pytest.fixture
def evaluator() -> Any:
    pytest.importorskip("pyspark.ml", reason="needs PySpark, of the extra 'spark'")
    pytest.importorskip("pyarrow", reason="needs PyArrow, of the extra 'spark'")
    from carob.adapters.spark import CarobEvaluator

    return CarobEvaluator


@pytest.fixture(scope="module")
def rated(spark: Any) -> Any:
    return spark.createDataFrame(ROWS, ["user", "item", "rating", "prediction"]).cache()


def by_dicts(measure: str, rows: Any = ROWS, **how: Any) -> float:
    qrels: dict[str, dict[str, float]] = {}
    run: dict[str, dict[str, float]] = {}
    for user, item, rating, prediction in rows:
        run.setdefault(str(user), {})[str(item)] = prediction
        if rating is not None:
            qrels.setdefault(str(user), {})[str(item)] = rating
    scores = carob.evaluate(qrels, run, measure, **how)  # type: ignore[arg-type]
    return scores[next(iter(scores))]


def test_values_are_those_of_dicts(rated: Any, evaluator: Any) -> None:
    mine = evaluator(measure="nDCG@5", labelCol="rating")
    assert mine.evaluate(rated) == by_dicts("nDCG@5")
    assert mine.evaluate(rated, {mine.measure: "AP(rel=2)"}) == by_dicts("AP(rel=2)")
    assert mine.getOrDefault("measure") == "nDCG@5"
    other = mine.copy({mine.measure: "P@3", mine.policy: carob.Policy(ties="pessimistic")})
    assert other.evaluate(rated) == by_dicts("P@3", policy=carob.Policy(ties="pessimistic"))
    assert other.setParams(profile="recbole", measure="ndcg@3").evaluate(rated) == by_dicts(
        "ndcg@3", policy=carob.Policy(ties="pessimistic"), profile="recbole"
    )


def test_a_document_without_a_label_is_ranked_but_not_judged(spark: Any, evaluator: Any) -> None:
    rows = [(user, item, rating or None, prediction) for user, item, rating, prediction in ROWS]
    names = {"queryCol": "who", "documentCol": "what", "predictionCol": "c d", "labelCol": "a.b"}
    dataset = spark.createDataFrame(rows, ["who", "what", "a.b", "c d"])
    found = evaluator(measure="Judged@5", **names).evaluate(dataset)
    assert found == by_dicts("Judged@5", rows) < 1


def test_a_sample_is_not_taken_for_complete_judgments(spark: Any, evaluator: Any) -> None:
    names = ["user", "item", "rating", "prediction", "probability", "sample_size"]
    dataset = spark.createDataFrame([(*row, 0.5, len(ROWS)) for row in ROWS], names)
    with pytest.raises(carob.DataError, match=f"a sample of {len(ROWS)} documents, drawn with known"):
        evaluator(measure="RR", labelCol="rating").evaluate(dataset)


def test_rows_without_a_column_of_documents_are_documents(rated: Any, evaluator: Any) -> None:
    expected = carob.Policy(ties="expected")  # or else the order of rows decides
    found = evaluator(measure="AP", labelCol="rating", policy=expected).evaluate(rated.drop("item"))
    assert found == pytest.approx(by_dicts("AP", policy=expected), abs=1e-12)


def test_what_is_the_better_the_smaller_is_known(evaluator: Any) -> None:
    found = [evaluator(measure=each).isLargerBetter() for each in ("AP", "E@3", "NumNonRelRet")]
    assert found == [True, False, False]


def test_cross_validation_chooses_the_model_that_ranks_better(spark: Any, evaluator: Any) -> None:
    from pyspark.ml.classification import LogisticRegression
    from pyspark.ml.linalg import Vectors
    from pyspark.ml.tuning import CrossValidator, ParamGridBuilder

    rows = [
        (user, item, float(rating > 1), Vectors.dense(rating + DRAW.random()), item % 2)
        for user, item, rating, _ in ROWS
    ]
    dataset = spark.createDataFrame(rows, ["user", "item", "label", "features", "fold"]).coalesce(1)
    model = LogisticRegression(maxIter=2, elasticNetParam=1.0)
    # So high a price leaves no slope, and equal probabilities for all.
    grid = ParamGridBuilder().addGrid(model.regParam, [1e6, 0.0]).build()
    mine = evaluator(measure="AP", predictionCol="probability", policy=carob.Policy(ties="pessimistic"))
    validator = CrossValidator(
        estimator=model, estimatorParamMaps=grid, evaluator=mine, numFolds=2, foldCol="fold"
    )
    chosen = validator.fit(dataset)
    worse, better = chosen.avgMetrics
    assert 0 < worse < 0.6
    assert better > 0.99
    assert chosen.bestModel.getRegParam() == 0.0
    gc.collect()  # or another test would be told of the pool


def test_an_evaluator_is_pickled_and_saved(spark: Any, evaluator: Any, tmp_path: Path) -> None:
    mine = evaluator(measure="RR", policy=carob.Policy(missing="nan", by_measure={"AP": {"empty": "one"}}))
    mine.write().save(str(tmp_path / "evaluator"))
    for again in (pickle.loads(pickle.dumps(mine)), evaluator.load(str(tmp_path / "evaluator"))):
        assert (again.uid, again.asked()) == (mine.uid, mine.asked())
        assert "measure: a measure by its name in carob, such as nDCG@10 (default: nDCG@10, current: RR)" in (
            again.explainParams().splitlines()
        )


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            {"measur": "AP"},
            "CarobEvaluator has no parameter 'measur'. Its parameters are: documentCol, labelCol, measure",
        ),
        ({"measure": "APP"}, "There is no measure 'APP'"),
        ({"measure": "ndcg_cut"}, "'ndcg_cut' stands for 9 measures, but an evaluator returns one number"),
        ({"profile": "sparc"}, "There is no profile 'sparc'"),
        ({"policy": {"tie": "trec"}}, "A policy has no setting 'tie'"),
    ],
)
def test_a_wrong_setting_is_refused_before_a_model_is_fitted(
    evaluator: Any, given: dict[str, Any], said: str
) -> None:
    with pytest.raises(carob.CarobError) as refused:
        evaluator(**given)
    assert said in str(refused.value)


def test_what_cannot_be_ranked_is_refused(spark: Any, rated: Any, evaluator: Any) -> None:
    from pyspark.ml.linalg import Vectors
    from pyspark.sql import functions as sf

    vectors = spark.createDataFrame([(1, 1.0, Vectors.dense(1, 2, 3))], ["user", "label", "prediction"])
    nan = rated.withColumn("prediction", sf.when(sf.col("item") > 9, sf.lit(float("nan"))).otherwise(0.5))
    mine = evaluator(labelCol="rating")
    nothing = carob.Policy(empty="nan")
    unrated = rated.withColumn("rating", sf.lit(0.0))
    for each, dataset, said in (
        (evaluator(), rated, "has no column 'label' (labelCol). The columns are: 'user', 'item'"),
        (
            mine,
            rated.drop("user"),
            "has no column with a usual name for the query. The columns are: ",
        ),
        (mine, rated.withColumn("qid", sf.lit(1)), "has 'user_id' and 'qid'"),
        (mine, nan, f"is NaN in {sum(item > 9 for _, item, *_ in ROWS)} of {len(ROWS)} rows"),
        (evaluator(), vectors, "contains vectors that do not have exactly two numbers"),
        (mine.copy({mine.policy: nothing}), unrated, "nDCG@10 has no value on this data"),
    ):
        renamed = dataset.withColumnRenamed("user", "user_id") if "qid" in dataset.columns else dataset
        with pytest.raises(carob.DataError) as refused:
            each.evaluate(renamed)
        assert said in str(refused.value)


def test_without_pyspark_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    from carob.adapters import spark

    spark.evaluator_class.cache_clear()
    monkeypatch.setitem(sys.modules, "pyspark.ml.evaluation", None)
    with pytest.raises(carob.DataError, match=r"PySpark is not installed: pip install"):
        spark.CarobEvaluator  # noqa: B018
    with pytest.raises(AttributeError, match="has no attribute 'Evaluator'"):
        spark.Evaluator  # noqa: B018
