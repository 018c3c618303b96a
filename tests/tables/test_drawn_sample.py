"""Releases from a sample: from a table of the sample, or drawn here from a table of everybody."""

from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import dalenius as dl
from dalenius.errors import InputError
from dalenius.models import Model
from dalenius.spec.data_section import Source
from dalenius.tables import open_people, true_answer
from dalenius.tables.drawn_sample import drawn_homes, drawn_tally, homes_of
from tests.cli.command import dalenius

HOMES = dl.Households(count=4, infected=[0.5, 0.2, 0.3])
ROWS = "home,ill\n" + "".join(f"{home},{ill}\n" for home, ill in zip("aabbccdd", (1, 1, 0, 1, 0, 0, 0, 0), strict=True))


def answer(path: Path, model: Model, household: str | None = "home") -> int:
    source = Source(file=path, household=household, value="ill")
    with_noise = dl.Release(model, "count", dl.Geometric(scale=1.0))
    people = open_people(source, path.parent)
    try:
        return true_answer(with_noise, people)[0]
    finally:
        people.close()


def table(folder: Path, rows: str = ROWS) -> Path:
    path = folder / "people.csv"
    path.write_text(rows)
    return path


def drawn(**sample: Any) -> dl.Sampled:
    return dl.Sampled(population=HOMES, sample=dl.Sample(**sample))


def test_a_table_of_the_sample_is_counted_as_it_is(tmp_path: Path) -> None:
    path = table(tmp_path, "home,ill\na,1\na,1\nb,0\n")
    assert answer(path, drawn(rate=0.5)) == 2
    assert answer(path, drawn(size=3)) == 2


@pytest.mark.parametrize(
    ("sample", "rows", "said"),
    [
        ({"rate": 0.5}, ROWS + "e,1\n", r"^data: 9 people, wanted at most 8, as many as the population has"),
        ({"size": 3}, ROWS, r"^data: 8 people, wanted 3, as many as sample\.size says"),
        ({"rate": 0.01}, ROWS, r"^data: 8 people, wanted about as many as a sample has, where each person"),
        ({"rate": 0.5, "of": "households"}, ROWS, r"^data: 8 people, wanted about as many as a sample has"),
    ],
)
def test_a_table_that_is_no_such_sample_is_refused(sample: Any, rows: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said):
        answer(table(tmp_path, rows), drawn(**sample))


def test_a_table_of_everybody_is_wanted_to_draw_from(tmp_path: Path) -> None:
    path = table(tmp_path, "home,ill\na,1\na,1\nb,0\n")
    with pytest.raises(InputError, match=r"^data: 3 people, wanted 8, as many as the model has"):
        answer(path, drawn(rate=0.5, drawn="here"))


