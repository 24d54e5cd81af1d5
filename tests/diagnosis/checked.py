"""Small judgments and runs as text, and what a check finds in them, for the tests of the parts of a check."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from carob.diagnosis.check import Check, check

if TYPE_CHECKING:
    from pathlib import Path

    from diagnosis import broken


def codes(found: Any) -> set[str]:
    return {each.code for each in found.findings}


QRELS = {"q1": {"a": 1, "b": 0, "c": 1}, "q2": {"d": 1, "e": 0}}


def lines(*rows: str) -> bytes:
    return "".join(f"{row} t\n" for row in rows).encode()


def only(code: str, *given: Any) -> Any:
    (finding,) = check(*given, measures=["AP", "RR"]).of(code)
    return finding


def written(folder: Path, case: broken.Case) -> tuple[str, list[str]]:
    """The files of a case."""

    def write(name: str, content: str | bytes) -> str:
        if isinstance(content, str) and content.startswith("/"):
            return content
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    runs = [write(f"{number}.run", each) for number, each in enumerate(case.runs)]
    return write("qrels.txt", case.qrels), runs


def examined(folder: Path, case: broken.Case) -> Check:
    qrels, runs = written(folder, case)
    return check(qrels, *runs)
