"""The textbook's claim of what a sample hides: noise that hides a record less, as the draw hides it too.

If noise leaks ε about a record that is asked, it is said to leak ln(1 + q(e^ε - 1)) about one that is drawn with
probability q. So a promise of 1 nat, with q = .1, is kept by noise of 2.9 nats:

>>> round(before_the_draw(1.0, 0.1), 4)
2.9005
"""

from math import expm1, log1p
from typing import ClassVar, final

from dalenius.calibration.method_base import Calibration, Method, achieved, check, proven, scale_hiding
from dalenius.channel import Release
from dalenius.errors import InputError
from dalenius.noise import Noise, NoNoise
from dalenius.notions import Notion


def before_the_draw(epsilon: float, rate: float) -> float:
    """Returns the loss, in nats, that a draw at this rate is said to turn into another.

    Args:
        epsilon: The loss ε of a person who is drawn or not, in nats.
        rate: The probability q of being drawn; the loss is ln(1 + (e^ε - 1)/q).
    """
    return log1p(expm1(epsilon) / rate)


@final
class AmplificationMethod(Method):
    """Method `amplification`: noise that hides one record, less the textbook's amplification by sampling.

    It is sound where people are drawn alone and do not depend on each other, and where a record adds 0 or numbers
    around 0. Where people depend on each other, a sample hides one person and the others tell.

    Example:
        >>> import dalenius as dl
        >>> homes = dl.Households(count=250, infected=[0.9, 0.04, 0.0, 0.0, 0.06])
        >>> survey = dl.Sampled(population=homes, sample=dl.Sample(rate=0.1, of="households"))
        >>> release = dl.Release(survey, "count", "geometric")
        >>> found = dl.calibrate(release, dl.InferentialPrivacy(epsilon=1.0), "amplification")
        >>> found.noise.words, found.sound
        ('geometric, scale 0.344771', False)

    Notes:
        Balle, Barthe and Gaboardi (2018), for independent draws. Let x and z be the likelihood ratios of an output
        where the record is drawn with one value or the other, and where it is not drawn. If x ≤ e^ε, z ≥ e^-ε and x/z ≤
        e^ε, then ((1 - q) + qx)/((1 - q) + qz) ≤ 1 + q(e^ε - 1).
    """

    name: ClassVar[str] = "amplification"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        """Chooses noise that hides one record, less what the draw is said to hide.

        Args:
            release: The model, the query and the noise's kind; its scale is ignored.
            notion: The promise, a notion with an epsilon and without a delta.

        Raises:
            InputError: Everybody is asked, or the promise has a delta or is about an absent person.
        """
        epsilon = check(release, notion)
        rates = [joint.sampling_rate for joint in release.worlds.joints]
        if any(rate is None for rate in rates):
            raise InputError("model.kind", release.model.kind, "a sample of the people, drawn by chance")
        if notion.promised_delta:
            raise InputError("notion.delta", notion.promised_delta, "no delta with this method")
        rate = max(rate for rate in rates if rate is not None)
        sound, why = proven(*_judged(release, notion, rate), notion)
        weaker = notion.altered({"epsilon": before_the_draw(epsilon, rate)})
        distance = release.sensitivity
        noise: Noise = release.noise.with_scale(scale_hiding(release, distance, weaker)) if distance else NoNoise()
        return achieved(self.name, sound, why, release, notion, noise)


def _judged(release: Release, notion: Notion, rate: float) -> tuple[bool, str]:
    """Says whether the claim of amplification at this `rate` is proven, and why or why not."""
    size = release.worlds.group_size
    drawn = release.model.drawn()
    if size > 1:
        return False, f"records depend on each other in groups of up to {size}: who is drawn beside a person tells too"
    if notion.properties.implied_by not in ("inferential", "record"):
        return False, f"the claim is about one record, and {notion.called} privacy is about more"
    if drawn is None or drawn.size is not None:
        return False, "the claim that is used here is about people who are drawn independently of each other"
    # Because a record of at least 10 that is drawn or not moves a sum by 10, however little such records differ.
    if max(sum(map(abs, scores)) for scores in release.scores.exact) > release.sensitivity:
        return False, "a record adds more to the answer than two records differ: its being drawn shows"
    if len(set(release.noise.by_coordinate(len(release.names)))) > 1:
        return False, "the answers have different noises, and the claim that is used here is about one"
    return True, f"people are drawn alone, with at most {rate:.6g}, and no record depends on another"
