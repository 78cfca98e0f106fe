"""Superword's training and encoding beside those of others, each measurement in its own process."""
