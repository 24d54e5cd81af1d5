"""Defines ``carob.next_judgments``, which chooses documents for people to judge and predicts the precision."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from carob._dataclasses import dataclass, replace
from carob._numpy import np
from carob.conventions import arguments
from carob.conventions.arguments import specified
from carob.conventions.request import request_of
from carob.estimation.effects import drawn, effects_of, expected_variances, probabilities
from carob.estimation.expected_ideal import RELATIVE_ERROR
from carob.estimation.shown_documents import ShownDocuments
from carob.estimation.sums import is_linear, numerator_of
from carob.evaluation.engine import evaluate_together, judgments_for
from carob.evaluation.score_tables import SAME, footers
from carob.inputs.errors import refused
from carob.inputs.files.header import NumberedLines, cells_of, separator_of
from carob.inputs.ids import text_of, texts_of
from carob.inputs.judgment_tables import COLUMNS, WRITTEN, judgment_columns
from carob.inputs.qrels import Qrels
from carob.inputs.run import held_together, runs_in
from carob.output.document import Document, Documented, Items, Line, Section, Table
from carob.output.errors import DataError, PolicyError, Worded
from carob.output.files import write_whole
from carob.output.language import plural
from carob.output.layout import decimals
from carob.output.results import Records
from carob.output.taken import refuse_taken
from carob.statistics.estimates import quantile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from carob.conventions.arguments import Order
    from carob.conventions.policy import Policy
    from carob.conventions.profiles import ProfileLike
    from carob.conventions.request import Request
    from carob.evaluation.scores import Scores
    from carob.inputs.qrels import QrelsLike
    from carob.inputs.run import Run

ORDERS = ("sample", "certain", "depth")
SEED = 20_261_122
"""The default seed for drawing the sample."""


class Chosen(NamedTuple):
    """A document to judge.

    Args:
        query: the query.
        document: the document.
        probability: the probability with which the document was drawn; 1 if it was not chosen at random.
        effect: the change in the mean (for several runs, the root mean square change in the differences of all pairs)
            if the document's grade changes from 0 to the highest grade.
        rank: the document's best rank in any run; 0 if no run retrieves it.
    """

    query: str
    document: str
    probability: float
    effect: float
    rank: int


@dataclass(frozen=True, eq=False, repr=False)
class Next(Documented):
    """The documents to judge next. ``found.save("next.csv")`` writes the file that people fill in.

    Args:
        chosen: the documents to judge, query by query.
        known: people's judgments so far, by query and document.
        order: ``sample``, ``certain`` or ``depth``.
        measure: the label of the measure.
        names: the names of the runs.
        candidates: the number of unjudged documents that the runs retrieve within the depth of the measure.
        queries: the number of queries.
        highest: the highest grade.
        width: the expected width of the interval for a difference, or for the mean of a single run; NaN without a
            sample.
        width_run: the expected width of the interval for a run's mean; NaN without a sample.
        assumed: whether the widths are based on assumed grades, because too few documents are judged.
        judge: the name of the judge's grades; empty without a judge.
        seed: the seed of the draw.
        linear: whether the measure is a sum over documents. If so, estimates from the sample are unbiased.
        present: the width of the interval for a difference that people's judgments of whole queries already provide;
            NaN if they provide none.
        warnings: doubts about the runs.
        footers: further notes on the runs, based on the judgments so far.
    """

    chosen: tuple[Chosen, ...]
    known: dict[str, dict[str, float]]
    order: str
    measure: str
    names: tuple[str, ...]
    candidates: int
    queries: int
    highest: float
    width: float
    width_run: float
    assumed: bool
    judge: str
    seed: int
    linear: bool
    present: float
    warnings: tuple[str, ...] = ()
    footers: tuple[str, ...] = ()

    def records(self) -> dict[str, Callable[[], Records]]:
        """Returns the table ``form``, which people fill in, and the table ``documents`` with effects and ranks."""
        return {
            "form": self.form,
            "documents": lambda: Records(Chosen._fields, self.chosen),
        }

    def form(self) -> Records:
        """Returns the table to fill in: query, document, empty grade and, for a sample, probability and sample size.

        For a sample, the table also contains the known judgments, with probability 1, so the file is complete when
        people have filled in the grades. ``carob compare --people`` reads the file.
        """
        sampled = self.order == "sample"
        size = len(self.chosen) + sum(map(len, self.known.values()))
        rows: list[tuple[Any, ...]] = [
            (each.query, each.document, None, each.probability) for each in self.chosen
        ]
        if sampled:
            rows += [
                (query, document, grade, 1.0)
                for query, its in self.known.items()
                for document, grade in its.items()
            ]
        names = judgment_columns(sampled=sampled)
        return Records(names, [(*row, size)[: len(names)] for row in rows], WRITTEN)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the table to a file. A table that people have started to fill in is not replaced.

        Raises:
            DataError: the file contains grades that are not in this table, or it cannot be written.
        """
        lost = self.lost_in(path)
        if lost:
            text = f"{plural(lost, 'grade')} of this table {'is' if lost == 1 else 'are'} filled in, and would be lost."
            other = Worded("Save to another file.", "Pass another file to -o.")
            raise DataError(text, file=os.fspath(path), remedy=other)
        write_whole(path, self.to_csv())

    def lost_in(self, path: str | os.PathLike[str]) -> int:
        """Returns the number of grades in a file that would be lost if the table were written to it.

        A grade that was already known is not counted, because the new table contains it as well.
        """
        refuse_taken(path)
        if not os.path.isfile(path):
            return 0
        try:
            with open(path, encoding="utf-8-sig", errors="replace") as file:
                lines = NumberedLines(file.read())
        except OSError:
            return 0  # writing will report the reason, or replace an unreadable file
        separator = separator_of("" if lines.first is None else lines.first[1])
        header, *rows = [[each.strip() for each in cells_of(line, separator)] for _, line in lines] or [[]]
        places = [header.index(name) if name in header else -1 for name in COLUMNS]
        if min(places) < 0:
            return 0
        found = [[cells[place] for place in places] for cells in rows if len(cells) > max(places)]
        return sum(
            grade != "" and grade != f"{self.known.get(query, {}).get(document, math.nan):g}"
            for query, document, grade in found
        )

    def document(self, _layout: str = "text", /) -> Document:
        """Returns the documents to judge, and the precision expected from judging them."""
        rows = [
            [
                each.query,
                each.document,
                str(each.rank or "-"),
                decimals(each.effect, 5),
                decimals(each.probability, 3),
            ]
            for each in self.chosen
        ]
        heading = (
            f"{len(self.chosen)} of {plural(self.candidates, 'unjudged document')} to judge, for {self.measure} of "
            f"{plural(len(self.names), 'run')} and {plural(self.queries, 'query', 'queries')}"
        )
        table = Table(["query", "document", "rank", "effect", "probability"], rows, names=2)
        below = [Section([Items([*self.sentences, *self.footers], hang=0)]), Section.warned(self.warnings)]
        return Document([Section([Line(heading)]), Section([table]), *below])

    @property
    def sentences(self) -> list[str]:
        """Sentences that explain the table of documents to judge, and the expected widths of intervals."""
        several = len(self.names) > 1
        of_what = "the difference of two runs" if several else "the mean"
        over = ", as a root mean square over the pairs" if len(self.names) > 2 else ""
        explained = (
            f"rank: the best rank in a run. effect: by how much {of_what} changes if the grade changes from 0 to "
            f"{self.highest:g}{over}."
        )
        said = [explained]
        if not all(each.rank for each in self.chosen):
            said.append(
                f"Documents with the rank - are not in any run. {self.measure} depends on how many documents are "
                "relevant, so all documents that the judge graded can be drawn."
            )
        if self.order != "sample":
            how = "largest effects" if self.order == "certain" else "best ranks"
            said.append(
                f"These documents have the {how}. They are not a random sample, so no interval can be computed from "
                "their judgments: documents that remain unjudged count as not relevant."
            )
            return said
        if not math.isnan(self.width):
            kinds = [f"{decimals(self.width, 4)} for {of_what}"]
            if several and not math.isnan(self.width_run):
                kinds.append(f"{decimals(self.width_run, 4)} for the mean of a run")
            said.append(
                f"Expected width of the 95% interval for {self.measure} after judging: {' and '.join(kinds)}."
            )
        said += self.doubts
        said.append(
            f"The sample was drawn with seed {self.seed}. Its size is fixed, and each probability is known. Judge all "
            "of its documents, or the estimates are biased."
        )
        return said

    def beside(self) -> list[str]:
        """The doubts about the estimates and the notes on the runs, which do not fit in the table."""
        return [*self.doubts, *self.footers]

    @property
    def doubts(self) -> list[str]:
        """Reasons to doubt the estimates from a sample."""
        if self.order != "sample":
            return []
        said = []
        if self.present <= self.width:
            said.append(
                f"People's judgments of whole queries already give a width of {decimals(self.present, 4)}. A sample "
                "of these documents would replace that design and be less precise: let people judge more whole "
                "queries."
            )
        if self.assumed and self.judge:
            said.append(
                "Because people have judged few documents, this assumes that people's grades differ from the judge's "
                "as NIST's grades differ from GPT-4's in the TREC 2021 Deep Learning track."
            )
        elif self.assumed:
            said.append(
                "Because few documents are judged, this assumes that people's grades are about half the highest grade."
            )
        if not self.linear:
            said.append(
                f"{self.measure} is not a sum over documents: differences between runs are approximations, and means "
                "have no interval."
            )
        return said

    def contents(self) -> dict[str, Any]:
        """Returns the settings, the documents and the expected widths, by name."""
        return {
            "measure": self.measure,
            "runs": list(self.names),
            "order": self.order,
            "seed": self.seed,
            "judge": self.judge or None,
            "candidates": self.candidates,
            "queries": self.queries,
            "highest_grade": self.highest,
            "expected_width": self.width,
            "expected_width_run": self.width_run,
            "present_width": self.present,
            "assumed": self.assumed,
            "documents": [each._asdict() for each in self.chosen],
            "warnings": list(self.warnings),
            "footers": list(self.footers),
        }


