"""What the room offers, and from which file; `__init__` reads it."""

from .accuracy import (
    Accuracy as Accuracy,
    accuracy as accuracy,
    expected_error as expected_error,
    noised_by as noised_by,
    with_companion_losses as with_companion_losses,
    within as within,
)
from .comparison import (
    METHODS as METHODS,
    Compared as Compared,
    Comparison as Comparison,
    compare as compare,
    compared as compared,
    least_possible as least_possible,
    least_used as least_used,
    times_least as times_least,
    unbounded as unbounded,
)
from .improbable import Improbable as Improbable, improbable as improbable, improbable_in as improbable_in
from .largest_groups import group_advice as group_advice, group_words as group_words, widest as widest
from .method_base import (
    Calibration as Calibration,
    Kept as Kept,
    Method as Method,
    kept_by as kept_by,
)
from .methods import (
    ExactMethod as ExactMethod,
    GaussianMethod as GaussianMethod,
    GroupMethod as GroupMethod,
    IndependentMethod as IndependentMethod,
    calibrate as calibrate,
    method_named as method_named,
    method_names as method_names,
    methods as methods,
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
from .usual_noise import default_noise as default_noise
