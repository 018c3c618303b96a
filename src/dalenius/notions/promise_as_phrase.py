"""A promise in a spec: an epsilon, or one phrase that stands for it, such as the factor by which a chance may grow.

Doubling of a chance at most is the promise ε = ln 2. The phrase that was given is the one that is written:

>>> import dalenius as dl
>>> promise = dl.InformationPrivacy(factor=2.0)
>>> round(promise.epsilon, 6), phrase_of(promise)
(0.693147, {'factor': 2.0})
"""

import abc
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final, Literal, Self, TypeAlias, final

from pydantic import (
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    ValidationInfo,
    field_validator,
    model_serializer,
    model_validator,
)
from pydantic_core import PydanticCustomError

from dalenius.errors import InputError
from dalenius.fields import Positive, Probability
from dalenius.frozen_section import Frozen
from dalenius.notions.promises_in_words import (
    epsilon_of_advantage,
    epsilon_of_chances,
    epsilon_of_factor,
    epsilon_of_odds,
)

Phrase: TypeAlias = Literal["factor", "odds", "from", "advantage"]
"""The phrases. factor: no probability of a secret grows more than so many times; odds: nor the odds between two values;
from: with `to`, a chance of that stays at or below this; advantage: a guess between two equally likely values is right
with probability at most (1 + advantage)/2."""

OF_CHANCES: Final[tuple[Phrase, ...]] = ("factor", "from")
"""The phrases of notions that bound Pr[s|y]/Pr[s] by e^epsilon."""
OF_ODDS: Final[tuple[Phrase, ...]] = ("factor", "odds", "from", "advantage")
"""The phrases of notions that bound the likelihood ratio of two values: no chance then grows more than that either."""


Times = Annotated[Probability, Field(gt=1, allow_inf_nan=False)]
Chance = Annotated[Probability, Field(gt=0, lt=1, allow_inf_nan=False)]

PHRASE_KEYS: Final[dict[Phrase, tuple[str, ...]]] = {
    "factor": ("factor",),
    "odds": ("odds",),
    "from": ("from", "to"),
    "advantage": ("advantage",),
}
"""The keys of each phrase in a spec."""
FIELDS: Final = {"factor": "factor", "odds": "odds", "from": "from_", "to": "to", "advantage": "advantage"}
"""The name in Python of each key, because `from` is no name there."""


@final
class Epsilon(Frozen):
    epsilon: Positive | None


