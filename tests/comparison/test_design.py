"""The settings of a comparison: each has an effect wherever it is not refused."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import carob
from carob._dataclasses import dataclass
from carob.comparison.compare import compared
from carob.comparison.design import refuse_comparison
from carob.conventions.arguments import specified
from carob.evaluation.evidence import Evidence

if TYPE_CHECKING:
    from collections.abc import Callable

EXAMPLES = Path(__file__).parents[2] / "examples"
TEA, COFFEE = EXAMPLES / "tea", EXAMPLES / "coffee"
TEAS = sorted((TEA / "runs").glob("*"))[:3]
COFFEES = sorted((COFFEE / "runs").glob("*"))[:3]
PEOPLE, MODEL, DRAWN = (str(COFFEE / name) for name in ("people.txt", "model.txt", "documents.csv"))
QUERIES = [f"c{number:02d}" for number in range(1, 100)] + [f"t{number:02d}" for number in range(1, 25)]
HALVES = {query: str(place % 2) for place, query in enumerate(QUERIES)}

CHANGED = {
    carob.Test: {
        "name": "randomisation",
        "correction": "bonferroni",
        "alpha": 0.01,
        "family": "all",
        "resamples": 500,
        "seed": 3,
        "confidence": 0.8,
        "interval": "bootstrap",
        "rope": 0.01,
        "margin": 0.1,
        "looks": (20, 60),
        "effects": True,
        "other_tests": True,
    },
    carob.Design: {
        "cluster": HALVES,
        "weights": {query: 1 + place % 3 for place, query in enumerate(QUERIES)},
        "strata": HALVES,
        "target": "similar",
        "judge_weight": 0.4,
        "width": 0.01,
        "tuned_on": ["c05", "c08"],
        "preregistered": "plan.toml",
        "second_assessor": TEA / "qrels.txt",
    },
}
"""Another value of each setting."""


def one_run(test: carob.Test | None = None) -> Any:
    refuse_comparison(test or carob.Test(), None)
    read = Evidence(TEA / "qrels.txt", TEAS[:1], None, None, None, None).read("AP", least=1)
    return compared(read, test or carob.Test(), pairs=False)


CALLS: dict[str, tuple[type, Callable[..., Any]]] = {
    "compare": (carob.Test, lambda **given: carob.compare(TEA / "qrels.txt", TEAS, ["AP", "RR"], **given)),
    "designed": (carob.Design, lambda **given: carob.compare(TEA / "qrels.txt", TEAS, "AP", **given)),
    "judge": (carob.Test, lambda **given: carob.compare(PEOPLE, COFFEES, ["AP", "RR"], judge=MODEL, **given)),
    "judge, designed": (
        carob.Design,
        lambda **given: carob.compare(PEOPLE, COFFEES, "AP", judge=MODEL, **given),
    ),
    "sampled": (
        carob.Test,
        lambda **given: carob.compare(DRAWN, COFFEES, ["DCG@10", "P@5"], judge=MODEL, **given),
    ),
    "sampled, designed": (
        carob.Design,
        lambda **given: carob.compare(DRAWN, COFFEES, "DCG@10", judge=MODEL, **given),
    ),
    "estimate": (carob.Design, lambda **given: carob.estimate(PEOPLE, MODEL, COFFEES, "AP", **given)),
    "one run": (carob.Test, one_run),
    "collections": (
        carob.Test,
        lambda **given: carob.compare_collections(str(EXAMPLES / "kitchen"), ["AP", "RR"], **given),
    ),
    "correlate": (
        carob.Test,
        lambda **given: carob.correlate(PEOPLE, [MODEL], COFFEES, ["AP", "RR"], **given),
    ),
}


@pytest.mark.parametrize("call", CALLS)
def test_each_setting_changes_a_result_or_is_refused(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("plan.toml").write_text('measure = "AP"\n')
    kind, function = CALLS[call]
    changed, plain = CHANGED[kind], function().to_json()
    assert {*changed} == {each.name for each in fields(kind)}
    argument = kind.__name__.lower()
    silent = []
    for name, value in changed.items():
        try:
            found = function(**{argument: kind(**{name: value})})
        except (carob.PolicyError, carob.DataError):
            continue
        if found.to_json() == plain:
            silent.append(name)
    assert not silent


@specified
@dataclass(frozen=True)
class LaterTest(carob.Test):
    """A test with one more setting."""

    later: float | None = None


@pytest.mark.parametrize("call", ["judge", "sampled", "one run", "collections", "correlate"])
def test_a_setting_that_was_added_later_is_refused_until_it_applies(call: str) -> None:
    with pytest.raises(carob.PolicyError, match="later has no meaning"):
        CALLS[call][1](test=LaterTest(later=0.1))
