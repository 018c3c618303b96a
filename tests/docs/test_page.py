"""The runner accepts a true page and refuses each near lie."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.docs.blocks import blocks_of
from tests.docs.test_docs import run

TRUE_PAGE = """
# A page

```toml
# file: spec.toml
answer = 42
```

```csv
# file: deep/people.csv
age
7
```

```console
$ cat deep/people.csv
age
7
$ python -c "import sys; print(sys.prefix); print('kept'); print(3); print('0.12345 nats')"
...
kept
3
0.12… nats

$ test -d examples
$ echo gone >&2; exit 2  # exit 2
gone
$ make everything
never compared
$ pip install nothing-of-this-name
$ git push
$ echo one \\
    two
one two
```

1. In a list:

   ```python
   import tomllib
   answer = tomllib.load(open_spec := open("spec.toml", "rb"))["answer"]
   open_spec.close()
   print(answer)
   ```

   ```text
   42
   ```

```python
print(answer + 1)
```
The text below is no output.
```text
9
```

```python no-run
raise SystemExit
```

```console
$ test -n "$DALENIUS_DATA"
```
"""


def line_of(beginning: str) -> int:
    """The number of the only line of the true page that begins so."""
    (number,) = (n for n, line in enumerate(TRUE_PAGE.splitlines(), start=1) if line.startswith(beginning))
    return number


RunText = Callable[[str], None]


@pytest.fixture
def run_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunText:
    def run_it(text: str) -> None:
        page = tmp_path / "page.md"
        page.write_text(text, encoding="utf-8")
        run(page, tmp_path, monkeypatch)

    return run_it


def test_true_page_passes(run_text: RunText) -> None:
    run_text(TRUE_PAGE)


LIES = (
    ("age\n7\n$", "age\n8\n$", "$ cat deep"),
    ("...\nkept", "kept", "$ python -c"),
    ("0.12…", "0.13…", "$ python -c"),
    ("nats\n\n", "nats\nmore\n\n", "$ python -c"),
    ("# exit 2", "", "$ echo gone"),
    ("one two\n", "one  two\n", "$ echo one"),
    ("   42\n", "   43\n", "   42"),
    ("The text below is no output.", "", "9"),
)


def test_near_lies_fail(run_text: RunText, tmp_path: Path) -> None:
    for true, lie, blamed in LIES:
        assert TRUE_PAGE.count(true) == 1
        (tmp_path / "examples").unlink(missing_ok=True)
        with pytest.raises(AssertionError, match=rf"^page\.md:{line_of(blamed)}\b"):
            run_text(TRUE_PAGE.replace(true, lie))


def test_python_failure_is_shown_at_the_line_of_the_page(run_text: RunText) -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        run_text("Words.\n\n```python\nx = 1\nx / 0\n```\n")
    assert caught.traceback[-1].lineno == 5 - 1  # pytest counts from 0


def test_unclosed_block_is_refused() -> None:
    with pytest.raises(ValueError, match="line 2: the block is never closed"):
        list(blocks_of("Words.\n```toml\na = 1\n"))
