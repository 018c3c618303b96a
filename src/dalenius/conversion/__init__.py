"""What any differentially private pipeline can leak of dependent records (Theory §13)."""

from dalenius.conversion.attaining import Attaining as Attaining
from dalenius.conversion.concentrated import ZeroConcentrated as ZeroConcentrated
from dalenius.conversion.conversion import (
    Conversion as Conversion,
    Converted as Converted,
    Neighbours as Neighbours,
    check_delta as check_delta,
    check_epsilon as check_epsilon,
    largest as largest,
)
from dalenius.conversion.event import event_profile as event_profile
from dalenius.conversion.events.pipeline import Pipeline as Pipeline, read_event as read_event
from dalenius.conversion.gaussian import GaussianProfile as GaussianProfile
from dalenius.conversion.profile import (
    ApproximateProfile as ApproximateProfile,
    PrivacyProfile as PrivacyProfile,
    PureProfile as PureProfile,
)
from dalenius.conversion.tabulated import TabulatedProfile as TabulatedProfile, read_profile as read_profile
