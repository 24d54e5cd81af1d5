"""Defines ``carob.report``, which shows one run or compares several in a single HTML page that works offline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from carob._dataclasses import dataclass
from carob.comparison.compare import compared
from carob.comparison.design import (
    Design,
    Test,
    refuse_comparison,
    refuse_outside_compare,
    refuse_with_judge,
)
from carob.evaluation.evidence import Evidence
from carob.evaluation.score_tables import footers
from carob.inputs.texts import texts_of
from carob.output.document import Documented
from carob.output.files import refuse_overwriting, write_whole
from carob.output.language import plural
from carob.reports.data import SNIPPET, Excerpt, alongside, chosen_queries, looked_at

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    from carob.comparison.compare import Comparison
    from carob.conventions.policy import Policy
    from carob.conventions.profiles import ProfileLike
    from carob.conventions.request import MeasuresLike
    from carob.evaluation.evidence import Read, RunsLike
    from carob.inputs.qrels import QrelsLike
    from carob.inputs.texts import TextsLike
    from carob.output.document import Document
    from carob.output.pictures.figures import Drawing
    from carob.output.results import Records
    from carob.reports.data import Alongside

__all__ = ["Report", "report"]


@dataclass(frozen=True, eq=False, repr=False)
class Report(Documented):
    """An HTML page, and the comparison that it shows. All other formats are generated from the comparison.

    Args:
        html: the complete page, which requires no other files and no network.
        comparison: the result of ``carob.compare`` for the same runs.
    """

    KIND = "Comparison"

    html: str
    comparison: Comparison

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page to a file. An existing file is replaced only by the complete new one.

        Raises:
            DataError: the file cannot be written.
        """
        write_whole(path, self.html)

    def document(self, layout: str = "text", /) -> Document:
        """Returns the document of the comparison."""
        return self.comparison.document(layout)

    def contents(self) -> dict[str, Any]:
        """Returns the contents of the comparison."""
        return self.comparison.contents()

    def records(self) -> dict[str, Callable[[], Records]]:
        """Returns the tables of the comparison."""
        return self.comparison.records()

    def beside(self) -> list[str]:
        """Returns the notes on the data, which do not fit in CSV."""
        return self.comparison.beside()

    def figures(self) -> dict[str, Drawing]:
        """Returns the functions that draw the figures of the comparison."""
        return self.comparison.figures()

    def to(self, layout: str) -> str:
        """Returns the page if the format is ``html``, otherwise the comparison in the named format."""
        return self.html if layout == "html" else super().to(layout)

    def __str__(self) -> str:
        """Returns a one-line summary of the report."""
        return repr(self)

    @property
    def summary(self) -> str:
        """The number of runs, queries and measures, as text."""
        found = self.comparison
        queries = plural(len(found.queries), "query", "queries")
        runs = plural(len(found.names), "run", "runs")
        return f"{runs}, {queries}, {plural(len(found.labels), 'measure', 'measures')}"

    def __repr__(self) -> str:
        """Returns a one-line summary of the report, because the page itself is long."""
        return f"<carob report: {self.summary}, {len(self.html):,} characters>"


def report(
    qrels: QrelsLike | None,
    runs: RunsLike,
    measures: MeasuresLike = None,
    *,
    output: str | os.PathLike[str] | None = None,
    baseline: str | int | None = None,
    queries: TextsLike | None = None,
    documents: TextsLike | None = None,
    title: str | None = None,
    command: str | None = None,
    policy: Policy | None = None,
    profile: ProfileLike = None,
    progress: Callable[[str], None] | None = None,
    **settings: Any,
) -> Report:
    """Show a run, or compare several, in one HTML page that works offline.

    Args:
        qrels: judgments in any form that ``compare`` accepts.
        runs: one or more runs or scores, in any form that ``compare`` accepts. For scores, the page cannot show ranked
            lists.
        measures: the measures, as in ``compare``. The first one is the primary measure.
        output: the file to write the page to, if any.
        baseline: the run with which all others are compared, as in ``compare``.
        queries: the texts of the queries: a TSV file of lines ``id<TAB>text``, a JSON Lines file with ``id`` and
            ``text``, or ``{id: text}``.
        documents: the texts of the documents, in the same formats as ``queries``, optionally with titles.
        title: the page's title.
        command: the command line to show on the page.
        policy: the policy, as in ``compare``.
        profile: the profile, as in ``compare``.
        progress: a function to call with a short description at the beginning of each step.
        settings: other arguments of ``compare``, such as ``test``, ``design``, ``by`` and ``judge``.

    Returns:
        The report. Its ``html`` attribute is the page, and its ``save`` method writes the page to a file.

    Raises:
        DataError: the input is invalid, as in ``compare``; the texts cannot be read; or a package of ``carob[report]``
            is not installed.
        MeasureError: a measure does not exist.
        PolicyError: a profile, policy, test or correction does not exist.

    Example:
        >>> import carob
        >>> qrels = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1}}
        >>> old = {"q1": {"x": 2.0, "a": 1.0}, "q2": {"b": 1.0}, "q3": {"y": 2.0, "c": 1.0}}
        >>> new = {"q1": {"a": 1.0}, "q2": {"b": 1.0}, "q3": {"c": 1.0}}
        >>> runs = {"old": old, "new": new}
        >>> carob.report(qrels, runs, "RR", output="report.html")  # doctest: +SKIP
        <carob report: 2 runs, 3 queries, 1 measure, 995,310 letters>
    """
    from carob.reports.page import refuse_absent

    refuse_absent()
    tell = progress or (lambda _: None)
    tell("scoring the runs")
    judge, depth = settings.pop("judge", None), settings.pop("judged_at", None)
    test, design = Test.of(settings.pop("test", None)), Design.of(settings.pop("design", None))
    refuse_outside_compare(design)
    if judge is not None:
        refuse_with_judge(test, design, settings.get("by"))
    evidence = Evidence(qrels, runs, judge, policy, profile, design.weights)
    read = evidence.read(measures, least=1, judged_at=depth, again=True)
    several = len(read.systems) > 1
    if several:
        tell(f"comparing {len(read.systems)} runs")
    else:
        refuse_comparison(test, baseline)
    comparison = compared(read, test, design, baseline=baseline, pairs=several, **settings)
    tell("computing curves along the ranks")
    # With a judge, only means can be estimated from both sets of judgments. The charts would show just one of the sets.
    curves = [] if judge is not None else alongside(read, comparison.primary.measure)
    texts = queries, documents
    html = assembled(read.shown, comparison, curves, *texts, title=title, command=command, tell=tell)
    made = Report(html, comparison)
    if output is not None:
        files = [
            path for each in comparison.scores for origin in each.inputs.values() for path in origin.files
        ]
        if read.judge is not None and read.judge.qrels is not None:
            files += read.judge.qrels.origin.files
        refuse_overwriting(output, [*files, queries, documents])
        made.save(output)
    return made


