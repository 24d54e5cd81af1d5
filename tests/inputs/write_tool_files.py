"""Writes tests/inputs/tools by the tools themselves: ``python tests/inputs/write_tool_files.py``.

Each tool writes the same two lists: z, a for q1, whose relevant documents are a and b, and c for q2, where c is
relevant. The versions of the tools are in tests/inputs/tools/versions.json. No tool needs a model or a network.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import types
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any

HOME = Path(__file__).parent / "tools"
QUERIES = {"q1": "one two", "q2": "three"}
CORPUS = {"a": "two", "b": "four", "c": "three", "z": "one two"}
RUN = {"q1": {"z": 2.0, "a": 1.0}, "q2": {"c": 1.0}}
QRELS = {"q1": {"a": 1, "b": 1}, "q2": {"c": 1}}


def sentence_transformers() -> None:
    """InformationRetrievalEvaluator(write_predictions=True), with a bag of words as the model."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.evaluation import InformationRetrievalEvaluator
    from sentence_transformers.models import BoW

    model = SentenceTransformer(modules=[BoW(vocab=["one", "two", "three", "four"])], device="cpu")
    relevant = {query: set(its) for query, its in QRELS.items()}
    evaluator = InformationRetrievalEvaluator(
        QUERIES, CORPUS, relevant, write_predictions=True, show_progress_bar=False
    )
    with tempfile.TemporaryDirectory() as folder:
        evaluator(model, output_path=folder)
        (written,) = Path(folder).glob("*predictions*cos*.jsonl")
        shutil.copy(written, HOME / "sentence-transformers.jsonl")


def mteb() -> None:
    """A retrieval task's own writer of predictions (prediction_folder=)."""
    import mteb

    task: Any = mteb.get_task("SciFact")
    model = SimpleNamespace(mteb_model_meta=SimpleNamespace(name="bag/of-words", revision="1"))
    with tempfile.TemporaryDirectory() as folder:
        task._save_task_predictions(RUN, model, Path(folder), "test", "default")
        (written,) = Path(folder).iterdir()
        shutil.copy(written, HOME / "mteb.json")


def ragas() -> None:
    """EvaluationDataset.to_jsonl and to_csv."""
    # A module that langchain-community no longer has, and that ragas 0.4 imports.
    missing: Any = types.ModuleType("langchain_community.chat_models.vertexai")
    missing.ChatVertexAI = object
    sys.modules.setdefault("langchain_community.chat_models.vertexai", missing)
    from ragas import EvaluationDataset, SingleTurnSample

    samples = [
        SingleTurnSample(
            user_input=QUERIES[query],
            retrieved_contexts=[CORPUS[each] for each in its],
            retrieved_context_ids=list(its),
            reference_context_ids=list(QRELS[query]),
            response="an answer",
            reference="an answer",
        )
        for query, its in RUN.items()
    ]
    dataset = EvaluationDataset(samples=samples)
    dataset.to_jsonl(HOME / "ragas.jsonl")
    dataset.to_csv(HOME / "ragas.csv")
    texts = [
        SingleTurnSample(
            user_input="one two", retrieved_contexts=["two"], reference_contexts=["two"], response="an answer"
        )
    ]
    EvaluationDataset(samples=texts).to_jsonl(HOME / "ragas-texts.jsonl")


def llama_index() -> None:
    """RetrievalEvalResult.model_dump, one for each query."""
    from llama_index.core.evaluation import RetrievalEvalResult
    from llama_index.core.evaluation.retrieval.metrics import MRR

    rows = [
        RetrievalEvalResult(
            query=QUERIES[query],
            expected_ids=list(QRELS[query]),
            retrieved_ids=list(its),
            expected_texts=[CORPUS[each] for each in QRELS[query]],
            retrieved_texts=[CORPUS[each] for each in its],
            metric_dict={"mrr": MRR().compute(expected_ids=list(QRELS[query]), retrieved_ids=list(its))},
        ).model_dump(mode="json")
        for query, its in RUN.items()
    ]
    (HOME / "llama-index.json").write_text(json.dumps(rows) + "\n")


