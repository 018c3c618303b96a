"""Imports dp-accounting where an event needs it."""

from importlib import import_module
from typing import Any

from dalenius.errors import InputError


def dp_accounting() -> Any:
    """Returns dp-accounting, which is not installed with this package: only its events need it."""
    try:
        import_module("dp_accounting.pld")
        return import_module("dp_accounting")
    except ImportError:
        wanted = "that package (pip install 'dalenius[accounting]'), or a CSV of the profile"
        raise InputError("event", "dp-accounting is not installed", wanted) from None
