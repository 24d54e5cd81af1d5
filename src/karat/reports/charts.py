"""The charts of a report as Vega-Lite, without their data, which the page adds for the chosen pair.

One visual language: the run in question (A) is blue, solid and round, the run that it is compared with (B) orange,
dashed and square, all others grey; so nothing depends on colour alone, and thirty runs need no legend. Colours are the
page's own CSS variables, so the dark theme redraws nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["MOST_BARS", "MOST_DOTS", "charts"]

MOST_BARS = 400
"""Queries up to which each has its own bar; more are shown as a curve and a histogram."""
MOST_DOTS = 2500
"""Values up to which each has its own dot."""
MOST_LABELS = 12
"""Runs up to which charts have wide rows."""

INK, QUIET, LINE = "var(--ink)", "var(--quiet)", "var(--line)"
OTHERS = "var(--others)"
ROLES = ["a", "b", "other"]
COLOURS = ["var(--a)", "var(--b)", OTHERS]
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Noto Sans CJK SC', sans-serif"
ROW, DENSE_ROW = 26, 18
SQUARE = 290


def charts(runs: int, queries: int, curves: Sequence[tuple[str, str, str]]) -> dict[str, Any]:
    """Every chart of a page by name.

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
    return {name: finished(chart) for name, chart in drawn.items()}


def altair() -> Any:
    """The library, imported when a chart is made; untyped, since its types are slow to check."""
    import altair as alt

    return alt


def finished(chart: Any) -> dict[str, Any]:
    """The specification in the page's style, without the names that Altair numbers from chart to chart."""
    styled = (
        chart.configure(font=FONT, background="transparent", aria=False, padding=2)
        .configure_view(stroke=None)
        .configure_axis(
            domain=False,
            grid=False,
            gridColor=LINE,
            labelColor=QUIET,
            labelFontSize=12,
            labelOverlap=True,
            labelLimit=150,
            tickColor=LINE,
            tickSize=4,
            titleColor=QUIET,
            titleFontSize=12,
            titleFontWeight="normal",
        )
        .configure_text(font=FONT, fontSize=12, fill=INK)
    )
    spec: dict[str, Any] = styled.to_dict(validate=False)
    for layer in (spec, *spec.get("layer", ())):
        layer.pop("name", None)
    return {"width": "container", **spec}


def role(**scale: Any) -> Any:
    """The colour of a run's role."""
    alt = altair()

    return alt.Color("role:N", legend=None, scale=alt.Scale(domain=ROLES, range=COLOURS), **scale)


def shape() -> Any:
    """The shape of a run's role."""
    alt = altair()

    return alt.Shape(
        "role:N", legend=None, scale=alt.Scale(domain=ROLES, range=["circle", "square", "circle"])
    )


def told(*fields: str) -> list[Any]:
    """The tooltip of a mark: ``field``, or ``field=title`` for a number."""
    alt = altair()

    pairs = [field.partition("=") for field in fields]
    return [
        alt.Tooltip(f"{name}:Q", title=title, format="+.4f" if title.startswith("differ") else ".4f")
        if title
        else alt.Tooltip(f"{name}:N")
        for name, _, title in pairs
    ]


def axis(title: str | None = None, **more: Any) -> Any:
    """A quantitative axis with faint lines."""
    alt = altair()

    return alt.Axis(title=title, **{"grid": True, "tickCount": 5, **more})


def rows(data: str, field: str = "name", **axis: Any) -> Any:
    """Runs in rows: placed by row number, with names from the data.

    A name never places a mark: a run may be called ``__proto__``, which every object has already.
    """
    alt = altair()

    labels = {"labelExpr": f"data('{data}')[datum.value].{field}", "labelLimit": 200, "labelOverlap": False}
    looks = {"title": None, "ticks": False, "labelColor": INK, "labelPadding": 8}
    return alt.Y("row:O", sort=None, axis=alt.Axis(**{**looks, **labels, **axis}))


def forest(runs: int) -> Any:
    """The differences: every run's mean difference from the best run or the baseline, with both intervals."""
    alt = altair()

    named = rows("forest")
    y = alt.Y("row:O", sort=None, axis=None)
    base = alt.Chart(alt.NamedData("forest"))
    zero = base.mark_rule(stroke=INK, strokeWidth=1).encode(x=alt.datum(0))
    told_all = told(
        "run",
        "difference=difference",
        "low=from",
        "high=to",
        "joint_low=corrected from",
        "joint_high=corrected to",
    )
    joint = base.mark_rule(strokeWidth=1).encode(
        x=alt.X("joint_low:Q", axis=axis("difference", format="+.2~f")),
        x2="joint_high:Q",
        y=named,
        color=role(),
        tooltip=told_all,
    )
    whiskers = base.mark_rule(strokeWidth=4).encode(
        x="low:Q", x2="high:Q", y=y, color=role(), tooltip=told_all
    )
    filled = alt.Fill(
        "fill:N", legend=None, scale=alt.Scale(domain=[*ROLES, "open"], range=[*COLOURS, "var(--paper)"])
    )
    points = base.mark_point(size=80, opacity=1, strokeWidth=2).encode(
        x="difference:Q",
        y=rows("forest", "said", orient="right"),
        color=role(),
        fill=filled,
        shape=shape(),
        tooltip=told_all,
    )
    layers = alt.layer(zero, joint, whiskers, points).resolve_axis(y="independent")
    return layers.properties(height=runs * (DENSE_ROW if runs > MOST_LABELS else ROW))


