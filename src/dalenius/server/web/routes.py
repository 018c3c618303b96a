"""All pages of a curator, for whoever mounts them."""

from fastapi import APIRouter

from dalenius.curator import Curator
from dalenius.server.tokens import Tokens
from dalenius.server.web.analyst import analyst
from dalenius.server.web.entrance import entrance
from dalenius.server.web.owner import owner
from dalenius.server.web.site import Site


def make_router(curator: Curator, tokens: Tokens) -> APIRouter:
    """The pages, at the root: `/`, `/login`, `/data/…`, `/ledger` and what they load. Nothing is asked of the curator
    before somebody is signed in."""
    site = Site(curator, tokens)
    router = APIRouter(include_in_schema=False)
    for part in (entrance, analyst, owner):
        router.include_router(part(site))
    return router
