"""Noises: the random numbers that a release adds to the answer.

A new noise is one file here and a line in `dalenius.wings`. Each name is imported where it is first asked for;
`__init__.pyi` lists them.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
