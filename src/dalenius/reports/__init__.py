"""Figures and files from results."""

from dalenius.reports.by_group import Curve, curve, draw_by_group
from dalenius.reports.files import write_whole

__all__ = ["Curve", "curve", "draw_by_group", "write_whole"]
