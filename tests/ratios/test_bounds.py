"""Joint laws that are too large: what a person's own group adds bounds what leaks (Result 9.6)."""

from math import exp, inf, log

import pytest

import dalenius as dl
from dalenius.channel.finite import plan
from dalenius.noise import Noise, separate
from tests.pace import slow

PAIRS = dl.Groups(
    types=(
        dl.GroupType(count=4, records=((0, 0), (1, 1), (2, 2), (0, 1)), probabilities=(0.6, 0.1, 0.1, 0.2)),
        dl.GroupType(count=3, records=((0, 2), (1, 0), (2, 1)), probabilities=(0.5, 0.3, 0.2)),
    )
)
TWO = dl.Several(queries=(dl.Count(values=(1,)), dl.Count(values=(2,))))
NOISES: dict[str, Noise] = {
    "mixed": separate([dl.Geometric(scale=1.5), dl.Laplace(scale=0.8)]),
    "small scales": separate([dl.Laplace(scale=0.2), dl.Laplace(scale=0.3)]),
}


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """No room for the joint law, only for a group's."""
    monkeypatch.setattr(plan, "MOST_POINTS", 100)
    monkeypatch.setattr(plan, "FEW_TERMS", 0)


@pytest.mark.parametrize("name", ["mixed", slow("small scales")])
def test_the_truth_lies_between(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    truth = dl.audit(dl.Release(PAIRS, TWO, NOISES[name]))
    delta = dl.InferentialPrivacy().least_delta(dl.Release(PAIRS, TWO, NOISES[name]), 0.3)
    monkeypatch.setattr(plan, "MOST_POINTS", 100)
    monkeypatch.setattr(plan, "FEW_TERMS", 0)
    release = dl.Release(PAIRS, TWO, NOISES[name])
    found = dl.audit(release)
    assert release.engines()[0][0] == "bounds"
    for kind, exact in truth.items():
        assert found[kind].lower <= exact.upper * (1 + 1e-9) + 1e-12
        assert exact.lower <= found[kind].upper * (1 + 1e-9) + 1e-12
    for kind in ("inferential", "information", "relative_entropy"):
        assert found[kind].upper <= 3 * found[kind].lower < inf
    bound = dl.InferentialPrivacy().least_delta(release, 0.3)
    assert delta is not None
    assert bound is not None
    assert bound.lower <= delta.lower <= delta.upper <= bound.upper


def test_six_answers_of_three_hundred_households() -> None:
    """All six rise with the members of a household who are ill: the worst output is beyond all of them."""
    infected = (0.5, 0.4, 0.02, 0.02, 0.02, 0.02, 0.02)
    homes = dl.Households(types=[{"count": 300, "infected": infected, "members": dict.fromkeys("abcdef", 1)}])

    def mean(ill: int, rate: float) -> float:
        ways = [k if ill else 6 - k for k in range(7)]
        every = zip(infected, ways, range(7), strict=True)
        return sum(p * w * exp(rate * k) for p, w, k in every) / sum(p * w for p, w in zip(infected, ways, strict=True))

    release = dl.Release(homes, dl.Count(per_label=True), dl.Laplace(scale=1.0))
    found = dl.InferentialPrivacy().leakage(release)
    assert release.engines()[0][0] == "bounds"
    assert found.lower <= log(mean(1, 1.0) / mean(0, 1.0)) * (1 + 1e-12)
    assert found.upper == pytest.approx(log(mean(1, 1.0) / mean(0, 1.0)), rel=1e-9)
    assert found.upper - found.lower < 1e-9


def test_an_exact_answer_beside_a_noised_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its outermost values are limits like any other."""
    release = dl.Release(PAIRS, TWO, separate([dl.NoNoise(), dl.Geometric(scale=1.0)]))
    truth = dl.InferentialPrivacy().leakage(release)
    monkeypatch.setattr(plan, "MOST_POINTS", 100)
    monkeypatch.setattr(plan, "FEW_TERMS", 0)
    found = dl.InferentialPrivacy().leakage(dl.Release(PAIRS, TWO, release.noise))
    assert 1e-3 < found.lower <= truth.upper
    assert truth.lower <= found.upper


def test_one_chain_is_one_group(narrow: None) -> None:
    chain = dl.Chain(n=9, initial=(0.4, 0.3, 0.3), transition=((0.8, 0.1, 0.1), (0.1, 0.8, 0.1), (0.1, 0.1, 0.8)))
    with pytest.raises(dl.TooLarge, match=r"a box of .* points over all secrets"):
        dl.audit(dl.Release(chain, TWO, dl.Geometric(scale=1.0)), [dl.InferentialPrivacy()])
