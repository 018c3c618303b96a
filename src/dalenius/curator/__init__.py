"""Who may ask what of which data, and what is left."""

from dalenius.curator.beside import ledger_beside
from dalenius.curator.grid import release_rounded
from dalenius.curator.ledger import Budget, Ledger, Recorded, Told
from dalenius.curator.release import Released, release_asked, release_once
from dalenius.curator.request import Request, request_of

__all__ = [
    "Budget",
    "Ledger",
    "Recorded",
    "Released",
    "Request",
    "Told",
    "ledger_beside",
    "release_asked",
    "release_once",
    "release_rounded",
    "request_of",
]
