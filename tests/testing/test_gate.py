"""Gates: when one fails and when not, what it says, and what CI servers read of it."""

from __future__ import annotations

import json
import math
import os
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from scipy import stats

import carob
from carob import DataError, MeasureError, Policy
from carob.cli import main
from toys import command

# Each query has one relevant document; its rank is all that a run is.
BEFORE = [1, 1, 1, 1, 2, 1, 1, 3, 1, 1, 2, 1]
WORSE = [2, 2, 1, 2, 2, 3, 1, 3, 2, 4, 3, 1]  # ten of twelve fall or stay, most fall
NOISE = [2, 1, 1, 1, 1, 1, 1, 4, 1, 1, 1, 1]
FALLEN = [
    2,
    2,
    1,
    1,
    1,
    1,
    1,
    3,
    1,
    1,
    2,
    1,
]  # two fall by .5, one rises by .5: a mean drop of .0417 of no significance

SURE = "larger than the tolerance, and significantly different from 0"
UNSURE = "larger than the tolerance, but not significantly different from 0"


def qrels_of(ranks: list[int], start: int = 0) -> dict[str, dict[str, int]]:
    return {f"q{place + start:02}": {"hit": 1} for place in range(len(ranks))}


def run_of(ranks: list[int], start: int = 0) -> dict[str, dict[str, float]]:
    return {
        f"q{place + start:02}": {
            ("hit" if each == rank else f"x{each}"): 1.0 / each for each in range(1, rank + 1)
        }
        for place, rank in enumerate(ranks)
    }


def text_of(run: dict[str, dict[str, float]]) -> str:
    return "".join(
        f"{query} Q0 {document} 0 {score} t\n"
        for query, its in run.items()
        for document, score in its.items()
    )


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "qrels.txt").write_text("".join(f"{query} 0 hit 1\n" for query in qrels_of(BEFORE)))
    for name, ranks in {"old": BEFORE, "worse": WORSE, "noise": NOISE}.items():
        (tmp_path / f"{name}.run").write_text(text_of(run_of(ranks)))
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    return tmp_path


def gated(ranks: list[int], drops: Any, **options: Any) -> carob.Gate:
    return carob.gate(qrels_of(BEFORE), run_of(ranks), run_of(BEFORE), drops, name="new", **options)


def test_the_numbers_are_those_of_a_paired_t_test() -> None:
    """Of a measure without an upper end, whose differences have no range."""
    (check,) = gated(WORSE, {"DCG": 0.05}).checks
    before, after = ([1 / math.log2(rank + 1) for rank in ranks] for ranks in (BEFORE, WORSE))
    theirs = stats.ttest_rel(after, before)
    interval = theirs.confidence_interval(0.95)
    assert check.p_uncorrected == pytest.approx(theirs.pvalue, rel=1e-9)
    assert (check.low, check.high) == pytest.approx((interval.low, interval.high), rel=1e-9)
    assert check.before == pytest.approx(sum(before) / 12)
    assert check.after == pytest.approx(sum(after) / 12)
    assert not check.passed


def test_a_drop_larger_than_the_tolerance_fails_whether_significant_or_not() -> None:
    drop = -gated(WORSE, {"RR": 0.05}).checks[0].difference
    assert drop == pytest.approx(sum(1 / b - 1 / w for b, w in zip(BEFORE, WORSE, strict=True)) / 12)
    assert not gated(WORSE, {"RR": drop - 1e-9}).passed  # just larger
    assert gated(WORSE, {"RR": drop + 1e-9}).passed
    assert not gated(WORSE, {"RR": 0.0}, alpha=1e-9).passed  # not significant at that level
    assert not gated(FALLEN, {"RR": 0.01}).passed
    assert gated(FALLEN, {"RR": 0.01}).checks[0].reading == [UNSURE]
    assert gated(WORSE, {"RR": 0.05}).checks[0].reading == [SURE]


def test_a_drop_of_exactly_the_tolerance_passes_although_doubles_round() -> None:
    """0.65 - 0.64 is 0.010000000000000009 in doubles."""
    qrels = {f"q{each}": {"a": 1} for each in range(100)}
    old, new = (
        {query: {"a" if place < hits else "x": 1.0} for place, query in enumerate(qrels)} for hits in (65, 64)
    )
    assert 0.65 - 0.64 > 0.01
    assert carob.gate(qrels, new, old, {"P@1": 0.01}).passed
    assert carob.gate(qrels, new, at_least={"P@1": 0.1 + 0.54}).passed  # 0.6400000000000001
    assert not carob.gate(qrels, new, at_least={"P@1": 0.6401}).passed


def test_by_significance_it_fails_only_on_a_drop_that_is_both_large_and_significant() -> None:
    drop = -gated(WORSE, {"RR": 0.05}).checks[0].difference
    rule: dict[str, Any] = {"decide_by": "significance"}
    assert not gated(WORSE, {"RR": drop - 1e-9}, **rule).passed  # significant, and just larger
    assert gated(WORSE, {"RR": drop + 1e-9}, **rule).passed  # significant, but tolerated
    assert gated(WORSE, {"RR": 0.0}, alpha=1e-9, **rule).passed  # larger, but it could be chance
    assert gated(FALLEN, {"RR": 0.01}, **rule).passed
    assert gated(NOISE, {"RR": 0.0}, **rule).passed
    better = carob.gate(qrels_of(BEFORE), run_of(BEFORE), run_of(WORSE), {"RR": 0.0})
    assert better.passed  # a significant rise is not a drop
    assert better.checks[0].worst == ()


def test_two_measures_share_alpha_by_holm() -> None:
    found = gated(WORSE, {"RR": 0.0, "P@1": 0.0})
    p = sorted(each.p_uncorrected for each in found.checks)
    assert sorted(each.p_corrected for each in found.checks) == pytest.approx(
        [min(1, 2 * p[0]), max(2 * p[0], p[1])]
    )
    rule: dict[str, Any] = {"decide_by": "significance"}
    between = gated(WORSE, {"RR": 0.0, "P@1": 0.0}, alpha=1.5 * p[0], **rule)
    assert between.passed  # each p alone is below alpha, no corrected one is
    assert not gated(WORSE, {"RR": 0.0}, alpha=1.5 * found.checks[0].p_uncorrected, **rule).passed
    # The detectable drop is that of the shared level, except where every check must pass, so that nothing is shared.
    alone = gated(WORSE, {"RR": 0.0}).checks[0].detectable
    assert found.checks[0].detectable > 1.1 * alone
    assert found.checks[0].detectable == pytest.approx(
        gated(WORSE, {"RR": 0.0}, alpha=0.025).checks[0].detectable, rel=0.03
    )
    shown = gated(WORSE, {"RR": 0.0, "P@1": 0.0}, decide_by="non-inferiority")
    assert shown.checks[0].detectable == pytest.approx(alone)
    # A minimum that is tested is one of the tests.
    both = gated(WORSE, {"RR": 0.0}, at_least={"P@1": 0.9}, **rule)
    first, last = sorted(each.p_uncorrected for each in both.checks)
    assert sorted(each.p_corrected for each in both.checks) == pytest.approx(
        [2 * first, max(2 * first, last)]
    )


def test_the_worst_queries_come_with_their_values() -> None:
    (check,) = gated(WORSE, {"RR": 0.05}, worst=3).checks
    assert [(each.query, each.before, each.after) for each in check.worst] == [
        ("q09", 1.0, 1 / 4),
        ("q05", 1.0, 1 / 3),
        ("q00", 1.0, 1 / 2),
    ]
    assert gated(WORSE, {"RR": 0.05}, worst=0).checks[0].worst == ()


