"""A comparison laid out for people: the bundled example word for word, and tables of any width."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import carob
from carob.cli import main
from carob.cli.options import grouped
from carob.comparison.findings import ranked
from carob.comparison.verdict import p_text
from carob.output.layout import signed
from comparison.matrices import scores, systems
from comparison.tea import RUNS, TEA, told

if TYPE_CHECKING:
    from pathlib import Path

GOLDEN = """\
qrels.txt | 24 queries | 4 runs | primary: AP | baseline: bm25

No run is shown to be better than bm25.

#  run             AP         95% CI  nDCG@10
a  feedback   0.564    [0.457,0.671]  0.664
b  bm25       0.559 d  [0.443,0.675]  0.652 d
c  dirichlet  0.535    [0.428,0.644]  0.643
d  titles     0.282    [0.176,0.399]  0.408

   vs bm25,
   AP           diff           95% CI   W/T/L     corr. 95% CI       p  p(Holm)
a  feedback   +0.005  [-0.025,+0.035]  12/3/9  [-0.033,+0.043]   0.731    0.731
c  dirichlet  -0.024  [-0.047,-0.001]  7/6/11  [-0.052,+0.005]   0.045    0.089
d  titles     -0.277  [-0.390,-0.163]  2/2/20  [-0.419,-0.135]  <0.001   <0.001
Columns left out because the table is too narrow: d_z. The CSV output contains
them.

Paired t-test, two-sided, alpha 0.05; Holm over 3 comparisons per measure.
A letter after a score: significantly better than the run with this letter,
after correction.
95% CI: Student's t, separately for each mean (wider if skewed) and for each
mean difference.
Corr. 95% CI: corrected in the same way as p, so it excludes 0 exactly if the
corrected p is significant. After a stepwise correction, it may not cover all 3
differences simultaneously.
Smallest difference in AP that these queries detect with 80% power after
correction: a 0.050, c 0.038, d 0.189.
judged@10: 1.000 in every run. AP also uses deeper ranks.
carob VERSION, policy trec.

! titles lacks 1 of 24 judged queries, counted as 0: t19.
! bm25 and dirichlet are skewed in AP: a few queries have large differences of
  one sign. Student's t and sign flips need nearly symmetric differences or more
  queries, so p and the interval are approximate.
! 24 queries are few: if differences vary as they do on these queries, they
  detect a true difference of 0.038 to 0.189 (depending on the pair) four times
  out of five, and smaller differences less often.
