"""Judges against a truth: recorded figures of autojudge-evaluate, SciPy, arithmetic, intervals in simulation."""

from __future__ import annotations

import json
import math
from itertools import pairwise, permutations
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import carob
from carob import DataError
from carob.cli import main
from carob.statistics.correlation_intervals import RunSamples, Samples
from carob.statistics.correlations import CORRELATIONS, correlation_named, tau_gap
from carob.statistics.rank_correlation import kendall, rbo, tau_ap, tau_ap_b
from carob.statistics.resampling import Draw
from strategies import examples, first

RECORDED = json.loads((Path(__file__).parent / "autojudge_evaluate.json").read_text(encoding="utf-8"))
"""Leaderboards with ties and missing runs, and the figures of autojudge-evaluate 1.1.0."""

THEIRS = {"tauap_b": "tau_ap_b", "tau_gap": "tau_gap_by_name"}
"""Our names of autojudge-evaluate's correlations, where they differ."""

CUT = 5


def board(path: Path, runs: dict[str, Any]) -> Path:
    """Writes a leaderboard as JSON lines, with the mean of each run."""
    lines = []
    for run, (values, stated) in runs.items():
        cells = [*((f"q{number}", value) for number, value in enumerate(values)), ("all", stated)]
        lines += [{"run_id": run, "topic_id": q, "measure": "M", "value": value} for q, value in cells]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def nearly_tied(runs: dict[str, Any]) -> bool:
    """Whether two exact means differ only because 0.1 and others are not binary fractions."""
    found = sorted(mean(values) for values, _ in runs.values())
    return any(0 < above - below < 1e-12 for below, above in pairwise(found))


def ours(name: str) -> str:
    """Our name of a correlation of autojudge-evaluate."""
    base, at, depth = name.partition("@")
    return THEIRS.get(base, base) + at + depth


def test_only_the_measures_with_the_highest_coefficient_are_shown_if_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    values = {name: ([place / 8, 0.5], None) for place, name in enumerate("abcde")}
    files = [str(board(tmp_path / "truth.jsonl", values))]
    for number, order in enumerate(("edcba", "abced", "abcde")):
        its = {name: ([order.index(name) / 8, 0.5], None) for name in values}
        files.append(str(board(tmp_path / f"judge{number}.jsonl", its)))
    asked = ["correlate", *files, "--resamples", "10"]

    def judges(*more: str) -> tuple[list[str], str]:
        main([*asked, *more])
        printed = capsys.readouterr().out
        return [line.split()[0] for line in printed.splitlines() if line.startswith("judge")], printed

    assert judges()[0].count("judge0") == 2
    shown, printed = judges("--top", "2")
    assert [each for each in shown if each != "judge"] == ["judge2", "judge1"] * 2
    assert "1 more row is not shown; --top 3 shows all." in printed
    main([*asked, "--top", "2", "--format", "json"])
    assert len(json.loads(capsys.readouterr().out)["judges"]) == 3


@pytest.mark.parametrize("number", first(range(len(RECORDED["cases"])), 10))
def test_correlations_are_those_of_autojudge_evaluate(number: int, tmp_path: Path) -> None:
    case = RECORDED["cases"][number]
    files = board(tmp_path / "truth.jsonl", case["truth"]), board(tmp_path / "judge.jsonl", case["judge"])
    names = [ours(each) for each in RECORDED["correlations"]]
    for setting, expected in case["expected"].items():
        missing_runs, means = setting.split()
        if means == "queries" and (nearly_tied(case["truth"]) or nearly_tied(case["judge"])):
            continue  # 0.1 + 0.6 + 0.3 is above 0.2 + 0.4 + 0.4 in an exact sum of their binary forms; here it is tied
        rest = {"coefficients": names, "means": means, "test": carob.Test(resamples=2)}
        found = carob.correlate(*files, missing_runs=missing_runs, **rest).rows[0]
        common = (
            found if missing_runs == "skip" else carob.correlate(*files, missing_runs="skip", **rest).rows[0]
        )
        ranked = sorted(common.truth, reverse=True)
        tied_at_the_cut = len(ranked) > CUT and ranked[CUT - 1] == ranked[CUT]
        for name, value in zip(names, expected, strict=True):
            # With @k, autojudge-evaluate leaves out runs that the judge lacks, under each rule.
            own = (common if "@" in name else found)[name].value
            if "@" in name and tied_at_the_cut:
                continue  # the first runs of the file are the best there; here all runs that are tied with the k-th
            if name.startswith("tau_ap_b") and math.isnan(own):
                # Where all runs are tied on a side, autojudge-evaluate takes 0 for that direction.
                assert value is not None
                assert len(set(found.truth)) == 1 or len(set(found.values)) == 1 or "@" in name
                continue
            assert (value is None and math.isnan(own)) or own == pytest.approx(value, abs=1e-12), (
                setting,
                name,
            )


