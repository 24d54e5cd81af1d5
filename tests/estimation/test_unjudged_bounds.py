"""Bounds over the grades of unjudged documents: brute force, hand-worked cases, laws, and what is refused."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import carob
from brute_force import case, misses
from carob import DataError, PolicyError
from carob.cli import main
from carob.estimation import fillings
from strategies import examples

BOTH = (
    "nDCG@5",
    "nDCG",
    "nDCG(gain=exp2)@3",
    "nCG@4",
    "P@5",
    "DCG@5",
    "CG@3",
    "RR",
    "RR@3",
    "Success@3",
    "R@5",
    "F@5",
    "RBP(rel=1)",
)
"""Measures whose rule is exact for runs and for pairs."""
RUNS = ("ERR@5", "AP", "AP@5", "Rprec")
"""Measures whose rule is exact for single runs."""


@pytest.mark.parametrize("name", BOTH)
def test_rules_find_the_bounds_of_brute_force(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fillings, "MOST_TRIED", 0)
    assert misses(name, 12) == (0, [12, 12, 12])


@pytest.mark.parametrize("name", RUNS)
def test_rules_for_single_runs_find_the_bounds_of_brute_force(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fillings, "MOST_TRIED", 0)
    wrong, exact = misses(name, 12)
    assert wrong == 0
    assert exact[:2] == [12, 12]
    assert exact[2] < 12


def test_runs_bound_their_differences() -> None:
    random = np.random.default_rng(9)
    for _ in range(20):
        each = case(random, 4)
        found = carob.unjudged_bounds(each.qrels, [each.first, each.second], "nDCG@5")["nDCG@5"]
        first, second = found.runs
        assert first.low - second.high - 1e-12 <= found.pairs[0, 1].low
        assert found.pairs[0, 1].high <= first.high - second.low + 1e-12


@pytest.mark.parametrize("name", ["Q", "Bpref", "AP", "ERR@5", "nDCG(ideal=uncut)@3"])
def test_without_a_rule_few_documents_are_tried_in_every_way(name: str) -> None:
    assert misses(name, 8, most_unjudged=3) == (0, [8, 8, 8])


@pytest.mark.thorough
@pytest.mark.parametrize("name", BOTH + RUNS)
def test_a_thousand_cases_have_no_miss(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fillings, "MOST_TRIED", 0)
    assert misses(name, examples(100), most_unjudged=5, seed=7)[0] == 0


def test_the_example_of_opensearch_407() -> None:
    # A grade-3 document was not judged: DCG@2 = 1 + 0; the ideal with it is 7 + 1 / log2(3).
    run = {"q": {"a": 3.0, "b": 2.0}}
    found = carob.unjudged_bounds({"q": {"a": 1}}, [run], "nDCG(gain=exp2)@2", max_grade=3)
    bounds = found["nDCG(gain=exp2)@2"].runs[0]
    assert bounds.high == 1.0
    assert bounds.low == pytest.approx((1 + 7 / math.log2(3)) / (7 + 1 / math.log2(3)), abs=1e-12)


def test_an_unseen_document_can_only_raise_the_ideal() -> None:
    # All retrieved documents are judged, and one of grade 3 was never retrieved: DCG@2 = 1, the ideal 7 + 1 / log2(3).
    run = {"q": {"a": 3.0, "b": 2.0}}
    name = "nDCG(gain=exp2)@2"
    found = carob.unjudged_bounds({"q": {"a": 1, "b": 0}}, [run], name, max_grade=3, unseen=1)
    assert found[name].runs[0].low == pytest.approx(1 / (7 + 1 / math.log2(3)), abs=1e-12)
    assert (found[name].runs[0].high, found[name].runs[0].exact) == (1.0, True)
    assert "and of 1 more for each query, which no run retrieves" in " ".join(str(found).split())
    for measure in ("P@2", "RR", "DCG@2"):
        same = carob.unjudged_bounds({"q": {"a": 1, "b": 0}}, [run], measure, max_grade=3, unseen=5)[measure]
        assert same.runs[0].low == same.runs[0].high
    with pytest.raises(DataError, match="at least 0"):
        carob.unjudged_bounds({"q": {"a": 1}}, [run], name, unseen=-1)


@pytest.mark.parametrize("measure", ["nDCG@5", "AP", "R@5", "ERR@5", "P@5"])
def test_unseen_documents_are_those_that_only_another_run_shows(measure: str) -> None:
    random = np.random.default_rng(11)
    for _ in range(10):
        each = case(random, 3)
        ghost = {query: {"unseen-1": 2.0, "unseen-2": 1.0} for query in each.qrels}
        shown = carob.unjudged_bounds(each.qrels, {"a": each.first, "ghost": ghost}, measure, max_grade=3)
        alone = carob.unjudged_bounds(each.qrels, {"a": each.first}, measure, max_grade=3, unseen=2)
        expected, found = shown[measure].runs[0], alone[measure].runs[0]
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_complete_judgments_leave_no_room() -> None:
    random = np.random.default_rng(3)
    each = case(random, 1)
    qrels = {"q": {f"d{place}": place % 3 for place in range(10)}}
    found = carob.unjudged_bounds(qrels, {"a": each.first, "b": each.second}, ["AP", "nDCG@5"])
    values = carob.evaluate(qrels, {"a": each.first, "b": each.second}, ["AP", "nDCG@5"])
    for label in ("AP", "nDCG@5"):
        one, two = values["a"][label], values["b"][label]
        assert found[label].runs[0][:2] == pytest.approx((one, one), abs=1e-12)
        assert found[label].pairs[0, 1][:2] == pytest.approx((one - two, one - two), abs=1e-12)
        assert found[label].unjudged == (0, 0)


def test_rbp_with_all_unjudged_documents_relevant_adds_the_residual() -> None:
    each = case(np.random.default_rng(11), 4)
    qrels = {"q": {document: min(grade, 1) for document, grade in each.qrels["q"].items()}}
    bounds = carob.unjudged_bounds(qrels, [each.first], "RBP(p=0.8,rel=1)")
    bounds = next(iter(bounds.measures.values())).runs[0]
    unjudged = [
        rank
        for rank, document in enumerate(sorted(each.first["q"], key=lambda d: -each.first["q"][d]))
        if document not in qrels["q"]
    ]
    assert bounds.high - bounds.low == pytest.approx(sum(0.2 * 0.8**rank for rank in unjudged), abs=1e-12)


def test_means_add_the_bounds_of_queries() -> None:
    random = np.random.default_rng(4)
    cases = [case(random, 3) for _ in range(6)]
    qrels = {f"q{n}": each.qrels["q"] for n, each in enumerate(cases)}
    run = {f"q{n}": each.first["q"] for n, each in enumerate(cases)}
    whole = carob.unjudged_bounds(qrels, [run], "nDCG@5", max_grade=3)["nDCG@5"].runs[0]
    parts = [
        carob.unjudged_bounds({"q": each.qrels["q"]}, [each.first], "nDCG@5", max_grade=3)["nDCG@5"].runs[0]
        for each in cases
    ]
    assert whole.low == pytest.approx(np.mean([each.low for each in parts]), abs=1e-12)
    assert whole.high == pytest.approx(np.mean([each.high for each in parts]), abs=1e-12)


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"policy": carob.Policy(ties="expected")}, PolicyError, "ties=expected"),
        ({"policy": carob.Policy(unjudged="removed")}, PolicyError, "unjudged=removed"),
        ({"measures": "GMAP"}, DataError, "GMAP is not a plain mean"),
        ({"max_grade": 1}, DataError, "the grade 2"),
    ],
)
def test_bounds_that_cannot_be_computed_are_refused(settings, error, words) -> None:
    with pytest.raises(error, match=words):
        carob.unjudged_bounds(
            {"q": {"a": 2}}, [{"q": {"a": 2.0, "b": 1.0}}], **{"measures": "RR", **settings}
        )


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\nq2 0 a 1\nq3 0 a 1\n")
    for name, order in (("one", "axb"), ("two", "yab")):
        lines = [
            f"q{query} Q0 {document} {rank} {9 - rank} {name}\n"
            for query in (1, 2, 3)
            for rank, document in enumerate(order, 1)
        ]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_command_eval_shows_bounds(folder, capfd) -> None:
    main(["eval", "qrels.txt", "one.run", "-m", "P@3", "--unjudged-bounds"])
    assert "one 6 of 9 0.3333–1.0000" in " ".join(capfd.readouterr().out.split())
    main(["eval", "qrels.txt", "one.run", "-m", "P@3", "--unjudged-bounds", "--format", "json"])
    found = json.loads(capfd.readouterr().out)
    run = found["unjudged_bounds"]["P@3"]["runs"][0]
    assert (run["unjudged"], run["shown"], run["low"], run["high"], run["exact"]) == (6, 9, 1 / 3, 1.0, True)
    main(["eval", "qrels.txt", "one.run", "-m", "P@3", "--unjudged-bounds", "--format", "markdown"])
    assert "0.3333–1.0000" in capfd.readouterr().out


def test_the_command_compare_says_which_differences_judgments_can_turn(folder, capfd) -> None:
    main(["compare", "qrels.txt", "one.run", "two.run", "-m", "RR", "--unjudged-bounds"])
    out = " ".join(capfd.readouterr().out.split())
    assert "one - two +0.0000–+0.5000" in out
    assert "can still reverse" not in out
    main(["compare", "qrels.txt", "one.run", "two.run", "-m", "DCG@3", "--unjudged-bounds"])
    out = " ".join(capfd.readouterr().out.split())
    assert "can still reverse 1 of 1 difference in DCG@3: one - two." in out
    options = ["--unjudged-bounds", "--max-grade", "3", "--format", "json"]
    main(["compare", "qrels.txt", "one.run", "two.run", "-m", "DCG@3", *options])
    pair = json.loads(capfd.readouterr().out)["unjudged_bounds"]["DCG@3"]["pairs"][0]
    assert pair["can_turn"] is True
    assert pair["exact"] is True
    # Only run one retrieves x, at rank 2, and only run two retrieves y, at rank 1. Both have b at rank 3.
    assert pair["low"] == pytest.approx((1 - 1 / math.log2(3)) - 3, abs=1e-12)
    assert pair["high"] == pytest.approx((1 - 1 / math.log2(3)) + 3 / math.log2(3), abs=1e-12)


@pytest.mark.usefixtures("report_libraries")
def test_the_page_shows_bounds(folder, capfd) -> None:
    main(["report", "qrels.txt", "one.run", "two.run", "-m", "DCG@3", "--unjudged-bounds", "-o", "page.html"])
    page = (folder / "page.html").read_text()
    assert "Bounds over unjudged documents" in page
    assert "Judgments of unjudged documents can still reverse" in page
    main(["report", "qrels.txt", "one.run", "two.run", "-m", "DCG@3", "-o", "page.html"])
    assert "Bounds over unjudged documents" not in (folder / "page.html").read_text()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("eval", "qrels.txt", "one.run", "--max-grade", "2"), "--max-grade needs --unjudged-bounds"),
        (("eval", "qrels.txt", "one.run", "--unjudged-bounds", "--format", "csv"), "has no table in csv"),
        (("compare", "qrels.txt", "one.run", "two.run", "--max-grade", "2"), "needs bounds"),
        (
            ("compare", "qrels.txt", "one.run", "two.run", "--unjudged-bounds", "-m", "GMAP"),
            "not a plain mean",
        ),
        (
            ("compare", "qrels.txt", "one.run", "two.run", "--unjudged-bounds", "--ties", "expected"),
            "ties=expected",
        ),
    ],
)
def test_the_commands_refuse_what_has_no_bounds(folder, capfd, words, sentence) -> None:
    with pytest.raises(SystemExit):
        main(list(words))
    assert sentence in " ".join(capfd.readouterr().err.split())


def test_a_highest_grade_of_which_not_all_below_can_be_tried_is_one_sentence() -> None:
    with pytest.raises(carob.DataError, match=r"any whole grade up to 1e\+308, but the highest accepted"):
        carob.unjudged_bounds({"q": {"a": 1}}, {"run": {"q": {"b": 1.0}}}, "P@1", max_grade=1e308)
