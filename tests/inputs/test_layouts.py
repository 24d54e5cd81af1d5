"""JSON documents that are no table: golden sets of services, and the answers and exports of other tools."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import carob
from carob.cli import main
from carob.inputs.layouts import layouts, unwrapped
from carob.output.errors import DataError

GOLDEN = [
    {"id": "q1", "question": "how to x", "expectedIds": ["a", "b"], "tags": ["easy"]},
    {"id": "q2", "question": "what is y", "expectedIds": ["c"], "tags": []},
]
GRADED = [
    {"id": "q1", "query": "how to x", "expected_ids": ["a", "b"], "grades": [1, 1]},
    {"id": "q2", "query": "what is y", "expected_ids": ["c"], "grades": [1]},
]
RECORDS = [
    {"id": "q1", "question": "how to x", "expected": [{"docId": "a"}, {"docId": "b"}]},
    {"id": "q2", "question": "what is y", "expected": [{"docId": "c"}]},
]
OUTPUTS: dict[str, Any] = {
    "ids": [{"id": "q1", "retrievedIds": ["z", "a"]}, {"id": "q2", "question": "y", "retrievedIds": ["c"]}],
    "records": [
        {"id": "q1", "results": [{"docId": "a", "score": 0.5, "title": "A"}, {"docId": "z", "score": 0.9}]},
        {"id": "q2", "results": [{"docId": "c", "score": 0.9}]},
    ],
    "ids and scores": [
        {"id": "q1", "results": [{"id": "a", "score": 0.5}, {"id": "z", "score": 0.9}]},
        {"id": "q2", "results": [{"id": "c", "score": 0.9}]},
    ],
    "no scores": [
        {"id": "q1", "results": [{"id": "z"}, {"id": "a"}]},
        {"id": "q2", "results": [{"id": "c"}]},
    ],
    "results": [{"questionId": "q1", "results": ["z", "a"]}, {"questionId": "q2", "results": ["c"]}],
    "by query": {"q1": [{"id": "z"}, {"id": "a"}], "q2": [{"id": "c"}]},
}


def hits(*ids: str) -> dict[str, Any]:
    """Returns an engine's answer to a search, as its reference shows it."""
    found = [
        {"_index": "i", "_id": each, "_score": 9.5 - place, "_source": {"id": "x", "score": 3}}
        for place, each in enumerate(ids)
    ]
    total = {"value": len(ids), "relation": "eq"}
    shards = {"total": 1, "successful": 1, "skipped": 0, "failed": 0}
    return {
        "took": 3,
        "timed_out": False,
        "_shards": shards,
        "hits": {"total": total, "max_score": 1.0, "hits": found},
    }


