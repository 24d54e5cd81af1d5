"""The benchmarks still run, make the data that they promise, and show no time of programs that disagree."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from importlib.util import find_spec
from operator import itemgetter
from pathlib import Path

import numpy as np
import pytest

CHECKOUT = Path(__file__).resolve().parents[1]
sys.path.append(str(CHECKOUT))

from bench import bench_spark, child, data, rows, versions  # noqa: E402
from bench.answer import Bar, faster_than  # noqa: E402
from bench.side_by_side import DisagreementError, Program, side_by_side  # noqa: E402


@pytest.mark.long
def test_two_checkouts_are_timed_in_turn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if not (CHECKOUT / ".venv" / "bin").exists():
        pytest.skip("needs a checkout in which 'make eval' was run")
    arguments = [str(CHECKOUT), "start", "--quick", "--rounds", "1", "--folder", str(tmp_path)]
    assert versions.main(arguments) == 0
    said = capsys.readouterr().out
    assert "start: carob --version" in said
    assert "of 3 programs" in said
    assert versions.main([*arguments, "--most", "0"]) == 1


@pytest.mark.long
def test_the_command_asks_every_question(tmp_path: Path) -> None:
    """With the fastest peer to start, where it is installed; its values are compared on the way.

    Without it, the question that only a peer answers is left out.
    """
    command = [
        sys.executable,
        "-m",
        "bench",
        "--quick",
        "--huge",
        "--folder",
        str(tmp_path),
        "--peers",
        "pytrec_eval",
    ]
    done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    kept = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert {"when", "commit", "machine", "python", "versions"} <= set(kept)
    alone, beside_a_peer = 15, find_spec("pytrec_eval") is not None
    beside_programs = sum(map(bool, map(shutil.which, ("wc", "gzip", "zstd"))))
    assert len(kept["answers"]) == alone + beside_a_peer + beside_programs
    for answer in kept["answers"]:
        assert answer["question"] in done.stdout
        assert answer["timings"][0]["name"].startswith("carob")
        assert answer["timings"][0]["seconds"]


def test_the_same_seed_gives_the_same_files(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        data.write(tmp_path / folder, "tiny")
    first, second = (data.files(tmp_path / folder, "tiny") for folder in ("one", "two"))
    assert first.run.read_bytes() == second.run.read_bytes()
    assert first.qrels.read_bytes() == second.qrels.read_bytes()


def test_runs_have_no_ties_in_single_precision_either(tmp_path: Path) -> None:
    """Peers may then order by whichever rule they like."""
    data.write(tmp_path, "tiny")
    qrels, run = data.as_dicts(data.files(tmp_path, "tiny"))
    size = data.SIZES["tiny"]
    assert set(qrels) == set(run)
    assert len(run) == size.queries
    for query, ranking in run.items():
        scores = np.array(list(ranking.values()))
        assert len(scores) == size.depth
        assert (np.diff(scores) < 0).all()
        assert (scores.astype(np.float32) == scores).all()
        assert any(document in ranking for document in qrels[query])


def test_shuffled_lines_are_the_same_lines(tmp_path: Path) -> None:
    for name in ("tiny", "tiny-shuffled"):
        data.write(tmp_path, name)
    plain, shuffled = (
        data.files(tmp_path, name).run.read_text().splitlines() for name in ("tiny", "tiny-shuffled")
    )
    assert plain != shuffled
    assert sorted(plain) == sorted(shuffled)


def test_tables_hold_the_same_rows_in_both_orders(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    for order in rows.ORDERS:
        rows.write(tmp_path, 40, 100, order)
    together, mixed = (rows.files(tmp_path, 40, 100, order) for order in rows.ORDERS)
    held = [parquet.read_table(each.run).to_pylist() for each in (together, mixed)]
    assert held[0] != held[1]
    key = itemgetter("query_id", "doc_id", "score")
    assert sorted(held[0], key=key) == sorted(held[1], key=key)
    pairs = {(each["query_id"], each["doc_id"]) for each in held[0]}
    assert len(pairs) == 40 * 100
    assert {
        (each["query_id"], each["doc_id"]) for each in parquet.read_table(together.qrels).to_pylist()
    } < pairs


def printing(name: str, number: float) -> Program:
    return Program(name, [sys.executable, "-c", f"print({number})"], lambda printed: [float(printed)])


def test_times_of_programs_that_disagree_are_refused() -> None:
    first, close = side_by_side([printing("a", 0.5), printing("b", 0.5 + 1e-12)], 1)
    assert first.values == [0.5]
    assert close.seconds
    with pytest.raises(DisagreementError, match=r"b says 0\.51 where a says 0\.5"):
        side_by_side([printing("a", 0.5), printing("b", 0.51)], 1)


def test_a_program_that_fails_has_no_time_and_says_why() -> None:
    bad = Program("bad", [sys.executable, "-c", "import sys; sys.exit('no such library')"])
    timing = side_by_side([printing("a", 0.5), bad], 2)[1]
    assert not timing.seconds
    assert timing.failure == "no such library"


def test_peak_memory_is_that_of_the_program() -> None:
    """A program that holds 200 MB, started by one that holds less: the tests' own process may hold more."""
    code = (
        "import sys; from bench.side_by_side import Program, side_by_side; "
        "held = Program('a', [sys.executable, '-c', \"b'x' * (200 * 2**20)\"]); "
        "print(side_by_side([held], 1)[0].peak)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=CHECKOUT, capture_output=True, text=True, check=True
    )
    if done.stdout.strip() == "None":
        pytest.skip("this system does not tell a child's peak memory")
    assert 200 < float(done.stdout) < 260


