"""The values of records over time, and the step where they fell."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from scipy import stats

import carob
from carob.testing.history import History, history

if TYPE_CHECKING:
    from pathlib import Path

QRELS = {f"q{place}": {"a": 1} for place in range(20)}


def recorded(folder: Path, name: str, ranks: list[int], qrels: Any = QRELS) -> str:
    """The path of a record, in which the relevant document of each query has a rank."""
    run = {
        query: {("a" if place == rank else f"x{place}"): 9.0 - place for place in (1, 2, 3, 4)}
        for query, rank in zip(qrels, ranks, strict=False)
    }
    path = str(folder / f"{name}.json")
    carob.record(carob.evaluate(qrels, run, ["RR", "P@1"], name="run"), path)
    return path


RANKS = {"v1": [1, 2] * 10, "v2": [1, 1] * 10, "v3": [3, 2, 4, 3] * 5, "v4": [3, 2, 4, 2] * 5}


@pytest.fixture
def found(tmp_path: Path) -> History:
    """A history of four records, which rises, falls and rises a little."""
    return history({name: recorded(tmp_path, name, ranks) for name, ranks in RANKS.items()}, ["RR"])


def test_the_step_where_it_fell_is_named(found: History) -> None:
    fall = 1 - (1 / 3 + 1 / 2 + 1 / 4 + 1 / 3) / 4
    (said,) = found.said
    assert said.startswith(f"RR fell by {fall:.4f} at v3 (1.0000 to {1 - fall:.4f}), corrected p <0.001")
    assert found.as_dict()["fell"] == ["v3"]
    assert found.means["RR"] == pytest.approx([0.75, 1, 1 - fall, 1 - fall + (1 / 2 - 1 / 3) / 4])


def test_each_step_is_a_paired_t_test_corrected_for_the_number_of_steps(found: History) -> None:
    values = [[1 / rank for rank in ranks] for ranks in RANKS.values()]
    p = [stats.ttest_rel(one, other).pvalue for one, other in pairwise(values)]
    # Two steps have values that are equal in many queries, whose p is not below that of the t-test.
    assert all(step.p_uncorrected >= own * (1 - 1e-9) for step, own in zip(found.steps, p))
    order = sorted(range(3), key=lambda place: found.steps[place].p_uncorrected)
    least = 0.0
    for rank, place in enumerate(order):
        least = max(least, min(1.0, (3 - rank) * found.steps[place].p_uncorrected))
        assert found.steps[place].p_corrected == pytest.approx(least)
        assert found.steps[place].significant == (least < 0.05)


def test_a_fall_by_chance_and_no_fall_are_said(tmp_path: Path) -> None:
    one, other = recorded(tmp_path, "one", [1] * 20), recorded(tmp_path, "other", [1] * 19 + [2])
    (said,) = history({"one": one, "other": other}, ["RR"]).said
    assert said.startswith("RR did not fall significantly. The largest fall, 0.0250 at other (corrected p ")
    assert history({"other": other, "one": one}, ["RR"]).said == ["RR never fell."]


def test_steps_are_of_the_queries_that_both_have_and_changed_judgments_are_said(tmp_path: Path) -> None:
    more = QRELS | {"new": {"a": 1}}
    one, other = recorded(tmp_path, "one", [1] * 20), recorded(tmp_path, "other", [2] * 21, more)
    found = history({"one": one, "other": other})
    assert [each.queries for each in found.steps] == [20, 20]
    assert {each.measure for each in found.steps} == {"RR", "P@1"}
    assert any(each.startswith("one to other: ") for each in found.warnings)


def test_what_is_no_history_is_refused(tmp_path: Path) -> None:
    one = recorded(tmp_path, "one", [1] * 20)
    with pytest.raises(carob.DataError, match="A history needs at least two records"):
        history({"one": one})
    (tmp_path / "none.json").write_text("[]")
    with pytest.raises(
        carob.DataError, match=r"the file does not contain a record of per-query scores\. Pass a record\."
    ):
        history({"one": one, "none": str(tmp_path / "none.json")})
    runs = {name: {"q0": {"a": 1.0}} for name in ("x", "y")}
    carob.record(carob.evaluate(QRELS, runs, "RR"), tmp_path / "both.json")
    with pytest.raises(carob.DataError, match=r"has 2 runs \(x, y\): choose one of them with run=\."):
        history({"one": one, "both": str(tmp_path / "both.json")})
