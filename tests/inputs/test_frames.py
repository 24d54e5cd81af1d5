"""Files, dicts and frames of every library that hold the same give the same values; what is unfit is named."""

from __future__ import annotations

import random
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import carob
from carob import DataError, Policy, Qrels, Run
from carob.inputs.frames import is_frame
from carob.inputs.runs import MatchOptions
from strategies import examples

if TYPE_CHECKING:
    from collections.abc import Callable

Row = tuple[str, str, float]

MEASURES = ["AP", "RR", "nDCG@3", "P@2", "R@5", "Bpref", "AP(over=retrieved)"]
QRELS, RUN = ("query_id", "doc_id", "relevance"), ("qid", "docno", "score")


def needed(*libraries: str) -> None:
    for library in libraries:
        if not find_spec(library):
            pytest.skip(f"needs {library}, which is not installed")


def pandas_frame(columns: dict[str, list[Any]]) -> Any:
    needed("pandas", "pyarrow")
    import pandas as pd

    return pd.DataFrame(columns)


def pandas_objects(columns: dict[str, list[Any]]) -> Any:
    needed("pandas", "pyarrow")
    import pandas as pd

    frame = pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in columns.items()})
    last = frame.columns[-1]
    return frame.assign(**{last: frame[last].astype(float)}).set_index(np.arange(len(frame))[::-1])


def pandas_categories(columns: dict[str, list[Any]]) -> Any:
    frame = pandas_frame(columns)
    return frame.astype(dict.fromkeys(frame.columns[:2], "category"))


def polars_frame(columns: dict[str, list[Any]]) -> Any:
    needed("polars")
    import polars as pl

    return pl.DataFrame(columns)


def polars_lazy(columns: dict[str, list[Any]]) -> Any:
    return polars_frame(columns).lazy()


def polars_categories(columns: dict[str, list[Any]]) -> Any:
    needed("polars")
    import polars as pl

    return polars_frame(columns).with_columns(pl.col(pl.String).cast(pl.Categorical))


def polars_in_chunks(columns: dict[str, list[Any]]) -> Any:
    needed("polars")
    import polars as pl

    count = len(next(iter(columns.values())))
    parts = [{name: values[at : at + 3] for name, values in columns.items()} for at in range(0, count, 3)]
    return pl.concat([pl.DataFrame(part) for part in parts], rechunk=False).slice(0)


def arrow_table(columns: dict[str, list[Any]]) -> Any:
    needed("pyarrow")
    import pyarrow as pa

    return pa.table(columns)


def arrow_sliced(columns: dict[str, list[Any]]) -> Any:
    """A batch that begins within its buffers, its ids as large text."""
    needed("pyarrow")
    import pyarrow as pa

    table = arrow_table({name: [values[0], *values, values[-1]] for name, values in columns.items()})
    kinds = [
        pa.field(each.name, pa.large_string() if each.type == pa.string() else each.type)
        for each in table.schema
    ]
    return table.cast(pa.schema(kinds)).slice(1, len(table) - 2)


def arrow_views(columns: dict[str, list[Any]]) -> Any:
    needed("pyarrow")
    import pyarrow as pa

    table = arrow_table(columns)
    kinds = [
        pa.field(each.name, pa.string_view() if each.type == pa.string() else each.type)
        for each in table.schema
    ]
    return table.cast(pa.schema(kinds))


def arrow_dictionaries(columns: dict[str, list[Any]]) -> Any:
    table = arrow_table(columns)
    for place in (0, 1):
        table = table.set_column(place, table.schema.names[place], table.column(place).dictionary_encode())
    return table


class Stream:
    """What has nothing but the Arrow stream interface."""

    def __init__(self, table: Any) -> None:
        self.table = table

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)


def stream(columns: dict[str, list[Any]]) -> Any:
    return Stream(arrow_table(columns))


def duckdb_relation(columns: dict[str, list[Any]]) -> Any:
    needed("duckdb", "pyarrow")
    import duckdb

    return duckdb.from_arrow(arrow_table(columns))


