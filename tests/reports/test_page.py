"""The page as text: what is in it, that nothing breaks out of it, and that it is the same every time."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import math
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import carob
from carob.comparison.verdict import verdict_of
from carob.output.formats.html import Html
from carob.reports import page
from carob.reports.page import charts, drawing_library, inert, methods_paragraph, script_json
from reports.conftest import RUNS, TEA

if TYPE_CHECKING:
    from collections.abc import Callable

    Make = Callable[..., carob.Report]

CHECKOUT = Path(__file__).parents[2]
QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"b": 2}, "q3": {"c": 1}, "q4": {"d": 1, "e": 3}}
OLD = {
    "q1": {"x": 2.0, "a": 1.0},
    "q2": {"b": 1.0},
    "q3": {"y": 2.0, "c": 1.0},
    "q4": {"x": 3.0, "d": 2.0, "e": 1.0},
}
NEW = {"q1": {"a": 1.0}, "q2": {"b": 1.0}, "q3": {"c": 1.0}, "q4": {"e": 2.0, "d": 1.0}}
VOID = {"meta", "link", "br", "input", "img", "hr"}
HOSTILE = "</script><script>alert(1)</script>&\"'<!--\u2028"


class Outline(HTMLParser):
    """Open elements, so that what is closed in another order, or never, is found."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attributes: Any) -> None:
        self.seen.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> closes something else"


def outline(text: str) -> Outline:
    found = Outline()
    found.feed(text)
    found.close()
    return found


def data_of(text: str) -> dict[str, Any]:
    block = re.search(r'<script type="application/json" id="carob-data">(.*?)</script>', text, re.DOTALL)
    assert block
    found: dict[str, Any] = json.loads(block[1])
    return found


def scripts_of(text: str) -> list[str]:
    return re.findall(r"<script>(.*?)</script>", text, re.DOTALL)


def test_judgments_by_subtopic_make_a_page(quick: Make) -> None:
    lines = "".join(
        f"{query} {part} d{part} 1\n{query} 3 d{part} 0\n" for query in range(5) for part in (1, 2)
    )
    runs = {
        name: "".join(
            f"{query} Q0 {each} 1 {9 - place} t\n" for query in range(5) for place, each in enumerate(order)
        )
        for name, order in (("one", ("d1", "d2", "x")), ("two", ("x", "d2", "d1")))
    }
    made = quick(lines.encode(), {name: text.encode() for name, text in runs.items()}, ["alphanDCG@3", "AP"])
    assert "alphanDCG@3" in made.html


def test_every_element_is_closed_in_order(quick: Make) -> None:
    found = outline(quick(QRELS, {"old": OLD, "new": NEW}).html)
    assert found.open == []
    assert [tag for tag, _ in found.seen].count("h1") == 1


def test_ids_of_elements_are_unique_and_links_within_the_page_lead_somewhere(quick: Make) -> None:
    found = outline(quick(QRELS, {"old": OLD, "new": NEW}).html)
    ids = [attributes["id"] for _, attributes in found.seen if "id" in attributes]
    assert len(ids) == len(set(ids))
    links = [attributes["href"] for tag, attributes in found.seen if tag == "a"]
    assert links
    assert {str(link).removeprefix("#") for link in links} <= set(ids)
    spoken = [
        attributes["aria-labelledby"] for _, attributes in found.seen if "aria-labelledby" in attributes
    ]
    assert set(spoken) <= set(ids)


def test_headers_of_tables_say_what_they_head(quick: Make) -> None:
    found = outline(quick(QRELS, {"old": OLD, "new": NEW}).html)
    assert all("scope" in attributes for tag, attributes in found.seen if tag == "th")


def test_nothing_is_fetched_from_anywhere(quick: Make) -> None:
    found = outline(quick(QRELS, {"old": OLD, "new": NEW}).html)
    assert not [
        each for each in found.seen if "src" in each[1] or each[0] in ("link", "iframe", "object", "base")
    ]


