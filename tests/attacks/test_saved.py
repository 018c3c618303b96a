"""An attack that was stopped goes on where it was, and ends as it would have."""

from pathlib import Path

import pytest

from dalenius.attacks import ByLaw, LocationAttack, Prior, Saved, attack_locations, digest_of
from dalenius.errors import InputError
from tests.attacks.towns import town

HERE = town(people=150, k=4)
PRIOR = Prior(HERE.edges, ByLaw())


class Stopped(Exception):
    pass


def run(path: Path | None, stop: int | None = None, known: int | None = 80) -> LocationAttack:
    def progress(done: int) -> None:
        if stop is not None and done >= stop:
            raise Stopped

    saved = None if path is None else Saved(path, digest_of(HERE.city, HERE.released, PRIOR, known, 1))
    return attack_locations(HERE.city, HERE.released, PRIOR, known, 1, saved, progress)


@pytest.mark.parametrize(("stop", "cut"), [(1, 0), (100, 1), (100, 500)])
def test_the_same_bit_for_bit(tmp_path: Path, stop: int, cut: int) -> None:
    path = tmp_path / "attack.jsonl"
    with pytest.raises(Stopped):
        run(path, stop)
    left = path.read_bytes()
    path.write_bytes(left[: len(left) - cut])  # as if the machine had gone down in the middle of a line
    assert run(path).columns() == run(None).columns()
    assert run(path).columns() == run(None).columns()  # all of it from the file
    assert len(path.read_bytes().splitlines()) == 1 + 3


def test_other_inputs_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "attack.jsonl"
    run(path)
    with pytest.raises(InputError) as caught:
        run(path, known=79)
    wanted = "a file of the same places, friends, centroids, noise, prior, known and seed, or a new one"
    assert (caught.value.key, caught.value.wanted) == ("resume", wanted)


def test_other_files_and_files_with_blocks_taken_out_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "attack.jsonl"
    run(path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], *lines[2:]]))
    with pytest.raises(InputError, match="wanted a file that an attack on locations has written, or a new one"):
        run(path)


def test_digest_is_of_everything() -> None:
    other = town(people=150, k=4, seed=6)
    found = {
        digest_of(HERE.city, HERE.released, PRIOR, None, 1),
        digest_of(other.city, HERE.released, PRIOR, None, 1),
        digest_of(HERE.city, other.released, PRIOR, None, 1),
        digest_of(HERE.city, HERE.released, Prior(other.edges, ByLaw()), None, 1),
        digest_of(HERE.city, HERE.released, Prior(HERE.edges, ByLaw(strength=2.0)), None, 1),
        digest_of(HERE.city, HERE.released, Prior(), None, 1),
        digest_of(HERE.city, HERE.released, Prior(counted="places"), None, 1),
        digest_of(HERE.city, HERE.released, PRIOR, None, 2),
        digest_of(HERE.city, HERE.released, PRIOR, 149, 1),
    }
    assert len(found) == 9
    assert digest_of(HERE.city, HERE.released, PRIOR, None, 1) in found


def test_what_is_no_file_of_an_attack_is_refused_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    for content in ("hello", "{}\n", '{"format": "another"}\n'):
        path.write_text(content)
        with pytest.raises(InputError, match="wanted a file that an attack on locations has written, or a new one"):
            run(path)
        assert path.read_text() == content
    with pytest.raises(InputError, match=r"resume: .*, wanted a file to keep what is done"):
        run(tmp_path)