def test_groups_have_the_numbers_of_gates_of_their_own_and_decide_nothing() -> None:
    names = {f"q{place:02}": "low" if place in (0, 5, 9) else "high" for place in range(12)}
    found = gated(WORSE, {"RR": 0.4}, by=names, at_least={"RR": 0.5})
    drop, floor = found.checks
    assert found.passed
    assert [(each.name, each.queries) for each in drop.groups] == [("high", 9), ("low", 3)]
    for group in drop.groups:
        its = [query for query in names if names[query] == group.name]
        sides = [{query: run_of(ranks)[query] for query in its} for ranks in (WORSE, BEFORE)]
        alone = carob.gate({query: {"hit": 1} for query in its}, *sides, {"RR": 0.4}).checks[0]
        for field in ("before", "after", "low", "high", "p_uncorrected", "worst_point"):
            assert getattr(group, field) == pytest.approx(getattr(alone, field), nan_ok=True), field
    assert [(each.after, math.isnan(each.before)) for each in floor.groups] == [
        (each.after, True) for each in drop.groups
    ]
    assert "RR fell by more than the tolerance in 1 of 2 groups: low" in found.remarks
    assert "RR is below the minimum in 1 of 2 groups: low" in found.remarks
    assert {*found.records()} == {"checks", "queries", "groups"}
    assert "| RR | low | 3 |" in re.sub(" +", " ", found.to_markdown())
    assert [each["name"] for each in found.as_dict()["checks"][0]["groups"]] == ["high", "low"]


def test_a_gate_by_tags_reads_them_from_the_golden_set(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        {"id": each, "expectedIds": ["a"], "tags": tags}
        for each, tags in {"q1": ["x"], "q2": ["x", "y"], "q3": []}.items()
    ]
    (tmp_path / "golden.json").write_text(json.dumps(rows))
    for name, order in {"old": "ab", "new": "ba"}.items():
        (tmp_path / f"{name}.json").write_text(json.dumps({each["id"]: [*order] for each in rows}))
    files = [str(tmp_path / f"{name}.json") for name in ("golden", "new", "old")]
    for options in (
        ["--max-drop", "RR=0.6"],
        ["--min", "RR=0.1"],
        ["--min", "RR=0.1", "--decide-by", "significance"],
    ):
        words = ["gate", files[0], files[1], "--by", "tags", "--format", "json", *options]
        assert command(*words, *(["--baseline", files[2]] if "--max-drop" in options else [])) == 0
        found = json.loads(capsys.readouterr().out)
        groups = found["checks"][0]["groups"]
        assert found["in_several_groups"] == 1
        assert [(each["name"], each["ungrouped"], each["queries"], each["after"]) for each in groups] == [
            ("x", False, 2, 0.5),
            ("y", False, 1, 0.5),
            ("(none)", True, 1, 0.5),
        ]
    tags = {"q1": ["x"], "q2": ["x", "y"], "q3": [], "q4": ["x"]}
    ranked = {query: {"a": 2.0, "b": 1.0} for query in tags}
    judged = {query: {"a": 1} for query in tags}
    before = {**ranked, "q2": {"a": 1.0, "b": 2.0}}
    tested = carob.gate(judged, ranked, before, {"RR": 0.1}, by=tags).to_text()
    assert "1 query counts in several groups, so these groups are not independent." in " ".join(
        tested.split()
    )
    assert "t-test" not in carob.gate(judged, ranked, at_least={"RR": 0.1}, by=tags).to_text()


def test_a_pass_says_whether_a_larger_drop_is_excluded() -> None:
    same = gated(BEFORE, {"RR": 0.01}).checks[0]
    assert same.verdict == "RR stayed at 0.8611, tolerance 0.01"
    assert same.evidence == "the same value for each of the 12 queries, so there is nothing to test"
    assert same.reading == ["no query fell, but the runs may differ on other queries"]
    noisy = gated(NOISE, {"RR": 0.01}).checks[0]
    assert noisy.low < -0.01 < noisy.detectable
    assert gated(WORSE, {"RR": 0.05}).checks[0].reading == [SURE]
    assert noisy.reading == [
        f"the drop is not shown to be within the tolerance: a drop of {-noisy.low:.4f} remains possible",
        f"too few queries for this tolerance: 12 queries detect a drop of {noisy.detectable:.4f} or more (80% power)",
    ]
    # No number of queries excludes every drop.
    assert gated(NOISE, {"RR": 0.0}).checks[0].reading[1].startswith("12 queries detect a drop of ")
    assert gated(NOISE, {"RR": 1.0}).checks[0].reading == [
        "the interval excludes a drop larger than the tolerance: not inferior"
    ]


def test_queries_are_paired_by_id_and_strangers_are_named() -> None:
    qrels = qrels_of([*BEFORE, 1, 1])
    answered = {query: its for query, its in run_of(BEFORE).items() if query != "q00"}
    old = carob.evaluate(qrels_of(BEFORE), answered, "RR", name="old")
    new = carob.evaluate(
        {query: its for query, its in qrels.items() if query != "q00"}, run_of([*WORSE, 1, 1]), "RR"
    )
    found = carob.gate(None, new, old, {"RR": 0.05})
    assert (found.only_before, found.only_after) == (("q00",), ("q12", "q13"))
    (check,) = found.checks
    assert check.queries == 11
    assert check.before == pytest.approx(sum(1 / rank for rank in BEFORE[1:]) / 11)
    assert check.after == pytest.approx(sum(1 / rank for rank in WORSE[1:]) / 11)
    assert "1 query judged only for the baseline, left out of the differences: q00" in found.to_text()
    assert "2 queries only in the run, left out of the differences: q12, q13" in found.to_text()
    reversed_order = dict(reversed(list(run_of(WORSE).items())))
    again = carob.gate(qrels_of(BEFORE), reversed_order, run_of(BEFORE), {"RR": 0.05})
    assert again.checks == gated(WORSE, {"RR": 0.05}).checks


def test_the_same_drop_in_every_query_is_no_chance() -> None:
    qrels = {f"q{each}": {"a": 1} for each in range(10)}
    old, new = (dict.fromkeys(qrels, its) for its in ({"a": 2.0, "b": 1.0}, {"a": 0.5, "b": 1.0}))
    found = carob.gate(qrels, new, old, {"RR": 0.1})
    assert not found.passed
    assert found.checks[0].difference == -0.5
    assert found.checks[0].p_uncorrected == 2 / 2**10  # of all sign flips, two are as extreme
    assert found.checks[0].evidence.startswith(
        "the difference is the same in all 10 queries, so there is no interval; sign-flip test, p 0.002"
    )
    assert carob.gate(qrels, new, old, {"RR": 0.5}).passed


def test_by_significance_a_large_drop_in_too_few_queries_passes_with_a_warning() -> None:
    """Three queries that all fall: of eight sign flips two are as extreme, so p cannot be below 1/4."""
    qrels = {f"q{each}": {"a": 1} for each in range(3)}
    old, new = (dict.fromkeys(qrels, its) for its in ({"a": 2.0, "b": 1.0}, {"a": 0.5, "b": 1.0}))
    assert not carob.gate(qrels, new, old, {"RR": 0.1}).passed
    found = carob.gate(qrels, new, old, {"RR": 0.1}, decide_by="significance")
    assert found.passed
    assert found.checks[0].p_uncorrected == 1 / 4
    assert found.checks[0].reading == [UNSURE]
    assert found.to_github().startswith("::warning title=carob gate%3A max-drop RR=0.1::RR fell by 0.5000")


def test_one_query_or_none_in_common_is_said() -> None:
    one = carob.gate({"q": {"a": 1}}, {"q": {"x": 2.0, "a": 1.0}}, {"q": {"a": 1.0}}, {"RR": 0.1})
    assert not one.passed
    assert one.checks[0].reading == ["larger than the tolerance"]
    assert one.checks[0].evidence == "no significance test, because it needs at least 2 queries"
    assert "no significance test, because it needs at least 2 queries" in one.to_text()
    assert math.isnan(one.checks[0].p_uncorrected)
    assert json.loads(one.to_json())["checks"][0]["p_uncorrected"] is None
    ours, theirs = (carob.evaluate({q: {"a": 1}}, {q: {"a": 1.0}}, "RR") for q in ("x", "y"))
    with pytest.raises(DataError, match="have no query in common"):
        carob.gate(None, ours, theirs, {"RR": 0.1})


