"""What programs import of the engine."""
