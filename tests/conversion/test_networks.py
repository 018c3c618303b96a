"""Networks that are not listed: both ends against the program over all assignments, blankets and chains."""

from itertools import permutations

import numpy as np
import pytest

from dalenius.conversion import Conversion, GaussianProfile, PureProfile
from dalenius.conversion.bounds_for_large_groups import WideNetwork
from dalenius.conversion.clique_laws_given_separator import CliqueViews
from dalenius.conversion.network_bound import bound_of_network
from dalenius.models import Chain, Network
from dalenius.models.bayesian_network import Node
from tests.conversion.laws import GUARANTEED, check_asked, law_of
from tests.pace import slow
from tests.reference.conversion import largest_gain


def network(seed: int, sizes: tuple[int, ...], parents: int, least: float = 0.05) -> Network:
    """Each node has up to so many parents among those before it; least: of the chances, some of them 0 if it is."""
    rng, nodes = np.random.default_rng(seed), []
    for i, k in enumerate(sizes):
        own = sorted(rng.choice(i, size=min(i, int(rng.integers(1, parents + 1))), replace=False).tolist()) if i else []
        rows = rng.dirichlet(np.full(k, 0.7), int(np.prod([sizes[j] for j in own])))
        if not least:
            rows = np.where(rng.random(rows.shape) < 0.2, 0.0, rows) + 1e-3 * np.eye(k)[rng.integers(k, size=len(rows))]
        rows = rows / rows.sum(axis=1, keepdims=True) * (1 - k * least) + least
        table = tuple(tuple((row / row.sum()).tolist()) for row in rows)
        names = tuple(f"n{j}" for j in own)
        nodes.append(Node(name=f"n{i}", parents=names, probabilities=table if own else table[0]))
    return Network(nodes=tuple(nodes))


def views_of(model: Network) -> CliqueViews:
    (factor,) = model.law().factors()
    assert factor.cliques is not None
    return CliqueViews(factor.cliques)


def wide(model: Network, information: bool = False) -> WideNetwork:
    joint = model.law()
    return WideNetwork(joint, tuple(joint.factors()[0].people), information, views_of(model))


@pytest.mark.parametrize(
    ("number", "sizes", "parents", "least", "steps"),
    [
        (0, (2, 2, 2, 2), 1, 0.05, 1),
        (1, (2, 2, 2, 2), 3, 0.0, 1),
        (2, (2, 3, 2), 2, 0.0, 1),
        (1, (2, 2, 2), 2, 0.05, 2),  # where a record may be missing
    ],
)
def test_every_pair_of_every_record_is_bound(
    number: int, sizes: tuple[int, ...], parents: int, least: float, steps: int
) -> None:
    model = network(number + len(sizes), sizes, parents, least)
    law, (profile, guarantees) = law_of(model), GUARANTEED[number]
    epsilons, bound = bound_of_network(views_of(model), profile, steps, 3.0)
    for epsilon in (0.0, 0.5):
        at = int(np.searchsorted(epsilons, epsilon, side="right")) - 1
        for place in range(len(sizes)):
            for one, other in permutations(sorted({row[place] for row in law}), 2):
                exact = largest_gain(law, place, one, other, guarantees, float(epsilons[at]), steps == 2)
                assert exact <= bound[place, one, other, at] + 1e-9
                assert bound[place, one, other, at] <= exact + 0.25


def test_pure_profiles_from_above() -> None:
    for seed, (sizes, parents) in enumerate((((2,) * 6, 1), ((2,) * 6, 3), ((3, 2, 3, 2), 2))):
        model = network(seed, sizes, parents, 0.0 if seed % 2 else 0.02)
        exact = Conversion(model, PureProfile(0.3), "replace").epsilon(0.0).value
        found = wide(model).worst(0.3)[1]
        assert exact.lower <= found.upper + 1e-9
        assert found.upper <= (exact.upper + 1e-9 if parents == 1 else 1.35 * exact.upper)


def test_pure_profiles_of_trees_from_below() -> None:
    """The record's own change leaks as much; of how much a chance grows nothing is known."""
    model = network(0, (2,) * 40, 1)
    for information, own in ((False, 0.2), (True, 0.0)):
        found = Conversion(model, PureProfile(0.2), "replace", information).epsilon(0.0).value
        assert found.lower == pytest.approx(own)
        assert own < found.upper < 1.0


@pytest.mark.lengthy
@pytest.mark.parametrize(
    ("sizes", "parents", "steps", "information"),
    [((2, 3, 2), 2, 1, True), slow(((2, 2, 2, 2), 1, 1, False)), slow(((2, 3, 2), 2, 2, True))],
)
def test_listed_networks_asked_as_wide_ones(
    sizes: tuple[int, ...], parents: int, steps: int, information: bool
) -> None:
    for seed in range(2):
        model = network(seed, sizes, parents, 0.0 if seed else 0.05)
        for about in check_asked(wide(model, information), model, steps, information):
            assert 1 <= about.person <= len(sizes)


@pytest.mark.lengthy
def test_chains_as_networks() -> None:
    """The same row, either way: what lies on either side of a record changes one side after the other."""
    steps = ((0.9, 0.1), (0.2, 0.8))
    nodes = [Node(name="0", probabilities=(0.6, 0.4))]
    nodes += [Node(name=str(i), parents=(str(i - 1),), probabilities=steps) for i in range(1, 40)]
    row, tree = Chain(n=40, transition=steps, initial=(0.6, 0.4)), Network(nodes=tuple(nodes))
    for profile, epsilon in ((PureProfile(0.1), 0.1), (GaussianProfile(0.5), 4.0)):
        one, other = (Conversion(model, profile, "replace").delta(epsilon).value for model in (row, tree))
        assert one.upper == pytest.approx(other.upper, rel=1e-4)
        assert other.lower == one.lower


def test_chances_that_are_no_doubles() -> None:
    """A row in which all that is likely at its end is as good as never at its beginning."""
    steps = ((1 - 1e-200, 1e-200), (0.5, 0.5))
    nodes = [Node(name="0", probabilities=(1 - 1e-200, 1e-200))]
    nodes += [Node(name=str(i), parents=(str(i - 1),), probabilities=steps) for i in range(1, 12)]
    for information in (False, True):
        found = Conversion(Network(nodes=tuple(nodes)), PureProfile(0.1), "replace", information).epsilon(0.0).value
        assert found.lower <= 0.1 < found.upper < 1.2
