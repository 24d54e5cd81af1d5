"""carob's subclass of sentence-transformers' evaluator, beside the evaluator itself, with a real model."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest

import carob
from carob import DataError
from carob.adapters.sentence_transformers import evaluator_class, retrieval_evaluator

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.thorough, pytest.mark.filterwarnings("ignore")]
reason = "needs sentence-transformers, of the extra 'peers'"
pytest.importorskip("sentence_transformers", reason=reason)
evaluation = pytest.importorskip("sentence_transformers.sentence_transformer.evaluation", reason=reason)

WORDS = [f"w{number}" for number in range(60)]
DEPTHS = {
    "mrr_at_k": [1, 10],
    "ndcg_at_k": [3, 10],
    "accuracy_at_k": [1, 5],
    "precision_recall_at_k": [1, 7],
    "map_at_k": [5, 100],
}


@pytest.fixture(scope="module")
def model() -> Any:
    """A model of random vectors, one for each word, which needs no download."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Tokenizer, models, pre_tokenizers

    vocabulary = {word: number for number, word in enumerate(["[UNK]", *WORDS])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    torch.manual_seed(1)
    return SentenceTransformer(modules=[StaticEmbedding(tokenizer, embedding_dim=4)])


def arguments(ids: Any = "d{}".format) -> tuple[dict[str, str], dict[Any, str], dict[str, set[Any]]]:
    """Queries, documents of which half have a copy, so that many scores are equal, and the relevant ones."""
    draw = random.Random(5)
    texts = [" ".join(draw.choices(WORDS, k=3)) for _ in range(60)] * 2
    corpus = {ids(number): text for number, text in enumerate(texts)}
    queries = {f"q{number}": " ".join(draw.choices(WORDS, k=2)) for number in range(20)}
    return queries, corpus, {query: set(draw.sample(list(corpus), draw.randint(1, 30))) for query in queries}


@pytest.mark.parametrize("ids", ["d{}".format, int], ids=["text", "numbers"])
def test_its_means_and_files_are_those_of_the_original(ids: Any, model: Any, tmp_path: Path) -> None:
    found = {}
    for name, kind in {
        "original": evaluation.InformationRetrievalEvaluator,
        "ours": retrieval_evaluator,
    }.items():
        evaluator = kind(*arguments(ids), **DEPTHS, name="toy", write_predictions=True)
        found[name] = evaluator(model, output_path=str(tmp_path / name), epoch=1, steps=2)
        assert evaluator.primary_metric == "toy_cosine_ndcg@10"
    assert list(found["ours"]) == list(found["original"])
    assert found["ours"] == pytest.approx(found["original"], abs=1e-9)
    assert 0 < found["ours"]["toy_cosine_map@100"] < 1
    for csv in (tmp_path / "original").glob("*.csv"):
        theirs, ours = csv.read_text().splitlines(), (tmp_path / "ours" / csv.name).read_text().splitlines()
        assert ours[0] == theirs[0]
        assert list(map(float, ours[1].split(","))) == pytest.approx(list(map(float, theirs[1].split(","))))


def test_its_scores_compare_two_models(model: Any) -> None:
    queries, corpus, relevant = arguments()
    functions = {"dot": model.similarity, "cut": lambda a, b: model.similarity(a[:, :2], b[:, :2])}
    evaluator = retrieval_evaluator(
        queries, corpus, relevant, score_functions=functions, measures=["RBP(p=0.8)@10", "Rprec"]
    )
    means = evaluator(model)
    assert set(evaluator.scores) == {"dot", "cut"}
    for name, scores in evaluator.scores.items():
        assert means[f"{name}_RBP(p=0.8)@10"] == scores["RBP(p=0.8)@10"]
        assert means[f"{name}_Rprec"] == scores["Rprec"]
        assert means[f"{name}_mrr@10"] == scores["mrr@10"]
        assert set(scores.queries) == set(queries)
    compared = carob.compare(None, evaluator.scores, "ndcg@10")
    assert set(compared.names) == {"dot", "cut"}
    evaluator(model)
    assert set(evaluator.scores) == {"dot", "cut"}  # not those of both calls


def test_other_evaluators_are_extended() -> None:
    from sentence_transformers.sparse_encoder.evaluation import SparseInformationRetrievalEvaluator as Sparse

    kind = evaluator_class(Sparse)
    assert issubclass(kind, Sparse)
    assert kind is evaluator_class(Sparse)
    assert type(retrieval_evaluator(*arguments(), base=Sparse)) is kind


def test_ids_that_can_never_match_are_refused() -> None:
    queries, corpus, relevant = arguments(int)
    as_text = {query: set(map(str, its)) for query, its in relevant.items()}
    with pytest.raises(
        DataError, match=r"corpus has ids of type int, and relevant_docs of type str.*Use the same"
    ):
        retrieval_evaluator(queries, corpus, as_text)


def test_a_score_that_is_nan_is_refused() -> None:
    evaluator = retrieval_evaluator(*arguments())
    hits = [[{"corpus_id": "d1", "score": float("nan")}] for _ in evaluator.queries_ids]
    with pytest.raises(DataError, match=r"NaN|nan"):
        evaluator.compute_metrics(hits)


def test_the_files_of_predictions_have_the_same_scores(model: Any, tmp_path: Path) -> None:
    queries, corpus, relevant = arguments()
    evaluator = retrieval_evaluator(queries, corpus, relevant, write_predictions=True)
    evaluator(model, output_path=str(tmp_path))
    (file,) = tmp_path.glob("*.jsonl")
    assert len([json.loads(line) for line in file.read_text().splitlines()]) == len(queries)
    qrels = {query: dict.fromkeys(its, 1) for query, its in relevant.items()}
    scores = carob.evaluate(qrels, str(file), "map@100", profile="sentence-transformers")
    assert scores["map@100"] == pytest.approx(evaluator.scores["cosine"]["map@100"], abs=1e-12)
