"""What the benchmark of the optimum calls."""

from benchmarks.cases import FOURS, PROMISES
from dalenius import Chain, Count, Geometric, Households, Independent, Release, calibrate
from dalenius.models import Model


def calibrated(
    method: str, model: str, people: int, notion: str, epsilon: float = 1.0
) -> tuple[float, float | None, float]:
    """The method's expected error, the dual bound if it has one, and the exact geometric's expected error."""
    release = Release(_model(model, people), Count(), Geometric())
    promise = PROMISES[notion].model_copy(update={"epsilon": epsilon})
    found = calibrate(release, promise, method)
    exact = calibrate(release, promise).expected_error
    return found.expected_error, found.details.get("lower_bound"), exact


def _model(name: str, people: int) -> Model:
    if name == "households":
        return Households(count=people // 4, infected=FOURS)
    if name == "bits":
        return Independent(n=people, probabilities=(0.3,))
    return Chain(n=people, transition=((0.9, 0.1), (0.1, 0.9)), initial="stationary")
