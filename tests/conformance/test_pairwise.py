"""People of whom only pairs are known: no joint law with those pairs leaks more than is said, and some leak as much."""

from fractions import Fraction
from math import exp, log
from random import Random

import numpy as np
import pytest

from dalenius import (
    Gaussian,
    Geometric,
    InferentialPrivacy,
    InformationPrivacy,
    InputError,
    Laplace,
    Network,
    Pairwise,
    Release,
)
from dalenius.calibration import calibrate
from dalenius.channel import Secrets
from dalenius.conversion import Conversion, PureProfile, largest
from dalenius.joints import all_outcomes, people_of
from dalenius.notions import DifferentialPrivacy, audit, delta_of
from dalenius.pairs.law_of_two_records import NamedLaw
from dalenius.queries import Sum
from tests.cases import in_turn
from tests.reference.pairwise import coupled, hockey_stick, leaks, raises, with_rest

STICKY = ((0.8, 0.2), (0.2, 0.8))
THREE = ((0.7, 0.2, 0.1), (0.25, 0.5, 0.25), (0.1, 0.2, 0.7))
GRID = ((0.6, 0.3, 0.1), (0.3, 0.4, 0.3), (0.1, 0.3, 0.6))
POINTS = (0.0, 1.0, 2.5)
ALIKE, OPPOSED = {1.0: 0.2, 3.0: 0.8}, {0.0: 0.6, 1.0: 0.4}
"""Of a record with two neighbours with bits: given 1 alike, given 0 opposed, as far as they can be."""


def star(neighbours: int, given: tuple[tuple[float, ...], ...], values: tuple[float, ...], more: int = 0) -> Pairwise:
    edges = tuple((1, j) for j in range(2, neighbours + 2))
    return Pairwise(n=neighbours + 1 + more, values=values, given=given, edges=edges)


def first(model: Pairwise, scale: float) -> Release:
    return Release(model, Sum(), Laplace(scale=scale), Secrets(people=(1,)))


@in_turn(
    {
        "scale": [0.5, 1.0, 4.0],
        "neighbours, given, values": [
            (1, STICKY, (0.0, 1.0)),
            (2, STICKY, (0.0, 1.0)),
            (2, THREE, (0.0, 1.0, 2.0)),
            (2, GRID, POINTS),
            (3, STICKY, (-1.0, 2.0)),
        ],
    }
)
def test_no_joint_law_with_these_pairs_leaks_more(
    neighbours: int, given: tuple[tuple[float, ...], ...], values: tuple[float, ...], scale: float
) -> None:
    model = star(neighbours, given, values, more=1)
    found = audit(first(model, scale), (InferentialPrivacy(), InformationPrivacy()))
    ratio, raised = found["inferential"], found["information"]
    # That of one person alone, for the prior; the pair law's own.
    prior = model.law.priors[0].tolist()
    random, largest, up = Random(7), 0.0, 0.0
    for _ in range(150):
        laws = []
        for s, own in enumerate(values):
            sums = coupled([given[s]] * neighbours, [values] * neighbours, random)
            laws.append({own + total: mass for total, mass in sums.items()})
        largest = max(largest, leaks(laws, scale))
        up = max(up, raises(laws, prior, scale)[0])
        rest = {value: 1 / len(values) for value in values}
        assert leaks([with_rest(law, rest) for law in laws], scale) <= ratio.upper
    assert largest <= ratio.upper
    assert up <= raised.upper
    assert ratio.upper <= 1.35 * max(largest, ratio.lower)


@pytest.mark.parametrize("scale", [0.5, 2.0])
def test_two_values_are_exact_and_a_law_attains_it(scale: float) -> None:
    found = audit(first(star(2, STICKY, (0.0, 1.0), more=3), scale), (InferentialPrivacy(),))["inferential"]
    truth = leaks([OPPOSED, ALIKE], scale)
    assert found.lower == pytest.approx(truth, rel=1e-10)
    assert found.upper == pytest.approx(truth, rel=1e-10)
    assert found.lower <= truth * (1 + 1e-14)
    assert truth <= found.upper
    by_hand = 1 / scale + log(0.8 * exp(2 / scale) + 0.2) - log(0.6 + 0.4 * exp(1 / scale))
    assert truth == pytest.approx(by_hand, rel=1e-10)


