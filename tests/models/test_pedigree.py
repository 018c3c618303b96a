"""Relatives: a trait instead of a genotype, relatives whose genomes are known, and tables with faults.

The genotypes' laws are a row of the conformance table.
"""

from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

import dalenius as dl
from dalenius.channel.large import own_group_suprema
from dalenius.errors import InputError
from dalenius.models.family_members import Member
from dalenius.notions import Notion
from dalenius.queries import Stage
from tests.conformance.comparison import assert_agrees, enclosure
from tests.conformance.scores import count
from tests.conformance.truth import Measure, Truth
from tests.conformance.worlds import Person, World
from tests.reference import inheritance, leakages, noises
from tests.reference.bayesian import given
from tests.reference.joints import Joint, gather

Rows = tuple[tuple[str, str, str], ...]
SIBLINGS: Rows = (("a", "", ""), ("b", "", ""), ("c", "a", "b"), ("d", "a", "b"))
COUSINS: Rows = (("a", "", ""), ("b", "a", ""), ("c", "a", ""), ("d", "b", "c"))
"""Half-siblings who have a child: a loop."""
FREQUENCY, PENETRANCE = 0.25, (0.0, 0.5, 0.875)
SUPREMA: tuple[tuple[Notion, Measure], ...] = (
    (dl.InferentialPrivacy(), leakages.inferential),
    (dl.InformationPrivacy(), leakages.information),
)


def pedigree(rows: Rows, **more: object) -> dl.Pedigree:
    return dl.Pedigree(people=rows, allele_frequency=FREQUENCY, **more)


def genotypes(rows: Rows) -> Joint:
    return inheritance.minor_alleles(rows, Fraction(FREQUENCY))


def traits(rows: Rows) -> Joint:
    """The law of everybody's trait alone."""
    chances = [Fraction(chance) for chance in PENETRANCE]
    return gather(
        (shown, share * inheritance.traits_given(row, shown, chances))
        for row, share in genotypes(rows).items()
        for shown in product((0, 1), repeat=len(rows))
    )


def check(release: dl.Release, joint: Joint, values: tuple[int, ...], counted: dl.Count) -> None:
    world = World(joint, (Person("", values),) * 4)
    truth = Truth([world], counted, count, release.noise, lambda noise, _: noises.Laplace(Fraction(2)))
    for notion, measure in SUPREMA:
        assert_agrees(enclosure(notion.leakage(release)), truth.worst(measure))


@pytest.mark.parametrize("engine", ["enumeration", "convolution"])
@pytest.mark.parametrize("rows", [SIBLINGS, COUSINS])
def test_a_count_of_a_trait_leaks_as_much_of_the_trait_as_its_law_says(rows: Rows, engine: str) -> None:
    query, secrets = Stage(stage="trait", query=dl.Count()), dl.Secrets(stage="trait")
    model = pedigree(rows, penetrance=PENETRANCE)
    release = dl.Release(model, query, dl.Laplace(scale=2.0), secrets=secrets, engine=engine)
    check(release, traits(rows), (0, 1), dl.Count())


@pytest.mark.parametrize("rows", [SIBLINGS, COUSINS])
def test_genomes_that_relatives_published_are_known(rows: Rows) -> None:
    carriers = dl.Count(values=(1, 2))
    adversary = dl.Adversary(known={"d": 1, "a": 0})
    release = dl.Release(pedigree(rows), carriers, dl.Laplace(scale=2.0), adversary=adversary)
    check(release, given(genotypes(rows), {0: 0, 3: 1}), (0, 1, 2), carriers)


def test_people_are_called_by_their_ids() -> None:
    release = dl.Release(pedigree(SIBLINGS), "count", dl.Laplace(scale=2.0), secrets=dl.Secrets(people=["b"]))
    witness = dl.InferentialPrivacy().leakage(release).witness
    assert witness is not None
    assert "individual" in witness.who


def test_a_genotype_that_no_parent_can_pass_on_is_refused() -> None:
    with pytest.raises(InputError, match=r"^adversary\.known"):
        dl.Release(pedigree(SIBLINGS), "count", "none", adversary=dl.Adversary(known={"a": 0, "c": 2}))