RATED = [
    {"query": "q1", "ratings": [{"docId": "a", "rating": "1.000"}, {"docId": "b", "rating": "1.000"}]},
    {"query": "q2", "ratings": [{"docId": "c", "rating": "1.000"}]},
]
# From the references that layouts.toml names.
JUDGED: dict[str, Any] = {
    "_rank_eval request": {
        "requests": [
            {
                "id": "q1",
                "request": {"query": {"match": {"text": "x"}}},
                "ratings": [
                    {"_index": "i", "_id": "a", "rating": 1},
                    {"_index": "i", "_id": "b", "rating": 1},
                ],
            },
            {"id": "q2", "request": {}, "ratings": [{"_index": "i", "_id": "c", "rating": 1}]},
        ],
        "metric": {"precision": {"k": 20}},
    },
    "OpenSearch: imported": {"name": "J", "type": "IMPORT_JUDGMENT", "judgmentRatings": RATED},
    "OpenSearch: viewed": {
        "took": 36,
        "hits": {
            "total": 1,
            "hits": [{"_index": "j", "_id": "1", "_source": {"id": "1", "judgmentRatings": RATED}}],
        },
    },
    "Quepid: ratings": {
        "queries": [{"query": "q1", "ratings": {"a": 1, "b": 1}}, {"query": "q2", "ratings": {"c": 1}}]
    },
    "Quepid: case": {
        "case_id": 1,
        "queries": [
            {"query_text": "q1", "notes": None, "ratings": {"a": 1, "b": 1}},
            {"query_text": "q2", "notes": None, "ratings": {"c": 1}},
        ],
    },
    "Quepid: RRE": {
        "id_field": "id",
        "index": "case",
        "template": "template.json",
        "queries": [
            {"placeholders": {"$query": "q1"}, "relevant_documents": {"1": ["a", "b"]}},
            {"placeholders": {"$query": "q2"}, "relevant_documents": {"1": ["c"]}},
        ],
    },
    "LlamaIndex": {
        "queries": {"q1": "how", "q2": "why"},
        "corpus": {"a": "A", "b": "B", "c": "C"},
        "relevant_docs": {"q1": ["a", "b"], "q2": ["c"]},
        "mode": "text",
    },
    "wrapped": {"version": 1, "cases": GOLDEN},
    "rows": GOLDEN,
}
RANKED: dict[str, Any] = {
    "responses by query": {"q1": hits("z", "a"), "q2": hits("c")},
    "_rank_eval response": {
        "metric_score": 0.4,
        "details": {
            "q1": {
                "metric_score": 0.5,
                "unrated_docs": [{"_index": "i", "_id": "z"}],
                "hits": [
                    {"hit": {"_index": "i", "_id": "z", "_score": 0.9}, "rating": None},
                    {"hit": {"_index": "i", "_id": "a", "_score": 0.8}, "rating": 1},
                ],
                "metric_details": {"precision": {"relevant_docs_retrieved": 1, "docs_retrieved": 2}},
            },
            "q2": {
                "metric_score": 1.0,
                "unrated_docs": [],
                "hits": [{"hit": {"_index": "i", "_id": "c", "_score": 0.9}, "rating": 1}],
                "metric_details": {},
            },
        },
        "failures": {},
    },
    "OpenSearch: evaluation": {
        "hits": {
            "total": 2,
            "hits": [
                {
                    "_id": "1",
                    "_source": {"searchText": "q1", "judgmentIds": ["j"], "documentIds": ["z", "a"]},
                },
                {"_id": "2", "_source": {"searchText": "q2", "judgmentIds": ["j"], "documentIds": ["c"]}},
            ],
        }
    },
    "mteb": {
        "mteb_model_meta": {"model_name": "m", "revision": "1"},
        "default": {"test": {"q1": {"a": 0.5, "z": 0.9}, "q2": {"c": 0.9}}},
    },
    "wrapped": {"model": "m", "results": OUTPUTS["records"]},
}
HALF = {"q1": 0.5, "q2": 1.0}
"""RR: the first of two documents is not relevant. Recall: one of two relevant documents is retrieved."""
BOTH = [HALF, HALF]


def written(folder: Path, name: str, document: Any, *, lines: bool = False, indent: int | None = None) -> str:
    path = folder / f"{name}.json{'l' * lines}"
    path.write_text(
        "".join(json.dumps(row) + "\n" for row in document) if lines else json.dumps(document, indent=indent)
    )
    return str(path)


def scored(qrels: Any, run: Any) -> list[dict[str, float]]:
    scores = carob.evaluate(qrels, run, ["RR", "R@10"])
    return [scores.by_query("RR"), scores.by_query("R@10")]


@pytest.mark.parametrize("lines", [False, True])
@pytest.mark.parametrize("shape", OUTPUTS)
@pytest.mark.parametrize("golden", [GOLDEN, GRADED, RECORDS], ids=["ids", "grades", "records"])
def test_golden_sets_and_outputs_of_services_are_read_as_they_stand(
    golden: Any, shape: str, lines: bool, tmp_path: Path
) -> None:
    output = OUTPUTS[shape]
    run = written(tmp_path, "run", output, lines=lines and isinstance(output, list))
    assert scored(written(tmp_path, "golden", golden, lines=lines), run) == BOTH
    if isinstance(output, list):
        assert scored(golden, output) == BOTH


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("tool", JUDGED)
def test_judgments_of_tools_are_read_as_they_stand(tool: str, indent: int | None, tmp_path: Path) -> None:
    run = {"q1": {"z": 2.0, "a": 1.0}, "q2": {"c": 1.0}}
    assert scored(written(tmp_path, "qrels", JUDGED[tool], indent=indent), run) == BOTH
    assert scored(JUDGED[tool], run) == BOTH


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("tool", RANKED)
def test_answers_of_tools_are_read_as_they_stand(tool: str, indent: int | None, tmp_path: Path) -> None:
    qrels = {"q1": {"a": 1, "b": 1}, "q2": {"c": 1}}
    assert scored(qrels, written(tmp_path, "run", RANKED[tool], indent=indent)) == BOTH
    assert scored(qrels, RANKED[tool]) == BOTH


