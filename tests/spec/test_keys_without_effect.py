"""A key that would change nothing beside another key is refused, and what a spec writes itself is read back."""

import json
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest

from dalenius.errors import InputError
from dalenius.models.pedigree import Pedigree
from dalenius.noise import CellKey, Rounding
from dalenius.spec.spec import canonical, read_spec
from tests.first_hour.bases import COUNT, MODELS, NOISE, NOTION

ROWS: Final = "rows = [[[0, 1.0]], [[0, 1.0], [1, 1.0]]]"
NOISES: Final = {
    'kind = "rounding"\nbase = 3\nties = "down"': (
        'noise.ties: down, wanted none beside how = "unbiased", which draws one of the two multiples'
    ),
    'kind = "rounding"\nbase = 3\nhow = "unbiased"\nties = "up"': (
        'noise.ties: up, wanted none beside how = "unbiased", which draws one of the two multiples'
    ),
    f'kind = "cell_key"\n{ROWS}\njs = 1': "wanted js beside d and v only: the rows of a table say which counts go out",
    'kind = "cell_key"\ntable = "ptable.csv"\njs = 1': (
        "wanted js beside d and v only: the rows of a table say which counts go out"
    ),
    'kind = "cell_key"\nd = 2\nv = 0.9\nperiod = 3': "wanted a period beside rows only",
    'kind = "suppression"\nbelow = 3\nto = 0\nkeep_zero = true': (
        "wanted no keep_zero beside to = 0, which goes out for the answer 0 anyway"
    ),
}


def spec_of(model: str, noise: str) -> Any:
    return read_spec(tomllib.loads(model + COUNT + noise + NOTION))


@pytest.mark.parametrize("noise", NOISES)
def test_a_noise_with_a_key_without_effect_is_refused(noise: str) -> None:
    with pytest.raises(InputError) as refused:
        spec_of(MODELS["alike"], f"[noise]\n{noise}\n")
    assert str(refused.value).endswith(NOISES[noise])


@pytest.mark.parametrize("column", ["id", "father", "mother"])
def test_rows_of_a_pedigree_have_no_columns(column: str) -> None:
    with pytest.raises(InputError, match=r"id, father and mother beside file only: they name its columns$"):
        spec_of(f'{MODELS["pedigree"]}{column} = "nr"\n', NOISE)


@pytest.mark.parametrize(
    "noise",
    [
        'kind = "rounding"\nbase = 3',
        'kind = "rounding"\nbase = 4\nhow = "nearest"',
        'kind = "rounding"\nbase = 4\nhow = "nearest"\nties = "even"',
        'kind = "rounding"\nhow = "nearest"\nbands = [[0, 1], [15, 10]]',
        f'kind = "cell_key"\n{ROWS}\nperiod = 2',
        'kind = "suppression"\nbelow = 3\nkeep_zero = true',
    ],
)
def test_what_a_spec_writes_is_read_back(noise: str) -> None:
    spec = spec_of(MODELS["alike"], f"[noise]\n{noise}\n")
    assert canonical(read_spec(json.loads(canonical(spec)))) == canonical(spec)


def test_ties_go_up_where_nothing_is_said() -> None:
    plain, said = Rounding(base=4, how="nearest"), Rounding(base=4, how="nearest", ties="up")
    assert plain == said
    assert Rounding(base=4).ties is None


def test_a_file_of_a_pedigree_is_read_back_without_its_columns(tmp_path: Path) -> None:
    path = tmp_path / "family.csv"
    path.write_text("nr,father,mother\na,,\nb,,\nc,a,b\n", encoding="utf-8")
    read = Pedigree(file=path, id="nr", allele_frequency=0.1).self_contained()
    assert read == Pedigree(people=[["a", "", ""], ["b", "", ""], ["c", "a", "b"]], allele_frequency=0.1)
    assert type(read)(**json.loads(read.model_dump_json(exclude_none=True))) == read


def test_rows_of_cell_keys_are_read_back() -> None:
    read = CellKey(rows=[[[0, 1.0]], [[0, 1.0], [1, 1.0]]], period=2)
    assert CellKey(**json.loads(read.model_dump_json(exclude_none=True))) == read
