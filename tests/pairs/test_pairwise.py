"""Model pairwise as a spec has it: what is refused, which kinds of neighbourhoods there are, and which marginals.

Model pairwise at the command line: what is bounded, what is refused, and what a certificate says of it.

Method comonotone: sound whatever the joint law, tight where records have two scores, never more than group.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalenius as dl
from dalenius import Laplace, Pairwise, Release
from dalenius.arrays import Array
from dalenius.channel import Secrets
from dalenius.errors import Meaningless
from dalenius.models import AnyOf, Independent, Model
from dalenius.notions import InferentialPrivacy, audit
from dalenius.pairs.law_of_two_records import Distance
from dalenius.queries import Sum
from dalenius.spec import read_spec
from tests.cli.command import Run, complaint, dalenius, written
from tests.conformance.table import XOR
from tests.theorems.test_published import ONE, OUTBREAK, counted

STICKY = ((0.8, 0.2), (0.2, 0.8))
UNEVEN = ((0.9, 0.1), (0.4, 0.6))


def model(**other: Any) -> Pairwise:
    return Pairwise(**({"n": 3, "values": (0, 1), "given": STICKY, "edges": ((1, 2),)} | other))


def test_a_marginal_that_laws_leave_open() -> None:
    copies = ((1.0, 0.0), (0.0, 1.0))
    left_open = model(given=copies)
    found = audit(Release(left_open, Sum(), Laplace(scale=1.0)))
    assert found["inferential"].upper == pytest.approx(2.0)
    assert found["information"].upper <= 2.0 * (1 + 1e-12)
    known = audit(Release(model(given=copies, prior=(0.9, 0.1)), Sum(), Laplace(scale=1.0)))
    assert known["information"].upper < found["information"].upper


def test_the_laws_say_the_marginal() -> None:
    assert model().law.priors == pytest.approx(np.array([[0.5, 0.5]]))
    assert model(given=UNEVEN).law.priors == pytest.approx(np.array([[0.8, 0.2]]))
    far = model(given=None, distance=Distance(b=1.0, c=1.0), values=(0, 1, 3))
    kernel = 1 / (np.abs(np.subtract.outer([0, 1, 3], [0, 1, 3])) + 1)
    assert far.law.priors[0] == pytest.approx(kernel.sum(axis=1) / kernel.sum())
    assert far.law.laws[0].forward == pytest.approx(kernel / kernel.sum(axis=1)[:, None])


def test_edges_of_a_file_are_cleaned_and_counted(tmp_path: Path) -> None:
    (tmp_path / "friends.csv").write_text("kind,a,b\nkin,1,2\nkin,2,1\nkin,3,3\npal,2,3\npal,2,9\n", encoding="utf-8")
    (tmp_path / "spec.toml").write_text(
        '[model]\nkind = "pairwise"\nn = 4\nvalues = [0, 1]\n'
        '[model.edges]\nfile = "friends.csv"\nfirst = "a"\nsecond = "b"\nlaw = "kind"\nunknown = "leave_out"\n'
        '[[model.laws]]\nname = "kin"\ngiven = [[0.8, 0.2], [0.2, 0.8]]\n'
        '[[model.laws]]\nname = "pal"\ntable = [[0.3, 0.2], [0.2, 0.3]]\n'
        '[query]\nkind = "sum"\n',
        encoding="utf-8",
    )
    read = read_spec(tmp_path / "spec.toml").model
    assert isinstance(read, Pairwise)
    law = read.law
    assert list(zip(law.first.tolist(), law.second.tolist(), law.law.tolist(), strict=True)) == [(0, 1, 0), (1, 2, 1)]
    assert read.dropped.shown() == {"unknown": 1, "self_loops": 1, "duplicates": 1}
    assert [(each.rows, each.of) for each in read.omitted()] == [(3, 5)]
    alone = read.self_contained()
    assert isinstance(alone, Pairwise)
    assert alone.edges == ((1, 2, "kin"), (2, 3, "pal"))
    assert alone.dropped.total == 0


def test_what_needs_a_joint_law_says_so() -> None:
    release = Release(model(), Sum(), Laplace(scale=1.0))
    for asked in (lambda: release.worlds.joints, lambda: release.worlds.plain, lambda: list(release.channels())):
        with pytest.raises(Meaningless, match=r"model\.kind: pairwise, wanted a model with a joint law"):
            asked()


def test_pairs_of_values_alone_are_secrets() -> None:
    wide = model(values=(0, 1, 5), given=((0.8, 0.1, 0.1), (0.1, 0.8, 0.1), (0.1, 0.1, 0.8)))
    near = Release(wide, Sum(), Laplace(scale=2.0), Secrets(pairs=((0, 1),)))
    every = Release(wide, Sum(), Laplace(scale=2.0))
    own, all_of_them = (audit(each, (InferentialPrivacy(),))["inferential"] for each in (near, every))
    assert own.lower < all_of_them.lower
    assert own.lower <= own.upper


def test_beside_another_model_the_worst_counts() -> None:
    alone = Independent(n=3, values=(0, 1), probabilities=(0.5, 0.5))
    release = Release(AnyOf(models=(alone, model())), Sum(), Laplace(scale=1.0))
    found = audit(release, (InferentialPrivacy(),))["inferential"]
    assert found.upper == pytest.approx(audit(Release(model(), Sum(), Laplace(scale=1.0)))["inferential"].upper)


NETWORK = """
model = { kind = "pairwise", n = 5, values = [0, 1], edges = [[1, 2], [2, 3]], given = [[0.8, 0.2], [0.2, 0.8]] }
query = { kind = "sum" }
notion = { kind = "inferential", epsilon = 1.0 }
"""
LINKED = NETWORK.replace("[2, 3]]", "[2, 3], [1, 3]]")
NOISE = '\n[noise]\nkind = "laplace"\nscale = 2.0\n'
DATA = '\n[data]\nfile = "people.csv"\nvalue = "ill"\n'


def spec_in(folder: Path, text: str) -> Path:
    (folder / "people.csv").write_text("ill\n0\n1\n1\n0\n0\n", encoding="utf-8")
    return written(folder, text)


def test_audit_bounds_what_is_known_without_a_joint_law(tmp_path: Path) -> None:
    done = dalenius("audit", spec_in(tmp_path, NETWORK + NOISE), "--json", "--epsilon", "0.5").json
    assert done["engine"] == "bounds"
    assert set(done["leakage"]) == {"differential", "inferential", "information"}
    found = done["leakage"]["inferential"]
    assert found["lower"] <= 1.13413403248 <= found["upper"]
    assert found["upper"] - found["lower"] < 1e-8
    assert found["witness"] == {"person": 2, "who": "person with 2 neighbours", "secret": 0, "against": 1}
    assert 0 == found["delta_lower"] < found["delta_upper"] < 1


@pytest.mark.lengthy
def test_nothing_is_promised_against_the_pairs_themselves(tmp_path: Path) -> None:
    """Person 3 depends on person 2, so that 1 and 2 together are not independent of 3."""
    done = dalenius("compare", spec_in(tmp_path, NETWORK), "--json").json
    assert not any(each["sound"] for each in done["methods"])
    said = {each["method"]: each["why"] for each in done["methods"]}["comonotone"]
    assert "person 1 is no neighbour of person 3, but depends on person 2, who is" in said
    audited = dalenius("audit", spec_in(tmp_path, NETWORK + NOISE))
    assert "no promise: the pairs contradict" in audited.out
    for noise in ("", NOISE.replace("2.0", "20.0")):
        refused = dalenius("release", spec_in(tmp_path, NETWORK + DATA + noise))
        assert "the pairs contradict" in complaint(refused, 1)
    assert dalenius("release", spec_in(tmp_path, LINKED + DATA + NOISE.replace("2.0", "20.0"))).code == 0
    twice = [spec_in(tmp_path, NETWORK + NOISE)] * 2
    together = dalenius("compose", *twice)
    assert "the pairs contradict" in complaint(together, 1)
    differential = NETWORK.replace('kind = "inferential"', 'kind = "differential"')
    assert dalenius("calibrate", spec_in(tmp_path, differential), "--json").json["sound"]
    centre = "\n[secrets]\npeople = [2]\n"
    assert dalenius("calibrate", spec_in(tmp_path, NETWORK + centre), "--json").json["sound"]


NO_LAW = "model.kind: pairwise, wanted a model with a joint law"
NEEDING_A_LAW = {
    ("audit", "--how-likely"): f"{NO_LAW} for tails",
    ("audit", "--tradeoff", "curve.svg"): f"{NO_LAW} for trade-offs",
    ("posterior", "--answers", "2"): f"{NO_LAW} for a posterior",
    ("explain", "--out", "page.html"): f"{NO_LAW} of all records here",
    ("calibrate", "--method", "wasserstein"): NO_LAW,
}
REFUSED = {
    ("[2, 3]]", "[2, 9]]"): "model.edges row 2: 9, wanted people's numbers from 1 to 5",
    ("[0.2, 0.8]]", "[0.2, 0.7]]"): "model.given row 2: [0.2, 0.7], wanted probabilities that sum to 1",
    ("[[0.8, 0.2], ", "[[1.0, 0.0], "): "model.given row 2: Pr[0 | 1] = 0.2, wanted 0",
    ("values = [0, 1]", "values = [0, 1, 2]"): "model.given: 2 rows, wanted 3, one for each value",
    ('kind = "inferential"', 'kind = "relative_entropy"'): "wanted a model with a joint law for relative_entropy",
}


def test_what_is_refused(tmp_path: Path, run: Run) -> None:
    for (command, *more), message in NEEDING_A_LAW.items():
        noise = "" if command == "calibrate" else NOISE
        assert message in complaint(run(command, spec_in(tmp_path, NETWORK + noise), *more))
    for (old, new), message in REFUSED.items():
        assert message in complaint(run("calibrate", spec_in(tmp_path, NETWORK.replace(old, new))))


HOUSEHOLDS = dl.Households(count=12, infected=[0.9, 0.04, 0.0, 0.0, 0.06])


@pytest.mark.parametrize("model", [XOR, HOUSEHOLDS])
def test_no_more_noise_than_exact_where_all_pairs_allow_is_leaked(model: Model) -> None:
    """Bits: what a joint law with the same pairs may leak these do leak."""
    found, exact = counted(model, "comonotone"), counted(model, "exact")
    assert found.sound
    assert found.noise.known_scale() == pytest.approx(exact.noise.known_scale(), rel=1e-8)
    assert found.leakage.upper <= 1 + 1e-9


def test_e2_keeps_its_promise() -> None:
    """At the dependence coefficient's scale, where 1.330 leaks for 1, the pairs do not prove less."""
    coefficient = counted(OUTBREAK, "dependence_coefficient").noise.known_scale()
    assert counted(OUTBREAK, "comonotone", dl.InferentialPrivacy(epsilon=1.3297)).noise.known_scale() > coefficient
    assert counted(OUTBREAK, "comonotone", dl.InferentialPrivacy(epsilon=1.331)).noise.known_scale() < coefficient


