"""How likely a long chain's worst output is: read from the class of records that the leakage is about."""

import pytest

import dalenius as dl
from dalenius.notions import audit


@pytest.mark.lengthy
def test_witness_of_a_long_chain_has_the_probability_of_its_own_class() -> None:
    """Three thousand days lean one way no more than two thousand, whose law is computed: about the same person."""
    leaked = {}
    for days in (2000, 3000):
        chain = dl.Chain(n=days, initial=[0.8, 0.2], transition=[[0.5, 0.5], [0.948, 0.052]])
        found = audit(dl.Release(chain, dl.Sum(), dl.Laplace(scale=1.16)), how_likely=True)
        leaked[days] = found["inferential"]
    witness = leaked[3000].witness
    assert witness is not None
    assert witness.person == 1
    assert witness.log_probability is not None
    assert witness.log_near is not None
    assert abs(leaked[3000].lower - leaked[2000].upper) < 1e-7
