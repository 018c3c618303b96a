"""What the benchmark of the methods calls."""

from dalenius import Chain, Count, InferentialPrivacy, Laplace, Release, calibrate, compare


def _release(n: int, stay: float) -> Release:
    model = Chain(n=n, transition=[[stay, 1 - stay], [1 - stay, stay]], initial="stationary")
    return Release(model, Count(), Laplace())


def compared(n: int, stay: float) -> tuple[int, float, float]:
    """How many methods apply to a stationary chain's count at epsilon = 1, and the exact and the optimal error."""
    found = compare(_release(n, stay), InferentialPrivacy(epsilon=1))
    made = {each.method: each.calibration for each in found if each.calibration is not None}
    return len(made), made["exact"].expected_error, made["optimal"].expected_error


def calibrated(n: int, stay: float, method: str) -> float:
    """The method's scale for a stationary chain's count at epsilon = 1."""
    return calibrate(_release(n, stay), InferentialPrivacy(epsilon=1), method).noise.known_scale()
