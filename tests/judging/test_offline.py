"""The judging page as one file, which has the texts of all documents."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from carob.judging.offline import offline_page
from carob.judging.session import JudgingSheet
from carob.judging.task import labels_of_grades, read_task

if TYPE_CHECKING:
    from pathlib import Path


def test_the_file_has_every_text_in_the_order_of_the_pairs_and_connects_to_nothing(work: Path) -> None:
    pytest.importorskip("jinja2", reason="the page needs carob[judge]")
    texts = [str(work / name) for name in ("queries.jsonl", "documents.jsonl")]
    sheet = JudgingSheet.read(
        read_task(str(work / "pairs.csv")), [7, 0, 5], *texts, grades=labels_of_grades("0-1")
    )
    html = offline_page(sheet)
    data = json.loads(html.partition('id="data">')[2].partition("</script>")[0])
    assert data == {
        **sheet.data(),
        "connected": False,
        "notes": True,
        "documents": [{"title": "", "text": f"text {number}"} for number in (3, 0, 1)],
    }
    assert "connect-src &#39;none&#39;;" in html
