"""Methods from the literature for records whose law is known: Wasserstein, Markov quilts, weak dependence."""
