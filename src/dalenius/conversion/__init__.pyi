"""What the room offers, and from which file; `__init__` reads it."""

from .concentrated_profile import ZeroConcentrated as ZeroConcentrated
from .conversion import Conversion as Conversion, Neighbours as Neighbours, largest as largest
from .converted import Converted as Converted
from .dp_accounting_profile import event_profile as event_profile
from .dp_event_profile import EventFile as EventFile, read_event as read_event
from .gaussian_profile import GaussianProfile as GaussianProfile
from .guarantee_profiles import (
    ApproximateProfile as ApproximateProfile,
    PureProfile as PureProfile,
    TabulatedProfile as TabulatedProfile,
)
from .levels import check_delta as check_delta, check_epsilon as check_epsilon
from .map_profile import MapProfile as MapProfile
from .profile import PrivacyProfile as PrivacyProfile
from .profile_file import read_profile as read_profile
from .resolution import not_resolved_below as not_resolved_below
