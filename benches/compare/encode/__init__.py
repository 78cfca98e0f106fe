"""Encoding beside that of others, each measurement in a process of its own."""