def test_answers_without_queries_are_numbered_in_their_order(tmp_path: Path) -> None:
    qrels = {"1": {"a": 1}, "2": {"c": 1}}
    several = {"took": 5, "responses": [hits("z", "a"), hits("c")]}
    for run in (several, written(tmp_path, "several", several)):
        assert carob.evaluate(qrels, run, "RR").by_query("RR") == {"1": 0.5, "2": 1.0}
    one = written(tmp_path, "one", hits("z", "a"))
    assert carob.evaluate({"1": {"a": 1}}, one, "RR").by_query("RR") == {"1": 0.5}


NAMED = (
    "Write each answer under its query id, {query: answer}, or write one line per answer that also contains the id, "
    '{"query": …, "response"'
)


@pytest.mark.parametrize("where", ["file", "dict", "rows", "one"])
def test_positions_of_answers_are_no_spelling_of_queries(where: str, tmp_path: Path) -> None:
    """An answer without hits leaves a gap in the positions, and its query has no row."""
    qrels = {f"usb-c cable {number}": {"a": 1} for number in range(1, 6)}
    answers: Any = {"responses": [hits("a"), hits("c"), hits(), hits("a"), hits("b")]}
    given = {
        "file": written(tmp_path, "m", answers),
        "dict": answers,
        "rows": carob.Run.of(answers),
        "one": written(tmp_path, "one", hits("a", "c")),
    }[where]
    with pytest.raises(
        DataError, match="answers do not contain query ids, so the queries are numbered by position. " + NAMED
    ):
        carob.evaluate(qrels, given, "RR")
    findings = {each.code: each for each in carob.check(qrels, given)}
    assert "query-spelling" not in findings
    assert "so the queries are numbered by position" in findings["no-common-query"].remedy


def test_positions_that_are_only_some_of_the_judged_ids_are_doubted(tmp_path: Path) -> None:
    run = written(tmp_path, "m", {"responses": [hits("a"), hits("c"), hits("b")]})
    judged = {"2": {"a": 1}, "07": {"c": 1}}
    said = " ".join(carob.evaluate(judged, run, "RR").warnings)
    assert "Not all positions are judged query ids" in said
    assert "'07'" not in said


def test_answers_that_name_no_query_say_how_to_name_it(tmp_path: Path) -> None:
    """For several files, lines, rows and frames."""
    answers = [hits("a"), hits("c")]
    for number, answer in enumerate(answers):
        written(tmp_path, f"part{number}", answer)
    pattern = str(tmp_path / "part*.json")
    with pytest.raises(
        DataError, match="matches 2 files, but only one file of this kind can be read at a time. " + NAMED
    ):
        carob.Run.of(pattern)
    lines = written(tmp_path, "lines", answers, lines=True)
    for given in (lines, answers, pytest.importorskip("polars").DataFrame(answers)):
        with pytest.raises(
            DataError, match="the answers of a search engine do not contain query ids. " + NAMED
        ):
            carob.Run.of(given)
    named = [{"query": f"q{number}", "response": each} for number, each in enumerate(answers)]
    run = written(tmp_path, "named", named, lines=True)
    assert carob.evaluate({"q0": {"a": 1}, "q1": {"c": 1}}, run, "RR").by_query("RR") == {
        "q0": 1.0,
        "q1": 1.0,
    }


def test_several_json_files_may_be_lines(tmp_path: Path) -> None:
    for number in range(2):
        written(tmp_path, f"part{number}", {f"q{number}": {"a": 1.0}})
    with pytest.raises(
        DataError, match=r"Pass one file, or use JSON lines \(.jsonl\), which can be split over several files"
    ):
        carob.Run.of(str(tmp_path / "part*.json"))


def test_hits_that_are_sorted_by_a_field_have_no_score(tmp_path: Path) -> None:
    answer = hits("z", "a")
    for each in answer["hits"]["hits"]:
        each["_score"] = None
    path = written(tmp_path, "sorted", {"q1": answer})
    with pytest.raises(DataError, match=r"'_score' is missing or null.*position in the list"):
        carob.evaluate({"q1": {"a": 1}}, path, "RR")
    run = carob.Run.of(path, rank="hits.hits")
    assert carob.evaluate({"q1": {"a": 1}}, run, "RR").by_query("RR") == {"q1": 0.5}


