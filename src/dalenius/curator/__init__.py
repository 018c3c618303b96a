"""Who may ask what of which data, and what is left."""

from dalenius.curator.beside import ledger_beside as ledger_beside
from dalenius.curator.certificate import (
    GridCertificate as GridCertificate,
    NoiseCertificate as NoiseCertificate,
    ReleaseCertificate as ReleaseCertificate,
)
from dalenius.curator.grid import release_rounded as release_rounded
from dalenius.curator.ledger import Budget as Budget, Ledger as Ledger, Publication as Publication, Recorded as Recorded
from dalenius.curator.noised import Released as Released, release_asked as release_asked, release_once as release_once
from dalenius.curator.request import Request as Request, request_of as request_of
from dalenius.curator.workflow import release as release
