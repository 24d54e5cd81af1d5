"""A comparison takes what it does not state from its preregistration, and says what it does otherwise."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

import carob
from carob.cli import main
from carob.comparison.preregistration import Preregistration, read_plan

TEA = Path(__file__).parents[2] / "examples" / "tea"
QRELS = TEA / "qrels.txt"
RUNS = [str(TEA / "runs" / f"{name}.run") for name in ("bm25", "feedback", "titles")]
IDS = sorted({line.split()[0] for line in QRELS.read_text().splitlines()})


def compared(plan: Path, measures: Any = None, **options: Any) -> carob.Comparison:
    return carob.compare(QRELS, RUNS, measures, design=carob.Design(preregistered=plan), **options)


def test_what_is_not_given_is_taken_from_the_file(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    names = ("bm25", "feedback", "titles")
    digest = hashlib.sha256("".join(f"{each}\n" for each in IDS).encode()).hexdigest()
    planned = Preregistration(
        "RR", "wilcoxon", "bonferroni", 0.01, "measure", "bm25", names, len(IDS), digest
    )
    planned.save(path)
    assert read_plan(path) == planned
    found = compared(path)
    settings = found.settings
    assert (settings.test, settings.correction, settings.alpha) == ("wilcoxon", "bonferroni", 0.01)
    assert (found.labels, settings.baseline) == (("RR",), 0)
    assert found.preregistration is not None
    assert found.preregistration.deviations == ()
    assert found.preregistration.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    told = ": no deviation. The file specifies measure, test, correction, level, family of comparisons, baseline, "
    assert f"{told}runs, number of queries, ids of the queries." in " ".join(str(found).split())
    assert carob.compare(QRELS, RUNS, "RR").preregistration is None


def test_what_the_file_does_not_state_is_named(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text('measure = "RR"\ntest = "t"\nalpha = 0.05\nqueries = 24\n')
    found = compared(path)
    assert found.preregistration is not None
    assert found.preregistration.stated == ("measure", "test", "level", "number of queries")
    told = "not correction, family of comparisons, baseline, runs, ids of the queries."
    assert told in " ".join(str(found).split())


@pytest.mark.parametrize(
    ("stated", "measures", "options", "setting", "said"),
    [
        ('measure = "RR"', ["AP", "RR"], {}, "measure", "The primary measure is AP, but RR was planned."),
        (
            'measure = "RR"\ntest = "t"',
            None,
            {"test": "sign"},
            "test",
            "The test is sign, but t was planned.",
        ),
        (
            'measure = "RR"\ncorrection = "holm"',
            None,
            {"test": carob.Test("t", correction="bh")},
            "correction",
            "bh",
        ),
        (
            'measure = "RR"\nalpha = 0.01',
            None,
            {"test": carob.Test(alpha=0.1)},
            "alpha",
            "level is 0.1, but 0.01",
        ),
        ('measure = "RR"\nbaseline = "bm25"', None, {"baseline": "titles"}, "baseline", "titles, but bm25"),
        ('measure = "RR"\nruns = ["bm25", "new"]', None, {}, "runs", "bm25, feedback, titles, but bm25, new"),
        ('measure = "RR"\nqueries = 60', None, {}, "queries", "has 24 queries, but 60 were planned"),
        (
            'measure = "RR"\nqueries_sha256 = "ab"',
            None,
            {},
            "queries_sha256",
            "differ from the planned queries",
        ),
    ],
)
def test_each_deviation_is_said(
    tmp_path: Path, stated: str, measures: Any, options: dict[str, Any], setting: str, said: str
) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(stated)
    found = compared(path, measures, **options)
    warned = [each for each in found.warnings if each.kind == "deviation"]
    assert [each.numbers["setting"] for each in warned] == [setting]
    assert said in warned[0].sentence
    assert ": 1 deviation. The file specifies " in " ".join(str(found).split())


def test_other_names_of_the_measure_and_levels_of_looks_are_no_deviation(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text('measure = "recip_rank"\nalpha = 0.05\n')
    found = compared(path, "RR", test=carob.Test("t", looks=(24, 48)))
    assert found.preregistration is not None
    assert found.preregistration.deviations == ()


def test_a_plan_writes_the_file_and_every_face_names_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, ids, record = (tmp_path / name for name in ("plan.toml", "ids.txt", "record.json"))
    ids.write_text("".join(f"{each}\n" for each in IDS))
    both = [str(QRELS), *RUNS[:2]]
    wanted = ["-m", "AP", "--difference", "0.02", "--comparisons", "3", "--baseline", "bm25"]
    main(["plan", *both, *wanted, "--preregister", str(path), "--planned-queries", str(ids)])
    plan = read_plan(path)
    assert (plan.measure, plan.test, plan.correction, plan.alpha) == ("AP", "t", "holm", 0.05)
    assert (plan.baseline, plan.queries) == ("bm25", len(IDS))
    main(["plan", *both, *wanted, "--preregister", str(tmp_path / "other.toml")])
    capsys.readouterr()
    found = carob.plan(QRELS, RUNS[:2], "AP", difference=0.02, comparisons=3, baseline="bm25")
    assert read_plan(tmp_path / "other.toml").queries == -(-found.rows[0].assured // 1)
    options = ["--preregistered", str(path), "--alpha", "0.1", "--record", str(record)]
    main(["compare", *both, *options, "--format", "json"])
    printed = json.loads(capsys.readouterr().out)
    assert printed["preregistration"]["deviations"] == ["The level is 0.1, but 0.05 was planned."]
    assert json.loads(record.read_text())["comparison"]["preregistration"] == printed["preregistration"]
    with pytest.raises(SystemExit):
        main(["plan", *both, *wanted, "--planned-queries", str(ids)])
    assert "--planned-queries needs --preregister" in capsys.readouterr().err
    other = carob.plan(QRELS, RUNS[:2], "AP", equivalence=0.02)
    with pytest.raises(carob.DataError, match="this plan is for equivalence"):
        other.preregister(path)


@pytest.mark.parametrize(
    ("stated", "said"),
    [
        ("measure", "not a preregistration in TOML"),
        ('test = "t"', "does not specify the primary measure"),
        ('measure = "AP"\nlevel = 0.05', "level = 0.05 is not a valid field of a preregistration"),
        ('measure = "AP"\nqueries = "60"', 'queries = "60" is not a valid field'),
        ('measure = "AP"\nqueries = true', "queries = true is not a valid field"),
        ('measure = "AP"\ntest = "z"', "z"),
        ('measure = "AP"\nalpha = 2.0', "alpha"),
    ],
)
def test_a_file_that_is_no_preregistration_is_refused(tmp_path: Path, stated: str, said: str) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(stated)
    with pytest.raises(carob.DataError, match=said) as refusal:
        compared(path)
    assert "plan.toml" in str(refusal.value)
    with pytest.raises(carob.DataError, match="folder or a device"):
        compared(tmp_path)
    with pytest.raises(carob.DataError, match="No such file"):
        compared(tmp_path / "none.toml")


def test_other_functions_refuse_a_preregistration(tmp_path: Path) -> None:
    design = carob.Design(preregistered=tmp_path / "plan.toml")
    said = "preregistered has no meaning outside carob.compare"
    with pytest.raises(carob.PolicyError, match=said):
        carob.estimate(QRELS, QRELS, RUNS, "AP", design=design)
    pytest.importorskip("jinja2", reason="carob[report] is not installed")
    with pytest.raises(carob.PolicyError, match=said):
        carob.report(QRELS, RUNS, "AP", design=design)
