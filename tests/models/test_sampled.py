"""Samples of populations: the numbers of the textbook and of households, many people, and what is refused."""

from math import exp, log
from pathlib import Path
from typing import Any

import pytest

import dalenius as dl
from dalenius.errors import InputError, TooLarge
from dalenius.knowledge.conditional_information import information_given_others
from dalenius.models import Model
from dalenius.models.sampled import amplified
from dalenius.spec import read_spec
from tests.cli.command import dalenius

ALIKE = dl.Households(count=1, infected=[0.5, 0.0, 0.0, 0.0, 0.5])
HOMES = dl.Households(count=250, infected=[0.9, 0.04, 0.0, 0.0, 0.06])
PEOPLE = dl.Independent(n=1000, probabilities=[0.3])


def leakage(model: Model, **more: Any) -> float:
    found = dl.InferentialPrivacy().leakage(dl.Release(model, "count", dl.Laplace(scale=1.0), **more))
    assert found.upper - found.lower < 1e-9
    return found.upper


def drawn(population: Model, **sample: Any) -> dl.Sampled:
    return dl.Sampled(population=population, sample=dl.Sample(**sample))


def test_claim_holds_for_people_and_fails_for_households() -> None:
    claim = log(1 + 0.1 * (exp(1.0) - 1))
    assert amplified(1.0, 0.1) == pytest.approx(claim)
    assert leakage(drawn(PEOPLE, rate=0.1)) == pytest.approx(claim, abs=1e-9)
    assert leakage(drawn(ALIKE, rate=0.1, of="households")) == pytest.approx(log(0.9 + 0.1 * exp(4.0)), abs=1e-9)
    # Drawn alone, each of the four is there or not: (1 - q + q e)^4.
    assert leakage(drawn(ALIKE, rate=0.1)) == pytest.approx(4 * claim, abs=1e-9)


def test_a_sample_of_everybody_is_the_population() -> None:
    for sample in ({"rate": 1}, {"size": 1000}, {"size": 250, "of": "households"}, {"rate": 1.0, "of": "households"}):
        assert leakage(drawn(HOMES, **sample)) == pytest.approx(leakage(HOMES), abs=1e-9)


def test_a_smaller_sample_leaks_less() -> None:
    for of in ("people", "households"):
        found = [leakage(drawn(HOMES, rate=rate, of=of)) for rate in (0.01, 0.1, 0.5, 0.9, 1.0)]
        assert found == sorted(found)


def test_a_sample_of_given_size_hides_less_by_its_size() -> None:
    million = dl.Households(count=250_000, infected=[0.9, 0.04, 0.0, 0.0, 0.06])
    found = []
    for sample in ({"rate": 0.02}, {"size": 5_000}):
        release = dl.Release(drawn(million, of="households", **sample), "count", dl.Laplace(scale=8.0))
        found.append(dl.MutualInformationPrivacy().leakage(release).upper)
    # By rate, how many are drawn varies too: the variance is E[X²], and not E[X²] - E[X]², which is .92 of it.
    assert found[0] / found[1] == pytest.approx(0.925, abs=0.005)


def test_draws_with_too_many_terms_are_refused() -> None:
    with pytest.raises(TooLarge, match=r"^model\.sample\.size: a sample of 5,000 .*limit joints\.drawn_terms"):
        leakage(drawn(dl.Households(count=25_000, infected=[0.9, 0.04, 0.0, 0.0, 0.06]), size=5_000))


def test_strata_have_rates_of_their_own() -> None:
    people = dl.Independent(probabilities=[0.3, 0.3], labels=["north", "south"])
    model = drawn(people, rate={"north": 0.1, "south": 0.5}, of="strata")
    for person, rate in ((1, 0.1), (2, 0.5)):
        assert leakage(model, secrets=dl.Secrets(people=[person])) == pytest.approx(amplified(1.0, rate), abs=1e-9)


def test_several_answers_ask_the_same_sample() -> None:
    """Two counts of one person with q = .1: ln(.9 + .1 e²), and not twice .159."""
    person = dl.Independent(probabilities=[0.3])
    both = dl.Release(drawn(person, rate=0.1), dl.Several(queries=[dl.Count(), dl.Count()]), dl.Laplace(scale=1.0))
    found = dl.InferentialPrivacy().leakage(both)
    assert found.upper == pytest.approx(log(0.9 + 0.1 * exp(2.0)), abs=1e-9)
    one = dl.Release(drawn(person, rate=0.1), "count", dl.Laplace(scale=1.0))
    assert dl.compose([one, one], dl.InferentialPrivacy()).bound.upper == pytest.approx(found.upper, abs=1e-9)


