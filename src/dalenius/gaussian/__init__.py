"""Records that are jointly normal: models, channels and posteriors in closed form."""
