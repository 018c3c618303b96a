"""The whole idea in one file says what the package says.

The package that docs/how-to/extend.md writes: named by --plugin, installed, and against brute force.

The page itself, its commands and their outputs run with the other pages (`test_docs.py`).
"""

import itertools
import json
import os
import runpy
import subprocess
import tomllib
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from importlib import import_module
from math import exp, log
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from mpmath import mp, mpf

import dalenius as dl
from dalenius.extending import Column
from dalenius.laws.lattice import Lattice
from dalenius.laws.neighbours import Neighbours
from dalenius.noise import separate
from tests.cli.command import COMMAND, dalenius
from tests.docs.packages import install
from tests.docs.page import REPOSITORY, Page

FILE = REPOSITORY / "examples" / "idea.py"
RATIO = Fraction(1, 3)


@pytest.fixture(scope="module")
def idea() -> dict[str, Any]:
    return runpy.run_path(str(FILE))


@pytest.fixture(scope="module")
def release(idea: dict[str, Any]) -> dl.Release:
    homes = [
        dl.HouseholdType(count=1, infected=[float(p) for p in infected]) for infected in (idea["COUPLE"], idea["THREE"])
    ]
    return dl.Release(dl.Households(types=homes), dl.Count(), dl.Geometric(scale=-1 / log(RATIO)))


def test_the_audit(idea: dict[str, Any], release: dl.Release) -> None:
    found = dl.audit(release)
    for notion, nats in idea["audit"](idea["FIVE"], RATIO).items():
        assert found[notion].lower - 1e-12 <= nats <= found[notion].upper + 1e-12
        assert found[notion].upper - found[notion].lower < 1e-9


def test_the_calibration(idea: dict[str, Any], release: dl.Release) -> None:
    scale = idea["calibrate"](idea["FIVE"], "information", log(3))
    assert dl.calibrate(release, dl.InformationPrivacy(epsilon=log(3))).noise.known_scale() == pytest.approx(
        scale, rel=1e-8
    )


def test_the_attack(idea: dict[str, Any], release: dl.Release) -> None:
    """Of the classes of people one is of the couple, one of the three."""
    attacks = {each.person: each for each in dl.bayes_attacks(release)}
    assert sorted(attacks) == [1, 3]
    for number, found in attacks.items():
        right, blindly = idea["attack"](idea["FIVE"], number - 1, RATIO)
        assert found.success is not None
        assert found.success.lower - 1e-12 <= float(right) <= found.success.upper + 1e-12
        assert found.prior_success == pytest.approx(float(blindly), abs=1e-12)


def test_it_is_short_and_imports_nothing_of_ours() -> None:
    text = FILE.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 150
    assert "import dalenius" not in text
    assert "from dalenius" not in text


FAR = 700
"""Whole numbers beyond the answers: what lies further has a probability below 10^-100."""


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("extend")
    Page(REPOSITORY / "docs/how-to/extend.md", folder, ModuleType("unused")).write_files()
    return folder


@pytest.fixture(scope="module")
def installed(here: Path) -> Path:
    install(here, here / "installed")
    return here / "installed"


