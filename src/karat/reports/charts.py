"""The charts of a report as Vega-Lite: differences, forest, spread and curves. The page adds the pair's data.

All charts mark the run in question (A) in blue, solid and round, the run that it is compared with (B) in orange, dashed
and square, and all others in grey: nothing depends on colour alone, and thirty runs need no legend. Colours are the
page's CSS variables, so the dark theme redraws nothing. A test holds the charts to Vega-Lite's schema.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["MOST_BARS", "MOST_DOTS", "charts"]

Spec: TypeAlias = "dict[str, Any]"

MOST_BARS = 400
"""Queries up to which each has its own bar; more are shown as a curve and a histogram."""
MOST_DOTS = 2500
"""Values up to which each has its own dot."""
MOST_LABELS = 12
"""Runs up to which charts have wide rows."""

INK, QUIET, LINE, PAPER = "var(--ink)", "var(--quiet)", "var(--line)", "var(--paper)"
ROLES, COLOURS = ["a", "b", "other"], ["var(--a)", "var(--b)", "var(--others)"]
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Noto Sans CJK SC', sans-serif"
ROW, DENSE_ROW = 26, 18
SQUARE = 290


def charts(runs: int, queries: int, curves: Sequence[tuple[str, str, str]]) -> dict[str, Spec]:
    """Returns every chart of a page by name.

    Args:
        runs: the number of runs.
        queries: the number of queries.
        curves: for each curve, its name and the titles of its two axes.
    """
    drawn = {"forest": forest(runs - 1), "spread": spread(runs, dots=runs * queries <= MOST_DOTS)}
    drawn |= (
        {"bars": bars(), "scatter": scatter()}
        if queries <= MOST_BARS
        else {"bars": sorted_curve(), "scatter": histogram()}
    )
    drawn |= {name: curve(name, along, up) for name, along, up in curves}
    schema = {"$schema": "https://vega.github.io/schema/vega-lite/v6.json"}
    return {
        name: {**schema, "width": "container", "config": config(), **each} for name, each in drawn.items()
    }


def config() -> Spec:
    """Returns the style that all charts share."""
    axis = {"domain": False, "grid": False, "gridColor": LINE, "labelColor": QUIET, "labelFontSize": 12}
    axis |= {"labelLimit": 150, "labelOverlap": True, "tickColor": LINE, "tickSize": 4}
    axis |= {"titleColor": QUIET, "titleFontSize": 12, "titleFontWeight": "normal"}
    text = {"fill": INK, "font": FONT, "fontSize": 12}
    whole = {"background": "transparent", "font": FONT, "padding": 2, "aria": False}
    return {**whole, "view": {"stroke": None}, "axis": axis, "text": text}


# ---------------------------------------------------------------- parts of charts


def layer(mark: Spec, **encoding: Any) -> Spec:
    """Returns a mark with its encoding."""
    return {"mark": mark, "encoding": encoding}


def named(data: str) -> Spec:
    """Returns the reference to data that the page's script provides."""
    return {"data": {"name": data}}


def amount(field: str, **more: Any) -> Spec:
    """Returns a quantitative field."""
    return {"field": field, "type": "quantitative", **more}


def role(values: list[Any] = COLOURS) -> Spec:
    """Returns the encoding of a property, by default the colour, by the run's role."""
    scale = {"domain": ROLES, "range": values}
    return {"field": "role", "type": "nominal", "legend": None, "scale": scale}


def shape() -> Spec:
    """Returns the shape of a point by its run's role."""
    return role(["circle", "square", "circle"])


def tooltip(*fields: str) -> list[Spec]:
    """Returns the tooltip of a mark: ``field`` for text, ``field=title`` for a number."""
    parts = [field.partition("=") for field in fields]
    return [
        amount(name, title=title, format="+.4f" if title == "difference" else ".4f")
        if title
        else {"field": name, "type": "nominal"}
        for name, _, title in parts
    ]


def axis(title: str | None = None, **more: Any) -> Spec:
    """Returns a quantitative axis with faint lines."""
    return {"title": title, "grid": True, "tickCount": 5, **more}


def rows(data: str, label: str = "name", **more: Any) -> Spec:
    """Runs in rows: placed by row number, with labels from the data.

    A name never places a mark: a run may be called ``__proto__``, which every object has already.
    """
    labels = {"labelExpr": f"data('{data}')[datum.value].{label}", "labelLimit": 200, "labelOverlap": False}
    looks = {"title": None, "ticks": False, "labelColor": INK, "labelPadding": 8}
    return {"field": "row", "type": "ordinal", "sort": None, "axis": {**looks, **labels, **more}}


# ---------------------------------------------------------------- charts


def forest(runs: int) -> Spec:
    """Returns the forest plot: every run's mean difference from the best run or the baseline, with both intervals."""
    known = tooltip(
        "run",
        "difference=difference",
        "low=from",
        "high=to",
        "joint_low=corrected from",
        "joint_high=corrected to",
    )
    looks = {"color": role(), "tooltip": known}
    fill = role() | {"field": "fill", "scale": {"domain": [*ROLES, "open"], "range": [*COLOURS, PAPER]}}
    x = amount("joint_low", axis=axis("difference", format="+.2~f"))
    y = {**rows("forest"), "axis": None}
    layers = [
        layer({"type": "rule", "stroke": INK, "strokeWidth": 1}, x={"datum": 0}),
        layer({"type": "rule", "strokeWidth": 1}, x=x, x2={"field": "joint_high"}, y=rows("forest"), **looks),
        layer({"type": "rule", "strokeWidth": 4}, x=amount("low"), x2={"field": "high"}, y=y, **looks),
        layer(
            {"type": "point", "size": 80, "opacity": 1, "strokeWidth": 2},
            x=amount("difference"),
            y=rows("forest", "said", orient="right"),
            fill=fill,
            shape=shape(),
            **looks,
        ),
    ]
    height = runs * (DENSE_ROW if runs > MOST_LABELS else ROW)
    return {**named("forest"), "layer": layers, "resolve": {"axis": {"y": "independent"}}, "height": height}


