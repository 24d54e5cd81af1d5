"""The commands of an explanation give the value that they explain."""

from __future__ import annotations

import json
import shlex

import pytest

import carob
from carob.cli import main
from carob.diagnosis.whence.commands import ShownCommands, command_for
from diagnosis.graded import GRADES, JUDGED, QRELS, RUN


@pytest.mark.parametrize("number", ["0.1311", "0.77", "0.9999"])
def test_the_command_of_the_nearest_value_gives_it(number: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = carob.whence(number, "nDCG@5", grades=[0, 3, 0, 1, 2, 1, 0], judged=[3, 2, 2, 1, 1, 0, 0])
    assert found.causes == ()
    assert found.nearest is not None
    if found.nearest.profiles:
        main([*shlex.split(found.nearest.command)[1:], "--format", "json"])
        assert json.loads(capsys.readouterr().out)["value"] == pytest.approx(found.nearest.values[0])


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


@pytest.mark.long
def test_the_command_gives_the_value(capsys: pytest.CaptureFixture[str]) -> None:
    for number in ("0.4434", "0.500", "0.250", "0.375"):
        for each in carob.whence(number, grades=GRADES, judged=JUDGED).causes:
            if each.profiles:
                main([*shlex.split(each.command)[1:], "--format", "json"])
                assert json.loads(capsys.readouterr().out)["value"] == pytest.approx(each.values[0]), (
                    each.command
                )


def test_the_words_of_a_command_are_those_of_the_call() -> None:
    assert command_for("q.txt", {"q": {"a": 1.0}}, "q1", None, None) == ShownCommands(
        ("q.txt", "RUN"), ("q1",), ()
    )
    assert command_for(None, None, None, [[1, None], [0.5]], [[1], [2, 0]]) == ShownCommands(
        (), (), (("--grades", "1,?", "--judged", "1"), ("--grades", "0.5", "--judged", "2,0"))
    )
    assert command_for(None, None, None, [1, 0], None).lists == (("--grades", "1,0"),)
