"""Maxima and minima from the command line, and the true answer behind a release."""

from pathlib import Path

from dalenius.spec import read_spec
from dalenius.spec.binding import bound, true_answer

PAIR = '[model]\nkind = "table"\nrecords = [[0, 0], [1, 1]]\nprobabilities = [0.9, 0.1]\n'
NOISE = '[noise]\nkind = "geometric"\nscale = 1.0\n'
TOWN = """
model = { kind = "households", types = [
    { count = 2, infected = [0.6, 0.2, 0.2], members = { north = 1, south = 1 } },
] }
"""
TABLE = "town,home,value\nnorth,1,0\nsouth,1,1\nnorth,2,0\nsouth,2,0\n"
DATA = '[data]\nfile = "people.csv"\nvalue = "value"\nlabel = "town"\n'


def spec_in(folder: Path, text: str) -> Path:
    (folder / "people.csv").write_text(TABLE, encoding="utf-8")
    (folder / "spec.toml").write_text(text, encoding="utf-8")
    return folder / "spec.toml"


ANSWERS = {
    'kind = "min"\n': (0,),
    'kind = "max"\nper_label = true\n': (0, 1),
    'kind = "max"\nlabels = ["north"]\n': (0,),
    'kind = "max"\nlower = 0.25\n': (4,),
    'kind = "several"\nqueries = [{ kind = "max" }, { kind = "count" }, { kind = "min" }]\n': (1, 1, 0),
}


def test_the_true_answer(tmp_path: Path) -> None:
    """In lattice steps; those who are not asked have no part in it."""
    for query, answer in ANSWERS.items():
        spec, people = bound(read_spec(spec_in(tmp_path, TOWN + "[query]\n" + query + NOISE + DATA)), tmp_path)
        assert people is not None
        assert true_answer(spec.audited(), people) == answer
