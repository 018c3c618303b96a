"""Published experiments, done again: their numbers next to ours."""

from typing import Final

from dalenius.errors import InputError
from papers.dependent.dependent import STUDY as DEPENDENT
from papers.identifiability.adult import STUDY as IDENTIFIABILITY
from papers.identity.odds import STUDY as IDENTITY
from papers.information.examples import STUDY as INFORMATION
from papers.noiseless.sums import STUDY as NOISELESS
from papers.paper import (
    DIGITS as DIGITS,
    Number as Number,
    Outcome as Outcome,
    Study as Study,
    data_folder as data_folder,
    write_all as write_all,
)

STUDIES: Final[dict[str, Study]] = {
    "dependent": DEPENDENT,
    "identifiability": IDENTIFIABILITY,
    "identity": IDENTITY,
    "information": INFORMATION,
    "noiseless": NOISELESS,
}


def study_named(name: str) -> Study:
    """InputError for a name that is none."""
    if name not in STUDIES:
        raise InputError("source", name, f"one of {', '.join(STUDIES)}")
    return STUDIES[name]