MAKERS = [
    pandas_frame,
    pandas_objects,
    pandas_categories,
    polars_frame,
    polars_lazy,
    polars_categories,
    polars_in_chunks,
    arrow_table,
    arrow_sliced,
    arrow_views,
    arrow_dictionaries,
    stream,
    duckdb_relation,
]
everywhere = pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
Make = "Callable[[dict[str, list[Any]]], Any]"


def columns(
    rows: list[Row], names: tuple[str, str, str], id_of: Callable[[str], Any] = str
) -> dict[str, list[Any]]:
    return {
        names[0]: [id_of(query) for query, _, _ in rows],
        names[1]: [id_of(document) for _, document, _ in rows],
        names[2]: [number for _, _, number in rows],
    }


def cases(seed: int, *, repeated: bool) -> tuple[list[Row], list[Row]]:
    """Ties, unjudged documents, queries missing, without judgments or relevant ones, rows in any order."""
    draw = random.Random(seed)
    documents = [str(number) for number in (1, 2, 3, 9, 10, 11, 20, 100, 101, -5)]
    qrels: list[Row] = [
        (query, document, draw.choice([-1, 0, 0, 1, 2]) if query != "3" else 0)
        for query in ("1", "2", "3", "10", "12")
        for document in draw.sample(documents, 5)
    ]
    run: list[Row] = [
        (query, document, draw.choice([0.5, 1.0, 1.0, 0.1, 2.5, -3.0]))
        for query in ("1", "2", "3", "10", "7")
        for document in draw.sample(documents, 8)
    ]
    if repeated:
        run += [(query, document, score + 0.5) for query, document, score in draw.sample(run, 6)]
        qrels += [(query, document, 2) for query, document, _ in draw.sample(qrels, 3)]
    draw.shuffle(run)
    return qrels, run


def nested(rows: list[Row]) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for query, document, number in rows:
        found.setdefault(query, {})[document] = number
    return found


def as_text(qrels: list[Row], run: list[Row]) -> tuple[bytes, bytes]:
    return (
        "".join(f"{query} 0 {document} {int(grade)}\n" for query, document, grade in qrels).encode(),
        "".join(f"{query} Q0 {document} 0 {score!r} t\n" for query, document, score in run).encode(),
    )


def by_query(scores: carob.Scores) -> list[dict[str, float]]:
    return [scores.by_query(measure) for measure in MEASURES]


@everywhere
@pytest.mark.parametrize("id_of", [str, int])
def test_a_frame_gives_the_values_of_the_file_and_the_dicts(make: Any, id_of: Any) -> None:
    for seed in range(4):
        qrels, run = cases(seed, repeated=False)
        text = carob.evaluate(*as_text(qrels, run), MEASURES)
        framed = carob.evaluate(make(columns(qrels, QRELS, id_of)), make(columns(run, RUN, id_of)), MEASURES)
        assert by_query(framed) == by_query(text)
        assert by_query(carob.evaluate(nested(qrels), nested(run), MEASURES)) == by_query(text)
        assert framed.counts.as_dict() == text.counts.as_dict()


@pytest.mark.parametrize("make", [polars_frame, arrow_table, pandas_frame, arrow_dictionaries])
@pytest.mark.parametrize("ties", ["trec", "ascending", "input", "expected", "optimistic", "pessimistic"])
@pytest.mark.parametrize("duplicates", ["first", "last", "max"])
def test_every_rule_for_ties_and_duplicates_decides_alike(make: Any, ties: str, duplicates: str) -> None:
    policy = Policy(ties=ties, duplicates=duplicates)
    for seed in range(3):
        qrels, run = cases(seed, repeated=True)
        text = carob.evaluate(*as_text(qrels, run), MEASURES, policy=policy)
        framed = carob.evaluate(make(columns(qrels, QRELS)), make(columns(run, RUN)), MEASURES, policy=policy)
        assert by_query(framed) == by_query(text)
        assert framed.counts.as_dict() == text.counts.as_dict()


ID = st.text(alphabet="ab1é ", min_size=1, max_size=20)


