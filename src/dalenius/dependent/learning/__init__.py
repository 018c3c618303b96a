"""Learning queries as real releases: clusters and linear classifiers with a guarantee per record.

Each name is imported where it is first asked for; `__init__.pyi` lists them. The estimators need scikit-learn, of the
extra `dalenius[learn]`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
