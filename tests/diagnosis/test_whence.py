"""``carob.whence``: which conventions, and which known mistakes, give a number."""

from __future__ import annotations

import csv
import json
import math
import shlex
import warnings
from typing import TYPE_CHECKING, Any

import pytest

import carob
from carob.cli import main
from carob.diagnosis.whence.mistakes import MISTAKES
from strategies import first

if TYPE_CHECKING:
    from pathlib import Path

GRADES, JUDGED = [0, 3, 0, 1, 2], [3, 2, 2, 1, 0, 0]


def names(found: Any) -> list[tuple[str, str]]:
    return [(each.measure, each.name) for cause in found.causes for each in cause.mistakes]


def test_a_number_names_the_tools_that_give_it_with_the_measure_and_depth() -> None:
    number = (3 / math.log2(3) + 1 / math.log2(5)) / (3 + 2 / math.log2(3) + 2 / 2 + 1 / math.log2(5))
    found = carob.whence(f"{number:.4f}", grades=GRADES, judged=JUDGED)
    first = found.causes[0]
    assert first.measure == ("nDCG@4",)
    assert first.values[0] == pytest.approx(number)
    assert {"pytrec_eval", "ranx", "ir_measures"} <= {*first.profiles}


PROGRAMS = {
    ("nDCG", "binary over threes"): (1 / math.log2(3) + 1 / math.log2(5))
    / (3 * sum(1 / math.log2(i + 1) for i in (1, 2, 3, 4))),
    ("nDCG", "2^grade − 1 over grade"): (7 / math.log2(3) + 1 / math.log2(5))
    / (3 + 2 / math.log2(3) + 2 / 2 + 1 / math.log2(5)),
    ("nDCG", "read from the end"): (2 + 1 / math.log2(3) + 3 / math.log2(5))
    / (3 + 2 / math.log2(3) + 2 / 2 + 1 / math.log2(5)),
    ("nDCG", "discount one rank late"): (3 / 2 + 1 / math.log2(6))
    / (3 / math.log2(3) + 2 / 2 + 2 / math.log2(5) + 1 / math.log2(6)),
    ("RR", "divided by the answers"): 1 / 2 / 4,
    ("RR", "mean over the answers"): (1 / 2 + 1 / 4) / 4,
    ("RR", "sum over the answers"): 1 / 2 + 1 / 4,
    ("RR", "one rank late"): 1 / 3,
    ("RR", "of the mean rank"): 1 / 3,
    ("AP", "every rank"): (0 + 1 / 2 + 1 / 3 + 2 / 4) / 4,
    ("AP", "divided by k"): (1 / 2 + 2 / 4) / 4,
    ("P", "sum of grades"): (3 + 1) / 4,
    ("P", "divided by the list"): 2 / 5,
    ("R", "of the list"): 2 / 3,
    ("F", "arithmetic mean"): (2 / 4 + 2 / 4) / 2,
    ("DCG", "discount by rank"): 3 / 2 + 1 / 4,
}
"""The value of a mistake at depth 4, by hand."""


@pytest.mark.parametrize(("measure", "name"), first(PROGRAMS, 8))
def test_the_value_of_a_mistake_names_it(measure: str, name: str) -> None:
    value = PROGRAMS[measure, name]
    found = carob.whence(f"{value:.5f}", f"{measure}@4", grades=GRADES, judged=JUDGED)
    assert (measure, name) in names(found)
    assert all(abs(each.values[0] - value) < 1e-5 for each in found.causes)


@pytest.mark.long
def test_mistakes_that_are_another_measure_are_its_value() -> None:
    for each in MISTAKES:
        if not each.same:
            continue
        scores = carob.evaluate_grades([GRADES], f"{each.same}@3", [JUDGED])
        value = scores[scores.labels[0]]
        found = carob.whence(f"{value:.6f}", f"{each.of}@3", grades=GRADES, judged=JUDGED)
        assert (each.of, each.name) in names(found), each.name


def test_every_mistake_has_a_sentence_a_source_and_a_name_of_its_own() -> None:
    assert len({(each.of, each.name) for each in MISTAKES}) == len(MISTAKES)
    assert all(each.sentence and each.source and each.common > 0 for each in MISTAKES)


