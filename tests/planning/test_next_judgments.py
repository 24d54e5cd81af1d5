"""Documents to judge next: the loop back to compare, the command line."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import numpy as np
import pytest

import carob
from carob import DataError, PolicyError
from carob.cli import main
from planning.collection import collection

COFFEE = Path(__file__).parents[2] / "examples" / "coffee"
RUNS = [str(path) for path in sorted((COFFEE / "runs").glob("*.run"))]


def test_what_no_run_retrieves_is_drawn_where_it_matters() -> None:
    """AP divides by the number of relevant documents, also of those that only the judge knows."""
    run = {f"q{q}": {f"d{d}": 9.0 - d for d in range(9)} for q in range(4)}
    other = {query: {"d8": 3.0, "d1": 2.0, "d0": 1.0} for query in run}
    judge = {query: {f"d{d}": (d * 7) % 4 for d in range(14)} for query in run}
    found = {
        measure: carob.next_judgments(None, [run, other], measure, budget=1000, judge=judge)
        for measure in ("AP", "Rprec", "DCG@10")
    }
    beyond = {
        name: [each for each in its.chosen if each.document in ("d9", "d13")] for name, its in found.items()
    }
    assert {name: len(its) for name, its in beyond.items()} == {"AP": 8, "Rprec": 8, "DCG@10": 0}
    assert all(each.rank == 0 and 0 < each.probability <= 1 for each in beyond["AP"])
    assert any(each.effect > 0 for each in beyond["AP"])
    assert "  -  " in found["AP"].to_text()
    assert (
        "AP depends on how many documents are relevant, so all documents that the judge graded can be drawn."
        in found["AP"].to_text().replace("\n", " ")
    )
    assert "rank -" not in found["DCG@10"].to_text()
    depth = carob.next_judgments(None, [run, other], "AP", budget=1000, judge=judge, order="depth")
    assert all(each.rank for each in depth.chosen)


@pytest.mark.long
def test_the_loop_of_next_judge_compare_is_unbiased_for_sums() -> None:
    truth, (one, two) = collection(2)
    some = {query: {"d0": its["d0"]} for query, its in truth.items()}
    runs = {"one": one, "two": two}
    complete = carob.evaluate(truth, runs, "DCG@10")
    wanted = complete["one"]["DCG@10"] - complete["two"]["DCG@10"]
    estimates, held = [], 0
    for seed in range(150):
        found = carob.next_judgments(some, runs, "DCG@10", budget=40, seed=seed, max_grade=3)
        sample = {query: {d: (grade, 1.0) for d, grade in its.items()} for query, its in some.items()}
        for each in found.chosen:
            sample[each.query][each.document] = (truth[each.query][each.document], each.probability)
        result = carob.compare(sample, runs, "DCG@10", judge=some, design=carob.Design(judge_weight=1))
        pair = result["DCG@10"].pairs[0]
        sign = 1 if result.names[pair.a] == "one" else -1
        estimates.append(sign * pair.difference)
        held += pair.low <= sign * wanted <= pair.high
    error = np.std(estimates) / math.sqrt(len(estimates))
    assert np.mean(estimates) == pytest.approx(wanted, abs=3.5 * error)
    assert held / 150 > 0.88


def test_a_sample_with_a_judge_beats_depth() -> None:
    truth, (one, two) = collection(3, queries=20, documents=60)
    random = np.random.default_rng(3)
    judge = {
        query: {
            document: int(np.clip(grade + random.integers(0, 2), 0, 3)) for document, grade in its.items()
        }
        for query, its in truth.items()
    }
    runs = {"one": one, "two": two}
    complete = carob.evaluate(truth, runs, "DCG@20")
    wanted = complete["one"]["DCG@20"] - complete["two"]["DCG@20"]
    nothing = {query: {"other": 0} for query in truth}
    judged = {query: dict(its) for query, its in nothing.items()}
    for each in carob.next_judgments(nothing, runs, "DCG@20", budget=100, order="depth", max_grade=3).chosen:
        judged[each.query][each.document] = truth[each.query][each.document]
    values = carob.evaluate(judged, runs, "DCG@20")
    pooled = abs(values["one"]["DCG@20"] - values["two"]["DCG@20"] - wanted)
    errors = []
    for seed in range(20):
        found = carob.next_judgments(None, runs, "DCG@20", budget=100, seed=seed, judge=judge)
        sample: dict[str, dict[str, tuple[float, float]]] = {}
        for each in found.chosen:
            grade = truth[each.query][each.document]
            sample.setdefault(each.query, {})[each.document] = (grade, each.probability)
        pair = carob.compare(sample, runs, "DCG@20", judge=judge)["DCG@20"].pairs[0]
        errors.append(abs(pair.difference) - abs(wanted))
    assert np.sqrt(np.mean(np.square(errors))) < 0.4 * pooled


def test_orders_without_chance_take_the_largest_effects_or_the_best_ranks() -> None:
    truth, (one, two) = collection(4)
    some = {query: {"d0": its["d0"]} for query, its in truth.items()}
    runs = {"one": one, "two": two}
    whole = carob.next_judgments(some, runs, "DCG@10", budget=1000)
    sure = carob.next_judgments(some, runs, "DCG@10", budget=10, order="certain")
    rest = sorted((each.effect for each in whole.chosen), reverse=True)
    assert sorted((each.effect for each in sure.chosen), reverse=True) == rest[:10]
    deep = carob.next_judgments(some, runs, "DCG@10", budget=10, order="depth")
    assert max(each.rank for each in deep.chosen) == 1
    assert deep.to_csv().splitlines()[0] == "query,document,grade"
    assert math.isnan(deep.width)


def test_the_expected_width_falls_with_the_budget_and_the_judge() -> None:
    widths = [
        carob.next_judgments(None, RUNS, "DCG@10", budget=budget, judge=str(COFFEE / "model.txt")).width
        for budget in (50, 100, 200, 400)
    ]
    assert widths == sorted(widths, reverse=True)
    people = str(COFFEE / "people.txt")
    with_judge = carob.next_judgments(people, RUNS, "DCG@10", budget=100, judge=str(COFFEE / "model.txt"))
    assert not with_judge.assumed
    assert with_judge.queries == 60


def test_the_file_goes_back_into_compare(tmp_path, monkeypatch, capfd) -> None:
    monkeypatch.chdir(tmp_path)
    judge = str(COFFEE / "model.txt")
    main(["next", "--judge", judge, *RUNS, "-m", "DCG@10", "--budget", "60", "-o", "next.csv"])
    out, err = capfd.readouterr()
    assert "60 of 985 unjudged documents to judge" in out
    assert "next.csv: 60 documents to judge" in err
    with pytest.raises(SystemExit):
        main(["compare", "--people", "next.csv", "--judge", judge, *RUNS, "-m", "DCG@10"])
    assert "Fill in the grades of all documents of the sample" in capfd.readouterr().err
    truth = {
        (query, document): grade
        for query, _, document, grade in map(str.split, (COFFEE / "complete.txt").read_text().splitlines())
    }
    with Path("next.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row["grade"] = truth.get((row["query"], row["document"]), "0")
    with Path("next.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    main(["compare", "--people", "next.csv", "--judge", judge, *RUNS, "-m", "DCG@10", "--format", "json"])
    found = json.loads(capfd.readouterr().out)
    assert found["judge"]["documents"] == 60


def test_known_judgments_have_probability_1_in_the_file() -> None:
    truth, runs = collection(5)
    some = {query: {"d0": its["d0"]} for query, its in truth.items()}
    rows = list(csv.DictReader(carob.next_judgments(some, runs, "P@10", budget=5).to_csv().splitlines()))
    assert [row["grade"] for row in rows[:5]] == [""] * 5
    assert {(row["query"], row["document"]): row["grade"] for row in rows[5:]} == {
        (query, "d0"): str(its["d0"]) for query, its in some.items()
    }
    assert {row["probability"] for row in rows[5:]} == {"1"}


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"order": "random"}, PolicyError, "There is no order='random'"),
        ({"budget": 0}, PolicyError, "budget=0"),
        ({"qrels": None}, DataError, "Runs cannot be scored without judgments: pass qrels"),
        ({"measure": "GMAP"}, DataError, "GMAP is not a plain mean"),
        ({"runs": []}, DataError, "No run was given: the list is empty"),
        ({"qrels": {"q": {"a": 1, "b": 1}}}, DataError, "no documents are left to judge"),
        ({"qrels": {"other": {"a": 1}}}, DataError, "No run contains"),
        ({"policy": carob.Policy(ties="expected")}, PolicyError, "ties=expected"),
    ],
)
def test_impossible_requests_are_refused(settings, error, words) -> None:
    usual = {"qrels": {"q": {"a": 1}}, "runs": [{"q": {"a": 2.0, "b": 1.0}}], "measure": "P@2"}
    given = {**usual, **settings}
    with pytest.raises(error, match=words):
        carob.next_judgments(given.pop("qrels"), given.pop("runs"), given.pop("measure"), **given)


def test_measures_that_are_no_sums_are_called_approximations(capfd) -> None:
    main(["next", "--judge", str(COFFEE / "model.txt"), *RUNS, "--budget", "3", "-m", "nDCG@10"])
    out = " ".join(capfd.readouterr().out.split())
    assert (
        "nDCG@10 is not a sum over documents: differences between runs are approximations, and means have no"
        in out
    )
    main(["next", "--judge", str(COFFEE / "model.txt"), *RUNS, "--budget", "3"])
    assert "approximations" not in capfd.readouterr().out


def test_a_sample_without_a_model_is_refused_for_measures_that_are_no_sums() -> None:
    truth, runs = collection(6)
    some = {query: {"d0": its["d0"]} for query, its in truth.items()}
    for measure in ("nDCG@10", "AP", "RR"):
        with pytest.raises(carob.DataError, match="not a sum over documents: without a judge's grades"):
            carob.next_judgments(some, runs, measure, budget=5)
        assert carob.next_judgments(some, runs, measure, budget=5, order="depth").chosen
    assert carob.next_judgments(some, runs, budget=5).measure == "DCG@10"


def test_means_of_measures_that_are_no_sums_have_no_interval(tmp_path) -> None:
    truth, runs = collection(6)
    drawn = carob.next_judgments(None, runs, budget=40, judge=truth)
    sample: dict[str, dict[str, tuple[int, float]]] = {}
    for number, each in enumerate(drawn.chosen):
        grade = number % 2 if number % 3 else truth[each.query].get(each.document, 0)
        sample.setdefault(each.query, {})[each.document] = (grade, each.probability)
    found = carob.compare(sample, runs, ["nDCG@10", "DCG@10"], judge=truth)
    assert np.isnan(found["nDCG@10"].low).all()
    assert not np.isnan(found["DCG@10"].low).any()
    assert "means from sampled documents have no interval" in " ".join(str(found).split())


def test_a_file_without_probabilities_is_read_as_qrels(tmp_path) -> None:
    truth, runs = collection(6)
    some = {query: {"d0": its["d0"]} for query, its in truth.items()}
    found = carob.next_judgments(some, runs, "P@10", budget=5, order="certain")
    path = tmp_path / "next.csv"
    found.save(str(path))
    path.write_text(path.read_text().replace(",\n", ",2\n"))
    assert len(list(carob.Qrels.of(str(path)).rows())) == 5


def test_without_a_judge_the_judgments_so_far_take_its_place(tmp_path, capfd) -> None:
    judged = (COFFEE / "people.txt").read_text().splitlines(keepends=True)
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("".join(judged[::3]))
    main(["next", str(qrels), *RUNS, "-m", "DCG@10", "--budget", "100", "-o", str(tmp_path / "next.csv")])
    grades = {(query, document): grade for query, _, document, grade in map(str.split, judged)}
    lines = (tmp_path / "next.csv").read_text().splitlines()
    filled = [lines[0]]
    for line in lines[1:]:
        query, document, _, probability, size = line.split(",")
        filled.append(f"{query},{document},{grades[query, document]},{probability},{size}")
    (tmp_path / "judged.csv").write_text("\n".join(filled) + "\n")
    capfd.readouterr()
    people = str(tmp_path / "judged.csv")
    main(["compare", "--people", people, "--judge", str(qrels), *RUNS, "-m", "DCG@10", "--format", "json"])
    found = json.loads(capfd.readouterr().out)
    complete = carob.evaluate(str(COFFEE / "people.txt"), RUNS, "DCG@10")
    contest = found["contests"]["DCG@10"]
    for place, run in enumerate(complete.runs):
        low, high = contest["low"][place], contest["high"][place]
        assert abs(run["DCG@10"] - contest["means"][place]) < 1.5 * (high - low)
        assert high - low < 3


def test_a_sample_that_is_worse_than_the_judgments_of_whole_queries_is_said(
    capsys: pytest.CaptureFixture[str],
) -> None:
    people, judge, complete = (str(COFFEE / name) for name in ("people.txt", "model.txt", "complete.txt"))
    found = carob.next_judgments(people, RUNS, "DCG@10", judge=judge, budget=30)
    compared = carob.compare(people, RUNS, "DCG@10", judge=judge)
    widths = [pair.high - pair.low for pair in compared.primary.pairs]
    assert found.present == pytest.approx(math.sqrt(np.mean(np.square(widths))))
    assert found.present < found.width
    assert f"already give a width of {found.present:.4f}" in str(found)
    assert "unjudged queries ignored" not in str(found)
    assert "all of them judged" not in str(found)
    assert found.as_dict()["present_width"] == found.present
    main(["next", "--people", people, "--judge", judge, *RUNS, "--budget", "30", "--format", "csv"])
    assert "already give a width" in capsys.readouterr().err
    # A few documents of each query are no design of whole queries.
    table = carob.Qrels.of(complete).table
    few = {query: dict([*its.items()][:2]) for query, its in table.items()}
    assert math.isnan(carob.next_judgments(few, RUNS, "DCG@10", judge=judge, budget=30).present)
    # Enough documents narrow it.
    assert "already give" not in str(carob.next_judgments(people, RUNS, "DCG@10", judge=judge, budget=600))
