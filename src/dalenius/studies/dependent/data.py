"""The public data of DDP's experiments as arrays."""

from dalenius.studies.dependent.gowalla import City as City, cities as cities
from dalenius.studies.dependent.networks import (
    Network as Network,
    facebook as facebook,
    github as github,
    google as google,
)
from dalenius.studies.dependent.profiles import Profiles as Profiles, adult_profiles as adult_profiles
