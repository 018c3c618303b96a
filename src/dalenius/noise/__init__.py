"""What is added to the answer. A new noise is one file here and its name in `KINDS`."""

from dalenius.noise.bounding import Bounding as Bounding, decays_far_out as decays_far_out
from dalenius.noise.clamped import Clamped as Clamped
from dalenius.noise.copied import Copy as Copy, copied as copied
from dalenius.noise.gaussian import Gaussian as Gaussian
from dalenius.noise.geometric import Geometric as Geometric
from dalenius.noise.kernel import Kernel as Kernel
from dalenius.noise.laplace import Laplace as Laplace
from dalenius.noise.noise import NOISES as NOISES, AnyNoise as AnyNoise, Noise as Noise
from dalenius.noise.none import NoNoise as NoNoise
from dalenius.noise.output import Answer as Answer, number_of as number_of
from dalenius.noise.relocation import Relocation as Relocation
from dalenius.noise.separate import Separate as Separate, separate as separate

KINDS: tuple[type[Noise], ...] = (Laplace, Geometric, Gaussian, NoNoise, Kernel, Clamped, Relocation)
