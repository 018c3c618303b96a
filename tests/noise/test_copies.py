"""Several noised copies of one answer, against sums over all pairs of outputs."""

import numpy as np
import pytest

from dalenius.channel.hockey_stick import PairProfile
from dalenius.noise.copies_of_one_answer import CopiedMechanism
from dalenius.spec.spec import read_spec

ROW = (0.3, 0.3, 0.4)
PEOPLE = 40
EPSILON = 0.1


def delta(own: int, other: int) -> float:
    """Of records with these values: by the outputs of geometric noise, and of Laplace noise on a fine grid."""
    rest = np.ones(1)
    for _ in range(PEOPLE - 1):
        rest = np.convolve(rest, [ROW[0], ROW[1], 0, 0, 0, ROW[2]])
    answers = np.arange(len(rest))
    whole, step = np.arange(-20, 221), 0.02
    real = np.arange(-30.0, 230.0, step)
    chances = []
    for value in (own, other):
        first = np.exp(-np.abs(whole[:, None] - answers - value) / 2) * np.tanh(0.25)
        second = np.exp(-np.abs(real[:, None] - answers - value) / 3) / 6 * step
        chances.append((first * rest) @ second.T)
    return float(np.maximum(chances[0] - np.exp(EPSILON) * chances[1], 0.0).sum())


@pytest.mark.parametrize("pair", [(1, 0), (2, 1)])
def test_every_pair_has_a_delta_of_its_own(pair: tuple[int, int]) -> None:
    questions = [
        {"query": {"kind": "sum"}, "noise": {"kind": "geometric", "scale": 2.0}},
        {"query": {"kind": "sum"}, "noise": {"kind": "laplace", "scale": 3.0}},
    ]
    model = {"kind": "independent", "values": [0, 1, 5], "probabilities": [ROW] * PEOPLE}
    release = read_spec({"model": model, "questions": questions}).audited()
    channel = next(iter(release.all_channels())).finite("delta")
    assert isinstance(channel.mechanism, CopiedMechanism)
    found = PairProfile(channel.mechanism, channel.likelihood, (0.0, 0.0, 0.0), *pair).at(EPSILON)
    values = (0, 1, 5)
    exact = delta(values[pair[0]], values[pair[1]])
    assert found.lower <= exact * (1 + 1e-4)
    assert found.upper >= exact * (1 - 1e-4)
    assert found.upper - found.lower < 0.1 * exact
