"""Certificates from moments against exact laws of random records: intervals, and all events of a rounded answer.

`dalenius audit` prints the certificates of a moments model; `dalenius release` refuses it.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from dalenius.errors import InputError
from dalenius.theorems import approximation_of, dependent_delta, independent_delta, most_thresholds
from tests.cli.command import Run, complaint, dalenius_once, written
from tests.pace import many, slow
from tests.reference.intervals import Array, of_all, of_cells, of_intervals, power, together
from tests.theorems import populations
from tests.theorems.populations import Population

SLACK = 1e-12
"""The transforms' rounding."""

Draw = Callable[[np.random.Generator], Population]


def dependent(random: np.random.Generator) -> Population:
    if random.random() < 0.5:
        return populations.groups(random, int(random.integers(2, 5)), int(random.integers(15_000, 50_000)))
    return populations.moving(random, int(random.integers(2, 4)), int(random.integers(30_000, 110_000)))


def held(random: np.random.Generator, draw: Draw, certify: Callable[..., object]) -> tuple[float, int]:
    """Checks one population; the largest share of a certificate that is really used, and how many said something."""
    population, used, said = draw(random), 0.0, 0
    for epsilon in (0.0, 10 ** random.uniform(-3, 0.3)):
        try:
            certificate = certify(population.moments, epsilon)
        except InputError:
            continue
        said += 1
        delta = float(certificate.delta)  # type: ignore[attr-defined]
        for law, other in population.pairs():
            found = of_intervals(law, other, epsilon)
            assert found <= delta + SLACK, (population.moments, epsilon)
            used = max(used, found / delta)
    return used, said


def run(first: int, count: int, draw: Draw, certify: Callable[..., object]) -> tuple[float, int]:
    found = [held(np.random.default_rng(first + seed), draw, certify) for seed in range(count)]
    return max(used for used, _ in found), sum(said for _, said in found)


@pytest.mark.parametrize(("first", "count"), [(0, 60), slow((2000, 300))])
def test_independent_records(first: int, count: int) -> None:
    used, said = run(first, count, populations.independent, independent_delta)
    assert said >= 4 * count / 3
    assert used > 0.3


@pytest.mark.slow
def test_two_hundred_dependent_models() -> None:
    count = many(200)
    _, said = run(3000, count, dependent, dependent_delta)
    assert said >= count


def test_dependence_may_not_be_left_out() -> None:
    """Groups of sixteen equal bits, certified as if they were independent."""
    size, count = 16, 2500
    group = np.zeros(size + 1)
    group[[0, size]] = 0.5
    law = power(group, count - 1)
    given = [together([law, np.eye(size + 1)[each]]) for each in (0, size)]
    found = max(of_intervals(given[0], given[1], 0.0), of_intervals(given[1], given[0], 0.0))
    lie = populations._moments(size * count, 1, [0.25, 0.125, 0.0625], 1)
    assert found > 1.5 * independent_delta(lie, 0.0).delta
    as_one = populations._moments(count, 1, [size**2 / 4, size**3 / 8, size**4 / 16], size)
    assert found <= independent_delta(as_one, 0.0).delta


@pytest.mark.parametrize("draw", [populations.independent, lambda random: populations.groups(random, 2, 30_000)])
def test_a_rounded_answer_is_certified_for_all_events(draw: Draw) -> None:
    random, seen = np.random.default_rng(11), 0
    for _ in range(12):
        population = draw(random)
        near = approximation_of(population.moments)
        epsilon, delta = 0.1, 0.4
        most = most_thresholds(near, epsilon, delta)
        if most == 0:
            continue
        seen += 1
        for law, other in population.pairs():
            mean, spread = _spread(law)
            low = max(int(mean - 2 * spread), 0)
            cells = sorted({low + round(each * 4 * spread / most) for each in range(min(most, 5000))})
            cells = [place for place in cells if place < len(law)]
            assert len(cells) <= most
            assert of_cells(law, other, epsilon, cells) <= delta
    assert seen >= 4


