"""A spec is the same whether it was built in Python, or read from TOML or JSON, and whatever was written reads back."""

import json
from pathlib import Path
from typing import Any

from hypothesis import given, strategies as st

import dalenius as dl
from dalenius.curator.policy import policy_from, read_policy
from dalenius.models import MODELS
from dalenius.ratios.pairs.edges import EdgeFile
from dalenius.ratios.pairs.model import Pairwise
from dalenius.schema import distribution
from dalenius.spec import spec_from
from dalenius.spec.questions import Grid
from dalenius.tables import Condition, Source
from tests.cli.command import EXAMPLES

BITS = dl.Independent(probabilities=(0.3, 0.1, 1 / 3))
PAIR = dl.Table(records=((0, 0), (1, 1)), probabilities=(0.9, 0.1))
HOMES = dl.Households(count=2, infected=(0.9, 0.04, 0.06))
SPECS = {
    "absent": dl.Spec(model=dl.Absent(answers=(1, 2.5, 2.5)), notion=dl.DifferentialIdentifiability(alpha=0.5, beta=1)),
    "absent, priors": dl.Spec(
        model=dl.Any(
            models=(
                dl.Absent(answers=(1, 2, 3), prior=(0.5, 0.25, 0.25)),
                dl.Absent(answers=(1, 2, 3), prior=dl.PriorRange(min=0.1, max=0.5)),
            )
        ),
        notion=dl.RhoIdentifiability(rho=0.75),
    ),
    "independent": dl.Spec(model=BITS, query=dl.Count()),
    "table": dl.Spec(model=PAIR, query=dl.Sum(lower=0, upper=1), noise=dl.Geometric(scale=1)),
    "groups": dl.Spec(
        model=dl.Groups(types=(dl.GroupType(count=2, records=((0, "x"), (1, "y")), probabilities=(0.25, 0.75)),)),
        query=dl.Count(values=("x", 1)),
        noise=dl.NoNoise(),
    ),
    "by": dl.Spec(
        model=dl.Households(by="home", epidemic=dl.Epidemic(community=0.1, household=0.2)),
        query=dl.Count(per_label=True, labels=("north",)),
        notion=dl.InformationPrivacy(epsilon=1),
        data=Source(file=Path("people.csv"), value=Condition(column="fell", below="1861-11-26"), label="town"),
    ),
    "network": dl.Spec(
        model=dl.Network(
            nodes=(
                {"name": "a", "values": ("no", "yes"), "probabilities": (0.9, 0.1), "label": "north"},
                {"name": "b", "parents": ("a",), "probabilities": ((0.9, 0.1, 0.0), (0.25, 0.25, 0.5))},
            )
        ),
        query=dl.Count(values=("yes", 2)),
    ),
    "network in a file": dl.Spec(model=dl.Network(file=EXAMPLES / "asia.bif"), query=dl.Count(values=("yes",))),
    "pairwise": dl.Spec(
        model=Pairwise(n=3, values=(0, 2.5), given=((0.75, 0.25), (0.25, 0.75)), edges=((1, 2),), prior=(0.5, 0.5)),
        query=dl.Sum(),
    ),
    "edges in a file": dl.Spec(
        model=Pairwise(n=9, given=((1, 0), (0, 1)), edges=EdgeFile(file=Path("/edges.csv.gz"), first="a", second="b")),
        query=dl.Sum(),
    ),
    "a chance": dl.Spec(model=BITS, query=dl.Count(), notion=dl.InformationPrivacy(from_=0.1, to=0.2)),
    "a guess": dl.Spec(model=BITS, query=dl.Count(), notion=dl.InferentialPrivacy(advantage=0.05, delta=0.01)),
    "noiseless": dl.Spec(
        model=BITS, query=dl.Count(), notion=dl.NoiselessPrivacy(epsilon=0.5, delta=1e-6, known_fraction=0.5)
    ),
    "gain": dl.Spec(model=BITS, query=dl.Count(), notion=dl.GLeakage(epsilon=1, gain=((1, 0), (0.5, 2)))),
    "given": dl.Spec(model=BITS, query=dl.Count(), notion=dl.MutualInformationPrivacy(given=(1, "ada"))),
    "any": dl.Spec(
        model=dl.Any(models=(BITS, dl.Product(parts=(dl.Independent(probabilities=(0.5,)), PAIR)))),
        query=dl.Count(),
        noise=dl.Laplace(scale=2.5),
        secrets=dl.Secrets(people=(1, 2), pairs=((0, 1),)),
    ),
    "extremes": dl.Spec(
        model=BITS,
        query=dl.Several(queries=(dl.Max(upper=5), dl.Min(lower=-1.5, labels=("",)), dl.Max(per_label=True))),
    ),
    "moments": dl.Spec(
        model=dl.Moments(n=100, variance=1, third=2.5, range=5, neighbourhood=3, known_fraction=0.25),
        query=dl.Mean(lower=0, upper=5),
        rounding=Grid(lower=1, upper=2.5),
    ),
}


