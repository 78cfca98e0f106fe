"""Vocabularies that other programs made, as models: pure functions over plain values."""
