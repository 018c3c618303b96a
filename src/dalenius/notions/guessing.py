"""How much an output helps whoever guesses the secret: min-entropy (Smith 2009), g-leakage (Alvim et al. 2012)."""

from collections.abc import Sequence
from math import inf, isfinite, log, log1p
from typing import Annotated, ClassVar, Literal, TypeAlias, final

import numpy as np
from pydantic import BeforeValidator

from dalenius.bounds import UNIT, Enclosure
from dalenius.channel import Channel, Likelihoods, Release
from dalenius.channel.leakage import NOTHING, Leakage, worst
from dalenius.errors import InputError, Meaningless
from dalenius.laws.integrals.functionals import Vulnerability
from dalenius.laws.integrals.gain import ExpectedGain, Quadratic
from dalenius.notions.notion import Notion, Proof
from dalenius.notions.wording import folds


@final
class MinEntropyPrivacy(Notion):
    """log( sum_y max_s π_s W(y|s) / max_s π_s ) <= epsilon, in nats: the chance that the best guess of the record is
    right grows by at most e^epsilon, on average over the outputs. Also called Bayes leakage; never above `information`.
    """

    implied_by: ClassVar[Proof] = "inferential"

    kind: Literal["min_entropy"] = "min_entropy"

    def in_words(self, epsilon: float, chance: float | None = None) -> str:
        if epsilon == 0:
            return "whoever guesses the secret once is right no more often"
        return f"whoever guesses the secret once is right at most {folds(epsilon)} times as often"

    def leakage_of(self, channel: Channel) -> Leakage:
        return worst(self._one(each) for each in channel.singly(self.kind))

    def _one(self, channel: Channel) -> Leakage:
        finite = channel.finite(self.kind)
        if len(finite.secrets) < 2:
            return NOTHING
        guesses = finite.subject.guesses
        log_prior = finite.log_prior if guesses is None else guesses
        value = gain(finite.integral(Vulnerability(log_prior)), float(np.max(log_prior)))
        return Leakage(value.lower, value.upper, finite.witness())


def gain(vulnerability: Enclosure, log_blind: float) -> Enclosure:
    """Its log above that of the best blind guess: at least 0, and at most what certainty would bring."""
    rounding = 16 * UNIT * (1 + abs(log_blind))
    lower = log(vulnerability.lower) - log_blind - rounding if vulnerability.lower > 0 else 0.0
    upper = log(min(vulnerability.upper, 1.0)) - log_blind + rounding
    return Enclosure(min(max(lower, 0.0), -log_blind), max(upper, 0.0))


WANTED = "identity, gini, or rows of numbers of at least 0: a row per guess, a column per value of a record"


def _gain(given: object) -> object:
    # Read here, not left to the union: pydantic would name its members in the path.
    if given in ("identity", "gini"):
        return given
    if isinstance(given, str) or not isinstance(given, Sequence) or not given:
        raise ValueError(WANTED)
    for number, row in enumerate(given, 1):
        if isinstance(row, str) or not isinstance(row, Sequence) or not row:
            raise ValueError(f"{WANTED} (row {number} is {row!r})")
        if len(row) != len(given[0]):
            raise ValueError(f"rows of one length (row {number} has {len(row)} numbers, row 1 has {len(given[0])})")
        for entry in row:
            if isinstance(entry, bool) or not isinstance(entry, int | float) or not (isfinite(entry) and entry >= 0):
                raise ValueError(f"finite numbers of at least 0 (row {number} has {entry!r})")
    if not any(entry > 0 for row in given for entry in row):
        raise ValueError("some guess that gains something")
    return given


Rows: TypeAlias = tuple[tuple[float, ...], ...]
Gain = Annotated[Literal["identity", "gini"] | Rows, BeforeValidator(_gain)]


@final
class GLeakage(Notion):
    """log( V(after the output) / V(before) ) <= epsilon, in nats, V the expected gain of the best guess.

    gain: a row per guess g and a column per value s of the record that is possible, in the order in which the model
    lists them; V = max_g Σ_s gain_gs Pr(s), after the output Σ_y max_g Σ_s gain_gs π_s W(y|s). `identity`: a guess of
    the record that gains 1 where it is right, as in `min_entropy`. `gini`: V = Σ_s Pr(s)², after the output
    Σ_y W(y) Σ_s Pr(s|y)²: the gain is that of a guessed distribution under the quadratic score. Never above
    `information`.
    """

    implied_by: ClassVar[Proof] = "inferential"

    kind: Literal["g_leakage"] = "g_leakage"
    gain: Gain = "identity"

    def leakage_of(self, channel: Channel) -> Leakage:
        if self.gain == "identity":
            return MinEntropyPrivacy().leakage_of(channel)
        return worst(self._one(each) for each in channel.singly(self.kind))

    def _one(self, channel: Channel) -> Leakage:
        assert self.gain != "identity"
        finite = channel.finite(self.kind)
        if finite.subject.guesses is not None:
            self._refuse_absences()
        if len(finite.secrets) < 2:
            return NOTHING
        value = _quadratic(finite) if self.gain == "gini" else self._expected(finite, self.gain)
        return Leakage(value.lower, value.upper, finite.witness())

    def check_secret(self, release: Release) -> None:
        if release.secret == "absence" and self.gain != "identity":
            self._refuse_absences()

    def _refuse_absences(self) -> None:
        shown = self.gain if isinstance(self.gain, str) else "a matrix"
        raise Meaningless("notion.gain", shown, "identity where the secret is who is absent")

    def _expected(self, channel: Likelihoods, rows: Rows) -> Enclosure:
        secrets = len(channel.secrets)
        if len(rows[0]) != secrets:
            values = ", ".join(map(str, channel.secrets[:20]))
            wanted = f"{secrets} of them: the record of person {channel.subject.person} can be {values}"
            raise InputError("notion.gain", f"{len(rows[0])} columns", wanted)
        with np.errstate(divide="ignore"):
            functional = ExpectedGain(channel.log_prior, np.log(np.array(rows)))
        found = channel.integral(functional)
        upper = min(found.upper, functional.most)
        lower = log(found.lower) - 4 * UNIT if found.lower > 1 else 0.0
        return Enclosure(max(lower, 0.0), max(log(upper) * (1 + 4 * UNIT) + 4 * UNIT, 0.0) if upper < inf else inf)


def _quadratic(channel: Likelihoods) -> Enclosure:
    functional = Quadratic(channel.log_prior)
    found = channel.integral(functional)
    upper = min(found.upper, functional.most)
    return Enclosure(log1p(max(found.lower, 0.0)) * (1 - 4 * UNIT), log1p(upper) * (1 + 4 * UNIT))
