"""Promises of the other side: chances that fall (IDP Lemma 4), and D(S ‖ S|Y=y) (IDP Thm 2), against enumeration."""

from collections.abc import Callable
from math import exp, inf, log
from pathlib import Path

import pytest

import dalenius as dl
from dalenius.errors import InputError
from dalenius.models import Model
from dalenius.notions import Notion
from dalenius.notions.several_leakages import audited
from tests.cli.command import dalenius

MOSTLY_ONE: dict[tuple[int, ...], float] = {(1, 1): 0.8, (1, 0): 0.07, (0, 1): 0.03, (0, 0): 0.1}
"""Two people of whom most are 1, so that falling says more than growing."""
OUTPUTS = range(-40, 44)
BOTH = dl.InformationPrivacy(two_sided=True, epsilon=0.7)
REVERSE = dl.RelativeEntropyPrivacy(reverse=True, epsilon=0.1)


def model_of(law: dict[tuple[int, ...], float]) -> Model:
    return dl.Table(records=list(law), probabilities=list(law.values()))


def geometric(scale: float) -> Callable[[int, int], float]:
    return lambda answer, output: (1 - exp(-1 / scale)) / (1 + exp(-1 / scale)) * exp(-abs(output - answer) / scale)


def likelihoods(person: int, noise: Callable[[int, int], float]) -> dict[int, tuple[float, float, float, float]]:
    """By output: W(y|0), W(y|1), W(y) and Pr[record = 1]."""
    chance = sum(p for row, p in MOSTLY_ONE.items() if row[person])
    found = {}
    for output in OUTPUTS:
        weights = [0.0, 0.0]
        for row, p in MOSTLY_ONE.items():
            weights[row[person]] += p * noise(sum(row), output)
        found[output] = weights[0] / (1 - chance), weights[1] / chance, sum(weights), chance
    return found


def both_ways(noise: Callable[[int, int], float]) -> float:
    logs = [
        abs(log(own / mixed))
        for person in (0, 1)
        for no, yes, mixed, _ in likelihoods(person, noise).values()
        for own in (no, yes)
    ]
    return max(logs)


def reverse(noise: Callable[[int, int], float]) -> float:
    return max(
        (1 - chance) * log(mixed / no) + chance * log(mixed / yes)
        for person in (0, 1)
        for no, yes, mixed, chance in likelihoods(person, noise).values()
    )


@pytest.mark.parametrize(("notion", "truth"), [(BOTH, both_ways), (REVERSE, reverse)])
def test_exact_keeps_the_promise_and_a_little_less_noise_breaks_it(
    notion: Notion, truth: Callable[[Callable[[int, int], float]], float]
) -> None:
    promised = notion.epsilon
    assert promised is not None
    found = dl.calibrate(dl.Release(model_of(MOSTLY_ONE), dl.Count(), dl.Geometric(scale=1.0)), notion)
    assert isinstance(found.noise, dl.Geometric)
    scale = found.noise.known_scale()
    assert found.sound
    assert truth(geometric(scale)) <= promised * (1 + 1e-9)
    assert truth(geometric(0.999 * scale)) > promised


def test_growing_alone_needs_less_noise_here() -> None:
    release = dl.Release(model_of(MOSTLY_ONE), dl.Count(), dl.Geometric(scale=1.0))
    one, both = (dl.calibrate(release, dl.InformationPrivacy(epsilon=0.3, two_sided=sides)) for sides in (False, True))
    assert both.noise.known_scale() != pytest.approx(one.noise.known_scale(), rel=1e-3)
    assert dl.InformationPrivacy(epsilon=0.3).leakage(release.with_noise(both.noise)).upper <= 0.3


@pytest.mark.parametrize("method", ["optimal", "clamped"])
def test_other_mechanisms_keep_both_sides(method: str) -> None:
    release, epsilon, both = (
        dl.Release(model_of(MOSTLY_ONE), dl.Count(), dl.Geometric()),
        1.2,
        dl.InformationPrivacy(two_sided=True),
    )
    found = dl.calibrate(release, both.altered({"epsilon": epsilon}), method)
    assert both.leakage(release.with_noise(found.noise)).upper <= epsilon
    # A mechanism that cares for growing chances alone lets them fall further, for less error.
    less = dl.calibrate(release, dl.InformationPrivacy(epsilon=epsilon), method)
    assert both.leakage(release.with_noise(less.noise)).lower > epsilon
    assert less.expected_error < found.expected_error


