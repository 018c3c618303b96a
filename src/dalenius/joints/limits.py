"""Limits of joint laws: chains, networks and tables of assignments."""

from typing import Final

from dalenius.limits import Limit

MOST_ENTRIES: Final = Limit(
    "joints.entries", 1 << 22, "entries", "assignments times records of one group, in a table: 32 MB", memory=True
)
MOST_ROWS: Final = Limit(
    "joints.rows", 1 << 20, "assignments", "of a group with a known or secret record, and not all alike: 8 MB a column"
)
MOST_WRITTEN_ROWS: Final = Limit(
    "joints.written_rows", 1 << 16, "assignments", "of a law that is written out beside one of another kind: a second"
)
MOST_STEP_CELLS: Final = Limit(
    "joints.step_cells", 1 << 24, "cells", "a chain's records times pairs of values: 1 GB for its messages"
)
MOST_PHASES: Final = Limit(
    "joints.phases", 400, "records", "after which a chain's steps must repeat, as the days of a year do, for windows"
)
MOST_CLASSES: Final = Limit(
    "joints.classes", 1200, "classes", "records of a chain that are unlike each other: a longer memory has no window"
)
MOST_ALONE: Final = Limit(
    "joints.alone", 512, "records", "of a chain whose steps never repeat, each a class: a longer one has no window"
)
MOST_TABLE_STATES: Final = Limit(
    "joints.table_states", 1 << 23, "states", "of all cliques, impossible ones too: 1.2 GB of tables", memory=True
)
MOST_MESSAGE_STATES: Final = Limit(
    "joints.message_states", 1 << 20, "states", "possible ones of all cliques: messages take 10 minutes", memory=True
)
MOST_MESSAGE_BYTES: Final = Limit(
    "joints.message_bytes", 4 << 30, "bytes", "messages of a network, which has two laws for each state", memory=True
)
