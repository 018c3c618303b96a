"""Mixtures of normal laws: every number against densities by definition in mpmath, and what is refused."""

import json
from collections.abc import Iterator
from itertools import product
from math import inf
from typing import Any

import pytest
from hypothesis import given as drawn, strategies as st

import dalenius as dl
from dalenius.channel.channel import Channel
from dalenius.errors import InputError, Meaningless
from tests.pace import draws, slow
from tests.reference import noises
from tests.reference.channel import mp
from tests.reference.normal_mixture import (
    Component,
    conditioned,
    given,
    highest,
    hockey_stick,
    information,
    largest_divergences,
    log_ratio,
    mixed,
)

HOME = (
    Component(0.2, [1, 1], [[0.1, 0], [0, 0.1]]),
    Component(0.8, [5, 5], [[4, 2], [2, 4]]),
)
TOWNS = (
    Component(0.5, [0, 1, 2], [[1, -0.5, 0.2], [-0.5, 2, 0.1], [0.2, 0.1, 0.75]]),
    Component(0.3, [3, 3, 3], [[1, 0.9, 0.9], [0.9, 1, 0.9], [0.9, 0.9, 1]]),
    Component(0.2, [0, -2, 0], [[0.5, 0, 0], [0, 3, 0], [0, 0, 0.5]]),
)
ALONE = (Component(0.4, [0.0], [[1.0]]), Component(0.6, [2.0], [[0.25]]))
RARE = (Component(0.01, [0.0], [[1.0]]), Component(0.495, [20.0], [[1.0]]), Component(0.495, [-20.0], [[1.0]]))
"""Most is learned from an answer near 0."""
CASES = {"home": (HOME, (1.0, 5.0)), "towns": (TOWNS, (0.0, 2.5)), "alone": (ALONE, (0.0, 2.0))}


@pytest.fixture(autouse=True)
def digits() -> Iterator[None]:
    with mp.workdps(20):
        yield


def model(components: Any) -> dl.GaussianMixture:
    return dl.GaussianMixture(components=[each._asdict() for each in components])


def channel(components: Any, noise: Any, pair: tuple[float, float], person: int = 1) -> Channel:
    secrets = dl.Secrets(pairs=[pair], people=[person])
    (found,) = dl.Release(model(components), dl.Sum(), noise, secrets=secrets).all_channels()
    return found


def meaning(noise: Any) -> Any:
    return noises.laplace(noise.scale) if noise.kind == "laplace" else noises.gaussian(noise.scale)


def end_of(components: Any, noise: Any) -> float:
    spread = max(sum(map(sum, each.covariance)) for each in components)
    far = max(abs(sum(each.mean)) for each in components)
    return float(far + spread / noise.scale + 10 * (spread**0.5 + noise.scale))


@pytest.mark.parametrize(("case", "scale"), [("home", 4.0), ("alone", 0.7), *map(slow, product(CASES, [0.9, 3.0]))])
def test_largest_log_ratios_under_laplace_noise_hold_the_truth(case: str, scale: float) -> None:
    components, pair = CASES[case]
    noise = dl.Laplace(scale=scale)
    found, end = channel(components, noise, pair), end_of(components, noise)
    laws = [given(components, 0, secret, meaning(noise)) for secret in pair]
    between = max(highest(log_ratio(*each), end, 120) for each in (laws, laws[::-1]))
    whole = mixed(components, meaning(noise))
    raised = max(highest(log_ratio(law, whole), end, 120) for law in laws)
    lowered = max(highest(log_ratio(whole, law), end, 120) for law in laws)
    movement = found.movement()
    for value, truth in (
        (found.ratio().value, between),
        (movement.raised.value, raised),
        (movement.lowered.value, lowered),
    ):
        assert value.upper - value.lower < 1e-6
        # The reference is a value that is attained, near the largest.
        assert value.upper >= truth - 1e-12
        assert value.lower <= truth + 1e-4


