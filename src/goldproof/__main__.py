"""`python -m goldproof` is the command line."""

from goldproof.cli import main

if __name__ == "__main__":
    main()
