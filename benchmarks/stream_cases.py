"""What the benchmark of streams calls."""

from dalenius import Chain, stream

UNEQUAL = ((0.8, 0.1, 0.1), (0.2, 0.7, 0.1), (0.1, 0.1, 0.8))


def recursion(steps: int) -> tuple[float, float]:
    """The largest total loss of three values, whatever the mechanisms: lower and upper end."""
    chain = Chain(n=steps, transition=UNEQUAL, initial="stationary")
    found = stream(chain, 0.1).worst.total.largest
    return found.lower, found.upper
