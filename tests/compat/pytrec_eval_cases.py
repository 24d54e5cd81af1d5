"""Makes random judgments and runs, and as a program asks the real pytrec_eval what it says of them.

``python tests/compat/pytrec_eval_cases.py``, with pytrec_eval-terrier 0.5.11 installed, writes the golden file anew.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any, NamedTuple

GOLDEN = Path(__file__).with_name("pytrec_eval_golden.json")
SEEDS = range(10)


class Case(NamedTuple):
    """The arguments of one evaluation."""

    qrels: dict[str, dict[str, int]]
    run: dict[str, dict[str, float]]
    level: int
    judged_only: bool


def case(seed: int) -> Case:
    """Up to six queries with ties, unjudged and negative documents, some without relevant ones, some not in the run.

    The first query has a relevant document and a ranking, and grades below -1 never stand alone: the original needs
    both to live.
    """
    r = random.Random(seed)
    qrels, run = {}, {}
    for number in range(r.randint(1, 6)):
        query = f"q{number}"
        pool = [*(f"d{each}" for each in range(r.randint(1, 40))), "é", "z z", "ß"]
        grades = r.choice([[0, 1], [-2, -1, 0, 1, 2, 3], [0], [-1], [0, 1, 2, 3, 4]])
        qrels[query] = {document: r.choice(grades) for document in r.sample(pool, r.randint(1, len(pool)))}
        if number == 0:
            qrels[query][pool[0]] = 1
        if max(qrels[query].values()) < -1:
            qrels[query][pool[0]] = 0
        if number == 0 or r.random() < 0.9:
            # 16777216 + 1 is 16777216 in single precision.
            start, steps = r.choice([(0, 2), (0, 5), (0, 1000), (16777216, 4)])
            found = r.sample(pool, r.randint(number == 0, len(pool)))
            run[query] = {
                document: (start + r.randint(0, steps)) / r.choice([1.0, 1.0, 3.0]) for document in found
            }
    if r.random() < 0.3:
        run["extra"] = {"d0": 1.0}
    return Case(qrels, run, r.choice([1, 1, 2, 3]), r.random() < 0.3)


def write_golden() -> None:
    """Ask the original."""
    import pytrec_eval

    # What runid returns is whatever the memory held.
    measures = pytrec_eval.supported_measures - {"runid"}
    golden: dict[str, Any] = {}
    for seed in SEEDS:
        qrels, run, level, judged_only = case(seed)
        results = pytrec_eval.RelevanceEvaluator(qrels, measures, level, judged_only).evaluate(run)
        golden["keys"] = list(results["q0"])
        golden[str(seed)] = {query: list(values.values()) for query, values in results.items()}
    GOLDEN.write_text(json.dumps(golden, indent=0).replace(",\n", ", ") + "\n", encoding="utf-8")


if __name__ == "__main__":
    write_golden()
