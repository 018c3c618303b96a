"""What the room offers, and from which file; `__init__` reads it."""

from .accuracy import Accuracy as Accuracy, accuracy as accuracy, within as within
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
from .improbability import Improbable as Improbable, improbable as improbable, improbable_in as improbable_in
from .losses import expected_error as expected_error, judged_beside as judged_beside, noised_by as noised_by
from .method import (
    Calibration as Calibration,
    Kept as Kept,
    Method as Method,
    default_noise as default_noise,
    kept_by as kept_by,
    named as named,
)
from .precision import (
    CONFIDENCE as CONFIDENCE,
    Expected as Expected,
    Precision as Precision,
    advice as advice,
    expected as expected,
    half_widths as half_widths,
    precision as precision,
)
from .standard import (
    GaussianMethod as GaussianMethod,
    GroupMethod as GroupMethod,
    IndependentMethod as IndependentMethod,
)
