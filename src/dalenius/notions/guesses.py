"""Notions of how much an output helps to guess the secret: min-entropy (Smith 2009), g-leakage (Alvim et al. 2012).

Two days are alike with .9 and counted with Laplace noise of scale 2. A guess of the day is right e^0.303154 = 1.354
times as often:

>>> import dalenius as dl
>>> days = dl.Chain(n=2, initial=[0.5, 0.5], transition=[[0.9, 0.1], [0.1, 0.9]])
>>> release = dl.Release(days, dl.Count(), dl.Laplace(scale=2.0))
>>> [round(notion.leakage(release).epsilon, 6) for notion in (MinEntropyPrivacy(), GLeakage(gain="gini"))]
[0.303154, 0.130625]
"""

from collections.abc import Sequence
from math import inf, isfinite, log, log1p
from typing import Annotated, Literal, TypeAlias, final

import numpy as np
from pydantic import BeforeValidator

from dalenius.arrays import Array
from dalenius.bounds import UNIT, Enclosure
from dalenius.channel import Channel, Release
from dalenius.channel.leakage import NOTHING, Leakage
from dalenius.channel.likelihoods import Likelihoods
from dalenius.errors import InputError, Meaningless
from dalenius.laws.integrals.convex_functionals import Vulnerability
from dalenius.laws.integrals.expected_gain import ExpectedGain, Quadratic
from dalenius.notions.notion import Notion, Properties
from dalenius.notions.promises_in_words import folds
from dalenius.sentences.sentence import Figure, said


@final
class MinEntropyPrivacy(Notion):
    """Min-entropy privacy: the best guess of the record is right at most e^epsilon times as often.

    On average over outputs it bounds log( sum_y max_s π_s W(y|s) / max_s π_s ) by epsilon, in nats. It is also called
    Bayes leakage, and is never above `information`.

    Args:
        epsilon: The promise, in nats, a finite number above 0. None (the default) where only the leakage is asked for.
        factor: Refused, as the phrases below: this kind is promised by its epsilon.
        odds: Refused.
        from_: Refused.
        to: Refused.
        advantage: Refused.

    Example:
        Two days alike with .9, counted with Laplace noise of scale 2:

        >>> import dalenius as dl
        >>> days = dl.Chain(n=2, initial=[0.5, 0.5], transition=[[0.9, 0.1], [0.1, 0.9]])
        >>> release = dl.Release(days, dl.Count(), dl.Laplace(scale=2.0))
        >>> round(dl.MinEntropyPrivacy().leakage(release).epsilon, 6)
        0.303154

    Notes:
        Smith 2009. If the secret is who is absent, the guess is a person.
    """

    kind: Literal["min_entropy"] = "min_entropy"

    @property
    def properties(self) -> Properties:
        return Properties(implied_by="inferential")

    def in_words(self, epsilon: float, chance: float | None = None) -> str:
        """Says how often a guess is right, which is not a chance of one value.

        Args:
            epsilon: The leakage or the promise, in nats.
            chance: Not used: the words name no example.

        Returns:
            A clause, its number rounded up.
        """
        # The case of no answer, or of noise that hides all of it.
        if epsilon == 0:
            return said("guess_no_more")
        return said("guess_times", times=Figure(folds(epsilon)))

    def leakage_of(self, channel: Channel) -> Leakage:
        return channel.largest_average(self.kind, self._one, _ahead)

    def _one(self, channel: Channel) -> Leakage:
        """Returns one subject's leakage; where the secret is who is absent, the guess is a person, by `guesses`."""
        finite = channel.finite(self.kind)
        if len(finite.secrets) < 2:
            return NOTHING
        guesses = finite.subject.guesses
        log_prior = finite.log_prior if guesses is None else guesses
        value = gain(finite.integral(Vulnerability(log_prior)), float(np.max(log_prior)))
        return Leakage(value.lower, value.upper, finite.witness())


def _ahead(log_prior: Array) -> Array:
    """Returns by how much each other guess is better than the best blind one, relatively.

    They are the forms of `Channel.largest_average`; log_prior (subjects, k): -inf for impossible values.
    """
    prior, guesses = np.exp(log_prior), np.eye(log_prior.shape[1])
    first = np.argmax(prior, axis=1)
    best = np.take_along_axis(prior, first[:, None], axis=1)
    forms = (guesses[None] - guesses[first][:, None]) * (prior / best)[:, None]
    # Because the best blind guess is ahead of itself by nothing, the others are enough.
    others = np.arange(len(guesses)) != first[:, None]
    return np.asarray(forms[others].reshape(len(forms), len(guesses) - 1, len(guesses)))


def gain(vulnerability: Enclosure, log_blind: float) -> Enclosure:
    """Encloses the log of a `vulnerability` above that of the best blind guess, in nats.

    It is at least 0, and at most that of certainty. Both are for guesses: log_blind is the log of the best chance
    before the output.
    """
    rounding = 16 * UNIT * (1 + abs(log_blind))
    lower = log(vulnerability.lower) - log_blind - rounding if vulnerability.lower > 0 else 0.0
    upper = log(min(vulnerability.upper, 1.0)) - log_blind + rounding
    return Enclosure(min(max(lower, 0.0), -log_blind), max(upper, 0.0))


