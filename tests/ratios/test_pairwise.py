"""Model pairwise as a spec has it: what is refused, which kinds of neighbourhoods there are, and which marginals."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dalenius import Laplace, Pairwise, Release
from dalenius.channel import Secrets
from dalenius.errors import Meaningless
from dalenius.models import Any as AnyOf, Independent
from dalenius.notions import InferentialPrivacy, audit
from dalenius.queries import Sum
from dalenius.ratios.pairs.pair_law import Distance
from dalenius.spec import read_spec

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


def test_people_of_one_kind_are_one_class() -> None:
    edges = ((1, 2), (1, 3), (1, 4), (1, 5), (6, 7))
    law = model(n=8, edges=edges).law
    classes = {each.person: (each.people, sum(n for *_, n in each.neighbours)) for each in law.around()}
    assert classes == {1: (1, 4), 2: (6, 1), 8: (1, 0)}
    assert [each.person for each in law.widest()] == [1]
    loose = model(n=8, edges=edges, others="anything").law
    assert {each.person: each.size for each in loose.around()} == {1: 5, 2: 5, 6: 2, 8: 1}


def test_edges_of_a_file_are_cleaned_and_counted(tmp_path: Path) -> None:
    (tmp_path / "friends.csv").write_text("kind,a,b\nkin,1,2\nkin,2,1\nkin,3,3\npal,2,3\npal,2,9\n", encoding="utf-8")
    (tmp_path / "spec.toml").write_text(
        '[model]\nkind = "pairwise"\nn = 4\nvalues = [0, 1]\n'
        '[model.edges]\nfile = "friends.csv"\nfirst = "a"\nsecond = "b"\nlaw = "kind"\n'
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
    assert read.rests_on()[1] == "of the file of edges rows were left out: 1 unknown, 1 self-loops, 1 duplicates"
    alone = read.self_contained()
    assert isinstance(alone, Pairwise)
    assert alone.edges == ((1, 2, "kin"), (2, 3, "pal"))
    assert alone.dropped.total == 0


def test_what_needs_a_joint_law_says_so() -> None:
    release = Release(model(), Sum(), Laplace(scale=1.0))
    for asked in (lambda: release.joints, lambda: release.record_worlds, lambda: list(release.channels())):
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


def test_what_is_known_of_a_model_is_no_part_of_it() -> None:
    used, fresh = model(), model()
    _ = used.law
    assert used == fresh
    assert fresh == used
    assert pickle.loads(pickle.dumps(used)) == fresh
    assert used.model_copy(update={"others": "anything"}).law.anything
    assert not used.law.anything
