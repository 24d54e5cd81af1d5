"""Tuned weights: what they are worth on other queries, against the best list, and the file that keeps them."""

from __future__ import annotations

import json
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import carob
from carob.fusion.profiles import known_profiles
from carob.fusion.tune import weight_grid
from strategies import first
from toys import command

if TYPE_CHECKING:
    from pathlib import Path

FEW = carob.Resampling(folds=5, repeats=2)


def lists(quality: list[float], queries: int, seed: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Judgments, and runs whose scores follow the grades by a quality, with noise of their own."""
    random = np.random.default_rng(seed)
    grades = random.integers(0, 3, (queries, 20)) * (random.random((queries, 20)) < 0.3)
    qrels = {
        f"q{place}": {f"d{number:02d}": int(each) for number, each in enumerate(its)}
        for place, its in enumerate(grades)
    }
    runs = {
        f"run{place}": {
            query: {document: grade * level + float(random.normal()) for document, grade in its.items()}
            for query, its in qrels.items()
        }
        for place, level in enumerate(quality)
    }
    return qrels, runs


def test_the_grid_sums_to_one() -> None:
    for runs, count in ((2, 11), (3, 22), (4, 35), (7, 85), (12, 79)):
        grid = weight_grid(runs)
        assert grid.count((1 / runs,) * runs) == 1
        assert len(set(grid)) == len(grid) == count
        assert all(sum(each) == pytest.approx(1) for each in grid)


def test_each_mean_is_that_of_the_fused_run() -> None:
    qrels, runs = lists([1.0, 0.8], 12, 1)
    found = carob.tune_fusion(qrels, runs, "nDCG@5", "sum", resampling=FEW)
    for choice in found.curve:
        fused = carob.fuse(runs, "sum", weights=choice.weights)
        assert choice.mean == pytest.approx(carob.evaluate(qrels, fused, "nDCG@5")["nDCG@5"], abs=1e-12)
    assert found.apparent == max(each.mean for each in found.curve)
    assert sum(each.chosen for each in found.curve) == pytest.approx(1)
    assert found.weights == dict(zip(runs, found.recipe.weights, strict=True))
    each = [carob.evaluate(qrels, run, "nDCG@5")["nDCG@5"] for run in runs.values()]
    assert [its.mean for its in found.alone] == pytest.approx(each)
    assert found.best_list == pytest.approx(max(each))
    assert found.per_query_weights >= max(found.apparent, found.per_query_list - 1e-12)
    assert found.optimism.value == pytest.approx(found.apparent - found.held_out.value)


@pytest.mark.parametrize("method", ["rrf", "rrf(k=3)", "rbc", "borda", "sum", "mnz", "mean", "mixed"])
@pytest.mark.parametrize("profile", first([None, "ranx", "qdrant", "anserini", "llamaindex", "haystack"], 2))
@pytest.mark.parametrize("kind", ["files", "dicts"])
def test_every_setting_has_the_values_of_its_fused_run(
    tmp_path: Path, method: str, profile: str | None, kind: str
) -> None:
    if profile is not None and method.partition("(")[0] not in known_profiles()[profile].methods:
        pytest.skip("the profile does not have the method")
    qrels, runs = lists([1.0, 0.8, 0.5], 6, 7)
    for number, each in enumerate(runs.values()):  # equal scores, and documents and a query that a run lacks
        for query, its in each.items():
            each[query] = {name: round(score) for name, score in its.items() if hash_of(name) % 4 != number}
    del runs["run2"]["q5"]
    given: Any = runs
    if kind == "files":
        given = {name: str(tmp_path / name) for name in runs}
        for name, run in runs.items():
            rows = [(q, d, s) for q, its in run.items() for d, s in its.items()]
            (tmp_path / name).write_text("".join(f"{q} Q0 {d} 1 {s} t\n" for q, d, s in rows))
    for place, ties in enumerate(("trec", "ascending", "input")):
        policy = carob.Policy(ties=ties)
        options: dict[str, Any] = {"method": method, "profile": profile, "policy": policy}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = carob.tune_fusion(qrels, given, "nDCG@5", resampling=FEW, **options)
            for choice in found.curve[place::9]:  # each kind of ties has other weights
                fused = carob.fuse(given, weights=choice.weights, depth=5, **options)
                wanted = carob.evaluate(qrels, fused, "nDCG@5", policy=policy)["nDCG@5"]
                assert choice.mean == pytest.approx(wanted, abs=1e-12), choice.weights
            alone = [carob.evaluate(qrels, run, "nDCG@5", policy=policy)["nDCG@5"] for run in given.values()]
            if found.recipe.rules.ranks == "scores":
                assert [its.mean for its in found.alone] == pytest.approx(alone)


def test_the_table_of_many_weights_has_the_best_and_the_chosen() -> None:
    qrels, runs = lists([1.0, 0.8, 0.5, 0.4], 12, 3)
    found = carob.tune_fusion(qrels, runs, "nDCG@5", resampling=FEW)
    text = str(found)
    (table,) = (each for each in text.split("\n\n") if "share of folds" in each)
    means = [float(line.split()[4]) for line in table.splitlines()[1:]]
    assert means == sorted(means, reverse=True)
    assert means[0] == round(max(each.mean for each in found.curve), 4)
    assert (len(means), len(found.curve), len(found.to_csv("curve").splitlines())) == (22, 35, 36)
    assert table.splitlines()[1].endswith("chosen")
    assert "The table has the 22 best of 35 weights" in " ".join(text.split())


def hash_of(name: str) -> int:
    """A number of a document."""
    return int(name[1:]) * 7 // 3


def test_lists_with_errors_of_their_own_are_worth_fusing() -> None:
    qrels, runs = lists([0.9, 0.9], 150, 2)
    found = carob.tune_fusion(qrels, runs, "nDCG@10", "sum", resampling=FEW)
    assert found.gain.low > 0
    assert "fusing with tuned weights beats the best list on other queries" in str(found)


def test_the_best_of_each_query_is_that_of_single_lists_and_of_the_tried_weights() -> None:
    qrels, runs = lists([1.0, 1.0], 6, 1)
    text = " ".join(str(carob.tune_fusion(qrels, runs, resampling=FEW)).split())
    assert "not possible in practice: the best single list has" in text
    assert "the best of these 11 weights have" in text


def test_copies_of_one_list_show_no_gain() -> None:
    qrels, runs = lists([1.0], 20, 3)
    found = carob.tune_fusion(qrels, {"a": runs["run0"], "b": runs["run0"]}, "nDCG@10", resampling=FEW)
    assert (found.gain.value, found.optimism.value) == pytest.approx((0, 0), abs=1e-12)
    assert found.weights == {"a": 0.5, "b": 0.5}
    assert "no gain over the best list is shown" in str(found)


@pytest.mark.long
def test_lists_of_equal_worth_seldom_show_a_gain() -> None:
    """Both lists are the same, but for noise that is the same for every weight on average."""
    shown = 0
    for seed in range(40):
        qrels, runs = lists([1.0], 25, seed)
        random = np.random.default_rng(seed)
        other = {
            query: {document: score + float(random.normal(0, 1e-3)) for document, score in its.items()}
            for query, its in runs["run0"].items()
        }
        found = carob.tune_fusion(qrels, {"a": runs["run0"], "b": other}, "nDCG@10", resampling=FEW)
        shown += found.gain.low > 0
    assert shown <= 2


def test_relevant_documents_that_one_list_finds_alone_are_counted() -> None:
    qrels = {f"q{place}": {"a": 1, "b": 1, "c": 2, "d": 0} for place in range(4)}
    one = {query: {"a": 2.0, "b": 1.0} for query in qrels}
    two = {query: {"c": 3.0, "d": 2.0, "a": 1.0} for query in qrels}
    found = carob.tune_fusion(qrels, {"one": one, "two": two}, "nDCG@10", resampling=FEW)
    assert [(each.relevant, each.only) for each in found.alone] == [(8, 4), (8, 4)]


def test_a_measure_of_which_less_is_better_is_made_small() -> None:
    qrels, runs = lists([1.5, 0.1], 10, 4)
    found = carob.tune_fusion(qrels, runs, "LastRel", "sum", resampling=FEW)
    assert found.apparent == min(each.mean for each in found.curve)


@pytest.mark.parametrize(
    ("queries", "count", "options", "message"),
    [
        (2, 2, {}, "2 judged queries are too few: tuning needs at least 3"),
        (5, 13, {}, "13 runs have too many combinations of weights to try"),
        (5, 2, {"method": "max"}, "max does not support weights"),
    ],
)
def test_what_cannot_be_tuned_is_refused(
    queries: int, count: int, options: dict[str, Any], message: str
) -> None:
    qrels, runs = lists([1.0] * count, queries, 5)
    with pytest.raises(carob.CarobError, match=message):
        carob.tune_fusion(qrels, runs, **options)


def test_the_command_writes_weights_that_the_command_reads(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    qrels, runs = lists([1.0, 0.7], 8, 6)
    paths: list[str] = []
    for name, run in runs.items():
        paths.append(str(tmp_path / f"{name}.run"))
        carob.fuse({"one": run, "same": run}, "sum", "none", name=name).save(paths[-1])
    judged = tmp_path / "qrels.txt"
    judged.write_text("".join(f"{q} 0 {d} {g}\n" for q, its in qrels.items() for d, g in its.items()))
    saved = tmp_path / "weights.json"
    asked = ["--tune", "nDCG@10", "--qrels", str(judged), "--save-weights", str(saved)]
    assert command("fuse", *paths, *asked) == 0
    assert "list alone" in capsys.readouterr().out
    weights = json.loads(saved.read_text())["weights"]
    assert weights.keys() == runs.keys()
    fused = tmp_path / "fused.run"
    assert command("fuse", *paths, "--weights", str(saved), "-o", str(fused)) == 0
    assert fused.read_bytes() == carob.fuse(dict(zip(runs, paths, strict=True)), weights=weights).text


def test_what_an_evaluation_says_of_the_queries_is_told() -> None:
    qrels = {f"q{place}": {"a": 1} for place in range(8)}
    one = {f"q{place}": {"a": 1.0, "b": 1.0} for place in range(5)}
    two = {**one, "q5": {"a": 2.0}, "other": {"a": 1.0}}
    with pytest.warns(carob.DataWarning, match="Run one has no documents"):
        found = carob.tune_fusion(qrels, {"one": one, "two": two}, "RR", resampling=FEW)
    said = " ".join(found.footers)
    assert "8 queries · 2 missing queries counted as 0" in said
    assert "one: 8 queries · 3 missing queries counted as 0" in said
    assert "ignored" in said
    assert all(line in found.to_text(10**6) for line in found.footers)
    assert found.contents()["footers"] == found.footers