@pytest.mark.parametrize("case", ["home", "alone", slow("towns")])
def test_raised_beliefs_under_gaussian_noise_hold_the_truth(case: str) -> None:
    components, pair = CASES[case]
    noise = dl.Gaussian(scale=1.5)
    found = channel(components, noise, pair).movement()
    whole = mixed(components, meaning(noise))
    laws = [given(components, 0, secret, meaning(noise)) for secret in pair]
    truth = max(highest(log_ratio(law, whole), 3 * end_of(components, noise)) for law in laws)
    assert found.raised.value.lower - 1e-5 <= truth <= found.raised.value.upper + 1e-12
    assert found.raised.value.upper - found.raised.value.lower < 1e-6
    assert found.lowered.value.upper == inf


@pytest.mark.lengthy
@pytest.mark.parametrize("case", ["home", slow("alone"), slow("towns")])
@pytest.mark.parametrize("noise", [dl.Gaussian(scale=2.0), dl.Laplace(scale=1.5)], ids=lambda noise: noise.kind)
@pytest.mark.parametrize("epsilon", [0.0, slow(0.8), slow(2.0)])
def test_deltas_hold_the_truth(case: str, noise: Any, epsilon: float) -> None:
    components, pair = CASES[case]
    found = channel(components, noise, pair).least_delta("ratio", epsilon)
    laws = [given(components, 0, secret, meaning(noise)) for secret in pair]
    end = 2 * end_of(components, noise)
    one, other = laws
    truth = max(hockey_stick(a, b, epsilon, end, 160) for a, b in ((one, other), (other, one)))
    assert found.lower - 1e-13 <= truth <= found.upper + 1e-13
    assert found.upper - found.lower <= 1e-6 * max(float(truth), 1e-9)


@pytest.mark.lengthy
@pytest.mark.parametrize(
    ("components", "scale"), [(HOME, 4.0), (RARE, 1.0), slow((TOWNS, 1.0)), slow((ALONE, 0.3)), slow((HOME, 50.0))]
)
def test_relative_entropies_under_laplace_noise_hold_the_truth(components: Any, scale: float) -> None:
    found = channel(components, dl.Laplace(scale=scale), (0.0, 1.0)).divergence()
    truth = largest_divergences(components, 0, scale)
    for (value, _), exact in zip(found, truth, strict=True):
        # The reference is a value that is attained, near the largest.
        assert exact * (1 - 1e-3) - 1e-6 <= value.lower
        assert value.upper >= exact * (1 - 1e-9)
        assert value.upper - value.lower <= 2e-3 * exact + (1e-3 if scale == 50.0 else 1e-6)
    if components is RARE:
        assert found.forward.witness is not None
        assert found.forward.witness.output == pytest.approx((0.0,), abs=6.0)


def test_far_outputs_under_gaussian_noise_say_everything_unless_the_widest_component_hides_the_record() -> None:
    moved = channel(HOME, dl.Gaussian(scale=1.0), (1.0, 5.0)).divergence()
    assert moved.forward.value == moved.reverse.value == (inf, inf)
    assert channel(ALONE, dl.NoNoise(), (0.0, 2.0)).divergence().forward.value == (inf, inf)
    hidden = (Component(0.5, [0, 0], [[1, 0], [0, 1]]), Component(0.5, [0, 0], [[1, -1], [-1, 9]]))
    unknown = channel(hidden, dl.Gaussian(scale=1.0), (0.0, 1.0)).divergence()
    assert unknown.forward.value == unknown.reverse.value == (0.0, inf)


def test_the_least_epsilon_keeps_its_delta() -> None:
    found = channel(HOME, dl.Gaussian(scale=2.0), (1.0, 5.0))
    least = found.least_epsilon("ratio", 1e-3).value
    assert found.least_delta("ratio", least.upper).upper <= 1e-3 * (1 + 1e-9)
    assert found.least_delta("ratio", least.lower * (1 - 1e-6)).lower > 1e-3


