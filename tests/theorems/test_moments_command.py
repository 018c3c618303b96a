"""Certificates of moments from the command line: NP Theorem 1 and 2, Example 1, and Figures 1 to 4."""

import csv
from math import exp, log, sqrt
from pathlib import Path

import pytest

import dalenius as dl
from dalenius.errors import InputError
from dalenius.theorems import bits_delta, certify, printed_delta
from dalenius.theorems.moment_model import Moments
from tests.cli.command import dalenius
from tests.reference.intervals import bits_delta as exact_of_intervals

EXAMPLE = "[model]\nkind = 'moments'\nn = {n}\nvariance = 4.0\nthird = {third}\nrange = 30\n"
BITS = (
    "[model]\nkind = 'moments'\nn = {n}\nprobability = {p}\nknown_fraction = {known}\n"
    "[notion]\nkind = 'inferential'\nepsilon = {epsilon}\ndelta = 0.05\n"
)


def spec(folder: Path, text: str, **values: float) -> Path:
    path = folder / "moments.toml"
    path.write_text(text.format(**values))
    return path


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_example_1_is_certified_with_possible_moments_only(tmp_path: Path) -> None:
    refused = dalenius("audit", spec(tmp_path, EXAMPLE, n=10_000, third=3.0))
    assert refused.code == 2
    assert "third at least variance^(3/2) = 8 (Lyapunov; it is 3)" in refused.err
    found = dalenius("audit", spec(tmp_path, EXAMPLE, n=10_000, third=8.0), "--json").json["certificates"]
    rows = {each["certificate"]: each for each in found}
    epsilon = sqrt(30**2 * log(10_000) / (10_000 * 4))
    for name in ("independent_sum", "theorem_2"):
        assert rows[name]["epsilon"] == pytest.approx(epsilon, rel=1e-9)
    printed = 1.12 * 10_000 * 8 / (10_000 * 4) ** 1.5 * (1 + exp(epsilon)) + 4 / (5 * sqrt(10_000))
    assert rows["theorem_2"]["delta"] == pytest.approx(printed, rel=1e-9)
    assert (rows["theorem_2"]["sound"], rows["independent_sum"]["sound"]) == (False, True)
    assert (rows["independent_sum"]["events"], rows["equal_bits"]["applies"]) == ("intervals", False)


@pytest.mark.parametrize(("p", "epsilon", "known"), [(0.95, 0.5, 0.0), (0.2, 1.0, 0.5)])
def test_figures_1_and_2_are_theorem_1_beside_the_exact_curve(
    tmp_path: Path, p: float, epsilon: float, known: float
) -> None:
    path, picture = spec(tmp_path, BITS, n=2000, p=p, epsilon=epsilon, known=known), tmp_path / "figure.png"
    found = dalenius("audit", path, "--plot", picture, "--json").json
    rare, people = min(p, 1 - p), round(2000 * (1 - known))
    theorem = 2 * exp(-2 * people * (rare * (exp(epsilon) - 1) / (exp(epsilon) + rare / (1 - rare))) ** 2)
    (bits,) = [each for each in found["certificates"] if each["certificate"] == "equal_bits"]
    assert (bits["delta"], bits["events"]) == (pytest.approx(theorem, rel=1e-9), "all")
    rows = rows_of(picture.with_suffix(".csv"))
    assert picture.stat().st_size > 5000
    assert {each["certificate"] for each in rows} >= {"exact", "equal_bits", "independent_sum"}
    theorems = {int(each["n"]): float(each["delta_upper"]) for each in rows if each["certificate"] == "equal_bits"}
    exact = {int(each["n"]): each for each in rows if each["certificate"] == "exact"}
    for n, each in exact.items():
        alone = dl.Independent(n=Moments(n=n, probability=p, known_fraction=known).unknown, probabilities=[p])
        truth = dl.noiseless_delta(dl.Release(alone, dl.Count(), dl.NoNoise()), epsilon)
        assert float(each["delta_lower"]) <= truth.upper <= float(each["delta_upper"]) * (1 + 1e-9)
        assert float(each["delta_upper"]) <= theorems.get(n, 1.0)


