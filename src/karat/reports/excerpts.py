"""Excerpts of runs: the lines of some queries, each query's as a run of its own, from one pass over the run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.inputs.dicts import MappingRun
from karat.inputs.run import Run
from karat.inputs.runs import as_mapping

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["excerpt_of"]


def excerpt_of(run: Run, queries: Collection[str]) -> dict[str, Run]:
    """For each of these queries the run without the lines of others; the run is read once.

    Args:
        run: the run.
        queries: whose lists are wanted.
    """
    ids = {query.encode("utf-8", "surrogateescape"): query for query in queries}
    if run.source is None:
        mapping = as_mapping(run.held, set(ids))
        return {query: Run(run.name, MappingRun({query: mapping.get(query, {})})) for query in queries}
    kept: dict[bytes, list[bytes]] = {each: [] for each in ids}
    for line in run.source.lines():
        first = line.split(None, 1)
        if first and first[0] in kept:
            kept[first[0]].append(line.rstrip(b"\r\n"))
    return {
        ids[query]: Run.of(b"".join(line + b"\n" for line in found), run.name)
        for query, found in kept.items()
    }