def test_the_security_policy_allows_the_scripts_of_the_page_and_no_network(quick: Make) -> None:
    text = quick(QRELS, {"old": OLD, "new": NEW}).html
    found = outline(text)
    policy = next(
        str(attributes["content"])
        for tag, attributes in found.seen
        if attributes.get("http-equiv") == "Content-Security-Policy"
    )
    assert "default-src 'none'" in policy
    assert "unsafe-eval" not in policy
    allowed = policy.partition("script-src")[2].partition(";")[0].split()
    digests = [hashlib.sha256(each.encode()).digest() for each in scripts_of(text)]
    assert allowed == [f"'sha256-{base64.b64encode(each).decode()}'" for each in digests]


def test_hostile_names_stay_text(quick: Make) -> None:
    qrels = {HOSTILE: {HOSTILE: 1, "b": 0}, "q2": {"b": 1}, "q3": {"c": 1}}
    old = {HOSTILE: {"b": 2.0, HOSTILE: 1.0}, "q2": {"b": 1.0}, "q3": {"x": 2.0, "c": 1.0}}
    new = {HOSTILE: {HOSTILE: 1.0}, "q2": {"b": 1.0}, "q3": {"c": 1.0}}
    made = quick(
        qrels,
        {HOSTILE: old, "new": new},
        queries={HOSTILE: HOSTILE},
        documents={HOSTILE: {"title": HOSTILE, "text": HOSTILE}},
        title=HOSTILE,
        command=HOSTILE,
    ).html
    found = outline(made)
    assert found.open == []
    assert [tag for tag, _ in found.seen].count("script") == 4
    assert "<script>alert" not in made
    data = data_of(made)
    assert data["queries"][0] == HOSTILE
    assert data["names"][0] == HOSTILE
    derived = json.loads(gzip.decompress(base64.b64decode(data["derivations"])))[0]
    assert "<script>" not in "".join(filter(None, derived["0"]))
    assert "&lt;script&gt;" in derived["0"][1]


def test_ids_that_are_no_text_do_not_stop_a_page(quick: Make) -> None:
    odd = b"q\xff".decode("utf-8", "surrogateescape")
    qrels = {odd: {"a": 1}, "q2": {"b": 1}}
    runs = {"one": {odd: {"a": 1.0}, "q2": {"b": 1.0}}, "two": {odd: {"x": 1.0}, "q2": {"b": 1.0}}}
    made = quick(qrels, runs).html
    assert made.encode("utf-8")
    assert "q\ufffd" in made


def test_the_same_inputs_give_the_same_bytes(quick: Make) -> None:
    one, two = (quick(QRELS, {"old": OLD, "new": NEW}, ["RR", "nDCG@10"]).html for _ in range(2))
    assert one == two


def test_the_values_in_the_page_are_the_scores(quick: Make) -> None:
    made = quick(QRELS, {"old": OLD, "new": NEW}, ["RR", "nDCG@10"])
    data = data_of(made.html)
    block = np.frombuffer(base64.b64decode(data["values"]["data"]), "<f4").reshape(2, 2, 4)
    assert block[0].tolist() == [[0.5, 1, 0.5, 0.5], [1, 1, 1, 1]]
    expected = carob.evaluate(QRELS, OLD, ["nDCG@10"]).matrix[:, 0]
    assert np.abs(block[1, 0] - expected).max() < 1e-7


def test_ranked_lists_carry_the_grades_of_the_judgments(quick: Make) -> None:
    data = data_of(quick(QRELS, {"old": OLD, "new": NEW}).html)
    fourth = next(each for each in data["closeups"] if data["queries"][each["query"]] == "q4")
    lists = [[fourth["documents"][place] for place in ranked] for ranked in fourth["lists"]]
    assert lists == [[["x", None], ["d", 1], ["e", 3]], [["e", 3], ["d", 1]]]


def test_derivations_end_in_the_value_of_the_run(quick: Make) -> None:
    data = data_of(quick(QRELS, {"old": OLD, "new": NEW}).html)
    derived = json.loads(gzip.decompress(base64.b64decode(data["derivations"])))[0]
    assert "RR of query q4 = 0.5000" in derived["3"][0]
    assert "RR of query q4 = 1.0000" in derived["3"][1]
    assert "<style" not in derived["3"][0]