@pytest.mark.parametrize(
    ("case", "noise", "width"),
    [
        ("alone", dl.Gaussian(scale=2.0), 1e-9),
        ("alone", dl.Laplace(scale=1.5), 1e-9),
        ("home", dl.Gaussian(scale=2.0), 1e-9),
        ("home", dl.NoNoise(), 1e-7),
        slow(("home", dl.Laplace(scale=1.5), 1e-4)),
        slow(("towns", dl.Gaussian(scale=0.5), 1e-9)),
        slow(("towns", dl.Laplace(scale=1.5), 1e-6)),
    ],
)
def test_mutual_information_is_narrow_around_the_truth(case: str, noise: Any, width: float) -> None:
    components, pair = CASES[case]
    found = channel(components, noise, pair).information().value
    kind, scale = ("gaussian", 0.0) if noise.kind == "none" else (noise.kind, noise.scale)
    truth = information(components, 0, kind, scale)
    assert found.lower - 1e-8 <= truth <= found.upper + 1e-8
    assert found.upper - found.lower < width


@pytest.mark.slow
def test_under_much_noise_mutual_information_is_small() -> None:
    """Steps of the lattice are then too few for a lower end, and the answer's own information bounds it."""
    found = channel(HOME, dl.Laplace(scale=50.0), (1.0, 5.0)).information().value
    assert found.lower <= information(HOME, 0, "laplace", 50.0) <= found.upper < 0.004


@draws(12)
@drawn(st.floats(0.05, 0.95), st.floats(-4, 4), st.floats(0.3, 3), st.floats(-0.9, 0.9), st.floats(0.3, 3))
def test_mutual_information_of_random_mixtures(w: float, mean: float, variance: float, r: float, scale: float) -> None:
    components = (
        Component(round(w, 3), [0, 0], [[1, r], [r, 1]]),
        Component(round(1 - round(w, 3), 3), [mean, -mean], [[variance, 0], [0, 2]]),
    )
    found = channel(components, dl.Gaussian(scale=scale), (0.0, 1.0)).information().value
    assert found.lower - 1e-8 <= information(components, 0, "gaussian", scale) <= found.upper + 1e-8
    assert found.upper - found.lower < 1e-8


@pytest.mark.parametrize("noise", [dl.Gaussian(scale=2.0), dl.Laplace(scale=1.5)], ids=lambda noise: noise.kind)
def test_one_component_is_the_normal_model(noise: Any) -> None:
    (only,) = (TOWNS[0]._replace(weight=1.0),)
    mixture = channel([only], noise, (0.0, 2.5))
    plain = dl.GaussianRecords(mean=only.mean, covariance=only.covariance)
    secrets = dl.Secrets(pairs=[(0.0, 2.5)], people=[1])
    (normal,) = dl.Release(plain, dl.Sum(), noise, secrets=secrets).all_channels()
    for one, other in (
        (mixture.movement().raised.value, normal.movement().raised.value),
        (mixture.ratio().value, normal.ratio().value),
    ):
        assert one.upper >= other.lower - 1e-12
        assert one.lower <= other.upper + 1e-12
        assert one.upper == other.upper == inf or one.upper - one.lower < 1e-6
    if noise.kind == "gaussian":
        ours, theirs = mixture.least_delta("ratio", 0.5), normal.least_delta("ratio", 0.5)
        assert ours.upper >= theirs.lower
        assert ours.lower <= theirs.upper
    assert mixture.information().value.upper >= normal.information().value.lower


@pytest.mark.lengthy
@pytest.mark.parametrize("noise", [dl.Gaussian(scale=2.0), slow(dl.Laplace(scale=1.5))], ids=lambda noise: noise.kind)
def test_known_records_are_conditioned_on_in_each_component(noise: Any) -> None:
    """Two towns' third record is known: each has another law of the others given it, and another chance."""
    known = 1.5
    secrets = dl.Secrets(pairs=[(0.0, 2.5)], people=[1])
    release = dl.Release(model(TOWNS), dl.Sum(), noise, secrets=secrets, adversary=dl.Adversary(known={"3": known}))
    (found,) = release.all_channels()
    left = conditioned(TOWNS, 2, known)
    laws = [given(left, 0, secret, meaning(noise)) for secret in (0.0, 2.5)]
    end = 2 * end_of(TOWNS, noise)
    truth = max(hockey_stick(a, b, 0.5, end, 160) for a, b in (laws, laws[::-1]))
    delta = found.least_delta("ratio", 0.5)
    assert delta.lower - 1e-12 <= truth <= delta.upper + 1e-12
    told = found.information().value
    assert told.lower - 1e-8 <= information(left, 0, noise.kind, noise.scale) <= told.upper + 1e-8
    assert told.upper - told.lower < 1e-5


