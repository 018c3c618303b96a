"""All pairs of a long chain at once, against every pair's own channel."""

from typing import Any

from hypothesis import given, strategies as st

import dalenius as dl
from dalenius.noise import Noise
from dalenius.ratios.large.chain_pairs import ManyPairs, pairs_of
from tests.pace import draws

QUANTITIES: tuple[Any, ...] = (dl.InferentialPrivacy(), dl.InformationPrivacy())


def chain_of(n: int, stay: float, come: float, initial: Any = "stationary") -> dl.Chain:
    return dl.Chain(n=n, initial=initial, transition=[[stay, 1 - stay], [come, 1 - come]])


def release_of(model: dl.Chain, noise: Noise, query: Any = None, **secrets: Any) -> dl.Release:
    return dl.Release(model, query or dl.Count(), noise, secrets=dl.Secrets(**(secrets or {"size": 2})))


def together(release: dl.Release, scale: float) -> ManyPairs:
    joint = release.finite_worlds[0].joint
    assert joint.chain is not None
    pairs = pairs_of(joint.chain)
    assert pairs is not None
    return ManyPairs(pairs, 1 / scale, (0, 1), (0.0, float(len(pairs))), "")


@given(
    n=st.integers(2, 7),
    stay=st.floats(0.05, 0.95),
    share=st.floats(0.05, 0.99),
    scale=st.floats(0.3, 5.0),
    start=st.floats(0.05, 0.95),
    geometric=st.booleans(),
)
@draws(60)
def test_as_every_pair_alone(n: int, stay: float, share: float, scale: float, start: float, geometric: bool) -> None:
    noise = dl.Geometric(scale=scale) if geometric else dl.Laplace(scale=scale)
    release = release_of(chain_of(n, stay, stay * share, [start, 1 - start]), noise)
    found = together(release, scale)
    inferential, information = (notion.leakage(release) for notion in QUANTITIES)
    ratio, movement = found.ratio().value, found.movement()
    assert ratio.lower <= inferential.upper
    assert ratio.upper >= inferential.lower
    assert ratio.upper - ratio.lower <= 1e-9 * (1 + ratio.upper)
    for value, exact in ((movement.raised.value, information), (movement.most.value, None)):
        truth = (exact.lower, exact.upper) if exact is not None else information.companions["two_sided"]
        assert value.lower <= truth[1]
        assert value.upper >= truth[0]
        assert value.upper <= ratio.upper + 1e-9


def test_a_long_chain_is_as_its_middle() -> None:
    """A pair's leakage grows as the chain goes on, and no further where that is independent of it."""
    shorter = dl.InferentialPrivacy().leakage(release_of(chain_of(22, 0.7, 0.4), dl.Laplace(scale=1.0)))
    for n in (65, 400):
        found = dl.InferentialPrivacy().leakage(release_of(chain_of(n, 0.7, 0.4), dl.Laplace(scale=1.0)))
        assert found.lower >= shorter.upper - 1e-9
        assert found.upper - found.lower < 1e-8
        assert abs(found.epsilon - shorter.epsilon) < 1e-3
        assert found.witness is not None
        assert len(found.witness.people) == 2
        assert "per_person" in found.companions


def test_the_witness_leaks_it() -> None:
    """Its own channel does, at that output; zeros may be what is counted."""
    for query in (dl.Count(), dl.Count(values=[0])):
        release = release_of(chain_of(70, 0.8, 0.3), dl.Laplace(scale=2.0), query)
        for notion in QUANTITIES:
            found = notion.leakage(release)
            assert found.witness is not None
            alone = release_of(chain_of(70, 0.8, 0.3), dl.Laplace(scale=2.0), query, groups=[found.witness.people])
            own = notion.leakage(alone)
            assert abs(own.epsilon - found.epsilon) < 1e-9
            assert own.witness is not None
            assert (own.witness.secret, own.witness.output) == (found.witness.secret, found.witness.output)


def test_calibration_reads_them() -> None:
    release = release_of(chain_of(80, 0.8, 0.2), dl.Laplace())
    found = dl.calibrate(release, dl.InferentialPrivacy(epsilon=1.0))
    assert found.sound
    assert 0.999 < found.leakage.upper <= 1.0
