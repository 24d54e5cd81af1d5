"""Findings between runs: identical runs, equal names, lists of different length, runs judged to different extents."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from karat.diagnosis.check.finding import found
from karat.diagnosis.check.lenient import DEPTH, told
from karat.diagnosis.check.text import EXAMPLES
from karat.inputs.run import short

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from karat.diagnosis.check.finding import Finding
    from karat.diagnosis.check.lenient import Pair

__all__ = ["RUN_VS_RUN"]

RATIO = 1.5
"""Lists this many times as long as another run's were cut at another depth."""
GAP = 0.1
"""A difference in the share of judged documents that tells runs apart."""


def identical(pairs: Sequence[Pair]) -> Iterator[Finding]:
    """Runs that rank all judged documents alike."""
    matched = [pair for pair in pairs if pair.matched is not None and len(pair.matched.rank)]
    for one, other in combinations(matched, 2):
        mine, its = one.matched, other.matched
        assert mine is not None
        assert its is not None
        same = np.array_equal(mine.judgment, its.judgment) and np.array_equal(mine.rank, its.rank)
        if same and np.array_equal(mine.length, its.length):
            yield found("identical-runs", other.name, f"ranks every judged document as {one.name} does")


def names(pairs: Sequence[Pair]) -> Iterator[Finding]:
    """Runs that tables would call the same."""
    first: dict[str, str] = {}
    for pair in pairs:
        name = short(pair.name)
        if pair.text.is_file and first.setdefault(name, pair.name) != pair.name:
            yield found("same-name", pair.name, f"has the same name as {first[name]}: '{name}'")


def lengths(pairs: Sequence[Pair]) -> Iterator[Finding]:
    """Runs cut at different depths."""
    longest = {
        number: int(pair.matched.length.max())
        for number, pair in enumerate(pairs)
        if pair.matched is not None and pair.retrieved.any()
    }
    if len(longest) < 2 or max(longest.values()) < RATIO * min(longest.values()):
        return
    low = min(longest.values())
    deepest = max(longest, key=lambda each: longest[each])
    ordered = sorted(longest, key=lambda each: longest[each])
    pair = pairs[deepest]
    values = pair.alternatives(whole={}, **{f"cut_at_{low}": {"depth": low}})
    yield found(
        "list-lengths",
        "all runs",
        f"the longest list has {low:,} documents in one run and {longest[deepest]:,} in another",
        count=len(longest),
        where=tuple(
            f"{short(pairs[each].name)}: {longest[each]:,}" for each in (*ordered[: EXAMPLES - 1], deepest)
        ),
        effect=f"A longer list can only gain in AP and recall. {short(pair.name)}: {told(values)}",
        values=values,
    )


def gap(pairs: Sequence[Pair]) -> Iterator[Finding]:
    """Runs judged to different extents."""
    shares = {
        number: judged / all_
        for number, pair in enumerate(pairs)
        if pair.matched is not None
        and (all_ := pair.judged_at_depth[1])
        and (judged := pair.judged_at_depth[0])
    }
    if len(shares) < 2 or max(shares.values()) - min(shares.values()) < GAP:
        return
    ordered = sorted(shares, key=lambda each: shares[each])
    worst = pairs[ordered[0]]
    values = worst.alternatives(as_not_relevant={}, removed={"unjudged": "removed"})
    yield found(
        "unjudged-gap",
        "all runs",
        f"judged in the first {DEPTH}: {shares[ordered[0]]:.0%} of one run, {shares[ordered[-1]]:.0%} of another",
        count=len(shares),
        where=tuple(
            f"{short(pairs[each].name)}: {shares[each]:.0%}"
            for each in (*ordered[: EXAMPLES - 1], ordered[-1])
        ),
        effect=f"The first is scored lower than it deserves. {short(worst.name)}: {told(values)}",
        values=values,
    )


RUN_VS_RUN: tuple[Callable[[Sequence[Pair]], Iterator[Finding]], ...] = (identical, names, lengths, gap)
"""Every finding between runs."""
