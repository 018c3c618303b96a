"""Priors and posteriors against pgmpy's own variable elimination, and its reading of a BIF file."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dalenius import Network
from dalenius.joints import Joint
from dalenius.laws.transforms.coefficients import Coefficients, law_of

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # its own
    pytest.importorskip("pgmpy")
    from pgmpy.inference import VariableElimination
    from pgmpy.readwrite import BIFReader

ASIA = Network(file=Path(__file__).parents[2] / "examples" / "asia.bif")


@pytest.mark.filterwarnings("ignore")
def test_everybody_given_everybody() -> None:
    """Pr[node] and Pr[node = first value | another = value], all pairs, to 1e-12, of a file that each reads itself."""
    model = ASIA
    inference = VariableElimination(BIFReader(str(ASIA.file)).get_model())
    names = [node.name for node in model.known_nodes()]
    alone = [node.model_copy(update={"label": node.name}) for node in model.known_nodes()]
    joint = Network(nodes=alone).law()
    for subject in joint.subjects():
        theirs = inference.query([names[subject.person - 1]], show_progress=False)
        wanted = [theirs.get_value(**{names[subject.person - 1]: secret}) for secret in subject.secrets]
        assert np.exp(subject.log_prior) == pytest.approx(wanted, rel=1e-12)
    for place, stratum in enumerate(joint.strata()):
        for (person, secret), chance in first_value(joint, place).items():
            if person != place + 1:
                evidence = {names[person - 1]: secret}
                theirs = inference.query([stratum.label], evidence=evidence, show_progress=False)
                assert chance == pytest.approx(theirs.get_value(**{stratum.label: stratum.values[0]}), rel=1e-12)


def first_value(joint: Joint, place: int) -> dict[tuple[int, Any], float]:
    """The chance that the record of that stratum has its first value, given each other record's values."""
    starts = np.cumsum([0, *(len(stratum.values) for stratum in joint.strata())])
    scores = np.zeros((starts[-1], 1), dtype=np.int64)
    scores[starts[place]] = 1
    found = {}
    for subject, elements in joint.mean_product(Coefficients(scores)):
        law = law_of(elements)
        masses = np.exp(law.log_mass())
        for secret, row in zip(subject.secrets, masses, strict=True):
            last = law.start[0] + len(row) - 1
            found[subject.person, secret] = float(row[-1]) if last == 1 else 0.0
    return found