@pytest.mark.parametrize("ties", ["trec", "expected", "pessimistic"])
def test_derivations_of_many_queries_are_those_of_each_alone(quick: Make, ties: str) -> None:
    qrels = {
        "1": {"a": 1, "b": 0, "c": 2},
        "2": {"a": 1, "d": -1},
        "3": {"b": 1, "c": 1},
        "4": {"a": 0, "b": 1},
    }
    new = {"1": {"b": 3.0, "a": 3.0, "x": 1.0}, "2": {"d": 2.0, "a": 1.0}, "3": {"y": 2.0, "c": 2.0}}
    runs = {"old": {query: {"a": 1.0, "b": 0.5} for query in qrels}, "new": new}
    asked, policy = ["AP", "nDCG@2"], carob.Policy(ties=ties)
    texts = {
        name: "".join(
            f"{q} Q0 {d} 0 {score} r\n" for q, its in run.items() for d, score in its.items()
        ).encode()
        for name, run in runs.items()
    }
    for given in (runs, texts):
        found = data_of(quick(qrels, given, asked, policy=policy).html)
        derived = json.loads(gzip.decompress(base64.b64decode(found["derivations"])))
        for measure, of_measure in zip(asked, derived, strict=True):
            for place, of_runs in of_measure.items():
                query = found["queries"][int(place)]
                for name, own in zip(runs, of_runs, strict=True):
                    alone = {query: qrels[query], "other": {"z": 1}}
                    its = {each: runs[name][each] for each in (query, "other") if each in runs[name]}
                    run = carob.Run.of(its | {"other": {"z": 1.0}}, name)
                    told = carob.explain(measure, alone, run, query, policy=policy, rows=20, digits=4)
                    assert own == told.document("html").written(Html(4))
                    assert ("does not contain this query" in own) == (query not in runs[name])


def test_every_measure_has_its_verdict_its_intervals_and_its_derivations(quick: Make) -> None:
    made = quick(QRELS, {"old": OLD, "new": NEW}, ["RR", "nDCG@10", "P@2"])
    data = data_of(made.html)
    derived = json.loads(gzip.decompress(base64.b64decode(data["derivations"])))
    for place, (label, contest) in enumerate(made.comparison.contests.items()):
        row = data["contests"][place]
        verdict = verdict_of(made.comparison, contest)
        assert row["verdict"] == [verdict.headline, list(verdict.sentences), verdict.small]
        assert row["verdict"][2].startswith(f"{label} over 4 queries")
        for low, known in zip(row["low"], contest.low, strict=True):
            assert low == pytest.approx(known, rel=1e-6) if math.isfinite(known) else low is None
        for run in (0, 1):
            value = contest.values[3, run]
            assert f"{label} of query q4 = {value:.4f}" in derived[place]["3"][run]


def test_the_eleven_points_fall_and_the_judged_share_is_a_share(quick: Make) -> None:
    data = data_of(quick(QRELS, {"old": OLD, "new": NEW}).html)
    curves = {each["name"]: each for each in data["curves"]}
    for line in curves["recall"]["runs"]:
        assert line == sorted(line, reverse=True)
    # At depth 1: old has x, b, y, x, of which b is judged; new has judged documents alone.
    assert [line[0] for line in curves["judged"]["runs"]] == [0.25, 1]


def test_letters_beside_the_scores_are_those_of_the_comparison(tea: Path) -> None:
    found = carob.compare(str(TEA / "qrels.txt"), RUNS, ["nDCG@10", "AP", "RR"])
    text = tea.read_text(encoding="utf-8")
    rows = re.findall(r'<tr data-run="(\d)">(.*?)</tr>', text, re.DOTALL)
    assert len(rows) == len(RUNS)
    for run, row in rows:
        cells = re.findall(r"<td data-value[^>]*>[\d.]+(?:<sup>([\w\s,]*)</sup>)?</td>", row)
        assert [re.sub(r"\W", "", cell) for cell in cells[:3]] == [
            contest.letters[int(run)] for contest in found.contests.values()
        ]


