"""Limits of notions."""

from typing import Final

from dalenius.limits import Limit

MOST_ORDER: Final = Limit(
    "notions.order",
    1000,
    "times a log-ratio",
    "The order of a promise `renyi`. The work under Laplace noise grows with it. Beyond, promise `inferential`.",
)
