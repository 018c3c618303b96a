"""The laws of a sum on a window, by the transforms of a joint law; and where nearly all of an exact answer's law is:
for sums over all outputs, before noise is added."""

import abc
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from math import exp
from typing import Final, final

import numpy as np

from dalenius.joints import Joint, Subject
from dalenius.laws.characteristic import Cumulants, Evaluations, Moduli, Values
from dalenius.laws.law import Array, IntArray, Law, Window, log_mix
from dalenius.laws.ranges import Extents
from dalenius.laws.tilting import Wanted
from dalenius.laws.transform import Element, Transform
from dalenius.laws.windowing import Sums, windows_by_tilting
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


UNSURE: Final = 1.0
"""Nats: masses are not cut off by logs that may be off by more."""


@final
@dataclass(frozen=True)
class MassWindow:
    """The answers around the peak of one law, of all secrets, on one axis; lost: bounds of what each secret, and last
    the prior's mixture, has elsewhere, as probabilities."""

    law: Law
    lost: Sequence[float]


class MassWindows(abc.ABC):
    """Where nearly all of the law of the exact answer given each secret is."""

    complete: bool
    """Whether the law is known outside the cores, too."""

    @abc.abstractmethod
    def mass_window(self, row: int) -> MassWindow | None:
        """The core of one secret's law, or after the last one's of the mixture's; None where there is none."""


@final
class WindowedAnswer(MassWindows):
    """The law on a window; made: computes it. All cores are the window."""

    complete = False

    def __init__(self, made: Callable[[], Window], subject: Subject) -> None:
        self._made = made
        self._prior = subject.log_prior

    def mass_window(self, row: int) -> MassWindow:
        window = self._made()
        mixed = float(np.exp(self._prior) @ np.array(window.lost)) * (1 + 1e-9)
        return MassWindow(window.law, [*window.lost, mixed])


@final
class ExactAnswer(MassWindows):
    """The law of the exact answer given each secret of a subject; its cores are found once for all noises."""

    complete = True

    def __init__(self, law: Law, subject: Subject) -> None:
        self.law = law
        self._prior = subject.log_prior
        self._doubt = law.error + subject.class_error
        self._mass_windows: dict[int, MassWindow | None] = {}

    def mass_window(self, row: int) -> MassWindow | None:
        """The core of one secret's law, or after the last one's of the mixture's; None where it saves little, or where
        more is unknown than roundings."""
        if row not in self._mass_windows:
            usable = len(self.law.box) == 1 and self._doubt <= UNSURE
            self._mass_windows[row] = self._found(row) if usable else None
        return self._mass_windows[row]

    def _found(self, row: int) -> MassWindow | None:
        law = self.law
        mixed = row == law.secrets
        masses = law.base + (log_mix(self._prior, law.relative) if mixed else law.relative[row])
        # Nats below the peak at which a core ends.
        inside = np.flatnonzero(masses > np.max(masses) - 80.0)
        # Of the box: a core that is longer saves little.
        if not len(inside) or (last := int(inside[-1])) + 1 - (first := int(inside[0])) > 0.5 * len(masses):
            return None
        kept = slice(first, last + 1)
        unresolved = 0.0
        if law.floor is not None:
            if np.max(law.floor[kept]) > -np.inf:
                return None
            unresolved = self._outside(law.floor, kept)
        lost = [self._outside(each, kept) + unresolved for each in law.relative]
        lost.append(float(np.exp(self._prior) @ np.array(lost)) * (1 + 1e-9))
        start, base, relative = (law.start[0] + first,), law.base[kept], law.relative[:, kept]
        return MassWindow(replace(law, start=start, base=base, relative=relative, floor=None), lost)

    def _outside(self, relative: Array, kept: slice) -> float:
        """The mass outside, at most; the factor is for roundings of sum and logs, which are below `UNSURE`."""
        base = self.law.base
        sides = slice(0, kept.start), slice(kept.stop, None)
        masses = [np.sum(np.exp(np.minimum(base[side] + relative[side], 1.0))) for side in sides]
        return 2 * exp(self._doubt) * float(sum(masses))
