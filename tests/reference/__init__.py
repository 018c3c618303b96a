"""A brute force the package is checked against: every assignment enumerated, in fractions and mpmath.

Nothing here imports `dalenius`; agreement between the two is therefore evidence (Theory §1-§3, §12).
"""
