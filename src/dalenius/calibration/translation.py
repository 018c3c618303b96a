"""The meaning of a noise where the secret is who is absent: Θ of the table over the scale, beside the ε of Δ.

A table with Θ of 2 and a noise of scale 4: two people's likelihoods differ by at most half a nat.

>>> Translation(theta=2.0, log_ratio_bound=0.5).as_json()
{'theta': 2.0, 'apart': 0.5}
"""

from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True)
class Translation:
    """The meaning of a noise in other words, where the secret is who is absent (DI Thm 4).

    Attributes:
        theta: Θ of this table, in the query's unit.
        log_ratio_bound: Θ/λ, by how many nats two people's likelihoods may differ.
        theta_worst: The worst Θ over the possible tables, where the query's own bounds give one.
        sensitivity: The global sensitivity Δ, likewise.
        differential: The ε of differential privacy, Δ/λ, likewise.
    """

    theta: float
    log_ratio_bound: float
    theta_worst: float | None = None
    sensitivity: float | None = None
    differential: float | None = None

    def as_json(self) -> dict[str, float]:
        """Returns the numbers that there are, by name."""
        numbers = {"theta": self.theta, "apart": self.log_ratio_bound, "theta_worst": self.theta_worst}
        numbers |= {"sensitivity": self.sensitivity, "differential": self.differential}
        return {name: value for name, value in numbers.items() if value is not None}