"""


@pytest.fixture
def tea(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(TEA)
    return ["qrels.txt", *(f"runs/{run}.run" for run in RUNS)]


def refused(capfd: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as end:
        main(["compare", *arguments])
    assert end.value.code == 2
    return capfd.readouterr().err


def test_the_example_is_compared_word_for_word(tea: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    out = told(capfd, *tea, "--baseline", "bm25", "-m", "AP", "-m", "nDCG@10")
    assert out == GOLDEN.replace("VERSION", carob.__version__)


def test_the_baseline_may_be_given_by_its_path(tea: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    asked = ("-m", "AP", "-m", "nDCG@10")
    assert told(capfd, *tea, "-b", "runs/bm25.run", *asked) == told(capfd, *tea, "-b", "bm25", *asked)


def test_names_come_from_files_tags_or_arguments(tea: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert "\na  old  " in told(capfd, tea[0], "old=runs/bm25.run", tea[2], "-m", "AP")
    tagged = told(capfd, tea[0], tea[1], tea[2], "--names", "tag", "-m", "AP")
    tag = (TEA / "runs" / "bm25.run").read_text(encoding="utf-8").split()[5]
    assert f"\na  {tag}" in tagged


def test_files_of_one_name_go_by_their_paths(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "qrels").write_text("q 0 a 1\n")
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.run").write_text("q Q0 a 1 1.0 t\n")
    paths = [str(tmp_path / folder / "x.run") for folder in ("one", "two")]
    out = json.loads(told(capfd, str(tmp_path / "qrels"), *paths, "--format", "json"))
    assert [each["name"] for each in out["runs"]] == paths
    assert "2 runs are called" in refused(capfd, str(tmp_path / "qrels"), paths[0], paths[0])


def test_what_cannot_be_is_refused_in_a_sentence(tea: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert "at least two RUNs" in refused(capfd, *tea[:2])
    assert refused(capfd, *tea, "-b", "bm26").startswith("carob: No run is called 'bm26'. Did you mean bm25?")
    both = refused(capfd, *tea, "--test", "tukey", "--correction", "holm")
    assert "leave out --correction holm, or choose --test t or" in both


@pytest.mark.parametrize(("runs", "columns"), [(2, 80), (3, 80), (8, 80), (30, 80), (129, 80), (8, 60)])
def test_text_is_no_wider_than_the_terminal(runs: int, columns: int) -> None:
    matrix = np.random.default_rng(0).random((30, runs))
    named = [
        scores(
            f"a-rather-long-name-{run}", np.repeat(matrix[:, [run]], 6, axis=1), "AP RR nDCG P@5 P@10 R@10"
        )
        for run in range(runs)
    ]
    for options in ({"test": "t"}, {"baseline": 0}):
        found = carob.compare(None, named, **grouped(options))
        assert max(map(len, found.to_text(columns).splitlines())) <= columns


def test_of_many_runs_the_best_come_first_with_their_ranks_and_pairs_only_on_demand() -> None:
    draw = np.random.default_rng(1)
    matrix = draw.random((50, 1)) * 0.3 + np.arange(30) * 0.02 + 0.001 * draw.normal(size=(50, 30))
    found = carob.compare(None, systems(matrix), test="t")
    lines = found.to_text(100).splitlines()
    assert lines[2].startswith("s29 is better than all 29 others. s29 has AP 0.7358, s28 0.7159")
    assert lines[6].split()[:2] == ["a", "s29"]
    assert lines[6].split()[-2:] == ["best", "1"]
    assert lines[35].split()[-1] == "30"
    assert "a-b" not in found.to_text()
    every = found.to_text(pairs="all")
    assert every.splitlines()[5].split()[-1] == "29"
    assert re.search(r"^a-b +s29 - s28 ", every, re.MULTILINE)
    assert "ac-ad" in every


def test_ranks_are_those_that_the_significant_differences_allow() -> None:
    draw = np.random.default_rng(5)
    quality = np.repeat([0.0, 0.1, 0.4], 4)
    found = carob.compare(
        None, systems(draw.random((40, 1)) * 0.3 + quality + 0.1 * draw.normal(size=(40, 12)))
    )
    contest = found.primary
    for run, (low, high) in enumerate(contest.ranks):
        better = [other for other in range(12) if run in contest.beaten[other]]
        assert low == 1 + len(better)
        assert high == 12 - len(contest.beaten[run])
        assert low <= 1 + ranked(contest).index(run) <= high
    shown = {line.split()[1]: line.split()[-2] for line in found.to_text(100).splitlines()[6:18]}
    best = ranked(contest)[0]
    doubtful = {found.names[run] for run in range(12) if run not in (best, *contest.beaten[best])}
    assert {name for name, said in shown.items() if said == "be"} == doubtful
    assert doubtful


def test_nine_runs_have_pairs_and_letters_and_ten_an_overview() -> None:
    matrix = np.random.default_rng(2).random((30, 10))
    assert "best?" in carob.compare(None, systems(matrix)).to_text()
    assert "best?" not in carob.compare(None, systems(matrix), baseline=0).to_text()
    nine = carob.compare(None, systems(matrix[:, :9])).to_text()
    assert "best?" not in nine
    assert "a-b" in nine


@pytest.mark.parametrize(
    ("p", "alpha", "smallest", "text"),
    [
        (0.0496, 0.05, 0.0, "0.0496"),
        (0.0504, 0.05, 0.0, "0.050"),
        (0.05, 0.05, 0.0, "0.050"),
        (0.02657, 0.05, 0.0, "0.027"),
        (0.0004, 0.05, 0.0, "<0.001"),
        (1 / 10001, 0.05, 1 / 10001, "≤0.0001"),
        (1.0, 0.05, 0.0, "1.000"),
        (float("nan"), 0.05, 0.0, "-"),
    ],
)
def test_p_is_never_rounded_across_alpha_nor_to_zero(
    p: float, alpha: float, smallest: float, text: str
) -> None:
    assert p_text(p, alpha, smallest) == text


def test_a_difference_carries_its_sign_and_zero_is_positive() -> None:
    assert [signed(each, 3) for each in (0.0125, -0.0125, -0.0001)] == ["+0.013", "-0.013", "+0.000"]


def test_orders_of_measures_and_of_documents(tea: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    found = json.loads(told(capfd, *tea, "--orders", "--format", "json", "-m", "AP", "-m", "P@10"))["orders"]
    # AP: c a b d. P@10: c b a d. One of six pairs is turned.
    assert found["tau"][0][1] == pytest.approx(1 - 2 / 6)
    assert found["rbo"][0][0] == 1.0
    assert 0.8 < found["rbo"][0][1] < 1.0


def test_overlap_says_of_how_many_queries_it_is_known() -> None:
    queries = [f"q{each:03}" for each in range(120)]
    qrels = {query: {"a": 1} for query in queries}
    runs = {name: {query: {"a": 1.0, "b": 0.5} for query in queries} for name in ("one", "two")}
    few = " ".join(str(carob.compare(qrels, runs, "RR", orders=True)).split())
    assert "over 40 queries (evenly spaced among the 120), p = 0.9" in few


def test_groups_are_shown_with_the_worst(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "groups").write_text(
        "".join(f"t{n:02} {'first half' if n < 13 else 'second'}\n" for n in range(1, 25))
    )
    out = told(
        capfd, str(TEA / "qrels.txt"), *(str(TEA / "runs" / f"{run}.run") for run in RUNS[:2]),
        "--by", str(tmp_path / "groups"), "-m", "AP",
    )  # fmt: skip
    assert "first half" in out
    assert out.count("(worst)") == 1
    assert (
        "Groups are descriptive: their p is from the t-test, uncorrected. w: many values are equal, so interval and p "
        "are from the worst-point interval" in " ".join(out.split())
    )


def test_a_record_is_written_beside_the_table(
    tea: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    told(capfd, *tea, "-m", "AP", "--record", str(tmp_path / "out.json"))
    written: dict[str, Any] = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert written["comparison"]["names"] == RUNS


def test_p_stands_beside_its_row_however_narrow_the_terminal() -> None:
    draw = np.random.default_rng(4)
    named = [scores(f"system_number_{each}", draw.random(60)) for each in range(14)]
    for columns in (60, 70, 80):
        lines = carob.compare(None, named, baseline=0).to_text(columns).splitlines()
        assert max(map(len, lines)) <= columns
        (head,) = [line for line in lines if "p(Holm)" in line]
        assert "diff" in head
        assert "CI" in head
    assert any(line.startswith("Columns left out because the table is too narrow: d_z") for line in lines)


def test_two_runs_are_never_shown_under_one_name() -> None:
    draw = np.random.default_rng(5)
    names = [f"{'x' * 30}{each}{'y' * 30}" for each in range(5)]
    for options in ({}, {"baseline": 0}):
        for columns in (60, 100):
            text = carob.compare(
                None, [scores(name, draw.random(60)) for name in names], **grouped(options)
            ).to_text(columns)
            board = text.split("\n\n")[2].splitlines()[1:6]
            assert len({line.split()[1] for line in board}) == 5


def test_what_all_long_names_share_is_said_once() -> None:
    draw = np.random.default_rng(6)
    values = {each: draw.random(60) for each in ("bm25", "dense", "splade")}
    runs = [scores(f"submission-2026_{each}_rerank.final", its) for each, its in values.items()]
    text = carob.compare(None, runs).to_text(100)
    assert "All names contain 'submission-2026_' before them and '_rerank.final' after them." in text
    best_first = sorted(values, key=lambda each: -values[each].mean())
    assert best_first != [*values]
    assert [line.split()[1] for line in text.splitlines() if re.match("[abc]  ", line)] == best_first
    short = [scores(name, draw.random(60)) for name in ("run_a", "run_b")]
    assert "All names" not in carob.compare(None, short).to_text(100)


def test_the_worst_queries_of_each_pair_are_listed() -> None:
    old, new = np.array([0.5, 0.9, 0.2, 0.4]), np.array([0.5, 0.1, 0.9, 0.3])
    named = [scores("new", new), scores("old", old)]
    text = carob.compare(None, named, baseline="old").to_text(100, worst=5)
    (table,) = [part for part in text.split("\n\n") if "worst queries" in part]
    # By how much new is behind: .8 and .1; on the others it is not.
    rows = [line.split()[-3:] for line in table.splitlines()[1:]]
    assert rows == [["0.1000", "0.9000", "-0.8000"], ["0.3000", "0.4000", "-0.1000"]]
    assert "first minus second" in table
    assert "worst queries" not in carob.compare(None, named).to_text(100)


@pytest.mark.parametrize("layout", ["text", "markdown", "latex"])
def test_the_largest_gains_of_each_pair_are_listed(layout: str) -> None:
    old, new = np.array([0.5, 0.9, 0.2, 0.4]), np.array([0.5, 0.1, 0.9, 0.6])
    named = [scores("new", new), scores("old", old)]
    found = carob.compare(None, named, baseline="old")
    text = getattr(found, f"to_{layout}")(gains=5).replace("$", "")
    table = text[text.index("largest gains") :]
    # By how much new is ahead: .7 and .2; on the others it is not.
    assert 0 < table.index("+0.7000") < table.index("+0.2000")
    assert "-0.8000" not in table
    assert "+0.2000" not in getattr(found, f"to_{layout}")(gains=1)
    turned = carob.compare(None, [scores("old", old), scores("older", old)], baseline="older")
    assert "The first run does not score higher on any query in any pair." in turned.to_text(200, gains=1)


def many_runs(count: int) -> list[carob.Scores]:
    draw = np.random.default_rng(8)
    own = draw.random(60)
    return [scores(f"run{each:02}", own * 0.8 + 0.02 * each + 0.1 * draw.random(60)) for each in range(count)]


LEGEND = "CI: corrected in the same way as p, so it excludes 0"


def test_the_legend_of_corrected_intervals_stands_where_their_column_does() -> None:
    many = carob.compare(None, many_runs(12))
    three = carob.compare(None, many_runs(3))

    def told(*written: str) -> list[bool]:
        return [LEGEND in " ".join(each.split()) for each in written]

    assert not any(told(many.to_text(100), many.to_markdown(), many.to_latex(), many.to_html()))
    assert all(told(many.to_text(200, pairs="all"), many.to_latex(pairs="all")))
    assert all(told(three.to_text(140), three.to_markdown(), three.to_latex(), three.to_html()))
    assert LEGEND not in three.to_latex(pairs="none")
    narrow = three.to_text(50)
    assert "corr. 95% CI" in narrow.partition("Columns left out because the table is too narrow:")[2]
    assert "Corr. 95% CI" not in narrow
    assert any(LEGEND in each for each in json.loads(many.to_json())["method"])


def test_an_overview_says_how_far_the_best_run_is_ahead_with_the_corrected_interval() -> None:
    found = carob.compare(None, many_runs(12))
    pair = found.primary.between(*ranked(found.primary)[:2])
    ends = f"(corrected 95% interval {pair.joint_low:+.4f} to {pair.joint_high:+.4f}; corrected p "
    for text in (found.to_text(100), found.to_markdown().replace("\\", "")):
        flat = " ".join(text.split())
        assert f"a difference of {pair.difference:+.4f} {ends}" in flat


def test_a_baseline_that_leads_is_told_what_a_leader_chosen_afterwards_needs() -> None:
    runs, said = many_runs(4), "leave out the baseline, so that all pairs are tested."
    assert said in " ".join(carob.compare(None, runs, baseline="run03").to_text(100).split())
    assert said not in " ".join(carob.compare(None, runs, baseline="run02").to_text(100).split())
    assert said not in " ".join(carob.compare(None, runs[:2], baseline="run01").to_text(100).split())


def test_numbers_replace_letters_where_a_run_is_named_by_a_letter() -> None:
    found = carob.compare(
        None, [replace(each, name=name) for each, name in zip(many_runs(3), "aBx", strict=True)]
    )
    text = found.to_text(140)
    assert re.search(r"^1  x +0\.\d+ 2,3", text, re.MULTILINE)
    assert "\n1-2  x - B" in text
    assert (
        "A number after a score: significantly better than the run with this number, after correction."
        in text
    )
    assert "2,3" in found.to_latex()
    assert [each["letter"] for each in json.loads(found.to_json())["runs"]] == ["3", "2", "1"]
    rows = list(csv.DictReader(io.StringIO(found.to_csv("runs"))))
    assert [(each["letter"], each["better_than"]) for each in rows] == [("3", ""), ("2", "3"), ("1", "2,3")]
    longer = carob.compare(None, many_runs(3))
    assert longer.primary.marks == ("c", "b", "a")


def test_the_best_runs_are_shown_and_all_are_tested() -> None:
    draw = np.random.default_rng(7).random((60, 1))
    found = carob.compare(None, systems(draw + np.arange(20) * 0.01), test="t", baseline=0)
    text = found.to_text(100, top=3)
    assert [line.split()[1] for line in text.splitlines() if re.match(r"[a-z]  s", line)][:4] == [
        "s19",
        "s18",
        "s17",
        "s0",
    ]
    assert "16 more runs are tested and not shown (top=3)." in " ".join(text.split())
    assert "Holm over 19 comparisons" in text
    few = carob.compare(None, systems(draw + np.arange(4) * 0.01))
    assert "1 more run is tested and not shown (top=3)." in few.to_text(100, top=3)


@pytest.mark.parametrize("layout", ["text", "markdown"])
def test_notes_name_options_on_the_command_line_and_arguments_in_python(
    layout: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    draw = np.random.default_rng(7).random((30, 1))
    table = draw + np.arange(42) * 0.01
    rows = [",".join(map(str, row)) for row in ([f"{n}", *each] for n, each in enumerate(table.tolist()))]
    header = ",".join(["query", *(f"s{n}" for n in range(42))])
    (tmp_path / "scores.csv").write_text("\n".join([header, *rows]) + "\n")
    options = ("-m", "AP", "--test", "t", "--format", layout)

    def printed(*more: str) -> str:
        main(["compare", str(tmp_path / "scores.csv"), *options, *more])
        return " ".join(capsys.readouterr().out.split())

    found = carob.compare(None, systems(table), test="t")
    against = carob.compare(None, systems(table), test="t", baseline=0)
    several = "{} show all 861 pairs."
    below = "1 more run below: {} show all."
    python, command = "pairs='all' and to_json()", "--pairs all and --format json"
    for comparison, options_of, note in ((found, (), several), (against, ("-b", "s0"), below)):
        text = " ".join(getattr(comparison, f"to_{layout}")().split()).replace("\\_", "_")
        assert note.format(python) in text
        assert note.format(command) in printed(*options_of)
    assert "40 more runs are tested and not shown (--top 2)." in printed("--top", "2")


def test_joint_intervals_stand_beside_single_ones_where_p_is_corrected() -> None:
    draw = np.random.default_rng(11)
    table = draw.random((40, 1)) + draw.normal(0, 0.2, (40, 3)) + np.linspace(0, 0.12, 3)
    found = carob.compare(None, systems(table), test="t")
    pair = found.primary.pairs[0]
    joint = f"[{-pair.joint_high:+.3f},{-pair.joint_low:+.3f}]"
    for layout in ("text", "markdown", "latex", "html"):
        text = getattr(found, f"to_{layout}")()
        assert joint in text.replace("$", "")
        assert "it may not cover all 3 differences simultaneously" in " ".join(text.split())
    plain = carob.compare(None, systems(table), test=carob.Test("t", correction="none")).to_text(100)
    assert "corr." not in plain


@pytest.mark.parametrize("layout", ["csv", "tsv"])
@pytest.mark.parametrize("option", ["--worst", "--gains"])
def test_worst_queries_are_not_dropped_in_silence(
    option: str, layout: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["compare", "qrels", "a", "b", option, "2", "--format", layout])
    assert f"{option} lists queries" in capfd.readouterr().err


def test_a_difference_that_no_means_can_have_is_not_called_detectable() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
    runs = {"one": {"q1": {"a": 1.0}, "q2": {"a": 1.0}}, "two": {"q1": {"a": 1.0}, "q2": {"b": 1.0}}}
    text = " ".join(carob.compare(qrels, runs, ["AP"]).to_text(80).split())
    assert "2 queries are few." in text
    assert "detect" not in text
