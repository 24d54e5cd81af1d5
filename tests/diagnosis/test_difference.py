"""Why two numbers differ: the axis that is to blame, and steps that add up to the whole gap."""

from __future__ import annotations

import io
import json
import math
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import carob
from carob import DataError, Difference, MeasureError, PolicyError
from carob.cli import main
from carob.conventions.profiles import every_profile
from strategies import first, judgments, runs

if TYPE_CHECKING:
    from pathlib import Path

TRUTH = {"u1": dict.fromkeys("abcde", 1), "u2": {"a": 1}, "u3": {"a": 0}, "u4": {"a": 1, "b": 1}}
ORDERS = {"u1": "axbyczde", "u2": "xayzwvbc", "u3": "abcxyzde"}
RUN = {user: {item: 8.0 - rank for rank, item in enumerate(order)} for user, order in ORDERS.items()}
CORE, EMPTY, MISSING = ("u1", "u2"), ("u1", "u2", "u3"), ("u1", "u2", "u4")

Users = tuple[str, ...]


def between(a: str, b: str, measure: str, users: Users) -> Difference:
    qrels = {user: TRUTH[user] for user in users}
    return carob.difference(a, b, measure, qrels, {user: RUN[user] for user in users if user in RUN})


@pytest.mark.parametrize(
    ("a", "b", "measure", "users", "axis"),
    [
        ("torchmetrics", "trec_eval-9", "AP@3", CORE, "over"),
        ("lightgbm", "trec_eval-10", "AP@3", CORE, "over"),
        ("ragas", "lightgbm", "AP@3", CORE, "over"),
        ("lenskit", "trec_eval-10", "R@3", CORE, "over"),
        ("rectools", "trec_eval-10", "nDCG@3", CORE, "ideal"),
        ("haystack", "trec_eval-10", "nDCG@3", CORE, "ideal"),
        ("llamaindex", "rectools", "nDCG@3", CORE, "ideal"),
        ("lenskit", "trec_eval-10", "nDCG@3", CORE, "discount"),
        ("elliot", "trec_eval-10", "AP@3", CORE, "measure"),
        ("xgboost", "trec_eval-9", "nDCG@3", EMPTY, "empty"),
        ("xgboost", "xgboost-", "ndcg@3", EMPTY, "empty"),
        ("catboost", "rax", "R@3", EMPTY, "empty"),
        ("rectools", "trec_eval-10", "AP@3", EMPTY, "empty"),
        ("allrank", "catalyst", "RR", EMPTY, "empty"),
        ("trec_eval-9", "ir_measures", "AP@3", MISSING, "missing"),
        ("recommenders", "trec_eval-9", "nDCG@3", MISSING, "missing"),
        ("trec_eval-10", "trec_eval-9", "AP@3", MISSING, "missing"),
    ],
)
def test_the_axis_to_blame_on_the_golden_fixture(
    a: str, b: str, measure: str, users: Users, axis: str
) -> None:
    assert between(a, b, measure, users).blame == axis
    assert between(b, a, measure, users).blame == axis


GRADED: dict[str, dict[str, Any]] = {"q": {"a": 1, "b": 0, "c": 2, "d": 3}}


@pytest.mark.parametrize(
    ("a", "b", "measure", "qrels", "scores", "axis"),
    [
        ("lightgbm", "mteb", "nDCG@4", GRADED, {"a": 4, "b": 3, "c": 2, "d": 1}, "gain"),
        ("lightgbm", "catboost", "nDCG@3", {"q": {"a": 1, "b": 0, "c": 0}}, {"a": 1, "b": 1, "c": 1}, "ties"),
        ("trec_eval-9", "trec_eval-10", "RR", {"q": {"a": 1}}, {"a": 16777217.0, "b": 16777216.0}, "scores"),
        ("ranx", "trec_eval-10", "Bpref", {"q": {"a": 2, "b": -2}}, {"b": 2, "a": 1}, "negative"),
        ("rax", "ir_measures", "R", {"q": {"a": 1, "z": 1}}, {"a": 1, "b": 2}, "judgments"),
        (
            "trec_eval-9",
            "trec_eval-10",
            "IPrec@0.3",
            {"q": dict.fromkeys("abcd", 1)},
            {"a": 2, "x": 1},
            "rounding",
        ),
    ],
)
def test_the_axis_to_blame_on_small_fixtures(
    a: str, b: str, measure: str, qrels: Any, scores: dict[str, float], axis: str
) -> None:
    found = carob.difference(a, b, measure, qrels, {"q": scores})
    assert found.blame == axis
    assert [step.axis for step in found.steps if step.moved] == [axis]


