"""Answers about who is absent, as a ledger has them: the belief after them, and what they allow for of the promise.

Each answer's noise is for the belief of by now (E5), so that it depends on all answers before it. A debit pays for the
*share* of the promise that its answer may use beyond what those before it were allowed. An answer that was paid for and
lost may have been seen by nobody, or by somebody: it may have moved every posterior/prior by a factor of e^±(Θ/scale),
and so much is kept free for it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log1p, nextafter
from typing import Any, Final, final

import numpy as np

from dalenius.absent.rounded_answers import RoundedAnswers
from dalenius.bounds import up_to_digits
from dalenius.composition import AbsenceBelief, Accountant
from dalenius.curator.amounts import NANO, amount_of, nats_above
from dalenius.curator.hash_chained_entries import History
from dalenius.curator.recorded_answers import is_failure
from dalenius.errors import InputError, Refused
from dalenius.noise import Geometric, Noise, NoNoise
from dalenius.noise.noise import SCALE_DIGITS

_CLOSE: Final = 1e-9
"""A share that is so little above what is left takes what is left."""


@final
@dataclass(frozen=True)
class AnswersSoFar:
    """The answers of one data set under one promise.

    Attributes:
        accountant: The promise, with the adversary's belief after the answers that are known.
        kept_free: The share of the promise that is kept free for answers that were paid for and lost.
        paid: What all debits paid, in nano-nats.
        debits: How many debits there are.
    """

    accountant: Accountant
    kept_free: float = 0.0
    paid: int = 0
    debits: int = 0

    @property
    def used(self) -> float:
        """The share of the promise that is used by now; it falls where answers contradict each other."""
        return self.accountant.used + self.kept_free

    def tells_nothing(self, answers: RoundedAnswers) -> bool:
        """Says whether the `answers` are equal without each of those who may be absent."""
        assert answers.steps.whose is not None
        return len(np.unique(answers.steps.whose[self.accountant.belief.possible])) == 1

    def target(self, share: float | None) -> float:
        """Returns the share of the promise that may be used once the next answer has used its own.

        Args:
            share: The answer's own share; None for all that is left.

        Raises:
            InputError: For a share outside (0, 1].
            Refused: If less is left.
        """
        if share is None:
            return 1.0
        if not 0 < share <= 1:
            raise InputError("share", share, "a number above 0, at most 1")
        if self.used + share > 1 + _CLOSE:
            promise = f"({self.accountant.alpha:g}, {self.accountant.beta:g})"
            left = 1 - self.used if self.used < 1 - _CLOSE else 0.0
            raise Refused(f"a share of {share:g} of the promised {promise} is asked for, and {left:.6g} is left")
        return min(1.0, self.used + share)

    def noise(self, answers: RoundedAnswers, target: float) -> Noise:
        """Returns the least noise after which at most the share `target` is used, whatever comes out; none is needed
        where the answer tells nothing.

        Args:
            answers: The answers without each candidate.
            target: The share of the whole promise.

        Raises:
            Refused: If no noise will do.
        """
        if self.tells_nothing(answers):
            return NoNoise()
        rest = target - self.kept_free
        if rest <= 0:
            said = f"answers that were paid for and lost may have used {self.kept_free:.6g} of the promise"
            raise Refused(f"{said}: no noise makes another answer safe")
        scale = self.accountant.least_scale(answers.steps, rest)
        found = Geometric(scale=up_to_digits(scale * float(answers.step), SCALE_DIGITS))
        while True:
            # So that the law promised is the law drawn, the scale that the sampler takes is the one that is checked.
            try:
                self.accountant.admit(answers.steps, answers.drawn_scale(found.known_scale()), rest)
            except Refused:
                found = Geometric(scale=up_to_digits(found.known_scale() * (1 + 1e-9), SCALE_DIGITS))
            else:
                return found

    def price(self, target: float, whole: int) -> float:
        """Returns what an answer pays which may use the promise up to the share `target`, in nats.

        Args:
            target: The share of the whole promise.
            whole: The whole promise, in nano-nats.
        """
        after = min(whole, ceil(Fraction(target) * whole))
        amount = max(0, after - self.paid)
        # So that the ledger, which rounds up, counts exactly this amount.
        found = amount / NANO
        return found if Fraction(found) * NANO <= amount else nextafter(found, 0.0)


def farthest(answers: RoundedAnswers, noise: Noise) -> float:
    """Returns Θ/scale: by how many nats an answer may move two people's odds, rounded up; 0 without noise.

    Args:
        answers: The answers without each candidate.
        noise: The noise, with its scale in the query's unit.
    """
    if noise.shape.adds_nothing:
        return 0.0
    scale = answers.drawn_scale(noise.known_scale())
    return nextafter(answers.steps.sensitivity / scale, float("inf"))


def answers_so_far(
    history: History, name: str, first: Accountant, question_of: Callable[[dict[str, Any]], RoundedAnswers]
) -> AnswersSoFar:
    """Returns the answers of a data set, each with Bayes' rule for the noise that it had.

    Args:
        history: The ledger's entries.
        name: The data set.
        first: The promise, with the belief before the first answer.
        question_of: Returns the answers without each candidate, for the body of a debit; it raises for a debit that is
            not of this promise.
    """
    belief, lost, paid = first.belief, 0.0, 0
    debits = history.debited(name)
    for debit in debits:
        body = dict(debit.body)
        answers = question_of(body)
        amount = amount_of(body["leakage"])
        assert isinstance(amount, int)
        paid += amount
        drawn = history.drawn.get(debit.number)
        if drawn is None or is_failure(drawn):
            # Because the certificate, and what came out, were never written, only the debit says how far it may go.
            moved = amount_of(body["pure"])
            lost += nats_above(moved)
        else:
            belief = _after(belief, answers, drawn.body)
    least = min(log1p(first.beta), -log1p(-first.alpha)) * (1 - 1e-15)
    return AnswersSoFar(Accountant(first.alpha, first.beta, belief), lost / least, paid, len(debits))


def _after(belief: AbsenceBelief, answers: RoundedAnswers, body: Any) -> AbsenceBelief:
    """Returns the belief after the answer of an entry with this `body`."""
    noise = body["certificate"]["noise"]
    # Because an exact answer is one that is the same for everybody who may be absent.
    if noise["kind"] == "none":
        return belief
    (answer,) = body["answers"]
    output = Fraction(*answer) / answers.step
    return belief.after(answers.steps, output, answers.drawn_scale(float(noise["scale"])))
