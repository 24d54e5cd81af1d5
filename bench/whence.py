"""How often ``carob whence`` finds the cause of a number: ``python -m bench.whence``.

Each trial draws ranked lists with their judgments, and a number computed from them. Three in five numbers come from
pytrec_eval, ranx, ir_measures, torchmetrics and scikit-learn; one in four comes from programs with a mistake, which are
written here and share nothing with the table that is searched; the remaining numbers come from profiles of tools that
are not installed. Numbers equal to 0 or 1 are drawn again, so the hit rate, which has no other values, never occurs.
The cause is found if an explanation states the tool or the mistake, together with the measure and the depth.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import subprocess
import sys
import time
import warnings
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

import carob
from bench.answer import Bar
from carob.conventions.profiles import profile_named

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SEED = 20261127
TRIALS = 200
DEPTHS = (1, 3, 5, 10, None)
DIGITS = (3, 4, 5)
FEW, TRIES = 20, 2000
"""How many lists are drawn to check whether a measure has values other than 0 and 1, and to find such a list."""

List = tuple[list[int], list[int]]
"""The grades of a ranked list, and all grades of its judgments."""


class Cause(NamedTuple):
    """A program that computes a number.

    Args:
        source: the profile of the tool, or the mistake.
        measure: the usual name of the measure.
        depth: the depth; None for the whole list.
        compute: the function that computes the number.
    """

    source: str
    measure: str
    depth: int | None
    compute: Callable[[List], float]

    @property
    def name(self) -> str:
        """The measure as a user would state it."""
        return self.measure if self.depth is None else f"{self.measure}@{self.depth}"


def main(arguments: list[str] | None = None) -> int:
    """Draws numbers, prints how often their cause is found, and returns whether the limits are met."""
    parser = argparse.ArgumentParser(prog="python -m bench.whence", description=__doc__)
    parser.add_argument("--trials", type=int, default=TRIALS)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--missed", action="store_true", help="print the numbers whose cause is missed")
    given = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    draw = random.Random(given.seed)
    causes = drawn_causes(draw, given.trials)
    print(f"{given.trials} numbers, seed {given.seed}; {shares(causes)}\n")
    print(f"{'stated':16}{'first three':>12}{'first':>8}{'explanations':>14}{'seconds':>9}")
    bars = []
    for title, stated, several, three, first in (
        ("the measure", True, False, 0.98, 0.90),
        ("nothing", False, False, 0.92, 0.75),
        ("two numbers", False, True, 0.98, 0.92),
    ):
        found = [trial(each, draw, stated=stated, several=several) for each in causes]
        seconds = median(each.seconds for each in found)
        among = sum(each.place is not None and each.place <= 3 for each in found) / len(found)
        leads = sum(each.place == 1 for each in found) / len(found)
        count = median(each.explanations for each in found)
        print(f"{title:16}{among:12.1%}{leads:8.1%}{count:14.0f}{seconds:9.3f}", flush=True)
        bars += [
            Bar(f"{title} stated, cause among the first three", "at least", three, among, ""),
            Bar(f"{title} stated, cause first", "at least", first, leads, ""),
        ]
        if given.missed:
            for cause, each in zip(causes, found, strict=True):
                if each.place is None or each.place > 3:
                    print(f"  {cause.source} {cause.name} {each}")
    bars.append(Bar("cold start", "at most", 0.5, cold(), "s of processor"))
    print("".join(f"{bar}\n" for bar in bars))
    return int(any(not bar.met for bar in bars))


class Found(NamedTuple):
    """The outcome of a trial: the place of the cause (or None), the number of explanations, and the seconds."""

    place: int | None
    explanations: int
    seconds: float
    numbers: tuple[str, ...]
    lists: tuple[List, ...]


def trial(cause: Cause, draw: random.Random, *, stated: bool, several: bool) -> Found:
    """Draws lists and a number from a cause, and returns the place of the cause among the explanations."""
    digits = draw.choice(DIGITS)
    count = 2 if several else 1
    lists: list[List] = []
    for _ in range(TRIES):
        those = drawn_list(draw)
        if is_telling(cause.compute(those), digits):
            lists.append(those)
        if len(lists) == count:
            break
    else:
        raise RuntimeError(f"{cause.source}'s {cause.name} is 0 or 1 in each of {TRIES} lists.")
    numbers = [f"{cause.compute(each):.{digits}f}" for each in lists]
    start = time.perf_counter()
    found = carob.whence(
        numbers,
        cause.name if stated else None,
        grades=[grades for grades, _ in lists],
        judged=[judged for _, judged in lists],
    )
    seconds = time.perf_counter() - start
    place = next((each.rank for each in found.causes if names(each, cause)), None)
    return Found(place, len(found.causes), seconds, tuple(numbers), tuple(lists))


def names(explanation: Any, cause: Cause) -> bool:
    """Returns whether an explanation states the cause with its measure and depth."""
    measure = explanation.measure[0].partition("@")[0] == cause.measure
    mistakes = [(each.measure, each.name) for each in explanation.mistakes]
    named = (measure and cause.source in explanation.profiles) or (cause.measure, cause.source) in mistakes
    return named and cause.depth in explanation.depths


def is_telling(value: float, digits: int) -> bool:
    """Returns whether a value, as it is printed, is neither 0 nor 1."""
    return math.isfinite(value) and round(value, digits) not in (0.0, 1.0)


def drawn_list(draw: random.Random) -> List:
    """Returns a list of 5 to 10 documents, some of them relevant, and up to three relevant documents not retrieved."""
    while True:
        grades = [draw.choice((0, 0, 0, 1, 2, 3)) for _ in range(draw.randint(5, 10))]
        further = [draw.choice((1, 1, 2, 3)) for _ in range(draw.randint(0, 3))]
        if any(grades) and len(grades) > 1:
            return grades, [*grades, *further]


def drawn_causes(draw: random.Random, trials: int) -> list[Cause]:
    """Returns causes: from installed tools, from programs with a mistake, and from carob's profiles."""
    tools, wrong, profiles = of_tools(), of_programs(), of_profiles()
    found: list[Cause] = []
    while len(found) < trials:
        kind = len(found) % 20
        if kind < 12:
            tool = draw.choice(sorted({each.source for each in tools}))
            cause = draw.choice([each for each in tools if each.source == tool])
        else:
            cause = draw.choice(wrong if kind < 17 else profiles)
        # Precision at 1, for example, is always 0 or 1.
        if any(is_telling(cause.compute(drawn_list(draw)), DIGITS[0]) for _ in range(FEW)):
            found.append(cause)
    return found


