"""What is drawn at random does not hang on what other tests have loaded, and is the same each time."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

DRAWING = """
import sys
import tests.conftest
sys.path.insert(0, {room!r})
if {loaded}:
    import of_a_stranger
from hypothesis import given, settings, strategies as st
drawn = []

@settings(max_examples=300, database=None)
@given(st.integers(), st.floats(), st.text())
def draw(whole, real, text):
    drawn.append((whole, real, text))

draw()
print(drawn)
"""


@pytest.mark.lengthy
def test_modules_loaded_before_change_no_draw(tmp_path: Path) -> None:
    (tmp_path / "of_a_stranger.py").write_text(
        "NUMBERS = [" + ", ".join(f"{7919 * i}, {i}.4721" for i in range(100, 400)) + "]"
    )
    same = _drawn(tmp_path, False)
    assert same == _drawn(tmp_path, True)
    assert same == _drawn(tmp_path, False, CI="1")
    assert same != _drawn(tmp_path, False, EXPLORE="1")


def _drawn(room: Path, loaded: bool, **more: str) -> str:
    repository = Path(__file__).parents[2]
    code = DRAWING.format(room=str(room), loaded=loaded)
    kept = {name: value for name, value in os.environ.items() if name not in ("CI", "EXPLORE")}
    where = {**kept, "PYTHONPATH": os.pathsep.join([str(repository), kept.get("PYTHONPATH", "")]), **more}
    done = subprocess.run([sys.executable, "-c", code], env=where, capture_output=True, text=True, cwd=repository)
    assert done.returncode == 0, done.stderr
    return done.stdout