def test_most_recorded_correlations_are_compared() -> None:
    compared = [
        case
        for case in RECORDED["cases"]
        if not nearly_tied(case["truth"]) and not nearly_tied(case["judge"])
    ]
    missing = [case for case in RECORDED["cases"] if set(case["truth"]) - set(case["judge"])]
    tied = [
        case for case in compared if len({each[1] for each in case["truth"].values()}) < len(case["truth"])
    ]
    assert (len(RECORDED["cases"]), len(compared) > 40, len(missing) > 25, len(tied) > 25) == (
        50,
        True,
        True,
        True,
    )


SCORES = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=12)


@given(SCORES)
@settings(deadline=None, max_examples=examples(60))
def test_correlations_are_scipys_and_samples_are_as_single_ones(pairs: list[tuple[int, int]]) -> None:
    from scipy import stats

    x, y = np.array(pairs, float).T
    if len(set(x)) > 1 and len(set(y)) > 1:
        theirs = [stats.kendalltau(x, y), stats.spearmanr(x, y), stats.pearsonr(x, y)]
        own = [correlation_named(each).of(x, y) for each in ("kendall", "spearman", "pearson")]
        assert own == pytest.approx([each.statistic for each in theirs], abs=1e-12)
    singles = {"kendall": kendall, "tau_ap": tau_ap, "tau_ap_b": tau_ap_b}
    samples = np.stack([x, y[::-1]]), np.stack([y, x])
    for name, single in singles.items():
        each = [single(one, other) for one, other in zip(*samples, strict=True)]
        assert correlation_named(name)(*samples) == pytest.approx(each, abs=1e-12, nan_ok=True)


@given(st.permutations(range(6)))
@settings(deadline=None, max_examples=examples(30))
def test_rbo_without_ties_is_that_of_lists(order: list[int]) -> None:
    x, y = -np.arange(6.0), np.empty(6)
    y[order] = -np.arange(6.0)
    assert CORRELATIONS["rbo"].of(x, y) == pytest.approx(rbo([list(range(6)), order])[0, 1], abs=1e-12)


def test_tau_gap_by_hand() -> None:
    # Truth a .9, b .5, c .4; the judge orders b, a, c. Below b: a, whose gap .4 is wrong. Below b and a: c, whose gaps
    # .1 and .5 are right. So 2/2 · (0 + 1) - 1 = 0.
    truth, judge = np.array([0.9, 0.5, 0.4]), np.array([2.0, 3.0, 1.0])
    assert float(tau_gap(truth, judge)) == pytest.approx(0)
    assert float(tau_gap(truth, truth)) == 1
    assert float(tau_gap(truth, -truth)) == -1


def test_tied_runs_are_above_each_other_in_half_of_the_orders() -> None:
    # a and b are tied above c: c's gaps are right (weight 1). Of a and b, one is below the other, rightly in half of
    # the orders: the share is 1/2, and each of the two is second in half of the orders.
    truth, judge = np.array([0.9, 0.5, 0.4]), np.array([2.0, 2.0, 1.0])
    assert float(tau_gap(truth, judge)) == pytest.approx(2 * (1 + 0.5 * 0 + 0.5 * 1) / 2 - 1)
    shifted = [float(tau_gap(truth[list(o)], judge[list(o)])) for o in permutations(range(3))]
    assert shifted == pytest.approx([shifted[0]] * 6)
    assert float(tau_gap(truth, judge, by_place=True)) == 1
    assert float(tau_gap(truth[[1, 0, 2]], judge, by_place=True)) == pytest.approx(0)