def test_another_field_of_a_hit_may_be_the_document(tmp_path: Path) -> None:
    answer = hits("z", "a")
    for each in answer["hits"]["hits"]:
        each["_source"]["sku"] = each["_id"].upper()
    run = carob.Run.of(written(tmp_path, "sku", {"q1": answer}), document="hits.hits._source.sku")
    assert carob.evaluate({"q1": {"A": 1}}, run, "RR").by_query("RR") == {"q1": 0.5}


@pytest.mark.parametrize("tool", [each for each in JUDGED if each not in ("wrapped", "rows")])
def test_judgments_in_place_of_a_run_are_one_sentence(tool: str, tmp_path: Path) -> None:
    for run in (written(tmp_path, "run", JUDGED[tool]), JUDGED[tool]):
        with pytest.raises(
            DataError, match=r"which contains judgments but no ranked lists: are qrels and run swapped\?"
        ):
            carob.evaluate({"q1": {"a": 1}}, run, "RR")


@pytest.mark.parametrize("tool", [each for each in RANKED if each != "wrapped"])
def test_a_run_in_place_of_judgments_is_one_sentence(tool: str, tmp_path: Path) -> None:
    for qrels in (written(tmp_path, "qrels", RANKED[tool]), RANKED[tool]):
        with pytest.raises(
            DataError, match=r"which contains ranked lists but no judgments: are qrels and run swapped\?"
        ):
            carob.Qrels.of(qrels)


def test_a_table_of_the_other_side_says_so(tmp_path: Path) -> None:
    with pytest.raises(
        DataError, match=r"'expectedIds' lists relevant documents: are qrels and run swapped\?"
    ):
        carob.Run.of(written(tmp_path, "golden", GOLDEN))
    with pytest.raises(
        DataError, match=r"'retrievedIds' lists retrieved documents: are qrels and run swapped\?"
    ):
        carob.Qrels.of(written(tmp_path, "run", OUTPUTS["ids"]))


def test_several_candidates_are_named(tmp_path: Path) -> None:
    both = {**RANKED["mteb"], "other": RANKED["mteb"]["default"]}
    with pytest.raises(
        DataError, match=r"each of 'default.test' and 'other.test' could contain the ranked lists"
    ):
        carob.Run.of(written(tmp_path, "both", both))


def test_dictionaries_of_answers_are_several_runs() -> None:
    runs = {"one": RANKED["_rank_eval response"], "two": RANKED["responses by query"]}
    scores = carob.evaluate(JUDGED["_rank_eval request"], runs, "RR")
    assert [each.by_query("RR") for each in scores.values()] == BOTH


@pytest.mark.parametrize(
    "document", [{}, {"q1": {}}, {"hits": {"a": 1}}, {"details": {"a": 1.0}}, {"queries": {"a": 2}}]
)
def test_dictionaries_of_judgments_are_no_documents_of_tools(document: dict[str, Any]) -> None:
    for kind in ("qrels", "run"):
        assert unwrapped(document, kind).content is document


def test_each_layout_is_tried() -> None:
    documents = [
        *JUDGED.values(),
        *RANKED.values(),
        hits("a"),
        {"responses": [hits("a")]},
        OUTPUTS["by query"],
    ]
    documents.append({"retriever_name": "bm25", "runs": {"q1": [{"did": "a", "text": "A", "score": 1.0}]}})
    from carob.inputs.layouts import homes

    for layout in layouts():
        tried = [each for each in documents if isinstance(each, dict)]
        assert any(homes(each, path, layout) for each in tried for path in layout["at"]), layout["tool"]


WITHOUT = """
import sys
for each in ("polars", "duckdb", "pyarrow", "pandas"):
    sys.modules[each] = None
from carob.cli import main
sys.exit(main(sys.argv[1:]))
"""


def test_a_services_files_go_from_the_first_page_to_the_gate_without_any_package(tmp_path: Path) -> None:
    """Eval, compare, gate, check, explain and report read them without an option for columns."""
    golden = written(tmp_path, "golden", GOLDEN, indent=2)
    old, new = (
        written(tmp_path, "old", OUTPUTS["ids"], indent=2),
        written(tmp_path, "new", OUTPUTS["records"], lines=True),
    )
    commands = [
        ["eval", golden, old, new, "-m", "RR"],
        ["compare", golden, old, new, "-m", "RR", "--format", "json"],
        ["gate", golden, new, "--baseline", old, "--max-drop", "RR=0.1"],
        ["check", golden, old],
        ["explain", "RR", golden, new, "--query", "q1"],
    ]
    for command in commands:
        done = subprocess.run([sys.executable, "-c", WITHOUT, *command], capture_output=True, text=True)
        assert done.returncode == (command[0] == "check"), (command, done.stdout, done.stderr)  # it warns