def test_two_steps_of_one_path() -> None:
    found = between("xgboost", "trec_eval-9", "AP@3", EMPTY)
    assert found.measures == ("AP(over=capped)@3", "AP@3")
    assert found.values == pytest.approx(((5 / 9 + 1 / 2 + 1) / 3, (1 / 3 + 1 / 2) / 3), abs=1e-15)
    empty, over = (step for step in found.steps if step.moved)
    assert (over.axis, over.before, over.after, over.queries) == ("over", "capped", "relevant", 1)
    assert over.moved == pytest.approx((1 / 3 - 5 / 9) / 3, abs=1e-15)
    assert (empty.axis, empty.before, empty.after, empty.queries) == ("empty", "one", "zero", 1)
    assert empty.moved == pytest.approx(-1 / 3, abs=1e-15)
    assert found.queries == 3


NAMES = sorted(name for name in every_profile() if not name.startswith("note"))


@pytest.mark.parametrize(
    "users",
    first([(CORE,), (EMPTY,), (MISSING,)], 1),
    ids=["core", "empty", "missing"],
)
@pytest.mark.parametrize("b", NAMES)
def test_steps_add_up_to_the_gap_exactly(b: str, users: Users) -> None:
    for measure in ("AP@3", "nDCG@3", "R@3", "P@3", "RR"):
        found = between("trec_eval-9", b, measure, users)
        assert list(found.values)[1:] == [step.value for step in found.steps][-1:] or not found.steps
        if found.gap is None or math.isnan(found.gap):
            assert found.refusals or math.isnan(found.values[1] or 0)
            continue
        values = [found.values[0], *(step.value for step in found.steps)]
        if None in values or any(math.isnan(value or 0) for value in values):
            continue
        exact = [Fraction(value or 0) for value in values]
        assert [step.moved for step in found.steps] == [
            float(after) - float(before) for before, after in pairwise(exact)
        ]
        steps = sum((after - before for before, after in pairwise(exact)), Fraction(0))
        assert steps == Fraction(found.values[1] or 0) - Fraction(found.values[0] or 0)


@given(judgments(), runs(), st.sampled_from(NAMES), st.sampled_from(NAMES))
@settings(max_examples=60, deadline=None)
@pytest.mark.long
def test_a_path_ends_where_the_other_profile_stands(qrels: Any, run: Any, a: str, b: str) -> None:
    values = []
    for name in (a, b):
        try:
            values.append(carob.evaluate(qrels, run, "nDCG@3", profile=name)["nDCG@3"])
        except DataError:
            values.append(None)
    if values == [None, None]:
        with pytest.raises(DataError):
            carob.difference(a, b, "nDCG@3", qrels, run)
        return
    found = carob.difference(a, b, "nDCG@3", qrels, run)
    ends = [found.values[0], found.steps[-1].value if found.steps else found.values[1]]
    assert ends == pytest.approx(values, abs=0, nan_ok=True)


@pytest.mark.long
def test_what_is_printed_adds_up_in_eighty_columns() -> None:
    for b in NAMES:
        for users in (CORE, EMPTY, MISSING):
            text = str(between("elliot", b, "AP@3", users)) if b != "llamaindex" else ""
            assert all(len(line) <= 80 for line in text.splitlines())
    text = str(between("xgboost", "trec_eval-9", "AP@3", EMPTY))
    assert text == (
        "AP@3         read as              value\n"
        "xgboost      AP(over=capped)@3  0.68519\n"
        "trec_eval-9  AP@3               0.27778\n"
        "\n"
        "step   from    to          value     moved  queries\n"
        "empty  one     zero      0.35185  -0.33334   1 of 3\n"
        "over   capped  relevant  0.27778  -0.07407   1 of 3\n"
        "\n"
        "Other axes differ, but without effect here: ties input → trec, scores double →\n"
        "float32, judgments retrieved → all, columns equal → trec_eval.\n"
        "\n"
        "Cause: empty (one → zero).\n"
    )