@settings(deadline=None, max_examples=examples(60))
@given(
    st.dictionaries(
        ID, st.dictionaries(ID, st.integers(0, 3), min_size=1, max_size=6), min_size=1, max_size=4
    ),
    st.data(),
)
def test_any_ids_whatever_give_the_values_of_the_dicts(
    qrels: dict[str, dict[str, int]], data: st.DataObject
) -> None:
    needed("polars")
    known = st.sampled_from(sorted({each for its in qrels.values() for each in its})) | ID
    scores = st.sampled_from([0.0, 1.0, 1.0, 2.0])
    run = data.draw(
        st.dictionaries(
            st.sampled_from(sorted(qrels)), st.dictionaries(known, scores, min_size=1), min_size=1
        )
    )
    frames = [
        polars_frame(
            columns(
                [(query, each, value) for query, its in rows.items() for each, value in its.items()], names
            )
        )
        for rows, names in ((qrels, QRELS), (run, RUN))
    ]
    assert by_query(carob.evaluate(*frames, MEASURES)) == by_query(carob.evaluate(qrels, run, MEASURES))


def test_many_rows_in_any_order_are_shared_among_threads_and_change_nothing() -> None:
    needed("pyarrow")
    draw = np.random.default_rng(3)
    queries = np.repeat(np.arange(300), 400)
    documents = np.concatenate([draw.choice(5000, 400, replace=False) for _ in range(300)])
    scores = draw.integers(0, 200, len(queries)).astype(np.float32) / np.float32(7)
    order = draw.permutation(len(queries))
    judged = draw.choice(len(queries), 3000, replace=False)
    qrels = arrow_table(
        {"query_id": queries[judged], "doc_id": documents[judged], "rel": draw.integers(0, 3, 3000)}
    )
    straight = arrow_table({"query_id": queries, "doc_id": documents, "score": scores})
    shuffled = arrow_table({"query_id": queries[order], "doc_id": documents[order], "score": scores[order]})
    lists: dict[str, dict[str, float]] = {}
    for query, document, score in zip(queries.tolist(), documents.tolist(), scores.tolist()):
        lists.setdefault(str(query), {})[str(document)] = score
    expected = by_query(carob.evaluate(qrels, lists, MEASURES))
    assert by_query(carob.evaluate(qrels, straight, MEASURES)) == expected
    assert by_query(carob.evaluate(qrels, shuffled, MEASURES)) == expected
    one = Run.of(shuffled).match(Qrels.of(qrels).judgments, MatchOptions(Policy(), cores=1))
    several = Run.of(shuffled).match(Qrels.of(qrels).judgments, MatchOptions(Policy(), cores=5))
    assert (one.rank == several.rank).all()
    assert (one.judgment == several.judgment).all()


@pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
def test_whole_numbers_of_every_width_are_ids(kind: str) -> None:
    needed("pyarrow")
    info = np.iinfo(kind)
    ids = np.array([info.min, info.max, 7, 10, 9], kind)
    qrels = {str(each): {str(each): 1} for each in ids.tolist()}
    run = arrow_table({"q_id": ids, "pid": ids, "sim": np.arange(5, dtype=np.float16)})
    assert carob.evaluate(qrels, run, "RR")["RR"] == 1.0


@pytest.mark.parametrize("kind", ["int8", "uint32", "uint64", "float16", "float32", "float64", "bool"])
def test_scores_and_grades_of_every_kind_are_numbers(kind: str) -> None:
    needed("pyarrow")
    scores = np.array([1, 0, 1], kind)
    run = arrow_table({"qid": ["q"] * 3, "docno": ["a", "b", "c"], "score": scores})
    qrels = arrow_table({"qid": ["q"] * 3, "docno": ["a", "b", "c"], "label": scores})
    found = carob.evaluate(qrels, run, ["AP", "P@2"])
    assert found.means() == {"AP": 1.0, "P@2": 1.0}
    assert found.counts.tied == 1  # a and c


def test_half_precision_is_read_as_numpy_reads_it() -> None:
    needed("pyarrow")
    every = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    every = every[np.isfinite(every)]
    ids = [str(number) for number in range(len(every))]
    run = Run.of(arrow_table({"qid": ["q"] * len(ids), "docno": ids, "score": every}))
    assert [score for _, _, score in run.held.rows()] == every.astype(float).tolist()


