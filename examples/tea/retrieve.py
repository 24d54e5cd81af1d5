"""This file searches the example's documents for its queries and writes the runs.

    python examples/tea/retrieve.py [FOLDER]    (FOLDER: where to write; runs/ beside this file if not given)

It needs nothing but Python and writes the same bytes on every machine. Nothing is tuned on the judgments:
k1 = 1.2, b = 0.75, mu = 1000 are the customary values.

bm25       title and text; S. Robertson and H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and
           Beyond", 2009, chapter 3, with the idf that Lucene uses, ln(1 + (N - df + 0.5) / (df + 0.5)).
dirichlet  title and text; query likelihood with Dirichlet smoothing: C. Zhai and J. Lafferty, "A Study of
           Smoothing Methods for Language Models Applied to Information Retrieval", 2004, table I. All its
           scores are negative.
feedback   dirichlet twice: the second time with words from the best documents of the first. V. Lavrenko and
           W. B. Croft, "Relevance-Based Language Models", 2001, mixed with the query as in N. Abdul-Jaleel et
           al., "UMass at TREC 2004: Novelty and HARD" (RM3).
titles     the bm25 formula on the titles alone: a weak run with many equal scores, silent on one query.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from decimal import Decimal
from functools import cache
from pathlib import Path

HERE = Path(__file__).resolve().parent
DEPTH = 50
STOP_WORDS = (
    "a after an and are as at be by can do does for from has have how i if in into is it its my of on or so "
    "that the this to what when which why with without 的 了 是 在 和 有 也 怎 样 么"
)
STOPPED = frozenset(STOP_WORDS.split())

# A word is a stretch of letters and digits, apostrophe included (pu'er); each Chinese character is a word.
WORD = re.compile(r"[\u4e00-\u9fff]|[^\W_\u4e00-\u9fff]+(?:'[^\W_\u4e00-\u9fff]+)*")


@cache
def ln(x: float) -> float:
    """The natural logarithm, in decimal arithmetic: the last bit of math.log differs between systems."""
    return float(Decimal(x).ln())


def exp(x: float) -> float:
    """The exponential, in decimal arithmetic for the same reason."""
    return float(Decimal(x).exp())


def singular(word: str) -> str:
    """The word without its plural s, by the three rules of D. Harman, "How Effective Is Suffixing?", 1991."""
    if word.endswith("ies") and not word.endswith(("eies", "aies")):
        return word[:-3] + "y"
    if word.endswith("es") and not word.endswith(("aes", "ees", "oes")):
        return word[:-1]
    if word.endswith("s") and not word.endswith(("us", "ss")):
        return word[:-1]
    return word


def stem(word: str) -> str:
    """A rough stem: no plural s, no -ing or -ed after a vowel (step 1b of M. Porter, 1980), no final e."""
    word = singular(word)
    for suffix in ("ing", "ed"):
        rest = word.removesuffix(suffix)
        if rest != word and len(rest) > 2 and re.search("[aeiouy]", rest):
            word = rest
    return word.removesuffix("e") if len(word) > 3 else word


def words_of(text: str) -> list[str]:
    """The words of a text that count, in order, each as its stem."""
    found = WORD.findall(text.lower().replace("\u2019", "'"))
    return [stem(word) for word in found if word not in STOPPED]


class Index:
    """What the formulas ask about a collection: how long its documents are and how often each word occurs."""

    def __init__(self, texts: dict[str, str]) -> None:
        self.counts = {document: Counter(words_of(text)) for document, text in texts.items()}
        self.lengths = {document: counts.total() for document, counts in self.counts.items()}
        self.containing = Counter(word for counts in self.counts.values() for word in counts)
        self.occurrences = Counter(word for counts in self.counts.values() for word in counts.elements())
        self.length = self.occurrences.total()


Query = dict[str, float]  # the words and what each weighs: in a typed query, how often it stands there
Score = Callable[[str, Query, Index], float]
Ranking = list[tuple[str, float]]
Search = Callable[[Query, Index], Ranking]


def bm25_score(document: str, query: Query, index: Index, k1: float = 1.2, b: float = 0.75) -> float:
    """The BM25 score of the document."""
    size = len(index.counts)
    norm = k1 * (1 - b + b * index.lengths[document] * size / index.length)
    parts = []
    for word, weight in query.items():
        tf = index.counts[document][word]
        df = index.containing[word]
        parts.append(weight * ln(1 + (size - df + 0.5) / (df + 0.5)) * tf / (tf + norm))
    return math.fsum(parts)


def dirichlet_score(document: str, query: Query, index: Index, mu: float = 1000.0) -> float:
    """The log of the chance that the document's language model, smoothed, utters the query."""
    length = ln(mu / (index.lengths[document] + mu))
    parts = []
    for word, weight in query.items():
        if index.occurrences[word]:  # a word that no document has would make every likelihood zero
            chance = index.occurrences[word] / index.length
            seen = ln(1 + index.counts[document][word] / (mu * chance))
            parts.append(weight * (seen + ln(chance) + length))
    return math.fsum(parts)


