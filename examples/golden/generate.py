"""Writes the golden set and the answers of a service from the tea example: ``python examples/golden/generate.py``."""

import json
from pathlib import Path

HERE = Path(__file__).parent
TEA = HERE.parent / "tea"
TOPICS = {
    "brewing": ("water", "steep", "brew", "long", "temperature"),
    "caffeine": ("caffeine", "sleep", "decaf"),
}


def rows(path: Path) -> list[list[str]]:
    """The fields of each line."""
    return [line.split() for line in path.read_text(encoding="utf-8").splitlines()]


def written(name: str, content: object) -> None:
    """Write a JSON file, a line for each question."""
    text = json.dumps(content, ensure_ascii=False)
    for start in ('{"id": "t', '{"questionId"'):
        text = text.replace(f", {start}", f",\n  {start}").replace(f"[{start}", f"[\n  {start}")
    (HERE / name).write_text(text + "\n", encoding="utf-8", newline="\n")


questions = [json.loads(line) for line in (TEA / "queries.jsonl").read_text(encoding="utf-8").splitlines()]
golden, old, new = [], [], []
for each in questions:
    number, text = each["id"], each["text"]
    expected = [
        document
        for query, _, document, grade in rows(TEA / "qrels.txt")
        if query == number and int(grade) > 0
    ]
    tags = [topic for topic, words in TOPICS.items() if any(word in text.lower() for word in words)] or [
        "other"
    ]
    golden.append({"id": number, "question": text, "expectedIds": expected, "tags": tags})
    hits = [line for line in rows(TEA / "runs" / "bm25.run") if line[0] == number][:10]
    old.append({"id": number, "retrievedIds": [line[2] for line in hits]})
    hits = [line for line in rows(TEA / "runs" / "titles.run") if line[0] == number][:10]
    new.append(
        {
            "questionId": number,
            "hits": [{"docId": line[2], "score": round(float(line[4]), 4)} for line in hits],
        }
    )
written("golden.json", golden)
written("old.json", old)
written("new.json", {"results": new})
