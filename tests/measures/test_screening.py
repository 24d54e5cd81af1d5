"""Screening for systematic reviews: names in per cent, sizes of reviews, lists that were cut, and tar_eval.py."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

import carob
from carob import MeasureError, Policy
from carob.conventions.profiles import profile_named
from conftest import SHARED
from strategies import examples

QRELS = {"review": {**dict.fromkeys("acf", 1), **dict.fromkeys("bdeghij", 0)}}
ORDER = "abcdefghij"
"""A review of ten documents. The relevant ones are at ranks 1, 3 and 6."""


def down_to(depth: int, order: str = ORDER) -> dict[str, dict[str, float]]:
    return {"review": {each: 20.0 - rank for rank, each in enumerate(order[:depth])}}


@pytest.mark.parametrize("name", ["WSS@95%", "WSS@95", "WSS@0.95", "WSS", "work_saved_over_sampling@95%"])
def test_a_level_of_recall_may_be_written_in_per_cent(name: str) -> None:
    assert str(carob.Measure.parse(name)) == "WSS@95%"
    assert carob.evaluate(QRELS, down_to(10), name).matrix.tolist() == [[(10 - 6) / 10 - (1 - 0.95)]]


@pytest.mark.parametrize(
    ("name", "share"),
    [("R@10%", 0.1), ("Recall@7%", 0.07), ("recall@12.5%", 0.125), ("R(rel=2)@100%", 1.0), ("R@.3%", 0.003)],
)
def test_recall_after_a_share_of_the_review(name: str, share: float) -> None:
    measure = carob.Measure.parse(name)
    assert (measure.name, measure.arguments["share"]) == ("ScreeningRecall", share)
    assert carob.Measure.parse(str(measure)) == measure


@pytest.mark.parametrize("share", [1 / 3, 2.155038215453211e-08, 0.1 + 0.2, 5e-324, 0.07, 1.0])
def test_a_share_prints_as_the_per_cent_that_make_it(share: float) -> None:
    measure = carob.Measure("WSS", (("recall", share),))
    assert carob.Measure.parse(str(measure)) == measure


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("P@10%", "P does not accept a percentage. Measures that do: WSS@95%, R@10%"),
        ("R@x%", "write a number between '@' and '%'"),
        ("R@%", "write a number between '@' and '%'"),
        ("WSS@0", "recall must be a number above 0 up to 1"),
        ("WSS@101", "recall must be a number above 0 up to 1"),
        ("R@120%", "share must be a number above 0 up to 1"),
    ],
)
def test_what_is_no_share_is_refused(name: str, says: str) -> None:
    with pytest.raises(MeasureError, match=says.replace("(", r"\(")):
        carob.Measure.parse(name)


def test_the_numbers_of_a_whole_list() -> None:
    names = ["WSS@100%", "WSS@60%", "R@10%", "R@30%", "R@100%", "LastRel", "LastRel(of=share)", "RecallArea"]
    found = carob.evaluate(QRELS, down_to(10), names)
    area = ((10 - 1 + 0.5) + (10 - 3 + 0.5) + (10 - 6 + 0.5)) / (3 * 10 - 9 / 2)
    assert [found[name] for name in names] == [0.4, 0.7 - 0.4, 1 / 3, 2 / 3, 1, 6, 0.6, area]


def test_a_list_that_was_cut_never_looks_better() -> None:
    draw = np.random.default_rng(27)
    names = ["WSS@95%", "WSS@100%", "WSS(rounding=floor)@50%", "WSS(sampling=rounded)@95%"]
    names += ["R@10%", "R@50%", "RecallArea", "LastRel", "LastRel(of=share)"]
    sign = [-1 if "Last" in name else 1 for name in names]
    for _ in range(examples(60)):
        order = "".join(draw.permutation(list(ORDER)))
        values = [
            carob.evaluate(QRELS, down_to(depth, order), names).matrix[0] * sign for depth in range(1, 11)
        ]
        assert (np.diff(values, axis=0) >= -1e-15).all()


def test_a_recall_that_is_never_reached_costs_the_whole_review() -> None:
    for run in (down_to(5), {"other": {"a": 1.0}}):
        found = carob.evaluate(QRELS, run, ["WSS@100%", "WSS@95%", "LastRel"], policy=Policy(overlap="none"))
        assert [found[name] for name in found.labels] == [0, 0.95 - 1, 10]
    assert carob.evaluate(QRELS, down_to(5), "WSS(unreached=zero)@95%").matrix.tolist() == [[0]]


def test_the_footer_counts_the_reviews_that_are_read_to_the_end() -> None:
    footer = carob.evaluate(QRELS, down_to(5), ["WSS@95%", "WSS@50%"]).footer()
    assert "1 query requires reading all documents for WSS@95%" in footer
    assert "WSS@50%" not in footer
    assert "reading all documents" not in carob.evaluate(QRELS, down_to(10), "WSS@95%").footer()
    assert "为达到 WSS@95%" in carob.evaluate(QRELS, down_to(5), "WSS@95%").footer("zh")


def test_a_review_has_the_documents_that_were_judged_or_retrieved_or_as_many_as_are_given() -> None:
    known = {"review": {"a": 1, "c": 1, "f": 1}}
    names = ["LastRel", "LastRel(collection=40)", "LastRel(collection=larger)"]
    assert carob.evaluate(known, down_to(4), names).matrix.tolist() == [[5, 40, 4]]
    with pytest.warns(carob.DataWarning, match="more than collection=4 documents were judged or retrieved"):
        carob.evaluate(known, down_to(4), ["AP", "LastRel(collection=4)"])


# ---------------------------------------------------------------- CLEF TAR 2017
# python scripts/tar_eval.py qrel_abs_test.txt RUN, with Python 3.11: the lines of all topics, and the first digits of
# the SHA-256 of the lines "measure topic number", sorted, for the measures of the profile.

TAR_EVAL = {
    "ecnu.run2": """058301d9f0ee74c9
        wss_100=.067 wss_95=.159 last_rel=699.167 norm_area=.644 ap=.16 r=.708 loss_e=.292 loss_r=.153 loss_er=.444
        num_rels=1857 num_shown=30000 rels_found=1191 NCG@10=.337 NCG@20=.422 NCG@30=.458 NCG@40=.47 NCG@50=.482
        NCG@60=.492 NCG@70=.496 NCG@80=.498 NCG@90=.499 NCG@100=.501""",
    "iiit.run1": """e7abe8efe9e820f9
        wss_100=.111 wss_95=.135 last_rel=548.111 norm_area=.675 ap=.159 r=.742 loss_e=.053 loss_r=.097 loss_er=.15
        num_rels=1524 num_shown=15354 rels_found=1006 NCG@10=.327 NCG@20=.39 NCG@30=.432 NCG@40=.454 NCG@50=.461
        NCG@60=.462 NCG@70=.466 NCG@80=.469 NCG@90=.469 NCG@100=.469""",
    "qut.result_bool_es_test": """b109529dd9c452fd
        wss_100=.103 wss_95=.113 last_rel=1972.2 norm_area=.635 ap=.129 r=.761 loss_e=.216 loss_r=.141 loss_er=.357
        num_rels=1857 num_shown=69951 rels_found=1475 NCG@10=.357 NCG@20=.521 NCG@30=.607 NCG@40=.68 NCG@50=.718
        NCG@60=.74 NCG@70=.763 NCG@80=.774 NCG@90=.784 NCG@100=.784""",
    "uos.sis.AL30Q_BM25": """8a9cb923c958c5b6
        wss_100=.405 wss_95=.527 last_rel=2290.633 norm_area=.861 ap=.218 r=1 loss_e=.543 loss_r=0 loss_er=.543
        num_rels=1857 num_shown=117550 rels_found=1857 NCG@10=.621 NCG@20=.788 NCG@30=.876 NCG@40=.912 NCG@50=.936
        NCG@60=.96 NCG@70=.98 NCG@80=.991 NCG@90=.997 NCG@100=1""",
    "uos.sis.TMAL30Q_BM25": """0f0f1b294a359519
        wss_100=.398 wss_95=.53 last_rel=2305.5 norm_area=.837 ap=.162 r=1 loss_e=.544 loss_r=0 loss_er=.544
        num_rels=1857 num_shown=117551 rels_found=1857 NCG@10=.537 NCG@20=.774 NCG@30=.861 NCG@40=.917 NCG@50=.94
        NCG@60=.961 NCG@70=.976 NCG@80=.989 NCG@90=.996 NCG@100=1""",
}
TAR = SHARED / "data" / "clef-tar2017"


@pytest.mark.skipif(not TAR.exists(), reason="needs ../shared/data/clef-tar2017")
@pytest.mark.filterwarnings("ignore::carob.DataWarning")
@pytest.mark.parametrize("run", TAR_EVAL)
def test_every_figure_of_tar_eval_to_its_digits(run: str) -> None:
    digest, *pairs = TAR_EVAL[run].split()
    means = {name: float(value) for name, value in (each.split("=") for each in pairs)}
    assert set(means) == set(profile_named("tar_eval").names)
    found = carob.evaluate(
        TAR / "qrels.qrel_abs_test.txt", TAR / "runs" / run, list(means), profile="tar_eval"
    )
    rounded = {(name, q): round(v, 3) for name in means for q, v in found.by_query(name).items()}
    lines = [f"{name} {query} {rounded[name, query]}\n" for name, query in sorted(rounded)]
    assert hashlib.sha256("".join(lines).encode()).hexdigest()[: len(digest)] == digest
    for name, mean in means.items():
        ours = (
            np.mean([rounded[name, query] for query in found.queries]) if name == "norm_area" else found[name]
        )
        assert round(float(ours), 3) == mean, name
