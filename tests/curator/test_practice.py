"""A table to practise on: drawn from the model, never from the values; free, in no ledger, and marked."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalenius as dl
from dalenius.curator import Curator, PracticeTable, policy_from
from dalenius.curator.data_set_policy import NotAllowed
from dalenius.errors import InputError
from dalenius.spec.practice import PRACTICE
from tests.curator.policies import COUNT, ask, curator, people, sections, with_measure

PER_LABEL = dl.Count(per_label=True)


def exact_of(folder: Path, table: str, **data: Any) -> list[tuple[Any, ...]]:
    """The exact answers of the practice table beside that table."""
    folder.mkdir(exist_ok=True)
    (folder / "people.csv").write_text(table, encoding="utf-8")
    found = Curator(policy_from(sections(**data), folder), folder)
    session = found.session("ana", "measles")
    done = [session.practise(ask(query)).exact for query in (COUNT, PER_LABEL)]
    found.close()
    return done


def test_it_does_not_depend_on_anybody_s_value(tmp_path: Path) -> None:
    head, *rows = people().splitlines()
    cells = [row.split(",") for row in rows]
    other = [",".join([home, place, str(1 - int(ill)), age]) for home, place, ill, age in cells]
    nobody = [",".join([home, place, "0", age]) for home, place, _, age in cells]
    seen = [
        exact_of(tmp_path / str(n), "\n".join([head, *each]) + "\n") for n, each in enumerate((rows, other, nobody))
    ]
    assert seen[0] == seen[1] == seen[2]
    assert seen[0][0] == (sum(seen[0][1]),)


def test_it_is_free_and_in_no_ledger_and_each_answer_is_another(tmp_path: Path) -> None:
    found = curator(tmp_path)
    session = found.session("ana", "measles")
    drawn = {session.practise(ask(epsilon=0.4)).published.answers for _ in range(40)}
    assert len(drawn) > 3, "unlimited, though one such answer is all that the cap allows"
    assert found.ledger.history().last is None
    assert session.budget().own.spent == session.budget().data.spent == 0
    found.close()


def test_everything_says_that_it_is_practice(tmp_path: Path) -> None:
    found = curator(tmp_path)
    done = found.session("ana", "measles").practise(ask())
    assert next(iter(done.as_json().items())) == ("practice", PRACTICE)
    assert done.published.certificate["practice"] == PRACTICE
    assert done.published.words[0] == ["practice", PRACTICE]
    assert "practice" not in found.session("ana", "measles").ask(ask()).published.certificate
    found.close()


@pytest.mark.slow
def test_the_noise_has_the_law_of_a_real_answer(tmp_path: Path) -> None:
    """The mean distance accepts the scale of the certificate, and rejects one that is a third larger."""
    found = curator(tmp_path)
    session = found.session("ana", "measles")
    done = [session.practise(ask()) for _ in range(1500)]
    far = [abs(float(Fraction(each.published.answers[0]) - Fraction(each.exact[0]))) for each in done]
    wanted = done[0].published.certificate["expected_error"]
    error = float(np.std(far)) / len(far) ** 0.5
    assert abs(float(np.mean(far)) - wanted) < 4 * error
    assert abs(float(np.mean(far)) - 1.3 * wanted) > 4 * error
    found.close()


def test_the_table_follows_the_model() -> None:
    """In couples of whom both are ill or neither, the number of the ill is even, and right on average."""
    couples = dl.Households(count=400, infected=[0.75, 0.0, 0.25])
    ill = []
    for name in map(str, range(60)):
        table = PracticeTable(couples, name)
        ill.append(table._counts[1])
    assert all(each % 2 == 0 for each in ill)
    error = 2 * (400 * 0.25 * 0.75 / 60) ** 0.5
    assert abs(np.mean(ill) - 200) < 4 * error
    assert abs(np.mean(ill) - 1.1 * 200) > 4 * error


@pytest.mark.parametrize(
    ("public", "why"),
    [
        (("households", "labels"), "how many people there are is not public"),
        (("people", "labels"), "who lives with whom is not public"),
        (("people", "households"), "how many people have each label is not public"),
    ],
)
def test_it_tells_nothing_that_is_not_public(tmp_path: Path, public: tuple[str, ...], why: str) -> None:
    session = curator(tmp_path, public=public).session("ana", "measles")
    with pytest.raises(NotAllowed, match=f"^measure: ill, wanted a measure to practise on: of this one {why}$"):
        session.practise(ask())


def test_models_without_one_law_of_numbers_have_none(tmp_path: Path) -> None:
    given = {"kind": "independent", "values": [0, 1], "n": 20, "probabilities": [[[0.7, 0.9], [0.1, 0.3]]]}
    session = curator(tmp_path, source={"file": "people.csv"}, **with_measure(model=given)).session("ana", "measles")
    with pytest.raises(InputError, match=r"^ask\.measure: independent, wanted a model of numbers, not of intervals"):
        session.practise(ask())


def test_too_many_people_are_refused_with_the_limit() -> None:
    with pytest.raises(InputError, match=r"3,000,000 people, wanted .* \(limit curator\.practice_people\)"):
        PracticeTable(dl.Independent(n=3_000_000, probabilities=[0.5]), "large")


def test_what_the_policy_does_not_allow_is_not_practised(tmp_path: Path) -> None:
    with pytest.raises(NotAllowed, match="a kind that may be asked"):
        curator(tmp_path).session("ana", "measles").practise(dl.Ask(measure="ill", query=dl.Mean(), epsilon=0.2))
    with pytest.raises(InputError, match="no practice here: every data set has a table to practise on"):
        curator(tmp_path, source={"file": "people.csv", "practice": True})