def test_csv_is_read_without_any_package(tmp_path: Path) -> None:
    (tmp_path / "q.csv").write_text("query_id,doc_id,relevance\nq1,a,1\nq1,b,1\n")
    (tmp_path / "r.csv").write_text("query_id,doc_id,score\nq1,a,1e-3\nq1,z,5\n")
    (tmp_path / "bad.csv").write_text("query_id,doc_id,score\nq1,a,1\nq1,z,high\n")
    (tmp_path / "wide.csv").write_text("query_id,doc_id,score\nq1,a,9007199254740993\n")
    texts = []
    for run in ("r.csv", "bad.csv", "wide.csv"):
        command = ["eval", "-m", "RR", str(tmp_path / "q.csv"), str(tmp_path / run)]
        done = subprocess.run([sys.executable, "-c", WITHOUT, *command], capture_output=True, text=True)
        texts.append(done.stdout + done.stderr)
    assert "0.5000" in texts[0]
    assert "bad.csv, line 3: 'high' in column 'score' is not a number" in texts[1]
    assert "wide.csv, line 2" in texts[2]
    assert "no double represents exactly" in texts[2]


def test_a_report_reads_them(tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    golden, old = written(tmp_path, "golden", GOLDEN), written(tmp_path, "old", OUTPUTS["ids"])
    new, page = written(tmp_path, "new", OUTPUTS["records"]), str(tmp_path / "page.html")
    main(["report", golden, old, new, "-o", page])
    assert "q2" in (tmp_path / "page.html").read_text()


TOOLS = Path(__file__).parent / "tools"
"""Written by the tools themselves: write_tool_files.py."""


@pytest.mark.parametrize(
    "name",
    ["sentence-transformers.jsonl", "mteb.json", "ragelo.json", "ragelo.run", "pyterrier.res.gz"],
)
def test_runs_that_tools_wrote_are_read_without_an_option(name: str) -> None:
    qrels = {"q1": {"a": 1, "b": 1}, "q2": {"c": 1}}
    assert carob.evaluate(qrels, str(TOOLS / name), "RR").by_query("RR") == HALF


@pytest.mark.parametrize("name", ["ragas.jsonl", "ragas.csv", "llama-index.json", "haystack.json"])
def test_logs_that_tools_wrote_are_read_without_an_option(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["eval", str(TOOLS / name), "-m", "RR", "-m", "R@10", "--format", "csv"])
    assert capsys.readouterr().out.splitlines()[1].endswith(",0.75,0.75")  # the means of 1/2 and 1


def test_per_query_values_that_pyterrier_wrote_are_scores() -> None:
    assert carob.read_scores(str(TOOLS / "pyterrier-perquery.csv"))["bm25"].by_query("RR") == HALF


def test_texts_without_ids_are_one_sentence() -> None:
    path = str(TOOLS / "ragas-texts.jsonl")
    for read in (carob.Run.of, carob.Qrels.of):
        with pytest.raises(
            DataError, match=r"_contexts' contains lists of texts without ids.*retrieved_context_ids"
        ):
            read(path)


QUEPID = {
    "basic": "query,docid,rating\nq1,a,1\nq1,b,1\nq2,c,1\n",
    "detailed": "Team Name,Case Name,Case ID,Query Text,Doc ID,Title,Rating,name\n"
    "t,c,1,q1,a,A,1,n\nt,c,1,q1,b,B,1,n\nt,c,1,q2,c,C,1,n\n",
}
SNAPSHOT = "Snapshot Name,Snapshot Time,Case ID,Query Text,Doc ID,Doc Position\n"
SNAPSHOT += "s,1,1,q1,z,1\ns,1,1,q1,a,2\ns,1,1,q2,c,1\n"


@pytest.mark.parametrize("form", QUEPID)
def test_tables_of_quepid_are_read_without_an_option(form: str, tmp_path: Path) -> None:
    (tmp_path / "ratings.csv").write_text(QUEPID[form])
    (tmp_path / "snapshot.csv").write_text(SNAPSHOT)
    assert scored(str(tmp_path / "ratings.csv"), str(tmp_path / "snapshot.csv")) == BOTH