def test_overlap_counts_ties_at_the_cut_by_their_share() -> None:
    x, y = np.array([4.0, 3, 2, 1]), np.array([4.0, 2, 2, 2])
    # Of the three that are tied for the judge, each is second in a third of the orders.
    assert correlation_named("overlap@2").of(x, y) == pytest.approx((1 + 1 / 3) / 2)
    assert correlation_named("overlap@4").of(x, y) == 1


def test_the_best_include_those_that_are_tied_with_the_last() -> None:
    x, y = np.array([5.0, 4, 4, 1]), np.array([5.0, 3, 4, 9])
    assert correlation_named("kendall@2").of(x, y) == kendall(x[:3], y[:3])
    several = correlation_named("kendall@2")(np.stack([x, [4.0, 3, 2, 1]]), np.stack([y, y]))
    assert several.tolist() == [kendall(x[:3], y[:3]), kendall([4, 3], y[:2])]


@pytest.mark.parametrize("name", ["kendal", "overlap", "kendall@0", "kendall@x", "tau_gap@"])
def test_unknown_correlations_are_refused(name: str) -> None:
    with pytest.raises(carob.PolicyError, match=r"correlation|whole number"):
        correlation_named(name)


QRELS = {f"q{q}": {f"d{d}": (d * q) % 3 for d in range(8)} for q in range(1, 13)}
MODEL = {
    q: {d: max(grade - (place == 2), 0) for place, (d, grade) in enumerate(its.items())}
    for q, its in QRELS.items()
}
SYSTEMS = {
    name: {
        q: {d: float((place * step + int(q[1:])) % 11) for place, d in enumerate(its)}
        for q, its in QRELS.items()
    }
    for name, step in {"a": 3, "b": 5, "c": 7, "d": 9}.items()
}


def test_judgments_give_the_orders_and_the_grades_of_agreement() -> None:
    found = carob.correlate(QRELS, {"model": MODEL}, SYSTEMS, ["AP", "nDCG@5"])
    agreed = carob.agreement(QRELS, MODEL, SYSTEMS, ["AP", "nDCG@5"])
    for row, effect in zip(found.rows, agreed.effects, strict=True):
        assert row["kendall"].value == pytest.approx(effect.tau)
        assert row.flips == effect.flips
        assert row.turned is not None
        assert (row.turned.kept, row.turned.lost, row.turned.gained) == (
            effect.kept,
            effect.lost,
            effect.gained,
        )
        assert row.turned.significant == effect.significant
        assert (row.truth, row.values) == (pytest.approx(effect.a), pytest.approx(effect.b))
    assert found.grades[0].statistics == agreed.statistics


def test_the_truth_itself_is_a_perfect_judge() -> None:
    found = carob.correlate(QRELS, {"same": QRELS}, SYSTEMS, "AP")
    assert [each.value for each in found.rows[0].coefficients] == pytest.approx([1.0] * 5)
    assert not found.rows[0]["kendall"].bounded


@pytest.mark.parametrize("turned", [1, -1])
def test_a_perfect_order_has_no_interval_over_runs(turned: int) -> None:
    """Each resample of its runs is perfect too."""
    truth, judge = (
        carob.read_scores(
            {
                run: {"AP": {f"q{q}": 0.5 + sign * place / 20 for q in range(6)}}
                for place, run in enumerate("abcdef")
            }
        )
        for sign in (1, turned)
    )
    found = carob.correlate(truth, {"judge": judge}, over="runs")
    names = (
        ("kendall", "spearman", "pearson")
        if turned < 0
        else [each.name for each in found.rows[0].coefficients]
    )
    assert [found.rows[0][name].bounded for name in names] == [False] * len(names)
    assert "No interval where a correlation is perfect" in " ".join(str(found).split())


