"""Who may ask what of which data, and what is left."""

from dalenius.curator.certified import Released, release_once
from dalenius.curator.ledger import Budget, Ledger
from dalenius.curator.rounded import release_rounded

__all__ = ["Budget", "Ledger", "Released", "release_once", "release_rounded"]