def test_a_law_that_leaks_more_than_a_near_lie_says() -> None:
    """Were neighbours independent given the record, less would leak: the bound is of all joint laws."""
    found = audit(first(star(2, STICKY, (0.0, 1.0)), 1.0), (InferentialPrivacy(),))["inferential"]
    alone = 2 * (log(0.8 * exp(1) + 0.2) - log(0.8 + 0.2 * exp(1))) + 1
    assert found.lower > alone * 1.05


def test_one_pair_is_the_law_itself() -> None:
    model = star(1, STICKY, (0, 1))
    bounded = audit(Release(model, Sum(), Laplace(scale=1.0)))
    exact = audit(Release(model.markov(), Sum(), Laplace(scale=1.0)))
    for kind in bounded:
        assert bounded[kind].lower <= exact[kind].upper
        assert exact[kind].lower <= bounded[kind].upper
    assert bounded["inferential"].upper == pytest.approx(exact["inferential"].upper, rel=1e-9)
    assert set(bounded) == {"differential", "inferential", "information"}


def test_geometric_noise_too() -> None:
    laplace, geometric = (
        audit(Release(star(2, THREE, (0, 1, 2)), Sum(), noise))["inferential"]
        for noise in (Laplace(scale=1.5), Geometric(scale=1.5))
    )
    assert geometric == laplace


def test_anything_counts_the_rest_of_the_component_fully() -> None:
    path = Pairwise(n=4, values=(0, 1), given=STICKY, edges=((1, 2), (2, 3), (3, 4)))
    some = audit(Release(path, Sum(), Laplace(scale=2.0), Secrets(people=(1,))))["inferential"]
    loose = path.model_copy(update={"others": "anything"})
    every = audit(Release(loose, Sum(), Laplace(scale=2.0), Secrets(people=(1,))))["inferential"]
    assert every.upper == pytest.approx(some.upper + 2 / 2.0, rel=1e-10)
    markov = path.model_copy(update={"others": "markov"})
    exact = audit(Release(markov, Sum(), Laplace(scale=2.0), Secrets(people=(1,))))["inferential"]
    assert some.upper < exact.lower < every.upper


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 0.8])
def test_deltas_are_bounded(epsilon: float) -> None:
    release = first(star(2, STICKY, (0.0, 1.0)), 2.0)
    found = delta_of(release, epsilon)
    truth = max(hockey_stick(*pair, 2.0, epsilon) for pair in ((ALIKE, OPPOSED), (OPPOSED, ALIKE)))
    assert found.lower <= truth <= found.upper <= 1
    assert found.upper <= 3 * truth
    back = audit(release, (InferentialPrivacy(delta=found.upper * (1 + 1e-9)),))["inferential"]
    assert back.upper == pytest.approx(epsilon, abs=1e-6)


def test_deltas_of_gaussian_noise_are_those_of_the_neighbourhood() -> None:
    model = star(2, STICKY, (0.0, 1.0), more=2)
    release = Release(model, Sum(), Gaussian(scale=4.0))
    found = audit(release, (InferentialPrivacy(delta=1e-3), InformationPrivacy(delta=1e-3)))
    assert pytest.approx(Gaussian().scale_for(Fraction(3), found["inferential"].upper, 1e-3), rel=1e-6) == 4.0
    assert found["information"].upper == pytest.approx(found["inferential"].upper)
    assert set(audit(release)) == {"differential"}
    promise = InferentialPrivacy(epsilon=1.0, delta=1e-3)
    assert not calibrate(release, promise, "gaussian").sound
    chosen = calibrate(Release(model, Sum(), Gaussian(), Secrets(people=(1,))), promise, "gaussian")
    assert chosen.sound
    assert chosen.noise.scale == Gaussian().scale_for(Fraction(3), 1.0, 1e-3)


