"""A comparison as JSON, CSV, Markdown, LaTeX, data frames and figures."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

import carob
from carob.cli import main
from comparison.matrices import scores, systems
from comparison.tea import RUNS, TEA, told


@pytest.fixture
def tea(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(TEA)
    return ["qrels.txt", *(f"runs/{run}.run" for run in RUNS)]


def test_json_holds_every_value_and_every_decision(tea: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    found = json.loads(told(capfd, *tea, "--test", "randomisation", "--format", "json", "-m", "AP"))
    pair = found["contests"]["AP"]["pairs"][0]
    assert [each["name"] for each in found["runs"]] == RUNS
    assert len(found["runs"][0]["queries"]) == 24
    assert (pair["a"], pair["b"], pair["n"], pair["exact"], pair["error"]) == (0, 1, 24, True, 0.0)
    assert pair["p_uncorrected"] < pair["p_corrected"] < 1
    assert found["settings"]["seed"] == 2026
    assert found["settings"]["resamples"] >= 10_000
    assert found["carob"] == carob.__version__
    assert found["policy"]["missing"] == "zero"
    assert {each["kind"] for each in found["warnings"]} == {"missing", "few", "skewed"}


def test_json_has_null_for_what_is_not_defined() -> None:
    found = carob.compare(None, [scores("a", [0.5]), scores("b", [0.25])]).to_json()
    assert json.loads(found)["contests"]["AP"]["pairs"][0]["low"] is None
    assert "NaN" not in found


def test_csv_has_a_row_per_measure_and_pair(tea: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    rows = list(csv.DictReader(io.StringIO(told(capfd, *tea, "--format", "csv", "-m", "AP", "-m", "RR"))))
    assert len(rows) == 12
    assert (rows[0]["measure"], rows[0]["run"], rows[0]["other"]) == ("AP", "bm25", "dirichlet")
    assert float(rows[0]["difference"]) == pytest.approx(0.5587434878 - 0.5351568646)


def test_markdown_has_bold_best_and_raised_letters(tea: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    lines = told(capfd, *tea, "--format", "markdown", "-m", "AP").splitlines()
    assert "| a | feedback | **0.564**<sup>cd</sup> | [0.457,0.671] |" in lines
    assert "- ! titles lacks 1 of 24 judged queries, counted as 0: t19." in lines


def test_latex_is_a_table_of_booktabs(tea: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    out = told(capfd, *tea, "--format", "latex", "-m", "AP", "--label", "tab:tea", "--caption", "Tea & more")
    assert r"a & feedback & \textbf{0.564}\textsuperscript{cd} & [0.457,0.671] \\" in out
    assert r"\caption{Tea \& more}" in out
    assert out.count(r"\begin{tabular}") == out.count(r"\end{tabular}") == 2
    assert "$-$0.277" not in out  # the better run of a pair stands first


@pytest.mark.parametrize("what", ["pairs", "runs", "queries"])
def test_frames_have_a_row_per_pair_run_or_query(what: str) -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    found = carob.compare(None, systems(np.random.default_rng(0).random((7, 3)))).to_frame(what, "pandas")
    assert len(found) == {"pairs": 3, "runs": 3, "queries": 21}[what]


@pytest.mark.parametrize(
    ("kind", "rows"), [("pairs", 3), ("intervals", 3), ("differences", 40), ("orders", 3)]
)
def test_figures_draw_each_run_pair_or_query(kind: str, rows: int) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    draw = np.random.default_rng(0)
    found = carob.compare(
        None, [scores(f"$s_{run}", draw.random((40, 2)), "AP RR") for run in range(3)], test="t"
    )
    axes = found.to_figure(kind).axes[0]
    drawn = len(axes.patches) if kind == "differences" else len(axes.lines)
    assert drawn == {"pairs": 2 * rows + 1, "intervals": 2 * rows}.get(kind, rows)
    with pytest.raises(carob.DataError, match="Did you mean pairs"):
        found.to_figure("pears")


@pytest.mark.parametrize("baseline", [None, 0])
def test_a_compact_table_has_a_dagger_where_a_run_differs(baseline: int | None) -> None:
    draw = np.random.default_rng(4)
    matrix = draw.random((40, 1)) * 0.2 + np.array([0.1, 0.11, 0.4, 0.7]) + 0.1 * draw.normal(size=(40, 4))
    found = carob.compare(None, systems(matrix), baseline=baseline)
    written = found.to_latex("tab:x", pairs="none")
    assert written.count("\\begin{tabular}") == 1
    assert written.count("\\toprule") == 1
    rows = {line.split(" & ")[0]: line for line in written.splitlines() if line.startswith("s")}
    against = 3 if baseline is None else 0
    for run in range(4):
        differs = any({run, against} == {*pair} for pair in beaten_pairs(found))
        assert ("†" in rows[f"s{run}"] or "dagger" in rows[f"s{run}"]) == differs
    assert "textbf" in rows["s3"]
    assert "A letter" not in written
    assert (
        f"differs significantly from {'the best run of the column' if baseline is None else 's0'}" in written
    )
    assert written.index("\\bottomrule") < written.index("footnotesize") < written.index("\\end{table}")


def beaten_pairs(found: carob.Comparison) -> set[tuple[int, int]]:
    return {(run, other) for run, each in enumerate(found.primary.beaten) for other in each}


def test_a_compact_table_is_latex_of_one_collection(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["compare", "x", "y", "z", "--pairs", "none"])
    assert "--pairs none needs --format latex" in capsys.readouterr().err