@pytest.mark.parametrize("queries", [40, 700])
def test_a_page_of_one_run_shows_its_scores_and_says_that_nothing_is_compared(
    quick: Make, queries: int
) -> None:
    draw = np.random.default_rng(4)
    names = [f"q{number:04}" for number in range(queries)]
    run = {name: {"a": float(draw.random()), "b": 0.5, "c": 0.2} for name in names}
    made = quick({name: {"a": 1} for name in names}, {"only": run}, ["RR", "P@2"])
    shown, data = made.html.partition("<main")[2].partition("</main")[0], data_of(made.html)
    values = carob.evaluate({name: {"a": 1} for name in names}, run, ["RR", "P@2"])
    mean = f"{values['RR']:.{3 if queries < 50 else 4}f}"
    assert f"only has RR {mean} (95% interval " in shown
    assert "There is one run, so there is nothing to compare." in shown
    assert f"We evaluated one run on {queries} queries by RR, P@2" in shown
    for word in ("minus", "significant", "A − B", "pick-a", "All pairs", "BibTeX", "compared"):
        assert word not in shown, word
    assert outline(made.html).open == []
    assert sorted(data["charts"]) == ["bars", "depth", "judged", "recall", "spread"]
    block = np.frombuffer(base64.b64decode(data["values"]["data"]), "<f4").reshape(2, queries)
    assert np.abs(block - values.matrix.T).max() < 1e-7
    hardest = np.argsort(values.matrix[:, 0], kind="stable")[:4]
    assert {*hardest.tolist()} <= {each["query"] for each in data["closeups"]}
    assert repr(made).startswith(f"<carob report: 1 run, {queries} queries, 2 measures, ")


@pytest.mark.parametrize("option", [{"baseline": "old"}, {"test": "randomisation"}, {"margin": 0.1}])
def test_a_page_of_one_run_refuses_what_compares_runs(quick: Make, option: dict[str, Any]) -> None:
    with pytest.raises(carob.PolicyError, match=f"{next(iter(option))} has no meaning for a single run"):
        quick(QRELS, {"old": OLD}, **option)


def test_scores_and_a_judge_make_a_page_of_one_run(quick: Make) -> None:
    made = quick(None, [carob.evaluate(QRELS, OLD, ["RR"], name="old")], ["RR"]).html
    assert "There are no ranked lists" in made
    assert 'id="curves"' not in made
    people = {query: QRELS[query] for query in ("q1", "q2", "q4")}
    assert (
        "The mean and its interval are estimates from people" in quick(people, {"old": OLD}, judge=QRELS).html
    )


def test_compressed_runs_have_the_same_lists(quick: Make, tmp_path: Path) -> None:
    packed = []
    for run in RUNS[:2]:
        path = tmp_path / f"{run.rpartition('/')[2]}.gz"
        path.write_bytes(gzip.compress(Path(run).read_bytes()))
        packed.append(str(path))
    plain, unpacked = (data_of(quick(str(TEA / "qrels.txt"), runs).html) for runs in (RUNS[:2], packed))
    assert plain["closeups"] == unpacked["closeups"]
    assert plain["names"] == unpacked["names"]


def test_scores_alone_make_a_page_without_lists(quick: Make) -> None:
    scores = [carob.evaluate(QRELS, run, ["RR"], name=name) for name, run in (("old", OLD), ("new", NEW))]
    made = quick(None, scores, ["RR"]).html
    data = data_of(made)
    assert data["closeups"] == data["curves"] == []
    assert "There are no ranked lists" in made


def test_many_queries_are_shown_in_part(quick: Make) -> None:
    draw = np.random.default_rng(3)
    queries = [f"q{number:04}" for number in range(700)]
    qrels = {query: {"a": 1} for query in queries}
    runs = {
        name: {query: {"a": float(draw.random()), "b": 0.5, "c": 0.6} for query in queries}
        for name in ("one", "two", "three")
    }
    made = quick(qrels, runs)
    data = data_of(made.html)
    assert len(data["closeups"]) == 50
    assert "50 of 700 queries are underlined and can be opened" in made.html
    values = made.comparison.primary.values
    best, second = data["pair"]
    largest = int(np.argmax(values[:, best] - values[:, second]))
    gains = [values[each["query"], best] - values[each["query"], second] for each in data["closeups"]]
    assert max(gains) == values[largest, best] - values[largest, second]
    (derived,) = json.loads(gzip.decompress(base64.b64decode(data["derivations"])))
    assert len(derived) == 50


