"""Chakrabarti et al. 2022: the flips that their program printed for symmetric binary chains, and ours.

The logs in the authors' repository (AdityaSaraf/correlated_data_privacy_attack, commit bcba4a6) print the chance that a
bit is flipped, for a chain whose bit changes with chance θ and a promise ε. Their formula is for chains without end;
ours is the exact audit of a thousand bits.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, final

import dalenius as dl
from papers.numbers import Number, main

BITS: Final = 1000


@final
@dataclass(frozen=True)
class Printed:
    """A run of their program: its log, the chance that a bit changes, the promise in nats, and the flip it printed."""

    log: str
    change: float
    epsilon: float
    flip: float


PRINTED: Final = (
    Printed("test_0.02.log", 0.02, 0.5, 0.49742235755151176),
    Printed("test_0.2.log", 0.2, 2.0, 0.35905696276880567),
    Printed("test_0.4.log", 0.4, 0.5, 0.41696515113471583),
    Printed("synthetic_output_2.0.log", 0.21, 2.0, 0.35090804702792633),
    Printed("synthetic_output_4.0.log", 0.1, 4.0, 0.31311209791734296),
)


def flips(quick: bool = False) -> Iterator[Number]:
    for run in PRINTED[:2] if quick else PRINTED:
        what = f"flip of a chain that changes with {run.change:g}, ε = {run.epsilon:g}"
        yield Number(run.log, what, run.flip, least_flip(run.change, run.epsilon))


def least_flip(change: float, epsilon: float) -> float:
    """Method `least_flip` on a chain of `BITS` bits."""
    bits = dl.Chain(n=BITS, initial="stationary", transition=[[1 - change, change], [change, 1 - change]])
    release = dl.Release(bits, dl.Reports(), dl.RandomizedResponse())
    noise = dl.calibrate(release, dl.InferentialPrivacy(epsilon=epsilon), "least_flip").noise
    assert isinstance(noise, dl.RandomizedResponse)
    assert noise.keep is not None
    return 1 - noise.keep


if __name__ == "__main__":
    main(flips)
