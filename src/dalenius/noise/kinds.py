"""Which noise is of which kind."""

from typing import Final

from dalenius.kinds import Own
from dalenius.noise.noise import Noise

KINDS: Final = Own[Noise](
    "dalenius.noise",
    {
        "laplace": "Laplace",
        "geometric": "Geometric",
        "gaussian": "Gaussian",
        "none": "NoNoise",
        "kernel": "Kernel",
        "clamped": "Clamped",
        "relocation": "Relocation",
    },
)
