"""Reads judgments of a sample, that is, of documents that were drawn with known probabilities.

``carob next`` and ``carob judge`` write a table of such judgments, which every reader of judgments recognises by its
columns. In Python, a sample may also be ``{query: {document: (grade, probability)}}``, optionally with the size of the
sample as a third number.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from carob import _native
from carob._dataclasses import dataclass
from carob._numpy import np
from carob.inputs.columns import DRAW
from carob.inputs.dicts import MAPPING
from carob.inputs.errors import DRAWN_TWICE, SAMPLE_BY_SUBTOPIC, refused, sentences
from carob.inputs.ids import text_of
from carob.inputs.judgment_tables import COLUMNS, rows_of_judgments
from carob.output.errors import DataError, Worded, by_reading
from carob.output.escaping import shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from carob.inputs.frames import Columns
    from carob.inputs.sources import Provenance
    from carob.lists.rows import Floats

NO_PROBABILITY = (
    "the probability {value:g} is not above 0 and at most 1 (query '{query}', document '{document}').",
    "Write the probability with which the document was drawn. If the column means something else, use {complete}.",
)
SIZES_DIFFER = (
    "the rows contain different sample sizes ({sizes}).",
    "Pass the rows of one sample, each with the number of documents in the whole sample.",
)
NO_DRAWN_JUDGMENT = (
    "query '{query}': expected (grade, probability) for each document of a sample, found {found}."
)
UNJUDGED = (
    "the grade {grade} is not a number: document '{document}' of query '{query}' is not judged{others}.",
    "Fill in the grades of all documents of the sample, because a partly judged sample gives biased estimates.",
)

COMPLETE = by_reading("qrels", probability=1)
"""How to state that judgments are complete even though they have a column of probabilities."""


class SampledJudgment(NamedTuple):
    """A person's judgment of a document that was drawn with a known probability.

    Args:
        grade: the grade.
        probability: the probability with which the document was drawn, above 0 and at most 1.
        size: the number of documents in the whole sample; None if it is not stated.
    """

    grade: float
    probability: float
    size: float | None = None


@dataclass(frozen=True, eq=False)
class Sample:
    """How documents were drawn.

    Args:
        probability: the probability of each document, in the order of the judgments [judgments].
        size: the number of documents in the whole sample; None if it is not stated.
    """

    probability: Floats
    size: int | None = None

    @property
    def lacking(self) -> bool:
        """Whether the number of documents differs from the stated size of the sample."""
        return self.size is not None and self.size != len(self.probability)

    @property
    def everything(self) -> bool:
        """Whether every document was certain to be drawn and is present, so the judgments are complete."""
        return not self.lacking and bool((self.probability == 1).all())

    def refuse_part(self, name: str) -> None:
        """Refuses judgments that are not the whole sample.

        Raises:
            DataError: documents of the sample are missing, or there are too many documents.
        """
        if self.lacking:
            raise refused(
                "the sample has {size:document}, but {count} are judged.",
                "Judge the remaining documents, because a partly judged sample gives biased estimates.",
                file=name,
                size=self.size,
                count=len(self.probability),
            )


def sample_of(
    judgments: _native.Judgments,
    probability: Floats,
    stated: Iterable[float | None],
    origin: Provenance,
    name: str,
) -> Sample:
    """Returns how documents were drawn.

    Args:
        judgments: the judgments.
        probability: the probability with which each judged document was drawn.
        stated: the size of the sample as stated in each row.
        origin: the origin of the judgments.
        name: the name of the input in errors.

    Raises:
        DataError: a probability is not above 0 and at most 1, or the stated sizes differ.
    """
    for number in np.flatnonzero(~((probability > 0) & (probability <= 1)))[:1].tolist():
        query = int(np.searchsorted(judgments.offsets, number, "right")) - 1
        ids = {"query": text_of(judgments.queries[query]), "document": text_of(judgments.document(number))}
        place = {"file": name} | origin.place(int(judgments.lines[number]))
        raise refused(*NO_PROBABILITY, value=float(probability[number]), complete=COMPLETE, **ids, **place)
    return Sample(probability, size_of(stated, name))


def size_of(stated: Iterable[float | None], name: str) -> int | None:
    """Returns the size of a sample as stated in its rows, or None if no row states a size.

    Raises:
        DataError: the rows state several sizes, or a size that is not a whole number of at least 1.
    """
    sizes = list(dict.fromkeys(stated)) or [None]
    size = sizes[0]
    if len(sizes) > 1 or (size is not None and (size < 1 or size != math.floor(size))):
        said = " and ".join("none" if each is None else f"{each:g}" for each in sizes[:3])
        raise refused(*SIZES_DIFFER, file=name, sizes=said)
    return None if size is None else int(size)


def incomplete(name: str, count: int) -> DataError:
    """Returns the error for a sample that is passed to a function for complete judgments.

    Args:
        name: the name of the judgments.
        count: the number of judgments.
    """
    file = "PEOPLE" if name.startswith("<") else name
    estimate = Worded(
        "carob.compare(people, runs, judge=judge)", f"carob compare --people {file} --judge JUDGE.qrels RUN…"
    )
    return refused(
        "these judgments are a sample of {count:document}, drawn with known probabilities, and all other documents "
        "would count as not relevant.",
        "Estimate from it, together with a judge's grades of all documents: {estimate}. If its probabilities mean "
        "something else, use {complete}.",
        file=name,
        count=count,
        estimate=estimate,
        complete=COMPLETE,
    )


# ---------------------------------------------------------------- dictionaries and frames


def in_mapping(qrels: Mapping[Any, Any]) -> tuple[_native.Judgments, Sample]:
    """Reads ``{query: {document: (grade, probability)}}``, optionally with the sample's size as a third number.

    Raises:
        DataError: a judgment has no grade or no probability, or a probability or size is invalid.
    """
    found: dict[Any, dict[Any, SampledJudgment]] = {}
    for query, its in qrels.items():
        if not isinstance(its, Mapping):
            raise refused(NO_DRAWN_JUDGMENT, file="qrels", query=str(query), found=f"{its!r:.60}")
        found[query] = {document: judgment_in(query, document, each) for document, each in its.items()}
    grades = {query: {key: each.grade for key, each in its.items()} for query, its in found.items()}
    chances = {query: {key: each.probability for key, each in its.items()} for query, its in found.items()}
    with sentences("qrels", "qrels"):
        judgments, drawn = map(_native.judgments_from_mapping, (grades, chances))
    stated = (each.size for its in found.values() for each in its.values())
    return judgments, sample_of(judgments, drawn.grades, stated, MAPPING, "qrels")


def judgment_in(query: object, document: object, given: Any) -> SampledJudgment:
    """Converts ``(grade, probability)``, optionally with the sample's size as a third number, to a judgment.

    Raises:
        DataError: the value does not have this form.
    """
    ids = {"file": "qrels", "query": str(query), "document": str(document)}
    if not isinstance(given, (tuple, list)) or len(given) not in (2, 3) or not all(map(is_real, given[1:2])):
        raise refused(NO_DRAWN_JUDGMENT, found=f"{given!r:.60}", file="qrels", query=str(query))
    grade, probability, *size = given
    if not is_real(grade):
        raise refused(*UNJUDGED, grade=shown(grade), others="", **ids)
    if any(each is not None and not is_real(each) for each in size):
        raise refused(*SIZES_DIFFER, sizes=shown(size[0]), **ids)
    return SampledJudgment(float(grade), float(probability), *size)


def is_real(value: Any) -> bool:
    """Returns whether a value is a finite number, including NumPy numbers."""
    return hasattr(value, "__float__") and type(value) is not bool and math.isfinite(float(value))


def in_frame(columns: Columns) -> tuple[_native.Judgments, Sample]:
    """Reads judgments, and how the documents were drawn, from the columns of a frame.

    Raises:
        DataError: a document has no grade, has no probability or occurs twice, or there are subtopics.
    """
    name = "qrels frame"
    if "subtopic" in columns.places:
        raise refused(*SAMPLE_BY_SUBTOPIC, file=name)
    judgments = numbers_in(columns, "grade")
    for query, document, _, line in judgments.duplicates:
        ids = {"query": text_of(judgments.queries[query]), "document": text_of(document)}
        raise refused(*DRAWN_TWICE, **ids, **{"file": name} | columns.origin.place(line))
    chances = numbers_in(columns, "probability").grades
    stated = numbers_in(columns, "sample_size").grades.tolist() if "sample_size" in columns.places else ()
    return judgments, sample_of(judgments, chances, stated, columns.origin, name)


def numbers_in(columns: Columns, role: str) -> _native.Judgments:
    """Returns judgments with the numbers in the column of a role instead of grades, in the same order as the judgments.

    Raises:
        DataError: a document has no number in the column.
    """
    try:
        return columns.judgments("keep", role)
    except _native.RowError as error:
        if (
            error.kind not in ("null", "nan")
            or role not in columns.places
            or error.column != columns.name_of(role)
        ):
            raise
        ids = {"query": text_of(error.query), "document": text_of(error.document)}
        place: dict[str, Any] = {"file": "qrels frame", "row": error.row, **ids}
        if role == "grade":
            raise refused(*UNJUDGED, grade=error.kind, others="", **place) from None
        raise refused(
            "document '{document}' of query '{query}' has the value {empty} in column '{column}' instead of a number.",
            "Copy the value from the table of the sample.",
            column=error.column,
            empty=error.kind,
            **place,
        ) from None


# ---------------------------------------------------------------- tables in files


def read_sample(*paths: str, roles: Mapping[str, str] | None = None) -> dict[str, dict[str, SampledJudgment]]:
    """Reads judgments of sampled documents from one or more files in CSV, TSV, JSON lines, Parquet or Arrow format.

    Args:
        paths: the files.
        roles: the column of each role; None looks for usual names.

    Raises:
        DataError: a column is missing, a grade or a probability is invalid, or a document occurs twice or is not
            judged.
    """
    from carob.inputs.files.small_tables import SmallTable

    found: dict[str, dict[str, SampledJudgment]] = {}
    unjudged: list[dict[str, Any]] = []
    for path in paths:
        for place, row in rows_of_judgments(SmallTable.at(path), (*COLUMNS, DRAW[0]), roles):
            place |= {"query": row.query, "document": row.document}
            its = found.setdefault(row.query, {})
            if row.document in its:
                raise refused(*DRAWN_TWICE, **place)
            probability = row.probability or 0.0
            if row.grade is None:
                unjudged.append(place)
            elif not 0 < probability <= 1:
                raise refused(*NO_PROBABILITY, value=probability, complete=COMPLETE, **place)
            its[row.document] = SampledJudgment(row.grade or 0.0, probability, row.size)
    if unjudged:
        more = len(unjudged) - 1
        others = f" ({more:,} more of the sample are not judged either)" if more else ""
        raise refused(*UNJUDGED, grade="''", others=others, **unjudged[0])
    if not found:
        raise DataError("there are no judgments.", file=paths[0])
    return found