def test_written_and_read_again(tmp_path: Path) -> None:
    file = tmp_path / "spec.json"
    for spec in SPECS.values():
        file.write_text(json.dumps(spec.model_dump(mode="json"), allow_nan=False), encoding="utf-8")
        assert dl.read_spec(file) == spec
        assert spec_from(json.loads(spec.model_dump_json())) == spec
    assert len({spec.model_dump_json() for spec in SPECS.values()}) == len(SPECS)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12).filter(lambda row: sum(row) > 1e-3))
def test_a_distribution_is_scaled_once(row: list[float]) -> None:
    once = distribution(tuple(value / sum(row) for value in row))
    assert distribution(once) == once


def test_examples_are_read_and_written() -> None:
    for file in sorted(EXAMPLES.rglob("*.toml")):
        if file.name != "policy.toml":
            read = dl.read_spec(file)
            assert spec_from(read.model_dump(mode="json")) == read
            continue
        policy = read_policy(file)
        sections = policy.model_dump(mode="json", exclude_none=True)
        for data in sections["data"]:
            del data["source"]["value"]  # each measure says its own
        assert policy_from(sections) == policy


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
    read = dl.read_spec(file)
    notion, secrets = dl.InformationPrivacy(epsilon=0.5), dl.Secrets(people=(1,))
    assert read == dl.Spec(model=HOMES, query=dl.Count(), noise=dl.Geometric(scale=1.5), notion=notion, secrets=secrets)
    release = dl.Release(HOMES, dl.Count(), dl.Geometric(scale=1.5), secrets)
    assert dl.audit(read.audited()) == dl.audit(release)
    assert dl.calibrate(read.calibrated(), read.promise()) == dl.calibrate(release, notion)


def test_json_schema() -> None:
    schema: dict[str, Any] = dl.Spec.model_json_schema()
    json.dumps(schema, allow_nan=False)
    sections = "model questions query noise notion promises secrets adversary data rounding derived"
    assert set(schema["properties"]) == set(sections.split())
    assert schema["required"] == ["model"]  # with model absent the answers may be given
    assert schema["additionalProperties"] is False
    kinds = schema["properties"]["model"]["discriminator"]["mapping"]
    assert set(kinds) == {each.model_fields["kind"].default for each in MODELS.own}
    assert schema["$defs"]["Product"]["properties"]["parts"]["type"] == "array"


def test_the_default_noise_is_geometric_on_integers_else_laplace() -> None:
    assert dl.Spec(model=PAIR, query=dl.Count()).calibrated().noise == dl.Geometric()
    assert dl.Spec(model=PAIR, query=dl.Mean()).calibrated().noise == dl.Laplace()
    assert dl.Spec(model=PAIR, query=dl.Count(), noise=dl.Laplace(scale=3)).calibrated().noise.kind == "laplace"