def test_measures_are_judges_of_the_first_and_smaller_may_be_better() -> None:
    found = carob.correlate(QRELS, None, SYSTEMS, ["P@3", "Unjudged@3", "AP"])
    assert carob.correlate(QRELS, {}, SYSTEMS, ["P@3", "Unjudged@3", "AP"]).to_csv() == found.to_csv()
    assert [(each.truth_measure, each.measure) for each in found.rows] == [
        ("P@3", "Unjudged@3"),
        ("P@3", "AP"),
    ]
    assert "flip: the measure has the other order" in found.to_text()
    scores = {
        name: {"AP": {f"q{q}": q / n for q in range(1, 6)}, "E@5": {f"q{q}": -q / n for q in range(1, 6)}}
        for n, name in enumerate("abc", 1)
    }
    path = carob.read_scores(scores)
    row = carob.correlate(path, None, None, ["AP", "E@5"]).rows[0]
    assert row["kendall"].value == 1


def long(rows: list[tuple[str, str, float]], pattern: str) -> str:
    """Lines of values in a pattern."""
    return "".join(pattern.format(run=run, query=query, value=value) + "\n" for run, query, value in rows)


VALUES = [
    (run, query, (n * k) % 7 / 10)
    for n, run in enumerate("abcd", 2)
    for k, query in enumerate(("q1", "q2", "q3"), 1)
]
PATTERNS = {
    "tot": "{run}\tCOVERAGE\t{query}\t{value}",
    "ir_measures": "{run} {query} COVERAGE {value}",
    "ranking": "{query} Q0 {run} 0 {value} COVERAGE",
    "jsonl": '{{"run_id": "{run}", "topic_id": "{query}", "measure": "COVERAGE", "value": {value}}}',
}


@pytest.mark.parametrize("layout", PATTERNS)
def test_leaderboards_are_read_in_each_format(layout: str, tmp_path: Path) -> None:
    file = tmp_path / "board.eval"
    means = [(run, "all", sum(v for r, _, v in VALUES if r == run) / 3) for run in "abcd"]
    file.write_text(long(VALUES + means, PATTERNS[layout]), encoding="utf-8")
    expected = {r: {"COVERAGE": {q: v for own, q, v in VALUES if own == r}} for r in "abcd"}
    found = carob.read_leaderboard(file, layout)
    assert found.values == expected
    assert found.stated == {run: {"COVERAGE": value} for run, _, value in means}
    if layout != "ranking":
        assert carob.read_leaderboard(file).values == expected
    header = {"tot": "run_id\tmeasure\ttopic_id\tvalue\n", "ir_measures": "run_id topic_id measure value\n"}
    if layout in header:
        file.write_text(header[layout] + file.read_text(encoding="utf-8"), encoding="utf-8")
        assert carob.read_leaderboard(file).values == carob.read_leaderboard(file, layout).values == expected


def test_a_folder_of_trec_evals_files_has_a_run_in_each(tmp_path: Path) -> None:
    for run in "abc":
        text = f"runid\tall\ttag{run}\nmap\tq1\t0.{ord(run) - 90}\nmap\tall\t0.{ord(run) - 90}\n"
        (tmp_path / f"{run}.txt").write_text(text, encoding="utf-8")
    (tmp_path / ".hidden").write_text("nothing", encoding="utf-8")
    assert carob.read_leaderboard(tmp_path).values == {
        run: {"map": {"q1": value}} for run, value in {"a": 0.7, "b": 0.8, "c": 0.9}.items()
    }


