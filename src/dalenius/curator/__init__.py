"""Who may ask what of which data, and what is left."""

from dalenius.curator.certified import Released, release_once
from dalenius.curator.ledger import Budget, Ledger

__all__ = ["Budget", "Ledger", "Released", "release_once"]
