"""What a program can ask of Lazyscope itself."""
