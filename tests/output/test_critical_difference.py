"""The picture of mean ranks: the same places as text, LaTeX and SVG."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from carob.output.pictures.critical_difference import MOST_BARS, RankPicture, line

SVG = "{http://www.w3.org/2000/svg}"
TWO = RankPicture(["a", "b_<"], [1.0, 2.0], 2, 0.5, [(0, 1)])


def test_text_has_a_mark_at_each_rank_and_a_bar_for_each_group() -> None:
    assert TWO.text(40).splitlines() == [
        "CD 0.500         |---------|",
        "                 1                  2",
        "a         1.000  o                     |",
        "b_<       2.000                     o  |",
    ]
    assert [TWO.place(rank, 20) for rank in (1, 2)] == [0, 19]
    wide = max(map(len, TWO.text(200).splitlines()))
    assert wide == 17 + 48 + 3  # the axis has a greatest width


def test_svg_has_the_same_places_and_escaped_names() -> None:
    root = ET.fromstring(TWO.svg())
    assert root.get("aria-label") == "Mean ranks of 2 runs, critical difference 0.500"
    assert (root.get("width"), root.get("height")) == ("688", "114")
    assert [each.get("cx") for each in root.iter(f"{SVG}circle")] == ["230.0", "650.0"]
    words = [each.text for each in root.iter(f"{SVG}text")]
    assert words == ["CD 0.500", "1", "2", "a", "1.000", "b_<", "2.000"]
    first, *_, bar = root.iter(f"{SVG}line")
    assert (first.get("x1"), first.get("x2")) == ("230.0", "440.0")  # half of the axis
    assert (bar.get("x1"), bar.get("y1"), bar.get("y2"), bar.get("stroke-width")) == (
        "666.0",
        "64.0",
        "98.0",
        "3",
    )


def test_latex_has_the_same_places() -> None:
    written = TWO.latex()
    assert re.findall(r"\\put\(([\d.]+),([\d.]+)\)\{\\circle", written) == [("0.00", "8"), ("60.00", "4")]
    assert r"{b\_\textless{} (2.00)}" in written
    assert "\\put(63,8.5){\\line(0,-1){5}}" in written


def test_many_groups_are_not_drawn() -> None:
    groups = [(0, 1)] * (MOST_BARS + 1)
    full = RankPicture(TWO.names, TWO.ranks, 2, 0.5, groups[:-1])
    more = RankPicture(TWO.names, TWO.ranks, 2, 0.5, groups)
    assert [len(each.bars) for each in (full, more)] == [MOST_BARS, 0]
    bars = [each.text(80).splitlines()[2].count("|") for each in (full, more)]
    assert bars == [MOST_BARS, 0]


def test_a_line_has_its_ends_with_one_decimal() -> None:
    assert line(1, 2.25, 3, 4, 0.25) == (
        '<line x1="1.0" y1="2.2" x2="3.0" y2="4.0" stroke="currentColor" stroke-width="0.25"/>'
    )