@pytest.mark.parametrize(
    ("qrels", "old", "new", "policy"),
    [
        ({"q": {"a": 1}}, {"q": {"a": 1.0}}, {"q": {"b": 2.0, "a": 1.0}}, carob.Policy()),
        (QRELS, OLD, OLD, carob.Policy()),
        (QRELS, OLD, {"q1": {"a": 1.0}, "q2": {"b": 1.0}}, carob.Policy(missing="nan")),
        (QRELS, OLD, {"q1": {"a": 1.0}, "q2": {"b": 1.0}}, carob.Policy(missing="skip")),
        (
            QRELS,
            {query: {"x": 1.0} for query in QRELS},
            {query: {"y": 1.0} for query in QRELS},
            carob.Policy(),
        ),
    ],
    ids=["one query", "identical runs", "undefined values", "skipped queries", "nothing found"],
)
def test_a_page_is_made_of_little(quick: Make, qrels: Any, old: Any, new: Any, policy: carob.Policy) -> None:
    made = quick(qrels, {"old": old, "new": new}, ["RR", "nDCG@10"], policy=policy)
    assert outline(made.html).open == []
    assert len(data_of(made.html)["contests"]) == 2
    assert "nan" not in re.sub(
        r"<[^>]*>", "", made.html.partition("<main")[2].partition('<section id="methods')[0]
    )


def test_a_page_tells_equal_caveats_once_and_how_a_bootstrap_was_drawn(quick: Make) -> None:
    late = {query: each for query, each in OLD.items() if query != "q1"}
    runs = {"one": late, "two": late, "new": NEW}
    made = quick(QRELS, runs, interval="bootstrap", resamples=50, seed=7, test="t").html
    assert "<li>one, two lack 1 of 4 judged queries, counted as 0: q1.</li>" in made
    assert "lacks 1 of 4" not in made.partition("<main")[2].partition("</main")[0]
    assert "95% percentile bootstrap intervals (50 resamples and seed 7) and d_z" in made
    drawn = quick(QRELS, runs, interval="bootstrap", resamples=50, seed=7, test="randomisation").html
    # Four queries have 16 assignments of signs, which are all counted.
    assert "queries&#39; differences, over all assignments of signs at" in drawn
    assert "95% percentile bootstrap intervals (50 resamples and seed 7) and d_z" in drawn


def test_json_in_a_script_cannot_end_it() -> None:
    written = script_json({"name": HOSTILE})
    assert not set("<>&\u2028") & set(written)
    assert json.loads(written) == {"name": HOSTILE}
    assert script_json({"p": "<0.001", "q": "<", "0": 0}) == '{"p":"<0.001","q":"\\u003c","0":0}'
    assert inert("a</script>b<!--") == "a<\\/script>b<\\!--"


def test_a_package_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("carob.reports.page.find_spec", lambda name: None)
    with pytest.raises(
        carob.DataError, match=r"needs jinja2.*, which .* not installed\. Run pip install 'carob\[report\]'"
    ):
        carob.report(QRELS, {"old": OLD, "new": NEW})


def test_the_real_page_is_small_and_whole(tea: Path) -> None:
    text = tea.read_text(encoding="utf-8")
    assert outline(text).open == []
    assert len(text.encode()) < 1_600_000
    assert "removing the caffeine from tea" in text


def test_the_numbers_of_the_page_are_those_of_compare(tea: Path) -> None:
    data = data_of(tea.read_text(encoding="utf-8"))
    found = carob.compare(str(TEA / "qrels.txt"), RUNS, ["nDCG@10", "AP", "RR"])
    for row, contest in zip(data["contests"], found.contests.values(), strict=True):
        assert row["means"] == pytest.approx(contest.means, abs=1e-6)
        assert [pair[7] for pair in row["pairs"]] == [pair.ties for pair in contest.pairs]
        assert [pair[9] for pair in row["pairs"]] == pytest.approx(
            [pair.p_corrected for pair in contest.pairs]
        )


@pytest.mark.parametrize(("runs", "queries"), [(2, 50), (4, 300), (40, 5000)])
def test_every_chart_obeys_the_schema_of_vega_lite(runs: int, queries: int) -> None:
    altair = pytest.importorskip("altair", reason="brings Vega-Lite's schema")
    jsonschema = pytest.importorskip("jsonschema", reason="comes with Altair")
    curves = [("recall", "recall", "precision"), ("depth", "depth k", "nDCG@k")]
    for chart in charts(runs, queries, curves).values():
        altair.Chart.from_dict(chart)
    with pytest.raises(jsonschema.ValidationError):
        altair.Chart.from_dict({**charts(runs, queries, [])["bars"], "mark": "no such mark"})


