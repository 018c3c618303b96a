"""How far an entropy may fall at an output (Result 16.2)."""

from math import exp, log, tanh

import pytest

import dalenius as dl


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


@pytest.mark.parametrize(("epsilon", "first"), [(0.1, 0.05), (3.0, 0.9)])
def test_how_far_it_may_fall(epsilon: float, first: float) -> None:
    """Result 16.2 (b): ε + tanh(ε/4) log(max π/min π), and ε where the prior is uniform."""
    prior = [first, *[(1 - first) / 20] * 20]
    for word in ("yes", "no"):
        entropy, relative, most = fallen(prior, epsilon, word)
        assert relative <= most <= epsilon + 1e-9
        assert entropy <= epsilon + tanh(epsilon / 4) * log(max(prior) / min(prior))
        assert fallen([1 / 21] * 21, epsilon, word)[0] <= epsilon
