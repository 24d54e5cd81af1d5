"""The request of a call: its measures, and a policy on top of a profile's on every face."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest

import carob
import carob.tensors
from carob import DataError, MeasureError, Policy, PolicyError
from carob.cli import main
from carob.cli.options import grouped
from carob.conventions.profiles import profile_named
from carob.conventions.request import DEFAULT_MEASURES, refuse_other_orders, request_of
from carob.evaluation.read_record import read_record

if TYPE_CHECKING:
    from pathlib import Path


def test_a_policy_beside_a_profile_holds() -> None:
    given = profile_named("catboost").policy.changed(empty="zero")
    scores = carob.evaluate({"q": {"a": 0}}, {"q": {"a": 1.0}}, "NDCG", profile="catboost", policy=given)
    assert scores["NDCG"] == 0
    assert carob.evaluate({"q": {"a": 0}}, {"q": {"a": 1.0}}, "NDCG", profile="catboost")["NDCG"] == 1


TWICE = b"q1 Q0 b 1 3 t\nq1 Q0 b 1 2 t\nq1 Q0 a 2 1 t\n"
JUDGED = {"q1": {"a": 1}, "q2": {"a": 1}}
FIRST = Policy(duplicates="first")


def faces_of_a_policy(tmp_path: Path) -> dict[str, tuple[Policy, str]]:
    """Under each face the policy and the footer of ``duplicates=first`` on top of pytrec_eval's."""
    how: dict[str, Any] = {"policy": FIRST, "profile": "pytrec_eval"}
    scores = carob.evaluate(JUDGED, TWICE, "RR", **grouped(how))
    compared = carob.compare(JUDGED, {"a": TWICE, "b": TWICE}, "RR", **how)
    (tmp_path / "run").write_bytes(TWICE)
    (tmp_path / "qrels").write_text("q1 0 a 1\nq2 0 a 1\n")
    paths = str(tmp_path / "qrels"), str(tmp_path / "run")
    carob.record(carob.evaluate(*paths, "RR", **how), tmp_path / "record.json")
    verified = carob.verify(tmp_path / "record.json")
    assert verified.equal
    recorded = read_record(tmp_path / "record.json").scores[0]
    faces = {
        "evaluate": scores,
        "compare": compared.scores[0],
        "record": recorded,
        "curve": carob.curve("P", JUDGED, TWICE, **how).scores,
        "grades": carob.evaluate_grades([[0, 1]], "RR", **how),
        "ids": carob.evaluate_ids([["b", "b", "a"]], [["a"]], "RR", **how),
    }
    told = {face: (each.policy, each.footer()) for face, each in faces.items()}
    return {**told, "gate": (scores.policy, carob.gate(JUDGED, TWICE, TWICE, {"RR": 0.1}, **how).footers[0])}


def test_axes_that_are_given_go_on_top_of_the_profiles_on_every_face(tmp_path: Path) -> None:
    whole = profile_named("pytrec_eval").policy.changed(duplicates="first")
    for face, (policy, footer) in faces_of_a_policy(tmp_path).items():
        assert policy == whole, face
        assert "profile pytrec_eval, changed: duplicates first" in footer, face
    assert carob.evaluate(JUDGED, TWICE, "RR", policy=FIRST, profile="pytrec_eval")["RR"] == 0.5
    assert carob.explain("RR", JUDGED, TWICE, "q1", policy=FIRST, profile="pytrec_eval").value == 0.5


def test_the_command_line_and_python_say_the_same_of_a_changed_profile(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "run").write_bytes(TWICE)
    (tmp_path / "qrels").write_text("q1 0 a 1\nq2 0 a 1\n")
    paths = [str(tmp_path / "qrels"), str(tmp_path / "run")]
    options = ["-m", "RR", "--profile", "pytrec_eval", "--duplicates", "first"]
    main(["eval", *paths, *options])
    printed = capsys.readouterr().out
    scores = carob.evaluate(*paths, "RR", policy=FIRST, profile="pytrec_eval")
    assert printed.splitlines()[-1] == scores.footer()
    assert "profile pytrec_eval, changed: duplicates first" in printed


def test_an_axis_given_at_its_default_is_given() -> None:
    asked: dict[str, Any] = {"measures": "RR", "profile": "pytrec_eval"}
    qrels, run = {"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": {"a": 1.0}}
    assert carob.evaluate(qrels, run, **asked)["RR"] == 1.0
    zero = carob.evaluate(qrels, run, **asked, policy=Policy(missing="zero"))
    assert zero["RR"] == 0.5
    assert zero.footer().endswith("profile pytrec_eval, changed: missing zero")
    assert carob.evaluate(qrels, run, **asked, policy=Policy())["RR"] == 1.0


def test_an_axis_that_is_given_holds_also_where_the_profile_makes_exceptions() -> None:
    given = Policy(ties="input")
    found = carob.evaluate(
        {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 1.0}}, profile="torchmetrics", policy=given
    )
    assert found.policy.exceptions == {"nDCG": {}} or found.policy.exceptions == {}
    assert found["RetrievalNormalizedDCG@10"] == 1
    assert "profile torchmetrics, changed: nDCG: ties input" in found.footer()


def test_exceptions_that_are_given_are_added_to_the_profiles() -> None:
    given = Policy(by_measure={"AP": {"empty": "one"}})
    found = carob.evaluate(
        {"q": {"a": 0}}, {"q": {"a": 1.0}}, ["NDCG", "MAP", "MRR"], profile="catboost", policy=given
    )
    assert found.means() == {"NDCG": 1, "MAP": 1, "MRR": 0}
    assert found.footer().partition("changed: ")[2].startswith("AP: empty one")


