"""Differences between a record and the same evaluation made again: trees of numbers in, sentences out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Change", "changed_scores", "changed_trees"]


@dataclass(frozen=True)
class Change:
    """A difference from the record.

    Args:
        kind: ``input``, ``policy``, ``measure``, ``queries``, ``counts``, ``values``, ``means``, ``ties``, ``errors``,
            ``weights`` or ``comparison``.
        what: which input, axis, measure or run.
        sentence: what differs, and by how much.
        numbers: the same for a program: by query ``[recorded, now]``, or the new size and hash.
    """

    kind: str
    what: str
    sentence: str
    numbers: dict[str, Any] = field(default_factory=dict)


def changed_scores(old: dict[str, Any], new: dict[str, Any], tolerance: float) -> tuple[list[Change], float]:
    """Changes of policy, measures and every run, and the largest difference of a value.

    Args:
        old: the recorded document.
        new: the same of the scores made again, its runs in the same order.
        tolerance: by how much a value may differ.
    """
    findings = [
        Change(kind, key, f"{key} was {then}, is {now}")
        for kind, part in (("policy", "policy"), ("measure", "measures"))
        for key, then, now in changed_entries(old[part], new[part])
    ]
    largest = 0.0
    for then, now in zip(old["runs"], new["runs"], strict=True):
        own, distance = changed_run(then, now, tolerance)
        findings += own
        largest = max(largest, distance)
    return findings, largest


def changed_entries(old: dict[str, Any], new: dict[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """The keys whose values differ."""
    for key in [*old, *(key for key in new if key not in old)]:
        then, now = old.get(key, "absent"), new.get(key, "absent")
        if then != now:
            yield key, then, now


def changed_run(old: dict[str, Any], new: dict[str, Any], tolerance: float) -> tuple[list[Change], float]:
    """Changes of one run, and the largest difference of a value."""
    name, findings = old["name"], []
    before, after = old["queries"], new["queries"]
    gone, come = (
        [each for each in before if each not in after],
        [each for each in after if each not in before],
    )
    for queries, words in ((gone, "no longer there"), (come, "not in the record")):
        if queries:
            findings.append(
                Change("queries", name, f"{name}: {listed(queries)} {words}", {"queries": queries})
            )
    for key, then, now in changed_entries(old["counts"], new["counts"]):
        findings.append(Change("counts", name, f"{name}: {key} was {short(then)}, is {short(now)}"))
    largest = 0.0
    for label in old["means"]:
        shared = [query for query in before if query in after and label in after[query]]
        pairs = {query: (before[query][label], after[query][label]) for query in shared}
        largest = max([largest, *(distance(*pair) for pair in pairs.values())])
        moved = {query: pair for query, pair in pairs.items() if distance(*pair) > tolerance}
        means = (old["means"][label], new["means"].get(label))
        if moved:
            findings.append(
                Change("values", label, moved_sentence(name, label, moved, len(pairs), means), dict(moved))
            )
        elif distance(*means) > tolerance:
            findings.append(
                Change("means", label, f"{name}, {label}: the mean was {means[0]}, is {means[1]}")
            )
    return [*findings, *changed_beside(old, new, tolerance)], largest


def changed_beside(old: dict[str, Any], new: dict[str, Any], tolerance: float) -> list[Change]:
    """Changes of bounds of ties, standard errors and weights of queries."""
    words = {"ties": "bounds of ties", "errors": "standard errors", "weights": "weights"}
    findings: list[Change] = []
    for key, word in words.items():
        for each in changed_trees(old.get(key, {}), new.get(key, {}), tolerance):
            sentence = f"{old['name']}, {word}, {each.sentence}"
            findings.append(Change(key, each.what, sentence))
    return findings


def moved_sentence(
    name: str,
    label: str,
    moved: dict[str, tuple[Any, Any]],
    count: int,
    means: tuple[Any, Any],
) -> str:
    """How many queries moved, the one that moved most, and the mean."""
    worst = max(moved, key=lambda query: distance(*moved[query]))
    then, now = moved[worst]
    return (
        f"{name}, {label}: {len(moved)} of {count} queries, most '{worst}' ({rounded(then)}, now "
        f"{rounded(now)}); mean {rounded(means[0])}, now {rounded(means[1])}"
    )


def changed_trees(old: Any, new: Any, tolerance: float, path: str = "") -> list[Change]:
    """Where two nested tables of numbers differ."""
    if isinstance(old, dict) and isinstance(new, dict):
        keys = [*old, *(key for key in new if key not in old)]
        parts = [(old.get(key), new.get(key), f"{path}, {key}" if path else key) for key in keys]
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        parts = [(then, now, f"{path} {place}") for place, (then, now) in enumerate(zip(old, new), 1)]
    elif same(old, new, tolerance):
        return []
    else:
        return [Change("comparison", path, f"{path}: was {short(old)}, is {short(new)}")]
    return [each for then, now, where in parts for each in changed_trees(then, now, tolerance, where)]


def same(old: Any, new: Any, tolerance: float) -> bool:
    """Whether two leaves are equal, numbers up to a tolerance."""
    numbers = isinstance(old, float) and isinstance(new, (int, float))
    return distance(old, new) <= tolerance if numbers else bool(old == new)


def distance(old: float | None, new: float | None) -> float:
    """How far two values are apart; a defined and an undefined one are as far as can be."""
    if old is None or new is None:
        return 0.0 if old is new else float("inf")
    apart = abs(new - old)
    # NaN is less than any tolerance and more than any: it equals NaN alone, as null does null.
    return apart if apart == apart else 0.0 if old != old and new != new else float("inf")


def rounded(value: float | None) -> str:
    """A value as a sentence shows it: enough digits that a difference can be seen."""
    return "undefined" if value is None else f"{value:.6g}"


def listed(queries: list[str]) -> str:
    """How many queries, and the first of them."""
    first = ", ".join(f"'{each}'" for each in queries[:3])
    more = f" and {len(queries) - 3} more" if len(queries) > 3 else ""
    return f"{'query' if len(queries) == 1 else 'queries'} {first}{more}"


def short(value: Any) -> str:
    """A value on one line."""
    text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
