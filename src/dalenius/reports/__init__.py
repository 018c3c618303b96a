"""Figures and files from results."""

from dalenius.reports.by_group import Curve, curve, draw_by_group
from dalenius.reports.by_promise import FACTORS, Promised, check_picture, draw_by_promise
from dalenius.reports.files import write_whole

__all__ = [
    "FACTORS",
    "Curve",
    "Promised",
    "check_picture",
    "curve",
    "draw_by_group",
    "draw_by_promise",
    "write_whole",
]
