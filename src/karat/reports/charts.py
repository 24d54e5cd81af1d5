"""The charts of a report in Vega-Lite, from ``templates/charts.json``. The page adds the data of the chosen pair.

All charts mark the chosen run (A) in blue, solid and round, the run that it is compared with (B) in orange, dashed and
square, and all others in grey: nothing depends on colour alone, and thirty runs need no legend. Colours are the page's
CSS variables, so that the dark theme redraws nothing. Runs are placed by row number and labelled from the data, because
a run may be called ``__proto__``, which every JavaScript object has already. A test holds the charts to Vega-Lite's
schema.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence


MOST_BARS = 400
"""Queries up to which each has its own bar; more are shown as a curve and a histogram."""
MOST_DOTS = 2500
"""Values up to which each has its own dot."""
MOST_LABELS = 12
"""Runs up to which charts have wide rows."""
ROW, DENSE_ROW, BOX_ROW = 26, 18, 32
"""Heights of a row in pixels."""


def template(name: str) -> str:
    """Returns the content of a file of ``templates/``."""
    return (files("karat.reports") / "templates" / name).read_text(encoding="utf-8")


def charts(runs: int, queries: int, curves: Sequence[tuple[str, str, str]]) -> dict[str, dict[str, Any]]:
    """Returns every chart of a page by name.

    Args:
        runs: the number of runs.
        queries: the number of queries.
        curves: for each curve, its name and the titles of its two axes.
    """
    drawn = json.loads(template("charts.json"))
    parts = drawn.pop("parts")
    few = "" if queries <= MOST_BARS else " of many queries"
    found = {name: drawn[name + few] for name in ("bars", "scatter")}
    found["forest"] = drawn["forest"] | {
        "height": (runs - 1) * (DENSE_ROW if runs - 1 > MOST_LABELS else ROW)
    }
    found["spread"] = drawn["spread"] | {"height": runs * (ROW if runs > MOST_LABELS else BOX_ROW)}
    if runs * queries > MOST_DOTS:
        found["spread"]["layer"].pop()
    for name, along, up in curves:
        x, y = parts["recall" if name == "recall" else "depth"], parts["value"]
        axes = {"along": titled(x, along), "value": titled(y, up)}
        found[name] = filled(drawn["curve"], parts | axes) | {"data": {"name": name}}
    shared = {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "width": "container",
        "config": "@config",
    }
    return {name: filled(shared | each, parts) for name, each in found.items()}


def titled(encoding: dict[str, Any], title: str) -> dict[str, Any]:
    """Returns a Vega-Lite encoding with this title on its axis."""
    return encoding | {"axis": encoding["axis"] | {"title": title}}


def filled(value: Any, parts: dict[str, Any]) -> Any:
    """Returns a chart with each reference, such as ``@color``, replaced by the part of that name."""
    if isinstance(value, dict):
        return {key: filled(each, parts) for key, each in value.items()}
    if isinstance(value, list):
        return [filled(each, parts) for each in value]
    return parts[value[1:]] if isinstance(value, str) and value.startswith("@") else value
