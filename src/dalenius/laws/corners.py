"""Outputs of a sum of independent parts, of which the law of one part is known: a line between bounds (Result 9.6)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import final

from dalenius.laws.law import Array, Law, Line, Piece


@final
@dataclass(frozen=True)
class PartLine(Line):
    """hull: the noised part's likelihoods, of which those of all outputs are mixtures; corners: those in the limits of
    the outputs, where what is added to the part cancels; noised: the same as hull, as the noise itself has them."""

    hull: Law
    corners: Law
    noised: Law

    def counting(self, error: float) -> "PartLine":
        line = None if self.noised.line is None else self.noised.line.counting(error)
        hull, corners, noised = (replace(e, error=e.error + error) for e in (self.hull, self.corners, self.noised))
        return PartLine(hull, corners, replace(noised, line=line))

    def pieces(self) -> Sequence[Piece]:
        return [_Everything(self.corners, self.hull)]

    def with_mixture(self, log_prior: Array) -> "PartLine":
        return PartLine(*(each.with_mixture(log_prior) for each in (self.hull, self.corners, self.noised)))


@final
class _Everything(Piece):
    def __init__(self, seen: Law, hull: Law) -> None:
        self.seen = seen
        self.hull = hull

    def parts(self) -> Sequence[Piece]:
        return ()
