"""Calibration: the noise that a promise needs. A new method is one file here and a line in `dalenius.wings`.

Each name is imported where it is first asked for, because an audit needs no method. `__init__.pyi` lists them.
"""

import lazy_loader

# Because a file whose name is also that of a function in it would hide the function; every command has their imports.
from dalenius.calibration.accuracy import accuracy as accuracy

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
