"""``carob.check_pool`` against a loop that removes each team's own judgments and evaluates again."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

import carob
from carob.cli import main
from carob.diagnosis.check.pool import judged_depth
from carob.lists.rows import np, untied

QUERIES, DEPTH = 12, 4
NAMES = ["a1", "a2", "b", "c"]
TEAMS = {"a1": "a", "a2": "a", "b": "b", "c": "c"}
MEASURES = ["AP", "nDCG@5", "RR", "P@3", "ERR@5"]


def made(seed: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]:
    """Runs with tied scores and missing queries, and the judgments of their pool."""
    rng = random.Random(seed)
    runs = {
        name: {
            f"q{query}": {f"d{each}": float(rng.randrange(9)) for each in rng.sample(range(30), 12)}
            for query in range(QUERIES)
            if rng.random() < 0.9
        }
        for name in NAMES
    }
    qrels: dict[str, dict[str, int]] = {f"q{query}": {"d0": 1} for query in range(QUERIES)}
    for name, lists in runs.items():
        for query in lists:
            for document in top(runs[name], query):
                qrels[query][document] = rng.choice([-1, 0, 0, 1, 2])
    return qrels, runs


def top(run: dict[str, dict[str, float]], query: str) -> list[str]:
    """The pooled documents of a list, of equal scores the largest id first."""
    its = run.get(query, {})
    return sorted(its, key=lambda document: (its[document], document), reverse=True)[:DEPTH]


@pytest.mark.parametrize(
    "policy",
    [
        carob.Policy(),
        carob.Policy(empty="skip"),
        carob.Policy(empty="one"),
        carob.Policy(negative="unjudged", depth=8),
    ],
    ids=["usual", "skip", "one", "depth"],
)
@pytest.mark.parametrize("teams", [None, TEAMS], ids=["runs", "teams"])
def test_it_equals_a_loop_over_judgments_without_each_teams_own(
    policy: carob.Policy, teams: dict[str, str] | None
) -> None:
    qrels, runs = made(5)
    found = carob.check_pool(qrels, runs, MEASURES, pool_depth=DEPTH, teams=teams, policy=policy)
    team_of = teams or {name: name for name in NAMES}
    for left in set(team_of.values()):
        own = {
            (query, document)
            for query, its in qrels.items()
            for document in its
            if {team_of[name] for name in NAMES if document in top(runs[name], query)} == {left}
        }
        reduced = {
            query: {document: grade for document, grade in its.items() if (query, document) not in own}
            for query, its in qrels.items()
        }
        scores = carob.evaluate(reduced, runs, MEASURES, policy=policy)
        for label in MEASURES:
            means = {name: each[label] for name, each in scores.items()}
            for row in found[label]:
                if row.team == left:
                    assert row.without == pytest.approx(means[row.run], abs=1e-12)
                    assert row.rank_without == 1 + sum(
                        other > row.without + 1e-12 for other in means.values()
                    )
                    assert row.judged == len(own)
                    assert row.relevant == sum(qrels[query][document] > 0 for query, document in own)
    whole = carob.evaluate(qrels, runs, MEASURES, policy=policy)
    for label in MEASURES:
        assert {row.run: row.value for row in found[label]} == pytest.approx(
            {name: each[label] for name, each in whole.items()}, abs=1e-12
        )


def test_the_depth_is_that_to_which_every_list_is_judged() -> None:
    rows = untied(
        np.array([4.0, 2.0, 3.0]),
        np.array([0, 0, 0, 1, 1, 2]),
        np.array([1.0, 2.0, 4.0, 1.0, 2.0, 2.0]),
        np.ones(6),
        np.array([0, 3, 5, 6]),
        np.ones(6),
    )
    assert judged_depth(rows).tolist() == [2.0, np.inf, 0.0]
    qrels, runs = made(1)
    assert carob.check_pool(qrels, runs).depth >= DEPTH


def ended(*arguments: str) -> int:
    """The exit status of a command."""
    try:
        main(["check", *arguments])
    except SystemExit as left:
        return int(left.code or 0)
    return 0


def wrong(**options: Any) -> str:
    """The sentence that refuses a call."""
    qrels, runs = made(2)
    arguments: dict[str, Any] = {"qrels": qrels, "runs": runs, "pool_depth": DEPTH, **options}
    with pytest.raises(carob.CarobError) as caught:
        carob.check_pool(**arguments)
    return str(caught.value)


def test_what_cannot_be_checked_is_refused_in_a_sentence() -> None:
    _, runs = made(2)
    assert "run 'b' has no group (1 more has none)" in wrong(teams={"a1": "a", "a2": "a"})
    assert "two teams" in wrong(teams=dict.fromkeys(NAMES, "all"))
    assert "not a plain mean" in wrong(measures="GMAP")
    assert "fixed order" in wrong(policy=carob.Policy(ties="expected"))
    assert "pool_depth=" in wrong(qrels={query: {"d99": 1} for query in runs["b"]}, pool_depth=None)
    assert "cannot be ranked" in wrong(policy=carob.Policy(empty="nan"))
    scores = carob.evaluate(*made(2), MEASURES)
    assert "contains neither judgments nor ranked lists" in wrong(runs=scores, measures="AP")


def test_what_is_known_of_the_data_travels() -> None:
    qrels, runs = made(5)
    found = carob.check_pool(qrels, runs, MEASURES, pool_depth=DEPTH)
    lacking = [name for name in NAMES if len(runs[name]) < QUERIES]
    assert lacking
    for name in lacking:
        assert any(each.startswith(name) and "missing" in each for each in found.footers)
    assert found.contents()["footers"] == found.footers
    assert set(found.footers) <= set(found.beside())


@pytest.mark.parametrize("others", [0, 40])
def test_judgments_of_runs_that_were_not_passed_are_named(others: int) -> None:
    qrels, runs = made(5)
    qrels["q0"] |= {f"other{n}": 0 for n in range(others)}
    found = carob.check_pool(qrels, runs, "AP", pool_depth=DEPTH)
    assert found.judged == sum(map(len, qrels.values()))
    tops = {(query, d) for run in runs.values() for query in run for d in top(run, query)}
    assert found.others == found.judged - len(tops)
    assert ("pass all runs of the pool" in " ".join(str(found).split())) == (others > 0)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    qrels, runs = made(3)
    paths = [str(tmp_path / name) for name in ("qrels", *NAMES)]
    Path(paths[0]).write_text(
        "".join(f"{query} 0 {each} {grade}\n" for query, its in qrels.items() for each, grade in its.items())
    )
    for path, name in zip(paths[1:], NAMES, strict=True):
        lists = runs[name].items()
        Path(path).write_text(
            "".join(
                f"{query} Q0 {each} 0 {score} {name}\n" for query, its in lists for each, score in its.items()
            )
        )
    teams = tmp_path / "teams"
    teams.write_text("".join(f"{run} {team}\n" for run, team in TEAMS.items()))
    options = ["--pool", "--pool-depth", str(DEPTH), "--teams", str(teams), "-m", "AP"]
    assert ended(*paths, *options, "--format", "json") == 0
    printed = json.loads(capsys.readouterr().out)
    expected = carob.check_pool(qrels, runs, "AP", pool_depth=DEPTH, teams=TEAMS)
    assert [row["without"] for row in printed["measures"]["AP"]] == pytest.approx(
        [row.without for row in expected["AP"]]
    )
    assert ended(*paths, *options[1:]) == 2
    assert "needs --pool" in capsys.readouterr().err
    assert ended(*paths[:2], "--pool") == 2
    assert "two RUNs" in capsys.readouterr().err
