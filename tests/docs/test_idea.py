"""The whole idea in one file says what the package says."""

import runpy
from fractions import Fraction
from math import log
from typing import Any

import pytest

import dalenius as dl
from tests.docs.page import REPOSITORY

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
