"""How many cores there are to work with."""

from __future__ import annotations

import os

__all__ = ["available_cores"]


def available_cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