@pytest.mark.long
def test_a_program_past_its_limit_is_stopped_and_keeps_what_it_finished() -> None:
    slow = "import time; print({}, flush=True); time.sleep(60)"
    some, none = (
        Program(name, [sys.executable, "-c", slow.format(said)], numbers, numbers, limit=3.0)
        for name, said in (("some", "0.5"), ("none", "''"))
    )
    # A program that was stopped is not asked again.
    finished, nothing = side_by_side([some, none], 2)
    assert finished.seconds == [0.5]
    assert (finished.stopped, finished.failure) == (True, "")
    assert (nothing.seconds, nothing.failure) == ([], "not finished after 3 s")
    assert [bar.what for bar in faster_than([finished, finished, nothing], "none", 1.0, "a")] == []


def numbers(printed: str) -> list[float]:
    return [float(each) for each in printed.split()]


def test_the_processor_time_of_an_evaluation_has_that_of_the_processes_below_it() -> None:
    """Of one that has ended and been waited for, and of one that still runs."""
    if child.processor_time() is None:
        pytest.skip("this system has no /proc")
    busy = "import time\nwhile time.process_time() < 0.5: pass\nprint(flush=True)\ninput()"
    before = child.processor_time()
    with subprocess.Popen(
        [sys.executable, "-c", f"import subprocess, sys; subprocess.run([sys.executable, '-c', {busy!r}])"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as started:
        assert started.stdout is not None
        started.stdout.readline()
        running = child.processor_time()
        started.communicate(b"\n")
    after = child.processor_time()
    assert 0.45 < running - before < 5
    assert 0.45 < after - before < 5


def test_the_first_evaluation_of_a_session_is_apart_from_the_later_ones() -> None:
    """Two sessions of three evaluations, and one that is stopped in its second."""
    whole = Program("whole", [sys.executable, "-c", "print('1 2 3')"], None, numbers, processor=numbers)
    code = "import time; print('4', flush=True); time.sleep(60)"
    part = Program("part", [sys.executable, "-c", code], None, numbers, processor=numbers, limit=2.0)
    first, later = bench_spark.sessions([whole, part], 2)
    assert [each.seconds for each in first] == [[1, 1], [4]]
    assert [each.processor for each in later] == [[2, 3, 2, 3], []]
    assert [each.failure for each in (*first, *later)] == ["", "", "", "not finished after 2 s"]


def test_bars() -> None:
    assert Bar("speed", "at least", 15.0, 15.0, "times").met
    assert not Bar("memory", "at most", 200.0, 201.0, "MB").met
    assert not Bar("memory", "at most", 200.0, float("nan"), "MB").met
    assert str(Bar("memory", "at most", 200.0, 201.0, "MB")) == "MISSED  memory: 201 MB (at most 200)"


def test_the_judgments_of_drawn_documents_are_compared_with_those_by_depth(capfd) -> None:
    from bench import next as drawn

    coffee = CHECKOUT / "examples" / "coffee"
    files = {"people": "complete.txt", "model": "model.txt", "runs": "runs"}
    paths = [each for name, file in files.items() for each in (f"--{name}", str(coffee / file))]
    drawn.main([*paths, "--draws", "2", "--budget", "30", "--measures", "DCG@10", "AP"])
    said = capfd.readouterr().out
    assert "2 draws of 2 of 3 runs, 30 judgments each" in said
    assert "DCG@10, differences, error / the rival's" in said


@pytest.mark.long
def test_the_coverage_of_simulated_intervals_is_measured(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    from bench import coverage

    coverage.main(["--data", str(tmp_path / "none"), "--replicates", "3"])
    said = capsys.readouterr().out
    assert "Success@10, like these, alone" in said
    assert "30 runs, 6,980 queries" in said


def test_the_truth_of_the_settings_of_all_pairs_is_known() -> None:
    """Runs without a true difference have equal means, and twins exchange their scores within queries."""
    from bench import all_pairs

    scores = np.random.default_rng(3).uniform(size=(60, 5)) + np.linspace(0, 0.3, 5)
    scores[:, 4] = scores[:, 1] + 0.05
    found = {each.name: each for each in all_pairs.settings(all_pairs.Population("five", scores))}
    assert len(found["all equal"].null) == 10
    assert found["all equal"].scores.mean(axis=0) == pytest.approx(np.zeros(5), abs=1e-12)
    assert len(found["half equal"].null) == 3
    pairs = np.array(np.triu_indices(5, 1)).T
    means = found["half equal"].scores.mean(axis=0)
    for one, other in pairs[found["half equal"].null]:
        assert means[one] == pytest.approx(means[other])
    assert [1, 4] in pairs[found["twins"].null].tolist()
    drawn = all_pairs.drawn(found["twins"], np.random.default_rng(1))
    ahead = drawn[:, 4] > drawn[:, 1]
    assert 10 < ahead.sum() < 40
    assert len(found["as they are"].null) == 0


def test_the_table_of_all_pairs_has_a_share_for_each_test(capsys: pytest.CaptureFixture[str]) -> None:
    from bench import all_pairs

    scores = np.random.default_rng(4).uniform(size=(60, 4)) + np.linspace(0, 0.9, 4)
    known = all_pairs.printed([all_pairs.Population("four", scores)], 4)
    assert len(known) == 4
    assert all(0 <= each.share <= 1 for row in known for each in row.figures.values())
    # Differences of .3 and more are found by every test.
    assert min(each.share for each in known[-1].figures.values()) > 0.7
    assert capsys.readouterr().out.count("\n") == 6
    assert [bar.met for bar in all_pairs.limits(known)][-1]


def test_bounds_and_samples_of_unjudged_documents_are_measured(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    from bench import unjudged

    small = ["--cases", "1", "--pairs", "2", "--draws", "1", "--rows", "2000"]
    unjudged.main(["--data", str(tmp_path / "none"), *small])
    said = capsys.readouterr().out
    assert "met     bounds of nDCG@5: 0 misses" in said
    assert "RMSE relative to depth" in said
    assert "2,000 unjudged rows" in said


@pytest.mark.long
def test_the_honesty_of_the_best_of_simulated_runs_is_measured(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    from bench import best

    best.main(["--data", str(tmp_path / "none"), "--replicates", "3"])
    said = capsys.readouterr().out
    assert "best of 12, n = 20, expected value, error" in said
    assert "400 runs, 50 queries" in said


@pytest.mark.long
def test_the_coverage_over_several_collections_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    from bench import several_collections

    several_collections.main(["--replicates", "3", "--runs", "5"])
    said = capsys.readouterr().out
    assert "spread 0.02, bootstrap, coverage" in said
    assert "5 runs, 56 collections, 500 queries each" in said


@pytest.mark.thorough
def test_the_coverage_of_effect_sizes_is_measured(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    from bench import effects

    effects.main(["--data", str(tmp_path / "none"), "--replicates", "2"])
    said = capsys.readouterr().out
    assert "pairs below 0.85" in said
    assert "Success@10, n = 100, superiority, mean" in said


def test_the_coverage_of_corrected_intervals_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    from bench import corrected

    corrected.main(["--replicates", "3", "--resamples", "99"])
    said = capsys.readouterr().out
    assert "romano-wolf, 10 pairs, all different" in said
    assert "bonferroni, 7 pairs, all different, coverage" in said