def test_a_minimum_beside_a_baseline_keeps_the_rule_of_drops_without_a_tolerance() -> None:
    """The drop of .0417 is not significant, and the mean decides about the minimum."""
    found = carob.gate(qrels_of(BEFORE), run_of(FALLEN), run_of(BEFORE), at_least={"RR": 0.85})
    drop, floor = found.checks
    assert (drop.title, drop.decide_by, drop.passed) == ("max-drop RR=0", "significance", True)
    assert (floor.title, floor.decide_by, floor.passed) == ("min RR=0.85", "mean", False)
    assert (
        "no tolerance was given, so it is 0, and only a significant drop fails. With max_drop={'RR': 0.01}, every "
        "drop of more than 0.01 fails, significant or not"
    ) in found.warnings
    assert found.headline.endswith("1 of 2 checks failed; decided: drops by significance, minimums by mean")
    assert (
        "A drop fails the gate if it is larger than the tolerance and significantly different"
        in found.remarks[-2]
    )
    alone = carob.gate(qrels_of([1] * 12), run_of([3] * 12), run_of([1] * 12))
    assert (alone.passed, alone.checks[0].title, alone.decide_by) == (
        False,
        "max-drop nDCG@10=0",
        "significance",
    )
    mean = carob.gate(qrels_of(BEFORE), run_of(FALLEN), run_of(BEFORE), decide_by="mean")
    assert (mean.passed, mean.decide_by) == (False, "mean")
    # A tolerance does not change a rule that the caller chose.
    assert (
        "no tolerance was given, so it is 0: max_drop={'nDCG@10': 0.01} sets another tolerance"
        in mean.warnings
    )


def test_the_headline_names_the_rule_in_every_format() -> None:
    """The same drop passes or fails by the rule, which a tolerance changes: the first line says which one decided."""
    for drops, rule, passed in (
        (None, None, True),
        ({"RR": 0.01}, None, False),
        ({"RR": 0.01}, "significance", True),
        ({"RR": 0.01}, "non-inferiority", False),
    ):
        found = carob.gate(
            qrels_of(BEFORE), run_of(FALLEN), run_of(BEFORE), drops, decide_by=rule, name="new"
        )
        assert found.passed == passed
        named = rule or ("significance" if drops is None else "mean")
        first = [text.split("\n")[0].strip("*") for text in (found.to_text(), found.to_markdown())]
        assert {*first, json.loads(found.to_json())["headline"]} == {found.headline}
        assert found.headline.endswith(f"; decided by {named}")


def test_a_least_value_needs_no_baseline() -> None:
    found = carob.gate(qrels_of(BEFORE), run_of(BEFORE), at_least={"RR": 0.8, "P@1": 0.9})
    assert [(each.label, each.passed) for each in found.checks] == [("RR", True), ("P@1", False)]
    assert found.checks[1].verdict == "P@1 0.7500 is below 0.9"
    assert carob.gate(qrels_of(BEFORE), run_of(BEFORE), at_least={"P@1": 0.75}).passed


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "No limit was passed, so there is nothing to check"),
        ({"max_drop": {"RR": 0.1}}, "A drop needs a baseline"),
        ({"max_drop": {"RR": -0.1}, "baseline": {}}, "The tolerance of RR is -0.1"),
        ({"max_drop": {"RR": math.nan}, "baseline": {}}, "The tolerance of RR is nan"),
        ({"max_drop": {"NumRet": 1}, "baseline": run_of(BEFORE)}, "NumRet is not a mean over queries"),
        ({"max_drop": {"GMAP": 0.1}, "baseline": run_of(BEFORE)}, "GMAP is not a mean over queries"),
        ({"max_drop": "RR", "baseline": {}}, "max_drop is 'RR': pass a number, or a mapping"),
        ({"max_drop": ["RR"], "baseline": {}}, r"max_drop is \['RR'\]: pass a number"),
        ({"max_drop": {"RR": "0.1"}, "baseline": {}}, "The tolerance of RR is '0.1': use a number"),
        (
            {"max_drop": {"RR": 5}, "baseline": run_of(BEFORE)},
            "with a tolerance of 5, every run passes. For 5%",
        ),
        ({"at_least": 0.5}, "at_least is 0.5: pass a mapping"),
        ({"at_least": {"RR": math.nan}}, "The least value of RR is nan"),
        ({"at_least": {"RR": -math.inf}}, "The least value of RR is -inf"),
        ({"at_least": {"RR": True}}, "The least value of RR is True"),
        (
            {"at_least": {"RR": 60}},
            "RR lies between 0 and 1: a minimum of 60 is never reached. .* write 0.6",
        ),
        ({"at_least": {"RR": -1}}, "RR lies between 0 and 1: a minimum of -1 is always reached"),
        ({"at_least": {"Unjudged@10": 0.1}}, "Unjudged@10 is better if it is smaller"),
        ({"max_drop": {"E": 0.1}, "baseline": run_of(BEFORE)}, "E is better if it is smaller"),
    ],
)
def test_a_gate_that_would_say_nothing_is_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(DataError, match=words):
        carob.gate(qrels_of(BEFORE), run_of(BEFORE), **options)


@pytest.mark.parametrize("missing", ["skip", "nan"])
def test_a_run_that_answers_less_than_its_baseline_does_not_pass(missing: str) -> None:
    qrels, policy = qrels_of([2] * 12), Policy(missing=missing)
    good, few = run_of([2] * 12), run_of([1] * 3)
    with pytest.raises(
        DataError, match=f"lacks 9 of 12 queries that .* answers, starting with 'q03', and missing={missing}"
    ):
        carob.gate(qrels, few, good, {"RR": 0.05}, policy=policy)
    by_measure = Policy(by_measure={"RR": {"missing": missing}})
    with pytest.raises(DataError, match=f"missing={missing} leaves these queries out of RR"):
        carob.gate(qrels, few, good, {"RR": 0.05}, policy=by_measure)
    # What the baseline lacks is in no difference, nor in the means that are shown.
    (check,) = carob.gate(qrels, good, few, {"RR": 0.6}, policy=policy).checks
    assert (check.before, check.after, check.queries) == (1.0, 0.5, 3)
    assert carob.gate(qrels, few, few, {"RR": 0.05}, policy=policy).passed


def test_that_sentence_names_the_flag_on_the_command_line(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / "few.run").write_text(text_of(run_of(BEFORE[:3])))
    words = ["--baseline", "old.run", "--max-drop", "RR=0.1", "--missing", "skip"]
    assert command("gate", "qrels.txt", "few.run", *words) == 2
    assert "count missing queries as 0: --missing zero." in capfd.readouterr().err


def test_two_sides_without_a_judged_document_do_not_pass(folder: Path) -> None:
    qrels, strange = qrels_of(BEFORE), {query: {"elsewhere": 1.0} for query in qrels_of(BEFORE)}
    with (
        pytest.warns(carob.DataWarning),
        pytest.raises(DataError, match=r"Neither .* nor .* a judged document"),
    ):
        carob.gate(qrels, strange, strange, {"RR": 0.05})
    assert carob.gate(qrels, strange, strange, {"RR": 0.05}, policy=Policy(overlap="none")).passed
    with pytest.warns(carob.DataWarning):
        assert not carob.gate(qrels, strange, run_of(BEFORE), {"RR": 0.05}).passed
    (folder / "strange.run").write_text(text_of(strange))
    limit = ["--max-drop", "RR=0.1"]
    assert command("gate", "qrels.txt", "strange.run", "--baseline", "strange.run", *limit) == 2


