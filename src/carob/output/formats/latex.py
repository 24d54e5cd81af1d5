"""LaTeX without a preamble. Its tables need the package booktabs."""

from __future__ import annotations

import re

from carob.output.escaping import printable
from carob.output.formats import DocumentFormat
from carob.output.layout import COLUMNS, Names, Row, Rows, bands_of, header_lines, short_names

# LaTeX's old font encoding prints different characters for < > |.
SPECIAL = {letter: f"\\{letter}" for letter in "&%$#_{}"} | {
    "<": "\\textless{}",
    ">": "\\textgreater{}",
    "|": "\\textbar{}",
    "≤": "$\\leq$",
    "λ": "$\\lambda$",
    "τ": "$\\tau$",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    "\\": "\\textbackslash{}",
}


class Latex(DocumentFormat):
    """The LaTeX format, which splits wide tables and puts the notes on a table in its caption."""

    marks = ("\\textbf{%s}", "\\textsuperscript{%s}")
    titles = ("\\paragraph{%s}\n", "\\textbf{%s}\n", "\\textbf{%s}\n")
    item = ("\\begin{itemize}\n", "\\item %s\n", "\\end{itemize}\n")
    term = ("\\begin{description}\n", "\\item[{%s}] %s\n", "\\end{description}\n")
    drawing = ("latex", "%s")
    notes = "beside"

    def escape(self, text: str) -> str:
        """Escapes text, including table cells."""
        return "".join(SPECIAL.get(letter, letter) for letter in printable(text))

    def escape_number(self, text: str) -> str:
        """Escapes a cell of numbers, with dashes in ranges and minus signs."""
        ranges = re.sub(r"(?<=\d)-(?=\d)", "--", self.escape(text))
        return re.sub(r"(?<![\d-])-(?=\d)", "$-$", ranges)

    def items(self, sentences: Row) -> str:
        """Returns an ``itemize`` environment, in which brackets at the start of an item are not read as a label."""
        return super().items(sentences).replace("\\item [", "\\item {}[")

    def table(self, header: Row, rows: Rows, names: Names) -> str:
        """Returns a ``tabular`` environment."""

        def lines(cells: Rows) -> str:
            # LaTeX would read a bracket or star after the end of a row as an argument.
            return "".join(
                ("{}" if line[0][:1] in ("[", "*") else "") + " & ".join(line) + " \\\\\n"
                for line in self.escaped(cells, names)
            )

        columns = "".join("l" if place in names else "r" for place in range(len(header)))
        body = f"{lines(header_lines(header))}\\midrule\n{lines(short_names(rows, names))}"
        return f"\\begin{{tabular}}{{{columns}}}\n\\toprule\n{body}\\bottomrule\n\\end{{tabular}}\n"

    def sheet(self, header: Row, rows: Rows, names: Names, keep: int) -> str:
        """Returns the bands of a table."""
        return "\n".join(self.table(*band) for band in bands_of(header, rows, names, keep, COLUMNS))

    def formula(self, source: str) -> str:
        """Returns a formula."""
        return f"{source}\n"


FORMAT = Latex()
