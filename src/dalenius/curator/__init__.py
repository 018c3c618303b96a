"""Who may ask what of which data, and what is left."""

from dalenius.curator.beside import ledger_beside
from dalenius.curator.certificate import GridCertificate, NoiseCertificate, ReleaseCertificate
from dalenius.curator.grid import release_rounded
from dalenius.curator.ledger import Budget, Ledger, Recorded, Told
from dalenius.curator.noised import Released, release_asked, release_once
from dalenius.curator.request import Request, request_of
from dalenius.curator.workflow import release

__all__ = [
    "Budget",
    "GridCertificate",
    "Ledger",
    "NoiseCertificate",
    "Recorded",
    "ReleaseCertificate",
    "Released",
    "Request",
    "Told",
    "ledger_beside",
    "release",
    "release_asked",
    "release_once",
    "release_rounded",
    "request_of",
]
