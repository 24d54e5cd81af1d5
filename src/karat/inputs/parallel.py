"""The number of available cores, and work spread over several threads."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = ["available_cores", "side_by_side"]

Given = TypeVar("Given")
Made = TypeVar("Made")


def available_cores() -> int:
    """The number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def side_by_side(work: Callable[[Given], Made], given: Iterable[Given], threads: int) -> Iterator[Made]:
    """The results of ``work`` on each item, in order, from several threads.

    On Ctrl-C or an error it returns at once and does not wait for running work, which may take minutes; work that has
    not begun is cancelled.

    Args:
        work: the function.
        given: the items.
        threads: the number of threads.
    """
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(threads)
    try:
        yield from pool.map(work, given)
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    pool.shutdown()
