"""The command that runs all benchmarks, prints tables of ratios, and writes all results as JSON."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from bench.answer import LIBRARIES, Setting, installed, ratio, versions
from bench.side_by_side import CHECKOUT, DisagreementError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.answer import Answer

QUESTIONS = ("end_to_end", "dicts", "start", "memory", "trec_eval", "axes", "many_runs", "short")
BY_NAME = ("beyond_memory", "diagnosis", "frames", "report", "spark", "tensors")
"""Benchmarks that run only if they are given by name, because of their requirements."""


def main(arguments: list[str] | None = None) -> int:
    """Runs the benchmarks. Returns 1 if values disagree or, with ``--strict``, if a limit is not met."""
    given = parsed(arguments)
    peers = installed(given.peers, given.python)
    for name in sorted(set(given.peers) - set(peers)):
        print(f"{LIBRARIES[name]} is not installed and left out: pip install 'carob[bench]'", file=sys.stderr)
    folder = Path(given.folder or CHECKOUT / "build" / "bench").resolve()
    setting = Setting(folder, given.python, peers, given.rounds, quick=given.quick, huge=given.huge)
    answers: list[Answer] = []
    try:
        for question in given.questions:
            for answer in importlib.import_module(f"bench.bench_{question}").ask(setting):
                answers.append(answer)
                print(table(answer), flush=True)
    except DisagreementError as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    save(Path(given.json or folder / "results.json"), answers, setting)
    failed = [timing.name for answer in answers for timing in answer.timings if timing.failure]
    missed = [bar for answer in answers for bar in answer.bars if not bar.met and not given.quick]
    print(
        "".join(f"{bar}\n" for answer in answers for bar in answer.bars) if not given.quick else "all asked"
    )
    return (
        1 if (given.strict and (missed or failed)) or any(name.startswith("carob") for name in failed) else 0
    )


def parsed(arguments: list[str] | None) -> argparse.Namespace:
    """Parses the arguments of the command."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="Time carob and its peers.")
    parser.add_argument(
        "questions", nargs="*", default=QUESTIONS, metavar="QUESTION", help=", ".join((*QUESTIONS, *BY_NAME))
    )
    parser.add_argument("--peers", nargs="*", default=list(LIBRARIES), choices=list(LIBRARIES))
    parser.add_argument("--python", default=sys.executable, help="the interpreter that has the peers")
    parser.add_argument("--rounds", type=int, help="how often each program runs")
    parser.add_argument("--quick", action="store_true", help="tiny files, once each: does all work?")
    parser.add_argument("--huge", action="store_true", help="also ten times the lines (2.5 GB for a while)")
    parser.add_argument("--folder", help="where generated files are kept (build/bench)")
    parser.add_argument("--json", help="where all figures go (results.json in the folder)")
    parser.add_argument("--strict", action="store_true", help="fail when a bar is missed")
    given = parser.parse_args(arguments)
    for question in given.questions:
        if question not in (*QUESTIONS, *BY_NAME):
            parser.error(f"there is no question {question}; there are: {', '.join((*QUESTIONS, *BY_NAME))}")
    return given


# ---------------------------------------------------------------- what is shown and kept


def table(answer: Answer) -> str:
    """Returns a table of a benchmark's timings, each with its ratio to carob's timing."""
    first = answer.timings[0]
    rows = [("", "median", "best", "processor", "peak MB", "ratio")]
    for each in answer.timings:
        if each.failure:
            rows.append((each.name, "-", "-", "-", "-", each.failure))
            continue
        # If the evaluation of dicts is timed, a process spends most of its life making the dicts.
        whole = each.processor and len(each.processor) == len(each.seconds)
        processor = f"{median(each.processor):.3f} s" if whole else "-"
        peak = "-" if each.peak is None else f"{each.peak:.0f}"
        times = (f"{each.median:.3f} s", f"{min(each.seconds):.3f} s", processor)
        rows.append((each.name, *times, peak, f"{ratio(first, each):.2f}"))
    widths = [max(len(row[place]) for row in rows) for place in range(5)]
    lines = []
    for name, *cells, last in rows:
        padded = [f"{cell:>{width}}" for cell, width in zip(cells, widths[1:])]
        lines.append("  ".join(["", f"{name:{widths[0]}}", *padded, f"{last:>7}"]))
    return "\n".join([f"{answer.question} ({answer.data})", *lines, ""])


def save(path: Path, answers: Sequence[Answer], setting: Setting) -> None:
    """Saves all measurements, with the machine, the versions and the commit."""
    path.parent.mkdir(parents=True, exist_ok=True)
    document = {**stamp(setting), "answers": [answer.as_dict() for answer in answers]}
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def stamp(setting: Setting) -> dict[str, Any]:
    """Returns the machine, the date, the versions and the commit."""
    git = ["git", "-C", str(CHECKOUT), "describe", "--always", "--dirty"]
    commit = subprocess.run(git, capture_output=True, text=True, check=False).stdout.strip()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "when": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "commit": commit or None,
        "machine": {"system": platform.platform(), "processor": processor(), "cores": cores},
        "python": platform.python_version(),
        "versions": versions(
            setting.python, ["carob", "numpy", *(LIBRARIES[peer] for peer in setting.peers)]
        ),
        "quick": setting.quick,
    }


def processor() -> str:
    """Returns the processor's name."""
    listed = Path("/proc/cpuinfo")
    if listed.exists():
        for line in listed.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()


if __name__ == "__main__":
    sys.exit(main())
