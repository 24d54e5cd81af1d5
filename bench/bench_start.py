"""Time of a small run, which is nearly all start-up."""

from __future__ import annotations

import sys

from bench.answer import Answer, Bar, Setting, size_of
from bench.side_by_side import Program, karat_eval, side_by_side


def ask(setting: Setting) -> list[Answer]:
    """Times karat's command on 50 queries, a Python that only imports NumPy, and the other tools."""
    made = setting.data("small")
    numpy = Program("python -c 'import numpy'", [sys.executable, "-c", "import numpy"])
    timings = side_by_side([karat_eval(made), numpy], setting.times(21))
    timings += side_by_side([karat_eval(made), *setting.others("files", made)], setting.times(3))[1:]
    above = (timings[0].median - timings[1].median) * 1000
    bars = [Bar("small run, above 'import numpy'", "at most", 60.0, above, "ms")]
    return [Answer("small run, whole process", f"{made.run.name}, {size_of(made.run)}", timings, bars)]
