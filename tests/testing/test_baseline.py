"""Baselines of a gate: runs in any form, and those that are visibly broken, which let nothing pass."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import carob
from carob import DataError, Policy
from toys import command


@pytest.mark.parametrize("name", ["old.json", "old.jsonl", "old.run"])
def test_a_baseline_may_be_a_run_in_any_form(name: str, tmp_path: Path) -> None:
    run = {"q1": {"a": 1.0}, "q2": {"b": 2.0, "c": 1.0}}
    rows = [(query, document, score) for query, its in run.items() for document, score in its.items()]
    if name == "old.jsonl":
        pytest.importorskip("polars")
    (tmp_path / name).write_text(
        {
            "old.json": json.dumps(run),
            "old.jsonl": "".join(
                json.dumps({"query_id": query, "doc_id": document, "score": score}) + "\n"
                for query, document, score in rows
            ),
            "old.run": "".join(f"{query} Q0 {document} 0 {score} t\n" for query, document, score in rows),
        }[name]
    )
    qrels = {"q1": {"a": 1}, "q2": {"c": 1}}
    gate = carob.gate(qrels, run, tmp_path / name, {"RR": 0.01})
    assert gate.passed
    assert "0.7500" in str(gate)


LONG_QRELS = {f"q{n}": {f"d{n}-{each}": 1 for each in range(5)} for n in range(12)}


SOUND = {
    query: {**{each: 30.0 - n for n, each in enumerate(its)}, **{f"x{n}": 20.0 - n for n in range(15)}}
    for query, its in LONG_QRELS.items()
}


PLAIN = {  # two of five, so that it is worse than SOUND
    query: {**{each: 30.0 - n for n, each in enumerate([*its][:2])}, **{f"x{n}": 20.0 - n for n in range(15)}}
    for query, its in LONG_QRELS.items()
}


def prefixed(run: dict[str, dict[str, float]], every: int) -> dict[str, dict[str, float]]:
    return {
        query: {(f"pre-{each}" if n % every == 0 else each): score for each, score in its.items()}
        for n, (query, its) in enumerate(run.items())
    }


BROKEN = {
    "reversed": ("reversed", {q: {each: -score for each, score in its.items()} for q, its in SOUND.items()}),
    "ids of half": ("spelled-otherwise", prefixed(SOUND, 2)),
    "all ids": ("nothing-judged", prefixed(SOUND, 1)),
    "nothing": ("nothing-judged", {query: {"elsewhere": 1.0} for query in SOUND}),
}


@pytest.mark.filterwarnings("ignore::carob.DataWarning")
@pytest.mark.parametrize("form", ["run", "scores", "record", "groups", "no tolerance"])
@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_baseline_lets_nothing_pass(case: str, form: str, tmp_path: Path) -> None:
    sign, old = BROKEN[case]
    assert not carob.gate(LONG_QRELS, PLAIN, SOUND, {"nDCG@10": 0.02}).passed
    baseline: Any = carob.Run.of(old, "old")
    if form in ("scores", "record"):
        baseline = carob.evaluate(LONG_QRELS, baseline, "nDCG@10")
    if form == "record":
        carob.record(baseline, tmp_path / "old.json")
        baseline = tmp_path / "old.json"
    drop = None if form == "no tolerance" else {"nDCG@10": 0.02}
    by = {query: query[-1] for query in LONG_QRELS} if form == "groups" else None
    with pytest.raises(
        DataError, match=r"baseline old .*so a worse run could pass\. .* Correct the baseline"
    ) as said:
        carob.gate(LONG_QRELS, PLAIN, baseline, drop, by=by)
    fields = said.value.as_dict()
    assert (fields["kind"], fields["baseline"], fields["sign"]) == ("BaselineError", "old", sign)
    assert carob.gate(LONG_QRELS, PLAIN, at_least={"nDCG@10": 0.1}).passed


@pytest.mark.filterwarnings("ignore::carob.DataWarning")
def test_a_baseline_with_weak_signs_is_compared_with() -> None:
    one = {**SOUND, "q0": {each.upper(): score for each, score in SOUND["q0"].items() if each != "d0-1"}}
    one["q0"] |= dict.fromkeys(("d0-1", "d0-2", "d0-3", "d0-4"), 40.0)  # only d0-0 is spelled differently
    assert any("under other ids" in each for each in carob.gate(LONG_QRELS, SOUND, one, {"RR": 0.5}).warnings)
    both = prefixed(SOUND, 2)  # as where the ids of translations have a prefix
    assert carob.gate(LONG_QRELS, both, both, {"RR": 0.5}).passed
    nothing, allowed = BROKEN["nothing"][1], Policy(overlap="none")
    assert carob.gate(LONG_QRELS, PLAIN, nothing, {"RR": 0.5}, policy=allowed).passed


def test_the_command_is_undecided_with_a_broken_baseline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, its in (("qrels", LONG_QRELS), ("new", PLAIN), ("old", BROKEN["reversed"][1])):
        Path(f"{name}.json").write_text(json.dumps(its))
    against = (
        "--baseline",
        "old.json",
        "--max-drop",
        "nDCG@10=0.02",
        "--comment",
        "out.md",
        "--format",
        "json",
    )
    assert command("gate", "qrels.json", "new.json", *against) == 2
    out, err = capsys.readouterr()
    error = json.loads(err.splitlines()[-1])
    assert (out, error["kind"], error["baseline"], error["sign"]) == ("", "BaselineError", "old", "reversed")
    assert "gate undecided" in Path("out.md").read_text()
    assert command("gate", "qrels.json", "new.json", "--min", "nDCG@10=0.1") == 0
