"""Functions of Lazyscope for programs."""
