"""``carob.record``: writes the inputs' hashes, versions, policy, measures and all values to one file."""

from __future__ import annotations

import math
import os
import platform
import sys
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from carob._dataclasses import replace
from carob._numpy import np
from carob.evaluation.read_record import FORMAT, document_in
from carob.evaluation.score_tables import GIVEN, document_of
from carob.evaluation.scores import Scores, ScoresByRun
from carob.inputs.digests import described, digests, unchanged
from carob.inputs.errors import sentences
from carob.inputs.ids import twice
from carob.output.errors import DataError, Worded, warn
from carob.output.escaping import defined, json_text
from carob.output.files import refuse_overwriting, write_whole
from carob.output.language import filled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from carob.comparison.compare import Comparison
    from carob.inputs.sources import Provenance


HELD = ("file", "bytes", "a mapping", "a frame", "a table", "grades")
"""The types of input that can be passed again, unlike a stream."""


def record(what: Scores | ScoresByRun | Sequence[Scores] | Comparison, path: str | os.PathLike[str]) -> None:
    """Write a record of scores and of everything on which they depend, so that anyone can reproduce them.

    The file contains the output of ``carob eval -q --format json``, the SHA-256 and size of each input file (as stored,
    compressed or not), the versions of carob, Python and NumPy and, for a comparison, its settings and results. The
    record does not contain a date, so two records of the same scores are identical byte for byte. An input from memory
    has no hash, so it must be passed to ``carob.verify`` as an argument. ``--record`` also stores how well each run is
    judged. In Python, this is known only for comparisons, and for scores that include the measure ``Judged@10``.

    Args:
        what: the scores of one run, the scores of several runs on the same judgments, or a comparison.
        path: the file to write. An existing file is replaced completely or, if writing fails, left unchanged.

    Raises:
        DataError: an input was standard input or another stream, an input file has changed since it was scored,
            policies differ, or the record cannot be written.

    Example:
        >>> import carob, tempfile, os
        >>> scores = carob.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "RR", name="mine")
        >>> path = os.path.join(tempfile.mkdtemp(), "mine.json")
        >>> carob.record(scores, path)
        >>> carob.verify(path, {"q": {"a": 1}}, {"mine": {"q": {"b": 2.0, "a": 1.0}}}).equal
        False
    """
    comparison = None
    if isinstance(what, Scores):
        scores = [what]
    elif isinstance(what, ScoresByRun):
        scores = list(what.values())
    elif isinstance(what, Iterable):
        scores = list(what)
    else:
        shares = what.judged if what.judged_depth == 10 else [math.nan] * len(what.scores)
        scores = [replace(each, judged=share) for each, share in zip(what.scores, shares, strict=True)]
        comparison = what
        if what.judge is not None:
            raise DataError(
                "A record cannot store estimates that combine people's and a judge's judgments. Record the scores "
                "under each set of judgments separately."
            )
    refuse_overwriting(
        path, [each for its in scores for origin in its.inputs.values() for each in origin.files]
    )
    made = record_of(scores, comparison)
    if comparison is not None:
        looks = made["comparison"]["looks"] = looks_in(path, comparison)
        if len(looks) > 1 and comparison.settings.looks is None:
            earlier = ", ".join(map(str, looks[:-1]))
            warn(
                filled(
                    "{file} recorded a comparison of these runs on {earlier} queries, and this comparison has {now}: "
                    "with each additional look, chance differences are found more often than alpha allows. Plan the "
                    "looks in advance: {option} divides alpha among the looks.",
                    file=os.fspath(path),
                    earlier=earlier,
                    now=str(looks[-1]),
                    option=Worded("test=carob.Test(looks=…)", "--looks"),
                )
            )
    write_whole(path, laid_out(made))


def looks_in(path: str | os.PathLike[str], comparison: Comparison) -> list[int]:
    """Returns the numbers of queries with which these runs were compared, in a record at the path and now."""
    now = len(comparison.ids)
    if not os.path.isfile(path):  # a device such as /dev/full never ends
        return [now]
    try:
        with open(path, "rb") as file:
            old = document_in(file.read(), os.fspath(path))[0]["comparison"]
        earlier = old["looks"] if old["names"] == list(comparison.names) else []
        return [*(each for each in earlier if isinstance(each, int) and each != now), now]
    except (OSError, ValueError, DataError, LookupError, TypeError):
        return [now]  # not the record of a comparison, so it is replaced


