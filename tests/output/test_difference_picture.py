"""The picture of differences from one run: where its marks stand, and what is left out."""

from __future__ import annotations

import math
from xml.etree import ElementTree as ET

import pytest

from carob.output.pictures.difference_picture import DifferencePicture, Differences, ticks

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize(
    ("low", "high", "found"),
    [
        (-0.12, 0.31, [-0.1, 0.0, 0.1, 0.2, 0.3]),
        (0.0, 1.0, [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (-0.01, 0.01, [-0.01, 0.0, 0.01]),
        (-30.0, 5.0, [-30.0, -20.0, -10.0, 0.0]),
    ],
)
def test_ticks_are_round_numbers_between_the_ends(low: float, high: float, found: list[float]) -> None:
    assert ticks(low, high) == found


def test_marks_stand_at_their_values_on_an_axis_with_all_of_them() -> None:
    """The axis is from -.116 to .316, on 460 pixels from 200 on."""
    picture = DifferencePicture("From a.", [Differences("<b>", 0.1, -0.1, 0.3, (("one & two", 0.2),))])
    assert picture.span() == pytest.approx((-0.116, 0.316))
    root = ET.fromstring(picture.svg())
    assert (root.get("aria-label"), root.get("height")) == ("From a.", "80")
    (square,), (circle,) = root.iter(f"{SVG}rect"), root.iter(f"{SVG}circle")
    assert (square.get("x"), circle.get("cx")) == ("425.0", "536.5")
    assert [each.text for each in circle] == ["one & two: +0.2000"]
    *grid, interval = root.iter(f"{SVG}line")
    assert (interval.get("x1"), interval.get("x2"), interval.get("stroke-width")) == ("217.0", "643.0", "3")
    words = [each.text for each in root.iter(f"{SVG}text")]
    assert words == ["-0.10", "0.00", "+0.10", "+0.20", "+0.30", "<b>"]
    assert [each.get("stroke-width") for each in grid] == ["0.25", "1.2", "0.25", "0.25", "0.25"]


def test_what_is_undefined_has_no_mark() -> None:
    nan = math.nan
    picture = DifferencePicture("From a.", [Differences("b", nan, nan, nan, ())])
    assert picture.span() == (-0.01, 0.01)
    root = ET.fromstring(picture.svg())
    assert [len(list(root.iter(f"{SVG}{kind}"))) for kind in ("rect", "circle")] == [0, 0]
    assert "nan" not in picture.svg()
