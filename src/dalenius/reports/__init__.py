"""Figures and files from results."""

from dalenius.reports.by_epsilon import AtEpsilon, by_epsilon, draw_by_epsilon
from dalenius.reports.by_group import Curve, curve, draw_by_group
from dalenius.reports.by_promise import FACTORS, Promised, check_picture, draw_by_promise
from dalenius.reports.files import write_whole

__all__ = [
    "FACTORS",
    "AtEpsilon",
    "Curve",
    "Promised",
    "by_epsilon",
    "check_picture",
    "curve",
    "draw_by_epsilon",
    "draw_by_group",
    "draw_by_promise",
    "write_whole",
]
