"""Textbook versions of every algorithm, slow and plain: what the project is measured against.

Standard library only; nothing here imports the project. Tokens are byte strings, an op is
(kind, left, right, count), and every step recounts everything.
"""
