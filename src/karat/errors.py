"""Every error that karat raises: a sentence that says what was found, where, and what to do."""

__all__ = ["DataError", "KaratError", "MeasureError", "PolicyError"]


class KaratError(Exception):
    """The root of karat's errors; ``str(error)`` is a sentence fit for a user."""


class DataError(KaratError, ValueError):
    """Judgments or a run that cannot be read as they are; the text names file, line, query or document."""


class MeasureError(KaratError, ValueError):
    """A measure's name or parameter that does not exist; the text names the nearest ones."""


class PolicyError(KaratError, ValueError):
    """A policy or profile that does not exist; the text names those that do."""