def test_geometric_noise_has_a_delta_too() -> None:
    release = Release(star(2, STICKY, (0, 1)), Sum(), Geometric(scale=2.0))
    decay, truth = exp(-1 / 2.0), 0.0
    for y in range(-200, 200):
        first, second = (sum(m * decay ** abs(y - x) for x, m in law.items()) for law in (ALIKE, OPPOSED))
        truth += max(first - exp(0.3) * second, 0.0) * (1 - decay) / (1 + decay)
    found = delta_of(release, 0.3)
    assert truth <= found.upper <= 2 * truth


def test_a_record_that_is_not_asked_is_seen_through_its_neighbours() -> None:
    model = Pairwise(n=2, values=(0, 1), labels=("home", "away"), given=STICKY, edges=((1, 2),))
    release = Release(model, Sum(labels=("away",)), Laplace(scale=1.0), Secrets(people=(1,)))
    found = audit(release, (InferentialPrivacy(), DifferentialPrivacy()))
    truth = log(0.8 * exp(1) + 0.2) - log(0.8 + 0.2 * exp(1))
    assert found["inferential"].upper == pytest.approx(truth, rel=1e-10)
    assert found["differential"].upper == 0


def test_values_that_compensate_leak_nothing() -> None:
    """X_2 = 1 - X_1: the sum says nothing of them, though each alone leaks."""
    model = Pairwise(n=2, values=(0, 1), given=((0.0, 1.0), (1.0, 0.0)), edges=((1, 2),))
    found = audit(Release(model, Sum(), Laplace(scale=1.0)))["inferential"]
    assert found.lower == 0
    assert found.upper < 1e-11


def test_whoever_has_fewer_neighbours_may_leak_more() -> None:
    """A friend with the opposite value hides a record: the person without friends is the worst."""
    model = Pairwise(n=3, values=(0, 1), given=((0.0, 1.0), (1.0, 0.0)), edges=((1, 2),))
    found = audit(Release(model, Sum(), Laplace(scale=1.0)))["inferential"]
    assert found.upper == pytest.approx(1.0)
    assert found.witness is not None
    assert found.witness.person == 3


def test_directed_laws_are_read_from_both_ends() -> None:
    table = ((0.4, 0.1), (0.2, 0.3))
    model = Pairwise(n=2, values=(0, 1), laws=(NamedLaw(name="parent", table=table),), edges=((2, 1, "parent"),))
    found = [first(model, 1.0), Release(model, Sum(), Laplace(scale=1.0), Secrets(people=(2,)))]
    laws = [
        np.array(table).T / np.array(table).T.sum(axis=1)[:, None],
        np.array(table) / np.array(table).sum(axis=1)[:, None],
    ]
    for release, rows in zip(found, laws, strict=True):
        truth = leaks([{own + value: rows[own][value] for value in (0, 1)} for own in (0, 1)], 1.0)
        bounded = audit(release, (InferentialPrivacy(),))["inferential"]
        assert bounded.lower <= truth * (1 + 1e-12)
        assert truth <= bounded.upper <= truth * (1 + 1e-9)


def test_markov_has_the_given_pairs() -> None:
    model = Pairwise(
        people=("ann", "bob", "cy", "di"),
        values=(0, 1),
        given=((0.9, 0.1), (0.4, 0.6)),
        edges=(("bob", "ann"), ("cy", "bob")),
    )
    network = model.markov()
    assert isinstance(network, Network)
    law = network.law()
    slots, logs = all_outcomes(law.factors())
    order = [people_of(law).index(person) for person in (1, 2, 3, 4)]
    masses, rows = np.exp(logs), slots[:, order]
    for one, two in ((0, 1), (1, 2)):
        pair = np.zeros((2, 2))
        np.add.at(pair, (rows[:, one], rows[:, two]), masses)
        assert pair == pytest.approx(np.array([[0.72, 0.08], [0.08, 0.12]]))
    alone = np.bincount(rows[:, 3], weights=masses)
    assert alone == pytest.approx([0.8, 0.2])


def test_clipped_sums_are_read() -> None:
    model = Pairwise(n=2, values=(0, 5), given=STICKY, edges=((1, 2),))
    found = audit(Release(model, Sum(lower=0, upper=1), Laplace(scale=1.0)))["inferential"]
    plain = audit(Release(star(1, STICKY, (0, 1)), Sum(), Laplace(scale=1.0)))["inferential"]
    assert found.upper == pytest.approx(plain.upper)