@pytest.mark.parametrize(
    "limit", ["RR=nan", "RR=-inf", "RR=1_0", "RR=0x1", "RR=\u0660", "RR=", "RR=1e400", "RR=60"]
)
@pytest.mark.parametrize("option", ["--min", "--max-drop"])
def test_a_limit_on_the_command_line_is_a_plain_number(
    limit: str, option: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    baseline = [] if option == "--min" else ["--baseline", "old.run"]
    assert command("gate", "qrels.txt", "old.run", *baseline, option, limit) == 2
    said = capfd.readouterr().err
    assert "expected" not in said or f"nDCG@10={0.6 if option == '--min' else 0.005}." in " ".join(
        said.split()
    )
    assert re.search(r"expected MEASURE=NUMBER|is inf: use a number|RR lies between 0 and 1", said), said


def test_a_baseline_may_be_a_record_or_printed_scores(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert command("eval", "qrels.txt", "old.run", "noise.run", "-m", "RR", "--record", "base.json") == 0
    capfd.readouterr()
    main(["eval", "-q", "qrels.txt", "old.run", "-m", "RR", "--format", "json"])
    Path("plain.json").write_text(capfd.readouterr().out)
    direct = carob.gate("qrels.txt", "worse.run", "old.run", {"RR": 0.05})
    for path, options in (("base.json", {"baseline_run": "old"}), ("plain.json", {})):
        found = carob.gate("qrels.txt", "worse.run", path, {"RR": 0.05}, **options)
        assert found.checks == direct.checks
        assert found.baseline == f"old in {path}"
    with pytest.raises(
        DataError, match="contains 2 runs, and none is called 'worse': choose one with baseline_run="
    ):
        carob.gate("qrels.txt", "worse.run", "base.json", {"RR": 0.05})
    with pytest.raises(MeasureError, match=r"plain.json has no values of AP. Its measures are RR"):
        carob.gate("qrels.txt", "worse.run", "plain.json", {"AP": 0.05})


def test_a_recorded_baseline_brings_its_policy(folder: Path) -> None:
    short = run_of(BEFORE[:-2])
    (folder / "short.run").write_text(text_of(short))
    carob.record(carob.evaluate("qrels.txt", "short.run", "RR", policy=Policy(missing="skip")), "base.json")
    found = carob.gate("qrels.txt", "short.run", "base.json", {"RR": 0.01})
    assert found.checks[0].queries == 10
    assert "2 missing queries skipped" in found.footers[0]
    with pytest.raises(DataError, match="under a different policy"):
        carob.gate("qrels.txt", "short.run", "base.json", {"RR": 0.01}, policy=Policy(empty="one"))


def test_judgments_that_changed_since_the_record_are_noted(folder: Path) -> None:
    carob.record(carob.evaluate("qrels.txt", "old.run", "RR"), "base.json")
    assert carob.gate("qrels.txt", "old.run", "base.json", {"RR": 0.01}).warnings == ()
    with Path("qrels.txt").open("a") as file:
        file.write("q00 0 other 0\n")
    (note,) = carob.gate("qrels.txt", "old.run", "base.json", {"RR": 0.01}).warnings
    assert note.startswith("qrels.txt is not the judgment file with which the baseline was recorded")


OTHER = {
    "changed": (("qrels.txt",), "qrels.txt is not the judgment file with which the baseline was recorded"),
    "another file": (("more.txt",), "more.txt is not the judgment file with which the baseline was recorded"),
    "other numbers for words": (
        ("words.txt", "--grade-words", "Yes=2,No=0"),
        "words.txt is not the judgment file",
    ),
}
SHOWN = ("text", "json", "markdown", "html", "csv", "latex")


@pytest.mark.parametrize("case", OTHER)
@pytest.mark.parametrize("form", ["record", "json", "comparison"])
def test_each_output_says_that_the_baseline_had_other_judgments(
    form: str, case: str, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The output of ``carob eval -q --format json`` had no hash, and words for grades no number."""
    judged = Path("qrels.txt").read_text()
    words = [*(line[:-1] + "Yes" for line in judged.splitlines()), "q00 0 other No"]
    Path("words.txt").write_text("\n".join(words) + "\n")
    given, told = OTHER[case]
    before = ["words.txt", "--grade-words", "Yes=1,No=0"] if given[0] == "words.txt" else ["qrels.txt"]
    if form == "record":
        assert command("eval", *before, "old.run", "-m", "RR", "--record", "base.json") == 0
    else:
        start = (
            ["eval", *before, "old.run", "-q"]
            if form == "json"
            else ["compare", *before, "old.run", "worse.run"]
        )
        capfd.readouterr()
        assert command(*start, "-m", "RR", "--format", "json") == 0
        Path("base.json").write_text(capfd.readouterr().out)
    same = ("--baseline", "base.json", "--baseline-run", "old", "--max-drop", "RR=0.5")
    assert command("gate", *before, "noise.run", *same) == 0
    assert "judgment" not in capfd.readouterr().out
    Path("more.txt").write_text(judged + "q00 0 other 0\n")
    if case == "changed":
        Path("qrels.txt").write_text(judged + "q00 0 other 0\n")
    for layout in SHOWN:
        options = (*same, "--format", layout, "--junit", "out.xml", "--github")
        assert command("gate", given[0], "noise.run", *given[1:], *options) == 0
        out, err = capfd.readouterr()
        assert told in " ".join((err if layout in ("csv", "latex") else out).replace("\\", "").split()), (
            layout
        )
        assert told in Path("out.xml").read_text()
        assert f"::warning title=carob gate::{told}" in err


def test_scores_of_other_judgments_are_told_by_each_function_that_takes_scores(folder: Path) -> None:
    """Scores in memory know the files from which they were computed."""
    Path("more.txt").write_text(Path("qrels.txt").read_text() + "q00 0 other 0\n")
    old, noise = (carob.evaluate("qrels.txt", f"{name}.run", "RR") for name in ("old", "noise"))
    worse = carob.evaluate("more.txt", "worse.run", "RR")
    Path("worse.json").write_text(worse.to_json())
    for its in (worse, carob.read_scores("worse.json")["worse"]):
        (note, *_) = carob.gate(None, its, old, {"RR": 1}).warnings
        assert note.startswith("worse and old were scored with different judgments")
        scores = {"old": old, "noise": noise, "worse": its}
        for found in (
            carob.compare(None, scores),
            carob.best(scores),
            carob.plan(scores, difference=0.1),
            carob.compare_collections({"A": scores, "B": scores}, "RR"),
            carob.evaluate_collections({"A": scores, "B": scores}, "RR"),
            carob.check_collections({"A": scores, "B": scores}),
        ):
            assert "cored with different judgments from old" in found.to_json(), type(found)
            assert "cored with different judgments from old" in " ".join(str(found).split()), type(found)
    assert carob.gate(None, noise, old, {"RR": 1}).warnings == ()
    assert "different judgments" not in str(carob.compare(None, {"old": old, "noise": noise}))


@pytest.mark.parametrize("other", ["old.run", "./old.run", "link.run"])
def test_one_file_on_both_sides_is_said(other: str, folder: Path) -> None:
    Path("link.run").symlink_to("old.run")
    found = carob.gate("qrels.txt", "old.run", other, {"RR": 0.01})
    (note,) = found.warnings
    assert note.startswith(
        "old.run is both the run and the baseline, so no drop can be measured: pass the run from"
    )
    for text in (str(found), found.to_json(), found.to_junit(), found.to_markdown(), found.to_github()):
        assert "both the run and" in " ".join(text.split())
    assert "has the baseline's value" not in str(found)


def test_a_run_with_the_values_of_its_baseline_is_said(folder: Path) -> None:
    """It is no warning: after a change of other files, a run is equal to the byte."""
    Path("copy.run").write_text(Path("old.run").read_text())
    carob.record(carob.evaluate("qrels.txt", "old.run", ["RR", "P@1"]), "base.json")
    told = "has the baseline's value of RR for every query, as the same run would have"
    for run, base in (("copy.run", "old.run"), ("old.run", "base.json"), (run_of(BEFORE), run_of(BEFORE))):
        found = carob.gate("qrels.txt", run, base, {"RR": 0.01})
        assert (found.warnings, told in found.footers[-1]) == ((), True)
        for text in (str(found), found.to_json(), found.to_junit(), found.to_markdown()):
            assert told in " ".join(text.split())
        assert found.to_github() == ""
    # The first relevant document of each query is at the same rank, but there are more of them.
    longer = run_of([1, *BEFORE[1:]]) | {"q00": {"hit": 9.0, "other": 1.0}}
    for run in ("noise.run", longer):
        assert told not in str(carob.gate("qrels.txt", run, "old.run", {"RR": 0.5}))


@pytest.mark.parametrize("form", ["runs", "scores", "records"])
def test_a_side_whose_lists_were_cut_is_noted_where_a_measure_reads_further(form: str, folder: Path) -> None:
    """A baseline cut at 3 made AP rise by what the cut had taken."""
    names = [f"d{number}" for number in range(30)]
    qrels = {
        f"q{each}": {name: int(place % 4 == each % 2) for place, name in enumerate(names)}
        for each in range(4)
    }
    whole = {query: {name: 30.0 - place for place, name in enumerate(names)} for query in qrels}
    short = {query: dict(list(its.items())[:3]) for query, its in whole.items()}

    def given(run: Any, name: str) -> Any:
        scores = carob.evaluate(qrels, run, ["AP", "P@3"], name=name)
        if form != "records":
            return scores if form == "scores" else run
        carob.record(scores, f"{name}.json")
        return f"{name}.json"

    one, other = given(whole, "whole"), given(short, "short")
    notes = carob.gate(qrels, whole if form == "records" else one, other, {"AP": 0.01}).warnings
    said = "a list has 3 documents on average in the baseline, and 30 in the run: in AP, shorter lists are at"
    assert [each for each in notes if each.startswith(said)]
    if form == "runs":  # a deep policy does not make a measure read further
        notes = carob.gate(qrels, one, other, {"P@3": 0.01}, policy=carob.Policy(depth=1000)).warnings
        assert not [each for each in notes if "shorter lists" in each]
    for baseline, limits in ((other, {"P@3": 0.01}), (one, {"AP": 0.01})):
        notes = carob.gate(qrels, whole if form == "records" else one, baseline, limits).warnings
        assert not [each for each in notes if "shorter lists" in each]


def test_a_run_that_is_newer_than_the_judgments_is_noted() -> None:
    qrels = {f"q{each}": {"a": 1, "b": 0} for each in range(4)}
    old, new = (
        dict.fromkeys(qrels, its) for its in ({"b": 2.0, "a": 1.5}, {"newer": 3.0, "new": 2.5, "a": 1.0})
    )
    (note,) = carob.gate(qrels, new, old, {"RR": 0.05}).warnings
    assert note.startswith("67% of the first 10 documents are unjudged in the run, and 0% in the baseline: ")
    assert carob.gate(qrels, old, new, {"RR": 0.05}).warnings == ()
    assert carob.gate(qrels, new, new, {"RR": 0.05}).warnings == ()
    # Judgments of relevant documents alone cannot tell, and the gate says so in the words of a comparison.
    golden = {query: {"a": 1} for query in qrels}
    (said,) = carob.gate(golden, new, old, {"RR": 0.05}).warnings
    assert said == (
        "The judgments list only relevant documents, 1 per query, so the proportion of a run's documents that is "
        "judged does not show whether judgments are missing; unjudged documents count as not relevant."
    )
    compared = carob.compare(golden, {"new": new, "old": old}, "RR", baseline="old").warnings
    assert said in [each.sentence for each in compared]
    # Scores tell it only if they have it.
    assert carob.gate(qrels, new, carob.evaluate(qrels, old, "RR"), {"RR": 0.05}).warnings == ()
    assert carob.gate(qrels, new, carob.evaluate(qrels, old, ["RR", "Judged@10"]), {"RR": 0.05}).warnings == (
        note,
    )


def test_exit_codes(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert command("gate", "qrels.txt", "noise.run", "--baseline", "old.run", "--max-drop", "RR=0.05") == 0
    assert command("gate", "qrels.txt", "worse.run", "--baseline", "old.run", "--max-drop", "RR=0.05") == 1
    assert capfd.readouterr().err == ""
    assert command("gate", "qrels.txt", "worse.run", "--baseline", "gone.run", "--max-drop", "RR=0.05") == 2
    assert capfd.readouterr().err == "carob: gone.run: No such file or directory. Check the path.\n"
    for option, words in {
        "RR": "expected MEASURE=NUMBER",
        "=0.1": "needs a measure",
        "RRR=0.1": "There is no measure 'RRR'",
    }.items():
        assert command("gate", "qrels.txt", "worse.run", "--baseline", "old.run", "--max-drop", option) == 2
        assert words in capfd.readouterr().err
    twice = ["--max-drop", "RR=0.1", "--max-drop", "RR=0.2"]
    assert command("gate", "qrels.txt", "worse.run", "--baseline", "old.run", *twice) == 2
    assert "is given twice" in capfd.readouterr().err


def test_a_number_alone_is_the_tolerance_of_the_default_measure(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert command("gate", "qrels.txt", "worse.run", "--baseline", "old.run", "--max-drop", "0.05") == 1
    assert "  FAIL  nDCG@10 fell by " in capfd.readouterr().out


def test_parameters_may_stand_in_a_gated_measure(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    option = "nDCG(gain=exp2)@5=0.05"
    assert command("gate", "qrels.txt", "worse.run", "--baseline", "old.run", "--max-drop", option) == 1
    assert "nDCG(gain=exp2)@5 fell by" in capfd.readouterr().out


def test_the_text_says_everything_in_80_columns() -> None:
    found = gated(WORSE, {"RR": 0.05}, worst=2)
    text = found.to_text()
    lines = text.splitlines()
    assert lines[:2] == [
        "gate FAILED: new against run, 1 of 1 checks failed; decided by mean",
        "  FAIL  RR fell by 0.2986 (0.8611 to 0.5625), tolerance 0.05",
    ]
    assert lines[4:6] == ["        -0.7500  1.0000 to 0.2500  q09", "        -0.6667  1.0000 to 0.3333  q05"]
    assert max(map(len, lines)) <= 80
    assert "paired t-test, two-sided, alpha 0.05, one check, no correction" in " ".join(text.split())
    assert str(found) == text


def test_junit_of_a_pass_has_no_failure(folder: Path) -> None:
    assert (
        command(
            "gate",
            "qrels.txt",
            "noise.run",
            "--baseline",
            "old.run",
            "--max-drop",
            "RR=0.05",
            "--min",
            "RR=0.1",
            "--junit",
            "out.xml",
        )
        == 0
    )
    root = ET.parse("out.xml").getroot()
    assert root.get("failures") == "0"
    assert [each.get("name") for each in root.iter("testcase")] == ["max-drop RR=0.05", "min RR=0.1"]
    assert not list(root.iter("failure"))


def test_annotations_go_to_standard_error_in_github_actions(
    folder: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = [
        "gate",
        "qrels.txt",
        "worse.run",
        "--baseline",
        "old.run",
        "--max-drop",
        "RR=0.05",
        "--format",
        "json",
    ]
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert command(*arguments) == 1
    out, err = capfd.readouterr()
    assert json.loads(out)["passed"] is False
    assert err.startswith("::error title=carob gate%3A max-drop RR=0.05::RR fell by")
    assert command(*arguments, "--no-github") == 1
    assert capfd.readouterr().err == ""
    monkeypatch.delenv("GITHUB_ACTIONS")
    assert command(*arguments, "--github") == 1
    assert capfd.readouterr().err == err


def test_a_pass_that_proves_little_is_a_warning() -> None:
    (line,) = gated(NOISE, {"RR": 0.01}).to_github().splitlines()
    assert line.startswith("::warning title=carob gate%3A max-drop RR=0.01::")
    assert gated(BEFORE, {"RR": 0.01}).to_github() == ""


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="this system has no paths for open files")
def test_judgments_from_a_pipe_are_read_once_for_all() -> None:
    """A gate reads them for either run, a difference for each step: the second reading found nothing."""
    qrels = {"q": {"a": 1, "c": 1}, "r": {"b": 1}}
    new = {"q": {"a": 1.0, "b": 2.0}, "r": {"b": 1.0}}
    text = b"q 0 a 1\nq 0 c 1\nr 0 b 1\n"

    def piped() -> str:
        reader, writer = os.pipe()
        os.write(writer, text)
        os.close(writer)
        return f"/dev/fd/{reader}"

    by_pipe, by_dict = (carob.gate(given, new, new, {"AP": 0.1}) for given in (piped(), qrels))
    assert by_pipe.to_json() == by_dict.to_json()
    by_pipe, by_dict = (
        carob.difference("trec_eval-10", "sklearn", "nDCG", given, new) for given in (piped(), qrels)
    )
    assert str(by_pipe) == str(by_dict)


# ---------------------------------------------------------------- queries that one side lacks


MISSING_QRELS = {f"q{each}": {"a": 1} for each in range(1, 7)}
HALF = {f"q{each}": {"a": 1.0} for each in range(1, 4)}
"""The baseline answers q1 to q3 well, and timed out on the others."""
SECOND = {f"q{each}": {"x": 2.0, "a": 1.0} for each in range(1, 7)}
"""The run answers all, at rank 2: .5 is the mean of both sides if the baseline's missing queries count as 0."""


def written(folder: Path, **runs: dict[str, dict[str, float]]) -> None:
    for name, run in runs.items():
        (folder / f"{name}.run").write_text(text_of(run))
    (folder / "qrels.txt").write_text("".join(f"{query} 0 a 1\n" for query in MISSING_QRELS))


def baselines(folder: Path) -> dict[str, Any]:
    """The baseline in every form that a gate reads."""
    written(folder, half=HALF, second=SECOND)
    scores = carob.evaluate("qrels.txt", "half.run", "RR")
    carob.record(scores, "record.json")
    (folder / "printed.json").write_text(scores.to_json())
    table = "".join(f"{query},{value}\n" for query, value in scores.by_query("RR").items() if query in HALF)
    (folder / "values.csv").write_text(f"query,RR\n{table}")
    return {
        "run": HALF,
        "file": "half.run",
        "record": "record.json",
        "printed": "printed.json",
        "scores": scores,
        "values": carob.read_scores("values.csv")["values"],
    }


@pytest.mark.parametrize("kind", ["run", "file", "record", "printed", "scores", "values"])
def test_queries_that_only_the_run_answers_are_left_out_and_named(kind: str, folder: Path) -> None:
    baseline = baselines(folder)[kind]
    found = carob.gate(MISSING_QRELS, SECOND, baseline, {"RR": 0.05}, name="second")
    (check,) = found.checks
    assert (check.before, check.after, check.queries) == (1.0, 0.5, 3)
    assert not found.passed
    assert found.only_after == ("q4", "q5", "q6")
    assert found.missing_before == (() if kind == "values" else ("q4", "q5", "q6"))
    assert found.missing_after == found.only_before == ()
    said = "3 queries only in the run, left out of the differences: q4, q5, q6"
    assert said in str(found)
    assert said in found.to_markdown()
    assert said in found.to_junit()
    assert f"::warning title=carob gate::{said}" in found.to_github()
    fields = json.loads(found.to_json())
    assert fields["only_after"] == ["q4", "q5", "q6"]
    assert fields["only_before"] == fields["missing_after"] == fields["counted_as_zero"] == []


@pytest.mark.parametrize("kind", ["record", "printed", "scores", "values"])
def test_a_run_whose_judgments_lack_queries_of_the_baseline_does_not_pass(kind: str, folder: Path) -> None:
    """The run is perfect on q1 and q2, and q3, which the baseline answers, is among no judgments any more."""
    baseline, fewer = baselines(folder)[kind], {query: MISSING_QRELS[query] for query in ("q1", "q2")}
    with pytest.raises(
        DataError, match=r"^new has no judgments of 1 of \d queries of .*, starting with 'q3', so a"
    ):
        carob.gate(fewer, HALF, baseline, {"RR": 0.05}, name="new")
    scores = carob.evaluate(fewer, HALF, "RR", name="new")
    with pytest.raises(DataError, match="new has no judgments of 1 of"):
        carob.gate(None, scores, baseline, {"RR": 0.05})
    zero = carob.gate(fewer, HALF, baseline, {"RR": 0.05}, policy=Policy(missing="zero"))
    assert (zero.checks[0].before, zero.checks[0].after) == (1.0, pytest.approx(2 / 3))
    assert not zero.passed
    assert zero.counted_as_zero == ("q3",)
    assert "1 query missing from the run, counted as 0: q3" in str(zero)


def test_nor_does_a_log_that_lacks_queries_of_the_recorded_log(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    lines = [
        json.dumps({"query_id": f"q{each}", "retrieved_ids": ["a"], "reference_ids": ["a"]}) + "\n"
        for each in range(1, 13)
    ]
    (folder / "old.jsonl").write_text("".join(lines))
    (folder / "new.jsonl").write_text("".join(lines[:3]))
    assert command("eval", "old.jsonl", "-m", "RR", "--record", "old.json") == 0
    words = ["gate", "new.jsonl", "--baseline", "old.json", "--max-drop", "RR=0.01"]
    capfd.readouterr()
    assert command(*words, "--format", "json") == 2
    said = json.loads(capfd.readouterr().err)["message"]
    assert said.startswith(
        "new has no judgments of 9 of 12 queries of old, starting with 'q10', so a run on fewer"
    )
    assert said.endswith("or count missing queries as 0: --missing zero.")
    assert command(*words, "--missing", "zero") == 1
    assert "RR fell by 0.7500 (1.0000 to 0.2500)" in capfd.readouterr().out


def test_nor_a_run_of_which_judgments_of_retrieved_documents_leave_a_query_out() -> None:
    """By judgments="retrieved" and empty="skip", a query without a retrieved judged document has no value."""
    full = {query: {"a": 1.0} for query in MISSING_QRELS}
    policy = Policy(judgments="retrieved", empty="skip")
    with pytest.raises(DataError, match=r"new has no judgments of 1 of 6 queries of .*, starting with 'q6'"):
        carob.gate(MISSING_QRELS, {**full, "q6": {"x": 1.0}}, full, {"RR": 0.05}, policy=policy, name="new")


@pytest.mark.parametrize("missing", ["zero", "skip", "nan"])
def test_they_are_left_out_under_every_policy(missing: str) -> None:
    found = carob.gate(MISSING_QRELS, SECOND, HALF, {"RR": 0.05}, policy=Policy(missing=missing))
    assert (found.checks[0].before, found.checks[0].after) == (1.0, 0.5)
    assert found.only_after == ("q4", "q5", "q6")


def test_queries_that_only_the_run_lacks_count_as_zero_and_are_named() -> None:
    """Leaving them out would let a run pass that answers only what it answers well."""
    qrels, full = MISSING_QRELS, {query: {"a": 1.0} for query in MISSING_QRELS}
    found = carob.gate(qrels, HALF, full, {"RR": 0.05})
    assert (found.checks[0].before, found.checks[0].after, found.checks[0].queries) == (1.0, 0.5, 6)
    assert not found.passed
    assert (found.missing_after, found.only_before, found.only_after) == (("q4", "q5", "q6"), (), ())
    assert found.counted_as_zero == ("q4", "q5", "q6")
    said = "3 queries missing from the run, counted as 0: q4, q5, q6"
    assert said in str(found)
    assert said in found.to_github()
    floor = carob.gate(qrels, HALF, at_least={"RR": 0.9}, policy=Policy(missing="skip"))
    assert floor.missing_after == ("q4", "q5", "q6")
    assert "3 queries missing from the run, left out of its means: q4, q5, q6" in str(floor)


def test_queries_that_both_sides_lack_count_as_zero_in_both() -> None:
    found = carob.gate(MISSING_QRELS, HALF, HALF, {"RR": 0.05})
    assert found.checks[0].after == 0.5
    assert found.missing_before == found.missing_after == ("q4", "q5", "q6")
    assert "3 queries missing from both sides, counted as 0 in both: q4, q5, q6" in str(found)
    assert found.to_github() == ""


def test_what_values_lack_on_both_sides_is_in_no_difference(folder: Path) -> None:
    written(folder, half=HALF)
    (folder / "values.csv").write_text("query,RR\nq1,1\nq2,0.5\nq3,1\nq4,\nq5,1\nq6,\n")
    values = carob.read_scores("values.csv", missing="skip")["values"]
    recorded = carob.evaluate("qrels.txt", "half.run", "RR", name="recorded")
    assert (values.counts.missing, recorded.counts.missing) == (("q4", "q6"), ("q4", "q5", "q6"))
    found = carob.gate(None, values, recorded, {"RR": 0.2})
    assert (found.checks[0].before, found.checks[0].after) == (1.0, pytest.approx(2.5 / 3))
    assert (found.only_after, found.only_before, found.counted_as_zero) == (("q5",), (), ())
    found = carob.gate(None, recorded, values, {"RR": 0.9})  # q5 is a drop from 1 to 0
    assert (found.checks[0].before, found.checks[0].after) == (3.5 / 4, 3 / 4)
    assert (found.only_after, found.only_before, found.counted_as_zero) == ((), (), ("q5",))
    assert "missing from both" not in str(found)


def test_without_a_query_that_both_answer_there_is_no_decision() -> None:
    other = {f"q{each}": {"a": 1.0} for each in range(4, 7)}
    for new, old in ((HALF, other), (other, HALF)):
        with pytest.raises(DataError, match="have no query in common"):
            carob.gate(MISSING_QRELS, new, old, {"RR": 0.05})


def test_values_that_lack_queries_of_the_baseline_do_not_pass(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Values from elsewhere do not say why a query is absent."""
    written(folder, full={query: {"a": 1.0} for query in MISSING_QRELS})
    (folder / "few.csv").write_text("query,RR\nq1,1\nq2,1\n")
    few = carob.read_scores("few.csv")["few"]
    full = carob.evaluate(MISSING_QRELS, "full.run", "RR")
    graded = carob.evaluate_grades([[1], [1]], "RR")
    for new, old in ((few, full), (graded, carob.evaluate_grades([[1], [1], [1]], "RR"))):
        with pytest.raises(DataError, match="so a run that answers fewer queries could pass"):
            carob.gate(None, new, old, {"RR": 0.05})
    found = carob.gate(None, few, full, {"RR": 0.05}, policy=Policy(missing="zero"))
    assert (found.checks[0].before, found.checks[0].after) == (1.0, pytest.approx(2 / 6))
    assert found.missing_after == ("q3", "q4", "q5", "q6")
    (folder / "full.csv").write_text("query,RR\n" + "".join(f"{query},1\n" for query in MISSING_QRELS))
    words = ["gate", "few.csv", "--baseline", "full.csv", "--max-drop", "RR=0.05"]
    assert command(*words) == 2
    assert "few has no value for 4 of 6 queries of full, starting with 'q3'" in capfd.readouterr().err
    assert command(*words, "--missing", "zero") == 1
    assert "4 queries missing from the run, counted as 0: q3, q4, q5, q6" in capfd.readouterr().out


def test_no_verdict_comes_from_values_that_are_not_defined() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"a": 0}, "q3": {"a": 0}}
    policy = Policy(empty="nan", missing="nan")
    one, other = {"q1": {"a": 1.0}, "q2": {"a": 1.0}}, {"q3": {"a": 1.0}, "q2": {"a": 1.0}}
    with pytest.raises(DataError):
        carob.gate(qrels, other, one, {"RR": 0.9}, policy=policy)
    with pytest.raises(DataError):
        carob.gate({"q2": {"a": 0}}, other, one, {"RR": 0.9}, policy=policy)
    with pytest.raises(DataError):
        carob.gate({"q2": {"a": 0}}, other, at_least={"RR": 0.0}, policy=policy)


# ---------------------------------------------------------------- what a gate decides by


@pytest.mark.parametrize(
    ("run", "rule", "limits", "code"),
    [
        ("fallen", None, "--max-drop RR=0.01", 1),  # fell by .0417, not significantly
        ("fallen", "mean", "--max-drop RR=0.01", 1),
        ("fallen", "significance", "--max-drop RR=0.01", 0),
        ("fallen", "non-inferiority", "--max-drop RR=0.01", 1),
        ("fallen", None, "--max-drop RR=0.05", 0),
        ("fallen", "non-inferiority", "--max-drop RR=0.05", 1),  # a drop of .28 remains possible
        ("fallen", "non-inferiority", "--max-drop RR=0.3", 0),
        ("worse", "significance", "--max-drop RR=0.05", 1),
        ("old", "non-inferiority", "--max-drop RR=0", 0),
        ("fallen", None, "--min RR=0.83", 1),  # the mean is .8194
        ("fallen", "significance", "--min RR=0.83", 0),
        ("fallen", "non-inferiority", "--min RR=0.8", 1),  # its interval begins at .6
        ("fallen", "non-inferiority", "--min RR=0.59", 0),
        ("worse", "significance", "--min RR=0.9", 1),
        ("fallen", "significance", "--max-drop RR=0.01 --min RR=0.83", 0),
        ("fallen", "chance", "--max-drop RR=0.01", 2),
    ],
)
def test_the_status_follows_the_rule(
    run: str, rule: str | None, limits: str, code: int, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / "fallen.run").write_text(text_of(run_of(FALLEN)))
    baseline = ["--baseline", "old.run"] if "drop" in limits else []
    chosen = [] if rule is None else ["--decide-by", rule]
    assert command("gate", "qrels.txt", f"{run}.run", *baseline, *limits.split(), *chosen) == code


def test_non_inferiority_is_the_lower_end_of_the_interval() -> None:
    before, after = ([1 / math.log2(rank + 1) for rank in ranks] for ranks in (BEFORE, FALLEN))
    low = float(stats.ttest_rel(after, before).confidence_interval(0.95).low)
    rule: dict[str, Any] = {"decide_by": "non-inferiority"}
    assert gated(FALLEN, {"DCG": -low + 1e-6}, **rule).passed
    (check,) = gated(FALLEN, {"DCG": -low - 1e-6}, **rule).checks
    assert not check.passed
    assert check.reading[0].startswith("the drop is not shown to be within the tolerance: a drop of 0.1")
    # A significant drop beyond the tolerance does not need more queries.
    (check,) = gated(WORSE, {"RR": 0.05}, **rule).checks
    assert check.reading == [SURE]
    wide = float(stats.ttest_rel(after, before).confidence_interval(0.99).low)
    assert not gated(FALLEN, {"DCG": -low + 1e-6}, alpha=0.01, **rule).passed
    assert gated(FALLEN, {"DCG": -wide + 1e-6}, alpha=0.01, **rule).passed
    assert "99% interval" in str(gated(FALLEN, {"DCG": 0.1}, alpha=0.01, **rule))
    floor = carob.compare(qrels_of(BEFORE), [run_of(FALLEN), run_of(BEFORE)], "DCG").primary.low[0]
    assert floor <= float(stats.ttest_1samp(after, 0).confidence_interval(0.95).low)
    assert gated_floor(floor - 1e-6, **rule).passed
    assert not gated_floor(floor + 1e-6, **rule).passed
    (check,) = gated_floor(0.83, decide_by="significance").checks
    assert check.p_uncorrected == pytest.approx(stats.ttest_1samp(after, 0.83).pvalue, rel=1e-9)


def test_the_end_of_a_bounded_measure_lies_in_its_range() -> None:
    (check,) = carob.gate(
        qrels_of(BEFORE), run_of(BEFORE), at_least={"RR": 0.6}, decide_by="significance"
    ).checks
    assert 0.6 < check.low < check.high <= 1
    unchanged = gated(BEFORE, {"RR": 0.0}, decide_by="non-inferiority")
    assert unchanged.passed
    assert unchanged.checks[0].identical
    assert math.isnan(unchanged.checks[0].low)
    checks = json.loads(unchanged.to_json())["checks"]
    assert (checks[0]["low"], checks[0]["high"]) == (None, None)
    assert unchanged.checks[0].reading == [
        "passed as identical on these queries; non-inferiority on other queries was not tested"
    ]


def gated_floor(least: float, **options: Any) -> carob.Gate:
    return carob.gate(qrels_of(BEFORE), run_of(FALLEN), at_least={"DCG": least}, **options)


def test_equal_differences_prove_something_only_if_there_are_enough() -> None:
    """Of n equal differences, the sign-flip test gives p = 2 / 2**n: below .05 from n = 6 on."""
    for count, shown in ((5, False), (6, True)):
        qrels = {f"q{each}": {"a": 1} for each in range(count)}
        old, new = (dict.fromkeys(qrels, its) for its in ({"a": 1.0}, {"x": 2.0, "a": 1.0}))
        found = carob.gate(qrels, new, old, {"RR": 0.6}, decide_by="non-inferiority")
        assert found.passed == shown
        assert ("too few queries to draw a conclusion: 5" in str(found)) != shown
        assert not carob.gate(qrels, new, old, {"RR": 0.4}, decide_by="non-inferiority").passed


def test_an_unknown_rule_is_refused() -> None:
    with pytest.raises(carob.PolicyError, match="decide_by"):
        gated(WORSE, {"RR": 0.05}, decide_by="chance")


# ---------------------------------------------------------------- records that hide something


def nulled(folder: Path, run: dict[str, dict[str, float]], queries: list[str]) -> Path:
    """A record of printed scores in which some queries have null for a value."""
    document = json.loads(carob.evaluate(MISSING_QRELS, run, "RR", name="nulled").to_json())
    for query in queries:
        document["runs"][0]["queries"][query]["RR"] = None
    path = folder / "nulled.json"
    path.write_text(json.dumps(document))
    return path


def test_values_that_only_one_side_has_are_named_or_end_the_gate(tmp_path: Path) -> None:
    full = {query: {"a": 1.0} for query in MISSING_QRELS}
    found = carob.gate(MISSING_QRELS, SECOND, nulled(tmp_path, full, ["q1", "q2"]), {"RR": 0.05})
    assert (found.checks[0].before, found.checks[0].after, found.checks[0].queries) == (1.0, 0.5, 4)
    note = "RR: 2 queries have a value only in the run, left out of the differences: q1, q2"
    assert note in found.warnings
    (new,) = carob.read_scores(nulled(tmp_path, SECOND, ["q1", "q2"])).runs
    old = carob.evaluate(MISSING_QRELS, full, "RR", name="old")
    words = "nulled has no value of RR for 2 of 6 queries for which old has a value, starting with 'q1'"
    with pytest.raises(DataError, match=words):
        carob.gate(None, new, old, {"RR": 0.6})
    with pytest.raises(DataError, match="No query has a value of RR"):
        carob.gate(MISSING_QRELS, SECOND, nulled(tmp_path, full, list(full)), {"RR": 0.6})


def test_the_warnings_of_either_side_are_notes() -> None:
    strange = {query: {"elsewhere": 1.0} for query in MISSING_QRELS}
    with pytest.warns(carob.DataWarning):
        (note,) = carob.evaluate(MISSING_QRELS, strange, "RR").warnings
    with pytest.warns(carob.DataWarning):
        assert note in carob.gate(MISSING_QRELS, strange, SECOND, {"RR": 0.5}).warnings


def test_a_baseline_brings_its_weights(tmp_path: Path) -> None:
    weights = {query: 45.0 if query == "q1" else 1.0 for query in MISSING_QRELS}
    full = {query: {"a": 1.0} for query in MISSING_QRELS}
    old = carob.evaluate(MISSING_QRELS, full, "RR", weights=weights, name="old")
    carob.record(old, tmp_path / "weighted.json")
    new = {**SECOND, "q1": {"a": 1.0}}  # all but q1 at rank 2: the weighted mean is (45 + 5/2) / 50
    for baseline in (old, tmp_path / "weighted.json"):
        (check,) = carob.gate(MISSING_QRELS, new, baseline, {"RR": 0.1}).checks
        assert (check.before, check.after) == (1.0, pytest.approx(47.5 / 50))
        assert check.passed
    plain = carob.evaluate(MISSING_QRELS, new, "RR", name="plain")
    for face in (
        lambda: carob.gate(None, plain, old, {"RR": 0.1}),
        lambda: carob.compare(None, {"old": old, "plain": plain}),
        lambda: carob.best({"old": old, "plain": plain}),
        lambda: carob.correlate({"old": old, "plain": plain, "more": old}, {"j": {"old": old}}),
    ):
        with pytest.raises(DataError, match="have different weights: evaluate both with the same weights"):
            face()


def test_a_record_without_a_gated_measure_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    qrels, run, record = (str(folder / name) for name in ("qrels.txt", "old.run", "old.json"))
    main(["eval", qrels, run, "-m", "AP", "--record", record])
    with pytest.raises(SystemExit):
        main(["gate", qrels, run, "--baseline", record, "--max-drop", "RR=0.01"])
    said = " ".join(capsys.readouterr().err.split())
    assert f"{record} has no values of RR." in said
    assert "Record it again with -m AP -m RR." in said


def test_a_gate_says_where_interval_and_p_are_not_those_of_the_t_test() -> None:
    qrels = {f"q{n}": {"a": 1} for n in range(12)}
    old = {query: {"a": 2.0, "b": 1.0} for query in qrels}
    new = {query: ({"b": 2.0, "a": 1.0} if n < 2 else its) for n, (query, its) in enumerate(old.items())}
    found = carob.gate(qrels, new, old, {"RR": 0.5}, {"RR": 0.5}, decide_by="significance")
    assert [each.worst_point for each in found.checks] == [True, True]
    assert "RR, RR: many values are equal" not in str(found)
    assert "RR: many values are equal, so interval and p are worst-point" in " ".join(str(found).split())
    spread = {query: {**its, "c": 1.5 + n / 100} for n, (query, its) in enumerate(old.items())}
    plain = carob.gate(qrels, spread, old, {"RR": 0.5})
    assert "worst-point" not in str(plain)


def test_a_gate_says_where_a_few_queries_make_interval_and_p_approximate() -> None:
    def scores(changes: list[float]) -> carob.Scores:
        values = {f"q{n}": 0.5 + n / 100 + each for n, each in enumerate(changes)}
        return carob.read_scores({"run": {"AP": values}})["run"]

    even = [(-1) ** n * n / 500 for n in range(20)]
    old, skewed, plain = scores([0.0] * 20), scores([*even[:18], -0.4, -0.3]), scores(even)
    said = "AP: a few queries have large differences of one sign, so interval and p are approximate."
    for run, told in ((skewed, True), (plain, False)):
        for decide_by in ("mean", "significance", "non-inferiority"):
            found = carob.gate(None, run, old, {"AP": 0.5}, decide_by=decide_by)
            assert [each.skewed for each in found.checks] == [told]
            assert (said in " ".join(str(found).split())) == told


def test_a_check_that_fails_for_lack_of_proof_says_so() -> None:
    qrels = {f"q{n}": {"a": 1} for n in range(12)}
    run = {query: {"a": 2.0 - n % 3, "b": 1.5} for n, query in enumerate(qrels)}
    found = carob.gate(qrels, run, at_least={"RR": 0.6}, decide_by="non-inferiority")
    (check,) = found.checks
    assert not check.passed
    assert check.verdict == f"RR {check.after:.4f} is not shown to reach 0.6"
