"""The result of ``karat.compare``: a comparison that prints and exports itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from karat.comparison.findings import Findings
from karat.output.display import Display

__all__ = ["Comparison"]


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Display, Findings):
    """Runs compared: scores, intervals, tests and warnings; ``str()`` of it is the whole table.

    Args:
        names: the runs.
        scores: each run's scores, in the order given.
        labels: the requested measures; the first is the primary one.
        queries: the queries that any run has, in byte order.
        contests: by label.
        settings: the test.
        judged: the share of each run's first ``judged_depth`` documents that is judged, averaged over the queries that
            it answers; NaN where only scores were given.
        judged_depth: the depth of that share.
        warnings: what limits the conclusions.
        qrels_name: the name of the judgments.
        orders: the rank correlations of measures, and RBO between runs, if requested.

    Example:
        >>> import karat
        >>> qrels = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1}}
        >>> old = {"q1": {"x": 2.0, "a": 1.0}, "q2": {"b": 1.0}, "q3": {"y": 2.0, "c": 1.0}}
        >>> new = {"q1": {"a": 1.0}, "q2": {"b": 1.0}, "q3": {"c": 1.0}}
        >>> found = karat.compare(qrels, {"old": old, "new": new}, "RR", baseline="old")
        >>> round(found["RR"].pairs[0].difference, 4)
        0.3333
    """

    def to_text(
        self, columns: int = 100, *, pairs: str = "top", top: int | None = None, worst: int = 0
    ) -> str:
        """The verdict, the tables, the method, and warnings last.

        Args:
            columns: the width of a line; wider tables drop their least important columns, or are split into bands.
            pairs: of many pairs the ``top`` ones, or ``all``.
            top: the number of runs shown, the best ones; None for all.
            worst: the number of queries shown for each pair, those on which its first run falls furthest behind.
        """
        from karat.comparison.formats import text
        from karat.comparison.tables import View

        return text(self, View(pairs, top, worst), columns=columns)

    def to_markdown(self, *, pairs: str = "top", top: int | None = None, worst: int = 0) -> str:
        """GitHub tables with the same sentences above and below them; the best values are bold.

        Args:
            pairs: as in ``to_text``, like the others.
            top: the number of runs.
            worst: the number of queries for each pair.
        """
        from karat.comparison.formats import markdown
        from karat.comparison.tables import View

        return markdown(self, View(pairs, top, worst))

    def to_latex(
        self,
        label: str | None = None,
        caption: str | None = None,
        *,
        pairs: str = "top",
        top: int | None = None,
        worst: int = 0,
    ) -> str:
        """A LaTeX table (booktabs) with superscript letters, the best values in bold.

        Args:
            label: for ``\\ref``.
            caption: replaces the default, which describes the method.
            pairs: as in ``to_text``, like the others.
            top: the number of runs.
            worst: the number of queries for each pair.
        """
        from karat.comparison.formats import latex
        from karat.comparison.tables import View

        return latex(self, View(pairs, top, worst), label=label, caption=caption)

    def to_json(self) -> str:
        """Everything in full precision: values by query, raw and corrected p, settings, counts, warnings."""
        from karat.comparison.formats import json_text

        return json_text(self)

    def to_frame(self, what: str = "pairs", backend: str | None = None) -> Any:
        """A data frame with a row per measure and pair; or ``runs``, or ``queries``.

        Args:
            what: ``pairs``, ``runs`` or ``queries``.
            backend: ``pandas``, ``polars``, ``pyarrow`` …; the first of these that is installed, if None.

        Raises:
            DataError: no data frame library is installed.
        """
        from karat.comparison.formats import frame

        return frame(self, what, backend)

    def to_figure(self, kind: str = "pairs", measure: str | None = None) -> Any:
        """A matplotlib figure; ``to_figure().savefig("pairs.pdf")`` writes it.

        Args:
            kind: ``pairs`` (differences with intervals), ``intervals`` (means with theirs), ``differences`` (the
                queries' of the first pair, sorted), ``orders`` (places under each measure).
            measure: the primary one if None.

        Raises:
            DataError: matplotlib is not installed, or there is no such figure.
        """
        from karat.comparison.figures import figure

        return figure(self, kind, measure)

    def __str__(self) -> str:
        """The whole as text."""
        return self.to_text()

    def _repr_html_(self) -> str:
        """The same for a notebook."""
        from karat.comparison.formats import html

        return html(self)
