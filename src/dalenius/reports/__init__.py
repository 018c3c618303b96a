"""Figures and files from results."""

from dalenius.reports.audited import draw_audit as draw_audit, leakages_by_place as leakages_by_place
from dalenius.reports.by_epsilon import (
    AtEpsilon as AtEpsilon,
    by_epsilon as by_epsilon,
    draw_by_epsilon as draw_by_epsilon,
)
from dalenius.reports.by_group import Curve as Curve, curve as curve, draw_by_group as draw_by_group
from dalenius.reports.by_promise import (
    FACTORS as FACTORS,
    Promised as Promised,
    draw_by_promise as draw_by_promise,
    worth_seeing as worth_seeing,
)
from dalenius.reports.by_step import draw_by_step as draw_by_step
from dalenius.reports.converted import (
    draw_conversion as draw_conversion,
    left_by_delta as left_by_delta,
    left_by_epsilon as left_by_epsilon,
)
from dalenius.reports.robustness import draw_robustness as draw_robustness
from dalenius.reports.tail import TailCurve as TailCurve, draw_tail as draw_tail, tail_curve as tail_curve
from dalenius.reports.tradeoff import draw_tradeoff as draw_tradeoff
