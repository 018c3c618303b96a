"""A service whose policy names the stand-in of a provider."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.server.provider import ADDRESS, AUDIENCE, CLIENT, Standing, standing
from tests.server.served import Served, serving


@contextmanager
def signing_on(folder: Path, **more: Any) -> Iterator[tuple[Served, Standing]]:
    """more: other keys of the section, where they are not None."""
    with standing() as provider:
        section = {"issuer": provider.issuer, "audience": AUDIENCE, "claim": "preferred_username"}
        section |= {"client": CLIENT, "address": ADDRESS} | more
        kept = {name: value for name, value in section.items() if value is not None}
        with serving(folder, sign_on=kept) as served:
            yield served, provider