def test_single_precision_stays_exact() -> None:
    needed("polars")
    import polars as pl

    close = np.nextafter(np.float32(16777216.0), np.float32(np.inf), dtype=np.float32)
    frame = pl.DataFrame(
        {
            "qid": ["q", "q"],
            "docno": ["a", "b"],
            "score": pl.Series([16777216.0, float(close)], dtype=pl.Float32),
        }
    )
    assert carob.evaluate({"q": {"b": 1}}, frame, "RR")["RR"] == 1.0
    assert carob.evaluate({"q": {"b": 1}}, frame, "RR").counts.tied == 0


def test_decimals_are_numbers() -> None:
    needed("duckdb", "pyarrow")
    import duckdb

    run = duckdb.sql("select 'q' as qid, unnest(['a', 'b']) as docno, unnest([0.25, 0.5]) as score")
    assert carob.evaluate({"q": {"b": 1}}, run, "RR")["RR"] == 1.0


def test_whole_numbers_tie_as_their_decimal_text() -> None:
    needed("polars")
    run = polars_frame({"qid": [1, 1], "docno": [9, 10], "score": [1.0, 1.0]})
    # By bytes "9" is behind "10", and of tied documents the last id comes first: 9. As numbers it would be 10.
    assert carob.evaluate({"1": {"9": 1}}, run, "RR")["RR"] == 1.0
    assert carob.evaluate({"1": {"9": 1}}, run, "RR", policy=Policy(ties="ascending"))["RR"] == 0.5


def test_without_a_score_the_lowest_rank_comes_first() -> None:
    needed("polars")
    run = polars_frame({"qid": ["q"] * 3, "docno": ["a", "b", "c"], "rank": [3, 1, 2]})
    assert carob.evaluate({"q": {"c": 1}}, run, "RR")["RR"] == 0.5
    assert Run.of(run).held.rankings([b"q"], MatchOptions(Policy())) == [
        ([b"b", b"c", b"a"], [-1.0, -2.0, -3.0])
    ]


def test_scores_go_before_ranks_which_settle_ties_if_asked() -> None:
    needed("polars")
    run = polars_frame(
        {"qid": ["q"] * 3, "docno": ["a", "b", "c"], "score": [1.0, 1.0, 2.0], "rank": [1, 2, 3]}
    )
    qrels = {"q": {"a": 1}}
    assert carob.evaluate(qrels, run, "RR")["RR"] == 1 / 3
    assert carob.evaluate(qrels, run, "RR", policy=Policy(ties="rank-column"))["RR"] == 0.5
    assert carob.evaluate(qrels, Run.of(run, rank="rank"), "RR")["RR"] == 1.0
    with pytest.raises(DataError, match="has no ranks"):
        carob.evaluate(qrels, run.drop("rank"), "RR", policy=Policy(ties="rank-column"))


# ---------------------------------------------------------------- columns


@pytest.mark.parametrize(
    "query", ["query_id", "qid", "query", "user_id", "user", "q_id", "query-id", "Query_ID"]
)
@pytest.mark.parametrize(
    ("document", "number"),
    [
        ("doc_id", "score"),
        ("docno", "sim"),
        ("item_id", "prediction"),
        ("corpus-id", "score"),
        ("pid", "rank"),
        ("document_id", "score"),
    ],
)
def test_usual_names_are_found(query: str, document: str, number: str) -> None:
    needed("pyarrow")
    run = arrow_table({"text": ["?"], number: [1.0], document: ["d"], query: ["q"]})
    assert carob.evaluate({"q": {"d": 1}}, run, "RR")["RR"] == 1.0


@pytest.mark.parametrize("grade", ["relevance", "rel", "label", "grade", "rating", "qrel", "score"])
def test_usual_names_of_grades_are_found(grade: str) -> None:
    needed("pyarrow")
    qrels = arrow_table({"query-id": ["q"], "corpus-id": ["d"], grade: [1]})
    assert carob.evaluate(qrels, {"q": {"d": 1.0}}, "RR")["RR"] == 1.0


