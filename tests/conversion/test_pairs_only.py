"""What any private pipeline can leak where only pairs are known: against pipelines and joint laws drawn at random."""

from itertools import product
from math import exp, expm1, log
from random import Random

import pytest

from dalenius import (
    ApproximateProfile,
    Conversion,
    Pairwise,
    PrivacyProfile,
    PureProfile,
    ZeroConcentrated,
)
from tests.pace import slow

STICKY = ((0.8, 0.2), (0.2, 0.8))
STAR = Pairwise(n=4, values=(0, 1), given=STICKY, edges=((1, 2), (1, 3)))
TREE = STAR.markov()


def likelihood(random: Random, bits: int, epsilon: float) -> dict[tuple[int, ...], float]:
    """Of one output of a pipeline of that pure ε: within e^ε of each other where one record differs."""
    kind = random.randrange(3)
    if kind == 0:
        which = random.randrange(bits)
        return {x: exp(epsilon * x[which]) for x in product((0, 1), repeat=bits)}
    signs = [random.choice((-1, 0, 1)) for _ in range(bits)]
    least = random.randint(-bits, bits) if kind == 2 else -bits
    return {
        x: exp(epsilon * max(sum(s * b for s, b in zip(signs, x, strict=True)), least))
        for x in product((0, 1), repeat=bits)
    }


def test_no_pipeline_leaks_more_under_any_joint_law() -> None:
    found = Conversion(STAR, PureProfile(0.5), "replace").epsilon(0.0)
    assert found.person == 1
    random, most = Random(5), 0.0
    for _ in range(600):
        # Pr[both ones | s] of two neighbours whose chances are .2 or .8
        both = {0: random.uniform(0.0, 0.2), 1: random.uniform(0.6, 0.8)}
        if random.random() < 0.5:
            both = {0: random.choice((0.0, 0.2)), 1: random.choice((0.6, 0.8))}
        mean = {}
        output = likelihood(random, 3, 0.5)
        for s, chance in ((0, 0.2), (1, 0.8)):
            law = {
                (1, 1): both[s],
                (1, 0): chance - both[s],
                (0, 1): chance - both[s],
                (0, 0): 1 - 2 * chance + both[s],
            }
            mean[s] = sum(mass * output[s, *rest] for rest, mass in law.items())
        most = max(most, abs(log(mean[1] / mean[0])))
    assert found.value.lower <= most <= found.value.upper <= 1.3 * most


@pytest.mark.parametrize(
    ("profile", "information"),
    [(PureProfile(0.5), False), (ApproximateProfile(0.3, 1e-3), False), slow((ZeroConcentrated(0.02), True))],
)
def test_the_markov_tree_is_one_of_the_laws(profile: PrivacyProfile, information: bool) -> None:
    some = Conversion(STAR, profile, "replace", information).delta(0.4).value
    law = Conversion(TREE, profile, "replace", information).delta(0.4).value
    assert some.lower == 0
    assert law.lower <= some.upper <= 1


def test_one_pair_alone_is_exact() -> None:
    pair = Pairwise(n=2, values=(0, 1), given=STICKY, edges=((1, 2),))
    for nats in (0.1, 1.0, 3.0):
        exact = Conversion(pair.markov(), PureProfile(nats), "replace").epsilon(0.0).value
        found = Conversion(pair, PureProfile(nats), "replace").epsilon(0.0).value
        assert found.upper == pytest.approx(exact.upper, rel=1e-9)
        told = Conversion(pair, PureProfile(nats), "replace", information=True).epsilon(0.0).value
        assert told.upper == pytest.approx(-log(0.5 + 0.5 * exp(-found.upper)), rel=1e-9)


def test_by_hand() -> None:
    """Whoever has no neighbour leaks what the pipeline may; adding or removing a record is two steps."""
    alone = Pairwise(n=2, values=(0, 1), prior=(0.9, 0.1))
    assert Conversion(alone, PureProfile(0.5), "replace").epsilon(0.0).value.upper == pytest.approx(0.5)
    assert Conversion(alone, PureProfile(0.5), "add_remove").epsilon(0.0).value.upper == pytest.approx(1.0)
    most = -expm1(-0.5) / (1 + exp(-0.5))
    assert Conversion(alone, PureProfile(0.5), "replace").delta(0.0).value.upper == pytest.approx(most)
    group = Conversion(STAR, ApproximateProfile(0.2, 1e-4), "replace").delta(0.6).value.upper
    assert group <= 1e-4 * (1 + exp(0.2) + exp(0.4)) * (1 + 1e-6)
    assert group >= 1e-4


def test_further_records_count_fully() -> None:
    path = Pairwise(n=4, values=(0, 1), given=STICKY, edges=((1, 2), (2, 3), (3, 4)))
    pair = Pairwise(n=2, values=(0, 1), given=STICKY, edges=((1, 2),))
    end, middle = (Conversion(each, PureProfile(0.2), "replace").epsilon(0.0).value.upper for each in (pair, path))
    every = Conversion(path.model_copy(update={"others": "anything"}), PureProfile(0.2), "replace").epsilon(0.0).value
    assert max(end + 0.4, middle + 0.2) == pytest.approx(every.upper, rel=1e-9)
    assert every.upper <= 4 * 0.2 * (1 + 1e-12)
    assert Conversion(path, PureProfile(100.0), "replace").epsilon(0.0).value.upper == pytest.approx(300)
