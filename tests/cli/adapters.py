"""Imported by the process that commands are forked from: what reads the sections of a spec is made once for all."""

from dalenius import wings
from dalenius.plugins import _adapter

for kinds in wings.ROOMS.values():
    _adapter(tuple(dict.fromkeys(map(wings.found, kinds.values()))))