def test_without_rounding_events_tell_more() -> None:
    """A record of 0 or 2 among even ones of 0 or 4: its parity mod 4 shows; not so on a grid."""
    law = power(np.array([0.5, 0, 0, 0, 0.5]), 10_000)
    given = [together([law, np.eye(3)[0]]), together([law, np.eye(3)[2]])]
    moments = populations._moments(10_001, 1, [4.0 * 10_000 / 10_001, 8.0, 16.0], 4)
    near = approximation_of(moments)
    assert of_all(given[0], given[1], 0.1) == pytest.approx(1, abs=1e-9)
    most = most_thresholds(near, 0.1, 0.3)
    mean, spread = _spread(given[0])
    cells = [int(mean - 3 * spread) + round(each * 6 * spread / (most - 1)) for each in range(most)]
    assert most > 5
    assert of_cells(given[0], given[1], 0.1, cells) <= 0.3


def _spread(law: Array) -> tuple[float, float]:
    places = np.arange(len(law))
    mean = float(places @ law)
    return mean, float(np.sqrt((places - mean) ** 2 @ law))


MODEL = '[model]\nkind = "moments"\nn = 1000000\nvariance = 0.25\nthird = 0.125\nfourth = 0.0625\nrange = 1\n'
QUERY = '[query]\nkind = "sum"\n'
NOTION = '[notion]\nkind = "inferential"\nepsilon = 0.1\ndelta = 0.02\n'


METERS = """
model = { kind = "moments", n = 40000, variance = 4.0, third = 9.0, range = 10 }
query = { kind = "sum", lower = 0, upper = 10 }
notion = { kind = "noiseless", epsilon = 0.5, delta = 0.05 }
data = { file = "people.csv", value = "use" }
"""


def test_the_ledger_releases_no_exact_sum(tmp_path: Path, run: Run) -> None:
    """A second answer would leave less of the data's own randomness, and the ledger adds answers up."""
    (tmp_path / "people.csv").write_text("use\n1\n", encoding="utf-8")
    said = complaint(run("release", written(tmp_path, METERS)), 1)
    assert said.endswith(
        "no exact sum is released on moments alone "
        "(dalenius.theorems.most_thresholds says how many thresholds a grid may have)"
    )
    assert not list(tmp_path.glob("*.sqlite"))


def test_audit_prints_certificates(tmp_path: Path) -> None:
    done = dalenius_once("audit", written(tmp_path, MODEL + QUERY + NOTION))
    assert done.code == 0, done.err
    assert "independent_sum" in done.out
    assert "events: intervals only" in done.out
    assert "thresholds is (0.1, 0.02) for all events" in done.out


def test_audit_as_json(tmp_path: Path) -> None:
    found = dalenius_once("audit", written(tmp_path, MODEL), "--epsilon", "0.2", "--json").json
    shown = {each["certificate"]: each for each in found["certificates"]}
    assert shown["independent_sum"]["events"] == "intervals"
    assert shown["independent_sum"]["epsilon"] == 0.2
    assert shown["independent_sum"]["sound"] is True
    assert "rounded" not in found


ASKED = MODEL + QUERY + NOTION
NO_LAW = "model.kind: moments, wanted a model that says the records' law"
REFUSED = {
    ("calibrate", ASKED): NO_LAW,
    ("compare", ASKED): NO_LAW,
    ("audit", MODEL + '[query]\nkind = "max"\n'): "query.kind: max, wanted sum or mean beside model moments",
    ("audit", MODEL + QUERY + "per_label = true\n"): "query.per_label: true, wanted no per_label",
    ("audit", MODEL + "[rounding]\nlower = 0\nupper = 1\n"): "rounding: ",
    ("audit", MODEL + '[noise]\nkind = "laplace"\nscale = 1\n'): "noise.kind: laplace, wanted none",
    ("audit", MODEL + '[adversary]\nknown = { "1" = 0 }\n'): (
        "adversary.known: { 1 = 0 }, wanted model.known_fraction"
    ),
}


def test_refused(tmp_path: Path, run: Run) -> None:
    for (command, text), line in REFUSED.items():
        assert complaint(run(command, written(tmp_path, text))).startswith(line)
    said = complaint(run("release", written(tmp_path, ASKED)), 1)
    assert said.startswith("model moments certifies intervals only")
