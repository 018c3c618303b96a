"""Long products of small probabilities: every kind of model that makes them, against closed forms and 60 digits."""

from fractions import Fraction

import pytest

from dalenius.absent.one_absent_model import Absent
from dalenius.channel import Adversary, Release, Secrets
from dalenius.models import AnyOf, Chain, Groups, Households, Independent, Model, Product
from dalenius.models.epidemic import Epidemic
from dalenius.noise import Geometric, Laplace, Noise, NoNoise
from dalenius.notions import (
    InferentialPrivacy,
    InformationPrivacy,
    MinEntropyPrivacy,
    MutualInformationPrivacy,
    delta_of,
)
from dalenius.queries import Count
from tests.cases import in_turn
from tests.conformance import comparison
from tests.conformance.comparison import assert_agrees, enclosure
from tests.conformance.extremes import row_of_nodes
from tests.conformance.notions import SUPREMA, check_suprema
from tests.pace import slow
from tests.reference import leakages
from tests.reference.chain import written_out
from tests.reference.channel import Channel, Law, mp, real
from tests.reference.extremes import chain_channel, one_way, one_way_ends
from tests.reference.joints import longini_koopman
from tests.reference.long_chain import limits
from tests.reference.noises import laplace


@pytest.fixture(autouse=True)
def near_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of logs are added, of 1e-5000 too: seven digits."""
    monkeypatch.setattr(comparison, "NEAR_ZERO", mp.mpf("1e-9"))
    monkeypatch.setattr(comparison, "RELATIVE", mp.mpf("1e-7"))


def infection(n: int, stay: float) -> Chain:
    """Well with probability `stay` from record to record, then ill for good."""
    return Chain(n=n, transition=[[stay, 1 - stay], [0.0, 1.0]], initial=[1.0, 0.0])


BIT = Independent(probabilities=[0.5])
LONG: dict[str, tuple[Model, int, float]] = {
    "chain": (infection(400, 0.1), 400, 0.1),
    "network": (row_of_nodes(60, [1.0, 0.0], [[1e-10, 1 - 1e-10], [0.0, 1.0]]), 60, 1e-10),
    "product": (Product(parts=[infection(400, 0.1), BIT]), 400, 0.1),
    "any": (AnyOf(models=[infection(400, 0.1), Independent(n=400, probabilities=[1e-200])]), 400, 0.1),
}


WIDE, NARROW = Laplace(scale=100.0), Geometric(scale=7.0)


@pytest.mark.parametrize(
    ("name", "noise"),
    [
        ("network", NARROW),
        *map(slow, (("chain", WIDE), ("chain", NARROW), ("network", WIDE), ("product", WIDE), ("any", NARROW))),
    ],
)
def test_one_way(name: str, noise: Noise) -> None:
    """A bit beside it is one more independent draw on the answer, next to the noise: of itself it leaks 1/b."""
    model, n, stay = LONG[name]
    people = list(one_way_ends(one_way(n, stay), noise.known_scale()))
    if name == "product":
        fall = mp.exp(-1 / mp.mpf(noise.known_scale()))
        people.append(written_out({0: mp.mpf(0.5), 1: mp.mpf(0.5)}, {0: [mp.one, fall], 1: [fall, mp.one]}))
    check_suprema(Release(model, Count(), noise), people)


@pytest.mark.slow
@pytest.mark.parametrize(("engine", "n"), [("convolution", 2000), ("tilting", 500)])
@pytest.mark.parametrize("stay", [0.1, 0.5])
def test_each_engine(stay: float, engine: str, n: int) -> None:
    """Tilted laws are transformed for every record and tilt: n² log n, where this chain's engine takes n²."""
    release = Release(infection(n, stay), Count(), Laplace(scale=100.0), engine=engine)
    check_suprema(release, list(one_way_ends(one_way(n, stay), 100.0)))


