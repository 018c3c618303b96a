"""One release, by one engine, against the reference, notion by notion."""

from dalenius.channel import Release
from dalenius.models import Model
from dalenius.noise import Noise
from dalenius.queries import Query
from tests.conformance.table import CHECKS
from tests.conformance.truth import Truth


def compare(
    model: Model,
    query: Query,
    noise: Noise,
    engine: str | None,
    truth: Truth,
    tight: bool = True,
    but: frozenset[str] = frozenset(),
    loose: frozenset[str] = frozenset(),
) -> None:
    """AssertionError names the engine and the number that differs. but: names of checks to leave out; loose: of those
    where only that the truth lies within the bounds is held."""
    release = Release(model, query, noise, engine=engine)
    for name, check in CHECKS.items():
        if name in but:
            continue
        try:
            check(release, truth, tight and name not in loose)
        except AssertionError as error:
            raise AssertionError(f"{engine}, {name}: {error}") from None