def test_figures_3_and_4_draw_epsilon_and_delta(tmp_path: Path) -> None:
    picture = tmp_path / "figure.svg"
    assert dalenius("audit", spec(tmp_path, EXAMPLE, n=20_000, third=8.0), "--plot", picture).code == 0
    rows = [each for each in rows_of(picture.with_suffix(".csv")) if each["certificate"] == "independent_sum"]
    epsilons, deltas = ([float(each[key]) for each in rows] for key in ("epsilon_nats", "delta_upper"))
    assert epsilons == sorted(epsilons, reverse=True)
    assert deltas == sorted(deltas, reverse=True)
    assert {each["events"] for each in rows} == {"intervals"}
    for each in rows:
        assert float(each["epsilon_nats"]) == pytest.approx(sqrt(30**2 * log(int(each["n"])) / (int(each["n"]) * 4)))


def test_the_least_epsilon_of_a_delta_is_said(tmp_path: Path) -> None:
    path = spec(tmp_path, BITS, n=1000, p=0.5, epsilon=0.2, known=0.0)
    found = dalenius("audit", path, "--json").json
    deviation = sqrt(log(2 / 0.05) / 2000)
    assert found["at_delta"]["epsilon"] == pytest.approx(log((0.5 + deviation) / (0.5 - deviation)), rel=1e-9)
    assert "rounded" not in found
    assert "for all events (NP Thm 1)" in dalenius("audit", path).out


def test_bits_have_their_moments_and_no_others() -> None:
    bits = Moments(n=100, probability=0.2)
    moments = [bits.variance, bits.range, bits.third_moment, bits.fourth_moment]
    assert moments == pytest.approx([0.16, 1.0, 0.2 * 0.8**3 + 0.8 * 0.2**3, 0.2 * 0.8**4 + 0.8 * 0.2**4])
    assert Moments.model_validate_json(bits.model_dump_json()) == bits
    with pytest.raises(InputError, match=r"no variance beside probability: that of the bits is 0.16"):
        Moments(n=100, probability=0.2, variance=0.25)
    with pytest.raises(InputError, match=r"neighbourhood 1 beside probability"):
        Moments(n=100, probability=0.2, neighbourhood=2)
    with pytest.raises(InputError, match=r"^model.probability: missing"):
        bits_delta(Moments(n=100, variance=0.25, range=1), 0.1)


def test_theorem_2_as_printed_is_shown_and_is_false() -> None:
    """E6: one record counts in halves, all others are fair bits, and the fraction of the sum reveals it: δ is 1."""
    halves = Moments(n=10**6, variance=0.25 * (1 - 1e-6), third=0.125, range=1)
    printed = printed_delta(halves)
    assert (round(printed.epsilon, 4), round(printed.delta, 4), printed.sound) == (0.0074, 0.0030, False)
    mixed = dl.Product(
        parts=[
            dl.Independent(n=1, values=[0, 0.5], probabilities=[0.5, 0.5]),
            dl.Independent(n=40, values=[0, 1], probabilities=[0.5, 0.5]),
        ]
    )
    release = dl.Release(mixed, dl.Sum(lower=0, upper=1), dl.NoNoise(), secrets=dl.Secrets(people=[1]))
    assert dl.noiseless_delta(release, printed.epsilon).lower > 0.999999


def test_the_certificate_of_intervals_holds_of_equal_bits() -> None:
    bits = Moments(n=100, probability=0.5)
    found = {each.name: each.certificate for each in certify(bits, 0.4)}
    for name in ("independent_sum", "equal_bits"):
        certificate = found[name]
        assert certificate is None or exact_of_intervals(100, 0.5, 0.4) <= certificate.delta