@pytest.mark.slow
def test_the_published_figures_of_the_reference() -> None:
    """Of the defect that this dimension is there to catch: found by hand, in closed form."""
    for n, stay, scale, leakage in ((2000, 0.1, 100, 19.9889), (1300, 0.5, 100, 12.9801), (1300, 0.5, 1074, 1.2086)):
        *_, last = one_way_ends(one_way(n, stay), scale)
        assert float(leakages.inferential(last).value) == pytest.approx(leakage, abs=6e-5)


def test_the_closed_form_against_forward_and_backward_sums() -> None:
    ends = list(one_way_ends(one_way(60, 0.125), 9.0))
    for record in (2, 30, 60):
        whole = chain_channel(60, [1.0, 0.0], [[0.125, 0.875], [0.0, 1.0]], record, 9.0)
        for _, _, measure in SUPREMA:
            assert mp.almosteq(measure(whole).value, measure(ends[record - 1]).value, 1e-40, 1e-40)


@pytest.mark.slow
def test_known_to_be_ill() -> None:
    """A record known to be 1 leaves those before it to be guessed."""
    adversary = Adversary(known={"200": 1})
    release = Release(infection(400, 0.1), Count(), Laplace(scale=30.0), adversary=adversary)
    check_suprema(release, list(one_way_ends(one_way(400, 0.1, ill_by=200), 30.0)))


@pytest.mark.lengthy
@pytest.mark.parametrize("n", [400, slow(5000)])
def test_without_noise_the_count_tells_all(n: int) -> None:
    release = Release(infection(n, 0.1), Count(), NoNoise())
    masses = one_way(n, 0.1)
    ill = [mp.fsum(masses[:i]) for i in range(1, n + 1)]
    chances = [(p, mp.fsum(masses[i:])) for i, p in enumerate(ill, 1)]
    assert InferentialPrivacy().leakage(release).lower == mp.inf
    assert_agrees(delta_of(release, 0.5), mp.one)
    assert_agrees(enclosure(InformationPrivacy().leakage(release)), -mp.log(chances[-1][1]))
    entropy = max(-mp.fsum(p * mp.log(p) for p in pair if p > 0) for pair in chances)
    assert_agrees(enclosure(MutualInformationPrivacy().leakage(release)), entropy)
    guess = max(-mp.log(max(pair)) for pair in chances)
    assert_agrees(enclosure(MinEntropyPrivacy().leakage(release)), guess)


NEARLY_ABSORBING = [[1e-3, 0.999], [1e-300, 1.0]]
STICKY = [[1 - 1e-16, 1e-16], [1e-16, 1 - 1e-16]]


