"""RecTools, RePlay and recommenders against the conventions of measures beyond accuracy that are called theirs."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import carob

pandas = pytest.importorskip("pandas", reason="needs pandas, of the extra 'peers'")

pytestmark = pytest.mark.filterwarnings("ignore")

K, N = 4, 14
CATALOGUE = list(range(N))


class Data:
    """Lists of K items, what users had and took up, and features, at random; items 12 and 13 are new."""

    def __init__(self, seed: int, *, cold: bool = True) -> None:
        draw = random.Random(seed)
        self.lists = {user: draw.sample(range(N if cold else 12), K) for user in range(8)}
        self.baseline = {user: draw.sample(range(N), K) for user in self.lists}
        self.train = {user: draw.sample(range(12), draw.randint(1, 8)) for user in self.lists}
        # So that train knows each of the other items.
        self.train[0] += [item for item in range(12) if item not in self.train[0]]
        self.relevant = {user: draw.sample(range(N), 4) for user in self.lists}
        self.features = {item: [draw.randint(0, 2) for _ in range(3)] for item in range(N)}

    def carob(self, name: str) -> float:
        return carob.beyond_accuracy(
            self.lists,
            name,
            train=self.train,
            catalogue=CATALOGUE,
            relevant=self.relevant,
            baseline=self.baseline,
            features=self.features,
            depth=K,
        )[name]

    def frame(self, lists: dict[int, list[int]], *names: str) -> Any:
        rows = [(user, item, rank) for user, its in lists.items() for rank, item in enumerate(its, 1)]
        return pandas.DataFrame(rows, columns=[*names, "rank"])


@pytest.mark.parametrize("seed", range(5))
def test_rectools(seed: int) -> None:
    metrics = pytest.importorskip("rectools.metrics", reason="needs RecTools: pip install rectools")
    data = Data(seed)
    reco, before, after = (
        data.frame(each, "user_id", "item_id") for each in (data.lists, data.train, data.relevant)
    )
    features = pandas.DataFrame.from_dict(data.features, orient="index")
    features.index.name = "item_id"
    apart = metrics.distances.PairwiseHammingDistanceCalculator(features)
    theirs = {
        "NumItems": metrics.CatalogCoverage(k=K).calc(reco, CATALOGUE),
        "Coverage(counting=all)": metrics.CatalogCoverage(k=K, normalize=True).calc(reco, CATALOGUE),
        "Novelty": metrics.MeanInvUserFreq(k=K).calc(reco, before),
        "Popularity": metrics.AvgRecPopularity(k=K).calc(reco, before),
        "Popularity(scale=share)": metrics.AvgRecPopularity(k=K, normalize=True).calc(reco, before),
        "Serendipity(against=popularity_rank)": metrics.Serendipity(k=K).calc(reco, after, before, CATALOGUE),
        "ILD(distance=hamming,single=zero)": metrics.IntraListDiversity(k=K, distance_calculator=apart).calc(
            reco
        ),
    }
    assert {name: data.carob(name) for name in theirs} == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_replay(seed: int) -> None:
    metrics = pytest.importorskip("replay.metrics", reason="needs RePlay: pip install replay-rec")
    data = Data(seed)
    scored = {
        user: [(item, -float(rank)) for rank, item in enumerate(its)] for user, its in data.lists.items()
    }
    base = {
        user: [(item, -float(rank)) for rank, item in enumerate(its)] for user, its in data.baseline.items()
    }
    theirs = {
        "Coverage(of=train)": metrics.Coverage(K)(scored, data.train),
        "Unseen": metrics.Novelty(K)(scored, data.train),
        "Novelty(scale=most,over=depth)": metrics.Surprisal(K)(scored, data.train),
        "Unexpectedness(against=baseline)": metrics.Unexpectedness(K)(scored, base),
    }
    expected = {name: next(iter(value.values())) for name, value in theirs.items()}
    assert {name: data.carob(name) for name in theirs} == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_recommenders(seed: int) -> None:
    evaluation = pytest.importorskip(
        "recommenders.evaluation.python_evaluation", reason="needs recommenders: pip install recommenders"
    )
    if int(pandas.__version__.partition(".")[0]) > 2:
        pytest.skip(
            "recommenders 1.2.1 counts on pandas 2: with pandas 3 its measures beyond accuracy raise KeyError"
        )
    data = Data(seed, cold=False)
    names = {"col_user": "user", "col_item": "item"}
    # It refuses recommendations of what the user had.
    data.lists = {
        user: [item for item in its if item not in data.train[user]] for user, its in data.lists.items()
    }
    data.lists = {user: its for user, its in data.lists.items() if its}
    reco, before = data.frame(data.lists, "user", "item"), data.frame(data.train, "user", "item")
    reco, before = reco.drop(columns="rank"), before.drop(columns="rank")
    theirs = {
        "Novelty(of=interactions,mean=recommendations,cold=zero)": evaluation.novelty(before, reco, **names),
        "Coverage(of=train,counting=all)": evaluation.catalog_coverage(before, reco, **names),
        "Entropy": evaluation.distributional_coverage(before, reco, **names),
    }
    theirs["ILD(by=train)"] = evaluation.diversity(before, reco, **names)
    relevant = {(user, item) for user, its in data.relevant.items() for item in its}
    reco["relevance"] = [float(pair in relevant) for pair in zip(reco["user"], reco["item"])]
    theirs["Serendipity(against=history)"] = evaluation.serendipity(
        before, reco, col_relevance="relevance", **names
    )
    expected = {name: float(np.float64(value)) for name, value in theirs.items()}
    assert {name: data.carob(name) for name in theirs} == pytest.approx(expected, abs=1e-12)
