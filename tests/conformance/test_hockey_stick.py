"""The closed form of δ(ε) against the reference's quadrature.

Two thousand people, two hundred in the quick suite: leakages where probabilities are 1e-300 and far below, to nine
digits.

What attackers find at a rate of false alarms, against the most powerful test in fractions, for every model.
"""

from contextlib import suppress
from functools import partial
from itertools import permutations, product

import pytest

from dalenius.attack.tradeoff import tradeoff
from dalenius.bounds import Enclosure
from dalenius.channel import Release
from dalenius.models import Households, HouseholdType
from dalenius.noise import Laplace
from dalenius.queries import Count
from tests.cases import in_turn
from tests.conformance.comparison import assert_contains
from tests.conformance.notions import check_suprema
from tests.conformance.populations import laws_given_a_record
from tests.conformance.scores import Unfit
from tests.conformance.shared import exact_truth
from tests.conformance.table import MODELS, NOISES, QUERIES, examples, truth_of
from tests.pace import slow
from tests.reference import leakages, tradeoff as reference
from tests.reference.chain import smoothed, written_out
from tests.reference.channel import Channel, Real, mp
from tests.reference.joints import Value
from tests.reference.leakages import Leakage


@in_turn({"epsilon": [0.0, 0.4, 2.0], "model, query": [("exclusive or", "count"), ("values", "sum clipped")]})
def test_closed_form(model: str, query: str, epsilon: float) -> None:
    truth = truth_of(examples(MODELS)[model], examples(QUERIES)[query], Laplace(scale=0.6))
    for each in truth.channels:
        for measure in (leakages.delta, leakages.raising, leakages.lowering):
            assert abs(measure(each, epsilon, closed=True).value - measure(each, epsilon).value) < 1e-25


TYPES = (
    (300, (0.9, 0.04, 0.01, 0.01, 0.04)),
    (150, (0.5, 0.3, 0.15, 0.05 - 1e-6, 1e-6)),
    (50, (1 - 3e-6, 1e-6, 1e-6, 0.0, 1e-6)),
)


@pytest.mark.parametrize("scale", [0.3, 1.0, 5.0])
@pytest.mark.parametrize("share", [10, slow(1)])
@pytest.mark.parametrize("engine", ["convolution", "tilting"])
def test_tails(engine: str, share: int, scale: float) -> None:
    types = tuple((count // share, infected) for count, infected in TYPES)
    model = Households(types=tuple(HouseholdType(count=count, infected=infected) for count, infected in types))
    release = Release(model, Count(), Laplace(scale=scale), engine=engine)
    with mp.workdps(50):
        kept = mp.exp(-1 / mp.mpf(scale))
        people = [
            written_out(dict(enumerate(prior)), {own: smoothed(law, kept) for own, law in enumerate(laws)})
            for prior, laws in laws_given_a_record(types)
        ]
        check_suprema(release, people)


RATES = (1e-4, 0.01, 0.1, 0.35, 0.9)
ALL, ASKED, ADDED = examples(MODELS), examples(QUERIES), examples(NOISES)


def assert_known(found: Enclosure, truth: Real) -> None:
    """Nothing is said of small rates' digits: laws have errors of their own, of 1e-13 or so."""
    assert_contains(found, truth)
    assert found.upper - found.lower < 1e-10


def _fitting(model: str) -> str:
    """The first of a few queries that makes sense of its records."""
    for query in ("sum",) if "values" in model else ("count", "count at a stage"):
        with suppress(Unfit):
            exact_truth(model, query)
            return query
    raise AssertionError(model)


QUICK = [("labelled bits", "count", "geometric"), ("exclusive or", "count", "none"), ("alike bits", "count", "clamped")]
QUICK += [("equal pair", "count", noise) for noise in ("kernel", "relocation")]
QUICK += list(product(["values"], ["sum clipped"], ["none", "geometric"]))
QUICK += list(product(["labelled bits"], ["count per label"], ["none", "geometric"]))


@pytest.mark.parametrize(
    ("model", "query", "noise"),
    [*QUICK, *(slow((model, _fitting(model), noise)) for model, noise in product(ALL, ["none", "geometric"]))],
)
def test_every_model(model: str, query: str, noise: str) -> None:
    truth = truth_of(ALL[model], ASKED[query], ADDED[noise])
    found = tradeoff(Release(ALL[model], ASKED[query], ADDED[noise]))
    assert_known(found.advantage.value, truth.worst(reference.advantage))
    for rate in RATES:
        measure = partial(reference.true_positives, rate=rate)
        assert_known(found.true_positives(rate).value, truth.worst(measure, rate))


def dual(channel: Channel, rate: float) -> Leakage:
    """min over ε of δ(ε) + e^ε rate by ternary search in the closed form of δ under Laplace noise."""
    found = Leakage(mp.mpf(rate))
    for secret, against in permutations(channel.laws, 2):

        def height(epsilon: Real, pair: tuple[Value, Value] = (secret, against)) -> Real:
            return leakages.delta_between(channel, *pair, epsilon=epsilon, closed=True) + mp.exp(epsilon) * mp.mpf(rate)

        low, high = mp.mpf(-12), mp.mpf(12)
        while high - low > mp.mpf("1e-17"):
            third = (high - low) / 3
            low, high = (low, high - third) if height(low + third) < height(high - third) else (low + third, high)
        found = max(found, Leakage(height(low), secret, against), key=lambda each: each.value)
    return found


@pytest.mark.parametrize("rate", [0.01, 0.3])
@pytest.mark.parametrize("model", ["equal pair", "exclusive or", slow("values")])
def test_laplace_noise(model: str, rate: float) -> None:
    query = ASKED["sum clipped" if model == "values" else "count"]
    truth = truth_of(ALL[model], query, ADDED["laplace"])
    found = tradeoff(Release(ALL[model], query, ADDED["laplace"]))
    assert_known(found.true_positives(rate).value, truth.worst(partial(dual, rate=rate), rate))