def test_all_others_known_leave_the_record_and_the_noise() -> None:
    secrets = dl.Secrets(pairs=[(1.0, 5.0)], people=[1])
    adversary = dl.Adversary(known={"2": 3.0})
    release = dl.Release(model(HOME), dl.Sum(), dl.Laplace(scale=4.0), secrets=secrets, adversary=adversary)
    found = dl.InferentialPrivacy().leakage(release)
    assert found.lower <= 1.0 <= found.upper
    assert found.upper - found.lower < 1e-6


@pytest.mark.lengthy
def test_a_posterior_is_bayes_rule() -> None:
    components, pair = CASES["towns"]
    noise = dl.Gaussian(scale=2.0)
    (update,) = channel(components, noise, pair).at([9]).updates
    whole = mixed(components, meaning(noise))
    moved = {s: log_ratio(given(components, 0, s, meaning(noise)), whole)(9) for s in pair}
    assert update.leaks.lower <= max(*moved.values(), 0) <= update.leaks.upper
    assert update.odds.lower <= abs(moved[0.0] - moved[2.5]) <= update.odds.upper

    def posterior(x: Any) -> Any:
        prior = mp.fsum(c.weight * mp.npdf(x, c.mean[0], mp.sqrt(mp.mpf(c.covariance[0][0]))) for c in components)
        return prior * given(components, 0, x, meaning(noise)).density(9) / whole.density(9)

    mean = mp.quad(lambda x: x * posterior(x), [-9, 0, 3, 12])
    spread = mp.sqrt(mp.quad(lambda x: (x - mean) ** 2 * posterior(x), [-9, 0, 3, 12]))
    assert update.posterior == pytest.approx((float(mean), float(spread)), rel=1e-9)
    assert update.prior == pytest.approx((0.9, (0.5 + 0.3 + 0.1 + 0.3 * 9 - 0.81) ** 0.5))


@draws(20)
@drawn(st.floats(0.05, 0.95), st.floats(-3, 3), st.floats(0.1, 5), st.floats(0.3, 6), st.floats(-2, 2))
def test_no_output_leaks_more_than_the_upper_end(
    weight: float, mean: float, variance: float, scale: float, s: float
) -> None:
    components = (
        Component(round(weight, 3), [0, 0], [[1, 0.3], [0.3, 1]]),
        Component(round(1 - round(weight, 3), 3), [mean, 1], [[variance, 0], [0, 2]]),
    )
    noise = dl.Laplace(scale=scale)
    found = channel(components, noise, (s, s + 1.0)).ratio()
    laws = [given(components, 0, secret, meaning(noise)) for secret in (s, s + 1.0)]
    ratio = log_ratio(*laws)
    with mp.workdps(15):
        for y in (-30, -3, 0, 0.5, 2, 7, 40):
            assert abs(ratio(y)) <= found.value.upper + 1e-9