def shares(causes: Sequence[Cause]) -> str:
    """Returns how many numbers come from installed tools, from programs with a mistake, and from profiles."""
    tools = {each.source for each in of_tools()}
    wrong = {each.source for each in of_programs()}
    counts = [sum(each.source in those for each in causes) for those in (tools, wrong)]
    return f"{counts[0]} of tools that ran, {counts[1]} of programs, {len(causes) - sum(counts)} of profiles"


# ---------------------------------------------------------------- tools that run


def of_tools() -> list[Cause]:
    """Returns the causes for the measures of installed tools."""
    found = []
    for depth in DEPTHS:
        at = "" if depth is None else f"_{depth}"
        for name, measure in (
            (f"ndcg_cut{at}" if depth else "ndcg", "nDCG"),
            (f"map_cut{at}" if depth else "map", "AP"),
            (f"P{at}", "P"),
            (f"recall{at}", "R"),
            ("recip_rank", "RR"),
            ("Rprec", "Rprec"),
        ):
            if at or measure in ("nDCG", "AP", "RR", "Rprec"):
                alone = None if measure in ("RR", "Rprec") else depth
                found.append(Cause("pytrec_eval", measure, alone, partial(by_pytrec_eval, name)))
        at = "" if depth is None else f"@{depth}"
        names = {"ndcg": "nDCG", "map": "AP", "mrr": "RR", "recall": "R", "precision": "P"}
        names |= {"f1": "F", "ndcg_burges": "nDCG"}
        found += [Cause("ranx", own, depth, partial(by_ranx, name + at)) for name, own in names.items()]
        some = ("nDCG", "AP", "RR", "R") if depth is None else ("nDCG", "AP", "RR", "R", "P")
        found += [Cause("ir_measures", each, depth, partial(by_ir_measures, each + at)) for each in some]
        functions = {
            "normalized_dcg": "nDCG",
            "average_precision": "AP",
            "reciprocal_rank": "RR",
            "recall": "R",
            "precision": "P",
        }
        found += [
            Cause("torchmetrics", own, depth, partial(by_torchmetrics, name, depth))
            for name, own in functions.items()
        ]
        found += [
            Cause("sklearn", own, depth, partial(by_sklearn, name, depth)) for name, own in SKLEARN.items()
        ]
    found.append(
        Cause("sklearn", "AP", None, partial(by_sklearn, "label_ranking_average_precision_score", None))
    )
    return found


