"""Judges against a truth: recorded figures of autojudge-evaluate, leaderboards, missing runs, and the command."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

import carob
from carob import DataError
from judges.boards import MODEL, PATTERNS, QRELS, SYSTEMS, VALUES, board, lines_of, long, written
from strategies import first
from toys import command

RECORDED = json.loads((Path(__file__).parent / "autojudge_evaluate.json").read_text(encoding="utf-8"))
"""Leaderboards with ties and missing runs, and the figures of autojudge-evaluate 1.1.0."""

THEIRS = {"tauap_b": "tau_ap_b", "tau_gap": "tau_gap_by_name"}
"""Our names of autojudge-evaluate's correlations, where they differ."""

CUT = 5


def nearly_tied(runs: dict[str, Any]) -> bool:
    """Whether two exact means differ only because 0.1 and others are not binary fractions."""
    found = sorted(mean(values) for values, _ in runs.values())
    return any(0 < above - below < 1e-12 for below, above in pairwise(found))


def ours(name: str) -> str:
    """Our name of a correlation of autojudge-evaluate."""
    base, at, depth = name.partition("@")
    return THEIRS.get(base, base) + at + depth


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


def test_columns_that_could_be_two_formats_are_not_guessed(tmp_path: Path) -> None:
    file = tmp_path / "board.txt"
    file.write_text(long(VALUES, "{run} NUGGETS {query} {value}"), encoding="utf-8")
    with pytest.raises(carob.DataError, match=r"not recognised.*layout='tot'"):
        carob.read_leaderboard(file)


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


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """Judgments of a truth and of a judge, four runs, and a leaderboard."""
    return written(tmp_path)


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


def test_one_resample_is_refused() -> None:
    with pytest.raises(carob.DataError, match="1 resample gives no interval: use at least 2"):
        carob.correlate(QRELS, {"model": MODEL}, SYSTEMS, "AP", test=carob.Test(resamples=1))


def test_two_runs_are_too_few_and_the_refusal_says_how_many_are_enough() -> None:
    """It said that two runs are enough, and that there are two."""
    with pytest.raises(DataError, match="needs at least three runs, not 2"):
        carob.correlate(QRELS_OF_TWO, [QRELS_OF_TWO], {"a": QRELS_OF_TWO, "b": QRELS_OF_TWO})


QRELS_OF_TWO = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 0, "d2": 1}}
