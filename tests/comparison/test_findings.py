"""The runs and pairs of a comparison in the order of rank, their letters, and pairs whose runs change places."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import math
import re

import numpy as np
import pytest

import carob
from carob.comparison.findings import best_first, letter, turned
from comparison.matrices import scores


def test_letters_go_on_behind_z() -> None:
    assert [letter(each) for each in (0, 25, 26, 51, 52, 701, 702)] == [
        "a",
        "z",
        "aa",
        "az",
        "ba",
        "zz",
        "aaa",
    ]


def test_pairs_stand_in_the_order_of_rank_with_the_better_run_first() -> None:
    draw = np.random.default_rng(3).random(60)
    named = [scores(name, draw + add) for name, add in (("third", 0.0), ("first", 0.2), ("second", 0.1))]
    lines = carob.compare(None, named, test="t").to_text(100).splitlines()
    pairs = [line.split()[0] for line in lines if re.match("[abc]-[abc]  ", line)]
    assert pairs == ["a-b", "a-c", "b-c"]


@pytest.mark.parametrize("order", ["worse better", "better worse"])
@pytest.mark.parametrize("measure", ["AP", "E@10"])
def test_two_runs_face_alike_in_all_that_people_read_and_as_they_were_passed_in_data(
    order: str, measure: str
) -> None:
    draw = np.random.default_rng(3).random(60)
    sign = -1 if measure.startswith("E") else 1
    values = {"better": draw, "worse": draw - sign * np.linspace(0.05, 0.25, 60)}
    found = carob.compare(None, [scores(name, values[name], measure) for name in order.split()])
    (line,) = [each for each in found.to_text().splitlines() if each.startswith("a-b ")]
    assert re.match(rf"a-b  better - worse  \{'+-'[sign < 0]}0\.1500 ", line)
    assert " 60/0/0 " in line
    assert all("better - worse" in each for each in (found.to_markdown(), found.to_html()))
    latex = found.to_latex(pairs="all")
    assert "better - worse" in latex
    assert "worse - better" not in latex + found.to_text(worst=3) + found.to_html()
    if importlib.util.find_spec("matplotlib"):
        figures = found.to_figure("pairs"), found.to_figure("differences")
        assert [each.get_text() for each in figures[0].axes[0].get_yticklabels()] == ["better - worse"]
        assert figures[1].axes[0].get_ylabel() == f"{measure}: better - worse"
    first, second = order.split()
    (pair,) = json.loads(found.to_json())["contests"][measure]["pairs"]
    assert (pair["run"], pair["other"]) == (first, second)
    assert pair["difference"] == pytest.approx((0.15 if first == "better" else -0.15) * sign)
    (row,) = csv.DictReader(io.StringIO(found.to_csv()))
    assert (row["run"], row["other"], float(row["difference"])) == (first, second, pair["difference"])


@pytest.mark.parametrize("measure", ["AP", "GMAP"])
def test_a_turned_pair_is_that_of_the_runs_in_the_other_order(measure: str) -> None:
    draw = np.random.default_rng(7)
    one, two = (scores(name, 0.2 + 0.6 * draw.random(30), measure) for name in ("one", "two"))
    (pair,), (other,) = (
        carob.compare(None, its, test=carob.Test("t", rope=0.01, effects=True)).primary.pairs
        for its in ((one, two), (two, one))
    )
    found = vars(turned(pair, 1))
    assert (found.pop("a"), found.pop("b")) == (1, 0)
    assert found == pytest.approx({name: vars(other)[name] for name in found}, nan_ok=True)
    assert found["difference"] == -pair.difference != 0
    assert turned(pair, 0) is pair


def test_the_best_mean_comes_first_and_runs_without_one_or_with_fewer_collections_last() -> None:
    means = (0.25, math.nan, 0.75, 0.5)
    assert best_first(means, 1.0) == [2, 3, 0, 1]
    assert best_first(means, -1.0) == [0, 3, 2, 1]
    assert best_first(means, 1.0, (4, 4, 3, 4)) == [3, 0, 2, 1]
    assert best_first((0.5, 0.5), 1.0) == [0, 1]
