"""Tokenizers in the formats of other libraries, with ids proven equal: pure functions."""