def test_samples_of_their_own_have_no_joint_law() -> None:
    person = dl.Independent(probabilities=[0.3])
    one = dl.Release(drawn(person, rate=0.1, drawn="here"), "count", dl.Laplace(scale=1.0))
    found = dl.compose([one, one], dl.InferentialPrivacy())
    joint = found.each["joint"]
    assert joint.reason is not None
    assert joint.reason.startswith("each release draws a sample of its own")


@pytest.mark.lengthy
def test_compare_has_the_claim_beside_the_truth() -> None:
    found = dl.compare(dl.Release(drawn(HOMES, rate=0.1, of="households"), "count", "geometric"), PROMISE)
    claim = found["amplification"].calibration
    assert claim is not None
    assert not claim.sound
    assert claim.leakage.lower > 9
    assert found["exact"].calibration is not None
    people = dl.compare(dl.Release(drawn(PEOPLE, rate=0.1), "count", "geometric"), PROMISE)["amplification"].calibration
    assert people is not None
    assert people.sound
    assert people.leakage.upper == pytest.approx(1.0, abs=1e-9)


PROMISE = dl.InferentialPrivacy(epsilon=1.0)


def test_claim_fails_where_records_add_more_than_they_differ() -> None:
    """A sum of tens and elevens: that somebody is drawn adds ten, whatever the record."""
    tens = dl.Independent(values=[10, 11], probabilities=[[0.5, 0.5]] * 3)
    found = dl.calibrate(dl.Release(drawn(tens, rate=0.1), "sum", "laplace"), PROMISE, "amplification")
    assert not found.sound
    assert found.leakage.lower > 1.5


def test_claim_needs_a_sample_and_no_delta() -> None:
    with pytest.raises(InputError, match=r"^model\.kind: independent, wanted a sample of the people"):
        dl.calibrate(dl.Release(PEOPLE, "count", "geometric"), PROMISE, "amplification")
    release = dl.Release(drawn(PEOPLE, rate=0.1), "count", "geometric")
    with pytest.raises(InputError, match=r"^notion\.delta: 0\.1, wanted no delta"):
        dl.calibrate(release, dl.InferentialPrivacy(epsilon=1.0, delta=0.1), "amplification")


