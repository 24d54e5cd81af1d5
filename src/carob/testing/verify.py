"""``carob.verify``: repeats the evaluation described by a record, and reports every difference."""

from __future__ import annotations

import math
import os
import re
import stat
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import field, fields
from typing import TYPE_CHECKING, Any, TypeAlias

from carob._dataclasses import dataclass
from carob._version import __version__
from carob.conventions.profiles import profile_named
from carob.conventions.request import labelled, needs_groups
from carob.evaluation.evaluate import evaluate_judged_ranking, evaluate_run
from carob.evaluation.read_record import BY_RECORD, Record, damaged, policy_in, read_record
from carob.evaluation.score_tables import document_of
from carob.evaluation.scores import JUDGED, weights_given, with_judged
from carob.inputs.columns import columns_of_run, refuse_no_run
from carob.inputs.digests import digests
from carob.inputs.errors import refused, sentences
from carob.inputs.files.paths import lies_in, place_of
from carob.inputs.qrels import Qrels
from carob.inputs.run import Run, runs_in, several_of
from carob.inputs.runs.excluded import pairs_of
from carob.inputs.sources import is_pattern
from carob.output.document import Document, Documented, Line, Section, Table
from carob.output.errors import DataError, Worded, asks_for_policy
from carob.output.language import filled, plural
from carob.output.layout import listed
from carob.output.results import Records
from carob.testing.record import comparison_of, versions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from carob.evaluation.scores import Scores
    from carob.inputs.qrels import QrelsLike
    from carob.inputs.run import RunLike


TOLERANCE = 1e-12
"""Logarithms computed on two processors can differ by this much, which is too little to change a printed digit."""


@dataclass(frozen=True, eq=False, repr=False)
class Verification(Documented):
    """The result of evaluating a record again.

    Args:
        path: the record.
        findings: the differences from the record.
        remarks: notes on versions that differ from the recorded ones, and on parts that could not be compared.
        largest: the largest difference between a recorded and a recomputed value.
        counted: the number of recomputed values.
        tolerance: the largest difference that counts as equal.
    """

    path: str
    findings: tuple[Change, ...]
    remarks: tuple[str, ...]
    largest: float
    counted: int
    tolerance: float = TOLERANCE

    @property
    def equal(self) -> bool:
        """Whether there are no differences from the record."""
        return not self.findings

    @property
    def headline(self) -> str:
        """The verdict in one line."""
        digits = "to the last digit" if self.largest == 0 else f"largest difference {self.largest:.2g}"
        verdict = f"equal ({digits})" if self.equal else "differs"
        return f"{self.path}: {verdict} · {plural(self.counted, 'value', 'values')} recomputed"

    def document(self, layout: str = "text", /) -> Document:
        """Returns the headline, followed by each finding and note with its kind."""
        rows = [
            *((each.kind, each.sentence) for each in self.findings),
            *(("note", each) for each in self.remarks),
        ]
        headline = Line(self.headline, "answer", tone="good" if self.equal else "bad")
        if layout == "text":
            lines = [Line(said, mark=f"{kind + ':':<12}", indent=2) for kind, said in rows]
            return Document([Section([headline, *lines])])
        return Document(
            [Section([headline, *([Table(["what", "how it differs"], rows, 2)] if rows else [])])]
        )

    def records(self) -> dict[str, Callable[[], Records]]:
        """Returns the table of ``findings``."""
        return {"findings": lambda: Records.of(Change, self.findings, without=["numbers"])}

    def beside(self) -> list[str]:
        """Returns the verdict and the remarks, which do not fit in CSV."""
        return [self.headline, *self.remarks]

    def contents(self) -> dict[str, Any]:
        """Returns the verdict, the findings and the remarks."""
        return {
            "record": self.path,
            "equal": self.equal,
            "findings": self.findings,
            "remarks": self.remarks,
            "largest": self.largest,
            "values": self.counted,
            "tolerance": self.tolerance,
            "carob": __version__,
        }