def test_the_text_of_a_query_and_an_index_of_its_own_do_not_confuse() -> None:
    needed("pandas", "pyarrow")
    run = pandas_frame(
        {"qid": ["q"], "query": ["what?"], "docid": [17], "docno": ["d"], "rank": [0], "score": [1.0]}
    )
    assert carob.evaluate({"q": {"d": 1}}, run, "RR")["RR"] == 1.0


@everywhere
def test_columns_of_any_name_are_taken_by_argument(make: Any) -> None:
    qrels = Qrels.of(
        make({"a": ["q", "q"], "b": ["x", "y"], "c": [1, 0]}), query="a", document="b", grade="c"
    )
    run = Run.of(
        make({"f": ["q", "q"], "d": ["y", "x"], "e": [2.0, 1.0]}), "mine", query="f", document="d", score="e"
    )
    scores = carob.evaluate(qrels, run, "RR")
    assert (scores.name, scores["RR"]) == ("mine", 0.5)


def test_half_precision_ranks_are_refused_because_they_lose_digits() -> None:
    frame = pytest.importorskip("pandas").DataFrame({"qid": "q", "docno": [f"d{n}" for n in range(3000)]})
    frame["rank"] = np.arange(1, 3001).astype(np.float16)  # 2048, 2048, 2050, 2052, 2052 ...
    with pytest.raises(
        DataError, match=r"'rank' of the run frame contains half-precision numbers.*Cast the ranks"
    ):
        carob.evaluate({"q": {"d2050": 1}}, frame, "RR")
    assert carob.evaluate({"q": {"d2050": 1}}, frame.assign(rank=range(1, 3001)), "RR")["RR"] == 1 / 2051


@pytest.mark.parametrize("make", [polars_frame, pandas_frame, duckdb_relation, polars_lazy])
@pytest.mark.parametrize(
    ("given_columns", "named", "said"),
    [
        (
            {"a": ["q"], "docno": ["d"], "score": [1.0]},
            {},
            "usual name for the query.*'a', 'docno', 'score'.*query=",
        ),
        ({"qid": ["q"], "docno": ["d"]}, {}, "usual name for the score or the rank.*'qid', 'docno'"),
        (
            {"qid": ["q"], "docno": ["d"], "score": [1.0]},
            {"document": "doc"},
            "no column 'doc' for the document.*'docno'",
        ),
        ({"qid": ["q"], "user_id": ["u"], "docno": ["d"], "score": [1.0]}, {}, "has 'qid' and 'user_id'"),
        (
            {"qid": [1.5], "docno": ["d"], "score": [1.0]},
            {},
            "'qid' of the run frame contains numbers with fractions",
        ),
        (
            {"qid": ["q"], "docno": ["d"], "score": ["1.0"]},
            {},
            "'score' of the run frame contains text, but a score must be a number",
        ),
        (
            {"qid": ["q", None], "docno": ["d", "e"], "score": [1.0, 2.0]},
            {},
            r"row 1 \(from 0\): column 'qid' is null",
        ),
        (
            {"qid": ["q"], "docno": ["d"], "rank": [1.5]},
            {},
            "row 0.*'rank' contains a rank that is not a whole number",
        ),
        (
            {"qid": ["q", "q"], "docno": ["d", "d"], "score": [1.0, 2.0]},
            {},
            "row 1 .*'d' is listed twice for query 'q' .first in row 0",
        ),
    ],
)
def test_what_cannot_be_used_is_named(
    make: Any, given_columns: dict[str, list[Any]], named: dict[str, str], said: str
) -> None:
    with pytest.raises(DataError, match=said):
        carob.evaluate({"q": {"d": 1}}, Run.of(make(given_columns), **named), "AP")


