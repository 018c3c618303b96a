"""The public data of DDP's experiments as arrays."""

from papers.dependent.gowalla import City as City, cities as cities
from papers.dependent.networks import (
    Network as Network,
    facebook as facebook,
    github as github,
    google as google,
)
from papers.dependent.profiles import Profiles as Profiles, adult_profiles as adult_profiles
