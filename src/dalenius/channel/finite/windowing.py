"""The laws of a sum on a window, by the transforms of a joint law."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import final

from dalenius.joints import Joint, Subject
from dalenius.laws.law import IntArray, Law, Window
from dalenius.laws.transform import Element, Transform
from dalenius.laws.transforms.characteristic import Cumulants, Evaluations, Moduli, Values
from dalenius.laws.transforms.ranges import Extents
from dalenius.laws.transforms.tilting import Wanted
from dalenius.laws.transforms.windowing import Sums, windows_by_tilting
from dalenius.queries import Scores


@final
@dataclass(frozen=True)
class Seen:
    """What computes the law of the whole answer: on a window; and all of it, None where it is too long."""

    window: Callable[[], Window]
    complete: Callable[[], Law] | None


def windows_of(joint: Joint, scores: Scores, spread: int, people: Collection[int]) -> Iterator[tuple[Subject, Window]]:
    """The windows of the subjects with these numbers; spread: how far, at most, a secret may move the sum, in lattice
    steps."""
    flat = scores.indices[:, 0]

    def given(transform: Transform[Element]) -> Iterator[Sequence[Element]]:
        for subject, elements in joint.mean_product(transform):
            if subject.person in people:
                yield elements

    def evaluate(tilt: float, points: int, frequencies: IntArray) -> Iterator[Sequence[Values]]:
        return given(Evaluations(flat, tilt, points, {}, frequencies))

    ranges = [each for each in joint.mean_product(Extents(scores.indices)) if each[0].person in people]
    sums = Sums(
        lambda tilt: joint.total(Cumulants(flat, tilt)),
        lambda tilt: given(Cumulants(flat, tilt)),
        lambda tilt: given(Moduli(flat, tilt)),
        evaluate,
        sum(factor.count for factor in joint.factors()),
        spread,
    )
    laws = windows_by_tilting(sums, [Wanted(tuple(extents), subject.log_prior) for subject, extents in ranges])
    yield from ((subject, law) for (subject, _), law in zip(ranges, laws, strict=True))