def assembled(
    read: Read,
    comparison: Comparison,
    curves: Sequence[Alongside],
    queries: TextsLike | None,
    documents: TextsLike | None,
    *,
    title: str | None,
    command: str | None,
    tell: Callable[[str], None],
) -> str:
    """Returns the HTML page of a comparison."""
    from carob.comparison.findings import NOT_OF_MEANS, SHORT_NAMES, TESTS
    from carob.comparison.verdict import corrected, heading, judge_said, verdict_of
    from carob.reports.data import board, correlation, numbers_of, packed, shares_of
    from carob.reports.groups import groups_on_page
    from carob.reports.page import (
        MOST_IN_FOREST,
        bibtex_of,
        charts,
        methods_paragraph,
        near_part,
        page,
        title_of,
    )

    settings = comparison.settings
    chosen = chosen_queries(comparison.primary.values, pairs_on_page(comparison))
    tell(f"examining {len(chosen)} queries")
    excerpt = Excerpt.of(read, comparison.queries, chosen)
    closeups, derivations = looked_at(excerpt, comparison)
    asked = {} if queries is None else texts_of(queries, frozenset(comparison.queries), "queries", SNIPPET)
    shown = frozenset(document for each in closeups for document, _ in each.documents)
    said = {} if documents is None else texts_of(documents, shown, "documents", SNIPPET)
    data = numbers_of(comparison, curves, closeups, asked, said)
    data["groups"] = groups_on_page(comparison)
    data["derivations"], data["shares"] = packed(derivations), packed(shares_of(excerpt, comparison))
    tell("drawing")
    data["charts"] = charts(
        len(comparison.names), len(comparison.ids), [(each.name, each.along, each.up) for each in curves]
    )
    return page(
        data,
        title=title or title_of(comparison),
        grades=None if read.qrels is None else read.qrels.judgments.grades,
        given=[name for name, each in read.systems.items() if each.run is None],
        comparison=comparison,
        settings=settings,
        verdict=verdict_of(comparison),
        heading=[near_part(each) for each in heading(comparison).split(" | ")[:3]],
        judge_said=judge_said(comparison),
        test=TESTS[settings.test],
        of_means=settings.test not in NOT_OF_MEANS,
        corrected=corrected(settings),
        word=SHORT_NAMES.get(settings.test) or SHORT_NAMES.get(settings.correction),
        against=comparison.names[data["contests"][0]["against"]],
        alone=len(comparison.names) == 1,
        board=board(comparison),
        alpha=f"{settings.alpha:g}",
        dots=len(comparison.names) * len(comparison.ids) <= data["most_dots"],
        curves=curves,
        forest=MOST_IN_FOREST,
        opened=len(closeups),
        queries=len(comparison.ids),
        correlation=correlation(comparison),
        methods=methods_paragraph(comparison),
        bibtex=bibtex_of(comparison),
        footers=footers(comparison.scores, equal=False),
        command=command,
    )


def pairs_on_page(comparison: Comparison) -> list[tuple[int, int]]:
    """Returns the pairs of runs, if any: first the pair shown when the page opens, then the others, best runs first."""
    from carob.comparison.verdict import reference_of

    if not comparison.primary.pairs:
        return []
    first = reference_of(comparison)
    means = comparison.primary.means
    rest = sorted(comparison.primary.pairs, key=lambda pair: -max(means[pair.a], means[pair.b]))
    return [first, *((pair.a, pair.b) for pair in rest)]
