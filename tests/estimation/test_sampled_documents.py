"""Estimates from single documents that people judged: laws by enumeration, exactness, and the file."""

from __future__ import annotations

import math
import random
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import carob
from carob import DataError, PolicyError
from carob.estimation.numbered_documents import Documents
from carob.estimation.sampled_documents import (
    Changes,
    changes_of,
    estimated_documents,
)
from carob.estimation.sums import is_weighted
from carob.inputs.qrels import Qrels
from carob.inputs.run import Run
from carob.inputs.samples import SampledJudgment
from carob.measures import parse_measure
from strategies import first

DRAW = random.Random(7)
PEOPLE = {f"q{n}": {f"d{m}": DRAW.choice([0, 0, 1, 2]) for m in range(4)} for n in range(2)}
MODEL = {q: {d: min(2, g + DRAW.choice([0, 1])) for d, g in its.items()} for q, its in PEOPLE.items()}
RUNS = {name: {q: {f"d{m}": DRAW.random() for m in range(6)} for q in PEOPLE} for name in "ab"}
PAIRS = [(query, document) for query, its in PEOPLE.items() for document in its]
CONTRASTS = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, -1.0]])


def estimate(chosen: Any, probability: float, measure: str, weight: float | None) -> Any:
    people: dict[str, dict[str, SampledJudgment]] = {}
    for query, document in chosen:
        people.setdefault(query, {})[document] = SampledJudgment(PEOPLE[query][document], probability)
    documents = Documents.of(people, Qrels.of(MODEL))
    wanted = parse_measure(measure)
    changes = [changes_of(documents, Run.of(run), [wanted], carob.Policy())[0] for run in RUNS.values()]
    return estimated_documents(
        changes, documents.probability, CONTRASTS, fitted=is_weighted(wanted), weight=weight
    )


def truth(qrels: Any, measure: str) -> Any:
    scores = carob.evaluate(qrels, RUNS, measure)
    return CONTRASTS @ [scores[name][measure] for name in RUNS]


@pytest.mark.parametrize("measure", first(["DCG@4", "P@3", "CG@3"], 1))
@pytest.mark.parametrize("weight", [0.0, 0.6, 1.0])
def test_for_a_linear_measure_the_estimates_and_their_variances_are_unbiased(
    measure: str, weight: float
) -> None:
    """With equal probabilities, Hájek's variance is that of a simple random sample, which is unbiased."""
    found = [estimate(chosen, 5 / 8, measure, weight) for chosen in combinations(PAIRS, 5)]
    values = np.array([each.value for each in found])
    assert values.mean(axis=0) == pytest.approx(truth(PEOPLE, measure), abs=1e-12)
    assert np.mean([each.error**2 for each in found], axis=0) == pytest.approx(values.var(axis=0), abs=1e-12)


@pytest.mark.parametrize("measure", ["P@3", "DCG@4", "nDCG@3", "AP", "RR", "ERR@3"])
def test_if_people_judged_every_document_the_estimate_is_exact(measure: str) -> None:
    found = estimate(PAIRS, 1.0, measure, None)
    assert found.value == pytest.approx(truth(PEOPLE, measure), abs=1e-12)
    assert found.error == pytest.approx(np.zeros(3), abs=1e-12)


@pytest.mark.parametrize("measure", ["P@3", "AP"])
def test_a_judge_who_agrees_with_people_leaves_nothing_to_correct(measure: str) -> None:
    people = {q: {d: SampledJudgment(g, 0.5) for d, g in list(its.items())[:2]} for q, its in MODEL.items()}
    documents = Documents.of(people, Qrels.of(MODEL))
    changes = changes_of(documents, Run.of(RUNS["a"]), [parse_measure(measure)], carob.Policy())
    assert changes[0].change == pytest.approx(np.zeros(4))
    assert changes[0].mean == pytest.approx(carob.evaluate(MODEL, RUNS["a"], measure)[measure])


def test_the_needed_documents_are_those_of_a_sample_without_replacement() -> None:
    """With equal probabilities, the squared error is that of a simple random sample of m of 100: ~ 1/m - 1/100."""
    draw, size, every = np.random.default_rng(4), 20, 100
    own = draw.random(size)
    found = estimated_documents(
        [Changes(0.0, 0.0, own, np.zeros(size))],
        np.full(size, size / every),
        np.eye(1),
        fitted=True,
        weight=0.0,
    )
    assert found.error[0] == pytest.approx(every * math.sqrt((1 / size - 1 / every) * own.var(ddof=1)))
    for share in (0.75, 0.5, 0.25, 0.1):
        width = share * found.width[0]
        widths = {
            m: 2 * stats.t.ppf(0.975, m - 1) * every * math.sqrt(max(1 / m - 1 / every, 0) * own.var(ddof=1))
            for m in range(12, every + 1)
        }
        needed = min(m for m, each in widths.items() if each <= width)
        assert found.needed(np.array([width]), 0.95).tolist() == [needed]
        assert needed <= every


def test_few_documents_allow_no_projection() -> None:
    found = estimated_documents(
        [Changes(0.0, 0.0, np.arange(11.0), np.zeros(11))],
        np.full(11, 0.1),
        np.eye(1),
        fitted=True,
        weight=0.0,
    )
    assert np.isnan(found.needed(found.width / 2, 0.95)).all()


