"""The statements of IDP and IP, one by one, on random models: docs/research/statements.md says which test is whose."""
