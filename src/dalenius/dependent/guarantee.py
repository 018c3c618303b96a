"""The guarantee of a learned release: what it promises, to whom, and what that rests on."""

from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any, Literal, final


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
    """Noise that was drawn: discrete Laplace on a lattice, of mass ∝ e^{-|k|/scale}; or radial, of density ∝
    e^{-‖b‖/scale}.

    Attributes:
        on: What it was added to.
        scale: Its scale, in steps of the lattice.
        step: The lattice's step, in the numbers' own unit.
        sensitivity: How far one record moves them all, in steps (L1; L2 where the noise is radial).
        times: How often such a vector was drawn.
        kind: `geometric`, or `radial`.
        besides: Nats that each draw loses besides.
    """

    on: str
    scale: Fraction
    step: Fraction
    sensitivity: Fraction
    times: int = 1
    kind: Literal["geometric", "radial"] = "geometric"
    besides: Fraction = Fraction(0)

    @property
    def loss(self) -> Fraction:
        """The most that one record changes the logs of the likelihoods of all draws together, in nats."""
        return self.times * (self.sensitivity / self.scale + self.besides)

    def shown(self) -> dict[str, Any]:
        """Returns the noise as a dictionary that is ready for JSON."""
        unit = float(self.step)
        shown: dict[str, Any] = {"on": self.on, "kind": self.kind, "scale": float(self.scale) * unit, "step": unit}
        shown |= {"sensitivity": float(self.sensitivity) * unit, "times": self.times}
        return shown | ({"besides": float(self.besides)} if self.besides else {})
