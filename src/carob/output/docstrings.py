"""Finds the docstrings that carob shows: definitions of measures and descriptions of commands."""

from __future__ import annotations

import sys
from functools import cache
from typing import Any


def docstring_of(function: Any) -> str:
    """Returns the docstring of a function or a property, or an empty text.

    Python drops docstrings if it is started with ``-OO``. In that case, they are read from the source if it is
    available.
    """
    if function.__doc__ is not None or sys.flags.optimize < 2:
        return function.__doc__ or ""
    import inspect

    code = getattr(inspect.unwrap(getattr(function, "fget", function)), "__code__", None)
    return "" if code is None else docstrings_in(code.co_filename).get(code.co_firstlineno, "")


@cache  # the source of the loaded module
def docstrings_in(path: str) -> dict[int, str]:
    """Returns the docstring of each function in a Python file, keyed by the function's first line number."""
    import ast
    import linecache

    try:
        tree = ast.parse("".join(linecache.getlines(path)))
    except (SyntaxError, ValueError):
        return {}
    functions = [each for each in ast.walk(tree) if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef))]
    return {
        min([each.lineno, *(which.lineno for which in each.decorator_list)]): ast.get_docstring(
            each, clean=False
        )
        or ""
        for each in functions
    }