def test_a_whole_policy_stands_as_it_is_beside_any_profile() -> None:
    scores = carob.evaluate(JUDGED, {"q1": {"a": 1.0}}, "RR", profile="beir")
    again = carob.evaluate(JUDGED, {"q1": {"a": 1.0}}, "RR", profile="lenskit", policy=scores.policy)
    assert again.policy == scores.policy
    copied = pickle.loads(pickle.dumps(scores.policy))
    assert copied.over(profile_named("lenskit").policy) == copied == scores.policy
    assert pickle.loads(pickle.dumps(FIRST)).given == FIRST.given == {"duplicates"}


def test_a_policy_on_top_of_a_profile_in_arrays() -> None:
    scores, relevance = np.array([[1.0, 1.0], [1.0, 2.0]]), np.array([[0, 1], [0, 0]])
    how: dict[str, Any] = {"policy": Policy(ties="pessimistic"), "profile": "lightgbm"}
    found = carob.tensors.evaluate(scores, relevance, ["ndcg@1"], **how, per_query=True)["ndcg@1"]
    assert found.tolist() == [0.0, 1.0]  # LightGBM's own empty=one holds on
    meter = carob.Meter("ndcg@1", **how)
    meter.update(scores, relevance)
    assert meter.compute() == {"ndcg@1": 0.5}
    # Without a profile equal scores stand in the order of the array, whatever other axis is given.
    tied = carob.tensors.evaluate(scores[:1], relevance[:1, ::-1], ["RR"], policy=Policy(empty="nan"))
    assert float(tied["RR"]) == 1.0


def test_a_policy_on_top_of_both_profiles_whose_difference_is_asked() -> None:
    qrels, run = {"q1": {"a": 1}, "q2": {"b": 1}}, TWICE
    with pytest.raises(DataError, match="is listed twice"):
        carob.difference("carob", "trec_eval-9", "RR", qrels, run)
    found = carob.difference("carob", "trec_eval-9", "RR", qrels, run, policy=FIRST)
    assert found.values == (0.25, 0.5)
    assert found.blame == "missing"


def test_a_request_groups_its_measures_by_the_policy_that_they_have() -> None:
    given = Policy(by_measure={"AP": {"empty": "one"}})
    asked = request_of(["nDCG@10", "map", "RR"], None, given)
    assert [*asked.asked] == ["nDCG@10", "map", "RR"]
    assert [(own.empty, [*its]) for own, its in asked.by_policy.items()] == [
        ("zero", ["nDCG@10", "RR"]),
        ("one", ["map"]),
    ]
    assert (asked.groups, asked.scores) == (False, False)
    assert request_of("alpha_nDCG@10", None, None).groups
    assert request_of("AP, AUC(micro=true)", None, None).scores


def test_without_measures_those_of_the_profile_or_of_carob_are_asked() -> None:
    assert tuple(request_of(None, None, None).asked) == DEFAULT_MEASURES
    profile = profile_named("torchmetrics")
    assert tuple(request_of(None, "torchmetrics", None).asked) == profile.measures != ()
    with pytest.raises(DataError, match=r"^No measure was requested: name at least one, such as nDCG@10\.$"):
        request_of([], None, None)


def test_a_name_of_a_profile_alone_is_told_with_the_profiles_that_have_it() -> None:
    with pytest.raises(MeasureError, match=r".") as caught:
        request_of("RetrievalNormalizedDCG@10", None, None)
    assert str(caught.value).endswith("It is one of torchmetrics's names: add profile='torchmetrics'.")
    assert [*request_of("RetrievalNormalizedDCG@10", "torchmetrics", None).asked] == [
        "RetrievalNormalizedDCG@10"
    ]
    with pytest.raises(MeasureError, match=r".") as unknown:
        request_of("Zyzzyva", None, None)
    assert "profile=" not in str(unknown.value)


def test_a_policy_is_of_its_class_and_names_measures() -> None:
    with pytest.raises(PolicyError, match=r"^policy must be a carob\.Policy, not 'trec'\.$"):
        request_of("AP", None, cast("Any", "trec"))
    with pytest.raises(PolicyError, match="There is no profile 'lightgmb'"):
        request_of("AP", "lightgmb", None)
    with pytest.raises(PolicyError, match=r".") as grouped_ties:
        refuse_other_orders(request_of("alpha_nDCG@10", None, None).asked, Policy(ties="expected"))
    assert str(grouped_ties.value) == (
        "alpha_nDCG@10 cannot be computed with ties=expected, because a document has a grade for each subtopic. "
        "Choose another rule for ties, such as ties=trec."
    )


@pytest.mark.parametrize(
    ("name", "says"),
    [
        (
            "Coverage",
            r"beyond_accuracy\(recommended, 'Coverage', catalogue=…\), .* write CoverageRatio: Of the relevant",
        ),
        (
            "Novelty@5",
            r"beyond_accuracy\(recommended, 'Novelty@5', train=…\), .* write NoveltyRatio: Of the retrieved relevant",
        ),
        (
            "ILD",
            r"ILD measures recommended items, not judged documents: use carob.beyond_accuracy.*or carob beyond",
        ),
    ],
)
def test_a_measure_of_recommendations_does_not_measure_judged_documents(name: str, says: str) -> None:
    with pytest.raises(MeasureError, match=says):
        carob.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, name)
