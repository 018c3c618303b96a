"""Limits that a test makes small, so that a small model exceeds them."""

from dalenius.limits import Limit


def smaller(limit: Limit, value: int) -> Limit:
    """Returns the limit with another number."""
    return Limit(limit.name, value, limit.unit, limit.reason, memory=limit.memory)
