"""Every error that karat raises: a sentence that says what was found, where, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["DataError", "KaratError", "MeasureError", "PolicyError", "did_you_mean"]


class KaratError(Exception):
    """The root of karat's errors; ``str(error)`` is a sentence fit for a user."""


class DataError(KaratError, ValueError):
    """Judgments or a run that cannot be read as they are; the text names file, line, query or document."""


class MeasureError(KaratError, ValueError):
    """A measure's name or parameter that does not exist; the text names the nearest ones."""


class PolicyError(KaratError, ValueError):
    """A policy or profile that does not exist; the text names those that do."""


def did_you_mean(name: str, known: Iterable[str], otherwise: str) -> str:
    """The end of a sentence about a name that does not exist: the nearest ones, or ``otherwise``."""
    from difflib import get_close_matches

    by_lower = {each.lower(): each for each in known}
    near = [by_lower[each] for each in get_close_matches(name.lower(), by_lower, n=3, cutoff=0.5)]
    return f"Did you mean {' or '.join(near)}?" if near else otherwise