@pytest.mark.parametrize("make", [polars_frame, arrow_table, arrow_dictionaries])
def test_nan_is_refused_by_query_and_document_and_row(make: Any) -> None:
    run = make({"qid": ["q", "z", "z"], "docno": ["a", "b", "c"], "score": [1.0, 2.0, float("nan")]})
    with pytest.raises(DataError, match=r"row 2 \(from 0\): query 'z', document 'c': the score is NaN"):
        carob.evaluate({"q": {"a": 1}}, run, "AP")  # z has no judgments: still no run to trust
    qrels = make({"qid": ["q"], "docno": ["a"], "rel": [float("inf")]})
    with pytest.raises(DataError, match=r"row 0.*query 'q', document 'a': the grade is infinite"):
        Qrels.of(qrels)


@pytest.mark.parametrize("threads", [1, 4])
def test_the_first_bad_row_is_named_whatever_the_threads(threads: int) -> None:
    needed("pyarrow")
    scores = np.ones(200_000)
    scores[[70_000, 150_000]] = np.nan
    run = Run.of(arrow_table({"qid": np.zeros(200_000, int), "docno": np.arange(200_000), "score": scores}))
    with pytest.raises(DataError, match="row 70000 "):
        run.match(Qrels.of({"0": {"1": 1}}).judgments, MatchOptions(Policy(), cores=threads))


def test_a_judgment_given_twice_is_refused_by_row() -> None:
    needed("polars")
    qrels = polars_frame({"qid": ["q", "p", "q"], "docno": ["a", "a", "a"], "rel": [1, 1, 0]})
    with pytest.raises(
        DataError, match=r"row 2 \(from 0\): document '.*' is judged twice for query 'q' \(first in row 0\)"
    ):
        Qrels.of(qrels)
    assert Qrels.of(qrels, Policy(duplicates="last")).judgments.grades.tolist() == [1, 0]


def test_a_column_alone_and_an_empty_frame_are_refused() -> None:
    needed("pyarrow")
    import pyarrow as pa

    with pytest.raises(DataError, match="a single column, not a frame"):
        Run.of(Stream(pa.chunked_array([[1, 2]])))
    with pytest.raises(DataError, match="it has no rows"):
        Qrels.of(
            arrow_table(
                {
                    "qid": pa.array([], pa.string()),
                    "docno": pa.array([], pa.string()),
                    "rel": pa.array([], pa.int64()),
                }
            )
        )


def test_a_library_that_fails_is_quoted_in_a_sentence() -> None:
    needed("pandas", "pyarrow")
    import pandas as pd

    mixed = pd.DataFrame({"qid": pd.Series(["q", 1], dtype=object), "docno": ["a", "b"], "score": [1.0, 2.0]})
    with pytest.raises(DataError, match="The run frame from pandas cannot be read"):
        Run.of(mixed)


def test_what_is_no_frame_is_not_taken_for_one() -> None:
    assert not any(map(is_frame, ("path", b"bytes", {}, [], 1, None, object(), np.ones(3))))


def test_levels_of_an_index_of_pandas_are_columns() -> None:
    qrels, run = (
        pandas_frame(columns([("1", "a", 1), ("2", "b", 2)], QRELS)),
        [("1", "x", 2.0), ("1", "a", 1.0)],
    )
    plain = pandas_frame(columns(run, RUN))
    wanted = by_query(carob.evaluate(qrels, plain, MEASURES))
    assert by_query(carob.evaluate(qrels, plain.set_index(["qid", "docno"]), MEASURES)) == wanted
    assert by_query(carob.evaluate(qrels.set_index("query_id"), plain.set_index("docno"), MEASURES)) == wanted
    renamed = plain.rename(columns={"docno": "page"}).set_index("page")
    assert by_query(carob.evaluate(qrels, Run.of(renamed, document="page"), MEASURES)) == wanted
    # A column goes before a level of another name.
    other = plain.assign(doc_id=["q", "q"]).set_index("doc_id")
    assert by_query(carob.evaluate(qrels, other, MEASURES)) == wanted


def test_lists_beside_single_scores_are_pointed_to_where_they_are_read() -> None:
    needed("polars")
    lists = polars_frame({"qid": ["1"], "docno": [["a", "b"]], "score": [2.0]})
    with pytest.raises(DataError, match=r"'docno' of the run frame contains lists\..*carob\.evaluate_ids"):
        carob.evaluate({"1": {"a": 1}}, lists, "AP")
    read = polars_frame({"qid": ["1"], "docno": [["a", "b"]], "score": [[1.0, 2.0]]})
    assert carob.evaluate({"1": {"a": 1}}, read, "RR")["RR"] == 0.5


