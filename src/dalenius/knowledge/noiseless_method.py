"""No noise at all: the records' own randomness may be enough (NP; Theory §7)."""

from math import isinf
from typing import ClassVar, final

from dalenius.calibration.method import Calibration, Method, check_records_notion, promised
from dalenius.channel import Release
from dalenius.errors import Refused
from dalenius.knowledge.noiseless import noiseless_delta
from dalenius.noise import NoNoise
from dalenius.notions import Leakage, Notion


@final
class NoiselessMethod(Method):
    """Applies where the exact answer keeps the promise under this model; elsewhere it says what the answer leaks."""

    name: ClassVar[str] = "noiseless"
    reads_channel: ClassVar[bool] = True

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        epsilon = promised(notion)
        check_records_notion(notion)
        notion.check(release)
        bare = release.with_noise(NoNoise())
        leakage = notion.leakage(bare)
        if leakage.upper > epsilon:
            raise Refused(_reached(bare, notion, epsilon, leakage))
        why = "the exact answer keeps the promise: under this model the other records are noise enough"
        return Calibration(self.name, True, why, NoNoise(), 0.0, leakage)


def _reached(bare: Release, notion: Notion, epsilon: float, leakage: Leakage) -> str:
    if notion.background_fraction is None or notion.promised_delta is None:
        return f"without noise the answer leaks {_said(leakage)}, promised {epsilon:g}"
    delta = noiseless_delta(bare, epsilon, notion.background_fraction)
    least = f"{delta.upper:.6g}" if delta.upper - delta.lower <= 1e-6 * delta.upper else f"up to {delta.upper:.6g}"
    at_delta = f"epsilon = {_said(leakage)} at delta = {notion.promised_delta:g}"
    return f"without noise: {at_delta}, and delta = {least} at epsilon = {epsilon:g}"


def _said(leakage: Leakage) -> str:
    if isinf(leakage.lower):
        return "∞"
    if leakage.upper - leakage.lower <= 1e-6 * leakage.upper:
        return f"{leakage.upper:.6g}"
    return f"between {leakage.lower:.6g} and {leakage.upper:.6g}"
