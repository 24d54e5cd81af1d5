"""Makes wheels 4 % smaller for a release: ``python build_backend/smaller.py WHEEL ...``; needs zopflipy.

The best level of zlib saves only 0.3 % over its default. Zopfli writes the same format and takes 20 seconds per wheel.
The docstrings of the kernel's stub, and the strings below constants, which Python discards, are meant for carob's
developers. A release contains neither. Its lines have the same numbers, so tracebacks name the lines of the repository.
"""

from __future__ import annotations

import ast
import base64
import hashlib
import sys
import zipfile
from pathlib import Path


def make_smaller(wheel: Path) -> None:
    """Replaces a wheel with a smaller one that contains the same files in the same order."""
    from zopfli import ZipFile

    made = wheel.with_suffix(".smaller")
    with zipfile.ZipFile(wheel) as old, ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        contents = {each: old.read(each) for each in old.infolist()}
        (record,) = (each for each in contents if each.filename.endswith(".dist-info/RECORD"))
        for each, content in contents.items():
            if each.filename.endswith("/_native.pyi"):
                contents[each] = without_docstrings(content)
            elif each.filename.endswith(".py"):
                contents[each] = without_notes(content)
        sizes = {each.filename: f"sha256={digest(its)},{len(its)}" for each, its in contents.items()}
        del sizes[record.filename]  # which lists itself without a hash
        rows = [line.split(",", 1) for line in contents[record].decode().splitlines()]
        contents[record] = "".join(f"{name},{sizes.get(name, rest)}\n" for name, rest in rows).encode()
        for each, content in contents.items():
            new.writestr(each, content)
    made.replace(wheel)


def without_docstrings(stub: bytes) -> bytes:
    """Returns the code of a stub."""
    tree = ast.parse(stub)
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module)
            and ast.get_docstring(node) is not None
        ):
            node.body = node.body[1:] or [ast.Expr(ast.Constant(...))]
    return f"{ast.unparse(tree)}\n".encode()


def without_notes(code: bytes) -> bytes:
    """Returns code in which the strings below constants are blank lines."""
    lines = code.splitlines(keepends=True)
    for node in ast.walk(ast.parse(code)):
        for each in node.body[1:] if isinstance(node, ast.Module | ast.ClassDef) else []:
            match each:
                case ast.Expr(ast.Constant(str()), lineno=first, end_lineno=int(last)):
                    lines[first - 1 : last] = [b"\n"] * (last - first + 1)
    return b"".join(lines)


def digest(content: bytes) -> str:
    """Returns the hash of a file in the format of a wheel's RECORD (PEP 376, binary distribution format)."""
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        make_smaller(Path(argument))
