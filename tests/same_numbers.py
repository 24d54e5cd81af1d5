"""Compares every value of every command of two carobs: ``python tests/same_numbers.py OLD NEW [FOLDER …]``.

OLD and NEW are two ``carob`` commands; a folder has qrels*.txt and runs/, as ``examples/tea``. A change that must not
change numbers (a move, a faster path) is held to it: JSON is compared as JSON, trec_eval's face byte for byte.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__: list[str] = []

MEASURES = [
    "AP",
    "RR",
    "nDCG@10",
    "nDCG(gain=exp2)@10",
    "P@10",
    "R@1000",
    "RBP(p=0.8)",
    "ERR@20",
    "bpref",
    "Rprec",
]
FORMATS = [path.stem for path in (Path(__file__).parents[1] / "src/carob/output/formats").glob("[!_]*.py")]
TIES = ["trec", "ascending", "input", "rank-column", "optimistic", "pessimistic", "expected"]
AXES = [
    ["--depth", "20"],
    ["--scores", "float32"],
    ["--missing", "skip"],
    ["--empty", "one"],
    ["--judgments", "retrieved"],
    ["--unjudged", "removed"],
    ["--unjudged", "negative"],
    ["--negative", "nonrelevant"],
]
FLAGS = [
    [],
    ["-q"],
    ["-c"],
    ["-q", "-c", "-n"],
    ["-M", "20"],
    ["-l", "2"],
    ["-m", "all_trec"],
    ["-N", "5000"],
    ["-J"],
]
OF_RECOMMENDATIONS = {
    *(
        "NumItems",
        "Coverage",
        "Gini",
        "Entropy",
        "Novelty",
        "Popularity",
        "Unseen",
        "Unexpectedness",
        "Serendipity",
    ),
    *("Personalisation", "ILD"),
}
"""The measures that ``carob eval`` refuses."""
CHANGING = {"seconds", "started", "written", "python", "numpy", "scipy", "carob", "kernel", "command"}
"""What two runs of the same carob may say differently: times and versions."""


def commands(folder: Path, carob: str) -> Iterator[list[str]]:
    """The commands that look at a folder's judgments and runs."""
    judgments = sorted(map(str, folder.glob("qrels*")))
    runs = sorted(str(path) for path in (folder / "runs").iterdir())
    qrels, first = judgments[0], runs[0]
    measures = [part for name in MEASURES for part in ("-m", name)]
    for each in judgments:
        yield ["eval", each, *runs, *measures, "-q", "--format", "json"]
        yield ["eval", each, *runs, "--tie-bounds", "--format", "json"]
        yield ["compare", each, *runs, "--format", "json"]
        yield ["check", each, *runs, "--format", "json"]
    judged = [name for name in named(carob, "measures") if name not in OF_RECOMMENDATIONS]
    every = [part for name in judged for part in ("-m", name)]
    yield ["eval", qrels, first, *every, "-q", "--format", "json"]
    for profile in named(carob, "profiles"):
        yield ["eval", qrels, *runs[:2], "--profile", profile, "-q", "--format", "json"]
        yield ["difference", "trec_eval", profile, "nDCG@10", qrels, first, "--format", "json"]
    for axis in chain((["--ties", each] for each in TIES), AXES):
        yield ["eval", qrels, *runs[:2], *measures, *axis, "-q", "--format", "json"]
    for test, form in product(
        ["t", "randomisation", "romano-wolf", "tukey", "max-t", "wilcoxon", "sign"], ["json", "latex", "csv"]
    ):
        yield ["compare", qrels, *runs[:6], "--test", test, "--format", form]
    yield ["compare", qrels, *runs[:3], "--orders", "--worst", "5", "--format", "json"]
    for measure, form in product(MEASURES, ["text", *FORMATS]):
        yield ["explain", measure, qrels, first, "--query", a_query(first), "--format", form]
    for run in runs[1:4]:
        yield ["gate", qrels, run, "--baseline", first, "--format", "json"]
    if len(judgments) > 1:
        yield ["agreement", *judgments[:2], *runs[:4], "--format", "json"]
    for run, flags in product(runs[:6], FLAGS):
        yield ["trec-eval", *flags, qrels, run]


def named(carob: str, what: str) -> list[str]:
    """The names that ``carob measures`` or ``carob profiles`` lists."""
    table = subprocess.run([carob, what], capture_output=True, text=True, check=True).stdout
    names = re.findall(r"^([A-Za-z][\w.-]*)(?=\s{2,}|\()", table, re.MULTILINE)
    return [name for name in dict.fromkeys(names) if name not in {"name", "measure", "profile", "carob"}]


def a_query(run: str) -> str:
    """The first query of a run."""
    with Path(run).open(encoding="utf-8", errors="replace") as lines:
        return next(lines).split()[0]


def answered(carob: str, arguments: list[str], words: bool) -> tuple[int, Any, str]:
    """Exit status, standard output and standard error of a command.

    Of JSON and text only the numbers, unless ``words``; of trec_eval's face every byte.
    """
    done = subprocess.run([carob, *arguments], capture_output=True, check=False, stdin=subprocess.DEVNULL)
    output: Any = done.stdout
    if "json" in arguments and done.stdout.strip():
        output = plain(json.loads(done.stdout), words)
    elif arguments[0] != "trec-eval" and not words:
        output = numbers_of(done.stdout.decode(errors="replace"))
    return done.returncode, output, done.stderr.decode(errors="replace")


def plain(value: Any, words: bool) -> Any:
    """A JSON value without what two runs may say differently; NaN equals NaN."""
    if isinstance(value, dict):
        return {key: plain(each, words) for key, each in value.items() if key not in CHANGING}
    if isinstance(value, list):
        return [plain(each, words) for each in value]
    if isinstance(value, str) and not words:
        return numbers_of(value)
    return "nan" if isinstance(value, float) and value != value else value


def numbers_of(text: str) -> list[str]:
    """The decimals in a text."""
    return re.findall(r"\d+\.\d+", text)


def values_in(value: Any) -> int:
    """How many numbers a value of JSON, or text, holds."""
    if isinstance(value, dict):
        return sum(map(values_in, value.values()))
    if isinstance(value, list):
        return sum(map(values_in, value))
    if isinstance(value, bytes):
        return len(numbers_of(value.decode(errors="replace")))
    return int(isinstance(value, (int, float)) or (isinstance(value, str) and bool(numbers_of(value))))


def main() -> int:
    """Run every command by both; return 1 if anything differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("folders", nargs="*", type=Path, default=[Path("examples/tea")])
    parser.add_argument("--words", action="store_true", help="compare sentences and standard error too")
    given = parser.parse_args()
    differing, values, count = 0, 0, 0
    with ThreadPoolExecutor() as pool:
        asked = [each for folder in given.folders for each in commands(folder, given.old)]

        def both(arguments: list[str]) -> tuple[list[str], Any, Any]:
            return (
                arguments,
                answered(given.old, arguments, given.words),
                answered(given.new, arguments, given.words),
            )

        for arguments, old, new in pool.map(both, asked):
            count += 1
            values += values_in(old[1])
            if old[:2] != new[:2] or (given.words and old[2] != new[2]):
                differing += 1
                print(
                    "differs:", " ".join(arguments), f"(exit {old[0]} and {new[0]})", new[2][:300], sep="\n  "
                )
    print(f"{count} commands, {values} values: {differing} commands differ")
    return int(differing > 0)


if __name__ == "__main__":
    sys.exit(main())