def bars() -> Any:
    """The precision histogram: a bar for each query, from A's largest gain to its largest loss."""
    alt = altair()

    return (
        alt.Chart(alt.NamedData("bars"))
        .mark_bar(cursor="pointer")
        .encode(
            x=alt.X("place:O", axis=None, scale=alt.Scale(paddingInner=0.15, paddingOuter=0)),
            y=alt.Y("difference:Q", axis=axis("A − B", format="+.2~f")),
            color=role(),
            tooltip=told("query", "text", "a=A", "b=B", "difference=difference"),
        )
        .properties(height=220)
    )


def sorted_curve() -> Any:
    """The same for many queries: the differences in order, as an area."""
    alt = altair()

    return (
        alt.Chart(alt.NamedData("bars"))
        .mark_area(interpolate="step", line=False)
        .encode(
            x=alt.X(
                "share:Q",
                axis=alt.Axis(title="queries, from A's largest gain to its largest loss", format="~%"),
            ),
            y=alt.Y("difference:Q", axis=axis("A − B", format="+.2~f"), stack=None),
            color=role(),
        )
        .properties(height=220)
    )


def scatter() -> Any:
    """A against B, a dot for each query; above the line A is better."""
    alt = altair()

    base = alt.Chart(alt.NamedData("scatter"))
    # The line contains every value, so that both axes have the same ends; the chart is square.
    even = alt.Scale(zero=False, nice=True)
    line = base.mark_line(stroke=QUIET, strokeWidth=1, clip=True).encode(
        x=alt.X("even:Q", scale=even), y=alt.Y("even:Q", scale=even)
    )
    dots = base.mark_point(filled=True, size=42, opacity=0.85, cursor="pointer").encode(
        x=alt.X("b:Q", axis=axis(), scale=even),
        y=alt.Y("a:Q", axis=axis(), scale=even),
        color=role(),
        shape=shape(),
        tooltip=told("query", "text", "a=A", "b=B", "difference=difference"),
    )
    return (line + dots).properties(height=SQUARE, width=SQUARE)


def histogram() -> Any:
    """The histogram of differences, for many queries."""
    alt = altair()

    return (
        alt.Chart(alt.NamedData("scatter"))
        .mark_bar()
        .encode(
            x=alt.X("low:Q", axis=axis("A − B", format="+.2~f", grid=False)),
            x2="high:Q",
            y=alt.Y("count:Q", axis=axis("queries", format="~s")),
            y2=alt.datum(0),
            color=role(),
            tooltip=[
                alt.Tooltip("low:Q", title="from", format="+.3f"),
                alt.Tooltip("high:Q", title="to", format="+.3f"),
                alt.Tooltip("count:Q", title="queries", format=","),
            ],
        )
        .properties(height=220)
    )


def spread(runs: int, *, dots: bool) -> Any:
    """The spread of each run's values over queries: a box from quartile to quartile, and a dot for each query."""
    alt = altair()

    y = rows("boxes")
    boxes = alt.Chart(alt.NamedData("boxes"))
    five = told("run", "low=5 %", "lower=quartile", "middle=median", "upper=quartile ", "high=95 %")
    x = axis("value of a query")
    ends = boxes.mark_rule(strokeWidth=1.5).encode(
        x=alt.X("low:Q", axis=x), x2="high:Q", y=y, color=role(), tooltip=five
    )
    box = boxes.mark_bar(size=12, fill="var(--paper)", strokeWidth=1.5).encode(
        x="lower:Q", x2="upper:Q", y=y, stroke=stroke(), tooltip=five
    )
    middle = boxes.mark_tick(thickness=3, size=12).encode(x="middle:Q", y=y, color=role(), tooltip=five)
    layers = ends + box + middle
    if dots:
        spot = alt.Chart(alt.NamedData("dots")).mark_circle(size=14, opacity=0.55, cursor="pointer")
        layers = layers + spot.encode(
            x="value:Q",
            y=y,
            yOffset=alt.YOffset("off:Q", scale=alt.Scale(domain=[0, 1])),
            color=role(),
            tooltip=told("run", "query", "text", "value=value"),
        )
    return layers.properties(height=runs * (ROW if runs > MOST_LABELS else ROW + 6))


def stroke() -> Any:
    """The outline in the colour of a run's role."""
    alt = altair()

    return alt.Stroke("role:N", legend=None, scale=alt.Scale(domain=ROLES, range=COLOURS))


def curve(name: str, along: str, up: str) -> Any:
    """A line for each run; A's and B's with their names at the end."""
    alt = altair()

    scale: dict[str, Any] = {"scale": alt.Scale(nice=False)}
    if name != "recall":
        scale = {"scale": alt.Scale(type="log", base=10, nice=False)}
    ticks = {} if name == "recall" else {"values": [1, 2, 3, 5, 10, 20, 30, 50, 100], "format": "d"}
    base = alt.Chart(alt.NamedData(name))
    x = alt.X("at:Q", axis=axis(along, grid=False, **ticks), **scale)
    y = alt.Y("value:Q", axis=axis(up), scale=alt.Scale(zero=True))
    dash = alt.StrokeDash(
        "role:N", legend=None, scale=alt.Scale(domain=ROLES, range=[[1, 0], [6, 4], [1, 0]])
    )
    drawn = {"x": x, "y": y, "color": role(), "detail": "number:N", "order": "at:Q"}
    others = base.transform_filter("datum.role === 'other'").mark_line(strokeWidth=1).encode(**drawn)
    marked = base.transform_filter("datum.role !== 'other'")
    lines = marked.mark_line(strokeWidth=2.5).encode(strokeDash=dash, **drawn)
    dots = marked.mark_point(filled=True, size=34, opacity=1).encode(
        x=x, y=y, color=role(), shape=shape(), tooltip=told("run", "at", "value=value")
    )
    return (others + lines + dots).properties(height=230)
