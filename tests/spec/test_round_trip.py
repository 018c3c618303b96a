"""A spec is the same whether it was built in Python, or read from TOML or JSON, and whatever was written reads back."""

import json
from pathlib import Path
from typing import Any as Anything

import pytest
from hypothesis import given, strategies as st

from dalenius import (
    Absent,
    Any,
    Count,
    DifferentialIdentifiability,
    DifferentialPrivacy,
    Epidemic,
    Geometric,
    GLeakage,
    Groups,
    GroupType,
    Households,
    HouseholdType,
    Independent,
    InferentialPrivacy,
    InformationPrivacy,
    Laplace,
    Max,
    Mean,
    Min,
    Moments,
    MutualInformationPrivacy,
    Network,
    NoiselessPrivacy,
    NoNoise,
    PriorRange,
    Product,
    Release,
    RhoIdentifiability,
    Secrets,
    Several,
    Spec,
    Sum,
    Table,
    audit,
    calibrate,
    read_spec,
)
from dalenius.certificates import Grid
from dalenius.curator.policy import policy_from, read_policy
from dalenius.models import MODELS, Distance, EdgeFile, NamedLaw, Pairwise
from dalenius.schema import distribution
from dalenius.spec import spec_from
from dalenius.tables import Condition, Source
from tests.cli.command import EXAMPLES

BITS = Independent(probabilities=(0.3, 0.1, 1 / 3))
PAIR = Table(records=((0, 0), (1, 1)), probabilities=(0.9, 0.1))
HOMES = Households(count=2, infected=(0.9, 0.04, 0.06))
TOWN = Households(
    types=(HouseholdType(count=3, infected=(0.7, 0.3)), HouseholdType(count=2, infected=(0.5, 0.25, 0.25)))
)
SPECS = {
    "absent": Spec(model=Absent(answers=(1, 2.5, 2.5)), notion=DifferentialIdentifiability(alpha=0.5, beta=1)),
    "absent, priors": Spec(
        model=Any(
            models=(
                Absent(answers=(1, 2, 3), prior=(0.5, 0.25, 0.25)),
                Absent(answers=(1, 2, 3), prior=PriorRange(min=0.1, max=0.5)),
            )
        ),
        notion=RhoIdentifiability(rho=0.75),
    ),
    "independent": Spec(model=BITS, query=Count()),
    "rows": Spec(model=Independent(values=("a", 1, 2.5), n=7, probabilities=((0.2, 0.3, 0.5),)), query=Count()),
    "table": Spec(model=PAIR, query=Sum(lower=0, upper=1), noise=Geometric(scale=1)),
    "groups": Spec(
        model=Groups(types=(GroupType(count=2, records=((0, "x"), (1, "y")), probabilities=(0.25, 0.75)),)),
        query=Count(values=("x", 1)),
        noise=NoNoise(),
    ),
    "households": Spec(model=TOWN, query=Mean(), notion=InferentialPrivacy(kind="identity", epsilon=1, delta=0.01)),
    "by": Spec(
        model=Households(by="home", epidemic=Epidemic(community=0.1, household=0.2)),
        query=Count(per_label=True, labels=("north",)),
        notion=InformationPrivacy(epsilon=1),
        data=Source(file=Path("people.csv"), value=Condition(column="fell", below="1861-11-26"), label="town"),
    ),
    "network": Spec(
        model=Network(
            nodes=(
                {"name": "a", "values": ("no", "yes"), "probabilities": (0.9, 0.1), "label": "north"},
                {"name": "b", "parents": ("a",), "probabilities": ((0.9, 0.1, 0.0), (0.25, 0.25, 0.5))},
            )
        ),
        query=Count(values=("yes", 2)),
    ),
    "network in a file": Spec(model=Network(file=EXAMPLES / "asia.bif"), query=Count(values=("yes",))),
    "pairwise": Spec(
        model=Pairwise(n=3, values=(0, 2.5), given=((0.75, 0.25), (0.25, 0.75)), edges=((1, 2),), prior=(0.5, 0.5)),
        query=Sum(),
    ),
    "pairs by law": Spec(
        model=Pairwise(
            people=("ann", "bob"),
            values=(0, 1),
            labels=("x", "y"),
            laws=(
                NamedLaw(name="kin", table=((0.5, 0.25), (0.125, 0.125))),
                NamedLaw(name="far", distance=Distance(c=2, points=((0, 1), (2.5, 3)))),
            ),
            edges=(("ann", "bob", "kin"),),
            others="anything",
        ),
        query=Sum(),
    ),
    "edges in a file": Spec(
        model=Pairwise(n=9, given=((1, 0), (0, 1)), edges=EdgeFile(file=Path("/edges.csv.gz"), first="a", second="b")),
        query=Sum(),
    ),
    "product": Spec(model=Product(parts=(PAIR, HOMES)), query=Sum(), notion=DifferentialPrivacy(epsilon=0.5)),
    "in words": Spec(model=BITS, query=Count(), notion=InformationPrivacy(factor=2)),
    "a chance": Spec(model=BITS, query=Count(), notion=InformationPrivacy(from_=0.1, to=0.2)),
    "a guess": Spec(model=BITS, query=Count(), notion=InferentialPrivacy(advantage=0.05, delta=0.01)),
    "noiseless": Spec(model=BITS, query=Count(), notion=NoiselessPrivacy(epsilon=0.5, delta=1e-6, known_fraction=0.5)),
    "gini": Spec(model=BITS, query=Count(), notion=GLeakage(gain="gini")),
    "gain": Spec(model=BITS, query=Count(), notion=GLeakage(epsilon=1, gain=((1, 0), (0.5, 2)))),
    "given": Spec(model=BITS, query=Count(), notion=MutualInformationPrivacy(given=(1, "ada"))),
    "any": Spec(
        model=Any(models=(BITS, Product(parts=(Independent(probabilities=(0.5,)), PAIR)))),
        query=Count(),
        noise=Laplace(scale=2.5),
        secrets=Secrets(people=(1, 2), pairs=((0, 1),)),
    ),
    "extremes": Spec(
        model=BITS, query=Several(queries=(Max(upper=5), Min(lower=-1.5, labels=("",)), Max(per_label=True)))
    ),
    "moments": Spec(
        model=Moments(n=100, variance=1, third=2.5, range=5, neighbourhood=3, known_fraction=0.25),
        query=Mean(lower=0, upper=5),
        rounding=Grid(lower=1, upper=2.5),
    ),
    "clipped": Spec(model=BITS, query=Sum(), data=Source(value="income", lower=0, upper=10, step=0.5)),
}