def test_what_the_data_cannot_tell_apart_is_one_explanation() -> None:
    found = carob.whence("0.5", "RR", grades=[0, 1, 0], judged=[1])
    assert [each.values for each in found.causes] == [(0.5,)]
    assert None in found.causes[0].depths
    assert {2, 3, 10} <= {*found.causes[0].depths}


def test_a_second_number_decides() -> None:
    lists, pools = [[0, 1, 0, 1], [0, 0, 2, 1]], [[1, 1, 1], [2, 1]]
    alone = carob.whence("0.50", "AP@4", grades=lists[0], judged=[1, 1])
    assert len({each.values for each in alone.causes}) == len(alone.causes)
    ap = [(1 / 2 + 2 / 4) / 2, (1 / 3 + 2 / 4) / 2]
    both = carob.whence([f"{each:.4f}" for each in ap], grades=lists, judged=pools)
    assert both.causes[0].values == pytest.approx(ap)
    assert "divided by the hits" in [name for _, name in names(both)]


def test_numbers_of_one_list_are_those_of_one_tool() -> None:
    ap, ndcg = (1 / 2) / 3, (1 / math.log2(3)) / (1 + 1 / math.log2(3) + 1 / 2)
    found = carob.whence(
        [f"{ap:.4f}", f"{ndcg:.4f}"], ["MAP@3", "ndcg@3"], grades=[0, 1, 0], judged=[1, 1, 1]
    )
    assert found.causes[0].measure == ("AP@3", "nDCG@3")
    assert "pytrec_eval" in found.causes[0].profiles


def test_a_number_of_several_lists_is_their_mean() -> None:
    found = carob.whence("0.6111", "MRR", grades=[[0, 0, 1], [0, 1], [1]])
    assert found.causes[0].values[0] == pytest.approx((1 / 3 + 1 / 2 + 1) / 3)


def test_a_percentage_is_a_share() -> None:
    as_share = carob.whence("0.333", "P@3", grades=[0, 1, 0])
    in_percent = carob.whence("33.3%", "P@3", grades=[0, 1, 0])
    assert [each.values for each in in_percent.causes] == [each.values for each in as_share.causes]


def test_a_number_in_single_precision_fits() -> None:
    found = carob.whence(0.6309297680854797, "nDCG@2", grades=[0, 1], judged=[1])
    assert found.causes[0].values[0] == pytest.approx(1 / math.log2(3))


def test_a_number_that_nothing_gives_says_so_with_the_nearest() -> None:
    found = carob.whence("0.123456", "AP", grades=[1, 0, 1])
    assert found.causes == ()
    assert found.nearest is not None
    assert "No convention known here gives 0.123456." in str(found)
    assert found.nearest.command in " ".join(str(found).split())