def test_axes_that_act_on_each_other() -> None:
    # nDCG@3 by hand: a document of grade 3 at rank 2 and one of grade 1 at rank 3, under either gain and discount.
    qrels, run = {"q": {"a": 3, "b": 1, "x": 0}}, {"q": {"x": 3.0, "a": 2.0, "b": 1.0}}
    found = carob.difference("rax", "lenskit", "nDCG@3", qrels, run)
    moving = {step.axis: step for step in found.steps if step.moved}
    assert set(moving) == {"gain", "discount"}
    log2, jk = (math.log2(3), 2.0), (1.0, math.log2(3))  # what ranks 2 and 3 are divided by

    def value(high: float, low: float, second: float, third: float) -> float:
        return (high / second + low / third) / (high + low / second)

    exp2, binary = (7.0, 1.0), (1.0, 1.0)
    assert found.values == pytest.approx((value(*exp2, *log2), value(*binary, *jk)))
    assert moving["gain"].alone == pytest.approx(value(*binary, *log2) - value(*exp2, *log2))
    assert moving["gain"].last == pytest.approx(value(*binary, *jk) - value(*exp2, *jk))
    assert moving["discount"].alone == pytest.approx(value(*exp2, *jk) - value(*exp2, *log2))
    assert moving["discount"].last == pytest.approx(value(*binary, *jk) - value(*binary, *log2))
    assert "The axes interact." in " ".join(str(found).split())
    assert "axes interact" not in str(between("xgboost", "trec_eval-9", "AP@3", EMPTY))


def test_a_profile_that_refuses() -> None:
    found = between("trec_eval-10", "ir_measures", "AP@3", MISSING)
    assert found.values[0] is None
    assert found.gap is None
    assert found.blame == "missing"
    assert [step.axis for step in found.steps if step.queries] == ["missing"]
    assert found.steps[-1].value == found.values[1]
    assert "lacks 1 of 3 judged queries" in found.refusals["trec_eval-10"]
    assert "trec_eval-10 refuses: run: the run lacks 1 of 3 judged queries" in str(found)
    back = between("ir_measures", "trec_eval-10", "AP@3", MISSING)
    assert back.steps[-1].axis == "missing"
    assert back.steps[-1].value is None
    with pytest.raises(DataError, match="lacks 1 of 3"):
        between("trec_eval-10", "llamaindex", "AP@3", MISSING)


def test_an_undefined_mean() -> None:
    found = between("lenskit", "trec_eval-9", "nDCG@3", EMPTY)
    assert math.isnan(found.values[0] or 0)
    assert found.blame == "empty"
    assert json.loads(found.to_json())["profiles"][0]["value"] is None
    assert "nan" in str(found)


def test_no_difference() -> None:
    found = between("trec_eval-9", "pytrec_eval", "AP", CORE)
    assert found.gap == 0
    assert found.blame is None
    assert str(found).endswith("Nothing changes the mean.\n")
    assert between("carob", "carob", "AP", CORE).steps == ()


def test_json_has_every_step() -> None:
    document = json.loads(between("elliot", "trec_eval-9", "AP@3", EMPTY).to_json())
    assert document["measure"] == "AP@3"
    assert document["profiles"][0] == {"profile": "elliot", "measure": "MeanP@3", "value": pytest.approx(0.5)}
    assert document["blame"] == "empty"
    assert [step["axis"] for step in document["steps"] if step["moved"]] == ["empty", "measure"]


@pytest.mark.parametrize(
    ("arguments", "error", "sentence"),
    [
        (("nowhere", "ranx", "AP"), PolicyError, "There is no profile 'nowhere'"),
        (("xgboost", "ranx", "nDGC"), MeasureError, "There is no measure 'nDGC'"),
        (("xgboost", "ranx", "P"), MeasureError, "'P' stands for 9 measures under xgboost"),
    ],
)
def test_refusals(arguments: tuple[str, str, str], error: type[Exception], sentence: str) -> None:
    with pytest.raises(error, match=sentence):
        between(*arguments, CORE)


QRELS_LINES, RUN_LINES = b"q 0 a 1\nq 0 b 0\nq 0 c 1\n", b"q Q0 b 1 2 t\nq Q0 a 2 1 t\n"


def test_streams_are_read_once() -> None:
    found = carob.difference("torchmetrics", "carob", "AP", io.BytesIO(QRELS_LINES), io.BytesIO(RUN_LINES))
    assert found.values == (0.5, 0.25)


