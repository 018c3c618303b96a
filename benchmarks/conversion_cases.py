"""What a benchmark of conversions runs: each returns both ends of what is found."""

import numpy as np

import dalenius as dl
from dalenius.conversion import Conversion, EventFile, PrivacyProfile
from dalenius.models import Chain, Households

HOME = Households(count=250, infected=(0.9, 0.04, 0.0, 0.0, 0.06))


def household(size: int, mu: float) -> tuple[float, float]:
    """δ′ at 1 for a household of bits, and Gaussian noise."""
    chances = np.random.default_rng(1).dirichlet(np.full(size + 1, 0.3)) + 1e-6
    model = Households(count=250, infected=tuple((chances / chances.sum()).tolist()))
    return _ends(Conversion(model, dl.GaussianProfile(mu), "replace"))


def by_map(size: int, epsilon: float) -> tuple[float, float]:
    """δ′ at 1 for a household of bits, and a loss that grows with the root of the distance, with a δ."""
    chances = np.random.default_rng(1).dirichlet(np.full(size + 1, 0.3)) + 1e-6
    model = Households(count=250, infected=tuple((chances / chances.sum()).tolist()))
    losses = (dl.ApproximateProfile(epsilon * distance**0.5, 1e-6 * distance) for distance in range(1, size + 1))
    return _ends(Conversion(model, dl.MapProfile(tuple(losses)), "replace"))


def groups(size: int, epsilon: float) -> tuple[float, float]:
    """δ′ at 1 for a group of members of three values, listed, and an approximate guarantee."""
    rows = np.array(np.meshgrid(*[range(3)] * size)).reshape(size, -1).T
    alike = np.exp(-np.abs(rows[:, :, None] - rows[:, None, :]).mean(axis=(1, 2)) * 3)
    model = dl.Groups(
        types=[dl.GroupType(count=9, records=rows.tolist(), probabilities=(alike / alike.sum()).tolist())]
    )
    return _ends(Conversion(model, dl.ApproximateProfile(epsilon, 1e-6), "replace"))


def composed(kind: str, count: int) -> tuple[float, float]:
    """δ′ at 1 of so many answers, their losses added up first."""
    inner = {"kind": "laplace", "noise_multiplier": 3 * count**0.5}
    if kind == "training":
        noise = {"kind": "gaussian", "noise_multiplier": 1.0}
        inner = {"kind": "poisson_sampled", "sampling_probability": 0.001, "event": noise}
    event = {"kind": "self_composed", "count": count, "event": inner}
    found: PrivacyProfile = EventFile.model_validate({"neighbours": "add_remove", "event": event}).profile()
    return _ends(Conversion(HOME, found, "add_remove"))


def chain(n: int, mu: float) -> tuple[float, float]:
    """δ′ at 1 for a long chain, and Gaussian noise."""
    model = Chain(n=n, transition=((0.8, 0.2), (0.2, 0.8)), initial="stationary")
    return _ends(Conversion(model, dl.GaussianProfile(mu), "replace"))


def network(n: int, mu: float) -> tuple[float, float]:
    """δ′ at 1 for a network whose nodes depend on the two before them, and Gaussian noise."""
    rng, nodes = np.random.default_rng(1), [dl.Node(name="0", probabilities=(0.7, 0.3))]
    for i in range(1, n):
        rows = (rng.dirichlet((0.7, 0.7), 2 ** min(i, 2)) * 0.9 + 0.05).tolist()
        names = tuple(str(j) for j in range(max(i - 2, 0), i))
        nodes.append(dl.Node(name=str(i), parents=names, probabilities=tuple(map(tuple, rows))))
    return _ends(Conversion(dl.Network(nodes=tuple(nodes)), dl.GaussianProfile(mu), "replace"))


def _ends(made: Conversion) -> tuple[float, float]:
    found = made.delta(1.0).value
    return found.lower, found.upper
