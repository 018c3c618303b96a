"""Geometric noise, clamped: every notion against rows written out in fractions; draws; what is refused."""

from fractions import Fraction
from math import e, exp, inf, log

import pytest

from dalenius import (
    Clamped,
    Count,
    Gaussian,
    Geometric,
    Households,
    Independent,
    InferentialPrivacy,
    InputError,
    Mean,
    NoNoise,
    Release,
    Several,
    Sum,
    TooLarge,
    audit,
    calibrate,
)
from dalenius.laws.lattice import Lattice
from tests.conformance.compare import compare
from tests.conformance.table import MODELS, QUERIES, examples, truth_of
from tests.pace import slow

HOMES = Households(count=12, infected=(0.9, 0.04, 0.0, 0.0, 0.06))
WHOLE = Lattice((Fraction(1),))


@pytest.mark.parametrize(
    ("model", "query", "scale", "ends"),
    [
        ("equal pair", "sum", 0.4, (0, 2)),
        ("equal pair", "sum", 0, (0, 1)),
        slow(("equal pair", "sum", 1.3, (-3, 9))),
        slow(("equal pair", "sum", 1.3, (-2, 0))),
        slow(("equal pair", "sum", 1.3, (2, 7))),
        ("equal pair", "sum", 0.4, (4, 5)),
        slow(("equal pair", "sum", 1.3, (-5, -4))),
        ("one type", "count", 1.3, (1, 3)),
        ("three beliefs", "count", 0.4, (1, 2)),
    ],
)
def test_against_the_reference(model: str, query: str, scale: float, ends: tuple[int, int]) -> None:
    """Ends inside, at, beyond and on one side of the answers."""
    noise = Clamped(scale=scale, lower=ends[0], upper=ends[1])
    given = examples(MODELS)[model], examples(QUERIES)[query]
    compare(*given, noise, "enumeration", truth_of(*given, noise))


def test_near_lies_are_rejected() -> None:
    given = examples(MODELS)["one type"], examples(QUERIES)["count"]
    honest, lie = Clamped(scale=1.3, lower=0, upper=3), Clamped(scale=1.3 + 1e-6, lower=0, upper=3)
    compare(*given, honest, None, truth_of(*given, honest))
    with pytest.raises(AssertionError):
        compare(*given, lie, None, truth_of(*given, honest))


def test_at_the_answers_range_it_leaks_what_the_geometric_leaks() -> None:
    """All outputs beyond the range have the posterior of its end."""
    plain = audit(Release(HOMES, Count(), Geometric(scale=2.0)))
    for lower, upper in ((0, 48), (-7, 48), (-1, 100)):
        found = audit(Release(HOMES, Count(), Clamped(scale=2.0, lower=lower, upper=upper)))
        for kind, leakage in found.items():
            assert leakage.epsilon == pytest.approx(plain[kind].epsilon, rel=1e-10, abs=1e-12), kind


def test_clamping_within_the_range_lowers_the_leakage() -> None:
    plain = audit(Release(HOMES, Count(), Geometric(scale=2.0)))
    found = audit(Release(HOMES, Count(), Clamped(scale=2.0, lower=1, upper=5)))
    for kind in ("inferential", "information", "relative_entropy", "mutual_information"):
        assert found[kind].upper < plain[kind].lower


def test_more_noise_may_leak_more() -> None:
    """Without noise every answer above 2 goes out as 2; with a little, one of 3 may be told from one of 16."""
    release = Release(Households(count=4, infected=(0.9, 0.04, 0.0, 0.0, 0.06)), Count(), NoNoise())
    without = InferentialPrivacy().leakage(release.with_noise(Clamped(scale=0, lower=1, upper=2)))
    little = InferentialPrivacy().leakage(release.with_noise(Clamped(scale=0.5, lower=1, upper=2)))
    assert without.upper == pytest.approx(2.067271, abs=1e-6)
    assert little.lower == pytest.approx(2.131525, abs=1e-6)


def test_a_constant_tells_nothing() -> None:
    for value in (-4, 0, 13, 48, 60):
        found = audit(Release(HOMES, Count(), Clamped(scale=1.5, lower=value, upper=value)))
        assert all(leakage.upper < 1e-11 for leakage in found.values())


def test_per_label_and_on_other_lattices() -> None:
    family = Households(types=[{"count": 2, "infected": [0.7, 0.1, 0.2], "members": {"a": 1, "b": 1}}])
    several = audit(Release(family, Count(per_label=True), Clamped(scale=1.0, lower=0, upper=1)))
    wider = audit(Release(family, Count(per_label=True), Geometric(scale=1.0)))
    assert 0 < several["inferential"].upper < wider["inferential"].lower
    counted = audit(Release(HOMES, Count(), Clamped(scale=3.0, lower=1, upper=5)))
    averaged = audit(Release(HOMES, Mean(), Clamped(scale=3 / 48, lower=1 / 48, upper=5 / 48)))
    assert averaged["inferential"].epsilon == pytest.approx(counted["inferential"].epsilon, rel=1e-12)
    witness = averaged["inferential"].witness
    assert witness is not None
    assert witness.output in [(1 / 48,), (5 / 48,)]


