"""Bounds over the grades of unjudged documents: an example, complete judgments, the commands and the page."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import carob
from brute_force import case
from carob import DataError
from carob.cli import main


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
        (
            ("eval", "qrels.txt", "one.run", "--unjudged-bounds", "--format", "csv"),
            "cannot be shown in the format csv",
        ),
        (("compare", "qrels.txt", "one.run", "two.run", "--max-grade", "2"), "only affects bounds"),
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
