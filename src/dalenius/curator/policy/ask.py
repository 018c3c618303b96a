"""One question of an analyst, and how much it may cost or how precise it is to be."""

from typing import Any, Final, Literal, final

from pydantic import ValidationError, field_validator, model_validator

from dalenius.calibration import CONFIDENCE
from dalenius.curator.policy.kinds_of import parts_of
from dalenius.curator.policy.named import Name
from dalenius.noise import AnyNoise, Noise
from dalenius.noise.intervals import missed
from dalenius.queries import AnyQuery, Query
from dalenius.schema import Finite, Frozen, Positive, first_problem

LEAST: Final = 1e-6
"""Nats: a thousand of the units in which the ledger counts; a million such answers cost one nat, and tell less."""
MOST: Final = 1e3
"""Nats: the odds that such an answer may change, e to the power of it, are no double, so that nothing is promised."""
TOGETHER: Final = 64
"""Answers of several queries: what they leak is computed from their joint law."""


@final
class Ask(Frozen):
    """measure: the name of what is asked about; query: what is asked of it.

    Exactly one of: epsilon, the most the answer alone may leak, in nats, of which the least noise follows; within, the
    most that the exact answer may be away from the one that goes out, with that confidence, of which the most noise
    follows; or noise with its scale, which costs what it leaks. noise without a scale: the kind that is wanted beside
    one of the others.
    """

    measure: Name
    query: AnyQuery
    epsilon: Positive | None = None
    noise: AnyNoise | None = None
    within: Positive | None = None
    confidence: Finite = CONFIDENCE

    @field_validator("query")
    @classmethod
    def _few(cls, query: Query) -> Query:
        if parts_of(query) > TOGETHER:
            raise ValueError(too_many(parts_of(query)))
        return query

    @field_validator("epsilon")
    @classmethod
    def _served(cls, epsilon: float | None) -> float | None:
        if epsilon is not None and not LEAST <= epsilon <= MOST:
            raise ValueError(f"a number of nats from {LEAST:g} to {MOST:g}")
        return epsilon

    @field_validator("noise")
    @classmethod
    def _noised(cls, noise: Noise | None) -> Noise | None:
        if noise is not None and noise.adds_nothing:
            raise ValueError(
                "noise that adds something: whoever knows all other records would learn the last of an exact answer"
            )
        return noise

    @model_validator(mode="after")
    def _checked(self) -> "Ask":
        missed(self.confidence)
        given = (self.epsilon is not None) + (self.within is not None) + self.gives_noise
        if given != 1:
            raise ValueError("exactly one of epsilon, within, and noise with its scale")
        return self

    @property
    def given(self) -> Literal["epsilon", "within", "noise"]:
        """Which of the three it says."""
        return "epsilon" if self.epsilon is not None else "within" if self.within is not None else "noise"

    @property
    def gives_noise(self) -> bool:
        """Whether nothing of the noise is left to be chosen."""
        return self.noise is not None and self.noise.is_complete


def too_many(answers: int) -> str:
    """What is wanted instead of so many."""
    return f"at most {TOGETHER} answers of several queries (there are {answers})"


def read_ask(section: Any) -> Ask:
    """An ask in a dictionary, as JSON has it. InputError names the key, the value and what was wanted."""
    try:
        return Ask.model_validate(section)
    except ValidationError as error:
        raise first_problem(error, "ask", section) from None