SUBTOPICS = [
    ("1", "a", "d1", 1),
    ("1", "b", "d1", 0),
    ("1", "b", "d2", 2),
    ("2", "x", "d1", -1),
    ("2", "y", "d3", 1),
    ("2", "x", "d3", 1),
]
DIVERSE = ["alphanDCG@3", "nERRIA@3", "PIA@2", "nDCG@3", "AP"]


def by_subtopic(rows: list[tuple[str, str, str, int]], column: str, id_of: Any = str) -> dict[str, list[Any]]:
    return {
        "query_id": [id_of(query) for query, _, _, _ in rows],
        column: [subtopic for _, subtopic, _, _ in rows],
        "docno": [document for _, _, document, _ in rows],
        "relevance": [grade for _, _, _, grade in rows],
    }


def each_value(scores: Any) -> dict[str, dict[str, float]]:
    return {label: scores.by_query(label) for label in DIVERSE}


@everywhere
def test_judgments_by_subtopic_come_in_frames_too(make: Any) -> None:
    run = {"1": {"d2": 3.0, "d1": 3.0, "d9": 1.0}, "2": {"d1": 2.0, "d3": 1.0}}
    text = "".join(
        f"{query} {each} {document} {grade}\n" for query, each, document, grade in SUBTOPICS
    ).encode()
    wanted = carob.evaluate(text, run, DIVERSE)
    for column in ("subtopic", "Intent", "iter"):
        framed = carob.evaluate(make(by_subtopic(SUBTOPICS, column)), run, DIVERSE)
        assert each_value(framed) == each_value(wanted)
    named = Qrels.of(make(by_subtopic(SUBTOPICS, "part", int)), subtopic="part")
    assert each_value(carob.evaluate(named, run, DIVERSE)) == each_value(wanted)


def test_what_a_frame_by_subtopic_lacks_or_holds_twice_is_said() -> None:
    needed("polars")
    with pytest.raises(
        DataError, match=r"no column with a usual name for the subtopic\. The columns are: 'query_id', 'part'"
    ):
        carob.evaluate(polars_frame(by_subtopic(SUBTOPICS, "part")), {"1": {"d1": 1.0}}, "PIA@2")
    twice = polars_frame(by_subtopic([*SUBTOPICS, SUBTOPICS[2]], "subtopic"))
    with pytest.raises(DataError, match=r"row 6 .*subtopic 'b' of query '1' \(first in row 2\)"):
        Qrels.of(twice, subtopics=True)
    assert Qrels.of(twice, Policy(duplicates="last"), subtopics=True).queries == ["1", "2"]
    with pytest.raises(DataError, match="column 'subtopic' is null"):
        Qrels.of(
            polars_frame(by_subtopic([("1", "a", "d", 1), ("1", None, "d", 1)], "subtopic")), subtopics=True
        )  # type: ignore[list-item]


# ---------------------------------------------------------------- the rest of carob


def test_scores_come_back_in_the_frame_type_of_the_caller() -> None:
    needed("pandas", "polars", "pyarrow", "duckdb")
    import duckdb
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    rows: dict[str, list[Any]] = {"qid": [2, 10], "docno": [1, 2], "rel": [1, 1], "score": [1.0, 2.0]}
    for make, kind in [
        (pandas_frame, pd.DataFrame),
        (polars_frame, pl.DataFrame),
        (polars_lazy, pl.DataFrame),
        (arrow_table, pa.Table),
        (duckdb_relation, duckdb.DuckDBPyRelation),
    ]:
        frame = carob.evaluate(make(rows), make(rows), "RR").to_frame()
        assert isinstance(frame, kind)
    found = carob.evaluate(polars_frame(rows), polars_frame(rows), "RR").to_frame()
    assert found.to_dict(as_series=False) == {"query": [10, 2], "RR": [1.0, 1.0]}  # numbers, as they came
    assert isinstance(
        carob.evaluate({"2": {"1": 1}}, polars_frame(rows), "RR").to_frame("pandas"), pd.DataFrame
    )