def test_households_are_drawn_by_their_column(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^data\.household: missing, wanted the column that says who is drawn"):
        answer(table(tmp_path), drawn(rate=0.5, of="households", drawn="here"), household=None)


@pytest.mark.parametrize(
    ("sample", "law"),
    [
        # Three of eight people are ill; so many are drawn.
        ({"size": 1}, {0: Fraction(5, 8), 1: Fraction(3, 8)}),
        ({"rate": 0.5}, {0: Fraction(1, 8), 1: Fraction(3, 8), 2: Fraction(3, 8), 3: Fraction(1, 8)}),
        # Of four households one has two ill, and one has one.
        ({"size": 1, "of": "households"}, {0: Fraction(1, 2), 1: Fraction(1, 4), 2: Fraction(1, 4)}),
        ({"rate": 0.5, "of": "households"}, {each: Fraction(1, 4) for each in range(4)}),
    ],
)
def test_samples_are_drawn_with_the_promised_law(sample: Any, law: dict[int, Fraction], tmp_path: Path) -> None:
    """A thousand draws are within five deviations of the law, which one of half the rate is not."""
    path, times = table(tmp_path), 1000
    people = open_people(Source(file=path, household="home", value="ill"), path.parent)
    section, tally, homes = dl.Sample(**sample, drawn="here"), people.tally(), homes_of(people)
    found: Counter[int] = Counter()
    for _ in range(times):
        own = drawn_homes(section, homes) if section.of == "households" else drawn_tally(section, people, tally)
        found[sum(count for (_, value), count in own.items() if value == 1)] += 1
    people.close()
    assert found.keys() <= law.keys()
    for value, chance in law.items():
        deviation = float(times * chance * (1 - chance)) ** 0.5
        assert abs(found[value] - float(times * chance)) <= 5 * deviation


def test_strata_are_drawn_at_their_rates(tmp_path: Path) -> None:
    rows = "where,ill\n" + "north,1\n" * 50 + "south,1\n" * 50
    path = tmp_path / "people.csv"
    path.write_text(rows)
    people = open_people(Source(file=path, label="where", value="ill"), path.parent)
    rates = dl.Sample(rate={"north": 1.0, "south": 1e-12}, of="strata", drawn="here")
    own = drawn_tally(rates, people, people.tally())
    people.close()
    assert own == {("north", Fraction(1)): 50, ("south", Fraction(1)): 0}


def test_a_part_that_is_a_sample_is_not_released(tmp_path: Path) -> None:
    part = dl.Sampled(population=dl.Independent(n=4, probabilities=[0.3]), sample=dl.Sample(rate=0.5))
    model = dl.Product(parts=[part, dl.Independent(n=4, probabilities=[0.3])])
    with pytest.raises(InputError, match=r"^model\.kind: product, wanted a sample of all people of the model"):
        answer(table(tmp_path), model)


SPEC = """
[model]
kind = "households"
{model}
infected = [0.5, 0.2, 0.3]
[sample]
rate = 0.5
of = "households"
drawn = "{drawn}"
[query]
kind = "count"
[noise]
kind = "geometric"
[notion]
kind = "inferential"
epsilon = 1.0
[data]
household = "home"
value = "ill"
"""


@pytest.mark.parametrize("by", ["already", "here"])
def test_certificates_say_who_drew_the_sample(by: str, tmp_path: Path) -> None:
    rows = ROWS if by == "here" else "home,ill\na,1\na,1\n"
    spec = tmp_path / "survey.toml"
    spec.write_text(SPEC.format(model="count = 4", drawn=by))
    said = dalenius("release", spec, "--data", table(tmp_path, rows), "--json").json["certificate"]
    assert said["people"] == 8
    assert said["model_in_words"].startswith("answers are those of a sample, and nobody knows who is in it")
    who = {"already": "whoever drew it told nobody who is in it", "here": "by the operating system's secure generator"}
    assert any(who[by] in each for each in said["hypotheses"])
    assert any("who is in the sample stays secret" in each for each in said["hypotheses"])


def test_households_of_the_population_are_not_read_from_a_sample(tmp_path: Path) -> None:
    spec = tmp_path / "survey.toml"
    text = SPEC.format(model='by = "home"', drawn="already").replace("infected", "types = [{ infected", 1)
    spec.write_text(text.replace("0.3]\n[sample]", "0.3] }]\n[sample]").replace('household = "home"\n', ""))
    done = dalenius("release", spec, "--data", table(tmp_path))
    assert done.code == 2
    assert done.err.startswith("dalenius: sample.drawn: already, wanted a model that gives its people itself")


def test_households_of_everybody_are_read_where_the_sample_is_drawn_here(tmp_path: Path) -> None:
    spec = tmp_path / "survey.toml"
    text = SPEC.format(model='by = "home"', drawn="here").replace("infected", "types = [{ infected", 1)
    spec.write_text(text.replace("0.3]\n[sample]", "0.3] }]\n[sample]").replace('household = "home"\n', ""))
    assert len(dalenius("release", spec, "--data", table(tmp_path), "--json").json["answers"]) == 1