def verify(
    path: str | os.PathLike[str],
    qrels: QrelsLike | None = None,
    runs: Mapping[str, RunLike] | None = None,
    *,
    exclude: Any = None,
    tolerance: float = TOLERANCE,
    anywhere: bool = False,
    qrels_columns: Mapping[str, Any] | None = None,
    run_columns: Mapping[str, str | Mapping[str, str]] | None = None,
    folders: str | None = None,
) -> Verification:
    """Repeat a recorded evaluation, and report differences in inputs, versions, policy, measures and values.

    Args:
        path: the record, as written by ``carob.record`` or ``--record``.
        qrels: the judgments, if they are no longer at the recorded path or were in memory.
        runs: the runs, by name or in a list.
        exclude: the pairs of query and document that were excluded from the runs, if the recorded file no longer
            exists.
        tolerance: the largest accepted difference between a recorded and a recomputed value.
        anywhere: whether the record may refer to any file, instead of only to files below the record's folder or the
            working directory.
        qrels_columns: the names of the columns of ``qrels``, as in ``carob.check``; for a path, None means the columns
            in the record.
        run_columns: the names of the columns of ``runs``, in the same form.
        folders: how to read files in several folders: ``parts`` or ``prefix``.

    Returns:
        The differences from the record. ``equal`` is true if there are none. A different version of carob, Python or
        NumPy only causes a note, because it does not necessarily change a value.

    Raises:
        DataError: the record or an input cannot be read.

    Example:
        >>> import carob, tempfile, os
        >>> qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.0}}
        >>> path = os.path.join(tempfile.mkdtemp(), "mine.json")
        >>> carob.record(carob.evaluate(qrels, run, "RR", name="mine"), path)
        >>> print(carob.verify(path, qrels, {"mine": run}).findings)
        ()
    """
    recorded = read_record(path)
    if not recorded.complete:
        raise refused(
            "{path} contains scores, but no record of the inputs from which they were computed: write the file "
            "with {writer}.",
            path=recorded.path,
            writer=BY_RECORD,
        )
    given = {} if runs is None else several_of(runs)
    if not isinstance(given, Mapping):
        given = {each.name: each for each in runs_in(given)}
    inputs = taken(recorded, qrels, given, exclude, {"qrels": qrels_columns, "run": run_columns}, folders)
    refuse_others(recorded, inputs, anywhere=anywhere)
    changed, unknown, same = changed_inputs(inputs)
    scores = recomputed(recorded, inputs, same)
    differences, largest = changed_scores(recorded.document, document_of(scores, per_query=True), tolerance)
    if "comparison" in recorded.document:
        with damaged(recorded.path):
            more, beside = compared_again(recorded.document["comparison"], scores, tolerance)
        differences, unknown = [*differences, *more], [*unknown, *beside]
    return Verification(
        path=recorded.path,
        findings=(*changed, *differences),
        remarks=(*changed_versions(recorded.document), *unknown),
        largest=largest,
        counted=sum(each.matrix.size for each in scores),
        tolerance=tolerance,
    )


@dataclass(frozen=True)
class Taken:
    """An input in the record, and the input that is used for it in this verification.

    Args:
        entry: the record's entry for the input.
        now: the path to read, or the object passed as an argument.
        named: whether the path comes from the record instead of an argument.
        asked: the columns that the caller specified, which replace those in the record.
        folders: how to read files in several folders.
    """

    entry: dict[str, Any]
    now: Any
    named: bool = False
    asked: Mapping[str, Any] | None = None
    folders: str | None = None

    @property
    def option(self) -> Worded:
        """The name of the argument that replaces this input."""
        if self.entry["role"] == "exclude":
            return Worded("exclude=", "--exclude FILE")
        if self.entry["role"] != "run":
            return Worded("qrels=", "--qrels FILE")
        name = self.entry["name"]
        return Worded(f"runs={{{name!r}: run}}", f"--run {name}=FILE")

    @property
    def label(self) -> str:
        """The input's name in findings."""
        role, name = self.entry["role"], self.entry.get("name")
        return str(self.entry["path"] or (role if name is None else f"{role} {name}"))

    @property
    def path(self) -> str | None:
        """The path of the input, if it is a file."""
        return os.fspath(self.now) if isinstance(self.now, (str, os.PathLike)) else None

    @property
    def reading(self) -> dict[str, Any]:
        """The columns specified for a table, and the way to read files in several folders."""
        if self.path is None:
            return dict(self.asked or {})
        columns = self.asked or self.entry.get("columns", {})
        return {"folders": self.folders, **columns} if self.folders else dict(columns)


