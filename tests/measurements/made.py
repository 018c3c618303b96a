"""Measurements of the real library, by name, for tests."""

from typing import Any

import opendp.prelude

dp: Any = opendp.prelude
"""Typed as anything: some of its functions have no types."""
dp.enable_features("contrib", "honest-but-curious")

INTS = dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()
TWELVE = dp.vector_domain(dp.atom_domain(T=int), size=12), dp.change_one_distance()
REALS = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.symmetric_distance()
REALS_OF_12 = dp.vector_domain(dp.atom_domain(T=float, nan=False), size=12), dp.symmetric_distance()
TEXTS = dp.vector_domain(dp.atom_domain(T=str)), dp.symmetric_distance()
BIT = dp.t.then_clamp((0, 1))
PART = dp.t.then_clamp((0.0, 1.0))
CELLS = dp.t.then_count_by_categories(categories=[0, 1, 7], null_category=False)
CELLS_L2 = dp.t.then_count_by_categories(categories=[1], MO=dp.L2Distance[int])

READ: dict[str, Any] = {
    "bits, laplace": INTS >> BIT >> dp.t.then_sum() >> dp.m.then_laplace(scale=2.0),
    "bits, gaussian": INTS >> BIT >> dp.t.then_sum() >> dp.m.then_gaussian(scale=2.0),
    "bits by change": TWELVE >> dp.t.then_metric_unbounded() >> BIT >> dp.t.then_sum() >> dp.m.then_laplace(scale=1.5),
    "equal": INTS
    >> dp.t.then_is_equal(1)
    >> dp.t.then_cast_default(TOA=int)
    >> BIT
    >> dp.t.then_sum()
    >> dp.m.then_geometric(scale=3.0),
    "texts": TEXTS >> dp.t.then_cast_default(TOA=int) >> BIT >> dp.t.then_sum() >> dp.m.then_geometric(scale=3.0),
    "real bits, laplace": REALS >> PART >> dp.t.then_sum() >> dp.m.then_laplace(scale=2.0),
    "real bits, gaussian": REALS >> PART >> dp.t.then_sum() >> dp.m.then_gaussian(scale=2.0),
    "mean": REALS_OF_12 >> PART >> dp.t.then_mean() >> dp.m.then_laplace(scale=0.2),
    "mean of resized": REALS >> PART >> dp.t.then_resize(12, 0.5) >> dp.t.then_mean() >> dp.m.then_gaussian(scale=0.2),
    "cells": INTS >> CELLS >> dp.m.then_laplace(scale=2.0),
    "a cell and the rest, gaussian": INTS >> CELLS_L2 >> dp.m.then_gaussian(scale=2.0),
    "everybody": INTS >> dp.t.then_count() >> dp.m.then_laplace(scale=2.0),
}
"""Measurements that are read."""
READ["restated"] = dp.c.make_fix_delta(dp.c.make_zCDP_to_approxDP(READ["bits, gaussian"]), 1e-6)
READ["two"] = dp.c.make_composition([READ["bits, laplace"], READ["equal"]])


def _by_user(loss: Any, measure: Any = None) -> Any:
    return dp.m.make_user_measurement(*INTS, measure or dp.max_divergence(), len, loss, TO=int)


SUM = INTS >> BIT >> dp.t.then_sum()
UNREAD: dict[str, tuple[Any, str]] = {
    "make_count_distinct": (
        INTS >> dp.t.then_count_distinct() >> dp.m.then_laplace(scale=1.0),
        "it makes no count, sum, mean or histogram",
    ),
    "make_user_measurement": (_by_user(lambda d: min(0.25 * d, 1.0)), "the law of what goes out is not read"),
    "make_private_quantile": (
        INTS >> dp.m.then_private_quantile(dp.max_divergence(), candidates=[0, 1], alpha=0.5, scale=1.0),
        "the law of what goes out is not read",
    ),
    "make_chain_pm": (READ["bits, laplace"] >> abs, "the law of what goes out is not read"),
    "make_population_amplification": (
        dp.c.make_population_amplification(REALS_OF_12 >> PART >> dp.t.then_sum() >> dp.m.then_laplace(scale=2.0), 24),
        "the law of what goes out is not read",
    ),
    "make_geometric": (SUM >> dp.m.then_geometric(scale=1.0, bounds=(0, 10)), "it is given bounds"),
    "make_laplace": (REALS >> PART >> dp.t.then_sum() >> dp.m.then_laplace(scale=1.0, k=3), "it is given k"),
    "make_resize": (
        REALS >> PART >> dp.t.then_resize(10, 0.5) >> dp.t.then_mean() >> dp.m.then_laplace(scale=0.2),
        "it resizes to 10 records, and the model has 12",
    ),
    "make_sum": (
        (dp.vector_domain(dp.atom_domain(bounds=(1, 9))), dp.symmetric_distance())
        >> dp.t.then_sum()
        >> dp.m.then_laplace(scale=1.0),
        "the model has values outside its domain",
    ),
}
"""By the constructor that is not read, a measurement with it, and the reason."""