def haystack() -> None:
    """Document.to_dict of what a retriever returned, and of the ground truth."""
    from haystack import Document

    rows = [
        {
            "question": QUERIES[query],
            "ground_truth_documents": [
                Document(id=each, content=CORPUS[each]).to_dict() for each in QRELS[query]
            ],
            "retrieved_documents": [
                Document(id=each, content=CORPUS[each], score=score).to_dict() for each, score in its.items()
            ],
        }
        for query, its in RUN.items()
    ]
    (HOME / "haystack.json").write_text(json.dumps(rows) + "\n")


def ragelo() -> None:
    """Experiment.get_run_files and get_runs."""
    from ragelo import Experiment

    found = Experiment("toy", save_on_disk=False)
    for query, text in QUERIES.items():
        found.add_query(text, query_id=query)
        for document, score in RUN[query].items():
            found.add_retrieved_doc(CORPUS[document], query, document, score=score, agent="bm25")
    with tempfile.TemporaryDirectory() as folder:
        found.get_run_files(output_dir=folder)
        shutil.copy(Path(folder) / "bm25.json", HOME / "ragelo.json")
        found.get_runs(output_path=folder)
        shutil.copy(Path(folder) / "bm25.run", HOME / "ragelo.run")


def pyterrier() -> None:
    """pt.Experiment(save_dir=), whose run and perquery.csv it writes."""
    import pandas as pd
    import pyterrier as pt
    from ir_measures import RR

    topics = pd.DataFrame([{"qid": query, "query": text} for query, text in QUERIES.items()])
    qrels = pd.DataFrame(
        [
            {"qid": query, "docno": each, "label": grade}
            for query, its in QRELS.items()
            for each, grade in its.items()
        ]
    )
    rows = [
        {"qid": query, "query": QUERIES[query], "docno": each, "score": score, "rank": rank}
        for query, its in RUN.items()
        for rank, (each, score) in enumerate(its.items())
    ]
    with tempfile.TemporaryDirectory() as folder:
        pt.Experiment(
            [pt.Transformer.from_df(pd.DataFrame(rows))], topics, qrels, [RR], names=["bm25"], save_dir=folder
        )
        shutil.copy(Path(folder) / "perquery.csv", HOME / "pyterrier-perquery.csv")
        shutil.copy(Path(folder) / "bm25.res.gz", HOME / "pyterrier.res.gz")


def tira() -> None:
    """tira.evaluators.evaluate, which writes evaluation.prototext."""
    from tira.evaluators import evaluate

    config = {"run_format": ["run.txt"], "truth_format": ["qrels.txt"], "measures": ["nDCG@10", "P@10", "RR"]}
    with tempfile.TemporaryDirectory() as folder:
        run, truths = Path(folder) / "run", Path(folder) / "truths"
        run.mkdir()
        truths.mkdir()
        # TIRA takes no file of fewer than ten lines, so each query is there four times.
        ranked = [
            f"{query}-{copy} Q0 {each} {rank} {score} bm25\n"
            for copy in range(4)
            for query, its in RUN.items()
            for rank, (each, score) in enumerate(its.items(), 1)
        ]
        judged = [
            f"{query}-{copy} 0 {each} {grade}\n"
            for copy in range(4)
            for query, its in QRELS.items()
            for each, grade in its.items()
        ]
        (run / "run.txt").write_text("".join(ranked))
        (truths / "qrels.txt").write_text("".join(judged))
        evaluate(run, truths, config, output_dir=HOME)
        (HOME / "evaluation.prototext").rename(HOME / "tira.prototext")


TOOLS = {
    "sentence-transformers": sentence_transformers,
    "mteb": mteb,
    "ragas": ragas,
    "llama-index-core": llama_index,
    "haystack-ai": haystack,
    "ragelo": ragelo,
    "python-terrier": pyterrier,
    "tira": tira,
}


def main() -> None:
    """Writes the files of each tool, and the versions."""
    HOME.mkdir(exist_ok=True)
    for write in TOOLS.values():
        write()
    (HOME / "versions.json").write_text(json.dumps({name: version(name) for name in TOOLS}, indent=2) + "\n")


if __name__ == "__main__":
    main()
