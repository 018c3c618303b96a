"""What the room offers, and from which file; `__init__` reads it."""

from .attaining import Attaining as Attaining
from .concentrated import ZeroConcentrated as ZeroConcentrated
from .conversion import (
    Conversion as Conversion,
    Converted as Converted,
    Neighbours as Neighbours,
    check_delta as check_delta,
    check_epsilon as check_epsilon,
    largest as largest,
)
from .event import event_profile as event_profile
from .events.pipeline import Pipeline as Pipeline, read_event as read_event
from .gaussian import GaussianProfile as GaussianProfile
from .profile import (
    ApproximateProfile as ApproximateProfile,
    PrivacyProfile as PrivacyProfile,
    PureProfile as PureProfile,
)
from .tabulated import TabulatedProfile as TabulatedProfile, read_profile as read_profile