@specified
def next_judgments(
    qrels: QrelsLike | None,
    runs: Mapping[str, Any] | Sequence[Any],
    measure: Any = "DCG@10",
    *,
    budget: int = arguments.BUDGET,
    order: Order = arguments.ORDER,
    judge: QrelsLike | None = None,
    max_grade: float | None = arguments.MAX_GRADE,
    seed: int = arguments.SEED_OF_DRAW,
    policy: Policy | None = None,
    profile: ProfileLike = None,
) -> Next:
    """Choose the documents that people should judge next.

    By default, the documents are drawn at random, with higher probabilities for documents that have a large effect on
    the differences between runs. Fill in the grades in the saved file, and pass it to ``carob.compare`` together with
    ``judge`` to get estimates with intervals.

    Args:
        qrels: people's judgments so far; None if there are only a judge's grades.
        runs: ``{name: run}``, or a list of runs.
        measure: the measure. Without a judge, a sample requires a measure that is a sum over documents, such as DCG or
            P.
        budget: the number of documents to judge.
        order: ``sample`` (with known probabilities), ``certain`` (the largest effects first) or ``depth`` (the best
            ranks first).
        judge: a model's grades, which indicate the documents that are probably relevant.
        max_grade: the highest grade that people can give; by default the highest grade in the judgments.
        seed: the seed of the draw.
        policy: as in ``carob.evaluate``.
        profile: as in ``carob.evaluate``.

    Raises:
        DataError: there are neither people's judgments nor a judge's grades, nothing is left to judge, or a file cannot
            be read.
        MeasureError: a measure does not exist.
        PolicyError: an order or budget is not allowed, or the policy does not fix the order of documents.

    Example:
        >>> import carob
        >>> qrels = {"q": {"a": 2, "b": 0}}
        >>> one, two = {"q": {"a": 3.0, "x": 2.0, "y": 1.0}}, {"q": {"y": 3.0, "x": 2.0, "a": 1.0}}
        >>> found = carob.next_judgments(qrels, {"one": one, "two": two}, "DCG@3", budget=1, order="certain")
        >>> [(each.document, round(each.effect, 2)) for each in found.chosen]
        [('y', 1.0)]
    """
    request = request_of(measure, profile, policy)
    label, wanted = next(iter(request.asked.items()))
    definition = wanted.definition
    if definition.aggregate != "mean" or definition.takes != "grades" or definition.groups or wanted.micro:
        raise DataError(
            f"{label} is not a plain mean over queries of values from grades. Choose another measure, such as nDCG@10."
        )
    if order == "sample" and judge is None and not is_linear(wanted):
        raise refused(
            "{label} is not a sum over documents: without a judge's grades, a sample of documents estimates it too "
            "imprecisely to be of use.",
            "Choose {sums}, pass a model's grades as {judge}, or choose another order ({order}).",
            label=label,
            sums=Worded("a measure such as DCG@10 or P@10", "-m DCG@10 or -m P@10"),
            judge=Worded("judge=", "--judge"),
            order=Worded("order='depth'", "--order depth"),
        )
    used = request.policy.of_measure(wanted)
    people = None if qrels is None and judge is not None else judgments_for(runs, qrels, used).known
    model = None if judge is None else Qrels.of(judge, used).complete
    given = held_together(runs_in(runs))
    shown = ShownDocuments.of(people, given, used, model)
    effects, highest = effects_of(
        shown, wanted, used, max_grade, everywhere=order == "sample" and model is not None
    )
    count = min(budget, len(effects.documents))
    single = effects.difference
    if order == "sample":
        probability = probabilities(effects.size, count)
        places = drawn(probability, seed)
    else:
        keys = (effects.best_rank, -single) if order == "certain" else (-single, effects.best_rank)
        probability = np.ones(len(single))
        places = np.sort(np.lexsort(keys)[:count])
    width = width_run = math.nan
    if order == "sample":
        per_run, per_pair = expected_variances(effects, probability)
        lost = max(int((probability[places] < 1).sum()) - 1, 1)
        if numerator_of(wanted) is not None and model is not None:
            per_pair = per_pair + (RELATIVE_ERROR * spread_under(model, given, request)) ** 2
        width, width_run = (2 * quantile(0.95, lost) * math.sqrt(each) for each in (per_pair, per_run.mean()))
        if not is_linear(wanted):  # means then have no interval
            width, width_run = width if len(given) > 1 else math.nan, math.nan
    names = texts_of(shown.judgments.queries)
    query = shown.query[effects.documents[places]]
    chosen = tuple(
        Chosen(
            names[int(its)],
            text_of(shown.judgments.document(int(effects.documents[place]))),
            float(probability[place]),
            float(single[place]),
            int(effects.best_rank[place]) if math.isfinite(effects.best_rank[place]) else 0,
        )
        for place, its in zip(places, query, strict=True)
    )
    return Next(
        chosen=chosen,
        known=known_in(people),
        order=order,
        measure=label,
        names=tuple(each.name for each in given),
        candidates=len(effects.documents),
        queries=len(names),
        highest=highest,
        width=width,
        width_run=width_run,
        assumed=effects.assumed,
        judge="" if model is None else model.name,
        seed=seed,
        linear=is_linear(wanted),
        present=present_width(people, given, wanted, model, used) if order == "sample" else math.nan,
        **known_of(people, model, given, request),
    )


