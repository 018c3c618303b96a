"""Model pairwise as a spec has it: what is refused, which kinds of neighbourhoods there are, and which marginals."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dalenius import Geometric, InputError, Laplace, Pairwise, Release
from dalenius.channel import Adversary, Secrets
from dalenius.errors import Meaningless
from dalenius.models import Any as AnyOf, Distance, EdgeFile, Independent, NamedLaw, Product
from dalenius.notions import InferentialPrivacy, audit
from dalenius.queries import Max, Sum
from dalenius.spec import Spec, read_spec

STICKY = ((0.8, 0.2), (0.2, 0.8))
UNEVEN = ((0.9, 0.1), (0.4, 0.6))


def model(**other: Any) -> Pairwise:
    return Pairwise(**({"n": 3, "values": (0, 1), "given": STICKY, "edges": ((1, 2),)} | other))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"edges": ((1, 2), (2, 4))}, "model.edges row 2: 4, wanted people's numbers from 1 to 3"),
        ({"edges": ((1, 0),)}, "model.edges row 1: 0, wanted people's numbers from 1 to 3"),
        ({"edges": ((1, 2), (3, 3))}, "model.edges row 2: [3, 3], wanted two different people"),
        (
            {"edges": ((1, 2), (2, 1))},
            "model.edges row 2: [2, 1], wanted each pair of people once (row 1 has the same two)",
        ),
        ({"edges": ((1, 2, "kin"),)}, "model.edges row 1: kin, wanted the name of a law in model.laws: there are none"),
        (
            {"n": None, "people": ("ann", "bob"), "edges": (("ann", "eve"),)},
            "model.edges row 1: eve, wanted names of model.people",
        ),
        (
            {"given": ((0.8, 0.2),)},
            "model.given: 1 rows, wanted 2, one for each value",
        ),
        (
            {"given": ((0.8, 0.1, 0.1), (0.2, 0.8))},
            "model.given row 1: 3 probabilities, wanted 2, one for each value",
        ),
        (
            {"given": UNEVEN, "prior": (0.5, 0.5)},
            "model.given row 1: Pr[1 | 0] = 0.1, wanted 0.4, as model.prior and the reverse, Pr[0 | 1] = 0.4, have it "
            "(a pair that is no such: table)",
        ),
        (
            {
                "values": (0, 1, 2),
                "given": ((0.2, 0.6, 0.2), (0.2, 0.2, 0.6), (0.6, 0.2, 0.2)),
            },
            "model.given row 2: Pr[2 | 1] = 0.6, wanted 0.0222222222, as the other rows and the reverse, Pr[1 | 2]",
        ),
        (
            {"given": ((1.0, 0.0), (0.5, 0.5))},
            "model.given row 2: Pr[0 | 1] = 0.5, wanted 0, as the other rows and the reverse, Pr[1 | 0] = 0, have it",
        ),
        (
            {"given": None, "table": ((0.4, 0.1), (0.2, 0.2))},
            "model.table: a sum of 0.9, wanted probabilities that sum to 1",
        ),
        (
            {"given": None, "table": ((0.4, -0.1), (0.2, 0.5))},
            "model.table row 1: -0.1, wanted probabilities of at least 0",
        ),
        (
            {"given": None, "table": ((0.4, 0.1), (0.2, 0.3)), "prior": (0.5, 0.5)},
            "model.table: Pr[second = 0] = 0.6, wanted 0.5, as model.prior has it",
        ),
        (
            {"given": None, "table": ((0.4, 0.1), (0.2, 0.3)), "edges": ((1, 2), (2, 3))},
            "model.edges: Pr[X_2 = 0] = 0.5, wanted 0.6, as another edge of person 2 has it",
        ),
        (
            {"given": None, "laws": (NamedLaw(name="kin", given=STICKY), NamedLaw(name="pal", given=UNEVEN))},
            "model.edges row 1: [1, 2], wanted also the name of the pair's law, one of kin, pal",
        ),
        (
            {"given": None, "distance": Distance(), "values": ("a", "b")},
            "model.distance.points: missing, wanted a point for each value, since 'a' is no place",
        ),
        (
            {"given": None, "distance": Distance(points=((0.0, 1.0),))},
            "model.distance.points: 1 points, wanted a point for each of the 2 values",
        ),
    ],
)
def test_networks_that_make_no_sense(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as refused:
        model(**fields).joints()
    assert str(refused.value).startswith(message)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"n": None}, "either n, how many people there are, or people, their names"),
        ({"people": ("a", "b", "c")}, "either n, how many people there are, or people, their names"),
        ({"n": None, "people": ("a", "b", "a")}, "people of different names ('a' is there twice)"),
        ({"given": None}, "one of given, table, distance and laws, the law of linked people (there are 0)"),
        ({"distance": Distance()}, "one of given, table, distance and laws, the law of linked people (there are 2)"),
        ({"given": ((0.8, 0.1), (0.2, 0.8))}, "probabilities that sum to 1 (these sum to 0.9)"),
        ({"values": (0, 0)}, "distinct values (they are [0, 0])"),
        ({"values": None, "given": None, "distance": Distance()}, "values beside distance"),
        ({"values": None, "given": None, "edges": ()}, "values, what a record can be"),
        ({"labels": ("a",)}, "a label for each of the 3 people (there are 1)"),
        ({"prior": (1.0,)}, "a prior of 2 probabilities, one for each value (it has 1)"),
        ({"edges": ((1, 2), (1,))}, "two people, and the name of their law where there are several, in each row"),
        ({"edges": ((1, 2.5),)}, "two people, and the name of their law where there are several, in each row"),
        ({"edges": "friends.csv"}, "a list"),
        ({"others": "nothing"}, "'independent', 'anything' or 'markov'"),
        (
            {"given": None, "laws": (NamedLaw(name="kin", given=STICKY), NamedLaw(name="kin", given=UNEVEN))},
            "laws of different names ('kin' is there twice)",
        ),
    ],
)
def test_fields_that_make_no_sense(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as refused:
        model(**fields)
    assert message in str(refused.value)


def test_laws_that_are_none() -> None:
    with pytest.raises(InputError, match=r"one of given, table and distance \(law kin has 0 of them\)"):
        NamedLaw(name="kin")
    with pytest.raises(InputError, match="a finite number above 0 for b"):
        Distance(b=0.0)


def test_a_marginal_that_laws_leave_open() -> None:
    copies = ((1.0, 0.0), (0.0, 1.0))
    left_open = model(given=copies)
    found = audit(Release(left_open, Sum(), Laplace(scale=1.0)))
    assert found["inferential"].upper == pytest.approx(2.0)
    assert found["information"].upper <= 2.0 * (1 + 1e-12)
    with pytest.raises(InputError, match=r"model\.prior: missing, wanted the marginal of person 1"):
        left_open.markov()
    known = audit(Release(model(given=copies, prior=(0.9, 0.1)), Sum(), Laplace(scale=1.0)))
    assert known["information"].upper < found["information"].upper
    both = (NamedLaw(name="copy", given=copies), NamedLaw(name="pal", given=STICKY))
    with pytest.raises(
        InputError, match=r"model\.prior: missing, wanted a record's marginal, as several go with law copy"
    ):
        model(given=None, laws=both, edges=((1, 2, "copy"),)).joints()


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


def test_labels_tell_classes_apart() -> None:
    law = model(labels=("x", "y", "y"), edges=((1, 2), (1, 3))).law
    assert [(each.person, each.people, each.stratum) for each in law.around()] == [(1, 1, 0), (2, 2, 1)]


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


@pytest.mark.parametrize(
    ("text", "file", "message"),
    [
        ("a,b\n1,2\n", "none.csv", "model.edges.file: "),
        ("a,c\n1,2\n", "friends.csv", "model.edges.second: b, wanted a column of friends.csv: a, c"),
        ("a,b\n1,2\n1\n", "friends.csv", "model.edges.file: "),
        ("", "friends.csv", "model.edges.first: a, wanted a column of friends.csv: "),
    ],
)
def test_files_of_edges_that_cannot_be_read(tmp_path: Path, text: str, file: str, message: str) -> None:
    (tmp_path / "friends.csv").write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as refused:
        model(edges=EdgeFile(file=tmp_path / file, first="a", second="b")).joints()
    assert str(refused.value).startswith(message)


def test_one_pair_with_two_laws(tmp_path: Path) -> None:
    (tmp_path / "friends.csv").write_text("a,b\n1,2\n2,1\n", encoding="utf-8")
    edges = EdgeFile(file=tmp_path / "friends.csv", first="a", second="b")
    with pytest.raises(InputError, match=r"row 2: a second law, wanted one law for the pair of people 2 and 1 \(row 1"):
        model(given=None, table=((0.4, 0.1), (0.1, 0.4)), edges=edges).joints()


def test_a_cycle_has_no_markov_tree() -> None:
    round_about = model(edges=((1, 2), (2, 3), (3, 1)))
    with pytest.raises(InputError, match=r"model\.edges: 3 edges among 3 people in 1 parts, wanted a forest"):
        round_about.markov()
    with pytest.raises(InputError, match="wanted a forest"):
        model(edges=((1, 2), (2, 3), (3, 1)), others="markov").joints()


def test_what_needs_a_joint_law_says_so() -> None:
    release = Release(model(), Sum(), Laplace(scale=1.0))
    for asked in (lambda: release.joints, lambda: release.record_worlds, lambda: list(release.channels())):
        with pytest.raises(Meaningless, match=r"model\.kind: pairwise, wanted a model with a joint law"):
            asked()
    with pytest.raises(InputError, match=r"adversary\.known: .* wanted no known records beside model pairwise"):
        Release(model(), Sum(), Laplace(scale=1.0), adversary=Adversary(known={"1": 0}))
    with pytest.raises(Meaningless, match="model pairwise says nothing of groups"):
        Release(model(), Sum(), Laplace(scale=1.0), Secrets(size=2))
    with pytest.raises(InputError, match=r"secrets\.people: 7, wanted a person's number from 1 to 3"):
        Release(model(), Sum(), Laplace(scale=1.0), Secrets(people=(7,)))
    with pytest.raises(InputError, match=r"model\.parts"):
        Product(parts=(model(), Independent(probabilities=(0.5,)))).joints()
    with pytest.raises(InputError, match=r"query: max, wanted one sum of scores"):
        audit(Release(model(), Max(), Geometric(scale=1.0)))


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


def test_a_spec_and_its_python_are_one() -> None:
    spec = {"kind": "pairwise", "n": 3, "edges": [[1, 2]], "given": [[0.8, 0.2], [0.2, 0.8]]}
    read = Spec.model_validate({"model": spec, "query": {"kind": "sum"}}).model
    assert read == Pairwise(n=3, edges=((1, 2),), given=STICKY)
    assert Pairwise.model_validate(read.model_dump(mode="json")) == read


def test_what_is_known_of_a_model_is_no_part_of_it() -> None:
    used, fresh = model(), model()
    _ = used.law
    assert used == fresh
    assert fresh == used
    assert pickle.loads(pickle.dumps(used)) == fresh
    assert used.model_copy(update={"others": "anything"}).law.anything
    assert not used.law.anything
