"""Times this checkout against an earlier one: ``python -m bench.versions FOLDER [QUESTION ...]``.

``FOLDER`` is another checkout of the project in which ``make eval`` was run; the package may have had another name
then. The two checkouts run their own benchmarks alternately on the same generated files. For every program that both
checkouts know, the best processor times and the best times are compared, because other load disturbs these least.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from statistics import median

from bench.__main__ import BY_NAME, QUESTIONS
from bench.side_by_side import CHECKOUT

FIRST_NAME = "karat"
"""The name of the package up to commit 4d20237."""

Times = dict[tuple[str, str], tuple[float, float]]
"""For each question and program, the best time and the best processor time in seconds; NaN if there is none."""


def main(arguments: list[str] | None = None) -> int:
    """Times both checkouts, and prints how many times as long this one takes. Returns 1 if that exceeds ``--most``."""
    parser = argparse.ArgumentParser(prog="python -m bench.versions", description="Time two checkouts.")
    parser.add_argument("other", type=Path, help="another checkout in which 'make eval' was run")
    parser.add_argument("questions", nargs="*", metavar="QUESTION", help=", ".join((*QUESTIONS, *BY_NAME)))
    parser.add_argument("--rounds", type=int, default=3, help="how often each checkout is asked")
    parser.add_argument("--folder", type=Path, default=CHECKOUT / "build" / "bench")
    parser.add_argument("--quick", action="store_true", help="tiny files, once each: does all work?")
    parser.add_argument("--most", type=float, help="fail where this one takes more times as long")
    given = parser.parse_args(arguments)
    asking, folder = [*given.questions, *["--quick"] * given.quick], given.folder.resolve()
    both = CHECKOUT, given.other.resolve()
    rounds = [[asked(each, asking, folder) for each in both] for _ in range(given.rounds)]
    here, there = (best([pair[side] for pair in rounds]) for side in (0, 1))
    ratios: list[float] = []
    print(f"{'times as long as there':>24}  {'processor':>9}  {'time':>6}")
    for key in sorted(here.keys() & there.keys()):
        elapsed, processor = (mine / theirs for mine, theirs in zip(here[key], there[key]))
        ratios.append(elapsed if processor != processor else processor)
        print(f"{'':24}  {processor:9.3f}  {elapsed:6.3f}  {': '.join(key)}")
    print(f"median {median(ratios):.3f}, largest {max(ratios):.3f} of {len(ratios)} programs")
    return int(given.most is not None and max(ratios) > given.most)


def asked(checkout: Path, arguments: list[str], folder: Path) -> Times:
    """Returns the times that a checkout's benchmark measures for its own carob."""
    folder.mkdir(parents=True, exist_ok=True)
    written = folder / f"{checkout.name}.json"
    command = [
        checkout / ".venv/bin/python",
        "-m",
        "bench",
        *arguments,
        "--folder",
        folder,
        "--json",
        written,
        "--peers",  # none: if they are installed, they take most of the time
    ]
    done = subprocess.run(list(map(str, command)), cwd=checkout, capture_output=True, text=True, check=False)
    if not written.exists():
        raise SystemExit(f"{checkout}: {done.stderr.strip() or done.stdout.strip()}")
    document = json.loads(written.read_text(encoding="utf-8"))
    written.unlink()
    times: Times = {}
    for answer in document["answers"]:
        for timing in answer["timings"]:
            name = timing["name"].replace(FIRST_NAME, "carob")
            if name.startswith("carob") and timing["seconds"]:
                best_processor = min(timing.get("processor") or [float("nan")])
                times[answer["question"], name] = (min(timing["seconds"]), best_processor)
    return times


def best(rounds: list[Times]) -> Times:
    """Returns the smallest times over several rounds."""
    return {
        key: (min(each[key][0] for each in rounds), min(each[key][1] for each in rounds)) for key in rounds[0]
    }


if __name__ == "__main__":
    sys.exit(main())
