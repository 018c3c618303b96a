"""One certified release: the ledger first, then the noise."""

from dataclasses import dataclass
from fractions import Fraction
from typing import final

from dalenius.calibration import Calibration, ExactMethod
from dalenius.channel import Release
from dalenius.composition import group_loss
from dalenius.curator.ledger import Budget, Entry, Ledger
from dalenius.errors import Refused
from dalenius.notions import Notion


@final
@dataclass(frozen=True)
class Released:
    """The noised answers, one per name, with what they were released under and what is left."""

    names: tuple[str, ...]
    answers: tuple[Fraction | str, ...]
    calibration: Calibration
    budget: Budget


def calibration_of(release: Release, notion: Notion) -> Calibration:
    """The release's own noise, where its scale is given and keeps the promise; else the least that does.

    Refused where the given scale breaks the promise.
    """
    if not release.noise.is_complete:
        return ExactMethod().calibrate(release, notion)
    leakage = notion.leakage(release)
    if notion.epsilon is None or leakage.upper > notion.epsilon:
        given = f"{release.noise.kind} noise of scale {release.noise.scale or 0:g}"
        raise Refused(f"{given} leaks {leakage.upper:.6g} nats ({notion.kind}), the promise is {notion.epsilon}")
    error = release.noise.expected_error(release.lattice)
    return Calibration("given", True, "the leakage of the given noise was computed", release.noise, error, leakage)


def release_once(
    release: Release, notion: Notion, answer: tuple[int, ...], ledger: Ledger, data: str, budget: float, spec: str
) -> Released:
    """Calibrate, debit, and only then draw. answer: in lattice steps; data: its fingerprint; budget: in nats."""
    calibration = calibration_of(release, notion)
    if not calibration.sound:
        raise Refused(f"method {calibration.method} is not sound here: {calibration.why}")
    chosen = release.with_noise(calibration.noise)
    cost = Entry(spec, notion.kind, calibration.leakage.upper, group_loss(chosen))
    left = ledger.debit(data, budget, cost)
    drawn = calibration.noise.draw(answer, release.lattice)
    return Released(release.scores.names, drawn, calibration, left)
