"""Release -> Channel: the laws of every output given every secret, and which engine computed them."""

from dalenius.channel.absent.channel import AbsentChannel
from dalenius.channel.adversary import Adversary
from dalenius.channel.finite.channel import Channel
from dalenius.channel.possible import leaves_exact
from dalenius.channel.release import Release
from dalenius.channel.secrets import Secrets

__all__ = ["AbsentChannel", "Adversary", "Channel", "Release", "Secrets", "leaves_exact"]