@pytest.mark.parametrize(
    ("n", "transition", "scale"),
    [
        (40, NEARLY_ABSORBING, 20.0),
        slow((60, STICKY, 50.0)),
        slow((300, [[0.1, 0.9], [1e-300, 1.0]], 50.0)),
        slow((200, STICKY, 200.0)),
    ],
)
def test_nearly_absorbing(n: int, transition: list[list[float]], scale: float) -> None:
    """In whom is ill no more, a return of 1e-300 competes with never having been ill."""
    model = Chain(n=n, transition=transition, initial=[1.0, 1e-16])
    for record in (1, n // 2, n):
        secrets = Secrets(people=(record,))
        truth = chain_channel(n, [1.0, 1e-16], transition, record, scale)
        check_suprema(Release(model, Count(), Laplace(scale=scale), secrets), [truth])


@pytest.mark.slow
@pytest.mark.parametrize(("n", "scale"), [(5000, 100.0), (2000, 1000.0)])
def test_thousands_of_nearly_absorbing_records(n: int, scale: float) -> None:
    """The limits at ±∞ are moment generating functions, products of n matrices; what is said is no less."""
    steps = [[0.1, 0.9], [1e-300, 1.0]]
    step = [[real(Fraction(p) / sum(map(Fraction, row))) for p in row] for row in steps]
    release = Release(Chain(n=n, transition=steps, initial=[1.0, 0.0]), Count(), Laplace(scale=scale))
    ends = (limits([mp.one, mp.zero], step, (0, 1), n, n - 1, sign / mp.mpf(scale)) for sign in (-1, 1))
    least = max(abs(one - other) for one, other in ends)
    found = enclosure(InferentialPrivacy().leakage(release))
    assert found.upper >= least
    assert found.upper - found.lower <= 1e-7 * found.upper


PAIRS = Groups(types=[{"count": 2000, "records": [[0, 0], [1, 1]], "probabilities": [1.0, 1e-200]}])
SHIFTED: dict[str, tuple[Model, int, float]] = {
    "independent": (Independent(n=5000, probabilities=[1e-200]), 1, 1e-200),
    "groups": (PAIRS, 2, 1e-200),
    "households": (Households(count=2000, infected=[1.0, 0.0, 1e-300]), 2, 1e-300),
    "households of subnormals": (Households(count=2000, infected=[1.0, 0.0, 0.0, 1e-320]), 3, 1e-320),
}


@in_turn({"engine": ["convolution", "tilting"], "name": SHIFTED})
def test_thousands_of_rare_records(name: str, engine: str) -> None:
    """A record that takes its group along moves the law of the answer by the group's size, k: k/b exactly."""
    model, size, chance = SHIFTED[name]
    scale = 2.0
    release = Release(model, Count(), Laplace(scale=scale), engine=engine)
    shift, rare = mp.mpf(size) / scale, mp.mpf(chance) / (1 + mp.mpf(chance))
    assert_agrees(enclosure(InferentialPrivacy().leakage(release)), shift)
    information = InformationPrivacy().leakage(release)
    assert_agrees(enclosure(information), shift - mp.log(1 + rare * mp.expm1(shift)))
    assert_agrees(enclosure(information, "two_sided"), shift + mp.log(1 + rare * mp.expm1(-shift)))
    assert_agrees(enclosure(MinEntropyPrivacy().leakage(release)), mp.zero)


@pytest.mark.parametrize(
    ("size", "community", "household", "scale"),
    [
        (12, 1e-30, 1e-9, 0.1),
        (20, 1e-20, 1e-15, 0.05),
        slow((60, 1e-6, 1e-9, 0.05)),
        slow((60, 1e-6, 1e-9, 0.02)),
    ],
)
def test_an_epidemic_of_a_large_household(size: int, community: float, household: float, scale: float) -> None:
    epidemic = Epidemic(community=community, household=household)
    model = Households(by="home", epidemic=epidemic).with_compositions({(("", size),): 1})
    law = longini_koopman(size, Fraction(community), Fraction(household))
    share = sum((p * k for k, p in enumerate(law)), Fraction(0)) / size
    ill: Law = {(Fraction(k),): p * k / size / share for k, p in enumerate(law) if p * k}
    well: Law = {(Fraction(k),): p * (size - k) / size / (1 - share) for k, p in enumerate(law) if p * (size - k)}
    truth = Channel({0: 1 - share, 1: share}, {0: well, 1: ill}, laplace(scale))
    check_suprema(Release(model, Count(), Laplace(scale=scale)), [truth])


def test_hundreds_of_whom_one_is_absent() -> None:
    """Everybody's absence has an answer of its own; priors from 1 down to 2^-1000."""
    n, scale = 300, 2.0
    whole = sum(2.0 ** -(10 * i // 3) for i in range(n))
    prior = tuple(2.0 ** -(10 * i // 3) / whole for i in range(n))
    release = Release(Absent(answers=tuple(range(n)), prior=prior), None, Laplace(scale=scale))
    weights = [mp.mpf(p) / mp.fsum(map(mp.mpf, prior)) for p in prior]
    falls = [mp.exp(-mp.mpf(k) / scale) for k in range(n)]
    mixtures = [mp.fdot(weights, [falls[abs(y - i)] for i in range(n)]) for y in range(n)]
    assert_agrees(enclosure(InferentialPrivacy().leakage(release)), mp.mpf(n - 1) / scale)
    assert_agrees(enclosure(InformationPrivacy().leakage(release)), max(-mp.log(mixture) for mixture in mixtures))
