"""Whether a run got worse. Runs, baselines and records in; verdicts out. Also the pytest plugin ``karat.testing``."""

from typing import Any

__all__ = ["karat_scores", "pytest_terminal_summary"]


def __dir__() -> list[str]:
    """The plugin's names: pytest finds fixtures by them."""
    return [*__all__, "__doc__", "__name__"]


def __getattr__(name: str) -> Any:
    """Import the fixture when pytest asks for it: gates and records work without pytest."""
    if name != "karat_scores":
        raise AttributeError(f"module 'karat.testing' has no attribute '{name}'")
    from karat.testing.pytest_plugin import karat_scores

    return karat_scores


def pytest_terminal_summary(terminalreporter: Any, config: Any) -> None:
    """Show the tables of what was scored: pytest's hook."""
    from karat.testing.pytest_plugin import show_scores

    show_scores(terminalreporter, config)
