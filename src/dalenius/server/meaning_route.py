"""The page on what an ε means: the same for everybody, without a token, and without data."""

from typing import Final

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from dalenius.interpretation.page import content_policy, meaning_page

MEANING: Final = APIRouter(include_in_schema=False)


@MEANING.get("/meaning")
async def what_epsilon_means() -> HTMLResponse:
    """Returns the page, which browsers may keep for a day."""
    # Because its program is in the page itself, it has a policy of its own, which allows nothing else.
    headers = {"Content-Security-Policy": content_policy(), "Cache-Control": "public, max-age=86400"}
    return HTMLResponse(meaning_page(), headers=headers)
