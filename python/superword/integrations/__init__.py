"""Superword tokenizers inside other libraries, on the public names of superword alone.

Each module needs the library that it is named after.
"""