def record_of(scores: Sequence[Scores], comparison: Comparison | None = None) -> dict[str, Any]:
    """Returns the record as dicts and lists.

    Raises:
        DataError: as in ``record``.
    """
    refuse_mixture(scores)
    document = document_of(scores, per_query=True)
    made = {
        "record": FORMAT,
        "carob": document.pop("carob"),
        "made_with": versions(),
        "inputs": inputs_of(scores),
    }
    if comparison is not None:
        made["comparison"] = comparison_of(comparison)
    return {**made, **document}


def comparison_of(comparison: Comparison) -> dict[str, Any]:
    """Returns the settings and results of a comparison without the scores and the groups of queries."""
    contests = {
        label: {
            "low": defined(contest.low),
            "high": defined(contest.high),
            "letters": list(contest.letters),
            "pairs": [defined(asdict(pair)) for pair in contest.pairs],
        }
        for label, contest in comparison.contests.items()
    }
    return {
        "settings": defined(asdict(comparison.settings)),
        "names": list(comparison.names),
        "contests": contests,
        **({"preregistration": asdict(plan)} if (plan := comparison.preregistration) is not None else {}),
    }


def versions() -> dict[str, str]:
    """Returns the versions of the software that could affect the values."""
    return {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "platform": f"{sys.platform} {platform.machine()}",
    }


def refuse_mixture(scores: Sequence[Scores]) -> None:
    """Refuses scores that cannot be stored in one record.

    Raises:
        DataError: there are no scores, two runs have the same name, or measures, policies, profiles or judgments
            differ.
    """
    if not scores:
        raise DataError("There are no scores to record.")
    first, names = scores[0], [each.complete().name for each in scores]
    again = twice(names)
    if again is not None:
        raise DataError(f"Two runs are named '{again}': give each run in a record a different name.")
    if first.profile == GIVEN:
        raise DataError(
            f"The values of {first.name} were passed without judgments and ranked lists, so carob cannot reproduce "
            "these values. Record scores that carob computed."
        )
    for each in scores[1:]:
        alike = all(
            getattr(each, field) == getattr(first, field)
            for field in ("labels", "measures", "policy", "profile")
        )
        if not alike or each.inputs.get("qrels") != first.inputs.get("qrels"):
            both = f"{each.name} and {first.name} were scored with different"
            if alike:
                raise DataError(f"{both} judgments: record them separately.")
            raise DataError(f"{both} measures or under different policies. Record them separately.")


def inputs_of(scores: Sequence[Scores]) -> list[dict[str, Any]]:
    """Returns each input's role, name, path, size and hash. The qrels are listed only once for all runs.

    Raises:
        DataError: as in ``record``.
    """
    if any(not each.inputs for each in scores):
        raise DataError(
            "Scores merged from parts, or read from a file, do not contain the names of their inputs: "
            "record what carob.evaluate returns, each part separately."
        )
    found: list[tuple[str, str | None, Provenance]] = []
    for each in scores:
        for role, origin in each.inputs.items():
            if role != "qrels" or not found:
                name = None if role == "qrels" else each.name
                found.append((role, name, origin))
                seen = dict(origin.columns).get("exclude")
                found += [] if seen is None or seen.path is None else [("exclude", name, seen)]
    for role, _, origin in found:
        if origin.kind not in HELD:
            raise DataError(
                f"The {role} came from {origin.kind}, which cannot be read again: save it to a file, score the "
                "file, and record the scores."
            )
        if origin.path is not None:
            refuse_changed(origin)
    hashes = digests([path for _, _, origin in found for path in origin.files])
    return [described(role, name, origin, hashes) for role, name, origin in found]


def laid_out(value: Any, indent: str = "") -> str:
    """Returns JSON with each innermost list or object on one line, so that each query has its own line."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if not any(isinstance(each, (dict, list)) for each in inner):
        return json_text(value, None) + ("" if indent else "\n")
    deeper = indent + "  "
    if isinstance(value, dict):
        lines = [f"{deeper}{json_text(key, None)}: {laid_out(each, deeper)}" for key, each in value.items()]
    else:
        lines = [deeper + laid_out(each, deeper) for each in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}\n" + ",\n".join(lines) + f"\n{indent}{closing}" + ("" if indent else "\n")


def refuse_changed(origin: Provenance) -> None:
    """Refuses an input file that has changed since it was scored.

    Raises:
        DataError: the file was deleted or modified.
    """
    for part in origin.parts:
        refuse_changed(part)
    if origin.parts:
        return
    path = origin.path or ""
    with sentences(path):
        os.stat(path)
    if not unchanged(origin):
        raise DataError(
            f"{path} has changed since it was scored: score it again, and then record the scores."
        )