SKLEARN = {"ndcg_score": "nDCG", "dcg_score": "DCG"}


def as_dicts(those: List) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Returns a list as qrels and a run."""
    grades, judged = those
    qrels = {"q": {f"d{place}": grade for place, grade in enumerate(judged)}}
    return qrels, {"q": {f"d{place}": 100.0 - place for place in range(len(grades))}}


def by_pytrec_eval(name: str, those: List) -> float:
    """Returns a value of pytrec_eval."""
    import pytrec_eval

    qrels, run = as_dicts(those)
    word, _, depth = name.rpartition("_")
    asked = f"{word}.{depth}" if depth.isdigit() else name
    return pytrec_eval.RelevanceEvaluator(qrels, {asked}).evaluate(run)["q"][name]


def by_ranx(name: str, those: List) -> float:
    """Returns a value of ranx."""
    import ranx

    qrels, run = as_dicts(those)
    return float(ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), name))


def by_ir_measures(name: str, those: List) -> float:
    """Returns a value of ir_measures."""
    import ir_measures

    measure = ir_measures.parse_measure(name)
    return ir_measures.calc_aggregate([measure], *as_dicts(those))[measure]


def by_torchmetrics(name: str, depth: int | None, those: List) -> float:
    """Returns a value of torchmetrics, which sees only the grades of the retrieved documents."""
    import torch
    from torchmetrics.functional import retrieval

    grades = torch.tensor(those[0])
    scores = torch.arange(len(those[0]), 0, -1).float()
    labels = grades if name == "normalized_dcg" else grades > 0
    return float(getattr(retrieval, f"retrieval_{name}")(scores, labels, top_k=depth))


def by_sklearn(name: str, depth: int | None, those: List) -> float:
    """Returns a value of scikit-learn, which sees only the grades of the retrieved documents."""
    import sklearn.metrics

    scores = [list(range(len(those[0]), 0, -1))]
    if name in SKLEARN:
        return float(getattr(sklearn.metrics, name)([those[0]], scores, k=depth))
    return float(getattr(sklearn.metrics, name)([[int(grade > 0) for grade in those[0]]], scores))


# ---------------------------------------------------------------- profiles of tools that are not installed

ABSENT = {
    "sentence-transformers": ("precision", "recall", "ndcg", "mrr", "map"),
    "lightgbm": ("ndcg", "map"),
    "xgboost": ("ndcg", "map", "pre"),
    "catboost": ("NDCG", "MAP", "PrecisionAt", "RecallAt", "MRR"),
    "recbole": ("precision", "recall", "mrr", "map", "ndcg"),
    "llamaindex": ("precision", "recall", "mrr", "ap", "ndcg"),
    "spark": ("precisionAt", "recallAt", "ndcgAt"),
    "mlflow": ("precision_at_k", "recall_at_k", "ndcg_at_k"),
    "haystack": ("DocumentNDCGEvaluator",),
    "recommenders": ("ndcg_at_k", "recall_at_k", "map_at_k"),
    "elasticsearch": ("dcg", "precision"),
}
USUAL = {"SetP": "P"}


def of_profiles() -> list[Cause]:
    """Returns the causes for the measures of profiles."""
    found = []
    for profile, labels in ABSENT.items():
        for label in labels:
            for depth in DEPTHS[:-1]:
                name = f"{label}@{depth}"
                try:
                    own = profile_named(profile).read_one(name)
                except carob.MeasureError:
                    continue
                if own.depth == depth:
                    found.append(
                        Cause(
                            profile, USUAL.get(own.name, own.name), depth, partial(by_profile, profile, name)
                        )
                    )
    return found


def by_profile(profile: str, name: str, those: List) -> float:
    """Returns carob's value under a profile."""
    scores = carob.evaluate_grades([those[0]], name, [those[1]], profile=profile)
    return scores[scores.labels[0]]


