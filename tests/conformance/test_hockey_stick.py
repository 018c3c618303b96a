"""The closed form of δ(ε) against the reference's quadrature."""

from dalenius.noise import Laplace
from tests.cases import in_turn
from tests.conformance.hockey_stick import laplace_delta, laplace_raising
from tests.conformance.table import MODELS, QUERIES, examples, truth_of
from tests.reference import leakages


@in_turn({"epsilon": [0.0, 0.4, 2.0], "model, query": [("exclusive or", "count"), ("values", "sum clipped")]})
def test_closed_form(model: str, query: str, epsilon: float) -> None:
    truth = truth_of(examples(MODELS)[model], examples(QUERIES)[query], Laplace(scale=0.6))
    for each in truth.channels:
        assert abs(laplace_delta(each, epsilon).value - leakages.delta(each, epsilon).value) < 1e-25
        assert abs(laplace_raising(each, epsilon).value - leakages.raising(each, epsilon).value) < 1e-25
