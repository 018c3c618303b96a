"""Models: the adversary's belief about the records. A new model is one file here and a line in `dalenius.wings`.

Each name is imported where it is first asked for; `__init__.pyi` lists them.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