def taken(
    recorded: Record,
    qrels: QrelsLike | None,
    runs: Mapping[str, RunLike],
    seen: Any,
    columns: Mapping[str, Any],
    folders: str | None,
) -> list[Taken]:
    """Returns each input of the record with the argument that replaces it or, without an argument, its recorded path.

    Raises:
        DataError: the record does not contain a run that was passed, or an input cannot be found.
    """
    strangers = sorted(set(runs) - set(recorded.names))
    if strangers:
        names = ", ".join(recorded.names)
        raise DataError(f"{recorded.path} has no run '{strangers[0]}': its runs are {names}.")
    refuse_no_run(columns["run"] or {}, [(name,) for name in recorded.names])
    found = []
    for entry in recorded.document["inputs"]:
        name = entry.get("name")
        now = runs.get(name) if entry["role"] == "run" else seen if entry["role"] == "exclude" else qrels
        asked = columns.get(entry["role"]) or {}
        own = entry["role"] == "run" and isinstance(asked.get(name), Mapping)
        asked = columns_of_run(asked, name) if entry["role"] == "run" else asked
        if now is None:  # read as for the record, unless columns are specified for this run
            each = Taken(entry, entry["path"], named=True, asked=asked if own else None)
        else:
            each = Taken(entry, now, asked=asked, folders=folders)
        if entry["role"] == "grades":
            raise DataError(
                f"{recorded.path} was computed from grades in memory, so it cannot be recomputed."
            )
        if each.now is None:
            why = entry.get("why", "in memory")
            words = {"path": recorded.path, "role": entry["role"], "why": why, "option": each.option}
            raise refused(
                "{path}: the {role} was {why}, so it cannot be read from the record: pass it ({option}).",
                **words,
            )
        found.append(each)
    return found


def refuse_others(recorded: Record, inputs: list[Taken], *, anywhere: bool) -> None:
    """Refuses recorded paths that are not allowed. Paths passed as arguments are not restricted.

    Raises:
        DataError: the record contains a path that is not allowed.
    """
    for each in inputs:
        if each.named and each.path is not None:
            if not anywhere:  # checked before a pattern is expanded, and again for each matching file
                refuse_elsewhere(each.path, recorded.path)
            over = each.option if each.entry["role"] == "exclude" else OVER
            with passable(over):
                files = files_now(each)
            for file in [] if anywhere else files:
                refuse_elsewhere(file, recorded.path)
            refuse_irregular(files, recorded.path, over)


def recomputed(recorded: Record, inputs: list[Taken], same: list[Taken]) -> list[Scores]:
    """Returns the scores of every run, under the recorded policy.

    Args:
        recorded: the record.
        inputs: the inputs used now.
        same: the inputs whose bytes are as recorded.

    Raises:
        DataError: an input cannot be read.
    """
    document = recorded.document
    policy, profile = policy_in(document), document.get("profile")
    labels = list(document["measures"])
    groups = needs_groups(labelled(labels, profile_named(profile)))
    judged, found, runs = None, [], iter(recorded.scores)
    seen: dict[str, Any] = {}
    for each in sorted(inputs, key=lambda each: each.entry["role"] not in ("qrels", "exclude")):
        with quiet(each, same):
            if each.entry["role"] == "exclude":
                seen[each.entry["name"]] = pairs_of(each.now)
                continue
            if each.entry["role"] == "qrels":
                judged = Qrels.of(each.now, policy, subtopics=groups, **each.reading).complete
                continue
            old = next(runs)
            how: dict[str, Any] = {"policy": policy, "profile": profile, "weights": weights_given(old)}
            if judged is None:
                found.append(evaluate_judged_ranking(each.now, labels, name=old.name, **how))
            else:
                run = Run.of(each.now, old.name, exclude=seen.get(old.name), **each.reading)
                if math.isnan(old.judged) or JUDGED in old:
                    found.append(evaluate_run(judged, run, labels, name=old.name, **how))
                else:
                    beside = evaluate_run(judged, run, [*labels, JUDGED], name=old.name, **how)
                    found.append(with_judged(beside))
    return found


