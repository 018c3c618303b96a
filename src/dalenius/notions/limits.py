"""Limits of notions."""

from typing import Final

from dalenius.limits import Limit

MOST_ORDER: Final = Limit(
    "notions.order", 1000, "times a log-ratio", "the work under Laplace noise grows with the order; beyond, inferential"
)
