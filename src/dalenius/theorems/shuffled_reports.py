"""The claim of what shuffling adds to noise on each record, where people are independent (Feldman et al. 2021).

A hundred thousand people tell the truth with .75, which is ε₀ = ln 3 each. Shuffled, their reports are claimed to keep
ε = 0.0821 with δ = 10⁻⁶:

>>> round(claimed_epsilon(math.log(3), 100_000, 1e-6), 4)
0.0821
"""

import math
from typing import ClassVar, Final, final

from dalenius.calibration.method_base import Calibration, Method, achieved, promised
from dalenius.channel import Release
from dalenius.errors import InputError
from dalenius.noise.randomized_response import randomized
from dalenius.notions import Notion

SOURCE: Final = "Feldman, McMillan and Talwar, FOCS 2021, Thm 3.1"


def claimed_epsilon(local: float, people: int, delta: float) -> float | None:
    """Returns the ε that shuffled reports of independent people are claimed to keep.

    ε = ln(1 + (e^ε₀ - 1)/(e^ε₀ + 1) · (8 √(e^ε₀ ln(4/δ)/n) + 8 e^ε₀/n)), for ε₀ <= ln(n/(16 ln(2/δ))).

    Args:
        local: The ε₀ of one report, in nats.
        people: How many people n report.
        delta: The δ of the claim, a probability above 0.

    Returns:
        Nats; None where the theorem says nothing: too few people for so much told.
    """
    if local > math.log(people / (16 * math.log(2 / delta))):
        return None
    told = math.exp(local)
    spread = 8 * math.sqrt(told * math.log(4 / delta) / people) + 8 * told / people
    return math.log1p(math.tanh(local / 2) * spread)


@final
class ShufflingMethod(Method):
    """Method `shuffling`: the largest `keep` for which shuffled reports are claimed to keep the promise.

    The claim compares data sets that differ in one record. It holds where people are independent. A record on which
    others depend is said by their reports too, and shuffling does not hide that: the method is then not sound.

    Example:
        >>> import dalenius as dl
        >>> people = dl.Independent(n=20_000, probabilities=[0.1])
        >>> release = dl.Release(people, dl.Reports(shuffled=True), dl.RandomizedResponse())
        >>> found = dl.calibrate(release, dl.InferentialPrivacy(epsilon=0.2, delta=1e-6), "shuffling")
        >>> round(found.noise.keep, 4), found.sound
        (0.7719, True)

    Notes:
        Feldman, McMillan and Talwar, "Hiding among the clones", FOCS 2021, Thm 3.1 (arXiv 2012.12803).
        OpenDP's smartnoise-core (`shuffling.rs`) has the same formula under this number. The authors' own program
        (apple/ml-shuffling-amplification) has e^(-ε₀ - ε) for e^-ε₀ in the denominator, and log(4/δ) in the condition:
        for ε₀ = 4 and 100,000 people it prints .5378, and this formula .5346.
    """

    name: ClassVar[str] = "shuffling"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        """Chooses the largest keep that is claimed to be enough.

        Args:
            release: The model, a query of shuffled reports or a count or sum of them, and randomized response.
            notion: The promise, a notion with an epsilon and a delta.

        Raises:
            InputError: Noise is not randomized response, reports are in order, the promise has no delta, or so few
                people are not served.
        """
        noise = randomized(release.noise, "whose reports are shuffled")
        epsilon, delta = promised(notion), notion.promised_delta
        if release.query.told_apart is not None:
            raise InputError("query.kind", release.query.kind, "shuffled reports, or an answer made of all of them")
        if not delta:
            raise InputError("notion.delta", delta or "missing", "a number above 0 beside epsilon")
        # Because a count of one ward tells whose reports they are, up to the ward.
        if len({stratum.label for stratum in release.worlds[0].strata}) > 1:
            raise InputError("model.labels", "several", "people without labels, whose reports are shuffled together")
        people = sum(stratum.people for stratum in release.worlds[0].strata)
        local = _largest_local(epsilon, people, delta)
        if local is None:
            raise InputError("model", f"{people:,} people", f"more people, for the theorem to serve delta {delta:g}")
        values = noise.values or 2
        chosen = noise.with_scale(_above((values - 1) * math.exp(-local)))
        sound, why = self._judged(release, notion)
        return achieved(self.name, sound, why, release, notion, chosen)

    @staticmethod
    def _judged(release: Release, notion: Notion) -> tuple[bool, str]:
        size = release.worlds.group_size
        if size == 1 or not notion.properties.of_the_model:
            return True, f"{SOURCE}: a statement about one record, given all others"
        return False, f"{SOURCE}, says nothing of people who depend on each other, as groups of up to {size} do here"


def _largest_local(epsilon: float, people: int, delta: float) -> float | None:
    """Returns the largest ε₀ of one report that is claimed to keep epsilon, to 12 digits; None where there is none."""
    room = people / (16 * math.log(2 / delta))
    if room <= 1:
        return None
    low, high = 0.0, math.log(room) * (1 - 1e-12)

    def kept(local: float) -> bool:
        found = claimed_epsilon(local, people, delta)
        return found is not None and found <= epsilon

    if kept(high):
        return high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if kept(middle) else (low, middle)
    return low or None


def _above(number: float) -> float:
    """Returns the next double above `number`: a little more noise, and never less."""
    return math.nextafter(number, math.inf)
