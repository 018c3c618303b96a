"""Limits of what an ε is interpreted for."""

from typing import Final

from dalenius.limits import Limit

LARGEST_GROUP: Final = Limit(
    "interpretation.largest_group",
    64,
    "records",
    "Members of the household or chain. Larger groups have a spec of their own, and `audit`.",
)
LARGEST_EPSILON: Final = Limit(
    "interpretation.largest_epsilon", 100, "nats", "The ε of one person. A larger one hides nothing."
)
