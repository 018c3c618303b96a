"""One release of an exact answer on a coarse grid: the ledger first, then the cell."""

from collections.abc import Sequence
from fractions import Fraction
from math import inf

from dalenius.calibration import Precision
from dalenius.certificates import Rounding
from dalenius.curator.certificate import GridCertificate
from dalenius.curator.ledger import Ledger, Publication, Recorded
from dalenius.curator.request import Request
from dalenius.curator.spending import Entry
from dalenius.errors import Refused
from dalenius.notions import Notion


def release_rounded(
    rounding: Rounding, answer: Fraction, ledger: Ledger, request: Request, certificate: GridCertificate
) -> Recorded:
    """Debit, and only then round. Its loss between groups is infinite, so that it is the only release of its data: it
    is protected by the data's own randomness, of which a second answer would leave less (Theory §9). The same request
    again gets the cell that the ledger keeps."""
    certified = rounding.certificate
    if not certified.sound or certified.events != "all":
        raise Refused(f"certificate {certified.name} does not hold for all events")

    def cell() -> Publication:
        released = (Fraction(rounding.released(answer)),)
        found = Precision(1.0, (rounding.cell(answer),))
        return Publication(released, ("",), certificate.as_json(released, found), certificate.rows(found))

    return ledger.release(request, cost_rounded(rounding, request, certificate.promises), cell)


def cost_rounded(rounding: Rounding, request: Request, promises: Sequence[Notion]) -> Entry:
    """What it costs: all there is, as no other release may join it."""
    delta = promises[0].promised_delta or 0.0
    return Entry(
        request.spec,
        promises[0].kind,
        rounding.certificate.epsilon,
        inf,
        differential=inf,
        pure=inf,
        gaussian=0.0,
        records=None,
        together=None,
        delta=delta,
    )
