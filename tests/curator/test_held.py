"""A release of what the user holds: the budget belongs to the name, wherever the table is."""

from pathlib import Path

import pandas as pd
import pytest

from dalenius.curator import release
from dalenius.errors import InputError, Refused
from dalenius.spec import spec_from
from tests.tables.engines import in_postgres

ROWS = {"ill": [0, 1, 1, 0, 1]}
SPEC = {
    "model": {"kind": "independent", "n": 5, "values": [0, 1], "probabilities": [0.5, 0.5]},
    "query": {"kind": "count"},
    "notion": {"kind": "differential", "epsilon": 1.0},
    "data": {"name": "people", "value": "ill"},
}


def test_frames_and_databases_have_one_budget(database: str, tmp_path: Path) -> None:
    spec, ledger, frame = spec_from(SPEC), tmp_path / "ledger.sqlite", pd.DataFrame(ROWS)
    with pytest.raises(InputError, match=r"^ledger: missing, wanted where spending is recorded, as the data are in no"):
        release(spec, tmp_path, data=frame)
    first = release(spec, tmp_path, data=frame, ledger=ledger, budget=5.0)
    assert release(spec, tmp_path, data=frame.iloc[::-1], ledger=ledger).published == first.published
    there = spec_from({**SPEC, "data": {"name": "people", "value": "ill", "table": "people"}})
    url = in_postgres(database, {"ill": [1, 1, 1, 0, 1]})
    with pytest.raises(Refused, match="are not those of earlier releases"):
        release(there, tmp_path, data=url, ledger=ledger)
    assert b"sesame" not in ledger.read_bytes()