@contextmanager
def quiet(given: Taken, same: list[Taken]) -> Iterator[None]:
    """Hides the content of a file whose hash differs from the record, because a record can refer to any file.

    Raises:
        DataError: replaces an error that would show a line of the file or suggest a policy other than the record's.
    """
    try:
        yield
    except DataError as error:
        if asks_for_policy(error.remedy):
            error.at(
                remedy="Correct the file, or pass the recorded input: a record is verified under its own policy."
            )
        if not given.named or given in same:
            raise
        raise refused(
            "{path} is not the recorded file, and cannot be read as {role}. Pass the recorded file, or pass this file "
            "to see the reason ({option}).",
            path=given.path,
            role=given.entry["role"],
            option=given.option,
        ) from None


def changed_versions(document: dict[str, Any]) -> list[str]:
    """Returns notes on versions that differ from the recorded ones."""
    then = {"carob": document.get("carob"), **document.get("made_with", {})}
    now = {"carob": __version__, **versions()}
    return [f"{key}: recorded with {then[key]}, now {now[key]}" for key in now if then.get(key) != now[key]]


def changed_inputs(inputs: list[Taken]) -> tuple[list[Change], list[str], list[Taken]]:
    """Returns the changed files, notes on inputs without a hash, and the inputs that have not changed.

    Raises:
        DataError: a file cannot be read.
    """
    recorded = [(each, recorded_files(each.entry)) for each in inputs if each.path is not None]
    known = [(each, then, files_now(each)) for each, then in recorded if then]
    hashes = digests([path for *_, files in known for path in files])
    changes = [
        changed_files(each, [(path, *hashes[path]) for path in files], then) for each, then, files in known
    ]
    same = [each for (each, *_), its in zip(known, changes, strict=True) if not its]
    others = [each.label for each in inputs if each not in [taken for taken, *_ in known]]
    notes = [f"no hash to compare: {', '.join(others)}"] if others else []
    return [each for its in changes for each in its], notes, same


File: TypeAlias = "tuple[str, int, str]"
"""A file's path, bytes and SHA-256."""


def recorded_files(entry: dict[str, Any]) -> list[File]:
    """Returns the recorded files of an input. Input from memory has no recorded files."""
    if "files" in entry:
        return [(each["path"], each["bytes"], each["sha256"]) for each in entry["files"]]
    return [(entry["path"], entry["bytes"], entry["sha256"])] if entry["sha256"] else []


def files_now(given: Taken) -> list[str]:
    """Returns the files of an input, including all files in a folder or matched by a pattern.

    Raises:
        DataError: no file was found.
    """
    path = given.path or ""
    role = "run" if given.entry["role"] == "run" else "qrels"
    return (
        list(place_of(path, role, "parts").files) if "files" in given.entry or os.path.isdir(path) else [path]
    )


def changed_files(given: Taken, now: list[File], then: list[File]) -> list[Change]:
    """Returns the changed files of an input, or one change if the number of files differs."""
    if len(now) != len(then):
        sentence = f"{given.path} matches {plural(len(now), 'file')}; recorded: {len(then)}"
        return [Change("input", given.label, sentence, {"files": len(now)})]
    found = []
    for (path, size, digest), (_, old_size, old_digest) in zip(now, then, strict=True):
        if (size, digest) != (old_size, old_digest):
            sentence = f"{path} has {size} bytes, SHA-256 {digest:.12}…; recorded: {old_size} bytes, {old_digest:.12}…"
            what = given.label if len(then) == 1 else path
            found.append(Change("input", what, sentence, {"bytes": size, "sha256": digest}))
    return found


def compared_again(
    old: dict[str, Any], scores: list[Scores], tolerance: float
) -> tuple[list[Change], list[str]]:
    """Recomputes the comparison from the scores, and returns its changes."""
    from carob.comparison.compare import compare
    from carob.comparison.design import Test

    settings = old["settings"]
    if settings["clusters"] is not None:
        return [], [
            "the clusters of queries are not in the record: its scores were recomputed, but not its tests"
        ]
    test = {each.name: settings[each.name] for each in fields(Test) if each.name in settings}
    named = dict(zip(old["names"], scores, strict=True))
    resamples = settings["resamples"] or settings.get("bootstrap_resamples")
    test |= {"name": settings["test"], "resamples": resamples}
    fresh = compare(None, named, baseline=settings["baseline"], test=Test(**test))
    contests = comparison_of(fresh)["contests"]
    return list(changed("comparison", old["contests"], contests, tolerance)), []


