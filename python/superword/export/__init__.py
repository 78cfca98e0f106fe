"""Models as the files of other programs: pure functions over plain values."""
