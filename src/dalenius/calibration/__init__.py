"""How much noise a promise needs. A new method is one file here and an instance in `METHODS`.

What is offered is imported where it is first asked for: an audit needs no method. `__init__.pyi` lists it.
"""

import lazy_loader

# Files whose name is also that of what they offer, which would else hide it; every command has what they import.
from dalenius.calibration.accuracy import accuracy as accuracy

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