@pytest.mark.parametrize("name", SPECS)
def test_written_and_read_again(name: str, tmp_path: Path) -> None:
    file = tmp_path / "spec.json"
    file.write_text(json.dumps(SPECS[name].model_dump(mode="json"), allow_nan=False), encoding="utf-8")
    assert read_spec(file) == SPECS[name]
    assert spec_from(json.loads(SPECS[name].model_dump_json())) == SPECS[name]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12).filter(lambda row: sum(row) > 1e-3))
def test_a_distribution_is_scaled_once(row: list[float]) -> None:
    once = distribution(tuple(value / sum(row) for value in row))
    assert distribution(once) == once


POLICY = "policy.toml"


@pytest.mark.parametrize(
    "file", sorted(each for each in EXAMPLES.rglob("*.toml") if each.name != POLICY), ids=lambda file: file.name
)
def test_examples_are_read_and_written(file: Path) -> None:
    read = read_spec(file)
    assert spec_from(read.model_dump(mode="json")) == read


@pytest.mark.parametrize("file", sorted(EXAMPLES.rglob(POLICY)), ids=lambda file: file.parent.name)
def test_examples_of_policies_are_read_and_written(file: Path) -> None:
    read = read_policy(file)
    sections = read.model_dump(mode="json", exclude_none=True)
    for data in sections["data"]:
        del data["source"]["value"]  # each measure says its own
    assert policy_from(sections) == read


def test_a_file_is_the_python_objects(tmp_path: Path) -> None:
    file = tmp_path / "spec.toml"
    file.write_text(
        """
        query = { kind = "count" }
        noise = { kind = "geometric", scale = 1.5 }
        notion = { kind = "information", epsilon = 0.5 }
        secrets = { people = [1] }
        [model]
        kind = "households"
        count = 2
        infected = [0.9, 0.04, 0.06]
        """,
        encoding="utf-8",
    )
    read = read_spec(file)
    notion, secrets = InformationPrivacy(epsilon=0.5), Secrets(people=(1,))
    assert read == Spec(model=HOMES, query=Count(), noise=Geometric(scale=1.5), notion=notion, secrets=secrets)
    release = Release(HOMES, Count(), Geometric(scale=1.5), secrets)
    assert audit(read.audited()) == audit(release)
    assert calibrate(read.calibrated(), read.promise()) == calibrate(release, notion)


def test_specs_differ_where_a_field_does() -> None:
    assert len({spec.model_dump_json() for spec in SPECS.values()}) == len(SPECS)
    assert SPECS["table"] != SPECS["table"].model_copy(update={"noise": Geometric(scale=1.25)})


def test_json_schema() -> None:
    schema: dict[str, Anything] = Spec.model_json_schema()
    json.dumps(schema, allow_nan=False)
    assert set(schema["properties"]) == {
        "model",
        "questions",
        "query",
        "noise",
        "notion",
        "promises",
        "secrets",
        "adversary",
        "data",
        "rounding",
        "derived",
    }
    assert schema["required"] == ["model"]  # with model absent the answers may be given
    assert schema["additionalProperties"] is False
    kinds = schema["properties"]["model"]["discriminator"]["mapping"]
    assert set(kinds) == {each.model_fields["kind"].default for each in MODELS.own}
    assert schema["$defs"]["Product"]["properties"]["parts"]["type"] == "array"


def test_the_default_noise_is_geometric_on_integers_else_laplace() -> None:
    assert Spec(model=PAIR, query=Count()).calibrated().noise == Geometric()
    assert Spec(model=PAIR, query=Mean()).calibrated().noise == Laplace()
    assert Spec(model=PAIR, query=Count(), noise=Laplace(scale=3)).calibrated().noise.kind == "laplace"