@pytest.mark.parametrize("number", ["0.1311", "0.77", "0.9999"])
def test_the_command_of_the_nearest_value_gives_it(number: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = carob.whence(number, "nDCG@5", grades=[0, 3, 0, 1, 2, 1, 0], judged=[3, 2, 2, 1, 1, 0, 0])
    assert found.causes == ()
    assert found.nearest is not None
    if found.nearest.profiles:
        main([*shlex.split(found.nearest.command)[1:], "--format", "json"])
        assert json.loads(capsys.readouterr().out)["value"] == pytest.approx(found.nearest.values[0])


def test_numbers_of_different_conventions_are_each_explained() -> None:
    linear = carob.evaluate_grades([GRADES], "nDCG@4", [JUDGED])
    mistake = PROGRAMS["nDCG", "binary over threes"]
    numbers = [f"{linear[linear.labels[0]]:.5f}", f"{mistake:.5f}"]
    found = carob.whence(numbers, "nDCG@4", grades=GRADES, judged=JUDGED)
    assert found.causes == ()
    assert [each.numbers for each in found.separate] == [(each,) for each in numbers]
    assert all(each.causes for each in found.separate)
    assert "together, so they follow different conventions" in " ".join(str(found).split())
    assert {row["numbers"] for row in csv.DictReader(found.to_csv().splitlines())} == {*numbers}
    unknown = carob.whence([numbers[0], "0.98765"], "nDCG@4", grades=GRADES, judged=JUDGED)
    assert "different conventions" not in str(unknown)
    assert "No convention known here gives 0.98765." in str(unknown)


def test_the_command_covers_each_number(capsys: pytest.CaptureFixture[str]) -> None:
    lists, pools = [[0, 1, 0], [0, 0, 1, 0, 1]], [[1, 1], [1, 1, 1]]
    best = carob.whence(["0.250", "0.2444"], "AP", grades=lists, judged=pools).causes[0]
    for command, value in zip(best.command.split(" && "), best.values, strict=True):
        main([*shlex.split(command)[1:], "--format", "json"])
        assert json.loads(capsys.readouterr().out)["value"] == pytest.approx(value)
    means = carob.whence(["0.4167", "0.6667"], ["RR", "R@3"], QRELS, RUN).causes
    assert means == () or means[0].command.count(" -m ") == 2
    two = carob.whence(["0.5", "0.333"], "RR", QRELS, RUN, ["q1", "q2"]).causes[0].command
    assert "--query q1" in two
    assert "--query q2" in two


def test_a_percentage_without_its_sign_and_cut_digits_are_tried_and_named() -> None:
    value = 1 / math.log2(3)  # 0.63093
    percentage = carob.whence("63.09", "nDCG@2", grades=[0, 1], judged=[1])
    truncated = carob.whence("0.630", "nDCG@2", grades=[0, 1], judged=[1])
    both = carob.whence("63.092", "nDCG@2", grades=[0, 1], judged=[1])
    for found, read_as in ((percentage, "percent"), (truncated, "truncated"), (both, "truncated percent")):
        assert found.causes[0].values[0] == pytest.approx(value)
        assert found.read_as == (read_as,)
    assert "Nothing here gives 63.09 as written: read as a percentage" in " ".join(str(percentage).split())
    assert "read as truncated" in str(both)
    assert carob.whence("0.63", "nDCG@2", grades=[0, 1], judged=[1]).read_as == ("rounded",)
    assert carob.whence("2", "DCG", grades=[2], judged=[2]).read_as == ("rounded",)


def test_chance_is_said_and_falls_with_digits() -> None:
    found = [carob.whence(each, "nDCG", grades=GRADES, judged=JUDGED) for each in ("0.50", "0.500", "0.5000")]
    shares = [each.chance for each in found]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 0.2
    assert any("use more digits" in each for each in carob.whence("0.5", "nDCG", grades=GRADES).sentences())


def test_the_deciding_number_differs_between_explanations() -> None:
    found = carob.whence("0.333", "nDCG@1", grades=[1, 3, 0, 2], judged=[3, 2, 1, 1])
    several = carob.whence("0.500", grades=GRADES, judged=JUDGED)
    assert several.decider is not None
    assert len({round(each, 3) for each in several.decider.values}) > 1
    assert found.decider is None or len(found.decider.values) == min(len(found.causes), 5)


QRELS = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"d": 1}}
RUN = {"q1": {"b": 3.0, "a": 2.0, "x": 1.0}, "q2": {"x": 2.0, "y": 1.5, "d": 1.0}}


def test_a_run_gives_the_number_of_a_query_of_two_queries_or_the_mean() -> None:
    one = carob.whence("0.500", "RR", QRELS, RUN, "q1")
    two = carob.whence(["0.5", "0.333"], "RR", QRELS, RUN, ["q1", "q2"])
    mean = carob.whence("0.4167", "RR", QRELS, RUN)
    assert one.causes[0].values == (0.5,)
    assert two.causes[0].values == pytest.approx((1 / 2, 1 / 3))
    assert mean.causes[0].values[0] == pytest.approx((1 / 2 + 1 / 3) / 2)
    assert "--query q1" in one.causes[0].command
    assert mean.causes[0].command.startswith("carob eval QRELS RUN")


def test_the_rule_for_ties_matters_for_a_run() -> None:
    run = {"q1": {"a": 1.0, "b": 1.0}}
    first = carob.whence("0.50", "RR", {"q1": {"a": 1}}, run, "q1")
    assert "sentence-transformers" not in {name for each in first.causes for name in each.profiles}
    assert "pytrec_eval" in {name for each in first.causes for name in each.profiles}


