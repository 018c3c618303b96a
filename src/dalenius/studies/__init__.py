"""Published experiments, done again: their numbers next to ours."""

from typing import Final

from dalenius.errors import InputError
from dalenius.studies import identifiability, identity, information, noiseless
from dalenius.studies.dependent.dependent import STUDY as DEPENDENT
from dalenius.studies.study import (
    DIGITS as DIGITS,
    Number as Number,
    Outcome as Outcome,
    Study as Study,
    data_folder as data_folder,
    write_all as write_all,
)

STUDIES: Final[dict[str, Study]] = {
    "dependent": DEPENDENT,
    "identifiability": identifiability.STUDY,
    "identity": identity.STUDY,
    "information": information.STUDY,
    "noiseless": noiseless.STUDY,
}


def study_named(name: str) -> Study:
    """InputError for a name that is none."""
    if name not in STUDIES:
        raise InputError("source", name, f"one of {', '.join(STUDIES)}")
    return STUDIES[name]
