"""Names the encoding that a text seems to have, where it is no UTF-8.

A general detector needs some hundred letters; a table may have five. So only the encodings of European exports are
compared, by the letters that their languages use often:

>>> likely_encoding("ort;Zahl\\nKöln;1\\nMünchen;2\\n".encode("cp1252"))
'cp1252'
>>> likely_encoding("imię;miasto\\nŁukasz;Łódź\\n".encode("cp1250")), likely_encoding(bytes([0x85]) * 9)
('cp1250', None)
"""

import re
from collections.abc import Mapping
from typing import Final

_WESTERN: Final = "äöüßÄÖÜéèêëÉàâáçñóòôíîïúùûøåæœÅØÆ€“”„’‘–°§«»"
_LETTERS: Final[Mapping[str, str]] = {
    "cp1252": _WESTERN,
    "cp1250": "ąćęłńóśźżŁŚŹŻĆÓčďěňřšťůýžŠČŘŽáéíőűăşţäöüß€“”„’–°",
    "cp1251": "абвгдежзийклмнопрстуфхцчшщъыьэюяАБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЭЮЯ№ёіїє",
    "cp850": _WESTERN,
    "mac_roman": _WESTERN,
}
"""Letters that are frequent in texts of each encoding. Where two encodings fit alike, the first is named."""

_LONGEST_RUN: Final[Mapping[str, int]] = {"cp1251": 60}
"""Most letters beyond ASCII side by side, by encoding: Cyrillic words have no others, Latin words rarely three."""
_USUAL_RUN: Final = 2
_SAMPLE: Final = 1 << 20
"""Bytes that are read, which takes a tenth of a second."""
_MOST_ODD: Final = 0.2
"""Largest share of letters beyond ASCII that may be rare in the encoding's languages."""


def likely_encoding(content: bytes) -> str | None:
    """Returns the encoding's name, as Python and the key `encoding` write it; None where no known one fits well.

    Args:
        content: Bytes that are no UTF-8, from the file's beginning.
    """
    sample = content[:_SAMPLE]
    # Because every second byte of a Latin text in UTF-16 is 0.
    if sample.count(0) > len(sample) // 4:
        return "utf-16-le" if sample[1::2].count(0) > sample[::2].count(0) else "utf-16-be"
    odd = {name: _odd_share(sample, name) for name in _LETTERS}
    best = min(odd, key=lambda name: odd[name])
    return best if odd[best] <= _MOST_ODD else None


def _odd_share(sample: bytes, encoding: str) -> float:
    """Returns the share of characters beyond ASCII that are unlikely in this encoding; 1 where it cannot be decoded."""
    try:
        text = sample.decode(encoding)
    except UnicodeDecodeError:
        return 1.0
    runs = re.findall(r"[^\x00-\x7f]+", text)
    known, longest = frozenset(_LETTERS[encoding]), _LONGEST_RUN.get(encoding, _USUAL_RUN)
    odd = sum(len(run) if len(run) > longest else sum(letter not in known for letter in run) for run in runs)
    return odd / max(1, sum(map(len, runs)))
