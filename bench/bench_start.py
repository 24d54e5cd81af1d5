"""Time to start carob and to evaluate a small run, which consists almost entirely of start-up."""

from __future__ import annotations

import sys

from bench.answer import Answer, Bar, Setting, ratio, size_of
from bench.side_by_side import Program, carob, carob_eval, side_by_side

MOST = {"--version": 4.0, "--help": 6.0}
"""The maximum ratio of the time of each option to Python's own start."""


def ask(setting: Setting) -> list[Answer]:
    """Times carob's start against Python's, and its command on 50 queries against importing NumPy and other tools."""
    return [start(setting), small(setting)]


def start(setting: Setting) -> Answer:
    """Times carob's version and help, and a Python process that does nothing."""
    options = [Program(f"carob {option}", [*carob(), option]) for option in MOST]
    timings = side_by_side(
        [*options, Program("python -c pass", [sys.executable, "-c", "pass"])], setting.times(21)
    )
    bars = [
        Bar(f"carob {option}", "at most", limit, 1 / ratio(timing, timings[-1]), "times 'python -c pass'")
        for (option, limit), timing in zip(MOST.items(), timings)
    ]
    return Answer("start", "no files", timings, bars)


def small(setting: Setting) -> Answer:
    """Times carob's command on 50 queries, a Python process that only imports NumPy, and the other tools."""
    made = setting.data("small")
    numpy = Program("python -c 'import numpy'", [sys.executable, "-c", "import numpy"])
    timings = side_by_side([carob_eval(made), numpy], setting.times(21))
    timings += side_by_side([carob_eval(made), *setting.others("files", made)], setting.times(3))[1:]
    above = (timings[0].median - timings[1].median) * 1000
    bars = [Bar("small run, above 'import numpy'", "at most", 45.0, above, "ms")]
    return Answer("small run, whole process", f"{made.run.name}, {size_of(made.run)}", timings, bars)