@pytest.fixture(scope="module")
def audited(here: Path, installed: Path) -> Any:
    """What the command says of the page's spec, the package being found by its entry points."""
    command = [str(COMMAND), "audit", "ring.toml", "--json"]
    found = os.pathsep.join(filter(None, [str(installed), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(command, cwd=here, env=os.environ | {"PYTHONPATH": found}, capture_output=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.lengthy
def test_entry_points_and_plugins_are_one(here: Path, audited: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(here)
    plugged = dalenius("audit", "ring.toml", "--plugin", "mine", "--json").json
    assert plugged["leakage"] == audited["leakage"]


def laws(spec: dict[str, Any], person: int) -> dict[int, dict[int, mpf]]:
    """Pr[sum = v | spin of that person], by the value of the spin: all 2^n spins one by one."""
    model = spec["model"]
    laws: dict[int, dict[int, mpf]] = {-1: {}, 1: {}}
    for spins in itertools.product((-1, 1), repeat=model["n"]):
        agreeing = sum(spins[i - 1] * spins[j - 1] for i, j in model["edges"])
        weight = mp.exp(mpf(model["coupling"]) * agreeing + mpf(model["field"]) * sum(spins))
        own = laws[spins[person - 1]]
        own[sum(spins)] = own.get(sum(spins), mpf(0)) + weight
    return {spin: {v: mass / sum(law.values()) for v, mass in law.items()} for spin, law in laws.items()}


def stairs(width: int, first: int, scale: float) -> dict[int, mpf]:
    """The noise, stair by stair as its authors draw it, every place of it on its own."""
    fall = mp.exp(-mpf(width) / mpf(scale))
    heights = [fall ** (0 if k < first else 1 + (k - first) // width) for k in range(FAR)]
    total = 2 * sum(heights) - heights[0]
    return {sign * k: height / total for k, height in enumerate(heights) for sign in (-1, 1)}


def outputs(law: dict[int, mpf], noise: dict[int, mpf]) -> dict[int, mpf]:
    found: dict[int, mpf] = Counter()
    for v, mass in law.items():
        for k, chance in noise.items():
            found[v + k] += mass * chance
    return found


def divergences(spec: dict[str, Any], noise: dict[int, mpf], person: int) -> Iterator[mpf]:
    """log(1 + χ²), of either spin from the other; places that not all answers reach are too far out to matter."""
    one, other = (outputs(law, noise) for law in laws(spec, person).values())
    shared = [y for y in one if y in other]
    for p, q in ((one, other), (other, one)):
        yield mp.log(mp.fsum(p[y] ** 2 / q[y] for y in shared))


def test_stairs_count_in_each_coordinate(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However little an answer moves, it may cross a stair. A record that moves two answers by one each: a stair of 2
    nats and 1 nat beside Laplace noise, not 2 for the worse of the two, nor infinitely much."""
    monkeypatch.syspath_prepend(here)
    stair = import_module("mine.staircase").Staircase
    both = separate([stair(width=2, scale=1.0), dl.Laplace(scale=1.0)])
    assert both.group_loss(Fraction(2), 2) >= 3
    bits, one = np.array([[0, 0], [1, 1]]), (Fraction(1), Fraction(1))
    found = both.mechanism(Lattice(one)).neighbour_loss(Neighbours(one, one, bits, ((bits, 2),), ("sum", "sum")))
    assert found.lower <= 3 <= found.upper < 3 + 1e-9
    cells = dl.Release(dl.Independent(n=3, probabilities=[0.5]), dl.Histogram(cells=[[0], [1]]), stair(width=2))
    chosen = dl.calibrate(cells, dl.DifferentialPrivacy(epsilon=1.0), "group")
    assert chosen.sound
    assert chosen.leakage.upper <= 1 + 1e-9


def test_the_gap_is_that_of_all_records_one_by_one(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(here)
    gap = import_module("mine.poverty_gap").PovertyGap(line=1000)
    chances, scale = {500: Fraction(1, 2), 900: Fraction(1, 4), 2000: Fraction(1, 4)}, 100
    model = dl.Independent(n=3, values=list(chances), probabilities=[list(map(float, chances.values()))])
    release = dl.Release(model, gap, dl.Geometric(scale=float(scale)))

    def law(own: int) -> dict[int, Fraction]:
        """The law of the answer in units of 100, given the first record: all pairs of the other two."""
        found = dict[int, Fraction]()
        for others in itertools.product(chances, repeat=2):
            answer = sum(max(1000 - income, 0) // 100 for income in (own, *others))
            found[answer] = found.get(answer, Fraction(0)) + chances[others[0]] * chances[others[1]]
        return found

    noise = [exp(-abs(k) * 100 / scale) for k in range(-60, 61)]
    laws = {own: [sum(float(p) * noise[y - v + 30] for v, p in law(own).items()) for y in range(31)] for own in chances}
    worst = max(
        abs(log(one / other)) for p in laws.values() for q in laws.values() for one, other in zip(p, q, strict=True)
    )
    found = dl.audit(release)["inferential"]
    assert found.lower - 1e-9 <= worst <= found.upper + 1e-9
    assert found.upper - found.lower < 1e-9
    assert release.sensitivity == 500


def test_columns_of_another_shape_are_refused(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(here)
    gap = import_module("mine.poverty_gap").PovertyGap
    wrong: list[Any] = [([Fraction(0)],), (Column("", (Fraction(1),)),)]
    for columns in wrong:
        query = type("Other", (gap,), {"columns": lambda self, strata, columns=columns: columns})(line=1)
        with pytest.raises(
            dl.InputError, match=r"wanted columns\(strata\) to return Column\(name, scores\), each with 2"
        ):
            dl.Release(dl.Independent(n=2, probabilities=[0.5]), query, dl.Laplace(scale=1.0)).sensitivity  # noqa: B018


def test_a_sure_record_has_nothing_to_tell(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(here)
    notion = import_module("mine.chi_square").ChiSquarePrivacy()
    release = dl.Release(
        dl.Table(records=[[0, 0], [0, 1]], probabilities=[0.5, 0.5]), dl.Count(), dl.Laplace(scale=2.0)
    )
    found = notion.leakage(release)
    assert found.witness is not None
    assert found.witness.person == 2
    # Mironov 2017, Table II: Laplace noise of scale 2 at order 2. The page's cells are bounded by chords.
    assert found.lower <= log(2 / 3 * exp(1 / 2) + 1 / 3 * exp(-1)) <= found.upper < found.lower + 0.05


def test_numbers_are_those_of_brute_force(here: Path, audited: Any) -> None:
    spec = tomllib.loads((here / "ring.toml").read_text(encoding="utf-8"))
    given = spec["noise"]
    leakage = audited["leakage"]
    noise = stairs(given["width"], given["first"], given["scale"])
    truth = max(max(divergences(spec, noise, person)) for person in (1, 2))
    assert leakage["chi_square"]["lower"] <= truth <= leakage["chi_square"]["upper"]
    assert leakage["chi_square"]["upper"] - leakage["chi_square"]["lower"] < 1e-8
    one, other = (outputs(law, noise) for law in laws(spec, 1).values())
    within = [y for y in one if abs(y) < FAR // 2]
    ratio = max(abs(mp.log(one[y] / other[y])) for y in within)
    assert leakage["inferential"]["lower"] - 1e-9 <= ratio <= leakage["inferential"]["upper"] + 1e-9
    assert leakage["differential"]["epsilon"] == pytest.approx(given["width"] / given["scale"], rel=1e-12)
