"""Learning from people whose records depend on each other, with a promise: scikit-learn's estimators."""
