"""Bayesian differential privacy: inferential, for any background knowledge (Yang et al. 2015; IP §VII)."""

from math import inf
from typing import ClassVar, Literal, final

from dalenius.bounds import Enclosure
from dalenius.channel import Channel, Release
from dalenius.channel.leakage import NOTHING, Leakage, worst
from dalenius.errors import Meaningless
from dalenius.knowledge.anything import quickly_bounded, whatever_is_known
from dalenius.notions.log_ratios import InferentialPrivacy
from dalenius.notions.notion import Linear, Notion, Proof
from dalenius.notions.wording import OF_ODDS, Phrase


@final
class BayesianPrivacy(Notion):
    """log W(y|s, x_K)/W(y|s', x_K) <= epsilon for every set K of other people, all values x_K of theirs, all secrets s,
    s' that are possible with them, and every output y.

    Exact by enumeration of one group of each type. Let G be the records that i depends on, R the rest, f_G and f_R what
    they add to the answer. Given K = K_G ∪ K_R, since G and R are independent,

        W(y|s, x_K) = sum_r Pr[f_R = r | x_K_R] W_G(y - r | s, x_K_G)

    for noise that depends on output less answer only. So the ratio for s and s' is a mean of ratios of W_G and at most
    the largest of them; and that is attained: given all of R, W_G is left, shifted. The worst over K is that of the
    group alone, whatever the size of the population; a witness's output is the answer less what R adds to it. Where the
    noise depends on the answer itself, the worst is over all that R can add to a sum too (Result 7.12). For an answer
    that is no sum, the whole population is enumerated.

    What is too large to enumerate has a bound instead, lower < upper. Given all of R and any x_K_G, the answers that
    are possible under s or s' lie within the group's range on each coordinate (R can only bring two maxima closer), so
    that no output's log-ratio between them exceeds the noise's between its ends; and changing one record after the
    other bounds it by the sum of their losses. The lower end is K = ∅, the inferential leakage.

    Differential privacy is no bound either way: K = ∅ alone can leak more (dependence), and of two data sets that
    differ in one record one may be impossible. Where none is, K = everybody else makes it a lower bound.
    """

    of_channels: ClassVar[bool] = False
    any_knowledge: ClassVar[bool] = True
    linear: ClassVar[Linear] = "known"

    implied_by: ClassVar[Proof] = "group"
    phrases: ClassVar[tuple[Phrase, ...]] = OF_ODDS
    to_whom: ClassVar[str] = "whatever else is known of others"

    kind: Literal["bayesian"] = "bayesian"

    def check_secret(self, release: Release) -> None:
        release.secrets.check_of_records(f"{self.kind} privacy")

    def leakage_of(self, channel: Channel) -> Leakage:
        """What one channel bounds of it: K = ∅ is one of the sets."""
        known = InferentialPrivacy().leakage_of(channel)
        return Leakage(known.lower, inf, known.witness) if len(channel.finite(self.kind).secrets) > 1 else NOTHING

    def leakage(self, release: Release) -> Leakage:
        release.check_plain_records("bayesian privacy")
        known = [world.knowing(release.noise) for world in release.worlds if world.credal]
        found = [NOTHING, *(Leakage.of(each) for each in known if each is not None)]
        if 0 < len(known) < len(found):
            points = release.of_points
            return worst(found if points is None else [*found, whatever_is_known(points)])
        release.check_joint()
        if release.real:
            raise Meaningless("notion.kind", self.kind, "another notion for records that are real numbers")
        release.secrets.check_whole()
        return whatever_is_known(release)


def bayesian_loss(release: Release) -> Enclosure | None:
    """The same number in a fraction of a second, for any release that is shown beside it: exact for small groups and
    short chains, else between 0 and the bound, which may be infinite. None where records are real numbers or known
    by pairs only, or the secret is who is absent, or several people's, or answers are known."""
    return quickly_bounded(release) if release.is_finite and release.of_plain_records else None
