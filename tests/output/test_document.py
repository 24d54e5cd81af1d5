"""Documents: each part as text, on a terminal, in Markdown, LaTeX and HTML, with what it contains escaped."""

from __future__ import annotations

import pytest

from carob.output.document import Document, Formula, Items, Line, Part, Section, Table, Terms
from carob.output.errors import Worded
from carob.output.formats.html import FORMAT as HTML
from carob.output.formats.html import Html
from carob.output.formats.html import styled as styled_page
from carob.output.formats.latex import FORMAT as LATEX
from carob.output.formats.markdown import FORMAT as MARKDOWN
from carob.output.layout import Marked

LONG = "one two three four five six seven eight nine"
WIDE = Table(
    ["run", *(f"measure{place}" for place in range(4))], [list("abcde"), list("fghij"), list("klmno")]
)

TERMS = " {}       mean\n {}  one two three four\n          five six seven eight\n          nine\n"
BANDS = (
    "run  measure0  measure1\na           b         c\nf           g         h\nk           l         m\n\n"
    "run  measure2  measure3\na           d         e\nf           i         j\nk           n         o\n"
)
TABULAR = (
    "\\begin{tabular}{rl}\n\\toprule\nn & run \\\\\n\\midrule\n1 & a\\_b \\\\\n\\bottomrule\n\\end{tabular}\n"
)
GRID = (
    '<div class="wide" tabindex="0">\n<table>\n<thead>\n<tr><th>n</th><th class="name">run</th></tr>\n</thead>\n'
    '<tbody>\n<tr><td>1</td><td class="name">a_b</td></tr>\n</tbody>\n</table>\n</div>\n'
)


def styled(text: str, tone: str) -> str:
    return f"<{tone}>{text}</>"


@pytest.mark.parametrize(
    ("part", "text", "terminal"),
    [
        (
            Line(LONG),
            "one two three four five six\nseven eight nine\n",
            "<>one two three four five six\nseven eight nine\n</>",
        ),
        # The answer is one line, unless a terminal folds it.
        (Line(LONG, "answer"), f"{LONG}\n", "<answer>one two three four five six\nseven eight nine\n</>"),
        (Line("Well.", "note", tone="red"), "Well.\n", "<red>Well.\n</>"),
        (Line("Well.", "note"), "Well.\n", "<note>Well.\n</>"),
        (
            Line(LONG, mark="error: ", tone="red", indent=2),
            "  error: one two three four\n         five six seven eight\n         nine\n",
            "  <red>error:</> one two three four\n         five six seven eight\n         nine\n",
        ),
        (
            Line(LONG, "note", mark="! ", tone="red", hang=4),
            "! one two three four five six\n    seven eight nine\n",
            "<red>!</> one two three four five six\n    seven eight nine\n",
        ),
        (
            Items(["First.", LONG], "note", indent=1),
            " First.\n one two three four five six\n  seven eight nine\n",
            "<note> First.\n</><note> one two three four five six\n  seven eight nine\n</>",
        ),
        (
            Terms([("AP", "mean"), ("nDCG@10", LONG), ("no", "")], indent=1, role="term"),
            TERMS.format("AP", "nDCG@10"),
            TERMS.format("<term>AP</>", "<term>nDCG@10</>"),
        ),
        (Terms([("a", "b")], gap=4), "a    b\n", "<>a</>    b\n"),
        (Table(["run", "AP"], [["a", "0.5"]]), "run   AP\na    0.5\n", "run   AP\na    0.5\n"),
        (Table(["n", "run"], [["10", "a"]], names={1}), " n  run\n10  a\n", " n  run\n10  a\n"),
        (
            WIDE,
            BANDS,
            None,
        ),
        (Formula("x = 1"), "", ""),
        (Items([]), "", ""),
        (Terms([]), "", ""),
        (Part(), "", ""),
    ],
)
def test_text_is_folded_below_its_start_and_coloured_on_a_terminal(
    part: Part, text: str, terminal: str | None
) -> None:
    assert part.text(30) == text
    assert part.text(30, styled) == (text if terminal is None else terminal)


def test_a_cell_is_bold_on_a_terminal_only() -> None:
    table = Table(["run", "AP"], [["a", Marked("0.5", bold=True)]])
    assert table.text(30) == "run   AP\na    0.5\n"
    assert table.text(30, styled) == "run   AP\na    \x1b[1m0.5\x1b[22m\n"


