"""``carob compare`` on per-query scores, without qrels and runs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import carob
from carob.cli import main
from cli.scores import TABLE, outcome

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "command",
    [
        ["compare", "{scores}"],
        ["compare", "--people", "{scores}", "--judge", "{scores}"],
        ["eval", "--people", "{scores}", "--judge", "{scores}"],
        ["plan", "{scores}", "--difference", "0.1"],
        ["best", "{scores}"],
        ["gate", "{one}", "--min", "AP=0.1"],
    ],
    ids=lambda command: " ".join(command),
)
@pytest.mark.parametrize(
    "option",
    [["--depth", "5"], ["--profile", "ranx"], ["--exclude", "{scores}"], ["--lenient"]],
    ids=lambda option: option[0],
)
def test_every_command_refuses_options_about_lists(
    command: list[str], option: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "scores.csv").write_text(TABLE)
    (tmp_path / "one.csv").write_text("query,a\nq1,0.5\nq2,0.25\n")
    paths = {name: str(tmp_path / f"{name}.csv") for name in ("scores", "one")}
    assert outcome([each.format(**paths) for each in (*command, *option)]) == 2
    assert f"{option[0]} needs judgments and ranked lists" in capsys.readouterr().err


# ---------------------------------------------------------------- scores that carob computed

QRELS = "".join(f"q{n} 0 a 1\nq{n} 0 b 0\n" for n in range(1, 7))


COMMITS = {"c1": ("a 2", "b 1"), "c2": ("a 2", "b 2"), "c3": ("b 2", "a 1")}
"""The two documents and scores of each query at each commit: relevant first, tied, relevant last."""


def history(folder: Path, **options: Any) -> list[str]:
    """The records of one run at three commits. It is called 'search' in each, and lacks q6 at the second."""
    (folder / "qrels.txt").write_text(QRELS)
    paths = []
    for commit, documents in COMMITS.items():
        queries = [f"q{n}" for n in range(1, 6 if commit == "c2" else 7)]
        lines = [f"{query} Q0 {each.replace(' ', ' 0 ')} t\n" for query in queries for each in documents]
        (folder / "search.run").write_text("".join(lines))
        scores = carob.evaluate(folder / "qrels.txt", folder / "search.run", ["RR", "P@1"], **options)
        carob.record(scores, folder / f"{commit}.json")
        paths.append(f"{commit}={folder / commit}.json")
    return paths


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    main(list(arguments))
    return " ".join(capsys.readouterr().out.split())


def test_a_name_holds_for_records_in_every_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second, third = history(tmp_path)
    assert "c1 is better than c3" in said(capsys, "compare", first, third, "-m", "RR")
    assert "c1 has the best mean of 3 runs" in said(capsys, "best", first, second, third, "-m", "RR")
    assert "c1 - c2" in said(capsys, "plan", first, second, "-m", "RR", "--difference", "0.1")
    with pytest.raises(SystemExit):
        main(["gate", third, "--baseline", first, "--max-drop", "RR=0.1"])
    assert "gate FAILED: c3 against c1 in " in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["compare", first, f"c1={tmp_path / 'c3.json'}"])
    assert "2 runs are called 'c1'" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["compare", *(each.partition("=")[2] for each in (first, third))])
    assert "2 runs are called 'search': give each run a different name" in capsys.readouterr().err


def test_a_name_holds_for_tables_and_for_files_in_python(tmp_path: Path) -> None:
    for name in ("old", "new"):
        (tmp_path / f"{name}.csv").write_text("run,query,AP\nsearch,q1,0.5\nsearch,q2,0.25\n")
    paths = {name: tmp_path / f"{name}.csv" for name in ("old", "new")}
    assert list(carob.read_scores(paths)) == ["old", "new"]
    assert list(carob.compare(None, carob.read_scores(paths)).names) == ["old", "new"]
    with pytest.raises(carob.DataError, match="2 runs are called 'search'"):
        carob.read_scores(list(paths.values()))
    (tmp_path / "two.csv").write_text("run,query,AP\na,q1,0.5\nb,q1,0.25\n")
    with pytest.raises(carob.DataError, match=r"2 runs \(a, b\), so they cannot all be named 'mine'"):
        carob.read_scores({"mine": tmp_path / "two.csv"})


def test_records_bring_policy_counts_and_warnings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second, _ = history(tmp_path)
    text = said(capsys, "compare", first, second, "-m", "RR")
    assert "policy trec" in text
    assert "as given" not in text
    assert "! c2 lacks 1 of 6 judged queries, counted as 0: q6." in text
    run = {f"q{n}": {"b": 2.0, "a": 2.0} for n in range(1, 6)}
    scores = carob.evaluate(tmp_path / "qrels.txt", run, ["RR", "P@1"], name="search")
    for given in (tmp_path / "c2.json", json.loads(scores.to_json())):
        (back,) = carob.read_scores(given).values()
        assert back.footer() == scores.footer()
        assert back.counts.as_dict()["missing"] == ["q6"]
    assert "1 missing query counted as 0" in scores.footer()
    assert "ties touch 5 queries (RR 0.4167–0.8333)" in scores.footer()


def test_records_know_how_well_runs_are_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of the new run, one of two documents is unjudged; the old run answers three queries with judged documents."""
    (tmp_path / "qrels.txt").write_text(QRELS)
    paths = {name: str(tmp_path / f"{name}.run") for name in ("old", "new")}
    rows = {"old": "q{n} Q0 a 1 2 t\nq{n} Q0 b 2 1 t\n", "new": "q{n} Q0 x 1 2 t\nq{n} Q0 a 2 1 t\n"}
    qrels = str(tmp_path / "qrels.txt")
    for name, queries in {"old": 3, "new": 6}.items():
        lines = [rows[name].format(n=n) for n in range(1, queries + 1)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
        record = str(tmp_path / f"{name}.json")
        main(["eval", qrels, paths[name], "-m", "RR", "--record", record])
        assert capsys.readouterr().out.startswith("run      RR\n")  # the measure is not shown
        document = json.loads((tmp_path / f"{name}.json").read_text())
        assert list(document["measures"]) == ["RR"]
        assert document["runs"][0]["judged"] == {"old": 1.0, "new": 0.5}[name]
        main(["verify", record, "--anywhere"])
        assert "equal (to the last digit)" in capsys.readouterr().out
    text = said(capsys, "compare", str(tmp_path / "old.json"), str(tmp_path / "new.json"))
    assert "! new: 50.0% of its top 10 is unjudged, on average over the queries (old 0.0%)" in " ".join(
        text.split()
    )
    note = "50% of the first 10 documents are unjudged in the run, and 0% in the baseline"
    found = carob.gate(qrels, paths["new"], tmp_path / "old.json", {"RR": 0.6})
    assert found.warnings[0].startswith(note)
    # Scores from Python know it by the measure; those of a comparison know it, too.
    runs = {name: tmp_path / f"{name}.run" for name in paths}
    scores = carob.evaluate(qrels, runs, ["RR", "Judged@10"])
    shown = carob.compare(None, scores, "RR")
    assert shown.judged == carob.compare(qrels, runs, "RR").judged == (1.0, 0.5)
    carob.record(carob.compare(qrels, runs, "RR"), tmp_path / "both.json")
    assert [each.judged for each in carob.read_scores(tmp_path / "both.json").runs] == [1.0, 0.5]
    # Where the policy removes unjudged documents, the measure is 1 whatever the run.
    removed = carob.evaluate(qrels, runs, ["RR", "Judged@10"], policy=carob.Policy(unjudged="removed"))
    assert str(carob.compare(None, removed, "RR").judged) == "(nan, nan)"
    parts = [carob.evaluate({q: {"a": 1}}, {q: {"a": 1.0}}, ["RR"]) for q in ("q1", "q2")]
    assert str(parts[0].merge(parts[1]).judged) == "nan"


def test_records_of_different_judgments_are_noted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second, _ = history(tmp_path)
    (tmp_path / "qrels.txt").write_text(QRELS + "q1 0 c 0\n")
    scores = carob.evaluate(tmp_path / "qrels.txt", tmp_path / "search.run", ["RR", "P@1"])
    carob.record(scores, tmp_path / "c4.json")
    fourth = f"c4={tmp_path / 'c4.json'}"
    text = said(capsys, "compare", first, second, fourth, "-m", "RR")
    assert "! c4: scored with different judgments from c1" in text
    assert "different judgments" not in said(capsys, "compare", first, second, "-m", "RR")
    assert outcome(["gate", fourth, "--baseline", first, "--max-drop", "RR=0.1"]) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert "c4 and c1 were scored with different judgments" in out


def test_warnings_and_failed_measures_of_records_are_known(tmp_path: Path) -> None:
    qrels, strange = {"q1": {"a": 1}, "q2": {"a": 9}}, {"q1": {"x": 1.0}, "q2": {"x": 1.0}}
    run = {"q1": {"a": 1.0}, "q2": {"a": 1.0}}
    with pytest.warns(carob.DataWarning):
        scores = carob.evaluate(qrels, {"run": run, "strange": strange}, ["RR", "ERR"])
    assert scores["run"].failed
    assert scores["strange"].warnings
    (tmp_path / "both.json").write_text(scores.to_json())
    back = carob.read_scores(tmp_path / "both.json")
    assert [each.warnings for each in back.runs] == [each.warnings for each in scores.runs]
    assert back.footer() == scores.footer()
    assert "apart" in [each.kind for each in carob.compare(None, back, "RR").warnings]
    for given in (back, scores):
        with pytest.raises(carob.DataError, match="ERR has no value"):
            carob.compare(None, given, ["RR", "ERR"])


def test_a_record_that_claims_another_share_of_judged_documents_differs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    history(tmp_path)
    qrels, run, path = (str(tmp_path / each) for each in ("qrels.txt", "search.run", "own.json"))
    main(["eval", qrels, run, "-m", "RR", "--record", path])
    text = (tmp_path / "own.json").read_text()
    (tmp_path / "own.json").write_text(text.replace('"judged": 1.0', '"judged": 0.5'))
    assert outcome(["verify", path, "--anywhere"]) == 1
    assert "share of judged documents in the top ten was 0.5, is 1" in " ".join(
        capsys.readouterr().out.split()
    )


def test_records_under_different_policies_are_not_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("zero", "skip"):
        (tmp_path / name).mkdir()
    zero = history(tmp_path / "zero")
    skip = history(tmp_path / "skip", policy=carob.Policy(missing="skip"))
    assert outcome(["compare", zero[0], skip[1]]) == 2
    assert (
        "c2 was evaluated under a different policy (missing skip) from c1 (trec)" in capsys.readouterr().err
    )
    text = said(capsys, "compare", skip[0], skip[1], "-m", "RR")
    assert "c2 lacks 1 of 6 judged queries, left out: q6." in text
    # Values without a policy go with any.
    (tmp_path / "other.csv").write_text("query,RR\n" + "".join(f"q{n},0.5\n" for n in range(1, 7)))
    assert "c1 is better than other" in said(
        capsys, "compare", skip[0], str(tmp_path / "other.csv"), "-m", "RR"
    )


def test_undefined_values_and_weights_of_records_stay_what_they_are(tmp_path: Path) -> None:
    qrels = {"q1": {"a": 1}, "q2": {"a": 0}, "q3": {"a": 1}, "q4": {"a": 1}}
    first, second = {"a": 1.0}, {"b": 2.0, "a": 1.0}
    runs = {
        "one": {"q1": first, "q2": first, "q3": second, "q4": first},
        "two": {"q1": second, "q2": first, "q3": first, "q4": first},
    }
    weights, policy = {"q1": 3.0, "q2": 1.0, "q3": 1.0, "q4": 1.0}, carob.Policy(empty="nan")
    for options in ({"weights": weights}, {"policy": policy}):
        scores = carob.evaluate(qrels, runs, ["RR", "P@1"], **options)  # type: ignore[arg-type]
        carob.record(scores.runs, tmp_path / "both.json")
        back = carob.read_scores(tmp_path / "both.json")
        assert str(back) == str(scores)
        assert carob.compare(None, back).to_json() == carob.compare(None, scores).to_json()
        assert str(carob.best(back)) == str(carob.best(scores))


def test_a_query_of_which_a_record_knows_nothing_is_decided_by_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, *_ = history(tmp_path)
    more = {f"q{n}": {"a": 1} for n in range(1, 9)}
    run = {query: {"b": 2.0, "a": 1.0} for query in more}
    carob.record(carob.evaluate(more, run, ["RR", "P@1"], name="search"), tmp_path / "more.json")
    both = [first, f"more={tmp_path / 'more.json'}", "-m", "RR"]
    assert outcome(["compare", *both]) == 2
    assert "c1 has no value of RR for 2 of 8 queries: q7, q8." in capsys.readouterr().err
    assert "c1 lacks 2 of 6 judged queries, counted as 0: q7, q8." in said(
        capsys, "compare", *both, "--missing", "zero"
    )
    assert "c1 is better than more" in said(capsys, "compare", *both, "--missing", "skip")


@pytest.mark.parametrize(
    "command",
    [
        "eval {qrels} {scores}",
        "eval {scores} {run}",
        "compare {qrels} {run} {scores}",
        "report {qrels} {run} {scores} -o {page}",
        "curve {qrels} {scores}",
        "agreement {qrels} {scores}",
        "gate {qrels} {scores} --min RR=0.1",
    ],
)
def test_scores_in_the_place_of_judgments_or_a_run_are_one_sentence(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    history(tmp_path)
    names = {"qrels": "qrels.txt", "scores": "c1.json", "run": "search.run", "page": "page.html"}
    words = command.format(**{name: tmp_path / each for name, each in names.items()}).split()
    assert outcome(words) == 2
    assert "c1.json: the file contains scores that carob computed" in capsys.readouterr().err


def test_correlations_use_the_weights_of_records_and_pair_measures_by_name(tmp_path: Path) -> None:
    """Under the weights, the order of the runs is another one."""
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
    ranks = {"one": (1, 4), "two": (2, 2), "three": (4, 1)}
    runs = {
        name: {
            query: {("a" if each == rank else f"x{each}"): 1 / each for each in range(1, 5)}
            for query, rank in zip(qrels, its, strict=True)
        }
        for name, its in ranks.items()
    }
    plain = carob.evaluate(qrels, runs, ["RR", "P@2"])
    weighted = carob.evaluate(qrels, runs, ["RR", "P@2"], weights={"q1": 1.0, "q2": 9.0})
    carob.record(weighted.runs, tmp_path / "weighted.json")
    turned = {name: carob.evaluate(qrels, run, ["P@2", "RR"], name=name) for name, run in runs.items()}
    mixed = {**plain, "two": turned["two"]}

    def shown(truth: Any, judge: Any) -> str:
        return str(
            carob.correlate(
                truth,
                {"judge": judge},
                measures=["RR"],
                coefficients=["pearson"],
                test=carob.Test(resamples=10),
            )
        )

    assert shown(plain, tmp_path / "weighted.json") == shown(plain, weighted)
    assert shown(plain, tmp_path / "weighted.json") != shown(plain, plain)
    assert shown(mixed, plain) == shown(plain, plain)


def test_conventions_are_those_of_each_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, *_ = history(tmp_path)
    (tmp_path / "other.csv").write_text("query,RR\n" + "".join(f"q{n},0.5\n" for n in range(1, 7)))
    text = said(capsys, "compare", first, str(tmp_path / "other.csv"), "-m", "RR")
    assert "c1: policy trec; other: values as given, policy unknown." in text


def test_values_by_query_name_the_files_of_the_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A hash of a run would take a sixth of the time of an evaluation: it is left to records."""
    qrels, new, old = (tmp_path / name for name in ("qrels", "new.run", "old.csv"))
    qrels.write_text("q1 0 a 1\nq2 0 c 1\n")
    new.write_text("q1 Q0 a 1 2 t\nq2 Q0 c 1 1 t\n")
    old.write_text("query,document,score\nq1,a,1\nq2,c,1\n")
    for command in (["eval", "-q"], ["compare"]):
        main([*command, str(qrels), str(new), str(old), "-m", "RR", "--format", "json"])
        judged, *runs = json.loads(capsys.readouterr().out)["inputs"]
        assert (judged["role"], len(judged["sha256"])) == ("qrels", 64)
        assert [(each["role"], each["name"], each["path"], each["bytes"]) for each in runs] == [
            ("run", path.stem, str(path), path.stat().st_size) for path in (new, old)
        ]
        assert {(each["sha256"], each["why"]) for each in runs} == {
            (None, "not hashed: a record has the hash")
        }
    with new.open("rb") as stream:
        found = carob.compare(qrels, {"one": stream, "two": old}, "RR")
    (_, streamed, _) = json.loads(found.to_json())["inputs"]
    assert (streamed["path"], streamed["why"]) == (None, "a stream, which can be read only once")
