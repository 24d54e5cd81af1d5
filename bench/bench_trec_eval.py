"""Time of trec_eval's command line in carob and, if it is on the PATH, of trec_eval itself."""

from __future__ import annotations

import shutil

from bench.answer import Answer, Bar, Setting, ratio, size_of
from bench.side_by_side import Program, carob, side_by_side

NAMES = ("map", "recip_rank", "ndcg_cut.10", "ndcg", "P.10", "recall.1000")
"""Measures on which trec_eval 9 and 10 agree."""
LIMITS = {"small": 1.8, "web": 1.0}
"""The maximum ratio of carob's time to trec_eval's."""


def ask(setting: Setting) -> list[Answer]:
    """Times the evaluation of a small and a large run."""
    return [command(setting, size) for size in LIMITS]


def command(setting: Setting, size: str) -> Answer:
    """Times carob's trec_eval and the original, which must print the same lines."""
    made = setting.data(size)
    given = [*(part for name in NAMES for part in ("-m", name)), str(made.qrels), str(made.run)]
    programs = [Program("carob trec-eval", [*carob(), "trec-eval", *given], str.splitlines)]
    original = shutil.which("trec_eval")
    if original:
        programs.append(Program("trec_eval", [original, *given], str.splitlines))
    timings = side_by_side(programs, setting.times(9 if size == "small" else 3))
    bars = [
        Bar(
            f"trec_eval's command line, {size}", "at most", LIMITS[size], 1 / ratio(timings[0], each), "times"
        )
        for each in timings[1:]
    ]
    return Answer(f"trec_eval's command line, {size}", f"{made.run.name}, {size_of(made.run)}", timings, bars)