def test_engines_of_joint_laws_are_none_here() -> None:
    with pytest.raises(InputError, match="engine: tilting, wanted bounds beside model pairwise"):
        Release(star(1, STICKY, (0, 1)), Sum(), Laplace(scale=1.0), engine="tilting")


@pytest.mark.parametrize("seed", range(4))
def test_random_networks_with_a_law_for_each_edge(seed: int) -> None:
    """Values some people cannot have, laws that differ from either end, marginals that differ: one person's star."""
    chances, random = np.random.default_rng(seed), Random(seed)
    values, scale = (-2.0, 0.25, 3.0), (0.5, 1.0, 5.0)[seed % 3]
    prior = chances.dirichlet(np.ones(3))
    if seed % 4 == 0:
        prior = np.array([prior[0] + prior[1], 0.0, prior[2]])
    tables = [prior[:, None] * chances.dirichlet(np.ones(3) / 2, size=3) for _ in range(1 + seed % 3)]
    model = Pairwise(
        n=len(tables) + 2,
        values=values,
        laws=tuple(NamedLaw(name=str(j), table=table.tolist()) for j, table in enumerate(tables)),
        edges=tuple((1, j + 2, str(j)) for j in range(len(tables))),
    )
    found = audit(first(model, scale), (InferentialPrivacy(), InformationPrivacy()))
    possible = [s for s in range(3) if prior[s] > 0]
    assert model.law.subject_of(1).secrets == tuple(values[s] for s in possible)
    ratio, up, either = 0.0, 0.0, 0.0
    for _ in range(60):
        laws = []
        for s in possible:
            rows = [(table[s] / table[s].sum()).tolist() for table in tables]
            laws.append({values[s] + x: m for x, m in coupled(rows, [values] * len(rows), random).items() if m > 0})
        raised, lowered = raises(laws, prior[possible].tolist(), scale)
        ratio, up, either = max(ratio, leaks(laws, scale)), max(up, raised), max(either, raised, lowered)
    assert ratio <= found["inferential"].upper
    assert up <= found["information"].upper
    assert either <= found["information"].companions["two_sided"].upper
    assert found["inferential"].lower <= found["inferential"].upper <= 1.7 * ratio


@pytest.mark.slow
def test_pairs_of_a_tree_of_bits_keep_a_promise_made_of_it() -> None:
    """The simplex method gives up on one of the programs on the way."""
    edges = ((1, 2), (1, 3), (1, 4), (4, 5), (5, 6))
    tree = Pairwise(n=6, values=(0, 1), given=((0.7, 0.3), (0.3, 0.7)), edges=edges, others="markov")
    conversion = Conversion(tree, PureProfile(1.0), "replace")
    budget = largest(conversion, PureProfile, 1.0, 0.0)
    assert 0.4182 < budget < 0.4183
    assert conversion.with_profile(PureProfile(budget)).epsilon(0.0).value.upper <= 1.0
    assert conversion.with_profile(PureProfile(1.001 * budget)).epsilon(0.0).value.lower > 1.0


def test_a_law_with_all_the_pairs_may_leak_more_than_a_neighbourhood_allows() -> None:
    """Of a path nobody's neighbourhood is independent of the rest: the bound is none, and says so."""
    edges = ((1, 2), (2, 3), (3, 4))
    path = Pairwise(n=4, values=(0, 1), given=((0.8, 0.2), (0.2, 0.8)), edges=edges)
    bounded = first(path, 2.0)
    exact = first(path.model_copy(update={"others": "markov"}), 2.0)
    assert audit(bounded)["inferential"].upper == pytest.approx(0.7960, abs=1e-4)
    assert audit(exact)["inferential"].lower == pytest.approx(1.0499, abs=1e-4)
    assert bounded.worlds.contradiction is not None
    assert exact.worlds.contradiction is None
    assert "no promise" in bounded.worlds.engines()[0][1]
    assert path.model_copy(update={"others": "anything"}).law.contradiction() is None