def scores_under(judgments: Qrels, runs: Sequence[Run], request: Request) -> list[Scores]:
    """Returns the scores of runs. A run may contain no judged document."""
    any_part = replace(request, policy=request.policy.changed(overlap="none"))
    return [each for each, _ in evaluate_together(judgments, runs, any_part)]


def spread_under(judge: Qrels, runs: Sequence[Run], request: Request) -> float:
    """Returns the root mean square difference between the means of two runs under a judge's grades."""
    means = [next(iter(each.means().values())) for each in scores_under(judge, runs, request)]
    return math.sqrt(2 * float(np.var(means, ddof=1))) if len(means) > 1 else 0.0


def present_width(
    people: Qrels | None, runs: Sequence[Run], measure: Any, judge: Qrels | None, policy: Policy
) -> float:
    """Returns the root mean square width of the intervals that people's judgments so far give for differences.

    It is NaN without a judge, and unless people judged whole queries, with as many documents in each as the judge.
    """
    from carob.comparison.compare import compare

    if people is None or judge is None or len(runs) < 2:
        return math.nan
    try:
        found = compare(people, runs, measure, judge=judge, policy=policy)
    except (DataError, PolicyError):
        return math.nan
    if any(each.kind == "sparse" for each in found.warnings):
        return math.nan
    return math.sqrt(float(np.mean([(each.high - each.low) ** 2 for each in found.primary.pairs])))


OF_A_JUDGE = ("covered", "nearly covered", "empty")
"""Facts to omit if there are a judge's grades, about which they say nothing new."""


def known_of(
    people: Qrels | None, judge: Qrels | None, runs: Sequence[Run], request: Request
) -> dict[str, tuple[str, ...]]:
    """Returns the warnings and notes from an evaluation of the runs, which may contain no judged document.

    Args:
        people: people's judgments so far.
        judge: a judge's grades, which are used if there are no judgments by people.
        runs: the runs.
        request: the measure and conventions.
    """
    judged = judge if people is None else people
    if judged is None:
        return {}
    without = SAME if judge is None else (*SAME, *OF_A_JUDGE, *([] if people is None else ["extra"]))
    scores = scores_under(judged, runs, request)
    doubts = dict.fromkeys(doubt for each in scores for doubt in each.warnings)
    return {"warnings": tuple(doubts), "footers": tuple(footers(scores, without=without, equal=False))}


def known_in(qrels: Qrels | None) -> dict[str, dict[str, float]]:
    """Returns people's judgments by query and document."""
    return {} if qrels is None else {query: its for query, its in qrels.table.items() if its}