OVER = Worded("qrels=, runs={name: run}", "--qrels FILE, --run NAME=FILE")
"""The arguments with which a user can pass each kind of input."""


@contextmanager
def passable(inputs: Worded) -> Iterator[None]:
    """Adds a remedy to the error about a missing file: the arguments with which the user can pass another file.

    Raises:
        DataError: the error with the remedy.
    """
    try:
        yield
    except DataError as error:
        advice = "{remedy}, or pass the file ({inputs})." if error.remedy else "Pass the file ({inputs})."
        remedy = (error.remedy or "").rstrip(".")
        raise error.at(remedy=filled(advice, remedy=remedy, inputs=inputs)) from None


def refuse_elsewhere(path: str, record: str) -> None:
    """Refuses a path that, after links are resolved, is outside the record's folder and the working directory.

    Args:
        path: a file, a folder or a pattern in the record, or a file in such a folder or matched by such a pattern.
        record: the record's own path.

    Raises:
        DataError: the path is outside both folders.
    """
    root = os.path.dirname(re.split(r"[*?[]", path)[0]) if is_pattern(path) else path
    climbs = os.pardir in re.split(
        r"[/\\]", path[len(root) :]
    )  # after a wildcard, ".." does not show in the root
    if climbs or not lies_in(root or ".", (os.path.dirname(record) or ".", ".")):
        raise refused(
            "{record} names {path}, which is neither below the record's folder nor below the working directory: pass "
            "the file ({inputs}), or allow any file ({anywhere}).",
            record=record,
            path=path,
            inputs=OVER,
            anywhere=Worded("anywhere=True", "--anywhere"),
        )


def refuse_irregular(paths: Iterable[str], record: str, over: Worded) -> None:
    """Refuses pipes and devices in a record, because reading them might never end.

    Raises:
        DataError: the path is a pipe or device, or does not exist.
    """
    for path in paths:
        with passable(over), sentences(path):
            mode = os.stat(path).st_mode
        if not stat.S_ISREG(mode):
            raise refused(
                "{record} names {path}, which is not a regular file: pass a file ({inputs}).",
                record=record,
                path=path,
                inputs=over,
            )


@dataclass(frozen=True)
class Change:
    """A difference between the record and the recomputed results.

    Args:
        kind: ``input``, ``policy``, ``measure``, ``queries``, ``counts``, ``values``, ``means``, ``ties``, ``errors``,
            ``weights``, ``judged`` or ``comparison``.
        what: the input, policy setting, measure or run that differs.
        sentence: a sentence that describes the difference and its size.
        numbers: the difference as data: ``[recorded, recomputed]`` for each query, or the new size and hash.
    """

    kind: str
    what: str
    sentence: str
    numbers: dict[str, Any] = field(default_factory=dict)


def changed_scores(old: dict[str, Any], new: dict[str, Any], tolerance: float) -> tuple[list[Change], float]:
    """Returns the changes in the policy, the measures and every run, and the largest difference between two values.

    Args:
        old: the recorded document.
        new: the recomputed scores, with the runs in the same order.
        tolerance: the largest accepted difference between a recorded and a recomputed value.
    """
    findings = [
        *changed("policy", old["policy"], new["policy"]),
        *changed("measure", old["measures"], new["measures"]),
    ]
    largest = 0.0
    for then, now in zip(old["runs"], new["runs"], strict=True):
        own, distance = changed_run(then, now, tolerance)
        findings += own
        largest = max(largest, distance)
    return findings, largest


