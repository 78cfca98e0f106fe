"""`python -m superword`."""

from superword.cli import main

if __name__ == "__main__":
    main()
