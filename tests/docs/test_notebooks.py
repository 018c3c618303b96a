"""The notebooks are their pages, whose code other tests run; and their own cells of Python run in order."""

import contextlib
import io
import json
from importlib.util import module_from_spec, spec_from_file_location
from typing import Any

import pytest

from tests.docs.page import REPOSITORY

_SPEC = spec_from_file_location("notebooks_make", REPOSITORY / "notebooks" / "make.py")
assert _SPEC is not None
assert _SPEC.loader is not None
MAKE: Any = module_from_spec(_SPEC)
_SPEC.loader.exec_module(MAKE)


@pytest.mark.parametrize("name", MAKE.PAGES)
def test_notebook_is_made_from_its_page(name: str) -> None:
    written = (REPOSITORY / "notebooks" / name).read_text(encoding="utf-8")
    assert written == MAKE.notebook_of(MAKE.PAGES[name]), "run python notebooks/make.py"


def test_cells_of_python_print_what_the_notebook_shows() -> None:
    read = json.loads((REPOSITORY / "notebooks" / "converting.ipynb").read_text(encoding="utf-8"))
    cells = [cell for cell in read["cells"] if cell["cell_type"] == "code"]
    scope: dict[str, Any] = {}
    shown = 0
    for cell in cells:
        source = "".join(cell["source"])
        if source.startswith(("!", "%%")):
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(source, "converting.ipynb", "exec"), scope)
        if cell["outputs"]:
            shown += 1
            assert printed.getvalue() == "".join(cell["outputs"][0]["text"])
    assert shown >= 3


def test_links_lead_to_files() -> None:
    for name in MAKE.PAGES:
        read = json.loads((REPOSITORY / "notebooks" / name).read_text(encoding="utf-8"))
        text = "".join("".join(cell["source"]) for cell in read["cells"] if cell["cell_type"] == "markdown")
        targets = {link.split("#")[0] for link in MAKE._LINK.findall(text)}
        assert targets
        assert not [each for each in targets if not (REPOSITORY / "notebooks" / each).exists()]