def changed_run(old: dict[str, Any], new: dict[str, Any], tolerance: float) -> tuple[list[Change], float]:
    """Returns the changes in one run, and the largest difference between two values."""
    name, findings = old["name"], []
    before, after = old["queries"], new["queries"]
    for mine, its, words in ((before, after, "no longer there"), (after, before, "not in the record")):
        queries = [each for each in mine if each not in its]
        if queries:
            first = listed([f"'{each}'" for each in queries], 3)
            sentence = f"{name}: {'query' if len(queries) == 1 else 'queries'} {first} {words}"
            findings.append(Change("queries", name, sentence, {"queries": queries}))
    # Lines are counted only in text files: dictionaries and data frames do not have lines.
    both = old["counts"].get("lines") and new["counts"].get("lines")
    then, now = (
        {key: count for key, count in each["counts"].items() if both or key != "lines"} for each in (old, new)
    )
    findings += changed("counts", then, now, start=f"{name}: ")
    largest = 0.0
    for label, mean in old["means"].items():
        pairs = {
            query: (row[label], after[query][label])
            for query, row in before.items()
            if query in after and label in after[query]
        }
        apart = {query: distance(*pair) for query, pair in pairs.items() if pair[0] != pair[1]}
        largest = max(largest, *apart.values(), 0.0)
        moved = {query: pairs[query] for query, each in apart.items() if each > tolerance}
        now = new["means"].get(label)
        if moved:
            worst = max(moved, key=apart.__getitem__)
            differ = "query differs" if len(pairs) == 1 else "queries differ"
            was, is_now, old_mean, new_mean = map(rounded, (*moved[worst], mean, now))
            sentence = (
                f"{name}, {label}: {len(moved)} of {len(pairs)} {differ}, largest difference: '{worst}' ({was}, now "
                f"{is_now}); mean {old_mean}, now {new_mean}"
            )
            findings.append(Change("values", label, sentence, dict(moved)))
        elif distance(mean, now) > tolerance:
            sentence = f"{name}, {label}: the mean was {mean} and is now {now}"
            findings.append(Change("means", label, sentence))
    shares = old.get("judged"), new.get("judged")
    if None not in shares and distance(*shares) > tolerance:
        was, is_now = map(rounded, shares)
        sentence = f"{name}: the share of judged documents in the top ten was {was}, is {is_now}"
        findings.append(Change("judged", name, sentence))
    for key, words in BESIDE.items():
        then, now = (bounds_named(each.get(key, {})) for each in (old, new))
        findings += changed(key, then, now, tolerance, start=f"{name}, {words}")
    return findings, largest


BESIDE = {"ties": "", "errors": "standard error, ", "weights": ""}
"""The other numbers recorded for a run, with the words that follow the kind in a sentence."""


def bounds_named(table: dict[str, Any]) -> dict[str, Any]:
    """Returns a table in which each pair of bounds is converted to an object."""
    return {
        label: dict(zip(("lower bound", "upper bound"), each, strict=True))
        if isinstance(each, list)
        else each
        for label, each in table.items()
    }


def changed(
    kind: str, old: Any, new: Any, tolerance: float = 0.0, place: str = "", start: str = ""
) -> Iterator[Change]:
    """Yields a change for each place where two nested tables differ.

    Args:
        kind: the kind of the changes.
        old: the recorded table.
        new: the table now.
        tolerance: the largest accepted difference between two numbers.
        place: the position of both tables in a larger table.
        start: the start of each sentence.
    """
    if isinstance(old, dict) and isinstance(new, dict):
        for key in {**old, **new}:
            inside = f"{place}, {key}" if place else key
            yield from changed(kind, old.get(key), new.get(key), tolerance, inside, start)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for number, (then, now) in enumerate(zip(old, new), 1):
            yield from changed(kind, then, now, tolerance, f"{place} {number}", start)
    elif not same(old, new, tolerance):
        yield Change(kind, place, f"{start}{place} was {short(old)}, is {short(new)}")


def same(old: Any, new: Any, tolerance: float) -> bool:
    """Returns whether two recorded values are equal. Numbers may differ up to a tolerance."""
    numbers = isinstance(old, float) and isinstance(new, (int, float))
    return distance(old, new) <= tolerance if numbers else bool(old == new)


def distance(old: float | None, new: float | None) -> float:
    """Returns the distance between two values, which is infinite if only one of them is defined."""
    if old is None or new is None:
        return 0.0 if old is new else float("inf")
    apart = abs(new - old)
    # NaN cannot be compared with a tolerance, so NaN equals only NaN, just as null equals only null.
    return apart if apart == apart else 0.0 if old != old and new != new else float("inf")


def rounded(value: float | None) -> str:
    """Returns a value with six significant digits, enough to make differences visible."""
    return "undefined" if value is None else f"{value:.6g}"


def short(value: Any) -> str:
    """Formats a value on one line."""
    text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