def test_the_needed_documents_of_the_bundled_example_agree_with_the_widths_that_next_predicts() -> None:
    """``carob next`` predicts intervals of .58 for 340 documents and .49 for 400."""
    coffee = Path(__file__).parents[2] / "examples" / "coffee"
    runs = [str(each) for each in sorted((coffee / "runs").iterdir())]
    model = str(coffee / "model.txt")
    found = carob.compare(str(coffee / "documents.csv"), runs, "DCG@10", judge=model)
    assert found.judge is not None
    needed = sorted(found.judge.measures["DCG@10"].needed_pairs)[1]
    predicted = [
        carob.next_judgments(None, runs, "DCG@10", judge=model, budget=budget).width for budget in (340, 400)
    ]
    assert predicted[1] < found.judge.width_pairs < predicted[0]
    assert 340 < needed < 400


def test_the_ideal_of_ndcg_is_the_same_whatever_a_document_is_graded() -> None:
    """So what a document adds to nDCG is what it adds to DCG, divided by one number for each query."""
    run = {q: {"d0": 3.0, "d1": 2.0, "d2": 1.0} for q in PEOPLE}
    people = {q: {d: SampledJudgment(grade, 0.5) for d, grade in its.items()} for q, its in PEOPLE.items()}
    documents = Documents.of(people, Qrels.of(MODEL))
    measures = [parse_measure(each) for each in ("nDCG@3", "DCG@3")]
    ndcg, dcg = changes_of(documents, Run.of(run), measures, carob.Policy())
    assert (ndcg.people == 0).tolist() == (dcg.people == 0).tolist()
    for query in (slice(4), slice(4, 8)):
        some = ndcg.people[query] != 0
        ratios = dcg.people[query][some] / ndcg.people[query][some]
        assert some.any()
        assert ratios == pytest.approx(np.full(len(ratios), ratios[0]))


def written(folder: Path, text: str, name: str = "sample.csv") -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_the_file_is_a_table_with_probabilities(tmp_path: Path) -> None:
    expected = {"q1": {"d1": SampledJudgment(2, 0.5), "d2": SampledJudgment(0, 1)}}
    table = "query,document,grade,probability\nq1,d1,2,0.5\nq1,d2,0,1\n"
    lines = (
        '{"qid": "q1", "docno": "d1", "rel": 2, "probability": 0.5}\n'
        '{"qid": "q1", "docno": "d2", "rel": 0, "probability": 1}\n'
    )
    for text, name in (
        (table, "a.csv"),
        (table.replace(",", "\t"), "a.tsv"),
        (lines, "a.jsonl"),
        (table, "a.txt"),
    ):
        path = written(tmp_path, text, name)
        assert Qrels.of(path).drawn == expected
    assert Qrels.of(written(tmp_path, "q1 0 d1 2\n", "qrels.txt")).drawn is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "query,document,grade,probability\nq1,d1,,0.5\n",
            r"line 2: the grade '' is not a number: document 'd1' of query 'q1' is not judged\.",
        ),
        (
            "query,document,grade,probability\nq1,d1,1,0\n",
            r"line 2: the probability 0 is not above 0 and at most 1",
        ),
        ("query,document,grade,probability\nq1,d1,1,1.5\n", r"line 2: the probability 1.5 is not"),
        (
            "query,document,grade,probability\nq,d,1,1\nq,d,1,1\n",
            r"line 3: document 'd' is listed twice for query 'q'",
        ),
        ("query,document,grade,probability\nq1,d1,1\n", r"line 2: found 3 columns, but the first line has 4"),
        ("query,document,probability\nq1,d1,1\n", r"no column with a usual name for the grade"),
        ("query,document,grade,probability\n", r"there are no judgments"),
    ],
)
def test_a_bad_file_is_refused(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=message):
        Qrels.of(written(tmp_path, text))


def test_a_comparison_from_a_file(tmp_path: Path) -> None:
    rows = [f"{q},{d},{PEOPLE[q][d]},0.75" for q, d in PAIRS[:6]]
    path = written(tmp_path, "query,document,grade,probability\n" + "\n".join(rows) + "\n")
    found = carob.compare(path, RUNS, ["P@3", "AP"], judge=MODEL)
    expected = estimate(PAIRS[:6], 0.75, "P@3", None)
    pair = found["P@3"].pairs[0]
    assert pair.difference == pytest.approx(expected.value[2], abs=1e-12)
    assert found["P@3"].means == pytest.approx(expected.value[:2], abs=1e-12)
    assert found.judge is not None
    assert found.judge.documents == 6
    assert {each.kind for each in found.warnings} >= {"few", "approximate"}
    text = " ".join(str(found).split())
    assert "6 documents of 2 queries judged by people" in text
    assert (
        " for P@3; 1 for AP, since another weight is possible only for measures that are sums over "
        "documents, or such sums divided by the ideal sum." in text
    )
    with pytest.raises(PolicyError, match="target has no meaning for sampled"):
        carob.compare(path, RUNS, "P@3", judge=MODEL, design=carob.Design(target="similar"))
    with pytest.raises(PolicyError, match="fixed order"):
        carob.compare(path, RUNS, "P@3", judge=MODEL, policy=carob.Policy(ties="expected"))
    with pytest.raises(DataError, match="not a plain mean over queries"):
        carob.compare(path, RUNS, "NumRelRet", judge=MODEL)
    with pytest.raises(DataError, match="People judged documents of query 'q1'"):
        carob.compare(path, RUNS, "P@3", judge={"q0": MODEL["q0"]})
