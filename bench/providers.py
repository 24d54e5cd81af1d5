"""How much faster ir_measures is with carob as its provider: ``python -m bench.providers``.

The same call to ir_measures is timed with and without carob, on a run of 1,000 queries with 1,000 documents each, as
data frames and as dicts. Times are printed only if the values agree.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from statistics import median
from typing import Any

from bench.answer import Bar
from bench.side_by_side import DisagreementError
from carob.adapters.ir_measures import registered

SEED = 11
MEASURES = ("AP", "nDCG@10", "P@10", "R@100", "RR")
FRAMES, DICTS = 15.0, 5.0


def main(arguments: list[str] | None = None) -> int:
    """Times the call with and without carob, prints the ratios, and returns whether the limits are met."""
    parser = argparse.ArgumentParser(prog="python -m bench.providers", description=__doc__)
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--documents", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args(arguments)
    import ir_measures
    import pandas as pd

    qrels, run = drawn(given.queries, given.documents)
    judged = [
        ir_measures.Qrel(query, each, grade) for query, its in qrels.items() for each, grade in its.items()
    ]
    ranked = [
        ir_measures.ScoredDoc(query, each, score) for query, its in run.items() for each, score in its.items()
    ]
    forms = {"frames": (pd.DataFrame(judged), pd.DataFrame(ranked)), "dicts": (qrels, run)}
    asked = [ir_measures.parse_measure(each) for each in MEASURES]
    bars = []
    print(f"{given.queries} queries, {given.documents} documents each; {', '.join(MEASURES)}\n")
    print(f"{'':10}{'ir_measures':>12}{'with carob':>12}{'ratio':>8}")
    for (name, those), limit in zip(forms.items(), (FRAMES, DICTS), strict=True):
        alone, values = timed(asked, those, given.rounds)
        with registered():
            beside, own = timed(asked, those, given.rounds)
        worst = max(abs(values[each] - own[each]) for each in asked)
        if worst > 1e-9:
            raise DisagreementError(f"{name}: values differ by {worst}")
        print(f"{name:10}{alone:10.3f} s{beside:10.3f} s{alone / beside:8.1f}", flush=True)
        bars.append(Bar(f"{name}, times as fast", "at least", limit, alone / beside, ""))
    print("\n" + "\n".join(map(str, bars)))
    return int(not all(bar.met for bar in bars))


def timed(asked: list[Any], those: tuple[Any, Any], rounds: int) -> tuple[float, dict[Any, float]]:
    """Returns the median seconds that ir_measures takes to compute means, and the means."""
    import ir_measures

    seconds, values = [], {}
    for _ in range(rounds):
        start = time.perf_counter()
        values = ir_measures.calc_aggregate(asked, *those)
        seconds.append(time.perf_counter() - start)
    return median(seconds), values


def drawn(queries: int, documents: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Returns judgments of 100 documents for each query, and a run."""
    draw = random.Random(SEED)
    pool = [f"document-{number:06}" for number in range(20 * documents)]
    qrels, run = {}, {}
    for number in range(queries):
        ranked = draw.sample(pool, documents)
        run[f"q{number}"] = {each: draw.random() for each in ranked}
        qrels[f"q{number}"] = {
            each: draw.choice((0, 0, 1, 2)) for each in draw.sample(ranked, min(100, documents))
        }
    return qrels, run


if __name__ == "__main__":
    sys.exit(main())
