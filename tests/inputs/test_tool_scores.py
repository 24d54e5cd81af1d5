"""Scores in the files of tools that write no table: TIRA's evaluations, and those of Kibana (@kbn/evals)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import carob
from carob.cli import main
from carob.output.errors import DataError

TOOLS = Path(__file__).parent / "tools"
# Written after the blocks of TIRA's ir-measures evaluator, which is no package.
PER_QUERY = "".join(
    f'measure {{\n\tquery_id: "{query}"\n\tmeasure: "{measure}"\n\tvalue: "{value}"\n}}\n'
    for query, value in (("1", 0.5), ("2", 0.25))
    for measure in ("P@10", "nDCG@10")
)


def written(folder: Path, text: str, name: str = "scores.prototext") -> str:
    (folder / name).write_text(text)
    return str(folder / name)


def test_the_values_of_queries_that_tira_wrote_are_scores(tmp_path: Path) -> None:
    path = written(tmp_path, PER_QUERY)
    scores = carob.read_scores(path)["scores"]
    assert scores.by_query("nDCG@10") == scores.by_query("P@10") == {"1": 0.5, "2": 0.25}
    assert carob.read_scores(written(tmp_path, PER_QUERY.replace("\n", " ")))["scores"]["P@10"] == 0.375


@pytest.mark.parametrize("command", ["compare", "best"])
def test_means_that_tira_wrote_are_refused_where_scores_of_queries_are_needed(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        main([command, str(TOOLS / "tira.prototext")])
    assert left.value.code == 2
    assert "no per-query scores, but only means over queries" in capsys.readouterr().err


def test_means_that_tira_wrote_are_a_leaderboard(tmp_path: Path) -> None:
    text = (TOOLS / "tira.prototext").read_text()
    for name in ("bm25", "dense", "fused"):
        written(tmp_path, text, f"{name}.prototext")
    board = carob.read_leaderboard(tmp_path)
    assert board.runs == ["bm25", "dense", "fused"]
    assert board.stated["bm25"]["Rr"] == 0.75  # the mean of 1/2 and 1
    assert board.values == {}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('measure {\n key: "RR"\n}\n', r"line 1: a measure has no value: expected"),
        ('measure {\n value: "1"\n}\n', r"line 1: a measure has no key: expected"),
        (PER_QUERY + 'measure {\n query_id: "3"\n', r'line 21: found "measure \{", expected'),
        (PER_QUERY + "\nn = 2\n", r'line 22: found "n = 2", expected'),
        (PER_QUERY.replace('"0.25"', '"many"'), r"line 11: the value is not a finite number: 'many'"),
        (PER_QUERY + PER_QUERY, r"line 21: scores has a second value of P@10 for query '1'"),
    ],
)
def test_other_text_among_the_blocks_of_tira_is_one_sentence(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        carob.read_scores(written(tmp_path, text))


# ---------------------------------------------------------------- Kibana's evaluations


def document(
    model: str, example: str, score: Any, repetition: int = 0, evaluator: str = "Factuality", run: str = "e1"
) -> dict[str, Any]:
    """A document with the required fields of EvaluationScoreDocument, and its usual ones."""
    return {
        "@timestamp": "2026-06-01T08:00:00.000Z",
        "experiment_id": f"{run}-{example}",
        "example": {"id": example, "index": 0, "dataset": {"id": "d", "name": "Toy"}},
        "task": {"trace_id": None, "repetition_index": repetition, "model": {"id": model}},
        "evaluator": {"name": evaluator, "score": score, "label": None, "explanation": None},
        "metadata": {"execution_id": run, "total_repetitions": 2},
    }


DOCUMENTS = [
    document(model, example, value, repetition)
    for model, shift in (("small", 0.0), ("large", 0.25))
    for example, value, repetition in (
        ("x1", shift, 0),
        ("x1", 0.5 + shift, 1),
        ("x2", 0.5, 0),
        ("x2", None, 1),
    )
]
EXPECTED = {"small": {"x1": 0.25, "x2": 0.5}, "large": {"x1": 0.5, "x2": 0.5}}
FORMS = {
    "array": lambda its: json.dumps(its, indent=1),
    "lines": lambda its: "".join(json.dumps(each) + "\n" for each in its),
    "hits": lambda its: json.dumps(
        {"hits": {"total": {"value": len(its)}, "hits": [{"_id": "1", "_source": each} for each in its]}}
    ),
    "answer": lambda its: json.dumps({"scores": its, "total": len(its)}),
}


def read(folder: Path, documents: list[dict[str, Any]], form: str = "array") -> Any:
    return carob.read_scores(written(folder, FORMS[form](documents), "kbn.json"))


@pytest.mark.parametrize("form", FORMS)
def test_scores_of_kibana_are_read_in_each_form(
    tmp_path: Path, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.warns(UserWarning, match="mean over an example's repetitions, of which there are up to 2"):
        found = read(tmp_path, DOCUMENTS, form)
    assert {run: its.by_query("Factuality") for run, its in found.items()} == EXPECTED
    main(["compare", str(tmp_path / "kbn.json")])
    assert "large - small" in capsys.readouterr().out


def test_the_runs_of_kibana_are_told_apart_by_what_differs(tmp_path: Path) -> None:
    def runs(*pairs: tuple[str, str]) -> list[str]:
        return [*read(tmp_path, [document(model, "x", 1.0, run=run) for run, model in pairs])]

    assert runs(("e1", "m")) == ["kbn"]
    assert runs(("e1", "m"), ("e2", "m")) == ["e1", "e2"]
    assert runs(("e1", "m"), ("e1", "n")) == ["m", "n"]
    assert runs(("e1", "m"), ("e1", "n"), ("e2", "m")) == ["e1 m", "e1 n", "e2 m"]


def test_examples_of_equal_names_in_two_data_sets_of_kibana_stay_apart(tmp_path: Path) -> None:
    other = document("m", "x", 0.0)
    other["example"]["dataset"]["id"] = "e"
    found = read(tmp_path, [document("m", "x", 1.0), other])
    assert found["kbn"].by_query("Factuality") == {"d/x": 1.0, "e/x": 0.0}


def test_evaluators_of_kibana_without_scores_are_left_out_and_costs_are_named(tmp_path: Path) -> None:
    labels = document("m", "x", None, evaluator="Kind")
    tokens = document("m", "x", 90, evaluator="Tokens")
    tokens["evaluator"]["direction"] = "minimize"
    with pytest.warns(UserWarning, match="Tokens seems to be a measure for which smaller values are better"):
        found = read(tmp_path, [document("m", "x", 1.0), labels, tokens])
    assert list(found["kbn"].labels) == ["Factuality", "Tokens"]


def without(field: str) -> list[dict[str, Any]]:
    last = document("small", "x3", 1.0)
    outer, _, inner = field.partition(".")
    del last[outer][inner]
    return [*DOCUMENTS, last]


@pytest.mark.parametrize(
    ("documents", "said"),
    [
        (without("example.id"), r"row 8 \(from 0\): the document has no 'example.id'"),
        (without("evaluator.name"), r"the document has no 'evaluator.name'"),
        (without("evaluator.score"), r"the document has no 'evaluator.score'"),
        ([*DOCUMENTS, document("small", "x3", "high")], r"evaluator.score is not a number: 'high'"),
        ([*DOCUMENTS, DOCUMENTS[0]], r"small has a second value of Factuality for query 'x1'"),
        ([*DOCUMENTS, {}], r"the document has no 'example.id'"),
    ],
)
def test_a_wrong_document_of_kibana_is_one_sentence(
    tmp_path: Path, documents: list[dict[str, Any]], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(DataError, match=said):
        read(tmp_path, documents)
    with pytest.raises(SystemExit):
        main(["compare", str(tmp_path / "kbn.json")])
    assert capsys.readouterr().err.count("carob:") == 1


def test_an_answer_with_a_part_of_kibanas_scores_is_refused(tmp_path: Path) -> None:
    answer = {"hits": {"total": {"value": 24}, "hits": [{"_source": each} for each in DOCUMENTS[:10]]}}
    with pytest.raises(
        DataError, match=r"the answer contains only 8 of 24 scores. Request all scores from Elasticsearch"
    ):
        carob.read_scores(written(tmp_path, json.dumps(answer), "answer.json"))
