"""Every name and parameter that ir_measures registers, on random collections with ties, against its profile.

``PYTHONPATH=tests python -m peers.ir_measures_names --collections 200`` tries more collections than the tests do.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import logging
import math
import random
import re
import sys
from collections import Counter
from dataclasses import dataclass
from typing import Any

from carob.adapters.objects import calc_aggregate, iter_calc
from carob.conventions.profiles import profile_named
from carob.output.errors import CarobError

__all__ = ["DEPTHS", "GOOD", "Collection", "collection", "every_name", "verdict"]

ANOTHER: dict[str, Any] = {
    # a value of each parameter that is not its default
    "T": 2.0,
    "alpha": 0.3,
    "beta": 0.8,
    "dcg": "exp-log2",
    "gains": {0: 0, 1: 5, 2: 9},
    "judged_only": True,
    "max_rel": 4,
    "min_rel": 1,
    "normalize": False,
    "p": 0.7,
    "rel": 2,
    "relative": True,
}
DEPTHS = (1, 2, 3, 5, 10)

TOLD = {
    # names whose values differ, by what the profile's ``differs`` says of them
    r"(ERR_IA|alpha_DCG|α_DCG)\b.*@1$": "At depth 1, ERR_IA and alpha_DCG are not divided.",
    r"NumQ|NumRel(\(|$)": "For each other query, iter_calc gives 0; carob leaves it out.",
    r"IPrec\(judged_only": "may be NaN for a query without a judged document in its list",
    r"nNRBP": "is NaN, but 0 if the run lacks the query.",
}
GOOD = ("equal", "told", "refused, with a way", "refused by both", "only here")
"""Verdicts that need no work: of both equal, or told in the profile, and names that ir_measures does not compute."""


def every_name(depth: int) -> list[str]:
    """Returns each registered name, bare, with what it needs, and with each other parameter; with and without ``@``."""
    from ir_measures import measures

    found: dict[str, None] = {}
    for word, measure in measures.registry.items():
        at, known = measure.AT_PARAM, measure.SUPPORTED_PARAMS
        ends = ["", "@0.2" if at == "recall" else f"@{depth}"] if at in known else [""]
        needed = {key: ANOTHER[key] for key, its in known.items() if its.required and key != at}
        others = [{key: ANOTHER[key]} for key, its in known.items() if key != at and not its.required]
        for given in ({}, needed, *({**needed, **other} for other in others)):
            inside = ", ".join(f"{key}={value!r}" for key, value in given.items())
            for end in ends:
                found[f"{word}{f'({inside})' * bool(inside)}{end}"] = None
    return list(found)


@dataclass(frozen=True)
class Collection:
    """Judgments with subtopics and without, and a run, as rows of ir_measures.

    Args:
        qrels: a grade for each document.
        subtopics: a grade for each document and subtopic, which is the ``iteration``.
        run: scores, many of them equal, in no order.
    """

    qrels: list[Any]
    subtopics: list[Any]
    run: list[Any]

    def judged(self, name: str) -> list[Any]:
        """Returns the judgments that a measure is computed from."""
        return self.subtopics if re.match(r"alpha_|α_|n?NRBP|StRecall|\w+_IA", name) else self.qrels


def collection(seed: int, *, ties: bool = True) -> Collection:
    """Returns ten queries: one is not answered, one has no relevant document, one is not judged."""
    from ir_measures import Qrel, ScoredDoc

    draw = random.Random(seed)
    qrels, subtopics, run = [], [], []
    below = [-1] * (
        seed % 2
    )  # the Perl program that computes ERR takes no negative grade, and numbers as queries
    documents = [f"d{number}" for number in range(16)]
    for number in range(10):
        query, highest = str(101 + number), 0 if number == 3 else 4
        judged = draw.sample(documents, draw.randint(3, 12))
        if number != 7:
            qrels += [Qrel(query, each, draw.choice([*below, 0, 0, *range(highest + 1)])) for each in judged]
            for topic in range(draw.randint(1, 4)):
                its = draw.sample(judged, draw.randint(1, len(judged)))
                subtopics += [Qrel(query, each, draw.randint(0, min(2, highest)), str(topic)) for each in its]
        if number != 5:
            retrieved = draw.sample(documents, draw.randint(1, 14))
            scores = [draw.randint(1, 4) / 4 if ties else draw.random() for _ in retrieved]
            run += [ScoredDoc(query, *each) for each in zip(retrieved, scores, strict=True)]
    return Collection(qrels, subtopics, run)


def theirs(name: str, given: Collection) -> tuple[Any, float, dict[str, float]] | None:
    """Returns ir_measures' measure, its mean and its per-query scores; None if it computes none."""
    import ir_measures

    for logger in ("ir_measures", "ir_measures.cwl_eval"):
        logging.getLogger(logger).setLevel(logging.CRITICAL)
    try:
        measure = ir_measures.parse_measure(name)
        with contextlib.redirect_stderr(io.StringIO()):
            found = ir_measures.calc([measure], given.judged(name), given.run)
    except Exception:  # noqa: BLE001 - it fails in many ways
        return None
    return measure, found.aggregated[measure], {each.query_id: each.value for each in found.per_query}