def test_the_command(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "qrels").write_bytes(QRELS_LINES)
    (tmp_path / "run").write_bytes(RUN_LINES)
    arguments = ["difference", "torchmetrics", "carob", "AP", str(tmp_path / "qrels"), str(tmp_path / "run")]
    main(arguments)
    assert "Cause: over (retrieved → relevant)." in capfd.readouterr().out
    main([*arguments, "--format", "json"])
    assert json.loads(capfd.readouterr().out)["gap"] == -0.25
    with pytest.raises(SystemExit):
        main([*arguments[:4], "-", "-"])
    assert "Standard input ('-') can be read only once" in capfd.readouterr().err


def test_the_command_that_says_what_a_profile_changes(capfd: pytest.CaptureFixture[str]) -> None:
    main(["profiles", "xgboost", "note-004"])
    out = capfd.readouterr().out
    assert "  measures nDCG(gain=exp2), IDCG(gain=exp2), DCG(gain=exp2), AP(over=capped),\n" in out
    assert "  names    ndcg = nDCG@32, map = AP@32, pre = P@32, auc = ListedAUC\n" in out
    assert "note-004\n  source   note 5 of docs/notes.md" in out
    assert all(len(line) <= 80 for line in out.splitlines())


# ---------------------------------------------------------------- grades and judged rankings


def test_grades_are_a_run_whose_documents_are_all_judged() -> None:
    lists = [[3, 2, 3], [0, 1, 2]]
    found = carob.difference("note-000", "note-001", "NDCG@3", grades=lists)
    qrels = {
        str(place): {f"d{rank}": grade for rank, grade in enumerate(its)} for place, its in enumerate(lists)
    }
    run = {query: {document: -rank for rank, document in enumerate(its)} for query, its in qrels.items()}
    as_run = carob.difference("note-000", "note-001", "NDCG@3", qrels, run)
    assert found.values == as_run.values
    assert [(each.axis, each.moved) for each in found.steps] == [
        (each.axis, each.moved) for each in as_run.steps
    ]
    assert (found.blame, found.queries) == ("gain", 2)


def test_judged_grades_beside_ranked_ones_change_the_ideal() -> None:
    found = carob.difference("note-000", "note-002", "NDCG@2", grades=[1, 0], judged=[3, 1, 0])
    assert found.blame == "ideal"
    assert found.values[0] == 1.0


def test_a_judged_ranking_in_place_of_qrels_and_run(tmp_path: Path) -> None:
    lines = "q Q0 a 3\nq Q0 b 2\nq Q0 c 3\n"
    (tmp_path / "judged.txt").write_text(lines)
    found = carob.difference("note-000", "note-001", "NDCG@3", judged_ranking=tmp_path / "judged.txt")
    assert found.values == carob.difference("note-000", "note-001", "NDCG@3", grades=[3, 2, 3]).values


@pytest.mark.parametrize(
    "passed",
    [
        {},
        {"grades": [1], "qrels": TRUTH, "run": RUN},
        {"grades": [1], "judged_ranking": b"q Q0 a 3\n"},
        {"judged": [1]},
        {"qrels": TRUTH},
        {"run": RUN},
    ],
)
def test_one_kind_of_data_is_needed(passed: dict[str, Any]) -> None:
    with pytest.raises(DataError, match="Pass 'qrels' and 'run', or 'grades'"):
        carob.difference("note-000", "note-001", "NDCG@3", **passed)


def test_grades_on_the_command_line(capfd: pytest.CaptureFixture[str]) -> None:
    main(["difference", "note-000", "note-001", "NDCG@3", "--grades", "[3, 2, 3]", "--format", "json"])
    found = json.loads(capfd.readouterr().out)
    assert found["blame"] == "gain"
    assert found["gap"] == carob.difference("note-000", "note-001", "NDCG@3", grades=[3, 2, 3]).gap


@pytest.mark.parametrize(
    "words",
    [
        ["--grades", "1", "qrels.txt", "bm25.run"],
        ["--grades", "1", "--judged-ranking", "ranked.txt"],
        [],
        ["--judged", "1"],
    ],
)
def test_several_kinds_of_data_on_the_command_line_are_refused(
    words: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["difference", "note-000", "note-001", "NDCG@3", *words])
    assert ended.value.code == 2
    assert "--grades" in capfd.readouterr().err