def bars() -> Spec:
    """Returns the differences: a bar for each query, from A's largest gain to its largest loss."""
    place = {"field": "place", "type": "ordinal", "axis": None}
    drawn = layer(
        {"type": "bar", "cursor": "pointer"},
        x=place | {"scale": {"paddingInner": 0.15, "paddingOuter": 0}},
        y=amount("difference", axis=axis("A − B", format="+.2~f")),
        color=role(),
        tooltip=tooltip("query", "text", "a=A", "b=B", "difference=difference"),
    )
    return {**named("bars"), **drawn, "height": 220}


def sorted_curve() -> Spec:
    """Returns the differences of many queries: an area, from A's largest gain to its largest loss."""
    along = {"title": "queries, from A's largest gain to its largest loss", "format": "~%"}
    drawn = layer(
        {"type": "area", "interpolate": "step", "line": False},
        x=amount("share", axis=along),
        y=amount("difference", axis=axis("A − B", format="+.2~f"), stack=None),
        color=role(),
    )
    return {**named("bars"), **drawn, "height": 220}


def scatter() -> Spec:
    """Returns the values of A against those of B: a dot for each query. A is better above the line."""
    # The line contains every value, so that both axes have the same ends; the chart is square.
    even = {"zero": False, "nice": True}
    diagonal = {"type": "line", "stroke": QUIET, "strokeWidth": 1, "clip": True}
    line = layer(diagonal, x=amount("even", scale=even), y=amount("even", scale=even))
    dots = layer(
        {"type": "point", "filled": True, "size": 42, "opacity": 0.85, "cursor": "pointer"},
        x=amount("b", axis=axis(), scale=even),
        y=amount("a", axis=axis(), scale=even),
        color=role(),
        shape=shape(),
        tooltip=tooltip("query", "text", "a=A", "b=B", "difference=difference"),
    )
    return {**named("scatter"), "layer": [line, dots], "height": SQUARE, "width": SQUARE}


def histogram() -> Spec:
    """Returns the histogram of differences, for many queries."""
    drawn = layer(
        {"type": "bar"},
        x=amount("low", axis=axis("A − B", format="+.2~f", grid=False)),
        x2={"field": "high"},
        y=amount("count", axis=axis("queries", format="~s")),
        y2={"datum": 0},
        color=role(),
        tooltip=[
            amount("low", title="from", format="+.3f"),
            amount("high", title="to", format="+.3f"),
            amount("count", title="queries", format=","),
        ],
    )
    return {**named("scatter"), **drawn, "height": 220}


def spread(runs: int, *, dots: bool) -> Spec:
    """The spread of each run's values over queries: a box from quartile to quartile, and a dot for each query."""
    five = tooltip("run", "low=5 %", "lower=quartile", "middle=median", "upper=quartile ", "high=95 %")
    shared = {"y": rows("boxes"), "tooltip": five}
    box = {"type": "bar", "size": 12, "fill": PAPER, "strokeWidth": 1.5}
    low = amount("low", axis=axis("value of a query"))
    layers = [
        layer({"type": "rule", "strokeWidth": 1.5}, x=low, x2={"field": "high"}, color=role(), **shared),
        layer(box, x=amount("lower"), x2={"field": "upper"}, stroke=role(), **shared),
        layer({"type": "tick", "thickness": 3, "size": 12}, x=amount("middle"), color=role(), **shared),
    ]
    if dots:
        spot = layer(
            {"type": "circle", "size": 14, "opacity": 0.55, "cursor": "pointer"},
            x=amount("value"),
            y=rows("boxes"),
            yOffset=amount("off", scale={"domain": [0, 1]}),
            color=role(),
            tooltip=tooltip("run", "query", "text", "value=value"),
        )
        layers.append({**named("dots"), **spot})
    return {**named("boxes"), "layer": layers, "height": runs * (ROW if runs > MOST_LABELS else ROW + 6)}


def curve(name: str, along: str, up: str) -> Spec:
    """Returns a line for each run; A's and B's with points."""
    by_depth = name != "recall"
    ticks = {"values": [1, 2, 3, 5, 10, 20, 30, 50, 100], "format": "d"} if by_depth else {}
    scale = {"type": "log", "base": 10, "nice": False} if by_depth else {"nice": False}
    shared = {
        "x": amount("at", axis=axis(along, grid=False, **ticks), scale=scale),
        "y": amount("value", axis=axis(up), scale={"zero": True}),
        "color": role(),
    }
    line = {**shared, "detail": {"field": "number", "type": "nominal"}, "order": amount("at")}
    dash = role([[1, 0], [6, 4], [1, 0]])
    point = {"shape": shape(), "tooltip": tooltip("run", "at", "value=value")}
    others = {"transform": [{"filter": "datum.role === 'other'"}]}
    marked = {"transform": [{"filter": "datum.role !== 'other'"}]}
    layers = [
        {**layer({"type": "line", "strokeWidth": 1}, **line), **others},
        {**layer({"type": "line", "strokeWidth": 2.5}, strokeDash=dash, **line), **marked},
        {
            **layer({"type": "point", "filled": True, "size": 34, "opacity": 1}, **shared, **point),
            **marked,
        },
    ]
    return {**named(name), "layer": layers, "height": 230}
