"""Figures and files from results."""

from dalenius.reports.attackers import (
    TailCurve as TailCurve,
    draw_tail as draw_tail,
    draw_tradeoff as draw_tradeoff,
    tail_curve as tail_curve,
)
from dalenius.reports.guarantees import (
    draw_by_step as draw_by_step,
    draw_conversion as draw_conversion,
    draw_robustness as draw_robustness,
    left_by_delta as left_by_delta,
    left_by_epsilon as left_by_epsilon,
)
from dalenius.reports.leakages import (
    Curve as Curve,
    curve as curve,
    draw_audit as draw_audit,
    draw_by_group as draw_by_group,
    leakages_by_place as leakages_by_place,
)
from dalenius.reports.promises import (
    FACTORS as FACTORS,
    AtEpsilon as AtEpsilon,
    Promised as Promised,
    by_epsilon as by_epsilon,
    draw_by_epsilon as draw_by_epsilon,
    draw_by_promise as draw_by_promise,
    worth_seeing as worth_seeing,
)
