"""A prompt and a notebook show a result as its table, however many queries it holds, and escape what files name."""

from __future__ import annotations

from typing import Any

import pytest

import karat

HOSTILE = "<script>alert(1)</script>"


def made(queries: int, name: str = "one") -> dict[str, Any]:
    """A result of each kind over so many queries."""
    qrels = {f"q{number}": {"a": 1, "b": number % 2} for number in range(queries)}
    old = {query: {"a": 1.0, "b": 2.0} for query in qrels}
    new = {query: {"a": 2.0, "b": 1.0} for query in qrels}
    scores = karat.evaluate(qrels, new, ["AP", "RR"], name=name)
    return {
        "scores": scores,
        "scores of runs": karat.evaluate(qrels, {name: new, "old": old}, ["AP", "RR"]),
        "comparison": karat.compare(qrels, {name: new, "old": old}, ["AP", "RR"]),
        "contest": karat.compare(qrels, {name: new, "old": old}, "AP").primary,
        "check": karat.check(qrels, new),
        "curve": karat.curve(["P", "nDCG"], qrels, new, at=range(1, 200)),
        "agreement": karat.agreement(qrels, qrels),
        "difference": karat.difference("trec_eval-9", "sklearn", "AP", qrels, new),
        "gate": karat.gate(None, scores, scores, {"AP": 0.1}),
        "beyond": karat.beyond_accuracy({query: list(its) for query, its in new.items()}),
        "explanation": karat.explain("AP", qrels, new, query="q1"),
    }


def test_a_prompt_shows_a_few_lines_of_any_result() -> None:
    for kind, each in made(3000).items():
        assert len(repr(each)) < 6000, kind
        assert len(repr(each).splitlines()) <= 60, kind


def test_a_prompt_shows_the_table() -> None:
    results = made(4)
    assert repr(results["scores"]) == str(results["scores"])
    assert repr(results["comparison"]) == str(results["comparison"]).rstrip("\n")
    assert repr(results["curve"]).endswith("… 142 more lines: print() shows them")


def test_a_notebook_shows_tables_and_obeys_no_name() -> None:
    for kind, each in made(3, name=HOSTILE).items():
        if kind == "contest":
            continue
        shown = each._repr_html_()
        assert "<script" not in shown, kind
        assert "<pre>" in shown or "<table>" in shown, kind
    assert "&lt;script&gt;" in made(3, name=HOSTILE)["scores"]._repr_html_()
    assert "… 140 more rows" in made(3)["curve"]._repr_html_()


def test_scores_are_a_mapping_to_dict() -> None:
    results = made(3)
    assert dict(results["scores"]) == {"AP": 1.0, "RR": 1.0} == {**results["scores"]}
    assert list(results["scores"].items()) == [("AP", 1.0), ("RR", 1.0)]
    assert set(dict(results["curve"])) == {"P", "nDCG"}
    assert dict(results["beyond"]) == {label: results["beyond"][label] for label in results["beyond"]}


@pytest.mark.parametrize("meter", [karat.Meter(["RR"]), karat.Meter(["RR"], per_query=True)])
def test_a_meter_says_what_it_knows(meter: karat.Meter) -> None:
    np = pytest.importorskip("numpy")
    assert repr(meter) == "<karat.Meter: RR · 0 queries · policy ties input>"
    with pytest.raises(
        karat.DataError, match=r"There are no queries yet, so there is no mean: call update\(\)"
    ):
        meter.compute()
    meter.update(np.array([[0.9, 0.2]]), np.array([[0, 1]]), ids=["a"])
    assert repr(meter) == "<karat.Meter: RR 0.5000 · 1 query · policy ties input>"