@pytest.mark.parametrize("scale", [0.5, 1.0, 3.0])
def test_inferential_privacy_keeps_both(scale: float) -> None:
    """IDP Lemma 4 and Thm 2, with a delta too."""
    release = dl.Release(model_of(MOSTLY_ONE), dl.Count(), dl.Geometric(scale=scale))
    odds = dl.InferentialPrivacy().leakage(release)
    assert dl.InformationPrivacy(two_sided=True).leakage(release).lower <= odds.upper
    assert dl.RelativeEntropyPrivacy(reverse=True).leakage(release).lower <= odds.upper
    for epsilon in (0.1, 0.5):
        least, most = (
            notion.least_delta(release, epsilon)
            for notion in (dl.InformationPrivacy(two_sided=True), dl.InferentialPrivacy())
        )
        assert least is not None
        assert most is not None
        assert least.lower <= most.upper


def test_the_probability_of_leaking_nearly_as_much_counts_both_sides() -> None:
    release = dl.Release(model_of(MOSTLY_ONE), dl.Count(), dl.Geometric(scale=1.0))
    (leakage,) = audited(release, [dl.InformationPrivacy(two_sided=True)], (), how_likely=True)
    assert leakage is not None
    assert leakage.witness is not None
    assert leakage.witness.log_near is not None
    near = 0.0
    for no, yes, mixed, _ in likelihoods(leakage.witness.person - 1, geometric(1.0)).values():
        if max(abs(log(no / mixed)), abs(log(yes / mixed))) >= 0.9 * leakage.lower:
            near += mixed
    assert exp(leakage.witness.log_near.middle) == pytest.approx(near, rel=1e-9)


def test_an_output_that_rules_a_value_out_lowers_without_bound() -> None:
    release = dl.Release(model_of(MOSTLY_ONE), dl.Count(), dl.NoNoise())
    found = dl.InformationPrivacy(two_sided=True).leakage(release)
    assert (found.lower, found.companions["lowered"].lower) == (inf, inf)
    assert found.companions["raised"].upper < inf
    assert "fall to nothing" in (dl.in_words(dl.InformationPrivacy(two_sided=True), epsilon=inf) or "")
    assert dl.RelativeEntropyPrivacy(reverse=True).leakage(release).lower == inf


def test_words_name_both_sides() -> None:
    both = dl.in_words(dl.InformationPrivacy(two_sided=True, factor=2)) or ""
    assert both.endswith("no chance falls more than 2-fold")
    assert "grows or falls" in (dl.InformationPrivacy(two_sided=True).from_below_in_words(1.0) or "")
    assert "falls" not in (dl.in_words(dl.InformationPrivacy(factor=2)) or "")


def test_a_one_sided_promise_is_written_as_before() -> None:
    assert "two_sided" not in dl.InformationPrivacy(epsilon=1.0).model_dump_json()
    assert "reverse" not in dl.RelativeEntropyPrivacy(epsilon=1.0).model_dump_json()
    for notion in (BOTH, REVERSE):
        assert type(notion).model_validate_json(notion.model_dump_json()) == notion


def test_the_reverse_takes_no_delta() -> None:
    with pytest.raises(InputError, match=r"^notion\.delta: 0\.1, wanted 0 with reverse"):
        dl.RelativeEntropyPrivacy(reverse=True, delta=0.1)


@pytest.mark.lengthy
@pytest.mark.parametrize(
    ("promise", "named"),
    [
        ('kind = "information"\nepsilon = 0.7\ntwo_sided = true', "two-sided information"),
        ('kind = "relative_entropy"\nepsilon = 0.1\nreverse = true', "reverse relative_entropy"),
    ],
)
def test_commands_release_certify_and_compose(tmp_path: Path, promise: str, named: str) -> None:
    spec = tmp_path / "spec.toml"
    spec.write_text(
        f"""[model]
kind = "table"
records = {[list(row) for row in MOSTLY_ONE]}
probabilities = {list(MOSTLY_ONE.values())}
[query]
kind = "count"
[noise]
kind = "geometric"
[notion]
{promise}
[data]
name = "pair"
file = "table.csv"
value = "value"
"""
    )
    table = tmp_path / "table.csv"
    table.write_text("value\n1\n1\n")
    calibrated = dalenius("calibrate", spec, "--json").json
    assert calibrated["sound"]
    ledger = tmp_path / "ledger.db"
    found = dalenius("release", spec, "--data", table, "--ledger", ledger, "--budget", "9")
    assert f"{named} privacy" in " ".join(found.out.split())
    scale = calibrated["noise"]["scale"]
    known = spec.read_text().replace('kind = "geometric"', f'kind = "geometric"\nscale = {scale}')
    spec.write_text(known)
    together = dalenius("compose", spec, spec, "--json").json
    assert together["epsilon"] > calibrated["leakage"]["upper"]
