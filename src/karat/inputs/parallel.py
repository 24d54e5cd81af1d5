"""How many cores there are to work with, and work on several of them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = ["available_cores", "side_by_side"]

Given = TypeVar("Given")
Made = TypeVar("Made")


def available_cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def side_by_side(work: Callable[[Given], Made], given: Iterable[Given], threads: int) -> Iterator[Made]:
    """What ``work`` makes of each thing given, in order, by so many threads.

    Whoever is interrupted (Ctrl-C) or meets an error is not kept until the threads' present work ends, which may take
    minutes; what they have not begun they do not begin.

    Args:
        work: what is done with each.
        given: the things.
        threads: how many work at once.
    """
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(threads)
    try:
        yield from pool.map(work, given)
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    pool.shutdown()