def ranked(query: Query, index: Index, score: Score) -> Ranking:
    """Documents with a word of the query, best first; equal scores stay in the collection's order."""
    matching = [document for document, counts in index.counts.items() if not query.keys().isdisjoint(counts)]
    scored = [(document, score(document, query, index)) for document in matching]
    return sorted(scored, key=lambda pair: -pair[1])[:DEPTH]


def expanded(query: Query, index: Index, documents: int = 5, words: int = 20) -> Query:
    """The query, half its weight kept and half given to the words that its best documents share."""
    best = ranked(query, index, dirichlet_score)[:documents]
    model: dict[str, float] = {}
    for document, score in best:
        likelihood = exp(score - best[0][1])
        for word, count in index.counts[document].items():
            model[word] = model.get(word, 0.0) + likelihood * count / index.lengths[document]
    kept = sorted(model.items(), key=lambda pair: (-pair[1], pair[0]))[:words]
    typed, found = math.fsum(query.values()), math.fsum(weight for _, weight in kept)
    mixed = {word: 0.5 * weight / typed for word, weight in query.items()}
    for word, weight in kept:
        mixed[word] = mixed.get(word, 0.0) + 0.5 * weight / found
    return mixed


def bm25(query: Query, index: Index) -> Ranking:
    """Search by BM25."""
    return ranked(query, index, bm25_score)


def dirichlet(query: Query, index: Index) -> Ranking:
    """Search by query likelihood."""
    return ranked(query, index, dirichlet_score)


def feedback(query: Query, index: Index) -> Ranking:
    """Search by query likelihood with the expanded query."""
    return ranked(expanded(query, index), index, dirichlet_score)


def run_lines(name: str, queries: dict[str, str], index: Index, search: Search) -> Iterable[str]:
    """A run in TREC's format; the scores are printed so that they read back to the same double."""
    for query, text in queries.items():
        for rank, (document, score) in enumerate(search(dict(Counter(words_of(text))), index), start=1):
            yield f"{query} Q0 {document} {rank} {score!r} {name}\n"


def records(path: Path) -> list[dict[str, str]]:
    """The objects of a file that holds one JSON object a line."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def main(folder: Path) -> None:
    """Write one run file for each way of searching."""
    documents = records(HERE / "documents.jsonl")
    queries = {query["id"]: query["text"] for query in records(HERE / "queries.jsonl")}
    whole = Index({document["id"]: f"{document['title']} {document['text']}" for document in documents})
    titles = Index({document["id"]: document["title"] for document in documents})
    runs = {
        "bm25": (whole, bm25),
        "dirichlet": (whole, dirichlet),
        "feedback": (whole, feedback),
        "titles": (titles, bm25),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, (index, search) in runs.items():
        lines = "".join(run_lines(name, queries, index, search))
        (folder / f"{name}.run").write_bytes(lines.encode())


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "runs")
