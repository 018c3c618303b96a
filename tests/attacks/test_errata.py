"""E8 and E21: what DDP's leaked information is not bounded by."""

from math import exp, log, tanh

import numpy as np
import pytest

import dalenius as dl
from dalenius.attacks import City, NoisyCentroids, Prior, Within, attack_locations
from dalenius.graphs import Grid, clean_edges


def test_bits_of_a_promise_in_nats() -> None:
    """E8: 8.456 nats are below ε = 12, 12.2 bits are not."""
    values, e = 10_000, exp(12)
    true, other = e / (e + values - 1), 1 / (e + values - 1)
    nats = log(values) + true * log(true) + (values - 1) * other * log(other)
    assert nats < 12 < nats / log(2) < 12 / log(2)


def test_two_priors_leak_without_an_output() -> None:
    """E8: a friend's weight of four against one."""
    places = np.array([[[0.05, 0.05]], [[0.05, 0.05]], [[0.05, 0.15]]])
    city = City(places, Grid(0.0, 0.0, 0.1, 0.2, 1, 2))
    friends, _ = clean_edges(3, [(0, 1)])
    nothing = NoisyCentroids(np.zeros((1, 2)), np.zeros(3, dtype=np.int64), scale=np.inf)
    found = attack_locations(city, nothing, Prior(friends, Within(radius=3.0, gain=3.0)))
    assert found.leaked[0] == pytest.approx(log(2) + 0.8 * log(0.8) + 0.2 * log(0.2), abs=1e-12)
    assert found.gained[0] == 0.0


def fallen(prior: list[float], epsilon: float, word: str) -> tuple[float, float, float]:
    """Of entropy, relative entropy, and the largest log(posterior/prior), after randomised response on the first."""
    share = exp(epsilon) / (1 + exp(epsilon))
    rows = [[share, 1 - share], [1 - share, share]]
    answer = dl.Kernel(answers=[0, 1], outputs=["no", "yes"], probabilities=rows)
    model = dl.Independent(n=1, values=list(range(len(prior))), probabilities=prior)
    found = dl.posterior(dl.Release(model, dl.Count(values=[0]), answer), [word]).laws[0].people[0]
    before, after = [each.prior for each in found.values], [each.posterior.middle for each in found.values]
    relative = sum(q * log(q / p) for p, q in zip(before, after, strict=True))
    entropies = [-sum(p * log(p) for p in law) for law in (before, after)]
    return entropies[0] - entropies[1], relative, found.leaks.upper


def test_an_entropy_falls_by_more_than_epsilon() -> None:
    """E21, and Result 16.2 beside it."""
    entropy, relative, most = fallen([0.5, *[0.5 / 399] * 399], 1.0, "yes")
    assert entropy == pytest.approx(1.4947, abs=1e-4)
    assert entropy > 1.0 > most >= relative


@pytest.mark.parametrize(("epsilon", "first"), [(0.1, 0.05), (3.0, 0.9)])
def test_how_far_it_may_fall(epsilon: float, first: float) -> None:
    """Result 16.2 (b): ε + tanh(ε/4) log(max π/min π), and ε where the prior is uniform."""
    prior = [first, *[(1 - first) / 20] * 20]
    for word in ("yes", "no"):
        entropy, relative, most = fallen(prior, epsilon, word)
        assert relative <= most <= epsilon + 1e-9
        assert entropy <= epsilon + tanh(epsilon / 4) * log(max(prior) / min(prior))
        assert fallen([1 / 21] * 21, epsilon, word)[0] <= epsilon
