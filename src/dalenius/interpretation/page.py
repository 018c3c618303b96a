"""The page on what an ε means: one file without a server, with the sentences of the package.

The page computes the numbers itself, for a household that is alike with some probability. Tests compare its words and
its table with those of `meaning`.
"""

import json
import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from pathlib import Path

from dalenius.interpretation.sentences import TEXTS


@cache
def meaning_page() -> str:
    """Returns the page as HTML, which loads nothing.

    >>> meaning_page().startswith("<!DOCTYPE html>"), "http" in meaning_page().replace("http://www.w3.org/2000/svg", "")
    (True, False)
    """
    template = Path(__file__).with_name("page.html").read_text(encoding="utf-8")
    # Because "</" would end the element that holds the texts.
    texts = json.dumps(dict(TEXTS), ensure_ascii=False, indent=1).replace("</", "<\\/")
    return template.replace("@TEXTS@", texts)


@cache
def content_policy() -> str:
    """Returns the Content-Security-Policy that allows the page's own style and program, and nothing else."""
    page = meaning_page()
    style, program = (re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)[0] for tag in ("style", "script"))
    allowed = (b64encode(sha256(each.encode()).digest()).decode() for each in (style, program))
    styles, programs = (f"'sha256-{each}'" for each in allowed)
    return f"default-src 'none'; style-src {styles}; script-src {programs}; base-uri 'none'; frame-ancestors 'none'"