def test_measures_in_words_are_left_out_and_named(tmp_path: Path) -> None:
    lines = long(VALUES, PATTERNS["tot"]) + long(
        [(r, q, 0) for r, q, _ in VALUES], "{run} TOP_WORD {query} tea"
    )
    for name in ("truth", "judge"):
        (tmp_path / name).write_text(lines, encoding="utf-8")
    found = carob.correlate(*(carob.read_leaderboard(tmp_path / each, "tot") for each in ("truth", "judge")))
    assert [each.measure for each in found.rows] == ["COVERAGE"]
    assert "TOP_WORD" in str(found)
    (tmp_path / "judge").write_text(lines + "e COVERAGE q1 tea\n", encoding="utf-8")
    with pytest.raises(carob.DataError, match="not a finite number: 'tea'"):
        carob.read_leaderboard(tmp_path / "judge", "tot")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("a COVERAGE q1 0.5\na COVERAGE q1 0.6\n", "second value"),
        ("a COVERAGE q1 0.5\na COVERAGE 0.6\n", "found 3 columns, expected 4"),
        ("a COVERAGE q1 inf\n", "not a finite number"),
        ("\n\n", "empty"),
    ],
)
def test_faults_of_leaderboards_are_named_with_their_place(content: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "board.txt"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(carob.DataError, match=said) as found:
        carob.read_leaderboard(file, "tot")
    assert "board.txt" in str(found.value)


def test_a_short_line_below_a_header_is_named(tmp_path: Path) -> None:
    file = tmp_path / "board.txt"
    file.write_text("query Q0 run rank value measure\nq1 0\n", encoding="utf-8")
    with pytest.raises(carob.DataError, match="found 2 columns, expected 6"):
        carob.read_leaderboard(file, "ranking")


def test_columns_that_could_be_two_formats_are_not_guessed(tmp_path: Path) -> None:
    file = tmp_path / "board.txt"
    file.write_text(long(VALUES, "{run} NUGGETS {query} {value}"), encoding="utf-8")
    with pytest.raises(carob.DataError, match=r"not recognised.*layout='tot'"):
        carob.read_leaderboard(file)


def nested(runs: str, shift: float = 0.0, queries: int = 6) -> Any:
    """Scores of runs, of which later ones are better."""
    return carob.read_scores(
        {
            run: {
                "AP": {f"q{q}": (0.1 * ord(run) - 9 + shift * (ord(run) * q % 5)) % 1 for q in range(queries)}
            }
            for run in runs
        }
    )


def test_missing_runs_are_decided_by_name_and_counted() -> None:
    truth, judge = nested("abcde"), nested("bcdexyz", 0.02)
    with pytest.raises(carob.DataError, match=r"scores lacks 1 of 5 runs of scores: a.*missing_runs='skip'"):
        carob.correlate(truth, judge)
    skipped = carob.correlate(truth, {"judge": judge}, missing_runs="skip")
    assert (skipped.rows[0].runs, skipped.rows[0].lacking, skipped.rows[0].extra) == (
        tuple("bcde"),
        ("a",),
        3,
    )
    assert "judge lacks 1 run, which was left out: a." in str(skipped)
    assert "judge has 3 runs that the truth lacks, left out." in str(skipped)
    zero = carob.correlate(truth, {"judge": judge}, missing_runs="zero").rows[0]
    assert (zero.runs, zero.values[0]) == (tuple("abcde"), 0)
    with pytest.raises(carob.DataError, match="share 2 runs"):
        carob.correlate(truth, nested("ab"), missing_runs="skip")


def test_queries_of_one_side_are_left_out_and_counted() -> None:
    found = carob.correlate(nested("abcd", queries=6), {"judge": nested("abcd", queries=4)})
    assert (found.rows[0].queries, found.rows[0].left_out) == (4, 2)
    assert "judge: 2 queries that only one side has, left out." in str(found)


def test_means_alone_have_no_test_and_intervals_only_over_runs(tmp_path: Path) -> None:
    file = tmp_path / "board.txt"
    file.write_text(
        long([(run, "all", n / 10) for n, run in enumerate("abcdefg")], PATTERNS["tot"]), encoding="utf-8"
    )
    found = carob.correlate(
        carob.read_leaderboard(file, "tot"), {"judge": carob.read_leaderboard(file, "tot")}
    )
    row = found.rows[0]
    assert (row.turned, row.queries, row["kendall"].value) == (None, None, 1.0)
    assert math.isnan(row["kendall"].low)
    assert "no interval over queries and no test" in str(found)
    other = tmp_path / "other.txt"
    values = zip("abcdefg", (0.1, 0.0, 0.2, 0.4, 0.3, 0.6, 0.5), strict=True)
    other.write_text(long([(run, "all", value) for run, value in values], PATTERNS["tot"]), encoding="utf-8")
    over = carob.correlate(
        carob.read_leaderboard(file, "tot"), {"judge": carob.read_leaderboard(other, "tot")}, over="runs"
    ).rows[0]["pearson"]
    assert over.bounded


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


def test_intervals_hold_the_mean_over_samples_of_queries() -> None:
    draw = np.random.default_rng(1)
    skill, queries, replicates = 0.5 + 0.06 * draw.normal(size=15), 25, 120
    names = ("kendall", "tau_ap", "pearson")
    values, held = np.zeros((replicates, len(names))), []
    for replicate in range(replicates):
        own = draw.normal(0, 0.15, (queries, 15))
        x, y = skill + own, skill + 0.7 * own + draw.normal(0, 0.1, (queries, 15))
        samples = Samples(x, y, Draw(200, replicate))
        values[replicate] = [correlation_named(each).of(*samples.means) for each in names]
        held.append([samples.interval(correlation_named(each), 0.95) for each in names])
    ends, truth = np.array(held), values.mean(axis=0)
    share = ((ends[..., 0] <= truth) & (truth <= ends[..., 1])).mean()
    assert 0.92 <= share <= 0.99
    assert (ends[..., 0] <= values).all()
    assert (values <= ends[..., 1]).all()


@pytest.mark.parametrize("name", ["kendall", "tau_ap", "spearman"])
@pytest.mark.parametrize("runs", [4, 5, 7, 12])
def test_orders_that_are_alike_in_every_resample_have_no_interval(name: str, runs: int) -> None:
    draw = np.random.default_rng(runs)
    x, y = (np.arange(runs) + draw.normal(0, 0.1, (50, runs)) for _ in range(2))
    samples = Samples(x, y, Draw(200, 1))
    assert correlation_named(name).of(*samples.means) == pytest.approx(1)
    assert np.isnan(samples.interval(correlation_named(name), 0.95)).all()


def test_intervals_over_runs_hold_the_mean_over_samples_of_runs() -> None:
    draw = np.random.default_rng(2)
    names, replicates = ("kendall", "spearman", "pearson"), 120
    values, held = np.zeros((replicates, len(names))), []
    for replicate in range(replicates):
        x = draw.normal(size=20)
        samples = RunSamples(x, x + 0.6 * draw.normal(size=20), Draw(200, replicate))
        values[replicate] = [correlation_named(each).of(samples.x, samples.y) for each in names]
        held.append([samples.interval(correlation_named(each), 0.95) for each in names])
    ends, truth = np.array(held), values.mean(axis=0)
    assert 0.92 <= ((ends[..., 0] <= truth) & (truth <= ends[..., 1])).mean() <= 0.99


def command(*words: str) -> int:
    """Runs the command line, and returns its exit status."""
    try:
        main(list(words))
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """Judgments of a truth and of a judge, four runs, and a leaderboard."""
    for name, qrels in {"people.qrels": QRELS, "model.qrels": MODEL}.items():
        rows = (f"{q} 0 {d} {grade}\n" for q, its in qrels.items() for d, grade in its.items())
        (tmp_path / name).write_text("".join(rows), encoding="utf-8")
    for name, run in SYSTEMS.items():
        rows = (f"{q} Q0 {d} 1 {score} x\n" for q, its in run.items() for d, score in its.items())
        (tmp_path / f"{name}.run").write_text("".join(rows), encoding="utf-8")
    (tmp_path / "board.jsonl").write_text(long(VALUES, PATTERNS["jsonl"]), encoding="utf-8")
    return {path.name: str(path) for path in tmp_path.iterdir()}


def test_the_command_tells_judges_from_runs(
    files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    runs = [files[f"{name}.run"] for name in "abcd"]
    assert command("correlate", files["people.qrels"], f"gpt={files['model.qrels']}", *runs, "-m", "AP") == 0
    first = capsys.readouterr().out
    assert first.startswith("gpt (by AP) against people.qrels: kendall")
    assert command("correlate", files["people.qrels"], *runs, "-m", "AP", "-m", "P@3", "--format", "csv") == 0
    assert "people.qrels,AP,P@3,4,12,kendall," in capsys.readouterr().out
    assert command("correlate", files["board.jsonl"], files["board.jsonl"], "--over", "runs") == 0
    said = capsys.readouterr().out
    assert "kendall 1.000." in said
    assert "[1.00, 1.00]" not in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "Pass a TRUTH"),
        (("people.qrels", "model.qrels", "a.run", "b.run"), "at least three RUNs"),
        (
            ("people.qrels", "a.run", "b.run", "c.run", "--missing-runs", "skip"),
            "--missing-runs applies only to leaderboards",
        ),
        (("board.jsonl", "board.jsonl", "--pool", "both"), "--pool needs judgments"),
        (("board.jsonl", "board.jsonl", "--depth", "5"), "--depth needs judgments"),
        (("board.jsonl",), "only one measure"),
        (("board.jsonl", "people.qrels"), "not recognised"),
        (("people.qrels", "/nowhere", "a.run", "b.run", "c.run"), "/nowhere: No such file"),
    ],
)
def test_misuse_of_the_command_is_refused(
    arguments: tuple[str, ...], said: str, files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("correlate", *(files.get(each, each) for each in arguments)) == 2
    assert said in " ".join(capsys.readouterr().err.split())


def lines_of(qrels: dict[str, dict[str, int]]) -> str:
    """Judgments as text."""
    return "".join(f"{q} 0 {d} {grade}\n" for q, its in qrels.items() for d, grade in its.items())


@pytest.fixture
def folders(tmp_path: Path) -> list[str]:
    """Judgments of a truth and of two judges, all with the same file name; the last judge has two queries."""
    found = []
    for folder, qrels in {"t": QRELS, "ja": MODEL, "jb": {q: QRELS[q] for q in ("q1", "q2")}}.items():
        (tmp_path / folder).mkdir()
        found.append(tmp_path / folder / "m.qrels")
        found[-1].write_text(lines_of(qrels), encoding="utf-8")
    return [str(each) for each in found]


def test_judges_of_one_file_name_are_told_apart(folders: list[str]) -> None:
    truth, *judges = folders
    found = carob.correlate(truth, judges, SYSTEMS, "AP")
    assert [each.judge for each in found.rows] == [str(Path(each)) for each in judges]
    assert str(found).startswith("Of all judges, ")
    both = carob.correlate(truth, [MODEL, QRELS], SYSTEMS, "AP")
    assert [each.judge for each in both.rows] == ["judge 1", "judge 2"]
    alone = carob.correlate(truth, {"m.qrels": MODEL}, SYSTEMS, "AP")
    assert "by AP) against" in str(alone)


def test_two_judges_of_one_name_are_refused(
    folders: list[str], files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    truth, one, other = folders
    runs = [files[f"{name}.run"] for name in "abcd"]
    assert command("correlate", truth, f"m={one}", f"m={other}", *runs, "-m", "AP") == 2
    assert "2 judges are called 'm'" in capsys.readouterr().err
    assert command("correlate", truth, one, other, *runs, "-m", "AP", "--format", "csv") == 0
    assert {line.split(",")[0] for line in capsys.readouterr().out.splitlines()[1:]} == {one, other}
    board = files["board.jsonl"]
    assert command("correlate", board, f"b={board}", f"b={board}") == 2
    assert "2 judges are called 'b'" in capsys.readouterr().err
    with pytest.raises(carob.DataError, match="2 judges are called"):
        carob.correlate(truth, [one, one], SYSTEMS, "AP")


def test_leaderboards_of_one_file_name_are_told_apart(tmp_path: Path) -> None:
    files = []
    for folder in ("ja", "jb"):
        (tmp_path / folder).mkdir()
        files.append(tmp_path / folder / "m.jsonl")
        files[-1].write_text(long(VALUES, PATTERNS["jsonl"]), encoding="utf-8")
    for judges in (files, [carob.read_leaderboard(each) for each in files]):
        found = carob.correlate(tmp_path / "ja" / "m.jsonl", judges)
        assert len({each.judge for each in found.rows}) == 2


def test_a_judge_on_fewer_queries_is_named_as_such(folders: list[str]) -> None:
    text = " ".join(str(carob.correlate(folders[0], folders[1:], SYSTEMS, "AP")).split())
    assert "Judges have different queries or runs, so these correlations are not comparable." in text
    assert "4 runs, 2 queries) orders" in text or "4 runs, 12 queries) orders" in text
    assert text.count("10 queries") == 1
    halves = {"odd": dict(list(QRELS.items())[::2]), "even": dict(list(MODEL.items())[1::2])}
    assert "are not comparable" in str(carob.correlate(QRELS, halves, SYSTEMS, "AP")).replace("\n", " ")
    same = carob.correlate(QRELS, {"a": MODEL, "b": QRELS}, SYSTEMS, "AP")
    assert "comparable" not in str(same)


def test_queries_that_a_judge_lacks_are_zeros_if_asked() -> None:
    truth, judge = nested("abcd", 0.02, queries=6), nested("abcd", 0.01, queries=4)
    zero = carob.correlate(truth, {"judge": judge}, missing="zero")
    row, skipped = zero.rows[0], carob.correlate(truth, {"judge": judge}, missing="skip").rows[0]
    assert (row.queries, row.left_out, row.zeros) == (6, 0, ("q4", "q5"))
    assert (skipped.queries, skipped.left_out, skipped.zeros) == (4, 2, ())
    assert row.values == pytest.approx([4 / 6 * each for each in skipped.values])
    assert row.truth == pytest.approx(carob.correlate(truth, {"truth": truth}).rows[0].truth)
    assert "judge lacks 2 queries, which have the value 0: q4, q5." in str(zero)
    more = carob.correlate(judge, {"judge": truth}, missing="zero").rows[0]
    assert (more.queries, more.left_out, more.zeros) == (4, 2, ())


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


def test_one_resample_is_refused() -> None:
    with pytest.raises(carob.DataError, match="1 resample gives no interval: use at least 2"):
        carob.correlate(QRELS, {"model": MODEL}, SYSTEMS, "AP", test=carob.Test(resamples=1))


def test_pages_have_a_title() -> None:
    assert "<title>Correlations with " in carob.correlate(QRELS, {"model": MODEL}, SYSTEMS, "AP").to_html()


def test_empty_files_and_standard_input_are_named(
    files: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    empty = tmp_path / "EMPTY"
    empty.write_text("\n", encoding="utf-8")
    assert command("correlate", str(empty), files["board.jsonl"]) == 2
    assert "EMPTY: the file is empty." in capsys.readouterr().err
    for arguments in ((files["board.jsonl"], "-"), ("-", files["board.jsonl"])):
        assert command("correlate", *arguments) == 2
        assert "Leaderboards are not read from standard input ('-')" in capsys.readouterr().err
    with pytest.raises(carob.DataError, match="standard input"):
        carob.read_leaderboard("-")


def test_two_runs_are_too_few_and_the_refusal_says_how_many_are_enough() -> None:
    """It said that two runs are enough, and that there are two."""
    with pytest.raises(DataError, match="needs at least three runs, not 2"):
        carob.correlate(QRELS_OF_TWO, [QRELS_OF_TWO], {"a": QRELS_OF_TWO, "b": QRELS_OF_TWO})


QRELS_OF_TWO = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 0, "d2": 1}}