def test_it_serves_every_joint_law_with_the_same_pairs() -> None:
    """Tables that differ in triples only: a parity is added, which no pair sees. The noise is that of all of them."""
    rng = np.random.default_rng(2)
    for _ in range(8):
        base = rng.dirichlet(np.ones(8)) * 0.6 + 0.05
        parity = np.array([(-1.0) ** sum(row) for row in np.ndindex(2, 2, 2)])
        most = [float(min(base[parity * sign > 0])) for sign in (-1, 1)]
        laws = [base - most[1] * parity, base, base + most[0] * parity]
        found = [_calibrated(law) for law in laws]
        assert np.ptp([scale for scale, _ in found]) <= 1e-8
        assert max(leaked for _, leaked in found) <= 1 + 1e-9


def _calibrated(law: Array) -> tuple[float, float]:
    rows = [list(row) for row in np.ndindex(2, 2, 2)]
    table = dl.Table(records=rows, probabilities=[float(p) for p in law / law.sum()])
    release = dl.Release(table, dl.Sum(), dl.Laplace())
    found = dl.calibrate(release, ONE, "comonotone")
    return found.noise.known_scale(), ONE.leakage(release.with_noise(found.noise)).upper


def test_implied_notions_and_constant_answers() -> None:
    found = counted(HOUSEHOLDS, "comonotone", dl.InformationPrivacy(epsilon=1))
    assert found.sound
    assert found.leakage.upper <= 1
    assert counted(dl.Independent(probabilities=[0.0, 1.0]), "comonotone").leakage.upper == 0
    certain = dl.Table(records=[[0, 0], [1, 1]], probabilities=[0.0, 1.0])
    assert counted(certain, "comonotone").noise.scale == 1
    assert counted(dl.Independent(n=4, probabilities=[0.2]), "comonotone").noise.scale == 1


@pytest.mark.parametrize(
    ("edges", "advised"), [([(1, 2), (2, 3), (3, 4)], True), ([(1, 2), (2, 3), (3, 1), (3, 4)], False)]
)
def test_a_contradiction_advises_a_law_only_where_there_is_one(edges: list[tuple[int, int]], advised: bool) -> None:
    """With a cycle of edges `others = "markov"` is refused."""
    model = dl.Pairwise(n=4, values=[0, 1], given=[[0.9, 0.1], [0.1, 0.9]], edges=edges)
    words = dl.Release(model, dl.Count(), dl.Laplace(scale=1.0)).worlds.contradiction
    assert words is not None
    assert ('"markov" has a law' in words) is advised
