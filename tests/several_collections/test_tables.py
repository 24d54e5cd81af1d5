"""A comparison on several collections as text and in every other format, with its picture."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import carob
from carob.output.errors import DataError
from several_collections.means import DEMSAR, KITCHEN, values, with_queries


def test_the_heading_counts_the_queries_if_they_are_known() -> None:
    data = with_queries(1, (3, 4), (0, 0.1))
    for found in (carob.compare_collections(data), carob.evaluate_collections(data)):
        assert found.heading() == "2 collections | 2 runs | 7 queries"
        assert "<title>2 runs on 2 collections</title>" in found.to_html()
    means = values([[0.1, 0.2], [0.3, 0.4]])
    for found in (carob.compare_collections(means), carob.evaluate_collections(means)):
        assert found.heading() == "2 collections | 2 runs"


def test_a_micro_mean_says_which_error_it_has() -> None:
    given = with_queries(8, (10, 20, 30), (0.0, 0.1))
    for target, said in (
        ("similar", "cluster-robust (CR2)"),
        ("these", "weighted by its share of the queries"),
    ):
        micro = carob.compare_collections(given, target=target, average="micro")
        assert said in " ".join(micro.method())
        assert said not in " ".join(carob.compare_collections(given, target=target).method())


def test_many_runs_are_not_all_named_in_the_first_lines() -> None:
    draw = np.random.default_rng(4)
    given = {f"c{n}": {f"run{m}": float(draw.random()) for m in range(30)} for n in range(6)}
    text = re.sub(r"\s+", " ", str(carob.compare_collections(given)))
    (groups,) = re.findall(r"Not separated: ([^.]*)\.", text)
    assert groups.endswith(" and 25 more")
    assert len(re.findall(r"run\d+", groups)) == 5


def test_the_text_fits_into_80_columns_and_names_every_collection() -> None:
    found = carob.compare_collections(KITCHEN, ["nDCG@5", "RR"], test=carob.Test(rope=0.02))
    text = str(found)
    assert max(map(len, text.splitlines())) <= 80
    for name in (*found.collections, *found.names, "CD", "P(better)", "macro mean", "Friedman"):
        assert name in text
    wide = carob.compare_collections(values(np.random.default_rng(1).uniform(0, 1, (56, 8))))
    assert max(map(len, str(wide).splitlines())) <= 80
    assert "c55" in str(wide)


@pytest.mark.parametrize(("resamples", "told"), [(39, True), (40, False)])
def test_too_few_resamples_for_percentiles_are_told(resamples: int, told: bool) -> None:
    given = values(np.random.default_rng(1).uniform(0, 1, (12, 3)))
    found = carob.compare_collections(given, test=carob.Test(interval="bootstrap", resamples=resamples))
    text = " ".join(str(found).split())
    assert f"({resamples} resamples, seed" in text
    assert ("! 39 resamples are too few for the percentiles of a 95% interval" in text) == told


def test_many_runs_are_shown_in_part_and_all_in_json() -> None:
    draw = np.random.default_rng(2)
    given = {f"c{row}": {f"run-{n:03}": float(draw.uniform()) for n in range(60)} for row in range(12)}
    found = carob.compare_collections(given)
    text = str(found)
    assert "40 more runs are compared and not shown (top=20)." in text
    assert "The best run against the next 10; pairs='all' and to_json() show all 1,770 pairs." in " ".join(
        text.split()
    )
    assert max(map(len, text.splitlines())) <= 80
    assert len(text.splitlines()) < 150
    content = json.loads(found.to_json())
    assert len(content["measures"]["value"]["pairs"]) == 60 * 59 // 2


def test_other_formats_hold_the_same_numbers() -> None:
    found = carob.compare_collections(values(DEMSAR))
    assert "\\begin{tabular}" in found.to_latex("tab:x", "A caption.")
    assert "\\caption{A caption.}\n\\label{tab:x}" in found.to_latex("tab:x", "A caption.")
    assert re.search(r"& 1--\d & ", found.to_latex())
    assert "[$-$0.0" in found.to_latex()
    assert "```\nCD 1.254" in found.to_markdown()
    assert "<svg" in found.to_html()
    assert found.to_svg().startswith("<svg")
    assert len(found.to_csv().splitlines()) == 7
    pytest.importorskip("pandas", reason="makes the frame")
    assert len(found.to_frame("collections", "pandas")) == 14 * 4
    assert found.to_frame("runs", "pandas")["mean_rank"].round(3).tolist() == [3.143, 2.0, 2.893, 1.964]
    with pytest.raises(DataError, match="no table 'cells'"):
        found.to_frame("cells")


def test_hostile_names_break_no_format() -> None:
    name = "<script>&\\%$_|\n\x1b[31m"
    found = carob.compare_collections({"<b>": {name: 0.1, "b": 0.2}, "|c|": {name: 0.3, "b": 0.1}})
    assert "<script" not in found.to_html()
    assert "<script" not in found.to_svg()
    assert "\x1b" not in str(found) + found.to_latex() + found.to_markdown()


@pytest.mark.parametrize(("alpha", "bars"), [(0.05, [1, 1, 1, 1]), (0.1, [1, 1, 2, 1])])
def test_the_bars_of_the_picture_join_runs_that_do_not_differ(alpha: float, bars: list[int]) -> None:
    # Demšar's mean ranks are 1.964, 2.000, 2.893 and 3.143, the critical differences 1.254 and 1.118.
    lines = str(carob.compare_collections(values(DEMSAR), test=carob.Test(alpha=alpha))).splitlines()
    start = next(row for row, line in enumerate(lines) if line.startswith("CD 1."))
    picture = lines[start + 2 : start + 6]
    assert [line.split()[:2] for line in picture] == [["1", "d"], ["2", "b"], ["3", "c"], ["4", "a"]]
    assert [line.count("|") for line in picture] == bars
    columns = [line.index("o") for line in picture]
    assert columns == sorted(columns)
