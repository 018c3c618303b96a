"""One release of an exact answer on a coarse grid: the ledger first, then the cell."""

from fractions import Fraction
from math import inf

from dalenius.certificates import Rounding
from dalenius.curator.ledger import Budget, Entry, Ledger
from dalenius.errors import Refused


def release_rounded(
    rounding: Rounding, notion: str, answer: Fraction, ledger: Ledger, data: str, budget: float, spec: str
) -> tuple[float, Budget]:
    """Debit, and only then round. Its loss between groups is infinite, so that it is the only release of its data: what
    hides in it is the data's own randomness, of which a second answer would leave less (THEORY §9)."""
    certificate = rounding.certificate
    if not certificate.sound or certificate.events != "all":
        raise Refused(f"certificate {certificate.name} does not hold for all events")
    left = ledger.debit(data, budget, Entry(spec, notion, certificate.epsilon, inf))
    return rounding.released(answer), left
