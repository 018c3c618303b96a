"""Bayesian and noiseless privacy of noise that depends on the answer, for many groups, against every set and value."""

from collections.abc import Sequence

import numpy as np
from hypothesis import given, strategies as st

from dalenius.channel import Release
from dalenius.knowledge.bayesian import BayesianPrivacy
from dalenius.knowledge.noiseless import NoiselessPrivacy, noiseless_delta
from dalenius.models import Groups, GroupType, Households, Independent, Model, Product
from dalenius.noise import Kernel, Noise
from dalenius.optimum.clamped_noise import Clamped
from dalenius.optimum.relocation_noise import Relocation
from dalenius.queries import Sum
from tests.conformance.comparison import assert_agrees, enclosure
from tests.conformance.table import truth_of
from tests.pace import draws
from tests.reference.channel import mp

SEVERAL: dict[str, Model] = {
    "two pairs": Households(count=2, infected=[0.8, 0.1, 0.1]),
    "bits": Independent(probabilities=[0.3, 0.3, 0.3, 0.9]),
    "a pair that is one or the other, and bits": Product(
        parts=[
            Groups(types=[GroupType(count=1, records=[[0, 1], [1, 0]], probabilities=[0.4, 0.6])]),
            Independent(probabilities=[0.2, 0.5]),
        ]
    ),
    "three values": Groups(types=[GroupType(count=2, records=[[0, 2], [2, 1], [1, 0]], probabilities=[0.5, 0.2, 0.3])]),
}


def kernel(seed: int, answers: Sequence[int] = range(7)) -> Kernel:
    """Four outputs; every answer its own law, some outputs impossible."""
    generator = np.random.default_rng(seed)
    rows = generator.dirichlet(np.ones(4), size=len(answers))
    rows[:, 3] *= rows[:, 3] > 0.1 if seed % 2 else 1.0
    rows /= rows.sum(axis=1, keepdims=True)
    return Kernel(answers=tuple(map(float, answers)), probabilities=tuple(map(tuple, rows.tolist())))


RELOCATIONS = [
    Relocation(
        lower=lower,
        upper=lower + 4,
        leaves=leaves,
        moves=[[0.2, 0.8], [0.6, 0.4]],
        shares=[[0.5, 0.3, 0.2], [0.9, 0.1]],
    )
    for lower, leaves in ((0, [0.25, 0.5]), (1, [1, 0.75]), (-1, [0, 0.5]))
]
NOISES = st.one_of(
    st.integers(0, 50).map(kernel),
    st.sampled_from(RELOCATIONS),
    st.tuples(st.sampled_from([0.0, 0.7, 2.0]), st.integers(0, 1), st.integers(2, 4)).map(
        lambda drawn: Clamped(scale=drawn[0], lower=drawn[1], upper=drawn[2])
    ),
)


@given(
    model=st.sampled_from(sorted(SEVERAL)), noise=NOISES, known=st.integers(1, 3), epsilon=st.sampled_from([0.0, 0.4])
)
@draws(25)
def test_whatever_is_known(model: str, noise: Noise, known: int, epsilon: float) -> None:
    release, fraction = Release(SEVERAL[model], Sum(), noise), (known + 0.5) / 4
    truth = truth_of(SEVERAL[model], Sum(), noise)
    with mp.workdps(30):
        assert_agrees(enclosure(BayesianPrivacy().leakage(release)), truth.bayesian.leakage.value)
        assert_agrees(noiseless_delta(release, epsilon, fraction), truth.noiseless(epsilon, fraction))


def test_the_least_epsilon_is_where_delta_is_reached() -> None:
    release = Release(SEVERAL["two pairs"], Sum(), kernel(2))
    leakage = NoiselessPrivacy(delta=0.05, known_fraction=0.6).leakage(release)
    assert leakage.upper - leakage.lower < 1e-9
    assert (
        noiseless_delta(release, leakage.upper, 0.6).lower <= 0.05 <= noiseless_delta(release, leakage.lower, 0.6).upper
    )
    assert leakage.witness is not None
    assert set(leakage.witness.known) & {3, 4}, "of the other pair"