# ---------------------------------------------------------------- programs with a mistake


def relevant(grades: list[int]) -> list[int]:
    """Returns 1 for each relevant document."""
    return [1 if grade > 0 else 0 for grade in grades]


def gain_sum(gains: Sequence[float], shift: int = 2) -> float:
    """Returns the sum of gains over log2(place + shift), with places from 0."""
    return sum(gain / math.log2(place + shift) for place, gain in enumerate(gains))


def over(part: float, whole: float) -> float:
    """Returns a fraction, or 0 if the denominator is 0."""
    return part / whole if whole else 0.0


def precision_sum(flags: list[int]) -> float:
    """Returns the sum of the precisions at the relevant documents."""
    return sum(sum(flags[: place + 1]) / (place + 1) for place, flag in enumerate(flags) if flag)


def first_rank(flags: list[int]) -> int:
    """Returns the rank of the first relevant document, or 0."""
    return flags.index(1) + 1 if 1 in flags else 0


def of_programs() -> list[Cause]:
    """Returns the causes for the programs with a mistake at each depth."""
    return [
        Cause(source, measure, depth, partial(by_program, program, depth))
        for (measure, source), program in PROGRAMS.items()
        for depth in DEPTHS
    ]


def by_program(
    program: Callable[[list[int], list[int], int], float], depth: int | None, those: List
) -> float:
    """Returns the value of a program with a mistake."""
    grades, judged = those
    return float(program(grades, judged, depth or len(grades)))


def ndcg_of_own_top(grades: list[int], judged: list[int], k: int) -> float:
    """Uses the ideal order of the list's own top."""
    top = grades[:k]
    return over(gain_sum(top), gain_sum(sorted(top)[::-1]))


def ndcg_of_own_top_exp(grades: list[int], judged: list[int], k: int) -> float:
    """The same with gains of 2^grade - 1."""
    top = [2**grade - 1 for grade in grades[:k]]
    return over(gain_sum(top), gain_sum(sorted(top)[::-1]))


def ndcg_of_own_list(grades: list[int], judged: list[int], k: int) -> float:
    """Uses the ideal order of all retrieved documents."""
    return over(gain_sum(grades[:k]), gain_sum(sorted(grades)[::-1][:k]))


def ndcg_binary_over_graded(grades: list[int], judged: list[int], k: int) -> float:
    """Divides hits by grades."""
    return over(gain_sum(relevant(grades[:k])), gain_sum(sorted(judged)[::-1][:k]))


def ndcg_binary_over_threes(grades: list[int], judged: list[int], k: int) -> float:
    """Divides hits by an ideal list of grades of 3, as in the notebooks of an issue."""
    wanted = min(k, sum(relevant(judged)))
    return over(gain_sum(relevant(grades[:k])), gain_sum([3] * wanted))


def ndcg_mixed(grades: list[int], judged: list[int], k: int) -> float:
    """Divides gains of 2^grade - 1 by an ideal of plain grades."""
    return over(gain_sum([2**grade - 1 for grade in grades[:k]]), gain_sum(sorted(judged)[::-1][:k]))


def ndcg_late(grades: list[int], judged: list[int], k: int) -> float:
    """Enumerates from 1, but adds 2 in the logarithm."""
    return over(gain_sum(grades[:k], 3), gain_sum(sorted(judged)[::-1][:k], 3))


def ndcg_reversed(grades: list[int], judged: list[int], k: int) -> float:
    """Uses ranks as scores."""
    return over(gain_sum(grades[::-1][:k]), gain_sum(sorted(judged)[::-1][:k]))


