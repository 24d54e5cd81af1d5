"""Recommendations to four users, what is known of them, and the values of measures worked by hand."""

from __future__ import annotations

from math import log, log2, sqrt
from typing import Any

import carob
from carob.measures import REGISTER

# Four users, who all get item 1 first; a catalogue of six. Train: item 1 with all four, 2 with two, 3 and 5 with one.
BEYOND = {name: each for name, each in REGISTER.items() if each.takes == "recommendations"}
LISTS = {0: [1, 2], 1: [1, 2], 2: [1, 3], 3: [1, 4]}
TRAIN = {"user_id": [0, 1, 2, 3, 0, 1, 2, 3], "item_id": [1, 1, 1, 1, 2, 2, 3, 5]}
CATALOGUE = range(1, 7)
RELEVANT = {0: [2], 1: [6], 2: [3, 1], 3: [4]}
BASELINE = {0: [1, 5], 1: [1, 2], 2: [2, 1]}
FEATURES = {1: [1, 0], 2: [1, 1], 3: [0, 2], 4: [0, 0]}
DISTANCES = {(1, 2): 0.5, (3, 1): 0.25, (1, 3): 0.25, (4, 1): 0.0, (1, 1): 0.0, (5, 6): 9.0}
COS = 1 / sqrt(2)

CASES = [
    ("NumItems", 4),
    ("NumItems@1", 1),
    ("Coverage", 4 / 6),
    ("Coverage(of=train)", 3 / 4),
    ("Coverage(of=train,counting=all)", 4 / 4),
    # Counts 0 0 1 1 2 4: the sum of (2i - 7) x is -1 + 1 + 3*2 + 5*4.
    ("Gini", 26 / (6 * 8)),
    ("Gini(scale=n-1)", 26 / (5 * 8)),
    ("Gini(scale=n-1,better=high)", 1 - 26 / (5 * 8)),
    # Counts 1 1 2 4 and weights -3 -1 1 3.
    ("Gini(of=recommended)", (-3 - 1 + 2 + 12) / (4 * 8)),
    ("Gini@1", 5 * 4 / (6 * 4)),
    ("Gini(of=train)@1", 3 * 4 / (4 * 4)),
    ("Entropy", 1 / 2 * 1 + 1 / 4 * 2 + 2 * (1 / 8 * 3)),
    ("Entropy(unit=nats)", 1.75 * log(2)),
    ("Entropy(unit=nats,scale=items)", 1.75 * log(2) / 4),
    ("Entropy(scale=most)", 1.75 / log2(6)),
    ("Entropy@1", 0),
    # Self-information of 1: 0, of 2: 1, of 3: 2, of 4, which train lacks: as of one user's, 2.
    ("Novelty", (1 / 2 + 1 / 2 + 2 / 2 + 2 / 2) / 4),
    ("Novelty(scale=most)", (1 / 2 + 1 / 2 + 2 / 2 + 2 / 2) / 4 / 2),
    ("Novelty(cold=zero)", (1 / 2 + 1 / 2 + 2 / 2 + 0) / 4),
    ("Novelty(cold=out)", (1 / 2 + 1 / 2 + 2 / 2 + 0 / 1) / 4),
    ("Novelty(of=interactions,mean=recommendations,cold=zero)", (4 * 1 + 2 * 2 + 3 + 0) / 8),
    ("Novelty(over=depth)@4", (1 / 4 + 1 / 4 + 2 / 4 + 2 / 4) / 4),
    ("Popularity", ((4 + 2) / 2 + (4 + 2) / 2 + (4 + 1) / 2 + 4 / 2) / 4),
    ("Popularity(scale=share)", ((4 + 2) / 2 + (4 + 2) / 2 + (4 + 1) / 2 + 4 / 2) / 4 / 8),
    ("Popularity(of=users,scale=share)@1", 1),
    ("Popularity(scale=log2)@1", log2(5)),
    ("Unseen", 1 / 8),
    # Popular: 1 and 2. Not among them: 3 and 4.
    ("Unexpectedness", 2 / 8),
    # The baseline of user 3 is empty; 0's 2 and 2's 3 are not in theirs.
    ("Unexpectedness(against=baseline)", (1 / 2 + 0 + 1 / 2 + 2 / 2) / 4),
    # Relevant: 0 has 2, 2 has 1 and 3, 3 has 4; popular are 1 and 2.
    ("Serendipity", (0 + 0 + 1 / 2 + 1 / 2) / 4),
    ("Serendipity(against=baseline)", (1 / 2 + 0 + 1 / 2 + 1 / 2) / 4),
    # p at rank 1 is 6/6, at rank 2 5/6; by popularity 1 has 6/6, 2 has 5/6, 3 has 4/6, 4 has 0.
    ("Serendipity(against=popularity_rank)", (0 + 0 + (0 + 1 / 6) / 2 + (5 / 6) / 2) / 4),
    # User 0 had 1 and 2: the cosines of 2 to them are 2/sqrt(8) and 1. User 2 had 1 and 3: 1's are 1 and 1/2, and 3's
    # too. User 3 gets 4, which nobody had.
    (
        "Serendipity(against=history)",
        ((1 - (COS + 1) / 2) / 2 + 0 + 2 * (1 - (1 + 1 / 2) / 2) / 2 + 1 / 2) / 4,
    ),
    # Shared items of the six pairs: 2, and five times 1, of two each.
    ("Personalisation", 1 - (2 / 2 + 5 * 1 / 2) / 6),
    ("Personalisation(similarity=overlap)@4", 1 - (2 / 4 + 5 * 1 / 4) / 6),
    ("Personalisation@1", 0),
    ("ILD", ((1 - COS) * 2 + 1 + 1) / 4),
    ("ILD(distance=hamming)", (1 + 1 + 2 + 1) / 4),
    ("ILD(distance=euclidean)", (1 + 1 + sqrt(5) + 1) / 4),
    ("ILD(single=zero)@1", 0),
    ("ILD(distance=given)", (0.5 + 0.5 + 0.25 + 0.0) / 4),
    ("ILD(by=train)", ((1 - COS) * 2 + (1 - 1 / 2) + 1) / 4),
]


def measured(name: str | list[str], lists: Any = LISTS, **more: Any) -> carob.Beyond:
    given = {
        "train": TRAIN,
        "catalogue": CATALOGUE,
        "relevant": RELEVANT,
        "baseline": BASELINE,
        "features": FEATURES,
        "distances": DISTANCES,
    }
    return carob.beyond_accuracy(lists, name, **(given | more))
