"""Release -> Channel: the laws of every output given every secret, and which engine computed them."""

from dalenius.channel.absent.channel import AbsentChannel
from dalenius.channel.adversary import Adversary
from dalenius.channel.channel import Channel
from dalenius.channel.finite.channel import FiniteChannel
from dalenius.channel.finite.likelihoods import Likelihoods
from dalenius.channel.finite.refinement import supremum
from dalenius.channel.leakage import Leakage
from dalenius.channel.peak import Largest, peak
from dalenius.channel.possible import leaves_exact
from dalenius.channel.release import Release
from dalenius.channel.secrets import Secrets
from dalenius.channel.witness import Found, Movement, Witness

__all__ = [
    "AbsentChannel",
    "Adversary",
    "Channel",
    "FiniteChannel",
    "Found",
    "Largest",
    "Leakage",
    "Likelihoods",
    "Movement",
    "Release",
    "Secrets",
    "Witness",
    "leaves_exact",
    "peak",
    "supremum",
]
