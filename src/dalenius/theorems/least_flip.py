"""The least flip of the bits of a chain whose noised reports, all in order, keep the promise."""

from typing import ClassVar, Final, final

from dalenius.calibration.method_base import Calibration, Method, achieved
from dalenius.calibration.methods import ExactMethod
from dalenius.channel import Release
from dalenius.errors import InputError
from dalenius.joints import chain_of
from dalenius.models.model import finite_joints
from dalenius.noise.randomized_response import randomized
from dalenius.notions import Notion
from dalenius.queries import Reports

_WHY: Final = (
    "the reports in order keep the promise, by the exact audit, and a larger keep breaks it; an answer made of them "
    "says no more"
)


@final
class LeastFlipMethod(Method):
    """Method `least_flip`: the largest `keep` for which all reports of a binary chain, in order, keep the promise.

    Each bit is flipped with one chance, on its own. What is then computed of the reports, such as a count, keeps the
    promise too.

    Example:
        >>> import dalenius as dl
        >>> days = dl.Chain(n=1000, initial="stationary", transition=[[0.8, 0.2], [0.2, 0.8]])
        >>> release = dl.Release(days, dl.Reports(), dl.RandomizedResponse())
        >>> found = dl.calibrate(release, dl.InferentialPrivacy(epsilon=1.0), "least_flip")
        >>> round(found.noise.keep, 6), found.sound
        (0.564591, True)

    Notes:
        More noise never says more (Result 23.3), so that the bisection of the exact audit finds the least flip for this
        chain and its length. `chain_flips` has a flip for each value.
    """

    name: ClassVar[str] = "least_flip"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        """Chooses the largest keep.

        Args:
            release: A chain of bits, a query of its reports, and randomized response.
            notion: The promise, a notion with an epsilon.

        Raises:
            InputError: The model is no chain of two values, or noise is not randomized response.
        """
        randomized(release.noise, "which flips bits")
        for law in finite_joints(release.model):
            chain = chain_of(law)
            if chain is None or chain.slots.shape[1] != 2:
                raise InputError("model.kind", release.model.kind, "a chain of records of two values")
        asked = Release(release.model, Reports(), release.noise, release.secrets, adversary=release.adversary)
        found = ExactMethod().calibrate(asked, notion)
        return achieved(self.name, True, _WHY, release, notion, found.noise)
