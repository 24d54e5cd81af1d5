"""What correlations say and write: their first line, formats, figures, and titles of pages."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import pytest

import carob
from judges.boards import MODEL, QRELS, SYSTEMS, nested

if TYPE_CHECKING:
    from pathlib import Path


def test_each_format_has_every_judge(tmp_path: Path) -> None:
    found = carob.correlate(QRELS, {"model": MODEL, "same <b>": QRELS}, SYSTEMS, "AP")
    for text in (
        str(found),
        found.to_markdown(),
        found.to_latex(),
        found.to_html(),
        found.to_json(),
        found.to_csv(),
    ):
        assert "model" in text
        assert "kendall" in text
    assert max(map(len, str(found).splitlines())) <= 80
    assert "<b>AP" not in found.to_html()
    rows = json.loads(found.to_json())["judges"]
    assert rows[0]["coefficients"][0]["value"] == found.rows[0]["kendall"].value
    assert len(found.to_csv().splitlines()) == 1 + 2 * 5
    frame = found.to_frame("pairs")
    assert {"judge", "fate", "better", "worse"} <= set(frame.columns)
    with pytest.raises(carob.DataError, match="no table"):
        found.to_frame("pear")


def test_figures_are_drawn() -> None:
    pytest.importorskip("matplotlib", reason="draws the figure")
    found = carob.correlate(QRELS, {"model": MODEL, "$same": QRELS}, SYSTEMS, "AP")
    for kind in ("correlations", "runs"):
        found.to_figure(kind).canvas.draw()
    with pytest.raises(carob.DataError, match="no figure"):
        found.to_figure("pies")


def constant(value: float) -> Any:
    """Scores of four runs that are all tied."""
    return carob.read_scores({run: {"AP": {f"q{q}": value for q in range(6)}} for run in "abcd"})


def test_nothing_is_defined_where_the_truth_ties_all_runs() -> None:
    names = ["kendall", "tau_ap", "tau_ap_b", "tau_gap", "tau_gap_by_name", "spearman", "pearson"]
    found = carob.correlate(constant(0.5), {"judge": nested("abcd", 0.02)}, coefficients=names)
    assert all(math.isnan(its) for each in found.rows[0].coefficients for its in (each.value, each.low))
    assert str(found).startswith("kendall is not defined: scores ties all runs.")
    judged = carob.correlate(nested("abcd", 0.02), {"judge": constant(0.5)})
    assert str(judged).startswith("kendall is not defined: the judge ties all runs.")
    assert judged.rows[0]["tau_ap"].value == pytest.approx(0)
    one = carob.correlate(nested("abcd", 0.02), {"judge": nested("abcd")}, coefficients="kendall@1")
    assert str(one).startswith("kendall@1 is not defined: it compares only one run.")


def test_pages_have_a_title() -> None:
    assert "<title>Correlations with " in carob.correlate(QRELS, {"model": MODEL}, SYSTEMS, "AP").to_html()