def ap_every_rank(grades: list[int], judged: list[int], k: int) -> float:
    """Averages P@1, P@2 and so on."""
    flags = relevant(grades[:k])
    return sum(sum(flags[: place + 1]) / (place + 1) for place in range(len(flags))) / len(flags)


PROGRAMS: dict[tuple[str, str], Callable[[list[int], list[int], int], float]] = {
    ("nDCG", "ideal of the list's top"): ndcg_of_own_top,
    ("nDCG", "ideal of the list's top, 2^grade − 1"): ndcg_of_own_top_exp,
    ("nDCG", "ideal of the list"): ndcg_of_own_list,
    ("nDCG", "binary over graded"): ndcg_binary_over_graded,
    ("nDCG", "binary over threes"): ndcg_binary_over_threes,
    ("nDCG", "2^grade − 1 over grade"): ndcg_mixed,
    ("nDCG", "discount one rank late"): ndcg_late,
    ("nDCG", "read from the end"): ndcg_reversed,
    ("nDCG", "not normalised"): lambda g, j, k: gain_sum(g[:k]),
    ("DCG", "discount by rank"): lambda g, j, k: sum(
        grade / (place + 1) for place, grade in enumerate(g[:k])
    ),
    ("DCG", "natural logarithm"): lambda g, j, k: sum(
        grade / math.log(place + 2) for place, grade in enumerate(g[:k])
    ),
    ("R", "of the list"): lambda g, j, k: over(sum(relevant(g[:k])), sum(relevant(g))),
    ("R", "divided by k"): lambda g, j, k: sum(relevant(g[:k])) / k,
    ("P", "divided by relevant"): lambda g, j, k: sum(relevant(g[:k])) / max(sum(relevant(j)), 1),
    ("P", "divided by the list"): lambda g, j, k: sum(relevant(g[:k])) / len(g),
    ("P", "sum of grades"): lambda g, j, k: sum(g[:k]) / k,
    ("F", "arithmetic mean"): lambda g, j, k: (
        (sum(relevant(g[:k])) / k + sum(relevant(g[:k])) / sum(relevant(j))) / 2
    ),
    ("RR", "divided by the answers"): lambda g, j, k: over(
        over(1, first_rank(relevant(g[:k]))), sum(relevant(j))
    ),
    ("RR", "mean over the answers"): lambda g, j, k: (
        sum(1 / (place + 1) for place, grade in enumerate(g[:k]) if grade) / sum(relevant(j))
    ),
    ("RR", "sum over the answers"): lambda g, j, k: sum(
        1 / (place + 1) for place, grade in enumerate(g[:k]) if grade
    ),
    ("RR", "the rank itself"): lambda g, j, k: first_rank(relevant(g[:k])),
    ("RR", "one rank late"): lambda g, j, k: over(1, first_rank(relevant(g[:k])) + 1) if any(g[:k]) else 0.0,
    ("AP", "divided by k"): lambda g, j, k: precision_sum(relevant(g[:k])) / k,
    ("AP", "divided by the list"): lambda g, j, k: precision_sum(relevant(g[:k])) / len(g[:k]),
    ("AP", "divided by the hits"): lambda g, j, k: over(precision_sum(relevant(g[:k])), sum(relevant(g[:k]))),
    ("AP", "divided by min(R, k)"): lambda g, j, k: precision_sum(relevant(g[:k])) / min(sum(relevant(j)), k),
    ("AP", "every rank"): ap_every_rank,
}
"""The programs with a mistake, keyed by the measure that they claim to compute and the mistake."""


# ---------------------------------------------------------------- a cold start


def cold(rounds: int = 5) -> float:
    """Returns the minimum processor time of the command in a fresh process, without any further information."""
    words = ["whence", "0.6131", "--grades", "1,0,3,0,2,0,0,1,0,0", "--judged", "3,3,2,2,1,1,0,0,0"]
    seconds = []
    for _ in range(rounds):
        before = os.times()
        subprocess.run([sys.executable, "-m", "carob", *words], check=True, capture_output=True)
        after = os.times()
        seconds.append(
            after.children_user + after.children_system - before.children_user - before.children_system
        )
    return min(seconds)


if __name__ == "__main__":
    sys.exit(main())
