"""What a learned release promises, and what that rests on."""

from dataclasses import asdict, dataclass
from typing import Any, Literal, final

Neighbours = Literal["replace", "add_remove"]
"""replace: data sets of the same people, one of whom has another record; add_remove: one has a record more."""


@final
@dataclass(frozen=True)
class Added:
    """Noise on one kind of number. what: on which; kind: its law; scale: in `unit`; times: how often it was drawn."""

    what: str
    kind: str
    scale: float
    unit: str
    times: int
    exact: bool


@final
@dataclass(frozen=True)
class Guarantee:
    """epsilon: nats of differential privacy per record, whatever the records; no promise where `sound` is False, and
    then `why` says what fails. Under dependence it is the ε₀ from which the promise to a person follows.
    """

    epsilon: float
    neighbours: Neighbours
    sound: bool
    why: str
    hypotheses: tuple[str, ...]
    noise: tuple[Added, ...]

    def as_json(self) -> dict[str, Any]:
        """Plain lists and numbers."""
        return {**asdict(self), "hypotheses": list(self.hypotheses), "noise": [asdict(each) for each in self.noise]}
