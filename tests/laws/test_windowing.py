"""The law of a sum on a window, against the law of all of it."""

import numpy as np
from hypothesis import example, given, strategies as st

from dalenius import Count, Households, NoNoise, Release
from dalenius.channel.finite.answers import Component
from dalenius.channel.finite.averages import WindowChannel
from dalenius.channel.finite.records import RecordWorld
from dalenius.laws.law import Law, Window
from dalenius.models import Model
from dalenius.queries import Query
from tests.cases import in_turn
from tests.pace import draws

WEIGHTS = st.lists(st.sampled_from([0.0, 1e-9, 0.01, 0.2, 1.0, 3.0]), min_size=2, max_size=5).filter(
    lambda drawn: sum(each > 0 for each in drawn) > 1
)
POPULATIONS = st.lists(st.tuples(WEIGHTS, st.integers(1, 700)), min_size=1, max_size=3)


def both(model: Model, query: Query) -> list[tuple[Window, Law]]:
    """By subject the window and the whole law, each convolution of positive terms."""
    worlds = [Release(model, query, NoNoise(), engine=engine).record_worlds[0] for engine in ("window", "convolution")]
    seen, whole = (_component(world) for world in worlds)
    found = []
    for subject, law in whole.laws():
        at = seen.seen_of(subject)
        assert at is not None
        found.append((at.window(), law))
    return found


def _component(world: RecordWorld) -> Component:
    (component,) = world.components
    assert isinstance(component, Component)
    return component


def check(window: Window, whole: Law) -> None:
    first = window.law.start[0] - whole.start[0]
    inside = slice(first, first + window.law.box[0])
    masses, true = window.law.log_mass(), whole.log_mass()
    for found, wanted, lost in zip(masses, true, window.lost, strict=True):
        outside = np.exp(np.delete(wanted, np.arange(inside.start, inside.stop))).sum()
        assert outside <= lost * (1 + 1e-9)
        there = found > -np.inf
        assert np.all(np.abs(found[there] - wanted[inside][there]) <= window.law.error + whole.error)
        missed = np.exp(wanted[inside][~there])
        floor = np.exp((window.law.base + window.law.floor)[~there]) if window.law.floor is not None else 0.0
        assert np.all(missed <= np.asarray(floor) * (1 + 1e-9) + 1e-300)


@given(POPULATIONS)
@example([([1.0, 0.0, 0.0, 0.0, 1.0], 300)])
@example([([1.0, 1e-9], 700)])
@example([([0.0, 1.0, 3.0], 1), ([3.0, 0.2], 500)])
@draws(40)
def test_households_of_several_types(population: list[tuple[list[float], int]]) -> None:
    types = [
        {"count": count, "infected": [weight / sum(weights) for weight in weights]} for weights, count in population
    ]
    if len(types) == 1 and types[0]["count"] == 1:
        return
    for window, whole in both(Households(types=types), Count()):
        check(window, whole)


@in_turn({"engine, count": [("tilting", 15_000), ("window", 1_000_000)], "ill": [0.5, 0.55]})
def test_masses_are_those_of_the_binomial_law(engine: str, count: int, ill: float) -> None:
    """To within the law's own error, at every answer of 12 deviations: no factor of a tilt's own, no turned angle."""
    release = Release(Households(count=count, infected=[1 - ill, ill]), Count(), NoNoise(), engine=engine)
    channel = next(iter(release.answers()))
    law = channel.window().law if isinstance(channel, WindowChannel) else channel.likelihood
    wide = int(12 * np.sqrt(count * ill * (1 - ill)))
    answers = np.arange(int(count * ill) - wide, int(count * ill) + wide + 1)
    v, p = answers.astype(np.longdouble), np.longdouble(round(100 * ill)) / 100
    steps = np.log((count - 1 - v[:-1]) / (v[:-1] + 1) * (p / (1 - p)))
    logs = np.concatenate([np.zeros(1, np.longdouble), np.cumsum(steps)])
    logs -= logs[wide]
    logs -= np.log(np.sum(np.exp(logs)))
    found = law.log_mass()[0][answers - law.start[0]]
    assert float(np.max(np.abs(found - logs))) <= law.error + 1e-14
