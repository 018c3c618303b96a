"""What the room offers, and from which file; `__init__` reads it."""

from .accuracy import Accuracy as Accuracy, accuracy as accuracy, within as within
from .beside import expected_error as expected_error, judged_beside as judged_beside
from .chosen import METHODS as METHODS, calibrate as calibrate, compare as compare, methods as methods
from .comparison import (
    Compared as Compared,
    Comparison as Comparison,
    compared as compared,
    least_possible as least_possible,
    least_used as least_used,
    times_least as times_least,
    unbounded as unbounded,
)
from .exact import ExactMethod as ExactMethod
from .found import Kept as Kept, kept_by as kept_by
from .gaussian import GaussianMethod as GaussianMethod
from .group import GroupMethod as GroupMethod
from .improbability import Improbable as Improbable, improbable as improbable, improbable_in as improbable_in
from .independent import IndependentMethod as IndependentMethod
from .method import Calibration as Calibration, Method as Method, default_noise as default_noise, named as named
from .precision import (
    CONFIDENCE as CONFIDENCE,
    Expected as Expected,
    Precision as Precision,
    advice as advice,
    expected as expected,
    half_widths as half_widths,
    precision as precision,
)
from .suggested import noised_by as noised_by