def test_differential_privacy_of_a_clamped_answer() -> None:
    def lost(scale: float, lower: float, upper: float, query: Count | Sum) -> tuple[float, float]:
        found = audit(Release(HOMES, query, Clamped(scale=scale, lower=lower, upper=upper)))["differential"]
        return found.lower, found.upper

    assert lost(2.0, 1, 5, Count()) == pytest.approx((0.5, 0.5))
    assert lost(0, 1, 5, Count()) == (inf, inf)
    assert lost(0, 3, 3, Count())[1] < 1e-300
    assert lost(0, 60, 70, Count()) == (0.0, inf)
    far = Independent(values=[0, 10], probabilities=[[0.5, 0.5]] * 2)
    found = audit(Release(far, Sum(), Clamped(scale=2.0, lower=9, upper=11)))["differential"]
    assert found.lower == 0
    assert found.upper == pytest.approx(5)


@pytest.mark.slow
def test_draws_follow_the_law() -> None:
    noise = Clamped(scale=1.0, lower=2, upper=4)
    drawn = [int(noise.draw((3,), WHOLE)[0]) for _ in range(4000)]
    assert set(drawn) == {2, 3, 4}
    middle = (1 - 1 / e) / (1 + 1 / e)
    assert drawn.count(3) / 4000 == pytest.approx(middle, abs=6 * (middle * (1 - middle) / 4000) ** 0.5)


def test_without_noise_the_answer_is_clamped() -> None:
    noise = Clamped(scale=0, lower=-1, upper=4)
    assert [int(noise.draw((answer,), WHOLE)[0]) for answer in (-3, -1, 2, 9)] == [-1, -1, 2, 4]
    third = Lattice((Fraction(1, 3),))
    assert Clamped(scale=0, lower=1 / 3, upper=2 / 3).draw((7,), third) == (Fraction(2, 3),)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"lower": 5, "upper": 4}, "lower of at most upper"),
        ({"scale": -1}, "at least 0"),
        ({"scale": None}, "a number"),
        ({"lower": inf}, "a finite number"),
    ],
)
def test_what_is_no_range_is_refused(fields: dict[str, float], said: str) -> None:
    with pytest.raises(InputError, match=said):
        Clamped(**{"scale": 1.0, "lower": 0, "upper": 4, **fields})


def test_ends_off_the_lattice_and_far_away_are_refused() -> None:
    with pytest.raises(InputError, match=r"^noise.lower: 0.5, wanted a multiple of 1$"):
        audit(Release(HOMES, Count(), Clamped(scale=1.0, lower=0.5, upper=4)))
    with pytest.raises(TooLarge, match="set lower and upper nearer"):
        audit(Release(HOMES, Count(), Clamped(scale=1.0, lower=1e9, upper=1e9)))
    with pytest.raises(InputError, match=r"^noise.scale: 1e-09, wanted 0, or at least"):
        audit(Release(HOMES, Count(), Clamped(scale=1e-9, lower=0, upper=4)))


def test_it_is_no_kind_to_search_a_scale_of() -> None:
    release = Release(HOMES, Count(), Clamped(scale=1.0, lower=0, upper=4))
    for method in ("exact", "group"):
        with pytest.raises(InputError, match=r"^noise.kind: clamped, wanted laplace, geometric or"):
            calibrate(release, InferentialPrivacy(epsilon=0.1), method)


def test_two_people_by_hand() -> None:
    """Equal fair bits, clamped to 0..1: the tails Pr[noise >= 1] and Pr[noise >= -1], and Pr[noise <= 0] and <= -2."""
    pair = Households(count=1, infected=(0.5, 0.0, 0.5))
    for scale in (1.0, 0.5):
        found = audit(Release(pair, Sum(), Clamped(scale=scale, lower=0, upper=1)))["inferential"]
        a = exp(-1 / scale)
        ratios = (1 - a**2 / (1 + a)) / (a / (1 + a)), (1 / (1 + a)) / (a**2 / (1 + a))
        assert found.epsilon == pytest.approx(log(max(ratios)), rel=1e-12)


def test_several_queries_share_the_ends() -> None:
    release = Release(HOMES, Several(queries=[Count(), Count(values=[0])]), Clamped(scale=1.0, lower=2, upper=40))
    assert audit(release)["inferential"].upper < audit(release.with_noise(Geometric(scale=1.0)))["inferential"].lower
    assert Gaussian(scale=1.0).kind == "gaussian"