def codes(given_pair: tuple[Any, Any]) -> set[str]:
    return {each.code for each in carob.check(*given_pair).findings}


@everywhere
def test_every_public_function_that_takes_runs_takes_frames(make: Any) -> None:
    qrels, run = cases(1, repeated=False)
    text, frames = as_text(qrels, run), (make(columns(qrels, QRELS)), make(columns(run, RUN)))
    assert carob.explain("AP", *text, query="1").value == carob.explain("AP", *frames, query="1").value
    other = carob.evaluate(text[0], nested(run), "AP")
    compared = carob.compare(frames[0], {"a": frames[1], "b": frames[1]}, ["AP"])
    assert [each["AP"] for each in compared.scores] == [other["AP"]] * 2
    assert carob.curve(["P"], *frames)["P"] == carob.curve(["P"], *text)["P"]
    assert codes(text) - codes(frames) <= {
        "constant-ranks",
        "interleaved",
    }  # only files have rank columns and lines
    assert codes(frames) <= codes(text)
    known = Policy(listing="known")
    assert by_query(carob.evaluate(*frames, MEASURES, policy=known)) == by_query(
        carob.evaluate(*text, MEASURES, policy=known)
    )


def test_pandas_without_pyarrow_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    pd = pytest.importorskip("pandas", reason="makes the frame")
    run = pd.DataFrame({"query_id": ["q"], "doc_id": ["a"], "score": [1.0]})
    qrels = pd.DataFrame({"query_id": ["q"], "doc_id": ["a"], "relevance": [1]})
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for kind, judged in (("qrels", qrels), ("run", {"q": {"a": 1}})):
        with pytest.raises(DataError) as refusal:
            carob.evaluate(judged, run, "AP")
        assert str(refusal.value) == (
            f"pandas needs PyArrow to convert the {kind} frame, and PyArrow is missing or too old. "
            "Run pip install --upgrade pyarrow."
        )


def test_another_library_that_a_frame_lacks_is_named() -> None:
    class Frame:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            raise ModuleNotFoundError("No module named 'numexpr'")

    with pytest.raises(
        DataError, match=r"^The run frame from .* cannot be read: No module named 'numexpr'\.$"
    ):
        carob.evaluate({"q": {"a": 1}}, Frame(), "AP")


def test_a_document_twice_for_a_subtopic_is_told_with_both_rows() -> None:
    rows = {"query": ["q"] * 3, "subtopic": ["1", "2", "1"], "document": ["a"] * 3, "grade": [1, 1, 2]}
    said = (
        r"^qrels frame, row 2 \(from 0\): document 'a' is judged twice for subtopic '1' .*\(first in row 0\)"
    )
    with pytest.raises(DataError, match=said):
        carob.Qrels.of(pandas_frame(rows), subtopics=True)


def test_fractions_in_a_column_of_scores_are_no_grades_unless_it_is_named() -> None:
    rows = {"query": ["q", "q"], "document": ["a", "b"], "Score": [1.5, 2.0]}
    with pytest.raises(DataError, match="the grades, in column 'score', have fractions"):
        carob.Qrels.of(pandas_frame(rows))
    grades = {"q": {"a": 1.5, "b": 2.0}}
    assert carob.Qrels.of(pandas_frame(rows), grade="Score").table == grades
    assert carob.Qrels.of(pandas_frame({**rows, "Score": [1, 2]})).table == {"q": {"a": 1, "b": 2}}
    rows["grade"] = rows.pop("Score")
    assert carob.Qrels.of(pandas_frame(rows)).table == grades


def test_judgments_in_lists_of_a_frame_are_called_a_frame() -> None:
    found = carob.Qrels.of(pandas_frame({"query": ["q"], "relevant": [["a", "b"]]}))
    assert found.name == "<frame>"
    assert found.table == {"q": {"a": 1, "b": 1}}
