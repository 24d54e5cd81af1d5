"""``--figure``: each command that has figures writes one, and says what it cannot draw before it computes anything."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from tests.toys import command

import carob

pytest.importorskip("matplotlib", reason="figures need matplotlib")

TEA = Path(__file__).parents[2] / "examples" / "tea"
QRELS, BM25, FEEDBACK, TITLES = (
    str(TEA / name) for name in ("qrels.txt", "runs/bm25.run", "runs/feedback.run", "runs/titles.run")
)
THREE = [QRELS, BM25, FEEDBACK, TITLES]
CALLS = {
    "compare": ["compare", *THREE, "-m", "nDCG@10"],
    "best": ["best", *THREE, "-m", "nDCG@10", "--resamples", "200"],
    "plan": ["plan", QRELS, BM25, FEEDBACK, "-m", "AP", "--difference", "0.05"],
    "curve": ["curve", QRELS, BM25, "--at", "1,2,3"],
    "agreement": ["agreement", QRELS, QRELS, "--resamples", "50"],
    "correlate": ["correlate", *THREE, "-m", "AP", "-m", "P@5", "--resamples", "50"],
    "gate": ["gate", QRELS, BM25, "--baseline", FEEDBACK, "--max-drop", "AP=0.1"],
}
STARTS = {".svg": b"<?xml", ".pdf": b"%PDF", ".png": b"\x89PNG"}


@pytest.mark.parametrize("name", sorted(CALLS))
def test_every_command_with_figures_writes_one(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    drawn = tmp_path / "figure.svg"
    command(*CALLS[name], "--figure", str(drawn))
    said = capsys.readouterr()
    assert drawn.read_bytes().startswith(STARTS[".svg"])
    assert f"{drawn}: figure" in said.err
    command(*CALLS[name])
    assert said.out == capsys.readouterr().out  # the answer is the same as without a figure


def test_each_figure_is_drawn(tmp_path: Path) -> None:
    kinds = {f"{kind}=": tmp_path / f"{kind}.svg" for kind in ("pairs", "differences")} | {
        "": tmp_path / "x.svg"
    }
    options = [word for kind, path in kinds.items() for word in ("--figure", f"{kind}{path}")]
    assert command(*CALLS["compare"], *options, "--pair", "bm25", "titles") == 0
    drawn = {kind: path.read_bytes() for kind, path in kinds.items()}
    assert drawn["differences="] == drawn[""] != drawn["pairs="]


@pytest.mark.parametrize("ending", sorted(STARTS))
def test_the_ending_names_the_format_and_equal_figures_are_equal_files(ending: str, tmp_path: Path) -> None:
    one, other = tmp_path / f"one{ending}", tmp_path / f"other{ending.upper()}"
    for each in (one, other):
        assert command(*CALLS["compare"], "--figure", str(each)) == 0
    assert one.read_bytes() == other.read_bytes()
    assert one.read_bytes().startswith(STARTS[ending])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--figure", "x.gif"], "is not one of .svg, .pdf, .png"),
        (["--figure", "figure"], "is not one of"),
        (["--figure", "x.svg", "--figure", "pairs=x.svg"], "'x.svg' is given twice"),
        (["--figure", "x.svg", "--figure", "pair=y.svg"], "There is no figure 'pair'"),
        (["--figure", "pair=x.svg"], "There is no figure 'pair'. Did you mean pairs?"),
        (["--figure", "x.svg", "--pair", "bm25", "title"], "No run is called 'title'. Did you mean titles?"),
        (["--figure", "x.svg", "--pair", "bm25", "bm25"], "bm25 and bm25 are not compared"),
        (["--figure", "pairs=x.svg", "--pair", "bm25", "titles"], "needs --figure differences=FILE"),
        (["--pair", "bm25", "titles"], "needs --figure differences=FILE"),
    ],
)
def test_what_cannot_be_drawn_is_said_in_a_sentence(
    words: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert command(*CALLS["compare"], *words) == 2
    assert said in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_pair_is_drawn_in_the_named_order() -> None:
    result = carob.compare(QRELS, [BM25, FEEDBACK, TITLES], ["AP"])
    one, other = (result.to_figure(pair=names).axes[0] for names in (("bm25", "titles"), ("titles", "bm25")))
    assert (one.get_ylabel(), other.get_ylabel()) == ("AP: bm25 - titles", "AP: titles - bm25")
    heights = [sorted(each.get_height() for each in axes.patches) for axes in (one, other)]
    assert heights[0] == [-each for each in reversed(heights[1])]


def test_a_hollow_point_is_a_difference_whose_interval_contains_zero() -> None:
    result = carob.compare(QRELS, [BM25, FEEDBACK, TITLES], ["AP"])
    points = [line for line in result.to_figure("pairs").axes[0].lines if line.get_marker() == "o"]
    drawn = {line.get_xdata()[0]: line.get_markerfacecolor() == "black" for line in points}
    decided = {
        abs(pair.difference): pair.joint_low > 0 or pair.joint_high < 0 for pair in result.primary.pairs
    }
    assert {abs(difference): solid for difference, solid in drawn.items()} == decided
    assert set(drawn.values()) == {True, False}


def test_the_names_of_points_stand_inside_the_picture(tmp_path: Path) -> None:
    runs = {f"run number {place:02}": Path(BM25).read_bytes() for place in range(24)}
    paths = []
    for name, content in runs.items():
        paths.append(str(tmp_path / f"{name}.run"))
        Path(paths[-1]).write_bytes(content)
    drawn = carob.agreement(QRELS, QRELS, paths, ["AP"], resamples=10).to_figure("systems")
    drawn.draw_without_rendering()
    box = drawn.bbox
    axes = drawn.axes[0]
    extents = [each.get_window_extent() for each in axes.texts]
    assert len(extents) == 24
    assert all(box.x0 <= each.x0 and each.x1 <= box.x1 and box.y0 <= each.y0 for each in extents)
    ordered = sorted(extents, key=lambda each: each.y0)
    assert all(low.y1 <= high.y0 + 1 for low, high in pairwise(ordered))


def test_nothing_is_computed_for_an_ending_that_names_no_format(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(carob.comparison.compare, "compare", None)
    assert command(*CALLS["compare"], "--figure", "x.gif") == 2
    assert re.search(r"x\.gif", capsys.readouterr().err)
