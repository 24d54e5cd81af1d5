"""``carob.evaluate_ids``: compares lists of retrieved ids with lists of relevant ids, as stored by RAG systems."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

from carob._dataclasses import replace
from carob.conventions.request import conventions
from carob.evaluation.evaluate import evaluate, evaluate_grades
from carob.inputs.ids import is_padding
from carob.inputs.run import Run
from carob.inputs.spellings import how_written, pairs_by_words, same_affix, why_apart, written_otherwise
from carob.output.errors import DataError, PolicyError, warn
from carob.output.language import filled, plural

if TYPE_CHECKING:
    from collections.abc import Callable

    from carob.conventions.policy import Policy
    from carob.conventions.profiles import ProfileLike
    from carob.conventions.request import MeasuresLike
    from carob.evaluation.scores import Scores

Grade: TypeAlias = "float | None"
Listed: TypeAlias = "list[tuple[Any, Grade]]"
"""The documents of one question in rank order, each with its grade, or None if it is unjudged."""

SOME = 1000
"""The maximum number of ids to compare in order to explain why no ids match."""
PADDING = (
    "The {what} of question {number} has the id -1 before other ids. In faiss, -1 only pads the end of a short list, "
    "so it is not an id here: leave it out (ids[ids >= 0])."
)
JOINED = r"\s*[,;|\t\n]\s*"
"""The separators between ids that were joined into one text."""
MOST_APART, FEW = 0.75, 3
"""The minimum share and the minimum number of questions without a relevant retrieved id that are reported if no reason
is found."""
COLLAPSE = ("first", "best", "last")


def evaluate_ids(
    retrieved: Iterable[Iterable[Any]] | Mapping[Any, Iterable[Any]],
    reference: Iterable[Iterable[Any] | Mapping[Any, float]]
    | Mapping[Any, Iterable[Any] | Mapping[Any, float]]
    | None = None,
    measures: MeasuresLike = None,
    *,
    verdicts: Iterable[Iterable[Grade]] | Mapping[Any, Iterable[Grade]] | None = None,
    document_of: Callable[[Any], Any] | Mapping[Any, Any] | None = None,
    collapse: str = "first",
    policy: Policy | None = None,
    profile: ProfileLike = None,
    weights: Sequence[float] | Mapping[Any, float] | None = None,
    exclude: Iterable[Iterable[Any]] | Mapping[Any, Iterable[Any]] | None = None,
    name: str = "grades",
) -> Scores:
    """Evaluate lists of retrieved ids against relevant ids, with one list for each question.

    A question for which nothing was retrieved scores 0. A retrieved id that is not in the reference is unjudged. Only
    for measures such as Bpref does this differ from grade 0.

    Args:
        retrieved: for each question, the ids in rank order, best first: lists, a list column of a data frame, or
            ``{question: ids}``. In the last case, all other per-question arguments must also be dictionaries, and the
            scores use the questions' names. The whole number -1 at the end of a list is padding.
        reference: for each question, the relevant ids, or ``{id: grade}``.
        measures: as in ``evaluate``; Ragas' ``context_precision`` is ``AP(over=retrieved)``.
        verdicts: the grades of each question's retrieved ids, in the same order, instead of ``reference``. True and
            False count as 1 and 0, and None means unjudged. The grades of documents that were not retrieved are then
            unknown.
        document_of: a function or a mapping from a chunk's id to its document's id, to evaluate documents if chunks
            were retrieved. It also applies to the reference.
        collapse: which chunk of a document counts. ``first`` and ``last`` use the rank and the verdict of the
            document's first or last chunk. ``best`` uses the rank of its first chunk and the best verdict of all its
            chunks.
        policy: as in ``evaluate``. The setting ``duplicates`` applies to ids that are retrieved twice.
        profile: as in ``evaluate``.
        weights: the weight of each question in the means; equal weights if None.
        exclude: for each question, the ids to remove from the retrieved ids, such as items that a user has seen.
        name: the name of the lists in tables.

    Returns:
        The scores. Questions without names are numbered 1, 2, 3 ….

    Raises:
        DataError: the numbers of lists on both sides differ, or only one side is a dictionary; an id is retrieved twice
            and the policy forbids it; or a verdict is not a number.
        MeasureError: a measure does not exist.

    Example:
        >>> import carob
        >>> scores = carob.evaluate_ids([["a", "b", "c"], []], [["b", "d"], ["e"]], ["RR", "R@3"])
        >>> scores.by_query("RR"), scores.by_query("R@3")
        ({'1': 0.5, '2': 0.0}, {'1': 0.5, '2': 0.0})
        >>> scores = carob.evaluate_ids([["a", "b"]], verdicts=[[False, True]], measures="AP(over=retrieved)")
        >>> scores.means()
        {'AP(over=retrieved)': 0.5}
        >>> carob.evaluate_ids({"q": ["a", "b"]}, {"q": ["b"], "p": ["c"]}, "RR").by_query("RR")
        {'p': 0.0, 'q': 0.5}
    """
    if collapse not in COLLAPSE:
        raise PolicyError(f"collapse is {', '.join(COLLAPSE[:-1])} or {COLLAPSE[-1]}, not {collapse!r}.")
    if (reference is None) == (verdicts is None):
        raise DataError(
            "Pass either reference= (the relevant ids) or verdicts= (a grade for each retrieved id)."
        )
    _, decided = conventions(profile, policy)
    given = {
        "retrieved": retrieved,
        "reference": reference,
        "verdicts": verdicts,
        "exclude": exclude,
        "weights": weights,
    }
    by_question = by_name(given)
    if by_question is not None:
        retrieved, reference, verdicts, exclude, weights = by_question.values.values()  # type: ignore[assignment]
    named = naming(document_of)
    lists = [
        once(each, decided.duplicates, number)
        for number, each in enumerate(ids_and_verdicts(retrieved, verdicts), 1)
    ]
    if exclude is not None:
        lists = without(lists, exclude)
    if named is not None:
        lists = [collapsed([(named(each), grade) for each, grade in one], collapse) for one in lists]
    wanted = [] if reference is None else lists_of_questions(reference, "reference")
    known = [grades_of(each, named, number) for number, each in enumerate(wanted, 1)]
    if reference is not None:
        refuse_unequal(lists, known, "references")
        lists = [[(each, its.get(each)) for each, _ in one] for one, its in zip(lists, known, strict=True)]
    grades = [[grade for _, grade in one] for one in lists]
    pools = None if reference is None else [list(its.values()) for its in known]
    how: dict[str, Any] = {"policy": policy, "profile": profile, "name": name}
    if by_question is None:
        scores = evaluate_grades(grades, measures, pools, weights=cast("Any", weights), **how)
    else:
        its_weights = None if weights is None else dict(zip(by_question.questions, weights, strict=True))
        scores = of_questions(by_question, grades, pools, measures, weights=its_weights, **how)
    return scores if reference is None else doubted(scores, lists, known, decided.overlap)


class Named(NamedTuple):
    """The questions of dictionaries, and the values of each argument in the order of the questions.

    Args:
        questions: the names of the questions.
        answered: the questions that have an entry among the retrieved ids.
        values: each per-question argument as a list, or None if it was not given.
    """

    questions: list[Any]
    answered: set[Any]
    values: dict[str, list[Any] | None]


def by_name(given: Mapping[str, Any]) -> Named | None:
    """Converts arguments that are dictionaries by question to lists. Returns None if no argument is a dictionary.

    A question that is missing from a dictionary gets the weight 1 or, for other arguments, an empty list.

    Args:
        given: the arguments; ``reference`` or, without it, ``verdicts`` determines the questions.

    Raises:
        DataError: one argument is a dictionary and another is a list, or a question has no reference.
    """
    known = next((what for what, its in given.items() if isinstance(its, Mapping)), None)
    if known is None:
        return None
    odd = next((what for what, its in given.items() if not (its is None or isinstance(its, Mapping))), None)
    if odd is not None:
        raise DataError(
            f"{known} is a dictionary by question, but {odd} is a {type(given[odd]).__name__}. Pass both as "
            "dictionaries, or both as lists with one list for each question."
        )
    judged = "verdicts" if given["reference"] is None else "reference"
    questions = list(given[judged])
    extra = next((each for each in given["retrieved"] if each not in given[judged]), None)
    if extra is not None:
        raise DataError(
            f"Question {extra!r} is in retrieved, but not in {judged}. Leave the question out, or use the same "
            "name in both."
        )
    values = {
        what: None if its is None else [its.get(each, 1.0 if what == "weights" else ()) for each in questions]
        for what, its in given.items()
    }
    return Named(questions, set(given["retrieved"]), values)


def of_questions(
    named: Named,
    grades: list[list[Grade]],
    pools: list[list[float]] | None,
    measures: MeasuresLike,
    **how: Any,
) -> Scores:
    """Evaluates the grades of questions that have names.

    Args:
        named: the questions.
        grades: for each question, the grades of its retrieved ids in rank order.
        pools: the grades of all judged ids of each question, or None if only the grades of retrieved ids are known.
        measures: as in ``evaluate``.
        how: further arguments of ``evaluate``.
    """
    qrels: dict[Any, dict[str, float]] = {}
    for place, question in enumerate(named.questions):
        its = {str(rank): grade for rank, grade in enumerate(grades[place]) if grade is not None}
        others = [] if pools is None else list(pools[place])
        for grade in its.values():
            if pools is not None:
                others.remove(grade)
        qrels[question] = {**its, **{f"not retrieved {number}": each for number, each in enumerate(others)}}
    run = {
        question: {str(rank): -float(rank) for rank in range(len(one))}
        for question, one in zip(named.questions, grades, strict=True)
        if question in named.answered
    }
    return evaluate(qrels, Run.of(run, how.pop("name")), measures, **how)


def without(lists: list[Listed], exclude: Iterable[Iterable[Any]]) -> list[Listed]:
    """Returns the lists of retrieved ids without the excluded ids.

    Raises:
        DataError: the number of lists of excluded ids is not the number of questions.
    """
    seen = [set(row) for row in lists_of_questions(exclude, "list of excluded ids")]
    refuse_unequal(lists, seen, "excluded ones")
    return [[pair for pair in one if pair[0] not in its] for one, its in zip(lists, seen, strict=True)]


def doubted(scores: Scores, lists: list[Listed], wanted: list[dict[Any, float]], overlap: str) -> Scores:
    """Returns the scores, and warns with possible reasons if some or all lists contain no relevant id.

    Raises:
        DataError: no list contains a relevant id, and the policy forbids that.
    """
    met = bool(scores.counts.found)
    doubt = partly_unmet(lists, wanted) if met else unmet(lists, wanted)
    if not met and overlap == "document":
        raise DataError(f"{doubt}. The policy does not allow this (overlap=document).")
    if doubt is None or overlap == "none" or not any(wanted):
        return scores
    warn(f"{doubt}.")
    return replace(scores, warnings=(f"{doubt}.",))


def unmet(lists: list[Listed], wanted: list[dict[Any, float]]) -> str:
    """Returns a sentence, without its full stop, that says why none of the lists contains a relevant id."""
    its, mine = ([each for one in side for each in one] for side in ([dict(one) for one in lists], wanted))
    kinds = [" or ".join(sorted({type(each).__name__ for each in side})) for side in (its, mine)]
    if not its or not mine:
        return "No question has a reference" if its else "Nothing was retrieved for any question"
    said = "No retrieved id is in the reference of its question"
    if kinds[0] != kinds[1]:
        return (
            f"{said}: retrieved ids have the type {kinds[0]}, and reference ids have the type {kinds[1]}. Use one "
            "type for both"
        )
    glued = joined_ids(lists, wanted)
    if glued is not None:
        return glued
    some = [[str(each).encode("utf-8", "surrogateescape") for each in side[:SOME]] for side in (mine, its)]
    found = why_apart(some[0], some[1], "document")
    if found is None:
        return (
            f"{said}: ids such as {its[0]!r} were retrieved, but the references have ids such as {mine[0]!r}"
        )
    return f"{said}: '{found.ranked}' was retrieved, but '{found.judged}' was wanted; {found.why}"


def partly_unmet(lists: list[Listed], wanted: list[dict[Any, float]]) -> str | None:
    """Returns a sentence about lists without a relevant id if they seem to contain one in another spelling, or None.

    If no other spelling is found but many questions have no relevant id, the sentence states no reason.
    """
    asked = [place for place, one in enumerate(lists) if one and wanted[place]]
    apart = [place for place in asked if all(grade is None for _, grade in lists[place])]
    if not apart:
        return None
    glued = joined_ids(lists, wanted)
    if glued is not None:
        return glued
    said = f"In {len(apart):,} of {len(asked):,} questions, no retrieved id is in the reference"
    pairs: list[tuple[str, str]] = []
    for place in apart[:SOME]:
        its, mine = [each for each, _ in lists[place]], list(wanted[place])
        texts = {str(each): each for each in mine}
        same = next((each for each in its if str(each) in texts), None)
        if same is not None:
            kinds = [type(each).__name__ for each in (same, texts[str(same)])]
            return (
                f"{said}, such as question {place + 1}: {same!r} was retrieved, which has the type {kinds[0]}, but "
                f"{texts[str(same)]!r} was wanted, which has the type {kinds[1]}. Use one type for both"
            )
        found = written_otherwise(list(texts), list(map(str, its)))
        if found is not None:
            return (
                f"{said}, such as question {place + 1}: '{found.ranked}' was retrieved, but '{found.judged}' was "
                f"wanted; {found.why}"
            )
        pairs += pairs_by_words(list(texts), list(map(str, its)))
    usual = [str(each) for one in wanted[:SOME] for each in one]
    places = same_affix(pairs, usual) if pairs else []
    if places:
        judged, ranked = pairs[places[0]]
        return f"{said}: '{ranked}' was retrieved, but '{judged}' was wanted; {how_written(judged, ranked)}"
    if len(apart) < max(FEW, MOST_APART * len(asked)):
        return None
    its, mine = lists[apart[0]][0][0], next(iter(wanted[apart[0]]))
    return (
        f"{said}, such as question {apart[0] + 1}: {its!r} was retrieved, but {mine!r} was wanted. Check that both "
        "use the same ids"
    )


def joined_ids(lists: list[Listed], wanted: list[dict[Any, float]]) -> str | None:
    """Returns a sentence about ids such as ``a,b`` whose parts are ids of the other side, or None."""
    found: list[str] = []
    for number, (one, reference) in enumerate(zip(lists, wanted, strict=True), 1):
        its = {each for each, _ in one}
        for side, other, what, where in (
            (its, reference.keys(), "retrieved list", "reference"),
            (reference.keys(), its, "reference", "retrieved list"),
        ):
            for each in side:
                parts = re.split(JOINED, each) if isinstance(each, str) else []
                if len(parts) > 1 and each not in other and other >= set(parts):
                    said = (
                        f"The {what} of question {number} contains the id {each!r}, whose parts are ids in the "
                        f"{where}"
                    )
                    if len(side) == 1:
                        return f"{said}. Split it"
                    found.append(said)
    if len(found) < 2:
        return None
    others = plural(len(found) - 1, "other id has", "other ids have")
    return f"{found[0]}, and {others} the same problem. Split them"


# ---------------------------------------------------------------- what is given


def lists_of_questions(lists: Any, what: str) -> list[Any]:
    """Returns one list for each question. A column of a data frame is also accepted.

    Raises:
        DataError: the value has the wrong form, such as one flat list of ids.
    """
    column = lists.to_pylist() if hasattr(lists, "to_pylist") else lists
    rows = list(column.to_list() if hasattr(column, "to_list") else column)
    for number, row in enumerate(rows, 1):
        if row is None or isinstance(row, (str, bytes)) or not isinstance(row, Iterable):
            raise DataError(
                f"The {what} of question {number} is {row!r}, not a list. Pass one list for each question, and an "
                "empty list if there are no ids."
            )
    return rows


def ids_and_verdicts(retrieved: Any, verdicts: Any) -> list[Listed]:
    """Returns each question's ids, with verdicts if verdicts were given.

    Raises:
        DataError: a value is not an id, or the numbers of lists differ.
    """
    rows = lists_of_questions(retrieved, "retrieved list")
    for number, row in enumerate(rows, 1):
        if isinstance(row, (Mapping, AbstractSet)):
            raise DataError(
                f"The retrieved list of question {number} is a {type(row).__name__}, which is not ordered by rank: "
                "pass a list, best first. If retrieved and reference were swapped, note that the order is "
                "evaluate_ids(retrieved, reference)."
            )
    ids = [unpadded(row) for row in rows]
    for number, row in enumerate(ids, 1):
        for each in row:
            if not is_id(each):
                raise DataError(
                    f"The retrieved list of question {number} has {each!r}, which is not an id. Leave it out."
                )
            if is_padding(each):
                raise DataError(filled(PADDING, what="retrieved list", number=number))
    if verdicts is None:
        return [[(each, None) for each in row] for row in ids]
    grades = [list(row) for row in lists_of_questions(verdicts, "list of verdicts")]
    refuse_unequal(ids, grades, "verdicts")
    for number, (row, its) in enumerate(zip(ids, grades, strict=True), 1):
        if len(its) == len(list(rows[number - 1])):
            del its[len(row) :]  # drop the verdicts of padding
        if len(row) != len(its):
            raise DataError(f"Question {number} has {len(row)} retrieved ids but {len(its)} verdicts.")
    return [list(zip(row, its, strict=True)) for row, its in zip(ids, grades, strict=True)]


def unpadded(row: Iterable[Any]) -> list[Any]:
    """Returns ids without the whole numbers -1 at their end, with which faiss pads a list of fewer documents."""
    found = list(row)
    while found and is_padding(found[-1]):
        found.pop()
    return found


def refuse_unequal(retrieved: list[Any], others: list[Any], what: str) -> None:
    """Refuses an argument with more or fewer lists than there are lists of retrieved ids.

    Raises:
        DataError: the number of lists of ``what`` differs from the number of lists of retrieved ids.
    """
    if len(retrieved) != len(others):
        raise DataError(
            f"There are {len(retrieved)} lists of retrieved ids but {len(others)} of {what}. Pass one of "
            "each for every question."
        )


def naming(document_of: Any) -> Callable[[Any], Any] | None:
    """Returns a function that maps a chunk's id to the id of its document.

    Raises:
        DataError: raised by the returned function, if a chunk is not in the mapping or its document is not an id.
    """
    if document_of is None:
        return None

    def named(chunk: Any) -> Any:
        if not isinstance(document_of, Mapping):
            document = document_of(chunk)
        elif chunk in document_of:
            document = document_of[chunk]
        else:
            raise DataError(f"document_of has no document for chunk {chunk!r}. Add it to the mapping.")
        if not is_id(document):
            raise DataError(
                f"document_of returns {document!r} for chunk {chunk!r}, which is not an id. Return the id of "
                "the chunk's document."
            )
        return document

    return named


def is_id(given: Any) -> bool:
    """Returns whether a value can be an id: it is not missing (None, NaN or blank text), and it is hashable."""
    if isinstance(given, str) and not given.strip():
        return False
    try:
        hash(given)
        return given is not None and bool(given == given)
    except (TypeError, ValueError):
        return False


def grades_of(wanted: Any, named: Callable[[Any], Any] | None, number: int) -> dict[Any, float]:
    """Returns the grade of each relevant id of a question. A document gets the best grade of its chunks."""
    pairs = wanted.items() if isinstance(wanted, Mapping) else ((each, 1) for each in unpadded(wanted))
    found: dict[Any, float] = {}
    for each, grade in pairs:
        if not is_id(each) or grade is None:
            what = each if grade is not None else None
            raise DataError(
                f"The reference of question {number} has {what!r}, which is not an id. Leave it out."
            )
        if is_padding(each):
            raise DataError(filled(PADDING, what="reference", number=number))
        document = each if named is None else named(each)
        found[document] = max(found.get(document, grade), grade)
    return found


# ---------------------------------------------------------------- one of each


def once(listed: Listed, duplicates: str, number: int) -> Listed:
    """Removes repeated ids as the policy decides. Because ids have no scores, ``max`` keeps the best verdict."""
    if len({each for each, _ in listed}) == len(listed):
        return listed
    if duplicates == "error":
        ids = [each for each, _ in listed]
        again = next(each for place, each in enumerate(ids) if each in ids[:place])
        raise DataError(
            f"Question {number}: id {again!r} was retrieved twice. Remove one, or choose which counts: "
            "policy=carob.Policy(duplicates='first')."
        )
    return collapsed(listed, {"max": "best"}.get(duplicates, duplicates))


def collapsed(listed: Listed, rule: str) -> Listed:
    """Returns a list in which each id occurs once."""
    found: dict[Any, Grade] = {}
    for each, grade in listed:
        if rule == "last":
            found.pop(each, None)
        standing = found.get(each)
        if each not in found or (
            rule == "best" and grade is not None and (standing is None or grade > standing)
        ):
            found[each] = grade
    return list(found.items())
