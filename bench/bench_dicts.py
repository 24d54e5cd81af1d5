"""Time to evaluate dicts in memory."""

from __future__ import annotations

import sys

from bench.answer import Answer, Setting, faster_than
from bench.side_by_side import peer, side_by_side


def ask(setting: Setting) -> list[Answer]:
    """Times carob's ``evaluate``, its pytrec_eval interface and the other tools, each on its own dicts."""
    made = setting.data("web")
    ours = [
        peer("carob", "carob.evaluate", "dicts", made, sys.executable),
        peer("carob_face", "carob.compat.pytrec_eval", "dicts", made, sys.executable),
    ]
    timings = side_by_side([*ours, *setting.others("dicts", made)], setting.times(2))
    what = "dicts in memory"
    bars = faster_than(timings, "pytrec_eval-terrier", 6.0, what)
    bars += faster_than(timings[1:], "pytrec_eval-terrier", 6.0, f"{what}, by its own interface")
    return [Answer(f"{what}, evaluation only", made.run.name, timings, bars)]
