"""Everything that can be certified of a sum from its records' moments."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, final

from dalenius.certificates.certificate import Certificate
from dalenius.certificates.dependent import NAME as DEPENDENT, dependent_delta
from dalenius.certificates.independent import NAME as INDEPENDENT, independent_delta
from dalenius.certificates.model import Moments
from dalenius.certificates.printed import NAME as PRINTED, printed_delta
from dalenius.errors import DaleniusError


@final
@dataclass(frozen=True)
class Certified:
    """One theorem's outcome; certificate is None where it does not apply, and why says the reason."""

    name: str
    certificate: Certificate | None
    why: str


THEOREMS: Final[dict[str, Callable[[Moments, float | None], Certificate]]] = {
    INDEPENDENT: independent_delta,
    DEPENDENT: dependent_delta,
    PRINTED: lambda moments, epsilon: printed_delta(moments),
}


def certify(moments: Moments, epsilon: float | None = None) -> tuple[Certified, ...]:
    """Each theorem in turn, at that ε, or at Theorem 2's own; those that do not apply with their reason."""
    return tuple(_tried(moments, epsilon))


def _tried(moments: Moments, epsilon: float | None) -> Iterator[Certified]:
    for name, theorem in THEOREMS.items():
        try:
            certificate = theorem(moments, epsilon)
        except DaleniusError as error:
            yield Certified(name, None, str(error))
        else:
            yield Certified(name, certificate, certificate.why)