_WANTED = "identity, gini, or rows of numbers of at least 0: a row per guess, a column per value of a record"


def _gain(given: object) -> object:
    """Reads a gain by name or as rows. ValueError names the row, or entry, that is none."""
    # Because pydantic would name the union's members in the path, this is read here and not left to the union.
    if given in ("identity", "gini"):
        return given
    # Because a text such as "gni" is a sequence too, of letters.
    if isinstance(given, str) or not isinstance(given, Sequence) or not given:
        raise ValueError(_WANTED)
    for number, row in enumerate(given, 1):
        if isinstance(row, str) or not isinstance(row, Sequence) or not row:
            raise ValueError(f"{_WANTED} (row {number} is {row!r})")
        if len(row) != len(given[0]):
            raise ValueError(f"rows of one length (row {number} has {len(row)} numbers, row 1 has {len(given[0])})")
        for entry in row:
            if isinstance(entry, bool) or not isinstance(entry, int | float) or not (isfinite(entry) and entry >= 0):
                raise ValueError(f"finite numbers of at least 0 (row {number} has {entry!r})")
    if not any(entry > 0 for row in given for entry in row):
        raise ValueError("some guess that gains something")
    return given


Rows: TypeAlias = tuple[tuple[float, ...], ...]
_Gain = Annotated[Literal["identity", "gini"] | Rows, BeforeValidator(_gain)]


@final
class GLeakage(Notion):
    """g-leakage: log( V(after the output) / V(before) ) <= epsilon, in nats, V the expected gain of the best guess.

    It is never above `information`.

    Args:
        gain: What a guess gains. `identity` (the default): a guess of the record that gains 1 where it is right, as in
            `min_entropy`. `gini`: V = Σ_s Pr(s)², after the output Σ_y W(y) Σ_s Pr(s|y)²: the gain is that of a guessed
            distribution under the quadratic score. Or rows of numbers of at least 0, of shape (guesses, values): a row
            per guess g and a column per value s of the record that is possible, in the order in which the model lists
            them. Then V = max_g Σ_s gain_gs Pr(s), after the output Σ_y max_g Σ_s gain_gs π_s W(y|s).
        epsilon: The promise, in nats, a finite number above 0. None (the default) where only the leakage is asked for.
        factor: Refused, as the phrases below: this kind is promised by its epsilon.
        odds: Refused.
        from_: Refused.
        to: Refused.
        advantage: Refused.

    Example:
        Two days alike with .9, counted with Laplace noise of scale 2:

        >>> import dalenius as dl
        >>> days = dl.Chain(n=2, initial=[0.5, 0.5], transition=[[0.9, 0.1], [0.1, 0.9]])
        >>> release = dl.Release(days, dl.Count(), dl.Laplace(scale=2.0))
        >>> round(dl.GLeakage(gain="gini").leakage(release).epsilon, 6)
        0.130625

    Notes:
        Alvim et al. 2012. If the secret is who is absent, only `identity` has a meaning.
    """

    kind: Literal["g_leakage"] = "g_leakage"
    gain: _Gain = "identity"

    @property
    def properties(self) -> Properties:
        return Properties(implied_by="inferential")

    def leakage_of(self, channel: Channel) -> Leakage:
        """Returns what the channel leaks, in nats, the largest over its subjects.

        Args:
            channel: The channel of one subject, or of all subjects of a law.
        """
        if self.gain == "identity":
            return MinEntropyPrivacy().leakage_of(channel)
        return channel.largest_average(self.kind, self._one)

    def _one(self, channel: Channel) -> Leakage:
        """Returns one subject's leakage; a record with one value has nothing to be guessed."""
        assert self.gain != "identity"
        finite = channel.finite(self.kind)
        # Because a guess about an absence names a person, not one of a record's values.
        if finite.subject.guesses is not None:
            self._refuse_absences()
        if len(finite.secrets) < 2:
            return NOTHING
        value = _quadratic(finite) if self.gain == "gini" else self._expected(finite, self.gain)
        return Leakage(value.lower, value.upper, finite.witness())

    def check_secret(self, release: Release) -> None:
        """Checks that the gain is defined for such secrets.

        Args:
            release: The model, the query and the noise.

        Raises:
            Meaningless: The secret is who is absent, and the gain is not `identity`.
        """
        if release.secret == "absence" and self.gain != "identity":
            self._refuse_absences()

    def _refuse_absences(self) -> None:
        shown = self.gain if isinstance(self.gain, str) else "a matrix"
        raise Meaningless("notion.gain", shown, "identity where the secret is who is absent")

    def _expected(self, channel: Likelihoods, rows: Rows) -> Enclosure:
        """Encloses the leakage by a matrix of gains.

        InputError where the matrix has not a column for each value that this record can have.
        """
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
    """Encloses the gain of a guessed distribution under the quadratic score, in nats."""
    functional = Quadratic(channel.log_prior)
    found = channel.integral(functional)
    upper = min(found.upper, functional.most)
    return Enclosure(log1p(max(found.lower, 0.0)) * (1 - 4 * UNIT), log1p(upper) * (1 + 4 * UNIT))
