"""The pure-Python backend: the specification in code."""
