"""Records: what they hold, that they are the same twice, and what is said when something is no longer so."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.testing.recorded import QRELS, kinds, record_of_two

import carob
from carob import DataError, Policy, PolicyError
from carob.cli.options import grouped
from carob.inputs.run import Run
from carob.output.files import write_whole
from carob.testing.history import history
from toys import RUN, command


@pytest.fixture
def folder(folder: Path) -> Path:
    (folder / "qrels.txt").write_text(QRELS)
    return folder


@pytest.fixture
def made(folder: Path) -> Path:
    """A record of two runs, AP and RR."""
    return record_of_two(folder)


def test_excluded_documents_of_a_record_are_those_of_the_gate_the_comparison_and_the_history(
    tmp_path: Path,
) -> None:
    qrels = {f"q{n}": {"a": 1, "b": 1} for n in range(6)}
    runs = {name: {query: {"a": 3.0, "x": 2.0, "b": 1.0} for query in qrels} for name in ("old", "new")}
    seen, other = tmp_path / "seen.txt", tmp_path / "other.txt"
    seen.write_text("".join(f"q{n}\ta\n" for n in range(5)))
    other.write_text("q0\tx\n")
    scores = {
        path and path.name: carob.evaluate(qrels, runs["new"], "RR", exclude=path)
        for path in (None, seen, other)
    }
    for kind in ("record", "json"):
        path = str(tmp_path / kind)
        old = carob.evaluate(qrels, runs["old"], "RR", exclude=seen, name="old")
        carob.record(old, path) if kind == "record" else Path(path).write_text(old.to_json())
        assert carob.gate(qrels, Run.of(runs["new"], exclude=seen), path, {"RR": 0.1}, name="new").passed
        for name, theirs in ((None, "none"), ("other.txt", "those of .*other.txt")):
            said = f"Different documents were excluded from .*seen.txt.*{theirs}"
            with pytest.raises(DataError, match=said):
                carob.gate(None, scores[name], path, {"RR": 0.1})
            carob.record(scores[name], tmp_path / "new.json")
            with pytest.raises(DataError, match=said):
                history({"old": path, "new": str(tmp_path / "new.json")})
            with pytest.raises(DataError, match=said):
                carob.compare(None, carob.read_scores({"old": path, "new": str(tmp_path / "new.json")}))


def test_a_record_holds_hash_and_size_of_each_input_and_every_digit(made: Path) -> None:
    document = json.loads(made.read_text())
    assert document["record"] == 1
    assert document["carob"] == carob.__version__
    assert set(document["made_with"]) == {"python", "numpy", "platform"}
    assert [(each["role"], each.get("name"), each["path"]) for each in document["inputs"]] == [
        ("qrels", None, "qrels.txt"),
        ("run", "one", "one.run"),
        ("run", "two", "two.run"),
    ]
    for each in document["inputs"]:
        content = Path(each["path"]).read_bytes()
        assert (each["bytes"], each["sha256"]) == (len(content), hashlib.sha256(content).hexdigest())
    assert document["policy"] == Policy().as_dict()
    assert document["runs"][0]["queries"] == {
        "q1": {"AP": 0.5, "RR": 0.5},
        "q2": {"AP": 1.0, "RR": 1.0},
        "q3": {"AP": 0.0, "RR": 0.0},
    }
    assert document["runs"][1]["means"]["RR"] == 2 / 3
    assert document["runs"][0]["counts"]["missing"] == ["q3"]


def test_a_record_made_twice_is_the_same_to_the_byte(made: Path) -> None:
    assert (
        command("eval", "qrels.txt", "one.run", "two.run", "-m", "AP", "-m", "RR", "--record", "b.json") == 0
    )
    before = Path("b.json").read_bytes()
    # Only the command also computes how well the runs are judged.
    document = json.loads(before)
    assert [run.pop("judged") for run in document["runs"]] == [1.0, 1.0]
    assert document == json.loads(made.read_bytes())
    carob.record(
        [carob.evaluate("qrels.txt", f"{name}.run", ["AP", "RR"]) for name in ("one", "two")], "again.json"
    )
    assert Path("again.json").read_bytes() == made.read_bytes()
    # In another process, whose hash seed is another.
    options = ["qrels.txt", "one.run", "two.run", "-m", "AP", "-m", "RR", "--record", "c.json"]
    subprocess.run([sys.executable, "-m", "carob", "eval", *options], check=True, capture_output=True)
    assert Path("c.json").read_bytes() == before
    assert not list(made.parent.glob("*.part"))


def test_the_hash_of_a_compressed_file_is_of_the_file_as_it_lies_there(folder: Path) -> None:
    packed = gzip.compress(RUN.encode(), mtime=0)
    (folder / "one.run.gz").write_bytes(packed)
    carob.record(carob.evaluate("qrels.txt", "one.run.gz", "RR"), "out.json")
    entry = json.loads(Path("out.json").read_text())["inputs"][1]
    assert (entry["bytes"], entry["sha256"]) == (len(packed), hashlib.sha256(packed).hexdigest())
    assert carob.verify("out.json").equal


def test_a_file_larger_than_a_block_is_hashed_whole(folder: Path) -> None:
    lines = b"# " + b"x" * (2**20 + 17) + b"\n" + RUN.encode()
    (folder / "long.run").write_bytes(lines)
    carob.record(carob.evaluate("qrels.txt", "long.run", "RR"), "out.json")
    entry = json.loads(Path("out.json").read_text())["inputs"][1]
    assert (entry["bytes"], entry["sha256"]) == (len(lines), hashlib.sha256(lines).hexdigest())


def test_the_recorded_policy_and_profile_are_used_again(folder: Path) -> None:
    scores = carob.evaluate(
        "qrels.txt", "one.run", ["ndcg_cut_10", "map"], policy=Policy(missing="skip", empty="one")
    )
    carob.record(scores, "a.json")
    assert carob.verify("a.json").equal
    (folder / "two.txt").write_text("q1 0 a 1\nq2 0 c 2\n")
    carob.record(carob.evaluate("two.txt", "one.run", ["MAP", "NDCG"], profile="note-004"), "b.json")
    document = json.loads(Path("b.json").read_text())
    assert document["profile"] == "note-004"
    assert document["measures"]["MAP"] == "AP(over=retrieved)"
    assert carob.verify("b.json").equal


def test_measures_with_other_policies_or_undefined_values_are_made_again(folder: Path) -> None:
    by_measure = Policy(by_measure={"RR": {"missing": "skip"}})
    carob.record(carob.evaluate("qrels.txt", "one.run", ["AP", "RR"], policy=by_measure), "a.json")
    assert json.loads(Path("a.json").read_text())["runs"][0]["queries"]["q3"] == {"AP": 0.0, "RR": None}
    assert carob.verify("a.json").equal
    carob.record(carob.evaluate("qrels.txt", "one.run", "AP", policy=Policy(missing="nan")), "b.json")
    assert json.loads(Path("b.json").read_text())["runs"][0]["means"] == {"AP": None}
    assert carob.verify("b.json").equal


def test_weights_given_to_queries_are_part_of_the_record(folder: Path) -> None:
    weights = {"q1": 3.0, "q2": 1.0, "q3": 0.0}
    carob.record(carob.evaluate("qrels.txt", "one.run", ["RR", "GAUC"], weights=weights), "a.json")
    assert json.loads(Path("a.json").read_text())["runs"][0]["means"]["RR"] == (3 * 0.5 + 1.0) / 4
    assert carob.verify("a.json").equal


def test_a_judged_ranking_is_recorded_and_verified(folder: Path) -> None:
    (folder / "ranked.txt").write_text("q Q0 a 0\nq Q0 b 1\n")
    assert command("eval", "--judged-ranking", "ranked.txt", "-m", "RR", "--record", "a.json") == 0
    assert json.loads(Path("a.json").read_text())["inputs"][0]["role"] == "judged ranking"
    assert carob.verify("a.json").equal
    (folder / "ranked.txt").write_text("q Q0 a 1\nq Q0 b 1\n")
    assert kinds(carob.verify("a.json")) == {"input", "counts", "values"}


def test_inputs_from_memory_have_no_hash_and_are_handed_over(tmp_path: Path) -> None:
    qrels, run = {"q": {"a": 1}}, {"q": {"b": 2.0, "a": 1.0}}
    path = tmp_path / "out.json"
    carob.record(carob.evaluate(qrels, run, "RR", name="mine"), path)
    assert [each["why"] for each in json.loads(path.read_text())["inputs"]] == ["a mapping in memory"] * 2
    with pytest.raises(
        DataError,
        match=r"the qrels was a mapping in memory, so it cannot be read from the record: pass it \(qrels=\)",
    ):
        carob.verify(path)
    found = carob.verify(path, qrels, {"mine": run})
    assert found.equal
    assert found.remarks == ("no hash to compare: qrels, run mine",)
    assert not carob.verify(path, qrels, {"mine": {"q": {"a": 1.0}}}).equal


EXCLUDED = {
    "judgments": ("seen.qrels", "q1 0 a 1\n", "q1 0 b 1\n"),
    "pairs": ("seen.txt", "q1 a\n", "q1 b\n"),
    "a table": ("seen.csv", "user,item\nq1,a\n", "user,item\nq1,b\n"),
}


@pytest.mark.parametrize("form", EXCLUDED)
def test_excluded_pairs_are_recorded_and_excluded_again(form: str, folder: Path, capfd) -> None:
    name, pairs, others = EXCLUDED[form]
    Path(name).write_text(pairs)
    command("eval", "qrels.txt", "one.run", "two.run", "--exclude", name, "--record", "out.json", "-m", "AP")
    entries = json.loads(Path("out.json").read_text())["inputs"]
    roles = [(each["role"], each["path"]) for each in entries]
    run = [("run", "one.run"), ("exclude", name), ("run", "two.run"), ("exclude", name)]
    assert roles == [("qrels", "qrels.txt"), *run]
    assert entries[2]["sha256"] == hashlib.sha256(pairs.encode()).hexdigest()
    assert carob.verify("out.json").findings == ()
    Path(name).write_text(others)
    assert kinds(carob.verify("out.json")) >= {"input", "values"}
    Path(name).write_text(pairs)
    Path(name).rename("moved" + name)
    capfd.readouterr()
    assert command("verify", "out.json") == 2
    assert "pass the file (--exclude FILE)" in capfd.readouterr().err
    assert command("verify", "out.json", "--exclude", "moved" + name) == 0
    assert carob.verify("out.json", exclude={"q1": ["a"]}).findings == ()


def test_pairs_excluded_from_memory_are_handed_over_with_the_run(folder: Path) -> None:
    seen = {"q1": ["a"]}
    carob.record(carob.evaluate("qrels.txt", "one.run", "AP", exclude=seen), "out.json")
    with pytest.raises(DataError, match=r"the run was one.run without documents that were excluded"):
        carob.verify("out.json")
    run = carob.Run.of("one.run", exclude=seen)
    assert carob.verify("out.json", runs={"one": run}).findings == ()


def test_a_record_names_no_excluded_pairs_of_other_folders_or_of_no_run(
    folder: Path, tmp_path_factory
) -> None:
    Path("seen.txt").write_text("q1 a\n")
    carob.record(carob.evaluate("qrels.txt", "one.run", "AP", exclude="seen.txt"), "out.json")
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "seen.txt"
    elsewhere.write_text("q1 a\n")
    text = Path("out.json").read_text()
    Path("out.json").write_text(text.replace('"seen.txt"', json.dumps(str(elsewhere))))
    with pytest.raises(DataError, match="neither below the record's folder"):
        carob.verify("out.json")
    assert carob.verify("out.json", anywhere=True).findings == ()
    Path("out.json").write_text(text.replace('"exclude", "name": "one"', '"exclude", "name": "two"'))
    with pytest.raises(DataError, match="excluded pairs are listed, but no run"):
        carob.verify("out.json")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_what_cannot_be_read_again_is_refused(folder: Path) -> None:
    program = [sys.executable, "-m", "carob", "eval", "qrels.txt", "-", "--record", "out.json"]
    done = subprocess.run(program, input=RUN.encode(), capture_output=True, check=False)
    assert done.returncode == 2
    assert done.stdout == b""
    assert b"The run came from standard input, which cannot be read again: save it to a file" in done.stderr
    assert not Path("out.json").exists()
    with Path("one.run").open("rb") as file, pytest.raises(DataError, match="came from a stream"):
        carob.record(carob.evaluate("qrels.txt", file, "RR"), "out.json")


def test_a_file_that_changed_since_it_was_scored_is_refused(folder: Path) -> None:
    scores = carob.evaluate("qrels.txt", "one.run", "RR")
    Path("one.run").write_text(RUN + "q3 Q0 d 1 1.0 t\n")
    with pytest.raises(DataError, match=r"one\.run has changed since it was scored: score it again"):
        carob.record(scores, "out.json")


def test_scores_that_do_not_belong_together_are_refused(folder: Path) -> None:
    one = carob.evaluate("qrels.txt", "one.run", "RR")
    with pytest.raises(DataError, match="Two runs are named 'one'"):
        carob.record([one, one], "out.json")
    with pytest.raises(DataError, match="with different measures or under different policies"):
        carob.record([one, carob.evaluate("qrels.txt", "two.run", "AP")], "out.json")
    (folder / "other.txt").write_text(QRELS)
    with pytest.raises(DataError, match="with different judgments"):
        carob.record([one, carob.evaluate("other.txt", "two.run", "RR")], "out.json")
    with pytest.raises(DataError, match="no scores to record"):
        carob.record([], "out.json")
    parts = [carob.evaluate({q: {"a": 1}}, {q: {"a": 1.0}}, "RR") for q in ("x", "y")]
    with pytest.raises(DataError, match="do not contain the names of their inputs"):
        carob.record(parts[0].merge(parts[1]), "out.json")


def test_a_policy_that_this_carob_does_not_know_is_refused(made: Path) -> None:
    document = json.loads(made.read_text())
    document["policy"]["moon"] = "full"
    made.write_text(json.dumps(document))
    with pytest.raises(PolicyError, match="has no setting 'moon'"):
        carob.verify(made)


def test_ids_of_any_bytes_survive(folder: Path) -> None:
    names = [b'q"1', "茶".encode(), b"\xff\xfe", b"q\\2"]
    (folder / "odd.txt").write_bytes(b"".join(name + b" 0 a 1\n" for name in names))
    (folder / "odd.run").write_bytes(b"".join(name + b" Q0 a 1 1.0 t\n" for name in names))
    carob.record(carob.evaluate("odd.txt", "odd.run", "RR"), "out.json")
    content = Path("out.json").read_bytes()
    assert "茶" in content.decode("utf-8")
    assert json.loads(content)["runs"][0]["queries"].keys() == {
        name.decode("utf-8", "surrogateescape") for name in names
    }
    assert carob.verify("out.json").equal


def test_no_id_reaches_a_terminal_as_a_command(tmp_path: Path) -> None:
    path, run = tmp_path / "out.json", {"\x1b[31m": {"b": 2.0, "a": 1.0}, "x\ny": {"a": 1.0}}
    qrels = {query: {"a": 1} for query in run}
    carob.record(carob.evaluate(qrels, run, "RR", name="r\x07"), path)
    changed = {"\x1b[31m": {"a": 1.0}, "x\ny": {"a": 1.0}}
    text = carob.verify(path, qrels, {"r\x07": changed}).to_text()
    assert "r\\x07, RR: 1 of 2 queries differ, largest difference: '\\x1b[31m'" in text
    assert not {"\x1b", "\x07"} & set(text)


def test_a_comparison_is_recorded_with_its_tests_and_compared_again(folder: Path) -> None:
    runs = {name: f"{name}.run" for name in ("one", "two")}
    found = carob.compare(
        "qrels.txt", runs, ["RR", "AP"], baseline="one", test=carob.Test("randomisation", seed=7)
    )
    carob.record(found, "out.json")
    document = json.loads(Path("out.json").read_text())
    pair = document["comparison"]["contests"]["RR"]["pairs"][0]
    assert pair["difference"] == pytest.approx(2 / 3 - 1 / 2, abs=1e-15)
    assert document["comparison"]["settings"]["seed"] == 7
    assert carob.verify("out.json").equal
    pair["p_uncorrected"] = 0.001
    Path("out.json").write_text(json.dumps(document))
    (finding,) = carob.verify("out.json").findings
    assert finding.kind == "comparison"
    assert finding.sentence.startswith("RR, pairs 1, p_uncorrected was 0.001, is ")


def test_the_commands_option_records_a_comparison_with_weights_and_clusters(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / "weights.txt").write_text("q1 2\nq2 1\nq3 1\n")
    (folder / "clusters.txt").write_text("q1 x\nq2 x\nq3 y\n")
    files = ["qrels.txt", "one.run", "two.run", "-m", "RR"]
    assert command("compare", *files, "--weights", "weights.txt", "--rope", "0.01", "--record", "a.json") == 0
    assert command("compare", *files, "--cluster", "clusters.txt", "--record", "b.json") == 0
    assert json.loads(Path("a.json").read_text())["runs"][0]["means"]["RR"] == (2 * 0.5 + 1.0) / 4
    assert carob.verify("a.json").equal
    found = carob.verify("b.json")
    assert found.equal
    assert found.remarks == (
        "the clusters of queries are not in the record: its scores were recomputed, but not its tests",
    )


@pytest.mark.parametrize("given", [{}, {"seed": 5}, {"resamples": 9, "seed": 5}])
def test_a_note_on_settings_without_effect_is_no_difference(given: dict[str, int], folder: Path) -> None:
    compared = carob.compare("qrels.txt", ["one.run", "two.run"], ["RR"], **grouped({"test": "t", **given}))
    assert len(compared.settings.departures) == bool(given)
    carob.record(compared, "out.json")
    assert carob.verify("out.json").equal


@pytest.mark.parametrize("resamples", [None, 3])
def test_intervals_by_resampling_are_computed_again_from_as_many_resamples(
    resamples: int | None, folder: Path
) -> None:
    found = carob.compare(
        "qrels.txt",
        ["one.run", "two.run"],
        ["RR"],
        test=carob.Test("t", interval="bootstrap", resamples=resamples),
    )
    carob.record(found, "out.json")
    assert carob.verify("out.json").equal
    document = json.loads(Path("out.json").read_text())
    assert document["comparison"]["settings"].pop("bootstrap_resamples") == (resamples or 10_000)
    Path("out.json").write_text(json.dumps(document))
    assert carob.verify("out.json").equal == (resamples is None), "a record made before the setting existed"


def test_a_comparison_of_all_pairs_is_compared_again(folder: Path) -> None:
    (folder / "three.run").write_text(RUN.replace("q2", "q3"))
    carob.record(carob.compare("qrels.txt", ["one.run", "two.run", "three.run"], ["RR"]), "out.json")
    assert carob.verify("out.json").equal


def test_writing_follows_a_link_keeps_the_mode_and_leaves_nothing_behind(tmp_path: Path) -> None:
    real = tmp_path / "real.json"
    real.write_text("old")
    real.chmod(0o640)
    link = tmp_path / "link.json"
    try:
        link.symlink_to(real)
    except OSError:
        pytest.skip("this system makes no links")
    write_whole(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert real.stat().st_mode & 0o777 == 0o640
    with pytest.raises(DataError, match=r"Cannot write .*nowhere.*: No such file or directory"):
        write_whole(tmp_path / "nowhere" / "x.json", "new")
    with pytest.raises(DataError, match="Cannot write"):
        write_whole(tmp_path, "new")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["link.json", "real.json"]


def test_the_tea_example_is_recorded_in_lines_that_a_person_can_read(tmp_path: Path) -> None:
    tea = Path(__file__).parents[2] / "examples" / "tea"
    path = tmp_path / "tea.json"
    carob.record(carob.evaluate(tea / "qrels.txt", tea / "runs" / "bm25.run"), path)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert sum(line.lstrip().startswith('"t0') for line in lines) == 9
    assert carob.verify(path).equal


def test_a_record_of_dictionaries_is_equal_with_files_of_the_same_content(folder: Path) -> None:
    made = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"c": 1.0}, "q3": {"d": 1.0}}
    carob.record(carob.evaluate("qrels.txt", made, "AP", name="mine"), "mine.json")
    (folder / "mine.run").write_text("q1 Q0 a 1 2 t\nq1 Q0 b 2 1 t\nq2 Q0 c 1 1 t\nq3 Q0 d 1 1 t\n")
    assert carob.verify("mine.json", runs={"mine": "mine.run"}).findings == ()
    carob.record(carob.evaluate("qrels.txt", "mine.run", "AP"), "mine.json")
    assert carob.verify("mine.json", runs={"mine": made}).findings == ()
