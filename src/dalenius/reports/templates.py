"""The templates of pages: Jinja, where all that comes from a spec, a table or a ledger is escaped."""

import re
from typing import Any, Final

# Because XML has no place for them, or they are control characters.
_UNWRITABLE: Final = re.compile("[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def rendered(name: str, **values: Any) -> str:
    """Writes the template of this `name` with its `values`, without characters that no document may have."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    # So that no page has a gap, undefined names are errors.
    environment = Environment(
        loader=PackageLoader("dalenius.reports", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return _UNWRITABLE.sub("\ufffd", environment.get_template(name).render(**values))
