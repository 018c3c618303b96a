"""The world of a belief, by its nature (`wings.WORLDS`)."""

from dalenius import wings
from dalenius.channel.question import Question
from dalenius.channel.world import World
from dalenius.errors import InputError
from dalenius.joints import Belief


def world_of(belief: Belief, question: Question) -> World:
    """The law's answers and channels under the question. InputError where that makes no sense of such records."""
    if belief.nature not in wings.WORLDS:
        raise InputError("model", type(belief).__name__, "a belief that has a world")
    world: World = wings.found(wings.WORLDS[belief.nature]).of(belief, question)
    return world
