"""One release, by one engine, against the reference, notion by notion."""

from collections.abc import Collection, Iterable

from dalenius.channel import Release
from dalenius.models import Model
from dalenius.noise import Noise
from dalenius.queries import Query
from tests.conformance.table import CHECKS
from tests.conformance.truth import Truth


def check_all(
    release: Release, truth: Truth, names: Iterable[str] = CHECKS, tight: bool = True, loose: Collection[str] = ()
) -> None:
    """AssertionError names the engine and the number that differs. loose: names of checks where only that the truth
    lies within the bounds is held."""
    for name in names:
        try:
            CHECKS[name](release, truth, tight and name not in loose)
        except AssertionError as error:
            engines = ", ".join(engine for engine, _ in release.worlds.engines())
            raise AssertionError(f"{engines}, {name}: {error}") from None


def compare(
    model: Model,
    query: Query,
    noise: Noise,
    engine: str | None,
    truth: Truth,
    tight: bool = True,
    but: Collection[str] = (),
    loose: Collection[str] = (),
) -> None:
    """but: names of checks to leave out."""
    names = [name for name in CHECKS if name not in but]
    check_all(Release(model, query, noise, engine=engine), truth, names, tight, loose)