def test_a_page_has_the_same_drawing_library_with_the_wheels_and_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vl_convert = pytest.importorskip("vl_convert", reason="bundles the drawing library")
    monkeypatch.syspath_prepend(CHECKOUT / "build_backend")
    import vega

    monkeypatch.setattr(page, "carried", lambda: None)
    made, version = drawing_library()
    assert version == vl_convert.get_vega_version()
    monkeypatch.setattr(vega, "TARGET", tmp_path / "reports" / "templates" / "vega.js.xz")
    vega.TARGET.parent.mkdir(parents=True)
    monkeypatch.setattr(vega, "find_spec", lambda name: None)  # the installed page keeps its own
    vega.main()
    monkeypatch.setattr(page, "carried", lambda: vega.TARGET)
    monkeypatch.setattr(page, "PROGRAM", "raise SystemExit(1)")
    carried, again = drawing_library()
    assert again == version
    assert carried.partition("*/\n")[2] == made.partition("*/\n")[2]


def test_lists_leave_out_excluded_documents(quick: Callable[..., carob.Report], tmp_path: Path) -> None:
    path = tmp_path / "old.run"
    path.write_text("q1 Q0 x 1 3 t\n\nq10 Q0 x 1 3 t\nq1 Q0 a 2 2 t\nq2 Q0 c 1 1 t\n")
    old = carob.Run.of(str(path), exclude={"q1": ["x"]})
    new = carob.Run.of({"q1": {"b": 1.0}}, exclude={"q1": ["x"]})
    made = quick({"q1": {"a": 1, "b": 1}, "q2": {"c": 1}}, {"old": old, "new": new})
    shown = {each["query"]: each for each in data_of(made.html)["closeups"]}
    assert shown[0]["documents"] == [["a", 1], ["b", 1]]
    assert shown[0]["lists"] == [[0], [1]]


@pytest.mark.parametrize(
    ("measure", "words"), [("RR", "interval, p and verdict are from the worst-point interval"), ("AP", "")]
)
def test_the_methods_paragraph_names_the_intervals_of_the_table(measure: str, words: str) -> None:
    runs = {name: TEA / "runs" / f"{name}.run" for name in ("bm25", "feedback")}
    found = methods_paragraph(carob.compare(TEA / "qrels.txt", runs, measure))
    assert ("worst-point" in found) == bool(words)
    assert words in found
    assert found.endswith("100.0% of the first 10 documents are judged.")


SUMS = ["nDCG@10", "AP", "RR", "P@10", "R@20", "RBP", "DCG@5", "ERR@10", "Rprec", "AP@15"]


def test_what_documents_add_sums_to_the_difference(quick: Make) -> None:
    made = quick(str(TEA / "qrels.txt"), RUNS, SUMS)
    data = data_of(made.html)
    shares = json.loads(gzip.decompress(base64.b64decode(data["shares"])))
    checked = 0
    for contest, own in zip(made.comparison.contests.values(), shares, strict=True):
        for each in data["closeups"]:
            sums = [sum(steps) for steps in own[str(each["query"])]]
            np.testing.assert_allclose(
                np.subtract.outer(sums, sums),
                np.subtract.outer(*[contest.values[each["query"]]] * 2),
                rtol=0,
                atol=1e-9,
            )
            checked += 1
    assert checked == len(SUMS) * len(made.comparison.queries)


def test_an_unjudged_document_adds_nothing_and_a_term_is_its_gain_by_discount(quick: Make) -> None:
    qrels = {"q": {"a": 2, "b": 1}, "r": {"a": 1}}
    runs = {
        "one": {"q": {"x": 3.0, "a": 2.0, "b": 1.0}, "r": {"a": 1.0}},
        "two": {"q": {"b": 1.0}, "r": {"a": 1.0}},
    }
    data = data_of(quick(qrels, runs, ["DCG@2"]).html)
    own = json.loads(gzip.decompress(base64.b64decode(data["shares"])))[0]["0"]
    assert own[0][:4] == pytest.approx([0, 2 / np.log2(3), 0, 0])
    assert own[1][:2] == [1, 0]
