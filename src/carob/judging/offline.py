"""The judging page as a single file for judges without Python. It stores judgments in the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

from carob.judging.page import judging_page

if TYPE_CHECKING:
    from carob.judging.session import JudgingSheet


def offline_page(sheet: JudgingSheet) -> str:
    """Returns a page that contains the texts of all documents and saves judgments as a file that ``collect`` reads."""
    documents = [sheet.document(number) for number in range(len(sheet.order))]
    html, _ = judging_page(sheet.data() | {"notes": True, "documents": documents}, connected=False)
    return html