@pytest.mark.parametrize(
    ("given_keys", "said"),
    [
        (
            {"components": [{"weight": 0.5, "mean": [0], "covariance": [[1]]}]},
            "weights that sum to 1 (they sum to 0.5)",
        ),
        (
            {"components": [{"weight": 1, "mean": [0], "covariance": [[0]]}]},
            "variances above 0 (records that are known have no part in a mixture)",
        ),
        (
            {
                "components": [
                    {"weight": 0.5, "mean": [0], "covariance": [[1]]},
                    {"weight": 0.5, "mean": [0, 1], "covariance": [[1, 0], [0, 1]]},
                ]
            },
            "components of as many records each (they have 1, 2)",
        ),
        (
            {"components": [{"weight": 1, "mean": [0, 0], "covariance": [[1, 2], [2, 1]]}]},
            "a positive semi-definite covariance",
        ),
    ],
)
def test_a_mixture_that_is_none_is_refused(given_keys: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as caught:
        dl.GaussianMixture(**given_keys)
    assert said in str(caught.value)


def test_what_has_no_formula_is_refused_in_one_line() -> None:
    release = dl.Release(model(HOME), dl.Sum(), dl.Laplace(scale=1.0))
    with pytest.raises(InputError, match=r"^secrets\.pairs: missing, wanted pairs of values"):
        dl.InferentialPrivacy().leakage(release)
    secrets = dl.Secrets(pairs=[(0.0, 1.0)])
    paired = dl.Release(model(HOME), dl.Sum(), dl.Laplace(scale=1.0), secrets=secrets)
    with pytest.raises(Meaningless, match=r"^notion\.kind: min_entropy"):
        dl.MinEntropyPrivacy().leakage(paired)
    with pytest.raises(InputError, match=r"^noise\.kind: geometric, wanted laplace, gaussian or none"):
        dl.InferentialPrivacy().leakage(paired.with_noise(dl.Geometric(scale=2.0)))
    with pytest.raises(InputError, match=r"^query: several, wanted one answer at a time"):
        list(dl.Release(model(HOME), dl.Several(queries=[dl.Sum(), dl.Mean()]), dl.Laplace(scale=1.0)).all_channels())
    far = dl.Adversary(known={"1": 1e3})
    with pytest.raises(InputError, match=r"^adversary\.known\.1: 1000\.0, wanted a value that leaves each component"):
        list(paired.altered(adversary=far).all_channels())
    word = dl.Adversary(known={"1": "ill"})
    with pytest.raises(InputError, match=r"^adversary\.known\.1: ill, wanted a number"):
        list(paired.altered(adversary=word).all_channels())
    equal = [Component(0.5, [m, m], [[1, 1], [1, 1]]) for m in (0.0, 1.0)]
    release = dl.Release(model(equal), dl.Sum(), dl.Laplace(scale=1.0), secrets=secrets)
    with pytest.raises(InputError, match=r"^adversary\.known\.1: 0, wanted records that determine no other one"):
        list(release.altered(adversary=dl.Adversary(known={"1": 0})).all_channels())
    with pytest.raises(InputError, match=r"^noise\.kind: laplace, wanted gaussian"):
        next(iter(paired.all_channels())).at([1])


def test_without_noise_others_hide_a_record_and_nobody_hides_the_only_one() -> None:
    """Of two records the other's variance is left; an only record is told."""
    pair = (1.0, 5.0)
    both = channel(HOME, dl.NoNoise(), pair).movement().raised.value
    laws = [given(HOME, 0, secret, noises.gaussian(1e-9)) for secret in pair]
    whole = mixed(HOME, noises.gaussian(1e-9))
    truth = max(highest(log_ratio(law, whole), 60.0) for law in laws)
    assert both.lower - 1e-4 <= truth <= both.upper + 1e-6
    alone = channel(ALONE, dl.NoNoise(), (0.0, 2.0))
    assert alone.ratio().value.lower == alone.movement().raised.value.lower == inf
    assert alone.least_delta("ratio", 3.0).lower == 1.0
    assert alone.information().value.lower == inf


def test_a_spec_audits_and_calibrates(tmp_path: Any) -> None:
    spec = dl.Spec(
        model=model(HOME),
        query=dl.Sum(),
        secrets=dl.Secrets(pairs=[(1.0, 5.0)]),
        noise=dl.Laplace(),
        notion=dl.InferentialPrivacy(epsilon=1.0),
    )
    made = dl.calibrate(spec.calibrated(), dl.InferentialPrivacy(epsilon=1.0))
    assert made.sound
    assert made.leakage.upper <= 1.0
    assert made.leakage.upper > 1 - 1e-4
    assert json.loads(spec.model_dump_json())["model"]["kind"] == "gaussian_mixture"
