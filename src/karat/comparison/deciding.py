"""What is decided about a comparison: the test, its correction, the baseline, and which pairs are significant."""

from __future__ import annotations

import math
import os
from dataclasses import replace
from numbers import Integral, Real
from typing import TYPE_CHECKING

import numpy as np

from karat.comparison.findings import FAMILY_WISE
from karat.comparison.letters import letters_of
from karat.comparison.statistics import benjamini_hochberg, bonferroni, holm
from karat.comparison.statistics.randomisation import refuse_seed
from karat.inputs.run import Run
from karat.output.errors import DataError, PolicyError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from karat.comparison.findings import Settings
    from karat.comparison.outcomes import Outcome
    from karat.evaluation.scores import Scores
    from karat.lists.rows import Floats

__all__ = ["CORRECTIONS", "FAMILIES", "TESTS", "corrected", "letters", "place_of", "settled"]

TESTS = ("t", "randomisation", "tukey", "max-t", "wilcoxon", "sign")
CORRECTIONS = ("holm", "bonferroni", "bh", "none")
FAMILIES = ("measure", "all")

RESAMPLES = 10_000
"""1,000 put up to 1.4 % of the pairs of a TREC track on the wrong side of .05, 10,000 up to .5 %."""
MOST_RESAMPLES = 1_000_000


def settled(asked: Settings, runs: int, measures: int) -> Settings:
    """The settings with every default filled in: an empty ``test`` or ``correction``, 0 resamples.

    Raises:
        PolicyError: there is no such test, correction or family, or two of them do not go together.
    """
    one_against_all = asked.baseline is not None or runs == 2
    test = asked.test or ("t" if one_against_all else "tukey")
    for what, word, known in (
        ("test", test, TESTS),
        ("correction", asked.correction or "none", CORRECTIONS),
        ("family", asked.family, FAMILIES),
        ("interval", asked.interval, ("t", "bootstrap")),
    ):
        if word not in known:
            raise PolicyError(
                f"There is no {what} '{word}'. {did_you_mean(word, known, 'It is one of ' + ', '.join(known) + '.')}"
            )
    for name in ("alpha", "confidence", "rope", "margin", "resamples"):
        value: object = getattr(asked, name)
        if value is not None and not isinstance(value, Integral if name == "resamples" else Real):
            raise PolicyError(f"{name}={value!r}: give a number.")
    if not 0 < asked.alpha < 1:
        raise PolicyError(f"alpha={asked.alpha}: it lies between 0 and 1.")
    if asked.resamples < 0:
        raise PolicyError(f"resamples={asked.resamples!r}: give a whole number from 1 on.")
    refuse_seed(asked.seed)
    pairs = runs - 1 if asked.baseline is not None else runs * (runs - 1) // 2
    comparisons = pairs * (measures if asked.family == "all" else 1)
    if test in FAMILY_WISE and asked.correction not in ("", "none"):
        raise PolicyError(
            f"The test '{test}' holds for all pairs at once: leave out correction='{asked.correction}', or choose "
            "test='t' or test='randomisation'."
        )
    correction = asked.correction or ("none" if test in FAMILY_WISE or comparisons == 1 else "holm")
    return replace(
        asked,
        test=test,
        correction=correction,
        comparisons=comparisons,
        resamples=resamples_for(test, correction, comparisons, asked),
    )


def resamples_for(test: str, correction: str, comparisons: int, asked: Settings) -> int:
    """How many resamples: so many that a corrected p can fall well below alpha."""
    if test not in ("randomisation", *FAMILY_WISE):
        return 0
    if asked.resamples:
        return asked.resamples
    if test != "randomisation" or correction in ("none", "bh"):
        return RESAMPLES
    return min(MOST_RESAMPLES, max(RESAMPLES, math.ceil(20 * comparisons / asked.alpha)))


def place_of(baseline: str | int | None, names: Sequence[str], runs: Sequence[Run | Scores]) -> int | None:
    """Where the baseline stands: given by its name, its path or its place.

    Raises:
        DataError: there is no such run.
    """
    if baseline is None:
        return None
    if isinstance(baseline, int):
        if not 0 <= baseline < len(names):
            raise DataError(f"baseline={baseline}: there are {len(names)} runs, counted from 0.")
        return baseline
    if baseline in names:
        return names.index(baseline)
    paths = [
        os.path.normpath(each.origin.path) if isinstance(each, Run) and each.origin.path else ""
        for each in runs
    ]
    if os.path.normpath(baseline) in paths:
        return paths.index(os.path.normpath(baseline))
    hint = did_you_mean(baseline, names, f"The runs are {', '.join(names[:20])}.")
    raise DataError(f"No run is called '{baseline}'. {hint}")


def corrected(p: Floats, correction: str) -> Floats:
    """The p-values corrected for their number; those that are not defined stay so and count as comparisons."""
    adjust = {"holm": holm, "bonferroni": bonferroni, "bh": benjamini_hochberg}.get(correction)
    if adjust is None:
        return p
    return np.where(np.isnan(p), np.nan, adjust(np.where(np.isnan(p), 1.0, p)))


def letters(runs: int, outcome: Outcome, alpha: float, sign: float) -> tuple[str, ...]:
    """For each run the letters of those that it is significantly better than."""
    beaten: list[list[int]] = [[] for _ in range(runs)]
    for place in np.flatnonzero(outcome.adjusted < alpha).tolist():
        one, other = int(outcome.a[place]), int(outcome.b[place])
        better = sign * outcome.difference[place]
        if better > 0:
            beaten[one].append(other)
        elif better < 0:
            beaten[other].append(one)
    return tuple(letters_of(its, runs) for its in beaten)
