"""Figures of matplotlib: what is drawn of rows and points, and what cannot be drawn."""

from __future__ import annotations

import math
import sys

import pytest

from carob.output.errors import DataError
from carob.output.pictures.figures import (
    MOST_NAMED,
    canvas,
    curves,
    figure_of,
    image,
    panels,
    spread_apart,
    whiskers,
)


@pytest.fixture
def matplotlib() -> None:
    pytest.importorskip("matplotlib", reason="figures need matplotlib")


@pytest.mark.parametrize(
    ("heights", "moved"),
    [
        ([1.0, 0.5, 0.0], [1.0, 0.5, 0.0]),
        ([1.0, 1.0, 0.0, 0.0], [1.0, 0.75, 0.25, 0.0]),
        ([0.5, 0.5, 0.5], [0.5, 0.25, 0.0]),
        ([0.25, 0.25, 0.25], [0.5, 0.25, 0.0]),
        ([], []),
    ],
)
def test_heights_are_moved_apart_as_little_as_needed(heights: list[float], moved: list[float]) -> None:
    assert spread_apart(heights, 0.25) == moved


def test_a_figure_that_there_is_not_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    draws = {"pairs": lambda drawn: (1.0, 1.0), "ranks": lambda drawn: (2.0, 2.0)}
    for given, kind, said in (
        ({}, None, "This result has no figure: use to_frame() or to_html()."),
        (draws, "pair", "There is no figure 'pair'. Did you mean pairs?"),
        (draws, "xyz", "There is no figure 'xyz'. The choices are pairs, ranks."),
    ):
        with pytest.raises(DataError) as refused:
            figure_of(given, kind)
        assert str(refused.value) == said
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(DataError) as refused:
        figure_of(draws)
    assert str(refused.value) == "Figures need matplotlib: pip install 'carob[plots]'."


@pytest.mark.usefixtures("matplotlib")
def test_a_row_has_a_solid_dot_where_its_interval_excludes_zero() -> None:
    rows = [("a$b", 0.5, 0.25, 0.75), ("c", 0.5, -0.25, 1.0), ("d", -0.5, math.nan, math.inf)]
    drawn = canvas()
    assert whiskers(drawn, rows, "difference", zero=True) == (6.0, 0.9 + 0.32 * 3)
    (axes,) = drawn.axes
    dots = [each for each in axes.lines if each.get_marker() == "o"]
    assert [each.get_xdata()[0] for each in dots] == [0.5, 0.5, -0.5]
    assert [each.get_markerfacecolor() for each in dots] == ["black", "white", "white"]
    assert [each.get_text() for each in axes.get_yticklabels()] == [r"a\$b", "c", "d"]
    assert axes.get_ylim()[0] > axes.get_ylim()[1]  # the first row is on top
    plain = canvas()
    whiskers(plain, rows, "mean")
    faces = [each.get_markerfacecolor() for each in plain.axes[0].lines if each.get_marker() == "o"]
    assert faces == ["black"] * 3


@pytest.mark.usefixtures("matplotlib")
def test_equal_figures_are_equal_files_of_the_named_format() -> None:
    for ending, start in ((".svg", b"<?xml"), (".pdf", b"%PDF"), (".png", b"\x89PNG")):
        one, other = (
            image(figure_of({"k": lambda drawn: curves(drawn, {"AP": ([1, 2], [0.5, 0.25])}, "k")}), ending)
            for _ in range(2)
        )
        assert one == other
        assert one.startswith(start)


@pytest.mark.usefixtures("matplotlib")
@pytest.mark.parametrize(("points", "named"), [(MOST_NAMED, MOST_NAMED), (MOST_NAMED + 1, 0)])
def test_a_panel_names_its_points_unless_they_are_too_many(points: int, named: int) -> None:
    values, names = [each / 8 for each in range(points)], [f"run {each}" for each in range(points)]
    drawn = canvas()
    assert panels(drawn, [("x", values, "y", values, names)] * 2) == (10.8, 4.4)
    for axes in drawn.axes:
        assert len(axes.texts) == named
        assert [each.get_text() for each in axes.texts] == names[::-1][:named]  # from the highest down
