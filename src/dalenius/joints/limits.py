"""Limits of joint laws: chains, networks and tables of assignments."""

from typing import Final

from dalenius.limits import Limit

MOST_ENTRIES: Final = Limit(
    "joints.entries",
    1 << 22,
    "entries",
    "Assignments times records of one group, in a table. They take 32 MB.",
    memory=True,
)
MOST_ROWS: Final = Limit(
    "joints.rows",
    1 << 20,
    "assignments",
    "Assignments of a group that has a known or secret record and unlike members. A column takes 8 MB.",
)
MOST_WRITTEN_ROWS: Final = Limit(
    "joints.written_rows",
    1 << 16,
    "assignments",
    "Assignments of a law that is written out beside a law of another kind. They take a second.",
)
MOST_STEP_CELLS: Final = Limit(
    "joints.step_cells", 1 << 24, "cells", "Records of a chain times pairs of values. The messages take 1 GB."
)
MOST_PHASES: Final = Limit(
    "joints.phases",
    400,
    "records",
    "Records after which the steps of a chain must repeat, for windows. The days of a year do.",
)
MOST_CLASSES: Final = Limit(
    "joints.classes",
    1200,
    "classes",
    "Records of a chain that are unlike each other. In a chain with a longer memory some are evaluated.",
)
MOST_EVALUATED: Final = Limit(
    "joints.evaluated",
    600,
    "records",
    "Records of a chain that forgets slowly, which are evaluated. The enclosure counts all records between.",
)
MOST_HELD: Final = Limit(
    "joints.held",
    1 << 28,
    "likelihoods",
    "Likelihoods of evaluated records of a chain that forgets slowly. They take 1 GB.",
    memory=True,
)
MOST_POWERS: Final = Limit(
    "joints.powers",
    1 << 26,
    "numbers",
    "Powers of the steps of a chain that forgets slowly, at all loud frequencies. They take 2 GB.",
    memory=True,
)
MOST_ALONE: Final = Limit(
    "joints.alone",
    512,
    "records",
    "Records of a chain whose steps repeat, and which remembers its first record to the end. Each is its own class.",
)
MOST_UNLIKE_STEPS: Final = Limit(
    "joints.unlike_steps",
    17_568,
    "records",
    "Records of a chain that are unlike each other, as steps never repeat or some are known. They take minutes.",
)
MOST_TURNED: Final = Limit(
    "joints.turned",
    1 << 27,
    "numbers",
    "Steps that never repeat, at all loud frequencies of a window. They take a minute.",
)
MOST_TABLE_STATES: Final = Limit(
    "joints.table_states",
    1 << 23,
    "states",
    "States of all cliques, impossible ones included. Their tables take 1.2 GB.",
    memory=True,
)
MOST_MESSAGE_STATES: Final = Limit(
    "joints.message_states",
    1 << 20,
    "states",
    "Possible states of all cliques. Their messages take 10 minutes.",
    memory=True,
)
MOST_MESSAGE_BYTES: Final = Limit(
    "joints.message_bytes",
    4 << 30,
    "bytes",
    "Bytes of the messages of a network, which has two laws for each state.",
    memory=True,
)
MOST_TILT_NUMBERS: Final = Limit(
    "joints.tilt_numbers",
    1 << 25,
    "numbers",
    "Numbers in the messages of a network at one tilt. They take 1 GB. Beyond, bounds are reported.",
    memory=True,
)
MOST_PRODUCTS: Final = Limit(
    "joints.products",
    1 << 36,
    "numbers",
    "Messages of a network's window times states of its cliques. They take an hour.",
)
MOST_DRAWN_TERMS: Final = Limit(
    "joints.drawn_terms",
    200_000,
    "terms",
    "Terms of the polynomials that count who is drawn into a sample of a given size. They take some ten seconds.",
)
