"""The channel of a sum over very many groups, whose answer's law is known on a window only (Results 20.10 to 20.16).

Split every output's probability by whether the exact answer was in the window: W(y|s) = W_in(y|s) + W_out(y|s). Noise
keeps masses, so Σ_y W_out(y|s) is at most the window's `lost`. Averages over all outputs are those of W_in plus the
possible part of W_out. Suprema over outputs are not: they are read from the part that one group adds to the answer.

Take a million couples: both are ill in 6 % of them, and one is ill in 4 %. Their count may be anything up to 2,000,000,
and all but 1.5e-39 of its law lies between 153,277 and 166,817. Mean leakages are computed from that window alone.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, cached_property
from math import inf, log
from typing import TypeAlias, TypeVar, final

import numpy as np

from dalenius.bounds import Enclosure
from dalenius.channel import quantities
from dalenius.channel.channel import Channel, ChannelAtOutput, RatioName, TailName
from dalenius.channel.finite_secret_channel import LOSSES, ChannelOfLikelihoods, FiniteChannel
from dalenius.channel.finite_secret_posterior import FinitePosterior, beyond_window
from dalenius.channel.leakage import Divergence, Found, Movement, SubjectTail, is_close
from dalenius.channel.likelihoods import with_class_error
from dalenius.fields import RecordValue
from dalenius.laws.integrals.convex_functionals import Functional
from dalenius.laws.law import Law, Window
from dalenius.laws.leakage_of_one_output import PointwiseLoss
from dalenius.laws.leakage_tail import WIDENED, PartialTail, Tail
from dalenius.noise import Answer, Mechanism, number_of

T = TypeVar("T")


@final
@dataclass(frozen=True)
class WindowChannel(ChannelOfLikelihoods):
    """A channel whose averages come from a window of the answer's law.

    `likelihood`, and everything read from it, is that of the whole law, and raises TooLarge where that is too long.

    Args:
        window: Computes the answer's law on the window.
        own_group: The channel of the part that the person's own group adds, which bounds everything, or another that
            knows the suprema.
        everybody: Makes the channel of the whole law; None where that is too long.
        whole: Makes a channel that stands for all outputs.
    """

    window: Callable[[], Window] = field(kw_only=True)
    own_group: Channel = field(kw_only=True)
    everybody: Callable[[], FiniteChannel] | None = field(kw_only=True)
    whole: Callable[[], FiniteChannel] = field(kw_only=True)

    @property
    def inside(self) -> Window:
        """The window with log W_in(y|s) for its law, as `likelihood` has log W."""
        return replace(self.window(), law=self._inside)

    @cached_property
    def _inside(self) -> Law:
        return with_class_error(self.mechanism.likelihood(self.window().law), self.subject)

    def integral(self, functional: Functional) -> Enclosure:
        found = self.mechanism.integral(functional, self._inside)
        # Because the part outside the window may hold any of the leakage or none of it.
        less, more = functional.without(np.array(self.window().lost))
        # Because it is never more than there is to know: the secret's entropy, for mutual information.
        return Enclosure(
            max(found.lower - less, 0.0), max(min(found.upper + more, functional.most), found.lower - less)
        )

    def tail_of(self, loss: PointwiseLoss) -> Tail:
        """Returns the tail of the `loss` (Result 20.15)."""
        unknown = self._unknown
        law = self._inside
        if not self.mechanism.shape.adds_nothing:
            law = replace(law, error=law.error + WIDENED)
        return PartialTail(self.mechanism.outputs_of(law).tail(loss), min(unknown, 1.0), loss.most)

    @cached_property
    def _unknown(self) -> float:
        """The probability of the outputs at which some W_out(y|s) is more than WIDENED·W_in(y|s)."""
        lost = np.array(self.window().lost)
        left = float(np.exp(self.log_prior) @ lost) * 2
        # Because without noise an output in the window comes from an answer in the window.
        if self.mechanism.shape.adds_nothing:
            return left
        law = self._inside
        # Because far out on the Gaussian line the masses outside may be all there is: their probability is unknown.
        if law.line is not None:
            return 1.0
        mixed = law.with_mixture(self.log_prior).relative[-1]
        log_ratios = np.max(mixed - law.relative, axis=1) + 2 * law.error
        return left + 2 * float(np.sum(np.exp(np.minimum(log_ratios, 700.0)) * lost)) / WIDENED

    def log_near(self, output: tuple[RecordValue, ...]) -> Enclosure:
        law, index = self._inside, self.mechanism.index(output)
        # Because, as above, under Gaussian noise the probability of one output is not read from a window.
        if law.line is not None:
            return Enclosure(-inf, 0.0)
        places = [place - start for place, start in zip(index, law.start, strict=True)]
        within = all(0 <= place < length for place, length in zip(places, law.box, strict=True))
        ends = [min(max(place, 0), length - 1) for place, length in zip(places, law.box, strict=True)]
        found = self.mechanism.outputs_of(law).log_near(ends, self.log_prior)
        left = log(max(2 * float(np.exp(self.log_prior) @ np.array(self.window().lost)), 1e-300))
        upper = min(float(np.logaddexp(found.upper, left)) + 1e-9, 0.0)
        return Enclosure(min(found.lower, 0.0) if within else -inf, upper)

    def ratio(self) -> Found:
        return self._supremum(lambda channel: channel.ratio(), lambda found: [found.value])

    def movement(self, lowering: float = 1.0) -> Movement:
        def ends(found: Movement) -> list[Enclosure]:
            return [each.value for each in (found if lowering else found[:1])]

        return self._supremum(lambda channel: channel.movement(lowering), ends)

    def divergence(self) -> Divergence:
        return self._supremum(lambda channel: channel.divergence(), lambda each: [own.value for own in each])

    def at(self, output: Sequence[Answer]) -> ChannelAtOutput:
        """Returns the channel at the `output`, from the window where the whole law is too long."""
        if self.everybody is not None:
            return self.everybody().at(output)
        first, last = (Fraction(end) * self.lattice.steps[0] for end in self.window().ends)
        # Because without noise an answer outside the window has no mass in it.
        if self.mechanism.shape.adds_nothing and not first <= number_of(output[self.axes[0]]) <= last:
            beyond_window()
        return FinitePosterior(self, output, self.inside)

    def tail(self, of: TailName = "gain") -> SubjectTail:
        most = quantities.uniform_gain(self) if len(self.secrets) > 1 else Enclosure(0.0, 0.0)
        return SubjectTail(self.tail_of(LOSSES[of](self.log_prior)), most, self.witness())

    @property
    def complete(self) -> FiniteChannel:
        """The channel of the whole law; of the group's part alone, with its bounds, where that is too long."""
        return self.whole()

    def without_delta(self, of: RatioName) -> Found:
        return self.ratio() if of == "ratio" else getattr(self.movement(), of)

    def _supremum(self, read: Callable[[Channel], T], values: Callable[[T], Iterable[Enclosure]]) -> T:
        """Reads a supremum from the group's part, where that is close enough or nothing else is known."""
        found = read(self.own_group)
        # The case of a household that alone says 0.770779 at both ends: no law of 10,000 of them is needed.
        if self.everybody is None or all(is_close(each) for each in values(found)):
            return found
        return read(self.everybody())