@pytest.mark.long
def test_the_command_gives_the_value(capsys: pytest.CaptureFixture[str]) -> None:
    for number in ("0.4434", "0.500", "0.250", "0.375"):
        for each in carob.whence(number, grades=GRADES, judged=JUDGED).causes:
            if each.profiles:
                main([*shlex.split(each.command)[1:], "--format", "json"])
                assert json.loads(capsys.readouterr().out)["value"] == pytest.approx(each.values[0]), (
                    each.command
                )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["AP", "--grades", "1"], "'AP' is not a number"),
        (["0.5"], "pass QRELS and RUN, or --grades"),
        (["0.5", "--grades", "1", "--judged", "1", "--judged", "1"], "repeat both options"),
        (["0.5", "-m", "nonsense@3", "--grades", "1"], "a measure 'nonsense'"),
        (["0.5", "-m", "AP", "-m", "RR", "-m", "P@1", "--grades", "1,0"], "1 numbers and 3 measures"),
        (["0.5", "--grades", "1", "--query", "q"], "A number belongs to ranked lists"),
    ],
)
def test_a_wrong_call_gets_one_sentence(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["whence", *words])
    assert stopped.value.code == 2
    assert message in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("number", ["", "nan", "1e999", "one", "0.5.1"])
def test_what_is_not_a_number_is_refused(number: str) -> None:
    with pytest.raises(carob.DataError):
        carob.whence(number, grades=[1, 0])


def test_files_are_read_once_for_all_conventions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("q 0 a 1\nq 0 b 0\n")
    run.write_text("q Q0 b 1 2.0 t\nq Q0 a 2 1.0 t\n")
    main(["whence", "0.5", str(qrels), str(run), "--query", "q", "-m", "MRR", "--format", "csv"])
    first = capsys.readouterr().out.splitlines()[1]
    assert first.startswith("1,RR@10,0.5,")
    assert f"{qrels} {run} --query q" in first


def test_data_that_no_convention_can_use_are_refused() -> None:
    with pytest.raises(carob.DataError, match="grade is not a number"):
        carob.whence("0.5", "RR", {"q": {"a": "one"}}, {"q": {"a": 1.0}})


def test_mistakes_that_only_a_run_shows() -> None:
    run = {"q1": {"c": 3.5, "b": 2.25, "a": 1.0}, "q2": {"x": 2.0, "d": 1.0}, "q3": {"y": 1.0}}
    qrels = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"d": 1}, "q3": {"z": 1}}
    gains = 3.5 + 2.25 / math.log2(3) + 1 / 2
    normalised = gains / (2 + 1 / math.log2(3))
    ids = (2 + 1 / 2) / (2 + 1 / math.log2(3))
    found = (1 + 1 / 2) / 2
    for value, measure, query, name in (
        (gains, "DCG", "q1", "scores as gains"),
        (normalised, "nDCG", "q1", "scores as gains"),
        (ids, "nDCG", "q1", "order of ids"),
        (found, "RR", None, "only queries with a hit"),
    ):
        its = carob.whence(f"{value:.4f}", measure, qrels, run, query)
        assert (measure, name) in names(its), name


def test_a_list_alone_leaves_no_query_out() -> None:
    assert ("RR", "only queries with a hit") not in names(carob.whence("0.5", "RR", grades=GRADES))
    assert ("RR", "only queries with a hit") not in names(carob.whence("0.75", "RR", grades=[[1], [0, 1]]))
    assert ("RR", "only queries with a hit") in names(carob.whence("0.75", "RR", grades=[[1], [0, 1], [0]]))


def test_a_query_without_judgments_is_refused() -> None:
    with pytest.raises(carob.DataError, match="'q9'"):
        carob.whence(["0.5", "0.333"], "RR", QRELS, RUN, ["q1", "q9"])


def test_measures_that_have_no_value_are_tried_without_a_warning(tmp_path: Path) -> None:
    """ERR of a scale up to 0 is among the forms that are tried, and has no value for any grade above 0."""
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("q 0 a 3\nq 0 b 0\nq 0 c 1\n")
    run.write_text("q Q0 b 1 3 t\nq Q0 a 2 2 t\nq Q0 c 3 1 t\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert carob.whence("0.583", qrels=str(qrels), run=str(run), query="q").causes


def test_each_number_has_its_convention() -> None:
    found = carob.whence(["5.4050", "10.3921"], "DCG", grades=[3, 2, 0, 1, None, 2])
    assert found.causes[0].convention.startswith("DCG(gain=linear, discount=log2)@")
    assert " and DCG(gain=exp2, discount=log2)@" in found.causes[0].convention