def test_many_different_families_leak_the_same_when_each_is_read_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [[(f"{n}.0", "", ""), *((f"{n}.{i}", "", f"{n}.{i - 1}") for i in range(1, n))] for n in range(2, 12)]
    model = pedigree(tuple(row for line in lines for row in line))
    whole = dl.Release(model, "count", dl.Laplace(scale=2.0))
    assert "by the group alone" not in str(whole.worlds.engines())
    expected = [notion.leakage(whole) for notion, _ in SUPREMA]
    monkeypatch.setattr(own_group_suprema, "_HEAVY", 0)
    alone = dl.Release(model, "count", dl.Laplace(scale=2.0))
    assert "by the group alone" in str(alone.worlds.engines())
    for (notion, _), leakage in zip(SUPREMA, expected, strict=True):
        found = notion.leakage(alone)
        assert max(found.lower, leakage.lower) <= min(found.upper, leakage.upper)
        assert found.upper - found.lower <= 1e-9


HEAD = "id,father,mother\n"
FAULTS = {
    "ann has two fathers, bob and cyd": "ann,bob,\nann,cyd,\nbob,,\ncyd,,\n",
    "ann has two rows": "ann,,\nann,,\n",
    "no person who is their own ancestor (": "ann,bob,\nbob,cyd,\ncyd,ann,\n",
    "(ann has the parent bobb, who has no row (did you mean bob?))": "ann,bobb,\nbob,,\n",
    "two different parents (ann has bob as both)": "ann,bob,bob\nbob,,\n",
    "no person who is both a father and a mother (bob is both)": "ann,bob,\ncyd,,bob\nbob,,\n",
    "an id in every row (row 2 has none)": "ann,,\n,ann,\n",
    "one person or more": "",
    "3 cells in line 3, as in the first": "ann,,\nbob,\n",
}


@pytest.mark.parametrize("said", FAULTS)
def test_a_table_with_a_fault_is_refused_in_one_line(said: str, tmp_path: Path) -> None:
    path = tmp_path / "family.csv"
    path.write_text(HEAD + FAULTS[said])
    with pytest.raises(InputError) as caught:
        dl.Pedigree(file=path, allele_frequency=0.1).joints()
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_column_that_is_not_there_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "family.csv"
    path.write_text(HEAD + "ann,,\n")
    with pytest.raises(InputError, match=r"^model\.mother: mum, wanted a column of family.csv: id, father, mother"):
        dl.Pedigree(file=path, mother="mum", allele_frequency=0.1).joints()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "model.file: family.csv, wanted a first row with the columns id, father, mother (it is empty)"),
        ("id,father,mother,id\nann,,,x\n", "model.id: id, wanted a column that is once in family.csv"),
    ],
)
def test_columns_that_are_not_there_once_are_refused(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "family.csv"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        dl.Pedigree(file=path, allele_frequency=0.1).joints()
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"people": SIBLINGS, "allele_frequency": 0.0}, "above 0"),
        ({"people": SIBLINGS, "allele_frequency": 1e-200}, "a frequency of at least 1e-75"),
        ({"people": SIBLINGS, "allele_frequency": 0.1, "penetrance": (0.0, 0.5, 1.5)}, "three chances of the trait"),
        ({"people": (("a", "a", ""),), "allele_frequency": 0.1}, "no person who is their own ancestor"),
        ({"allele_frequency": 0.1}, "either file or people"),
    ],
)
def test_a_pedigree_that_makes_no_sense_is_refused(fields: dict[str, object], said: str) -> None:
    with pytest.raises(InputError) as caught:
        dl.Pedigree(**fields)
    assert said in str(caught.value)


def test_a_certificate_has_the_rows_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "family.csv"
    path.write_text(HEAD + "ann,,\nbob,0,ann\n")
    model = dl.Pedigree(file=path, allele_frequency=0.1).self_contained()
    assert model.members() == (Member("ann", "", ""), Member("bob", "", "ann"))
