"""dp-accounting, which is imported where somebody has its events."""

from importlib import import_module
from typing import Any

from dalenius.errors import InputError


def dp_accounting() -> Any:
    """dp-accounting, which is not installed with this package: only who has its events needs it."""
    try:
        import_module("dp_accounting.pld")
        return import_module("dp_accounting")
    except ImportError:
        wanted = "that package (pip install 'dalenius[accounting]'), or a CSV of the profile"
        raise InputError("event", "dp-accounting is not installed", wanted) from None