def same(a: float | None, b: float) -> bool:
    """Returns whether two values are equal, or both undefined. One provider prints five decimals."""
    if a is None or math.isnan(a) or math.isnan(b):
        return a is not None and math.isnan(a) and math.isnan(b)
    return math.isclose(a, b, rel_tol=1e-6, abs_tol=6e-6)


def difference(
    name: str, instead: str, given: Collection, expected: tuple[Any, float, dict[str, float]]
) -> str:
    """Returns how carob's values of ``instead``, or its mean of ir_measures' object, differ from those of a name.

    Raises:
        CarobError: carob refuses the measure.
    """
    judged, (measure, aggregate, values) = given.judged(name), expected
    its = measure if instead == name else instead
    mean = calc_aggregate([its], judged, given.run)[its]
    ours = {query: value for query, _, value in iter_calc([instead], judged, given.run)}
    wrong = [query for query, value in values.items() if not same(ours.get(query), value)]
    if wrong:
        first = wrong[0]
        return f"{len(wrong)} queries; {first}: {ours.get(first)} here, {values[first]} there"
    return "" if same(mean, aggregate) else f"mean {mean} here, {aggregate} there"


def verdict(name: str, given: Collection) -> tuple[str, str]:
    """Returns whether carob has ir_measures' values of a name, or what else happens, and how they differ."""
    expected = theirs(name, given)
    try:
        if expected is None:
            calc_aggregate([name], given.judged(name), given.run)
            return "only here", ""
        found = difference(name, name, given, expected)
        if found:
            told = [say for pattern, say in TOLD.items() if re.match(pattern, name)]
            known = told and told[0] in " ".join(profile_named("ir_measures").differs)
            return "told" if known else "another value", found
    except CarobError as error:
        if expected is None:
            return "refused by both", str(error)
        return "refused, with a way" if way_works(name, str(error), given, expected) else "refused", str(
            error
        )
    return "equal", ""


def way_works(
    name: str, sentence: str, given: Collection, expected: tuple[Any, float, dict[str, float]]
) -> bool:
    """Returns whether what a refusal says to write has ir_measures' values."""
    instead = re.search(r"as in (\S.*)\.$", sentence)
    if instead:
        return not difference(name, instead[1], given, expected)
    if "GAUC(weight=queries)" in sentence:
        its = name.replace("Accuracy", "GAUC(weight=queries)").replace(")(", ", ")
        mean = calc_aggregate([its], given.qrels, given.run)[its]
        ties = len({(each.query_id, each.score) for each in given.run}) < len(given.run)
        return ties or same(mean, expected[1])
    return "To compare runs by it, write ir_measures' values of each run to a table" in sentence


def main() -> int:
    """Tries every name on many collections, prints each that differs, and the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--collections", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    found: dict[str, Counter[str]] = {}
    said: dict[tuple[str, str], str] = {}
    for number in range(options.collections):
        depth = DEPTHS[number % len(DEPTHS)]
        its = collection(options.seed + number, ties=number % 4 != 3)
        for name in every_name(depth):
            what, how = verdict(name, its)
            key = name.replace(f"@{depth}", "@k")
            found.setdefault(key, Counter())[what] += 1
            said.setdefault((key, what), how)
    order = [
        "another value",
        "refused",
        "told",
        "refused, with a way",
        "equal",
        "only here",
        "refused by both",
    ]
    worst = Counter(min(its, key=order.index) for its in found.values())
    for name, its in found.items():
        for what in its:
            if what not in ("equal", "only here", "refused by both"):
                print(f"{name:<28} {its[what]:>4} {what}: {said[name, what]}")
    told = ", ".join(f"{worst[what]} {what}" for what in order if worst[what])
    print(f"{len(found)} names on {options.collections} collections: {told}")
    return int(bool(worst["another value"] or worst["refused"]))


if __name__ == "__main__":
    sys.exit(main())
