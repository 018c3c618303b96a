"""Imported by the process that commands are forked from: what reads the sections of a spec is made once for all."""

from dalenius import models, noise, notions, queries
from dalenius.kinds import _adapter

for room in (models, noise, notions, queries):
    _adapter(tuple(room.KINDS))
