"""The judging task: the pairs of queries and documents, how judges divide them, and in which order they are shown."""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, NamedTuple

from carob._cached import cached_property
from carob._dataclasses import dataclass
from carob.inputs.errors import refused
from carob.inputs.files.small_tables import SmallTable
from carob.inputs.judgment_tables import rows_of_judgments
from carob.inputs.samples import size_of
from carob.output.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence


class QueryDocument(NamedTuple):
    """A query and a document.

    Args:
        query: the query.
        document: the document.
        grade: the grade of a pair that is already judged, which is kept; None if the pair is still to be judged.
        probability: the probability with which the pair was drawn; None if it was not drawn at random.
    """

    query: str
    document: str
    grade: float | None = None
    probability: float | None = None


@dataclass(frozen=True, eq=False)
class Task:
    """The pairs to judge, and the pairs that are already judged.

    Args:
        name: the name of the file, for messages.
        pairs: all pairs, in the order of the file.
    """

    name: str
    pairs: tuple[QueryDocument, ...]

    @cached_property
    def places(self) -> dict[tuple[str, str], int]:
        """The place of each query and document among the pairs."""
        return {(each.query, each.document): place for place, each in enumerate(self.pairs)}

    @property
    def sampled(self) -> bool:
        """Whether the pairs were drawn with known probabilities."""
        return self.pairs[0].probability is not None

    @cached_property
    def open(self) -> list[int]:
        """The places of the pairs without a grade."""
        return [place for place, each in enumerate(self.pairs) if each.grade is None]

    @property
    def digest(self) -> str:
        """A hash of the pairs to judge, independent of their order. Saved judgments use it to identify the task."""
        keys = sorted([self.pairs[place].query, self.pairs[place].document] for place in self.open)
        return hashlib.sha256(json.dumps(keys).encode()).hexdigest()


def read_task(path: str) -> Task:
    """Reads the pairs to judge from a table in a file, such as the one that ``carob next`` writes.

    The table must have columns for the query and the document. A pair with an empty or missing grade is to be judged. A
    column of probabilities is kept for the estimates.

    Raises:
        DataError: a column is missing, a pair occurs twice, an id cannot be stored in a table, the sample is
            incomplete, or there is nothing to judge.
    """
    table = SmallTable.at(path)
    pairs: dict[tuple[str, str], QueryDocument] = {}
    stated: list[float | None] = []
    for place, row in rows_of_judgments(table, ("query", "document")):
        query, document, grade, probability, size = row
        for each in (query, document):
            if not each or len(each.splitlines()) > 1 or re.search("[\x00\ud800-\udfff]", each):
                raise DataError(
                    f"{each!r} is not a valid id, because it is empty, contains a line break, or contains a character "
                    "that cannot be stored. Use an id on a single line for each query and document.",
                    **place,
                )
        if probability is not None and not 0 < probability <= 1:
            raise DataError(f"the probability {probability:g} is not greater than 0 and at most 1.", **place)
        if (query, document) in pairs:
            raise DataError(
                f"query '{query}' and document '{document}' are listed twice. List each pair only once.",
                **place,
            )
        pairs[query, document] = QueryDocument(query, document, grade, probability)
        stated.append(size)
    if not pairs:
        raise DataError(
            "the table is empty: there are no pairs of queries and documents. Pass the table that carob "
            "next writes, or another one.",
            file=table.name,
        )
    whole = size_of(stated, table.name)
    if whole not in (None, len(pairs)):
        raise refused(
            "the sample has {size:document}, but the table has {count}. Pass the complete table as it was drawn, "
            "since an incomplete sample gives biased estimates.",
            size=whole,
            count=len(pairs),
            file=table.name,
        )
    task = Task(table.name, tuple(pairs.values()))
    if not task.open:
        raise DataError(
            "there is nothing to judge, because every document has a grade. Leave the grade empty for each "
            "document to judge.",
            file=table.name,
        )
    return task


# ---------------------------------------------------------------- who judges what, and in which order