@pytest.mark.parametrize(
    ("part", "markdown", "latex", "html"),
    [
        (
            Line("5 % <b>", "note", mark="! "),
            "! 5 % &lt;b>\n",
            "! 5 \\% \\textless{}b\\textgreater{}\n",
            '<p class="note">! 5 % &lt;b&gt;</p>\n',
        ),
        (Line("Well."), "Well.\n", "Well.\n", "<p>Well.</p>\n"),
        (Line("Yes.", "answer"), "**Yes.**\n", "\\textbf{Yes.}\n", '<p class="answer"><b>Yes.</b></p>\n'),
        (
            Items(["a <i>", "b_c"]),
            "- a &lt;i>\n- b_c\n",
            "\\begin{itemize}\n\\item a \\textless{}i\\textgreater{}\n\\item b\\_c\n\\end{itemize}\n",
            "<ul>\n<li>a &lt;i&gt;</li>\n<li>b_c</li>\n</ul>\n",
        ),
        (
            Terms([("a_b", "mean <x>"), ("no", "")]),
            "- `a_b`: mean &lt;x>\n",
            "\\begin{description}\n\\item[{a\\_b}] mean \\textless{}x\\textgreater{}\n\\end{description}\n",
            "<dl>\n<dt>a_b</dt><dd>mean &lt;x&gt;</dd>\n</dl>\n",
        ),
        (
            Table(["n", "run"], [["1", "a_b"]], names={1}),
            "| n | run |\n| ---: | --- |\n| 1 | a_b |\n",
            TABULAR,
            GRID,
        ),
        (Formula("x = 1"), "", "x = 1\n", ""),
        (Items([]), "", "", ""),
        (Terms([("no", "")]), "", "", ""),
        (Part(), "", "", ""),
    ],
)
def test_each_format_has_its_own_marks_and_escapes(part: Part, markdown: str, latex: str, html: str) -> None:
    assert [part.written(form) for form in (MARKDOWN, LATEX, HTML)] == [markdown, latex, html]


@pytest.mark.parametrize(("rows", "kept", "more"), [(None, 3, ""), (3, 3, ""), (2, 1, "2"), (1, 0, "3")])
def test_a_long_table_on_a_page_says_how_many_rows_are_left_out(
    rows: int | None, kept: int, more: str
) -> None:
    shown = Document([Section([WIDE])]).written(Html(most=rows))
    assert shown.count("<tr>") == 1 + kept
    assert shown.partition("</div>\n")[2] == (f"<p>… {more} more rows</p>\n" if more else "")


OPTION = Worded("use policy=", "use --policy")
TITLED = Document(
    [
        Section([Line(OPTION), Items([OPTION])], "First_1"),
        Section([Formula("y")]),
        Section([], "Last"),
    ],
    "A <title>",
    "zh",
)


def test_a_document_has_titles_and_empty_lines_between_its_sections() -> None:
    assert TITLED.text() == "A <title>\n\nFirst_1\nuse policy=\nuse policy=\n\nLast\n"
    assert TITLED.text(20, styled) == (
        "<answer>A <title>\n</>\nFirst_1\n<>use policy=\n</><>use policy=\n</>\nLast\n"
    )
    assert TITLED.to("markdown") == (
        "### A &lt;title>\n\n#### First_1\n\nuse policy=\n\n- use policy=\n\n#### Last\n"
    )
    assert TITLED.to("latex") == (
        "\\paragraph{A \\textless{}title\\textgreater{}}\n\n\\textbf{First\\_1}\n\nuse policy=\n\n"
        "\\begin{itemize}\n\\item use policy=\n\\end{itemize}\n\ny\n\n\\textbf{Last}\n"
    )
    assert TITLED.written(Html(3)) == (
        "<h3>A &lt;title&gt;</h3>\n<h4>First_1</h4>\n<p>use policy=</p>\n<ul>\n<li>use policy=</li>\n</ul>\n"
        "<h4>Last</h4>\n"
    )
    plain = Document([Section([Line("Well.")], "T")])
    assert plain.text() == "T\nWell.\n"
    assert plain.to("markdown") == "### T\n\nWell.\n"
    assert plain.written(HTML) == "<h1>T</h1>\n<p>Well.</p>\n"


def test_the_command_line_reads_of_its_options() -> None:
    told = TITLED.on_command_line()
    assert told.text() == TITLED.text().replace("policy=", "--policy")
    assert TITLED.sections[0].parts[0].on_command_line().text(80) == "use --policy\n"
    assert WIDE.on_command_line() is WIDE


def test_a_page_stands_alone() -> None:
    page = TITLED.to("html")
    assert page.startswith('<!doctype html>\n<html lang="zh">\n<head>\n<meta charset="utf-8">')
    assert "<title>A &lt;title&gt;</title>\n" in page
    assert page.endswith(f"<body>\n{styled_page(TITLED.written(HTML))}</body>\n</html>\n")
    start, style, rest = styled_page(TITLED.written(HTML)).partition("<style>\n")
    assert (start, style) == ('<div class="carob">\n', "<style>\n")
    assert rest.startswith(".carob {")
    assert rest.endswith(f"</style>\n{TITLED.written(HTML)}</div>\n")
    assert Document([]).to("html").startswith('<!doctype html>\n<html lang="en">')


def test_no_name_in_latex_is_an_option_of_what_stands_before_it() -> None:
    names = ["[new]", "*best", "a [b]"]
    items, terms = Items(names).written(LATEX), Terms([(name, "run") for name in names]).written(LATEX)
    assert [line for line in items.splitlines() if "item " in line] == [
        "\\item {}[new]",
        "\\item *best",
        "\\item a [b]",
    ]
    assert "\\item[{[new]}] run\n\\item[{*best}] run\n\\item[{a [b]}] run\n" in terms
    table = Table(["run", "AP"], [[name, "[0.1, 0.2]"] for name in names]).written(LATEX)
    assert "\n{}[new] & [0.1, 0.2] \\\\\n{}*best & [0.1, 0.2] \\\\\na [b] & " in table
