"""The guarantee of a learned release: what it promises, to whom, and what that rests on."""

from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any, final


@final
@dataclass(frozen=True)
class Guarantee:
    """The promise of a release that was learned from people's records.

    Attributes:
        epsilon: What is promised, in nats: an output moves the odds of two values of anybody's record by e^epsilon at
            most, for adversaries as `whom` says.
        record_epsilon: The differential privacy of one record in nats, which holds whatever the adversary believes.
        method: The name of what multiplies the noise.
        multiplier: How many times the noise of independent records is added: epsilon / record_epsilon.
        sound: Whether a theorem proves the promise; where not, only `record_epsilon` is promised.
        whom: To whom it is promised: which adversaries, and what they may believe, in words.
        why: The theorem, or what fails.
        rests_on: What must hold besides, in words.

    Example:
        >>> import dalenius as dl
        >>> families = dl.KMeans(3, epsilon=1.0, bounds=(0, 1), method="group", dependence=4)
        >>> families.guarantee.sound, families.guarantee.record_epsilon, families.guarantee.multiplier
        (True, 0.25, 4.0)
    """

    epsilon: float
    record_epsilon: float
    method: str
    multiplier: float
    sound: bool
    whom: str
    why: str
    rests_on: tuple[str, ...]

    def shown(self) -> dict[str, Any]:
        """Returns the guarantee as a dictionary that is ready for JSON."""
        return {**asdict(self), "rests_on": list(self.rests_on)}


@final
@dataclass(frozen=True)
class Drawn:
    """Noise that was drawn, discrete Laplace on a lattice: mass ∝ e^{-|k|/scale}. on: which numbers; scale: in steps of
    the lattice; step: in the numbers' own unit; sensitivity: how far one record moves them all, in steps (L1); times:
    how often such a vector was drawn."""

    on: str
    scale: Fraction
    step: Fraction
    sensitivity: Fraction
    times: int = 1

    @property
    def loss(self) -> Fraction:
        """The most that one record changes the logs of the likelihoods of all draws together, in nats."""
        return self.times * self.sensitivity / self.scale

    def shown(self) -> dict[str, Any]:
        """Returns the noise as a dictionary that is ready for JSON."""
        unit = float(self.step)
        shown = {"on": self.on, "kind": "geometric", "scale": float(self.scale) * unit, "step": unit}
        return {**shown, "sensitivity": float(self.sensitivity) * unit, "times": self.times}
