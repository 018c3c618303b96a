"""Tests of Dalenius."""
