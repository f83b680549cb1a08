"""`python -m scorecast` does what `scorecast` does."""

from scorecast.cli import main

if __name__ == "__main__":
    main()
