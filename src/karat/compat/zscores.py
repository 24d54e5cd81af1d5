"""trec_eval's ``-Z``: values as deviations from a mean per query and measure, in standard deviations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from karat import _native
from karat.compat.c import as_c_reads, atof
from karat.compat.requests import Refusal
from karat.inputs.sources import source_of

if TYPE_CHECKING:
    from karat.lists.rows import Floats

__all__ = ["Zscores"]

MISSING = -1000000.0


class Zscores:
    """Means and standard deviations by query and printed name.

    Args:
        path: lines ``query measure mean deviation``.
        version: 9 or 10, whose messages differ.

    Raises:
        Refusal: a file or line that cannot be read.
    """

    def __init__(self, path: str, version: int) -> None:
        """Read the file."""
        by = "get_zscores" if version >= 10 else "get_prefs"
        try:
            names, deviations, _ = as_c_reads(
                source_of(path),
                lambda handle: _native.read_rows(
                    handle, columns=4, numbers="c", number="level", comments="none", blank_lines="error"
                ),
            )
        except _native.LineError as error:
            text = f"trec_eval.get_zscores: Malformed line {error.data_line}\n"
            raise Refusal(255, text) from None
        except (OSError, ValueError):
            raise Refusal(255, f"trec_eval.{by}: Cannot read zscores file '{path}'\n") from None
        means = [atof(mean.decode("latin-1")) for mean in names[2]]
        self.expected = dict(zip(zip(names[0], names[1]), zip(means, deviations.tolist())))

    def convert(self, queries: list[bytes], labels: list[bytes], values: Floats) -> Floats:
        """Every value as a z-score; -1000000 where the file has no mean for it.

        Args:
            queries: the query of each row.
            labels: the printed name of each column.
            values: the values [queries, labels].
        """
        nothing = (np.nan, np.nan)
        pairs = [[self.expected.get((query, name), nothing) for name in labels] for query in queries]
        given = np.array(pairs, np.float64).reshape(len(queries), len(labels), 2)
        mean, deviation = given[..., 0], given[..., 1]
        stated = np.array([[(q, n) in self.expected for n in labels] for q in queries]).reshape(values.shape)
        level = np.where(values == mean, 0.0, MISSING)
        with np.errstate(all="ignore"):
            moved = (values - mean) / deviation
        found = np.where(stated, np.where(deviation != 0, moved, level), MISSING)
        # Of two operands that are NaN the machine keeps the first, with its sign: what the file says has that of its
        # text, and 0/0 is negative.
        given_nan = np.where(np.isnan(mean), mean, deviation)
        sign = np.where(np.isnan(values), -1.0, np.copysign(1.0, given_nan))
        return np.where(np.isnan(found), np.copysign(np.nan, sign), found)
