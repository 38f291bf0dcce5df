"""Measures Castway, and peers beside it, on one machine."""
