"""Random small releases against the reference, by every engine."""

from hypothesis import assume, example, given, strategies as st

from dalenius.models import Chain, Groups, Model
from dalenius.noise import Laplace, Noise, NoNoise
from dalenius.queries import Count, Query, Sum
from tests.conformance.compare import compare
from tests.conformance.scores import Unfit
from tests.conformance.strategies import mixtures, models, noises, queries
from tests.conformance.table import truth_of
from tests.conformance.truth import Truth
from tests.pace import draws
from tests.reference.channel import mp

SUMS = frozenset(
    {
        *("mutual information", "min-entropy", "gini", "g-leakage of one guess", "g-leakage of two"),
        *("delta at 0", "delta", "information delta"),
    }
)


GIVEN = frozenset({"mutual information given", "noiseless, half known"})
"""Given records the tilted transforms leave mass unresolved that they resolve without: wide, and held elsewhere to how
wide."""


def _slow(truth: Truth) -> frozenset[str]:
    """What the reference takes seconds for; the table has examples of it."""
    if not truth.summable:
        return SUMS
    return frozenset() if truth.quick else frozenset({"mutual information", "gini"})


def _sensible(model: Model, query: Query, noise: Noise) -> Truth:
    try:
        return truth_of(model, query, noise)
    except Unfit:
        assume(False)
        raise


@given(model=models(), query=queries(), noise=noises())
@draws(150)
def test_exact_engines(model: Model, query: Query, noise: Noise) -> None:
    truth = _sensible(model, query, noise)
    with mp.workdps(40):
        for engine in ("enumeration", "convolution"):
            compare(model, query, noise, engine, truth, but=_slow(truth))


@given(model=models(5), query=mixtures(), noise=noises())
@draws(80)
def test_extremes_beside_each_other_and_sums(model: Model, query: Query, noise: Noise) -> None:
    truth = _sensible(model, query, noise)
    with mp.workdps(40):
        for engine in ("enumeration", "convolution"):
            compare(model, query, noise, engine, truth, but=_slow(truth))


ALL_BUT_CERTAIN = Groups(
    types=(
        {"count": 1, "records": [[0], [1]], "probabilities": [0.0, 1.0]},
        {"count": 1, "records": [[0], [2]], "probabilities": [0.9999999999989999, 9.99999999999e-13]},
    )
)
"""Answers forty scales from each other, between which the posterior turns over within one."""

CERTAIN_TO_TWELVE_DIGITS = Chain(
    n=2,
    transition=((0.9999999999989999, 9.99999999999e-13), (0.0, 1.0)),
    initial=(9.99999999999e-13, 0.9999999999989999),
)
"""Of one answer the probability is not resolved, and all that is known is the entropy of the records."""


@given(model=models(), query=queries(per_label=st.just(False)), noise=noises())
@example(model=CERTAIN_TO_TWELVE_DIGITS, query=Count(), noise=NoNoise())
@example(model=ALL_BUT_CERTAIN, query=Sum(), noise=Laplace(scale=0.05))
@draws(100)
def test_tilting(model: Model, query: Query, noise: Noise) -> None:
    truth = _sensible(model, query, noise)
    assume(truth.one_sum)
    with mp.workdps(40):
        compare(model, query, noise, "tilting", truth, tight=truth.even, but=_slow(truth), loose=GIVEN)