RecordChannel: TypeAlias = FiniteChannel | WindowChannel
"""The channel of one subject's records, from the law of the answer, or from the known part of it."""


def _closed(
    own_group: FiniteChannel, mechanism: Mechanism, window: Callable[[], Window], most: float
) -> FiniteChannel | None:
    """Returns a channel that counts the mass outside; None where it could matter by so many nats or more."""
    windowed = window()
    ends = windowed.ends if windowed.ends == windowed.extent else mechanism.alike_beyond(windowed.extent)
    if ends is None or (doubt := windowed.doubt(*ends)) >= most:
        return None
    law = replace(windowed.law, error=windowed.law.error + doubt)
    return replace(
        own_group, made=lambda: with_class_error(mechanism.likelihood(law), own_group.subject), mechanism=mechanism
    )


def averaging(
    own_group: FiniteChannel,
    mechanism: Mechanism,
    window: Callable[[], Window],
    everybody: Callable[[], FiniteChannel] | None,
) -> RecordChannel:
    """Returns the channel of a group's part, with averages from the answer's law on a window.

    Under noise for which all answers far out are alike, averages are those of the window (Result 20.17). For other
    noise whose outputs depend on the answer's whole range, they are those of the whole law, or of the group's part
    alone.

    Args:
        own_group: The channel of the group's part.
        mechanism: The answer's mechanism.
        window: Computes the answer's law on the window.
        everybody: Makes the channel of the whole law; None where that is too long.
    """
    subject, made = own_group.subject, None if everybody is None else cache(everybody)
    shape = mechanism.shape
    # The case of a matrix or clamped noise, whose outputs far out may be alike whatever the answer is.
    if not (shape.exponential or shape.adds_nothing or shape.light_tailed):
        closed = _closed(own_group, mechanism, window, WIDENED if made is not None else inf)
        # Because outputs near the answer, as of rounding, are those of the window but for the mass lost.
        if closed is not None or not shape.near:
            return closed if closed is not None else own_group if made is None else made()
        # Because a rule of the group's part is none of the whole answer, its suprema are those of the whole law.
        own_group = own_group if made is None else made()
    return WindowChannel(
        subject,
        beyond_window if made is None else lambda: made().likelihood,
        mechanism,
        own_group.spread,
        own_group.names,
        own_group.pairs,
        own_group.axes,
        window=window,
        own_group=own_group,
        everybody=made,
        whole=made or (lambda: own_group),
    )
