"""IP Prop 7 as an identity on random stages."""

from random import Random

import pytest

from dalenius import Count, Release
from dalenius.linked.linked_data_sets import Linked
from dalenius.models import Model
from dalenius.notions import audit
from dalenius.queries import Several
from tests.linked.test_linked import NOTIONS, WITHIN, noises, questions
from tests.pace import one_in


def random_stage(random: Random, people: int = 2) -> Model:
    return WITHIN[random.choice(list(WITHIN))](random, people)[0]


@pytest.mark.parametrize("seed", one_in(4, range(4)))
def test_equal_stages_are_ordinary_composition(seed: int) -> None:
    """IP Prop 7, on ten random stages for each seed."""
    random = Random(f"equal {seed}")
    for _ in range(10):
        model, (noise, _) = random_stage(random), noises(random, 2)
        linked = audit(Release(Linked(stages=2, within=model, coupling="copies"), questions(2), noise), NOTIONS)
        plain = audit(Release(model, Several(queries=(Count(), Count())), noise), NOTIONS)
        stays = Linked(stages=2, within=model, coupling="chain", persistence=1)
        kept = audit(Release(stays, questions(2), noise), NOTIONS[:3])
        for kind, found in plain.items():
            assert linked[kind].lower == pytest.approx(found.lower, abs=1e-9)
            assert linked[kind].upper == pytest.approx(found.upper, abs=1e-9)
        for kind, found in kept.items():
            assert found.upper == pytest.approx(plain[kind].upper, abs=1e-9)