def assigned(task: Task, judge: str = "", judges: Sequence[str] = (), overlap: float = 0.0) -> list[int]:
    """Returns the places of the pairs assigned to a judge, in the order in which they are shown.

    The queries keep the order of the file. The order of a query's documents depends only on the ids and the name of the
    judge, so it reveals neither ranks nor runs. The assignment of pairs to judges depends only on the ids and the
    names, so every machine divides the work in the same way.

    Args:
        task: the pairs.
        judge: the name of the judge.
        judges: the names of all judges who share the work; if empty, the judge is assigned all pairs.
        overlap: the proportion of pairs that every judge judges.

    Raises:
        DataError: the judge is not in ``judges``, or a name occurs twice.

    Example:
        >>> task = Task("pairs.csv", tuple(QueryDocument("q", f"d{number}") for number in range(4)))
        >>> [sorted(assigned(task, name, ["anna", "ben"], 0.5)) for name in ("anna", "ben")]
        [[0, 2, 3], [1, 2, 3]]
    """
    own = list(task.open)
    if judges:
        if judge not in judges or len(set(judges)) < len(judges):
            raise DataError(
                f"'{judge}' is not one of the judges {', '.join(judges)}, or a name occurs twice. Set "
                "--judge to one of the names in --judges."
            )
        shuffled = sorted(own, key=lambda place: key_of(task.pairs[place], "work"))
        shared = round(overlap * len(own))
        dealt = [
            place for turn, place in enumerate(shuffled[shared:]) if turn % len(judges) == judges.index(judge)
        ]
        own = shuffled[:shared] + dealt
    queries = {each.query: number for number, each in reversed(list(enumerate(task.pairs)))}
    return sorted(
        own, key=lambda place: (queries[task.pairs[place].query], key_of(task.pairs[place], f"judge {judge}"))
    )


def key_of(pair: QueryDocument, purpose: str) -> str:
    """Returns a hash of a pair, for an order that reveals nothing about the pair."""
    text = f"{purpose}\0{pair.query}\0{pair.document}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def id_of(pair: QueryDocument) -> str:
    """Returns a short id for a pair, for use in prompts.

    Example:
        >>> id_of(QueryDocument("q1", "d1"))
        'dbd50a4bd9a00023'
    """
    return key_of(pair, "id")[:16]


# ---------------------------------------------------------------- grades

NO_GRADES = "'{text}' is not a list of grades. Write two or more from 0 to 9, as 0-3 or as '0=not relevant,1=relevant'."
USUAL = {
    1: ("not relevant", "relevant"),
    2: ("not relevant", "partly relevant", "relevant"),
    3: ("not relevant", "related", "highly relevant", "perfectly relevant"),
}
"""The default labels of the grades, from 0 to the highest grade."""


def labels_of_grades(text: str) -> dict[int, str]:
    """Parses ``0-3`` or ``0=not relevant,1=relevant`` to the label of each grade. A label may be empty.

    Raises:
        DataError: the text is malformed, or a grade is not a single digit, which judges can type with one key.

    Example:
        >>> labels_of_grades("0-1"), labels_of_grades("0=no,2=yes")
        ({0: 'not relevant', 1: 'relevant'}, {0: 'no', 2: 'yes'})
    """
    span = re.fullmatch(r"\s*([0-9])\s*-\s*([0-9])\s*", text, re.ASCII)
    if span:
        first, last = int(span[1]), int(span[2])
        labels = USUAL.get(last, ()) if first == 0 else ()
        found = {grade: labels[grade] if labels else "" for grade in range(first, last + 1)}
    else:
        parts = [
            re.fullmatch(r"\s*([0-9])\s*(?:=(.*))?", each, re.ASCII | re.DOTALL) for each in text.split(",")
        ]
        found = {int(each[1]): (each[2] or "").strip() for each in parts if each}
        if len(found) < len(parts):
            raise refused(NO_GRADES, text=text)
    if len(found) < 2:
        raise refused(NO_GRADES, text=text)
    return dict(sorted(found.items()))