class Phrased(Frozen, abc.ABC):
    """A promise in nats, or one phrase that stands for it, of those that the kind has.

    What is written is what was given.

    Args:
        epsilon: The promise, in nats; None where only the leakage is asked for.
        factor: No chance grows more than so many times.
        odds: The odds between two values change at most so many times.
        from_: With `to`, a chance of `from_` stays at or below `to`; the key `from` in a spec.
        to: See `from_`.
        advantage: A guess between two equally likely values is right with probability at most (1 + advantage)/2.
    """

    leading: ClassVar[tuple[str, ...]] = ("epsilon",)

    _phrases: ClassVar[tuple[Phrase, ...]] = ()
    # The phrases that can say this promise.

    _later: ClassVar[tuple[str, ...]] = ()
    # Keys that are not written while they have their defaults, because they came later than ledgers whose requests are
    # named by that text.

    model_config = ConfigDict(populate_by_name=True)

    kind: str
    epsilon: Positive | None = None
    factor: Times | None = None
    odds: Times | None = None
    from_: Annotated[Chance | None, Field(alias="from")] = None
    to: Chance | None = None
    advantage: Chance | None = None

    @field_validator("factor", "odds", "from_", "to", "advantage")
    @classmethod
    def _one_promise(cls, given: float | None, info: ValidationInfo) -> float | None:
        """Raises ValueError for a phrase that the kind does not have, or one given with another promise."""
        if given is None:
            return given
        own = next(phrase for phrase, keys in PHRASE_KEYS.items() for key in keys if FIELDS[key] == info.field_name)
        if own not in cls._phrases:
            raise ValueError(cls._known_phrases(own, info.data.get("kind", "such")))
        others = ["epsilon", *(FIELDS[keys[0]] for phrase, keys in PHRASE_KEYS.items() if phrase != own)]
        other_promise = next((name for name in others if info.data.get(name) is not None), None)
        if other_promise is not None:
            raise ValueError(f"one promise only: {other_promise.rstrip('_')} says it already")
        return given

    @classmethod
    def _known_phrases(cls, phrase: Phrase, kind: str) -> str:
        """Says what is wanted of the kind instead of that phrase."""
        known = ", ".join(" with ".join(PHRASE_KEYS[each]) for each in cls._phrases)
        return f"one of epsilon, {known} for {kind} privacy" if known else f"no {phrase} for {kind} privacy"

    @field_validator("to")
    @classmethod
    def _above(cls, to: float | None, info: ValidationInfo) -> float | None:
        """Checks `to`, which needs a `from` below it; a missing one is reported as any missing key."""
        if "from_" not in info.data:  # refused already
            return to
        start = info.data["from_"]
        if to is None and start is not None:
            raise PydanticCustomError("missing", "a value")
        if to is not None and start is None:
            raise ValueError("from beside it: a chance of from is to stay at or below to")
        if to is not None and to <= start:
            raise ValueError(f"a number above from, {start!r}")
        return to

    @model_validator(mode="after")
    def _resolved(self) -> Self:
        """Sets the phrase's epsilon; InputError where an advantage does not exceed delta: no ε would keep it."""
        if self._given():
            epsilon = self._promised()
            if epsilon <= 0:
                raise InputError("notion.advantage", self.advantage, f"a number above delta, {self.promised_delta!r}")
            object.__setattr__(self, "epsilon", epsilon)
        return self

    @property
    def promised_delta(self) -> float | None:
        """The promise's delta; None where the notion has none."""
        return None

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Copies the section with some fields changed; another epsilon replaces the phrase of the promise.

        Args:
            update: The changed fields, by name; None for none.
            deep: Whether pydantic copies the other fields deeply.
        """
        changed = dict(update or {})
        if "epsilon" in changed:
            epsilon = Epsilon(epsilon=changed.pop("epsilon")).epsilon
            return super().model_copy(update=changed, deep=deep).altered({"epsilon": epsilon})
        given = self.as_given()
        before, after = (type(self)(**{**given, **each}).epsilon for each in ({}, changed))
        found = super().model_copy(update=changed, deep=deep)
        return found if before == after else found.altered({"epsilon": after})

    def as_given(self) -> dict[str, Any]:
        """Returns the fields as given, without the epsilon where it follows from the rest."""
        given = super().as_given()
        epsilon = given.pop("epsilon", None)
        return given if type(self)(**given).epsilon is not None else {**given, "epsilon": epsilon}

    def _given(self) -> dict[str, float]:
        named = {key: getattr(self, name) for key, name in FIELDS.items()}
        return {key: value for key, value in named.items() if value is not None}

    def _promised(self) -> float:
        """Returns the phrase's epsilon."""
        if self.from_ is not None and self.to is not None:
            of_odds = "odds" in self._phrases
            return (epsilon_of_odds if of_odds else epsilon_of_chances)(self.from_, self.to)
        if self.advantage is not None:
            return epsilon_of_advantage(self.advantage, self.promised_delta or 0.0)
        return epsilon_of_factor(self.factor or self.odds or 1.0)

    @model_serializer(mode="wrap")
    def _as_given(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Writes one promise: the phrase's keys, or epsilon; later fields only where they say something."""
        written: dict[str, Any] = handler(self)
        said = phrase_of(self)
        for name in FIELDS.values():
            written.pop(name, None)
        if said:
            written.pop("epsilon", None)
        # Because an older ledger knows its requests by this text, it must not change.
        for name in self._later:
            if getattr(self, name) == type(self).model_fields[name].default:
                written.pop(name, None)
        return written | said


def phrase_of(notion: Phrased) -> dict[str, float]:
    """Returns the phrase that the promise of `notion` was given as, by key; empty for an epsilon, or a change."""
    given = notion._given()
    return given if given and notion.epsilon == notion._promised() else {}


def is_of_odds(notion: Phrased) -> bool | None:
    """Says whether the promise of `notion` bounds odds between two values; False for chances, None for neither."""
    return "odds" in notion._phrases if notion._phrases else None