@pytest.mark.parametrize(
    ("sample", "said"),
    [
        ({"rate": 0}, r"^Sample\.rate: 0, wanted a rate above 0 and at most 1"),
        ({"rate": 1.5}, r"^Sample\.rate: 1\.5, wanted a rate above 0 and at most 1"),
        ({"rate": "all"}, r"^Sample\.rate: all, wanted a rate above 0 and at most 1"),
        ({"rate": {"north": 2.0}, "of": "strata"}, r"wanted a rate above 0 and at most 1 \(north has 2\.0\)"),
        ({"size": 0}, r"^Sample\.size: 0, wanted a number above 0"),
        ({"size": 2.5}, r"^Sample\.size: 2\.5, wanted a whole number"),
        ({"rate": 0.1, "of": "cities"}, r"^Sample\.of: cities, wanted 'people', 'households' or 'strata'"),
        ({"rate": 0.1, "drawn": "later"}, r"^Sample\.drawn: later, wanted 'already' or 'here'"),
        ({"rate": 0.1, "size": 5}, r"wanted either rate or size"),
        ({}, r"wanted either rate or size"),
        ({"rate": 0.1, "of": "strata"}, r'wanted of = "strata" beside a rate for each label'),
        ({"size": 5, "of": "strata"}, r'wanted of = "strata" beside a rate for each label'),
        ({"rate": {"north": 0.1}}, r'wanted of = "strata" beside several rates'),
    ],
)
def test_sections_that_are_no_sample_are_refused(sample: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        dl.Sample(**sample)


INTERVALS = dl.Independent(n=3, probabilities=[[[0.1, 0.2], [0.8, 0.9]]])
LABELLED = dl.Independent(probabilities=[0.3, 0.3], labels=["north", "south"])


@pytest.mark.parametrize(
    ("population", "sample", "said"),
    [
        (PEOPLE, {"size": 1001}, r"^sample\.size: 1001, wanted at most 1,000, as many people as there are"),
        (HOMES, {"size": 251, "of": "households"}, r"^sample\.size: 251, wanted at most 250, as many groups"),
        (PEOPLE, {"rate": {"a": 0.1}, "of": "strata"}, r"^sample\.of: strata, wanted people with labels"),
        (
            LABELLED,
            {"rate": {"north": 0.1}, "of": "strata"},
            r"^sample\.rate: .*also a rate for .* 'south'",
        ),
        (
            LABELLED,
            {"rate": {"north": 0.1, "south": 0.1, "west": 0.1}, "of": "strata"},
            r"^sample\.rate\.west: 0\.1, wanted a label that people have \(north, south\)",
        ),
        (dl.GaussianRecords(mean=[0], covariance=[[1]]), {"rate": 0.5}, r"^sample: a sample of model gaussian, wanted"),
        (
            dl.Independent(n=3, probabilities=[[[0.1, 0.2], [0.8, 0.9]]]),
            {"rate": 0.5},
            r"^sample: a sample of model ind",
        ),
        (drawn(PEOPLE, rate=0.5), {"rate": 0.5}, r"^sample: a sample of model sampled, wanted"),
    ],
)
def test_samples_that_do_not_fit_are_refused(population: Model, sample: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        drawn(population, **sample).joints()


def test_known_totals_and_secrets_of_several_are_refused() -> None:
    known = dl.Adversary(answers=[dl.KnownAnswer(query=dl.Count(), value=3)])
    with pytest.raises(InputError, match=r"^adversary\.answers: 1 of them, wanted none where a sample is asked"):
        leakage(drawn(PEOPLE, rate=0.1), adversary=known)
    with pytest.raises(InputError, match=r"^secrets: of several people, wanted one person's record each"):
        leakage(drawn(HOMES, rate=0.1), secrets=dl.Secrets(size=2))


def test_what_lists_records_refuses_a_sample() -> None:
    release = dl.Release(drawn(HOMES, rate=0.1), "count", dl.Geometric(scale=1.0))
    outcome = dl.compare(release, PROMISE)["influence_matrix"]
    assert outcome.calibration is None
    assert outcome.why.startswith("model.kind: sampled, wanted a model of everybody's records")


TEXT = """
[model]
kind = "households"
count = 250
infected = [0.9, 0.04, 0.0, 0.0, 0.06]
[sample]
{sample}
[query]
kind = "count"
[noise]
kind = "laplace"
scale = 1.0
[notion]
kind = "inferential"
epsilon = 1.0
"""


def test_the_section_becomes_a_part_of_the_model(tmp_path: Path) -> None:
    path = tmp_path / "survey.toml"
    path.write_text(TEXT.format(sample='rate = 0.1\nof = "households"'))
    spec = read_spec(path)
    assert spec.model == drawn(HOMES, rate=0.1, of="households")
    assert read_spec(spec.model_dump(mode="json", exclude_none=True)) == spec
    assert spec == dl.Spec(
        model=HOMES, sample=spec.model.drawn(), query=spec.query, noise=spec.noise, notion=spec.notion
    )


def test_commands_read_the_section(tmp_path: Path) -> None:
    path = tmp_path / "survey.toml"
    path.write_text(TEXT.format(sample='rate = 0.1\nof = "households"'))
    found = dalenius("audit", path, "--json").json["leakage"]["inferential"]["epsilon"]
    assert found == pytest.approx(leakage(drawn(HOMES, rate=0.1, of="households")), abs=1e-9)
    refused = dalenius("convert", path, "--epsilon", "1", "--neighbours", "replace")
    assert refused.code == 2
    assert refused.err.count("\n") == 1
    assert "model.kind: sampled, wanted the model of the population" in refused.err


@pytest.mark.parametrize(
    ("sample", "said"),
    [
        ("rate = 2.0", "sample.rate: 2.0, wanted a rate above 0 and at most 1"),
        ("size = 2000", "sample.size: 2000, wanted at most 1,000, as many people as there are"),
        ('rate = 0.1\nof = "cities"', "sample.of: cities, wanted 'people', 'households' or 'strata'"),
        (
            "rates = 0.1",
            "sample.rates: 0.1, wanted one of the keys of sample: rate, size, of, drawn (did you mean rate?)",
        ),
    ],
)
def test_a_bad_section_is_one_line(sample: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "survey.toml"
    path.write_text(TEXT.format(sample=sample))
    done = dalenius("audit", path)
    assert (done.code, done.out, done.err) == (2, "", f"dalenius: {said}\n")


def test_a_mistake_in_the_model_is_named_as_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "survey.toml"
    path.write_text(TEXT.format(sample="rate = 0.1").replace("count = 250", "count = 0"))
    assert dalenius("audit", path).err.startswith("dalenius: model.count: 0, wanted")


def test_bayesian_privacy_is_a_bound() -> None:
    found = dl.BayesianPrivacy().leakage(dl.Release(drawn(ALIKE, rate=0.1), "count", dl.Laplace(scale=1.0)))
    assert found.lower <= 4 * amplified(1.0, 0.1) + 1e-9
    assert found.upper == pytest.approx(4.0)


def test_information_given_everybody_else_is_refused() -> None:
    release = dl.Release(drawn(ALIKE, rate=0.1), "count", dl.Laplace(scale=1.0))
    with pytest.raises(TooLarge, match=r"^the information given everybody else's record"):
        information_given_others(release)
