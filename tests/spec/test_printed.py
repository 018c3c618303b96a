"""What is printed encloses what was computed, and does not change with its last bits.

The text of a spec: byte order marks, other encodings, and what is no TOML or JSON, each in one line.

A spec is the same whether it was built in Python, or read from TOML or JSON, and whatever was written reads back.
"""

import json
import re
import tomllib
from fractions import Fraction
from math import inf, nextafter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, strategies as st

import dalenius as dl
from dalenius.bounds import Enclosure, down_to_digits, near_to_digits, up_to_digits
from dalenius.curator.policy import policy_from, read_policy
from dalenius.errors import InputError
from dalenius.fields import distribution
from dalenius.pairs.linked_people import EdgeFile
from dalenius.pairs.pairwise_model import Pairwise
from dalenius.spec import read_spec, sections_of, spec_from
from dalenius.spec.condition import Condition
from dalenius.spec.data_section import Source
from dalenius.spec.results_as_json import printed
from tests.cases import in_turn
from tests.cli.command import EXAMPLES

NUMBERS = st.floats(0, 1e6) | st.floats(0, 1e-6) | st.sampled_from([0.0, 1.0, 0.1, 1e-3, 10.0, 5e-324, inf])


@given(value=NUMBERS, width=NUMBERS | st.floats(0, 1e-12))
def test_the_ends_lie_outside(value: float, width: float) -> None:
    lower, middle, upper = printed(Enclosure(value, value + width))
    assert lower <= value
    assert upper >= value + width
    assert lower <= middle <= upper


@given(value=st.floats(1e-300, 1e300), digits=st.integers(1, 15))
@example(value=1e300, digits=13)  # a double is further from one of so many digits than these say
def test_digits(value: float, digits: int) -> None:
    low, near, high = (round_(value, digits) for round_ in (down_to_digits, near_to_digits, up_to_digits))
    assert low <= value <= high
    assert near in (low, high)
    for each in (low, high):
        written = f"{each:.{digits - 1}e}"
        assert each == float(written)
        assert abs(Fraction(written) - Fraction(value)) <= Fraction(10) ** (1 - digits) * Fraction(value)


@in_turn(
    {
        "around": [1.0, 0.1, 3.0, 1 / 3, 0.0003150718164431354, 5e-9],
        "doubt": [1e-15, 1e-12, 1e-8 / 3, 1e-6 / 7, 1 / 430],
    }
)
def test_the_last_bits_are_not_printed(around: float, doubt: float) -> None:
    """An enclosure holds its truth by more than a rounding: that of a round number is not on the number itself."""
    value = Enclosure(around * (1 - doubt) - 1e-16 * around, around * (1 + doubt) + 1e-16 * around)
    moved = Enclosure(nextafter(value.lower, inf), nextafter(value.upper, -inf))
    assert printed(value) == printed(moved)


SPEC = """[model]
kind = "independent"
probabilities = [0.3, 0.5]
[query]
kind = "count"
"""


def test_with_a_byte_order_mark_or_without(tmp_path: Path) -> None:
    """JSON is known by its name, or by its brace."""
    as_json = json.dumps(tomllib.loads(SPEC))
    for name, text in (
        ("a.toml", "\ufeff" + SPEC),
        ("a.json", "\ufeff" + as_json),
        ("a", SPEC),
        ("a", f"\n {as_json}"),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert read_spec(tmp_path / name).model.kind == "independent"


def test_another_encoding_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text("# für alle\n" + SPEC, encoding="utf-16")
    assert read_spec(tmp_path / "a.toml").model.kind == "independent"
    (tmp_path / "a.toml").write_text("# für alle\n" + SPEC, encoding="latin-1")
    with pytest.raises(InputError, match=r"wanted text in UTF-8 \(line 1 is not: it looks like cp1252\)$"):
        read_spec(tmp_path / "a.toml")


def test_what_is_broken_names_its_line(tmp_path: Path) -> None:
    for name, text, said in (
        ("a.toml", "a = 1\nb = .9\n", "spec a.toml line 2: b, wanted a digit before the point, as 0.5"),
        ("a.json", '{\n "a": 1,\n "b": }\n', "spec a.json line 3: b, wanted a value after the key"),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match=re.escape(said)):
            sections_of(tmp_path / name)


def test_the_password_of_a_url_is_not_shown(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text('url = "postgresql://me:secret@host/x" nonsense\n', encoding="utf-8")
    with pytest.raises(InputError) as refused:
        sections_of(tmp_path / "a.toml")
    assert "secret" not in str(refused.value)


BITS = dl.Independent(probabilities=(0.3, 0.1, 1 / 3))
PAIR = dl.Table(records=((0, 0), (1, 1)), probabilities=(0.9, 0.1))
HOMES = dl.Households(count=2, infected=(0.9, 0.04, 0.06))
SPECS = {
    "absent": dl.Spec(model=dl.Absent(answers=(1, 2.5, 2.5)), notion=dl.DifferentialIdentifiability(alpha=0.5, beta=1)),
    "absent, priors": dl.Spec(
        model=dl.AnyOf(
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
        model=dl.AnyOf(models=(BITS, dl.Product(parts=(dl.Independent(probabilities=(0.5,)), PAIR)))),
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
    sections = "model questions query noise notion promises secrets adversary data derived sample"
    assert set(schema["properties"]) == set(sections.split())
    assert schema["required"] == ["model"]  # with model absent the answers may be given
    assert schema["additionalProperties"] is False
    assert schema["properties"]["model"]["required"] == ["kind"]


def test_the_default_noise_is_geometric_on_integers_else_laplace() -> None:
    assert dl.Spec(model=PAIR, query=dl.Count()).calibrated().noise == dl.Geometric()
    assert dl.Spec(model=PAIR, query=dl.Mean()).calibrated().noise == dl.Laplace()
    assert dl.Spec(model=PAIR, query=dl.Count(), noise=dl.Laplace(scale=3)).calibrated().noise.kind == "laplace"
